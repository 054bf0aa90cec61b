"""The change between occurrences: against the formulas of Smyth (2004) and tables of Student's t."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import optimize, special, stats

from tunebench.analysis.inference.occurrences import (
    MEASURED_INSIDE,
    Change,
    Level,
    LevelTable,
    Prior,
    Priors,
    Sides,
    Source,
    Spread,
    change_between,
    changes_between,
    confidence_among,
    interval_of,
    prior_of_kind,
    spread_of,
    would_settle,
)
from tunebench.core.messages import LANGUAGES, catalogue

T_975 = {3: 3.1824463, 5: 2.5705818, 8: 2.3060041, 9: 2.2621572}
"""Of the table."""
BEFORE, AFTER = (60.0, 66.0, 54.0, 58.0, 63.0), (50.0, 47.0, 54.0, 45.0, 51.0)


def levels(figures: tuple[float, ...], variance: float = 0.0) -> list[Level]:
    return [Level(log(figure), variance) for figure in figures]


def test_the_variance_is_moderated_by_what_is_assumed() -> None:
    found = change_between(levels(BEFORE), levels(AFTER), Prior(0.10))
    own = (np.var(np.log(BEFORE), ddof=1) + np.var(np.log(AFTER), ddof=1)) / 2
    variance = (8 * own + 0.10**2) / 9
    assert found.interval is not None
    reach = T_975[9] * sqrt(variance * 2 / 5)
    expected = float(np.log(AFTER).mean() - np.log(BEFORE).mean())
    assert (found.interval.low, found.interval.high) == pytest.approx((expected - reach, expected + reach))
    assert (found.df, found.source, found.before, found.after) == (9, Source.MEASURED, 5, 5)


def test_pairs_have_the_variance_of_their_differences() -> None:
    found = change_between(levels(BEFORE), levels(AFTER), Prior(0.10), paired=True)
    steps = np.log(AFTER) - np.log(BEFORE)
    variance = (4 * np.var(steps, ddof=1) + 2 * 0.10**2) / 5
    assert found.interval is not None
    assert found.interval.high - found.difference == pytest.approx(T_975[5] * sqrt(variance / 5))


def test_one_day_a_side_has_what_is_assumed_and_what_varies_inside() -> None:
    found = change_between(levels((60.0,), 0.02**2), levels((30.0,), 0.04**2), Prior(0.10), confidence=MEASURED_INSIDE)
    assert found.interval is not None
    reach = sqrt((T_975[3] * 0.10) ** 2 * 2 + 1.959964**2 * (0.02**2 + 0.04**2))
    assert found.difference - found.interval.low == pytest.approx(reach)
    assert found.source is Source.ASSUMED


def test_of_one_day_what_was_measured_inside_does_not_bear_the_doubt_of_what_is_assumed() -> None:
    """A mean that varies by 15 % from inside: a half of it is told from what three degrees for all would leave open."""
    day, prior = levels((20.0,), 0.15**2), Prior(0.10)
    found, granted = interval_of(day, prior, confidence=MEASURED_INSIDE), interval_of(day, prior)
    assert found.interval is not None
    assert granted.interval is not None
    assert exp(found.interval.high) == pytest.approx(20 * exp(sqrt(T_975[3] ** 2 * 0.01 + 1.959964**2 * 0.15**2)))
    assert exp(granted.interval.high) == pytest.approx(20 * exp(T_975[3] * sqrt(0.01 + 0.15**2)))


@pytest.mark.parametrize("inside", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("count", [2, 10, 100])
def test_one_of_many_single_days_is_as_sure_as_the_share_wants(count: int, inside: float) -> None:
    """Bonferroni's share by the normal quantile (the assumption taken as known), and never less than for one alone."""
    share = {2: 2.2414027, 10: 2.8070338, 100: 3.4807564}[count]
    prior, day = Prior(0.10), levels((20.0,), inside**2)
    alone = interval_of(day, prior, confidence=MEASURED_INSIDE).interval
    among = interval_of(day, prior, confidence=confidence_among(count, prior, repeats=False)).interval
    assert alone is not None
    assert among is not None
    reach = among.high - log(20)
    assert reach >= share * sqrt(0.01 + inside**2) - 1e-7
    assert reach >= alone.high - log(20)


