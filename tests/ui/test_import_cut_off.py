"""A program that is killed during an import says at the next start how much is in, and goes on where it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox

from tests.unit.usecases.killed_imports import FILES, TAKEN, killed_import
from tunebench.domain.engagement import Phase
from tunebench.ui.frame.main_window import MainWindow
from tunebench.usecases.importing import interrupted

IMPORT = """
from pathlib import Path
from tunebench.domain.engagement import Phase
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
with projects.open_(Path(sys.argv[1])) as project:
    imports.import_captures(project, [Path(sys.argv[2])], ImportOptions("july", Phase.AFTER, zone="Asia/Seoul"))
"""


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    return killed_import(tmp_path, IMPORT)


def open_and_answer(
    window: MainWindow, path: Path, answer: QMessageBox.StandardButton, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    asked: list[str] = []

    def question(_parent: Any, _title: str, words: str) -> QMessageBox.StandardButton:
        asked.append(words)
        return answer

    monkeypatch.setattr(QMessageBox, "question", question)
    assert window.controller.open(path)
    return asked


def test_the_rest_is_imported_as_it_was_asked_for(
    window: MainWindow, killed: Path, idle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    (words,) = open_and_answer(window, killed, QMessageBox.StandardButton.Yes, monkeypatch)
    assert f"{TAKEN} of {FILES} files of captures are in" in words
    idle()
    (view,) = window.workspace.run_views
    assert (view.run.label, view.run.phase, len(view.artefacts)) == ("july", Phase.AFTER, FILES)
    assert {each.state for each in view.artefacts} == {"imported"}
    assert interrupted.cut_off(window.workspace.opened) is None


def test_who_does_not_want_the_rest_is_not_asked_again(
    window: MainWindow, killed: Path, idle: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(open_and_answer(window, killed, QMessageBox.StandardButton.No, monkeypatch)) == 1
    idle()
    (view,) = window.workspace.run_views
    assert [each.state for each in view.artefacts] == ["imported"] * TAKEN, "what is in is read to its end"
    assert open_and_answer(window, killed, QMessageBox.StandardButton.No, monkeypatch) == []
