"""The columns of a comparison: each has a heading in both languages, and JSON tells every figure that a table shows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.reports.analysis_cases import judged_rows, over_five_days
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.columns.column import Locale, chosen
from tunebench.columns.comparing import COLUMNS, COPIED_ONLY, LINES, WINDOW, WORKBOOK
from tunebench.contract.comparing import compared_series

SEOUL = ZoneInfo("Asia/Seoul")
ROWS: tuple[ComparedSeries, ...] = (over_five_days().row, *(judged.row for judged in judged_rows()))
# Where JSON tells what a column stands for; "#" are positions in a list.
IN_JSON = {
    **{f"{side}.{name}": f"{side}.{name}" for side in ("before", "after") for name in ("n", "mean", "p50", "p95")},
    **{f"{side}.maximum": f"{side}.max" for side in ("before", "after")},
    **{
        f"{side}.hd_{name}": f"{side}.hd.{name}"
        for side in ("before", "after")
        for name in ("p50", "p90", "p95", "p99")
    },
    **{f"{side}.n_eff": f"n_eff.#{index}" for index, side in enumerate(("before", "after"))},
    **{f"{side}.occurrences": f"occurrences.#{index}" for index, side in enumerate(("before", "after"))},
    **{name: name for name in ("ratio", "estimate", "difference", "p", "p_adjusted", "margin")},
    "estimate.value": "estimate",
    **{f"ratio.{end}": f"ci95.#{index}" for index, end in enumerate(("low", "high"))},
    **{f"difference.{end}": f"difference_ci95.#{index}" for index, end in enumerate(("low", "high"))},
    "variation.sd": "natural_variation.sd",
    "variation.df": "natural_variation.df",
    "settle.occurrences": "would_settle.occurrences",
    "settle.change": "would_settle.change",
    **{f"p95.{name}": f"statistics.#1.{name}" for name in ("before", "after", "ratio")},
    **{f"p95.{end}": f"statistics.#1.ci95.#{index}" for index, end in enumerate(("low", "high"))},
    **{f"p99.{name}": f"statistics.#2.{name}" for name in ("before", "after", "ratio")},
    **{f"p99.{end}": f"statistics.#2.ci95.#{index}" for index, end in enumerate(("low", "high"))},
}
DERIVED = {"ratio_of_means", "before.lag1", "after.lag1"}
"""Reckoned from the means that JSON tells, or told of the two samples by no other front."""


def value_at(document: Any, path: str) -> Any:
    """The value at a path of JSON; None where it ends before."""
    for step in path.split("."):
        if document is None:
            return None
        if step.startswith("#"):
            index = int(step[1:])
            document = document[index] if index < len(document) else None
        else:
            document = document[step]
    return document


def test_every_column_is_called_something_in_both_languages() -> None:
    for language in ("ko", "en"):
        titles = [column.title(Locale(language)) for column in COLUMNS]
        assert not [title for title in titles if "⟨" in title]
    for ids in (WINDOW, WORKBOOK, LINES):
        shown = [column.title(Locale("en")) for column in chosen(COLUMNS, ids)]
        assert len(set(shown)) == len(shown), "headings of one table are all different"


def test_every_column_is_shown_somewhere_and_has_an_id_of_its_own() -> None:
    ids = [column.id for column in COLUMNS]
    assert len(set(ids)) == len(ids)
    assert set(ids) == {*WINDOW.split(), *WORKBOOK.split(), *LINES.split()}
    assert set(WINDOW.split()) >= COPIED_ONLY


def test_json_tells_every_figure_that_a_table_shows() -> None:
    figures = {column.id for column in COLUMNS if column.holds_figures}
    assert figures - DERIVED == set(IN_JSON)


@pytest.mark.parametrize("column", [column for column in COLUMNS if column.id in IN_JSON], ids=lambda column: column.id)
def test_a_figure_is_the_same_in_json(column: Any) -> None:
    for row in ROWS:
        document = json.loads(compared_series(row, SEOUL))
        assert column.value(row) == pytest.approx(value_at(document, IN_JSON[column.id])), row.series.label


@pytest.mark.parametrize(("unit", "shown", "words"), [("%", -30.0, "-30.0 pp"), ("ms", -50.0, "-50.0 %")])
def test_a_change_is_sorted_and_copied_as_it_is_shown(unit: str, shown: float, words: str) -> None:
    """Points of percentages, else per cent, of 60 and 30: a ratio of either is not what stands in the cell."""
    (change,) = chosen(COLUMNS, "change")
    five_days, locale = over_five_days().row, Locale("en", SEOUL)
    before, after = (
        tuple(replace(info, unit=unit) for info in parts) for parts in (five_days.before_parts, five_days.after_parts)
    )
    row = replace(five_days, before_parts=before, after_parts=after)
    assert (change.sort_key(row, locale), change.copied(row, locale)) == (shown, words)
