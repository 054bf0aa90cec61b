"""What a rule says over a window: shares, stretches, hysteresis, guards, and what it cannot judge."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tunebench.analysis.expressions.figures import Figures
from tunebench.diagnosis.rules.evaluation import Evaluation, Outcome, evaluate
from tunebench.diagnosis.rules.guards import Subject
from tunebench.domain.finding import Severity
from tunebench.sdk.rule_packs import read_rule_pack
from tunebench.sdk.rules import Rule

SECOND = 10**9
NAN = float("nan")
_REST = """
  domain: system
  resource: disk
  title: t
  condition: c
  source: s
  confidence: high
"""


def rule(text: str, others: str = "") -> Rule:
    """The rule of a pack whose lines are `text`; the last one where there are `others`."""
    entry = "- id: R-1\n" + "\n".join(f"  {line}" for line in text.strip().splitlines()) + _REST
    pack, problems = read_rule_pack(f"id: p\ntitle: t\nrules:\n{others}{entry}".encode(), "p.yaml")
    assert problems == ()
    assert pack is not None
    return pack.rules[-1]


def asked(
    rule: Rule, subject: Subject | None = None, seconds: list[float] | None = None, every: float = 60, **values: object
) -> Evaluation:
    series: Mapping[str, object] = {
        name: np.array(value, dtype=float) if isinstance(value, list) else value for name, value in values.items()
    }
    lengths = [len(value) for value in values.values() if isinstance(value, list)]
    seconds = seconds or [every * place for place in range(lengths[0])] if lengths else None
    times = None if seconds is None else np.array(seconds, dtype=np.int64) * SECOND
    return evaluate(rule, Figures(series, times), subject)  # type: ignore[arg-type]  # whatever the test gives


BUSY = rule("metrics: [util_pct]\nexpr: util_pct > 90\nsustain: 0.3\nseverity: warning")


# --- the share over the window


def test_a_share_that_is_reached_exactly_holds():
    answer = asked(BUSY, util_pct=[99.0] * 3 + [1.0] * 7, every=600)
    assert (answer.outcome, answer.share, answer.n, answer.n_held) == (Outcome.HELD, 0.3, 10, 3)
    assert answer.severity is Severity.WARNING
    assert asked(BUSY, util_pct=[99.0] * 2 + [1.0] * 7, every=600).outcome is Outcome.NOT_HELD


def test_a_threshold_is_not_above_itself():
    assert asked(BUSY, util_pct=[90.0] * 20).outcome is Outcome.NOT_HELD


def test_samples_that_were_not_measured_do_not_count():
    answer = asked(BUSY, util_pct=[99.0, NAN, 1.0, NAN], every=600)
    assert (answer.n, answer.n_total, answer.share) == (2, 4, 0.5)


def test_an_hour_of_trouble_in_a_day_is_found():
    values = [1.0] * 1440
    values[600:660] = [99.0] * 60
    answer = asked(BUSY, util_pct=values)
    assert (answer.outcome, answer.share) == (Outcome.HELD, 60 / 1440)
    assert [(one.start_ns, one.end_ns, one.samples) for one in answer.stretches] == [
        (600 * 60 * SECOND, 659 * 60 * SECOND, 60)
    ]


def test_single_peaks_scattered_over_a_day_are_not():
    values = [1.0] * 1440
    values[::20] = [99.0] * 72
    assert asked(BUSY, util_pct=values).outcome is Outcome.NOT_HELD


def test_what_is_fine_is_fine_only_on_the_whole():
    fine = rule("metrics: [util_pct]\nexpr: util_pct < 90\nseverity: ok\nsustain: 0.7")
    assert asked(fine, util_pct=[1.0] * 60 + [99.0] * 60).outcome is Outcome.NOT_HELD
    assert asked(fine, util_pct=[1.0] * 90 + [99.0] * 30).severity is Severity.OK
    assert asked(fine, util_pct=[1.0] * 7 + [99.0] * 3, every=600).severity is Severity.OK  # reached exactly
    assert asked(fine, util_pct=[1.0] * 69 + [99.0] * 31, every=600).outcome is Outcome.NOT_HELD


def test_a_number_of_samples_may_stand_for_the_window():
    ten = rule("metrics: [sr]\nexpr: sr > 0\nsustain: 0.3\nlast: 10")
    assert asked(ten, sr=[0.0] * 25 + [9.0, 0.0, 9.0, 9.0] + [0.0] * 20, every=5).outcome is Outcome.HELD
    assert asked(ten, sr=[0.0] * 25 + [9.0, 0.0, 9.0] + [0.0] * 20, every=5).outcome is Outcome.NOT_HELD


def test_one_sample_holds_and_says_that_it_is_one():
    answer = asked(BUSY, util_pct=[99.0])
    assert (answer.outcome, answer.n, answer.cautions) == (Outcome.HELD, 1, ("one_sample",))
    assert asked(BUSY, util_pct=[99.0] * 9).cautions == ("few_samples",)
    assert asked(BUSY, util_pct=[99.0] * 10).cautions == ()


def test_a_value_of_the_configuration_is_no_sample():
    parameter = rule("metrics: [ncsize, ufs_ninode]\nexpr: ncsize != ufs_ninode\nsustain: 0")
    answer = asked(parameter, ncsize=4000, ufs_ninode=8000)
    assert (answer.outcome, answer.share, answer.cautions, answer.stretches) == (Outcome.HELD, 1.0, (), ())


def test_only_the_longest_stretches_are_kept():
    values = ([99.0] * 3 + [1.0] * 2) * 200 + [99.0] * 50
    answer = asked(BUSY, util_pct=values)
    assert (len(answer.stretches), answer.n_stretches) == (100, 201)
    assert answer.stretches[-1].samples == 50
    assert list(answer.stretches) == sorted(answer.stretches, key=lambda one: one.start_ns)


# --- windows and hysteresis

AVERAGE = rule(
    """
