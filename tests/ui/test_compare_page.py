"""The comparison as a person uses it: choose, sort, filter, look, copy."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from tests.ui.judged_engagement import OFFERS, JudgedEngagement, gate_of
from tests.ui.made_engagement import BEFORE_NS, SEOUL, STEP_NS, MadeEngagement, at, close
from tests.waiting import let_window_live
from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison
from tunebench.analysis.inference.verdict import Verdict
from tunebench.analysis.statistics import Statistics
from tunebench.columns.column import Locale
from tunebench.columns.comparing import change_factor, change_text, explained_verdict, headline_text
from tunebench.domain.comparability import Check, CheckState
from tunebench.domain.engagement import Direction, Phase
from tunebench.domain.windows import Occurrence, Window, run_window
from tunebench.ui.charts.side_picker import typed_time
from tunebench.ui.comparing.comparison_list import FILTERS, LEAST_CHANGES, WINDOW_COLUMNS, Shown
from tunebench.ui.comparing.row_facts import RowFacts
from tunebench.ui.inspected import Inspected, InspectedComparison
from tunebench.ui.look.theme import current_theme
from tunebench.ui.pages.compare_page import ComparePage
from tunebench.ui.workspace import Workspace
from tunebench.usecases.comparing import compare as use_case
from tunebench.usecases.exploring.window_ranges import Align

ENGLISH = Locale("en", SEOUL)
COLUMN = {column.id: place for place, column in enumerate(WINDOW_COLUMNS)}

OpenPage = Callable[[MadeEngagement], ComparePage]


@pytest.fixture
def engagement() -> MadeEngagement:
    return MadeEngagement()


@pytest.fixture
def page(
    qtbot: Any, workspace: Workspace, engagement: MadeEngagement, idle: Callable[[], None], open_page: OpenPage
) -> Iterator[ComparePage]:
    made = open_page(engagement)
    settle(made, idle)
    yield made
    close(workspace)


@pytest.fixture
def open_page(qtbot: Any, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """Opens the page on an engagement, whose comparison is the one that it states."""

    def opened(engagement: MadeEngagement) -> ComparePage:
        page = ComparePage(workspace)
        monkeypatch.setattr(use_case, "compare", engagement.compare)
        engagement.opened_in(workspace, tmp_path)
        qtbot.addWidget(page)
        page.resize(1100, 640)
        page.show()
        qtbot.waitExposed(page)
        page.enter()
        return page

    return opened


def settle(page: ComparePage, idle: Callable[[], None]) -> None:
    idle()
    let_window_live(0.04, "what is chosen has the charts ask, 16 ms later")
    idle()


def shown(page: ComparePage, column: str) -> list[str]:
    place = COLUMN[column]
    return [page.list.filter.index(row, place).data() for row in range(page.list.filter.rowCount())]


def choose(page: ComparePage, name: str) -> None:
    page.views.setCurrentIndex(1)
    page.list.table.selectRow(shown(page, "name").index(name))


def compared(before: float | None, after: float | None, direction: Direction, unit: str = "ms") -> ComparedSeries:
    info = replace(MadeEngagement().infos[0], direction=direction, unit=unit)
    first, second = (Statistics(1, 0, v, v, v, v, v) for v in (before, after))
    return ComparedSeries((info,), (info,), first, second, None, "no_uncertainty")


def test_the_runs_called_before_and_after_are_proposed(page: ComparePage) -> None:
    assert page.workspace.selection.before == run_window(1)
    assert page.workspace.selection.after == run_window(2)
    assert page.list.tabs.tabText(0) == "On both sides 9"
    assert page.list.tabs.tabText(1) == "On one side 1"


def test_an_answer_about_windows_that_are_chosen_no_more_is_not_shown(
    qtbot: Any,
    workspace: Workspace,
    engagement: MadeEngagement,
    idle: Callable[[], None],
    open_page: OpenPage,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen_anew = threading.Event()
    compare = engagement.compare

    def late(*asked: Any) -> Comparison:
        assert chosen_anew.wait(30)
        return compare(*asked)

    monkeypatch.setattr(engagement, "compare", late)
    page = open_page(engagement)
    qtbot.waitUntil(lambda: bool(workspace.jobs.titled()))
    workspace.selection.set_window(Phase.AFTER, None)
    chosen_anew.set()
    settle(page, idle)
    assert page.list.filter.rowCount() == 0
    close(workspace)


def test_the_largest_difference_comes_first_and_the_endless_ones_last(page: ComparePage) -> None:
    factors = [change_factor(row) for row in page.list.shown_rows()]
    finite = [factor for factor in factors if factor != float("inf")]
    assert len(finite) > 5 and finite == sorted(finite, reverse=True)
    assert factors[: len(finite)] == finite


def test_figures_are_those_of_the_samples(page: ComparePage, engagement: MadeEngagement) -> None:
    row = shown(page, "name").index("us · vmstat")
    before = engagement.samples[engagement.named("us", 1).id].values[1:]
    after = engagement.samples[engagement.named("us", 2).id].values[1:]

    def figure(column: str) -> float:
        return float(page.list.filter.plain(row, COLUMN[column]))

    assert figure("before.mean") == pytest.approx(before.mean())
    assert figure("after.p95") == pytest.approx(np.percentile(after, 95))
    assert figure("before.maximum") == before.max()
    assert figure("after.n") == after.size
    assert figure("ratio") == pytest.approx(before.mean() / after.mean())  # lower is better: before over after


def test_a_higher_is_better_series_has_after_over_before(page: ComparePage, engagement: MadeEngagement) -> None:
    row = shown(page, "name").index("free · vmstat")
    before = engagement.samples[engagement.named("free", 1).id].values[1:].mean()
    after = engagement.samples[engagement.named("free", 2).id].values[1:].mean()
    assert float(page.list.filter.plain(row, COLUMN["ratio"])) == pytest.approx(after / before)


def test_rows_without_an_interval_are_called_descriptive_and_say_why(page: ComparePage) -> None:
    assert set(shown(page, "verdict")) == {"○ descriptive only"}
    row = shown(page, "name").index("us · vmstat")
    tip = page.list.filter.index(row, COLUMN["verdict"]).data(Qt.ItemDataRole.ToolTipRole)
    assert "without its uncertainty" in tip
    assert page.head.summary.words() == "resources 3: descriptive only 3 · series 9 · hosts 1"
    assert "95 % interval" in page.head.honest.text()
    assert not page.head.honest.isVisible()
    page.resize(1100, 900)
    assert page.head.honest.isVisible()


def test_percentages_change_in_points_and_the_rest_in_per_cent(page: ComparePage) -> None:
    assert change_text(compared(95.0, 20.0, Direction.LOWER, "%"), ENGLISH) == "-75.0 pp"
    assert change_text(compared(200.0, 50.0, Direction.LOWER), ENGLISH) == "-75.0 %"
    assert change_text(compared(0.0, 5.0, Direction.LOWER), ENGLISH) == "–"
    assert change_factor(compared(0.0, 5.0, Direction.LOWER)) == float("inf")
    assert change_factor(compared(0.0, 0.0, Direction.LOWER)) == 1.0
    assert headline_text(compared(0.0, 5.0, Direction.LOWER), ENGLISH) == "–"
    assert "after ÷ before" in explained_verdict(compared(1.0, 2.0, Direction.NEUTRAL), ENGLISH)


def test_words_and_least_change_narrow_the_table(qtbot: Any, page: ComparePage) -> None:
    qtbot.keyClicks(page.list.filter_field, "ssd2")
    assert sorted(shown(page, "name")) == ["ssd2 %b · iostat", "ssd2 svc_t · iostat"]
    assert page.list.count.text() == "2 of 9"
    page.list.filter_field.clear()
    page.list.least.setCurrentIndex(LEAST_CHANGES.index(2.0))
    assert "free · vmstat" not in shown(page, "name")
    assert "us · vmstat" in shown(page, "name")


def test_a_series_of_one_side_is_listed_apart(qtbot: Any, page: ComparePage, idle: Any) -> None:
    assert "sd0 wait · iostat" not in shown(page, "name")
    page.list.tabs.setCurrentIndex(1)
    assert shown(page, "name") == ["sd0 wait · iostat"]
    assert shown(page, "verdict") == ["before only"]
    choose(page, "sd0 wait · iostat")
    settle(page, idle)
    assert [line.dashed for line in page.chart.canvas.lines] == [False]


def test_sorting_puts_what_has_no_figure_last_both_ways(page: ComparePage) -> None:
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        page.list.table.sortByColumn(COLUMN["ratio"], order)
        figures = [page.list.filter.plain(row, COLUMN["ratio"]) for row in range(page.list.filter.rowCount())]
        known = [float(f) for f in figures if f]
        assert known == sorted(known, reverse=order == Qt.SortOrder.DescendingOrder)
        assert figures[: len(known)] == [f for f in figures if f]


def test_a_row_shows_its_pair_and_its_evidence(qtbot: Any, page: ComparePage, idle: Any) -> None:
    seen: list[Inspected] = []
    page.workspace.inspected.connect(seen.append)
    choose(page, "us · vmstat")
    choose(page, "ssd2 svc_t · iostat")
    settle(page, idle)
    before, after = page.chart.canvas.lines
    assert (before.dashed, after.dashed) == (False, True)
    assert (before.colour, after.colour) == (current_theme().before, current_theme().after)
    shown_last = seen[-1]
    assert isinstance(shown_last, InspectedComparison) and shown_last.row.native == "svc_t"
    words = page.chart._evidence["before"].words()
    for part in ("튜닝 전 07-19", "2007-07-19 09:00:15", "n 2,064", "15", "svrdb01 iostat svc_t"):
        assert part in words


def test_no_line_crosses_the_gap(qtbot: Any, page: ComparePage, idle: Any) -> None:
    choose(page, "us · vmstat")
    settle(page, idle)
    line = page.chart.canvas.lines[0]
    assert line.drawn is not None and np.isnan(line.drawn.values).any()


def test_both_sides_meet_by_time_of_day_or_by_elapsed_time(qtbot: Any, page: ComparePage, idle: Any) -> None:
    chosen = page.workspace.selection
    chosen.set_window(Phase.AFTER, run_window(2, at("2007-07-26T10:00:00"), None))
    choose(page, "us · vmstat")
    week = 7 * 24 * 3_600_000_000_000
    page.head.align.setCurrentIndex(list(Align).index(Align.TIME_OF_DAY))
    assert page.chart.canvas.lines[1].shift_ns == -week
    page.head.align.setCurrentIndex(list(Align).index(Align.ELAPSED))
    assert page.chart.canvas.lines[1].shift_ns == BEFORE_NS + STEP_NS - at("2007-07-26T10:00:00")
    assert page.chart.axis.zone == "elapsed"


def test_the_cross_hair_reads_both_sides(qtbot: Any, page: ComparePage, engagement: MadeEngagement, idle: Any) -> None:
    choose(page, "us · vmstat")
    settle(page, idle)
    canvas = page.chart.canvas
    moment = at("2007-07-19T15:00:00")
    page.chart._on_cursor(moment)
    settle(page, idle)
    for side, run_id, stamp in (("before", 1, moment), ("after", 2, at("2007-07-26T15:00:00"))):
        data = engagement.samples[engagement.named("us", run_id).id]
        assert page.chart._readings[side] == (stamp, data.values[data.times_ns.tolist().index(stamp)])
    assert canvas.cursor_ns == moment


def test_a_side_of_two_captures_is_one_row_and_both_are_drawn_and_read(
    qtbot: Any, workspace: Workspace, engagement: MadeEngagement, idle: Any, open_page: OpenPage
) -> None:
    noon = at("2007-07-19T14:00:00")
    whole = engagement.samples[engagement.named("us", 1).id]
    engagement.cut(engagement.named("us", 1).id, noon)
    page = open_page(engagement)
    both_runs = Window(0, "", occurrences=(Occurrence(None, None, 1), Occurrence(None, None, 3)))
    workspace.selection.set_windows(both_runs, run_window(2))
    settle(page, idle)
    choose(page, "us · vmstat")
    settle(page, idle)
    assert shown(page, "name").count("us · vmstat") == 1
    assert [(line.key, line.dashed) for line in page.chart.canvas.lines] == [
        (engagement.named("us", 1).id, False),
        (engagement.named("us", 3).id, False),
        (engagement.named("us", 2).id, True),
    ]
    assert all(line.drawn is not None and line.drawn.values.size for line in page.chart.canvas.lines)
    words = page.chart._evidence["before"].words()
    assert f"n {whole.times_ns.size - 1:,}" in words and words.endswith("2 captures")
    assert "captures" not in page.chart._evidence["after"].words()
    for moment in (noon - 40 * STEP_NS, noon, noon + STEP_NS, noon + 40 * STEP_NS):
        page.chart._on_cursor(moment)
        settle(page, idle)
        value = whole.values[whole.times_ns.tolist().index(moment)]
        assert page.chart._readings["before"] == (moment, value)
    close(workspace)


def test_an_edge_dragged_on_the_chart_changes_the_window(qtbot: Any, page: ComparePage, idle: Any) -> None:
    choose(page, "us · vmstat")
    settle(page, idle)
    canvas = page.chart.canvas
    start = QPoint(round(canvas.x_of(page.chart.alignment.before.end_ns)), 20)  # type: ignore[union-attr]
    end = QPoint(round(canvas.x_of(at("2007-07-19T16:00:00"))), 20)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(canvas, (start + end) / 2)
    qtbot.mouseMove(canvas, end)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=end)
    before = page.workspace.selection.before
    assert before is not None
    end_ns = before.occurrences[0].end_ns
    assert end_ns is not None and abs(end_ns - at("2007-07-19T16:00:00")) < 120_000_000_000
    settle(page, idle)
    row = shown(page, "name").index("us · vmstat")
    assert int(page.list.filter.plain(row, COLUMN["before.n"])) < 2_064
    assert page.workspace.selection.after == run_window(2)


def test_typed_times_set_the_window(qtbot: Any, page: ComparePage, idle: Any) -> None:
    page.head.before.start.setText("2007-07-19 12:00")
    qtbot.keyClick(page.head.before.start, Qt.Key.Key_Return)
    page.head.before.end.setText("13:00")
    qtbot.keyClick(page.head.before.end, Qt.Key.Key_Return)
    assert page.workspace.selection.before == run_window(1, at("2007-07-19T12:00:00"), at("2007-07-19T13:00:00"))
    settle(page, idle)
    row = shown(page, "name").index("us · vmstat")
    assert page.list.filter.plain(row, COLUMN["before.n"]) == "241"
    page.head.before.start.setText("soon")
    qtbot.keyClick(page.head.before.start, Qt.Key.Key_Return)
    assert page.head.before.start.property("state") == "wrong"
    assert page.workspace.selection.before.occurrences[0].start_ns == at("2007-07-19T12:00:00")


def test_times_are_read_in_the_engagements_zone() -> None:
    assert typed_time("2007-07-19 09:30", SEOUL, 0) == at("2007-07-19T09:30:00")
    assert typed_time(" 10:15:30 ", SEOUL, BEFORE_NS) == at("2007-07-19T10:15:30")
    assert typed_time("yesterday", SEOUL, BEFORE_NS) is None


def test_the_table_is_copied_as_it_is_shown(qtbot: Any, page: ComparePage) -> None:
    qtbot.keyClicks(page.list.filter_field, "ssd2")
    page.list.table.clearSelection()
    qtbot.mouseClick(page.list.copy_button, Qt.MouseButton.LeftButton)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert len(lines) == 3
    assert float(lines[1][lines[0].index("Ratio")]) > 0
    assert float(lines[1][lines[0].index("before mean")]) > 0


def test_with_one_run_the_page_asks_for_the_other_window(
    qtbot: Any, workspace: Workspace, idle: Any, open_page: OpenPage
) -> None:
    engagement = MadeEngagement()
    engagement.runs = engagement.runs[:1]
    page = open_page(engagement)
    asked: list[str] = []
    workspace.page_asked.connect(lambda page_id, _argument: asked.append(page_id))
    assert page._no_windows.isVisible()
    qtbot.mouseClick(page._no_windows._buttons[0][1], Qt.MouseButton.LeftButton)
    assert asked == ["timeline"]
    workspace.selection.set_windows(
        run_window(1, None, at("2007-07-19T11:00:00")), run_window(1, at("2007-07-19T12:00:00"), None)
    )
    settle(page, idle)
    assert page.list.tabs.tabText(0) == "On both sides 10"


def test_without_captures_the_page_invites(qtbot: Any, workspace: Workspace, open_page: OpenPage) -> None:
    engagement = MadeEngagement()
    engagement.runs = []
    page = open_page(engagement)
    assert page._pages.currentIndex() == 1


def test_korean_names_the_ratio_as_customers_do(qtbot: Any, page: ComparePage, look: Callable[..., None]) -> None:
    look("ko", "dark")
    headers = [page.list.model.headerData(place, Qt.Orientation.Horizontal) for place in range(len(COLUMN))]
    assert "배율 (>1 개선)" in headers
    assert set(shown(page, "verdict")) == {"○ 기술 통계"}
    assert page.head.align.currentText() == "시각 기준"
    page.grab()


# --- what was judged


@pytest.fixture
def stated() -> JudgedEngagement:
    return JudgedEngagement()


@pytest.fixture
def judged(
    qtbot: Any, workspace: Workspace, stated: JudgedEngagement, idle: Callable[[], None], open_page: OpenPage
) -> Iterator[ComparePage]:
    made = open_page(stated)
    settle(made, idle)
    yield made
    close(workspace)


def test_what_changed_comes_first_then_what_was_judged_then_the_rest(judged: ComparePage) -> None:
    assert [word.split(" ", 1)[1] for word in dict.fromkeys(shown(judged, "verdict"))] == [
        "improved",
        "regressed",
        "no practical change",
        "inconclusive",
        "not comparable",
        "insufficient data",
        "descriptive only",
    ]
    rows = shown(judged, "name")
    assert rows[:4] == ["us · vmstat", "sy · vmstat", "r · vmstat", "free · vmstat"]
    place = rows.index("us · vmstat")
    assert shown(judged, "ratio")[place] == "3.90x" and shown(judged, "estimate")[place] == "3.90 [3.51, 4.68]"
    assert shown(judged, "occurrences")[place] == "5 → 4" and shown(judged, "variation")[place] == "10 % (assumed)"
    assert shown(judged, "estimate")[rows.index("ssd2 svc_t · iostat")] == "–"


def test_a_verdict_says_on_what_it_rests(judged: ComparePage) -> None:
    index = judged.list.filter.index(0, COLUMN["verdict"])
    assert index.data() == "▲ improved"
    assert index.data(Qt.ItemDataRole.ForegroundRole) == current_theme().ok
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    for part in ("3.90x [3.51, 4.68]", "-31.5 [-33, -30] pp", "p adjusted < 0.001", "(C1)"):
        assert part in tip
    assert "(C1)" in shown(judged, "why")[0]


def test_verdicts_narrow_the_list_and_the_chart_follows(qtbot: Any, judged: ComparePage, idle: Any) -> None:
    box = judged.list.verdicts
    counts = {FILTERS[place]: int(box.itemText(place).rsplit(" ", 1)[1]) for place in range(box.count())}
    assert counts[Shown.ALL] == 9 and counts[Shown.CHANGED] == 2 and counts[Shown.JUDGED] == 4
    assert counts[Verdict.NOT_COMPARABLE] == 2
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert FILTERS[box.currentIndex()] is Shown.CHANGED
    assert shown(judged, "name") == ["us · vmstat", "sy · vmstat"]
    assert judged.list.count.text() == "2 of 9"
    judged.list.show_only(Verdict.NOT_COMPARABLE)
    assert sorted(shown(judged, "name")) == ["sd0 svc_t · iostat", "ssd2 svc_t · iostat"]
    assert judged.chart.row is not None and judged.chart.row.native == "svc_t"


def test_the_gate_says_in_one_sentence_whether_the_windows_may_be_compared(judged: ComparePage) -> None:
    assert judged.gate.sentence.words() == "△ Adjusted only: Stationarity. Unknown: Load."
    marks = [chip.text().split()[0] for chip in judged.gate.chips]
    assert marks == ["✓", "✓", "?", "✓", "✓", "△", "✓", "✓", "✓", "✓"]
    judged.gate.show_gate(gate_of(C2=CheckState.REFUSE), (), SEOUL)
    assert judged.gate.sentence.words() == "× Not comparable: Calendar. Unknown: Load."
    passed = gate_of(C3=CheckState.PASS, C6=CheckState.PASS)
    judged.gate.show_gate(passed, (), SEOUL)
    assert judged.gate.sentence.words() == "✓ Comparable."
    assert not judged.gate.split.isVisible()


def test_a_check_explains_itself_by_click_and_by_key(qtbot: Any, judged: ComparePage) -> None:
    gate = judged.gate
    assert not gate.detail.isVisible()
    qtbot.mouseClick(gate.chips[2], Qt.MouseButton.LeftButton)
    assert gate.detail.isVisible()
    assert gate.detail.text().startswith("C3 Load") and "apture" in gate.detail.text()  # what to capture
    gate.chips[2].setFocus()
    for _ in range(3):
        qtbot.keyClick(judged.focusWidget(), Qt.Key.Key_Right)
    assert gate.chips[5].hasFocus()
    qtbot.keyClick(gate.chips[5], Qt.Key.Key_Space)
    assert gate.detail.text().startswith("C6 Stationarity") and "14:05:00" in gate.detail.text()
    assert [chip.isChecked() for chip in gate.chips].count(True) == 1
    qtbot.keyClick(gate.chips[5], Qt.Key.Key_Space)
    assert not gate.detail.isVisible()


def test_the_gate_folds_to_its_sentence(qtbot: Any, judged: ComparePage) -> None:
    tall = judged.gate.height()
    qtbot.mouseClick(judged.gate.fold_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: judged.gate.height() < tall, timeout=60_000)
    assert not judged.gate.chips[0].isVisible() and judged.gate.sentence.isVisible()


def test_one_click_splits_the_window_and_one_takes_it_back(
    qtbot: Any, judged: ComparePage, stated: JudgedEngagement, idle: Any
) -> None:
    gate, chosen = judged.gate, judged.workspace.selection
    assert gate.split.text() == "before: keep only from 14:05:00" and not gate.undo.isVisible()
    qtbot.mouseClick(gate.split, Qt.MouseButton.LeftButton)
    settle(judged, idle)
    assert chosen.before == run_window(1, at("2007-07-19T14:05:00"), None) and chosen.after == run_window(2)
    assert stated.compared[-1][0] == run_window(1, at("2007-07-19T14:05:00"), None)
    qtbot.mouseClick(gate.undo, Qt.MouseButton.LeftButton)
    settle(judged, idle)
    assert (chosen.before, chosen.after) == (run_window(1), run_window(2))
    assert not gate.undo.isVisible()
    actions = [action for action in gate.menu.actions() if action.text()]
    assert len(actions) == 4
    actions[3].trigger()  # what lies before the restart of the after side
    assert chosen.after == run_window(2, None, at("2007-07-26T09:59:59"))


def test_where_hours_are_compared_with_their_like_both_sides_are_split(
    qtbot: Any, judged: ComparePage, stated: JudgedEngagement
) -> None:
    """The load above was a generator's, whose hours do not matter."""
    assert judged.comparison is not None
    gate = [replace(each, reason="overlap") if each.check is Check.CALENDAR else each for each in stated.gate]
    judged._show_comparison(replace(judged.comparison, gate=tuple(gate)))
    qtbot.mouseClick(judged.gate.split, Qt.MouseButton.LeftButton)
    chosen = judged.workspace.selection
    assert chosen.before == run_window(1, at("2007-07-19T14:05:00"), None)
    assert chosen.after == run_window(2, at("2007-07-26T14:05:00"), None)
    qtbot.mouseClick(judged.gate.undo, Qt.MouseButton.LeftButton)
    assert (chosen.before, chosen.after) == (run_window(1), run_window(2))


