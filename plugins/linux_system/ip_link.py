"""`ip -s link` of iproute2 (also -s -s, and `ip -s addr`) in a loop: counters, and rates between two rounds.

    4: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 qdisc pfifo_fast state UP mode DEFAULT group default qlen 1000
        link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff
        RX:  bytes packets errors dropped  missed   mcast
          78912345   59417      0       0       0       0
        RX errors:  length    crc   frame    fifo overrun
                         0      0       0       0       0
        TX:  bytes packets errors dropped carrier collsns
          12345678   37761      0       0       0       0
        RX: bytes  packets  errors  dropped overrun mcast                                      before iproute2 5.13

Columns are named by block and heading: ``RX bytes``, ``TX carrier``, ``RX errors crc``; rates are per second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tunebench.families.linux.readings import read_ip
from tunebench.families.readings import Reading
from tunebench.sdk import ParseContext, Round, body_lines, decode_text, lazy_pattern

from .configured import ConfiguredParser

_INTERFACE = lazy_pattern(rb"^(?P<index>\d+): (?P<name>[^\s:]+): <[^>]*> ")
_HEADING = lazy_pattern(rb"^\s+(?P<block>[RT]X(?: errors)?):\s+(?P<names>[a-z]+(?:\s+[a-z]+)*)\s*$")
_NUMBERS = lazy_pattern(rb"^\s+\d{1,20}(?:\s+\d{1,20})*\s*$")
_DESCRIPTION = lazy_pattern(
    rb"^\s+(?:link/|inet6? |altname |alias |valid_lft |vf \d|promiscuity |bridge|vlan |prog/|parent)"
)


class IpLinkParser(ConfiguredParser):
    """See the module."""

    tool, os = "ip", "linux"
    section = "network"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._first = b""
        self._interface = ""
        self._line = 0
        self._counters_of_interface: dict[str, float] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        blocks = sum(
            _HEADING.match(line) is not None and _NUMBERS.match(row) is not None for line, row in pairwise(lines)
        )
        return 0.95 if blocks and any(_INTERFACE.match(line) for line in lines) else 0.0

    def begins_round(self, line: bytes) -> bool:
        match = _INTERFACE.match(line)
        if match is None:
            return False
        self._first = self._first or match["index"]
        return match["index"] == self._first

    def read_configuration(self, lines: Sequence[str]) -> Iterable[Reading]:
        return read_ip(lines)

    def read_round(self, one: Round) -> None:
        self.remember(one)
        heading: re.Match[bytes] | None = None
        for number, line in one.lines:
            interface = _INTERFACE.match(line)
            if interface is not None:
                self._close_interface(one)
                self._interface, self._line = decode_text(interface["name"]).partition("@")[0], 0
                self._first = self._first or interface["index"]
                self.book.header()
            elif heading is not None and _NUMBERS.match(line) and self._add(number, heading, line.split()):
                self.book.data()
            elif _HEADING.match(line) or _DESCRIPTION.match(line):
                self.book.header()
            else:
                self.skip_line(number, line)
            heading = _HEADING.match(line)
        self._close_interface(one)

    def _add(self, number: int, heading: re.Match[bytes], cells: list[bytes]) -> bool:
        names = decode_text(heading["names"]).split()
        block = heading["block"].decode()
        own = {f"{block} {name}": float(cell) for name, cell in zip(names, cells, strict=False)}
        if not self._interface or len(names) != len(cells) or own.keys() & self._counters_of_interface.keys():
            return False
        self._line = self._line or number
        self._counters_of_interface.update(own)
        return True

    def _close_interface(self, one: Round) -> None:
        counters, self._counters_of_interface = self._counters_of_interface, {}
        if counters:
            names, values = tuple(counters), tuple(counters.values())
            self.add_counters(one, self._line, "interface", names, "interface", self._interface, values)
        self._interface = ""
