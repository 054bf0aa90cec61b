"""What the document says of databases; figures are computed anew from the exact decimals of the made captures."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from pathlib import Path

import pytest

from tests.reports.cases import captured_case
from tests.reports.database_cases import (
    ONE_SIDED,
    REWRITTEN,
    SLOWER,
    MadePair,
    MadeStatement,
    database_case,
    in_two_containers,
    made_pairs,
)
from tunebench.analysis.databases.database_time import compare_time
from tunebench.analysis.databases.explained import explained
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.databases.statement_periods import NATURAL
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.domain.databases.records import DatabaseIdentity, Moment, Reach
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.cases.databases import DatabaseCase, LicenceNotes
from tunebench.reporting.chapters.statement_pages import changed_lines
from tunebench.reporting.document import (
    Badge,
    Block,
    Cell,
    Heading,
    ImpactBars,
    KeyValueTable,
    MarkedCode,
    Note,
    Paragraph,
    Table,
    Together,
    Tone,
    Waterfall,
)
from tunebench.reporting.figures import figures
from tunebench.reporting.pdf.writing import write_pdf
from tunebench.reporting.success_case import build_document

PAIRS = made_pairs()
HOUR = DatabaseRecord("awr_html", Reach.PERIOD, DatabaseIdentity("oracle"), Moment(), elapsed_s=3600.0)
BOTH = [(each.before, each.after) for each in PAIRS if each.after is not None]


def blocks_of(case: SuccessCase, chapter: str, language: str = "ko") -> list[Block]:
    section = next(each for each in build_document(case, language).sections if each.id == chapter)
    flat: list[Block] = []
    for block in section.blocks:
        flat += block.blocks if isinstance(block, Together) else (block,)
    return flat


def table(blocks: list[Block], words: str) -> Table:
    return next(block for block in blocks if isinstance(block, Table) and words in block.caption)


def row_of(found: Table, id_: str) -> tuple[Cell, ...]:
    return next(row for row in found.rows if id_ in row[1].text.split("\n"))


def with_pairs(*pairs: MadePair) -> SuccessCase:
    return replace(captured_case(), databases=(database_case(pairs),))


def half_up(value: Fraction | float, decimals: int) -> str:
    """Independent of the program's own rounding: whole numbers only."""
    scaled = Fraction(value) * 10**decimals
    whole = (abs(scaled).numerator * 2 + abs(scaled).denominator) // (2 * abs(scaled).denominator)
    digits = f"{whole:0{decimals + 1}d}"
    integer = f"{int(digits[: len(digits) - decimals] or 0):,}"
    text = f"{integer}.{digits[len(digits) - decimals :]}" if decimals else integer
    return f"-{text}" if scaled < 0 and whole else text


def test_totals_are_the_sums_over_statements_measured_on_both_sides() -> None:
    (found,) = figures(captured_case(), "ko").databases
    time, blocks = found["response_time"], found["block_access"]
    assert (time.pairs, time.listed) == (30, 31)
    assert time.row.before == pytest.approx(float(sum(old.elapsed_s for old, _ in BOTH)), rel=1e-14)
    assert time.row.after == pytest.approx(float(sum(new.elapsed_s for _, new in BOTH)), rel=1e-14)
    assert (blocks.row.before, blocks.row.after) == (sum(o.gets for o, _ in BOTH), sum(n.gets for _, n in BOTH))


def valued_executions(old: MadeStatement, new: MadeStatement) -> int:
    """What a change per execution is valued at: a saving at no more executions than there were before."""
    cheaper = new.elapsed_s / new.executions < old.elapsed_s / old.executions
    return min(old.executions, new.executions) if cheaper else new.executions


def behaviour_of(old: MadeStatement, new: MadeStatement) -> Fraction:
    change = Fraction(new.elapsed_s) / new.executions - Fraction(old.elapsed_s) / old.executions
    return change * valued_executions(old, new)


def test_headline_raw_and_fisher_and_volume_effect() -> None:
    blocks = blocks_of(captured_case(), "sql")
    headline = table(blocks, "동일 실행 횟수 기준 배율")
    old_old = sum(old.elapsed_s for old, _ in BOTH)
    new_new = sum(new.elapsed_s for _, new in BOTH)
    old_new = sum(Fraction(old.executions, new.executions) * new.elapsed_s for old, new in BOTH)
    new_old = sum(Fraction(new.executions, old.executions) * old.elapsed_s for old, new in BOTH)
    basis = sum(Fraction(valued_executions(old, new), old.executions) * old.elapsed_s for old, new in BOTH)
    raw, fisher = old_old / new_new, sqrt(float(old_old / old_new * new_old / new_new))
    elapsed = headline.rows[0]
    assert elapsed[1].text == "30"
    assert [elapsed[place].value for place in (4, 5, 6, 7, 9, 10)] == pytest.approx(
        [
            float(raw),
            fisher,
            float(old_old / old_new),
            float(new_old / new_new),
            float(raw) / fisher,
            float(basis / (basis + sum(behaviour_of(old, new) for old, new in BOTH))),
        ]
    )
    assert elapsed[4].text == f"{half_up(raw, 2)}배"
    assert elapsed[5].text == f"{half_up(Fraction(fisher), 2)}배"
    assert any("Fisher" in note for note in headline.notes) and any("n = 30" in note for note in headline.notes)
    assert any("87.5 %" in note and "80.5 %" in note for note in headline.notes), "coverage"
    assert any(isinstance(block, Badge) and "판정" in block.label for block in blocks)


