"""Parser of ``sadf -r`` (sysstat 11.7 on): the counters as they stand in the file, before sar makes figures of them.

    07:10:15 UTC; CPU; -1; %user; 95396; 95546; %nice; 19; 23; ...
    07:10:15 UTC; proc/s; 35683; 35738; cswch/s; 5289329; 5296739;
    07:10:15 UTC; major; 254; minor; 0; DEV; vda; tps; 381618; 383971; rkB/s; 14959010; 14978786; ...
    07:10:15 UTC; kbmemfree; 19019192; kbavail; 23937608; ...
    07:10:27 UTC; LINUX-RESTART (2 CPU)

A name is followed by one value, or by the value before and the one now; the latter is kept. They are ticks, sectors
or hundredths where sar's column of that name is a percentage, kB or a load, so they are columns of a tool of their
own. The stamp has no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tunebench.sdk import LineParser, NumberTable, ParseContext, SampleBatch, decode_text, lazy_pattern, parse_cell

from .headings import is_key, key_attribute_of, table_of
from .sniffing import sniff_raw

_STAMP = lazy_pattern(rb"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?: (?P<zone>[A-Z]{2,5}))?; ?")
_EPOCH = lazy_pattern(rb"(?P<epoch>[1-6]?\d{9}); ?")
_RESTART = lazy_pattern(rb"LINUX-RESTART\b\s*(?:\((?P<text>[^)]*)\))?")
_COMMENT = lazy_pattern(rb"COM\b\s*(?P<text>.*?);?\s*$")
_NUMBER = lazy_pattern(rb"-?\d+(?:\.\d+)?")
_PLACE_WORDS = frozenset({"major", "minor"})
_MOST_ROWS = 2000


class SadfRawParser(LineParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "sadf", "linux", "sadf -r"
        self._tables: dict[tuple[str, tuple[str, ...]], NumberTable] = {}
        self._rows = 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return sniff_raw(head)

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._take_line(number, line)
        return self._flush() if self._rows > _MOST_ROWS else ()

    def close_tables(self) -> Iterable[SampleBatch]:
        return self._flush()

    def _flush(self) -> list[SampleBatch]:
        self._rows = 0
        return [batch for table in self._tables.values() for batch in table.flush()]

    def _take_line(self, number: int, line: bytes) -> None:
        if not line or line.isspace():
            self.book.blank()
            return
        stamp = _STAMP.match(line) or _EPOCH.match(line)
        if stamp is None:
            wrapped = line.startswith(b"@tunebench ")
            self.book.header() if wrapped else self.book.skip("not_a_table", number, line)
            return
        rest = line[stamp.end() :]
        restart, comment = _RESTART.match(rest), _COMMENT.match(rest)
        if restart is not None:
            self.book.header()
            self.times.restart(None)
            self.times.restart(self._time(stamp, "#"), decode_text(restart["text"] or b""))
            self.times.continue_here()
        elif comment is not None:
            self.book.header()
            self.times.comment(self._time(stamp, "#"), decode_text(comment["text"]))
        elif not rest.rstrip().endswith(b";"):
            self.book.skip("truncated", number, line)
        else:
            self._take_row(number, line, stamp, [cell.strip() for cell in rest.rstrip().rstrip(b";").split(b";")])

    def _take_row(self, number: int, line: bytes, stamp: re.Match[bytes], cells: list[bytes]) -> None:
        key, names, values = _read_cells(cells)
        if not names:
            self.book.skip("unreadable_numbers", number, line)
            return
        per_processor = names[0] in ("all", "intr/s")
        own = "interrupts" if per_processor else table_of(names[0], key is not None)
        table = f"counters_{own}"
        builder = self._tables.get((table, tuple(names)))
        if builder is None:
            attribute = None if key is None else key_attribute_of(own)
            builder = self._tables[table, tuple(names)] = NumberTable(table, names, attribute)
        builder.row(self._time(stamp, table), number, key or "", values)
        self._rows += 1
        self.book.data()

    def _time(self, stamp: re.Match[bytes], table: str) -> int:
        self.times.begin_table(table)
        parts = stamp.groupdict()
        if parts.get("epoch"):
            return self.times.at_epoch(int(parts["epoch"]))
        if parts["zone"]:
            self.times.set_zone_abbreviation(parts["zone"].decode())
        return self.times.at_time_of_day(int(parts["hour"]) * 3600 + int(parts["minute"]) * 60 + int(parts["second"]))


def _read_cells(cells: list[bytes]) -> tuple[str | None, list[str], list[float]]:
    """The row's name, the columns' names and their latest values; no names where it is no row."""
    key: str | None = None
    names: list[str] = []
    values: list[float] = []
    index = 0
    while index < len(cells):
        name = decode_text(cells[index])
        index += 1
        if is_key(name) and not names and index < len(cells):
            key = decode_text(cells[index])
            index += 1
            continue
        numbers: list[bytes] = []
        while index < len(cells) and len(numbers) < 2 and _NUMBER.fullmatch(cells[index]):
            numbers.append(cells[index])
            index += 1
        if not numbers:
            return None, [], []
        if name not in _PLACE_WORDS and name not in names:
            names.append(name)
            values.append(parse_cell(numbers[-1]))
    if key == "-1":
        key = "all"
    return key, names, values
