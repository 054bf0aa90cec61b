"""How ratios and changes in per cent are written: no more digits than say something, never all of what is left."""

from __future__ import annotations

from decimal import Decimal
from math import inf, log

import pytest

from tunebench.analysis.comparing.improvement import improvement
from tunebench.columns.answering.changes import in_per_cent, in_times
from tunebench.columns.column import Locale
from tunebench.columns.formats import rate_decimals, rate_text, ratio_text
from tunebench.domain.engagement import Direction
from tunebench.reporting.wording import Wording


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (1.2345, "1.23"),
        (45.678, "45.7"),
        (100.4, "100"),
        (999.6, "1,000"),
        (1000.0, "1,000"),
        (1000.1, "> 1,000"),
        (10_882.641, "> 1,000"),
        (0.0346, "0.035"),
        (0.001, "0.001"),
        (1 / 10_882.641, "< 0.001"),
        (0.0, "0.00"),
        (inf, "∞"),
    ],
)
def test_a_ratio_of_a_hundred_has_no_decimals_and_beyond_a_thousand_no_figure(ratio: float, words: str) -> None:
    assert ratio_text(ratio) == words


@pytest.mark.parametrize(
    ("percent", "words"),
    [
        (-66.98, "-67.0"),
        (-99.94, "-99.9"),
        (-99.95, "-99.95"),
        (-99.9908, "-99.99"),
        (-99.9975, "-99.998"),
        (-100.0, "-100.0"),
        (99.99999999999999, "+100.0"),
        (0.04, "0"),
        (1234.56, "+1,234.6"),
        (12_345.6, "+12,346"),
        (99_900.0, "+99,900"),
        (1_088_164.1, "> +99,900"),
    ],
)
def test_only_nothing_left_is_a_fall_of_a_hundred_per_cent(percent: float, words: str) -> None:
    assert rate_text(percent) == words


def test_whole_per_cent_get_the_decimals_that_tell_them_from_everything() -> None:
    assert [rate_text(percent, 0) for percent in (-99.4, -99.6, -100.0, 0.4)] == ["-99", "-99.6", "-100", "0"]
    assert rate_decimals(Decimal("-99.9908")) == 2


@pytest.mark.parametrize(
    ("language", "fall", "rise"),
    [
        ("en", "more than 1,000× lower (-99.99 %)", "more than 1,000× higher (> +99,900 %)"),
        ("ko", "감소 1,000배 초과 (-99.99 %)", "증가 1,000배 초과 (> +99,900 %)"),
    ],
)
def test_documents_and_window_say_a_change_beyond_a_thousand_alike(language: str, fall: str, rise: str) -> None:
    words = Wording(language, "UTC")
    # what an execution took in the demonstration: 205.981 s / 980 and 21.192 s / 1,097,245
    ends = 205.981 / 980, 21.192 / 1_097_245
    assert words.headline(improvement(*ends, Direction.NEUTRAL)) == fall
    assert words.headline(improvement(ends[1], ends[0], Direction.NEUTRAL)) == rise
    assert words.headline(improvement(250.0, 2.0, Direction.NEUTRAL)).startswith(
        words.text("change.lower", figure="125")
    )


def test_a_bound_beyond_a_thousand_is_no_more_exact() -> None:
    change = improvement(250.0, 0.125, Direction.LOWER, after_bound="<")
    assert Wording("en", "UTC").ratio(change) == "more than 1,000×"


def test_the_answer_says_it_in_words() -> None:
    english, korean = Locale("en"), Locale("ko")
    interval = (-log(13_656.3), -log(8_672.3))
    assert in_times(-log(10_882.6), interval, "s", "", english) == "more than 1,000 times shorter [> 1,000, > 1,000]"
    assert in_times(log(10_882.6), None, "", "", korean) == "1,000배 넘게 높아짐"
    assert in_times(log(250.4), None, "", "", english) == "250 times higher"
    assert in_per_cent(log(0.0004), None, "", english) == "99.96 % less"
