"""What the report says of the tuning cycle, and that it says nothing where there is none."""

from __future__ import annotations

import shutil
import subprocess
import warnings
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

import openpyxl
import pytest

from tests.reports.cases import published_case
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.recorded import Recorded, Told
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    CauseDomain,
    CauseState,
    CustomerIssue,
    Equality,
    Figure,
    IssueState,
    Iteration,
    ManualSource,
    Metric,
    Outcome,
    Question,
    Result,
    ResultSummary,
    Severity,
    Step,
    StepNumber,
    StepState,
    SystemInScope,
    SystemKind,
    Target,
    Term,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import (
    Action,
    ActionState,
    Basis,
    Consent,
    Decision,
    ExecutedChange,
    Impact,
    InForce,
    Level,
    ParameterChange,
    Resource,
    Risk,
    Rollback,
    Verification,
)
from tunebench.domain.engagement import Direction
from tunebench.domain.windows import run_window
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.cycle_words import word
from tunebench.reporting.document import Badge, Block, KeyValueTable, NumberedList, Paragraph, Table, Tone
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.success_case import available_sections, build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes
from tunebench.usecases.cycle.case import case_of

CHAPTERS = ("worksheet", "cycle_results", "change_log", "side_effects", "pinned", "glossary")
SLOW, LOST = (
    CustomerIssue(1, 1, "조회가 느림", "", Severity.HIGH, IssueState.SOLVED),
    CustomerIssue(2, 2, "이중화 안 됨"),
)
TIME = Metric(10, 5, "조회 응답시간", ManualSource("stop watch"), "p95", "ms", Direction.LOWER, decimals=1)
GUARD = Metric(11, 5, "쓰기 시간", ManualSource(), "mean", "ms", Direction.LOWER, guards=30, resource="disk_latency")
BLIND = Metric(12, 5, "공간", ManualSource(), "max", "%", Direction.LOWER, guards=30, resource="space")
ACTION = Action(
    30,
    5,
    "인덱스 추가",
    (ParameterChange("idx_order", "없음", "(cust, day)", "ORDERS"),),
    "읽는 블록이 준다",
    (20,),
    impacts=(
        Impact(Resource.CPU, 2, basis=Basis.LITERATURE, source="11.1"),
        Impact(Resource.DISK_LATENCY, -1, 5, 10.5, 20, "%", Basis.MEASURED, note="쓰기", evidence_ids=(40,)),
        Impact(Resource.SPACE, -2),
    ),
    risks=(Risk("실행계획 변경", Level.LOW, Level.HIGH, "plan hash"),),
    rollback=Rollback("drop index idx_order", 3.0, "유휴 시간"),
    verifications=(Verification(10, 10.0),),
    consents=(Consent("DBA", "박과장", Decision.APPROVED, "2026-11-02T01:00:00+00:00"),),
    state=ActionState.EXECUTED,
    caveat="DML 이 느려진다",
)
BOOK = CycleBook.of(
    (
        SLOW,
        LOST,
        SystemInScope(3, SystemKind.DATABASE, "ORDDB", "주문"),
        Term(4, "회차", "round", "정산"),
        Iteration(
            5,
            1,
            "인덱스",
            opened_on="2026-11-01",
            outcome=Outcome.ACCEPTED,
            closed_on="2026-11-09",
            closed_by="김팀장",
            reason="업무 시간에는 충분함",
        ),
        Step(6, 5, StepNumber.PROBLEM, StepState.DONE, "홍길동", "2026-11-01", ended_on="2026-11-02", notes="면담"),
        Step(7, 5, StepNumber.TARGETS, StepState.SKIPPED, skip_reason="목표 없음"),
        Question(8, 5, StepNumber.CAUSES, "야간 배치와 겹치는가?", "강경구", "2026-11-03"),
        Question(9, 5, StepNumber.CAUSES, "답한 것", answer="예"),
        TIME,
        GUARD,
        BLIND,
        Target(13, 5, 10, Figure(300.0, samples=100, evidence_id=40), 30.0, 1, "2026-11-30"),
        Target(14, 5, 11, Figure(2.0), None, 3),
        Target(15, 5, 12, None, 80.0, 3),
        Cause(20, 5, CauseDomain.DATABASE, "결합 인덱스 없음", issue_ids=(1,), state=CauseState.SOLVED),
        Cause(21, 5, CauseDomain.SYSTEM, "작은 I/O"),
        ACTION,
        ExecutedChange(
            31,
            30,
            "idx_order",
            "없음",
            "(cust, day)",
            "2026-11-03T18:30:00+00:00",
            "박과장",
            in_force=InForce.NO,
            in_force_basis="inventory",
        ),
        Result(32, 5, 10, Figure(50.0, samples=100), "오전만"),
        Result(33, 5, 11, Figure(3.0)),
        ResultSummary(34, 5, "cpu", "disk_latency", "iostat", "배치가 2분 늦어짐", "절반만 달성"),
        Evidence(
            40,
            7,
            "튜닝 전 오전",
            EvidenceTarget(
                EvidenceKind.CAPTURE,
                1,
                3,
                first_line=10,
                last_line=20,
                start_ns=1_184_803_200_000_000_000,
                end_ns=1_184_806_800_000_000_000,
            ),
            (10, 20),
        ),
    )
)


