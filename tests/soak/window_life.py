"""Lives through a long day in the window: every page, both languages and themes, over and over.

    python -m tests.soak.window_life PROJECT ROUNDS

Prints as JSON how much memory the process had after a fifth of the rounds and at the end, in MB.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop

from tests.program import compose
from tunebench.ui.application import dress, make_application
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look.language import language
from tunebench.ui.look.theme import ThemeMode, themes
from tunebench.ui.settings import Settings
from tunebench.ui.workspace import Workspace
from tunebench.usecases.jobs import JobLanes

LONGEST_WAIT_S = 60.0


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def settle(window: MainWindow) -> None:
    give_up = time.monotonic() + LONGEST_WAIT_S
    QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
    while window.workspace.jobs.busy:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        if time.monotonic() > give_up:
            raise TimeoutError("the window does not come to rest")


def live_one_round(window: MainWindow, number: int) -> None:
    language().switch(("ko", "en")[number % 2])
    themes().set_mode((ThemeMode.LIGHT, ThemeMode.DARK)[number // 2 % 2])
    window.resize(1366 + number % 5 * 40, 768)
    for page_id in window.page_ids:
        window.show_page(page_id)
        settle(window)
        window.grab()


def fail(error: BaseException) -> None:
    """No crash page here, which would wait for somebody."""
    traceback.print_exception(error)
    os._exit(1)


def main() -> int:
    sys.excepthook = lambda _kind, error, _trace: fail(error)
    project, rounds = Path(sys.argv[1]), int(sys.argv[2])
    compose()
    make_application()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder))
        dress(settings)
        lanes = JobLanes()
        workspace = Workspace(JobsBridge(lanes))
        workspace.jobs.crashed.connect(fail)
        window = MainWindow(workspace, settings)
        window.show()
        window.controller.open(project)
        early_mb = 0.0
        for number in range(rounds):
            live_one_round(window, number)
            if number == max(rounds // 5, 1):
                early_mb = resident_mb()
        print(json.dumps({"early_mb": early_mb, "late_mb": resident_mb()}))
        window.close()
        lanes.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
