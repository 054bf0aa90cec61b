"""Windows as people get them wrong, and as clocks do: through the command line, a sentence each in both languages."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.program import compose
from tunebench.cli.main import run as run_verb
from tunebench.reporting.document import Table
from tunebench.reporting.success_case import build_document
from tunebench.usecases import projects
from tunebench.usecases.reports import success_case as reports

BERLIN, SEOUL = "Europe/Berlin", "Asia/Seoul"
JULY_20, JULY_27 = datetime(2026, 7, 20, 9), datetime(2026, 7, 27, 9)
AUGUST_10, AUGUST_17 = datetime(2026, 8, 10, 9), datetime(2026, 8, 17, 9)
"""Mondays; on the last one Korea rests, as Liberation Day was a Saturday."""


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        return self.out + self.err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Line:
    """The command line on one project."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], zone: str) -> None:
        self._folder, self._capsys = folder, capsys
        self.project = folder / "case.tune"
        assert run_verb(["new", str(self.project), "--customer", "ACME", "--zone", zone]) == 0

    def __call__(self, verb: str, *words: str) -> Said:
        self._capsys.readouterr()
        code = run_verb([verb, str(self.project), *words])
        return Said(int(code), *self._capsys.readouterr())

    def both(self, verb: str, *words: str) -> tuple[Said, Said]:
        return self(verb, *words, "--lang", "en"), self(verb, *words, "--lang", "ko")

    def take(self, run: str, text: str) -> None:
        path = self._folder / f"{run}{len(list(self._folder.iterdir()))}.txt"
        path.write_text(text, encoding="utf-8")
        phase = ("--phase", "before" if run.startswith("before") else "after")
        assert self("import", str(path), "--run", run, *phase).code == 0

    def add(self, name: str, *words: str, role: str = "before") -> Said:
        return self("window", "add", name, "--role", role, *words, "--lang", "en")

    def compared(self, before: str = "before", after: str = "after") -> Any:
        return self("compare", "--before", before, "--after", after, "--json").json


Make = Callable[..., Line]


@pytest.fixture
def make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Make:
    compose()
    return lambda zone=SEOUL: Line(tmp_path, capsys, zone)


def iostat(
    start: datetime, minutes: int, offset: str = "+0900", host: str = "db01", level: float = 30.0, steal: float = 0.0
) -> str:
    """Each minute from `start` on the host's own clock; %user wavers by a tenth, all requests alike."""
    values = level * np.exp(0.1 * np.random.default_rng(minutes).standard_normal(minutes))
    lines = [f"Linux 5.10.0-8 ({host}) \t{start:%Y-%m-%d} \t_x86_64_\t(4 CPU)", ""]
    stolen = steal + (steal != 0) * np.random.default_rng(7).standard_normal(minutes)
    for minute, (user, lost) in enumerate(zip(values.tolist(), stolen.tolist(), strict=True)):
        lines += [
            f"{start + timedelta(minutes=minute):%Y-%m-%dT%H:%M:%S}{offset}",
            "avg-cpu:  %user   %nice %system %iowait  %steal   %idle",
            f"  {user:.2f} 0.00 2.00 0.00 {lost:.2f} {98 - user:.2f}",
            "",
            "Device r/s w/s rkB/s wkB/s await aqu-sz %util",
            f"sda 100.00 40.00 800.00 320.00 6.00 0.84 {user:.2f}",
            "",
        ]
    return "\n".join(lines) + "\n"


def row(found: Any, native: str = "%user", host: str = "db01") -> Any:
    return next(each for each in found["series"] if (each["native"], each["host"]) == (native, host))


def check(found: Any, name: str) -> Any:
    return next(each for each in found["comparability"] if each["check"] == name)


def told(answers: Sequence[Said], *words: str) -> bool:
    return all(each in answer.all for answer, each in zip(answers, words, strict=True))


# -- nothing there -------------------------------------------------------------------------------------


