"""How a number is written: for people, and as the number format of a workbook's cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from math import floor, inf, isfinite, isinf, log10

from tunebench.core.records import record

_ENDLESS = "∞"


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


def ratio_text(ratio: float) -> str:
    """Two decimals below ten, one from there on; small ones with two figures."""
    if ratio == inf:
        return _ENDLESS
    if 0 < ratio < 0.1:
        return f"{ratio:.2g}"
    return f"{ratio:,.2f}" if ratio < 10 else f"{ratio:,.1f}"


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
