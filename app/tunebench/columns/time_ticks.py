"""Where the axes have ticks and what they say: round numbers, and times in the engagement's zone, daylight saving
included; how values are written and series are called. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tunebench.analysis.exploring.time_range import (
    DAY_NS,
    HOUR_NS,
    SECOND_NS,
    TimeRange,
    ValueRange,
    from_local,
    to_local,
)
from tunebench.analysis.exploring.time_scale import TimeScale
from tunebench.core.messages import catalogue
from tunebench.core.records import record

_MULTIPLES = (1.0, 2.0, 2.5, 5.0, 10.0)
_PERCENT = "%"
TICK_PX, ROOMY_PIECE_PX = 64, 240
"""Room that a tick and its label take, and that a piece has whose hours are named beside its day."""
HEADROOM = 0.02
"""Room above the highest value, as a share of the range: a line along the very edge reads as cut off."""
_MINUTE_NS = 60 * SECOND_NS
_MILLISECOND_NS = SECOND_NS // 1000
_CLOCK_STEPS_NS = (
    *(m * _MILLISECOND_NS for m in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *(s * SECOND_NS for s in (1, 2, 5, 10, 15, 30)),
    *(m * _MINUTE_NS for m in (1, 2, 5, 10, 15, 30)),
)
_HOUR_STEPS = (1, 2, 3, 6, 12)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_STEPS = (1, 3, 6, 12, 24, 60, 120, 240)


def round_step(span: float, most: int) -> float:
    """The smallest 1, 2, 2.5 or 5 times a power of ten that cuts `span` into at most `most` parts."""
    rough = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    return next((m * power for m in _MULTIPLES if m * power >= rough * (1 - 1e-9)), 10 * power)


def value_ticks(shown: ValueRange, most: int) -> list[float]:
    """Round values inside `shown`, ends included."""
    step = round_step(shown.span, most)
    first, last = math.ceil(shown.low / step - 1e-9), math.floor(shown.high / step + 1e-9)
    return [n * step for n in range(first, last + 1)]


def fitting_range(lowest: float, highest: float, unit: str = "") -> ValueRange:
    """A range that holds both, shows zero and ends on a round number; nothing known gives 0..1.

    A percentage that comes near its ceiling is shown up to 100, so that rows can be compared by eye.
    """
    if math.isnan(lowest) or math.isnan(highest):
        return ValueRange(0.0, 1.0)
    low, high = min(lowest, 0.0), max(highest, 0.0)
    if low == high:
        return ValueRange(0.0, 1.0)
    if unit == _PERCENT and low == 0.0 and 50.0 < high <= 100.0:
        return ValueRange(0.0, 100.0)
    step = round_step(high - low, 8)
    high += (high - low) * HEADROOM
    return ValueRange(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)


def tick_text(value: float, step: float) -> str:
    """The value with as many decimals as the step has; thousands separated."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if decimals < 6 and abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1  # steps of 2.5
    return f"{0.0 if abs(value) < step / 1e6 else value:,.{decimals}f}"


@record
class Tick:
    """A tick at `time_ns`; `strong` ones begin a day, month or year and are drawn heavier; without a `line` it names
    what lies around it."""

    time_ns: int
    text: str
    strong: bool = False
    line: bool = True


def time_ticks(view: TimeRange, zone: ZoneInfo, language: str, most: int) -> list[Tick]:
    """Ticks inside `view`, about `most` at most, on round wall-clock times of `zone`."""
    wanted_ns = view.span_ns / max(most, 1)
    for step in _CLOCK_STEPS_NS:
        if step >= wanted_ns:
            return _clock_ticks(view, step, zone, language)
    for hours in _HOUR_STEPS:
        if hours * HOUR_NS >= wanted_ns:
            return _hour_ticks(view, hours, zone, language)
    for days in _DAY_STEPS:
        if days * DAY_NS >= wanted_ns:
            return _day_ticks(view, days, zone, language)
    for months in _MONTH_STEPS:
        if months * 30 * DAY_NS >= wanted_ns:
            break
    return _month_ticks(view, months, zone, language)