def test_dragging_an_edge_judges_anew(qtbot: Any, judged: ComparePage, stated: JudgedEngagement, idle: Any) -> None:
    canvas, asked = judged.chart.canvas, len(stated.compared)
    start = QPoint(round(canvas.x_of(judged.chart.alignment.before.end_ns)), 20)  # type: ignore[union-attr]
    end = QPoint(round(canvas.x_of(at("2007-07-19T16:00:00"))), 20)
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(canvas, (start + end) / 2)
    assert len(stated.compared) == asked
    qtbot.mouseMove(canvas, end)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=end)
    settle(judged, idle)
    assert len(stated.compared) == asked + 1
    assert stated.compared[-1][0] == judged.workspace.selection.before != run_window(1)


def test_time_is_counted_from_a_moment_of_either_side(qtbot: Any, judged: ComparePage, idle: Any) -> None:
    choose(judged, "us · vmstat")
    anchors = judged.head.anchors
    assert not anchors["before"].isVisible()
    judged.head.align.setCurrentIndex(list(Align).index(Align.ELAPSED))
    assert anchors["before"].isVisible()
    words = [anchors["before"].itemText(place) for place in range(anchors["before"].count())]
    assert words[0] == "window start" and "14:32:00 인덱스 생성" in words
    anchors["before"].setCurrentIndex(words.index("14:32:00 인덱스 생성"))
    anchors["before"].activated.emit(words.index("14:32:00 인덱스 생성"))
    field = anchors["after"].lineEdit()
    assert field is not None
    field.selectAll()
    qtbot.keyClicks(field, "14:00")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle(judged, idle)
    assert anchors["after"].time_ns == at("2007-07-26T14:00:00")
    shift = at("2007-07-19T14:32:00") - at("2007-07-26T14:00:00")
    assert judged.chart.canvas.lines[1].shift_ns == shift
    assert judged.chart.alignment.zero_ns == at("2007-07-19T14:32:00")  # type: ignore[union-attr]
    field.selectAll()
    qtbot.keyClicks(field, "tomorrow")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert anchors["after"].property("state") == "wrong"
    assert judged.chart.canvas.lines[1].shift_ns == shift