def _case(language: str = "ko") -> SuccessCase:
    keys = {3: "F-2"}
    found = case_of(BOOK, language, {1: "튜닝 전"}, lambda id_: keys.get(id_ or 0, ""))
    return replace(published_case(language), cycle=found)


def _blocks(chapter: str, language: str = "ko") -> list[Block]:
    return list(build_document(_case(language), language, (chapter,)).blocks)


def _tables(chapter: str, language: str = "ko") -> list[Table]:
    return [block for block in _blocks(chapter, language) if isinstance(block, Table)]


def _texts(row: tuple[object, ...]) -> list[str]:
    return [cell.text for cell in row]  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_appears_without_a_cycle(language: str) -> None:
    bare = {section for section, _ in available_sections(published_case(language), language)}
    assert not set(CHAPTERS) & bare
    assert set(CHAPTERS) <= {section for section, _ in available_sections(_case(language), language)}
    names = openpyxl.load_workbook(
        BytesIO(workbook_bytes(build_document(published_case(language), language)))
    ).sheetnames
    assert catalogue(language).text("report.sheet.targets") not in names


def test_issues_name_the_actions_that_answer_them() -> None:
    issues, systems = _tables("issues")[:2]
    assert _texts(issues.rows[0]) == ["1", "조회가 느림", "상", "해결", "A-1", ""]
    assert _texts(issues.rows[1])[4] == "다루지 않음"
    assert _texts(systems.rows[0]) == ["데이터베이스", "ORDDB", "주문", "", ""]


def test_the_narrative_stands_beside_issues_of_another_language_only() -> None:
    assert not [block for block in _blocks("issues") if isinstance(block, NumberedList)]
    korean = replace(_case("en"), engagement=replace(_case("en").engagement, language="ko"))
    blocks = build_document(korean, "en", ("issues",)).blocks
    assert [block for block in blocks if isinstance(block, NumberedList)]


def test_the_matrix_leaves_an_unanswered_issue_empty() -> None:
    matrix = _tables("approach")[0]
    assert [_texts(row) for row in matrix.rows] == [["1", "조회가 느림", "●"], ["2", "이중화 안 됨", ""]]
    assert "A-1 인덱스 추가" in matrix.notes[0]


def test_the_cycle_has_its_dates_and_its_end() -> None:
    _matrix, steps, questions, metrics = _tables("approach")
    assert steps.caption == "반복 1: 인덱스 · 미달성 수용 · 2026.11.01 – 2026.11.09"
    assert _texts(steps.rows[0]) == ["0", "문제의 인식", "완료", "2026.11.01", "2026.11.02", "홍길동", "면담", ""]
    assert _texts(steps.rows[1])[2] == "생략" and _texts(steps.rows[1])[6] == "목표 없음"
    assert steps.notes == ("종료 결정: 김팀장. 업무 시간에는 충분함",)
    assert [_texts(row)[1] for row in questions.rows] == ["야간 배치와 겹치는가?"]
    assert _texts(metrics.rows[0]) == [
        "1",
        "조회 응답시간",
        "95백분위",
        "낮을수록 좋음",
        "300 ms",
        "≤ 30 ms",
        "직접 측정: stop watch",
        "2026.11.30",
    ]


