"""By keyboard alone: places, views, panes, stops of Tab, and the ring around what has the keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from tunebench.domain.cycle.evidence import EvidenceKind, EvidenceTarget
from tunebench.ui.frame.focus import RING_PX, FocusRing
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.rail import PLACES
from tunebench.ui.look.theme import RADIUS, current_theme
from tunebench.ui.pages.engagement_page import EngagementPage
from tunebench.ui.widgets.parts import button
from tunebench.usecases.cycle.evidence import source_of

CTRL = Qt.KeyboardModifier.ControlModifier
MOST_TABS = 12
Idle = Callable[[], None]


def press(window: MainWindow, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """On whatever has the keyboard, as a person does."""
    QTest.keyClick(QApplication.focusWidget() or window, key, held)


@pytest.fixture
def active(window: MainWindow, demo_file: Path, idle: Idle, qtbot: Any) -> MainWindow:
    assert window.controller.open(demo_file)
    idle()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=60_000)
    return window


def test_six_keys_lead_to_the_six_places_and_to_the_view_looked_at_last(active: MainWindow, idle: Idle) -> None:
    for number, place in enumerate(PLACES, 1):
        press(active, Qt.Key(Qt.Key.Key_0 + number), CTRL)
        idle()
        assert active.current_page == place.views[0]
        assert f"Ctrl+{number}" in active.rail.buttons[place.place_id].toolTip()
    active.show_page("capacity")
    press(active, Qt.Key.Key_1, CTRL)
    press(active, Qt.Key.Key_3, CTRL)
    assert active.current_page == "capacity"
    active.commands.set_language("ko")
    press(active, Qt.Key.Key_2, CTRL)
    assert active.current_page == "captures", "the keys stay when the words change"
    active.commands.set_language("en")


def test_ctrl_tab_walks_the_views_of_the_place_and_the_tabs_of_a_place_with_one_view(
    active: MainWindow, idle: Idle
) -> None:
    for place in (place for place in PLACES if len(place.views) > 1):
        active.show_page(place.views[0])
        walked = []
        for _ in place.views:
            idle()
            walked.append(active.current_page)
            press(active, Qt.Key.Key_Tab, CTRL)
        assert tuple(walked) == place.views and active.current_page == place.views[0]
        press(active, Qt.Key.Key_Tab, CTRL | Qt.KeyboardModifier.ShiftModifier)
        assert active.current_page == place.views[-1]
    active.show_page("compare")
    idle()
    tabs = next(bar for bar in active.page("compare").findChildren(QTabBar) if bar.isVisible())
    former = tabs.currentIndex()
    press(active, Qt.Key.Key_Tab, CTRL)
    assert active.current_page == "compare" and tabs.currentIndex() == (former + 1) % tabs.count()


def test_ctrl_tab_in_a_field_goes_to_the_next_view_and_stores_what_was_typed(active: MainWindow, idle: Idle) -> None:
    active.show_page("engagement")
    page = active.page("engagement")
    assert isinstance(page, EngagementPage)
    field = page.details.edits["title"]
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "Slow orders")
    press(active, Qt.Key.Key_Tab, CTRL)
    press(active, Qt.Key.Key_2, CTRL)
    idle()
    assert active.current_page == "captures"
    overview = active.workspace.overview
    assert overview is not None and overview.engagement.title == "Slow orders"


def pane_of_focus(window: MainWindow) -> QWidget | None:
    focused = QApplication.focusWidget()
    inside = [pane for pane in window._shown_panes() if focused is pane or (focused and pane.isAncestorOf(focused))]
    return inside[-1] if inside else None


def test_f6_stops_once_in_every_pane_and_comes_back_to_where_it_was(active: MainWindow, idle: Idle) -> None:
    for page_id in active.page_ids:
        active.show_page(page_id)
        idle()
        press(active, Qt.Key.Key_F6)
        first = QApplication.focusWidget()
        walked = [pane_of_focus(active)]
        while True:
            press(active, Qt.Key.Key_F6)
            if pane_of_focus(active) is walked[0]:
                break
            walked.append(pane_of_focus(active))
            assert len(walked) < 20, page_id
        assert QApplication.focusWidget() is first, page_id
        assert None not in walked and len(set(walked)) == len(walked), page_id
        expected = {active.rail, active._place_line}
        expected |= {side for side in (active.tree, active.inspector, active._navigator) if side and side.isVisible()}
        assert expected <= set(walked), page_id
        press(active, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
        assert pane_of_focus(active) is walked[-1], page_id


def tabs_in(window: MainWindow, pane: QWidget) -> list[QWidget]:
    """What Tab reaches in the pane that has the keyboard, until it leaves it."""
    window.panes.stops(window._shown_panes())
    own = [stop for owner, stop in window.panes.stops(window._shown_panes()) if owner is pane]
    own[0][0].setFocus()
    reached = []
    while pane_of_focus(window) is pane and QApplication.focusWidget() not in reached:
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.append(focused)
        press(window, Qt.Key.Key_Tab)
    return reached


def test_no_pane_has_more_than_twelve_stops_beside_fields_to_fill_in(active: MainWindow, idle: Idle) -> None:
    typed = QLineEdit, QTextEdit, QPlainTextEdit, QComboBox
    for page_id in active.page_ids:
        active.show_page(page_id)
        idle()
        for pane in {
            id(pane): pane for pane, _stop in active.panes.stops(active._shown_panes()) if pane is not None
        }.values():
            reached = tabs_in(active, pane)
            fields = [widget for widget in reached if isinstance(widget, typed)]
            is_form = len(fields) > MOST_TABS / 2
            names = [type(widget).__name__ for widget in reached]
            assert reached and (len(reached) <= MOST_TABS or is_form), (page_id, pane.objectName(), names)


@pytest.mark.parametrize("page_id", ["compare", "statements", "timeline", "cycle"])
def test_tab_comes_by_every_stop_pane_by_pane(active: MainWindow, idle: Idle, page_id: str) -> None:
    active.show_page(page_id)
    idle()
    stops = [stop for _pane, stop in active.panes.stops(active._shown_panes())]
    active.rail.buttons[PLACES[0].place_id].setFocus()
    reached, panes = [], []
    for _ in stops:
        reached.append(QApplication.focusWidget())
        panes.append(pane_of_focus(active))
        press(active, Qt.Key.Key_Tab)
    assert not [stop for stop in stops if not any(widget in stop for widget in reached)]
    outer = [pane for pane in panes if pane in (active.rail, active._place_line, active.tree, active.inspector)]
    assert outer == sorted(outer, key=outer.index), "no pane is left and come back to"


def test_arrows_walk_among_buttons_that_are_one_stop(active: MainWindow) -> None:
    buttons = list(active.rail.buttons.values())
    buttons[2].setFocus()
    press(active, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is buttons[3]
    press(active, Qt.Key.Key_Up)
    press(active, Qt.Key.Key_Up)
    assert QApplication.focusWidget() is buttons[1]
    press(active, Qt.Key.Key_Space)
    assert active.current_page in PLACES[1].views
    buttons[1].setFocus()
    press(active, Qt.Key.Key_Tab)
    assert pane_of_focus(active) is active._place_line


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_presses_the_button_that_has_the_keyboard(active: MainWindow, key: Qt.Key) -> None:
    pressed: list[str] = []
    shown = button("Go", on_click=lambda: pressed.append("click"))
    shown.setParent(active.centralWidget())
    shown.show()
    shown.setFocus()
    press(active, key)
    assert pressed == ["click"]


def test_the_keyboard_comes_back_to_where_it_was_when_what_has_it_is_taken_away(active: MainWindow, idle: Idle) -> None:
    active.show_page("engagement")
    idle()
    page = active.page("engagement")
    assert isinstance(page, EngagementPage)
    before = page.details.edits["title"]
    before.setFocus()
    press(active, Qt.Key.Key_K, CTRL)
    assert QApplication.focusWidget() is active.palette_box.field
    press(active, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is before


def test_a_dialog_that_qt_makes_takes_nothing_of_the_window_along(active: MainWindow, idle: Idle) -> None:
    """Each file dialog that is not the desktop's: Tab has walked past widgets of the window before, and goes on in it."""
    press(active, Qt.Key.Key_Tab)
    bar, seen = active.menuBar(), []

    def leave() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QFileDialog)
        for _ in range(3):
            press(active, Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget())
        dialog.reject()

    QTimer.singleShot(200, active, leave)
    QFileDialog.getExistingDirectory(active, options=QFileDialog.Option.DontUseNativeDialog)
    idle()
    assert seen and seen[0] is not None
    press(active, Qt.Key.Key_Tab)
    assert isValid(bar) and isValid(active)
    active.menus.build()


