"""Pictures of every page of the window, taken off screen.

    python packaging/screenshots.py PROJECT FOLDER [PAGE ...] [--docs]

Writes `PAGE-LANGUAGE.png` (light, 1366 x 768) and `PAGE-LANGUAGE-dark.png` (1600 x 900) of the pages named, or of
all. With `--docs` only the two pictures that the README shows. The project itself is not touched: a copy is opened.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "app"))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEventLoop  # noqa: E402

from tunebench.bootstrap import compose  # noqa: E402
from tunebench.ui.application import dress, make_application  # noqa: E402
from tunebench.ui.frame.main_window import MainWindow  # noqa: E402
from tunebench.ui.jobs_bridge import JobsBridge  # noqa: E402
from tunebench.ui.look.language import language  # noqa: E402
from tunebench.ui.look.theme import ThemeMode, themes  # noqa: E402
from tunebench.ui.settings import Settings  # noqa: E402
from tunebench.ui.workspace import Workspace  # noqa: E402
from tunebench.usecases.jobs import JobLanes  # noqa: E402

LONGEST_WAIT_S = 60.0
QUIET_S = 0.4  # charts ask again a moment after their size has settled


@dataclass(frozen=True)
class Look:
    language: str
    mode: ThemeMode
    size: tuple[int, int]

    @property
    def suffix(self) -> str:
        return self.language + ("-dark" if self.mode is ThemeMode.DARK else "")


LOOKS = tuple(
    Look(code, mode, size)
    for mode, size in ((ThemeMode.LIGHT, (1366, 768)), (ThemeMode.DARK, (1600, 900)))  # outside: dear to switch
    for code in ("ko", "en")
)
DOCUMENTED = (("timeline", LOOKS[0]), ("compare", LOOKS[1]))


def wait_until(reached: Callable[[], bool]) -> None:
    """Lets the window live until `reached` has been true for a while."""
    give_up = time.monotonic() + LONGEST_WAIT_S
    quiet_since = time.monotonic()
    while time.monotonic() < give_up:
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
        time.sleep(0.01)
        if not reached():
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since > QUIET_S:
            return
    raise TimeoutError("the window does not come to rest")


@contextmanager
def opened(project: Path) -> Iterator[MainWindow]:
    """The window with a copy of the project, with settings of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / project.name
        shutil.copy(project, copy)
        compose()
        make_application()
        settings = Settings(folder)
        dress(settings)
        lanes = JobLanes()
        workspace = Workspace(JobsBridge(lanes))
        workspace.jobs.crashed.connect(fail)
        window = MainWindow(workspace, settings)
        window.show()
        window.controller.open(copy)
        try:
            yield window
        finally:
            window.close()
            lanes.close()


def fail(error: BaseException) -> None:
    """No crash page here, which would wait for somebody: the script ends."""
    traceback.print_exception(error)
    os._exit(1)


def take(window: MainWindow, page_id: str, look: Look, target: Path) -> None:
    themes().set_mode(look.mode)
    language().switch(look.language)
    window.resize(*look.size)
    window.show_page(page_id)
    wait_until(lambda: not window.workspace.jobs.busy)
    if not window.grab().save(str(target)):
        raise OSError(f"cannot write {target}")


def main(words: list[str]) -> int:
    sys.excepthook = lambda _kind, error, _trace: fail(error)
    project, folder, *pages = (word for word in words if word != "--docs")
    Path(folder).mkdir(parents=True, exist_ok=True)
    with opened(Path(project)) as window:
        wanted = [(page_id, look) for look in LOOKS for page_id in pages or window.page_ids]
        for page_id, look in DOCUMENTED if "--docs" in words else wanted:
            target = Path(folder) / f"{page_id}-{look.suffix}.png"
            take(window, page_id, look, target)
            print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
