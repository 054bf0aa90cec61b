"""The page of a study: founding studies as they were measured, and planned ones with figures made for them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from io import BytesIO
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

import pytest
from pptx import Presentation

from tests.reports.analysis_cases import analysed_case
from tests.reports.answer_cases import with_answer
from tests.reports.word_boxes import filled, outside, overprints, pages_of
from tunebench.bootstrap import compose
from tunebench.cli.main import run
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Direction, Engagement
from tunebench.domain.experiments.records import Cell, Experiment, Response, Trial, TrialRole, TrialState
from tunebench.reporting.cases.case import SuccessCase
from tunebench.reporting.document import (
    Claim,
    GroupedBars,
    LevelLines,
    NextBox,
    ReportDocument,
    Table,
    TextColumns,
    Tone,
    every_block,
)
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import available_sections, build_document
from tunebench.usecases import projects
from tunebench.usecases.experiments import applying, examples, planning, reading, recording
from tunebench.usecases.reports.success_case import build_case

_Block = TypeVar("_Block")
LEAST_FILLED = 0.6

# what `time` printed in the first founding document, in its order: real, user, sys
COPIED = {
    ("xfs", "512"): (20 * 60 + 54.124, 6.140, 3 * 60 + 14.960),
    ("reiserfs", "4K"): (21 * 60 + 4.183, 6.600, 3 * 60 + 34.130),
    ("ext3", "4K"): (16 * 60 + 50.876, 3.810, 60 + 24.550),
    ("ext3", "1K", "noatime"): (26 * 60 + 53.852, 2.050, 60 + 30.400),
    ("ext3", "1K", "noatime,data=writeback"): (40 * 60 + 44.897, 2.580, 60 + 46.090),
}
SHARED = {"local": 172_000.0, "GFS": 24_500.0, "NFS": 9_100.0}
"""KB/s: the fourth founding document says about seven times, and shows no figure."""


class Study(NamedTuple):
    path: Path
    values: dict[Cell, list[float]]


def shared(cell: Cell, noise: random.Random) -> float:
    return SHARED[cell[0]] * noise.gauss(1, 0.03)


def nearly(cell: Cell, noise: random.Random) -> float:
    return (1080 if cell == ("4096",) else 1000) * noise.gauss(1, 0.04)


def alike(_cell: Cell, noise: random.Random) -> float:
    return 1000 * noise.gauss(1, 0.2)


def arrays(cell: Cell, noise: random.Random) -> float:
    """The second founding document shows that the pool decides; its figures are pictures."""
    raid, pool, threads, _mode = cell
    return float(pool) ** 2 * int(threads) / (int(threads) + 6) * (1 + len(raid) / 50) * noise.gauss(1, 0.02)


def made(
    folder: Path,
    example: str,
    language: str,
    value: Callable[[Cell, random.Random], float] | None = None,
    runs: int = 1,
    **plan: Any,
) -> Study:
    """A project of one study: with the figures of its document, or planned and measured here."""
    compose()
    path = folder / f"{example}-{language}-{runs}.tune"
    values: dict[Cell, list[float]] = {}
    with projects.create(path, Engagement("Lab", "ACME", language=language)) as project:
        applying.apply(project, examples.example_edit(example, language))
        if value is not None:
            measured = replace(reading.read(project).experiments[1], source="", repetitions=runs, **plan)
            applying.apply(project, planning.change(reading.read(project), measured))
            noise = random.Random(4)
            values = {cell: [value(cell, noise) for _ in range(runs)] for cell in measured.all_cells}
            applying.apply(project, recording.record_cells(reading.read(project), 1, _results(measured, values)))
    return Study(path, values)


def _results(plan: Experiment, values: dict[Cell, list[float]]) -> Any:
    name = plan.responses[0].name
    blank = Trial(0, plan.id, (), state=TrialState.DONE)
    return {
        (cell, plan.caches[0], TrialRole.MEASURE): [
            replace(blank, values=recording.readings({name: one})) for one in own
        ]
        for cell, own in values.items()
    }


def case_of(study: Study, language: str) -> SuccessCase:
    with closing(projects.open_(study.path, read_only=True)) as project:
        return build_case(project, language, "2026-11-29")


def document(study: Study, language: str, shape: Shape = Shape.STUDY) -> ReportDocument:
    return build_document(case_of(study, language), language, shape=shape)


def first(document: ReportDocument, kind: type[_Block]) -> _Block:
    return next(block for block in every_block(document.blocks) if isinstance(block, kind))


def _tenths(value: float) -> Decimal:
    return Decimal(f"{value:.3f}").quantize(Decimal("0.1"), ROUND_HALF_UP)


def texts_of(document: ReportDocument) -> str:
    """What is said in words on the page: claim, table, columns, next step."""
    claim, table, columns = first(document, Claim), first(document, Table), first(document, TextColumns)
    said = [claim.text, *(chip.text for chip in claim.chips), claim.remark, *claim.lines]
    said += [cell.text for row in table.rows for cell in row]
    said += [paragraph for column in columns.columns for paragraph in column.paragraphs]
    return "\n".join([*said, *first(document, NextBox).sentences])


STUDIES: dict[str, Callable[[Path, str], Study]] = {
    "001": lambda folder, language: made(folder, "fs-copy", language),
    "002": lambda folder, language: made(folder, "raid-pool-threads", language, arrays, 2),
    "003": lambda folder, language: made(folder, "swap-nm", language),
    "004": lambda folder, language: made(folder, "gfs-local", language, shared, 10),
    "004 sizes": lambda folder, language: made(folder, "cluster-size", language, alike, 4),
    "004 once": lambda folder, language: made(folder, "gfs-local", language, shared),
}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", STUDIES)
def test_the_first_page_of_a_study_is_its_answer(name: str, language: str, tmp_path: Path) -> None:
    study = document(STUDIES[name](tmp_path, language), language)
    pdf = pdf_bytes(study)
    assert not pdf.missing_glyphs and not overprints(pdf.data) and not outside(pdf.data)
    assert filled(pdf.data)[0] >= LEAST_FILLED
    page = re.sub(r"\s", "", "".join(word.text for word in pages_of(pdf.data)[0]))
    claim, box = first(study, Claim), first(study, NextBox)
    assert claim.chips and claim.remark
    for sentence in (claim.question, claim.text, claim.remark, *box.sentences, box.command):
        assert re.sub(r"\s", "", sentence) in page
    assert "⟨" not in page and len(first(study, TextColumns).columns) == 3


# -- single runs: ranked, and no more -------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_001_has_the_bars_of_its_document_the_shortest_first(language: str, tmp_path: Path) -> None:
    figure = first(document(STUDIES["001"](tmp_path, language), language), GroupedBars)
    ordered = sorted(COPIED.items(), key=lambda entry: entry[1][0])
    for level, (words, (real, _user, system)) in zip(figure.levels, ordered, strict=True):
        assert all(word in f"{level.name} {level.detail}" for word in words)
        assert [level.value, level.second] == pytest.approx([real, system])
        assert (level.text, level.second_text) == (f"{real:,.0f}", f"{_tenths(system)}")
        assert level.is_best is (real == ordered[0][1][0])
        assert level.is_best or f"{real / ordered[0][1][0]:.2f}" in level.factor


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("name", ["001", "003", "004 once"])
def test_single_runs_are_ranked_and_never_called_better(name: str, language: str, tmp_path: Path) -> None:
    study = STUDIES[name](tmp_path, language)
    page = document(study, language)
    (chip,) = first(page, Claim).chips
    assert (chip.text, chip.tone) == (catalogue(language).text("report.study.ranking_only"), Tone.WARNING)
    words = (
        r"\b(better|worse|best|fast\w*|slow\w*)\b" if language == "en" else "좋음|나쁨|나음|못함|빠[르름른]|느[리린림]"
    )
    limits = [name for experiment in page.case.analysis.experiments for name in experiment.confounders]
    bends = [bend for experiment in page.case.analysis.experiments for bend in experiment.parts[0].bends]
    told = texts_of(page)
    for sentence in (*limits, *bends):  # what people wrote, and where a curve bends
        told = told.replace(sentence, "")
    assert not re.search(words, told)
    whole = document(study, language, Shape.WHOLE)
    verdicts = {catalogue(language).text(f"experiment.verdict.{verdict}") for verdict in ("improved", "regressed")}
    cells = {cell.text for block in whole.blocks if isinstance(block, Table) for row in block.rows for cell in row}
    assert not any(verdict in cell for verdict in verdicts for cell in cells)


def test_001_says_how_much_of_the_difference_is_waiting(tmp_path: Path) -> None:
    why = first(document(STUDIES["001"](tmp_path, "en"), "en"), TextColumns).columns[0].paragraphs
    ordered = sorted(COPIED.values())
    longer = ordered[-1][0] - ordered[0][0]
    computed = sum(ordered[-1][1:]) - sum(ordered[0][1:])
    assert (
        f"{longer:+,.0f} s" in why[0] and f"{computed:+,.0f} s" in why[0] and f"{longer - computed:+,.0f} s" in why[0]
    )
    # the only two that differ in nothing but the mount
    assert f"{COPIED['ext3', '1K', 'noatime,data=writeback'][0] / COPIED['ext3', '1K', 'noatime'][0]:.2f}" in why[1]


# -- repeated runs: one verdict for each comparison ------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_004_has_one_verdict_for_each_comparison(language: str, tmp_path: Path) -> None:
    study = STUDIES["004"](tmp_path, language)
    page = document(study, language)
    table, claim = first(page, Table), first(page, Claim)
    medians = {cell[0]: median(own) for cell, own in study.values.items()}
    assert [row[0].text for row in table.rows] == sorted(medians, key=lambda name: -medians[name])
    for row in table.rows:
        assert row[2].value == pytest.approx(medians[row[0].text]) and row[2].text == f"{medians[row[0].text]:,.0f}"
    worse = catalogue(language).text("experiment.verdict.regressed")  # ten runs that vary by 3 %, seven times apart
    assert [row[-1].text for row in table.rows] == ["–", worse, worse]
    assert [(chip.text, chip.tone) for chip in claim.chips] == [(worse, Tone.BAD)]
    assert f"{medians['local']:,.0f}" in claim.text and f"{medians['GFS']:,.0f}" in claim.text
    figure = first(page, GroupedBars)
    assert not any(level.is_best for level in figure.levels), "nothing is better than the reference"


@pytest.mark.parametrize(("value", "runs"), [(nearly, 3), (alike, 4)])
def test_what_is_not_decided_has_no_colour(
    value: Callable[[Cell, random.Random], float], runs: int, tmp_path: Path
) -> None:
    page = document(made(tmp_path, "cluster-size", "en", value, runs), "en")
    claim, box = first(page, Claim), first(page, NextBox)
    assert [(chip.text, chip.tone) for chip in claim.chips] == [("inconclusive", Tone.PLAIN)]
    assert not any(word in claim.text for word in ("better", "worse"))
    more = re.search(r"With (\d+) more", box.sentences[0])
    if value is nearly:
        assert more is not None and box.command == f"main.py experiment PROJECT plan 1 --repetitions {3 + int(more[1])}"
    else:
        assert more is None and not box.command, "nothing that anybody would wait for"


# -- curves ---------------------------------------------------------------------------------------------


def test_numbers_are_curves_with_a_panel_for_each_condition(tmp_path: Path) -> None:
    study = STUDIES["002"](tmp_path, "en")
    figure = first(document(study, "en"), LevelLines)
    assert len(figure.panels) == 3 * 2 and figure.across == "threads"
    drawn = {
        (line.name, panel.title, point.number): point.value
        for panel in figure.panels
        for line in panel.lines
        for point in line.points
    }
    expected = {
        (raid, f"pool = {pool} GB, mode = {mode}", float(threads)): median(own)
        for (raid, pool, threads, mode), own in study.values.items()
    }
    assert drawn == pytest.approx(expected)


def test_one_factor_alone_is_the_pair_that_differs_most(tmp_path: Path) -> None:
    study = STUDIES["002"](tmp_path, "en")
    (experiment,) = case_of(study, "en").analysis.experiments
    medians = {cell: median(own) for cell, own in study.values.items()}
    ratios = dict.fromkeys(("raid", "pool", "threads", "mode"), 1.0)
    for one, other in combinations(medians, 2):
        unlike = [name for name, level, another in zip(ratios, one, other, strict=True) if level != another]
        if len(unlike) == 1:
            low, high = sorted((medians[one], medians[other]))
            ratios[unlike[0]] = max(ratios[unlike[0]], high / low)
    assert {step.factor: step.ratio for step in experiment.steps} == pytest.approx(ratios)
    assert [step.factor for step in experiment.steps] == sorted(ratios, key=lambda name: -ratios[name])


# -- what to run next ------------------------------------------------------------------------------------


def test_what_is_to_be_run_next_is_a_command_that_runs(tmp_path: Path) -> None:
    study = STUDIES["001"](tmp_path, "en")
    box = first(document(study, "en"), NextBox)
    words = box.command.split()
    assert words[:3] == ["main.py", "experiment", "PROJECT"]
    assert run(["experiment", str(study.path), *words[3:], "--by", "Lee"]) == 0
    with closing(projects.open_(study.path, read_only=True)) as project:
        trials = reading.read(project).trials_of(1)
    assert sum(not trial.is_recorded for trial in trials) == 10, "each of the five runs twice more"
    assert "10 of 15" in first(document(study, "en"), NextBox).sentences[0]


def test_a_verdict_without_noise_asks_for_the_reference_against_itself(tmp_path: Path) -> None:
    box = first(document(STUDIES["004"](tmp_path, "en"), "en"), NextBox)
    assert "local against itself" in box.sentences[0] and box.command.endswith("plan 1 --aa 3")


@pytest.mark.parametrize(
    ("direction", "value"),
    [
        (Direction.NEUTRAL, nearly),
        (Direction.LOWER, lambda cell, _noise: 0.0 if cell == ("128",) else 3.0),
        (Direction.HIGHER, lambda _cell, _noise: 0.0),
    ],
)
def test_any_figures_have_a_page(direction: Direction, value: Any, tmp_path: Path) -> None:
    for runs in (1, 3):
        response = Response("block_out_kb_s", "KB/s", direction)
        page = document(made(tmp_path, "cluster-size", "en", value, runs, responses=(response,)), "en")
        assert pdf_bytes(page).pages >= 1 and first(page, NextBox).sentences[0]
        claim = first(page, Claim)
        assert "  " not in claim.text and "times" not in claim.text, (
            "there is no ratio to 0, and none without direction"
        )


def test_runs_of_the_reference_against_itself_are_no_study(tmp_path: Path) -> None:
    study = made(tmp_path, "gfs-local", "en")
    words = ["experiment", str(study.path), "record", "1", "block_out_kb_s=100", "--cell", "sharing=local"]
    assert run(["experiment", str(study.path), "plan", "1", "--aa", "1", "--by", "Lee"]) == 0
    for role in ("a1", "a2"):
        assert run([*words, "--role", role, "--by", "Lee"]) == 0
    assert case_of(study, "en").analysis.experiments
    assert first(document(study, "en"), Claim).text == catalogue("en").text("report.study.none")
    assert run([*words, "--by", "Lee"]) == 0
    page = document(study, "en")
    assert first(page, Claim).text == "block output (bonnie): 100 KB/s with local"
    assert "29 of 32" in first(page, NextBox).sentences[0] and pdf_bytes(page).pages >= 1


# -- where it stands --------------------------------------------------------------------------------------


def test_page_one_of_the_report_is_the_study_where_there_is_little_else(tmp_path: Path) -> None:
    study = STUDIES["001"](tmp_path, "en")
    for shape in (Shape.REPORT, Shape.RESULT):
        page = document(study, "en", shape)
        assert first(page, Claim) == first(document(study, "en"), Claim)
    case = case_of(study, "en")
    several = replace(case, analysis=replace(case.analysis, experiments=case.analysis.experiments * 3))
    blocks = every_block(build_document(several, "en", shape=Shape.REPORT).blocks)
    assert sum(isinstance(block, GroupedBars) for block in blocks) == 3


def test_an_engagement_that_compares_keeps_its_own_page_one() -> None:
    case = with_answer(analysed_case("en"))
    assert case.analysis.experiments
    report = build_document(case, "en", shape=Shape.REPORT)
    assert not any(isinstance(block, GroupedBars | LevelLines) for block in every_block(report.blocks))
    assert [part for part, _ in available_sections(case, "en", Shape.STUDY)] == ["study", "experiments"]


def test_a_study_that_nobody_measured_says_so(tmp_path: Path) -> None:
    page = document(made(tmp_path, "gfs-local", "en"), "en")
    assert first(page, Claim).text == "No experiment of this engagement has a result yet."
    assert pdf_bytes(page).pages == 1


@pytest.mark.parametrize("name", ["001", "002"])
def test_slides_have_the_figures_of_the_page_as_charts(name: str, tmp_path: Path) -> None:
    page = document(STUDIES[name](tmp_path, "en"), "en", Shape.SLIDES)
    slides = Presentation(BytesIO(slides_bytes(page))).slides
    charts = [shape.chart for slide in slides for shape in slide.shapes if shape.has_chart]
    drawn = [[list(series.values) for series in chart.plots[0].series] for chart in charts]
    if name == "001":
        levels = first(page, GroupedBars).levels
        assert drawn == [[[level.value for level in levels], [level.second for level in levels]]]
    else:
        panels = first(page, LevelLines).panels
        assert drawn == [[[point.value for point in line.points] for line in panel.lines] for panel in panels]
        assert len({chart.value_axis.maximum_scale for chart in charts}) == 1, "all on one axis"
