"""Walks through every view of the window over a copy of PROJECT, and prints for each act the longest round of the event loop
(milliseconds on the clock, and of the window's own thread) and the memory after it.

python -m tests.perf.walk PROJECT [--size 1366x768] [--profile ACT]

A round is what lies between two turns of an idle timer: input, answers of jobs, layout and painting. With `--profile` the
functions of one act are listed, by the time within them.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QAbstractItemView, QTabBar, QWidget

from tests.ui.stalls import watched
from tunebench.bootstrap import compose
from tunebench.ui.application import Collector, dress, make_application, make_window
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.project_controller import load_ahead
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.settings import Settings
from tunebench.ui.workspace import Workspace
from tunebench.usecases.jobs import JobLanes

QUIET_S, LOOK_MS = 0.4, 20
ROWS = 4
Act = tuple[str, Callable[[], object]]


def main() -> None:
    options = _options()
    compose()
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "settings")
        settings.language = "en"
        dress(settings)
        collector, lanes = Collector(), JobLanes()
        window = make_window(Workspace(JobsBridge(lanes)), settings)
        window.resize(*map(int, options.size.split("x")))
        project = Path(shutil.copy(options.project, Path(folder) / "walked.tune"))
        print(f"{'act':34} {'wall':>6} {'own':>6} {'MB':>6}")
        for name, act in _walk(window, project):
            _measured(name, act, window, profiled=name == options.profile)
        print(f"{'peak':34} {'':6} {'':6} {_memory_mb('VmHWM'):6.0f}; {len(application.allWidgets())} widgets")
        window.controller.close()
        window.close()
        lanes.close()
        collector.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("project", type=Path)
    parser.add_argument("--size", default="1366x768")
    parser.add_argument("--profile", default="")
    return parser.parse_args()


def _walk(window: MainWindow, project: Path) -> Iterator[Act]:
    """Opening, each view for the first time with its tabs and rows, each again, language and theme, the views after it."""
    command = window.workspace.commands.action
    yield "welcome", window.show
    yield "load ahead", partial(load_ahead, window)
    yield from [("load on", lambda: None)] * 4  # a pause lies between two modules
    yield "open", partial(window.controller.open, project)
    views = (*window.page_ids, "review", "resolution", "help", "settings", "archive")
    for view in views:
        yield f"{view}: first", partial(window.show_page, view)
        yield from _acts_of(view, window.page(view))
    for view in views:
        yield f"{view}: again", partial(window.show_page, view)
    yield "language.ko", command("view.language.ko").trigger
    for view in views:
        yield f"{view}: in Korean", partial(window.show_page, view)
    yield "theme.dark", command("view.theme.dark").trigger
    for view in views:
        yield f"{view}: dark", partial(window.show_page, view)
    yield "theme.light", command("view.theme.light").trigger
    yield "language.en", command("view.language.en").trigger


def _acts_of(view: str, page: QWidget) -> Iterator[Act]:
    """What is clicked on a page: each tab that is not shown yet, and rows further down its largest list."""
    for bar in [bar for bar in page.findChildren(QTabBar) if bar.isVisible()]:
        for index in range(1, bar.count()):
            if bar.isTabVisible(index) and bar.isTabEnabled(index):
                yield f"{view}: tab {bar.tabText(index) or index}", partial(bar.setCurrentIndex, index)
        if bar.currentIndex():
            yield f"{view}: first tab", partial(bar.setCurrentIndex, 0)
    lists = [shown for shown in page.findChildren(QAbstractItemView) if shown.isVisible() and shown.model() is not None]
    if lists:
        largest = max(lists, key=lambda shown: shown.width() * shown.height())
        for row in range(1, min(ROWS, largest.model().rowCount())):
            yield f"{view}: row {row}", partial(_choose, largest, row)


def _choose(shown: QAbstractItemView, row: int) -> None:
    shown.setCurrentIndex(shown.model().index(row, max(shown.currentIndex().column(), 0)))


def _measured(name: str, act: Callable[[], object], window: MainWindow, profiled: bool) -> None:
    profile = cProfile.Profile(time.thread_time)
    loop, looking = QEventLoop(), QTimer(interval=LOOK_MS)
    busy_s = [time.monotonic()]

    def look() -> None:
        if window.workspace.jobs.busy:
            busy_s[0] = time.monotonic()
        elif time.monotonic() - busy_s[0] > QUIET_S:
            loop.quit()

    looking.timeout.connect(look)
    with watched() as longest:
        QTimer.singleShot(1, act)
        looking.start()
        if profiled:
            profile.enable()
        loop.exec()
        profile.disable()
    print(f"{name[:34]:34} {longest.wall_ms:6.0f} {longest.own_ms:6.0f} {_memory_mb('VmRSS'):6.0f}", flush=True)
    if profiled:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(70)


def _memory_mb(name: str) -> float:
    """Of this process, as Linux counts it: what is resident (VmRSS), and the most that ever was (VmHWM)."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) * 1024 / 1e6


if __name__ == "__main__":
    main()
