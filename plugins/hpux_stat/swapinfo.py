"""Parser of HP-UX swapinfo in a loop.

                 Mb      Mb      Mb   PCT  START/      Mb
    TYPE      AVAIL    USED    FREE  USED   LIMIT RESERVE  PRI  NAME
    dev        4096     215    3881    5%       0       -    1  /dev/vg00/lvol2
    reserve       -     466    -466
    memory     2028    1090     938   54%
    total      6124    1771    4353   29%       -       0    -                     -t

The line above the heading tells the unit: each has a table of its own. Reserved space is free space that is
taken already, hence its negative FREE. The second USED is a percentage and is stored as ``PCT USED``.
"""

from __future__ import annotations

from tunebench.families.cells import numbers_of
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, lazy_pattern

from .sniffing import sniff_swapinfo

_UNITS = lazy_pattern(r"^\s*(?P<unit>[KM]b)\s+(?P=unit)\s+(?P=unit)\s+PCT\b")
_TABLES = {"Kb": "swap", "Mb": "swap_mebi"}
_TYPES = frozenset({"dev", "fs", "localfs", "network", "reserve", "memory", "total", "hold", "dump"})
_NUMBERS = ("AVAIL", "USED", "FREE", "PCT USED", "START/LIMIT", "RESERVE", "PRI")


class SwapinfoParser(StampedParser):
    """An area is named by its device; what has none by its type."""

    tool, os = "swapinfo", "hp-ux"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._table = "swap"

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_swapinfo(text_of_head(head))

    def begins_round(self, line: bytes) -> bool:
        return _UNITS.match(line.decode("ascii", "replace")) is not None

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            text = line.decode("utf-8", "replace")
            words = text.split()
            units = _UNITS.match(text)
            if units is not None:
                self._table = _TABLES[units["unit"]]
                self.book.header()
            elif words[:2] == ["TYPE", "AVAIL"]:
                self.book.header()
            elif words[0] in _TYPES and self._read_area(one.time_ns, number, words):
                self.book.data()
            else:
                self.skip_line(number, line)

    def _read_area(self, time_ns: int, number: int, words: list[str]) -> bool:
        values = numbers_of(word.encode() for word in words[1 : 1 + len(_NUMBERS)])
        if values is None or len(values) < 3:
            return False
        values += [float("nan")] * (len(_NUMBERS) - len(values))
        name = words[1 + len(_NUMBERS)] if len(words) > 1 + len(_NUMBERS) else words[0]
        self.table(self._table, _NUMBERS, "device").row(time_ns, number, name, values)
        return True
