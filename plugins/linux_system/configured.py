"""Base of parsers whose rounds tell the host's configuration beside what is measured: sizes of memory and file systems.

The readers are those of the inventory, so that the facts have the same names; what changes by itself is a series.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.readings import Reading, facts_of
from tunebench.sdk import ParseContext, Round, StampedParser, SystemFact, decode_text

_LONGEST = 8000  # bytes of a line that tells something


class ConfiguredParser(StampedParser):
    """A subclass gives `section` and `read_configuration`, and calls `remember` with each round."""

    section = ""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._last: tuple[tuple[int, bytes], ...] = ()

    def read_configuration(self, lines: Sequence[str]) -> Iterable[Reading]:
        raise NotImplementedError

    def remember(self, one: Round) -> None:
        """The latest round that has the tool's lines counts."""
        self._last = one.lines

    def facts(self) -> Sequence[SystemFact]:
        lines = [decode_text(line) for _, line in self._last if b"\0" not in line and len(line) <= _LONGEST]
        steady = (one for one in self.read_configuration(lines) if not one.volatile)
        return facts_of((self.section, one) for one in steady)
