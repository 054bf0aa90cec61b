"""Before and after dropped on the welcome page: a project beside them that opens on what changed; what is in doubt is led to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton

from tests.made import two_sides
from tests.ui.conftest import send_drop
from tests.unit.usecases.killed_imports import FILES, TAKEN, killed_import
from tunebench.domain.windows import WindowRole
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.compare_page import ComparePage
from tunebench.ui.pages.welcome_page import RecentLine
from tunebench.usecases.comparing import windows

Idle = Callable[[], None]
MIXED = {
    "db01": "{side}/db01/vmstat_{day}.log",
    "web01": "{side}/vmstat_web01_{day}.txt",
    "app01": "{side}/sar_{day}.txt",
}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Where the project was proposed to be kept; it is kept there."""
    proposed: list[str] = []

    def choose(_parent: object, _title: str, default: str, _filter: str) -> tuple[str, str]:
        proposed.append(default)
        return default, ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    return proposed


def changed_words(window: MainWindow) -> str:
    page = window.page("compare")
    assert isinstance(page, ComparePage) and page.changed.words is not None
    return page.changed.words.headline


@pytest.mark.parametrize("layout", ["one folder", "two folders"])
def test_what_is_dropped_opens_on_what_changed(
    window: MainWindow, tmp_path: Path, asked: list[str], idle: Idle, layout: str
) -> None:
    folder = two_sides.write(tmp_path / "acme", MIXED)
    paths = [folder] if layout == "one folder" else [folder / "before", folder / "after"]
    send_drop(window, paths)
    idle()
    beside = tmp_path / "acme.tune" if layout == "one folder" else folder / "before - after.tune"
    assert asked == [str(beside)] and window.workspace.project_path == beside
    assert window.current_page == "compare"
    assert "db01 (by folder)" in changed_words(window)
    kept = windows.list_windows(window.workspace.opened)
    assert [own.role for own in kept] == [WindowRole.BEFORE, WindowRole.AFTER]
    assert "Of 24 something is in doubt" in window.messages.sentence()


def test_what_is_in_doubt_is_one_sentence_and_a_button_to_the_review(
    window: MainWindow, tmp_path: Path, asked: list[str], idle: Idle, qtbot: Any
) -> None:
    send_drop(window, [two_sides.write(tmp_path / "acme", MIXED)])
    idle()
    page = window.page("compare")
    assert isinstance(page, ComparePage) and page.changed.words is not None
    step = page.changed.words.next[0]
    assert (step.action, step.sentence.endswith("the host or the day.")) == ("review", True)
    [review] = [own for own in page.changed.findChildren(QPushButton) if own.text() == "Review"]
    qtbot.mouseClick(review, Qt.MouseButton.LeftButton)
    idle()
    assert window.current_page == "review"


def test_the_card_asks_for_a_folder(
    window: MainWindow, tmp_path: Path, asked: list[str], idle: Idle, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = two_sides.write(tmp_path / "acme", MIXED, ("튜닝 전", "튜닝 후"))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    qtbot.mouseClick(window.welcome.starts["folder"], Qt.MouseButton.LeftButton)
    idle()
    assert window.current_page == "compare" and asked


def test_what_is_not_two_sides_begins_an_engagement_as_ever(
    window: MainWindow, tmp_path: Path, asked: list[str], idle: Idle
) -> None:
    folder = two_sides.write(tmp_path / "acme", MIXED)
    send_drop(window, [folder / "before"])
    idle()
    assert not asked and window.current_page == "welcome" and window.welcome.form.isVisibleTo(window)


def test_who_gives_no_place_has_made_nothing(
    window: MainWindow, tmp_path: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    send_drop(window, [two_sides.write(tmp_path / "acme", MIXED)])
    idle()
    assert window.workspace.project is None and not list(tmp_path.glob("*.tune"))


def test_sides_the_wrong_way_round_are_in_and_said(
    window: MainWindow, tmp_path: Path, asked: list[str], idle: Idle
) -> None:
    send_drop(window, [two_sides.write(tmp_path / "acme", MIXED, ("after", "before"))])
    idle()
    said = window.messages.sentence()
    assert "which run is before" in said and "--swap" not in said
    assert window.workspace.overview is not None and window.workspace.overview.samples


IMPORT = """
from pathlib import Path
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions
with projects.open_(Path(sys.argv[1])) as project:
    imports.import_captures(project, [Path(sys.argv[2])], ImportOptions(phase=None, settles=True))
"""


def test_a_recent_one_that_was_cut_off_says_so_and_goes_on_to_what_is_settled(
    window: MainWindow, tmp_path: Path, idle: Idle, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = killed_import(tmp_path, IMPORT)
    window.settings.add_recent(path)
    window.welcome.refresh_recents()
    idle()
    [line] = window.welcome.findChildren(RecentLine)
    assert f"{TAKEN} of {FILES} done · go on" in line._file.words()
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Yes)
    qtbot.mouseClick(line, Qt.MouseButton.LeftButton)
    idle()
    assert len(window.workspace.run_views[0].artefacts) == FILES
    assert window.current_page == "review", "nothing is before or after here: that is asked"
