"""Solaris netstat -i N, also -I: packets of one interface and of all of them, row by row.

        input   eri0      output       input  (Total)    output
    packets errs  packets errs  colls  packets errs  packets errs  colls
    486408174 5   499073054 3   0      486478441 5     499143324 3   0

The first row counts since the interface was set up, each further one over the interval before it: rates come of it.
"""

from __future__ import annotations

import re

from tunebench.families.confidence import of_first
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_INTERFACES = lazy_pattern(
    rb"^\s*input\s+\(?(?P<one>[\w.:]{1,64})\)?\s+output(?:\s+input\s+\(Total\)\s+output)?\s*$", re.ASCII
)
_COLUMNS = lazy_pattern(
    rb"^\s*packets\s+errs\s+packets\s+errs\s+colls(?:\s+packets\s+errs\s+packets\s+errs\s+colls)?\s*$"
)
_ROW = lazy_pattern(rb"^\s*\d{1,20}(?:\s+\d{1,20}){4}(?:(?:\s+\d{1,20}){5})?\s*$")
_NAMES = ("Ipkts", "Ierrs", "Opkts", "Oerrs", "Collis")
_RATES = tuple(f"{name}/s" for name in _NAMES)


class NetstatRoundsParser(StampedParser):
    """All interfaces together are the interface ``total``."""

    tool, os = "netstat", "sunos"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-i interval"
        self._interfaces: tuple[str, ...] = ()
        self._rows = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(body_lines(text_of_head(head)), _INTERFACES.match, 3)

    def place_line(self, number: int, line: bytes) -> None:
        """A heading belongs to no round: it stands above every twentieth row or so."""
        match = _INTERFACES.match(line)
        if match is None and not _COLUMNS.match(line):
            super().place_line(number, line)
            return
        if match is not None:
            self._interfaces = (decode_text(match["one"]), "total")
        self.book.header()

    def begins_round(self, line: bytes) -> bool:
        return _ROW.match(line) is not None

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            if self._interfaces and _ROW.match(line):
                self._take_row(one, number, [float(cell) for cell in line.split()])
                self.book.data()
            else:
                self.skip_line(number, line)

    def _take_row(self, one: Round, number: int, counted: list[float]) -> None:
        self._rows += 1
        for start, interface in zip(range(0, len(counted), len(_NAMES)), self._interfaces, strict=False):
            values = counted[start : start + len(_NAMES)]
            if self._rows == 1:
                self.table("counters_interface", _NAMES, "interface").row(one.time_ns, number, interface, values)
            else:  # not a number where no interval is known
                rates = [value / one.seconds for value in values]
                self.table("interface", _RATES, "interface").row(one.time_ns, number, interface, rates)
