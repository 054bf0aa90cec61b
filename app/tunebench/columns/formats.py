"""How a number is written: for people, and as the number format of a workbook's cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from math import floor, inf, isfinite, isinf, log10

from tunebench.core.records import record

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
