"""The times of samples, restarts and remarks, from what a document says of its zone.

"date": "2026-11-21", "time": "07:10:15", "tz": "UTC"        or "utc": 1: UTC
"date": "2026-11-21", "time": "16:10:15", "tz": "KST"        -t of sysstat 12.7
"date": "2026-11-21", "time": "16:10:15", "utc": 0           -t (the server's own zone) or -T (the reader's)
"timezone": "KST"                                            in the header: the server's zone
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import numpy as np
from numpy.typing import NDArray

from tunebench.families.page_reading import FIRST_YEAR, LAST_YEAR
from tunebench.sdk import LedgerBook, TimeKeeper, lazy_pattern

NS_PER_S = 1_000_000_000
_UTC = frozenset({"UTC", "GMT", "UCT", "Z"})
_OFFSET = lazy_pattern(r"([+-])(\d\d)(?::?(\d\d))?")
_SAMPLES, _BESIDE = "samples", "#"


def seconds_of(parts: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Year, month, day, hour, minute, second as seconds since 1970 (all counted as UTC), and which are real.

    Args:
        parts: float64[n, 6].
    """
    year, month, day, hour, minute, second = np.clip(np.nan_to_num(parts, nan=-1.0), -1.0, 10_000.0).astype(np.int64).T
    good = (year >= FIRST_YEAR) & (year <= LAST_YEAR) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    good &= (hour >= 0) & (hour < 24) & (minute >= 0) & (minute < 60) & (second >= 0) & (second <= 60)
    months = np.where(good, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = months.astype("datetime64[D]").astype(np.int64) + day - 1
    good &= (months + 1).astype("datetime64[D]").astype(np.int64) > days  # no 31st of June
    return days * 86_400 + hour * 3600 + minute * 60 + second, good


class SampleClock:
    """Where all samples stand; what it knows of UTC stamps goes to the keeper at the end, restarts in their place."""

    def __init__(self, times: TimeKeeper, book: LedgerBook) -> None:
        self.header_zone = ""
        self._times = times
        self._book = book
        self._utc: list[NDArray[np.int64]] = []
        self._zone_told = ""
        self._restarts: list[tuple[int, str]] = []
        self._comments: list[tuple[int, str]] = []

    def times_of(self, seconds: NDArray[np.int64], zone: str) -> NDArray[np.int64]:
        """int64[n] UTC ns of stamps that count `seconds` in their own zone."""
        if zone in _UTC:
            self._utc.append(seconds)
            return seconds * NS_PER_S
        self._times.begin_table(_SAMPLES)
        return np.asarray([self._local(int(one), zone) for one in seconds], dtype=np.int64)

    def restart(self, seconds: int, zone: str, processors: str) -> None:
        self._restarts.append((self._moment(seconds, zone), f"{processors} CPU" if processors else ""))

    def comment(self, seconds: int, zone: str, text: str) -> None:
        self._comments.append((self._moment(seconds, zone), text))

    def close(self) -> None:
        """Tells the keeper of everything, so that it finds the gaps."""
        self._times.begin_table(_SAMPLES)
        self._restarts.sort()
        seconds = np.concatenate(self._utc) if self._utc else np.zeros(0, dtype=np.int64)
        rising = bool((seconds[1:] >= seconds[:-1]).all())
        start = 0
        for time_ns, text in self._restarts:
            if rising:
                end = int(np.searchsorted(seconds, time_ns // NS_PER_S, side="right"))
                self._times.at_epochs(seconds[start:end])
                start = max(start, end)
            self._times.restart(time_ns, text)
        self._times.at_epochs(seconds[start:])
        for time_ns, text in self._comments:
            self._times.comment(time_ns, text)

    def _moment(self, seconds: int, zone: str) -> int:
        if zone in _UTC:
            return seconds * NS_PER_S
        self._times.begin_table(_BESIDE)
        self._times.restart(None)  # such a stamp makes no step with the one before
        return self._local(seconds, zone)

    def _local(self, seconds: int, zone: str) -> int:
        """UTC ns of a stamp in local time."""
        moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
        offset = _OFFSET.fullmatch(zone) or (_OFFSET.fullmatch(self.header_zone) if not zone else None)
        if offset is not None:
            shift = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
            moment = moment.replace(tzinfo=timezone(-shift if offset[1] == "-" else shift))
            if not zone:
                self._book.warn("sadf_local_time")
        else:
            self._tell_zone(zone)
        return self._times.at_datetime(moment)

    def _tell_zone(self, zone: str) -> None:
        """The stamp's zone, or the header's where the stamp is silent: then -T may have meant another."""
        name = zone or self.header_zone
        if name and name != self._zone_told:
            self._zone_told = name
            self._times.set_zone_abbreviation(name)
            if not zone:
                self._book.warn("sadf_local_time")
