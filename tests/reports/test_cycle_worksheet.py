"""The trade-off worksheet comes back from a spreadsheet without loss, and what is wrong in it is named."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from io import BytesIO
from typing import Any

import openpyxl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import Cause, CauseDomain, Iteration, ManualSource, Metric
from tunebench.domain.cycle.worksheet import (
    Action,
    ActionState,
    Basis,
    ChangeMode,
    Consent,
    Decision,
    Impact,
    Level,
    ParameterChange,
    Resource,
    Risk,
    Rollback,
    Verification,
)
from tunebench.domain.engagement import Direction
from tunebench.reporting.forms.reading import problem_text
from tunebench.reporting.forms.worksheet_reading import Worksheet, changed_actions, read_worksheet
from tunebench.reporting.forms.worksheet_sheet import PARTS, worksheet_bytes
from tunebench.usecases.cycle.text import clean, clean_text

ITERATION, CAUSES, METRICS, EVIDENCE = 1, (10, 11), (20, 21), (30, 31)
RECORDS = (
    Iteration(ITERATION, 1, "first"),
    Iteration(2, 2, "second"),
    Cause(10, ITERATION, CauseDomain.SYSTEM, "작은 I/O #99"),
    Cause(11, ITERATION, CauseDomain.DATABASE, "two\nlines"),
    Metric(20, ITERATION, "write time", ManualSource(), "value", "s", Direction.LOWER),
    Metric(21, ITERATION, "#5 is no number", ManualSource(), "value", "s", Direction.LOWER),
    Evidence(30, 3, "x", EvidenceTarget(EvidenceKind.RUN)),
    Evidence(31, 14, "y", EvidenceTarget(EvidenceKind.RUN)),
)
ACTION = Action(
    40,
    ITERATION,
    "maxcontig 128",
    changes=(
        ParameterChange("maxcontig", "16", "128", "/data", ChangeMode.REBUILD),
        ParameterChange("maxphys", "", "=2^20", "/etc/system", ChangeMode.REBOOT),
    ),
    hypothesis="연속 쓰기가\n한 번에 나감",
    cause_ids=CAUSES,
    finding="X-DSK-01",
    impacts=(
        Impact(Resource.DISK_THROUGHPUT, 2, 3.0, 3.77, 4.0, "x", Basis.FOUNDING, "000 4.4"),
        Impact(Resource.CPU, -1, None, 10.7, None, "%", Basis.MEASURED, evidence_ids=EVIDENCE),
        Impact(Resource.CPU, 0),
    ),
    risks=(Risk("임의 읽기 증폭", Level.LOW, Level.HIGH, "svc_t"),),
    rollback=Rollback("tunefs -a 16 /data", 5.5, "유휴 시간", "2007-07-20", "이영진"),
    verifications=(Verification(20, 10.0), Verification(21)),
    consents=(Consent("DBA", "박과장", Decision.APPROVED, "2007-07-21T10:00:00+09:00", "문서 12"),),
    state=ActionState.PROPOSED,
    known_effect="founding.write_behind",
    caveat="-x",
    carried_from=None,
)


def _book(*actions: Action) -> CycleBook:
    return CycleBook.of((*RECORDS, *actions))


def _there_and_back(actions: tuple[Action, ...], language: str) -> Worksheet:
    book = _book(*actions)
    return read_worksheet(worksheet_bytes(book, actions, language), "w.xlsx", book, ITERATION)


# --- the round trip

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\n\t=+-@#;"'), max_size=40)
SAID = WORDS.map(lambda text: text.strip())
NAMED = SAID.filter(clean_text)  # of nothing but zero widths no name is left
NUMBER = st.none() | st.floats(-1e12, 1e12).map(lambda number: number + 0.0)
CHANGE = st.builds(ParameterChange, NAMED, SAID, SAID, SAID, st.sampled_from(ChangeMode))
IMPACT = st.builds(
    Impact,
    st.sampled_from(Resource),
    st.integers(-2, 2),
    NUMBER,
    NUMBER,
    NUMBER,
    SAID,
    st.sampled_from(Basis),
    SAID,
    SAID,
    st.lists(st.sampled_from(EVIDENCE), max_size=3).map(tuple),
)
RISK = st.builds(Risk, NAMED, st.sampled_from(Level), st.sampled_from(Level), SAID)
ROLLBACK = st.builds(Rollback, SAID, NUMBER, SAID, st.just("") | st.dates().map(str), SAID)
CONSENT = st.builds(Consent, NAMED, NAMED, st.sampled_from(Decision), SAID, SAID)


def _several(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(parts, max_size=3).map(tuple)


WORKSHEET_ROW = st.builds(
    Action,
    st.just(0),
    st.just(ITERATION),
    NAMED,
    _several(CHANGE),
    SAID,
    st.lists(st.sampled_from(CAUSES), max_size=2, unique=True).map(tuple),
    SAID,
    _several(IMPACT),
    SAID,
    _several(RISK),
    ROLLBACK,
    _several(st.builds(Verification, st.sampled_from(METRICS), NUMBER)),
    _several(CONSENT),
    st.sampled_from(ActionState),
    SAID,
    SAID,
    st.none() | st.just(10),
)


def _without_dates_before_1900(action: Action) -> bool:
    """Spreadsheets know no day before 1900."""
    return not action.rollback.tested_on or action.rollback.tested_on >= "1900-03-01"


@settings(max_examples=30, phases=(Phase.explicit, Phase.generate))  # a workbook takes too long to be shrunk
@given(st.lists(WORKSHEET_ROW.filter(_without_dates_before_1900), max_size=3), st.sampled_from(LANGUAGES))
def test_any_worksheet_comes_back(rows: list[Action], language: str) -> None:
    actions = tuple(clean(replace(action, id=40 + place)) for place, action in enumerate(rows))
    sheet = _there_and_back(actions, language)
    assert sheet.problems == ()
    assert sheet.actions == actions


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_full_row_comes_back_and_nothing_has_changed(language: str) -> None:
    sheet = _there_and_back((ACTION,), language)
    assert sheet.actions == (ACTION,) and not sheet.problems and not sheet.remarks
    assert changed_actions(_book(ACTION), sheet.actions) == ()


def test_no_field_of_a_worksheet_is_forgotten() -> None:
    """The full row differs from an empty one in every field, so that the round trip above means something."""

    def empty(value: object) -> list[str]:
        if not is_dataclass(value):
            return []
        told = (each.name for each in fields(value) if each.name != "translations")  # no field of the sheet
        return [name for name in told if getattr(value, name) in ("", None, ())]

    assert empty(ACTION) == ["no_price_reason", "carried_from"]


# --- what people do in a spreadsheet


def _workbook(*actions: Action, language: str = "ko") -> Any:
    book = _book(*actions)
    return openpyxl.load_workbook(BytesIO(worksheet_bytes(book, actions, language)))


def _sheet(workbook: Any, form: str) -> Any:
    return workbook[catalogue("ko").text(f"form.{form}.sheet")]


def _read(workbook: Any, *actions: Action) -> Worksheet:
    saved = BytesIO()
    workbook.save(saved)
    return read_worksheet(saved.getvalue(), "w.xlsx", _book(*actions), ITERATION)


def test_lines_may_be_added_changed_and_left_out() -> None:
    other = replace(ACTION, id=41, title="noatime")
    workbook = _workbook(ACTION, other)
    actions, changes, impacts = (_sheet(workbook, name) for name in ("actions", "changes", "impacts"))
    actions.delete_rows(6)  # of the second action, with its parts
    for name in ("changes", "impacts", "risks", "verifications", "consents"):
        sheet = _sheet(workbook, name)
        for row in range(sheet.max_row, 4, -1):
            if sheet.cell(row, 1).value == "#41":
                sheet.delete_rows(row)
    actions["B5"] = "maxcontig 256"
    actions["A6"], actions["B6"] = "신규 1", "noatime 마운트"
    for sheet, cells in ((changes, ("신규 1", "mount", "atime", "noatime")), (impacts, ("신규 1", "CPU", "+1"))):
        row = next(row for row in range(5, 40) if sheet.cell(row, 1).value is None)
        for column, value in enumerate(cells, 1):
            sheet.cell(row, column).value = value
    sheet = _read(workbook, ACTION, other)
    assert not sheet.problems
    changed, added = sheet.actions
    assert changed == replace(ACTION, title="maxcontig 256")
    assert (added.id, added.iteration_id, added.title) == (-1, ITERATION, "noatime 마운트")
    assert added.changes == (ParameterChange("mount", "atime", "noatime"),)
    assert added.impacts == (Impact(Resource.CPU, 1),)
    assert [old for old, _new in changed_actions(_book(ACTION, other), sheet.actions)] == [ACTION, None]


@pytest.mark.parametrize(
    ("form", "cell", "value", "key"),
    [
        ("actions", "A5", "#77", "action_unknown"),
        ("actions", "B5", None, "cell_required"),
        ("actions", "B5", "\u200b\u00ad\ufeff", "cell_required"),
        ("changes", "B5", " \u200b ", "cell_required"),
        ("actions", "D5", "작은 I/O", "cell_records"),
        ("actions", "D5", "#20 write time", "record_unknown"),
        ("actions", "H5", "오래", "cell_number"),
        ("actions", "J5", "곧", "cell_date"),
        ("actions", "L5", "실행됨", "state_not_here"),
        ("changes", "A5", "#77", "action_not_listed"),
        ("changes", "F5", "가끔", "cell_choice"),
        ("impacts", "B5", "돈", "cell_choice"),
        ("impacts", "C5", 3, "cell_weight"),
        ("impacts", "C5", "=1-2", "cell_formula"),
        ("impacts", "E5", "10 %", "cell_number"),
        ("impacts", "K6", "E-99", "record_unknown"),
        ("impacts", "K6", "그림 3", "cell_evidence"),
        ("verifications", "B5", "#20\n#21", "one_metric"),
        ("verifications", "B5", "#10", "record_unknown"),
        ("consents", "D5", "아마도", "cell_choice"),
    ],
)
def test_a_wrong_cell_is_named(form: str, cell: str, value: object, key: str) -> None:
    workbook = _workbook(ACTION)
    _sheet(workbook, form)[cell] = value
    found = [(each.sheet, each.cell, each.key) for each in _read(workbook, ACTION).problems]
    assert (_sheet(workbook, form).title, cell, key) in found
    assert all("⟨" not in problem_text(each, "en") for each in _read(workbook, ACTION).problems)


def test_an_executed_action_may_stand_there_but_not_change() -> None:
    done = replace(ACTION, state=ActionState.EXECUTED)
    assert _there_and_back((done,), "ko").problems == ()
    workbook = _workbook(done)
    _sheet(workbook, "impacts")["C6"] = 1
    assert [(each.cell, each.key) for each in _read(workbook, done).problems] == [("A5", "action_executed")]


@pytest.mark.parametrize("form", ["actions", *PARTS])
def test_a_sheet_that_is_missing_is_one_error(form: str) -> None:
    """Not one for every line of the other sheets that leads to it, nor for executed actions that lost their parts."""
    done = replace(ACTION, id=41, state=ActionState.EXECUTED)
    workbook = _workbook(ACTION, done)
    del workbook[_sheet(workbook, form).title]
    (problem,) = _read(workbook, ACTION, done).problems
    assert (problem.key, problem.cell) == ("sheet_missing", "")
    assert catalogue("ko").text(f"form.{form}.sheet") in problem.sheet


def test_a_column_that_is_missing_is_one_error() -> None:
    workbook = _workbook(ACTION)
    _sheet(workbook, "actions").delete_cols(1)
    (problem,) = _read(workbook, ACTION).problems
    assert (problem.key, problem.cell) == ("column_missing", "")


def test_an_action_of_another_iteration_is_refused() -> None:
    book = _book(replace(ACTION, iteration_id=2))
    data = worksheet_bytes(book, [replace(ACTION, iteration_id=2)], "ko")
    assert [each.key for each in read_worksheet(data, "w.xlsx", book, ITERATION).problems] == ["action_elsewhere"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_overview_shows_who_pays(language: str) -> None:
    sheet = _workbook(ACTION, language=language).worksheets[0]
    heads = [cell.value for cell in sheet[4]]
    row = dict(zip(heads, [cell.value for cell in sheet[5]], strict=True))
    words = catalogue(language)
    assert row[words.text("cycle.resource.cpu")] == "▼ –"
    assert row[words.text("cycle.resource.disk_throughput")] == "▲▲"
    assert row[words.text("cycle.resource.memory")] in ("", None)
