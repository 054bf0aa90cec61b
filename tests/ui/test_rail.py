"""The rail of six places and the views above the page, by mouse and by key, on the smallest screens."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel

from tests.ui.conftest import CAPTURED_S
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.rail import KEYS, PAGES, PLACE_OF, PLACES
from tunebench.ui.inspected import InspectedSeries
from tunebench.ui.workspace import Workspace
from tunebench.usecases import browse

SIX = ("engagement", "captures", "explore", "compare", "method", "report")


def seen_at(window: MainWindow) -> dict[str, QRect]:
    """Where each button of the rail lies in the window."""
    return {name: QRect(made.mapTo(window, QPoint(0, 0)), made.size()) for name, made in window.rail.buttons.items()}


def click_view(window: MainWindow, qtbot: Any, page_id: str) -> None:
    place = PLACE_OF[page_id]
    qtbot.mouseClick(window.rail.buttons[place.place_id], Qt.MouseButton.LeftButton)
    at = window.views.tabRect(place.views.index(page_id)).center()
    qtbot.mouseClick(window.views, Qt.MouseButton.LeftButton, pos=at)


def test_six_places_hold_every_page_once() -> None:
    assert tuple(place.place_id for place in PLACES) == SIX
    assert sorted(view for place in PLACES for view in place.views) == sorted(entry.page_id for entry in PAGES)


@pytest.mark.parametrize("size", [(1024, 640), (1366, 768)])
@pytest.mark.parametrize("code", ["ko", "en"])
def test_every_page_leaves_the_buttons_where_they_are(
    opened: MainWindow, qtbot: Any, idle: Any, look: Any, size: tuple[int, int], code: str
) -> None:
    """The line of the views stays where it is too, and nothing makes the window grow."""
    look(code)
    opened.resize(*size)
    idle()
    first, line = seen_at(opened), opened.views.mapTo(opened, QPoint(0, 0))
    assert all(opened.rail.geometry().height() >= made.bottom() - first["engagement"].top() for made in first.values())
    for entry in PAGES:
        click_view(opened, qtbot, entry.page_id)
        idle()
        assert opened.current_page == entry.page_id
        assert seen_at(opened) == first, entry.page_id
        assert opened.views.mapTo(opened, QPoint(0, 0)) == line, entry.page_id
        assert (opened.width(), opened.height()) == size, entry.page_id


def test_a_place_shows_the_view_that_was_looked_at_last(
    opened: MainWindow, qtbot: Any, idle: Any, workspace: Workspace
) -> None:
    click_view(opened, qtbot, "findings")
    click_view(opened, qtbot, "tradeoffs")
    idle()
    for place, view in (("explore", "findings"), ("method", "tradeoffs"), ("captures", "captures")):
        qtbot.mouseClick(opened.rail.buttons[place], Qt.MouseButton.LeftButton)
        idle()
        assert opened.current_page == view
    later = MainWindow(Workspace(workspace.jobs), opened.settings)
    assert later.settings.last_view("explore") == "findings"
    later.close()
    later.deleteLater()


def test_a_page_that_is_asked_for_marks_its_place_and_its_view(opened: MainWindow, idle: Any) -> None:
    """As an evidence link, the search or a next step does."""
    opened.workspace.show_page("capacity")
    idle()
    assert opened.rail.buttons["explore"].isChecked()
    assert opened.views.tabText(opened.views.currentIndex()) == "Capacity"
    opened.show_page("help")
    assert not opened.views.isVisible()
    assert not any(made.isChecked() for made in opened.rail.buttons.values())


def test_no_page_says_twice_what_its_tab_says(opened: MainWindow, idle: Any) -> None:
    for entry in PAGES:
        opened.show_page(entry.page_id)
        idle()
        name = opened.views.tabText(opened.views.currentIndex())
        titles = [each for each in opened.page(entry.page_id).findChildren(QLabel) if each.property("role") == "title"]
        assert name not in [each.text() for each in titles if each.isVisible()], entry.page_id


def test_panels_beside_charts_stay_as_each_view_was_left(opened: MainWindow, idle: Any) -> None:
    fold = opened.workspace.commands.action("view.tree")
    opened.show_page("timeline")
    idle()
    assert not opened.tree.isVisible() and not opened.inspector.isVisible()
    fold.trigger()
    assert opened.tree.isVisible()
    opened.show_page("compare")
    assert not opened.tree.isVisible()
    opened.show_page("captures")
    assert opened.tree.isVisible() and opened.inspector.isVisible()
    opened.show_page("timeline")
    assert opened.tree.isVisible() and not opened.inspector.isVisible()


def test_a_point_that_is_clicked_opens_the_inspector_unless_it_was_folded(opened: MainWindow, idle: Any) -> None:
    series = browse.list_series(opened.workspace.opened)[0]
    opened.show_page("timeline")
    idle()
    opened.workspace.inspect(InspectedSeries(series))
    assert not opened.inspector.isVisible(), "a name that was chosen takes no room from the charts"
    opened.workspace.inspect(InspectedSeries(series, time_ns=CAPTURED_S * 10**9))
    assert opened.inspector.isVisible()
    opened.workspace.commands.action("view.inspector").trigger()
    opened.workspace.inspect(InspectedSeries(series, time_ns=CAPTURED_S * 10**9))
    assert not opened.inspector.isVisible()


def test_every_page_has_a_key_of_its_own_and_says_it(opened: MainWindow) -> None:
    assert len(set(KEYS.values())) == len(KEYS) and set(KEYS) == set(PLACE_OF)
    for name, key in KEYS.items():
        place = PLACE_OF[name]
        opened.show_page(name)
        assert opened.views.tabToolTip(place.views.index(name)).endswith(key)
        assert key in opened.rail.buttons[place.place_id].toolTip()
        assert opened.workspace.commands.action(f"go.{name}").shortcut().toString() == key


def test_the_keys_lead_to_the_pages(opened: MainWindow, qtbot: Any, idle: Any) -> None:
    for name, key, modifier in (
        ("report", Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier),
        ("reference", Qt.Key.Key_5, Qt.KeyboardModifier.AltModifier),
        ("cycle", Qt.Key.Key_9, Qt.KeyboardModifier.ControlModifier),
        ("tradeoffs", Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier),
    ):
        opened.activateWindow()
        qtbot.waitUntil(opened.isActiveWindow, timeout=60_000)
        qtbot.keyClick(opened, key, modifier)
        idle()
        assert opened.current_page == name


@pytest.mark.parametrize("code", ["ko", "en"])
def test_long_names_are_not_cut(opened: MainWindow, look: Any, idle: Any, code: str) -> None:
    look(code)
    idle()
    for made in opened.rail.buttons.values():
        assert made.fontMetrics().horizontalAdvance(made.text()) <= made.width() - 4, made.text()
