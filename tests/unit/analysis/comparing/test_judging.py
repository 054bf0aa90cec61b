"""The verdict of one series: reference cases, every refusal, and what response times demand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.unit.analysis.comparing.samples_made import DAY_NS, MONDAY_NS, autoregression, info, samples, side
from tunebench.analysis.comparing.calendar_slots import Calendar
from tunebench.analysis.comparing.comparison import ComparedSeries, Method
from tunebench.analysis.comparing.deciding import Kinds, Thing, adjusted, levels_of, with_decisions
from tunebench.analysis.comparing.disk_work import Work
from tunebench.analysis.comparing.judging import Prepared, prepared
from tunebench.analysis.comparing.occurrence_figures import OccurrenceFigures, Statistic, figures_of
from tunebench.analysis.comparing.regular_samples import Samples
from tunebench.analysis.comparing.window_sides import Held, Side
from tunebench.analysis.inference.effective_size import effective_size
from tunebench.analysis.inference.occurrences import Prior, Source
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import WindowLoad

SEOUL = ZoneInfo("Asia/Seoul")
CLOCKS = (Calendar(SEOUL), Calendar(SEOUL))
LATER_NS = MONDAY_NS + 7 * DAY_NS


def judged(before: Side, after: Side, kinds: Kinds | None = None) -> ComparedSeries:
    kinds = kinds or Kinds(WindowLoad.PRODUCTION)
    row = ComparedSeries((before.info,), (after.info,), None, None, None, "")
    (made,) = prepared([(before, after)], CLOCKS, kinds.load)
    (found,) = with_decisions([(row, made, None)], kinds)
    return found


def half_width(df: float, variance: np.floating | float) -> float:
    """Of a 95 % interval, by the table of Student's t."""
    return {3: 3.1824463, 9: 2.2621572}[round(df)] * float(np.sqrt(variance))


def two_hours(seed: int, level: float, phi: float = 0.3, count: int = 120) -> np.ndarray:
    return level * np.exp(0.15 * autoregression(seed, count, phi))


def test_two_windows_are_judged_by_what_days_are_assumed_to_differ() -> None:
    """One day a side: 10 % of natural variation each, with three degrees of freedom; what varies inside comes on top."""
    before, after = two_hours(1, 60.0), two_hours(2, 30.0)
    found = judged(side(info(), samples(before)), side(info(), samples(after, LATER_NS)))
    ratio = before.mean() / after.mean()
    assert found.verdict is Verdict.IMPROVED
    assert (found.method, found.occurrences, found.reason, found.margin) == (Method.OCCURRENCES, (1, 1), "", 0.05)
    assert found.estimate == pytest.approx(ratio)
    assert found.difference == pytest.approx(after.mean() - before.mean())
    assert found.variation == Prior(0.10, 3.0, Source.ASSUMED)
    assert {caution.key for caution in found.cautions} == {"variation_assumed"}
    assert found.interval is not None
    least = half_width(3, 2 * 0.10**2)
    assert np.exp(np.log(ratio) + least) < found.interval.high < np.exp(np.log(ratio) + 1.1 * least)


def days(seed: int, levels: Iterable[float], start_ns: int, count: int = 120) -> list[Samples]:
    return [
        samples(two_hours(seed + day, level, count=count), start_ns + day * DAY_NS) for day, level in enumerate(levels)
    ]


def test_five_days_show_how_much_days_differ() -> None:
    """Welch's t of the logarithms of the days' means, its variance moderated by the assumed one as by one more day."""
    before, after = (60.0, 66.0, 54.0, 58.0, 63.0), (50.0, 47.0, 54.0, 45.0, 51.0)
    sides = side(info(), *days(10, before, MONDAY_NS)), side(info(), *days(20, after, LATER_NS))
    found = judged(*sides)
    logs = [[float(np.log(each.samples.values.mean())) for each in one.occurrences] for one in sides]
    own = sum(np.var(values) * 5 for values in logs) / 8
    inside = np.mean([each.size.n_eff and 0.15**2 / each.size.n_eff for each in figures(*sides)])
    variance = (8 * own + (0.10**2 + inside)) / 9
    assert (found.occurrences, found.verdict) == ((5, 5), Verdict.IMPROVED)
    assert found.variation is not None
    assert (found.variation.df, found.variation.source) == (9.0, Source.MEASURED)
    assert found.interval is not None
    reach = half_width(9, variance * (1 / 5 + 1 / 5))
    assert np.log(found.interval.high) == pytest.approx(np.mean(logs[0]) - np.mean(logs[1]) + reach, rel=0.02)


