"""Parser of netstat -i -b -n of FreeBSD and macOS in a loop: counters, and rates between two rounds.

    Name    Mtu Network       Address              Ipkts Ierrs Idrop     Ibytes    Opkts Oerrs     Obytes  Coll
    em0    1500 <Link#1>      08:00:27:4e:66:a1  1234567     0     0  987654321  7654321     0  123456789     0
    em0       - 10.0.0.0/24   10.0.0.5              9000     -     -    4000000     7000     -    1500000     -
    lo0   16384 <Link#2>                            10     0     0       1000      10     0       1000     0
    ixl1*  1500 <Link#3>      ...                                                  down: an asterisk

The counters of an interface stand in its ``<Link#>`` row; the rows of its addresses count a part of the same
packets and are facts. An interface may have no address: its row is narrower by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.families.confidence import of_first
from tunebench.families.readings import Reading, facts_of
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, decode_text, lazy_pattern

_HEADING = lazy_pattern(
    rb"^Name\s+Mtu\s+Network\s+Address\s+Ipkts\s+Ierrs\s+(?:Idrop\s+)?(?:Ibytes\s+)?Opkts\s+Oerrs\b.*$"
)
_NOT_ELSEWHERE = (b"Idrop", b"Ibytes")
_BEFORE_COUNTERS = 4
_NAN = float("nan")


class NetstatInterfacesParser(StampedParser):
    """See the module."""

    tool, os = "netstat", "freebsd"
    ends_lines = True

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._names: tuple[str, ...] = ()
        self._addresses: dict[str, Reading] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(body_lines(text_of_head(head)), _is_heading, 2)

    def begins_round(self, line: bytes) -> bool:
        return _is_heading(line)

    def facts(self) -> Sequence[SystemFact]:
        return facts_of(("network", one) for one in self._addresses.values())

    def read_round(self, one: Round) -> None:
        self.book.variant = "-i"
        for number, line in one.lines:
            if _is_heading(line):
                self._names = tuple(decode_text(line).split()[_BEFORE_COUNTERS:])
                self.book.os = "freebsd" if "Idrop" in self._names else "darwin"
                self.book.header()
            elif self._names and self._take_row(one, number, line):
                self.book.data()
            else:
                self.skip_line(number, line)

    def _take_row(self, one: Round, number: int, line: bytes) -> bool:
        cells = line.split()
        figures, before = cells[-len(self._names) :], cells[: -len(self._names)]
        if not 2 <= len(before) <= _BEFORE_COUNTERS or not all(_is_counter(cell) for cell in figures):
            return False
        interface = decode_text(before[0].rstrip(b"*"))
        if len(before) < 3 or not before[2].startswith(b"<Link#"):
            self._remember(interface, [decode_text(cell) for cell in before[2:]])
            return True
        values = [_NAN if cell == b"-" else float(cell) for cell in figures]
        self.add_counters(one, number, "interface", self._names, "interface", interface, values)
        return True

    def _remember(self, interface: str, words: list[str]) -> None:
        if words and len(self._addresses) < 2000:
            name = f"{interface} {words[0]}"
            self._addresses[name] = Reading(name, " ".join(words[1:]))


def _is_heading(line: bytes) -> bool:
    return _HEADING.match(line) is not None and any(word in line for word in _NOT_ELSEWHERE)


def _is_counter(cell: bytes) -> bool:
    return cell == b"-" or (cell.isdigit() and len(cell) <= 20)
