"""The comparison as a person uses it: choose, sort, filter, look, copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from app.analysis.comparison import ComparedSeries
from app.analysis.statistics import Statistics
from app.domain.engagement import Direction, Phase
from app.ui.charts.alignment import Align
from app.ui.charts.compare_table import COLUMNS, change_factor, change_text, ratio_text, verdict_reason
from app.ui.charts.default_series import is_telling
from app.ui.charts.side_picker import typed_time
from app.ui.pages.compare_page import LEAST_CHANGES, ComparePage
from app.ui.selection import RunWindow, TimeRange
from app.ui.theme import current_theme
from app.ui.workspace import Change, Inspected, Workspace
from tests.ui.made_engagement import BEFORE_NS, SEOUL, STEP_NS, MadeSource, at

COLUMN = {column.id: place for place, column in enumerate(COLUMNS)}


@pytest.fixture
def source() -> MadeSource:
    return MadeSource()


@pytest.fixture
def page(qtbot: Any, workspace: Workspace, source: MadeSource, idle: Callable[[], None]) -> Iterator[ComparePage]:
    made = open_page(qtbot, workspace, source)
    settle(qtbot, made, idle)
    yield made
    workspace.project = None
    made.project_changed(Change.CLOSED)


def open_page(qtbot: Any, workspace: Workspace, source: MadeSource) -> ComparePage:
    workspace.project, workspace.overview = source, source.overview()  # type: ignore[assignment]
    if source.runs:
        workspace.selection.set_extent(TimeRange(source.runs[0].first_ns or 0, source.runs[-1].last_ns or 0))
    made = ComparePage(workspace)
    qtbot.addWidget(made)
    made.resize(1100, 640)
    made.show()
    qtbot.waitExposed(made)
    made.enter(source)
    return made


def settle(qtbot: Any, page: ComparePage, idle: Callable[[], None]) -> None:
    idle()
    qtbot.wait(40)
    idle()


def shown(page: ComparePage, column: str) -> list[str]:
    place = COLUMN[column]
    return [page.filter.index(row, place).data() for row in range(page.filter.rowCount())]


def choose(page: ComparePage, name: str) -> None:
    page.table.selectRow(shown(page, "name").index(name))


def compared(before: float | None, after: float | None, direction: Direction, unit: str = "ms") -> ComparedSeries:
    info = replace(MadeSource().infos[0], direction=direction, unit=unit)
    first, second = (Statistics(1, 0, v, v, v, v, v) for v in (before, after))
    return ComparedSeries((info,), (info,), first, second, None, "no_uncertainty")


def test_the_runs_called_before_and_after_are_proposed(page: ComparePage) -> None:
    assert page.workspace.selection.before == RunWindow(1)
    assert page.workspace.selection.after == RunWindow(2)
    assert page.tabs.tabText(0) == "On both sides 9"
    assert page.tabs.tabText(1) == "On one side 1"


def test_whole_resources_come_first_with_the_largest_difference_first(page: ComparePage) -> None:
    rows = [page.filter.row_at(page.filter.index(row, 0)) for row in range(page.filter.rowCount())]
    telling = [is_telling(row.series) for row in rows]
    assert telling == sorted(telling, reverse=True)
    factors = [change_factor(row) for row, first in zip(rows, telling, strict=True) if first]
    finite = [factor for factor in factors if factor != float("inf")]
    assert finite == sorted(finite, reverse=True)
    assert factors[: len(finite)] == finite


def test_figures_are_those_of_the_samples(page: ComparePage, source: MadeSource) -> None:
    row = shown(page, "name").index("us · vmstat")
    before = source.samples[source.named("us", 1).id].values[1:]
    after = source.samples[source.named("us", 2).id].values[1:]

    def figure(column: str) -> float:
        return float(page.filter.plain(row, COLUMN[column]))

    assert figure("before.mean") == pytest.approx(before.mean())
    assert figure("after.p95") == pytest.approx(np.percentile(after, 95))
    assert figure("before.maximum") == before.max()
    assert figure("after.n") == after.size
    assert figure("ratio") == pytest.approx(before.mean() / after.mean())  # lower is better: before over after


def test_a_higher_is_better_series_has_after_over_before(page: ComparePage, source: MadeSource) -> None:
    row = shown(page, "name").index("free · vmstat")
    before = source.samples[source.named("free", 1).id].values[1:].mean()
    after = source.samples[source.named("free", 2).id].values[1:].mean()
    assert float(page.filter.plain(row, COLUMN["ratio"])) == pytest.approx(after / before)


def test_everything_is_called_descriptive_and_says_why(page: ComparePage) -> None:
    assert set(shown(page, "verdict")) == {"descriptive"}
    row = shown(page, "name").index("us · vmstat")
    tip = page.filter.index(row, COLUMN["verdict"]).data(Qt.ItemDataRole.ToolTipRole)
    assert "not a verdict" in tip
    assert page._honest.text() != ""


def test_percentages_change_in_points_and_the_rest_in_per_cent(page: ComparePage) -> None:
    assert change_text(compared(95.0, 20.0, Direction.LOWER, "%")) == "-75.0 pp"
    assert change_text(compared(200.0, 50.0, Direction.LOWER)) == "-75.0 %"
    assert change_text(compared(0.0, 5.0, Direction.LOWER)) == "–"
    assert change_factor(compared(0.0, 5.0, Direction.LOWER)) == float("inf")
    assert change_factor(compared(0.0, 0.0, Direction.LOWER)) == 1.0
    assert ratio_text(compared(0.0, 5.0, Direction.LOWER)) == "–"
    assert "after ÷ before" in verdict_reason(compared(1.0, 2.0, Direction.NEUTRAL))


def test_words_and_least_change_narrow_the_table(qtbot: Any, page: ComparePage) -> None:
    qtbot.keyClicks(page.filter_field, "ssd2")
    assert sorted(shown(page, "name")) == ["ssd2 %b · iostat", "ssd2 svc_t · iostat"]
    assert page._count.text() == "2 of 9"
    page.filter_field.clear()
    page.least.setCurrentIndex(LEAST_CHANGES.index(2.0))
    assert "free · vmstat" not in shown(page, "name")
    assert "us · vmstat" in shown(page, "name")


def test_a_series_of_one_side_is_listed_apart(qtbot: Any, page: ComparePage, idle: Any) -> None:
    assert "sd0 wait · iostat" not in shown(page, "name")
    page.tabs.setCurrentIndex(1)
    assert shown(page, "name") == ["sd0 wait · iostat"]
    assert shown(page, "verdict") == ["before only"]
    choose(page, "sd0 wait · iostat")
    settle(qtbot, page, idle)
    assert [line.dashed for line in page.chart.canvas.lines] == [False]


def test_sorting_puts_what_has_no_figure_last_both_ways(page: ComparePage) -> None:
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        page.table.sortByColumn(COLUMN["ratio"], order)
        figures = [page.filter.plain(row, COLUMN["ratio"]) for row in range(page.filter.rowCount())]
        known = [float(f) for f in figures if f]
        assert known == sorted(known, reverse=order == Qt.SortOrder.DescendingOrder)
        assert figures[: len(known)] == [f for f in figures if f]


def test_a_row_shows_its_pair_and_its_evidence(qtbot: Any, page: ComparePage, idle: Any) -> None:
    seen: list[Inspected] = []
    page.workspace.inspected.connect(seen.append)
    choose(page, "us · vmstat")
    choose(page, "ssd2 svc_t · iostat")
    settle(qtbot, page, idle)
    before, after = page.chart.canvas.lines
    assert (before.dashed, after.dashed) == (False, True)
    assert (before.colour, after.colour) == (current_theme().before, current_theme().after)
    assert seen[-1].kind == "comparison" and seen[-1].thing.native == "svc_t"
    words = page.chart._evidence["before"].words()
    for part in ("튜닝 전 07-19", "2007-07-19 09:00:15", "n 2,064", "15", "svrdb01 iostat svc_t"):
        assert part in words


def test_no_line_crosses_the_gap(qtbot: Any, page: ComparePage, idle: Any) -> None:
    choose(page, "us · vmstat")
    settle(qtbot, page, idle)
    line = page.chart.canvas.lines[0]
    assert line.drawn is not None and np.isnan(line.drawn.values).any()


def test_both_sides_meet_by_time_of_day_or_by_elapsed_time(qtbot: Any, page: ComparePage, idle: Any) -> None:
    chosen = page.workspace.selection
    chosen.set_window(Phase.AFTER, RunWindow(2, at("2007-07-26T10:00:00"), None))
    choose(page, "us · vmstat")
    week = 7 * 24 * 3_600_000_000_000
    page.align.setCurrentIndex(list(Align).index(Align.TIME_OF_DAY))
    assert page.chart.canvas.lines[1].shift_ns == -week
    page.align.setCurrentIndex(list(Align).index(Align.ELAPSED))
    assert page.chart.canvas.lines[1].shift_ns == BEFORE_NS + STEP_NS - at("2007-07-26T10:00:00")
    assert page.chart.axis.zone == "elapsed"


def test_the_cross_hair_reads_both_sides(qtbot: Any, page: ComparePage, source: MadeSource, idle: Any) -> None:
    choose(page, "us · vmstat")
    settle(qtbot, page, idle)
    canvas = page.chart.canvas
    moment = at("2007-07-19T15:00:00")
    page.chart._on_cursor(moment)
    settle(qtbot, page, idle)
    for side, run_id, stamp in (("before", 1, moment), ("after", 2, at("2007-07-26T15:00:00"))):
        data = source.samples[source.named("us", run_id).id]
        assert page.chart._readings[side] == (stamp, data.values[data.times_ns.tolist().index(stamp)])
    assert canvas.cursor_ns == moment


def test_a_side_of_two_captures_is_one_row_and_both_are_drawn_and_read(
    qtbot: Any, workspace: Workspace, source: MadeSource, idle: Any
) -> None:
    noon = at("2007-07-19T14:00:00")
    whole = source.samples[source.named("us", 1).id]
    early, late = source.cut(source.named("us", 1).id, noon)
    page = open_page(qtbot, workspace, source)
    settle(qtbot, page, idle)
    choose(page, "us · vmstat")
    settle(qtbot, page, idle)
    assert shown(page, "name").count("us · vmstat") == 1
    assert [(line.key, line.dashed) for line in page.chart.canvas.lines] == [
        (early.id, False), (late.id, False), (source.named("us", 2).id, True),
    ]  # fmt: skip
    assert all(line.drawn is not None and line.drawn.values.size for line in page.chart.canvas.lines)
    words = page.chart._evidence["before"].words()
    assert f"n {whole.times_ns.size - 1:,}" in words and words.endswith("2 captures")
    assert "captures" not in page.chart._evidence["after"].words()
    for moment in (noon - 40 * STEP_NS, noon, noon + STEP_NS, noon + 40 * STEP_NS):
        page.chart._on_cursor(moment)
        settle(qtbot, page, idle)
        value = whole.values[whole.times_ns.tolist().index(moment)]
        assert page.chart._readings["before"] == (moment, value)
    workspace.project = None
    page.project_changed(Change.CLOSED)


def test_an_edge_dragged_on_the_chart_changes_the_window(qtbot: Any, page: ComparePage, idle: Any) -> None:
    choose(page, "us · vmstat")
    settle(qtbot, page, idle)
    canvas = page.chart.canvas
    start = QPoint(round(canvas.x_of(page.chart.alignment.before.end_ns)), 20)  # type: ignore[union-attr]
    end = QPoint(round(canvas.x_of(at("2007-07-19T16:00:00"))), 20)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(canvas, (start + end) / 2)
    qtbot.mouseMove(canvas, end)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=end)
    before = page.workspace.selection.before
    assert before is not None and before.end_ns is not None
    assert abs(before.end_ns - at("2007-07-19T16:00:00")) < 120_000_000_000
    settle(qtbot, page, idle)
    row = shown(page, "name").index("us · vmstat")
    assert int(page.filter.plain(row, COLUMN["before.n"])) < 2_064
    assert page.workspace.selection.after == RunWindow(2)


def test_typed_times_set_the_window(qtbot: Any, page: ComparePage, idle: Any) -> None:
    page.before.start.setText("2007-07-19 12:00")
    qtbot.keyClick(page.before.start, Qt.Key.Key_Return)
    page.before.end.setText("13:00")
    qtbot.keyClick(page.before.end, Qt.Key.Key_Return)
    assert page.workspace.selection.before == RunWindow(1, at("2007-07-19T12:00:00"), at("2007-07-19T13:00:00"))
    settle(qtbot, page, idle)
    row = shown(page, "name").index("us · vmstat")
    assert page.filter.plain(row, COLUMN["before.n"]) == "241"
    page.before.start.setText("soon")
    qtbot.keyClick(page.before.start, Qt.Key.Key_Return)
    assert page.before.start.property("state") == "wrong"
    assert page.workspace.selection.before.start_ns == at("2007-07-19T12:00:00")


def test_times_are_read_in_the_engagements_zone() -> None:
    assert typed_time("2007-07-19 09:30", SEOUL, 0) == at("2007-07-19T09:30:00")
    assert typed_time(" 10:15:30 ", SEOUL, BEFORE_NS) == at("2007-07-19T10:15:30")
    assert typed_time("yesterday", SEOUL, BEFORE_NS) is None


def test_the_table_is_copied_as_it_is_shown(qtbot: Any, page: ComparePage) -> None:
    qtbot.keyClicks(page.filter_field, "ssd2")
    page.table.clearSelection()
    qtbot.mouseClick(page._copy, Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 3
    assert lines[0].split("\t")[COLUMN["ratio"]] == "Ratio"
    assert float(lines[1].split("\t")[COLUMN["before.mean"]]) > 0


def test_with_one_run_the_page_asks_for_the_other_window(qtbot: Any, workspace: Workspace, idle: Any) -> None:
    source = MadeSource()
    source.runs = source.runs[:1]
    page = open_page(qtbot, workspace, source)
    asked: list[str] = []
    workspace.page_asked.connect(lambda page_id, _argument: asked.append(page_id))
    assert page._no_windows.isVisible()
    qtbot.mouseClick(page._no_windows._buttons[0][1], Qt.MouseButton.LeftButton)
    assert asked == ["timeline"]
    workspace.selection.set_windows(
        RunWindow(1, None, at("2007-07-19T11:00:00")), RunWindow(1, at("2007-07-19T12:00:00"), None)
    )
    settle(qtbot, page, idle)
    assert page.tabs.tabText(0) == "On both sides 10"


def test_without_captures_the_page_invites(qtbot: Any, workspace: Workspace) -> None:
    source = MadeSource()
    source.runs = []
    page = open_page(qtbot, workspace, source)
    assert page._pages.currentIndex() == 1


def test_korean_names_the_ratio_as_customers_do(qtbot: Any, page: ComparePage, look: Callable[..., None]) -> None:
    look("ko", "dark")
    headers = [page.model.headerData(place, Qt.Orientation.Horizontal) for place in range(len(COLUMNS))]
    assert "개선 배율" in headers
    assert set(shown(page, "verdict")) == {"기술 통계"}
    assert page.align.currentText() == "시각 기준"
    page.grab()
