"""One column as any front reads it: words, value, order, what is copied, and the same column of rows that hold its row."""

from __future__ import annotations

import math
from datetime import UTC

import pytest

from tunebench.columns.column import Column, Locale, chosen, with_figures
from tunebench.columns.formats import COUNT, FIGURE, P_VALUE, RATIO, SHARE, SIZE

Pair = tuple[str, float | None]
ENGLISH = Locale("en", UTC, missing="-", unmeasured="not measured")
NAME: Column[Pair] = Column("name", "compare.column.name", lambda pair: pair[0])
SIZE_OF: Column[Pair] = Column("size", "compare.column.before.n", lambda pair: pair[1], COUNT, side="before")


def test_a_value_with_a_format_is_a_figure_and_a_bare_one_is_words() -> None:
    assert (NAME.words(("db01", 2.0), ENGLISH), NAME.is_right, NAME.copied(("db01", 2.0), ENGLISH)) == (
        "db01",
        False,
        "db01",
    )
    assert SIZE_OF.words(("db01", 1500.25), ENGLISH) == "1,500"
    assert SIZE_OF.is_right and SIZE_OF.copied(("db01", 1500.25), ENGLISH) == "1500.25"
    assert SIZE_OF.sort_key(("db01", 1500.25), ENGLISH) == 1500.25


@pytest.mark.parametrize("value", [None, math.nan])
def test_what_is_missing_is_said_and_what_was_not_measured_otherwise(value: float | None) -> None:
    assert SIZE_OF.words(("db01", value), ENGLISH) == "-"
    measured: Column[Pair] = Column("size", "compare.column.before.n", lambda pair: pair[1], COUNT, measured=True)
    assert measured.words(("db01", value), ENGLISH) == "not measured"
    assert SIZE_OF.copied(("db01", None), ENGLISH) == ""


def test_words_of_their_own_keep_the_figure_for_sorting_and_copying() -> None:
    both: Column[Pair] = Column("size", "", lambda pair: pair[1], text=lambda pair, _: f"about {pair[1]:.0f}")
    assert both.words(("db01", 2.4), ENGLISH) == "about 2"
    assert (both.sort_key(("db01", 2.4), ENGLISH), both.copied(("db01", 2.4), ENGLISH)) == (2.4, "2.4")


def test_words_that_are_ordered_by_something_else_are_copied_as_they_are() -> None:
    ranked: Column[Pair] = Column("rank", "", lambda pair: pair[0], order=lambda pair: pair[1], right=True)
    assert (ranked.sort_key(("db01", 7.0), ENGLISH), ranked.copied(("db01", 7.0), ENGLISH)) == (7.0, "db01")


def test_a_heading_is_explained_by_its_own_sentence_by_a_given_one_or_by_itself() -> None:
    ratio: Column[Pair] = Column("ratio", "compare.column.ratio")
    assert "above 1 is better" in (ratio.explanation(ENGLISH) or "")
    assert NAME.explanation(ENGLISH) is None
    given: Column[Pair] = Column("name", "compare.column.name", explained=lambda locale: locale.language)
    assert given.explanation(ENGLISH) == "en"
    narrow: Column[Pair] = Column("name", "compare.column.name", lambda pair: pair[0], elided=True)
    assert narrow.explanation(ENGLISH) == narrow.title(ENGLISH) == "Series"
    assert narrow.cell_tip(("db01", None), ENGLISH) == "db01" and NAME.cell_tip(("db01", None), ENGLISH) is None


def test_the_same_column_of_rows_that_hold_such_a_row() -> None:
    outer = SIZE_OF.over(lambda pairs: pairs[0])
    assert outer.words([("db01", 12.0)], ENGLISH) == "12" and outer.sort_key([("db01", 12.0)], ENGLISH) == 12.0
    assert (outer.id, outer.side, outer.title(ENGLISH)) == (SIZE_OF.id, "before", SIZE_OF.title(ENGLISH))


def test_a_front_chooses_columns_in_its_own_order() -> None:
    assert chosen((NAME, SIZE_OF), "size name") == (SIZE_OF, NAME)
    with pytest.raises(KeyError):
        chosen((NAME,), "size")


@pytest.mark.parametrize(
    ("form", "value", "words"),
    [
        (COUNT, 1234567.0, "1,234,567"),
        (SIZE, 99.96, "100"),
        (SIZE, 4.0, "4"),
        (SIZE, 100.4, "100"),
        (FIGURE, 0.0, "0"),
        (FIGURE, 12345.678, "12,346"),
        (FIGURE, 0.00123456, "0.001235"),
        (FIGURE, -math.inf, "-∞"),
        (RATIO, 9.994, "9.99"),
        (RATIO, 10.0, "10.0"),
        (RATIO, 0.05, "0.05"),
        (RATIO, math.inf, "∞"),
        (SHARE, 0.0512, "5.1 %"),
        (P_VALUE, 0.0009, "< 0.001"),
        (P_VALUE, 0.049, "0.049"),
    ],
)
def test_numbers_are_written_for_people(form: object, value: float, words: str) -> None:
    assert form.written(value) == words  # type: ignore[attr-defined]


def test_a_column_that_stands_for_nothing_in_any_row_goes_and_a_side_stays_with_the_other() -> None:
    rows = [{"a": None, "b": 1.0}, {"a": None, "b": None}]
    sides = [
        Column("before.calls", "x", lambda row: row["a"], side="before"),
        Column("after.calls", "x", lambda row: row["b"], side="after"),
        Column("before.mean", "x", lambda row: row["a"], side="before"),
        Column("after.mean", "x", lambda row: row["a"], side="after"),
        Column("words", "x", text=lambda row, _: f"{row['b']} calls"),
        Column("silent", "x", text=lambda row, _: ""),
    ]
    shown = with_figures(sides, rows, Locale("en"))
    assert [column.id for column in shown] == ["before.calls", "after.calls", "words"]
