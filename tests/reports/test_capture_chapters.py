"""What the report says of live captures, and that it says nothing where there were none."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import openpyxl
import pytest

from tests.reports.capture_cases import CHANGES, DIGEST, live_case, trail
from tests.reports.cases import captured_case
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.capturing.run import GapCause, SessionState, StreamState
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.reporting.cases.capture import CapturedStream, LiveCapture
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.chapters.capture import host_cpu_pct, percent
from tunebench.reporting.document import Block, Heading, KeyValueTable, Note, Paragraph, Table, Tone
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.success_case import available_sections, build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes

CHAPTERS = ("capture", "configuration", "audit")


def _blocks(case: SuccessCase, chapter: str, language: str = "ko") -> list[Block]:
    return list(build_document(case, language, (chapter,)).blocks)


def _tables(case: SuccessCase, chapter: str, language: str = "ko") -> list[Table]:
    return [block for block in _blocks(case, chapter, language) if isinstance(block, Table)]


def _words(blocks: list[Block]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Paragraph | Note | Heading))


def _with_trail(case: SuccessCase, broken: int | None) -> SuccessCase:
    assert case.live is not None
    return replace(case, live=replace(case.live, audit=trail(broken)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_appears_without_a_live_capture(language: str) -> None:
    ids = [section for section, _ in available_sections(captured_case(language), language)]
    assert not set(CHAPTERS) & set(ids)
    assert set(CHAPTERS) <= {section for section, _ in available_sections(live_case(language), language)}
    names = openpyxl.load_workbook(
        BytesIO(workbook_bytes(build_document(captured_case(language), language)))
    ).sheetnames
    words = catalogue(language)
    assert not {words.text(f"report.sheet.{name}") for name in ("streams", "gaps", "clocks", "audit")} & set(names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_confirmed_licence_is_named_with_who_and_on_what_evidence(language: str) -> None:
    case = live_case()
    assert case.live is not None
    given = LicenceConfirmation(1, "oracle.diagnostics_pack", "db01", "", "Lee", "order 4711", "2026-11-21T02:48:00Z")
    sessions = tuple(replace(session, licences=(given,)) for session in case.live.sessions)
    blocks = _blocks(replace(case, live=replace(case.live, sessions=sessions)), "capture", language)
    values = [value for block in blocks if isinstance(block, KeyValueTable) for _, value in block.rows]
    lines = [value for value in values if "order 4711" in value]
    (line,) = set(lines)  # the same in both sessions
    assert len(lines) == 2
    assert "Oracle Diagnostics Pack" in line and "db01" in line and "Lee" in line and "2026" in line


def test_streams_are_listed_with_coverage_gaps_and_version() -> None:
    table = _tables(live_case(), "capture")[0]
    assert [cell.text for cell in table.rows[0]] == [
        "db01",
        "vmstat -n -t -w 1 3600",
        "1초",
        "3,550",
        "98.6 %",
        "2",
        "procps-ng 4.0.2",
        "완료, 정리 확인",
        "E-1",
    ]
    assert [cell.text for cell in table.rows[2]][2:6] == ["반복 없음", "–", "–", "0"]
    assert table.rows[3][7].tone is Tone.BAD


def test_gaps_have_their_cause_and_an_open_end_is_said() -> None:
    gaps = _tables(live_case(), "capture")[1]
    assert [cell.text for cell in gaps.rows[0]][2:] == ["2007.07.19 00:10:00 – 00:10:45", "45.5초", "통신 두절"]
    assert [cell.text for cell in gaps.rows[1]][2:4] == ["2007.07.19 00:40:00 – 끝", "–"]
    assert "수집 중 공백이 없음." in _words(_blocks(live_case(), "capture"))


def test_clock_offsets_carry_their_error() -> None:
    clocks = _tables(live_case(), "capture")[2]
    assert [cell.text for cell in clocks.rows[0]] == [
        "db01",
        "Asia/Seoul",
        "+312.4 ms ± 1.2 ms",
        "-61.0초 ± 0.9 ms",
        "2",
    ]


def test_the_cost_is_the_sum_of_what_was_measured_on_the_server() -> None:
    costs = _tables(live_case("en"), "capture", "en")[3]
    cells = costs.rows[0]
    # 6.84 s + 5.4 s in 3600 s
    assert (cells[1].text, cells[2].text, cells[3].text) == ("12.24", "0.34 %", "2 of 4")
    assert cells[4].text == "0.20 %"  # all our processes there: 7.2 s in 3600 s
    assert cells[5].text == "2,325.2 KB"  # 2,381,000 bytes
    assert cells[6].text == "none (checked)"


def test_a_cost_that_was_not_measured_is_not_zero() -> None:
    silent = CapturedStream("db01", "linux.free", "free -b", "ended", 10.0)
    assert silent.cpu_pct is None
    assert host_cpu_pct([silent]) is None
    case = live_case("en")
    assert case.live is not None
    session = replace(case.live.sessions[0], streams=(silent,), overheads=())
    costs = _tables(replace(case, live=replace(case.live, sessions=(session,))), "capture", "en")[-1]
    assert [cell.text for cell in costs.rows[0]][1:3] == ["not captured", "not captured"]
    assert costs.rows[0][4].text == "not captured"
    assert costs.rows[0][6].text == "could not be checked"


def test_coverage_is_never_rounded_up_to_whole() -> None:
    assert [percent(figure) for figure in (100.0, 99.99, 99.94, 0.0)] == ["100.0 %", "99.9 %", "99.9 %", "0.0 %"]


def test_the_approval_is_named_or_missed() -> None:
    facts = next(block for block in _blocks(live_case(), "capture") if isinstance(block, KeyValueTable))
    rows = dict(facts.rows)
    assert rows["승인"] == "김관리, 2007.07.18 23:00:00 (서명된 승인서)"
    assert rows["계획 SHA-256"] == DIGEST
    case = live_case()
    assert case.live is not None
    bare = replace(case, live=LiveCapture((replace(case.live.sessions[0], approved_by=""),)))
    facts = next(block for block in _blocks(bare, "capture") if isinstance(block, KeyValueTable))
    assert dict(facts.rows)["승인"] == "승인 기록 없음"


# -- configuration ---------------------------------------------------------------------------------------


def test_changed_facts_are_listed_with_both_values() -> None:
    table = _tables(live_case(), "configuration")[0]
    assert "db01" in table.caption and f"{len(CHANGES)}건" in table.caption
    texts = [[cell.text for cell in row] for row in table.rows]
    assert ["커널 파라미터", "vm.swappiness", "60", "10", "변경"] in texts
    assert ["커널 파라미터", "vm.dirty_background_bytes", "–", "268435456", "추가"] in texts
    assert ["디스크", "sdc", "nvme 1.6T", "–", "삭제"] in texts


def test_nothing_changed_and_not_captured_are_said() -> None:
    words = _words(_blocks(live_case("en"), "configuration", "en"))
    assert "db02: nothing changed between “before” and “after” (398 facts compared)." in words
    assert "web01: the configuration was not captured in “after”, so it cannot be compared." in words
    assert "db01: captured in “after” only and therefore not compared: limits." in words
    assert "db01: nothing changed while “after” was captured (412 facts compared)." in words
    assert "web01: the configuration was not captured in “after”." in words


def test_a_run_on_one_side_only_is_said() -> None:
    case = live_case("en")
    assert case.live is not None
    alone = replace(case.live, comparisons=tuple(found for found in case.live.comparisons if found.within_run))
    assert "were not both captured live" in _words(_blocks(replace(case, live=alone), "configuration", "en"))


def test_long_values_are_cut_in_print_and_whole_in_the_workbook() -> None:
    case = live_case()
    assert case.live is not None
    long = replace(CHANGES[0], after="x" * 500)
    first = replace(case.live.comparisons[0], changes=(long,))
    case = replace(case, live=replace(case.live, comparisons=(first,)))
    cell = _tables(case, "configuration")[0].rows[0][3].text
    assert len(cell) == 160 and cell.endswith("…")
    sheet = openpyxl.load_workbook(BytesIO(workbook_bytes(build_document(case, "ko"))))["구성 차이"]
    assert sheet.cell(5, 7).value == "x" * 500


# -- audit trail -----------------------------------------------------------------------------------------


def test_the_trail_is_printed_with_its_last_digest() -> None:
    blocks = _blocks(live_case("en"), "audit", "en")
    assert "The hash chain of 3 audit entries was verified" in _words(blocks)
    digest = next(block for block in blocks if isinstance(block, KeyValueTable))
    assert dict(digest.rows) == {"Last entry": "3", "SHA-256": "ab" * 32}
    (table,) = _tables(live_case("en"), "audit", "en")
    assert [cell.text for cell in table.rows[1]][:3] == ["2", "2007-07-19 00:00:01", "hong"]
    assert "vmstat -n -t -w 1 3600" in table.rows[1][3].text
    assert table.rows[2][3].text == "an_action_of_the_future host=db01"


def test_records_that_were_changed_past_the_trail_are_a_warning() -> None:
    case = live_case("en")
    assert case.live is not None
    changed = replace(case, live=replace(case.live, audit=replace(trail(), changed_outside=("result.7", "target.4"))))
    whole, outside = [each for each in _blocks(changed, "audit", "en") if isinstance(each, Note)][:2]
    assert outside.tone is Tone.WARNING and outside.text.endswith("result.7, target.4.")
    assert whole.tone is not Tone.WARNING


def test_a_broken_chain_is_a_warning() -> None:
    blocks = _blocks(_with_trail(live_case("en"), 2), "audit", "en")
    (verdict,) = [block for block in blocks if isinstance(block, Note)]
    assert verdict.tone is Tone.WARNING and "breaks at entry 2" in verdict.text


# -- words and files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_and_cause_has_a_word(language: str) -> None:
    words = catalogue(language)
    keys = [f"report.stream_state.{state}" for state in StreamState]
    keys += [f"report.session_state.{state}" for state in SessionState]
    keys += [f"report.gap.{cause}" for cause in GapCause]
    assert not [key for key in keys if key not in words]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_chapters_print_without_a_missing_sentence(language: str) -> None:
    document = build_document(live_case(language), language, CHAPTERS)
    assert pdf_bytes(document, strict=True).pages >= 2
    assert "⟨" not in repr(document.sections)


def test_the_workbook_holds_streams_gaps_clocks_and_trail() -> None:
    book = openpyxl.load_workbook(BytesIO(workbook_bytes(build_document(live_case(), "ko"))))
    streams = book["수집 명령"]
    assert [streams.cell(5, column).value for column in (1, 2, 3, 4, 5, 7)] == [
        "before",
        "db01",
        "vmstat -n -t -w 1 3600",
        1,
        3550,
        2,
    ]
    assert streams.cell(5, 12).value == pytest.approx(0.19)
    assert book["공백"].cell(5, 6).value == pytest.approx(45.5)
    assert book["서버 시각"].cell(5, 4).value == pytest.approx(312.4)
    assert book["감사 기록"].max_row == 4 + 3
    assert "vmstat" in str(book["감사 기록"].cell(6, 4).value)
