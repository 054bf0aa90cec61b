"""Sheets of workbooks as rows of text: what openpyxl wrote is what stands in the text."""

from __future__ import annotations

import datetime as dt
import io
import struct
import zipfile
from pathlib import Path

import openpyxl
import pytest

from tunebench.core.errors import UserError
from tunebench.transport import tables
from tunebench.transport.containers.limits import Limits, OverLimit
from tunebench.transport.tables import workbook


def read(data: bytes, name: str = "a.xlsx") -> dict[str, list[list[str]]]:
    form = tables.form_of(data[:65536], name)
    assert form == "workbook"
    found = {each.name: b"".join(each.pieces).decode() for each in tables.tables_of(form, [data], name, name)}
    return {name: [line.split("\t") for line in text.splitlines()] for name, text in found.items()}


def book(*sheets: tuple[str, list[list[object]]], merged: str = "") -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, rows in sheets:
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
        if merged:
            sheet.merge_cells(merged)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def test_each_sheet_is_a_table_and_each_cell_reads_back():
    moment = dt.datetime(2026, 7, 20, 9, 5, 0, 123_000)
    data = book(
        ("서버 1", [["time", "n"], [moment, 1.5], [dt.date(2026, 7, 21), 1234567.0], [dt.time(9, 5), 0.1]]),
        ("days", [["day", "time"], [dt.date(2026, 7, 21), dt.time(9, 5)]]),
        ("empty", []),
        ("b", [["a\tb\nc", True, None, 1e300]]),
    )
    assert read(data) == {
        "서버 1.tsv": [
            ["time", "n"],
            ["2026-07-20 09:05:00.123", "1.5"],
            ["2026-07-21 00:00:00", "1234567"],
            ["09:05:00", "0.1"],
        ],
        "days.tsv": [["day", "time"], ["2026-07-21", "09:05:00"]],
        "b.tsv": [["a b c", "true", "", "1e+300"]],
    }


def test_a_merged_cell_stands_in_all_its_cells_and_lines_are_rows_of_the_sheet():
    data = book(("s", [[], ["", "CPU", None], ["t", "user", "sys"], ["09:00:00", 1, 2]]), merged="B2:C2")
    assert read(data)["s.tsv"] == [[""] * 3, ["", "CPU", "CPU"], ["t", "user", "sys"], ["09:00:00", "1", "2"]]


def test_a_thousand_times_keep_their_minute():
    """A fraction of a day is rounded to the millisecond: 09:05 is never 09:04:59.999999."""
    start = dt.datetime(2026, 7, 20)
    moments = [start + dt.timedelta(seconds=37 * at) for at in range(1_000)]
    rows = read(book(("s", [[moment, 1] for moment in moments])))["s.tsv"]
    assert [row[0] for row in rows] == [moment.strftime("%Y-%m-%d %H:%M:%S") for moment in moments]


def test_it_is_told_by_its_bytes():
    data = book(("s", [[1]]))
    assert tables.form_of(data[:65536], "report.bin") == "workbook"
    assert not workbook.is_workbook(b"PK\x03\x04" + b"\0" * 100, "a.zip")
    assert not workbook.is_workbook(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "mail.msg")
    assert workbook.is_workbook(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "OLD.XLS")


@pytest.mark.parametrize("cut", [30, 500, 2_000])
def test_a_damaged_one_is_one_sentence(cut):
    data = book(("s", [[at, at] for at in range(200)]))
    with pytest.raises(UserError) as refused:
        read(data[:cut] + b"\0" * 10)
    assert refused.value.key in ("workbook_unreadable", "member_damaged")


def test_what_unpacks_to_too_much_is_refused_before_it_is_opened(monkeypatch: pytest.MonkeyPatch):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"\0" * 5_000_000)
    packed.seek(0)
    monkeypatch.setattr(workbook, "MOST_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(OverLimit):
        list(workbook.sheets(packed, Limits(), "a.xlsx"))


def _biff(*records: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("<HH", kind, len(data)) + data for kind, data in records)


def _xls(rows: list[tuple[str, float]]) -> bytes:
    """A workbook of Excel 97 by its published layout: a heading, then a day as Excel counts them and a number each."""
    bof = struct.pack("<HHHHII", 0x0600, 0x0005, 0x0DBB, 1996, 0, 6)
    sheet_bof = struct.pack("<HHHHII", 0x0600, 0x0010, 0x0DBB, 1996, 0, 6)
    cells = [
        (0x0204, struct.pack("<HHHHB", 0, at, 0, len(name), 0) + name.encode("latin-1"))
        for at, name in enumerate(("t", "v"))
    ]
    for number, (_, value) in enumerate(rows, 1):
        cells += [
            (0x0203, struct.pack("<HHHd", number, 0, 1, 46223.375)),
            (0x0203, struct.pack("<HHHd", number, 1, 0, value)),
        ]
    sheet = _biff((0x0809, sheet_bof), *cells, (0x000A, b""))
    formats = [(0x00E0, struct.pack("<HHHBBBBIIH", 0, form, 0, 0, 0, 0, 0, 0, 0, 0)) for form in (0, 22)]
    name = struct.pack("<IBBBB", 0, 0, 0, 1, 0) + b"s"
    head_size = len(_biff((0x0809, bof), *formats, (0x0085, name), (0x000A, b"")))
    name = struct.pack("<IBBBB", head_size, 0, 0, 1, 0) + b"s"
    stream = (_biff((0x0809, bof), *formats, (0x0085, name), (0x000A, b"")) + sheet).ljust(4096, b"\0")
    sectors = len(stream) // 512
    fat = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 2 + sectors), 0xFFFFFFFE]

    def entry(title: str, kind: int, start: int, size: int, child: int = -1) -> bytes:
        text = title.encode("utf-16-le") + b"\0\0"
        return (
            text.ljust(64, b"\0")
            + struct.pack("<HBBiii", len(text), kind, 1, -1, -1, child)
            + b"\0" * 36
            + struct.pack("<iQ", start, size)
        )

    directory = entry("Root Entry", 5, -2, 0, 1) + entry("Workbook", 2, 2, len(stream)) + b"\0" * 256
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
    header += b"\0" * 6 + struct.pack("<IIIIIiIiI", 0, 1, 1, 0, 4096, -2, 0, -2, 0)
    header += struct.pack("<I", 0) + b"\xff" * (109 * 4 - 4)
    return header + struct.pack(f"<{len(fat)}I", *fat).ljust(512, b"\xff") + directory + stream


def test_a_workbook_of_excel_97(tmp_path: Path):
    assert read(_xls([("", 1.5), ("", 20.0)]), "old.xls") == {
        "s.tsv": [["t", "v"], ["2026-07-20 09:00:00", "1.5"], ["2026-07-20 09:00:00", "20"]]
    }
