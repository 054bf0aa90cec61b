"""The times of nmon's snapshots: what their ZZZZ lines say, and what is worked out where there is none.

    AAA,interval,10
    ZZZZ,T0001,17:28:10,10-FEB-2016
    ZZZZ,T0003,17:28:30,10-FEB-2016      rows of T0002 are of 17:28:20, those of T0004 of 17:28:40

Old versions print no date here: the first day is AAA's. A file without any ZZZZ begins where AAA says.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import Field, Mark, Scanner
from tunebench.families.running_clock import RunningClock, running_clock
from tunebench.sdk import LedgerBook, ParseContext, TimeKeeper, lazy_pattern

from .about import AboutHost
from .stamps import language_of, read_date, read_time

SNAPSHOT = lazy_pattern(rb"^T(\d{1,9})$")
MOST_SNAPSHOTS = 2_000_000
_NS_PER_S = 1_000_000_000
_FARTHEST_NS = 10 * 366 * 86_400 * _NS_PER_S  # no file is as long as this: the number was damaged


class SnapshotTimes(dict[bytes, int]):
    """UTC ns of each snapshot (``T0001``) of one file; asked for one without a ZZZZ line, it works the time out.

    Attributes:
        digits: of the number of the last snapshot that was read; 0 before the first.
        known: number and time of the snapshots that have a ZZZZ line, in order; where none has, the start of the file.
    """

    def __init__(
        self, scanner: Scanner, context: ParseContext, times: TimeKeeper, book: LedgerBook, about: AboutHost
    ) -> None:
        super().__init__()
        self.digits = 0
        self.known: list[tuple[int, int]] = []
        self._scanner = scanner
        self._mark: Mark | None = None  # the lines that the scanner reads
        self._clock: RunningClock | None = None  # what they say
        self._context = context
        self._keeper = times
        self._book = book
        self._about = about

    # -- ZZZZ lines ------------------------------------------------------------------------------

    def read(self, number: int, line: bytes) -> int | None:
        """Reads and books a ZZZZ line: the number of its snapshot; None where it tells no time."""
        cells = line.removeprefix(b"ZZZZ,").split(b",")
        match = SNAPSHOT.match(cells[0])
        seconds = read_time(cells[1]) if len(cells) > 1 else None
        if match is None or seconds is None or len(self) >= MOST_SNAPSHOTS:
            self._book.skip("nmon_no_time" if match else "not_a_table", number, line)
            return None
        moment = self._moment(seconds, cells[2] if len(cells) > 2 else b"")
        self.digits = len(match[1])
        self._know(line, moment)
        times = self._keeper
        time_ns = times.at_time_of_day(moment) if isinstance(moment, int) else times.at_datetime(moment)
        self[cells[0]] = time_ns
        insort(self.known, (int(match[1]), time_ns))
        self._book.header()
        return int(match[1])

    def _moment(self, seconds: int, date_cell: bytes) -> datetime | int:
        """Seconds of the day where no date is known."""
        day = read_date(date_cell) if date_cell.strip() else None
        if day is not None:
            self._book.locale = self._book.locale or language_of(date_cell)
            return datetime(day.year, day.month, day.day) + timedelta(seconds=seconds)
        if date_cell.strip():
            self._book.warn("nmon_date_unknown")
        first = read_date(self._about.date) if self._keeper.day is None else None
        if first is not None:
            self._keeper.set_day(first)
        return seconds

    # -- many at once ----------------------------------------------------------------------------

    def _know(self, line: bytes, moment: datetime | int) -> None:
        """The scanner reads snapshots that differ from this one in nothing but their number and the clock."""
        if self._mark is not None:
            self._scanner.forget(self._mark)
        self._mark, self._clock = None, running_clock(line, moment)
        if self._clock is not None:
            number = Field(6, 6 + self.digits, 10**self.digits - 1)
            self._mark = self._scanner.know(line, None, (number, *self._clock.fields))

    def names(self, numbers: list[int]) -> list[bytes]:
        """Names of the snapshots whose numbers the scanner read."""
        return [b"T%0*d" % (self.digits, number) for number in numbers]

    def are_in_time(self, snapshots: list[bytes], first_lines: list[int], since: dict[bytes, int]) -> bool:
        """Whether the one time of each row's snapshot is known above it; `since` are lines of those that are new."""
        return not any(new in self for new in since) and all(
            snapshot in self or first > since.get(snapshot, first)
            for snapshot, first in zip(snapshots, first_lines, strict=True)
        )

    def take(self, snapshots: Iterable[bytes], fields: NDArray[np.int64]) -> None:
        """Snapshots whose ZZZZ lines the scanner read, and the fields of these."""
        if self._clock is not None:
            times_ns = self._clock.times(self._keeper, fields[:, 1:]).tolist()
            self.update(zip(snapshots, times_ns, strict=True))
            for dated in zip(fields[:, 0].tolist(), times_ns, strict=True):
                insort(self.known, dated)

    # -- snapshots without a ZZZZ line -----------------------------------------------------------

    def __missing__(self, snapshot: bytes) -> int:
        """UTC ns between those of its neighbours, or as many intervals from the nearest."""
        self._book.warn("nmon_times_worked_out")
        index, dated = int(snapshot[1:]), self.known
        if not dated:
            dated.append((1, self._start()))
        position = bisect_right(dated, (index, 0))
        if 0 < position < len(dated):
            (first, first_ns), (last, last_ns) = dated[position - 1 : position + 1]
            time_ns = first_ns + (last_ns - first_ns) * (index - first) // max(last - first, 1)
        else:
            nearest, nearest_ns = dated[min(position, len(dated) - 1)]
            step_ns = round((self._about.interval_s or self._keeper.interval_s or 1.0) * _NS_PER_S)
            distance_ns = (index - nearest) * step_ns
            time_ns = nearest_ns + (distance_ns if abs(distance_ns) < _FARTHEST_NS else 0)
        self[snapshot] = time_ns
        return time_ns

    def _start(self) -> int:
        day, seconds = read_date(self._about.date), read_time(self._about.time)
        if self._context.start is None and day is not None and seconds is not None:
            moment = datetime(day.year, day.month, day.day) + timedelta(seconds=seconds)
            self._book.assume("start", moment.isoformat(sep=" "), "banner")
            return self._keeper.at_datetime(moment)
        return self._keeper.next_unstamped(self._about.interval_s)
