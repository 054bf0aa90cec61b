"""The workbook's sheets of databases: live formulas, and figures computed anew from the made captures."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from dataclasses import replace
from fractions import Fraction
from functools import cache
from io import BytesIO
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook

from tests.reports.built import captured_workbook
from tests.reports.cases import captured_case
from tests.reports.database_cases import ONE_SIDED, SLOWER, database_case, in_two_containers, made_pairs
from tunebench.analysis.databases.explained import explained
from tunebench.analysis.databases.profile_lines import LineKind
from tunebench.analysis.databases.sessions import Layer, SessionsOverTime, stacked
from tunebench.analysis.databases.side_by_side import CounterLine
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx import sheets_sql as xlsx_sheets_sql
from tunebench.reporting.xlsx.workbook import workbook_bytes

PAIRS = made_pairs()
BOTH = [(each.before, each.after) for each in PAIRS if each.after is not None]
FIRST, TIME, BLOCKS = 5, 11, 19
"""The first statement's row; the first columns of elapsed time and of block accesses."""


@pytest.fixture(scope="module")
def captured() -> bytes:
    return captured_workbook("ko")


@cache
def values(data: bytes) -> Any:
    return load_workbook(BytesIO(data), data_only=True)


@cache
def formulas(data: bytes) -> Any:
    return load_workbook(BytesIO(data))


def without_series() -> SuccessCase:
    """The sheets of series are most of a workbook's cells, and these tests look at none of them."""
    return replace(captured_case(), series=())


def row_of(sheet: Any, id_: str) -> int:
    return next(cell.row for cell in sheet["B"] if cell.value == id_)


def test_every_statement_with_its_totals_and_figures_per_execution(captured: bytes) -> None:
    sheet, live = values(captured)["SQL"], formulas(captured)["SQL"]
    for old, new in BOTH:
        row = row_of(sheet, old.id)
        assert [sheet.cell(row, column).value for column in (8, 9)] == [old.executions, new.executions]
        assert sheet.cell(row, TIME).value == float(old.elapsed_s)
        assert sheet.cell(row, TIME + 2).value == pytest.approx(float(old.elapsed_s / old.executions), rel=1e-14)
        assert live.cell(row, TIME + 2).value == f'=IF(H{row}=0,"산정 불가",K{row}/H{row})'
        change = new.elapsed_s / new.executions - old.elapsed_s / old.executions
        impact = change * (new.executions if change >= 0 else min(old.executions, new.executions))
        assert f"IF(N{row}<M{row},MIN(H{row},I{row}),I{row})" in live.cell(row, TIME + 7).value
        assert sheet.cell(row, TIME + 7).value == pytest.approx(float(impact))
        assert sheet.cell(row, BLOCKS + 1).value == new.gets


def test_totals_are_live_sums(captured: bytes) -> None:
    sheet, live = values(captured)["SQL"], formulas(captured)["SQL"]
    last = FIRST + len(PAIRS) - 1
    listed, both = last + 1, last + 2
    assert live.cell(listed, TIME).value == f"=SUM(K{FIRST}:K{last})"
    assert sheet.cell(listed, TIME).value == pytest.approx(float(sum(each.before.elapsed_s for each in PAIRS)))
    assert sheet.cell(both, TIME).value == pytest.approx(float(sum(old.elapsed_s for old, _ in BOTH)))
    assert live.cell(both, TIME).value.startswith("=SUMPRODUCT(")
    assert sheet.cell(both, BLOCKS).value == sum(old.gets for old, _ in BOTH)
    summary = formulas(captured)["요약"]
    assert summary["D5"].value == f"='SQL'!K{both}" and summary["E5"].value == f"='SQL'!L{both}"
    assert values(captured)["요약"]["D6"].value == sum(old.gets for old, _ in BOTH)


def test_ratios_at_equal_executions(captured: bytes) -> None:
    sheet = values(captured)["SQL"]
    start = FIRST + len(PAIRS) - 1 + 4
    old_old, new_new = sum(o.elapsed_s for o, _ in BOTH), sum(n.elapsed_s for _, n in BOTH)
    old_new = sum(Fraction(o.executions, n.executions) * n.elapsed_s for o, n in BOTH)
    new_old = sum(Fraction(n.executions, o.executions) * o.elapsed_s for o, n in BOTH)
    raw, first, second = float(old_old / new_new), float(old_old / old_new), float(new_old / new_new)
    fisher = sqrt(first * second)
    product = 1.0
    for old, new in BOTH:
        product *= float((old.elapsed_s / old.executions) / (new.elapsed_s / new.executions)) ** (1 / len(BOTH))
    expected = [raw, first, second, fisher, raw / fisher, product]
    assert [sheet.cell(start + place, TIME).value for place in range(6)] == pytest.approx(expected)
    live = [formulas(captured)["SQL"].cell(start + place, TIME).data_type for place in range(5)]
    assert live == ["f"] * 5