def test_the_verdict_says_what_it_rests_on() -> None:
    blocks = blocks_of(with_pairs(*PAIRS[:3]), "sql")
    badge = next(block for block in blocks if isinstance(block, Badge))
    assert badge.text.startswith("개선") and "가정한 값" in badge.text and badge.tone is Tone.STRONG


def test_the_time_that_sessions_spend_is_judged_by_its_periods() -> None:
    hours = [[replace(HOUR, db_time_s=3600.0 * each) for each in side] for side in ((1.51, 2.23, 1.8), (0.93, 1.36, 1))]
    case = replace(
        captured_case(), databases=(replace(database_case(), time=compare_time(hours[0], hours[1], 0.05, NATURAL)),)
    )
    badge = [block for block in blocks_of(case, "sql") if isinstance(block, Badge)][-1]
    assert badge.label == "DB 시간 판정" and "1.51–2.23 → 0.93–1.36" in badge.text


def test_parts_add_up_to_the_total_after() -> None:
    found = table(blocks_of(captured_case(), "sql"), "변화의 원인")
    for column in (1, 2):
        parts = [row[column].value or 0.0 for row in found.rows]
        assert sum(parts) == pytest.approx(found.totals[0][column].value)
    volume = sum(new.elapsed_s - old.elapsed_s - behaviour_of(old, new) for old, new in BOTH)
    shown = next(row for row in found.rows if row[0].text == "실행 횟수 변화")
    assert shown[1].text == f"+{half_up(volume, 3)}"


def test_a_statement_stands_on_two_lines_with_totals_and_figures_per_execution() -> None:
    found = table(blocks_of(captured_case(), "sql"), "SQL별 튜닝 전후")
    old, new = next((old, new) for old, new in BOTH if old.id.startswith("15"))
    row = row_of(found, old.id)
    assert row[3].text == f"{old.executions:,}\n{new.executions:,}"
    assert row[4].text == f"{half_up(old.elapsed_s, 3)}\n{half_up(new.elapsed_s, 3)}"
    ratio = (old.elapsed_s / old.executions) / (new.elapsed_s / new.executions)
    assert row[6].text.split("\n")[0] == f"{half_up(ratio, 1)}배"
    assert row[8].text == f"{old.gets:,}\n{new.gets:,}"
    assert row[11].text.split("\n")[0].startswith("개선") and "계획 변경" in row[11].text


def test_regressions_are_marked_and_never_left_out() -> None:
    slow = PAIRS[SLOWER - 1]
    assert slow.after is not None
    blocks = blocks_of(captured_case(), "sql")
    found = table(blocks, "SQL별 튜닝 전후")
    row = row_of(found, slow.before.id)
    assert row[6].text.startswith("악화 1.30배") and row[6].tone is Tone.BAD
    assert row[11].text.startswith("악화") and row[11].tone is Tone.BAD
    name = f"customers 조회 · {slow.before.id}"  # by what it says now: its id alone tells a director nothing
    assert any(isinstance(block, Note) and name in block.text for block in blocks)
    cheap = replace(slow.before, id="tiny", text="COMMIT WORK", executions=4, elapsed_ms=20, rows=12)
    tiny = MadePair(cheap, replace(cheap, elapsed_ms=26))
    few = blocks_of(with_pairs(*made_pairs(), tiny), "sql")
    notes = [block.text for block in few if isinstance(block, Note)]
    assert any("customers 조회" in note for note in notes)
    assert not any("COMMIT" in note for note in notes), "6 ms more are no side effect"
    many = table(blocks_of(with_pairs(*made_pairs(300), tiny), "sql"), "SQL별 튜닝 전후")
    assert row_of(many, "tiny")[11].tone is Tone.BAD
    assert len(many.rows) < 40 and many.rows[-1][1].text == f"그 외 {301 - len(many.rows) + 1}건"


