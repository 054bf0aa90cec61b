"""dstat's times: without a year, with a month's name, or of another format that its user chose.

21-11 16:15:32            Dstat: day and month (DSTAT_TIMEFMT's default is %d-%m %H:%M:%S)
Nov-21 16:10:13           dool
2026-11-21 16:15:32       chosen by the user
16:15:32                  the day is the preamble's
1475708693.291            -T
"Date:","21 Nov 2026 16:15:32 KST"     the preamble: year and zone
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from tunebench.sdk import LedgerBook, ParseContext, TimeKeeper, is_plausible, lazy_pattern

_CLOCK = rb"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:\.\d+)?"
STAMP = lazy_pattern(
    rb"^\s*(?:(?:(?P<year>\d{4})[-/](?P<m>\d\d)[-/](?P<d>\d\d)|(?P<a>\d\d?)[-/](?P<b>\d\d?)"
    rb"|(?P<name>[A-Za-z]{3})[- ](?P<named>\d\d?)|(?P<first>\d\d?)[- ](?P<after>[A-Za-z]{3}))[ T])?" + _CLOCK + rb"\s*$"
)
EPOCH = lazy_pattern(rb"^\s*(\d{9,10})(?:\.(\d{1,6}))?\s*$")
_WRITTEN = lazy_pattern(
    r"(?P<day>\d{1,2}) (?P<month>[A-Za-z]{3}) (?P<year>\d{4}) (?P<clock>\d\d:\d\d:\d\d)(?: (?P<zone>[A-Z]{2,5}))?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_HALF_A_YEAR = 6
_FIRST_EPOCH, _LAST_EPOCH = 315_532_800, 7_258_118_400  # 1980, 2200


def read_written(text: str) -> tuple[datetime, str] | None:
    """The preamble's date and zone abbreviation."""
    match = _WRITTEN.search(text)
    if match is None or match["month"].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(match["month"].lower()) + 1
    try:
        clock = datetime.strptime(match["clock"], "%H:%M:%S").time()
        moment = datetime.combine(date(int(match["year"]), month, int(match["day"])), clock)
    except ValueError:
        return None
    return (moment, match["zone"] or "") if is_plausible(moment) else None


class StampReader:
    """Turns the cells of a time column into UTC nanoseconds.

    Attributes:
        written: the preamble's date; years of stamps without one follow it, over New Year.
        moment: what the last stamp said, without a date the seconds since midnight; None where it was none, or had
            parts of a second.
    """

    def __init__(self, context: ParseContext, times: TimeKeeper, book: LedgerBook) -> None:
        self.written: datetime | None = None
        self._context = context
        self._times = times
        self._book = book
        self.moment: datetime | int | None = None
        self._last: date | None = None

    def restart(self) -> None:
        self._last = None

    def read(self, cell: bytes) -> int | None:
        self.moment, match = None, STAMP.match(cell)
        if match is None:
            return self._read_epoch(cell)
        within = int(match["hour"]) * 3600 + int(match["minute"]) * 60 + int(match["second"])
        if within >= 86_401 or int(match["minute"]) > 59 or int(match["second"]) > 60:
            return None
        month_day = _month_and_day(match, self._context.day_first)
        if month_day is None:
            return None
        if month_day == (0, 0):
            if self._times.day is None and self.written is not None:
                self._times.set_day(self.written.date())
            self.moment = within
            return self._times.at_time_of_day(within)
        day = self._day(month_day, int(match["year"]) if match["year"] else None)
        if day is None:
            return None
        self._last = day
        self.moment = datetime(day.year, day.month, day.day) + timedelta(seconds=within)
        return self._times.at_datetime(self.moment)

    def _read_epoch(self, cell: bytes) -> int | None:
        match = EPOCH.match(cell)
        if match is None or not _FIRST_EPOCH <= int(match[1]) < _LAST_EPOCH:
            return None
        micros = int((match[2] or b"0").ljust(6, b"0"))
        self.moment = datetime.fromtimestamp(int(match[1]), UTC) if match[2] is None else None
        return self._times.at_epoch(int(match[1])) + micros * 1000

    def _day(self, month_day: tuple[int, int], year: int | None) -> date | None:
        if year is None:
            year = self._year_of(month_day)
        try:
            day = date(year, *month_day)
        except ValueError:
            return None
        return day if is_plausible(day) else None

    def _year_of(self, month_day: tuple[int, int]) -> int:
        if self._last is not None:
            turned = self._last.month - month_day[0] > _HALF_A_YEAR
            return self._last.year + turned
        if self._context.date is not None:
            return self._context.date.year
        if self.written is not None:
            return self.written.year + (self.written.month - month_day[0] > _HALF_A_YEAR)
        return self._assumed_year(month_day)

    def _assumed_year(self, month_day: tuple[int, int]) -> int:
        """The last such day before the file was written."""
        modified = datetime.fromtimestamp(self._context.modified_ns // 10**9, tz=self._context.zone).date()
        later = month_day > (modified.month, modified.day + 1)
        year = max(modified.year - later, 1980)
        self._book.assume("date", f"{year}-{month_day[0]:02}-{month_day[1]:02}", "mtime")
        self._book.need("date")
        return year


def _month_and_day(match: re.Match[bytes], day_first: bool | None) -> tuple[int, int] | None:
    """(0, 0) where the stamp has none, None where there is no such day."""
    name, number = (match["name"], match["named"]) if match["name"] else (match["after"], match["first"])
    if name:
        month = name.decode().lower()
        return (_MONTHS.index(month) + 1, int(number)) if month in _MONTHS else None
    if match["year"]:
        return int(match["m"]), int(match["d"])
    if match["a"] is None:
        return 0, 0
    first, second = int(match["a"]), int(match["b"])
    month_first = second > 12 or (day_first is False and first <= 12)
    month, day = (first, second) if month_first else (second, first)
    return (month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
