"""How numbers and times are written: for people, and as the number format of a workbook's cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from math import floor, inf, isfinite, isinf, isnan, log10
from zoneinfo import ZoneInfo

from tunebench.core.records import record

NS = 1_000_000_000
DASH = "–"
"""For what is not measured or not there."""
_ENDLESS = "∞"
_MOST_DECIMALS = 9
MOST_EXACT_RATE = 9900
"""Per cent of a hundredfold rise."""
MOST_TIMES = 1000
"""Beyond it a ratio is only said to be."""
MOST_RATE = 100 * (MOST_TIMES - 1)
"""The same, in per cent of the value before."""


@record
class Format:
    """
    Attributes:
        written: the number in words; it is given finite and infinite ones, never NaN.
        number_format: a workbook's, empty for that of the column's style.
    """

    written: Callable[[float], str]
    number_format: str = ""


def figure_text(value: float, digits: int = 4) -> str:
    """`digits` significant digits, thousands parted."""
    if value == 0:
        return "0"
    if isinf(value):
        return _ENDLESS if value > 0 else f"-{_ENDLESS}"
    decimals = max(0, digits - 1 - floor(log10(abs(value))))
    shown = f"{value:,.{min(decimals, 9)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def is_beyond(times: float | Decimal) -> bool:
    """Whether a change is too large for its figures to say more than that it is."""
    return MOST_TIMES < times < inf


def ratio_decimals(times: float | Decimal) -> int:
    """Two below ten, one below a hundred, none from there on."""
    return 2 if times < 10 else 1 if times < 100 else 0


def ratio_text(ratio: float) -> str:
    """Small ones with two figures; beyond a thousand, or a thousandth, only that it is."""
    if ratio == inf:
        return _ENDLESS
    if is_beyond(ratio):
        return f"> {MOST_TIMES:,}"
    if 0 < ratio < 1 / MOST_TIMES:
        return f"< {1 / MOST_TIMES}"
    return f"{ratio:.2g}" if 0 < ratio < 0.1 else f"{ratio:,.{ratio_decimals(ratio)}f}"


def rate_decimals(percent: float | Decimal, decimals: int = 1) -> int:
    """Of a signed change in per cent: none where it is a hundredfold, as many more than `decimals` as keep a fall that
    leaves something from being written as one of 100."""
    if percent >= MOST_EXACT_RATE:
        return 0
    left = 100 + float(percent)
    if not 0 < left < 100:
        return decimals
    return max(decimals, min(floor(-log10(2 * left)) + 1, _MOST_DECIMALS))


def rate_text(percent: float, decimals: int = 1) -> str:
    """A change in per cent with its sign; nothing is plainly nothing."""
    if abs(percent) < 0.5 * 10.0**-decimals:
        return "0"
    if is_beyond(percent / 100 + 1):
        return f"> +{MOST_RATE:,}"
    return f"{percent:+,.{rate_decimals(percent, decimals)}f}"


def size_text(size: float) -> str:
    """How many independent samples: whole ones, small ones to one decimal."""
    return f"{size:,.0f}" if size >= 100 else f"{size:.1f}".removesuffix(".0")


def p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def format_count(number: int | None) -> str:
    return DASH if number is None else f"{number:,}"


def format_bytes(size_bytes: int) -> str:
    """``12.3 MB`` (powers of 1,000, as file browsers print them)."""
    size, unit = float(size_bytes), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            break
        size /= 1000
    return f"{size:,.0f} {unit}" if unit == "B" or size >= 100 else f"{size:,.1f} {unit}"


def format_value(value: float | None, digits: int = 4) -> str:
    """A measured value with `digits` significant digits, thousands parted; a dash where missing."""
    return DASH if value is None or isnan(value) else figure_text(value, digits)


def rounded_text(value: float | None, digits: int = 4) -> str:
    """Rounded to `digits` significant ones, thousands parted, huge and tiny ones as powers of ten; a dash where nothing
    was measured."""
    if value is None:
        return DASH
    rounded = float(f"{value:.{digits}g}")
    if rounded and (abs(rounded) >= 1e9 or abs(rounded) < 1e-4):
        return f"{rounded:.3g}"
    return f"{rounded:,.12g}"


def short_hash(sha256: str) -> str:
    return f"{sha256[:8]}…{sha256[-6:]}" if len(sha256) > 16 else sha256


def decimals_for(values: Sequence[float | None]) -> int:
    """Decimals that give the smallest of these captured quantities three figures, as far as the largest allows."""
    sizes = [abs(value) for value in values if value is not None and isfinite(value) and value]
    smallest, largest = min(sizes, default=1.0), max(sizes, default=1.0)
    wanted = 0 if smallest >= 100 else 1 if smallest >= 10 else 2 if smallest >= 1 else 3
    return min(wanted, 0 if largest >= 100_000 else 1 if largest >= 10_000 else 3)


def decimal_format(decimals: int) -> str:
    """A workbook's format with so many decimals."""
    return "#,##0" + ("." + "0" * decimals if decimals else "")


