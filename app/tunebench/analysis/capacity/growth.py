"""Growth scenarios: arithmetic on an assumption, no forecast."""

from __future__ import annotations

from math import log

from tunebench.core.records import record


@record
class Scenario:
    """An assumption of growth per year (.25 is 25 %), and what follows. None years: never."""

    growth: float
    years: float | None


def implied_growth(now: float, limit: float, years: float) -> float:
    """The yearly growth (.25 is 25 %) at which `limit` is reached after that many years.

    Raises:
        ValueError: a figure that is not positive.
    """
    if not (now > 0 and limit > 0 and years > 0):
        raise ValueError(f"now {now}, limit {limit}, years {years}")
    return float((limit / now) ** (1 / years) - 1)


def years_until(now: float, limit: float, growth: float) -> float | None:
    """Years until `limit` at a yearly growth; 0 where it is reached, None where it never will be.

    Raises:
        ValueError: now or limit not positive, or a growth of -100 % or less.
    """
    if not (now > 0 and limit > 0 and growth > -1):
        raise ValueError(f"now {now}, limit {limit}, growth {growth}")
    if now >= limit:
        return 0.0
    return log(limit / now) / log(1 + growth) if growth > 0 else None
