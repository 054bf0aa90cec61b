"""JMeter's results in CSV (JTL): requests of each second and label, and of all labels together.

    timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes
    1784505600000,123,login,200,OK,TG 1-1,true,1234

`timeStamp` is when a request began, in milliseconds or as a date; with `elapsed` it gives the moment of its completion,
by which it is counted. A second in which nothing was completed counts 0 requests, and has no elapsed time.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from app.sdk import LineParser, NumberTable, ParseContext, SampleBatch, decode_text

_NEEDED = ("timeStamp", "elapsed", "label")
_DELIMITERS = ",;\t|"
_LATE_S = 120
_LONGEST_SILENCE_S = 600
"""After a longer one another test began: nothing is counted in between."""
_MOST_LABELS = 1_000
_FORMATS = ("%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y/%m/%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f")
_NS = 1_000_000_000


@dataclass(slots=True)
class _Count:
    """Requests of one label that were completed in one second."""

    line: int
    completed: int = 0
    failed: int = 0
    sum_ms: int = 0
    max_ms: int = 0

    def add(self, elapsed_ms: int, failed: bool) -> None:
        self.completed += 1
        self.failed += failed
        self.sum_ms += elapsed_ms
        self.max_ms = max(self.max_ms, elapsed_ms)

    def numbers(self) -> list[float]:
        if not self.completed:
            return [0.0, 0.0, float("nan"), float("nan")]
        return [self.completed, self.failed, self.sum_ms / self.completed, self.max_ms]


class JMeterParser(LineParser):
    """Counts by the second; a second is given when no more of it can be expected."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.book.tool = "jmeter"
        self._columns: dict[str, int] = {}
        self._delimiter = ","
        self._seconds: dict[int, dict[str, _Count]] = {}
        self._labels: dict[str, int] = {}  # label, empty for all -> the second it was first seen in
        self._next_s: int | None = None
        self._newest_s = 0
        headings = ("completed", "failed", "elapsed", "elapsed max")
        self._tables = {
            "all": NumberTable("all requests", headings),
            "label": NumberTable("requests", headings, "group"),
        }

    @staticmethod
    def sniff(head: bytes, _file_name: str) -> float:
        first = head.partition(b"\n")[0]
        return 0.95 if first.lstrip(b"\xef\xbb\xbf").startswith(b"timeStamp") and b"elapsed" in first else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            self._read_line(number, line)
        yield from self._flushed()

    def close_tables(self) -> Iterable[SampleBatch]:
        self._settle(self._newest_s + 1)
        self.book.numbers = 0  # many rows became one
        yield from self._flushed()

    def _flushed(self) -> Iterator[SampleBatch]:
        for table in self._tables.values():
            yield from table.flush()

    def _read_line(self, number: int, line: bytes) -> None:
        text = decode_text(line)
        if not text.strip():
            self.book.blank()
        elif not self._columns or text.startswith("timeStamp"):
            self._read_heading(number, text)
        else:
            self._read_row(number, text)

    def _read_heading(self, number: int, text: str) -> None:
        for delimiter in _DELIMITERS:
            names = text.split(delimiter)
            if set(_NEEDED) <= set(names):
                self._delimiter, self._columns = delimiter, {name: at for at, name in enumerate(names)}
                self.book.header()
                return
        self.book.skip("jmeter_no_row", number, text)

    def _read_row(self, number: int, text: str) -> None:
        cells = self._cells(text)
        found = self._request(cells) if len(cells) == len(self._columns) else None
        if found is None:
            self.book.skip("jmeter_no_row", number, text)
            return
        began_ns, elapsed_ms, label = found
        second = (began_ns + elapsed_ms * 1_000_000) // _NS
        if self._next_s is not None and second < self._next_s:
            self.book.skip("jmeter_late", number, text)
            return
        self.book.data()
        if second > self._newest_s:
            self._newest_s = second
            self._settle(second - _LATE_S)
        failed = "success" in self._columns and cells[self._columns["success"]].lower() == "false"
        counts = self._seconds.setdefault(second, {})
        for name in ("", label) if label in self._labels or len(self._labels) < _MOST_LABELS else ("",):
            self._labels[name] = min(second, self._labels.get(name, second))
            counts.setdefault(name, _Count(number)).add(elapsed_ms, failed)

    def _cells(self, text: str) -> list[str]:
        if '"' not in text:
            return text.split(self._delimiter)
        try:
            return next(csv.reader([text], delimiter=self._delimiter), [])
        except csv.Error:
            return []

    def _request(self, cells: list[str]) -> tuple[int, int, str] | None:
        """When it began (UTC ns), how long it took (ms), its label; None where that cannot be read."""
        stamp, elapsed, label = (cells[self._columns[name]].strip() for name in _NEEDED)
        if not (elapsed.isascii() and elapsed.isdecimal()) or len(elapsed) > 9 or not label:
            return None
        if stamp.isascii() and stamp.isdecimal() and len(stamp) == 13:
            return int(stamp) * 1_000_000, int(elapsed), label
        for form in _FORMATS:
            try:
                moment = datetime.strptime(stamp, form)
            except ValueError:
                continue
            return (self.times.at_datetime(moment), int(elapsed), label) if 1970 < moment.year < 2200 else None
        return None

    def _settle(self, before_s: int) -> None:
        """The seconds before this one are complete."""
        for second in sorted(each for each in self._seconds if each < before_s):
            first = second if self._next_s is None else self._next_s
            if second - first > _LONGEST_SILENCE_S:
                first = second
            for each in range(first, second + 1):
                self._give(each, self._seconds.get(each, {}), next(iter(self._seconds[second].values())).line)
            del self._seconds[second]
            self._next_s = second + 1

    def _give(self, second: int, counts: dict[str, _Count], line: int) -> None:
        time_ns = self.times.at_epoch(second)
        for label in (name for name, first_s in self._labels.items() if first_s <= second):
            count = counts.get(label) or _Count(line)
            self._tables["label" if label else "all"].row(time_ns, count.line, label, count.numbers())
