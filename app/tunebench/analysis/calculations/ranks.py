"""`calc`: rank tests of repeated runs."""

from __future__ import annotations

from collections.abc import Mapping

from tunebench.analysis.calculations.inputs import Floats, Inputs
from tunebench.analysis.inference import rank_tests
from tunebench.analysis.inference.verdict import Interval


def rank_shift(given: Inputs) -> Mapping[str, object]:
    """`least_p`: the smallest p that so few runs can give."""
    before, after = _two(given, "before", "after")
    found = rank_tests.rank_shift(before, after, given.share("conf"))
    least = rank_tests.least_p(len(before), len(after)) if found.exact else None
    return {
        "W": found.statistic,
        "p": found.p,
        "hl": found.shift,
        "ci": ends(found.interval),
        "exact": found.exact,
        "least_p": least,
    }


def rank_ratio(given: Inputs) -> Mapping[str, object]:
    before, after = _two(given, "before", "after", positive=True)
    found = rank_tests.rank_ratio(before, after, given.share("conf"))
    return {"ratio": found.ratio, "ci": ends(found.interval), "p": found.p, "exact": found.exact}


def rank_effect(given: Inputs) -> Mapping[str, object]:
    found = rank_tests.rank_effect(*_two(given, "a", "b"))
    return {
        "W": found.statistic,
        "p": found.p,
        "cliffs_delta": found.cliffs_delta,
        "vargha_delaney_A": found.vargha_delaney,
    }


def paired_ratio(given: Inputs) -> Mapping[str, object]:
    before, after = given.columns("before", "after", most=2_000, positive=True)
    found = rank_tests.paired_ratio(before, after, given.confidence())
    return {"V": found.statistic, "p": found.p, "ratio": found.ratio, "ci": ends(found.interval), "exact": found.exact}


def ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _two(given: Inputs, first: str, second: str, *, positive: bool = False) -> tuple[Floats, Floats]:
    one, other = (given.numbers(key, positive=positive) for key in (first, second))
    most = rank_tests.MOST_DIFFERENCES
    given.require(len(one) * len(other) <= most, "calc_too_many_pairs", second, most=most)
    return one, other
