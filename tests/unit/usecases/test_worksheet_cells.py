"""Cells of the worksheet without a window: effects as text, a block taken in whole or not at all, formulas harmless."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Cause, CauseDomain, Iteration, ManualSource, Metric
from tunebench.domain.cycle.worksheet import (
    Action,
    ActionState,
    Basis,
    ChangeMode,
    Impact,
    ParameterChange,
    Resource,
    Risk,
    Verification,
)
from tunebench.domain.engagement import Direction
from tunebench.usecases.cycle.worksheet_cells import Sheet
from tunebench.usecases.cycle.worksheet_columns import DONE, GRID, IMPACTS, PARTS
from tunebench.usecases.cycle.worksheet_text import impact_text, impacts_text, with_changes, with_impacts, with_risks
from tunebench.usecases.grid_cells import Taken, Typed, Wrong, heading, taken
from tunebench.usecases.spreadsheet_cells import filled, for_spreadsheet, from_spreadsheet, placed, without_heading

METRIC = Metric(2, 1, "Order time", ManualSource("stop watch"), "mean", "s", Direction.LOWER)
BRACKETS = Metric(3, 1, "Response (95 %)", ManualSource(), "p95", "s", Direction.LOWER)
CAUSE = Cause(4, 1, CauseDomain.SYSTEM, "Small reads")
READ_AHEAD = Action(
    5,
    1,
    "Larger read-ahead",
    (ParameterChange("maxcontig", "16", "128", "/data", ChangeMode.REBOOT),),
    impacts=(
        Impact(Resource.CPU, -1, 5.0, 10.7, 15.0, "%", Basis.FOUNDING, "000 4.4", "sys time", (9,)),
        Impact(Resource.DISK_THROUGHPUT, 2, None, 3.77, None, "x", Basis.FOUNDING, "000 4.4"),
    ),
    risks=(Risk("Small reads suffer", detection="iostat"),),
)
BOOK = CycleBook.of([Iteration(1, 1, "First"), METRIC, BRACKETS, CAUSE, READ_AHEAD])
SHEET = Sheet("en", book=BOOK, iteration_id=1)
PLACE = {column.id: at for at, column in enumerate(GRID)}


def typed(cells: dict[str, str], row: int = 0, items: tuple[Action, ...] = (READ_AHEAD,)) -> Taken[Action]:
    return taken(
        items,
        GRID,
        [Typed(row, PLACE[key], words) for key, words in cells.items()],
        SHEET,
        blank=lambda: Action(0, 1, ""),
        locked=lambda action: action.state in DONE,
    )


# --- effects


@pytest.mark.parametrize(
    ("words", "direction", "low", "expected", "high", "unit"),
    [
        ("▼▼", -2, None, None, None, ""),
        ("▲ 20 %", 1, None, 20, None, "%"),
        ("- 10.7 (5~15) %", -1, 5, 10.7, 15, "%"),
        ("-10.7 %", -1, None, 10.7, None, "%"),
        ("+2 3,770 kB/s", 2, None, 3770, None, "kB/s"),
        ("-- 5~10~15 ms", -2, 5, 10, 15, "ms"),
        ("++ ~40 %", 2, None, None, 40, "%"),
        ("↓ 5..", -1, 5, None, None, ""),
        ("2", 2, None, None, None, ""),
        ("0", 0, None, None, None, ""),
        ("–", 0, None, None, None, ""),
    ],
)
def test_an_effect_is_read_as_people_write_it(
    words: str, direction: int, low: float | None, expected: float | None, high: float | None, unit: str
) -> None:
    (read,) = with_impacts(Action(0, 1, ""), Resource.CPU, words).impacts
    assert read == Impact(Resource.CPU, direction, low, expected, high, unit)


@pytest.mark.parametrize("words", ["much", "10.7 %", "3", "▼ much", "=SUM(A1)"])
def test_what_begins_with_no_direction_is_no_effect(words: str) -> None:
    with pytest.raises(Wrong):
        with_impacts(Action(0, 1, ""), Resource.CPU, words)


figures = st.one_of(st.none(), st.integers(-10_000, 10_000).map(float), st.sampled_from([0.5, 10.7, 3.77, 1e-5, 1e9]))
impacts = st.builds(
    Impact, st.just(Resource.SPACE), st.integers(-2, 2), figures, figures, figures, st.sampled_from(["", "%", "kB/s"])
).filter(lambda made: made.unit == "" or any(each is not None for each in (made.low, made.expected, made.high)))


@given(st.lists(impacts, max_size=3))
def test_what_is_written_is_read_back(several: list[Impact]) -> None:
    action = Action(0, 1, "", impacts=tuple(several))
    read = with_impacts(Action(0, 1, ""), Resource.SPACE, impacts_text(action, Resource.SPACE))
    assert read.impacts == tuple(several)


def test_an_effect_keeps_what_its_text_does_not_say() -> None:
    (cpu, throughput) = with_impacts(READ_AHEAD, Resource.CPU, "▼▼ 12").impacts
    assert cpu == replace(READ_AHEAD.impacts[0], direction=-2, low=None, expected=12.0, high=None)
    assert throughput == READ_AHEAD.impacts[1]


def test_a_resource_may_gain_and_pay() -> None:
    both = with_impacts(READ_AHEAD, Resource.CPU, "▲ / ▼ 10.7 (5~15) %").impacts
    assert [impact.direction for impact in both] == [1, -1, 2]
    assert both[1] == READ_AHEAD.impacts[0]  # the price is known by its direction, with its source and evidence
    assert both[0].basis is Basis.ESTIMATE


def test_an_emptied_effect_goes() -> None:
    assert [each.resource for each in with_impacts(READ_AHEAD, Resource.CPU, "").impacts] == [Resource.DISK_THROUGHPUT]


# --- changes and risks


def test_coupled_changes_stand_in_one_cell() -> None:
    made = with_changes(READ_AHEAD, "maxcontig: 16 -> 256\nset ufs:ufs_HW → 16777216")
    assert made.changes == (
        ParameterChange("maxcontig", "16", "256", "/data", ChangeMode.REBOOT),
        ParameterChange("set ufs:ufs_HW", "", "16777216"),
    )


def test_a_risk_that_stays_keeps_how_it_is_detected() -> None:
    made = with_risks(READ_AHEAD, "Memory fills\nSmall reads suffer")
    assert [(risk.text, risk.detection) for risk in made.risks] == [
        ("Memory fills", ""),
        ("Small reads suffer", "iostat"),
    ]


# --- taking in


def test_cells_are_taken_in_together() -> None:
    found = typed(
        {
            "hypothesis": "Fewer reads",
            "memory": "▼",
            "causes": "small READS",
            "verifications": "Order time (10 %)\nResponse (95 %)",
            "state": "proposed",
            "rollback_command": "tunefs -a 16",
        }
    )
    assert not found.errors
    (made,) = found.items
    assert made.hypothesis == "Fewer reads" and made.cause_ids == (CAUSE.id,) and made.state is ActionState.PROPOSED
    assert made.verifications == (Verification(METRIC.id, 10.0), Verification(BRACKETS.id))
    assert made.rollback.command == "tunefs -a 16"
    assert [impact.resource for impact in made.impacts][-1] is Resource.MEMORY


def test_every_wrong_cell_is_named() -> None:
    found = typed(
        {
            "cpu": "much",
            "causes": "Unknown",
            "verifications": "Nothing",
            "state": "executed",
            "title": "",
            "hypothesis": "This one is fine",
        }
    )
    assert [error.where for error in found.errors] == [
        "1 · State",
        "1 · CPU",
        "1 · Causes",
        "1 · Verification",
        "1 · Countermeasure",
    ]
    assert "'much'" in found.errors[1].sentence and "'Unknown'" in found.errors[2].sentence


def test_words_are_read_in_both_languages() -> None:
    assert typed({"state": "제안"}).items[0].state is ActionState.PROPOSED


def test_an_executed_row_refuses_what_differs_and_nothing_else() -> None:
    done = replace(READ_AHEAD, state=ActionState.EXECUTED)
    assert not typed({"title": done.title, "cpu": impact_text(done.impacts[0])}, items=(done,)).errors
    (error,) = typed({"title": "Another"}, items=(done,)).errors
    assert "Another" in error.sentence


def test_a_computed_cell_takes_only_what_it_says_already() -> None:
    assert not typed({"price": "CPU", "approval": ""}).errors
    assert [error.where for error in typed({"price": "None", "approval": "approved"}).errors] == [
        "1 · Price",
        "1 · Approval",
    ]
    free = replace(READ_AHEAD, impacts=())
    assert typed({"price": "Only a file name"}, items=(free,)).items[0].no_price_reason == "Only a file name"


def test_a_price_that_follows_from_the_effects_need_not_be_mended_by_hand() -> None:
    """A row that was copied, whose effects were edited in the spreadsheet: its price cell still has the old words."""
    assert typed({"cpu": "", "memory": "▼", "price": "CPU"}).items[0].no_price_reason == ""
    assert not typed({"memory": "▼", "price": "CPU"}).errors
    free = replace(READ_AHEAD, impacts=(), no_price_reason="Only a file name")
    paid = typed({"cpu": "▼", "price": "Only a file name"}, items=(free,))
    assert not paid.errors and paid.items[0].prices
    assert not typed({"title": "Another", "cpu": "▼", "price": "", "approval": ""}, row=1).errors


def test_rows_below_the_last_are_new_and_need_a_name() -> None:
    found = typed({"title": "Another", "cpu": "▲"}, row=1)
    assert not found.errors and found.items[1].title == "Another" and len(found.items) == 2
    (error,) = typed({"cpu": "▲"}, row=1).errors
    assert error.where == "2 · Countermeasure"
    assert len(typed({"title": "", "cpu": ""}, row=7).items) == 1


def test_a_cell_beyond_the_last_column_is_refused_unless_empty() -> None:
    beyond = len(GRID)
    assert not taken((READ_AHEAD,), GRID, [Typed(0, beyond, " ")], SHEET).errors
    assert len(taken((READ_AHEAD,), GRID, [Typed(0, beyond, "x"), Typed(1, 0, "y")], SHEET).errors) == 2


def test_control_characters_go_and_line_ends_stay() -> None:
    made = typed({"title": "Read\x00\u202e ahead\tnow", "hypothesis": "one\r\ntwo\x1b[31m"}).items[0]
    assert made.title == "Read ahead now" and made.hypothesis == "one\ntwo[31m"


def test_numbers_and_choices_of_a_part_say_what_is_wrong() -> None:
    place = {column.id: at for at, column in enumerate(IMPACTS)}
    cells = [
        Typed(0, place["low"], "five"),
        Typed(0, place["basis"], "guess"),
        Typed(0, place["direction"], "▲ 5"),
        Typed(0, place["evidence"], "E-77"),
    ]
    found = taken(READ_AHEAD.impacts, IMPACTS, cells, SHEET)
    assert [error.column for error in found.errors] == [
        place[name] for name in ("direction", "low", "basis", "evidence")
    ]
    good = taken(
        READ_AHEAD.impacts,
        IMPACTS,
        [Typed(0, place["low"], "1,000.5"), Typed(0, place["basis"], "실측"), Typed(0, place["direction"], "-2")],
        SHEET,
    ).items[0]
    assert (good.low, good.basis, good.direction) == (1000.5, Basis.MEASURED, -2)


@pytest.mark.parametrize("part", PARTS)
def test_a_table_of_parts_reads_back_what_it_copies(part: str) -> None:
    columns, _ = PARTS[part]
    items: tuple[Any, ...] = getattr(replace(READ_AHEAD, verifications=(Verification(2, 5.0),)), part)
    cells = [
        Typed(row, at, column.words(item, SHEET))
        for row, item in enumerate(items)
        for at, column in enumerate(columns)
        if column.id != "evidence"
    ]
    found = taken(items, columns, cells, SHEET)
    assert found.items == items and not found.errors


# --- the clipboard


@pytest.mark.parametrize("cell", ["=1+1", "+CMD", "-a 16", "@SUM(A1)", "'=1+1", "''x", "\t=1", "plain", '"q"\n2', ""])
def test_a_cell_goes_to_a_spreadsheet_and_back(cell: str) -> None:
    plain, table = for_spreadsheet([[cell, "next"]])
    assert from_spreadsheet(plain) == [[cell, "next"]]
    assert "mso-number-format" in table


CALC = """<meta><body><table cellspacing="0"><colgroup width="90"></colgroup>
<tr><td height="17" align="left">Order time</td><td align="left">one (10 %)<br>two&nbsp;(5
 %)</td></tr>