def test_a_window_without_samples_is_refused_by_every_verb(make: Make) -> None:
    line = make()
    line.take("before", iostat(JULY_20, 120))
    stretch = ("--from", "2026-07-20T15:00", "--to", "2026-07-20T16:00")
    answers = line.both("window", "add", "Tea", "--role", "other", *stretch)
    assert [each.code for each in answers] == [3, 3]
    assert told(answers, "Nothing was captured in the window 'Tea'", "구간 'Tea'에 수집된 자료가 없습니다")
    assert line("window", "list", "--json").json == []


def test_an_occurrence_whose_run_was_removed_is_left_out_and_said(make: Make) -> None:
    """The window stays as it is kept; the days that are left are compared."""
    line = make()
    for day in range(3):
        line.take("before" if day < 2 else "before2", iostat(JULY_20 + timedelta(days=day), 121))
        line.take("after", iostat(JULY_27 + timedelta(days=day), 121))
    days = ("--days", "mon-wed", "--hours", "09:00-11:00", "--between")
    line.add("Old", *days, "2026-07-20", "2026-07-22")
    line.add("New", *days, "2026-07-27", "2026-07-29", role="after")
    kept = line("window", "list", "--json").json
    assert check(line.compared("Old", "New"), "C5")["reason"] == "measured"
    assert line("remove", "--run", "before2", "--yes").code == 0
    found = line.compared("Old", "New")
    assert (check(found, "C5")["state"], check(found, "C5")["facts"]["missing"]) == (
        "adjust",
        ["2026-07-22 09:00 - 11:00"],
    )
    assert row(found)["occurrences"] == [2, 3] and "check_C5" in [each["key"] for each in row(found)["cautions"]]
    answers = line.both("compare", "--rows", "--before", "Old", "--after", "New")
    assert told(answers, "left out: 2026-07-22 09:00 - 11:00", "자료가 없어 뺀 회차: 2026-07-22 09:00 - 11:00")
    assert line("window", "list", "--json").json == kept, "nothing is lost"


def test_a_window_all_of_whose_runs_were_removed_names_what_is_missing(make: Make) -> None:
    line = make()
    line.take("before", iostat(JULY_20, 121))
    line.take("after", iostat(JULY_27, 121))
    line.add("New", "--from", "2026-07-27T09:00", "--to", "2026-07-27T11:00", role="after")
    assert line("remove", "--run", "after", "--yes").code == 0
    for verb, *words in (("compare", "--before", "before", "--after", "New"), ("diagnose", "--run", "New")):
        answers = line.both(verb, *words)
        assert [each.code for each in answers] == [3, 3]
        assert told(
            answers, "captured in the window 'New' (2026-07-27 09:00", "'New'에 수집된 자료가 없습니다(2026-07-27"
        )
    assert [each["name"] for each in line("window", "list", "--json").json] == ["New"]


# -- times that do not fit -----------------------------------------------------------------------------


def test_windows_that_overlap(make: Make) -> None:
    """Within a window the second stretch would count twice; two that share time are no before and after."""
    line = make()
    line.take("before", iostat(JULY_20, 181))
    stretches = ("--from", "2026-07-20T09:00", "--to", "2026-07-20T10:30", "--from", "2026-07-20T10:00")
    answers = line.both("window", "add", "W", "--role", "other", *stretches, "--to", "2026-07-20T11:00")
    assert told(answers, "overlap (2026-07-20 09:00 - 10:30, 2026-07-20 10:00 - 11:00)", "겹")
    line.add("One", "--from", "2026-07-20T09:00", "--to", "2026-07-20T10:30")
    line.add("Two", "--from", "2026-07-20T10:00", "--to", "2026-07-20T11:30", role="after")
    found = row(line.compared("One", "Two"))
    assert (found["verdict"], found["reason"]) == ("not_comparable", "windows_overlap")
    assert (found["before"]["n"], found["after"]["n"]) == (90, 91), "what was measured is told"
    answers = line.both("compare", "--rows", "--before", "One", "--after", "Two")
    assert told(answers, "The two windows overlap in time", "두 구간의 시간이 겹칩니다")


