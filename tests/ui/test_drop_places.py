"""Files let go over a part of a page that takes them go there; anywhere else they are imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.ui.cycle_page_hand import begun
from tunebench.domain.cycle.records import Attachment
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.pages.engagement_page import EngagementPage
from tunebench.ui.pages.tradeoff_page import TradeoffPage
from tunebench.usecases.cycle.acts import abandon_iteration

Idle = Callable[[], None]


def drag(window: MainWindow, paths: list[Path], over: QWidget | None = None) -> str:
    """Into the window, over the middle of `over` (else its upper left corner), and let go; what was said there."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, copy, none = Qt.MouseButton.LeftButton, Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(5, 5), copy, data, buttons, none))
    overlay = window.overlay
    assert overlay.isVisible()
    at = QPoint(5, 5)
    if over is not None:
        at = next(area.center() for place, area in overlay._places if place.part is over)
    QApplication.sendEvent(overlay, QDragEnterEvent(at, copy, data, buttons, none))
    QApplication.sendEvent(overlay, QDragMoveEvent(at, copy, data, buttons, none))
    words = overlay._over.words if overlay._over is not None else ""
    overlay.grab()  # paints the places
    QApplication.sendEvent(overlay, QDropEvent(QPointF(at), copy, data, buttons, none))
    assert not overlay.isVisible()
    return words


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "sysdef.txt", tmp_path / "mail.txt"]
    for path in made:
        path.write_text(f"{path.name} of the customer\n")
    return made


def test_files_are_laid_beside_the_step(qtbot: Any, opened: MainWindow, files: list[Path], idle: Idle) -> None:
    page = begun(qtbot, opened)
    page.detail.ensureWidgetVisible(page.detail.attachments)
    words = drag(opened, files, page.detail.attachments)
    idle()
    assert "files: 2" in words
    assert sorted(each.file_name for each in page.controller.book.all(Attachment)) == ["mail.txt", "sysdef.txt"]
    assert opened.current_page == "cycle"


def test_beside_the_area_they_are_imported(qtbot: Any, opened: MainWindow, files: list[Path], idle: Idle) -> None:
    page = begun(qtbot, opened)
    page.detail.ensureWidgetVisible(page.detail.attachments)
    assert drag(opened, files) == ""
    idle()
    captures = opened.page("captures")
    assert isinstance(captures, CapturesPage)
    assert opened.current_page == "captures" and captures.form.isVisible()
    assert not page.controller.book.all(Attachment)


def test_a_closed_iteration_takes_no_files(qtbot: Any, opened: MainWindow, files: list[Path]) -> None:
    page = begun(qtbot, opened)
    assert page.controller.iteration is not None
    id_ = page.controller.iteration.id
    assert page.controller.attempt(
        lambda: abandon_iteration(page.controller.book, id_, by="Kim", on="2026-07-20", reason="no access")
    )
    assert page.drop_places(files) == ()


def test_a_questionnaire_is_read_and_not_imported(opened: MainWindow, tmp_path: Path, idle: Idle) -> None:
    opened.show_page("engagement", "issues")
    page = opened.page("engagement")
    assert isinstance(page, EngagementPage)
    path = tmp_path / "filled.xlsx"
    page.exchange.export(path, "en")
    idle()
    assert "questionnaire" in drag(opened, [path], page._head)
    idle()
    assert page.body.currentWidget() is page.review and opened.current_page == "engagement"
    assert page.drop_places([path, path]) == () and page.drop_places([tmp_path / "vmstat.txt"]) == ()


def test_a_worksheet_is_taken_in(qtbot: Any, opened: MainWindow, tmp_path: Path, idle: Idle) -> None:
    begun(qtbot, opened)
    opened.show_page("tradeoffs")
    page = opened.page("tradeoffs")
    assert isinstance(page, TradeoffPage)
    path = tmp_path / "worksheet.xlsx"
    page.files.export(path)
    idle()
    assert "worksheet" in drag(opened, [path], page.grid)
    idle()
    assert opened.current_page == "tradeoffs"


def test_on_the_first_page_they_begin_an_engagement_whatever_is_open(
    opened: MainWindow, files: list[Path], idle: Idle
) -> None:
    before = [len(view.artefacts) for view in opened.workspace.run_views]
    opened.show_page("welcome")
    opened.take_dropped(files[:1])
    idle()
    assert opened.welcome.form.isVisibleTo(opened.welcome), "who is it for"
    assert [len(view.artefacts) for view in opened.workspace.run_views] == before