def test_a_regression_and_a_bound_are_said(captured: bytes) -> None:
    sheet = values(captured)["SQL"]
    slow, lone = row_of(sheet, PAIRS[SLOWER - 1].before.id), row_of(sheet, PAIRS[ONE_SIDED - 1].before.id)
    assert (sheet.cell(slow, 6).value, sheet.cell(slow, TIME + 4).value) == ("악화", "악화")
    assert sheet.cell(slow, TIME + 5).value == pytest.approx(1.3, rel=1e-4)
    rules = [rule for each in formulas(captured)["SQL"].conditional_formatting for rule in each.rules]
    assert any(rule.formula == ['$F5="악화"'] for rule in rules)
    assert sheet.cell(lone, 3).value == "–" and sheet.cell(lone, TIME + 1).value == "< 0.050"
    assert [sheet.cell(lone, column).value for column in (TIME + 3, TIME + 4, TIME + 5)] == [
        "미수집",
        "산정 불가",
        "산정 불가",
    ]


def test_profile_parameters_and_snapshots(captured: bytes) -> None:
    book = values(captured)
    waits = next(row for row in book["프로파일"].iter_rows(min_row=5) if row[1].value == "db file sequential read")
    assert [cell.value for cell in waits[3:12]] == pytest.approx(
        [1000, 1000, 600, 20, 600 / 7, 100 / 6, 600 / 3600, 20 / 3600, 20 / 600]
    )
    assert formulas(captured)["프로파일"].cell(waits[0].row, 10).data_type == "f"
    assert [cell.value for cell in book["파라미터"][5][:4]] == ["processes", None, "300", "800"]
    begin, end, length = book["스냅샷"]["C5"].value, book["스냅샷"]["D5"].value, book["스냅샷"]["E5"].value
    assert (str(begin), str(end), length) == ("2007-07-19 10:00:00", "2007-07-19 11:00:00", 3600)


def test_statements_without_a_row_stand_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_sheets_sql, "MOST_ROWS", 12)
    sheet = values(workbook_bytes(build_document(without_series(), "ko")))["SQL"]
    rest = next(cell for cell in sheet["B"] if str(cell.value).startswith("그 외"))
    shown = [sheet.cell(row, TIME).value for row in range(FIRST, rest.row + 1)]
    assert sum(shown) == pytest.approx(float(sum(each.before.elapsed_s for each in PAIRS)))
    assert row_of(sheet, PAIRS[SLOWER - 1].before.id) < rest.row, "a regression has its row"


def test_one_id_in_two_containers_is_two_rows_that_say_which() -> None:
    pairs = in_two_containers(PAIRS[0])
    case = replace(without_series(), databases=(database_case(pairs),))
    sheet = values(workbook_bytes(build_document(case, "ko")))["SQL"]
    for place, pair in enumerate(pairs, 10):
        row = next(cell.row for cell in sheet["D"] if cell.value == pair.before.container)
        assert [sheet.cell(row, column).value for column in (2, 3)] == [pair.before.id] * 2
        assert pair.after is not None
        assert [sheet.cell(row, TIME + side).value for side in (0, 1)] == [
            float(pair.before.elapsed_s),
            float(pair.after.elapsed_s),
        ]
        assert f"E-5:{place}" in [cell.value for cell in sheet[row]]