metrics: [cpu_busy_pct]
expr: cpu_busy_pct > 85
clear: cpu_busy_pct < 75
levels:
- {severity: critical, expr: cpu_busy_pct > 95, clear: cpu_busy_pct < 85}
window: 10m
"""
)


def test_a_mean_over_the_window_is_asked_and_not_each_sample():
    """Ten samples a minute apart: 5 x 100 and 5 x 72 have a mean of 86, 4 x 100 and 6 x 72 one of 83.2."""
    hot, cool = [100.0, 72.0] * 5, [100.0] * 4 + [72.0] * 6
    assert asked(AVERAGE, cpu_busy_pct=hot).severity is Severity.WARNING
    assert asked(AVERAGE, cpu_busy_pct=cool).outcome is Outcome.NOT_HELD


def test_the_worst_level_that_holds_is_told():
    answer = asked(AVERAGE, cpu_busy_pct=[96.0] * 10)
    assert answer.severity is Severity.CRITICAL
    assert answer.level is not None
    assert answer.level.when.text == "cpu_busy_pct > 95"
    assert asked(AVERAGE, cpu_busy_pct=[95.0] * 10).severity is Severity.WARNING
    assert asked(AVERAGE, cpu_busy_pct=[85.0] * 10).severity is None


def test_a_capture_shorter_than_the_window_is_not_judged():
    assert asked(AVERAGE, cpu_busy_pct=[99.0] * 9).outcome is Outcome.TOO_SHORT


def test_a_shorter_capture_points_to_what_its_mean_says_and_no_further():
    """Ten samples, 30 s apart, are five minutes of the ten: a mean of 99 would be critical."""
    answer = asked(AVERAGE, cpu_busy_pct=[99.0] * 10, every=30)
    assert (answer.outcome, answer.severity, answer.seen_s) == (Outcome.HELD, Severity.WATCH, 300.0)
    assert [(each.start_ns, each.samples) for each in answer.stretches] == [(0, 10)]
    calm = asked(AVERAGE, cpu_busy_pct=[84.0] * 10, every=30)
    assert (calm.outcome, calm.seen_s) == (Outcome.TOO_SHORT, None)
    assert asked(AVERAGE, cpu_busy_pct=[99.0] * 40, every=1).outcome is Outcome.TOO_SHORT  # 40 s


def test_what_was_raised_lasts_until_it_is_cleared():
    lasting = rule("metrics: [connections_pct]\nexpr: connections_pct > 80\nclear: connections_pct < 70\nsustain: 0")
    answer = asked(lasting, connections_pct=[75.0, 85.0, 75.0, 71.0, 69.0, 75.0])
    assert answer.held.tolist() == [False, True, True, True, False, False]
    assert answer.share == 0.5


def test_hysteresis_does_not_cross_a_gap_and_skips_what_was_not_measured():
    lasting = rule("metrics: [connections_pct]\nexpr: connections_pct > 80\nclear: connections_pct < 70\nsustain: 0")
    answer = asked(lasting, connections_pct=[85.0, NAN, 75.0, 75.0, 75.0], seconds=[0, 60, 120, 900, 960])
    assert answer.held.tolist() == [True, False, True, False, False]
    assert (answer.n, len(answer.stretches)) == (4, 2)


def test_a_share_over_the_last_samples_is_enough_at_one_moment():
    """The sustained form of PCP: 5 pages a second in three of the last ten samples, somewhere in a day."""
    paging = rule("metrics: [swap_out_pages_s]\nexpr: share(swap_out_pages_s >= 5, last 10) >= 0.3\nsustain: 0.3")
    quiet = [0.0] * 300
    assert asked(paging, swap_out_pages_s=[*quiet, 5.0, 0.0, 5.0, 5.0, *quiet]).outcome is Outcome.HELD
    assert asked(paging, swap_out_pages_s=[*quiet, 5.0, 0.0, 5.0, *quiet]).outcome is Outcome.NOT_HELD
    assert asked(paging, swap_out_pages_s=[5.0] * 9).outcome is Outcome.TOO_SHORT


# --- what is not judged


def test_names_that_nobody_measured_are_listed():
    answer = asked(rule("metrics: [svc_t, pct_b]\nexpr: svc_t >= 50 and pct_b >= 20"), svc_t=[99.0])
    assert (answer.outcome, answer.missing, answer.n) == (Outcome.NOT_CAPTURED, ("pct_b",), 0)


def test_what_is_optional_is_told_and_not_missed():
    full = rule(
        "metrics: [fs_used_pct, hours_to_full]\noptional: [hours_to_full]\n"
        "expr: fs_used_pct > 90 or hours_to_full < 8\nsustain: 0"
    )
    answer = asked(full, fs_used_pct=[50.0, 91.0])
    assert (answer.outcome, answer.share, answer.absent) == (Outcome.HELD, 0.5, ("hours_to_full",))
    assert asked(full, fs_used_pct=[50.0], hours_to_full=[7.0]).outcome is Outcome.HELD
    assert asked(full, fs_used_pct=[50.0], hours_to_full=[float("inf")]).outcome is Outcome.NOT_HELD


def test_minimum_activity():
    slow = rule("metrics: [svc_t, r_s, w_s]\nexpr: svc_t >= 50\nonly_where: r_s + w_s >= 10")
    idle = asked(slow, svc_t=[99.0, 99.0], r_s=[1.0, 5.0], w_s=[8.9, 4.9])
    assert idle.outcome is Outcome.NEVER_ACTIVE
    assert asked(slow, svc_t=[99.0], r_s=[NAN], w_s=[5.0]).outcome is Outcome.NO_SAMPLES
    some = asked(slow, svc_t=[99.0, 1.0, 99.0], r_s=[1.0, 50.0, 5.0], w_s=[0.0, 0.0, 5.0])
    assert (some.n, some.n_held, some.judged.tolist()) == (2, 1, [False, True, True])


def test_divisions_by_zero_are_counted():
    ratio = rule("metrics: [retrans, outsegs]\nexpr: retrans/outsegs > 0.01\nsustain: 0")
    answer = asked(ratio, retrans=[1.0, 0.0, 5.0], outsegs=[100.0, 0.0, 100.0])
    assert (answer.n, answer.n_held, answer.zero_divisions) == (2, 1, 1)
    nothing = asked(ratio, retrans=[0.0], outsegs=[0.0])
    assert (nothing.outcome, nothing.zero_divisions) == (Outcome.ZERO_DIVISION, 1)


def test_nothing_measured_at_the_same_time():
    both = rule("metrics: [svc_t, pct_b]\nexpr: svc_t >= 50 and pct_b >= 20")
    assert asked(both, svc_t=[99.0, NAN], pct_b=[NAN, 99.0]).outcome is Outcome.NO_SAMPLES


# --- where it applies

GUARDED = rule(
    """