def figures(*sides: Side) -> list[OccurrenceFigures]:
    return figures_of([each.samples for one in sides for each in one.occurrences], Calendar(SEOUL))


def test_days_that_differ_by_a_tenth_are_no_change_and_it_is_said_what_would_settle_it() -> None:
    found = judged(
        side(info(), *days(10, (60.0, 66.0, 54.0), MONDAY_NS)), side(info(), *days(20, (66.0, 56.0, 54.0), LATER_NS))
    )
    assert found.verdict is Verdict.INCONCLUSIVE
    assert (found.reason, found.settling is None) in (("unsettled", True), ("would_settle", False))


def test_weekdays_are_compared_with_themselves() -> None:
    """Each weekday has a level of its own, and each is a fifth lower afterwards: told only by pairs."""
    levels = np.array([30.0, 100.0, 50.0, 200.0, 80.0])
    sides = side(info(), *days(10, levels, MONDAY_NS)), side(info(), *days(20, 0.7 * levels, LATER_NS))
    pairs = Kinds(WindowLoad.PRODUCTION, tuple((day, day) for day in range(5)))
    alone, paired = judged(*sides), judged(*sides, pairs)
    assert (alone.verdict, alone.method) == (Verdict.INCONCLUSIVE, Method.OCCURRENCES)
    assert (paired.verdict, paired.method) == (Verdict.IMPROVED, Method.PAIRED_OCCURRENCES)


def test_what_is_known_of_a_kind_takes_the_place_of_what_is_assumed() -> None:
    """Thirty disks whose days differ by one per cent: a change of a tenth is told with two days a side."""
    disk = info("svc_t", "system.disk.queue_length", unit="1", tool="iostat")
    kinds = Kinds(WindowLoad.PRODUCTION)
    sides = []
    for number in range(30):
        noise = np.random.default_rng(number).normal(0, 0.01, 4)
        sides.append(
            (
                side(disk, *days(100 * number, 10 * np.exp(noise[:2]), MONDAY_NS, count=720)),
                side(disk, *days(100 * number + 10, 8.5 * np.exp(noise[2:]), LATER_NS, count=720)),
            )
        )
        kinds.take(disk, *prepared(sides[-1:], CLOCKS, WindowLoad.PRODUCTION))
    found = [judged(*each, kinds) for each in sides]
    assert {each.variation.source for each in found if each.variation} == {Source.KIND}
    assert sum(each.verdict is Verdict.IMPROVED for each in found) >= 25
    assert all(judged(*each).verdict is Verdict.INCONCLUSIVE for each in sides)


def test_stalls_show_in_the_mean_and_in_p99() -> None:
    """Two in a hundred samples are sixty times as long, on three days before and none after."""
    queue = info("aqu-sz", "system.disk.queue_length", unit="1", tool="iostat")
    before = []
    for day in range(3):
        random = np.random.default_rng(day)
        values = 5 * np.exp(random.normal(0, 0.2, 1080)) * np.where(random.random(1080) < 0.02, 60, 1)
        before.append(samples(values, MONDAY_NS + day * DAY_NS, interval_s=10.0))
    after = [
        samples(5 * np.exp(np.random.default_rng(50 + day).normal(0, 0.2, 1080)), LATER_NS + day * DAY_NS, 10.0)
        for day in range(3)
    ]
    found = judged(side(queue, *before), side(queue, *after))
    told = {each.statistic: each.verdict for each in found.statistics}
    assert found.verdict is Verdict.IMPROVED
    assert told[Statistic.P99] is Verdict.IMPROVED
    assert told[Statistic.P95] is not Verdict.IMPROVED


