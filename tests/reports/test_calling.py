"""No word and no colour of a document is stronger than the verdict that it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from io import BytesIO
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook
from pptx import Presentation
from pptx.oxml.ns import qn

from tests.reports import database_cases
from tests.reports.analysis_cases import judged
from tests.reports.cases import captured_case, published_case
from tests.reports.database_cases import MadePair, database_case, made_pairs
from tunebench.analysis.comparing.improvement import Change, improvement
from tunebench.analysis.inference.occurrences import Prior
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.analysis.statistics import describe_values
from tunebench.columns.comparing_words import verdict_text
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.records import Figure, Iteration, ManualSource, Metric, Outcome, Target
from tunebench.domain.engagement import Direction, Engagement, Host, Phase
from tunebench.reporting.calling import called
from tunebench.reporting.cases.analysis import AnalysisCase, CaseCheck
from tunebench.reporting.cases.case import ResourceSeries, RunWindow, SeriesSide, SuccessCase
from tunebench.reporting.cases.cycle import CaseGuard, CaseIteration, CaseTarget, CycleCase
from tunebench.reporting.document import Badge, ReportDocument, Table, Tone
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.reporting.xlsx.workbook import workbook_bytes

BETTER = {"ko": re.compile(r"\d[배% ]*개선|개선 \d"), "en": re.compile(r"\d[×%\s]*better")}
WORSE = {"ko": re.compile(r"악화 \d|\d[배% ]*악화"), "en": re.compile(r"\d[×%\s]*worse")}
WORDS = {"ko": ("개선", "악화"), "en": ("improved", "worse")}


def side(mean: float) -> SeriesSide:
    values = np.full(40, mean)
    return SeriesSide("run", np.arange(40.0), values, describe_values(values), interval_s=1.0)


def case_of(verdict: Verdict, before: float, after: float) -> SuccessCase:
    """A disk, charted and compared, with this verdict; figures that were entered besides."""
    found = judged("iostat sda await", (before, after), verdict, before / after, Interval(0.1, 9))
    series = ResourceSeries(
        "disk", "busy", "ms", "db01", Direction.LOWER, side(before), side(after), judged=found, interval_means=True
    )
    return SuccessCase(
        Engagement("Tuning", "ACME"),
        hosts=(Host(1, "db01", "", "", "UTC", "user"),),
        series=(series,),
        comparison=(found,),
        measurements=published_case().measurements,
        runs=tuple(RunWindow(phase.value, phase) for phase in (Phase.BEFORE, Phase.AFTER)),
    )


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from texts(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from texts(getattr(value, each.name))


def tones(document: ReportDocument) -> set[Tone]:
    """Of the cells that hold a change, but for the ratios of the verdicts themselves."""
    judged = catalogue(document.language).text("report.verdict.ratio_interval")
    tables = [
        block
        for block in document.blocks
        if isinstance(block, Table) and judged not in [column.heading for column in block.columns]
    ]
    cells = [cell for table in tables for line in (*table.rows, *table.totals) for cell in line]
    return {cell.tone for cell in cells if re.search(r"\d.*[×배%]|\dx", cell.text)}


def written(document: ReportDocument, language: str) -> list[Any]:
    """The cells of the workbook that hold a word for a change, but for those of the verdicts themselves."""
    book = load_workbook(BytesIO(workbook_bytes(document)), data_only=True)
    cells = [
        cell.value
        for sheet in book
        if sheet.title not in ("Verdicts", "판정")
        for line in sheet.iter_rows()
        for cell in line
    ]
    return [value for value in cells if value in WORDS[language]]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_better_and_worse_are_said_where_the_verdict_says_them(language: str) -> None:
    for verdict in Verdict:
        for before, after in ((9.0, 3.0), (3.0, 9.0)):
            case = case_of(verdict, before, after)
            document = build_document(case, language)
            counted = f"{verdict_text(verdict, language)} 1"  # how many series have the verdict
            told = "\n".join((*texts(document.sections), *on_slides(case, language))).replace(counted, "")
            improved = verdict is Verdict.IMPROVED and before > after
            regressed = verdict is Verdict.REGRESSED and before < after
            assert bool(BETTER[language].search(told)) is improved, (verdict, BETTER[language].search(told))
            assert bool(WORSE[language].search(told)) is regressed, (verdict, WORSE[language].search(told))
            assert (Tone.BAD in tones(document)) is regressed, verdict
            words = written(document, language)
            assert set(words) == {
                word for word, said in zip(WORDS[language], (improved, regressed), strict=True) if said
            }


CLAIMS = {"ko": re.compile("개선|악화"), "en": re.compile(r"better|worse|improve|regress|slower|faster", re.IGNORECASE)}
EXPLAINED = (
    *("note.comparison", "workbook.verdicts_note", "workbook.comparison_note", "workbook.occurrences_note"),
    *(
        "method.margin_text",
        "method.refusals_text",
        "method.recompute_text",
        "badge.captured",
        "badge.refused_text",
        "db.note_table",
        "db.note_parameters",
        "db.bars",
    ),
)
"""Sentences that say what the words mean, besides those of a document without any comparison."""


def said(case: SuccessCase, language: str) -> set[str]:
    """Every text of the printed documents and of the slides, and every cell of the workbook, with a word for better or
    worse."""
    document = build_document(case, language)
    book = load_workbook(BytesIO(workbook_bytes(document)), data_only=True)
    cells = (str(cell) for sheet in book for line in sheet.iter_rows(values_only=True) for cell in line if cell)
    printed = (build_document(case, language, shape=shape) for shape in (Shape.REPORT, Shape.RESULT, Shape.AUDIT_FORM))
    told = (text for each in (document, *printed) for text in texts(each.sections))
    return {text for text in (*told, *cells, *on_slides(case, language)) if CLAIMS[language].search(text)}


def on_slides(case: SuccessCase, language: str) -> Iterator[str]:
    """Paragraph by paragraph, the words of the charts too."""
    for slide in Presentation(BytesIO(slides_bytes(build_document(case, language, shape=Shape.SLIDES)))).slides:
        roots = [slide.part._element, *(shape.chart.part._element for shape in slide.shapes if shape.has_chart)]
        roots += [slide.notes_slide.part._element] if slide.has_notes_slide else []
        for root in roots:
            yield from (each.text or "" for each in root.iter(qn("c:v")))
            yield from ("".join(run.text or "" for run in line.iter(qn("a:t"))) for line in root.iter(qn("a:p")))


def undecided_cycle() -> CycleCase:
    """Its figures moved much, in both directions, and nothing is decided."""
    metric, guard = (Metric(id_, 1, f"metric {id_}", ManualSource(), "mean", "ms", Direction.LOWER) for id_ in (2, 3))
    before, after = Figure(300.0, samples=100), Figure(50.0, samples=100)
    changes = [
        improvement(first.value, second.value, Direction.NEUTRAL) for first, second in permutations((before, after))
    ]
    target = CaseTarget(metric, Target(4, 1, 2, before, 30.0, 1), after, "undecided", changes[0])
    price = CaseGuard(guard, "A-1", after, before, None, "undecided", changes[1])
    return CycleCase(
        iterations=(CaseIteration(Iteration(1, 1, "first"), Outcome.OPEN, targets=(target,), guards=(price,)),)
    )


@pytest.mark.parametrize("language", ["ko", "en"])
def test_of_what_is_undecided_no_text_cell_or_colour_claims_anything(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_cases, "ALIKE", Prior(3.0))  # periods that differ so much tell nothing
    messages = catalogue(language)
    explained = {messages.text(f"report.column.{name}") for name in ("better", "action")}
    explained |= {messages.text("cycle.direction.lower")}
    explained |= said(published_case(language), language)
    parts = [part for key in EXPLAINED for part in re.split(r"[{}]", messages.text(f"report.{key}")) if len(part) > 20]
    for verdict in (Verdict.INCONCLUSIVE, Verdict.NOT_COMPARABLE):
        case = replace(case_of(verdict, 9.0, 3.0), databases=(database_case(),), cycle=undecided_cycle())
        if verdict is Verdict.NOT_COMPARABLE:
            case = refused(case)
        claims = {text for text in said(case, language) - explained if not any(part in text for part in parts)}
        assert not claims, (verdict, claims)
        blocks = [block for section in build_document(case, language).sections for block in section.blocks]
        tables = [block for block in blocks if isinstance(block, Table)]
        coloured = {cell.text for table in tables for row in table.rows for cell in row if cell.tone is Tone.BAD}
        assert coloured <= {"refused"}, verdict  # the check that forbids the comparison
        boxes = {block.label for block in blocks if isinstance(block, Badge) and block.tone is Tone.WARNING}
        assert boxes <= {messages.text("report.badge.label")}, verdict  # a caution, of no change


def refused(case: SuccessCase) -> SuccessCase:
    check = CaseCheck("C7", "Warm-up", "refuse", "refused", "The change lies ten minutes before the window.")
    rows = tuple(replace(judged, row=replace(judged.row, verdict=Verdict.NOT_COMPARABLE)) for judged in case.comparison)
    series = tuple(replace(each, judged=None) for each in case.series)
    return replace(case, comparison=rows, series=series, analysis=AnalysisCase(gate=(check,)))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_where_a_check_refuses_nothing_is_called_better_or_worse(language: str) -> None:
    case = refused(replace(captured_case(language), measurements=published_case().measurements))
    document = build_document(case, language)
    told = "\n".join((*texts(document.sections), *on_slides(case, language)))
    assert not BETTER[language].search(told) and not WORSE[language].search(told)
    assert Tone.BAD not in tones(document) and written(document, language) == []


def test_a_statement_that_hardly_ran_has_too_little_data() -> None:
    pairs = made_pairs(12)
    once = replace(pairs[0].before, id="once", text="SELECT 1", executions=1, elapsed_ms=10, rows=1)
    case = replace(
        captured_case("en"), databases=(database_case((*pairs, MadePair(once, replace(once, elapsed_ms=90)))),)
    )
    tables = [block for block in build_document(case, "en").blocks if isinstance(block, Table)]
    (line,) = [line for table in tables for line in table.rows if len(line) > 8 and "once" in line[1].text.split("\n")]
    assert line[-1].text.startswith("insufficient data") and {cell.tone for cell in line} == {Tone.PLAIN}
    assert line[6].text.startswith("9.00× higher")
    assert not any("once" in text and "side effect" in text for text in texts(build_document(case, "en").sections))


def test_a_verdict_that_points_the_other_way_than_the_figures_gives_no_word() -> None:
    """The verdict may be of typical values where the printed means, led by a few large ones, go the other way."""
    change = called(9.0, 3.0, Direction.LOWER, Verdict.REGRESSED)
    assert change.change is Change.CHANGED and float(change.ratio or 0) == pytest.approx(1 / 3)


def test_a_load_that_moved_is_told_beside_the_figures() -> None:
    gate = (CaseCheck("C3", "Load", "adjust", "with caution", "The load after was 0.40 of that before."),)
    for state, moved in (("adjust", True), ("pass", False), ("unknown", False)):
        case = replace(captured_case("en"), analysis=AnalysisCase(gate=(replace(gate[0], state=state),)))
        summary = next(each for each in build_document(case, "en").sections if each.id == "summary")
        (table, *_) = [block for block in summary.blocks if isinstance(block, Table)]
        (load,) = [note for note in table.notes if "0.40 of that before" in note]
        assert load.startswith("The load was not the same") is moved, state
