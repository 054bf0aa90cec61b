"""The stamps that begin collectl's rows.

20261121 16:10:24        -P and -oD; -P --sep , has a comma between
16:10:24.012             -oT, with m also thousandths
1795285245.001           -oU
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

from tunebench.sdk import ParseContext, TimeKeeper, is_plausible, lazy_pattern, read_stamp

from .recording import Recording

STAMP = lazy_pattern(
    rb"^\s*(?:(?:(?P<date>\d{8}|\d\d/\d\d)[\s,;:|]?\s*)?(?P<time>\d\d:\d\d:\d\d)(?P<fraction>\.\d{1,6})?"
    rb"|(?P<epoch>\d{10}(?:\.\d{1,6})?))(?=[\s,;:|]|$)"
)


def time_of(stamp: re.Match[bytes], times: TimeKeeper, recording: Recording, context: ParseContext) -> int | None:
    """UTC ns of a stamp; None for a date that does not exist."""
    moment = moment_of(stamp, recording, context)
    if not isinstance(moment, int):
        return None if moment is None else times.at_datetime(moment)
    if times.day is None and recording.day is not None:
        times.set_day(recording.day)
    return times.at_time_of_day(moment) + round(float(stamp["fraction"] or 0) * 1e9)


def moment_of(stamp: re.Match[bytes], recording: Recording, context: ParseContext) -> datetime | int | None:
    """What a stamp says, without a date the whole seconds since midnight; None for a date that does not exist."""
    if stamp["epoch"]:
        return epoch_moment(stamp["epoch"]) if is_plausible_epoch(stamp["epoch"]) else None
    hours, minutes, seconds = (int(part) for part in stamp["time"].split(b":"))
    if hours > 23 or minutes > 59 or seconds > 60:
        return None
    within = hours * 3600 + minutes * 60 + seconds
    day = _day(stamp["date"])
    if day is None:
        return within
    fraction = timedelta(microseconds=round(float(stamp["fraction"] or 0) * 1e6))
    moment = datetime(day.year, day.month, day.day) + timedelta(seconds=within) + fraction
    if recording.offset is not None and context.zone_source != "user":
        return moment.replace(tzinfo=recording.offset)
    return moment


def is_plausible_epoch(epoch: bytes) -> bool:
    """Whether it lies between 2001 and 2200: others are damaged."""
    return 1_000_000_000 <= float(epoch) < 7_258_118_400


def epoch_moment(text: bytes, local: bytes = b"") -> datetime:
    """``1795245025.005``, exact to the microsecond; in the zone that the local time beside it tells."""
    whole, _, fraction = text.partition(b".")
    micros = int(fraction[:6].ljust(6, b"0"))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(whole), microseconds=micros)
    beside = read_stamp(local.strip())
    if beside is None or beside.moment.tzinfo is not None:
        return moment
    shift = beside.moment.replace(tzinfo=UTC) - moment.replace(microsecond=0)
    if shift % timedelta(minutes=15) or abs(shift) > timedelta(hours=14):
        return moment
    return moment.astimezone(timezone(shift))


def _day(text: bytes | None) -> date | None:
    if text is None or len(text) != 8:
        return None
    try:
        day = date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return None
    return day if is_plausible(day) else None
