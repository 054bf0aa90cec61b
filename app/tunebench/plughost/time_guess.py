"""Which cells of a sample are its time, and in which format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.sdk.dates import read_printed_date
from tunebench.sdk.stamp_formats import EXCEL, stamp_format

_DATES = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d-%b-%Y",
    "%d/%b/%Y",
    "%Y%m%d",
    "%b %d, %Y",
)
_TIMES = ("%H:%M:%S", "%H:%M:%S.%f", "%H:%M:%S,%f", "%H:%M", "%I:%M:%S %p", "%I:%M %p", "%p %I:%M:%S")
_WHOLE = (
    "iso",
    "%a %b %d %H:%M:%S %Y",
    "%a %b %d %H:%M:%S %Z %Y",
    "%d/%b/%Y:%H:%M:%S",
    "%d/%b/%Y:%H:%M:%S %z",
    "%Y%m%d%H%M%S",
    "%Y%m%d-%H%M%S",
    "%Y-%m-%d-%H.%M.%S",
)
_DATED = (*_WHOLE, *(f"{date} {time}" for date in _DATES for time in _TIMES))
_EPOCHS = (("epoch_s", 10), ("epoch_ms", 13), ("epoch_us", 16), ("epoch_ns", 19))
_DAYS = lazy_pattern(r"4\d{4}(?:[.,]\d{1,17})?")
_FEWEST_DAYS = 3
_MOST_ROWS = 50
_ENOUGH = 0.9
_MOST_WORDS = 6
_LONGEST_LEAD = 200
_MAY_BEGIN = lazy_pattern(r"(?<![A-Za-z0-9])[A-Za-z0-9]|(?<=[^\d])\d")
_NO_DIGITS = lazy_pattern(r"\D*")
_LEADING_WORD = lazy_pattern(r"\s*(\S+)")


@record
class TimeGuess:
    """Where the time stands.

    Attributes:
        cells: of a row, side by side; empty where rows have none.
        columns: the headings of these cells.
        line: the pattern of a stamp line.
    """

    rule: str
    format: str = ""
    cells: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    line: str = ""

    @property
    def has_date(self) -> bool:
        return bool(self.format) and stamp_format(self.format).has_date

    @property
    def together(self) -> bool:
        """Several cells between blanks that are one stamp under one heading, or none."""
        return len(self.columns) < len(self.cells)

    def named(self, columns: Sequence[str]) -> TimeGuess:
        return replace(self, columns=tuple(columns))

    def at_the_beginning(self) -> TimeGuess:
        return replace(self, rule="first", columns=())

    def as_table(self) -> dict[str, object]:
        table: dict[str, object] = {"rule": self.rule}
        if self.rule == "columns":
            table["columns"] = list(self.columns)
        if self.line:
            table["line"] = self.line
        if self.format:
            table["format"] = self.format
        return table


def guess_time(rows: Sequence[Sequence[str]], blanks: bool) -> TimeGuess | None:
    """The cells of the rows that are a time: with a date before without, the leftmost first."""
    rows = rows[:_MOST_ROWS]
    if not rows:
        return None
    width = len(rows[0])
    runs = [
        (at, length)
        for at in range(width)
        for length in range(1, (_MOST_WORDS if blanks else 2) + 1)
        if at + length <= width
    ]
    for formats in (_DATED, tuple(_TIMES)):
        for at, length in runs:
            texts = [" ".join(row[at : at + length]) for row in rows]
            form = next((text for text in formats if _length(text, length, blanks) and _reads(text, texts)), "")
            if form:
                return TimeGuess("columns", form, tuple(range(at, at + length)))
        if formats is _DATED:
            epoch = _epoch(rows, width) or _excel(rows, width)
            if epoch is not None:
                return epoch
    return None


def _length(text: str, cells: int, blanks: bool) -> bool:
    """A format of several words fits as many cells between blanks; elsewhere a cell may hold them all."""
    words = len(text.split())
    if blanks:
        return words == cells and not (text == "iso" and cells > 1)
    return cells in (1, words)


def _reads(text: str, stamps: Sequence[str]) -> bool:
    form = stamp_format(text)
    if not any(form.read(stamp) for stamp in stamps[:3]):
        return False
    read = sum(form.read(stamp) is not None for stamp in stamps)
    return read > 0 and read >= _ENOUGH * len(stamps)


def _epoch(rows: Sequence[Sequence[str]], width: int) -> TimeGuess | None:
    """Seconds since 1970 have ten digits from 2001 to 2286, and rise from row to row."""
    for at in range(width):
        cells = [row[at] for row in rows]
        for name, digits in _EPOCHS:
            form = re.compile(rf"1\d{{{digits - 1}}}([.,]\d+)?")
            if all(map(form.fullmatch, cells)) and cells == sorted(cells):
                return TimeGuess("columns", name, (at,))
    return None


def _excel(rows: Sequence[Sequence[str]], width: int) -> TimeGuess | None:
    """Days with a fraction, from 2009 to 2036, that rise from row to row by less than one."""
    for at in range(width):
        cells = [row[at] for row in rows]
        if len(cells) < _FEWEST_DAYS or not all(map(_DAYS.fullmatch, cells)):
            continue
        days = [float(cell.replace(",", ".")) for cell in cells]
        steps = [after - before for before, after in pairwise(days)]
        if all(0 < step < 1 for step in steps) and sum(day != int(day) for day in days) > len(days) / 2:
            return TimeGuess("columns", EXCEL, (at,))
    return None


def guess_stamp_line(lines: Sequence[str], rows: set[int]) -> TimeGuess | None:
    """A line between the rows that ends in a time: ``zzz ***Wed Feb 29 11:01:52 KST 2012``."""
    others = [line for at, line in enumerate(lines) if at not in rows and line.strip()]
    for line in others[:_MOST_ROWS]:
        for begin, form in _stamps_at_end(line):
            lead = line[:begin].lstrip()
            if lead.strip():
                pattern = lead.replace("{", "{{").replace("}", "}}")
                return TimeGuess("line", form, (), (), pattern + "{stamp}")
    return None


def is_stamp_line(line: str) -> bool:
    """Words, then a whole time and nothing behind it: no row of numbers."""
    lead = _NO_DIGITS.match(line)
    words = lead[0] if lead else ""
    return bool(words.strip()) and any(line[:begin].strip() for begin, _ in _stamps_at_end(line, len(words)))


def _stamps_at_end(line: str, latest: int = _LONGEST_LEAD) -> Iterator[tuple[int, str]]:
    """Begin and format of the times at the end of the line, longest first; also inside a word (``***Wed``)."""
    for match in _MAY_BEGIN.finditer(line[:_LONGEST_LEAD]):
        if match.start() > latest:
            return
        words = line[match.start() :].split()
        rest = " ".join(words)
        fitting = (text for text in _DATED if len(text.split()) == len(words) or text == "iso")
        form = next((text for text in fitting if stamp_format(text).read(rest)), "")
        if form:
            yield match.start(), form


def date_line_of(lines: Sequence[str]) -> str:
    """The pattern of a line above the table that gives its day; ``""`` where none does."""
    for line in lines:
        if read_printed_date(line) is not None:
            word = _LEADING_WORD.match(line)
            lead = word[1] if word else ""
            if lead and not any(char.isdigit() for char in lead):
                return lead.replace("{", "{{").replace("}", "}}") + " {date}"
    return ""
