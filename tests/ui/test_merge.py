"""Another copy is merged into the open project in the window, and a part of it is written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QInputDialog

from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.windows import Occurrence, Window
from tunebench.store.cycle.records import read_book
from tunebench.store.opening import open_project
from tunebench.store.parts import left_out, part_of
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.merge_dialog import MergeDialog
from tunebench.usecases.cycle import applying


def add_window(path: Path, name: str, start: int) -> None:
    window = Window(0, name, occurrences=(Occurrence(start, start + 100),))
    with open_project(path) as project:
        applying.apply(project, CycleEdit("add", (RecordChange(None, window),)), "kim")


@pytest.fixture
def theirs(project_file: Path) -> Path:
    """A colleague's copy, in which a window has the name of one here."""
    path = project_file.with_name("kim.tune")
    shutil.copy(project_file, path)
    add_window(path, "peak", 10)
    add_window(path, "only theirs", 20)
    add_window(project_file, "peak", 30)
    return path


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def files(source: Path, target: Path) -> None:
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args, **_more: (str(source), ""))
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_more: (str(target), ""))

    return files


@pytest.mark.parametrize(
    ("choice", "names"), [("", {"peak", "only theirs", "peak (theirs)"}), ("mine", {"peak", "only theirs"})]
)
def test_conflicts_are_decided_and_a_new_project_is_written(
    theirs: Path,
    opened: MainWindow,
    idle: Callable[[], None],
    choose: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    choice: str,
    names: set[str],
) -> None:
    merged = tmp_path / "merged.tune"
    choose(theirs, merged)
    shown: list[MergeDialog] = []

    def exec_(dialog: MergeDialog) -> int:
        shown.append(dialog)
        (box,) = dialog._boxes.values()
        box.setCurrentIndex(box.findData(choice))
        if picture := os.environ.get("MERGE_PICTURE"):
            dialog.show()
            dialog.grab().save(picture)
        return 1

    monkeypatch.setattr(MergeDialog, "exec", exec_)
    opened.merging.merge()
    idle()
    assert len(shown) == 1
    with open_project(merged, read_only=True) as project:
        assert {window.name for window in read_book(project).all(Window)} == names


def test_who_cancels_writes_nothing_and_goes_on(
    theirs: Path,
    opened: MainWindow,
    idle: Callable[[], None],
    choose: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    merged = tmp_path / "merged.tune"
    choose(theirs, merged)
    monkeypatch.setattr(MergeDialog, "exec", lambda _dialog: 0)
    opened.merging.merge()
    idle()
    assert not merged.exists()
    theirs.rename(theirs.with_name("moved.tune"))  # nobody holds it
    assert opened.workspace.project is not None


def test_a_part_of_a_host_is_written(
    opened: MainWindow,
    idle: Callable[[], None],
    choose: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    target = tmp_path / "part.tune"
    choose(tmp_path, target)
    monkeypatch.setattr(QInputDialog, "getItem", lambda _parent, _title, _about, items, **_more: (items[0], True))
    opened.merging.export_part()
    idle()
    with open_project(target, read_only=True) as project:
        mark = part_of(project)
        assert mark is not None and mark["what"] == "host"
        assert len(left_out(project)) == len(mark["left_out"])
