"""From the wall clock of the host to UTC: a report prints no zone."""

from __future__ import annotations

from datetime import datetime

from app.sdk.times import TimeKeeper, utc_ns


class Clock:
    """Resolves the moments of one report after the other; reports in any order are no clock that went back."""

    def __init__(self, times: TimeKeeper) -> None:
        self._times = times

    def resolve(
        self, started: datetime | None, begin: datetime | None, end: datetime | None
    ) -> tuple[int | None, int | None, int | None]:
        """UTC nanoseconds of the three; an end in a repeated hour is the one that follows the begin."""
        self._times.restart_table()
        started_ns = None if started is None else self._times.at_datetime(started)
        self._times.restart_table()
        begin_ns = None if begin is None else self._times.at_datetime(begin)
        if begin is not None and end is not None and self._goes_back(begin, end):
            self._times.restart_table()
        end_ns = None if end is None else self._times.at_datetime(end)
        return started_ns, begin_ns, end_ns

    def _goes_back(self, begin: datetime, end: datetime) -> bool:
        """Whether the end is before the begin, also where the host's clock was set back between them."""
        zone = self._times.context.zone
        return end < begin and utc_ns(end.replace(tzinfo=zone, fold=1)) <= utc_ns(begin.replace(tzinfo=zone))

    def restart(self, time_ns: int | None) -> None:
        self._times.restart(time_ns)
