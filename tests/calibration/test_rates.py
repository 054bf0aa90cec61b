"""A small part of the calibration: with bounds that a program which keeps to the demands crosses once in a thousand runs."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from scipy.stats import binom

from tests.calibration.__main__ import unmet_lines
from tests.calibration.generators import Floats
from tests.calibration.measuring import Job, Rate, Seen, called, coverage, measure
from tunebench.analysis.inference.occurrences import Change, Level, Prior, change_between, prior_of_kind, spread_of
from tunebench.analysis.inference.verdict import Interval, Verdict, judge

ONCE_IN = 1000
MARGIN = 0.05
SERIES = 400


def most(rate: float, count: int) -> int:
    """Hits that are passed once in `ONCE_IN` runs where the rate is as demanded."""
    return int(binom.ppf(1 - 1 / ONCE_IN, count, rate))


def least(rate: float, count: int) -> int:
    return int(binom.ppf(1 / ONCE_IN, count, rate))


def sides_of(levels: Floats) -> list[tuple[list[Level], list[Level]]]:
    """Of (series, 2, days)."""
    return [([Level(value) for value in before], [Level(value) for value in after]) for before, after in levels]


def changes(days: int, sd: float, effect: float = 1.0, *, kind: bool = False) -> list[Change]:
    """Of `SERIES` series whose days differ by `sd`, forty of a kind."""
    levels = np.random.default_rng([days, round(1000 * sd), round(1000 * effect)]).normal(0, sd, (SERIES, 2, days))
    levels[:, 1] += log(effect)
    found = []
    for first in range(0, SERIES, 40):
        some = sides_of(levels[first : first + 40])
        prior = (prior_of_kind([spread_of(*pair) for pair in some]) if kind else None) or Prior(0.1)
        found += [change_between(*pair, prior) for pair in some]
    return found


def verdicts(found: list[Change]) -> list[Verdict]:
    return [
        judge(Interval(np.exp(-one.interval.high), np.exp(-one.interval.low)), MARGIN) for one in found if one.interval
    ]


@pytest.mark.parametrize(
    ("days", "sd", "kind", "demanded"),
    [(1, 0.05, False, 0.05), (1, 0.1, False, 0.05), (1, 0.2, False, 0.15)]
    + [(days, sd, kind, 0.05) for days in (3, 5) for sd in (0.05, 0.1) for kind in (False, True)]
    + [(3, 0.2, False, 0.08), (3, 0.2, True, 0.08), (5, 0.2, False, 0.05), (5, 0.2, True, 0.05)],
)
def test_days_that_differ_are_not_called_better_or_worse(days, sd, kind, demanded):
    said = verdicts(changes(days, sd, kind=kind))
    assert len(said) == SERIES
    assert sum(one in (Verdict.IMPROVED, Verdict.REGRESSED) for one in said) <= most(demanded, SERIES)


@pytest.mark.parametrize(
    ("days", "effect", "demanded"),
    [(1, 0.5, 0.9), (3, 0.5, 0.99), (5, 0.5, 0.99), (3, 0.7, 0.85), (5, 0.7, 0.95), (5, 0.8, 0.6)],
)
@pytest.mark.parametrize("kind", [False, True])
def test_what_changed_is_found(days, effect, demanded, kind):
    said = verdicts(changes(days, 0.1, effect, kind=kind))
    assert said.count(Verdict.IMPROVED) >= least(demanded, SERIES)
    assert Verdict.REGRESSED not in said


@pytest.mark.parametrize(("days", "demanded"), [(1, 0.9), (3, 0.92), (5, 0.92)])
def test_intervals_hold_the_true_change(days, demanded):
    for kind in (False, True):
        found = [one.interval for one in changes(days, 0.1, 0.7, kind=kind) if one.interval]
        held = sum(one.low <= log(0.7) <= one.high for one in found)
        assert held >= least(demanded, SERIES)


@pytest.mark.parametrize(
    ("days", "paired", "demanded"),
    [(1, False, 0.88), (3, False, 0.92), (3, True, 0.92), (5, False, 0.92), (5, True, 0.92)],
)
def test_days_that_differ_twice_as_much_as_is_assumed_are_believed(days, paired, demanded):
    """Of series that have none of their kind. One day a side cannot be asked for 90 %: see the decisions."""
    levels = np.random.default_rng([days, paired]).normal(0, 0.2, (10 * SERIES, 2, days))
    found = [change_between(*pair, Prior(0.1), paired=paired).interval for pair in sides_of(levels)]
    assert sum(one.low <= 0 <= one.high for one in found if one) >= least(demanded, len(found))


# -- from the text of captures to the verdicts of the command line -------------------------------------


def false_of(seen: list[Seen]) -> Rate:
    found = called(seen, "improved", "regressed")
    assert found.count >= len(seen) / 2, "hardly anything was judged"
    return found


@pytest.mark.parametrize(
    "job",
    [
        Job("days differ by 10 %", 1, 20),
        Job("days differ by 10 %", 3, 10),
        Job("fractional noise H 0.9", 3, 10),
        Job("white", 1, 5),
    ],
    ids=str,
)
def test_unchanged_columns_are_not_called_better_or_worse(job):
    found = false_of(measure(job))
    assert found.hits <= most(0.05, found.count)


def test_a_week_that_is_not_compared_tells_how_much_days_differ():
    """Of one day each that differ by 20 %, 11 % of the rows were called better or worse and 87 % of the intervals held
    the truth."""
    seen = measure(Job("days differ by 20 %", 1, 20, further=5))
    found, held = false_of(seen), coverage(seen, 1.0)
    assert found.hits <= most(0.05, found.count)
    assert held.hits >= least(0.95, held.count)


def test_a_halved_column_is_found_and_its_interval_holds_the_truth():
    seen = measure(Job("x0.5, days differ by 10 %", 3, 10))
    assert sum(each.verdict == "improved" for each in seen) >= least(0.99, len(seen))
    held = coverage(seen, 2.0)
    assert held.hits >= least(0.92, held.count) and held.count == len(seen)


@pytest.mark.parametrize("days", [1, 3])
def test_less_load_improves_nothing(days):
    seen = measure(Job("load x0.6", days, 2))
    assert not [each for each in seen if each.verdict == "improved"]


def test_stalls_that_are_gone_improve_the_tail():
    seen = [each for each in measure(Job("stalls removed", 3, 8)) if each.statistic == "p99"]
    assert sum(each.verdict == "improved" for each in seen) >= least(0.9, len(seen)) > 0


def test_what_is_not_met_is_listed_with_its_rate_and_why():
    """A hundred projects each, of which two thirds of the intervals hold the truth."""
    seen = [Seen("aqu-sz", "mean", "inconclusive", (0.9, 1.1) if place % 3 else (1.1, 1.2)) for place in range(99)]
    missed = [Job("days differ by 20 %", 1, 2), Job("days differ by 5 %", 5, 2)]
    met = Job("days differ by 10 %", 1, 2)
    lines = list(unmet_lines(dict.fromkeys(missed, seen) | {met: seen[1:3]}))[2:]
    rows = {line.split(" | ")[1]: line for line in lines}
    assert "66.7 (56.9–75.2) **not met** | 10 % is assumed" in rows["days differ by 20 %"]
    assert rows["days differ by 5 %"].endswith("| 5+5 | mean 66.7 (56.9–75.2) **not met** | Not known. |")
    assert {*rows} == {each.name for each in missed}
