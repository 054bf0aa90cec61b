"""/proc/meminfo in a loop.

    MemTotal:       24684084 kB
    Active(anon):       1612 kB
    HugePages_Total:       0
    Mem-info:                                         not this file

One column per line, under the kernel's name; values are KiB (the kernel writes kB), huge pages are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tunebench.families.confidence import of_share
from tunebench.families.linux.readings import read_meminfo
from tunebench.families.readings import Reading
from tunebench.sdk import ParseContext, Round, body_lines, decode_text, lazy_pattern

from .configured import ConfiguredParser

_LINE = lazy_pattern(rb"^(?P<name>[A-Z]\w*(?:\(\w+\))?):\s+(?P<value>\d{1,20})(?P<unit> kB)?\s*$")
_FIRST = b"MemTotal:"


class MeminfoParser(ConfiguredParser):
    """See the module."""

    tool, os = "meminfo", "linux"
    section = "memory"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._names: dict[str, None] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        lines = body_lines(head)
        return of_share(lines, _LINE.match, 0.8) if any(line.startswith(_FIRST) for line in lines[:3]) else 0.0

    def begins_round(self, line: bytes) -> bool:
        return line.startswith(_FIRST)

    def read_configuration(self, lines: Sequence[str]) -> Iterable[Reading]:
        return read_meminfo(lines)

    def read_round(self, one: Round) -> None:
        self.remember(one)
        values: dict[str, float] = {}
        first_line = 0
        for number, line in one.lines:
            match = _LINE.match(line)
            name = decode_text(match["name"]) if match else ""
            if match is None or name in values:
                self.skip_line(number, line)
                continue
            self.book.data()
            first_line = first_line or number
            values[name] = float(match["value"])
        if values:
            self._names.update(dict.fromkeys(values))
            row = [values.get(name, float("nan")) for name in self._names]
            self.table("memory", tuple(self._names)).row(one.time_ns, first_line, "", row)
