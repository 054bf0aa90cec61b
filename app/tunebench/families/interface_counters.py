"""Base of parsers of `netstat -in` as AIX and HP-UX print it, in a loop: counters, and rates between two rounds.

    Name  Mtu   Network     Address            Ipkts Ierrs    Opkts Oerrs  Coll           AIX
    en0   1500  link#2      e2.14.5.a0.1c.2   905512     0   771208     0     0
    en0   1500  10.1.20     10.1.20.41        905512     0   771208     0     0
    Name      Mtu  Network         Address         Ipkts   Ierrs Opkts   Oerrs Coll       HP-UX
    lan0      1500 10.1.20.0       10.1.20.51      905512  0     771208  0     0
    lan1*     1500 none            none            0       0     0       0     0          down

The counters are the interface's in each of its rows, so only the first row of an interface is taken; the
addresses are facts.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.domain.capturing.run import SystemFact
from tunebench.families.runs import text_of_head
from tunebench.sdk.parsing import ParseContext
from tunebench.sdk.stamped import Round, StampedParser, body_lines
from tunebench.sdk.text import decode_text

_BEGINNING = ["Name", "Mtu", "Network", "Address", "Ipkts", "Ierrs", "Opkts"]
_BEFORE_COUNTERS = 4
_MOST_FACTS = 2000


def read_heading(line: bytes) -> tuple[str, ...]:
    """The counters' headings; empty where the line is no heading of these systems (others count bytes as well)."""
    words = decode_text(line).split()
    return tuple(words[_BEFORE_COUNTERS:]) if words[: len(_BEGINNING)] == _BEGINNING else ()


class InterfaceCountersParser(StampedParser):
    """A subclass names its system; `link_rows`: whether its interfaces have a ``link#`` row."""

    tool = "netstat"
    link_rows = False

    @classmethod
    def sniff(cls, head: bytes, file_name: str) -> float:  # noqa: ARG003  the text alone decides
        lines = body_lines(text_of_head(head))
        first = next((index for index, line in enumerate(lines[:-1]) if read_heading(line)), None)
        if first is None or any(b"<Link" in line for line in lines[first : first + 4]):
            return 0.0
        if any(b" link#" in line for line in lines[first + 1 : first + 6]) is not cls.link_rows:
            return 0.0
        return 0.95 if first < 4 else 0.6

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-i"
        self._heading: tuple[str, ...] = ()
        self._addresses: dict[str, str] = {}

    def facts(self) -> Sequence[SystemFact]:
        return [SystemFact("network", name, value) for name, value in self._addresses.items()]

    def begins_round(self, line: bytes) -> bool:
        return bool(read_heading(line))

    def read_round(self, one: Round) -> None:
        seen: set[str] = set()
        for number, line in one.lines:
            heading = read_heading(line)
            self._heading = heading or self._heading
            if heading:
                self.book.header()
            elif self._read_row(one, number, decode_text(line).split(), seen):
                self.book.data()
            else:
                self.skip_line(number, line)

    def _read_row(self, one: Round, number: int, words: list[str], seen: set[str]) -> bool:
        start = max(len(words) - len(self._heading), 0)
        before, counted = words[:start], words[start:]
        if not self._heading or len(counted) != len(self._heading):
            return False
        if len(before) not in (_BEFORE_COUNTERS - 1, _BEFORE_COUNTERS):
            return False  # an interface may have no address
        if not all(word.isdecimal() and len(word) <= 20 for word in counted):
            return False
        name = before[0].rstrip("*")
        if len(before) == _BEFORE_COUNTERS and len(self._addresses) < _MOST_FACTS:
            self._addresses[f"{name} {before[2]}"] = " ".join(before[1:])
        if name not in seen:
            seen.add(name)
            values = [float(word) for word in counted]
            self.add_counters(one, number, "interface", self._heading, "interface", name, values)
        return True
