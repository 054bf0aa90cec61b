"""Dates as tools print them in banners, and as people spell them in paths."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record

_PATH_STAMP = lazy_pattern(
    r"(?<!\d)(?P<year>20\d\d|19[89]\d)(?P<gap>[-_./]?)(?P<month>0[1-9]|1[0-2])(?P=gap)(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[-_./T ]?(?P<hour>[01]\d|2[0-3])[-_.:h]?(?P<minute>[0-5]\d)(?:[-_.:]?(?P<second>[0-5]\d))?)?(?!\d)"
)
# OSWatcher names its files host_iostat_12.02.29.1100.dat
_SHORT_PATH_STAMP = lazy_pattern(
    r"(?<![\d.])(?P<year>\d\d)\.(?P<month>0[1-9]|1[0-2])\.(?P<day>0[1-9]|[12]\d|3[01])"
    r"\.(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?!\d)"
)
_DAY_OF_MONTH_NAME = lazy_pattern(r"(?:^|[/\\])sar?-?(?P<day>0[1-9]|[12]\d|3[01])(?:\.[a-z0-9]+)?$")
_YEAR_FIRST = lazy_pattern(
    r"(?<!\d)(?P<year>\d{4})\s*(?:[-/.]|년|年)\s*(?P<month>\d{1,2})\s*(?:[-/.]|월|月)\s*(?P<day>\d{1,2})"
)
_DOTTED = lazy_pattern(r"(?<![\d.])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4}|\d{2})(?![\d.])")
_SLASHED = lazy_pattern(r"(?<![\d/-])(?P<a>\d{1,2})[/-](?P<b>\d{1,2})[/-](?P<c>\d{4}|\d{2})(?![\d/-])")

FIRST_YEAR, LAST_YEAR = 1980, 2200
MONTH_FIRST, DAY_FIRST, YEAR_FIRST = "mm/dd/yy", "dd/mm/yy", "yy/mm/dd"


def is_plausible(day: date) -> bool:
    """Whether a tool of ours can have printed this day or moment; 64 bits of nanoseconds may not hold others."""
    return FIRST_YEAR <= day.year <= LAST_YEAR


@record
class DateReading:
    """A printed date; `certain` is False where another order of its parts would be a date as well."""

    day: date
    order: str
    certain: bool


def read_printed_date(
    text: str,
    day_first: bool | None = None,
    hint_day_first: bool | None = None,
    path: str = "",
    modified: date | None = None,
) -> DateReading | None:
    """The date in `text`.

    ``2026-11-21``, ``2026년 11월 21일``, ``2026年11月21日`` and ``21.11.2026`` speak for themselves.
    ``05/06/11`` is decided by, in this order: the user's word (`day_first`), values that are no month or
    day, a date in the path (or ``sar06``), the file's modification (nothing is captured after it), the
    locale the rest of the capture shows (`hint_day_first`), else month first (the C locale's order).
    """
    match = _YEAR_FIRST.search(text) or _DOTTED.search(text)
    if match:
        day = _date_or_none(int(match["year"]), int(match["month"]), int(match["day"]))
        return None if day is None else DateReading(day, YEAR_FIRST, True)
    slashed = _SLASHED.search(text)
    if slashed is None:
        return None
    candidates = _candidates(int(slashed["a"]), int(slashed["b"]), slashed["c"])
    if day_first is not None:
        wanted = DAY_FIRST if day_first else MONTH_FIRST
        candidates = {order: day for order, day in candidates.items() if order == wanted} or candidates
    if not candidates:
        return None
    certain = len(set(candidates.values())) == 1
    if not certain:
        candidates, certain = _narrow_by_surroundings(candidates, path, modified)
    preferred = DAY_FIRST if hint_day_first else MONTH_FIRST
    for order in (preferred, DAY_FIRST, MONTH_FIRST, YEAR_FIRST):
        if order in candidates:
            return DateReading(candidates[order], order, certain)
    return None


def _candidates(a: int, b: int, c: str) -> dict[str, date]:
    readings = {MONTH_FIRST: (int(c), a, b), DAY_FIRST: (int(c), b, a)}
    dates = {order: _date_or_none(*parts) for order, parts in readings.items()}
    if len(c) == 2 and not any(dates.values()):  # 26/11/21 is a year first only where nothing else is possible
        dates[YEAR_FIRST] = _date_or_none(a, b, int(c))
    return {order: day for order, day in dates.items() if day is not None}


def _narrow_by_surroundings(
    candidates: dict[str, date], path: str, modified: date | None
) -> tuple[dict[str, date], bool]:
    spelled = start_from_path(path)
    of_month = _DAY_OF_MONTH_NAME.search(path)
    tests: list[Callable[[date], bool]] = []
    if spelled is not None:
        tests.append(spelled.date().__eq__)
    if of_month is not None:
        number = int(of_month["day"])
        tests.append(lambda day: day.day == number)
    if modified is not None:
        latest = modified + timedelta(days=1)  # the file's clock may be in another zone
        tests.append(latest.__ge__)
    for test in tests:
        kept = {order: day for order, day in candidates.items() if test(day)}
        if len(kept) == 1:
            return kept, True
    return candidates, False


def _date_or_none(year: int, month: int, day: int) -> date | None:
    if year < 100:
        year += 2000 if year < 80 else 1900
    try:
        return date(year, month, day)
    except ValueError:
        return None


def start_from_path(path: str) -> datetime | None:
    """The last date (and time) that a path spells, naive.

    ``.../20150509/050500/iostat.txt``, ``vmstat_2015-05-09_0505.txt``, ``db1_iostat_12.02.29.1100.dat``.
    """
    path = path.replace("\\", "/")
    matches = [*_PATH_STAMP.finditer(path), *_SHORT_PATH_STAMP.finditer(path)]
    for match in sorted(matches, key=lambda match: match.start(), reverse=True):
        part = {"second": "0"} | match.groupdict(default="0")
        year = int(part["year"])
        month, day, hour, minute, second = (int(part[n]) for n in ("month", "day", "hour", "minute", "second"))
        try:
            return datetime(year if year > 99 else 2000 + year, month, day, hour, minute, second)
        except ValueError:
            continue
    return None
