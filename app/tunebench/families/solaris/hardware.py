"""Readers of prtdiag and of iostat -E, whose output is made of tables and blocks.

    System Configuration:  Sun Microsystems  sun4u Sun Fire 480R
    Memory size: 8192 Megabytes
    ========================= CPUs ===============================================
              Run   E$    CPU     CPU
    Brd  CPU  MHz   MB   Impl.    Mask
    ---  ---  ---  ----  -------  ----
     A    0   900  8.0   US-III+  2.3                  -> CPUs 1: Brd A, CPU 0, Run MHz 900, E$ MB 8.0 ...

    c0t0d0           Soft Errors: 0 Hard Errors: 0 Transport Errors: 0
    Vendor: SEAGATE  Product: ST314655FSUN146G Revision: 0691 Serial No: 0821V4AKLM
    Size: 146.81GB <146810535936 bytes>                Size: 107,37GB in other locales
    Media Error: 0 Device Not Ready: 0 No Device: 0 Recoverable: 0
    Illegal Request: 0 Predictive Failure Analysis: 0

Every platform has tables of its own in prtdiag: the dashes below a heading tell the columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.families.readings import Reading, squeezed

_HEAD = lazy_pattern(
    r"^(?P<name>System [Cc]onfiguration|System clock frequency|Memory size|BIOS Configuration"
    r"|BMC Configuration|Chassis Serial Number):\s*(?P<value>\S.*?)\s*$"
)
_TITLE = lazy_pattern(r"^=+\s+(?P<title>\S.*?)\s+=+\s*$")
_RULER = lazy_pattern(r"^[\s=-]*(?:--|==)[\s=-]*$")
_DASHES = lazy_pattern(r"-+")
_OF_THE_MOMENT = lazy_pattern(r"(?i)temperature|environment|\bfans?\b|status panel|\bled\b|voltage|current|power suppl")

_WORDS = ("Vendor", "Product", "Model", "Revision", "Serial No", "Size", "RPM", "Heads")
COUNTED = (
    "Soft Errors",
    "Hard Errors",
    "Transport Errors",
    "Media Error",
    "Device Not Ready",
    "No Device",
    "Recoverable",
    "Illegal Request",
    "Predictive Failure Analysis",
    "Non-Aligned Writes",
)
_PART = lazy_pattern(rf"(?P<name>{'|'.join((*_WORDS, *COUNTED))}):\s*")
_BLOCK = lazy_pattern(r"^(?P<device>\S+)\s+Soft Errors:")
_BYTES = lazy_pattern(r"^(?P<size>\S+)\s+<(?P<bytes>-?\d+) bytes>")


# -- prtdiag -------------------------------------------------------------------------------------------


def read_prtdiag(lines: Sequence[str]) -> Iterator[Reading]:
    """The lines of the head by name, every row of a table as ``<title> <n>``, what is of the moment apart."""
    table = _Table()
    for line in lines:
        head, title = _HEAD.match(line), _TITLE.match(line)
        if head is not None:
            yield Reading(head["name"], squeezed(head["value"]))
        elif title is not None:
            yield from table.end()
            table.begin(squeezed(title["title"]))
        elif line.startswith("No failures found"):
            yield from table.end()
            yield Reading("failures", squeezed(line))
        elif _RULER.match(line):
            yield from table.ruler(line)
        else:
            yield from table.line(line)
    yield from table.end()


class _Table:
    """A titled part of prtdiag's output; blank lines are not there to tell its tables apart."""

    def __init__(self) -> None:
        self._title = ""
        self._moment = False
        self._waiting: list[str] = []  # of which the next ruler tells whether they are a heading
        self._heading_lines = 0
        self._spans: list[tuple[int, int]] = []
        self._columns: list[str] = []
        self._rows: dict[str, int] = {}

    def begin(self, title: str) -> None:
        self._moment = _OF_THE_MOMENT.search(title) is not None
        self._title, self._waiting, self._spans, self._heading_lines = title, [], [], 0

    def ruler(self, line: str) -> Iterator[Reading]:
        """Dashes: below a subtitle (``Fan Status:``), or below a heading, whose columns they tell."""
        spans = [dashes.span() for dashes in _DASHES.finditer(line)]
        last = self._waiting[-1].strip() if self._waiting else ""
        if last.endswith(":") and len(spans) <= 1:
            self._waiting.pop()
            yield from self.end()
            self.begin(squeezed(last.rstrip(":")))
        elif len(spans) > 1:
            if self._heading_lines:  # a second table below one title has a heading of as many lines
                yield from self._release(self._heading_lines)
            self._heading_lines = len(self._waiting)
            self._columns = self._name_columns(spans)
            self._spans, self._waiting = spans, []
        else:
            yield from self.end()
            self._spans = []

    def line(self, line: str) -> Iterator[Reading]:
        self._waiting.append(line)
        if self._spans:
            yield from self._release(max(self._heading_lines, 1))

    def end(self) -> Iterator[Reading]:
        """What waits is no heading."""
        yield from self._release(0)

    def _release(self, keep: int) -> Iterator[Reading]:
        """All but the last `keep` waiting lines are rows."""
        count = max(len(self._waiting) - keep, 0)
        rows, self._waiting = self._waiting[:count], self._waiting[count:]
        for row in rows:
            yield self._reading(row)

    def _reading(self, row: str) -> Reading:
        value = squeezed(row)
        if self._spans and not value.endswith(":"):
            cells = _cells(row, self._spans)
            named = [f"{name} {cell}".strip() for name, cell in zip(self._columns, cells, strict=True) if cell]
            value = ", ".join(named)
        number = self._rows[self._title] = self._rows.get(self._title, 0) + 1
        return Reading(f"{self._title} {number}".strip(), value, self._moment)

    def _name_columns(self, spans: list[tuple[int, int]]) -> list[str]:
        """The words above each column, top down."""
        above = [_cells(one, spans) for one in self._waiting]
        return [" ".join(word for word in column if word) for column in zip(*above, strict=True)] or [""] * len(spans)