def as_figure(number_format: str) -> Format:
    """Written as a figure; `number_format` is a workbook's."""
    return Format(figure_text, number_format)


COUNT = Format("{:,.0f}".format, "#,##0")
SIZE = Format(size_text, "#,##0.0")
FIGURE = Format(figure_text)
RATIO = Format(ratio_text, "[=0]0.000;[<0.001]0.0E+00;0.000")
DEGREES = Format("{:.1f}".format, "0.0")
SHARE = Format(lambda share: f"{100 * share:.1f} %", "0.0%")
P_VALUE = Format(p_text, '[<0.0001]"< 0.0001";0.0000')
MOMENT = Format(
    lambda time_ns: datetime.fromtimestamp(time_ns // 1_000_000_000, UTC).isoformat(" "), "yyyy-mm-dd hh:mm:ss"
)
"""Of UTC nanoseconds; a workbook's cell is in the zone of its locale."""
HUNDREDTHS = as_figure("0.00")
SECONDS = as_figure("#,##0.000")
MEASURED = as_figure("#,##0.###")


# -- times ---------------------------------------------------------------------------------------------


def moment(time_ns: int, zone: tzinfo) -> datetime:
    """UTC nanoseconds as a datetime in `zone` (microseconds at best)."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_ns // 1000)).astimezone(zone)


def format_time(time_ns: int | None, zone: tzinfo) -> str:
    """``2007-07-19 09:00:15``; a dash where unknown."""
    return DASH if time_ns is None else moment(time_ns, zone).strftime("%Y-%m-%d %H:%M:%S")


def format_stamp(iso: str, zone: tzinfo) -> str:
    """An ISO stamp with its offset, in `zone`; as it is where it cannot be read."""
    try:
        return datetime.fromisoformat(iso).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return iso or DASH


def format_span(first_ns: int | None, last_ns: int | None, zone: tzinfo) -> str:
    """``2007-07-19 09:00:15 – 18:00:00``; the second date only where it differs."""
    if first_ns is None or last_ns is None:
        return DASH
    first, last = moment(first_ns, zone), moment(last_ns, zone)
    end = f"{last:%H:%M:%S}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    return f"{first:%Y-%m-%d %H:%M:%S} {DASH} {end}"


def this_year(zone: tzinfo) -> int:
    return datetime.now(zone).year


def years_to_name(moments_ns: Iterable[int | None], zone: tzinfo) -> bool:
    """Whether a list of these moments has to name the years: there are several, or it is not this year."""
    years = {moment(time_ns, zone).year for time_ns in moments_ns if time_ns is not None}
    return bool(years - {this_year(zone)})


def format_short_span(first_ns: int | None, last_ns: int | None, zone: tzinfo, with_year: bool = False) -> str:
    """``07-19 09:00 – 18:00``, for lists; with seconds where it is shorter than an hour."""
    if first_ns is None or last_ns is None:
        return DASH
    first, last = moment(first_ns, zone), moment(last_ns, zone)
    clock = "%H:%M" if last - first >= timedelta(hours=1) else "%H:%M:%S"
    end = clock if first.date() == last.date() else f"%m-%d {clock}"
    year = "%Y-" if with_year else ""
    return f"{first.strftime(f'{year}%m-%d {clock}')} {DASH} {last.strftime(end)}"


def zone_name(zone: ZoneInfo, time_ns: int | None = None) -> str:
    """``Asia/Seoul (KST)``."""
    when = moment(time_ns, zone) if time_ns is not None else datetime.now(zone)
    short = when.strftime("%Z")
    return f"{zone.key} ({short})" if short and not short.startswith(("+", "-")) else zone.key