def test_what_a_list_leaves_out_is_bounded_and_not_compared() -> None:
    lone = PAIRS[ONE_SIDED - 1].before
    found = table(blocks_of(captured_case(), "sql"), "SQL별 튜닝 전후")
    row = row_of(found, lone.id)
    assert row[4].text == f"{half_up(lone.elapsed_s, 3)}\n< 0.050"
    assert row[6].text == "–" and row[11].text.startswith("목록에 없음")
    everything, both = found.totals
    assert everything[4].text.split("\n")[0] == half_up(sum(e.before.elapsed_s for e in PAIRS), 3)
    assert both[4].text.split("\n")[0] == half_up(sum(old.elapsed_s for old, _ in BOTH), 3)


def test_shown_and_other_rows_add_up_to_the_total() -> None:
    found = table(blocks_of(with_pairs(*made_pairs(120)), "sql"), "SQL별 튜닝 전후")
    for column in (4, 8):
        sums = [
            sum(
                Fraction(row[column].text.split("\n")[side].replace(",", ""))
                for row in found.rows
                if row[column].text.split("\n")[side][0].isdigit()
            )
            for side in (0, 1)
        ]
        shown = [Fraction(text.replace(",", "")) for text in found.totals[0][column].text.split("\n")]
        assert all(abs(one - other) <= Fraction(1, 50) for one, other in zip(sums, shown, strict=True))


def test_bars_are_drawn_from_the_table() -> None:
    blocks = blocks_of(captured_case(), "sql")
    found = table(blocks, "SQL별 튜닝 전후")
    bars = [block for block in blocks if isinstance(block, ImpactBars)]
    assert [len(each.rows) for each in bars] == [10, 10]
    for figure, column in zip(bars, (4, 8), strict=True):
        drawn = [f"{row.before_text}\n{row.after_text}" for row in figure.rows]
        assert drawn == [row[column].text for row in found.rows[:10]]


def test_the_waterfall_is_drawn_from_its_table_and_leads_from_before_to_after() -> None:
    """Made of the case's own 700 s before and 120 s after, an hour each: 0.194 sessions, then 0.033."""
    case = captured_case()
    (first,) = case.databases
    assert first.profile is not None
    case = replace(case, databases=(replace(first, explanation=explained(first.statements, first.profile)),))
    blocks = blocks_of(case, "sql")
    figure = next(block for block in blocks if isinstance(block, Waterfall))
    found = table(blocks, "DB 시간의 전후 변화")
    assert [row[2].text for row in (*found.rows, *found.totals)] == [
        row.text for row in figure.rows if row.label != "같은 업무량 기준"
    ]
    assert (figure.rows[0].text, figure.rows[-1].text) == ("0.194", "0.033")
    steps = [row for row in figure.rows if not row.whole]
    assert all(one.end == other.start for one, other in pairwise(steps))
    assert steps[0].start == figure.rows[0].end and steps[-1].end == pytest.approx(figure.rows[-1].end)
    places = [place for place, block in enumerate(blocks) if isinstance(block, Waterfall | ImpactBars)]
    assert isinstance(blocks[places[0]], Waterfall), "the first figure of the chapter"


def test_cautions_and_remarks_are_on_the_page() -> None:
    case = replace(captured_case(), database_remarks=("데이터베이스 ERP: 튜닝 전에만 수집되어 비교하지 않음.",))
    notes = [block.text for block in blocks_of(case, "sql") if isinstance(block, Note)]
    assert any("요일이 다릅니다" in text for text in notes) and any("ERP" in text for text in notes)


def test_pages_are_of_real_impacts_and_pinned_evidence() -> None:
    blocks = blocks_of(captured_case(), "sql_cases")
    titles = [block.text for block in blocks if isinstance(block, Heading) and block.level == 2]
    assert len(titles) == 10
    assert sum("증적 지정" in title for title in titles) == 1
    assert any(PAIRS[-1].before.id in title for title in titles)
    rewritten = next(title for title in titles if PAIRS[REWRITTEN - 1].before.id in title)
    assert "neu12rewritten" in rewritten
    facts = [text for block in blocks if isinstance(block, KeyValueTable) for _, text in block.rows]
    assert any("사용자 지정 매칭 (김튜닝)" in text for text in facts)
    assert any(f"E-5:{10 + REWRITTEN - 1}" in text for text in facts), "capture and line"
    old, new = next(pair for pair in BOTH if pair[0].id in titles[0])
    assert titles[0].startswith(f"customers 조회 · {old.id}")
    change = new.elapsed_s - old.elapsed_s
    volume = change - behaviour_of(old, new)
    words = next(block.text for block in blocks if isinstance(block, Paragraph))
    told = [Fraction(number) for number in re.findall(r"[-+]\d+\.\d+", words)]
    assert told[0] == round(change, 3)
    assert abs(told[1] - volume) <= Fraction(1, 1999) and abs(told[-1] - (change - volume)) <= Fraction(1, 1999)


