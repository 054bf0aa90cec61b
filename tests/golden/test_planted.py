"""A planted difference is noticed, in its own unit and in no other, of every kind of unit; and what is told of it."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font
from pptx import Presentation
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QStandardItem, QStandardItemModel
from pytestqt.qtbot import QtBot
from reportlab.pdfgen.canvas import Canvas

from tests.golden import difference, document_units, outputs, table_units, verb_units
from tests.golden.units import Units, coarse, digests, of_json


def differing(old: Units, new: Units) -> set[str]:
    """The names of the units with another digest."""
    before, after = digests(old), digests(new)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def test_a_field_of_one_record_among_many() -> None:
    document: dict[str, list[Any]] = {
        "rows": [{"verdict": "improved", "ratio": row} for row in range(400)],
        "labels": ["a"] * 1000,
    }
    changed = deepcopy(document)
    changed["rows"][399]["ratio"] = 0
    assert differing(of_json(document), of_json(changed)) == {"rows.ratio"}
    del changed["rows"][3]["verdict"]
    assert differing(of_json(document), of_json(changed)) == {"rows.ratio", "rows.verdict"}


def test_a_key_of_a_short_document_and_one_that_is_new() -> None:
    assert differing(of_json({"a": 1}), of_json({"a": 2})) == {"whole"}
    assert differing(of_json({"a": None}), of_json({})) == {"whole"}
    assert differing(of_json([]), of_json(None)) == {"whole"}


def test_a_coarse_unit_says_what_is_below_it() -> None:
    old = {"compare.json.series.p": ["0.1"], "compare.json.series.ratio": ["2"], "compare.json.gate": ["ok"]}
    old |= {"report.ko.xlsx.Verdicts.A": ["A1 x"], "window.en.compare.t1.p": ["0.1"], "compare.ko": ["text"]}
    names = {
        "compare.json.series",
        "compare.json.gate",
        "report.ko.xlsx.Verdicts",
        "window.en.compare.t1",
        "compare.ko",
    }
    assert coarse(old).keys() == names
    assert coarse(old)["compare.json.series"] == ["p: 0.1", "ratio: 2"]
    for name in old:
        assert len(differing(coarse(old), coarse({**old, name: ["other"]}))) == 1


def _workbook(change: Callable[[Workbook], None] = lambda book: None) -> Units:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Verdicts"
    for row in range(1, 5):
        sheet.append([f"series {row}", row / 3, f"=B{row}*2"])
    book.create_sheet("Ledgers")["A1"] = "file"
    change(book)
    file = BytesIO()
    book.save(file)
    return document_units.of_workbook(file.getvalue())


def _in_cell(cell: str, value: object) -> Callable[[Workbook], None]:
    def change(book: Workbook) -> None:
        book["Verdicts"][cell] = value

    return change


def _bold(book: Workbook) -> None:
    book["Verdicts"]["A2"].font = Font(bold=True)


def _in_percent(book: Workbook) -> None:
    book["Verdicts"]["B2"].number_format = "0.0 %"


def _wide(book: Workbook) -> None:
    book["Verdicts"].column_dimensions["A"].width = 40


@pytest.mark.parametrize(
    ("change", "unit"),
    [
        (_in_cell("B3", 1.0000001), "Verdicts.B"),
        (_in_cell("A4", "another"), "Verdicts.A"),
        (_in_cell("C2", "=B2*3"), "Verdicts.C"),
        (_bold, "Verdicts.A"),
        (_in_percent, "Verdicts.B"),
        (_wide, "Verdicts.layout"),
    ],
)
def test_a_cell_and_how_it_looks(change: Callable[[Workbook], None], unit: str) -> None:
    assert differing(_workbook(), _workbook()) == set()
    assert differing(_workbook(), _workbook(change)) == {unit}


def _pdf(path: Path, *pages: str) -> Path:
    canvas = Canvas(str(path))
    for text in pages:
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()
    return path


def test_a_page_its_text_and_its_picture(tmp_path: Path) -> None:
    old = _pdf(tmp_path / "old.pdf", "one", "ratio 1.25", "three")
    new = _pdf(tmp_path / "new.pdf", "one", "ratio 1.26", "three")
    longer = _pdf(tmp_path / "longer.pdf", "one", "ratio 1.25", "three", "four")
    assert differing(document_units.of_document(old), document_units.of_document(new)) == {"p02"}
    assert differing(document_units.of_document(old), document_units.of_document(longer)) == {"p04"}
    assert difference.differing_pages(old, old) == []
    assert difference.differing_pages(old, new) == [2]
    assert difference.differing_pages(old, longer) == [4]


def test_a_chapter() -> None:
    page = '<html><h1>Case</h1><h2 id="cpu">CPU</h2><p>95 %</p><h2 id="disk">Disk</h2><p class="ok">4 ms</p></html>'
    old = document_units.of_html(page.encode())
    assert old.keys() == {"head", "cpu", "disk"}
    assert differing(old, document_units.of_html(page.replace("95", "96").encode())) == {"cpu"}
    assert differing(old, document_units.of_html(page.replace('"ok"', '"critical"').encode())) == {"disk"}


def _slides(*titles: str) -> Units:
    deck = Presentation()
    for title in titles:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        assert slide.shapes.title is not None
        slide.shapes.title.text = title
    file = BytesIO()
    deck.save(file)
    return document_units.of_slides(file.getvalue())


def test_a_slide() -> None:
    assert differing(_slides("before", "after"), _slides("before", "after")) == set()
    assert differing(_slides("before", "after"), _slides("before", "later")) == {"slide2"}


def _model(change: Callable[[QStandardItemModel], None] = lambda model: None) -> Units:
    model = QStandardItemModel(2, 2)
    model.setSortRole(Qt.ItemDataRole.UserRole + 1)
    model.setHorizontalHeaderLabels(["Series", "Mean"])
    for row in range(2):
        model.setItem(row, 0, QStandardItem(f"series {row}"))
        model.setItem(row, 1, QStandardItem("4.2"))
    model.item(0, 0).appendRow([QStandardItem("device"), QStandardItem("4.1")])
    change(model)
    return table_units.of_model(model)


def _role(role: int, value: object) -> Callable[[QStandardItemModel], None]:
    return lambda model: model.item(1, 1).setData(value, role)


@pytest.mark.parametrize(
    "change",
    [
        _role(Qt.ItemDataRole.DisplayRole, "4.3"),
        _role(Qt.ItemDataRole.ToolTipRole, "of 20 samples"),
        _role(Qt.ItemDataRole.ForegroundRole, QColor("red")),
        _role(Qt.ItemDataRole.UserRole + 1, 4.25),
        lambda model: model.item(0, 0).child(0, 1).setText("4.0"),
        lambda model: model.setRowCount(1),
    ],
)
def test_a_column_of_a_table(qtbot: QtBot, change: Callable[[QStandardItemModel], None]) -> None:
    assert differing(_model(), _model()) == set()
    noticed = differing(_model(), _model(change))
    assert "Mean" in noticed and noticed <= {"Mean", "Series"}


def test_a_row_of_a_project_file(tmp_path: Path) -> None:
    path = tmp_path / "case.tune"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE run (id INTEGER PRIMARY KEY, label TEXT, samples BLOB)")
        connection.execute("CREATE TABLE host (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO run VALUES (1, 'before', ?)", (bytes(200),))
        connection.execute("INSERT INTO host VALUES (1, 'db01')")
        connection.commit()
        old = verb_units.stored(path)
        connection.execute("UPDATE run SET samples = ?", (bytes(199) + b"\1",))
        connection.commit()
        assert differing(old, verb_units.stored(path)) == {"stored.run"}


def test_what_is_told_of_differences() -> None:
    lines = outputs.differences("demo", {"a": "1", "b": "1"}, {"b": "2", "c": "1"})
    assert [re.split(r"\s+", line) for line in lines] == [["gone", "demo.a"], ["differs", "demo.b"], ["new", "demo.c"]]
    assert outputs.complaint([]) == ""
    message = outputs.complaint([f"differs  demo.{number}" for number in range(100)])
    assert "demo.39" in message and "demo.40" not in message and "60 more" in message and "golden-diff" in message


def test_old_and_new_of_a_unit() -> None:
    old, new = ({"a": [f"A1 {value}", "A2 same"], "b": ["x"]} for value in (1, 2))
    assert list(difference.differing_units(old, new)) == ["a", "    1: A1 1 -> A1 2"]
    assert list(difference.differing_units(old, {**old, "c": []})) == ["c is new"]
    assert list(difference.differing_units({"a": ["x"]}, {"a": ["x", "y"]})) == ["a", "    2: (no such line) -> y"]


def test_seen_is_sorted_and_has_every_part() -> None:
    seen = outputs.read_seen()
    assert seen.keys() == outputs.PARTS.keys()
    assert all(list(units) == sorted(units) for units in seen.values())
    assert all(re.fullmatch("[0-9a-f]{12}", value) for units in seen.values() for value in units.values())
