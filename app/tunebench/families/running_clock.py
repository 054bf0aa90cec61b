"""Stamps that differ from one that was read in nothing but the clock, many at a time."""

from __future__ import annotations

from collections import deque
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from tunebench.core.patterns import lazy_pattern
from tunebench.families.page_reading import Field, Mark, Scan, Scanner, ScanTable
from tunebench.sdk import TimeKeeper, utc_ns

_CLOCK = lazy_pattern("([0-9]{2})(?::|시 ?|時|时)([0-9]{2})(?::|분 ?|分)([0-9]{2})(?![0-9:])".encode())
_EPOCH_STAMP = lazy_pattern(rb" *1([0-9]{9})")
_HALF_DAY = lazy_pattern("[AaPp]\\.?\\s?[Mm]|오전|오후|午".encode())
_LONGEST_STAMP = 100
_LAST_OF_EPOCH = 999_999_999  # the digit before it stays until 2033
_LIMITS, _SECONDS = (23, 59, 59), (3600, 60, 1)
_HOUR, _DAY = 3600, 86_400
_NS_PER_S = 1_000_000_000
_EPOCH = datetime(1970, 1, 1)


class RunningClock:
    """Of one stamp: where its clock stands, for others of the same day, form and offset.

    Attributes:
        fields: hour, minute and second; of a half day the hour does not run. Of an epoch the seconds.
        form: the stamp, with 0 in the place of what runs.
    """

    def __init__(self, line: bytes, fields: tuple[Field, ...], own_s: int, moment: datetime | int) -> None:
        form = bytearray(line)
        for field in fields:
            form[field.start : field.stop] = b"0" * (field.stop - field.start)
        self.form = bytes(form)
        self.fields = fields
        self._own_s = own_s
        self._moment = moment
        self._weights = np.asarray(_SECONDS[-len(fields) :])

    def times(self, times: TimeKeeper, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """UTC ns of stamps whose fields are these: int64[n, at least the fields], in the order of the capture."""
        moment, since_s = self._moment, self._since_s(numbers)
        if isinstance(moment, int):
            return times.at_times_of_day(moment + since_s)
        if moment.tzinfo is None:
            return times.at_datetimes((moment - _EPOCH) // timedelta(seconds=1) + since_s)
        return times.at_rising(utc_ns(moment) + since_s * _NS_PER_S)

    def seconds(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """What stamps without a date say whose fields are these: int64[n, at least the fields] -> int64[n]."""
        assert isinstance(self._moment, int)
        return self._moment + self._since_s(numbers)

    def moment(self, numbers: NDArray[np.int64]) -> datetime:
        """What a stamp says whose fields are these: int64[at least the fields]; it has a date."""
        assert isinstance(self._moment, datetime)
        return self._moment + timedelta(seconds=int(self._since_s(numbers)))

    def _since_s(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        since_s: NDArray[np.int64] = numbers[..., : len(self.fields)] @ self._weights - self._own_s
        return since_s


class KnownStamps:
    """Stamps on lines of their own that a scanner reads: those like the last that was read, and no others.

    Attributes:
        clock: of that stamp; None where the scanner knows none.
    """

    def __init__(self, scanner: Scanner) -> None:
        self.clock: RunningClock | None = None
        self._scanner = scanner
        self._mark: Mark | None = None

    def know(self, line: bytes, moment: datetime | int, table: ScanTable | None = None) -> None:
        """`table`: whose rows may follow."""
        self.forget()
        self.clock = running_clock(line, moment)
        if self.clock is not None:
            self._mark = self._scanner.know(line, table, self.clock.fields)

    def forget(self) -> None:
        if self._mark is not None:
            self._scanner.forget(self._mark)
        self.clock = self._mark = None

    def places_in(self, scan: Scan) -> deque[int]:
        """Which marks of the scan they are."""
        return deque(np.flatnonzero(scan.marks == self.place).tolist())

    def last_before(self, scan: Scan, places: deque[int], end: int) -> datetime | None:
        """What the last of these marks before the mark `end` says; they are taken out. None where there is none."""
        last = -1
        while places and places[0] < end:
            last = places.popleft()
        return None if last < 0 or self.clock is None else self.clock.moment(scan.fields[last])

    @property
    def place(self) -> int:
        """Which of the scanner's marks they are, -1 for none."""
        marks = self._scanner.marks
        return marks.index(self._mark) if self._mark in marks else -1


def running_clock(line: bytes, moment: datetime | int) -> RunningClock | None:
    """The clock of a stamp; None where it is not seen: each stamp is read by itself then.

    Args:
        moment: what the stamp says; seconds since midnight where it has no date, since 1970 of an epoch.
    """
    epoch = _EPOCH_STAMP.fullmatch(line)
    if epoch is not None:
        return RunningClock(line, (Field(*epoch.span(1), _LAST_OF_EPOCH),), int(epoch[1]), moment)
    clock = _CLOCK.search(line)
    if clock is None or len(line) > _LONGEST_STAMP or line[:1].isspace():
        return None
    groups = (2, 3) if _HALF_DAY.search(line) else (1, 2, 3)
    fields = tuple(Field(*clock.span(group), _LIMITS[group - 1]) for group in groups)
    own_s = sum(int(clock[group]) * _SECONDS[group - 1] for group in groups)
    second_of_day = moment if isinstance(moment, int) else _second_of_day(moment)
    if second_of_day is None or second_of_day % (_HOUR if len(groups) == 2 else _DAY) != own_s:
        return None
    return RunningClock(line, fields, own_s, moment)


def _second_of_day(moment: datetime) -> int | None:
    """Second of the day; None where it is no whole second."""
    return None if moment.microsecond else moment.hour * 3600 + moment.minute * 60 + moment.second
