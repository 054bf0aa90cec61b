"""No word and no colour of a document is stronger than the verdict that it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook

from app.analysis.comparing.improvement import Change
from app.analysis.inference.verdict import Interval, Verdict
from app.analysis.statistics import describe_values
from app.domain.engagement import Direction, Engagement, Host, Phase
from app.reporting.calling import called
from app.reporting.cases.analysis import AnalysisCase, CaseCheck
from app.reporting.cases.case import ResourceSeries, RunWindow, SeriesSide, SuccessCase
from app.reporting.document import Table, Tone
from app.reporting.success_case import build_document
from app.reporting.xlsx.workbook import workbook_bytes
from tests.reports.analysis_cases import judged
from tests.reports.cases import captured_case, published_case
from tests.reports.database_cases import MadePair, database_case, made_pairs

BETTER = {"ko": re.compile(r"\d[배%\s]*개선|개선 \d"), "en": re.compile(r"\d[×%\s]*better")}
WORSE = {"ko": re.compile(r"악화 \d|\d[배%\s]*악화"), "en": re.compile(r"\d[×%\s]*worse")}
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


def tones(case: SuccessCase, language: str) -> set[Tone]:
    """Of the cells that hold a change."""
    tables = [block for block in build_document(case, language).blocks if isinstance(block, Table)]
    cells = [cell for table in tables for line in (*table.rows, *table.totals) for cell in line]
    return {cell.tone for cell in cells if re.search(r"\d.*[×배%]|\dx", cell.text)}


def written(case: SuccessCase, language: str) -> list[Any]:
    """The cells of the workbook that hold a word for a change, but for those of the verdicts themselves."""
    book = load_workbook(BytesIO(workbook_bytes(build_document(case, language))), data_only=True)
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
            told = "\n".join(texts(build_document(case, language).sections))
            improved = verdict is Verdict.IMPROVED and before > after
            regressed = verdict is Verdict.REGRESSED and before < after
            assert bool(BETTER[language].search(told)) is improved, (verdict, BETTER[language].search(told))
            assert bool(WORSE[language].search(told)) is regressed, (verdict, WORSE[language].search(told))
            assert (Tone.BAD in tones(case, language)) is regressed, verdict
            words = written(case, language)
            assert set(words) == {
                word for word, said in zip(WORDS[language], (improved, regressed), strict=True) if said
            }


def refused(case: SuccessCase) -> SuccessCase:
    check = CaseCheck("C7", "Warm-up", "refuse", "refused", "The change lies ten minutes before the window.")
    rows = tuple(
        replace(each, row=replace(each.row, verdict=Verdict.NOT_COMPARABLE), words="not comparable")
        for each in case.comparison
    )
    series = tuple(replace(each, judged=None) for each in case.series)
    return replace(case, comparison=rows, series=series, analysis=AnalysisCase(gate=(check,)))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_where_a_check_refuses_nothing_is_called_better_or_worse(language: str) -> None:
    case = refused(replace(captured_case(language), measurements=published_case().measurements))
    told = "\n".join(texts(build_document(case, language).sections))
    assert not BETTER[language].search(told) and not WORSE[language].search(told)
    assert Tone.BAD not in tones(case, language) and written(case, language) == []


def test_a_statement_that_hardly_ran_has_too_little_data() -> None:
    pairs = made_pairs(12)
    once = replace(pairs[0].before, id="once", text="SELECT 1", executions=1, elapsed_ms=10, rows=1)
    case = replace(
        captured_case("en"), databases=(database_case((*pairs, MadePair(once, replace(once, elapsed_ms=90)))),)
    )
    tables = [block for block in build_document(case, "en").blocks if isinstance(block, Table)]
    (line,) = [line for table in tables for line in table.rows if len(line) > 8 and line[1].text.startswith("once")]
    assert line[-1].text.startswith("insufficient data") and {cell.tone for cell in line} == {Tone.PLAIN}
    assert line[6].text.startswith("9.00× higher")
    assert not any("once" in text and "side effect" in text for text in texts(build_document(case, "en").sections))


def test_a_verdict_that_points_the_other_way_than_the_figures_gives_no_word() -> None:
    """The verdict may be of typical values where the printed means, led by a few large ones, go the other way."""
    change = called(9.0, 3.0, Direction.LOWER, Verdict.REGRESSED)
    assert change.change is Change.CHANGED and float(change.ratio or 0) == pytest.approx(1 / 3)


def test_a_load_that_moved_is_told_beside_the_figures() -> None:
    gate = (CaseCheck("C3", "Load", "adjust", "with caution", "The load after was 0.40 of that before."),)
    for state, told in (("adjust", True), ("pass", False), ("unknown", False)):
        case = replace(captured_case("en"), analysis=AnalysisCase(gate=(replace(gate[0], state=state),)))
        summary = next(each for each in build_document(case, "en").sections if each.id == "summary")
        (table, *_) = [block for block in summary.blocks if isinstance(block, Table)]
        assert any("0.40 of that before" in note for note in table.notes) is told, state