def test_a_missed_target_is_red_and_its_ratio_is_still_told() -> None:
    targets, guards, planned = _tables("cycle_results")
    # 300 / 50 = 6
    assert _texts(targets.rows[0]) == [
        "1",
        "조회 응답시간 · 95백분위",
        "300 ms",
        "≤ 30 ms",
        "50 ms",
        "감소 6.00배 (-83.3 %)",
        "미달성",
        "E-7",
    ]
    assert targets.rows[0][6].tone is Tone.BAD
    # 3 / 2 = 1.5; a guard without a limit that got worse has paid, one that was never looked at is said to be so
    assert [_texts(row)[0::7] for row in guards.rows] == [["A-1", "대가 발생"], ["A-1", "미측정"]]
    assert _texts(guards.rows[0])[6] == "증가 1.50배 (+50.0 %)"
    assert [_texts(row)[1::3] for row in planned.rows] == [
        ["CPU: 큰 개선; 10 % 이상", "효과 확인"],
        ["디스크 IOPS·응답시간: 대가 · 5 / 10.5 / 20 %", "대가 발생"],
        ["디스크 공간: 큰 대가", "미측정"],
    ]
    words = [block.text for block in _blocks("cycle_results") if isinstance(block, Paragraph)]
    assert words[1:] == ["병목: CPU → 디스크 IOPS·응답시간 (병목 전이). 근거: iostat", "절반만 달성"]


