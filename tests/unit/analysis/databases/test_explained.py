"""From DB time before to DB time after, step by step."""

from __future__ import annotations

from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.databases.database_records import period
from tunebench.analysis.databases.explained import StepKind, explained
from tunebench.analysis.databases.profile import compare_profiles
from tunebench.analysis.databases.profile_lines import Basis, LineKind
from tunebench.analysis.databases.statement_changes import compare_statements

HOUR_S = 3600.0


def side(db_time_s, work, elapsed_s=HOUR_S, **more):
    """`work`: executions and seconds of all of them, by statement."""
    rows = [{"statement_id": name, "executions": e, "elapsed_s": t} for name, (e, t) in work.items()]
    return period(elapsed_s=elapsed_s, db_time_s=db_time_s, statement=rows, **more)


def told(before, after, **more):
    return explained(compare_statements(before, after), compare_profiles(before, after), **more)


def steps(found, before):
    """(kind, statement) -> seconds of an hour."""
    pairs = compare_statements(*before).pairs
    names = {step: pairs[step.place].name if step.place is not None else "" for step in found.steps}
    return {(step.kind.value, names[step]): round(step.amount * HOUR_S, 6) for step in found.steps}


def test_every_cause_is_a_step_and_the_steps_add_up():
    """One hour of 3,600 s and one of 1,800 s; 1,100 s and 900 s are of no statement."""
    before = side(3600, {"plan": (1000, 2000.0), "calls": (100, 100.0), "gone": (7, 400.0)})
    after = side(1800, {"plan": (1000, 500.0), "calls": (300, 300.0), "new": (2, 100.0)})
    found = told(before, after)
    assert (found.basis, found.before, found.after) == (Basis.PER_SECOND, 1.0, 0.5)
    assert steps(found, (before, after)) == {
        ("gone", "gone"): -400,
        ("volume", "calls"): 200,
        ("behaviour", "plan"): -1500,
        ("new", "new"): 100,
        ("rest", ""): -200,
    }
    assert fsum(step.amount for step in found.steps) == pytest.approx(found.change, abs=1e-12)
    assert found.at_equal_work * HOUR_S == pytest.approx(1800 + 1500)
    assert found.steps[-1].kind is StepKind.BEHAVIOUR and found.levels[-1] == pytest.approx((3300 / HOUR_S, 0.5))
    assert found.levels[0] == pytest.approx((1.0, 3200 / HOUR_S)), "what is gone comes first"


def test_a_longer_period_is_no_more_work():
    before = side(600, {"a": (100, 300.0)}, 1800.0)
    found = told(before, side(1200, {"a": (200, 600.0)}))
    assert found.change == pytest.approx(0)
    assert [(step.kind, step.amount) for step in found.steps] == [(StepKind.REST, 0)], "what adds nothing is no step"


def test_what_a_list_leaves_out_has_bounds():
    """`b` is below the tenth place after, where the last one took 30 s; before it took 90."""
    ends = [{"figure": "elapsed_s", "rows": 1, "least": 30.0}]
    before = side(1000, {"a": (10, 500.0), "b": (10, 90.0)}, statement_list=ends)
    after = side(1000, {"a": (10, 500.0), "c": (10, 40.0)}, statement_list=ends)
    found = told(before, after)
    unlisted = sorted((s.amount, s.low, s.high) for s in found.steps if s.kind is StepKind.UNLISTED)
    assert [tuple(round(value * HOUR_S, 6) for value in step) for step in unlisted] == [(-90, -90, -60), (40, 10, 40)]
    assert found.total(StepKind.REST) * HOUR_S == pytest.approx(50)


def test_others_are_one_step_of_their_kind():
    before = side(100, {f"s{i}": (1, float(i)) for i in range(1, 6)})
    after = side(100, {f"s{i}": (1, 2.0 * i) for i in range(1, 6)})
    found = told(before, after, most=2)
    behaviour = [(s.count, round(s.amount * HOUR_S, 6)) for s in found.steps if s.kind is StepKind.BEHAVIOUR]
    assert behaviour == [(1, 4), (1, 5), (3, 6)]


def test_without_db_time_nothing_is_explained():
    assert told(side(None, {"a": (1, 1.0)}), side(10, {"a": (1, 1.0)})) is None


def test_classes_add_up_to_the_same_change():
    def timed(db_time_s, cpu_s, locks_s):
        more = {"wait_class": [{"wait_class": "Application", "ground": "foreground", "time_s": locks_s}]}
        model = [{"name": "db_time", "time_s": db_time_s}, {"name": "db_cpu", "time_s": cpu_s}]
        return side(db_time_s, {"a": (1, 1.0)}, time_model=model, **more)

    found = told(timed(3600, 600, 2900), timed(1800, 700, 1080))
    amounts = {step.kind: round(step.amount * HOUR_S, 6) for step in found.classes}
    assert amounts == {LineKind.WAIT: -1820, LineKind.CPU: 100, LineKind.UNACCOUNTED: -80}
    assert fsum(step.amount for step in found.classes) == pytest.approx(found.change)


_WORK = st.dictionaries(
    st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 10_000), st.integers(0, 10**6).map(float)), min_size=1
)


@given(_WORK, _WORK, st.integers(1, 10**7), st.integers(1, 10**7), st.integers(0, 10))
def test_whatever_the_work_the_steps_add_up(old, new, old_s, new_s, most):
    found = told(side(old_s, old), side(new_s, new, 1800.0), most=most)
    assert found is not None
    largest = max(abs(step.amount) for step in found.steps)
    assert fsum((found.before, *(step.amount for step in found.steps))) == pytest.approx(
        found.after, abs=1e-9 * (1 + largest)
    )


def test_what_nobody_would_see_as_a_bar_stands_among_the_others():
    """17 of 3,600 s are less than half a percent of them, 19 are more; both sum up to what the statements say."""
    before = side(3600, {"a": (10, 1000.0), "b": (10, 100.0), "c": (10, 100.0)})
    after = side(3600, {"a": (10, 1019.0), "b": (10, 117.0), "c": (10, 84.0)})
    assert steps(told(before, after), (before, after)) == {
        ("rest", ""): -20,
        ("behaviour", "a"): 19,
        ("behaviour", ""): 1,
    }


def test_time_is_saved_for_no_more_executions_than_there_were():
    """100 executions of 1 s each, then 1,000 of 0.1 s: 90 s are saved where there were 100; the others are new work."""
    before, after = side(3600, {"a": (100, 100.0)}), side(3600, {"a": (1000, 100.0)})
    explanation = told(before, after)
    assert steps(explanation, (before, after)) == {("volume", "a"): 90, ("behaviour", "a"): -90, ("rest", ""): 0}
    assert explanation.at_equal_work * HOUR_S == pytest.approx(3690)
