"""One window for all tests of a file, which only look: each begins in English and light, on the captures, at its first size.

A file has it by naming these fixtures among its own (``opened = lasting_window.opened``). No test of that file may have another
window as well.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.ui.conftest import LASTING, choose_look, made_lanes, made_window, made_workspace
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language
from tunebench.ui.look.theme import themes
from tunebench.ui.settings import Settings
from tunebench.ui.workspace import Workspace


@pytest.fixture(scope="module")
def lasting(
    qapp: QApplication, imported_project: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """With the engagement of `project_file`."""
    folder = tmp_path_factory.mktemp("lasting")
    language.cache_clear()
    themes.cache_clear()
    with (
        made_lanes() as lanes,
        made_workspace(lanes) as workspace,
        made_window(workspace, Settings(folder / "settings")) as window,
    ):
        assert window.controller.open(Path(shutil.copy(imported_project, folder / "acme.tune")))
        LASTING.append(window)
        yield window
        LASTING.remove(window)


@pytest.fixture
def workspace(lasting: MainWindow) -> Workspace:
    return lasting.workspace


@pytest.fixture
def look(lasting: MainWindow) -> Callable[..., None]:
    return choose_look


@pytest.fixture
def opened(lasting: MainWindow, look: Callable[..., None], idle: Callable[[], None]) -> MainWindow:
    look()
    lasting.resize(1366, 768)
    lasting.show_page("captures")
    idle()
    return lasting
