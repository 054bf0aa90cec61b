"""A change in words: how many times shorter or lower, or how many per cent less, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, isinf, log

from tunebench.analysis.inference.verdict import Interval
from tunebench.columns.column import Locale
from tunebench.columns.formats import MOST_TIMES, RATIO, is_beyond, rate_decimals
from tunebench.domain.engagement import Direction

_TIMES = frozenset({"s", "ms", "us", "ns", "min", "h"})


_NEAR_ONE = 1.005


def ends_of(interval: Interval | None, direction: Direction) -> tuple[float, float] | None:
    """Ends of ln(after / before), rising; the interval is turned so that more than 1 is better."""
    if interval is None or interval.low <= 0 or isinf(interval.high):
        return None
    low, high = log(interval.low), log(interval.high)
    return (-high, -low) if direction is Direction.LOWER else (low, high)


def in_times(change: float, ends: tuple[float, float] | None, unit: str, basis: str, locale: Locale) -> str:
    """As often as the larger is of the smaller, always at least once."""
    times = exp(abs(change))
    if times < _NEAR_ONE and ends is None:
        return locale.text("answer.change.same")
    fell = change < 0
    key = "same" if times < _NEAR_ONE else _adjective(unit, fell)
    words = _words(key, times, locale)
    shown = "" if ends is None else _bracketed([RATIO.written(exp(end)) for end in _turned(ends, fell)])
    return " ".join(filter(None, (_of_basis(basis, locale), words, shown)))


def _words(key: str, times: float, locale: Locale) -> str:
    """``2.30 times shorter``, ``more than 1,000 times shorter``."""
    beyond = is_beyond(times)
    shown = f"{MOST_TIMES:,}" if beyond else RATIO.written(times)
    return locale.text(f"answer.change.{key}_beyond" if beyond else f"answer.change.{key}", times=shown)


def in_per_cent(change: float, ends: tuple[float, float] | None, basis: str, locale: Locale) -> str:
    fell = change < 0
    key = "same" if exp(abs(change)) < _NEAR_ONE else "less" if fell else "more"
    words = locale.text(f"answer.change.{key}", percent=_whole(per_cent(change)))
    turned = [] if ends is None else [_whole(per_cent(end), fell) for end in sorted(ends, reverse=fell)]
    return " ".join(filter(None, (_of_basis(basis, locale), words, _bracketed(turned))))


def _whole(percent: float, fell: bool | None = None) -> str:
    """By how much it is less where it `fell`, else more; its size alone where that is not asked."""
    shown = abs(percent) if fell is None else -percent if fell else percent
    return f"{shown:,.{rate_decimals(percent, 0)}f}"


def _turned(ends: tuple[float, float], fell: bool) -> tuple[float, float]:
    return (-ends[1], -ends[0]) if fell else ends


def _bracketed(ends: Sequence[str]) -> str:
    return f"[{', '.join(ends)}]" if ends else ""


def _of_basis(basis: str, locale: Locale) -> str:
    return locale.text(f"answer.basis.{basis}") if basis else ""


def _adjective(unit: str, fell: bool) -> str:
    if unit in _TIMES:
        return "shorter" if fell else "longer"
    return "lower" if fell else "higher"


def per_cent(change: float) -> float:
    return 100 * (exp(change) - 1)