def test_it_is_never_surer_than_the_inside_of_the_occurrences() -> None:
    found = change_between(levels((60.0,) * 3, 0.3**2), levels((30.0,) * 3, 0.3**2), Prior(0.001, 4.0, Source.KIND))
    assert found.interval is not None
    assert found.difference - found.interval.low == pytest.approx(T_975[8] * sqrt(2 * 0.3**2 / 3))


def test_what_counts_more_weighs_more() -> None:
    side = [Level(1.0, weight=3.0), Level(2.0, weight=1.0)]
    assert change_between(side, [Level(0.0)], Prior(0.1)).difference == pytest.approx(-1.25)


def test_the_variation_of_a_kind_is_found_again() -> None:
    """Scaled chi-squares with eight degrees of freedom about one variance: the prior is worth as much as is allowed."""
    random = np.random.default_rng(5)
    spreads = [Spread(0.07**2 * random.chisquare(8) / 8, 8, 0.0) for _ in range(400)]
    found = prior_of_kind(spreads)
    assert found is not None
    assert found.sd == pytest.approx(0.07, rel=0.05)
    assert (found.df, found.source) == (4.0, Source.KIND)
    assert prior_of_kind(spreads[:2]) is None


@pytest.mark.parametrize("d0", [1.0, 3.0])
def test_variances_that_differ_themselves_make_a_prior_of_less_worth(d0: float) -> None:
    """Smyth (2004), section 6.2: d0 and s0 by the moments of log s^2, the equation of d0 solved by bisection."""
    random = np.random.default_rng(11)
    variances = 0.07**2 * d0 / random.chisquare(d0, 300) * random.chisquare(8, 300) / 8
    prior = prior_of_kind([Spread(variance, 8, 0.0) for variance in variances.tolist()], apart=True)
    e = np.log(variances) - special.digamma(4) + log(4)
    beyond = e.var(ddof=1) - special.polygamma(1, 4)
    half = optimize.brentq(lambda y: special.polygamma(1, y) - beyond, 1e-3, 1e3, xtol=1e-12)
    assert prior is not None
    assert prior.df == pytest.approx(min(2 * half, 4.0), rel=1e-6)
    assert prior.df < 4
    assert prior.sd == pytest.approx(exp((e.mean() + special.digamma(half) - log(half)) / 2), rel=1e-6)


