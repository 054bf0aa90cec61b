"""Figures as they are written: how many decimals they have."""

from __future__ import annotations

from math import inf, nan

import pytest

from tunebench.columns.formats import decimals_for
from tunebench.reporting.wording import brief, in_parts, recorded


@pytest.mark.parametrize(
    ("values", "decimals"),
    [
        ((0.5,), 3),
        ((1.0,), 2),
        ((9.99,), 2),
        ((10.0,), 1),
        ((99.9,), 1),
        ((100.0,), 0),
        ((-5.0, 200.0), 2),
        ((5.0, 9_999.0), 2),
        ((5.0, 10_000.0), 1),
        ((5.0, 99_999.0), 1),
        ((0.5, 100_000.0), 0),
        ((5.0, -100_000.0), 0),
        ((0.0, None, nan, inf, 20.0), 1),
        ((), 2),
        ((0.0, None), 2),
    ],
)
def test_the_smallest_has_three_figures_as_far_as_the_largest_allows(
    values: tuple[float | None, ...], decimals: int
) -> None:
    assert decimals_for(values) == decimals


def test_no_digit_is_made_up_and_what_is_cut_off_shows_it() -> None:
    assert [recorded(value, 2) for value in (590.997, 590.9, 591.0, 12_500.0, 37_539_159.0)] == [
        "591.00",
        "590.9",
        "591",
        "12,500",
        "37,539,159",
    ]
    assert (brief("abcd", 4), brief("abcde", 4)) == ("abcd", "abc…")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Short enough for its cell.", "Short enough for its cell."),
        ("Too short for a verdict. It is described.", "Too short for a verdict. …"),
        ("of this hour: 2026-09-17 09:00, 2026-09-18 14:00", "of this hour: 2026-09-17 09:00, …"),
        ("the device is described and judged", "the device is described and …"),
        ("a" * 40, "a" * 31 + "…"),
    ],
)
def test_what_is_too_long_ends_with_a_whole_sentence_item_or_word(text: str, shown: str) -> None:
    assert in_parts(text, 32) == shown
