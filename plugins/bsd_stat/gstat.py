"""Parser of FreeBSD's gstat -b and -B.

    dT: 1.002s  w: 1.000s
     L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w    d/s   kBps   ms/d   %busy Name        -d
        0     12      4     32    0.4      8     64    0.8      0      0    0.0     2.1| ada0
       10    316    316  36079   18.6      0      0    0.0  111.8| ada0                     more than 100 is printed
        0      0      0      0    0.0      0      0    0.0    0.0  gpt/my disk              -b without the bar

``kBps`` stands behind the requests it belongs to. Every report covers its own dT; nothing is an average since boot.
"""

from __future__ import annotations

from tunebench.families.cells import numbers_of
from tunebench.families.confidence import of_first
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_REPORT = lazy_pattern(rb"^\s*dT:\s*\d+[.,]\d+s\s+w:\s*(?P<wait>\d+[.,]\d+)s")
_HEADING = lazy_pattern(rb"^\s*L\(q\)\s+ops/s\s+.*%busy\s+Name\s*$")
_DIRECTIONS = {"r/s": "read", "w/s": "write", "d/s": "discard", "o/s": "other"}


def name_columns(words: list[str]) -> tuple[tuple[str, ...], tuple[tuple[tuple[str, str], ...], ...]]:
    """The columns, and for each ``kBps`` the direction of the requests before it."""
    direction, attributes = "", []
    for word in words:
        direction = _DIRECTIONS.get(word, direction)
        attributes.append((("direction", direction),) if word == "kBps" else ())
    return tuple(words), tuple(attributes)


class GstatParser(StampedParser):
    """See the module."""

    tool, os = "gstat", "freebsd"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._names: tuple[str, ...] = ()
        self._attributes: tuple[tuple[tuple[str, str], ...], ...] = ()

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(body_lines(text_of_head(head)), _HEADING.match, 3)

    def begins_round(self, line: bytes) -> bool:
        report = _REPORT.match(line)
        if report is not None and self.round_clock.interval_s is None:
            self.round_clock.interval_s = float(report["wait"].replace(b",", b".")) or None
        return report is not None

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            if _REPORT.match(line):
                self.book.header()
            elif _HEADING.match(line):
                self._names, self._attributes = name_columns(decode_text(line).split()[:-1])
                self.book.header()
            elif self._names and self._take_row(one, number, line):
                self.book.data()
            else:
                self.skip_line(number, line)

    def _take_row(self, one: Round, number: int, line: bytes) -> bool:
        cells = line.split(None, len(self._names))
        values = numbers_of(cell.rstrip(b"|") for cell in cells[:-1])
        name = decode_text(cells[-1].lstrip(b"| ").rstrip())
        if values is None or len(values) != len(self._names) or not name:
            return False
        table = self.table("provider", self._names, "device", self._attributes)
        table.row(one.time_ns, number, name, values)
        return True
