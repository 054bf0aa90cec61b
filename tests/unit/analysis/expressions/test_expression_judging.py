"""Judging whole series at once gives what judging each sample by itself in plain Python gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.analysis.expressions.faults import ExpressionFault
from tunebench.analysis.expressions.figures import Figures
from tunebench.analysis.expressions.judging import Judged, judge
from tunebench.analysis.expressions.parsing import parse_expression

NAN = float("nan")
SECOND = 10**9


def judged(text: str, tables: dict[str, dict[str, float]] | None = None, optional: str = "", **values: Any) -> Judged:
    times = values.pop("times", None)
    series = {
        name: np.array(value, dtype=float) if isinstance(value, list) else value for name, value in values.items()
    }
    figures = Figures(series, None if times is None else np.array(times, dtype=np.int64) * SECOND)
    return judge(parse_expression(text, tuple(tables or {})), figures, tables, frozenset(optional.split()))


def answers(*args: Any, **values: Any) -> list[bool | None]:
    """None: not judged."""
    answer = judged(*args, **values)
    return [bool(held) if known else None for held, known in zip(answer.held, answer.judged, strict=True)]


# --- against plain Python

CONDITIONS = [
    "x > 1 and y < 3",
    "x > y or y == 2",
    "not (0 <= x <= 2)",
    "1 < x < y < 9",
    "x + 2*y - 1 >= 3 or x // 2 == 1",
    "min(x, y) > 0 and max(x, y, 1) != 2",
    "(x + y) / 2 == 1.5",
    "abs(x - y) > 1",
    "x / y > 1",
    "y != 0 and x / y > 1",
    "x // y == 0 or x == 5",
]
_NUMBERS = st.one_of(st.integers(-3, 6).map(float), st.just(NAN))


@given(st.sampled_from(CONDITIONS), st.lists(st.tuples(_NUMBERS, _NUMBERS), min_size=1, max_size=12))
def test_it_is_plain_python_at_each_sample(text, rows):
    x, y = ([row[place] for row in rows] for place in (0, 1))
    answer = answers(text, x=x, y=y)
    for place, (left, right) in enumerate(rows):
        if math.isnan(left) or math.isnan(right):
            assert answer[place] is None
            continue
        try:
            expected: bool | None = bool(eval(text, {}, {"x": left, "y": right}))  # the texts above
        except ZeroDivisionError:
            expected = None
        if expected is not None or right != 0:
            assert answer[place] is expected
        else:  # judged only where the division does not matter, in whatever order it is written
            assert answer[place] in (None, left == 5)


# --- what is not there


def test_a_division_by_zero_leaves_that_sample_unjudged():
    answer = judged("a / b > 1", a=[4.0, 4.0, 0.0], b=[2.0, 0.0, 0.0])
    assert answer.judged.tolist() == [True, False, False]
    assert answer.held.tolist() == [True, False, False]
    assert answer.zero_divisions == 2


def test_a_sample_that_was_not_measured_is_no_division_by_zero():
    assert judged("a / b > 1", a=[NAN, 1.0], b=[0.0, 1.0]).zero_divisions == 0


def test_what_cannot_be_asked_at_an_idle_disk_is_asked_after_what_can():
    assert answers("n > 0 and kb / n > 8", n=[0.0, 2.0], kb=[0.0, 20.0]) == [False, True]


def test_infinite_is_not_measured():
    assert answers("x > 1", x=[math.inf, -math.inf, 2.0]) == [None, None, True]


def test_arithmetic_out_of_range_is_not_judged():
    assert answers("x * 1e300 > 1", x=[1e300, 1.0]) == [None, True]


@pytest.mark.parametrize("value", [None, NAN, ""])
def test_a_name_that_is_not_measured_leaves_everything_unjudged(value):
    assert answers("x > 1 or z > 1", x=[2.0, 0.0], z=value) == [None, None]
    assert answers("x > 1 or z > 1", x=[2.0, 0.0]) == [None, None]


def test_what_is_asked_of_an_optional_name_is_not_so_where_it_is_missing():
    assert answers("x > 1 or z > 1", optional="z", x=[2.0, 0.0]) == [True, False]
    assert answers("x > 1 or z > 1", optional="z", x=[2.0, 0.0, 0.0], z=[NAN, NAN, 2.0]) == [True, False, True]
    assert answers("x > 1 and word == 'a'", optional="word", x=[2.0, 0.0]) == [False, False]


# --- words, flags, tables


def test_words_and_flags():
    assert answers("kind == 'ufs' and x > 1", kind="ufs", x=[2.0]) == [True]
    assert answers("kind != 'ufs'", kind="zfs") == [True]
    assert answers("kind in ('sata', 'sas')", kind="sas") == [True]
    assert answers("kind not in ('sata', 'sas')", kind="fc") == [True]
    assert answers("kind not in ('sata', 'sas')", kind="") == [None]
    assert answers("not parallel and x > 1", parallel=False, x=[2.0, 0.0]) == [True, False]
    assert answers("not parallel", parallel=None) == [None]


def test_a_table_is_looked_up_by_a_word():
    tables = {"warn": {"hdd": 20.0, "ssd": 2.0}}
    assert answers("ms > warn[media]", tables, ms=[5.0, 25.0], media="hdd") == [False, True]
    assert answers("ms > warn[media]", tables, ms=[5.0, 25.0], media="ssd") == [True, True]
    assert answers("ms > warn[media]", tables, ms=[5.0, 25.0], media="tape") == [None, None]


# --- functions


def test_over_members_at_each_sample():
    each = np.array([[99.0, 10.0, NAN], [1.0, 20.0, NAN], [NAN, 30.0, NAN]])
    figures = Figures({"cpu": each})
    ask = parse_expression("max(cpu) > 95 and mean(cpu) < 60 and min(cpu) < 5")
    answer = judge(ask, figures)
    assert answer.judged.tolist() == [True, True, False]
    assert answer.held.tolist() == [True, False, False]


def test_a_row_per_member_is_no_number():
    assert not judge(parse_expression("cpu > 5"), Figures({"cpu": np.ones((2, 3))})).judged.any()


def test_the_change_since_the_sample_before_does_not_cross_a_gap():
    times = [0, 5, 10, 100, 105]
    assert answers("delta(q) > 0", q=[1.0, 2.0, 2.0, 9.0, 10.0], times=times) == [None, True, False, None, True]


def test_a_total_counts_what_a_rate_adds_up_to():
    """2, 4, 6 and 8 a second over five seconds each; nothing is known of the gap before the last one."""
    rates: dict[str, Any] = {"q": [2.0, 4.0, 6.0, 8.0], "times": [0, 5, 10, 100]}
    assert answers("total(q) == 100", **rates) == [True] * 4
    assert answers("total(q) > 100", **rates) == [False] * 4
    assert answers("total(q) > 0", q=[2.0]) == answers("total(q) > 0", q=[2.0], times=[0]) == [None]


def test_a_trend_takes_thirty_samples():
    assert answers("trend(q) > 0.2", q=[float(each) for each in range(29)]) == [None] * 29
    assert answers("trend(q) > 1.2", q=[float(each) for each in range(30)]) == [True] * 30  # 20 of a mean of 14.5
    assert answers("trend(q) < 0", q=[30.0 - each for each in range(30)]) == [True] * 30
    assert answers("trend(q) == 0", q=[7.0] * 30) == [True] * 30


def test_the_point_at_which_response_doubles():
    """1/2, 1/sqrt(2) and the printed values of the queueing table (0.8349, 0.9092, 0.951, 0.974, 0.9864)."""
    for servers, point in ((1, 0.5), (2, math.sqrt(0.5)), (4, 0.8349), (8, 0.9092), (16, 0.951), (64, 0.9864)):
        assert answers("u > rho2(m)", u=[point - 2e-4, point + 2e-4], m=float(servers)) == [False, True]
    assert answers("u > rho2(m)", u=[0.9], m=0.0) == [None]


def test_a_share_of_the_last_samples():
    x = [9.0, 0.0, 0.0, 9.0, 9.0, 0.0]
    # of the last four: .25 is known first at the fourth sample: 2/4, then 2/4, 2/4
    assert answers("share(x > 5, last 4) >= 0.5", x=x) == [None, None, None, True, True, True]
    assert answers("share(x > 5, last 4) > 0.5", x=x) == [None, None, None, False, False, False]
    assert answers("share(x > 5) >= 0.5", x=x) == [True] * 6


def test_three_in_ten_is_thirty_per_cent():
    x = [9.0, 9.0, 9.0] + [0.0] * 7
    assert answers("share(x >= 5, last 10) >= 0.3", x=x)[-1] is True
    assert answers("share(x >= 5, last 10) >= 0.3", x=[0.0, *x[1:]])[-1] is False


def test_a_share_of_a_stretch_of_time_with_irregular_stamps():
    times = [0, 10, 20, 31, 42, 50, 300, 310, 320]
    x = [9.0, 0.0, 9.0, 9.0, 0.0, 0.0, 9.0, 9.0, 9.0]
    # last 30 s: (-10, 20] is covered by three samples of ten seconds: 2/3; (1, 31]: 2/3; (12, 42]: 2/3; (20, 50]: 1/3
    assert answers("share(x > 5, last 30 s) > 0.5", x=x, times=times) == [
        None,
        None,
        True,
        True,
        True,
        False,
        None,
        None,
        True,
    ]


def test_series_of_different_length_are_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="samples"):
        Figures({"a": np.ones(3), "b": np.ones(4)})


# --- whatever is written, over whatever was measured

_NAMED = st.sampled_from(["x", "y", "gaps", "one", "flag", "word", "rows", "nobody"])
_NUMBER = st.recursive(
    st.one_of(_NAMED, st.integers(-5, 99).map(str), st.just("t[word]")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda three: f"({' '.join(three)})"),
        st.tuples(st.sampled_from(["abs", "delta", "rho2", "max", "min", "mean"]), inner).map(
            lambda two: f"{two[0]}({two[1]})"
        ),
    ),
    max_leaves=6,
)
_ASKED = st.tuples(_NUMBER, st.sampled_from(["<", ">=", "==", "!="]), _NUMBER).map(" ".join)
_CONDITION = st.recursive(
    st.one_of(_ASKED, st.just("flag"), st.just("word == 'hdd'"), st.just("word not in ('hdd', 'ssd')")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda three: f"({' '.join(three)})"),
        inner.map(lambda one: f"not ({one})"),
        st.tuples(inner, st.sampled_from(["", ", last 3", ", last 20s"])).map(
            lambda two: f"share({two[0]}{two[1]}) >= .5"
        ),
    ),
    max_leaves=4,
)


@given(_CONDITION)
def test_every_condition_has_an_answer_at_every_sample(text):
    try:
        expression = parse_expression(text, ["t"])
    except ExpressionFault:
        return  # a name as two things, a division by zero, nested too deeply
    times = np.array([0, 10, 20, 30, 500, 510], dtype=np.int64) * SECOND
    figures = Figures(
        {
            "x": np.array([0.0, 1.0, 2.0, -3.0, 1e300, 5.0]),
            "y": np.zeros(6),
            "one": 1.0,
            "flag": True,
            "word": "hdd",
            "gaps": np.array([NAN, 1.0, math.inf, 0.0, NAN, 2.0]),
            "rows": np.arange(12.0).reshape(2, 6),
        },
        times,
    )
    answer = judge(expression, figures, {"t": {"hdd": 20.0}})
    assert answer.held.shape == answer.judged.shape == (6,)
    assert not np.any(answer.held & ~answer.judged)
    if "nobody" in expression.names:
        assert not answer.judged.any()