def test_sides_of_different_length(make: Make) -> None:
    """Three hours against one: two of them have no like."""
    line = make()
    line.take("before", iostat(JULY_20, 181))
    line.take("after", iostat(JULY_27, 61))
    found = line.compared()
    assert check(found, "C2")["state"] == "refuse" and row(found)["facts"] == {"checks": ["C2"]}
    assert (row(found)["before"]["n"], row(found)["after"]["n"]) == (180, 60)
    assert row(found)["ratio"] is not None, "the ratio is told all the same"
    answers = line.both("compare", "--rows", "--before", "before", "--after", "after")
    assert told(answers, "hours match by 33.3 %", "33.3 % 겹칩니다")


def test_a_day_without_its_like_is_in_no_figure(make: Make, tmp_path: Path) -> None:
    """The 17th is a holiday with a tenth of the work: on the other days 30 % of the processors became 15 %, at the same
    140 requests a second."""
    line = make()
    for run, monday, level in (("before", AUGUST_10, 30.0), ("after", AUGUST_17, 15.0)):
        for day in range(5):
            text = iostat(monday + timedelta(days=day), 121, level=level)
            if (run, day) == ("after", 0):
                text = iostat(AUGUST_17, 121, level=1.5).replace("sda 100.00 40.00", "sda 10.00 4.00")
            line.take(run, text)
    found = line.compared()
    assert [len(found[side]["windows"]) for side in ("before", "after")] == [1, 1], "runs as wholes"
    days = ["2026-08-10", "2026-08-17"]
    assert [each["from"][:10] for side in ("before", "after") for each in found[side]["left_out"]] == days
    load = check(found, "C3")["facts"]
    assert (check(found, "C3")["state"], load["before"], load["after"]) == ("pass", 140.0, 140.0)
    busy = row(found)
    assert (busy["verdict"], busy["occurrences"]) == ("improved", [4, 4])
    assert (busy["before"]["n"], busy["after"]["n"]) == (480, 480), "four mornings, their rows since boot left out"
    assert busy["ratio"] == pytest.approx(2.0, rel=0.001)
    assert row(found, "await")["verdict"] != "not_comparable"
    answers = line.both("compare", "--rows", "--before", "before", "--after", "after")
    stretches = "2026-08-10 09:00 - 11:00, 2026-08-17 09:00 - 11:00"
    assert told(answers, f"weekday and hour: {stretches}", f"제외한 회차: {stretches}")
    assert told(answers, "Holidays count as Sundays: 2026-08-17", "공휴일은 일요일로 보았습니다: 2026-08-17")
    with projects.open_(line.project, read_only=True) as project:
        document = build_document(reports.build_case(project, "en"), "en")
    listed = next(each for each in document.blocks if isinstance(each, Table) and each.caption == "Measurement windows")
    told_out = [[cell.text for cell in cells][2:4] for cells in listed.rows if cells[2].text.startswith("–")]
    assert [each[0] for each in told_out] == [f"– · {day} 09:00:00 – 11:00:00" for day in days]
    assert all("nothing on the other side is of this weekday and hour" in each[1] for each in told_out)


def test_a_restart_inside_a_window(make: Make) -> None:
    line = make()
    line.take("before", sar(JULY_20, restart_at=20))
    line.take("after", sar(JULY_27))
    found = line.compared()
    assert (check(found, "C5")["state"], check(found, "C5")["reason"]) == ("refuse", "restart")
    assert (row(found)["verdict"], row(found)["facts"]) == ("not_comparable", {"checks": ["C5"]})
    assert (row(found)["before"]["n"], row(found)["after"]["n"]) == (59, 60)
    answers = line.both("compare", "--rows", "--before", "before", "--after", "after")
    assert told(answers, "Restarted inside a window: db01 (before)", "db01 (before)")


