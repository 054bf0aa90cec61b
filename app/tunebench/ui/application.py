"""Starts the workbench: application, settings, theme, language, window, event loop."""

from __future__ import annotations

import faulthandler
import gc
import logging
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

import tunebench
from tunebench.core.paths import APP_NAME, user_log_folder
from tunebench.ui.frame.crash_page import CrashHandler
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look import fonts
from tunebench.ui.look.language import language
from tunebench.ui.look.theme import themes
from tunebench.ui.settings import Settings
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.ui.frame.main_window import MainWindow


COLLECT_MS = 250
_PAINTED_MS = 100
"""The window stands there: what a project is shown with, and pages are made of, is loaded before it is asked for."""
log = logging.getLogger(__name__)


class Collector(QObject):
    """Python's cyclic garbage is collected in the window's thread only: four times a second, where Python would have
    collected by now; `close` gives it back.

    A worker that happens to trigger a collection would free what is left of closed pages, and Qt objects that are freed
    outside their own thread take the process with them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=COLLECT_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> int | None:
        """The oldest generation that was collected; None where there was no need."""
        young, middle, old = (count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True))
        if not young:
            return None
        generation = 2 if middle and old else 1 if middle else 0
        gc.collect(generation)
        return generation

    def close(self) -> None:
        self._timer.stop()
        if self._was_enabled:
            gc.enable()


def run_workbench(project_path: Path | None = None) -> int:
    """Opens the window, with a project or the welcome page, and runs until it is closed."""
    from tunebench.ui.frame.project_controller import load_ahead
    from tunebench.usecases.jobs import JobLanes

    fault_log = open_fault_log()
    application = make_application()
    settings = Settings()
    dress(settings)
    collector = Collector()
    lanes = JobLanes()
    workspace = Workspace(JobsBridge(lanes))
    window = make_window(workspace, settings)
    window.show()
    if project_path is not None:
        window.controller.open(project_path)
    QTimer.singleShot(_PAINTED_MS, window, lambda: load_ahead(window))
    try:
        return application.exec()
    finally:
        lanes.close()
        collector.close()
        if fault_log is not None:
            faulthandler.disable()
            fault_log.close()


def make_application() -> QApplication:
    """The one QApplication, in Fusion: the same look on every system."""
    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setApplicationName(APP_NAME)
    application.setApplicationVersion(tunebench.__version__)
    application.setDesktopFileName("tunebench")
    application.setStyle("Fusion")
    return application


def dress(settings: Settings) -> None:
    """Fonts, theme and language as the user left them."""
    fonts.register_bundled_fonts()
    themes().set_mode(settings.theme_mode)
    language().switch(settings.language)


def make_window(workspace: Workspace, settings: Settings) -> MainWindow:
    from tunebench.ui.frame.main_window import MainWindow

    window = MainWindow(workspace, settings)
    handler = CrashHandler(window, window.close, workspace.tell_damage)
    handler.install()
    workspace.jobs.crashed.connect(handler.show)
    return window


def open_fault_log() -> TextIOWrapper | None:
    """Where Python writes its stacks if the process dies in native code; None where nothing can be written."""
    folder = user_log_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = (folder / "fault.txt").open("a", encoding="utf-8")
    except OSError as error:
        log.warning("no fault log: %s", error.strerror)
        return None
    faulthandler.enable(opened)
    return opened
