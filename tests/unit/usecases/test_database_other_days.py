"""What days of a database that are not compared tell of how much its days differ."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import log
from pathlib import Path
from statistics import stdev

import numpy as np
import pytest

from tests.program import compose
from tests.store import cases
from tests.store.database_cases import MINUTE_NS, counters, period, statements, store
from tunebench.analysis.inference.occurrences import Change, Source
from tunebench.cli.main import run as run_verb
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import Occurrence, Window, WindowRole
from tunebench.store import runs
from tunebench.store.project import Project
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle.applying import apply
from tunebench.usecases.databases import comparison

DAY, HOURS = 1440, 3
HISTORY = {4: 1.0, 5: 1.4, 6: 1.2, 11: 1.8, 12: 1.5}
"""Days after the first, a Thursday, that are Mondays to Wednesdays, and how dear all statements were on them."""
SD = stdev(map(log, HISTORY.values()))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        for label, phase in (("before", Phase.BEFORE), ("after", Phase.AFTER), ("history", Phase.BEFORE)):
            runs.ensure_run(opened, label, phase)
        yield opened


def day(project: Project, run: str, number: int, factor: float, first_hour: int = 0, hours: int = HOURS) -> None:
    """Reports of an hour; every statement costs `factor` times as much as on the first day."""
    for hour in range(first_hour, first_hour + hours):
        start = DAY * number + 60 * hour
        made = period(start, start + 60, statements(a=(7200, 3000 * factor), b=(7200, 300 * factor)))
        store(project, replace(made, db_time_s=3300 * factor), run=run, name=f"{number}-{hour}.html")


def compared(project: Project, after: float = 0.7) -> None:
    day(project, "before", 0, 1.0)
    day(project, "after", 7, after)


def judged(project: Project) -> list[Change]:
    """Of statement a, of all work at fixed executions, and of DB time."""
    found = comparison.compare(project, 1, 2)
    rows = {row.pair.before_ids[0]: row for row in found.statements.rows()}
    one, whole = rows["a"].changes["elapsed_s"].judged, found.statements.totals["elapsed_s"].change
    assert one is not None and whole is not None and found.time is not None
    return [one[0], whole, found.time.change]


def test_a_week_that_is_not_compared_tells_how_much_days_differ(project: Project) -> None:
    """By hand: the standard deviation of the logarithms of five days, with four degrees of freedom."""
    compared(project)
    assert [each.source for each in judged(project)] == [Source.ASSUMED] * 3
    for number, factor in HISTORY.items():
        day(project, "history", number, factor)
    for found in judged(project):
        assert (found.source, found.windows, found.before, found.after) == (Source.PROJECT, ("history",), 1, 1)
        assert (found.sd, found.df) == pytest.approx((SD, 4.0))


def test_days_that_differ_by_a_quarter_make_a_fall_by_a_third_undecided(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    """In window, command line and JSON the basis is named."""
    compared(project, 0.6)
    verb = ["compare", str(project.path), "--rows", "--before", "before", "--after", "after"]

    def verdicts() -> list[str]:
        assert run_verb([*verb, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)["statements"]
        row = next(each for each in found["rows"] if each["before"]["id"] == "a")
        sources.append(row["natural_variation"])
        return [each["verdict"] for each in (row, found["totals"]["elapsed_s"], found["time"])]

    sources: list[dict[str, object]] = []
    assert verdicts() == ["improved"] * 3
    for number, factor in HISTORY.items():
        day(project, "history", number, factor)
    assert verdicts() == ["inconclusive"] * 3
    assert (sources[-1]["source"], sources[-1]["windows"]) == ("project", ["history"])
    assert run_verb([*verb, "--lang", "en"]) == 0
    assert "as other windows show it: history" in capsys.readouterr().out


def test_a_day_without_its_like_is_in_no_figure(project: Project) -> None:
    """Thursday, Monday and Tuesday of either week; the Wednesday before and the Friday after cost a hundred times as
    much."""
    for run, days in (
        ("before", {0: 1.0, 4: 1.1, 5: 0.9, 6: 100.0}),
        ("after", {7: 0.5, 11: 0.55, 12: 0.45, 15: 100.0}),
    ):
        for number, factor in days.items():
            day(project, run, number, factor)
    found = comparison.compare(project, 1, 2)
    sums = [
        side.record.table("statement").figure("elapsed_s").sum() for side in (found.before, found.after) if side.record
    ]
    assert sums == pytest.approx([3 * HOURS * 3300.0, 1.5 * HOURS * 3300.0])
    assert found.time is not None and found.time.ratio == pytest.approx(2.0)
    assert (found.time.change.paired, found.time.change.before, found.time.change.after) == (True, 3, 3)
    (said,) = [each for each in found.cautions if each.key == "days_left_out"]
    assert str(said.facts["days"]).count(" - ") == 2


@pytest.mark.parametrize(
    ("first_hour", "hours", "source"),
    [(0, 3, Source.PROJECT), (0, 8, Source.PROJECT), (8, 3, Source.ASSUMED), (0, 1, Source.ASSUMED)],
)
def test_only_the_hours_that_are_compared_tell(project: Project, first_hour: int, hours: int, source: Source) -> None:
    compared(project)
    for number, factor in HISTORY.items():
        day(project, "history", number, factor, first_hour, hours)
    found = judged(project)[0]
    assert found.source is source
    if source is Source.PROJECT:
        assert found.sd == pytest.approx(SD)


@pytest.mark.parametrize("days", [2, 3])
def test_three_days_are_the_least(project: Project, days: int) -> None:
    compared(project)
    for number in list(HISTORY)[:days]:
        day(project, "history", number, HISTORY[number])
    assert judged(project)[0].source is (Source.PROJECT if days == 3 else Source.ASSUMED)


def test_weekends_tell_nothing_of_a_thursday(project: Project) -> None:
    compared(project)
    for number in (2, 3, 9, 10):  # Saturdays and Sundays
        day(project, "history", number, HISTORY[4] + 0.1 * number)
    assert judged(project)[0].source is Source.ASSUMED


def test_snapshots_of_a_kept_window_tell(project: Project) -> None:
    """Each hour some seconds late; the counters of a day begin where the day before ended."""
    level = {"a": 0.0}
    seconds = np.random.default_rng(2).uniform(0, 0.3, 8 * (HOURS + 1))

    def taken(run: str, number: int, factor: float) -> None:
        for hour in range(HOURS + 1):
            level["a"] += 3000 * factor if hour else 0.0
            minute = DAY * number + 60 * hour + float(seconds[(number * 4 + hour) % len(seconds)])
            executions = 7200.0 * (number * HOURS + hour + 1)
            store(
                project, counters(minute, statements(a=(executions, level["a"]))), run=run, name=f"{number}-{hour}.csv"
            )

    factors = {0: 1.0, **HISTORY, 7: 0.7}
    for number in sorted(factors):
        taken({0: "before", 7: "after"}.get(number, "history"), number, factors[number])
    spans = [(cases.START_NS + DAY * number * MINUTE_NS, HOURS * 60 * MINUTE_NS) for number in HISTORY]
    peak = Window(
        0,
        "Peak",
        WindowRole.OTHER,
        occurrences=tuple(Occurrence(start - MINUTE_NS, start + length + MINUTE_NS) for start, length in spans),
    )
    apply(project, windows.add(project, peak))
    found = comparison.compare(project, 1, 2)
    (row,) = found.statements.rows()
    change = row.changes["elapsed_s"].judged
    assert change is not None and change[0].windows == ("Peak",)
    assert change[0].sd == pytest.approx(SD)
