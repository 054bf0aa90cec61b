"""/proc/loadavg and uptime in a loop; uptime of other systems too.

0.04 0.05 0.21 1/95 31850                                                   running/all threads, last pid
 11:57:35 up  3:16,  2 users,  load average: 0.04, 0.05, 0.21
 11:57am  up 10 day(s), 20:01,  1 user,  load average: 0,12, 0,08, 0,05

A line of uptime is of the time that it prints; of several in one minute, where no seconds are printed, the next is an
interval after the one before.
"""

from __future__ import annotations

import re

from tunebench.families.confidence import of_share
from tunebench.families.runs import day_after
from tunebench.sdk import ParseContext, Round, RoundStamp, StampedParser, body_lines, lazy_pattern

_LOADAVG = lazy_pattern(
    rb"^(\d{1,7}\.\d\d) (\d{1,7}\.\d\d) (\d{1,7}\.\d\d) (?P<running>\d{1,9})/(?P<threads>\d{1,9}) \d{1,10}\s*$"
)
_UPTIME = lazy_pattern(
    rb"^\s*(?P<hour>[0-2]?\d)[:.](?P<minute>[0-5]\d)(?:[:.](?P<second>[0-5]\d))?\s?(?P<half>[AaPp][Mm])?\S*"
    rb"\s+up\s.*?(?:(?P<users>\d{1,6}) users?,\s*)?"
    rb"load averages?:\s*(\d{1,7}[.,]\d+),?\s+(\d{1,7}[.,]\d+),?\s+(\d{1,7}[.,]\d+)\s*$"
)
NS_PER_S = 1_000_000_000
_AVERAGES = ("load 1m", "load 5m", "load 15m")


class LoadavgParser(StampedParser):
    """See the module."""

    tool = "loadavg"

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self._day_of: RoundStamp | None = None  # whose day the times below are of
        self._last: tuple[int, int] | None = None  # seconds since midnight that the last uptime printed, UTC ns

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:  # noqa: ARG004  the text alone decides
        return of_share(body_lines(head), lambda line: _LOADAVG.match(line) or _UPTIME.match(line), 0.6, sure=0.9)

    def begins_round(self, line: bytes) -> bool:
        return _LOADAVG.match(line) is not None or _UPTIME.match(line) is not None

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            loadavg, uptime = _LOADAVG.match(line), _UPTIME.match(line)
            if loadavg is not None:
                self.book.os = "linux"
                self._add(one.time_ns, number, "loadavg", loadavg, ("running", "threads"))
            elif uptime is not None:
                self._add(one.time_ns, number, "uptime", uptime, ("users",))
            else:
                self.skip_line(number, line)

    def place_line(self, number: int, line: bytes) -> None:
        stamp = self.round_clock.stamp
        uptime = _UPTIME.match(line) if stamp is None or not stamp.own else None
        if uptime is None:
            super().place_line(number, line)
        else:
            self._add(self._printed_time(uptime), number, "uptime", uptime, ("users",))

    def _printed_time(self, uptime: re.Match[bytes]) -> int:
        """UTC ns of the time that a line prints, on the day of the stamp above it or of the capture's start."""
        tod_s = _seconds_of(uptime)
        if self._last is not None and self._last[0] == tod_s and uptime["second"] is None:
            interval_s = self.round_clock.interval_s or self.book.guess_interval()
            time_ns = self._last[1] + round(interval_s * NS_PER_S)
        else:
            self._find_day(tod_s)
            time_ns = self.times.at_time_of_day(tod_s)
        self._last = tod_s, time_ns
        return time_ns

    def _find_day(self, tod_s: int) -> None:
        stamp = self.round_clock.stamp
        if stamp is not None and stamp is not self._day_of:
            self.times.set_day(day_after(stamp.moment, tod_s, self.context.zone))
        elif self._last is None and self.context.start is not None and self.context.date is None:
            self.times.set_day(day_after(self.context.start, tod_s, self.context.zone))
        self._day_of = stamp

    def _add(self, time_ns: int, number: int, table: str, match: re.Match[bytes], others: tuple[str, ...]) -> None:
        self.book.data()
        cells = [cell for cell in match.groups() if cell is not None]
        named = {name: match[name] for name in others}
        averages = [cell for cell in cells if b"." in cell or b"," in cell]
        values = [float(cell.replace(b",", b".")) for cell in averages]
        values += [float("nan") if cell is None else float(cell) for cell in named.values()]
        self.table(table, (*_AVERAGES, *others)).row(time_ns, number, "", values)


def _seconds_of(uptime: re.Match[bytes]) -> int:
    """Since midnight; ``12:05am`` is five minutes after it."""
    hour = int(uptime["hour"])
    if uptime["half"]:
        hour = hour % 12 + 12 * (uptime["half"].lower() == b"pm")
    return hour * 3600 + int(uptime["minute"]) * 60 + int(uptime["second"] or 0)
