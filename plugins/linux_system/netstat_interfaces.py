"""`netstat -i` of net-tools in a loop: counters, and rates between two rounds.

Kernel Interface table
Iface             MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg      net-tools 2
eth0             1400    59417      0      0 0         37761      0      0      0 BMRU
Iface       MTU Met    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg        net-tools 1.60
eth0       1500   0  1234567      0      0      0   654321      0      0      0 BMRU
eth0:1     1400      - no statistics available -                                BMRU
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.linux.hardware import read_netstat_interfaces
from tunebench.families.readings import Reading
from tunebench.sdk import ParseContext, Round, body_lines, decode_text

from .configured import ConfiguredParser

_TITLE = b"Kernel Interface table"
_NO_COUNTERS = frozenset({"MTU", "Met"})


def read_heading(line: bytes) -> tuple[str, ...]:
    """The columns after the interface's name; empty where the line is no heading."""
    words = decode_text(line).split()
    if words[:2] != ["Iface", "MTU"] or "RX-OK" not in words or words[-1] != "Flg":
        return ()
    return tuple(words[1:-1])


class NetstatInterfacesParser(ConfiguredParser):
    """See the module."""

    tool, os = "netstat", "linux"
    section = "network"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._heading: tuple[str, ...] = ()
        self.book.variant = "-i"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return 0.95 if any(read_heading(line) for line in body_lines(head)) else 0.0

    def begins_round(self, line: bytes) -> bool:
        return line.startswith(_TITLE)

    def read_configuration(self, lines: Sequence[str]) -> Iterable[Reading]:
        return read_netstat_interfaces(lines)

    def read_round(self, one: Round) -> None:
        self.remember(one)
        for number, line in one.lines:
            heading = read_heading(line)
            self._heading = heading or self._heading
            if heading or line.startswith(_TITLE):
                self.book.header()
            elif self._read_row(one, number, line):
                self.book.data()
            else:
                self.skip_line(number, line, "message" if b"no statistics" in line else "not_a_table")

    def _read_row(self, one: Round, number: int, line: bytes) -> bool:
        cells = line.split()
        if not self._heading or len(cells) != len(self._heading) + 2:
            return False
        if not all(cell.isdigit() and len(cell) <= 20 for cell in cells[1:-1]):
            return False
        counted = {name: float(cell) for name, cell in zip(self._heading, cells[1:], strict=False)}
        names = tuple(name for name in counted if name not in _NO_COUNTERS)
        values = [counted[name] for name in names]
        self.add_counters(one, number, "interface", names, "interface", decode_text(cells[0]), values)
        return True
