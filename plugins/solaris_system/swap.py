"""Parser of Solaris swap -s and swap -l, once or in a loop.

    total: 1482968k bytes allocated + 166504k reserved = 1649472k used, 17767520k available       -s
    swapfile             dev  swaplo blocks   free                                                -l
    /dev/dsk/c0t0d0s1   118,9      16 8389648 8389648                             blocks of 512 bytes
    /dev/zvol/dsk/rpool/swap 256,1      16 8388592 8388592 no                     Solaris 11: encrypted

Allocated and reserved add up to used; available is what can still be reserved (swap(1M)). The swap areas are facts as
well, under the names of the inventory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tunebench.families.confidence import of_first
from tunebench.families.readings import Reading, facts_of
from tunebench.families.runs import text_of_head
from tunebench.families.solaris.readings import read_swap
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, decode_text, lazy_pattern

_TOTAL = lazy_pattern(
    rb"^\s*total:\s*(?P<allocated>\d+)k bytes allocated \+ (?P<reserved>\d+)k reserved = (?P<used>\d+)k used, "
    rb"(?P<available>\d+)k available\s*$"
)
_COLUMNS = ("allocated", "reserved", "used", "available")
_HEADING = lazy_pattern(rb"^\s*swapfile\s+dev\s+swaplo\s+blocks\s+free\b")
_AREA = lazy_pattern(
    rb"^(?P<name>\S+)\s+(?P<dev>\S+)\s+(?P<swaplo>\d+)\s+(?P<blocks>\d{1,18})\s+(?P<free>\d{1,18})(?:\s+\w+)?$"
)


class SwapParser(StampedParser):
    """See the module."""

    tool, os = "swap", "sunos"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._areas: dict[str, tuple[Reading, ...]] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_first(
            body_lines(text_of_head(head)), lambda line: _TOTAL.match(line) or _HEADING.match(line), 1, below=0.5
        )

    def begins_round(self, line: bytes) -> bool:
        return _TOTAL.match(line) is not None or _HEADING.match(line) is not None

    def facts(self) -> Sequence[SystemFact]:
        return facts_of(("memory", one) for readings in self._areas.values() for one in readings)

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            text = line.strip()
            total, area = _TOTAL.match(text), _AREA.match(text)
            if total is not None:
                self.book.variant = "-s"
                values = [float(total[name]) for name in _COLUMNS]
                self.table("swap", _COLUMNS).row(one.time_ns, number, "", values)
                self.book.data()
            elif _HEADING.match(text):
                self.book.variant = "-l"
                self.book.header()
            elif area is not None:
                self._put_area(one, number, area)
            else:
                self.skip_line(number, line)

    def _put_area(self, one: Round, number: int, area: re.Match[bytes]) -> None:
        name = decode_text(area["name"])
        self._areas[name] = tuple(read_swap([decode_text(area.group())]))
        values = [float(area["blocks"]), float(area["free"])]
        self.table("area", ("blocks", "free"), "device").row(one.time_ns, number, name, values)
        self.book.data()
