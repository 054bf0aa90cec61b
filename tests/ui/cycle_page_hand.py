"""The cycle page in tests: begun, filled, pressed."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton

from tunebench.domain.cycle.records import Metric, StepNumber
from tunebench.domain.engagement import Direction
from tunebench.domain.series_names import source_of
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.usecases import browse
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.edits import open_iteration


def begun(qtbot: Any, window: MainWindow) -> CyclePage:
    """The cycle page of the open engagement, with an empty iteration."""
    window.show_page("cycle")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=60_000)
    made = window.page("cycle")
    assert isinstance(made, CyclePage)
    assert made.controller.attempt(lambda: open_iteration(made.controller.book, "First"))
    return made


def panel_of(page: CyclePage, number: StepNumber) -> Any:
    page.show_step(number)
    return page.detail.panel


def add(page: CyclePage, record: Any) -> Any:
    done = page.controller.applied(lambda: edits.add(page.controller.book, record))
    assert done is not None
    return done.changes[0].after


def here(page: CyclePage) -> int:
    assert page.controller.iteration is not None
    return page.controller.iteration.id


def busy_metric(page: CyclePage) -> tuple[Metric, Any]:
    """The run queue of the captured vmstat, with its series."""
    info = next(each for each in browse.list_series(page.workspace.opened) if each.native == "r")
    metric = Metric(0, here(page), "Run queue", source_of(info), "mean", info.unit, Direction.LOWER)
    return add(page, metric), info


def press(made: QAbstractButton) -> None:
    assert made.isVisible()
    assert made.isEnabled()
    QTest.mouseClick(made, Qt.MouseButton.LeftButton)
