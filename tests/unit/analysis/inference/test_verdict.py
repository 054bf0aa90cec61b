"""The rule of verdicts at its edges."""

from __future__ import annotations

from math import inf, nan

import pytest

from tunebench.analysis.inference.verdict import Interval, Verdict, judge


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.0500001, 2, Verdict.IMPROVED),
        (1.05, 2, Verdict.INCONCLUSIVE),
        (1.05, 1.05, Verdict.EQUIVALENT),
        (1 / 1.05, 1.05, Verdict.EQUIVALENT),
        (0.2, 1 / 1.05, Verdict.INCONCLUSIVE),
        (0.2, 0.952, Verdict.REGRESSED),
        (1.2, inf, Verdict.IMPROVED),
        (0, inf, Verdict.INCONCLUSIVE),
        (0, 0.9, Verdict.REGRESSED),
        (nan, 2, Verdict.DESCRIPTIVE_ONLY),
    ],
)
def test_edges(low: float, high: float, verdict: Verdict) -> None:
    assert judge(Interval(low, high), 0.05) is verdict


def test_without_uncertainty_there_is_no_verdict() -> None:
    assert judge(None, 0.05) is Verdict.DESCRIPTIVE_ONLY


def test_a_margin_of_nothing() -> None:
    assert judge(Interval(1, 1), 0) is Verdict.EQUIVALENT
    assert judge(Interval(1.0001, 1.1), 0) is Verdict.IMPROVED
    with pytest.raises(ValueError, match="negative"):
        judge(Interval(1, 1), -0.1)


def test_the_values_are_a_public_contract() -> None:
    assert [verdict.value for verdict in Verdict] == [
        "improved",
        "regressed",
        "equivalent",
        "inconclusive",
        "insufficient_data",
        "not_comparable",
        "descriptive_only",
    ]
