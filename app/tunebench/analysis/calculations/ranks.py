"""`calc`: rank tests of repeated runs."""

from __future__ import annotations

from collections.abc import Mapping

from tunebench.analysis.calculations.inputs import Floats, Inputs
from tunebench.analysis.inference import rank_tests
from tunebench.analysis.inference.verdict import Interval


def rank_shift(given: Inputs) -> Mapping[str, object]:
    """`least_p`: the smallest p that so few runs can give."""
    before, after = _two(given, "before", "after")
    shift = rank_tests.rank_shift(before, after, given.share("conf"))
    least = rank_tests.least_p(len(before), len(after)) if shift.exact else None
    return {
        "W": shift.statistic,
        "p": shift.p,
        "hl": shift.shift,
        "ci": ends(shift.interval),
        "exact": shift.exact,
        "least_p": least,
    }


def rank_ratio(given: Inputs) -> Mapping[str, object]:
    before, after = _two(given, "before", "after", positive=True)
    shift = rank_tests.rank_ratio(before, after, given.share("conf"))
    return {"ratio": shift.ratio, "ci": ends(shift.interval), "p": shift.p, "exact": shift.exact}


def rank_effect(given: Inputs) -> Mapping[str, object]:
    effect = rank_tests.rank_effect(*_two(given, "a", "b"))
    return {
        "W": effect.statistic,
        "p": effect.p,
        "cliffs_delta": effect.cliffs_delta,
        "vargha_delaney_A": effect.vargha_delaney,
    }


def paired_ratio(given: Inputs) -> Mapping[str, object]:
    before, after = given.columns("before", "after", most=2_000, positive=True)
    shift = rank_tests.paired_ratio(before, after, given.confidence())
    return {"V": shift.statistic, "p": shift.p, "ratio": shift.ratio, "ci": ends(shift.interval), "exact": shift.exact}


def ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _two(given: Inputs, first: str, second: str, *, positive: bool = False) -> tuple[Floats, Floats]:
    one, other = (given.numbers(key, positive=positive) for key in (first, second))
    most = rank_tests.MOST_DIFFERENCES
    given.require(len(one) * len(other) <= most, "calc_too_many_pairs", second, most=most)
    return one, other
