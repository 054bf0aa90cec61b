"""Inventory of a host: sections, each with the output of one command, turned into comparable facts.

    @section cpu lscpu
    CPU(s):                                  2
    Model name:                              AMD EPYC
    @section kernel sysctl -a
    vm.swappiness = 60
    @section zfs zpool list                        a command without a reader: one fact per line
    NAME    SIZE  ALLOC   FREE

A fact is (section, name, value); what a command prints of the moment (free memory, clock frequency, uptime)
goes into the section ``volatile``, so that two inventories differ only where the configuration differs.
Which command has which reader stands in `inventory_commands`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.families.readings import facts_of
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, body_lines, decode_text, lazy_pattern

from .inventory_commands import Reading, reader_of

_SECTION = lazy_pattern(rb"^@section (?P<name>[\w.:/-]+)(?: (?P<command>\S.*?))?\s*$")


class InventoryParser(StampedParser):
    """See the module."""

    tool = "inventory"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._section: tuple[str, str] | None = None
        self._readings: dict[tuple[str, str], tuple[Reading, ...]] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        sections = sum(_SECTION.match(line) is not None for line in body_lines(head)[:200])
        first = next((line for line in body_lines(head)), b"")
        return 0.97 if _SECTION.match(first) else 0.6 if sections > 1 else 0.0

    def facts(self) -> Sequence[SystemFact]:
        """The facts of all sections; a section that was taken twice counts as it was the last time."""
        return facts_of((section, one) for (section, _), readings in self._readings.items() for one in readings)

    def read_round(self, one: Round) -> None:
        own: list[tuple[int, bytes]] = []
        for number, line in one.lines:
            match = _SECTION.match(line)
            if match is None:
                own.append((number, line))
                continue
            self._close_section(own)
            own = []
            self._section = decode_text(match["name"]), decode_text(match["command"] or b"")
            self.book.header()
        self._close_section(own)
        self._section = None

    def _close_section(self, lines: Sequence[tuple[int, bytes]]) -> None:
        section = self._section
        if section is None:
            for number, line in lines:
                self.skip_line(number, line)
            return
        texts = list(self._texts(lines))
        self._readings[section] = tuple(reader_of(section[1])(texts))

    def _texts(self, lines: Sequence[tuple[int, bytes]]) -> Iterator[str]:
        """The readable lines; every line is booked here, facts do not go back to single lines."""
        for number, line in lines:
            if b"\0" in line:
                self.book.skip("nul_bytes", number, line)
            else:
                self.book.data()
                yield decode_text(line)