def test_two_databases_have_sheets_of_their_own() -> None:
    case = without_series()
    case = replace(case, databases=(*case.databases, database_case(PAIRS[:4], "ERP")))
    names = values(workbook_bytes(build_document(case, "ko"))).sheetnames
    assert [name for name in names if name.startswith(("SQL", "스냅샷"))] == ["SQL", "SQL 2", "스냅샷", "스냅샷 2"]


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_recalculated_after_an_edit_the_totals_follow(captured: bytes, tmp_path: Path) -> None:
    """A cell of the first statement is changed: SUM, ratio and Fisher of LibreOffice are those of the new figures."""
    book = load_workbook(BytesIO(captured))
    sheet = book["SQL"]
    last = FIRST + len(PAIRS) - 1
    changed = row_of(sheet, BOTH[0][0].id)
    sheet.cell(changed, TIME).value = 1000
    source = tmp_path / "edited.xlsx"
    book.save(source)
    command = ["soffice", "--headless", "--convert-to", "xlsx", "--outdir", str(tmp_path / "out"), str(source)]
    subprocess.run(
        command, check=True, capture_output=True, timeout=120, env={**os.environ, "HOME": str(tmp_path / "home")}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # LibreOffice's own extensions
        theirs = load_workbook(tmp_path / "out" / "edited.xlsx", data_only=True)["SQL"]
    before = {old.id: old.elapsed_s for old, _ in BOTH} | {BOTH[0][0].id: Fraction(1000)}
    total, after = sum(before.values()), sum(new.elapsed_s for _, new in BOTH)
    assert theirs.cell(last + 2, TIME).value == pytest.approx(float(total))
    assert theirs.cell(last + 4, TIME).value == pytest.approx(float(total / after))
    old_new = sum(Fraction(o.executions, n.executions) * n.elapsed_s for o, n in BOTH)
    new_old = sum(Fraction(n.executions, o.executions) * before[o.id] for o, n in BOTH)
    assert theirs.cell(last + 7, TIME).value == pytest.approx(sqrt(float(total / old_new * new_old / after)))


def test_the_steps_of_db_time_add_up_in_the_workbook() -> None:
    """From 700 s of an hour to 120 s, with the sum as a live formula."""
    case = without_series()
    (first,) = case.databases
    assert first.profile is not None
    case = replace(case, databases=(replace(first, explanation=explained(first.statements, first.profile)),))
    data = workbook_bytes(build_document(case, "ko"))
    sheet, live = values(data)["DB 시간"], formulas(data)["DB 시간"]
    last = next(cell.row for cell in sheet["A"] if cell.value == "튜닝 후")
    first_row = next(cell.row for cell in sheet["A"] if cell.value == "튜닝 전")
    amounts = [sheet.cell(row, 3).value for row in range(first_row, last)]
    assert amounts[0] == pytest.approx(700 / 3600) and sum(amounts) == pytest.approx(120 / 3600)
    assert live.cell(last, 3).value == f"=SUM(C{first_row}:C{last - 1})"
    assert sheet.cell(last, 3).value == pytest.approx(120 / 3600)


def test_segments_and_statistics_are_a_sheet_of_their_own() -> None:
    case = without_series()
    (first,) = case.databases
    assert first.profile is not None
    line = CounterLine("segment", "TABLE", "APP.ORDERS", "Row Lock Waits", "1", True, 2.0, None, (1, 0))
    profile = replace(first.profile, counters={"segment": (line,)})
    case = replace(case, databases=(replace(first, profile=profile),))
    sheet = values(workbook_bytes(build_document(case, "ko")))["세그먼트·통계"]
    row = next(cell.row for cell in sheet["B"] if cell.value == "APP.ORDERS")
    told = [sheet.cell(row, column).value for column in range(1, 8)]
    assert told[:5] == ["TABLE", "APP.ORDERS", "Row Lock Waits", "/s", 2.0]
    assert isinstance(told[5], str) and told[6] == "–", "what is not listed is no number"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_sessions_over_time_of_both_sides_stand_in_one_set_of_columns(language: str) -> None:
    """A class that only one side has is 0 in periods that tell; a period that tells nothing has no figure at all."""
    hour_ns = 3_600_000_000_000

    def over(told: list[dict[Layer, float]], busy: list[float]) -> SessionsOverTime:
        spans = [(place * hour_ns, (place + 1) * hour_ns) for place in range(len(told))]
        return stacked(spans, told, np.array(busy), 8)

    cpu, reads, locks = Layer(LineKind.CPU), Layer(LineKind.WAIT, "User I/O"), Layer(LineKind.WAIT, "=Application")
    made = database_case()
    before = replace(made.before, sessions=over([{cpu: 1.0, reads: 2.5}, {}], [3.0, float("nan")]))
    after = replace(made.after, sessions=over([{cpu: 0.5, locks: 0.25}], [1.5]))
    case = replace(without_series(), databases=(replace(made, before=before, after=after),))
    book = values(workbook_bytes(build_document(case, language)))
    sheet = book[{"ko": "활성 세션 추이", "en": "Sessions over time"}[language]]
    rows = [[cell for cell in row[3:] if cell is not None] for row in sheet.iter_rows(min_row=5, values_only=True)]
    none = rows[1][0]
    assert rows == [[3.5, 3.0, 1.0, 2.5, 0.0], [none, none, none, none, none], [0.75, 1.5, 0.5, 0.0, 0.25]]
    assert isinstance(none, str)
