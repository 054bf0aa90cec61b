"""The stamps of rows (-d, -p): UTC, local time with or without a zone, or seconds since 1970.

2026-11-21 07:10:15 UTC         the default
2026-11-21 16:10:15             -t, -T
2026-11-21 16:10:15 KST         -t of sysstat 12.7
1795245015                      -U
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.sdk import TimeKeeper, is_plausible

from .fields import Fields
from .numerals import Places

_STAMP = re.compile(rb"(?P<date>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)(?: (?P<zone>[A-Z]{1,5}|[+-]\d\d(?:\d\d)?))?")
_EPOCH = re.compile(rb"\d{9,10}")
_LAST_EPOCH_S = 7_258_118_400  # the year 2200
_WIDTH = 19
_DATE_WIDTH = 10
_UTC = frozenset({b"UTC", b"GMT"})
_LONGEST = 25
_MOST_TRIES = 32
_MIDNIGHT = np.frombuffer(b"00:00:00", dtype=np.uint8)
_WEIGHTS = np.asarray([36_000, 3600, 0, 600, 60, 0, 10, 1])
_LARGEST = np.asarray([2, 9, 0, 5, 9, 0, 6, 9], dtype=np.uint8)
_DAY_S = 86_400


class RowClock:
    """Gives UTC nanoseconds for stamps, through the capture's `TimeKeeper`."""

    def __init__(self, times: TimeKeeper) -> None:
        self._times = times

    def times_of(
        self, table: str, fields: Fields, starts: Places, ends: Places
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """UTC ns of rows of one table, and which rows have a stamp of the form that most of them have."""
        self._times.begin_table(table)
        widths = np.clip(ends - starts, 0, _LONGEST)
        width = int(np.bincount(widths).argmax())
        usual = np.flatnonzero(ends - starts == width)
        times_ns, good = np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=bool)
        first = self._pattern(fields, starts[usual], width)
        if first is None:
            return times_ns, good
        new = fields.changes(starts[usual], width)
        where = usual[new]
        if _EPOCH.fullmatch(first):
            found, real = self._counted(fields, starts[where], ends[where])
        else:
            found, real = self._dated(fields, starts[where], first)
        place = np.cumsum(new) - 1
        times_ns[usual], good[usual] = found[place], real[place]
        return times_ns, good

    def _pattern(self, fields: Fields, starts: Places, width: int) -> bytes | None:
        """A stamp of these that can be read."""
        for start in starts[:_MOST_TRIES].tolist():
            stamp = fields.text[start : start + width]
            if _EPOCH.fullmatch(stamp) or _STAMP.fullmatch(stamp):
                return stamp
        return None

    def _counted(self, fields: Fields, starts: Places, ends: Places) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        seconds = fields.numerals.numbers(starts, ends)
        real = seconds < _LAST_EPOCH_S
        times_ns = np.zeros(len(seconds), dtype=np.int64)
        times_ns[real] = self._times.at_epochs(seconds[real].astype(np.int64))
        return times_ns, real

    def _dated(self, fields: Fields, starts: Places, first: bytes) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        found = _STAMP.fullmatch(first)
        assert found is not None
        seconds, real = _seconds_at(fields, starts)
        suffix = first[_WIDTH:]
        for index in np.flatnonzero(fields.changes(starts + _WIDTH, 8) if suffix else ()):
            place = int(starts[index]) + _WIDTH
            real[index] &= fields.text[place : place + len(suffix)] == suffix
        times_ns = np.zeros(len(starts), dtype=np.int64)
        times_ns[real] = self._resolved(seconds[real], found["zone"] or b"")
        return times_ns, real

    def _resolved(self, seconds: NDArray[np.int64], zone: bytes) -> NDArray[np.int64]:
        if zone in _UTC:
            return self._times.at_epochs(seconds)
        if zone:
            self._times.set_zone_abbreviation(zone.decode())
        return self._times.at_datetimes(seconds)

    def moment(self, stamp: bytes) -> int | None:
        """UTC ns of one stamp that stands beside the rows, None where it is none."""
        self._times.begin_table("#")
        self._times.restart(None)  # such a stamp makes no step with the one before
        if _EPOCH.fullmatch(stamp):
            return self._times.at_epoch(int(stamp)) if int(stamp) < _LAST_EPOCH_S else None
        found = _STAMP.fullmatch(stamp)
        if found is None:
            return None
        try:
            moment = datetime.fromisoformat(f"{found['date'].decode()} {found['time'].decode()}")
        except ValueError:
            return None
        if found["zone"] in _UTC:
            return self._times.at_epoch((moment - datetime(1970, 1, 1)).total_seconds())
        return self._times.at_datetime(moment)


def _seconds_at(fields: Fields, starts: Places) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Seconds since 1970 of stamps, all counted as UTC, and which of them are real."""
    new = fields.changes(starts, _DATE_WIDTH)
    days = [_day_seconds(fields.text[start : start + _DATE_WIDTH]) for start in starts[new].tolist()]
    place = np.cumsum(new) - 1
    is_day = np.asarray([day is not None for day in days], dtype=bool)[place]
    digits = fields.numerals.word_at(starts + _DATE_WIDTH + 1).view(np.uint8).reshape(-1, len(_MIDNIGHT)) - _MIDNIGHT
    within = digits @ _WEIGHTS
    at_60 = digits[:, 6] == 6
    is_time = (digits <= _LARGEST).all(axis=1) & (within - at_60 < _DAY_S) & ~(at_60 & (digits[:, 7] > 0))
    return np.asarray([day or 0 for day in days], dtype=np.int64)[place] + within, is_day & is_time


@lru_cache(maxsize=1024)
def _day_seconds(text: bytes) -> int | None:
    """Seconds since 1970 of the midnight of ``2026-11-21``; None where it is no such day."""
    if text[4:5] != b"-" or text[7:8] != b"-":
        return None  # 2026-W47-6
    try:
        day = datetime.fromisoformat(text.decode("ascii"))
    except ValueError:
        return None
    return int((day - datetime(1970, 1, 1)).total_seconds()) if is_plausible(day) else None
