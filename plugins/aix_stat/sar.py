"""Parser of AIX sar.

    AIX tacora1 2 7 00F93CFF4C00    04/20/20

    System configuration: lcpu=96 drives=21  mode=Capped

    00:00:00     device    %busy    avque    r+w/s    Kbs/s   avwait   avserv

    00:01:00 asm/localapps-108      0      0.0        0        0      0.0      0.0
                hdisk40      0      0.0        1      217      0.0      2.0
    05:23:08 cpu    %usr    %sys    %wio   %idle   physc   %entc                      -P ALL
    05:23:11  0        8      92       0       0    1.00    50.0
              -        4      46       0      50    1.99    99.5                      all of them
    02:15:03  unix restarts

The banner gives release before version (2 7 is AIX 7.2). The configuration line stands above every section. A
processor's ``-`` is the whole partition and is stored as ``all``; ``U`` is what nobody used. The date is
month/day/year.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from tunebench.families.runs import text_of_head
from tunebench.families.sar.system_v import SystemVSarParser
from tunebench.sdk import ParseContext, SystemFact, lazy_pattern

from .configuration import Configuration
from .sniffing import sniff_sar

_BANNER = lazy_pattern(
    rb"^AIX (?P<host>\S+) (?P<release>\d+) (?P<version>\d+) [0-9A-Fa-f]{8,16}\s+(?P<date>\d\d/\d\d/\d{2,4})$"
)


class SarParser(SystemVSarParser):
    """See the module."""

    banner = _BANNER
    os = "aix"
    tables: ClassVar = {
        "%usr": "cpu", "%busy": "device", "runq-sz": "queue", "bread/s": "buffer", "scall/s": "system_calls",
        "iget/s": "file_access", "rawch/s": "tty", "proc-sz": "kernel_tables", "msg/s": "messages", "slots": "paging",
        "cswch/s": "switching", "ksched/s": "kernel_processes",
    }  # fmt: skip
    whole_system = frozenset({b"-"})

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._configuration = Configuration(self.book)
        self._last_row: tuple[str, int] = ("", 0)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_sar(text_of_head(head))

    def release_of(self, banner: re.Match[bytes]) -> str:
        return f"{banner['version'].decode()}.{banner['release'].decode()}"

    def take_note(self, number: int, text: bytes) -> bool:
        if not self._configuration.take(number, text):
            return False
        if text.lstrip().startswith(b"System configuration:"):
            self.end_sections()
        return True

    def row_at(self, table: str, time_ns: int) -> None:
        """A changed configuration is news only where the same section goes on."""
        if self._configuration.pending:
            if self._last_row[0] == table and self._last_row[1] < time_ns:
                events = self._configuration.confirm(time_ns)
                self.times.events.extend(event for event in events if event not in self.times.events)
            else:
                self._configuration.discard()
        self._last_row = (table, time_ns)

    def facts(self) -> Sequence[SystemFact]:
        return self._configuration.facts()
