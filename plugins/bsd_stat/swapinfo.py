"""Parser of swapinfo of FreeBSD and swapctl -l of OpenBSD and NetBSD, once or in a loop.

    Device          1K-blocks     Used    Avail Capacity
    /dev/ada0p3       2097152    10240  2086912     0%
    Total             4194304    20480  4173824     0%
    Device      512-blocks     Used    Avail Capacity  Priority                            OpenBSD

The size of a block stands in the heading, so each size has a table of its own. The total is the device ``Total``.
"""

from __future__ import annotations

from tunebench.families.cells import numbers_of
from tunebench.families.confidence import of_first
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_HEADING = lazy_pattern(rb"^Device\s+(?P<blocks>1K|512|1M)-blocks\s+Used\s+Avail\s+Capacity(?:\s+Priority)?\s*$")
_TABLES = {b"1K": "swap", b"512": "swap_512", b"1M": "swap_mebi"}


class SwapinfoParser(StampedParser):
    """See the module."""

    tool, os = "swapinfo", "freebsd"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._names: tuple[str, ...] = ()
        self._table = ""

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(body_lines(text_of_head(head)), _HEADING.match, 2)

    def begins_round(self, line: bytes) -> bool:
        return _HEADING.match(line) is not None

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            heading = _HEADING.match(line)
            if heading is not None:
                self._names = tuple(decode_text(line).split()[1:])
                self._table = _TABLES[heading["blocks"]]
                self.book.header()
            elif self._names and self._take_row(one, number, line):
                self.book.data()
            else:
                self.skip_line(number, line)

    def _take_row(self, one: Round, number: int, line: bytes) -> bool:
        cells = line.split()
        if len(cells) == len(self._names) and cells[0] == b"Total":
            cells.append(b"-")  # a total has no priority
        values = numbers_of(cells[1:])
        if values is None or len(values) != len(self._names):
            return False
        self.table(self._table, self._names, "device").row(one.time_ns, number, decode_text(cells[0]), values)
        return True
