"""Parser of `svmon -G`: the partition's memory by kind, in pages of 4 KB unless -O says otherwise.

                   size       inuse        free         pin     virtual   mmode
    memory      1048576     1039740        8836      285078      474993     Ded
    pg space     917504        2574

                   work        pers        clnt       other
    pin          248379           0        2107       34592
    in use       474993           0      564747

    PageSize   PoolSize       inuse        pgsp         pin     virtual
    s    4 KB         -      666956        2574       60726      102209
    m   64 KB         -       23299           0       14022       23299
    Unit: KB                                                                -O unit=KB: bytes instead of pages

A row's words and a column's heading together name a series: ``memory inuse``, ``pin work``. The numbers of a
page size are in pages of that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isnan, nan

from tunebench.families.cells import number_of
from tunebench.families.confidence import of_first
from tunebench.families.runs import text_of_head
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, lazy_pattern

_ROW = lazy_pattern(r"^\s*(?P<name>memory|pg space|pin|in use|ucomprsd|comprsd)\s+(?P<cells>[\d.-].*)$")
_PAGES = lazy_pattern(r"^\s*(?P<name>[smLS])\s+(?P<size>\d+) (?P<unit>[KMG]B)\s+(?P<cells>[\d.-].*)$")
_UNIT = lazy_pattern(r"^\s*Unit:\s*(?P<unit>\w+)\s*$")
_HEADINGS = (["size", "inuse"], ["work", "pers"], ["PageSize", "PoolSize"], ["size", "inuse,"])
_TABLE_OF_UNIT = {"page": "memory", "KB": "memory_kibi", "MB": "memory_mebi", "GB": "memory_gibi"}


class SvmonParser(StampedParser):
    """See the module."""

    tool, os = "svmon", "aix"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.variant = "-G"
        self._unit = "page"
        self._mode = ""  # Ded, Shrd, Ded-E ...: how the partition has its memory

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = [line.decode("ascii", "replace").split() for line in body_lines(text_of_head(head))]
        return of_first(pairwise(lines), lambda two: two[0][:2] == ["size", "inuse"] and two[1][:1] == ["memory"], 5)

    def begins_round(self, line: bytes) -> bool:
        return line.split()[:2] == [b"size", b"inuse"]

    def facts(self) -> Sequence[SystemFact]:
        return [SystemFact("memory", "mmode", self._mode)] if self._mode else []

    def read_round(self, one: Round) -> None:
        headings: list[str] = []
        memory: dict[str, float] = {}
        first = 0
        for number, line in one.lines:
            text = line.decode("ascii", "replace")
            words = text.split()
            unit = _UNIT.match(text)
            if unit is not None or set(text.strip()) == {"-"}:
                self._unit = unit["unit"] if unit is not None else self._unit
                self.book.header()
            elif words[:2] in _HEADINGS:
                headings = words[2:] if words[0] == "PageSize" else words
                self.book.header()
            elif self._read_memory(text, headings, memory) or self._read_pages(one, number, text, headings):
                first = first or number
                self.book.data()
            else:
                self.skip_line(number, line)
        if memory:
            names = tuple(memory)
            self.table(_TABLE_OF_UNIT.get(self._unit, "memory"), names).row(
                one.time_ns, first, "", [memory[name] for name in names]
            )

    def _read_memory(self, text: str, headings: list[str], memory: dict[str, float]) -> bool:
        match = _ROW.match(text)
        values = _numbers(match["cells"], len(headings)) if match is not None and headings else None
        if match is None or values is None:
            return False
        for heading, value in zip(headings, values, strict=False):
            if heading == "mmode":
                self._mode = match["cells"].split()[-1]
            elif not isnan(value):
                memory.setdefault(f"{match['name']} {heading}", value)
        return True

    def _read_pages(self, one: Round, number: int, text: str, headings: list[str]) -> bool:
        match = _PAGES.match(text)
        if match is None or not headings:
            return False
        # PoolSize comes first and is a dash for sizes without a pool
        values = _numbers(match["cells"], len(headings) + 1)
        if values is None or len(values) != len(headings) + 1:
            return False
        names = ("PoolSize", *headings)
        self.table("page_size", names, "group").row(one.time_ns, number, f"{match['size']} {match['unit']}", values)
        return True


def _numbers(cells: str, most: int) -> list[float] | None:
    """The cells as numbers, NaN for a word behind a number; None where there are too many."""
    words = cells.split()
    if len(words) > most:
        return None
    return [nan if (value := number_of(word.encode())) is None else value for word in words]
