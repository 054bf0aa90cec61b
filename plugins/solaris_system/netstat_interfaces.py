"""Parser of Solaris netstat -i, once or in a loop: counters, and rates between two rounds.

    Name  Mtu  Net/Dest      Address        Ipkts  Ierrs Opkts  Oerrs Collis Queue
    ce0   1500 10.1.20.0     10.1.20.31     905512 0     771208 0     0      0
    Name  Mtu  Net/Dest                    Address                     Ipkts  Ierrs Opkts  Oerrs Collis      IPv6

With an interval and without -a netstat prints another table (``input  ce0  output``), which is not this one's.
"""

from __future__ import annotations

from tunebench.families.confidence import of_first
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, body_lines, decode_text, lazy_pattern

_HEADING = lazy_pattern(rb"^Name\s+Mtu\s+Net/Dest\s+Address\s+Ipkts\s+Ierrs\s+Opkts\s+Oerrs\s+Collis(?:\s+Queue)?\s*$")
_FIRST_COUNTER = 4
_GAUGES = frozenset({"Queue"})


class NetstatInterfacesParser(StampedParser):
    """See the module."""

    tool, os = "netstat", "sunos"
    ends_lines = True

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-i"
        self._names: tuple[str, ...] = ()
        self._version6 = False

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(body_lines(text_of_head(head)), _HEADING.match, 2)

    def begins_round(self, line: bytes) -> bool:
        return _HEADING.match(line) is not None and b"Queue" in line

    def read_round(self, one: Round) -> None:
        self._names = ()
        for number, line in one.lines:
            if _HEADING.match(line):
                self._names = tuple(decode_text(line).split()[_FIRST_COUNTER:])
                self._version6 = "Queue" not in self._names
                self.book.header()
            elif self._names and self._take_row(one, number, line):
                self.book.data()
            else:
                self.skip_line(number, line)

    def _take_row(self, one: Round, number: int, line: bytes) -> bool:
        cells = line.split()
        figures = cells[_FIRST_COUNTER:]
        if len(figures) != len(self._names) or not all(cell.isdigit() and len(cell) <= 20 for cell in figures):
            return False
        counted = dict(zip(self._names, map(float, figures), strict=True))
        names = tuple(name for name in counted if name not in _GAUGES)
        table = "interface6" if self._version6 else "interface"
        interface = decode_text(cells[0])
        self.add_counters(one, number, table, names, "interface", interface, [counted[name] for name in names])
        if "Queue" in counted:
            self.table("queue", ("Queue",), "interface").row(one.time_ns, number, interface, [counted["Queue"]])
        return True
