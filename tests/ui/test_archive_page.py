"""The archive as a person uses it: a folder is chosen, the engagement put in, and others' experience asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tests.unit.archive.test_experience import case, measured
from tunebench.archive.archive import Archive
from tunebench.core.progress import SilentProgress
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages import archive_page
from tunebench.ui.pages.archive_page import TABS, ArchivePage
from tunebench.ui.widgets.forest import AXIS_PX
from tunebench.usecases.archiving import facade as archiving

Idle = Callable[[], None]


@pytest.fixture
def page(opened: MainWindow, idle: Idle) -> ArchivePage:
    opened.show_page("archive")
    made = opened.page("archive")
    assert isinstance(made, ArchivePage)
    idle()
    return made


def texts(page: ArchivePage) -> list[list[str]]:
    model = page.table.figures
    return [[column.words(row, model.locale) for column in model.columns] for row in model.rows]


def dark_columns(widget: QWidget) -> int:
    """Columns of pixels in its middle, where the plot is, that are not of its ground."""
    image = widget.grab().toImage()
    ground = image.pixelColor(image.width() // 2, image.height() - 1)
    inside = range(int(image.width() * 0.32), int(image.width() * 0.68))
    rows = range(int(AXIS_PX * image.devicePixelRatio()) + 2, image.height())
    return sum(any(image.pixelColor(x, y) != ground for y in rows) for x in inside)


def show(page: ArchivePage, tab: str, idle: Idle) -> list[list[str]]:
    page.tabs.setCurrentIndex(TABS.index(tab))
    idle()
    return texts(page)


def test_without_a_folder_it_says_what_to_do(page: ArchivePage) -> None:
    assert not page.put_in.isEnabled() and texts(page) == []
    assert "No archive is chosen" in page._note.text()


def test_an_engagement_goes_in_with_consent_and_is_found(
    page: ArchivePage, tmp_path: Path, qtbot: Any, idle: Idle, opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "archive"
    page.use(str(folder))
    idle()
    archive = Archive.existing(folder)
    case(archive, "bb", os="linux", rules=("X-CPU-02",), effect=measured(2.0, 0.1))
    case(archive, "cc", os="linux", rules=("X-CPU-02",), effect=measured(2.0, 0.1))
    idle()
    assert not page.put_in.isEnabled()  # nobody has allowed it yet
    qtbot.keyClicks(page.consent, "Lee, 24 Nov")
    assert page.put_in.isEnabled()
    qtbot.mouseClick(page.put_in, Qt.MouseButton.LeftButton)
    idle()
    assert archive.content_of(archiving.engagement_id(opened.workspace.opened)) is not None
    page.tabs.setCurrentIndex(TABS.index("engagements"))
    assert texts(page) == [] and page._note.text() == "Asking the archive…"  # not yet that nothing was found
    assert len(show(page, "engagements", idle)) == 3
    effects = show(page, "effects", idle)
    assert effects[0][:2] == ["shared_buffers", "tps"] and effects[0][6] == "2.00x"
    assert not page.forest.isVisible()
    page.table.selectRow(0)
    assert (
        page.forest.isVisible()
        and page.forest.accessibleName() == "shared_buffers, tps: Case bb: 2.00x; Case cc: 2.00x"
    )
    assert dark_columns(page.forest) > 40  # two lines over intervals, and their mean
    show(page, "engagements", idle)
    assert not page.forest.isVisible()
    show(page, "effects", idle)
    qtbot.keyClicks(page.words, "more cache")
    found = show(page, "find", idle)
    assert {row[0] for row in found} == {"Case bb", "Case cc"} and all("More cache" in row for row in found)
    state = page.facets["state"]
    state.setCurrentIndex(state.findText("countermeasure: executed (2)"))
    state.activated.emit(state.currentIndex())
    idle()
    assert len(texts(page)) == 2 and state.currentData() == "action.executed"
    state.setCurrentIndex(0)
    monkeypatch.setattr(archive_page, "MOST_ROWS", 1)
    page.ask()
    idle()
    assert len(texts(page)) == 1 and "1 of 2 are shown" in page._note.text()
    qtbot.keyClicks(page.words, " nowhere")
    idle()
    assert texts(page) == []


def test_what_cannot_be_read_is_told_and_repaired_from_the_open_project(
    page: ArchivePage, tmp_path: Path, qtbot: Any, idle: Idle, opened: MainWindow
) -> None:
    qtbot.keyClicks(page.address, str(tmp_path / "archive"))
    qtbot.keyClick(page.address, Qt.Key.Key_Return)
    idle()
    qtbot.keyClicks(page.consent, "Lee, 24 Nov")
    qtbot.mouseClick(page.put_in, Qt.MouseButton.LeftButton)
    idle()
    assert not page.mend.isVisible()
    archive = Archive.existing(tmp_path / "archive")
    for part in archive.log.state().of("hosts"):
        (tmp_path / "archive" / part.name).unlink()
    show(page, "engagements", idle)
    assert page.mend.isVisible() and "unreadable" in page._note.text()
    qtbot.mouseClick(page.mend, Qt.MouseButton.LeftButton)
    idle()
    assert not page.mend.isVisible() and "unreadable" not in page._note.text()
    project = opened.workspace.opened
    assert archiving.check(Archive.existing(tmp_path / "archive"), project, None, SilentProgress()).differences == ()


def test_a_folder_of_other_things_is_refused(page: ArchivePage, tmp_path: Path, idle: Idle) -> None:
    (tmp_path / "letter.txt").write_text("not ours")
    page.use(str(tmp_path))
    idle()
    assert page.archive_address == "" and "letter" not in "".join(path.name for path in tmp_path.glob("*.json"))