def test_the_direction_turns_the_verdict() -> None:
    before, after = samples(two_hours(1, 60.0)), samples(two_hours(2, 30.0), LATER_NS)
    higher = replace(info("tps"), direction=Direction.HIGHER)
    neutral = replace(info("cs"), direction=Direction.NEUTRAL)
    assert judged(side(higher, before), side(higher, after)).verdict is Verdict.REGRESSED
    found = judged(side(neutral, before), side(neutral, after))
    assert (found.verdict, found.reason) == (Verdict.DESCRIPTIVE_ONLY, "neutral")
    assert found.p is not None
    assert found.p < 0.05  # changed, and nothing more


def test_sampled_processor_time_has_the_wider_margin() -> None:
    busy = info("%user", "system.cpu.utilization", "%", tool="sar")
    found = judged(side(busy, samples(two_hours(1, 60))), side(busy, samples(two_hours(2, 30), LATER_NS)))
    assert found.margin == 0.10


@pytest.mark.parametrize(
    ("before", "after", "verdict", "reason"),
    [
        ([], [1.0] * 40, Verdict.INSUFFICIENT_DATA, "no_samples"),
        ([1.0], [2.0] * 40, Verdict.DESCRIPTIVE_ONLY, "single_sample"),
        (list(range(1, 30)), list(range(1, 100)), Verdict.INSUFFICIENT_DATA, "few_samples"),
        ([5.0] * 40, [5.0] * 40, Verdict.EQUIVALENT, "constant"),
        ([5.0] * 40, [4.0] * 40, Verdict.DESCRIPTIVE_ONLY, "no_spread"),
        (np.linspace(1, 100, 40), np.linspace(1, 100, 40), Verdict.INSUFFICIENT_DATA, "few_independent"),
    ],
)
def test_what_is_too_little_is_refused_with_its_reason(
    before: list[float], after: list[float], verdict: Verdict, reason: str
) -> None:
    found = judged(side(info(), samples(before)), side(info(), samples(after, LATER_NS)))
    assert (found.verdict, found.reason) == (verdict, reason)


def test_captures_that_differ_are_not_comparable() -> None:
    before, after = samples(two_hours(1, 60)), samples(two_hours(2, 30), LATER_NS)
    other = info(definition="of version 12")
    assert judged(side(info(), before), side(other, after)).reason == "definition_differs"
    assert judged(side(info(), before), side(info(), after, coverage=0.7)).reason == "coverage"
    assert judged(side(info(), before), side(info(), before)).reason == "windows_overlap"
    often = samples(two_hours(2, 30, count=700), LATER_NS, interval_s=10.0)
    found = judged(side(info(), before), side(info(), often))
    assert (found.verdict, found.reason) == (Verdict.NOT_COMPARABLE, "intervals_differ")


@pytest.mark.parametrize(("count", "enough"), [(29, False), (30, True)])
def test_thirty_samples_are_the_fewest_of_a_window(count: int, enough: bool) -> None:
    long = side(info(), samples(two_hours(1, 60)))
    short = side(info(), samples(two_hours(2, 30, phi=0.0, count=count), LATER_NS))
    for pair in ((long, short), (short, long)):
        assert (judged(*pair).reason != "few_samples") is enough


@pytest.mark.parametrize(
    ("interval_s", "reason"), [(12.0, ""), (11.9, "intervals_differ"), (300.0, ""), (301.0, "intervals_differ")]
)
def test_an_interval_five_times_as_long_is_the_longest(interval_s: float, reason: str) -> None:
    often = samples(two_hours(2, 30, count=700), LATER_NS, interval_s=interval_s)
    assert judged(side(info(), samples(two_hours(1, 60, count=700))), side(info(), often)).reason == reason


@pytest.mark.parametrize(("coverage", "reason"), [(0.8, ""), (0.799, "coverage"), (None, "")])
def test_four_fifths_of_a_window_must_have_been_measured(coverage: float | None, reason: str) -> None:
    sides = (
        side(info(), samples(two_hours(1, 60)), coverage=coverage),
        side(info(), samples(two_hours(2, 30), LATER_NS)),
    )
    assert judged(*sides).reason == reason


@pytest.mark.parametrize(
    ("start_ns", "host", "overlap"),
    [
        (119 * 60, "db01", False),
        (119 * 60 - 1, "db01", True),
        (0, "db02", False),
        (-119 * 60, "db01", False),
        (-60, "db01", True),
    ],
)
def test_windows_of_one_host_may_touch_and_not_overlap(start_ns: int, host: str, overlap: bool) -> None:
    """The last of 120 samples comes 119 minutes after the first."""
    later = samples(two_hours(2, 30), MONDAY_NS + start_ns * 1_000_000_000)
    found = judged(side(info(), samples(two_hours(1, 60))), side(info(host=host), later))
    assert (found.reason == "windows_overlap") is overlap


