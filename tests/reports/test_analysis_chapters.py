"""What the document says of verdicts, findings, the bottleneck, capacity and experiments."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TypeVar

import pytest
from openpyxl import load_workbook

from tests.reports.analysis_cases import analysed_case, judged, judged_rows, outlook, over_five_days
from tests.reports.answer_cases import with_answer
from tests.reports.cases import captured_case, published_case
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.document import Badge, Block, ForecastFigure, KeyValueTable, Note, Paragraph, Table
from tunebench.reporting.pdf.writing import write_pdf
from tunebench.reporting.success_case import available_sections, build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes

OF_ANALYSIS = {"findings", "unjudged", "bottleneck", "experiments", "capacity"}
B = TypeVar("B", bound=Block)


def _blocks(section: str, kind: type[B], case: SuccessCase | None = None, language: str = "en") -> list[B]:
    document = build_document(case or analysed_case(language), language)
    (found,) = [each for each in document.sections if each.id == section]
    return [block for block in found.blocks if isinstance(block, kind)]


def _texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in cells] for cells in table.rows]


def test_the_comparison_prints_ratio_interval_samples_window_and_load() -> None:
    (table,) = _blocks("comparison", Table)
    improved = next(cells for cells in _texts(table) if "ssd2" in cells[0])
    assert improved[2] == "120 (48.5)\n120 (52.3)"
    assert improved[3] == "80.0\n40.0" and improved[4] == "41.5\n41.5"
    assert improved[5] == "88.1\n44.0", "the 95th percentile of the estimator that the heading names"
    assert table.columns[5].heading.endswith("(HD)")
    assert improved[7] == "2.20x\n[1.90, 2.55]" and improved[8] == "improved"
    assert "1.05" in table.notes[0] and "2007-07-19" in table.notes[0] and "2007-07-26" in table.notes[0]


def test_without_an_interval_stands_the_word_descriptive() -> None:
    for language, word in (("en", "Descriptive"), ("ko", "기술 통계")):
        (table,) = _blocks("comparison", Table, language=language)
        plain = next(cells for cells in _texts(table) if "vmstat" in cells[0])
        assert word in plain[7], plain


def test_a_sentence_that_three_rows_share_stands_once_below() -> None:
    (table,) = _blocks("comparison", Table)
    shared = "No capture tells whether the load was equal (C3)."
    assert sum(shared in note for note in table.notes) == 1
    assert not any(shared in cell for cells in _texts(table) for cell in cells)
    assert all("Notes 1" in cells[0] for cells in _texts(table))


def test_no_regression_is_left_out_of_the_main_part() -> None:
    better = [judged(f"iostat better {n}", (9, 3), Verdict.IMPROVED, 3 + n, Interval(2, 9)) for n in range(40)]
    worse = [judged(f"iostat worse {n}", (3, 4), Verdict.REGRESSED, 0.7, Interval(0.6, 0.8)) for n in range(3)]
    case = replace(analysed_case(), comparison=(*better, *worse))
    (table,) = _blocks("comparison", Table, case)
    assert sum("worse" in cells[0] for cells in _texts(table)) == 3 and len(table.rows) == 20


def test_a_host_of_many_devices_has_a_report_of_a_few_pages() -> None:
    """300 series of three tools, all worse, the later the more; 500 files, 600 resources: the worst, and how many."""
    tools = ("iostat", "sar", "vmstat")
    rows = [
        judged(f"{tools[n % 3]} dev{n}", (3, 6), Verdict.REGRESSED, 0.5 / (n + 1), Interval(0, 0.6)) for n in range(300)
    ]
    apart = [replace(rows[0], row=replace(rows[0].row, after_parts=(), after_statistics=None)) for _ in range(90)]
    whole = analysed_case()
    use, shift = whole.analysis.use[0], whole.analysis.shift
    assert shift is not None
    cells = tuple(replace(each, cell=replace(each.cell, severity=None)) for each in use.before or ())
    calm = replace(use, before=cells, after=None)
    case = replace(
        whole,
        comparison=(*rows, *apart),
        evidence=tuple(replace(whole.evidence[0], key=f"E-{n}") for n in range(500)),
        imports=whole.imports[:1] * 500,
        analysis=replace(
            whole.analysis, use=(*[calm] * 599, use), shift=replace(shift, resources=shift.resources[:1] * 600)
        ),
    )
    document = build_document(case, "en")
    tables = [block for block in document.blocks if isinstance(block, Table)]
    assert sum(len(table.rows) for table in tables) < 600 and max(len(table.rows) for table in tables) <= 80
    worst = next(
        table for table in tables if table.caption.startswith("The largest changes of each resource, 18 of 300 series")
    )
    shown = {row[0].text.split("\n")[0].split(" dev")[1].split(" ")[0] for row in worst.rows}
    assert shown == {str(n) for n in range(282, 300)}, "six of each tool"
    notes = [note for table in tables for note in table.notes]
    for told in ("20 of 90", "60 of 500", "40 of 600"):
        assert any(note.startswith(f"{told} are shown; the workbook") for note in notes), told
    (found,) = [table for table in tables if len(table.columns) == 6 and table.rows[0][0].text == use.host][:1]
    assert found.rows[0][3].text.startswith("busy p95 100 %"), "the gravest first"
    assert len(load_workbook(BytesIO(workbook_bytes(document)))["Verdicts"]["A"]) > 390


def test_every_check_of_comparability_is_printed_with_its_state() -> None:
    gate = next(table for table in _blocks("method", Table) if table.rows[0][0].text == "C1")
    assert [cells[0] for cells in _texts(gate)] == [f"C{n}" for n in range(1, 11)]
    assert _texts(gate)[1] == ["C2", "subject 2", "state unknown", "sentence of check 2"]


def test_the_badge_follows_the_checks() -> None:
    case = analysed_case()
    assert "reservations" in _blocks("method", Badge, case)[0].label
    refused = replace(case.analysis.gate[4], state="refuse")
    gate = (*case.analysis.gate[:4], refused, *case.analysis.gate[5:])
    badge = _blocks("method", Badge, replace(case, analysis=replace(case.analysis, gate=gate)))[0]
    assert "C5" in badge.label and "not comparable" in badge.label
    assert "descriptive" in _blocks("method", Badge, captured_case("en"))[0].label.lower()


def test_the_method_tells_how_to_recompute_it() -> None:
    told = dict(_blocks("method", KeyValueTable)[0].rows)
    assert "compare-occurrences" in told["To recompute"] and '{"before"' in told["To recompute"]
    assert "q = 0.05" in told["Many series at once"] and "over 2 tested series" in told["Many series at once"]
    inputs = next(table for table in _blocks("method", Table) if "recompute" in table.caption)
    assert [
        "iostat ssd2 svc_t (ms)",
        "–",
        "48.5 / 52.3",
        "2.200",
        "[1.900, 2.550]",
        "-",
        "< 0.001",
        "< 0.001",
        "5 %",
    ] in _texts(inputs)


def test_the_method_speaks_of_occurrences_and_of_what_is_assumed() -> None:
    told = dict(_blocks("method", KeyValueTable)[0].rows)
    assert "a day, a test run" in told["Unit"] and "Smyth 2004" in told["Primary method"]
    assert "s0 = 10 % between days of production, 5 %" in told["Natural variation"], "the design's defaults"
    assert "at least 3 pairs" in told["Pairing"] and "more than 10 %" in told["Equal load"]
    assert not any("Welch" in text or "Wilcoxon" in text for text in told.values())


def test_a_row_over_several_days_tells_what_its_verdict_rests_on() -> None:
    case = replace(analysed_case(), comparison=(over_five_days(),))
    (table,) = _blocks("comparison", Table, case)
    (cells,) = _texts(table)
    assert cells[2] == "5 · 120\n4 · 120"
    assert cells[7] == "2.00x of all samples\nestimate 1.96x\n[1.70, 2.25]" and cells[8] == "improved"
    lines = cells[0].split("\n")
    assert "p95 1.07x [0.90, 1.25]: inconclusive" in lines and "Natural variation 6.5 % (measured)" in lines
    assert any("a measured change of 20 % or more" in line for line in lines)
    inputs = next(each for each in _blocks("method", Table, case) if "recompute" in each.caption)
    assert _texts(inputs)[0][1:6] == ["5 / 4", "– / –", "1.960", "[1.704, 2.254]", "6.5 % (measured)"]


def test_what_has_no_samples_on_a_side_is_listed_apart_and_not_counted() -> None:
    (one, *_) = judged_rows()
    alone = replace(one, row=replace(one.row, after_statistics=None, verdict=Verdict.INSUFFICIENT_DATA, interval=None))
    case = with_answer(replace(analysed_case(), comparison=(one, alone, alone)))
    counts, *_ = _blocks("comparison", Paragraph, case)
    assert "series 1 · hosts 1" in counts.text and "Not measured on both sides: 2 series" in counts.text
    compared, apart = _blocks("comparison", Table, case)
    assert len(compared.rows) == 1 and [cells[2] for cells in _texts(apart)] == ["Before tuning"] * 2
    coverage = next(table for table in _blocks("method", Table, case) if table.caption == "Data collected")
    assert dict(_texts(coverage))["Comparison of all series"] == "captured (1)"


def test_findings_have_share_evidence_caveat_source_and_quotation() -> None:
    found, rules, _ = _blocks("findings", Table)
    first = _texts(found)[0]
    assert first[0] == "critical" and "svc_t 137.8 ms" in first[1] and "90 of 120 (75 %)" in first[2]
    assert "since boot" in first[2] and first[4] == "no longer holds" and first[5] == "E-1"
    assert _texts(rules)[0][2] == "means hide peaks" and "“svc_t 가 50 이상”" in _texts(rules)[0][4]
    lead = _blocks("findings", Paragraph)[0].text
    assert "2 held, 7 judged and fine" in lead and "0 held, 9 judged and fine" in lead


def test_idle_resources_are_named_below_the_use_table_and_not_in_it() -> None:
    use = _blocks("findings", Table)[2]
    assert [cells[1] for cells in _texts(use)] == ["disk ssd2"]
    assert any("network lo" in note for note in use.notes)
    assert "solaris.iostat_en" in _texts(use)[0][5]


def test_the_annex_says_which_probe_would_fill_the_gap() -> None:
    (table,) = _blocks("unjudged", Table)
    assert _texts(table)[0][0] == "X-MEM-01" and "linux.free" in _texts(table)[0][4]


def test_the_bottleneck_is_printed_with_both_sides_and_the_bound() -> None:
    (table,) = _blocks("bottleneck", Table)
    assert _blocks("bottleneck", Badge)[0].text == "it moved from disk to CPU (97 %)"
    assert any(note.text == "at most 1.5 times" for note in _blocks("bottleneck", Note))
    disk, cpu = _texts(table)
    assert disk[3] == "1.40\n0.30" and disk[4] == "70.0 %\nnot captured" and disk[7] == "2.50\nnot captured"
    assert cpu[2] == "not captured\n1"


def test_of_a_thousand_sentences_ten_are_printed_and_the_workbook_holds_all() -> None:
    case = analysed_case("en")
    assert case.analysis.shift is not None
    drops = tuple(f"Disk dm-{number} falls." for number in range(1000))
    shift = replace(case.analysis.shift, drop_offs=drops, laws=("Little's law is broken.",))
    case = replace(case, analysis=replace(case.analysis, shift=shift))
    note = next(each.text for each in _blocks("bottleneck", Note, case) if "dm-0" in each.text)
    assert note.splitlines() == [*drops[:10], "And 990 more in the workbook.", "Little's law is broken."]
    book = load_workbook(BytesIO(workbook_bytes(build_document(case, "en"))))
    cells = {cell.value for sheet in book for row in sheet.iter_rows() for cell in row}
    assert set(drops) <= cells


def test_the_outlook_shows_the_band_and_labels_growth_as_an_assumption() -> None:
    told = dict(_blocks("capacity", KeyValueTable)[0].rows)
    assert told["Assumed growth (no forecast)"] == "10 % a year: 0.9 years\n50 % a year: never"
    (figure,) = _blocks("capacity", ForecastFigure)
    assert len(figure.future_days) == 10 and figure.limit == 75.0
    (table,) = _blocks("capacity", Table)
    assert _texts(table)[0] == ["2024-10-24", "68.0", "70.0", "72.0"]


def test_a_refused_outlook_has_its_reason_and_no_band() -> None:
    case = analysed_case()
    nothing = replace(
        outlook(), refused=True, refusals=("no trend",), future_days=(), centre=(), low=(), high=(), scenarios=()
    )
    refused = replace(case, analysis=replace(case.analysis, capacity=(nothing,)))
    assert ("Why nothing is forecast", "no trend") in _blocks("capacity", KeyValueTable, refused)[0].rows
    assert _blocks("capacity", Table, refused) == []


def test_an_experiment_has_plan_cells_and_what_else_differed() -> None:
    (table,) = _blocks("experiments", Table)
    assert _texts(table)[1][:6] == ["1", "8K", "3", "10.0", "[9.0, 12.0]", "33.3 %"]
    assert any("another disk" in note.text for note in _blocks("experiments", Note))
    assert ("Factor", "block: 4K, 8K") in _blocks("experiments", KeyValueTable)[0].rows


def test_chapters_without_analysis_are_left_out_and_others_can_be() -> None:
    for case in (published_case(), captured_case()):
        assert not OF_ANALYSIS & {name for name, _ in available_sections(case, "ko")}
    every = {name for name, _ in available_sections(analysed_case(), "en")}
    assert every >= OF_ANALYSIS
    chosen = build_document(analysed_case(), "en", every - {"findings"})
    assert "findings" not in {section.id for section in chosen.sections}


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_pdf_holds_it_and_no_sentence_is_missing(language: str, tmp_path: Path) -> None:
    document = build_document(analysed_case(language), language)
    assert "⟨" not in repr(document.sections)
    path = tmp_path / "case.pdf"
    write_pdf(document, path)
    text = subprocess.run(["pdftotext", "-layout", str(path), "-"], check=True, capture_output=True).stdout.decode()
    for wanted in (
        "C10",
        "[1.90, 2.55]",
        "SF-052",
        "svc_t 가 50 이상",
        "linux.free",
        "it moved from disk to CPU",
        "X-1",
        "2024.10.24" if language == "ko" else "2024-10-24",
    ):
        assert wanted in text, wanted
