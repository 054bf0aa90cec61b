"""The timeline as a person uses it: wheel, drag, click, keys, drop, copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.ui.made_engagement import (
    BEFORE_NS,
    COMMENT_NS,
    GAP_FROM_NS,
    GAP_TO_NS,
    RESTART_NS,
    STEP_NS,
    MadeEngagement,
    at,
    close,
)
from tests.waiting import let_window_live
from tunebench.analysis.series import Envelope
from tunebench.domain.engagement import EventKind, Phase
from tunebench.domain.windows import run_window
from tunebench.ui.charts.canvas import ChartCanvas
from tunebench.ui.charts.row import ROW_MIME, SERIES_MIME, ChartRow
from tunebench.ui.charts.row_stack import series_data
from tunebench.ui.inspected import Inspected, InspectedEvent, InspectedSeries
from tunebench.ui.pages.timeline_page import VIEWS, TimelinePage
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import browse
from tunebench.usecases.projects import Project

HOUR_NS = 3_600_000_000_000


@pytest.fixture
def engagement() -> MadeEngagement:
    return MadeEngagement()


@pytest.fixture
def page(
    qtbot: Any,
    workspace: Workspace,
    engagement: MadeEngagement,
    idle: Callable[[], None],
    look: Callable[..., None],
    tmp_path: Path,
) -> Iterator[TimelinePage]:
    made = open_page(qtbot, workspace, engagement, tmp_path)
    settle(qtbot, made, idle)
    made.show_argument(engagement.runs[0])
    settle(qtbot, made, idle)
    yield made
    close(workspace)


def open_page(qtbot: Any, workspace: Workspace, engagement: MadeEngagement, folder: Path) -> TimelinePage:
    engagement.opened_in(workspace, folder)
    made = TimelinePage(workspace)
    qtbot.addWidget(made)
    made.resize(1100, 620)
    made.show()
    qtbot.waitExposed(made)
    made.enter()
    return made


def settle(qtbot: Any, page: TimelinePage, idle: Callable[[], None]) -> None:
    """An answer may be the next question: at rest is what is at rest before and after the charts could have asked."""

    def is_at_rest() -> bool:
        return page.charts.feed.settled and not page.workspace.jobs.busy

    rested = False
    while not rested:
        qtbot.waitUntil(is_at_rest, timeout=60_000)
        let_window_live(0.03, "the charts ask 16 ms after they are moved")
        rested = is_at_rest()
    idle()


def rows(page: TimelinePage) -> list[ChartRow]:
    return [row for _, row in page.charts.stack.ordered_rows()]


def labels(page: TimelinePage) -> list[list[str]]:
    return [[entry.name for entry in row.entries] for row in rows(page)]


def place(canvas: ChartCanvas, time_ns: int, y: int = 40) -> QPoint:
    return QPoint(round(canvas.x_of(time_ns)), y)


def wheel(
    widget: QWidget, at_point: QPoint, notches: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    event = QWheelEvent(
        QPointF(at_point),
        QPointF(widget.mapToGlobal(at_point)),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)


def drag(qtbot: Any, widget: QWidget, start: QPoint, end: QPoint) -> None:
    qtbot.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.7, 1.0):
        qtbot.mouseMove(widget, start + (end - start) * share)
    qtbot.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=end)


def test_a_run_is_first_shown_with_its_telling_series(page: TimelinePage) -> None:
    assert labels(page) == [["us", "sy"], ["r"], ["ssd2 %b"], ["ssd2 svc_t"], ["sr"], ["free"]]
    assert page.view.start_ns == BEFORE_NS + STEP_NS  # the run that was asked for fills the view


def test_the_cross_hair_reads_every_row_at_once(
    qtbot: Any, page: TimelinePage, engagement: MadeEngagement, idle: Any
) -> None:
    moment = at("2007-07-19T14:12:05")
    page.time.request(page.view.zoomed(0.1, moment), True)
    settle(qtbot, page, idle)
    canvas = rows(page)[0].canvas
    qtbot.mouseMove(canvas, place(canvas, moment))
    settle(qtbot, page, idle)
    cursor_ns = page.workspace.selection.cursor_ns
    assert cursor_ns is not None
    stamp = BEFORE_NS + -(-(cursor_ns - BEFORE_NS) // STEP_NS) * STEP_NS  # the interval that ends there
    for native, device in (("us", None), ("r", None), ("%b", "ssd2"), ("svc_t", "ssd2"), ("free", None)):
        info = engagement.named(native, 1, device)
        data = engagement.samples[info.id]
        index = data.times_ns.tolist().index(stamp)
        assert page.charts.readings[info.id] == (stamp, data.values[index])


def test_over_binned_lines_the_cross_hair_reads_the_sample_not_the_bin(
    qtbot: Any, page: TimelinePage, engagement: MadeEngagement, idle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = browse.envelope

    def coarse(project: Project, series_id: int, start_ns: int, end_ns: int, bins: int) -> Envelope:
        return exact(project, series_id, start_ns, end_ns, bins // 20)

    monkeypatch.setattr(browse, "envelope", coarse)
    page.project_changed(Change.CAPTURES)
    settle(qtbot, page, idle)
    info = engagement.named("us")
    envelope = page.charts.feed.envelope(info.id)
    assert envelope is not None and envelope.samples_per_bin > 1
    stamp = int(engagement.samples[info.id].times_ns[700])
    page.workspace.selection.set_cursor(stamp - 4_000_000_000)
    settle(qtbot, page, idle)
    assert page.charts.readings[info.id] == (stamp, engagement.samples[info.id].values[700])


def test_in_a_gap_there_is_nothing_to_read_and_no_line(qtbot: Any, page: TimelinePage, idle: Any) -> None:
    middle = (GAP_FROM_NS + GAP_TO_NS) // 2
    page.workspace.selection.set_cursor(middle)
    settle(qtbot, page, idle)
    assert page.charts.readings == {}
    for line in rows(page)[0].canvas.lines:
        if line.gaps:
            (gap,) = line.gaps
            assert (gap.start_ns, gap.end_ns) == (GAP_FROM_NS, GAP_TO_NS)
    assert rows(page)[0].canvas.tip_at(QPointF(place(rows(page)[0].canvas, middle))) != ""


def test_a_gap_is_grey_on_the_screen(qtbot: Any, page: TimelinePage) -> None:
    from tunebench.ui.look.theme import current_theme

    canvas = rows(page)[1].canvas

    def column() -> set[str]:
        picture = canvas.grab().toImage()
        x = round(canvas.x_of((GAP_FROM_NS + GAP_TO_NS) // 2))
        return {picture.pixelColor(x, y).name() for y in range(12, canvas.height() - 10)}

    qtbot.waitUntil(lambda: current_theme().gap.name() in column(), timeout=60_000)
    assert rows(page)[1].canvas.lines[0].colour.name() not in column()


def test_averages_since_boot_are_markers_and_not_in_the_line(page: TimelinePage, engagement: MadeEngagement) -> None:
    info = engagement.named("us")
    line = next(line for line in rows(page)[0].canvas.lines if line.key == info.id)
    first_ns = int(engagement.samples[info.id].times_ns[0])
    assert line.since_boot == ((first_ns, 3.0),)
    assert line.envelope is not None and line.envelope.times_ns[0] > first_ns
    (point, *_) = rows(page)[0].canvas.since_boot_points()
    assert "3" in rows(page)[0].canvas.tip_at(point[0])


def test_the_wheel_zooms_around_the_pointer_and_rests_into_the_history(qtbot: Any, page: TimelinePage) -> None:
    canvas = rows(page)[2].canvas
    there = QPoint(canvas.width() // 3, 30)
    moment, span = canvas.time_at(there.x()), page.view.span_ns
    wheel(canvas, there, 2)
    assert page.view.span_ns == pytest.approx(span * 0.64, rel=1e-6)
    assert abs(canvas.time_at(there.x()) - moment) < page.view.span_ns / canvas.width()
    assert all(row.canvas.view == page.view for row in rows(page))
    qtbot.waitUntil(lambda: page.workspace.selection.can_go_back(), timeout=60_000)
    page.workspace.selection.back()
    qtbot.waitUntil(lambda: page.view.span_ns > span * 0.9, timeout=60_000)


def test_shift_and_wheel_zoom_one_rows_values_only(page: TimelinePage) -> None:
    canvas, other = rows(page)[2].canvas, rows(page)[3].canvas
    view, span, other_values = page.view, canvas.values.span, other.values
    wheel(canvas, QPoint(200, 40), 1, Qt.KeyboardModifier.ShiftModifier)
    canvas.grab()
    assert canvas.values.span == pytest.approx(span * 0.8)
    assert (page.view, other.values) == (view, other_values)
    canvas.zoom_values(None)
    canvas.grab()
    assert canvas.values.low == 0.0


def test_a_drag_offers_what_to_do_and_zoom_does_it(qtbot: Any, page: TimelinePage) -> None:
    canvas = rows(page)[1].canvas
    start, end = at("2007-07-19T12:00:00"), at("2007-07-19T13:00:00")
    drag(qtbot, canvas, place(canvas, start), place(canvas, end))
    assert page.range_panel.isVisible()
    assert all(row.canvas.picked is not None for row in rows(page))
    qtbot.mouseClick(page.range_panel.zoom, Qt.MouseButton.LeftButton)
    pixel = 9 * HOUR_NS // 500
    assert abs(page.view.start_ns - start) < pixel and abs(page.view.end_ns - end) < pixel
    assert not page.range_panel.isVisible()
    assert rows(page)[0].canvas.picked is None


def test_a_dragged_range_becomes_the_window_before(qtbot: Any, page: TimelinePage) -> None:
    canvas = rows(page)[1].canvas
    drag(qtbot, canvas, place(canvas, at("2007-07-19T12:00:00")), place(canvas, at("2007-07-19T13:00:00")))
    qtbot.mouseClick(page.range_panel.before, Qt.MouseButton.LeftButton)
    before = page.workspace.selection.before
    assert before is not None and before.run_ids == (1,)
    start_ns = before.occurrences[0].start_ns
    assert start_ns is not None and start_ns % 1_000_000_000 == 0
    assert [window.side for window in rows(page)[3].canvas.windows] == ["before"]


def test_a_window_edge_is_dragged_on_any_row(qtbot: Any, page: TimelinePage) -> None:
    chosen = page.workspace.selection
    chosen.set_window(Phase.BEFORE, run_window(1, at("2007-07-19T12:00:00"), at("2007-07-19T13:00:00")))
    canvas = rows(page)[2].canvas
    drag(qtbot, canvas, place(canvas, at("2007-07-19T13:00:00"), 15), place(canvas, at("2007-07-19T15:00:00"), 15))
    assert chosen.before is not None and chosen.before.occurrences[0].start_ns == at("2007-07-19T12:00:00")
    assert chosen.before.occurrences[0].end_ns == pytest.approx(at("2007-07-19T15:00:00"), abs=9 * HOUR_NS // 400)
    assert not page.range_panel.isVisible()


def test_a_range_where_nothing_was_measured_is_no_window(qtbot: Any, page: TimelinePage) -> None:
    said: list[str] = []
    page.workspace.said.connect(lambda tone, words: said.append(tone))
    page.acts.set_side("after", page.view.moved(3 * 24 * HOUR_NS))
    assert said == ["warning"]
    assert page.workspace.selection.after is None


def test_a_double_click_shows_everything(qtbot: Any, page: TimelinePage) -> None:
    canvas = rows(page)[0].canvas
    qtbot.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(200, 40))
    assert page.workspace.selection.range is None
    assert page.view == page.time.bounds


def test_keys_pan_zoom_and_jump_to_the_ends(qtbot: Any, page: TimelinePage) -> None:
    page.setFocus()
    page.time.request(page.view.zoomed(0.25, page.view.middle_ns), True)
    view = page.view
    qtbot.keyClick(page, Qt.Key.Key_Right)
    assert page.view.start_ns == view.start_ns + int(view.span_ns * 0.15)
    qtbot.keyClick(page, Qt.Key.Key_Plus)
    assert page.view.span_ns == pytest.approx(view.span_ns * 0.7, rel=1e-6)
    qtbot.keyClick(page, Qt.Key.Key_Home)
    assert page.view.start_ns == page.time.bounds.start_ns
    qtbot.keyClick(page, Qt.Key.Key_End)
    assert page.view.end_ns == page.time.bounds.end_ns
    qtbot.keyClick(page, Qt.Key.Key_0)
    assert page.view == page.time.bounds


def test_the_keyboard_walks_through_the_rows(qtbot: Any, page: TimelinePage) -> None:
    page.activateWindow()
    rows(page)[0].setFocus()
    qtbot.keyClick(rows(page)[0], Qt.Key.Key_Down)
    assert rows(page)[1].hasFocus()


def test_enter_takes_the_offered_action_and_escape_drops_it(qtbot: Any, page: TimelinePage) -> None:
    canvas = rows(page)[1].canvas
    view = page.view
    drag(qtbot, canvas, QPoint(150, 40), QPoint(250, 40))
    qtbot.keyClick(page.range_panel, Qt.Key.Key_Escape)
    assert not page.range_panel.isVisible() and page.view == view
    drag(qtbot, canvas, QPoint(150, 40), QPoint(250, 40))
    qtbot.keyClick(page.range_panel.zoom, Qt.Key.Key_Return)
    assert page.view.span_ns < view.span_ns


def test_buttons_show_an_hour_a_day_and_all(qtbot: Any, page: TimelinePage) -> None:
    page.workspace.selection.set_cursor(at("2007-07-19T12:00:00"))
    page.workspace.commands.set_state(has_project=True, writable=True)
    page.workspace.commands.set_page("timeline")
    page.workspace.commands.action("timeline.hour").trigger()
    assert page.view.span_ns == HOUR_NS
    page.time.show_all()
    assert page.view == page.time.bounds


def test_a_click_asks_the_inspector_for_the_sample(
    qtbot: Any, page: TimelinePage, engagement: MadeEngagement, idle: Any
) -> None:
    seen: list[Inspected] = []
    page.workspace.inspected.connect(seen.append)
    canvas = rows(page)[1].canvas
    there = place(canvas, at("2007-07-19T12:30:00"))
    qtbot.mouseMove(canvas, there)
    settle(qtbot, page, idle)
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=there)
    shown_last = seen[-1]
    assert isinstance(shown_last, InspectedSeries) and shown_last.series.native == "r"
    assert shown_last.time_ns == canvas.time_at(there.x())


def check(page: TimelinePage, key: int, state: Qt.CheckState) -> None:
    tree = page.chooser._model
    assert tree.setData(tree.index_of(key), state.value, Qt.ItemDataRole.CheckStateRole)


def test_checking_a_series_adds_its_row_and_unchecking_takes_it_away(
    qtbot: Any, page: TimelinePage, engagement: MadeEngagement
) -> None:
    info = engagement.named("svc_t", 1, "sd0")
    check(page, info.id, Qt.CheckState.Checked)
    assert labels(page)[-1] == ["sd0 svc_t"]
    assert info.id in page.workspace.selection.series
    check(page, info.id, Qt.CheckState.Unchecked)
    assert ["sd0 svc_t"] not in labels(page)


def test_the_same_series_of_the_other_run_joins_its_row(page: TimelinePage, engagement: MadeEngagement) -> None:
    page.charts.stack.arrangement.show_only([engagement.named("us", 1).id])
    page.rows.share()
    check(page, engagement.named("us", 2).id, Qt.CheckState.Checked)
    assert labels(page) == [["us"]]
    assert len(rows(page)[0].canvas.lines) == 2


def test_the_filter_finds_by_heading_device_metric_and_unit(
    qtbot: Any, page: TimelinePage, engagement: MadeEngagement
) -> None:
    qtbot.keyClicks(page.chooser.search, "SSD2 response ms")
    qtbot.waitUntil(lambda: len(page.chooser.visible_keys()) == 2, timeout=60_000)
    assert {info.label for info in engagement.infos if info.id in page.chooser.visible_keys()} == {"ssd2 svc_t"}


def drop(page: TimelinePage, mime: str, data: bytes, at_point: QPoint) -> None:
    moved = QMimeData()
    moved.setData(mime, data)
    event = QDropEvent(
        QPointF(at_point), Qt.DropAction.CopyAction, moved, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    page.charts.stack.dropEvent(event)


def test_a_series_dropped_on_the_middle_of_a_row_lies_over_it(page: TimelinePage, engagement: MadeEngagement) -> None:
    stack = page.charts.stack
    middle = rows(page)[1].mapTo(stack.viewport(), QPoint(60, rows(page)[1].height() // 2))
    drop(page, SERIES_MIME, series_data([engagement.named("svc_t", 1, "sd0").id]), middle)
    assert labels(page)[1] == ["r", "sd0 svc_t"]


def test_a_series_dropped_between_rows_gets_its_own(page: TimelinePage, engagement: MadeEngagement) -> None:
    stack = page.charts.stack
    edge = rows(page)[1].mapTo(stack.viewport(), QPoint(60, 3))
    drop(page, SERIES_MIME, series_data([engagement.named("svc_t", 1, "sd0").id]), edge)
    assert labels(page)[1] == ["sd0 svc_t"]


def test_rows_are_reordered_by_dragging_and_by_keys(qtbot: Any, page: TimelinePage) -> None:
    stack = page.charts.stack
    last = rows(page)[2]
    top = rows(page)[0].mapTo(stack.viewport(), QPoint(60, 3))
    drop(page, ROW_MIME, str(last.row_id).encode(), top)
    assert labels(page)[:2] == [["ssd2 %b"], ["us", "sy"]]
    qtbot.keyClick(rows(page)[0], Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert labels(page)[:2] == [["us", "sy"], ["ssd2 %b"]]
    qtbot.keyClick(rows(page)[0], Qt.Key.Key_Delete)
    assert labels(page)[0] == ["ssd2 %b"]


def test_above_twenty_four_lines_a_row_shows_the_band_and_those_least_alike(
    qtbot: Any, workspace: Workspace, idle: Any, tmp_path: Path
) -> None:
    engagement = MadeEngagement(disks=30)
    page = open_page(qtbot, workspace, engagement, tmp_path)
    settle(qtbot, page, idle)
    page.show_argument(engagement.runs[0])
    settle(qtbot, page, idle)
    wanted = [info.id for info in engagement.infos if info.native == "svc_t" and info.run_id == 1]
    page.charts.stack.arrangement.show_only([])
    page.charts.stack.arrangement.add(wanted)
    page.rows.share()
    settle(qtbot, page, idle)
    (row,) = rows(page)
    assert len(row.canvas.lines) == 5 and row.canvas.band is not None
    assert row.entries[0].name == "ssd30 svc_t"  # made the busiest
    assert "30" in row.head.note
    close(workspace)


def test_events_stand_on_the_strip_and_lead_there(qtbot: Any, page: TimelinePage) -> None:
    strip = page.charts.strip
    strip.grab()
    kinds = [(mark.kind, mark.time_ns) for mark in strip.marks]
    assert kinds == [("gap", GAP_FROM_NS), ("restart", RESTART_NS), ("comment", COMMENT_NS)]
    with qtbot.waitSignal(page.workspace.inspected) as inspected:
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(round(strip.x_of(RESTART_NS)), 13))
    assert page.workspace.selection.cursor_ns == RESTART_NS
    (shown,) = inspected.args
    assert isinstance(shown, InspectedEvent) and shown.stored.event.kind is EventKind.RESTART, (
        "the inspector explains it"
    )


def test_the_table_twin_holds_the_visible_samples_and_copies_them(
    qtbot: Any, page: TimelinePage, engagement: MadeEngagement, idle: Any
) -> None:
    start, end = at("2007-07-19T12:00:00"), at("2007-07-19T12:01:00")
    page.time.show_span(type(page.view)(start, end))
    page.views.setCurrentIndex(VIEWS.index("table"))
    qtbot.waitUntil(lambda: page.table.model.rowCount() == 5, timeout=60_000)
    assert page.table.model.index(0, 0).data() == "2007-07-19 12:00:00 KST"
    page.table.view.setFocus()
    qtbot.keyClick(page.table.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 6
    assert lines[0].split("\t")[:2] == ["Time", "svrdb01 us [%]"]
    data = engagement.series_data(engagement.named("us").id, start, end)
    assert float(lines[1].split("\t")[1]) == data.values[0]


def test_the_table_says_which_values_are_since_boot(qtbot: Any, page: TimelinePage) -> None:
    page.views.setCurrentIndex(VIEWS.index("table"))
    qtbot.waitUntil(lambda: page.table.model.rowCount() > 0, timeout=60_000)
    assert page.table.model.index(0, 1).data() == "3 (since boot)"


def test_without_captures_the_page_invites(qtbot: Any, workspace: Workspace, tmp_path: Path) -> None:
    engagement = MadeEngagement()
    engagement.runs = []
    page = open_page(qtbot, workspace, engagement, tmp_path)
    asked: list[object] = []
    workspace.import_asked.connect(asked.append)
    assert page._empty.isVisible()
    qtbot.mouseClick(page._empty._buttons[0][1], Qt.MouseButton.LeftButton)
    assert asked == [[]]


def test_language_and_theme_change_under_way(qtbot: Any, page: TimelinePage, look: Callable[..., None]) -> None:
    dark_before = rows(page)[0].canvas.lines[0].colour.name()
    look("ko", "dark")
    assert page._title.text() == "타임라인"
    assert page.views.tabText(0) == "선"
    assert rows(page)[0].canvas.lines[0].colour.name() != dark_before
    page.grab()


def test_rows_speak_to_screen_readers(qtbot: Any, page: TimelinePage) -> None:
    qtbot.waitUntil(lambda: rows(page)[1].accessibleDescription() != "", timeout=60_000)
    assert rows(page)[1].accessibleName() == "Chart row: r threads"
    assert "mean" in rows(page)[1].accessibleDescription()


def test_panning_inside_what_was_read_asks_for_nothing(
    qtbot: Any, page: TimelinePage, idle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.time.request(page.view.zoomed(0.2, page.view.middle_ns), True)
    settle(qtbot, page, idle)
    asked: list[object] = []
    monkeypatch.setattr(browse, "envelope", lambda *question: asked.append(question))
    for _ in range(10):
        page.time.request(page.view.moved(page.view.span_ns // 40), False)
        let_window_live(0.005, "a hand that pans moves in steps")
    assert asked == []


def test_real_captures_are_drawn_in_the_real_window(qtbot: Any, opened: Any, idle: Callable[[], None]) -> None:
    opened.show_page("timeline")
    page = opened.page("timeline")
    settle(qtbot, page, idle)
    assert len(rows(page)) >= 3
    lines = [line for row in rows(page) for line in row.canvas.lines]
    assert lines and all(line.envelope is not None and line.envelope.times_ns.size for line in lines)
    assert lines[0].envelope is not None
    moment = int(lines[0].envelope.times_ns[1])
    opened.workspace.selection.set_cursor(moment)
    settle(qtbot, page, idle)
    assert lines[0].key in page.charts.readings
    qtbot.keyClick(rows(page)[0], Qt.Key.Key_Plus)
    assert page.view.span_ns < page.time.bounds.span_ns
    start = page.view.start_ns
    qtbot.keyClick(rows(page)[0], Qt.Key.Key_Left)
    assert page.view.start_ns < start
    page.range_panel.noted.emit(page.view, "index created")
    assert "index created" in [mark.word for mark in page.charts.strip.marks]
    opened.workspace.undo.undo()
    assert "index created" not in [mark.word for mark in page.charts.strip.marks]
    opened.grab()
    opened.show_page("compare")
    idle()
    assert opened.page("compare")._no_windows.isVisible()  # one run only
