"""Nothing but the window and its dialogs is ever shown as a window of its own: it would flash over the screen.

Off-screen nobody sees such a window, so every Show event is looked at while all views are walked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QTabBar, QVBoxLayout, QWidget

from tests.ui.conftest import bury
from tunebench.domain.connection import SecretKind, SecretQuestion
from tunebench.ui.capturing.question_controller import SecretDialog
from tunebench.ui.comparing.window_editor import WindowEditor
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.reports.redaction_dialog import RedactionDialog
from tunebench.ui.widgets.encryption_dialog import EncryptionDialog
from tunebench.ui.widgets.key_dialog import KeyDialog
from tunebench.ui.widgets.parts import label
from tunebench.usecases.comparing import windows

Idle = Callable[[], None]
_OPEN_OVER_IT = (Qt.WindowType.Popup, Qt.WindowType.ToolTip)


class WindowWatch(QObject):
    """Names every widget that is shown as a window and is neither the one of the program nor a dialog or popup of it."""

    def __init__(self) -> None:
        super().__init__()
        self.strays: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show and isinstance(watched, QWidget) and _is_stray(watched):
            words = watched.text() if isinstance(watched, QLabel) else watched.objectName()
            self.strays.append(f"{type(watched).__name__} {words!r}")
        return False


def _is_stray(shown: QWidget) -> bool:
    return shown.isWindow() and not isinstance(shown, MainWindow | QDialog) and shown.windowType() not in _OPEN_OVER_IT


@pytest.fixture
def watch(qapp: QApplication) -> Iterator[WindowWatch]:
    made = WindowWatch()
    qapp.installEventFilter(made)
    yield made
    qapp.removeEventFilter(made)


def test_the_watch_sees_a_part_that_is_shown_before_it_has_its_place(qtbot: Any, watch: WindowWatch) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    part = label("early")
    part.setVisible(True)
    QVBoxLayout(holder).addWidget(part)
    assert watch.strays == ["QLabel 'early'"]


def test_every_view_stays_inside_the_window(
    window: MainWindow, watch: WindowWatch, look: Callable[[str, str], None], idle: Idle, demo_file: Path
) -> None:
    strays: dict[str, list[str]] = {}

    def note(step: str) -> None:
        idle()
        if watch.strays:
            strays[step] = list(watch.strays)
            watch.strays.clear()

    assert window.controller.open(demo_file)
    note("open")
    for number, page_id in enumerate(window.page_ids):
        window.show_page(page_id)
        note(page_id)
        for bar in [bar for bar in window.page(page_id).findChildren(QTabBar) if bar.isVisible()]:
            for place in range(bar.count()):
                bar.setCurrentIndex(place)
                note(f"{page_id}, tab {bar.tabText(place)}")
        look(("ko", "en")[number % 2], ("dark", "light")[number // 2 % 2])
        note(f"{page_id}, other language and theme")
    look("en", "light")
    bury(RedactionDialog(window.workspace.opened))
    note("dialog of redaction")
    for kept in windows.list_windows(window.workspace.opened):
        bury(WindowEditor(window.workspace, kept))
        note(f"dialog of {kept.name}")
    assert strays == {}, strays


def test_parts_of_dialogs_stay_inside_them(qapp: QApplication, watch: WindowWatch) -> None:
    bury(EncryptionDialog("open", "what is lost", new=True))
    for made in (
        KeyDialog("what is signed\n"),
        SecretDialog(SecretQuestion("db01", SecretKind.PASSWORD, "a@db01", True)),
    ):
        bury(made)
    assert watch.strays == []
