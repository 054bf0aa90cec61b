"""The rail of six places and the views above the page, by mouse and by key, on the smallest screens."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt

from tests.ui.conftest import CAPTURED_S
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.rail import PAGES, PLACE_OF, PLACES
from tunebench.ui.inspected import InspectedSeries
from tunebench.ui.workspace import Workspace
from tunebench.usecases import browse

SIX = ("engagement", "captures", "explore", "compare", "method", "report")


def click_view(window: MainWindow, qtbot: Any, page_id: str) -> None:
    place = PLACE_OF[page_id]
    qtbot.mouseClick(window.rail.buttons[place.place_id], Qt.MouseButton.LeftButton)
    at = window.views.tabRect(place.views.index(page_id)).center()
    qtbot.mouseClick(window.views, Qt.MouseButton.LeftButton, pos=at)


def test_six_places_hold_every_page_once() -> None:
    assert tuple(place.place_id for place in PLACES) == SIX
    assert sorted(view for place in PLACES for view in place.views) == sorted(entry.page_id for entry in PAGES)


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