@pytest.mark.parametrize(("count", "left_out"), [(30, 2), (31, 0)])
def test_half_an_hour_is_the_shortest_occurrence_of_production_beside_longer_ones(count: int, left_out: int) -> None:
    found = judged(
        side(info(), *days(1, (60.0, 60.0), MONDAY_NS), *days(5, (60.0,), MONDAY_NS + 2 * DAY_NS, count)),
        side(info(), *days(9, (60.0, 60.0), LATER_NS), *days(15, (60.0,), LATER_NS + 2 * DAY_NS, count)),
    )
    told = [caution.facts["count"] for caution in found.cautions if caution.key == "occurrences_left_out"]
    assert told == ([left_out] if left_out else [])


@pytest.mark.parametrize(("interval_s", "told"), [(40.0, False), (39.0, True), (90.0, False), (91.0, True)])
def test_half_as_long_again_is_still_the_same_interval(interval_s: float, told: bool) -> None:
    other = samples(two_hours(2, 30), LATER_NS, interval_s=interval_s)
    found = judged(side(info(), samples(two_hours(1, 60))), side(info(), other))
    assert [caution.facts["interval_s"] for caution in found.cautions if caution.key == "resampled"] == (
        [max(interval_s, 60.0)] if told else []
    )


def test_windows_of_two_intervals_are_compared_in_the_coarser_one() -> None:
    fine = samples(two_hours(2, 30, count=480), LATER_NS, interval_s=15.0)
    coarse = two_hours(1, 60)
    found = judged(side(info(), samples(coarse)), side(info(), fine))
    minutes = fine.values.reshape(-1, 4).mean(axis=1)
    assert found.estimate == pytest.approx(coarse.mean() / minutes.mean())
    assert found.n_eff_after == pytest.approx(effective_size(minutes - minutes.mean()).n_eff)
    assert "resampled" in {caution.key for caution in found.cautions}


def test_pairs_that_are_prepared_together_are_what_each_is_alone() -> None:
    """Single days of nine hours and of two, with a step, drifting, of several days, and of other clocks."""
    nine = [two_hours(seed, 50.0, count=540) for seed in range(6)]
    step = nine[4] * np.where(np.arange(540) < 300, 1.0, 2.0)
    pairs = [
        (side(info(), samples(nine[0])), side(info(), samples(nine[1], LATER_NS))),
        (side(info(), samples(nine[2])), side(info(), samples(step, LATER_NS))),
        (side(info(), samples(step[240:])), side(info(), samples(nine[5], LATER_NS))),
        (side(info(), samples(two_hours(7, 9.0))), side(info(), samples(np.linspace(5, 9, 120), LATER_NS))),
        (side(info(), *days(11, (9.0, 10.0, 11.0), MONDAY_NS)), side(info(), *days(19, (8.0, 9.0, 9.5), LATER_NS))),
        (side(info(), samples(np.full(120, 3.0))), side(info(), samples(nine[3], LATER_NS))),
    ]
    alone = [one for pair in pairs for one in prepared([pair], CLOCKS, WindowLoad.PRODUCTION)]
    together = prepared(pairs[::-1], CLOCKS, WindowLoad.PRODUCTION)[::-1]
    assert list(map(told, together)) == list(map(told, alone))
    assert {bool(one.changes) for one in alone} == {True, False}


def told(one: Prepared) -> tuple[object, ...]:
    refused = one.refusal and (one.refusal.reason, one.refusal.facts)
    return refused, one.before, one.after, one.curve, one.means, one.cautions, list(one.changes)