def sar(day: datetime, restart_at: int = -1) -> str:
    """``sar -u`` every two minutes; the system may start anew in the place of a row."""
    text = f"Linux 5.14.0-362.el9.x86_64 (db01) \t{day:%m/%d/%y} \t_x86_64_\t(4 CPU)\n\n"
    head = "00:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
    text += head
    for place in range(60):
        stamp = f"{day + timedelta(minutes=2 * place):%H:%M:%S}"
        if place == restart_at:
            text += f"\n{stamp}     LINUX RESTART\t(4 CPU)\n\n{head.replace('00:00:00', stamp)}"
        else:
            text += f"{stamp}        all {20 + place % 5:9.2f}      0.00      1.00      0.00      0.00 {79 - place % 5:9.2f}\n"
    return text


# -- clocks --------------------------------------------------------------------------------------------


def test_hosts_of_different_zones(make: Make) -> None:
    """Nine to eleven in Seoul: in Berlin it is night, and that host's morning is not meant."""
    line = make()
    for run, monday in (("before", JULY_20), ("after", JULY_27)):
        line.take(run, iostat(monday, 181))
        line.take(run, iostat(monday, 181, "+0200", "db02"))
        line.take(run, iostat(monday - timedelta(hours=7), 181, "+0200", "db03"))
    days = ("--days", "mon", "--hours", "09:00-11:00", "--between", "2026-07-20", "2026-07-20")
    answer = line.add("Old", *days, "--json")
    assert answer.json["other_clocks"] == ["db03 (+0200)"]
    assert "those of Asia/Seoul" in answer.err and "another clock: db03 (+0200)" in answer.err
    days = (*days[:-2], "2026-07-27", "2026-07-27")
    answer = line("window", "add", "New", "--role", "after", *days, "--lang", "ko")
    assert "다른 시간대로 기록된 호스트: db03 (+0200)" in answer.err
    found = line.compared("Old", "New")
    assert row(found)["occurrences"] == row(found, host="db03")["occurrences"] == [1, 1]
    assert row(found, host="db02")["reason"] == "no_samples", "its hours are four in the afternoon of Seoul"
    assert row(found, host="db03")["before"]["n"] == 121 - 1


@pytest.mark.parametrize(
    ("monday", "offsets"),
    [(datetime(2026, 3, 16, 9), ("+0100", "+0100")), (datetime(2026, 3, 23, 9), ("+0100", "+0200")),
     (datetime(2026, 10, 19, 9), ("+0200", "+0100"))],
    ids=["winter", "spring", "autumn"],
)  # fmt: skip
def test_the_same_hours_before_and_after_the_clocks_change(
    make: Make, monday: datetime, offsets: tuple[str, str]
) -> None:
    """Monday to Wednesday of one week and of the next, at nine of Berlin's clock: paired day by day, all hours alike."""
    line = make(BERLIN)
    for run, week, offset in (("before", monday, offsets[0]), ("after", monday + timedelta(days=7), offsets[1])):
        for day in range(3):
            line.take(run, iostat(week + timedelta(days=day), 121, offset))
        days = ("--days", "mon-fri", "--hours", "09:00-11:00", "--between")
        ends = [str((week + timedelta(days=each)).date()) for each in (0, 4)]
        made = line("window", "add", f"{run} week", "--role", run, *days, *ends, "--json").json
        assert [each["from"][10:] for each in made["occurrences"]] == [f"T09:00:00{offset[:3]}:00"] * 3
        assert made["other_clocks"] == []
    found = line.compared("before week", "after week")
    assert check(found, "C2")["facts"]["overlap_pct"] == pytest.approx(100)
    assert row(found)["occurrences"] == [3, 3] and row(found)["before"]["n"] == 3 * 121 - 3
    assert row(found)["method"] == "paired_occurrences"


