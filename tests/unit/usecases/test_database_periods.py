"""Periods as occurrences: hourly reports, and what lies between snapshots, through the use case and the verbs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.program import compose
from tests.store import cases
from tests.store.database_cases import counters, period, statements, store, table
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.inference.verdict import Verdict
from tunebench.cli.main import run as run_verb
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import WindowLoad
from tunebench.store import runs
from tunebench.store.project import Project
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle.applying import apply
from tunebench.usecases.databases import comparison, sides
from tunebench.usecases.databases.occurrences import occurrences

WEEK = 7 * 1440
BEFORE, AFTER = (1.51, 2.23), (0.93, 1.36)
"""Least and greatest mean of sessions at work in an hour."""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        runs.ensure_run(opened, "before", Phase.BEFORE)
        runs.ensure_run(opened, "after", Phase.AFTER)
        yield opened


def hours(
    first: int, ends: tuple[float, float], transactions: float = 36_000.0, seed: int = 0, a_day: int = 4
) -> list[DatabaseRecord]:
    """Twenty reports of an hour, so many a day; one statement is all the work there is."""
    found = []
    for hour, sessions in enumerate(np.random.default_rng(seed).uniform(*ends, 20)):
        load = table("load", {"name": ["transactions", "executions"]}, total=[transactions, 7200.0])
        busy_s = 3600 * float(sessions)
        start = first + 1440 * (hour // a_day) + 60 * (hour % a_day)
        made = period(start, start + 60, {**statements(a=(7200, busy_s), b=(7200, 10.0)), "load": load})
        found.append(replace(made, db_time_s=busy_s))
    return found


def filled(
    project: Project, transactions: float = 36_000.0, after: tuple[float, float] = AFTER, a_day: int = 4
) -> None:
    store(project, *hours(0, BEFORE, a_day=a_day))
    store(project, *hours(WEEK, after, transactions, seed=1, a_day=a_day), run="after")


def told(project: Project, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    verb = ["compare", str(project.path), "--before", "before", "--after", "after", "--json", *more]
    assert run_verb(verb) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["statements"]
    return found


@pytest.mark.parametrize(("a_day", "days", "source"), [(4, 5, "measured"), (20, 1, "assumed")])
def test_twenty_hours_a_side_that_do_not_overlap_are_improved(
    project: Project, a_day: int, days: int, source: str
) -> None:
    """Hours of one day are one occurrence: what they share, they share."""
    filled(project, a_day=a_day)
    found = comparison.compare(project, 1, 2)
    time, rows = found.time, {row.pair.before_ids[0]: row for row in found.statements.rows()}
    assert time is not None
    assert (len(time.before), len(time.after), time.verdict, time.per_unit_of) == (days, days, Verdict.IMPROVED, "")
    assert (rows["a"].outcome, rows["b"].outcome) == ("improved", "inconclusive")
    judged = rows["a"].changes["elapsed_s"].judged
    assert judged is not None and (judged[0].before, judged[0].after, judged[0].source) == (days, days, source)
    workload = found.statements.totals["elapsed_s"]
    assert workload.verdict is Verdict.IMPROVED and workload.change is not None and workload.change.before == days


def test_one_day_that_was_slower_as_a_whole_is_no_regression(project: Project) -> None:
    """Eight hours each, 3 % apart from hour to hour; the days differ by 15 %, as days do."""
    for run, first, day in (("before", 0, 1.0), ("after", WEEK, 1.15)):
        store(project, *hours(first, (0.97 * day, 1.03 * day), a_day=20), run=run)
    found = comparison.compare(project, 1, 2)
    assert found.time is not None and found.time.verdict is Verdict.INCONCLUSIVE
    assert {row.outcome for row in found.statements.rows()} == {"inconclusive"}


def test_half_the_work_in_half_the_time_is_no_gain(project: Project) -> None:
    filled(project, 18_000.0, (BEFORE[0] / 2, BEFORE[1] / 2))
    time = comparison.compare(project, 1, 2).time
    assert time is not None and time.work == pytest.approx((10.0, 5.0))
    assert (time.per_unit_of, time.verdict) == ("transactions", Verdict.INCONCLUSIVE)
    assert time.ratio == pytest.approx(1.0, abs=0.1)


def test_json_says_what_verdicts_rest_on(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    filled(project)
    found = told(project, capsys)
    row = next(each for each in found["rows"] if each["before"]["id"] == "a")
    assert (row["class"], row["verdict"], row["reason"], row["container"]) == ("improved", "improved", None, "app")
    assert row["occurrences"] == [5, 5] and row["natural_variation"]["source"] == "measured"
    assert row["ci95"][0] < row["ratio"] < row["ci95"][1] and row["would_settle"] is None
    assert row["before"]["per_execution"]["elapsed_stddev_s"] is None
    time = found["time"]
    assert (time["verdict"], time["occurrences"], time["per_unit_of"]) == ("improved", [5, 5], None)
    assert [min(time["before"]) > max(time["after"]), len(time["before"])] == [True, 5]
    assert {"fisher", "laspeyres", "paasche", "interval", "verdict"} <= found["totals"]["elapsed_s"].keys()
    assert told(project, capsys, "--container", "other")["rows"] == []
    assert len(told(project, capsys, "--container", "app")["rows"]) == 2


@pytest.mark.parametrize(("language", "words"), [("en", "improved"), ("ko", "개선")])
def test_the_command_line_says_it_in_words(
    project: Project, capsys: pytest.CaptureFixture[str], language: str, words: str
) -> None:
    filled(project)
    verb = ["compare", str(project.path), "--rows", "--before", "before", "--after", "after", "--lang", language]
    assert run_verb(verb) == 0
    said = capsys.readouterr()
    lines = said.out.splitlines()
    assert any("Fisher" in line and "Laspeyres" in line and "Paasche" in line and words in line for line in lines)
    assert any("1." in line and words in line and "→" in line for line in lines)
    assert any("100.0 %" in line for line in lines), "coverage"


def snapshot(minute: int, count: int, elapsed_s: float) -> DatabaseRecord:
    return counters(minute, statements(a=(count, elapsed_s)))


def test_snapshots_of_one_day_are_one_occurrence(project: Project) -> None:
    """Every 20 minutes; from one day's last to the next day's first nothing ran that day's hours could tell."""
    ends = np.cumsum([0.0, 10.0, 12.0, 11.0])
    store(project, *(snapshot(20 * i, 100 * i, float(end)) for i, end in enumerate(ends)))
    (found,) = occurrences(project, sides.side(project, 1), ZoneInfo("UTC"), 600.0)
    assert found.elapsed_s == 3600.0
    assert float(found.table("statement").figure("elapsed_s")[0]) == pytest.approx(33.0)


