"""Workbooks whose sizes are not what they seem: a sentence within bounds of memory and time, and this process goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tunebench.core.errors import UserError
from tunebench.core.processes import started
from tunebench.transport import tables
from tunebench.transport.containers.limits import OverLimit
from tunebench.transport.tables import boxed

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows bounds no memory or processor time of a process")

_PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="xl/workbook.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="s" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Target="worksheets/sheet1.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"/>'
    '<Relationship Id="rId2" Target="sharedStrings.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"/></Relationships>',
}
_SPACE = "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'"


def book(rows: str, *, dimension: str = "", strings: Iterable[str] = ()) -> bytes:
    """An XLSX of one sheet with these rows, in XML."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(name, text)
        archive.writestr("xl/sharedStrings.xml", f"<sst {_SPACE}>{''.join(strings)}</sst>")
        head = f"<dimension ref='{dimension}'/>" if dimension else ""
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {_SPACE}>{head}<sheetData>{rows}</sheetData></worksheet>"
        )
    return packed.getvalue()


def rows_of(data: bytes) -> list[list[str]]:
    found = [b"".join(each.pieces).decode() for each in tables.tables_of("workbook", [data], "a.xlsx", "a.xlsx")]
    assert len(found) == 1
    return [line.split("\t") for line in found[0].splitlines()]


def refusal_of(data: bytes) -> OverLimit:
    with pytest.raises(OverLimit) as refused:
        rows_of(data)
    return refused.value


FIRST = "<row r='1'><c r='A1'><v>1</v></c><c r='B1'><v>2</v></c></row>"


def test_one_cell_in_the_last_place_is_refused_by_what_the_cells_span():
    """1,048,576 rows of 16,384 columns lie between the two."""
    data = book(FIRST + "<row r='1048576'><c r='XFD1048576'><v>1</v></c></row>")
    assert len(data) < 2_048
    refusal = refusal_of(data)
    assert (refusal.key, refusal.facts["most"]) == ("sheet_too_large", "50,000,000")


@posix
@pytest.mark.parametrize(
    "last",
    [
        "<row r='1048576'>" + "<c/>" * 16_383 + "<c><v>1</v></c></row>",  # its place is counted, and stands nowhere
        "<row r='1048576'><c r='AP1048576'><v>1</v></c></row>",  # 44,040,192 cells: fewer than are refused at sight
    ],
)
def test_what_its_reader_finds_no_memory_for_is_a_sentence_and_no_end_of_this_process(last: str):
    begin_s = os.times().children_user
    refusal = refusal_of(book(FIRST + last))
    assert (refusal.key, refusal.facts["most"]) == ("workbook_needs_memory", "768 MB")
    assert os.times().children_user - begin_s < 20


def test_a_cell_that_is_only_formatted_spans_nothing():
    far = "<row r='1048576'><c r='XFD1048576' s='0'/><c r='XFD1048576' s='0'></c></row>"
    assert rows_of(book(FIRST + far)) == [["1", "2"]]


@pytest.mark.parametrize("dimension", ["A1:XFD1048576", "XFD1048576", "A1", "B9:A1"])
def test_a_dimension_is_not_believed(dimension: str):
    assert rows_of(book(FIRST, dimension=dimension)) == [["1", "2"]]


def test_a_reference_is_seen_wherever_a_piece_of_the_file_ends():
    """Pieces are 1 MiB: each of these sheets has the far cell a byte later."""
    for shift in range(0, 60, 3):
        fill = "<row r='1'>" + " " * ((1 << 20) - 500 + shift) + "</row>"
        far = "<row r='1048576'><c r='XFD1048576' t='n'><v>1</v></c></row>"
        assert refusal_of(book(fill + far)).key == "sheet_too_large"


def test_shared_strings_as_deep_as_they_like():
    deep = ["<si>", "<r>" * 200_000, "<t>a</t>", "</r>" * 200_000, "</si>"]
    assert rows_of(book("<row r='1'><c r='A1' t='s'><v>0</v></c></row>", strings=deep)) == [["a"]]