def ring_colours(window: MainWindow, widget: QWidget) -> set[str]:
    """The colours of the pixels in the middle of each edge of the ring."""
    (ring,) = [ring for ring in window.findChildren(FocusRing) if ring.isVisible()]
    shot: QImage = ring.grab().toImage()
    middle = QPoint(shot.width() // 2, shot.height() // 2)
    inside = [(middle.x(), 0), (middle.x(), RING_PX - 1), (0, middle.y()), (RING_PX - 1, middle.y())]
    assert ring.geometry().contains(widget.mapTo(window, widget.visibleRegion().boundingRect().center()))
    return {QColor(shot.pixel(x, y)).name() for x, y in inside}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_ring_of_two_pixels_is_around_whatever_tab_reaches(
    active: MainWindow, idle: Idle, look: Any, mode: str
) -> None:
    look("en", mode)
    for page_id in ("findings", "timeline", "compare"):
        active.show_page(page_id)
        idle()
        for _ in range(len(active.panes.stops(active._shown_panes()))):
            press(active, Qt.Key.Key_Tab)
            focused = QApplication.focusWidget()
            assert focused is not None
            seen = focused.visibleRegion().boundingRect()
            if min(seen.width(), seen.height()) < 2 * RADIUS:  # no straight edge: what is above it is still growing
                continue
            assert ring_colours(active, focused) == {current_theme().accent.name()}, (page_id, focused)


def test_a_click_takes_the_ring_away(active: MainWindow, idle: Idle) -> None:
    active.show_page("findings")
    idle()
    press(active, Qt.Key.Key_Tab)
    assert [ring for ring in active.findChildren(FocusRing) if ring.isVisible()]
    QTest.mouseClick(active.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(600, 300))
    assert not [ring for ring in active.findChildren(FocusRing) if ring.isVisible()]


@pytest.mark.parametrize(("code", "first"), [("en", "&File"), ("ko", "파일(&F)")])
def test_every_menu_has_a_letter_of_its_own(active: MainWindow, look: Any, code: str, first: str) -> None:
    look(code)
    words = [action.text() for action in active.menuBar().actions()]
    letters = [text[text.index("&") + 1].upper() for text in words]
    assert words[0] == first and len(set(letters)) == len(letters)


def test_enter_shows_a_row_of_the_comparison_on_the_time_line_and_f4_the_line_it_was_read_from(
    active: MainWindow, idle: Idle
) -> None:
    active.show_page("compare")
    idle()
    page: Any = active.page("compare")
    page.views.setCurrentIndex(1)
    table = page.table
    compared = next(row for row in page.list.shown_rows() if row.before_parts and row.after_parts)
    page.list.show_series(compared)
    table.setFocus()
    press(active, Qt.Key.Key_F4)
    idle()
    assert active.current_page == "captures"
    captures: Any = active.page("captures")
    artefact_id, line = source_of(
        active.workspace.opened, EvidenceTarget(EvidenceKind.WINDOW, series=(compared.before_parts[0].id,))
    ) or (0, 0)
    assert captures.ledger.entry.artefact.id == artefact_id and line
    active.show_page("compare")
    idle()
    page.list.show_series(compared)
    table.setFocus()
    press(active, Qt.Key.Key_Return)
    idle()
    assert active.current_page == "timeline"
    assert {compared.before_parts[0].id, compared.after_parts[0].id} <= set(active.workspace.selection.series)


def test_f4_of_a_finding_leads_to_its_capture_and_where_there_is_none_it_says_so(
    active: MainWindow, idle: Idle
) -> None:
    active.show_page("findings")
    idle()
    page: Any = active.page("findings")
    finding = page.detail.finding
    press(active, Qt.Key.Key_F4)
    idle()
    captures: Any = active.page("captures")
    assert active.current_page == "captures"
    assert captures.ledger.entry.artefact.id in {id_ for one in finding.evidence for id_ in one.artefact_ids}
    active.show_page("board")
    press(active, Qt.Key.Key_F4)
    assert active.messages.sentence().startswith("Choose first what it is about")
