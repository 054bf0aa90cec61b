"""A register of the workbook: what a column says of a row becomes a cell with its format, or a formula with its result."""

from __future__ import annotations

from typing import NamedTuple

from tests.reports.cases import published_case
from tunebench.columns.column import Column
from tunebench.columns.formats import COUNT, FIGURE, MOMENT, SHARE
from tunebench.reporting.chapters.context import Context
from tunebench.reporting.figures import figures
from tunebench.reporting.wording import Wording
from tunebench.reporting.xlsx.columns import Register
from tunebench.reporting.xlsx.sheet import Book

HOUR_NS = 3_600 * 10**9


class Row(NamedTuple):
    name: str
    part: int
    whole: int | None
    time_ns: int | None = None

    @property
    def share(self) -> float | None:
        return self.part / self.whole if self.whole else None


COLUMNS: tuple[Column[Row], ...] = (
    Column("name", "report.column.host", lambda row: row.name, code=True),
    Column("part", "report.column.gaps", lambda row: row.part, COUNT),
    Column("whole", "report.workbook.samples", lambda row: row.whole, FIGURE, number_format=lambda row: "0.0"),
    Column(
        "share",
        "report.finding.share",
        lambda row: row.share,
        SHARE,
        formula=lambda row, cells, _: f"{cells['part']}/{cells['whole']}",
    ),
    Column(
        "said",
        "report.workbook.verdict",
        text=lambda row, _: "n/a",
        formula=lambda row, cells, _: f'IF({cells["part"]}=0,"n/a","")' if row.whole else "",
    ),
    Column("time", "report.column.time", lambda row: row.time_ns, MOMENT, measured=True),
)


def register(*rows: Row) -> Register[Row]:
    case = published_case("en")
    context = Context(case, figures(case, "en"), Wording("en", "Asia/Seoul"))
    return Register(context, Book(""), "sheet.gaps", "Title", "Subtitle", rows)


def test_without_rows_there_is_no_sheet() -> None:
    empty = register()
    assert empty.write(*COLUMNS) is None
    assert empty.book.sheets == []


def test_cells_are_numbers_words_and_formulas_with_their_results() -> None:
    sheet = register(Row("web", 1, 4, HOUR_NS), Row("db", 2, None)).write(*COLUMNS, notes=("A sentence",))
    assert sheet is not None
    cells = [[cell.value for cell in line] for line in sheet.worksheet["A5:F6"]]
    assert cells == [
        ["web", 1, 4, "=B5/C5", '=IF(B5=0,"n/a","")', 25569 + 10 / 24],
        ["db", 2, "–", "–", "n/a", "not captured"],
    ]
    assert sheet.results == {"D5": 0.25, "E5": "n/a"}
    assert [cell.number_format for cell in sheet.worksheet[5]] == [
        "General",
        "#,##0",
        "0.0",
        "0.0%",
        "General",
        "yyyy-mm-dd hh:mm:ss",
    ]
    assert [cell.style for cell in sheet.worksheet[6]] == [
        "tb code",
        "tb integer",
        "tb number",
        "tb number",
        "tb text",
        "tb text",
    ]
    assert sheet.worksheet["A8"].value == "A sentence"
    assert sheet.worksheet.column_dimensions["F"].width == 20
    assert sheet.worksheet.page_setup.orientation == "landscape"


def test_only_raised_columns_make_a_line_high() -> None:
    row = Row("x\n" * 5, 1, 4)
    high, flat = register(row).write(*COLUMNS, raised=("name",)), register(row).write(*COLUMNS, raised=("share",))
    assert high is not None and flat is not None
    assert high.worksheet.row_dimensions[5].height == 14 * 6 + 2
    assert flat.worksheet.row_dimensions[5].height is None