@posix
def test_millions_of_shared_strings_are_a_sentence():
    data = book(FIRST, strings=["<si><t>a</t></si>"] * 20_000_000)
    assert len(data) < 1 << 20
    assert refusal_of(data).key == "workbook_needs_memory"


def test_a_reader_that_does_not_come_to_an_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(boxed, "MOST_WAIT_S", 0.0)
    refusal = refusal_of(book(FIRST))
    assert (refusal.key, refusal.facts["most"]) == ("workbook_needs_time", "30 s")


def test_what_the_reader_says_of_a_damaged_file_comes_through():
    with pytest.raises(UserError) as refused:
        rows_of(book(FIRST)[:300] + b"\0" * 50)
    assert refused.value.key in ("workbook_unreadable", "member_damaged")
    assert refused.value.facts["path"] == "a.xlsx"


def test_sheets_that_nobody_reads_to_the_end_do_not_stand_in_the_way_of_the_next():
    import openpyxl

    made = openpyxl.Workbook()
    for number in range(3):
        sheet = made.create_sheet(f"n{number}")
        for row in range(20_000):
            sheet.append([row, f"{'word ' * 5}{number}"])
    packed = BytesIO()
    made.save(packed)
    firsts = {each.name: next(each.pieces)[:20] for each in tables.tables_of("workbook", [packed.getvalue()], "a", "a")}
    assert firsts == {f"n{number}.tsv": b"0\tword word word word word "[:20] for number in range(3)}


# --- the process
def _bounded(code: str) -> int:
    words = [sys.executable, "-c", f"from tunebench.core.processes import bound; bound(512 << 20, 1)\n{code}"]
    return subprocess.run(words, check=False, stderr=subprocess.DEVNULL, timeout=60).returncode


@posix
def test_a_bounded_process_takes_no_more_than_its_bounds(tmp_path: Path):
    assert _bounded("while True: pass") == -signal.SIGXCPU
    assert _bounded("bytes(400 << 20)") == 0
    assert _bounded("bytes(600 << 20)") == 1, "MemoryError"
    assert _bounded(f"open({str(tmp_path / 'f')!r}, 'wb', buffering=0).write(b'1')") == 1
    assert (tmp_path / "f").read_bytes() == b""


_ENDLESS = """
import sys
from tunebench.transport.tables import boxed
started = boxed.started
def watched(word, errors):
    process = started(word, errors)
    print(process.pid, flush=True)
    return process
boxed.started = watched
data = sys.stdin.buffer.read()
for name, text in boxed.sheets([data], "a.xlsx"):
    next(text)
    print("reading", flush=True)
    sys.stdin = open(0, closefd=False)
    import time
    time.sleep(120)
"""


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _within(seconds: float, pid: int) -> bool:
    return wait_until(lambda: not _is_running(pid), seconds)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("at_work", [False, True], ids=["waiting for its parent", "still reading"])
def test_the_death_of_its_parent_is_its_own(at_work: bool):
    rows = "".join(f"<row r='{row}'><c r='A{row}'><v>{row}</v></c></row>" for row in range(1, 600_000))
    with subprocess.Popen([sys.executable, "-c", _ENDLESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        parent.stdin.write(book(rows))
        parent.stdin.close()
        reader = int(parent.stdout.readline())
        if not at_work:
            assert parent.stdout.readline() == b"reading\n"
        assert _is_running(reader)
        parent.kill()
    assert _within(10, reader)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_nothing_outlives_who_reads_a_part(monkeypatch: pytest.MonkeyPatch):
    begun: list[subprocess.Popen[bytes]] = []

    def watched(word: str, errors: int) -> subprocess.Popen[bytes]:
        begun.append(started(word, errors))
        return begun[-1]

    monkeypatch.setattr(boxed, "started", watched)
    for table in tables.tables_of("workbook", [book(FIRST)], "a", "a"):
        assert next(table.pieces) == b"1\t2\n"
        break
    assert len(begun) == 1 and _within(10, begun[0].pid)