@pytest.mark.parametrize(
    ("zone", "offsets", "other", "clocks"),
    [
        (SEOUL, ("+0900", "+0900"), ("-0400", "-0500"), ["db02 (-0400, -0500)"]),  # New York's autumn, none in Seoul
        (SEOUL, ("+0900", "+0900"), ("-0500", "-0500"), []),
        (
            BERLIN,
            ("+0200", "+0100"),
            ("-0400", "-0400"),
            ["db02 (-0400)"],
        ),  # 25 October in Berlin, a week before New York
        (BERLIN, ("+0200", "+0100"), ("+0000", "+0000"), []),  # a server on UTC whose people are in Berlin
    ],
)
def test_whose_clock_holds_is_said_where_another_moves_against_it(
    make: Make, zone: str, offsets: tuple[str, str], other: tuple[str, str], clocks: list[str]
) -> None:
    """Nine to eleven by the engagement's clock on the Mondays of two weeks; of db02 the same instants."""
    line = make(zone)
    monday = datetime(2026, 10, 19, 9) if zone == BERLIN else datetime(2026, 10, 26, 9)
    hours = [int(each[:3]) for each in (*offsets, *other)]
    for place, run in enumerate(("before", "after")):
        start = monday + timedelta(days=7 * place)
        line.take(run, iostat(start, 121, offsets[place]))
        line.take(run, iostat(start + timedelta(hours=hours[2 + place] - hours[place]), 121, other[place], "db02"))
    found = check(line.compared(), "C2")
    assert found["facts"].get("clocks", []) == clocks and found["facts"]["overlap_pct"] == pytest.approx(100)
    assert (found["state"], found["reason"] == "clocks_moved") == (("adjust", True) if clocks else ("pass", False))
    if clocks:
        answers = line.both("compare", "--rows", "--before", "before", "--after", "after")
        assert told(answers, f"the hours are others: {clocks[0]}", f"시간대가 서로 다릅니다: {clocks[0]}")


def test_a_window_goes_by_the_clock_that_it_names(make: Make, tmp_path: Path) -> None:
    """Nine to eleven in Berlin of an engagement in Seoul, where the clock does not move on 25 October: the same hours
    of either week, paired day by day, and told on that clock."""
    line = make()
    for run, week, offset in (
        ("before", datetime(2026, 10, 19, 9), "+0200"),
        ("after", datetime(2026, 10, 26, 9), "+0100"),
    ):
        for day in range(3):
            line.take(run, iostat(week + timedelta(days=day), 121, offset))
        days = ("--days", "mon-fri", "--hours", "09:00-11:00", "--between")
        ends = [str((week + timedelta(days=each)).date()) for each in (0, 4)]
        made = line("window", "add", f"{run} week", "--role", run, *days, *ends, "--clock", BERLIN, "--json").json
        assert made["zone"] == BERLIN and made["other_clocks"] == [] and len(made["empty_days"]) == 2
        assert [each["from"][10:] for each in made["occurrences"]] == [f"T09:00:00{offset[:3]}:00"] * 3
        of_seoul = line("window", "add", f"{run} by Seoul", "--role", run, *days, *ends).err
        assert "Europe" not in of_seoul
    found = line.compared("before week", "after week")
    c2 = check(found, "C2")
    assert (c2["state"], c2["facts"]["overlap_pct"]) == ("pass", pytest.approx(100)) and "clocks" not in c2["facts"]
    assert (row(found)["method"], row(found)["occurrences"]) == ("paired_occurrences", [3, 3])
    assert row(found)["before"]["n"] == row(found)["after"]["n"] == 3 * 121 - 3
    assert found["before"]["zone"] == BERLIN and found["before"]["windows"][0]["from"].endswith("T09:00:00+02:00")
    for listed in line.both("window", "list"):
        assert BERLIN in listed.out and "2026-10-26 09:00 - 11:00" in listed.out
    with projects.open_(line.project) as project:
        for language in ("en", "ko"):
            document = build_document(reports.build_case(project, language), language)
            tables = [each for each in document.blocks if isinstance(each, Table)]
            assert sum(BERLIN in note for table in tables for note in table.notes) >= 2