def _cells(line: str, spans: list[tuple[int, int]]) -> list[str]:
    """The words of a row by column: a word belongs where most of it stands, else to the nearest column."""
    cells: list[list[str]] = [[] for _ in spans]
    for word in re.finditer(r"\S+", line):
        start, end = word.span()
        shared = [min(end, stop) - max(start, begin) for begin, stop in spans]
        cells[shared.index(max(shared))].append(word.group())
    return [" ".join(words) for words in cells]


# -- iostat -E, -En ------------------------------------------------------------------------------------


@record(frozen=False)
class DiskErrors:
    """One device's block: its words (``Vendor``, ``Size`` ...) and its counts."""

    device: str
    words: dict[str, str]
    counts: dict[str, float]

    def take(self, line: str) -> bool:
        """Reads a line; False where it is no part of a block."""
        parts = list(_PART.finditer(line))
        if not parts:
            return False
        ends = [one.start() for one in parts[1:]] + [len(line)]
        for one, end in zip(parts, ends, strict=True):
            value = squeezed(line[one.end() : end])
            if one["name"] in COUNTED:
                if value.isdecimal() and len(value) <= 18:
                    self.counts[one["name"]] = float(value)
            else:
                self._take_word(one["name"], value)
        return True

    def _take_word(self, name: str, value: str) -> None:
        size = _BYTES.match(value) if name == "Size" else None
        if size is not None:
            self.words["Size"] = size["size"].replace(",", ".")
            self.words["Size bytes"] = size["bytes"]
        elif value:
            self.words[name] = value

    def readings(self) -> Iterator[Reading]:
        for name, value in self.words.items():
            yield Reading(f"{self.device} {name}", value)
        for name, count in self.counts.items():
            yield Reading(f"{self.device} {name}", f"{count:.0f}", volatile=True)


def begins_disk_errors(line: str) -> str:
    """The device whose block begins with this line, or nothing."""
    match = _BLOCK.match(line)
    return match["device"] if match is not None else ""


def is_disk_errors(line: str) -> bool:
    """Whether a line looks like the rest of a block."""
    return _PART.match(line) is not None


def read_disk_errors(lines: Sequence[str]) -> Iterator[Reading]:
    """iostat -E, -En: what a disk is, and its errors, which are of the moment."""
    block: DiskErrors | None = None
    for line in lines:
        device = begins_disk_errors(line)
        if device:
            if block is not None:
                yield from block.readings()
            block = DiskErrors(device, {}, {})
        if block is not None:
            block.take(line)
    if block is not None:
        yield from block.readings()
