"""/proc/loadavg and uptime in a loop; uptime of other systems too.

0.04 0.05 0.21 1/95 31850                                                   running/all threads, last pid
 11:57:35 up  3:16,  2 users,  load average: 0.04, 0.05, 0.21
 11:57am  up 10 day(s), 20:01,  1 user,  load average: 0,12, 0,08, 0,05
"""

from __future__ import annotations

import re

from app.families.confidence import of_share
from app.sdk import ParseContext, Round, StampedParser, body_lines

_LOADAVG = re.compile(
    rb"^(\d{1,7}\.\d\d) (\d{1,7}\.\d\d) (\d{1,7}\.\d\d) (?P<running>\d{1,9})/(?P<threads>\d{1,9}) \d{1,10}\s*$"
)
_UPTIME = re.compile(
    rb"^\s*\d{1,2}[:.]\d\d\S*\s?(?:[AaPp][Mm])?\s+up\s.*?(?:(?P<users>\d{1,6}) users?,\s*)?"
    rb"load averages?:\s*(\d{1,7}[.,]\d+),?\s+(\d{1,7}[.,]\d+),?\s+(\d{1,7}[.,]\d+)\s*$"
)
_AVERAGES = ("load 1m", "load 5m", "load 15m")


class LoadavgParser(StampedParser):
    """See the module."""

    tool = "loadavg"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._known = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_share(body_lines(head), lambda line: _LOADAVG.match(line) or _UPTIME.match(line), 0.6, sure=0.9)

    def begins_round(self, line: bytes) -> bool:
        return _LOADAVG.match(line) is not None or _UPTIME.match(line) is not None

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            loadavg, uptime = _LOADAVG.match(line), _UPTIME.match(line)
            if loadavg is not None:
                self.book.os = "linux"
                self._add(one, number, "loadavg", loadavg, ("running", "threads"))
            elif uptime is not None:
                self._add(one, number, "uptime", uptime, ("users",))
            else:
                self.skip_line(number, line)

    def _add(self, one: Round, number: int, table: str, found: re.Match[bytes], others: tuple[str, ...]) -> None:
        self.book.data()
        cells = [cell for cell in found.groups() if cell is not None]
        named = {name: found[name] for name in others}
        averages = [cell for cell in cells if b"." in cell or b"," in cell]
        values = [float(cell.replace(b",", b".")) for cell in averages]
        values += [float("nan") if cell is None else float(cell) for cell in named.values()]
        self.table(table, (*_AVERAGES, *others)).row(one.time_ns, number, "", values)
