"""No scenario freezes the window for long. Each one's longest stall is printed (`pytest -rP`); the limits are on the
processor time of the window's thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer

from tests.ui.stalls import Stall, watched
from tests.waiting import let_window_live
from tunebench.ui.frame.main_window import MainWindow

AGAIN_MS = 100.0
"""A page that was shown before is there at once."""
Idle = Callable[[], None]


def told(name: str, stall: Stall) -> Stall:
    print(f"{name:28} {stall.own_ms:7.1f} ms of processor time, {stall.wall_ms:7.1f} ms on the clock")
    return stall


def test_the_watchdog_sees_a_stall(qtbot: Any) -> None:
    def burn() -> None:
        end = time.thread_time() + 0.08
        while time.thread_time() < end:
            pass

    with watched() as calm:
        let_window_live(0.05, "nothing stalls it")
    with watched() as stalled:
        QTimer.singleShot(5, burn)
        let_window_live(0.3, "the stall begins and ends in it")
    assert calm.own_ms < 50 and stalled.own_ms >= 80 and stalled.wall_ms >= 80


def test_walking_the_demo(window: MainWindow, idle: Idle, demo_file: Path) -> None:
    """Opening it, every page for the first time and again, another language, another theme with all pages made."""
    window.overlay.hide()
    with watched() as opening:
        assert window.controller.open(demo_file)
        idle()
    told("open the demo", opening)
    for page_id in window.page_ids:
        with watched() as first:
            window.show_page(page_id)
            idle()
        told(f"{page_id} first", first)
    slow = {}
    for page_id in window.page_ids:
        with watched() as again:
            window.show_page(page_id)
            idle()
        if told(f"{page_id} again", again).own_ms > AGAIN_MS:
            slow[page_id] = round(again.own_ms)
    for command in ("language.ko", "language.en", "theme.dark", "theme.light"):
        with watched() as switching:
            window.workspace.commands.action(f"view.{command}").trigger()
            idle()
        told(command, switching)
    assert slow == {}