def test_changed_lines_are_marked() -> None:
    assert changed_lines("a\nb  \nc\nd", "a\nb\nx\nd\ne") == (frozenset({2}), frozenset({2, 4}))
    marked = [block for block in blocks_of(captured_case(), "sql_cases") if isinstance(block, MarkedCode)]
    plans = [block for block in marked if "실행계획" in block.title]
    assert plans and all(block.marked == frozenset({0}) for block in plans)


def test_profile_and_parameters() -> None:
    blocks = blocks_of(captured_case(), "profile")
    events = table(blocks, "대기 이벤트별")
    shown = {row[0].text: [cell.text for cell in row[1:]] for row in events.rows}
    waits = shown["db file sequential read · User I/O"]
    # 600 of 700 s before, 20 of 120 s after, an hour each: 580 of the 580 s less
    assert waits == ["600.0", "20.000", "85.7", "16.7", half_up(Fraction(600, 3600), 4), "0.0056", "100.0 %"]
    assert [cell.text for cell in events.totals[0][1:3]] == ["700.0", "120.0"]
    (change,) = table(blocks, "변경된 파라미터").rows
    assert [cell.text for cell in change[:3]] == ["processes", "300", "800"]


def test_licences_are_printed_and_missing_ones_said() -> None:
    given = LicenceConfirmation(
        1, "oracle.diagnostics_pack", "db01", "ORCL", "박과장", "계약 2026-114", "2026-11-21T03:00:00+00:00"
    )
    case = replace(captured_case(), licences=LicenceNotes((given,), ("F-9 awr_1.html",)))
    blocks = blocks_of(case, "evidence")
    row = [cell.text for cell in table(blocks, "라이선스 확인").rows[0]]
    assert row[1:3] == ["db01 · ORCL", "박과장"] and row[4] == "계약 2026-114" and "2026.11.21 12:00:00" in row[3]
    assert any(isinstance(block, Note) and "F-9 awr_1.html" in block.text for block in blocks)


def test_one_id_in_two_containers_is_two_rows_that_say_which() -> None:
    pairs = in_two_containers(PAIRS[0])
    case, id_ = with_pairs(*pairs), PAIRS[0].before.id
    found = table(blocks_of(case, "sql"), "SQL별 튜닝 전후")
    assert found.columns[2].heading == "컨테이너"
    named = {(row[1].text, row[2].text): row[5].text for row in found.rows}
    assert named == {
        (f"customers 조회\n{id_}\nORDERS", pair.before.container): "\n".join(
            half_up(side.elapsed_s, 3) for side in (pair.before, pair.after) if side is not None
        )
        for pair in pairs
    }
    titles = [block.text for block in blocks_of(case, "sql_cases") if isinstance(block, Heading) and block.level == 2]
    assert {title.removesuffix(" · 증적 지정") for title in titles} == {
        f"customers 조회, PDB1 · {id_}",
        f"customers 조회, PDB2 · {id_}",
    }
    bars = next(block for block in blocks_of(case, "sql") if isinstance(block, ImpactBars))
    assert {row.label.partition(" ")[2] for row in bars.rows} == {"customers 조회, PDB1", "customers 조회, PDB2"}


def test_several_databases_are_named_apart() -> None:
    other = database_case(PAIRS[:4], "ERP")
    case = replace(captured_case(), databases=(*captured_case().databases, other))
    labels = [row[0].text for row in table(blocks_of(case, "summary"), "핵심 지표").rows[:4]]
    assert labels == [
        "SQL 응답시간 · ORCL/orcl1",
        "블록 액세스량 · ORCL/orcl1",
        "SQL 응답시간 · ERP",
        "블록 액세스량 · ERP",
    ]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_printed_pages_hold_the_table(language: str, tmp_path: Path) -> None:
    path = tmp_path / "case.pdf"
    write_pdf(build_document(captured_case(language), language), path)
    text = subprocess.run(["pdftotext", "-layout", str(path), "-"], check=True, capture_output=True, text=True).stdout
    assert "⟨" not in text and "□" not in text
    for old, new in BOTH[:4]:
        assert half_up(old.elapsed_s, 3) in text and f"{new.gets:,}" in text


def one_sided_only() -> DatabaseCase:
    return database_case([PAIRS[ONE_SIDED - 1]])


def test_nothing_measured_on_both_sides_still_makes_pages() -> None:
    case = replace(captured_case(), databases=(one_sided_only(),))
    found = table(blocks_of(case, "sql"), "SQL별 튜닝 전후")
    assert len(found.rows) == 1
    assert figures(case, "ko").sql == ()
