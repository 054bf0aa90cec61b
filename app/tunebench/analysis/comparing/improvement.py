"""How much better a figure became: ratio and rate, with bounds, direction and regressions.

Two figures are kept apart throughout: the *ratio* (before / after for lower-is-better, after / before for
higher-is-better) and the *rate* in per cent of the value before. Both are `Decimal`, computed from the
stored values (the shortest decimal that is the float), so that rounding half up is exact.
"""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from enum import StrEnum
from math import isfinite

from tunebench.core.records import record
from tunebench.domain.engagement import Direction

_ALL_DIGITS = Context(prec=400)
"""Of any `float`, before the decimal sign and behind it."""


class Change(StrEnum):
    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    CHANGED = "changed"  # a neutral figure: neither better nor worse by itself
    NOT_COMPUTABLE = "not_computable"


@record
class Improvement:
    """What became of one figure by its numbers alone; whether that may be called better or worse is a verdict's to say.

    Attributes:
        ratio: always >= 1 for improved and regressed (how many times better or worse); for a neutral
            figure after / before.
        rate_pct: positive per cent of improvement; for a regression or a neutral figure the signed change
            (after - before) / before x 100.
        points: size of the change in percentage points, where the figure is itself a percentage; signed
            (after - before).
        at_least: the values are bounds: the true change is this or more.
        reason: why nothing could be computed: ``before_missing``, ``after_missing``, ``both_missing``,
            ``before_zero``, ``after_zero``, ``negative`` or ``bounds``.
        interval: in which the true `ratio` lies; None where nobody reckoned it.
        estimate: the ratio that `interval` lies around, where it is not of all samples together.
    """

    change: Change
    ratio: Decimal | None = None
    rate_pct: Decimal | None = None
    points: Decimal | None = None
    at_least: bool = False
    reason: str = ""
    interval: tuple[float, float] | None = None
    estimate: float | None = None


def exact(value: float) -> Decimal:
    """The shortest decimal that reads back as `value`: 33.17 is 33.17, not its binary neighbour."""
    return Decimal(repr(float(value)))


def half_up(value: Decimal | float, decimals: int) -> Decimal:
    """`value` rounded half away from zero to `decimals` places."""
    number = value if isinstance(value, Decimal) else exact(value)
    return number.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP, context=_ALL_DIGITS)


def towards_zero(value: Decimal, decimals: int) -> Decimal:
    """`value` cut to `decimals` places: "at least 7.27" must not become "at least 7.28"."""
    return value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_DOWN, context=_ALL_DIGITS)


def improvement(
    before: float | None,
    after: float | None,
    direction: Direction,
    *,
    before_bound: str = "",
    after_bound: str = "",
    percentage: bool = False,
) -> Improvement:
    """The change from `before` to `after`.

    Args:
        before_bound, after_bound: ``""`` exact, ``"<"`` the true value is below, ``">"`` above.
        percentage: the figure is a percentage, so that its change is also given in percentage points.
    """
    reason = _refusal(before, after)
    if reason or before is None or after is None:
        return Improvement(Change.NOT_COMPUTABLE, reason=reason)
    old, new = exact(before), exact(after)
    points = new - old if percentage else None
    if not before_bound and not after_bound:
        return _between(old, new, direction, points)
    return _bounded(old, new, direction, _sign(before_bound, after_bound), points)


def _refusal(before: float | None, after: float | None) -> str:
    lacks_before = before is None or not isfinite(before)
    lacks_after = after is None or not isfinite(after)
    if lacks_before and lacks_after:
        return "both_missing"
    if lacks_before:
        return "before_missing"
    if lacks_after:
        return "after_missing"
    assert before is not None and after is not None
    if before < 0 or after < 0:
        return "negative"
    if before == 0:
        return "before_zero"
    return "after_zero" if after == 0 else ""


def _between(old: Decimal, new: Decimal, direction: Direction, points: Decimal | None) -> Improvement:
    if old == new:
        return Improvement(Change.UNCHANGED, Decimal(1), Decimal(0), points)
    signed_pct = (new - old) / old * 100
    if direction is Direction.NEUTRAL:
        return Improvement(Change.CHANGED, new / old, signed_pct, points)
    fell = new < old
    ratio = old / new if fell else new / old
    if fell is (direction is Direction.LOWER):
        return Improvement(Change.IMPROVED, ratio, abs(signed_pct), points)
    return Improvement(Change.REGRESSED, ratio, signed_pct, points)


def _sign(before_bound: str, after_bound: str) -> int:
    """-1 where the true fall is at least the printed one, +1 where the true rise is, 0 where neither is known."""
    if before_bound in ("", ">") and after_bound in ("", "<"):
        return -1
    if before_bound in ("", "<") and after_bound in ("", ">"):
        return 1
    return 0


def _bounded(old: Decimal, new: Decimal, direction: Direction, sign: int, points: Decimal | None) -> Improvement:
    """A bound says something only where the printed values already differ the way it points."""
    telling = (sign < 0 and new <= old) or (sign > 0 and new >= old)
    if not telling or new == old:
        return Improvement(Change.NOT_COMPUTABLE, reason="bounds")
    plain = _between(old, new, direction, points)
    return Improvement(plain.change, plain.ratio, plain.rate_pct, plain.points, at_least=True)