def test_all_figures_are_copied_by_key(qtbot: Any, judged: ComparePage) -> None:
    judged.list.table.setFocus()
    qtbot.keyClick(judged.list.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert len(lines) == 10 and {len(line) for line in lines} == {len(lines[0])}
    first = dict(zip(*lines[:2], strict=True))
    for title, figure in (
        ("Ratio", 3.9),
        ("Ratio 95 % low", 3.51),
        ("Ratio 95 % high", 4.68),
        ("before n_eff", 210.4),
        ("after n_eff", 57.2),
        ("p", 0.0001),
        ("p adjusted", 0.0004),
        ("Difference (after - before)", -31.5),
        ("before p50 (HD)", 50.125),
        ("after p95 (HD)", 17.75),
        ("Margin (fraction)", 0.1),
    ):
        assert float(first[title]) == pytest.approx(figure), title
    assert first["Verdict"] == "▲ improved" and "(C1)" in first["Why, and what to mind"]
    assert first["before p99 (HD)"] == ""


def facts_of(qtbot: Any, page: ComparePage, name: str) -> list[str]:
    """What the inspector says of a row."""
    row = page.list.shown_rows()[shown(page, "name").index(name)]
    holder = QWidget()
    qtbot.addWidget(holder)
    facts = RowFacts(QVBoxLayout(holder), row, page.workspace.zone)
    facts.add_verdict()
    facts.add_figures()
    return [made.text() for made in holder.findChildren(QLabel)]


def test_the_inspector_says_on_what_the_verdict_rests(qtbot: Any, judged: ComparePage) -> None:
    words = facts_of(qtbot, judged, "us · vmstat")
    for part in (
        "▲ improved",
        "3.90x",
        "Estimate 3.90 [3.51, 4.68]",
        "5 before, 4 after",
        "10 % (assumed)",
        "▲ improved\n53.2 → 13.2 · 3.90x [3.12, 5.07]",
        "-31.5 [-33, -30] pp",
        "< 0.001",
        "10 %",
        "210",
        "57.2",
        "50.12",
        "17.75",
        "Percentiles (Harrell-Davis)",
        "8:36:00",  # 2,064 times 15 s, the gap left out
        "8:59:45",
        "0.81",
        "0.62",
    ):
        assert part in words, part
    assert any(made.startswith("⚠") and "(C1)" in made for made in words)


def test_the_inspector_says_why_there_is_no_verdict(qtbot: Any, judged: ComparePage) -> None:
    words = facts_of(qtbot, judged, "ssd2 svc_t · iostat")
    assert "× not comparable" in words and any("request" in made for made in words)
    judged.list.tabs.setCurrentIndex(1)
    words = facts_of(qtbot, judged, "sd0 wait · iostat")
    assert "before only" in words and "There is no such series on this side." in words


def test_five_hundred_rows_are_shown_and_filtered_at_once(judged: ComparePage) -> None:
    assert judged.comparison is not None
    many = replace(judged.comparison, rows=judged.comparison.rows * 50)
    started = time.process_time()
    judged._show_comparison(many)
    judged.list.filter_field.setText("ssd2")
    judged.list.filter_field.clear()
    judged.list.table.sortByColumn(COLUMN["ratio"], Qt.SortOrder.DescendingOrder)
    judged.list.copy()
    assert time.process_time() - started < 2.0
    assert judged.list.filter.rowCount() == 450


def test_a_refused_gate_is_seen_and_korean_says_so(judged: ComparePage, look: Callable[..., None]) -> None:
    look("ko", "dark")
    judged.gate.show_gate(gate_of(C2=CheckState.REFUSE), OFFERS, SEOUL)
    assert judged.gate.sentence.words() == "× 비교할 수 없습니다: 요일과 시간대. 확인 불가: 부하."
    assert judged.gate.split.text() == "튜닝 전 14:05:00 이후만 비교"
    judged.grab()
