"""Guards of one iteration, judged together: made with stated seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
from scipy import stats

from tests.unit.diagnosis.cycle_case import ACTION, CPU, done
from tunebench.analysis.inference.multiple_tests import holm
from tunebench.analysis.inference.occurrences import Level, Prior, Source, confidence_among, interval_of
from tunebench.diagnosis.cycle.results import GuardStanding, GuardState, guard_standings, reached
from tunebench.domain.comparability import FigureInterval
from tunebench.domain.cycle.book import IntervalKey, Record
from tunebench.domain.cycle.records import Figure, Result, Target
from tunebench.domain.engagement import Direction

SAMPLED = replace(CPU, statistic="mean", unit="ms", direction=Direction.LOWER)
SEEN = Figure(1.0, run_id=2, start_ns=0, end_ns=1, samples=180)


def guards(levels: Sequence[tuple[Sequence[Level], float]], limit: float = 100.0) -> tuple[GuardStanding, ...]:
    """The standings of guards that are to stay below `limit`, each measured on some days: their logarithms, and the
    natural variation that the kind tells."""
    records: list[Record] = []
    intervals: dict[IntervalKey, FigureInterval | None] = {}
    for place, (days, sd) in enumerate(levels):
        metric = replace(SAMPLED, id=100 + place, guards=ACTION.id)
        prior = Prior(sd, 4.0, Source.KIND)
        found = [
            interval_of(days, prior, confidence=confidence_among(count, prior, repeats=True))
            for count in range(1, len(levels) + 1)
        ]
        ends = [each.interval for each in found if each.interval is not None]
        alone, *wider = (
            FigureInterval(
                exp(each.low),
                exp(each.high),
                each.confidence,
                len(days),
                sd,
                8.0,
                "measured",
                exp(found[0].value),
                together=count,
            )
            for count, each in enumerate(ends, 1)
        )
        now = replace(SEEN, value=exp(found[0].value))
        intervals[metric, now, None] = replace(alone, among=tuple(wider))
        records += [metric, Target(200 + place, 1, metric.id, None, limit), Result(300 + place, 1, metric.id, now)]
    return guard_standings(replace(done(*records, without=(CPU.id,)), intervals=intervals), 1)


def drawn(random: np.random.Generator, ratios: Sequence[float], days: int = 5) -> list[tuple[list[Level], float]]:
    """Guards whose true level is so many times the limit of 100; days differ by 10 %."""
    return [([Level(log(100 * ratio) + each) for each in 0.1 * random.standard_normal(days)], 0.1) for ratio in ratios]


def test_guards_are_judged_together_by_holm_s_procedure():
    """By the p-value of every guard against its limit, adjusted by the function that is held to R's."""
    random = np.random.default_rng(3)
    several = 0
    for _ in range(60):
        made = drawn(random, np.exp(0.15 * random.standard_normal(random.integers(1, 7))).tolist())
        p_values = []
        for days, sd in made:
            values = np.array([each.value for each in days])
            variance = (4 * sd**2 + 4 * values.var(ddof=1)) / 8 / len(values)  # four of the kind, four of five days
            p_values.append(2 * stats.t.sf(abs(values.mean() - log(100.0)) / sqrt(variance), 8))
        decided = holm(np.array(p_values)) <= 0.05
        found = guards(made)
        assert [each.state is not GuardState.UNDECIDED for each in found] == decided.tolist()
        several += 0 < decided.sum() < len(made)
        for each in found:
            assert each.interval is not None
            by_word = reached(each.now, each.limit, each.metric.direction, each.interval)
            assert by_word.value == {"held": "met", "exceeded": "missed", "undecided": "undecided"}[each.state]
    assert several > 10


def test_ten_guards_of_which_nothing_is_so_are_hardly_ever_called_anything():
    """Each exactly at its limit, so that either word is wrong. Alone each is called wrongly in some 4 %, one of ten in
    a third; more than 5 % of 200 by this much: less than once in a thousand runs."""
    random = np.random.default_rng(4)
    wrong = alone = 0
    for _ in range(200):
        found = guards(drawn(random, [1.0] * 10))
        wrong += any(each.state is not GuardState.UNDECIDED for each in found)
        for each in found:
            assert each.interval is not None and each.interval.confidence >= 0.95
        each_alone = [guards([each]) for each in drawn(random, [1.0] * 10)]
        alone += any(each.state is not GuardState.UNDECIDED for (each,) in each_alone)
    assert wrong <= stats.binom.ppf(0.999, 200, 0.05) and alone > 40


def test_a_guard_that_is_truly_worse_is_found_among_nine_that_are_not():
    random = np.random.default_rng(5)
    states = [guards(drawn(random, [1.5, *[0.5] * 9])) for _ in range(40)]
    assert all(found[0].state is GuardState.EXCEEDED for found in states)
    assert all(each.state is GuardState.HELD for found in states for each in found[1:])


def test_one_of_more_than_were_reckoned_with_is_as_wide_as_one_of_the_most():
    three, two = (FigureInterval(80.0 - n, 90.0 + n, 0.95, 5, 0.1, 8.0, "measured", 85.0, together=n) for n in (3, 2))
    alone = FigureInterval(80.0, 90.0, 0.95, 5, 0.1, 8.0, "measured", 85.0, among=(two, three))
    assert [alone.as_one_of(count) for count in (1, 2, 3, 4, 9)] == [alone, two, three, three, three]
    assert two.as_one_of(3) is two
