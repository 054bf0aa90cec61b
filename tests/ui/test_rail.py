"""The rail with all its pages on the smallest screens, by mouse and by key."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QToolButton

from app.ui.frame.main_window import MainWindow
from app.ui.frame.rail import BEGIN_GROUPS, KEYS, PAGES, SMALLEST, TALLEST, PageEntry, Rail

IDS = (
    "board",
    "engagement",
    "collect",
    "captures",
    "timeline",
    "compare",
    "statements",
    "database",
    "findings",
    "cycle",
    "tradeoffs",
    "capacity",
    "experiments",
    "report",
    "reference",
)
TITLES = {entry.page_id: entry.title_key for entry in PAGES}


def entries() -> list[PageEntry]:
    drawings = {entry.page_id: entry.icon for entry in PAGES}
    return [
        PageEntry(name, TITLES.get(name, "ui.page.compare"), drawings.get(name, name), lambda _w: None)  # type: ignore[arg-type,return-value]
        for name in IDS
    ]


@pytest.fixture
def rail(qtbot: Any, look: Any) -> Rail:
    look("ko")
    made = Rail(entries())
    qtbot.addWidget(made)
    made.resize(made.width(), 690)
    made.show()
    qtbot.waitExposed(made)
    return made


def resize(rail: Rail, qtbot: Any, room: int) -> None:
    """And wait until everything has found its place."""
    rail.resize(rail.width(), room)
    qtbot.waitUntil(
        lambda: rail.height() == room and {m.height() for m in rail.buttons.values()} == {rail.button_height(room)},
        timeout=60_000,
    )
    qtbot.wait(10)


def whole(rail: Rail, made: QToolButton) -> bool:
    return rail.rect().contains(QRect(made.mapTo(rail, QPoint(0, 0)), made.size()))


def test_fifteen_pages_fit_the_height_of_a_small_laptop(rail: Rail, qtbot: Any) -> None:
    """768 px less menu, status bar: about 690; with the navigator below, about 600."""
    for room in (690, 620):
        resize(rail, qtbot, room)
        assert all(whole(rail, made) for made in rail.buttons.values()), room
        assert not rail.up.isVisible() and not rail.down.isVisible()


def test_on_a_tall_screen_buttons_have_their_full_height(rail: Rail, qtbot: Any) -> None:
    resize(rail, qtbot, 1000)
    assert {made.height() for made in rail.buttons.values()} == {TALLEST}
    assert {made.iconSize().height() for made in rail.buttons.values()} == {20}


def test_what_does_not_fit_is_reached_by_an_arrow(rail: Rail, qtbot: Any) -> None:
    resize(rail, qtbot, 430)
    assert {made.height() for made in rail.buttons.values()} == {SMALLEST}
    last = rail.buttons["reference"]
    assert rail.down.isVisible() and not rail.up.isVisible() and not whole(rail, last)
    for _ in range(5):
        qtbot.mouseClick(rail.down, Qt.MouseButton.LeftButton)
    assert whole(rail, last) and rail.up.isVisible() and not rail.down.isVisible()


def test_the_page_that_is_shown_is_brought_into_view(rail: Rail, qtbot: Any) -> None:
    resize(rail, qtbot, 430)
    for name in ("reference", "board", "cycle"):
        rail.show_page(name)
        qtbot.wait(5)
        assert whole(rail, rail.buttons[name]), name


def test_a_line_stands_before_each_group(rail: Rail) -> None:
    tops = {name: made.mapTo(rail, QPoint(0, 0)).y() for name, made in rail.buttons.items()}
    height = rail.button_height(690)
    for before, name in pairwise(IDS):
        gap = tops[name] - tops[before] - height
        assert (gap > 4) is (name in BEGIN_GROUPS), name


def test_every_page_has_a_key_of_its_own_and_says_it(window: MainWindow) -> None:
    assert len(set(KEYS.values())) == len(KEYS) and set(IDS) == set(KEYS)
    for name, made in window.rail.buttons.items():
        assert made.toolTip().endswith(KEYS[name])
        assert window.workspace.commands.action(f"go.{name}").shortcut().toString() == KEYS[name]


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


def test_long_names_are_not_cut(rail: Rail) -> None:
    for made in rail.buttons.values():
        assert made.fontMetrics().horizontalAdvance(made.text()) <= made.width() - 4, made.text()
