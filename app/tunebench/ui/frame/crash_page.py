"""What the user sees when the program itself is at fault: a sentence, and the report that was written."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QDialog, QPlainTextEdit, QWidget

from tunebench.core import crash
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, row, selectable

log = logging.getLogger(__name__)


class CrashPage(QDialog):
    """The report shown is the report written: nothing in it is of the customer's."""

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("TuneBench")
        self._path = path
        self.report = QPlainTextEdit(_read(path))
        self.report.setReadOnly(True)
        self.report.setProperty("role", "code")
        self.report.setAccessibleName(text("ui.crash.report"))
        title, words = label(text("ui.crash.title"), "section"), label(text("ui.crash.words"), wrap=True)
        where = selectable(label(text("ui.crash.where", path=path), "small", wrap=True))
        go_on = button(text("ui.crash.go_on"), "primary", self.accept)
        quit_ = button(text("ui.command.file.quit"), "danger", self.reject)
        copy = button(text("ui.crash.copy"), on_click=self._copy)
        folder = button(text("ui.settings.open_folder"), on_click=self._open_folder)
        buttons = row(copy, folder, 1, quit_, go_on)
        margins = (SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L)
        self.setLayout(column(title, words, (self.report, 1), where, buttons, spacing=SPACE_M, margins=margins))
        self.resize(640, 420)
        go_on.setFocus()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.report.toPlainText())

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path.parent)))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        return str(error.strerror)


class CrashHandler:
    """Takes over `sys.excepthook` and the crashes of jobs. One page at a time; later ones are only written.

    Args:
        excused: says why, and gives True, where the program was not at fault.
    """

    def __init__(
        self, window: QWidget, leave: Callable[[], object], excused: Callable[[], bool] = lambda: False
    ) -> None:
        self._window, self._leave, self._excused, self._shown = window, leave, excused, False

    def install(self) -> None:
        sys.excepthook = self.on_exception

    def on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._leave()
            return
        log.critical("unexpected %s", kind.__name__, exc_info=(kind, error, trace))
        self.show(error.with_traceback(trace))

    def show(self, error: BaseException) -> None:
        if not self._shown and self._excused():
            return
        path = crash.write_report(error)
        if self._shown:
            return
        self._shown = True
        try:
            wants_to_stay = CrashPage(path, self._window).exec() == QDialog.DialogCode.Accepted
        finally:
            self._shown = False
        if not wants_to_stay:
            self._leave()