@pytest.mark.parametrize(
    ("last", "lengths"), [(60, [60, 60, 60]), (20, [60, 60]), (35, [60, 60, 35])], ids=["whole", "short", "enough"]
)
def test_reports_are_put_together_by_day(project: Project, last: int, lengths: list[int]) -> None:
    """Reports of 20 minutes or what is left of them, an hour a day; no group holds hours of two days, and a day with
    too little is left out where others have enough."""
    days = [(1440 * day, [*range(0, minutes, 20), minutes]) for day, minutes in enumerate((60, 60, last))]
    spans = [(day + one, day + two) for day, ends in days for one, two in pairwise(ends)]
    store(project, *(period(*span, statements(a=(10, 1.0))) for span in spans))
    found = list(occurrences(project, sides.side(project, 1), ZoneInfo("UTC"), 1764.0))
    assert [each.elapsed_s for each in found] == [60.0 * length for length in lengths]


def mornings(first: int, factor: float, days: int = 5) -> list[DatabaseRecord]:
    """A report of the same hour of as many days, whose work differs."""
    found = []
    for day, sessions in enumerate((2.0, 1.0, 1.5, 0.7, 3.0)[:days]):
        start = first + 1440 * day
        made = period(start, start + 60, statements(a=(7200, 3600 * factor * sessions)))
        found.append(replace(made, db_time_s=3600 * factor * sessions))
    return found


def test_periods_of_a_weekday_and_hour_are_compared_with_each_other(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """Days that differ four times over, each a fifth better a week later; without pairs nothing could be said."""
    store(project, *mornings(0, 1.0))
    store(project, *mornings(WEEK, 0.8), run="after")
    found = told(project, capsys)
    time, (row,) = found["time"], found["rows"]
    assert (time["verdict"], time["paired"], time["occurrences"]) == ("improved", True, [5, 5])
    assert (row["verdict"], row["paired"], row["occurrences"]) == ("improved", True, [5, 5])
    assert row["ratio"] == pytest.approx(1.25) and row["ci95"][0] < 1.25 < row["ci95"][1]
    for language, words in (("en", "same weekday and hour"), ("ko", "요일과 시각이 같은 회차끼리")):
        verb = ["compare", str(project.path), "--rows", "--before", "before", "--after", "after", "--lang", language]
        assert run_verb(verb) == 0
        said = capsys.readouterr()
        assert words in said.out and words in said.err


def test_days_that_are_not_the_same_are_not_paired(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """From Monday on against from Thursday on: two of five have their like."""
    store(project, *mornings(0, 1.0))
    store(project, *mornings(WEEK + 3 * 1440, 0.8), run="after")
    time = told(project, capsys)["time"]
    assert (time["verdict"], time["paired"]) == ("inconclusive", False)


@pytest.mark.parametrize(("minutes", "controlled", "judged"), [(12, False, False), (12, True, True), (9, True, False)])
def test_half_an_hour_of_production_is_the_least_and_ten_minutes_of_a_controlled_load(
    project: Project, capsys: pytest.CaptureFixture[str], minutes: int, controlled: bool, judged: bool
) -> None:
    for run, first, cost in (("before", 0, 100.0), ("after", WEEK, 10.0)):
        made = period(first, first + minutes, statements(a=(9000, cost)))
        store(project, replace(made, db_time_s=cost), run=run)
        if controlled:
            window = replace(windows.find_window(project, run), name=f"load {run}", load=WindowLoad.CONTROLLED)
            apply(project, windows.add(project, window))
    found = told(project, capsys)
    (row,), time, totals = found["rows"], found["time"], found["totals"]["elapsed_s"]
    assert row["ratio"] == pytest.approx(10.0) and time["ratio"] == pytest.approx(10.0)
    if judged:
        assert [each["verdict"] for each in (row, time, totals)] == ["improved"] * 3
        assumed = [time["natural_variation"], row["natural_variation"]]
        assert {each["source"] for each in assumed} == {"assumed"}
        assert [each["sd"] for each in assumed] == pytest.approx([0.05, 0.05], rel=0.05)  # runs of one load, not days
        return
    assert [each["reason"] for each in (row, time, totals)] == ["short_period"] * 3
    assert [each["verdict"] for each in (row, time, totals)] == ["insufficient_data", *["descriptive_only"] * 2]
    for language, words in (("en", "too short to judge"), ("ko", "판정하지 않습니다")):
        verb = ["compare", str(project.path), "--rows", "--before", "before", "--after", "after", "--lang", language]
        assert run_verb(verb) == 0
        said = capsys.readouterr()
        assert said.out.count(words) == 2 and words in said.err, "workload, time; the statement"
