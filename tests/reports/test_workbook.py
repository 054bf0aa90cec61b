"""The workbook, cell by cell: formulas with their results, charts with their points, equal bytes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from openpyxl import load_workbook

from tests.reports.built import captured_workbook, published_workbook
from tests.reports.cases import captured_case, published_case
from tunebench.domain.engagement import Section
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.style import shown_width
from tunebench.reporting.xlsx.workbook import workbook_bytes, write_workbook

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


@pytest.fixture(scope="module")
def published() -> bytes:
    return published_workbook("ko")


@pytest.fixture(scope="module")
def captured() -> bytes:
    return captured_workbook("ko")


@cache
def _values(data: bytes) -> Any:
    return load_workbook(BytesIO(data), data_only=True)


@cache
def _formulas(data: bytes) -> Any:
    return load_workbook(BytesIO(data))


def test_sheets_have_content_or_are_absent(published: bytes, captured: bytes) -> None:
    assert _values(published).sheetnames == ["표지", "요약", "이슈·조치", "입력 수치", "정의"]
    assert _values(captured).sheetnames == [
        "표지",
        "요약",
        "이슈·조치",
        "SQL",
        "프로파일",
        "파라미터",
        "스냅샷",
        "CPU전후",
        "논리IO전후",
        "디스크전후",
        "메모리전후",
        "비교",
        "판정",
        "근거",
        "원장",
        "원장 비고",
        "정의",
    ]
    english = _values(captured_workbook("en")).sheetnames
    assert english[:5] == ["Cover", "Summary", "Issues and actions", "SQL", "Profile"]


def test_summary_values_of_the_published_case(published: bytes) -> None:
    values, formulas = _values(published)["요약"], _formulas(published)["요약"]
    rows = [[cell.value for cell in row[:9]] for row in values["A5:I9"]]
    assert [row[0] for row in rows] == ["SQL 응답시간", "블록 액세스량", "CPU 사용률", "초당 논리 I/O", "초당 논리 I/O"]
    assert [(row[3], row[4]) for row in rows] == [
        (590.997, 33.17),
        (37_539_159, 841_817),
        (95, 20),
        (800_000, 110_000),
        (200_000, 20_000),
    ]
    assert [row[6] for row in rows] == pytest.approx([590.997 / 33.17, 37_539_159 / 841_817, 4.75, 7.27, 10])
    assert [row[7] for row in rows] == pytest.approx([33.17 / 590.997 - 1, 841_817 / 37_539_159 - 1, -75, -0.862, -0.9])
    assert formulas["D5"].value == "='입력 수치'!E5"
    assert formulas["G5"].value.startswith("=IF(F5=")
    assert formulas["E7"].number_format == '#,##0" 미만"'
    assert "%p 이상 감소" in formulas["H7"].number_format
    assert {row[5] for row in rows} == {"감소"}, "figures that were entered have no verdict"


def test_every_formula_has_a_result(captured: bytes) -> None:
    formulas, values = _formulas(captured), _values(captured)
    count = 0
    for sheet in formulas:
        for row in sheet.iter_rows():
            for cell in row:
                if cell.data_type == "f":
                    count += 1
                    assert values[sheet.title][cell.coordinate].value not in (None, ""), (sheet.title, cell.coordinate)
    assert count > 300


def test_series_statistics_equal_the_case(captured: bytes) -> None:
    sheet = _values(captured)["CPU전후"]
    before = captured_case().series[0].before
    assert before is not None
    assert [sheet[f"J{row}"].value for row in range(5, 9)] == pytest.approx(
        [before.summary.n, before.summary.mean, before.summary.p95, before.summary.maximum]
    )
    assert _formulas(captured)["CPU전후"]["J6"].value == "=AVERAGE(C5:C2884)"
    assert sheet["C1205"].value is None, "a missing sample is an empty cell"


def test_chart_points_are_cached_and_are_those_of_the_cells(published: bytes) -> None:
    with zipfile.ZipFile(BytesIO(published)) as archive:
        charts = [name for name in archive.namelist() if name.startswith("xl/charts/chart")]
        roots = [ElementTree.fromstring(archive.read(name)) for name in charts]
        drawing = archive.read("xl/drawings/drawing1.xml").decode()
    points = [[float(v.text) for v in root.iter(f"{CHART}v") if v.text and v.text[0].isdigit()] for root in roots]
    assert sorted(points) == [[590.997, 33.17], [37_539_159.0, 841_817.0]]
    assert drawing.count("descr=") == 2 and "590.997 초" in drawing
    for root in roots:
        assert [delete.get("val") for delete in root.iter(f"{CHART}delete")] == ["0", "0"]
        largest = max(max(numbers) for numbers in points if numbers[0] in _numbers(root))
        assert float(next(root.iter(f"{CHART}max")).get("val", "0")) > largest


def _numbers(root: ElementTree.Element) -> list[float]:
    return [float(v.text) for v in root.iter(f"{CHART}v") if v.text and v.text[0].isdigit()]


def test_scatter_charts_hold_at_most_two_thousand_points(captured: bytes) -> None:
    with zipfile.ZipFile(BytesIO(captured)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/charts/chart"):
                root = ElementTree.fromstring(archive.read(name))
                counts = [int(count.get("val", "0")) for count in root.iter(f"{CHART}ptCount")]
                assert counts and max(counts) <= 2_000


def test_customer_text_never_becomes_a_formula() -> None:
    case = published_case()
    texts = ('=HYPERLINK("http://x")', "+1", "-2", "@SUM(A1)", "bell\x07 rings", "long " + "y" * 40_000)
    hostile = replace(case, narrative={Section.ISSUE: texts})
    data = workbook_bytes(build_document(hostile, "ko"))
    cells = [row[2] for row in _formulas(data)["이슈·조치"].iter_rows(min_row=5, max_row=10)]
    assert all(cell.data_type == "s" for cell in cells)
    assert [cell.value for cell in cells[:5]] == [*texts[:4], "bell rings"]
    assert all(cell.quotePrefix for cell in cells[:4])
    assert len(cells[5].value) == 32_767


def test_tables_are_frozen_filtered_and_repeat_their_heading(captured: bytes) -> None:
    book = _formulas(captured)
    for name in ("요약", "SQL", "비교", "근거", "원장", "정의"):
        sheet = book[name]
        assert sheet.freeze_panes == ("C5" if name == "SQL" else "A5") and sheet.auto_filter.ref.startswith("A4:")
        assert sheet.print_title_rows == "$4:$4" and sheet.page_setup.fitToWidth == 1
    assert book["표지"]["A17"].hyperlink is not None
    assert {style.name for style in book._named_styles} >= {
        "tb header",
        "tb text",
        "tb integer",
        "tb seconds",
        "tb rate",
    }


def test_hangul_counts_two_in_column_widths() -> None:
    assert shown_width("튜닝 전") == 7 and shown_width("before") == 6


@pytest.mark.parametrize("build", [published_workbook, captured_workbook])
@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_figure_is_wider_than_its_column(build: Callable[[str], bytes], language: str) -> None:
    """A program shows ``####`` of one that is; formats of fixed decimals are written out here."""
    for sheet in _values(build(language)):
        for cell in (cell for row in sheet.iter_rows() for cell in row if isinstance(cell.value, int | float)):
            plain = re.fullmatch(r"#,##0(?:\.(0+))?", cell.number_format)
            if plain is not None:
                shown = f"{cell.value:,.{len(plain[1] or '')}f}"
                width = sheet.column_dimensions[cell.column_letter].width
                assert len(shown) + 1 <= width, (sheet.title, cell.coordinate, shown, width)


