"""What is said of a database in a window: the periods inside its occurrences and nothing of those between them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.program import compose
from tests.store import cases
from tests.store.database_cases import MINUTE_NS, counters, period, statements, store
from tunebench.cli.main import run as run_verb
from tunebench.core.errors import UserError
from tunebench.domain.cycle.records import Figure, Metric, StatementSource
from tunebench.domain.engagement import Direction, Phase, Statement
from tunebench.domain.windows import Exclusion, Occurrence, Window, run_window
from tunebench.store import engagements, runs
from tunebench.store.project import Project
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import applying
from tunebench.usecases.cycle.figures import Broken, figure_of
from tunebench.usecases.databases import comparison, periods, snapshots
from tunebench.usecases.databases import sides as database_sides
from tunebench.usecases.databases.case import case_databases
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.statement_history import history


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        runs.ensure_run(opened, "before", Phase.BEFORE)
        yield opened


def at(minute: float) -> int:
    return cases.START_NS + round(minute * MINUTE_NS)


def window(
    *spans: tuple[float, float], hosts: tuple[str, ...] = (), excluded: tuple[float, float] | None = None
) -> Window:
    holes = (Exclusion(at(excluded[0]), at(excluded[1]), "batch"),) if excluded else ()
    return Window(
        1, "Peak", hosts=hosts, occurrences=tuple(Occurrence(at(a), at(b)) for a, b in spans), exclusions=holes
    )


def elapsed(side: Side) -> float:
    assert side.record is not None
    return float(side.record.table("statement").figure("elapsed_s").sum())


def minutes(side: Side) -> list[tuple[int, int]]:
    spans = [(each.begin_ns or 0, each.end_ns or 0) for each in side.used]
    return [((first - cases.START_NS) // MINUTE_NS, (last - cases.START_NS) // MINUTE_NS) for first, last in spans]


def test_of_hourly_reports_those_inside_the_occurrences_count(project: Project) -> None:
    """Hour n cost 2 to the n; reports begin a minute late and end a minute late, which is of the hour all the same."""
    store(project, *(period(60 * n + 1, 60 * n + 61, statements(a=(1, 2.0**n))) for n in range(12)))
    chosen = window((0, 180), (300, 450), excluded=(60, 80))
    side = database_sides.side(project, chosen)
    assert minutes(side) == [(1, 61), (121, 181), (301, 361), (361, 421)]
    assert elapsed(side) == 2**0 + 2**2 + 2**5 + 2**6
    assert elapsed(database_sides.side(project, run_window(1))) == 2**12 - 1
    assert len(periods.periods(project, side.database)) == 4
    key = side.record.table("statement") if side.record else None
    assert key is not None and history(project, side, []).values.shape == (4, 0)


def test_of_snapshots_what_lies_between_the_occurrences_is_left_out(project: Project) -> None:
    """The counter is the square of the number of the snapshot, of which one is taken every ten minutes."""
    store(project, *(counters(10 * n, statements(a=(1 + n, 1.0 * n * n))) for n in range(13)))
    side = database_sides.side(project, window((20, 50), (80, 120)))
    assert (elapsed(side), minutes(side)) == ((25 - 4) + (144 - 64), [(20, 50), (80, 120)])
    assert [each.key for each in side.cautions] == []  # two parts, but nothing was restarted
    assert history(project, side, []).values.shape == (3 + 4, 0)
    assert elapsed(database_sides.side(project, window((20, 50), excluded=(32, 33)))) == (9 - 4) + (25 - 16)
    assert database_sides.side(project, window((52, 58))).record is None  # no period lies in six minutes


def test_a_stretch_of_a_run_is_of_that_run_alone(project: Project) -> None:
    runs.ensure_run(project, "after", Phase.AFTER)
    store(project, period(0, 60, statements(a=(1, 10.0))), period(60, 120, statements(a=(1, 5.0))))
    store(project, period(0, 60, statements(a=(1, 3.0))), run="after")
    assert elapsed(database_sides.side(project, run_window(2, at(0), at(60)))) == 3.0
    both = comparison.compare(project, run_window(1, at(60), at(120)), run_window(2))
    assert (elapsed(both.before), elapsed(both.after)) == (5.0, 3.0)
    with pytest.raises(UserError, match="database_no_period_inside"):
        comparison.compare(project, run_window(1, at(200), at(300)), 2)


def test_a_window_speaks_of_the_databases_of_its_hosts(project: Project) -> None:
    store(project, *(counters(10 * n, statements(a=(1 + n, 1.0 * n))) for n in range(3)))
    assert [each.host for each in snapshots.databases(project, window((0, 30), hosts=("db1",)))] == ["db1"]
    assert snapshots.databases(project, window((0, 30), hosts=("elsewhere",))) == []


def test_verbs_take_windows_of_one_run(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    store(project, *(period(60 * n, 60 * n + 60, statements(a=(1, 2.0**n))) for n in range(6)))
    for name, first in (("early", 0), ("late", 180)):
        made = Window(0, name, occurrences=(Occurrence(at(first), at(first + 180)),))
        applying.apply(project, windows.add(project, made))
    assert run_verb(["statements", str(project.path), "--run", "early", "--json"]) == 0
    assert [row["elapsed_s"] for row in json.loads(capsys.readouterr().out)] == [1 + 2 + 4]
    assert run_verb(["databases", str(project.path), "--run", "late", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)["databases"]
    assert (listed["run"], len(listed["periods"])) == ("late", 3)
    assert run_verb(["compare", str(project.path), "--before", "early", "--after", "late", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["statements"]["rows"]
    assert (row["before"]["elapsed_s"], row["after"]["elapsed_s"]) == (7, 8 + 16 + 32)


@dataclass(frozen=True)
class Named:
    title: str
    window: Window


def test_the_report_compares_windows_and_says_what_is_of_whole_runs(project: Project) -> None:
    store(project, *(period(60 * n, 60 * n + 60, statements(a=(1, 2.0**n))) for n in range(6)))
    typed_in = [Statement(1, "oracle", "typed", "", executions=1, elapsed_s=1.0)]  # for the run: both windows have them
    engagements.write_statements(project, 1, typed_in)
    sides = Named("early", window((0, 180))), Named("late", replace(window((180, 360)), name="late"))
    found = case_databases(project, *sides, "en", lambda _id: "")
    read, typed = found.compared
    assert [each.run for each in (read.before, read.after)] == ["early", "late"]
    assert [len(each.periods) for each in (read.before, read.after)] == [3, 3]
    assert typed.before.run == "before" and ["before" in each for each in found.remarks] == [True]
    runs.ensure_run(project, "other", Phase.BEFORE)
    both = Window(2, "both", occurrences=(Occurrence(None, None, 1), Occurrence(None, None, 2)))
    found = case_databases(project, Named("both", both), sides[1], "en", lambda _id: "")
    assert [each.before.run for each in found.compared] == ["both"]
    assert ["several runs" in each for each in found.remarks] == [True]


def test_a_metric_of_statements_is_measured_over_the_periods_in_a_window(project: Project) -> None:
    """Hour n cost 2 to the n in n + 1 executions."""
    store(project, *(period(60 * n, 60 * n + 60, statements(a=(n + 1, 2.0**n))) for n in range(6)))
    by_hand = Statement(1, "oracle", "typed", "select 1", executions=1, elapsed_s=1000.0)
    engagements.write_statements(project, 1, [by_hand])
    applying.apply(project, windows.add(project, replace(window((60, 120), (240, 360)), id=0)))
    kept = windows.find_window(project, "Peak")
    total = figure_of(project, metric_of(StatementSource("elapsed_s")), kept)
    each = figure_of(project, metric_of(StatementSource("elapsed_s", per_execution=True)), kept)
    assert isinstance(total, Figure) and isinstance(each, Figure)
    assert (total.value, each.value) == (2 + 16 + 32, (2 + 16 + 32) / (2 + 5 + 6))
    assert (total.run_id, total.window_id, total.start_ns, total.end_ns) == (1, kept.id, at(60), at(360))
    whole = figure_of(project, metric_of(StatementSource("elapsed_s")), windows.find_window(project, "before"))
    assert isinstance(whole, Figure) and whole.value == 2**6 - 1 + 1000
    nothing = figure_of(project, metric_of(StatementSource("elapsed_s")), replace(kept, occurrences=()))
    assert isinstance(nothing, Broken) and nothing.key == "statement_missing"


def metric_of(source: StatementSource) -> Metric:
    return Metric(1, 1, "SQL", source, "total", "s", Direction.LOWER)