def scale_ticks(scale: TimeScale, zone: ZoneInfo, language: str, width_px: float) -> list[Tick]:
    """Those of every piece: hours where it has room for them, else the day in its middle."""
    if len(scale.pieces) == 1 and not scale.folds:
        return time_ticks(scale.view, zone, language, most_ticks(width_px))
    ticks: list[Tick] = []
    for piece in scale.pieces:
        room_px = (scale.share_of(piece.end_ns) - scale.share_of(piece.start_ns)) * width_px
        day = day_text(to_local(piece.middle_ns, zone).date(), language)
        if piece.span_ns > DAY_NS or room_px >= ROOMY_PIECE_PX:
            ticks.extend(time_ticks(piece, zone, language, most_ticks(room_px)))
        if piece.span_ns <= DAY_NS:
            ticks.append(Tick(piece.start_ns if room_px >= ROOMY_PIECE_PX else piece.middle_ns, day, True, line=False))
    return ticks


def most_ticks(width_px: float) -> int:
    return max(int(width_px // TICK_PX), 2)


def fold_words(fold: TimeRange) -> str:
    """How long it is: ``15 h``, ``9 d``."""
    for unit, length_ns in (("d", DAY_NS), ("h", HOUR_NS), ("min", _MINUTE_NS)):
        if fold.span_ns >= length_ns * (3 if unit == "d" else 1):
            return f"{round(fold.span_ns / length_ns)} {unit}"
    return f"{round(fold.span_ns / SECOND_NS)} s"


def _clock_ticks(view: TimeRange, step_ns: int, zone: ZoneInfo, language: str) -> list[Tick]:
    ticks = []
    offset = _offset_ns(view.start_ns, zone)
    time_ns = -(-(view.start_ns + offset) // step_ns) * step_ns - offset
    while time_ns <= view.end_ns:
        now = _offset_ns(time_ns, zone)
        if now != offset:  # the clock was put forward or back; shifts below an hour move round times
            time_ns = -(-(time_ns + now) // step_ns) * step_ns - now
            offset = now
        ticks.append(_clock_tick(time_ns, step_ns, zone, language))
        time_ns += step_ns
    return [tick for tick in ticks if tick.time_ns <= view.end_ns]


def _clock_tick(time_ns: int, step_ns: int, zone: ZoneInfo, language: str) -> Tick:
    local = to_local(time_ns, zone)
    if not (local.hour or local.minute or local.second or local.microsecond):
        return Tick(time_ns, day_text(local.date(), language), strong=True)
    if step_ns < SECOND_NS:
        return Tick(time_ns, f"{local:%H:%M:%S}.{local.microsecond // 1000:03d}")
    return Tick(time_ns, f"{local:%H:%M:%S}" if step_ns < _MINUTE_NS else f"{local:%H:%M}")


def _hour_ticks(view: TimeRange, hours: int, zone: ZoneInfo, language: str) -> list[Tick]:
    return [
        _clock_tick(time_ns, HOUR_NS, zone, language)
        for day in _days(view, zone)
        for hour in range(0, 24, hours)
        for time_ns in _moments(datetime(day.year, day.month, day.day, hour), zone)
        if view.contains(time_ns)
    ]


def _moments(wall: datetime, zone: ZoneInfo) -> list[int]:
    """UTC times at which clocks of `zone` show `wall`: none in spring's gap, two in autumn's fold."""
    moments = []
    for fold in (0, 1):
        moment = wall.replace(tzinfo=zone, fold=fold)
        back = moment.astimezone(UTC).astimezone(zone).replace(tzinfo=None, fold=0)
        time_ns = from_local(moment)
        if back == wall.replace(fold=0) and time_ns not in moments:
            moments.append(time_ns)
    return moments


def _day_ticks(view: TimeRange, days: int, zone: ZoneInfo, language: str) -> list[Tick]:
    return [
        Tick(begin, day_text(day, language), strong=day.day == 1 and days < 7)
        for day in _days(view, zone)
        # Weeks begin on Monday: ordinal 1 is one.
        if (day.toordinal() - 1) % days == 0 and view.contains(begin := day_start_ns(day, zone))
    ]


def _month_ticks(view: TimeRange, months: int, zone: ZoneInfo, language: str) -> list[Tick]:
    first = to_local(view.start_ns, zone).date()
    index = (first.year * 12 + first.month - 1) // months * months
    ticks: list[Tick] = []
    while True:
        year, month = divmod(index, 12)
        begin = day_start_ns(date(year, month + 1, 1), zone)
        if begin > view.end_ns:
            return ticks
        if view.contains(begin):
            ticks.append(Tick(begin, month_text(year, month + 1, language), strong=month == 0 and months < 12))
        index += months


def _days(view: TimeRange, zone: ZoneInfo) -> Iterator[date]:
    first, last = (to_local(time_ns, zone).date() for time_ns in (view.start_ns, view.end_ns))
    return (first + timedelta(days=n) for n in range((last - first).days + 1))


def day_start_ns(day: date, zone: ZoneInfo) -> int:
    """UTC time of midnight; where midnight does not exist, the first moment after it."""
    return from_local(datetime(day.year, day.month, day.day, tzinfo=zone))


def _offset_ns(time_ns: int, zone: ZoneInfo) -> int:
    offset = to_local(time_ns, zone).utcoffset() or timedelta()
    return int(offset.total_seconds()) * SECOND_NS


def weekday_text(day: date, language: str) -> str:
    return catalogue(language).text(f"ui.charts.weekday.{day.weekday()}")


def day_text(day: date, language: str) -> str:
    """``7월 19일 (목)`` or ``Thu 19 Jul``."""
    month = catalogue(language).text(f"ui.charts.month.{day.month}")
    weekday = weekday_text(day, language)
    return catalogue(language).text("ui.charts.axis.day", month=month, day=day.day, weekday=weekday)


def month_text(year: int, month: int, language: str) -> str:
    name = catalogue(language).text(f"ui.charts.month.{month}")
    return catalogue(language).text("ui.charts.axis.month", month=name, year=year)


def stamp_text(time_ns: int, zone: ZoneInfo, *, with_date: bool = True, with_zone: bool = True) -> str:
    """``2007-07-19 14:12:05 KST``; fractions of a second only where there are any."""
    local = to_local(time_ns, zone)
    text = f"{local:%Y-%m-%d %H:%M:%S}" if with_date else f"{local:%H:%M:%S}"
    if local.microsecond:
        text += f".{local.microsecond // 1000:03d}"
    return f"{text} {local.tzname()}" if with_zone else text


def zone_text(view: TimeRange, zone: ZoneInfo) -> str:
    """Abbreviations in force in the view: ``KST``, or ``EST/EDT`` across a change of the clock."""
    names = [to_local(time_ns, zone).tzname() or "" for time_ns in (view.start_ns, view.end_ns)]
    return "/".join(dict.fromkeys(names))


def elapsed_ticks(view: TimeRange, zero_ns: int, most: int) -> list[Tick]:
    """Ticks that count from `zero_ns`: ``0:00  0:30  1:00``; before it they are negative."""
    wanted_ns = view.span_ns / max(most, 1)
    steps = (*_CLOCK_STEPS_NS, *(h * HOUR_NS for h in _HOUR_STEPS), *(d * DAY_NS for d in (1, 2, 7, 14, 30, 90)))
    step = next((step for step in steps if step >= wanted_ns), steps[-1])
    first = -(-(view.start_ns - zero_ns) // step)
    last = (view.end_ns - zero_ns) // step
    return [
        Tick(zero_ns + n * step, elapsed_text(n * step, seconds=step < _MINUTE_NS), strong=n == 0)
        for n in range(first, last + 1)
    ]


def elapsed_text(elapsed_ns: int, *, seconds: bool = True) -> str:
    """``1:05:30`` hours, minutes, seconds; ``1:05`` without the seconds; a day and more as ``1d 02:00``."""
    sign = "-" if elapsed_ns < 0 else ""
    whole, rest = divmod(abs(elapsed_ns), SECOND_NS)
    days, left = divmod(whole, 86_400)
    hours, minutes = left // 3600, left % 3600 // 60
    text = f"{days}d {hours:02d}:{minutes:02d}" if days else f"{hours}:{minutes:02d}"
    if seconds:
        text += f":{left % 60:02d}"
    if rest and seconds:
        text += f".{rest // _MILLISECOND_NS:03d}"
    return sign + text
