"""Reports that were written stand in the tree, and the inspector tells whether their files are still the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QPushButton, QTreeWidgetItem

from tunebench.reporting.shapes import Shape
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.project_tree import ASIDE, KIND, THING
from tunebench.ui.pages.report_page import ReportPage
from tunebench.usecases import projects
from tunebench.usecases.reports import success_case as reports

Idle = Callable[[], None]


def leaves(window: MainWindow) -> list[QTreeWidgetItem]:
    return [item for item in window.tree.items() if item.data(0, KIND) == "report"]


def groups(window: MainWindow) -> dict[str, str]:
    top = [item for item in window.tree.items() if item.data(0, KIND) == "group"]
    return {item.text(0): item.data(0, ASIDE) for item in top}


def state(window: MainWindow) -> str:
    found = window.inspector.findChild(QLabel, "report-state")
    assert found is not None
    return found.text()


@pytest.fixture
def written(opened: MainWindow, idle: Idle, tmp_path: Path) -> Path:
    """A PDF exported from the report page."""
    opened.show_page("report")
    idle()
    page = opened.stack.currentWidget()
    assert isinstance(page, ReportPage)
    page.options.issued.setText("2007-08-01")
    page.export("pdf", tmp_path / "case.pdf")
    idle()
    return tmp_path / "case.pdf"


def test_no_group_before_the_first_report(opened: MainWindow) -> None:
    assert "Reports" not in groups(opened)


def test_an_export_appears_at_once(opened: MainWindow, written: Path) -> None:
    assert groups(opened)["Reports"] == "1"
    tree = opened.tree.tree
    top = [tree.topLevelItem(place) for place in range(tree.topLevelItemCount())]
    assert [item.text(0) for item in top if item is not None][-2:] == ["Runs", "Reports"]
    (leaf,) = leaves(opened)
    report = leaf.data(0, THING)
    local = datetime.fromisoformat(report.written_at).astimezone(ZoneInfo("Asia/Seoul"))
    assert (leaf.text(0), leaf.data(0, ASIDE)) == ("case.pdf", local.date().isoformat())
    assert report.sha256 == hashlib.sha256(written.read_bytes()).hexdigest()


def test_the_register_does_not_change_the_next_report(opened: MainWindow, written: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.pdf"
    code = opened.workspace.overview.reports[0].language  # type: ignore[union-attr]
    reports.write(opened.workspace.opened, code, "2007-08-01", pdf=again, shape=Shape.REPORT)
    assert again.read_bytes() == written.read_bytes()


def test_a_preview_is_no_report(opened: MainWindow) -> None:
    assert reports.success_case(opened.workspace.opened, "en").blocks
    assert projects.overview(opened.workspace.opened).reports == ()


def test_the_inspector_compares_the_file(opened: MainWindow, written: Path, idle: Idle) -> None:
    (leaf,) = leaves(opened)
    report = leaf.data(0, THING)
    opened.tree.choose("report", report.id)
    idle()
    names = [label.accessibleName() for label in opened.inspector.findChildren(QLabel)]
    assert "Issued: 2007-08-01" in names and f"Path: {written}" in names
    assert any(label.toolTip() == report.sha256 for label in opened.inspector.findChildren(QLabel))
    assert state(opened) == "✓ The file is still as it was written."
    written.write_bytes(written.read_bytes() + b"\n")
    opened.inspector.refresh()
    idle()
    assert state(opened) == "▲ The file has changed since it was written."
    written.unlink()
    opened.inspector.refresh()
    idle()
    assert state(opened) == "✕ The file is no longer there."


def test_its_folder_is_opened(opened: MainWindow, written: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url.toLocalFile()))
    opened.tree.choose("report", leaves(opened)[0].data(0, THING).id)
    idle()
    folder = opened.inspector.findChild(QPushButton, "report-folder")
    assert folder is not None
    folder.click()
    assert [Path(path) for path in asked] == [written.parent]


def test_a_double_click_opens_the_report_page(opened: MainWindow, written: Path, idle: Idle) -> None:
    opened.show_page("captures")
    opened.tree.tree.itemActivated.emit(leaves(opened)[0], 0)
    idle()
    assert opened.current_page == "report"
