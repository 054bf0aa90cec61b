"""The rows below one heading: what the scanner is told of them, and how the parser reads one by itself."""

from __future__ import annotations

from typing import NamedTuple

from tunebench.families.page_reading import Key, Mark, Scanner, ScanTable, suffix_factors
from tunebench.sdk import LedgerBook, TableBuilder, lazy_pattern, parse_cell

from .headings import Heading, label_columns
from .stamps import StampForm

_NO_NAMES = frozenset({b"COM", b"LINUX", b"AM", b"PM"})  # of a remark, a restart, another form of stamps
_UNIT = lazy_pattern(rb"[0-9][kKMGTP%]\Z")


class Row(NamedTuple):
    """One row.

    Attributes:
        name: what it is about, empty where nothing names it.
        has_units: sar was told to print for humans.
    """

    name: bytes
    values: list[float]
    has_units: bool


class Section:
    """The rows below one heading.

    Attributes:
        rows: what the scanner reads of them; None before it was told, and where they hold words.
        running: the form of the stamps that it knows, and the half of the day; empty where it knows none.
        mark: the heading, where the scanner knows it.
        heading_s: the time of the first heading since the capture's or the system's start, until a row has used it.
        has_begun: whether there was one.
    """

    def __init__(self, heading: Heading, form: StampForm, book: LedgerBook) -> None:
        self.heading = heading
        self.form = form
        self.builder = TableBuilder(heading.table, heading.natives, heading.key_attribute, book, heading.attributes)
        self.rows: ScanTable | None = None
        self.running = b""
        self.mark: Mark | None = None
        self.heading_s: int | None = None
        self.has_begun = False
        self._names: set[bytes] = set()  # of the last column

    # -- what the scanner knows ------------------------------------------------------------------

    def know_stamp(self, scanner: Scanner, line: bytes) -> None:
        """Lets the scanner read rows with stamps as this line has one, from now on."""
        running, heading = self.form.running(line), self.heading
        if heading.word_columns or running == self.running:
            return
        if self.rows is None:
            key = {None: Key.NONE, 0: Key.FIRST, -1: Key.LAST}[heading.key_index]
            factors = suffix_factors(heading.suffix_base) if scanner.dialect.suffixes else None
            self.rows = scanner.table(heading.columns, key, factors, accepts=_is_name)
        scanner.stamp_rows(self.rows, running, self.form.fields, first=True)
        self.running = running

    def know_heading(self, scanner: Scanner, line: bytes) -> None:
        """Lets the scanner read headings like this line and the rows below them, from now on."""
        self.know_stamp(scanner, line)
        self.forget_heading(scanner)
        if self.rows is not None:
            self.mark = scanner.know(self.running + line[self.form.width :], self.rows, self.form.fields)

    def forget_heading(self, scanner: Scanner) -> None:
        if self.mark is not None:
            scanner.forget(self.mark)
            self.mark = None

    def forget_scanner(self) -> None:
        """Another scanner reads from now on."""
        self.rows = self.mark = None
        self.running = b""

    # -- one row ---------------------------------------------------------------------------------

    def split(self, line: bytes) -> Row | None:
        """A row; None where its words do not add up."""
        heading = self.heading
        cells = line[self.form.width :].split()
        key_index, word_columns, words = heading.key_index, heading.word_columns, len(heading.words)
        if key_index == -1:
            cells = line[self.form.width :].strip().split(None, words - 1)
        if len(cells) != words and not (word_columns and len(cells) >= min(word_columns)):
            return None
        figures = [i for i in range(words) if i not in word_columns and i != key_index and i - words != key_index]
        try:
            values = [parse_cell(cells[i], base) for i, base in zip(figures, heading.suffix_base, strict=True)]
        except (ValueError, IndexError):
            return None
        has_units = any(_UNIT.search(cells[i]) for i in figures)
        if key_index is None:
            return Row(b"", values, has_units)
        labels = sorted(label_columns(heading))
        described = [cells[i] for i in labels if i < len(cells)] + (cells[words:] if labels else [])
        name = b" ".join([cells[key_index], *described])
        if key_index == -1:
            self._names.add(name)
        return Row(name, values, has_units)

    def is_cut_off(self, line: bytes, before: bytes) -> bool:
        """Whether the capture ends inside this row, which has no line end: compared with the row before."""
        cells, usual = line.split(), before.split()
        if not usual or len(cells) != len(usual):
            return len(cells) < len(usual)
        last, last_usual = cells[-1].replace(b",", b"."), usual[-1].replace(b",", b".")
        if self.heading.key_index == -1:
            return self._knows_longer_name(last)
        if not last_usual[-1:].isdigit():
            return last[-1:].isdigit()  # without its unit
        decimals, usual_decimals = len(last.partition(b".")[2]), len(last_usual.partition(b".")[2])
        return decimals < usual_decimals or (not usual_decimals and len(line) < len(before))

    def _knows_longer_name(self, name: bytes) -> bool:
        """Whether `name`, new in the last column, is the beginning of one that was there before."""
        names = self._names.union(self.rows.names if self.rows is not None else ())
        return name not in names and any(other.startswith(name) for other in names)


def _is_name(key: bytes) -> bool:
    return key not in _NO_NAMES
