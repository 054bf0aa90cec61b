"""How figures, ratios, changes in per cent and times are written: no more digits than say something, never all of what
is left."""

from __future__ import annotations

from decimal import Decimal
from math import inf, log, nan
from zoneinfo import ZoneInfo

import pytest

from tunebench.analysis.comparing.improvement import improvement
from tunebench.columns import formats
from tunebench.columns.answering.changes import in_per_cent, in_times
from tunebench.columns.column import Locale
from tunebench.columns.formats import (
    format_bytes,
    format_count,
    format_short_span,
    format_span,
    format_time,
    format_value,
    rate_decimals,
    rate_text,
    ratio_text,
    short_hash,
    years_to_name,
    zone_name,
)
from tunebench.domain.engagement import Direction
from tunebench.reporting.wording import Wording

SEOUL = ZoneInfo("Asia/Seoul")
NINE_NS = 1_184_803_200 * 10**9
"""2007-07-19 00:00:00 UTC = 09:00 in Seoul."""
HOUR_NS = 3600 * 10**9


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


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (nan, "–"),
        (0.0, "0"),
        (590.997, "591"),
        (33.17, "33.17"),
        (37_539_159, "37,539,159"),
        (0.000123456, "0.0001235"),
        (-1234.5, "-1,234"),
        (inf, "∞"),
        (100.0, "100"),
        (12.50, "12.5"),
    ],
)
def test_values(value: float | None, words: str) -> None:
    assert format_value(value) == words


def test_times_are_in_the_engagements_zone() -> None:
    assert format_time(NINE_NS, SEOUL) == "2007-07-19 09:00:00"
    assert format_time(None, SEOUL) == "–"
    assert format_span(NINE_NS, NINE_NS + HOUR_NS, SEOUL) == "2007-07-19 09:00:00 – 10:00:00"
    assert format_span(NINE_NS, NINE_NS + 24 * HOUR_NS, SEOUL) == "2007-07-19 09:00:00 – 2007-07-20 09:00:00"
    assert format_short_span(NINE_NS, NINE_NS + 2 * HOUR_NS, SEOUL) == "07-19 09:00 – 11:00"
    assert format_short_span(NINE_NS, NINE_NS + 15 * 10**9, SEOUL) == "07-19 09:00:00 – 09:00:15"
    assert format_short_span(NINE_NS, NINE_NS + 24 * HOUR_NS, SEOUL) == "07-19 09:00 – 07-20 09:00"


def test_zone_by_both_its_names() -> None:
    assert zone_name(SEOUL, NINE_NS) == "Asia/Seoul (KST)"
    assert zone_name(ZoneInfo("Asia/Dubai"), NINE_NS) == "Asia/Dubai"


@pytest.mark.parametrize(
    ("size_bytes", "words"), [(0, "0 B"), (446, "446 B"), (1500, "1.5 kB"), (162_000_000, "162 MB")]
)
def test_sizes(size_bytes: int, words: str) -> None:
    assert format_bytes(size_bytes) == words


def test_counts_and_hashes() -> None:
    assert format_count(1_200_000) == "1,200,000"
    assert format_count(None) == "–"
    assert short_hash("0123456789abcdef" * 4) == "01234567…abcdef"


def test_a_list_names_its_years_where_there_are_several_or_none_is_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    year_ns = 366 * 24 * HOUR_NS
    monkeypatch.setattr(formats, "this_year", lambda _zone: 2007)
    assert not years_to_name([NINE_NS, None, NINE_NS + HOUR_NS], SEOUL)
    assert years_to_name([NINE_NS, NINE_NS + year_ns], SEOUL)
    assert not years_to_name([None], SEOUL)
    monkeypatch.setattr(formats, "this_year", lambda _zone: 2026)
    assert years_to_name([NINE_NS], SEOUL)


def test_what_stays_within_half_a_per_cent_neither_grew_nor_shrank() -> None:
    """Free memory of 23.16 and 23.17 GiB is not "0 % more"."""
    assert in_per_cent(log(23.17 / 23.16), None, "", Locale("en")) == "the same as a number"
    assert in_per_cent(log(0.998), None, "", Locale("ko")) == "수치로는 같음"
    assert in_per_cent(log(1.02), None, "", Locale("en")) == "2 % more"