metrics: [util_pct]
expr: util_pct > 90
os: [solaris]
versions: {solaris: {lowest: "5.8", highest: "5.10"}}
media: [hdd]
"""
)


@pytest.mark.parametrize(
    ("subject", "outcome", "cautions"),
    [
        (Subject("sunos", "5.9", "hdd"), Outcome.HELD, ()),
        (Subject("Solaris", "5.10.1", "hdd"), Outcome.HELD, ()),
        (Subject("sunos", "5.7", "hdd"), Outcome.OTHER_SYSTEM, ()),
        (Subject("sunos", "5.11", "hdd"), Outcome.OTHER_SYSTEM, ()),
        (Subject("linux", "5.9", "hdd"), Outcome.OTHER_SYSTEM, ()),
        (Subject("sunos", "5.9", "ssd"), Outcome.OTHER_MEDIA, ()),
        (Subject("sunos", "", ""), Outcome.HELD, ("version_unknown", "media_unknown")),
        (Subject(), Outcome.HELD, ("os_unknown", "media_unknown")),
    ],
)
def test_guards(subject, outcome, cautions):
    answer = asked(GUARDED, subject, util_pct=[99.0] * 10)
    assert (answer.outcome, answer.cautions) == (outcome, cautions)


def test_a_rule_of_one_database_is_not_asked_of_another():
    oracle = rule("metrics: [connections_pct]\nexpr: connections_pct > 80\ndatabases: [oracle]\nsustain: 0")
    assert asked(oracle, Subject(database="mysql"), connections_pct=[99.0]).outcome is Outcome.OTHER_SYSTEM
    assert asked(oracle, Subject(database="oracle"), connections_pct=[99.0]).outcome is Outcome.HELD


def test_scope_rules_of_the_pack():
    scope = "- id: UFS\n  kind: scope\n  metrics: [fs_type]\n  expr: fs_type == 'ufs'" + _REST
    wasted = rule("metrics: [avg_io_kb]\nexpr: avg_io_kb < 1\nscopes: [UFS]", scope)
    assert asked(wasted, avg_io_kb=[0.5] * 10, fs_type="zfs").outcome is Outcome.OUT_OF_SCOPE
    assert asked(wasted, avg_io_kb=[0.5] * 10, fs_type="ufs").cautions == ()
    assert asked(wasted, avg_io_kb=[0.5] * 10).cautions == ("scope_unknown",)


# --- windows with nothing or next to nothing in them


@pytest.mark.parametrize("values", [[], [NAN], [NAN, NAN], [float("inf"), -float("inf")]])
def test_nothing_to_judge(values):
    seconds = [60.0 * place for place in range(len(values))]
    for one in (BUSY, rule("metrics: [util_pct]\nexpr: delta(util_pct) > 0 or share(util_pct > 1, last 3) > 1")):
        answer = evaluate(one, Figures({"util_pct": np.array(values)}, np.array(seconds, dtype=np.int64) * SECOND))
        assert not answer.outcome.judged
        assert (answer.share, answer.severity, answer.stretches) == (None, None, ())


def test_an_average_of_nothing():
    answer = evaluate(AVERAGE, Figures({"cpu_busy_pct": np.array([])}, np.array([], dtype=np.int64)))
    assert not answer.outcome.judged


def test_a_constant_series():
    assert asked(BUSY, util_pct=[90.0] * 1000).share == 0
    assert asked(BUSY, util_pct=[100.0] * 1000).share == 1


def test_stamps_that_repeat():
    assert asked(BUSY, util_pct=[99.0] * 20, seconds=[5.0] * 20).outcome is Outcome.HELD


def test_never_measured_is_not_too_short():
    assert asked(AVERAGE, cpu_busy_pct=[NAN] * 60).outcome is Outcome.NO_SAMPLES
