"""A fault of the program shows a page with a report that holds nothing of the customer's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer

from tunebench.core import crash
from tunebench.ui.frame.crash_page import CrashHandler, CrashPage
from tunebench.ui.frame.main_window import MainWindow


def failure() -> ZeroDivisionError:
    try:
        raise ZeroDivisionError("ACME은행 비밀")
    except ZeroDivisionError as error:
        return error


@pytest.fixture
def report_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(crash, "user_log_folder", lambda: tmp_path / "log")
    return tmp_path / "log"


def test_page_shows_the_report_without_the_customer(window: MainWindow, qtbot: Any, report_folder: Path) -> None:
    page = CrashPage(crash.write_report(failure()), window)
    qtbot.addWidget(page)
    assert "ZeroDivisionError" in page.report.toPlainText()
    assert "ACME" not in page.report.toPlainText()
    page._copy()
    assert page.report.toPlainText()


def test_going_on_keeps_the_window(window: MainWindow, qtbot: Any, report_folder: Path) -> None:
    left: list[bool] = []
    handler = CrashHandler(window, lambda: left.append(True))
    shown: list[CrashPage] = []

    def answer() -> None:
        pages = window.findChildren(CrashPage)
        shown.extend(pages)
        handler.show(failure())  # a second fault while the page is open is only written
        pages[0].accept()

    QTimer.singleShot(50, answer)
    handler.on_exception(ZeroDivisionError, failure(), None)
    assert len(shown) == 1 and left == []
    assert list(report_folder.glob("crash-*.txt"))


def test_leaving_closes(window: MainWindow, qtbot: Any, report_folder: Path) -> None:
    left: list[bool] = []
    handler = CrashHandler(window, lambda: left.append(True))
    QTimer.singleShot(50, lambda: window.findChildren(CrashPage)[0].reject())
    handler.show(failure())
    assert left == [True]


def test_handler_takes_the_hook(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    handler = CrashHandler(window, window.close)
    handler.install()
    assert sys.excepthook == handler.on_exception


def test_a_damaged_project_is_told_in_the_bar_and_no_bug(opened: MainWindow, report_folder: Path, qtbot: Any) -> None:
    workspace = opened.workspace
    with workspace.opened.transaction() as connection:
        connection.execute("UPDATE engagement SET title = x'00ff'")
    handler = CrashHandler(opened, opened.close, workspace.tell_damage)
    with qtbot.waitSignal(workspace.said) as said:
        handler.on_exception(TypeError, TypeError("ACME"), None)
    assert said.args[0] == "error" and "engagement.title" in said.args[1]
    assert not report_folder.exists() and not opened.findChildren(CrashPage)
