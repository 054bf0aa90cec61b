"""free of procps, every form: -b, -k, -m, -g, -h, -w, -l, -t, -v, with or without -s.

                   total        used        free      shared  buff/cache   available
    Mem:        24684084      740412    19211408       11148     5067616    23943672      procps 3.3.10 and later
                   total        used        free      shared     buffers       cache   available
    Mem:        24684084      477860    23647196        9928      322924      562548    24206224      -w
                 total       used       free     shared    buffers     cached             procps 3.2, 3.3.9
    Mem:       8061544    7905868     155676          0     243400    6131392
    -/+ buffers/cache:    1531076    6530468
    Mem:            23Gi       723Mi        18Gi        10Mi       4.9Gi        22Gi      -h
    Low:        24684084     1036888    23647196                                          -l
    Total:      24684084      477860    23647196                                          -t
    Comm:       12342040      568700    11773340                                          -v: limit, committed, left

A heading does not tell its unit. Memory comes in pages, so bytes are multiples of 4096 and kilobytes of 4;
figures that are neither are megabytes, below 400 gigabytes. The unit is in the table's name and is an assumption
unless the command line stands in the capture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tunebench.families.confidence import goes_on_in_sentences
from tunebench.families.linux.readings import read_free
from tunebench.families.readings import Reading
from tunebench.sdk import ParseContext, Round, body_lines, decode_text, lazy_pattern, parse_cell

from .configured import ConfiguredParser

_ROW = lazy_pattern(rb"^(?P<name>Mem|Swap|Low|High|Total|Comm|-/\+ buffers/cache):\s+(?P<cells>\S.*?)\s*$")
_HEADING = [b"total", b"used", b"free"]
_OF_BUFFERS = ("used", "free")
_OTHER_ROWS = 3  # total, used, free
_COMMAND = lazy_pattern(rb"\bfree\b(?P<options>(?:\s+-\S+|\s+\d+)*)\s*$")
_OPTION = lazy_pattern(rb"\s(?:-[a-z]*(?P<short>[bkmgh])|--(?P<long>bytes|kibi|mebi|gibi|human))")
_UNIT_OF_OPTION = {
    b"b": "b",
    b"k": "k",
    b"m": "m",
    b"g": "g",
    b"h": "h",
    b"bytes": "b",
    b"kibi": "k",
    b"mebi": "m",
    b"gibi": "g",
    b"human": "h",
}
_TABLES = {"b": "memory_bytes", "k": "memory", "m": "memory_mebi", "g": "memory_gibi", "h": "memory_human"}
_NAMES = {"b": "By", "k": "KiBy", "m": "MiBy", "g": "GiBy"}
_SUFFIXED = lazy_pattern(rb"^(?P<number>\d+(?:[.,]\d+)?)(?P<suffix>[BKMGTP]i?)$")
_POWER = {b"B": 0, b"K": 1, b"M": 2, b"G": 3, b"T": 4, b"P": 5}
_FEWEST_BYTES, _FEWEST_KIB = 1 << 24, 1 << 14  # no machine has less than 16 MiB
_FEWEST_MIB, _MOST_MIB = 400, 1 << 24  # 250 are gigabytes of a server sooner than megabytes


class FreeParser(ConfiguredParser):
    """See the module. Columns are named ``Mem: used``, ``Swap: total``."""

    tool, os = "free", "linux"
    section = "memory"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._unit = ""

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        for index, (line, row) in enumerate(pairwise(lines)):
            match = _ROW.match(row)
            if line.split()[:3] == _HEADING and match is not None and match["name"] == b"Mem":
                return 0.0 if goes_on_in_sentences(lines[index + 1 :]) else 0.95
        return 0.0

    def begins_round(self, line: bytes) -> bool:
        return line.split()[:3] == _HEADING

    def read_configuration(self, lines: Sequence[str]) -> Iterable[Reading]:
        return read_free(lines)

    def read_round(self, one: Round) -> None:
        self.remember(one)
        headings: list[str] = []
        cells: dict[str, bytes] = {}
        first_line = 0
        for number, line in one.lines:
            words = line.split()
            row = _ROW.match(line)
            if words[:3] == _HEADING:
                headings = [decode_text(word) for word in words]
                self.book.header()
            elif row is not None and headings and self._add_row(row, headings, cells):
                first_line = first_line or number
                self.book.data()
            else:
                self._read_other(number, line)
        if cells:
            self._store(one.time_ns, first_line, cells)

    def _add_row(self, row: re.Match[bytes], headings: Sequence[str], into: dict[str, bytes]) -> bool:
        name = row["name"].decode()
        values = row["cells"].split()
        names = _OF_BUFFERS if name.startswith("-") else headings
        fits = len(values) == (len(headings) if name == "Mem" else min(len(names), _OTHER_ROWS))
        own = {f"{name}: {heading}": value for heading, value in zip(names, values, strict=False)}
        if not fits or own.keys() & into.keys() or not all(_is_size(value) for value in values):
            return False
        into.update(own)
        return True

    def _read_other(self, number: int, line: bytes) -> None:
        command = _COMMAND.search(line)
        if command is None:
            self.skip_line(number, line)
            return
        option = _OPTION.search(command["options"])
        self._unit = _UNIT_OF_OPTION[option["short"] or option["long"]] if option else "k"
        self.book.skip("wrapper", number, line)

    def _store(self, time_ns: int, line: int, cells: dict[str, bytes]) -> None:
        values = [_size(cell) for cell in cells.values()]
        unit = "h" if any(_SUFFIXED.match(cell) for cell in cells.values()) else self._unit_of(values)
        if unit == "h":
            self.book.warn("rounded_units")
        self.table(_TABLES[unit], tuple(cells)).row(time_ns, line, "", values)

    def _unit_of(self, values: Sequence[float]) -> str:
        if not self._unit:
            self._unit = _guess_unit(values)
            self.book.assume("unit", _NAMES[self._unit], "default")
        return self._unit


def _guess_unit(values: Sequence[float]) -> str:
    total = max(values)
    if total >= _FEWEST_BYTES and all(value % 4096 == 0 for value in values):
        return "b"
    if total >= _MOST_MIB or (total >= _FEWEST_KIB and all(value % 4 == 0 for value in values)):
        return "k"
    return "m" if total >= _FEWEST_MIB else "g"


def _is_size(cell: bytes) -> bool:
    return cell.isdigit() or _SUFFIXED.match(cell) is not None


def _size(cell: bytes) -> float:
    """``740412`` as it is; ``723Mi`` in bytes (free's suffixes are powers of 1024)."""
    match = _SUFFIXED.match(cell)
    if match is None:
        return parse_cell(cell)
    return float(match["number"].replace(b",", b".")) * 1024.0 ** _POWER[match["suffix"][:1]]