<tr><td>=1+1</td><td><font face="Serif">plain</font></td></tr></table></body>"""
"""A copied area as LibreOffice Calc writes it beside its text, in which the second cell stands on one line."""


def test_line_ends_that_the_text_lost_come_from_the_table() -> None:
    assert from_spreadsheet("Order time\tone (10 %) two (5 %)\n=1+1\tplain\n", CALC) == [
        ["Order time", "one (10 %)\ntwo (5 %)"],
        ["=1+1", "plain"],
    ]


@pytest.mark.parametrize(
    "html", ["", "<p>one</p>", "<table><tr><td>another</td><td>area</td></tr></table>", "<table><"]
)
def test_a_table_that_says_something_else_is_not_believed(html: str) -> None:
    assert from_spreadsheet("Order time\tone two\n", html) == [["Order time", "one two"]]


@pytest.mark.parametrize("cell", ["=1+1", '=HYPERLINK("http://x")', "+CMD|' /C calc'!A0", "-2+3", "@SUM(A1)"])
def test_nothing_that_is_copied_is_a_formula(cell: str) -> None:
    plain, _ = for_spreadsheet([[cell]])
    assert plain.lstrip('"').startswith("'")


def test_a_number_stays_a_number() -> None:
    assert for_spreadsheet([["-5.5", "10.7", "1,000"]])[0] == "-5.5\t10.7\t1,000\r\n"


def test_a_pasted_formula_is_a_text() -> None:
    assert typed({"hypothesis": '=HYPERLINK("http://x","y")'}).items[0].hypothesis == '=HYPERLINK("http://x","y")'


def test_a_copied_heading_is_not_a_row() -> None:
    rows = [["countermeasure", "state"], ["Another", "draft"]]
    headings = [[heading(column, Sheet(code)) for column in GRID[:2]] for code in ("ko", "en")]
    assert without_heading(rows, headings) == rows[1:]
    assert without_heading(rows[1:], headings) == rows[1:]
    assert placed([["a", "b"], ["c", "d"]], 3, 1)[-1] == Typed(4, 2, "d")
    assert filled("x", [(0, 1), (2, 1)]) == [Typed(0, 1, "x"), Typed(2, 1, "x")]