def test_a_shift_without_a_basis_is_called_a_description() -> None:
    summary = replace(BOOK.all(ResultSummary)[0], basis="")
    book = CycleBook.of([*(each for each in BOOK if each.id != summary.id), summary])
    case = replace(published_case("en"), cycle=case_of(book, "en", {}))
    words = [b.text for b in build_document(case, "en", ("cycle_results",)).blocks if isinstance(b, Paragraph)]
    assert words[1].endswith("A description without measurement.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_signed_what_is_printed(language: str) -> None:
    signed = ("same", "박과장", "2026-11-08", "주문 40건의 출력")
    summary = replace(BOOK.all(ResultSummary)[0], equality=Equality(signed[0]), equality_by=signed[1])
    summary = replace(summary, equality_on=signed[2], equality_basis=signed[3])
    approved = replace(ACTION, consents=tuple(replace(each, signature="결재 118") for each in ACTION.consents))
    diff = Attachment(92, 5, StepNumber.RESULT, "diff.txt", "ab" * 32, 9)
    book = CycleBook.of([*(each for each in BOOK if each.id not in (34, 30)), summary, approved, diff])
    case = replace(published_case(language), cycle=case_of(book, language, {}))
    blocks = build_document(case, language, ("cycle_results", "worksheet")).blocks
    told = "".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert all(each in told for each in (word(summary.equality, language), "박과장", "주문 40건의 출력", "diff.txt"))
    cards = [value for block in blocks if isinstance(block, KeyValueTable) for _name, value in block.rows]
    assert any("결재 118" in str(each) for each in cards)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_changed_after_the_result_is_said_beside_the_verdict(language: str) -> None:
    seal = Seal(90, 5, "action.30", "{}", "ab" * 32, "2026-11-02T01:00:00+00:00", "박과장")
    figures = ("value", "20.0", "30.0", "고객 요청", "이영진", "2026-11-08T01:00:00+00:00", True)
    amended = Amendment(91, 5, 3, "target.15", "조회 응답시간", *figures)
    book = CycleBook.of((*BOOK, seal, amended))
    document = build_document(replace(published_case(language), cycle=case_of(book, language, {})), language)
    told = {
        "ko": ("정정 3: 목표 조회 응답시간, 값: 20 → 30. 사유: 고객 요청", "결과를 확인한 뒤에 바뀐 목표입니다."),
        "en": ("Amendment 3: target 조회 응답시간, value: 20 → 30. Reason: 고객 요청", "after the result was seen."),
    }[language]
    notes = [note for block in document.blocks if isinstance(block, Table) for note in block.notes]
    listed = [item for block in document.blocks if isinstance(block, NumberedList) for item in block.items]
    for words in (notes, listed):
        assert [words for words in words if words.startswith(told[0]) and words.endswith(told[1])]
    assert any("ab" * 32 in block.text for block in document.blocks if isinstance(block, Paragraph))
    sheets = openpyxl.load_workbook(BytesIO(workbook_bytes(document)))
    row = [cell.value for cell in sheets[catalogue(language).text("report.sheet.amendments")][5]]
    assert (row[0], row[1], row[3], row[5:9]) == (3, 1, "조회 응답시간", ["20", "30", "고객 요청", "이영진"])


def test_the_summary_tells_the_top_priority() -> None:
    tables = _tables("summary")
    name = "조회 응답시간 · 95백분위\n직접 측정: stop watch"
    assert _texts(tables[-1].rows[0]) == ["1", name, "300 ms", "≤ 30 ms", "50 ms", "미달성", "미달성 수용"]
    assert [type(block) for block in _blocks("summary")[-2:]] == [Table, Badge]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_may_not_be_compared_is_neither_met_nor_missed_nor_better_nor_worse(language: str) -> None:
    """Both runs named by the figures of the top priority, and a comparison of these that warm-up refuses."""
    top = next(each for each in BOOK.all(Target) if each.priority == 1)
    result = next(each for each in BOOK.all(Result) if each.metric_id == top.metric_id)
    assert top.baseline is not None
    measured = (
        replace(top, baseline=replace(top.baseline, run_id=1, source="")),
        replace(result, after=replace(result.after, run_id=2, source="")),
    )
    early = GateCheck(Check.WARM_UP, CheckState.REFUSE, "too_early", {"side": "after", "at_ns": 0, "from_ns": 0})
    changed = {each.id: each for each in (*BOOK, *measured)}
    book = replace(CycleBook.of(changed.values()), refused={(run_window(1), run_window(2)): (early,)})
    case = replace(published_case(language), cycle=case_of(book, language, {}))
    words = {"ko": ("비교 불가 (C7)", "종료(달성 미확인)"), "en": ("not comparable (C7)", "closed, target not proven")}[
        language
    ]
    summary = [each for each in build_document(case, language, ("summary",)).blocks if isinstance(each, Table)][-1]
    assert _texts(summary.rows[0])[-2:] == list(words)
    results = next(
        each for each in build_document(case, language, ("cycle_results",)).blocks if isinstance(each, Table)
    )
    row = next(row for row in results.rows if words[0] in _texts(row))
    assert row[5].text.startswith({"ko": "감소 6.00배", "en": "6.00× lower"}[language])  # 300 ms, then 50 ms
    assert any(note.startswith("C7: ") and "1970-01-01" in note for note in results.notes)
    sheet = openpyxl.load_workbook(BytesIO(workbook_bytes(build_document(case, language))))[
        catalogue(language).text("report.sheet.targets")
    ]
    cells = [str(cell) for line in sheet.iter_rows(values_only=True) for cell in line if cell is not None]
    assert any(cell.startswith(f"{words[0]}\nC7: ") for cell in cells)


def test_an_iteration_without_a_target_value_missed_nothing() -> None:
    top = next(each for each in BOOK.all(Target) if each.priority == 1)
    book = CycleBook.of({each.id: each for each in (*BOOK, replace(top, value=None))}.values())
    case = replace(published_case("ko"), cycle=case_of(book, "ko", {}))
    summary = [each for each in build_document(case, "ko", ("summary",)).blocks if isinstance(each, Table)][-1]
    assert _texts(summary.rows[0])[-1] == "목표 없음"


def test_the_worksheet_shows_relief_and_price() -> None:
    (matrix,) = _tables("worksheet")
    row = dict(zip([column.heading for column in matrix.columns], matrix.rows[0], strict=True))
    assert (row["CPU"].text, row["IOPS"].text, row["공간"].text, row["메모리"].text) == ("▲▲", "▼", "▼▼", "")
    assert row["IOPS"].tone is Tone.WARNING and row["CPU"].tone is Tone.PLAIN
    card = dict(next(block for block in _blocks("worksheet") if isinstance(block, KeyValueTable)).rows)
    assert card["변경"] == "idx_order: 없음 → (cust, day) (ORDERS, 온라인)"
    assert card["기대 효과"] == "CPU: 큰 개선 · 문헌 (11.1)"
    assert card["대가"].splitlines() == [
        "디스크 IOPS·응답시간: 대가 · 5 / 10.5 / 20 % · 실측 [E-7] – 쓰기",
        "디스크 공간: 큰 대가 · 추정",
    ]
    assert card["원복"].splitlines() == ["drop index idx_order", "소요 3분", "전제: 유휴 시간", "시험 기록 없음"]
    assert card["검증"] == "조회 응답시간 (판정 폭 10 %): 효과 확인"
    assert card["승인"] == "DBA 박과장: 승인 (2026.11.02 10:00:00)"  # Seoul is nine hours ahead of UTC


def test_what_was_not_filled_in_is_said() -> None:
    bare = Action(30, 5, "빈 방안")
    book = CycleBook.of([*(each for each in BOOK if each.id != 30), bare])
    case = replace(published_case(), cycle=case_of(book, "ko", {}))
    blocks = build_document(case, "ko", ("worksheet",)).blocks
    card = dict(next(block for block in blocks if isinstance(block, KeyValueTable)).rows)
    assert {card[name] for name in ("변경", "대가", "원복", "검증", "승인")} == {"작성되지 않음"}


def test_the_log_tells_when_who_and_whether_it_held() -> None:
    (log,) = _tables("change_log")
    assert _texts(log.rows[0]) == [
        "A-1",
        "idx_order",
        "없음",
        "(cust, day)",
        "2026.11.04 03:30:00\n박과장",
        "시험 기록 없음",
        f"{catalogue('ko').text('cycle.in_force.no')}\ninventory",
    ]
    assert log.rows[0][6].tone is Tone.BAD


def test_side_effects_leave_nothing_out() -> None:
    items = [item for block in _blocks("side_effects") if isinstance(block, NumberedList) for item in block.items]
    assert items == [
        "반복 1, A-1: 쓰기 시간 2 ms → 3 ms, 증가 1.50배 (+50.0 %)",
        "A-1: 공간",
        "반복 1: 인덱스: 배치가 2분 늦어짐",
        "A-1 실행계획 변경 – plan hash",
        "이슈 2: 이중화 안 됨",
        "조회 응답시간의 목표: 미달성 (2026.11.30)",
        "원인: 작은 I/O",
        "의문점: 야간 배치와 겹치는가? (강경구, 2026.11.03)",
    ]


def test_that_nothing_moved_the_unwanted_way_is_said() -> None:
    book = CycleBook.of([each for each in BOOK if each.id not in (11, 14, 33)])
    case = replace(published_case("en"), cycle=case_of(book, "en", {}))
    words = [b.text for b in build_document(case, "en", ("side_effects",)).blocks if isinstance(b, Paragraph)]
    assert words[0] == "None of the metrics that were measured moved the unwanted way."


def test_evidence_resolves_to_run_file_lines_and_window() -> None:
    (pinned,) = _tables("pinned")
    assert _texts(pinned.rows[0]) == [
        "E-7",
        "튜닝 전 오전",
        "수집 파일 · 튜닝 전 · F-2 · 10–20행",
        "2007.07.19 09:00:00\n– 2007.07.19 10:00:00",
        "조회 응답시간\n결합 인덱스 없음",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chapters_print_without_a_missing_sentence_or_letter(language: str) -> None:
    document = build_document(_case(language), language, ("issues", "approach", *CHAPTERS))
    assert "⟨" not in repr(document.sections) and "{" not in repr(document.sections)
    assert pdf_bytes(document, strict=True).pages >= 3


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_libreoffice_calculates_the_same_targets(tmp_path: Path) -> None:
    source, target = tmp_path / "cycle.xlsx", tmp_path / "recalculated"
    source.write_bytes(workbook_bytes(build_document(_case("en"), "en")))
    stripped = tmp_path / "stripped.xlsx"
    openpyxl.load_workbook(source).save(stripped)  # without the cached values
    words = ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless", "--convert-to", "xlsx"]
    subprocess.run([*words, "--outdir", str(target), str(stripped)], check=True, timeout=120, capture_output=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # LibreOffice's own extensions
        theirs = openpyxl.load_workbook(target / "stripped.xlsx", data_only=True)["Targets"]
    ours = openpyxl.load_workbook(source, data_only=True)["Targets"]
    for row in range(5, ours.max_row + 1):
        for column in (8, 9, 10):
            expected, found = ours.cell(row, column).value, theirs.cell(row, column).value
            assert found == (expected if isinstance(expected, str) else pytest.approx(expected)), (row, column)


def test_the_workbook_holds_the_registers_and_live_ratios() -> None:
    data = workbook_bytes(build_document(_case(), "ko"))
    live, values = (openpyxl.load_workbook(BytesIO(data), data_only=only) for only in (False, True))
    targets = values["목표"]
    assert [targets.cell(5, column).value for column in (3, 6, 7, 11, 12, 13)] == [
        "조회 응답시간",
        300,
        50,
        30,
        "미달성",
        "E-7",
    ]
    assert targets.cell(5, 9).value == pytest.approx(6.0) and live["목표"].cell(5, 9).data_type == "f"
    assert [values["작업계획서"].cell(row, 4).value for row in (5, 6, 7)] == [2, -1, -2]
    assert values["이슈"].cell(5, 7).value == "A-1"
    assert values["개선 방안"].cell(5, 3).value == "인덱스 추가"
    assert values["변경 내역"].cell(5, 7).value == "박과장"
    assert [values["증적 색인"].cell(5, column).value for column in (1, 4, 7, 8)] == ["E-7", "F-2", 10, 20]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_time_told_otherwise_than_recorded_stands_with_that_of_its_entry(language: str) -> None:
    """The execution was entered a day after it is said to have been made; the approver carried it out himself."""
    (line,) = BOOK.all(ExecutedChange)
    (action,) = [each for each in BOOK.all(Action) if each.id == line.action_id]
    entered = datetime.fromisoformat(line.executed_at).astimezone(UTC) + timedelta(days=1)
    alone = replace(line, executed_by=action.consents[0].name)
    records = {each.id: each for each in (*BOOK, alone)}
    recorded: dict[Told, Recorded] = {(line.id, "executed_at"): Recorded(7, entered.isoformat())}
    book = replace(CycleBook.of(records.values()), recorded=recorded)
    case = replace(published_case(language), cycle=case_of(book, language, {}))
    document = build_document(case, language)
    zone = ZoneInfo(case.engagement.zone)
    moment = entered.astimezone(zone).strftime({"ko": "%Y.%m.%d %H:%M", "en": "%Y-%m-%d %H:%M"}[language])
    cells = [
        cell.text
        for block in document.blocks
        if isinstance(block, Table)
        for row in block.rows
        for cell in row
        if cell.text.endswith(f"\n{alone.executed_by}")
    ]
    assert len(cells) == 1 and moment in cells[0]
    notes = [note for block in document.blocks if isinstance(block, Table) for note in block.notes]
    same = {"ko": f"같은 사람({alone.executed_by})", "en": f"the same person ({alone.executed_by})"}[language]
    assert any(same in note for note in notes)
    listed = [item for block in document.blocks if isinstance(block, NumberedList) for item in block.items]
    assert any(same in item for item in listed)
    sheets = openpyxl.load_workbook(BytesIO(workbook_bytes(document)))
    row = [cell.value for cell in sheets[catalogue(language).text("report.sheet.changes")][5]]
    assert moment in str(row[5])
    told = [cell.value for cell in sheets[catalogue(language).text("report.sheet.disclosures")]["B"]]
    assert any(same in str(each) for each in told)
