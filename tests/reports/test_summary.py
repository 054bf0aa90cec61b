"""What the summary shows: what a metric or a person chose, of hosts that are named, with the load beside it."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from openpyxl import load_workbook

from tests.reports.analysis_cases import judged, of_disk
from tests.reports.answer_cases import with_answer
from tunebench.analysis.comparing.improvement import improvement
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.analysis.statistics import describe_values
from tunebench.domain.cycle.records import Figure, Iteration, ManualSource, Metric, Outcome, SeriesSource, Target
from tunebench.domain.engagement import Direction, Engagement, Host, Phase
from tunebench.reporting.cases.analysis import AnalysisCase, CaseCheck
from tunebench.reporting.cases.case import ResourceSeries, RunWindow, SeriesSide, SuccessCase
from tunebench.reporting.cases.cycle import CaseGuard, CaseIteration, CaseTarget, CycleCase
from tunebench.reporting.document import Block, KeyValueTable, Table, TextColumns, Together, every_block
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes


def side(mean: float) -> SeriesSide:
    values = np.array([mean - 1, mean + 1] * 20)
    return SeriesSide("run", np.arange(40.0), values, describe_values(values), interval_s=1.0)


def series(subject: str, host: str, sides: tuple[float, float], among: int = 1) -> ResourceSeries:
    before, after = (side(mean) for mean in sides)
    return ResourceSeries(
        subject, f"{subject} busy", "%", host, Direction.LOWER, before, after, key=subject, hosts=(host,), among=among
    )


def case_of(*found: ResourceSeries, cycle: CycleCase | None = None, gate: tuple[CaseCheck, ...] = ()) -> SuccessCase:
    return SuccessCase(
        Engagement("Tuning", "ACME"),
        hosts=tuple(Host(n, name, "", "", "UTC", "user") for n, name in enumerate({each.host for each in found}, 1)),
        runs=tuple(RunWindow(phase.value, phase) for phase in (Phase.BEFORE, Phase.AFTER)),
        series=found,
        cycle=cycle or CycleCase(),
        analysis=AnalysisCase(gate=gate),
    )


def blocks_of(case: SuccessCase, chapter: str = "summary") -> list[Block]:
    section = next(each for each in build_document(case, "en").sections if each.id == chapter)
    return [inner for block in section.blocks for inner in (block.blocks if isinstance(block, Together) else (block,))]


def key_figures(case: SuccessCase) -> Table:
    return next(each for each in blocks_of(case) if isinstance(each, Table) and "Key figures" in each.caption)


def test_the_worst_of_several_series_stands_for_no_host() -> None:
    """Of five disks the busiest one is charted; processors are one series of their host."""
    case = case_of(series("cpu", "db1", (95, 40)), series("disk", "db1", (26, 2), among=5))
    table = key_figures(case)
    assert [row[0].text for row in table.rows] == ["db1 · cpu busy"] * 2
    assert any(note.startswith("Disk: a host has several series") for note in table.notes)
    charted = next(each for each in blocks_of(case, "disk") if isinstance(each, Table))
    assert any(note.startswith("One of 5 such series") for note in charted.notes)


def test_a_host_that_no_capture_names_is_called_so() -> None:
    (row, *_) = key_figures(case_of(series("cpu", "", (95, 40)))).rows
    assert row[0].text == "unnamed host · cpu busy"


def metric(number: int, name: str, source: SeriesSource | None = None) -> Metric:
    return Metric(number, 1, name, source or ManualSource(), "p95", "ms", Direction.LOWER)


def standing(found: Metric, sides: tuple[float, float], priority: int, decided: bool) -> CaseTarget:
    before, after = (Figure(value, samples=100) for value in sides)
    change = improvement(*sides, Direction.LOWER if decided else Direction.NEUTRAL)
    return CaseTarget(found, Target(found.id + 10, 1, found.id, before, 30.0, priority), after, "undecided", change)


def test_the_metrics_of_the_cycle_are_the_figures_and_what_was_paid_stands_beside_them() -> None:
    """Response time is the top priority; space got worse by its verdict, the lock time only by its figures."""
    latency = metric(1, "response time", SeriesSource("web1", "pgbench", "lat"))
    paid = CaseGuard(
        metric(4, "commit time"), "A-1", Figure(2.0), Figure(3.0), None, "paid", improvement(2, 3, Direction.LOWER)
    )
    held = replace(paid, metric=metric(5, "redo"), state="held")
    iteration = CaseIteration(
        Iteration(1, 1, "first"),
        Outcome.OPEN,
        targets=(
            standing(latency, (300.0, 50.0), 1, True),
            standing(metric(2, "space"), (10.0, 12.0), 2, True),
            standing(metric(3, "locks"), (10.0, 12.0), 2, False),
        ),
        guards=(paid, held),
    )
    case = case_of(series("cpu", "db1", (95, 40)), cycle=CycleCase(iterations=(iteration,)))
    table = key_figures(case)
    assert [[cell.text for cell in row[:4]] for row in table.rows] == [
        ["web1 · response time", "p95", "300 ms", "50 ms"],
        ["space", "p95", "10 ms", "12 ms"],
        ["commit time", "p95", "2 ms", "3 ms"],
    ]
    told = dict(next(each for each in blocks_of(case) if isinstance(each, KeyValueTable)).rows)["Result"]
    assert told.startswith("web1 · response time · p95 300 ms → 50 ms") and "space · p95 10 ms → 12 ms" in told


@pytest.mark.parametrize(("state", "lead"), [("pass", ""), ("unknown", ""), ("adjust", "The load was not the same: ")])
def test_the_load_is_told_beside_the_figures_whatever_it_was(state: str, lead: str) -> None:
    check = CaseCheck("C3", "Load", state, state, "The load after was 1.05 of that before.")
    assert f"{lead}{check.sentence}" in key_figures(case_of(series("cpu", "db1", (95, 40)), gate=(check,))).notes


def test_an_iteration_without_a_target_says_that_none_was_set() -> None:
    case = case_of(cycle=CycleCase(iterations=(CaseIteration(Iteration(1, 1, "first"), Outcome.OPEN),)))
    table = next(each for each in blocks_of(case) if isinstance(each, Table))
    assert [cell.text for cell in table.rows[0]][:6] == ["1", "first", "–", "no target was set", "–", "–"]


@pytest.mark.parametrize("phase", [Phase.BEFORE, Phase.AFTER])
def test_of_one_side_alone_the_summary_says_what_was_collected(phase: Phase) -> None:
    one = series("disk", "db1", (95, 95), among=5)
    one = replace(one, phase=phase, before=one.before if phase is Phase.BEFORE else None)
    one = replace(one, after=one.after if phase is Phase.AFTER else None)
    case = replace(case_of(one), runs=(RunWindow("run", phase),))
    table = next(each for each in blocks_of(case) if isinstance(each, Table))
    assert table.caption == "What was collected"
    assert [[cell.text for cell in row[:4]] for row in table.rows] == [
        ["db1 · disk busy", "mean", "95 %", "40"],
        ["db1 · disk busy", "largest sample", "96 %", "40"],
    ]
    book = load_workbook(BytesIO(workbook_bytes(build_document(case, "en"))), data_only=True)
    assert [cell.value for cell in book["Summary"][5]][:3] == ["db1 · disk busy", "mean", 95]


def test_what_got_worse_stands_beside_what_got_better() -> None:
    """Although only the processor, which got better, is a figure of the summary."""
    slow = judged("iostat sda await", (3.0, 9.0), Verdict.REGRESSED, 1 / 3, Interval(0.2, 0.5))
    open_ = judged("iostat sdb await", (3.0, 9.0), Verdict.INCONCLUSIVE, 1 / 3, Interval(0.2, 1.5))
    rows = (of_disk(slow, "sda"), of_disk(open_, "sdb"))
    case = with_answer(replace(case_of(series("cpu", "db01", (95, 40))), comparison=rows))
    (columns,) = [each for each in every_block(blocks_of(case, "result")) if isinstance(each, TextColumns)]
    _title, *worse = columns.columns[-1].paragraphs
    assert len(worse) == 1 and "sda" in worse[0] and "3.00 → 9.00 ms" in worse[0], "nobody knows that sdb got worse"
    cells = load_workbook(BytesIO(workbook_bytes(build_document(case, "en"))), data_only=True)["Summary"]
    assert any(worse[0] in str(cell.value) for row in cells.iter_rows() for cell in row)