def test_a_step_inside_a_window_refuses_and_offers_its_time() -> None:
    stepping = two_hours(3, 40, phi=0.0)
    stepping[60:] *= 2.5
    sides = side(info(), samples(stepping)), side(info(), samples(two_hours(4, 40), LATER_NS))
    found = judged(*sides)
    assert (found.verdict, found.reason) == (Verdict.INSUFFICIENT_DATA, "change_inside")
    (made,) = prepared([sides], CLOCKS, WindowLoad.PRODUCTION)
    ((name, at_ns, change),) = made.changes
    assert name == "before"
    assert at_ns == MONDAY_NS + 60 * 60 * 1_000_000_000
    assert change.factor == pytest.approx(stepping[60:].mean() / stepping[:60].mean())


@pytest.mark.parametrize(
    ("before", "after", "verdict", "reason"),
    [
        (0.2, 0.6, Verdict.EQUIVALENT, "near_zero_pct"),
        (4.5, 1.5, Verdict.IMPROVED, "near_zero_pct"),
        (1.5, 4.5, Verdict.REGRESSED, "near_zero_pct"),
        (6.0, 2.0, Verdict.IMPROVED, ""),
        (2.0, 6.0, Verdict.REGRESSED, ""),
    ],
)
def test_percentages_that_stay_below_five_are_judged_by_points(
    before: float, after: float, verdict: Verdict, reason: str
) -> None:
    """0.2 % against 0.6 % is three times as much, and nothing in practice."""
    busy = info("%util", "system.disk.utilization", "%", tool="iostat")
    found = judged(side(busy, samples(two_hours(1, before))), side(busy, samples(two_hours(2, after), LATER_NS)))
    assert (found.verdict, found.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("before", "after", "verdict", "reason"),
    [
        (4.99, 2.2, Verdict.IMPROVED, "near_zero_pct"),
        (5.01, 2.2, Verdict.IMPROVED, ""),
        (2.2, 4.99, Verdict.REGRESSED, "near_zero_pct"),
        (2.2, 5.01, Verdict.REGRESSED, ""),
        (0.5, 1.1, Verdict.EQUIVALENT, "near_zero_pct"),  # a percentage point is the least that matters
        (1.1, 0.5, Verdict.EQUIVALENT, "near_zero_pct"),
        (0.5, 1.6, Verdict.INCONCLUSIVE, "near_zero_pct"),
    ],
)
@pytest.mark.parametrize(("unit", "scale"), [("%", 1.0), ("1", 0.01)])
def test_five_per_cent_are_judged_by_their_ratio_whatever_their_unit(
    before: float, after: float, verdict: Verdict, reason: str, unit: str, scale: float
) -> None:
    busy = info("%util", "system.disk.utilization", unit, tool="iostat")
    noise = 1 + 0.002 * np.tile([1.0, -1.0], 60)
    sides = [
        side(busy, samples(level * scale * noise, start_ns))
        for level, start_ns in ((before, MONDAY_NS), (after, LATER_NS))
    ]
    found = judged(sides[0], sides[1])
    assert (found.verdict, found.reason) == (verdict, reason)


def test_what_falls_to_zero_is_improved_although_no_ratio_exists() -> None:
    scan = info("sr", unit="1/s", tool="vmstat")
    found = judged(side(scan, samples(two_hours(1, 200))), side(scan, samples(np.zeros(120), LATER_NS)))
    assert (found.verdict, found.reason) == (Verdict.IMPROVED, "by_difference")
    assert found.interval is None


