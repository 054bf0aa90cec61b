"""JMeter's results in CSV (JTL): requests of each second and label, and of all labels together.

    timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes
    1784505600000,123,login,200,OK,TG 1-1,true,1234

`timeStamp` is when a request began, in milliseconds or as a date; with `elapsed` it gives the moment of its completion,
by which it is counted. A second in which nothing was completed counts 0 requests, and has no elapsed time.

    1784505600000,123,login,500,ERR,TG 1-1,false,"Test failed:     a result is a record: a quoted cell
    expected 200",50                                               may go on in the next line

Of a second to which a result that cannot be read may belong, no count is known. Without the column `success` nobody
says what failed: that is not measured, whatever `responseCode` is.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterable, Iterator
from datetime import datetime

from tunebench.sdk import LineParser, NumberTable, ParseContext, SampleBatch, decode_text, record

_NEEDED = ("timeStamp", "elapsed", "label")
_DELIMITERS = ",;\t|"
_LATE_S = 120
_LONGEST_SILENCE_S = 600
"""After a longer one another test began: nothing is counted in between."""
_MOST_LABELS = 1_000
_LONGEST_RECORD = 500  # lines: a stack trace has fewer
_NAN = float("nan")
_UNKNOWN = [_NAN] * 4
_SUCCESS = "success"
_ANSWERS = {"true": True, "false": False}
_FORMATS = ("%Y/%m/%d %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y/%m/%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f")
_NS = 1_000_000_000


@record(frozen=False)
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

    def numbers(self, says_success: bool) -> list[float]:
        failed = self.failed if says_success else _NAN
        if not self.completed:
            return [0.0, failed, _NAN, _NAN]
        return [self.completed, failed, self.sum_ms / self.completed, self.max_ms]


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
        self._record: list[tuple[int, str]] = []  # lines of a result whose last cell is not closed yet
        self._lost_from_s: int | None = None  # a result from here on cannot be read
        self._unknown_s: set[int] = set()
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
        self._read((number, decode_text(line)) for number, line in enumerate(lines, first_line))
        yield from self._flushed()

    def close_tables(self) -> Iterable[SampleBatch]:
        while self._record:  # its end never came
            self._read(self._give_up())
        self._find_lost(self._newest_s)
        self._settle(self._newest_s + 1)
        self.book.numbers = 0  # many rows became one
        yield from self._flushed()

    def _flushed(self) -> Iterator[SampleBatch]:
        for table in self._tables.values():
            yield from table.flush()

    def _read(self, lines: Iterable[tuple[int, str]]) -> None:
        for number, text in lines:
            again = deque([(number, text)])
            while again:
                again.extendleft(reversed(self._read_line(*again.popleft())))

    def _read_line(self, number: int, text: str) -> list[tuple[int, str]]:
        """Reads one line; gives those that are to be read again, because they are no record together."""
        if self._record:
            self._record.append((number, text))
            if _is_open(text):
                return self._end_record()
            return self._give_up() if len(self._record) > _LONGEST_RECORD else []
        if not text.strip():
            self.book.blank()
        elif not self._columns or text.startswith("timeStamp"):
            self._read_heading(number, text)
        elif _is_open(text):
            self._record = [(number, text)]
        elif not self._read_row(number, text):
            self._lose(number, text)
        return []

    def _end_record(self) -> list[tuple[int, str]]:
        text = "\n".join(line for _, line in self._record)
        if not self._read_row(self._record[0][0], text, len(self._record)):
            return self._give_up()
        self._record = []
        return []

    def _give_up(self) -> list[tuple[int, str]]:
        """What the first line opens is never closed: it is damaged, and the others stand for themselves."""
        (number, text), *others = self._record
        self._record = []
        self._lose(number, text)
        return others

    def _lose(self, number: int, text: str) -> None:
        """Books a line that is no result, or a damaged one: it was completed between its neighbours."""
        column = self._columns["timeStamp"]
        cells = text.split(self._delimiter)
        if len(cells) <= column or _moment(cells[column].strip()) is None:
            self.book.skip("jmeter_no_row", number, text)
            return
        self.book.skip("unreadable_numbers", number, text)
        self.book.warn("jmeter_counts_unknown")
        if self._lost_from_s is None:
            self._lost_from_s = self._newest_s

    def _find_lost(self, until_s: int) -> None:
        """The results that were lost since the one before belong to the seconds up to this one."""
        if self._lost_from_s is not None:
            first, last = sorted((self._lost_from_s or until_s, until_s))
            self._unknown_s |= {first, *range(max(first, last - _LONGEST_SILENCE_S), last + 1)}
            self._lost_from_s = None

    def _read_heading(self, number: int, text: str) -> None:
        for delimiter in _DELIMITERS:
            names = text.split(delimiter)
            if set(_NEEDED) <= set(names):
                self._delimiter, self._columns = delimiter, {name: at for at, name in enumerate(names)}
                self.book.header()
                return
        self.book.skip("jmeter_no_row", number, text)

    def _read_row(self, number: int, text: str, lines: int = 1) -> bool:
        """Counts a result; False where it cannot be read."""
        cells = self._cells(text)
        request = self._request(cells) if len(cells) == len(self._columns) else None
        if request is None or (self._says_success and self._success_of(cells) is None):
            return False
        began_ns, elapsed_ms, label = request
        second = (began_ns + elapsed_ms * 1_000_000) // _NS
        if self._next_s is not None and second < self._next_s:
            self.book.skip("jmeter_late", number, text, lines)
            self.book.warn("jmeter_late")
            return True
        self.book.data(lines)
        self._find_lost(second)
        if second > self._newest_s:
            self._newest_s = second
            self._settle(second - _LATE_S)
        failed = self._success_of(cells) is False
        counts = self._seconds.setdefault(second, {})
        for name in ("", label) if label in self._labels or len(self._labels) < _MOST_LABELS else ("",):
            self._labels[name] = min(second, self._labels.get(name, second))
            counts.setdefault(name, _Count(number)).add(elapsed_ms, failed)
        return True

    @property
    def _says_success(self) -> bool:
        return _SUCCESS in self._columns

    def _success_of(self, cells: list[str]) -> bool | None:
        """Whether a request succeeded, None where nothing says it."""
        return _ANSWERS.get(cells[self._columns[_SUCCESS]].strip().lower()) if self._says_success else None

    def _cells(self, text: str) -> list[str]:
        if '"' not in text:
            return text.split(self._delimiter)
        try:
            return next(csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter), [])
        except csv.Error:
            return []

    def _request(self, cells: list[str]) -> tuple[int, int, str] | None:
        """When it began (UTC ns), how long it took (ms), its label; None where that cannot be read."""
        stamp, elapsed, label = (cells[self._columns[name]].strip() for name in _NEEDED)
        if not (elapsed.isascii() and elapsed.isdecimal()) or len(elapsed) > 9 or not label:
            return None
        moment = _moment(stamp)
        if moment is None:
            return None
        return moment if isinstance(moment, int) else self.times.moment_of(moment), int(elapsed), label

    def _settle(self, before_s: int) -> None:
        """The seconds before this one are complete."""
        for second in sorted(at_s for at_s in self._seconds if at_s < before_s):
            first = second if self._next_s is None else self._next_s
            if second - first > _LONGEST_SILENCE_S:
                first = second
            for passing_s in range(first, second + 1):
                self._give(passing_s, self._seconds.get(passing_s, {}), next(iter(self._seconds[second].values())).line)
                self._unknown_s.discard(passing_s)
            del self._seconds[second]
            self._next_s = second + 1

    def _give(self, second: int, counts: dict[str, _Count], line: int) -> None:
        time_ns = self.times.at_epoch(second)
        for label in (name for name, first_s in self._labels.items() if first_s <= second):
            count = counts.get(label) or _Count(line)
            numbers = _UNKNOWN if second in self._unknown_s else count.numbers(self._says_success)
            self._tables["label" if label else "all"].row(time_ns, count.line, label, numbers)


def _is_open(text: str) -> bool:
    """Whether a line leaves a quoted cell open that was closed, or closes one: a quote within is printed twice."""
    return text.count('"') % 2 == 1


def _moment(stamp: str) -> int | datetime | None:
    """UTC ns, or a date of the host's clock; None where it is no stamp."""
    if stamp.isascii() and stamp.isdecimal() and len(stamp) == 13:
        return int(stamp) * 1_000_000
    for form in _FORMATS:
        try:
            moment = datetime.strptime(stamp, form)
        except ValueError:
            continue
        return moment if 1970 < moment.year < 2200 else None
    return None
