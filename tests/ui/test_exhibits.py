"""Every chart and table is taken away in four ways: as a picture, as vectors, as a table, and, where it has one, by its link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QTableView, QWidget
from pytestqt.qtbot import QtBot

from tunebench.ui.charts.row import ChartRow
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.links import follow
from tunebench.ui.look.theme import LIGHT, current_theme
from tunebench.ui.tables.view import TableView
from tunebench.ui.widgets.exhibit import SVG_MIME, Exhibited

PAGES = (
    "timeline", "compare", "statements", "database", "findings", "capacity", "experiments", "captures",
)  # fmt: skip


def shown_exhibits(window: MainWindow) -> Iterator[Exhibited]:
    for exhibited in window.findChildren(Exhibited):
        shown = exhibited.parent()
        if isinstance(shown, QWidget) and shown.isVisible() and shown.width() > 40 and shown.height() > 20:
            yield exhibited


def taken(exhibited: Exhibited) -> QMimeData:
    data = exhibited.copied()
    picture = data.imageData()
    assert isinstance(picture, QImage) and not picture.isNull()
    assert picture.pixelColor(1, 1) == LIGHT.surface, "a picture is for paper"
    assert any(
        picture.pixelColor(x, y) != LIGHT.surface for x in range(0, picture.width(), 3) for y in range(0, 60, 2)
    ), "its title stands above it"
    vectors = QSvgRenderer(data.data(SVG_MIME))
    assert vectors.isValid()
    return data


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_can_be_taken_away(
    window: MainWindow, demo_file: Path, qtbot: QtBot, idle: Callable[[], None], page: str
) -> None:
    window.resize(1366, 768)
    window.show()
    assert window.controller.open(demo_file)
    window.show_page(page)
    idle()
    exhibits = list(shown_exhibits(window))
    assert exhibits or page == "experiments", "something of the page can be taken"
    theme = current_theme()
    for exhibited in exhibits:
        data = taken(exhibited)
        lines = exhibited.exhibit().lines
        assert data.text() == "\n".join("\t".join(line) for line in lines) or "\t" not in data.text() or lines
        assert exhibited.exhibit().source, "whose figures they are"
    assert current_theme() is theme, "the window keeps its own"


def test_a_row_of_the_time_line_gives_its_values_and_its_link(
    window: MainWindow, demo_file: Path, qtbot: QtBot, idle: Callable[[], None]
) -> None:
    window.resize(1366, 768)
    window.show()
    assert window.controller.open(demo_file)
    window.show_page("timeline")
    idle()
    row = next(row for row in window.findChildren(ChartRow) if row.isVisible())
    qtbot.waitUntil(lambda: any(line.envelope is not None for line in row.canvas.lines), timeout=60_000)
    row.setFocus()
    qtbot.keyClick(row, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.hasImage() and copied.hasHtml() and copied.hasFormat(SVG_MIME)
    heading, first, *_rest = copied.text().splitlines()
    assert heading.split("\t")[1].startswith(row.entries[0].name)
    assert float(next(cell for cell in first.split("\t")[1:] if cell)) >= 0
    exhibited = Exhibited.of(row)
    assert exhibited is not None
    assert exhibited.link is not None
    link, view = exhibited.link(), row.canvas.view
    window.workspace.selection.set_range(None)
    window.show_page("captures")
    assert follow(window.workspace, link)
    shown = window.workspace.selection.range
    assert window.current_page == "timeline" and shown is not None and shown.covers(view)
    assert not follow(window.workspace, "tunebench:timeline?series=x&from=1&to=2")
    assert not follow(window.workspace, "tunebench:E-999") and not follow(window.workspace, "https://example.com")
    labels = [action.text() for action in row.build_menu().actions()]
    assert "Copy as vectors (SVG)" in labels and "Copy the link" in labels


def test_an_exhibit_is_written_as_the_kind_of_file_that_is_named(
    window: MainWindow, demo_file: Path, idle: Callable[[], None], tmp_path: Path
) -> None:
    window.resize(1366, 768)
    window.show()
    assert window.controller.open(demo_file)
    window.show_page("captures")
    idle()
    table = next(table for table in window.findChildren(TableView) if table.isVisible() and table.model().rowCount())
    exhibited = Exhibited.of(table)
    assert exhibited is not None
    for name in ("a.png", "a.svg", "a.tsv"):
        exhibited.write(tmp_path / name)
    assert QImage(str(tmp_path / "a.png")).width() > 100
    assert QSvgRenderer(str(tmp_path / "a.svg")).isValid()
    assert (tmp_path / "a.tsv").read_text().splitlines()[1].split("\t") == list(exhibited.exhibit().lines[1])


def test_a_table_in_a_picture_has_its_rows(window: MainWindow, demo_file: Path, idle: Callable[[], None]) -> None:
    window.show()
    assert window.controller.open(demo_file)
    window.show_page("captures")
    idle()
    table = next(table for table in window.findChildren(QTableView) if table.isVisible() and table.model().rowCount())
    exhibited = Exhibited.of(table)
    assert exhibited is not None
    rows = len(exhibited.exhibit().lines)
    assert exhibited.picture().height() / 2 >= 20 * min(rows, 60)