@pytest.mark.parametrize("shared", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("paired", [True, False])
def test_series_that_follow_the_same_days_tell_no_more_than_one(shared: float, paired: bool) -> None:
    """Thirty disks, three days a side; the correlations one by one."""
    random = np.random.default_rng(11)
    of_the_host = 0.1 * np.array([1.2, -1.0, 0.1, -0.9, 1.1, 0.2])
    days = sqrt(shared) * of_the_host + sqrt(1 - shared) * random.normal(0, 0.1, (30, 6))
    sides = [([Level(each) for each in row[:3]], [Level(each) for each in row[3:]]) for row in days]
    if paired:
        steps = (days[:, 3:] - days[:, :3]) - (days[:, 3:] - days[:, :3]).mean(axis=1, keepdims=True)
    else:
        steps = np.hstack([part - part.mean(axis=1, keepdims=True) for part in (days[:, :3], days[:, 3:])])
    df = 2 if paired else 4
    each = [(a @ b) ** 2 / (a @ a) / (b @ b) for place, a in enumerate(steps) for b in steps[:place]]
    alike = max((np.mean(each) - 1 / df) / (1 - 1 / df), 0.0)
    most = (30 / (1 + 29 * alike) - 2) * df
    found = prior_of_kind([spread_of(*each, paired) for each in sides])
    assert (found is None) == (most < 1)
    assert (most < 1) == bool(shared) or 0 < shared < 1
    assert found is None or found.df <= min(most, 4.0) + 1e-9
    assert prior_of_kind([spread_of(*each, paired) for each in sides], apart=True) is not None


def test_further_days_settle_what_is_open() -> None:
    """A fall to nine tenths, ten per cent between days: with so many more days the interval leaves the margin."""
    found = change_between(levels((100.0, 110.0, 91.0)), levels((90.0, 99.0, 81.9)), Prior(0.10))
    settled = would_settle(found, 0.05)
    assert settled is not None
    more = settled.occurrences
    grown = [levels((100.0, 110.0, 91.0) * 11), levels((90.0, 99.0, 81.9) * 11)]
    later = change_between(grown[0][: 3 + more], grown[1][: 3 + more], Prior(0.10))
    assert later.interval is not None
    assert later.interval.high < -log(1.05) + 0.01
    assert exp(-found.difference) - 1 == pytest.approx(settled.change, abs=0.02)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_foretells_what_thirty_more_days_do_not_bear_out(language: str) -> None:
    """Nothing changed, days differ by 5 %: of what stays open with one to three days a side and no number of further
    days reaches, thirty more decide nearly all. So no number of days may stand in its sentence."""
    random = np.random.default_rng(20261128)
    decided, left_open = 0, 0
    for place in range(300):
        now = 1 + place % 3
        days = random.normal(0.0, 0.05, (2, 33))
        ends = [[Level(each) for each in side[:now]] for side in days.tolist()]
        found = change_between(ends[0], ends[1], Prior(0.10))
        if would_settle(found, 0.05) is not None or _decides(found):
            continue
        left_open += 1
        more = [[Level(each) for each in side[: now + 30]] for side in days.tolist()]
        decided += _decides(change_between(more[0], more[1], Prior(0.10)))
    assert left_open >= 50 and decided >= 0.9 * left_open
    sentence = catalogue(language).text("compare.reason.unsettled")
    assert not any(character.isdigit() for character in sentence)


def _decides(found: Change) -> bool:
    assert found.interval is not None
    low, high, least = found.interval.low, found.interval.high, log(1.05)
    return low > least or high < -least or (-least <= low and high <= least)


def test_the_change_that_is_told_is_where_the_interval_leaves_the_margin() -> None:
    """By Student's t: 3 + 3 days, moderated by what is assumed, and as many more as are told."""
    found = change_between(levels((100.0, 110.0, 91.0)), levels((90.0, 99.0, 81.9)), Prior(0.10))
    settled = would_settle(found, 0.05)
    assert settled is not None
    reach = stats.t.ppf(0.975, found.df + 2 * settled.occurrences) * found.sd * sqrt(2 / (3 + settled.occurrences))
    assert log(1 + settled.change) - reach == pytest.approx(log(1.05))


def test_what_is_assumed_counts_for_less_among_the_days_that_would_settle_it() -> None:
    """0.2 beyond the margin: with two more a side t(0.975, 4 + 1) = 2.571 reaches 0.210, with three t(7) = 2.365 0.167."""
    found = change_between(levels((100.0,)), levels((100.0 / 1.05 / exp(0.2),)), Prior(0.10))
    settled = would_settle(found, 0.05)
    assert settled is not None and settled.occurrences == 3


@pytest.mark.parametrize(("days", "sd", "most_pct"), [(1, 0.10, 1.0), (3, 0.10, 2.0), (5, 0.20, 5.0), (1, 0.20, 15.0)])
def test_days_that_differ_are_seldom_called_a_change(days: int, sd: float, most_pct: float) -> None:
    """Twelve hundred comparisons each, where nothing changed but the days."""
    random = np.random.default_rng(20260401)
    false = 0
    for _ in range(1200):
        sides = [[Level(value, 0.02**2) for value in random.normal(0, sd, days)] for _ in range(2)]
        interval = change_between(sides[0], sides[1], Prior(0.10)).interval
        assert interval is not None
        false += interval.low > log(1.05) or interval.high < -log(1.05)
    assert 100 * false / 1200 <= most_pct


def test_the_mean_of_one_side_has_its_own_interval() -> None:
    own, other = np.var(np.log(AFTER), ddof=1), np.var(np.log(BEFORE), ddof=1)
    found = interval_of(levels(AFTER), Prior(0.10), levels(BEFORE))  # the other side tells the variation too
    reach = T_975[9] * sqrt((4 * own + 4 * other + 0.10**2) / 9 / 5)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((found.value - reach, found.value + reach))
    assert found.value == pytest.approx(float(np.log(AFTER).mean()))
    assert (found.source, found.occurrences) == (Source.MEASURED, 5)


@pytest.mark.parametrize("prior", [Prior(0.10), Prior(0.2, 3.0, Source.KIND), Prior(0.15, 2.5, Source.PROJECT)])
@pytest.mark.parametrize("pairs", [[], [(place, 5 - place) for place in range(6)], [(0, 1), (2, 3)]])
def test_many_things_at_once_by_the_formula(prior: Prior, pairs: list[tuple[int, int]]) -> None:
    """Six occurrences a side, some of which tell nothing of some things; each thing by weighted sums of its own."""
    random = np.random.default_rng(3)
    values, weights = random.normal(0, 0.3, (2, 6, 60)), random.uniform(0.1, 50, (2, 6, 60))
    variances = random.uniform(0, 0.02, (2, 6, 60))
    values[random.random(values.shape) < random.choice([0.0, 0.1, 0.7], 60)] = np.nan
    tables = [LevelTable(*own) for own in zip(values, variances, weights, strict=True)]
    found = changes_between(Sides.of(tables[0], tables[1], pairs), Priors.of([prior] * 60))
    seen = set()
    for thing in range(60):
        there = [np.flatnonzero(~np.isnan(side[:, thing])) for side in values]
        both = [(one, other) for one, other in pairs if one in there[0] and other in there[1]]
        paired = len(both) >= 3 and all(len(both) >= 0.75 * len(own) for own in there)
        places = [list(own) for own in zip(*both, strict=True)] if paired else there
        w = [weights[side][places[side], thing] for side in (0, 1)]
        if paired:
            w = [1 / (1 / w[0] + 1 / w[1])] * 2
        v = [values[side][places[side], thing] for side in (0, 1)]
        if not min(map(len, v)):
            assert np.isnan(found.difference[thing]) and np.isnan(found.p[thing])
            continue
        q = [own / own.sum() for own in w]
        difference = q[1] @ v[1] - q[0] @ v[0]
        samples = [(q[0], v[1] - v[0])] if paired else list(zip(q, v, strict=True))
        df = sum(len(x) - 1 for _, x in samples)
        squares = sum(
            (len(x) - 1) * np.average((x - np.average(x, weights=s)) ** 2, weights=s) / (1 - s @ s)
            for s, x in samples
            if len(x) > 1
        )
        own = squares / df / (2 if paired else 1) if df else 0.0
        inside = [variances[side][places[side], thing] for side in (0, 1)]
        known = prior.sd**2 + (np.concatenate(inside).mean() if prior.source is Source.ASSUMED else 0.0)
        known_df = max(3.0 - df, 1.0) if prior.source is Source.ASSUMED else prior.df
        between = (df * own + known_df * known) / (df + known_df)
        variance = max(between * sum(s @ s for s in q), sum((s * s) @ x for s, x in zip(q, inside, strict=True)))
        t = stats.t(df + known_df)
        law = t if df or prior.source is Source.KIND else stats.norm()
        reach = t.ppf(0.975) * sqrt(variance)
        told = [getattr(found, name)[thing] for name in ("difference", "low", "high", "p", "sd", "df")]
        p = 2 * law.sf(abs(difference) / sqrt(variance))
        wanted = [difference, difference - reach, difference + reach, p, sqrt(between), df + known_df]
        assert told == pytest.approx(wanted, rel=1e-9)
        assert (bool(found.measured[thing]), bool(found.paired[thing])) == (df > 0 and df >= known_df, paired)
        seen.add((paired, bool(df)))
    assert len(seen) >= 2


def test_a_difference_of_thirty_deviations_has_a_p_of_its_own() -> None:
    found = change_between([Level(0.0)], [Level(30 * 0.1 * sqrt(2))], Prior(0.10))
    assert found.p == pytest.approx(9.8e-198, rel=0.01)  # of tables of the normal distribution
