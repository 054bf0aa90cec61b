"""Parser of collectl's plot format (-P, files .tab, .dsk, .cpu, .net).

    waiting for 1 second sample...
    #Date Time [CPU]User% [CPU]Nice% ... [MEM]Tot ... [NET]RxPktTot ... [DSK]ReadTot
    20261121 16:10:24 23 1 31 ...
    #Date,Time,[CPU:0]User%,...,[DSK:vda]Name,[DSK:vda]Reads,...           --sep , and details
    #UTC [CPU]User% ...                                                    -oU

``[CPU]User%`` is a column of the table ``CPU``; ``[CPU:0]User%`` is the same column with cpu 0. A file is appended to
when collectl is started again: another heading, perhaps with other devices, is valid for the rows below it. The
documentation breaks the heading over lines; the tool does not.

Source: collectl 4.3.1, man page and Plotfiles.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tunebench.families.delimited import DelimitedParser
from tunebench.sdk import ParseContext, SampleBatch, SeriesKey, SystemFact, decode_text, lazy_pattern

from .recording import Recording
from .stamps import STAMP, moment_of, time_of

_COLUMN = lazy_pattern(r"^\[(?P<table>[A-Za-z]+)(?::(?P<thing>[^\]]*))?\](?P<name>.+)$")
_ATTRIBUTES = {"CPU": "cpu", "DSK": "device", "NET": "interface", "INT": "group"}
_WAITING = lazy_pattern(rb"^waiting for \d+(?:\.\d+)? second sample")
_HEADING = lazy_pattern(rb"^#(?:Date(?P<date_end>[\s,;:|]+)Time|Time|UTC)(?P<separator>[\s,;:|]+)\[")
_TEXT_COLUMNS = frozenset({"Name"})


class PlotParser(DelimitedParser):
    """See the module."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool, self.book.os, self.book.variant = "collectl", "linux", "plot"
        self._recording = Recording(self.book)
        self._separator, self._width = b" ", 0

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return 0.97 if any(_HEADING.match(line) for line in head.splitlines()[:60]) else 0.0

    def facts(self) -> list[SystemFact]:
        return self._recording.facts()

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        if self.is_ending and lines and self._is_cut(lines[-1]):
            self.book.skip("truncated", first_line + len(lines) - 1, lines.pop())
        self.read_all(first_line, lines)
        return self.take_ready()

    def read_page(self, first_line: int, text: bytes) -> Iterable[SampleBatch]:
        self.read_text(first_line, text)
        return self.take_ready()

    def _is_cut(self, line: bytes) -> bool:
        """A last line without an end that has fewer cells than the heading."""
        stamp = STAMP.match(line)
        return stamp is not None and len(_cells(line[stamp.end() :], self._separator)) < self._width

    def read_line(self, number: int, line: bytes) -> None:
        heading = _HEADING.match(line)
        if not line.strip():
            self.book.blank()
        elif heading is not None:
            self._separator = heading["separator"].strip()[:1] or b" "
            words = [word.strip() for word in decode_text(line[heading.end() - 1 :]).split(self._separator.decode())]
            named = [word for word in words if word]
            self._width = len(named)
            self.begin_rows(_columns(named), self._width, self._separator)
            self.book.header()
        elif line.startswith(b"#"):
            self.forget_stamp()  # the zone may be another
            if self._recording.read(line):
                self.book.header()
            else:
                self.book.skip("comment", number, line)
        elif not self._read_row(number, line):
            self.book.skip("message" if _WAITING.match(line) else "not_a_table", number, line)

    def _read_row(self, number: int, line: bytes) -> bool:
        stamp = STAMP.match(line)
        if not self._width or stamp is None:
            return False
        moment = moment_of(stamp, self._recording, self.context)
        time_ns = time_of(stamp, self.times, self._recording, self.context)
        if time_ns is None or moment is None:
            return False
        rest = line[stamp.end() :].strip()
        cells = rest.split() if self._separator == b" " else rest.removeprefix(self._separator).split(self._separator)
        if len(cells) == self._width + 1 and not cells[-1]:
            cells.pop()
        if len(cells) != self._width:
            return False
        self.add_row(number, time_ns, cells)
        if not stamp["fraction"]:
            self.know_stamp(stamp[0], moment)
        return True


def _columns(words: Sequence[str]) -> Mapping[str, tuple[list[int], tuple[SeriesKey, ...]]]:
    """Table -> the columns of its figures in a row, and their series."""
    seen: dict[SeriesKey, int] = {}
    columns: dict[str, list[tuple[int, SeriesKey]]] = {}
    for column, word in enumerate(words):
        match = _COLUMN.match(word)
        table, thing, name = match.group("table", "thing", "name") if match else ("other", None, word)
        table = table.upper() if match else table
        if name in _TEXT_COLUMNS:
            continue
        native = f"[{match['table']}]{name}" if match else word
        attributes = {_ATTRIBUTES.get(table, "group"): thing} if thing else {}
        key = SeriesKey(table, native, tuple(attributes.items()))
        times = seen[key] = seen.get(key, 0) + 1
        if times > 1:
            group = {**attributes, "group": f"{attributes.get('group', '')}#{times}"}
            key = SeriesKey(table, native, tuple(sorted(group.items())))
        columns.setdefault(table, []).append((column, key))
    return {
        table: ([column for column, _ in entries], tuple(key for _, key in entries))
        for table, entries in columns.items()
    }


def _cells(text: bytes, separator: bytes) -> list[bytes]:
    return text.split() if separator == b" " else text.strip(separator + b" ").split(separator)
