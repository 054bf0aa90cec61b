"""From the store to document and workbook: the same figures in JSON, PDF and cells, and where they stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from tests.program import compose
from tests.store import cases
from tests.store.database_cases import MINUTE_NS, WAITS, counters, period, statements, store, table
from tunebench.cli.main import run as run_verb
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.domain.databases.records import StatementKey
from tunebench.domain.engagement import Phase, Statement
from tunebench.reporting.document import Table, every_block
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes
from tunebench.store import engagements, runs
from tunebench.store.project import Project
from tunebench.usecases.databases.choices import confirm_licence
from tunebench.usecases.databases.entered_statements import paired
from tunebench.usecases.reports import success_case as reports

WEEK = 7 * 1440
TYPED = "oracle (직접 입력한 SQL)"
FIRST_RATIO_ROW = 4
"""Rows below the last statement to the ratios at equal executions."""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        runs.ensure_run(opened, "before", Phase.BEFORE)
        runs.ensure_run(opened, "after", Phase.AFTER)
        yield opened


def fill(project: Project) -> None:
    """Thirds and sevenths, so that a figure that went through text on its way would differ."""
    work = [{f"q{n}": (3000 * n, n / 7 * factor) for n in range(1, 12)} for factor in (1.0, 10 / 3)]
    store(project, counters(0, statements(**dict.fromkeys(work[0], (0, 0.0)))), counters(30, statements(**work[1])))
    later = counters(WEEK, statements(**dict.fromkeys(work[0], (0, 0.0))))
    store(project, later, counters(WEEK + 30, statements(**work[0])), run="after")


def shown(project: Project, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert run_verb(["compare", str(project.path), "--before", "before", "--after", "after", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["statements"]
    return found


def test_json_document_and_workbook_agree_to_the_last_digit(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(project)
    told = shown(project, capsys)
    document = build_document(reports.build_case(project, "en"), "en")
    sheet = load_workbook(BytesIO(workbook_bytes(document)), data_only=True)["SQL"]
    count = len(told["rows"])
    assert count == 11
    for down, row in enumerate(told["rows"], 5):
        elapsed = row["figures"]["elapsed_s"]
        assert sheet.cell(down, 2).value == row["before"]["id"]
        sums = [sheet.cell(down, column).value for column in (11, 12)]
        # the writer of workbooks keeps 16 digits of a plain number
        assert sums == pytest.approx([row["before"]["elapsed_s"], row["after"]["elapsed_s"]], rel=1e-15)
        formulas = [sheet.cell(down, column).value for column in (13, 14, 18)]
        assert formulas == [elapsed["before_each"], elapsed["after_each"], elapsed["impact"]]
    totals = told["totals"]["elapsed_s"]
    start = 4 + count + FIRST_RATIO_ROW
    names = ("raw_ratio", "laspeyres", "paasche", "fisher", "volume_effect", "geometric_mean")
    ratios = [sheet.cell(start + place, 11).value for place in range(6)]
    assert ratios[:5] == [totals[name] for name in names[:5]]
    assert ratios[5] == pytest.approx(totals[names[5]], rel=1e-15)
    assert sheet.cell(4 + count + 1, 11).value == told["elapsed"]["before_s"]
    headline = next(b for b in document.blocks if isinstance(b, Table) and "equal executions" in b.caption)
    printed = [headline.rows[0][place].value for place in (2, 3, 4, 5, 6, 7, 9, 11)]
    assert printed == [totals[name] for name in ("before", "after", "raw_ratio", "fisher", *names[1:3], *names[4:])]
    assert [row["class"] for row in told["rows"]] == ["improved"] * 11


def test_figures_lead_to_capture_and_line(project: Project) -> None:
    fill(project)
    (case,) = reports.build_case(project, "ko").databases
    # statements stand on the lines 2, 3, ... of a capture
    assert case.before.places[StatementKey("q1", "app")] == "F-1:2"
    assert case.after.places[StatementKey("q11", "app")] == "F-2:12"
    assert (case.before.evidence, case.after.evidence) == (("F-1",), ("F-2",))
    assert case.before.text_of(("q3",)) == "SELECT '힌트' FROM q3"
    assert [each.length_s for each in case.before.periods] == [1800.0]


def test_a_database_of_one_run_and_one_without_a_valid_period_are_said(project: Project) -> None:
    store(project, period(0, 30, statements(a=(1, 5.0))), run="before")
    found = reports.build_case(project, "ko")
    assert found.databases == () and "튜닝 전에만" in found.database_remarks[0]
    restarted = counters(WEEK, statements(a=(9, 9.0)))
    later = replace(counters(WEEK + 9, statements(a=(1, 1.0))), source="pg_stat_statements")
    started = replace(later, end=replace(later.end, started_ns=(later.end.time_ns or 0) - MINUTE_NS))
    store(project, counters(0, statements(a=(1, 1.0))), counters(9, statements(a=(2, 2.0))), name="pg1")
    falling = replace(started, tables={**started.tables, "statement": statements(a=(1, 0.5))["statement"]})
    store(project, restarted, falling, run="after", name="pg2")
    found = reports.build_case(project, "en")
    assert len(found.database_remarks) + len(found.databases) >= 2


def test_awr_reports_without_a_confirmation_are_said(project: Project) -> None:
    for run, first in (("before", 0), ("after", WEEK)):
        store(
            project, period(first, first + 30, {**statements(a=(1, 5.0)), "wait_event": WAITS}), run=run, name="a.html"
        )
    found = reports.build_case(project, "ko").licences
    assert (found.confirmed, found.unconfirmed) == ((), ("F-1 a.html", "F-2 a.html"))
    confirm_licence(project, LicenceConfirmation(0, "oracle.diagnostics_pack", "", "", "박과장", "계약 2026-114"))
    found = reports.build_case(project, "ko").licences
    assert found.unconfirmed == () and found.confirmed[0].confirmed_by == "박과장"


def test_statements_entered_by_hand_are_compared_too(project: Project) -> None:
    slow = Statement(1, "oracle", "old1", "SELECT 1 FROM dual", "ORD", "", 10, 590.997, None, 37_539_159)
    engagements.write_statements(project, 1, [slow, replace(slow, statement_id="lost", text="SELECT 2")])
    engagements.write_statements(
        project, 2, [replace(slow, run_id=2, statement_id="new1", elapsed_s=33.17, block_gets=841_817)]
    )
    (case,) = reports.build_case(project, "ko").databases
    assert case.statements.totals["elapsed_s"].raw_ratio == pytest.approx(590.997 / 33.17)
    assert sorted(case.statements.outcomes) == ["improved", "unknown"]
    document = build_document(reports.build_case(project, "ko"), "ko")
    assert any("직접 입력" in b.caption for b in document.blocks if isinstance(b, Table))
    before = engagements.read_statements_by_hand(project, 1)
    pairs = paired(before, engagements.read_statements_by_hand(project, 2))
    assert [(b and b.statement_id, a and a.statement_id) for b, a in pairs] == [("old1", "new1"), ("lost", None)]


def test_without_executions_totals_are_of_what_both_sides_list(project: Project) -> None:
    first = Statement(1, "oracle", "a", "SELECT 1", elapsed_s=12.5)
    engagements.write_statements(project, 1, [first])
    engagements.write_statements(project, 2, [replace(first, run_id=2, elapsed_s=2.5)])
    document = build_document(reports.build_case(project, "ko"), "ko", shape=Shape.WHOLE)
    rows = [row for block in every_block(document.blocks) if isinstance(block, Table) for row in block.rows]
    (total,) = [row for row in rows if row[0].text == f"SQL 응답시간 · {TYPED}"]
    assert [cell.text for cell in total[2:5]] == ["12.5 초", "2.5 초", "감소 5.00배"]
    book = load_workbook(BytesIO(workbook_bytes(document)), data_only=True)
    lines = [line for sheet in book for line in sheet.iter_rows(values_only=True)]
    assert [line[3:5] for line in lines if line[0] == f"SQL 응답시간 · {TYPED}"] == [(12.5, 2.5)]


def test_parameters_that_changed_come_from_both_sides(project: Project) -> None:
    for run, first, value in (("before", 0, "128MB"), ("after", WEEK, "8GB")):
        parameters = table("parameter", {"name": ["shared_buffers"], "scope": [""], "begin": [value], "end": [value]})
        store(project, period(first, first + 30, {**statements(a=(1, 5.0)), "parameter": parameters}), run=run)
    (case,) = reports.build_case(project, "en").databases
    assert case.profile is not None
    assert [(each.name, each.before, each.after) for each in case.profile.parameters] == [
        ("shared_buffers", ("128MB", "128MB"), ("8GB", "8GB"))
    ]


@pytest.mark.parametrize(("language", "state"), [("ko", "한쪽에만 수집됨"), ("en", "captured on one side only")])
def test_a_database_of_one_side_is_not_called_uncaptured(project: Project, language: str, state: str) -> None:
    store(project, period(0, 30, statements(a=(1, 5.0))), run="before")
    document = build_document(reports.build_case(project, language), language, shape=Shape.WHOLE)
    rows = [row for block in every_block(document.blocks) if isinstance(block, Table) for row in block.rows]
    states = {row[0].text: row[1].text for row in rows if len(row) == 2}
    assert states["상담"] == state and not [name for name in states if name.startswith("SQL")]
