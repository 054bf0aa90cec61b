"""The rail and the views above the page while every page is looked at, in one window."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QLabel

from tests.ui import lasting_window
from tests.ui.test_rail import click_view
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.rail import PAGES

lasting, look = lasting_window.lasting, lasting_window.look
opened, workspace = lasting_window.opened, lasting_window.workspace


def seen_at(window: MainWindow) -> dict[str, QRect]:
    """Where each button of the rail lies in the window."""
    return {name: QRect(made.mapTo(window, QPoint(0, 0)), made.size()) for name, made in window.rail.buttons.items()}


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
        if size[0] >= 1366:
            assert opened.views.width() >= opened.views.sizeHint().width(), (
                f"a view of {entry.page_id} is scrolled away"
            )


def test_no_page_says_twice_what_its_tab_says(opened: MainWindow, idle: Any) -> None:
    for entry in PAGES:
        opened.show_page(entry.page_id)
        idle()
        name = opened.views.tabText(opened.views.currentIndex())
        titles = [each for each in opened.page(entry.page_id).findChildren(QLabel) if each.property("role") == "title"]
        assert name not in [each.text() for each in titles if each.isVisible()], entry.page_id


@pytest.mark.parametrize("code", ["ko", "en"])
def test_long_names_are_not_cut(opened: MainWindow, look: Any, idle: Any, code: str) -> None:
    look(code)
    idle()
    for made in opened.rail.buttons.values():
        assert made.fontMetrics().horizontalAdvance(made.text()) <= made.width() - 4, made.text()
