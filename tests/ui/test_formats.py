"""Numbers and times as printed; expected values by hand."""

from __future__ import annotations

import math
from zoneinfo import ZoneInfo

import pytest

from tunebench.ui.look import formats
from tunebench.ui.look.formats import (
    format_bytes,
    format_count,
    format_short_span,
    format_span,
    format_time,
    format_value,
    short_hash,
    zone_name,
)
from tunebench.ui.look.language import language

SEOUL = ZoneInfo("Asia/Seoul")
NINE_NS = 1_184_803_200 * 10**9
"""2007-07-19 00:00:00 UTC = 09:00 in Seoul."""
HOUR_NS = 3600 * 10**9


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (math.nan, "–"),
        (0.0, "0"),
        (590.997, "591"),
        (33.17, "33.17"),
        (37_539_159, "37,539,159"),
        (0.000123456, "0.0001235"),
        (-1234.5, "-1,234"),
        (math.inf, "∞"),
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
    assert not formats.years_to_name([NINE_NS, None, NINE_NS + HOUR_NS], SEOUL)
    assert formats.years_to_name([NINE_NS, NINE_NS + year_ns], SEOUL)
    assert not formats.years_to_name([None], SEOUL)
    monkeypatch.setattr(formats, "this_year", lambda _zone: 2026)
    assert formats.years_to_name([NINE_NS], SEOUL)


def test_days_with_their_weekday() -> None:
    language().switch("ko")
    assert (formats.format_day(NINE_NS, SEOUL), formats.format_day(NINE_NS, SEOUL, with_year=True)) == (
        "07-19 (목)",
        "2007-07-19 (목)",
    )


def test_a_host_that_nobody_named_is_called_so_in_both_languages() -> None:
    language().switch("ko")
    assert formats.host_words("unknown") == "이름 모르는 서버"
    language().switch("en")
    assert (formats.host_words("unknown"), formats.host_words("db01"), formats.host_words("")) == (
        "unnamed host",
        "db01",
        "",
    )
    assert formats.host_words("unknown (web01)") == "web01 (unnamed host)", "what tells it from others comes first"