def test_a_clock_that_nobody_knows(make: Make) -> None:
    line = make()
    line.take("before", iostat(JULY_20, 121))
    for answer in line.both("window", "add", "Peak", "--role", "before", "--run", "before", "--clock", "Europe/Berlim"):
        assert answer.code != 0 and "Europe/Berlim" in answer.err
    assert line("window", "list", "--json").json == []


def test_hours_that_the_clocks_leap_over(make: Make) -> None:
    line = make(BERLIN)
    line.take("before", iostat(datetime(2026, 3, 22, 0), 300, "+0100"))
    line.take("after", iostat(datetime(2026, 3, 29, 0), 300, "+0100"))
    days = ("--days", "sun", "--hours", "02:00-03:00", "--between", "2026-03-29", "2026-03-29")
    answers = line.both("window", "add", "Night", "--role", "after", *days)
    assert [each.code for each in answers] == [3, 3]
    assert told(answers, "the clocks of Europe/Berlin go forward over 02:00-03:00", "02:00-03:00 사이를 건너뛰어")
    made = line.add("Nights", *days[:-2], "2026-03-22", "2026-03-29", "--json")
    assert (made.json["skipped_days"], made.json["empty_days"]) == (["2026-03-29"], [])
    assert "go forward over these hours on: 2026-03-29" in made.err
    assert [each["from"] for each in made.json["occurrences"]] == ["2026-03-22T02:00:00+01:00"]


def test_hours_that_the_clocks_have_twice(make: Make) -> None:
    """The hour from two to three of 25 October lasts two, and counts as the same hour."""
    line = make(BERLIN)
    line.take("before", iostat(datetime(2026, 10, 18, 0), 360, "+0200"))
    line.take("after", iostat(datetime(2026, 10, 25, 0), 360, "+0200"))
    for name, day in (("Old", "2026-10-18"), ("New", "2026-10-25")):
        line.add(name, "--days", "sun", "--hours", "02:00-03:00", "--between", day, day)
    found = line.compared("Old", "New")
    assert (row(found)["before"]["n"], row(found)["after"]["n"]) == (61, 121)
    assert check(found, "C2")["facts"]["overlap_pct"] == pytest.approx(100)
    assert found["after"]["windows"] == [{"from": "2026-10-25T02:00:00+02:00", "to": "2026-10-25T03:00:00+01:00"}]


# -- values --------------------------------------------------------------------------------------------


def test_what_falls_to_zero_and_what_is_negative(make: Make) -> None:
    """To zero there is no ratio, and the difference is told. Stolen time that a clock set back made negative cannot
    have been measured: it is in no mean and no verdict."""
    line = make()
    line.take("before", iostat(JULY_20, 121, steal=-20.0))
    line.take("after", iostat(JULY_27, 121, level=0.0, steal=-10.0))
    found = line.compared()
    zero, negative = row(found), row(found, "%steal")
    assert (zero["verdict"], zero["reason"], zero["ratio"]) == ("improved", "by_difference", None)
    assert zero["before"]["mean"] == pytest.approx(30.0, rel=0.05) and zero["after"]["mean"] == 0.0
    assert (negative["before"]["mean"], negative["after"]["mean"]) == (None, None)
    assert (negative["ratio"], negative["ci95"]) == (None, None)
    assert negative["verdict"] not in ("improved", "regressed", "equivalent")
    answers = line.both("compare", "--rows", "--before", "before", "--after", "after")
    assert told(answers, "judged by the difference, not by a ratio", "비율 대신 차이로 판정합니다")
