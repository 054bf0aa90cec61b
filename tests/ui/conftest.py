"""A window to click in: real use cases, real project files, real clicks. Qt warnings fail every test (see pyproject.toml)."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.made import pgbench
from tests.program import compose, forget_approvers
from tests.ui.capture_rig import approve, db01, live_controller, server  # noqa: F401  fixtures
from tests.waiting import let_window_live
from tunebench.domain.engagement import Engagement, Phase
from tunebench.ui.application import Collector
from tunebench.ui.cycle import cycle_controller
from tunebench.ui.frame import typed_fields
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look import fonts
from tunebench.ui.look.language import language
from tunebench.ui.look.theme import ThemeMode, themes
from tunebench.ui.settings import Settings
from tunebench.ui.widgets.drop_overlay import DropOverlay
from tunebench.ui.workspace import Workspace
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
from tunebench.usecases.jobs import JobLanes

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
CAPTURED_S = 1_795_252_435
"""2026-11-21 18:13:55 in Seoul, when the iostat of `captures` begins."""


LASTING: list[QWidget] = []
"""Windows of a whole file (`lasting_window`)."""


@pytest.fixture(scope="session", autouse=True)
def services() -> None:
    compose()


@pytest.fixture(autouse=True)
def clean_controller() -> Iterator[None]:
    """What a test leaves behind without a parent would be styled again before each that follows."""
    yield
    for left in [widget for widget in QApplication.topLevelWidgets() if widget.parent() is None]:
        if shiboken6.isValid(left) and left not in LASTING:  # it may have gone with one before it
            bury(left)


@pytest.fixture(scope="module", autouse=True)
def garbage(qapp: QApplication) -> Iterator[None]:
    """As in the program, no thread but the window's frees garbage: pixmaps and canvases of closed pages are among it.

    Nor does a thread of the tests that come behind those of the window.
    """
    made = Collector()
    gc.freeze()  # what the tests before left alive (all that pytest itself keeps) is not walked through again and again
    yield
    gc.collect()
    made.close()


@pytest.fixture(autouse=True)
def reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever changes what is sealed is asked why: here somebody answers, where a test does not itself."""
    monkeypatch.setattr(cycle_controller, "ask_reason", lambda *_: ("asked for in writing", "Kim"))


@pytest.fixture(autouse=True)
def left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever leaves a project with something typed and not stored is asked: here it is given up."""
    monkeypatch.setattr(typed_fields, "ask_to_leave", lambda _window: True)


@contextmanager
def made_lanes() -> Iterator[JobLanes]:
    lanes = JobLanes()
    yield lanes
    lanes.close()
    assert [t.name for t in threading.enumerate() if t.name.startswith(("db_", "cpu_"))] == []


@pytest.fixture
def lanes() -> Iterator[JobLanes]:
    with made_lanes() as lanes:
        yield lanes


def choose_look(code: str = "en", mode: str = "light") -> None:
    themes().set_mode(ThemeMode(mode))
    language().switch(code)


@pytest.fixture
def look(qapp: QApplication) -> Callable[[str, str], None]:
    """Choose language and theme; each test has a `Language` and `Themes` of its own."""
    language.cache_clear()
    themes.cache_clear()
    return choose_look


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings")


@contextmanager
def made_workspace(lanes: JobLanes) -> Iterator[Workspace]:
    QApplication.setStyle("Fusion")
    fonts.register_bundled_fonts()
    choose_look()
    workspace = Workspace(JobsBridge(lanes))
    yield workspace
    workspace.undo.clear()  # a stack and its commands that are garbage together are freed in any order, which Qt does not bear


@pytest.fixture
def workspace(lanes: JobLanes, look: Callable[..., None]) -> Iterator[Workspace]:
    with made_workspace(lanes) as workspace:
        yield workspace


def bury(widget: QWidget) -> None:
    """Delete now: nothing of one test's window is alive in the next."""
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@contextmanager
def made_window(workspace: Workspace, settings: Settings) -> Iterator[MainWindow]:
    hook = sys.excepthook
    window = MainWindow(workspace, settings)
    window.resize(1366, 768)
    window.show()
    yield window
    window.close()
    bury(window)
    sys.excepthook = hook


@pytest.fixture
def window(qtbot: Any, workspace: Workspace, settings: Settings) -> Iterator[MainWindow]:
    with made_window(workspace, settings) as window:
        yield window


@pytest.fixture
def idle(qtbot: Any, workspace: Workspace) -> Callable[[], None]:
    """Wait until no job runs and every answer is delivered."""

    def wait() -> None:
        qtbot.waitUntil(lambda: not workspace.jobs.busy, timeout=60_000)
        let_window_live(0.02, "an answer has charts ask again, 16 ms later")

    return wait


def put_captures(folder: Path) -> Path:
    """Real captures from this project's fixtures; the vmstat, which prints no time, is of the others' day."""
    folder.mkdir()
    for name in ("vmstat.ko_KR.txt", "iostat-xt.de_DE.txt", "mpstat.fr_FR.txt"):
        (folder / name).write_bytes((FIXTURES / "linux" / name).read_bytes())
        os.utime(folder / name, (CAPTURED_S, CAPTURED_S))
    return folder


@pytest.fixture
def captures(tmp_path: Path) -> Path:
    """A folder of real captures."""
    return put_captures(tmp_path / "before")


@pytest.fixture(scope="session")
def imported_project(services: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `project_file` is a copy of: nobody writes into it."""
    folder = tmp_path_factory.mktemp("imported")
    project = projects.create(folder / "acme.tune", Engagement("2007 tuning", "ACME"))
    options = ImportOptions(run="19 July", phase=Phase.BEFORE, host="vm")
    imports.import_captures(project, [put_captures(folder / "before")], options)
    projects.close(project)
    return folder / "acme.tune"


@pytest.fixture
def project_file(tmp_path: Path, captures: Path, imported_project: Path) -> Path:
    """A closed engagement with one run of three captures, which are in `captures`."""
    forget_approvers()
    return Path(shutil.copy(imported_project, tmp_path / "acme.tune"))


@pytest.fixture(scope="session")
def built_demo(services: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `demo_file` is a copy of: nobody writes into it."""
    return pgbench.build(tmp_path_factory.mktemp("demo") / "demo.tune")


@pytest.fixture
def demo_file(tmp_path: Path, built_demo: Path) -> Path:
    """The engagement of pgbench's recordings, closed."""
    return Path(shutil.copy(built_demo, tmp_path / "demo.tune"))


@pytest.fixture
def opened(window: MainWindow, project_file: Path, idle: Callable[[], None]) -> MainWindow:
    """The window with that engagement, on the captures page."""
    assert window.controller.open(project_file)
    window.show_page("captures")
    idle()
    return window


def send_drop(target: QWidget, paths: list[Path]) -> None:
    """What the desktop sends when files are dragged onto the window and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    enter = QDragEnterEvent(
        QPoint(400, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(target, enter)
    assert enter.isAccepted()
    let_go = QDropEvent(
        QPointF(400, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    overlays = [w for w in target.findChildren(DropOverlay) if w.isVisible()]
    QApplication.sendEvent(overlays[0] if overlays else target, let_go)
    assert not any(w.isVisible() for w in overlays)


@pytest.fixture
def drop() -> Callable[[QWidget, list[Path]], None]:
    return send_drop