def test_equal_documents_give_equal_bytes_and_the_date_of_issue(published: bytes) -> None:
    again = workbook_bytes(build_document(published_case(), "ko"))
    assert again == published
    with zipfile.ZipFile(BytesIO(published)) as archive:
        core = archive.read("docProps/core.xml").decode()
        assert core.count("2007-08-01T00:00:00Z") == 2
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_evidence_and_ledgers(captured: bytes) -> None:
    book = _values(captured)
    row = [cell.value for cell in book["근거"][5]]
    assert row[0] == "E-1" and row[2] == "1" * 64
    assert str(row[5]) == "2007-07-19 00:00:00"
    ledger = [cell.value for cell in book["원장"][5]]
    assert ledger[3:8] == [12_004, 11_520, 480, 2, 2]


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("language", ["ko", "en"])
def test_libreoffice_calculates_the_same_values(language: str, tmp_path: Path) -> None:
    for name, case in (("published", published_case(language)), ("captured", captured_case(language))):
        source = tmp_path / f"{name}.xlsx"
        write_workbook(build_document(case, language), source)
        recalculated = _recalculated(source, tmp_path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # LibreOffice's own extensions
            theirs = load_workbook(recalculated, data_only=True)
        ours = _values(source.read_bytes())
        formulas = _formulas(source.read_bytes())
        for sheet in formulas:
            for row in sheet.iter_rows():
                for cell in row:
                    if cell.data_type == "f":
                        expected = ours[sheet.title][cell.coordinate].value
                        found = theirs[sheet.title][cell.coordinate].value
                        place = (name, sheet.title, cell.coordinate, cell.value)
                        if isinstance(expected, str):
                            assert found == expected, place
                        else:
                            assert found == pytest.approx(expected, rel=1e-9), place


def _recalculated(source: Path, folder: Path) -> Path:
    """The workbook as LibreOffice saves it, every formula computed anew: its cached values are removed first."""
    stripped = folder / "stripped" / source.name
    stripped.parent.mkdir(exist_ok=True)
    load_workbook(source).save(stripped)
    target = folder / "recalculated"
    environment = {**os.environ, "HOME": str(folder / "home")}
    command = ["soffice", "--headless", "--convert-to", "xlsx", "--outdir", str(target), str(stripped)]
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=environment)
    return target / source.name


def test_no_chart_of_the_summary_covers_another(published: bytes, captured: bytes) -> None:
    for data in (published, captured):
        charts = load_workbook(BytesIO(data))["요약"]._charts
        places = [(chart.anchor._from.col, chart.anchor._from.row) for chart in charts]
        assert len(set(places)) == len(places)


def test_wrapped_rows_are_high_enough_for_their_text(published: bytes) -> None:
    sheet = load_workbook(BytesIO(published))["이슈·조치"]
    for row in sheet.iter_rows(min_row=5):
        text, width = str(row[2].value or ""), sheet.column_dimensions["C"].width
        cells = sum(2 if ord(letter) > 0x1100 else 1 for letter in text)
        if cells > width:
            assert sheet.row_dimensions[row[0].row].height >= 28
