"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS): the sheets as rows of text. The one door to python-calamine.

A row of the text is the row of the sheet with the same number. A cell that is merged over several stands in each of
them. Dates and times are written as ISO 8601 has them, numbers so that they read back as the same number.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.core.extras import absence_named
from tunebench.core.grouping import by_key
from tunebench.core.patterns import lazy_pattern
from tunebench.transport.containers.damage import damage_of
from tunebench.transport.containers.limits import Budget, Limits, OverLimit, gib
from tunebench.transport.containers.members import PIECE_BYTES, Damaged
from tunebench.transport.containers.zip import MAGIC, zip_entries

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

MOST_UNPACKED_BYTES = 2 << 30
MOST_CELLS = 50_000_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_NAMES = (".xlsx", ".xlsm", ".xlsb", ".ods")
_OLD_NAMES = (".xls", ".xlt", ".et")
_IN_XLSX = lazy_pattern(rb"xl/(?:workbook|worksheets|styles|theme|_rels)|opendocument\.spreadsheet")
_OLD_WORKBOOK = "Workbook".encode("utf-16-le")
_FILLED_CELL = lazy_pattern(
    rb"""<(?:\w{1,99}:)?c\s[^<>]*?\br\s*=\s*["']([A-Za-z]{1,3})([0-9]{1,9})["'][^<>]*(?<!/)>(?=[^<]|<[^/])"""
)
_LONGEST_TAGS_BYTES = 64 << 10
_BREAKS = lazy_pattern(r"[\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")

Cell = int | float | str | bool | dt.time | dt.date | dt.datetime | dt.timedelta


def is_workbook(head: bytes, name: str) -> bool:
    """Told by the bytes; an old one looks like any other document of its office, and is told by its name as well."""
    name = name.lower()
    if head.startswith(MAGIC):
        return name.endswith(_NAMES) or _IN_XLSX.search(head) is not None
    return head.startswith(_OLE) and (name.endswith(_OLD_NAMES) or _OLD_WORKBOOK in head)


def sheets(file: IO[bytes], limits: Limits, path: str) -> Iterator[tuple[str, Iterator[list[str]]]]:
    """The name and the rows of each sheet that has some, in the workbook's order.

    Raises:
        UserError: workbook_unreadable (damaged, or it has a password); OverLimit.
        MemoryError: it needs more than this process may take; the library may end the process instead (see `boxed`).
    """
    with absence_named():
        import python_calamine  # only who imports a workbook pays for it

    _check_size(file, limits, path)
    try:
        with python_calamine.CalamineWorkbook.from_filelike(file) as book:
            for name in book.sheet_names:
                sheet = book.get_sheet_by_name(name)
                if not sheet.height:
                    continue
                if sheet.total_height * sheet.total_width > MOST_CELLS:
                    raise OverLimit("sheet_too_large", path=path, sheet=name, most=f"{MOST_CELLS:,}")
                yield name, _texts(partial(_rows, sheet))
    except (UserError, MemoryError):
        raise
    except Exception as error:
        raise _unreadable(path, error) from error
    except BaseException as error:  # a fault of the library itself is no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: BaseException) -> UserError:
    return UserError("workbook_unreadable", path=path, reason=" ".join(str(error).split())[:200] or "-")


def _check_size(file: IO[bytes], limits: Limits, path: str) -> None:
    """What a zip file unpacks to, and how far its cells reach, is counted before anybody else unpacks it: the library
    makes room for every cell between those that hold something."""
    head = file.read(len(MAGIC[0]))
    file.seek(0)
    if not head.startswith(MAGIC):
        return
    budget, size = Budget(limits, path), 0
    try:
        for entry in zip_entries(file, budget, path):
            reach = _Reach()
            while entry.error is None and (piece := entry.data.read(PIECE_BYTES)):
                size += len(piece)
                if size > MOST_UNPACKED_BYTES:
                    raise OverLimit("member_too_large", path=path, most=gib(MOST_UNPACKED_BYTES))
                reach.take(piece)
                if reach.rows * reach.columns > MOST_CELLS:
                    sheet = PurePosixPath(entry.name).stem
                    raise OverLimit("sheet_too_large", path=path, sheet=sheet, most=f"{MOST_CELLS:,}")
    except Damaged as damage:
        raise damage.refusal("member_damaged", path) from damage
    except OSError as error:
        raise damage_of(error).refusal("member_damaged", path) from error
    file.seek(0)


class _Reach:
    """How far the cells that hold something reach in the XML of a sheet, whatever its dimension says."""

    def __init__(self) -> None:
        self.rows = self.columns = 0
        self._rest = b""  # two tags that the end of a piece may have cut

    def take(self, piece: bytes) -> None:
        data = self._rest + piece
        self._rest = data[max(0, data.rfind(b"<", 0, max(0, data.rfind(b"<")))) :][-_LONGEST_TAGS_BYTES:]
        cells = _FILLED_CELL.findall(data)
        self.rows = max(self.rows, *(int(row) for row in {row for _, row in cells}), 0)
        self.columns = max(self.columns, *(_column(letters) for letters in {letters for letters, _ in cells}), 0)


def _column(letters: bytes) -> int:
    """``A`` is 1, ``AA`` 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - ord("A") + 1
    return number


def _rows(sheet: CalamineSheet) -> Iterator[list[Cell]]:
    """The rows from the sheet's first row and column on; a merged range repeats its first cell."""
    before = [""] * (sheet.start or (0, 0))[1]
    begun = by_key((top, (bottom, left, right)) for (top, left), (bottom, right) in sheet.merged_cell_ranges or ())
    reaching: list[tuple[int, int, int, Cell]] = []
    for number, cells in enumerate(sheet.iter_rows()):
        row: list[Cell] = [*before, *cells]
        reaching = [span for span in reaching if span[0] >= number]
        reaching += [
            (bottom, left, right, row[left]) for bottom, left, right in begun.get(number, ()) if left < len(row)
        ]
        for _, left, right, cell in reaching:
            row[left : right + 1] = [cell] * (min(right + 1, len(row)) - left)
        yield row


def _texts(rows: Callable[[], Iterable[list[Cell]]]) -> Iterator[list[str]]:
    """The cells as texts; among dates with a time a bare date is midnight."""
    timed = {at for row in rows() for at, cell in enumerate(row) if isinstance(cell, dt.datetime)}
    for row in rows():
        yield [
            f"{cell} 00:00:00" if type(cell) is dt.date and at in timed else _text(cell) for at, cell in enumerate(row)
        ]


def _text(cell: Cell) -> str:
    """A cell as it reads back; times to the millisecond, which is what their fraction of a day can hold."""
    match cell:
        case bool():
            return str(cell).lower()
        case float():
            return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
        case dt.datetime():
            return _without_zeros(_rounded(cell).isoformat(" ", "milliseconds"))
        case dt.date():
            return cell.isoformat()
        case dt.time():
            moment = _rounded(dt.datetime.combine(dt.date(2000, 1, 1), cell))
            return _without_zeros(moment.time().isoformat("milliseconds"))
        case dt.timedelta():
            seconds = round(cell.total_seconds(), 3)
            return f"{int(seconds // 3600):02}:{int(seconds // 60 % 60):02}:{_without_zeros(f'{seconds % 60:06.3f}')}"
        case _:
            return _BREAKS.sub(" ", str(cell)).strip()


def _rounded(moment: dt.datetime) -> dt.datetime:
    try:
        moment += dt.timedelta(microseconds=500)
    except OverflowError:
        return moment
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _without_zeros(text: str) -> str:
    return text.removesuffix(".000")