def test_one_outlier_of_a_single_window_is_no_p99() -> None:
    """Four of 360 samples lie beyond p99: what it is, one of them decides. Five hundred carry it."""
    for count, told in ((360, False), (720, True)):
        noise = [np.exp(np.random.default_rng(seed).normal(0, 0.2, count)) for seed in (1, 2)]
        noise[0][count // 2] *= 100
        sides = [
            side(info(), samples(each, start_ns, interval_s=30.0))
            for each, start_ns in zip(noise, (MONDAY_NS, LATER_NS), strict=True)
        ]
        found = judged(sides[0], sides[1])
        assert {each.statistic for each in found.statistics} >= {Statistic.MEAN, Statistic.P95}
        p99 = found.statistic(Statistic.P99)
        assert (p99 is not None) is told
        assert p99 is None or p99.verdict is Verdict.INCONCLUSIVE


# -- response times ------------------------------------------------------------------------------------


def response(level: float, seed: int, start_ns: int, size_bytes: float | None) -> Side:
    values = two_hours(seed, level)
    requests = 100 * np.exp(0.3 * autoregression(seed + 50, len(values), 0.3))
    weighted = replace(samples(values, start_ns), weights=requests)
    of = info("svc_t", "system.disk.response_time", tool="iostat")
    return side(of, samples(values, start_ns), work=Work(weighted, size_bytes))


def test_a_response_time_is_judged_where_the_requests_are_of_the_same_size() -> None:
    found = judged(response(8.0, 1, MONDAY_NS, 8192.0), response(4.0, 2, LATER_NS, 8500.0))
    assert found.verdict is Verdict.IMPROVED
    assert found.weighted


def test_requests_of_another_size_forbid_it_and_the_time_per_megabyte_is_told() -> None:
    """The guide's own read-ahead: 1.1 to 5.0 ms a request, but 52.6 to 32.5 ms a megabyte (reference case g31)."""
    sides = []
    for requests, kib, ms, start_ns in ((492.4, 10543.8, 1.1, MONDAY_NS), (95.5, 15047.4, 5.0, LATER_NS)):
        made = samples(np.full(60, ms), start_ns)
        weighted = replace(made, weights=np.full(60, requests))
        of = info("svc_t", "system.disk.response_time", tool="iostat")
        sides.append(side(of, made, work=Work(weighted, kib * 1024 / requests)))
    found = judged(sides[0], sides[1])
    assert (found.verdict, found.reason) == (Verdict.NOT_COMPARABLE, "request_size_differs")
    assert found.facts["before_size_bytes"] == pytest.approx(21.413078797725426 * 1024)
    assert found.facts["before_ms_per_mib"] == pytest.approx(52.6, abs=0.05)
    assert found.facts["after_ms_per_mib"] == pytest.approx(32.5, abs=0.05)


def test_a_response_time_without_the_size_of_requests_is_never_judged() -> None:
    assert judged(response(8.0, 1, MONDAY_NS, None), response(4.0, 2, LATER_NS, 8192.0)).reason == (
        "request_size_unknown"
    )
    (idle,) = response(8.0, 1, MONDAY_NS, None).occurrences
    resting = Work(replace(idle.judged, weights=np.zeros(120)), None)
    still = Side(
        info("svc_t", "system.disk.response_time", tool="iostat"), (replace(idle, source=Held(idle.samples, resting)),)
    )
    assert judged(still, response(4.0, 2, LATER_NS, 8192.0)).reason == "no_requests"


# -- matched hours -------------------------------------------------------------------------------------


def day(seed: int, level: float, start_ns: int) -> Samples:
    """Twenty-four hours by the minute, with the load of an office."""
    office = 1 + 0.6 * np.sin(2 * np.pi * np.arange(1440) / 1440)
    return samples(level * office * np.exp(0.2 * autoregression(seed, 1440, 0.4)), start_ns)


def test_the_curve_of_the_day_is_no_uncertainty_of_two_days() -> None:
    found = judged(side(info(), day(1, 60, MONDAY_NS)), side(info(), day(2, 30, LATER_NS)))
    assert found.verdict is Verdict.IMPROVED
    assert found.interval is not None
    assert found.interval.low < 2.0 < found.interval.high
    reach = half_width(3, 2 * 0.10**2)
    assert np.log(found.interval.high / found.interval.low) / 2 < 1.1 * reach


def test_two_days_alike_are_undecided_since_days_may_differ() -> None:
    found = judged(side(info(), day(5, 60, MONDAY_NS)), side(info(), day(6, 60, LATER_NS)))
    assert found.verdict is Verdict.INCONCLUSIVE


def test_the_ordinary_case_is_judged() -> None:
    """Processors 41 % busy, then 19 %, nine to twelve, a week apart, with the curve of the morning on either side."""
    busy = info("%user", "system.cpu.utilization", "%", tool="sar")
    curve = 1 + 0.4 * np.sin(np.pi * np.arange(180) / 180)
    sides = [
        side(busy, samples(level * curve / curve.mean() * np.exp(0.05 * autoregression(seed, 180, 0.5)), start_ns))
        for seed, level, start_ns in ((1, 41.0, MONDAY_NS), (2, 19.0, LATER_NS))
    ]
    assert judged(sides[0], sides[1]).verdict is Verdict.IMPROVED


def test_a_step_in_a_day_is_seen_through_the_daily_curve() -> None:
    """At noon UTC; which of the two days stepped, their ratio cannot tell."""
    stepping = day(1, 60, MONDAY_NS)
    stepping.values[720:] *= 1.6
    found = judged(side(info(), stepping), side(info(), day(2, 60, LATER_NS)))
    assert (found.verdict, found.reason) == (Verdict.INSUFFICIENT_DATA, "change_between_hours")
    noon_ns = 12 * 3600 * 1_000_000_000
    assert abs(int(str(found.facts["before_at_ns"])) - MONDAY_NS - noon_ns) <= 3600 * 1_000_000_000
    assert abs(int(str(found.facts["after_at_ns"])) - LATER_NS - noon_ns) <= 3600 * 1_000_000_000


# -- all series together -------------------------------------------------------------------------------


def row(p: float | None, verdict: Verdict) -> ComparedSeries:
    return ComparedSeries((info(),), (info(),), None, None, 2.0, "", verdict, p=p)


def test_what_may_be_chance_among_many_is_called_inconclusive() -> None:
    """Benjamini-Hochberg by hand: 0.03 of ten becomes 0.03 * 10 / 2 = 0.15, 0.001 becomes 0.01."""
    others = [row(0.5, Verdict.EQUIVALENT) for _ in range(8)]
    first, second, *rest = adjusted([row(0.001, Verdict.IMPROVED), row(0.03, Verdict.REGRESSED), *others])
    assert (first.verdict, first.changed) == (Verdict.IMPROVED, True)
    assert first.p_adjusted == pytest.approx(0.01)
    assert (second.verdict, second.reason) == (Verdict.INCONCLUSIVE, "many_series")
    assert second.p_adjusted == pytest.approx(0.15)
    assert {each.verdict for each in rest} == {Verdict.EQUIVALENT}


@pytest.mark.parametrize(("p", "verdict"), [(0.05, Verdict.IMPROVED), (0.0501, Verdict.INCONCLUSIVE)])
def test_one_false_discovery_in_twenty_is_allowed(p: float, verdict: Verdict) -> None:
    (only,) = adjusted([row(p, Verdict.IMPROVED)])
    assert only.verdict is verdict


def test_p99_is_told_only_where_the_window_carries_it() -> None:
    few, many = (side(info(), samples(np.arange(1000.0))).quantiles(n_eff) for n_eff in (499.0, 500.0))
    assert few is not None
    assert many is not None
    assert few.p99 is None
    assert many.p99 == pytest.approx(990, abs=5)
    for found in (few, many):
        assert (found.p50, found.p90, found.p95) == pytest.approx((500, 900, 950), abs=5)


def test_quantiles_of_long_series_are_those_of_the_whole_order() -> None:
    """Only what weighs is looked at: against the definition over all order statistics."""
    from scipy import special

    values = np.round(np.random.default_rng(20251020).lognormal(0, 1, 30_000), 2)
    found = side(info(), samples(values)).quantiles(30_000.0)
    assert found is not None
    for p, quantile in ((0.5, found.p50), (0.95, found.p95), (0.99, found.p99)):
        edges = special.betainc(30_001 * p, 30_001 * (1 - p), np.arange(30_001) / 30_000)
        assert quantile == pytest.approx(float(np.dot(np.diff(edges), np.sort(values))), rel=1e-12)


@pytest.mark.parametrize("days_each", [1, 3])
def test_what_several_days_show_of_a_percentile_is_not_claimed_once_more(days_each: int) -> None:
    """Of one day its own samples tell how sure p95 is; of three alike the days do, beside what is assumed."""
    levels = [60.0] * days_each
    one, other = (
        side(info(), *days(seed, levels, start_ns, count=720)) for seed, start_ns in ((10, MONDAY_NS), (20, LATER_NS))
    )
    (found,) = prepared([(one, other)], CLOCKS, WindowLoad.PRODUCTION)
    for told in levels_of([Thing(info(), found)], Statistic.P95).logs:
        assert told.values.shape == (days_each, 1) and ((told.variances > 0) == (days_each == 1)).all()
    for told in levels_of([Thing(info(), found)], Statistic.MEAN).logs:
        assert (told.variances > 0).all()
