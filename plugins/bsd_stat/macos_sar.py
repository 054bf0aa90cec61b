"""Parser of sar of macOS (until 10.13): -u, -d, -g, -p, -n DEV, -n EDEV.

    17:05:39   %usr  %nice   %sys   %idle
    17:05:40    5      0      3     92
    New Disk: [disk0] IODeviceTree:/PCI0@0/SATA@1F,2/PRT0@0/PMP@0/@0:0
    17:06:32  device    r+w/s    blks/s
    17:06:33  disk0        10       120
    17:07:17    IFACE    Ipkts/s      Ibytes/s     Opkts/s      Obytes/s
    17:07:18    lo0            0             0           0             0
    Average:      5      0      3     92                                     left out

There is no banner: the date is asked for. A ``New Disk`` line tells where a device is attached (a fact). Blocks are of
the device's own size, which sar does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tunebench.families.lines import EndingParser
from tunebench.families.runs import is_prompt, read_command, text_of_head, time_of_day_s
from tunebench.sdk import ParseContext, SampleBatch, SystemFact, TableBuilder, decode_text, lazy_pattern, record

_TABLES: dict[str, tuple[str, str | None]] = {
    "%usr": ("cpu", None),
    "device": ("device", "device"),
    "IFACE": ("interface", "interface"),
    "pgout/s": ("pageout", None),
    "pgin/s": ("pagein", None),
    "pflt/s": ("pagein", None),
}
_KEYED = frozenset({"device", "IFACE"})
_NEW_DISK = lazy_pattern(rb"^New Disk: \[(?P<device>[^\]\s]+)\]\s*(?P<place>.*)$")
_SNIFF = lazy_pattern(
    rb"^(?:\d\d:\d\d:\d\d[ \t]+(?:%usr[ \t]+%nice[ \t]+%sys[ \t]+%idle[ \t]*$|device[ \t]+r\+w/s[ \t]+blks/s[ \t]*$"
    rb"|IFACE[ \t]+I(?:pkts|errs)/s[ \t]+|pgin/s[ \t]+pflt/s[ \t]+vflt/s|pgout/s[ \t]*$)|New Disk: \[disk\d+\])",
    re.MULTILINE,
)
_FIGURES = b"0123456789.,- \t"
_TOOLS = frozenset({"sar"})
_MOST_DISKS = 1000


@record
class _Layout:
    builder: TableBuilder
    keyed: bool


class SarParser(EndingParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os = "sar", "darwin"
        self._builders: dict[tuple[str, ...], TableBuilder] = {}
        self._layout: _Layout | None = None
        self._disks: dict[str, str] = {}

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        text = text_of_head(head)
        if re.search(rb"^(?:Linux|SunOS|AIX|HP-UX) ", text, re.MULTILINE):
            return 0.0
        return 0.9 if _SNIFF.search(text) else 0.0

    def facts(self) -> list[SystemFact]:
        return [SystemFact("disk", device, location) for device, location in self._disks.items()]

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            text = line.strip()
            if not text:
                self.book.blank()
            elif self.is_ending and self._layout is not None and text[:1].isdigit():
                self.book.skip("truncated", number, text)  # its last number may have lost digits
            elif not self._take_stamped(number, text):
                self._take_other(number, text)
        return self._flush(final=False)

    def close_tables(self) -> Iterable[SampleBatch]:
        return self._flush(final=True)

    def _take_stamped(self, number: int, text: bytes) -> bool:
        stamp, _, rest = text.partition(b" ")
        seconds = time_of_day_s(stamp)
        cells = rest.split()
        if seconds is None or not cells:
            return False
        words = tuple(decode_text(cell) for cell in cells)
        if words[0] in _TABLES:
            self._begin(words, seconds)
            self.book.header()
            return True
        return self._layout is not None and self._take_row(number, seconds, cells, self._layout)

    def _begin(self, words: tuple[str, ...], seconds: int) -> None:
        table, key = _TABLES[words[0]]
        columns = words[1:] if words[0] in _KEYED else words
        if table == "interface" and any(word.startswith("Ierr") for word in columns):
            table = "interface_errors"
        builder = self._builders.get((table, *columns))
        if builder is None:
            builder = self._builders[table, *columns] = TableBuilder(table, columns, key, self.book)
        self.times.begin_table(table, seconds)
        self._layout = _Layout(builder, key is not None)

    def _take_row(self, number: int, seconds: int, cells: list[bytes], layout: _Layout) -> bool:
        key = cells.pop(0) if layout.keyed else b""
        if len(cells) != len(layout.builder.headings) or b"".join(cells).translate(None, _FIGURES):
            return False
        self.times.begin_table(layout.builder.table)
        layout.builder.row(self.times.at_time_of_day(seconds), number, key, b" ".join(cells))
        self.book.data()
        return True

    def _take_other(self, number: int, text: bytes) -> None:
        disk = _NEW_DISK.match(text)
        command = read_command(text, _TOOLS)
        if disk is not None:
            if len(self._disks) < _MOST_DISKS:
                self._disks[decode_text(disk["device"])] = decode_text(disk["place"])
            self.book.header()
        elif text.startswith(b"Average:"):
            self.book.skip("average", number, text)
        elif command is not None or is_prompt(text):
            self.book.skip("wrapper", number, text)
        else:
            self.book.skip("prose", number, text)

    def _flush(self, final: bool) -> list[SampleBatch]:
        return [batch for builder in self._builders.values() for batch in builder.flush(final)]
