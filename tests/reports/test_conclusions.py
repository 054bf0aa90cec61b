"""The report: pages whose titles are conclusions, never more than a director turns; its slides and the audit form."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from openpyxl import load_workbook
from pptx import Presentation
from pptx.oxml.ns import qn

from tests.reports.analysis_cases import analysed_case, checks
from tests.reports.answer_cases import with_answer
from tests.reports.cases import captured_case, published_case
from tests.reports.database_cases import database_case, made_pairs
from tests.reports.test_result_page import INTERVAL, _case, _guard, _target
from tests.reports.word_boxes import filled, overprints
from tunebench.analysis.answering.answer import Certainty, Chip, DatabaseAnswer, counted
from tunebench.analysis.databases.workload import WorkloadTotals
from tunebench.analysis.inference.verdict import Interval, Verdict
from tunebench.columns.statement_names import statement_name
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    CustomerIssue,
    Figure,
    Iteration,
    ManualSource,
    MeasurementSource,
    Metric,
    MetricSource,
    Outcome,
    SeriesSource,
    StatementSource,
    Target,
)
from tunebench.domain.engagement import Direction, Host, Phase, Section
from tunebench.domain.finding import ResourceScore, Severity, UseAspect, UseCell
from tunebench.reporting.calling import called
from tunebench.reporting.cases.analysis import AnalysisCase, CaseResource, CaseScore, CaseShift, CaseUse, CaseUseRow
from tunebench.reporting.cases.case import CaseOccurrence, CaseWindow, SuccessCase
from tunebench.reporting.cases.cycle import CaseIssue, CaseIteration, CaseTarget, MeasuredOver
from tunebench.reporting.chapters.context import Context, context_of
from tunebench.reporting.chapters.cycle import source_name
from tunebench.reporting.conclusions.ground_page import grounds
from tunebench.reporting.conclusions.outcome import dot_figure, resources
from tunebench.reporting.conclusions.purpose import HOSTS, causes, countermeasures, heat_map
from tunebench.reporting.document import (
    Badge,
    Claim,
    DotFigure,
    Heading,
    Heat,
    HeatMap,
    ReportDocument,
    Table,
    TextColumns,
    every_block,
)
from tunebench.reporting.figures import figures
from tunebench.reporting.pdf.writing import pdf_bytes
from tunebench.reporting.pptx.deck import slides_bytes
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import build_document
from tunebench.reporting.wording import Wording

MOST_PAGES, LEAST_FILLED = 9, 0.6


def full_case(language: str = "en") -> SuccessCase:
    """A cycle with targets and a guard over captured series, statements, findings and a forecast."""
    met, undecided = _target("met"), _target("undecided", 2, "Throughput")
    cycle = _case(met, undecided, guards=(_guard("paid"),), language=language).cycle
    issues = tuple(CaseIssue(CustomerIssue(n, n, f"Issue {n}"), ("A-1",) if n == 1 else ()) for n in (1, 2, 3))
    (iteration,) = cycle.iterations
    iteration = replace(iteration, causes=(Cause(1, 5, CauseDomain.DATABASE, "No index", issue_ids=(1,)),))
    return with_answer(replace(analysed_case(language), cycle=replace(cycle, issues=issues, iterations=(iteration,))))


def report(case: SuccessCase, language: str = "en", shape: Shape = Shape.REPORT) -> ReportDocument:
    return build_document(case, language, shape=shape)


def used(host: str, name: str, value: float | None, severity: Severity | None) -> CaseUseRow:
    empty = CaseUse(UseCell(UseAspect.SATURATION, "queue"), "not captured")
    word = "" if severity in (None, Severity.OK) else str(severity)
    cell = CaseUse(UseCell(UseAspect.UTILISATION, "busy", value, "%", severity=severity), "busy", "%", word)
    return CaseUseRow(host, f"Disk {name}", (cell, empty, empty), None, "disk")


# -- pages ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_conclusions_follow_the_answer_in_order_and_no_page_is_half_empty(language: str) -> None:
    document = report(full_case(language), language)
    first, *titles = [block for block in document.blocks if isinstance(block, Heading)]
    written = pdf_bytes(document, strict=True)
    assert first.anchor == "result" and written.pages <= MOST_PAGES
    assert [title.number for title in titles] == [f"{place}." for place in range(1, len(titles) + 1)]
    starts = [written.page_of[title.anchor] for title in titles]
    assert starts == sorted(starts) and starts[0] == 2
    assert {section.id for section in document.sections} <= set(written.page_of)
    claims = [block.text for block in every_block(document.blocks) if isinstance(block, Claim)]
    assert len(claims) == len(titles) + 1 and not any("⟨" in claim or "{" in claim or "#" in claim for claim in claims)
    assert min(filled(written.data)) >= LEAST_FILLED and not overprints(written.data)


def test_what_is_long_or_much_makes_no_further_page() -> None:
    """Texts of 10,000 characters, 500 statements, 40 hosts, 60 issues; 1,000 devices of one host."""
    case, long = full_case(), "A very long text. " * 556
    assert len(long) > 10_000
    issues = tuple(CaseIssue(CustomerIssue(n, n, f"{n} {long}", long)) for n in range(1, 61))
    devices = [used("db-01", f"sd{n}", float(n % 101), Severity.OK) for n in range(1000)]
    hosts = tuple(Host(n, f"host-{n:02}", "Linux", "6.1", "UTC", "user") for n in range(40))
    use = (*devices, *(used(host.name, "sda", 95.0, Severity.WARNING) for host in hosts))
    told = dict.fromkeys((Section.ISSUE, Section.APPROACH, Section.OUTLOOK), (long,) * 30)
    case = replace(
        case,
        hosts=hosts,
        narrative=told,
        series=case.series * 10,
        databases=(database_case(made_pairs(500)), database_case(label="second")),
        analysis=replace(case.analysis, use=use),
        cycle=replace(case.cycle, issues=issues),
    )
    document = report(case)
    assert pdf_bytes(document).pages <= MOST_PAGES
    slides = Presentation(BytesIO(slides_bytes(report(case, shape=Shape.SLIDES)))).slides
    assert len(slides) == sum(isinstance(block, Heading) for block in report(case, shape=Shape.SLIDES).blocks)


def test_of_nothing_the_report_is_still_a_report() -> None:
    assert pdf_bytes(report(SuccessCase(published_case().engagement))).pages >= 1
    assert slides_bytes(report(SuccessCase(published_case().engagement), shape=Shape.SLIDES))


# -- figures -------------------------------------------------------------------------------------------


def context(case: SuccessCase) -> Context:
    return Context(case, figures(case, "en"), Wording("en", "UTC"))


def test_the_heat_of_a_host_is_that_of_its_tightest_device() -> None:
    rows = (
        used("calm", "sda", 20.0, Severity.OK),
        used("busy", "sda", 30.0, Severity.OK),
        used("busy", "sdb", 97.5, Severity.CRITICAL),
        used("blind", "sda", None, None),
    )
    found = heat_map(context(replace(published_case(), analysis=AnalysisCase(use=rows))))
    cells = {host: fields[0][0] for host, fields in found.rows}
    assert [host for host, _ in found.rows] == ["busy", "calm", "blind"]
    assert (cells["busy"].heat, cells["busy"].text) == (Heat.CRITICAL, "97.5 % · critical")
    assert (cells["calm"].heat, cells["calm"].text) == (Heat.OK, "20.0 %")
    assert (cells["blind"].heat, cells["blind"].text) == (Heat.UNMEASURED, "–")


def test_the_title_names_what_the_table_and_the_map_begin_with() -> None:
    """Ten hosts equally busy and a disk unmeasured: host 8 has place 1 before tuning, host 7 after it, and the bottleneck is as page one says."""
    score = ResourceScore("", "disk", "sda", 1.1, n=143)
    places = {"h7": (2, 1), "h8": (1, 2)}
    ranked = tuple(
        CaseResource(name, *(CaseScore(place, replace(score, host=name), ()) for place in places[name]))
        for name in places
    )
    rows = tuple(used(f"h{n}", "sda", 100.0, Severity.WATCH) for n in range(10))
    rows += (used("h0", "sdb", None, None),)
    shift = CaseShift("cannot be said", "", "", "", ranked)
    case = with_answer(replace(captured_case("en"), analysis=AnalysisCase(use=rows, shift=shift)))
    assert case.answer is not None
    answer = replace(case.answer.answer, bottleneck={"en": "No bottleneck is shown on either side."})
    case = replace(case, answer=replace(case.answer, answer=answer))
    (page,) = causes(context_of(case, "en"))
    blocks = list(every_block(page.blocks))
    claim = next(block for block in blocks if isinstance(block, Claim))
    heat = next(block for block in blocks if isinstance(block, HeatMap))
    table = next(block for block in blocks if isinstance(block, Table))
    assert claim.text.startswith("h8 · Disk sda") and "10 checked" in claim.text
    assert heat.rows[0][0] == "h8" and table.rows[0][0].text == "h8"
    assert [block.text for block in blocks if isinstance(block, Badge)] == ["No bottleneck is shown on either side."]


def test_every_resource_that_is_counted_has_a_row_and_the_title_names_a_database_that_changed() -> None:
    """Its statements were judged, though no side tells sessions at work."""
    totals = WorkloadTotals(
        "elapsed_s", 3, 10.0, 5.0, 10.0, 5.0, 0.5, 2.0, 2.0, 2.0, 1.0, 2.0, 3, Interval(1.5, 2.5), None,
        Verdict.IMPROVED, "",
    )  # fmt: skip
    database = DatabaseAnswer("ERPDB", None, None, totals)
    case = with_answer(analysed_case("en"))
    assert case.answer is not None
    answer = replace(case.answer.answer, databases=(database,), tiles=())
    answer = replace(answer, counts=counted((), answer.figures, (database,)))
    case = replace(case, answer=replace(case.answer, answer=answer))
    (page,) = resources(context_of(case, "en"))
    claim = next(block for block in page.blocks if isinstance(block, Claim))
    table = next(block for block in page.blocks if isinstance(block, Table))
    count = len(answer.figures) + 1
    assert claim.text.startswith("ERPDB: ") and "2.00 times" in claim.text
    assert len(table.rows) == count and f"({count} of {count})" in table.caption
    assert [cell.text for cell in table.rows[0]][1:3] == ["–", "–"] and "improved" in table.rows[0][4].text


def test_of_many_hosts_the_tightest_are_shown_and_how_many_there_are() -> None:
    rows = tuple(used(f"h{n:02}", "sda", float(n), Severity.OK) for n in range(40))
    found = heat_map(context(replace(published_case(), analysis=AnalysisCase(use=rows))))
    assert [host for host, _ in found.rows] == [f"h{n:02}" for n in range(39, 39 - HOSTS, -1)]
    assert f"{HOSTS} of 40" in found.caption


def test_dots_are_multiples_of_the_target() -> None:
    """300 ms before, 20 ms now, 30 ms wanted."""
    dots = next(block for block in every_block(report(full_case()).blocks) if isinstance(block, DotFigure))
    assert [row.before for row in dots.rows] == [10.0, 10.0]
    assert [row.now for row in dots.rows] == pytest.approx([2 / 3, 2 / 3])
    assert dots.rows[0].texts[0] == "20 ms (target ≤ 30 ms)"


def test_figures_of_another_time_stand_beside_the_targets_with_that_time() -> None:
    """The case as published, typed in, some of 2007-07-19 and 2007-07-26, beside a target of other windows."""
    earlier = MeasuredOver("march", None, None), MeasuredOver("april", None, None)
    other = replace(_target("met"), metric=replace(_target("met").metric, id=20, name="Throughput"), windows=earlier)
    case = _case(_target("met"))
    first = CaseIteration(Iteration(4, 0, "published"), Outcome.CONTINUED, (), (other,))
    case = with_answer(replace(case, cycle=replace(case.cycle, iterations=(first, *case.cycle.iterations))))
    (page,) = [section for section in report(case).sections if section.id == "achieved"]
    table = [block for block in every_block(page.blocks) if isinstance(block, Table)][-1]
    names = [row[0].text for row in table.rows]
    assert "Throughput · published (march → april)" in names
    assert "CPU utilisation (2007-07-19 → 2007-07-26)" in names
    assert "Block accesses (entered by hand, without a date)" in names


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (replace(analysed_case(), runs=analysed_case().runs[:1], windows=()), "alone"),
        (published_case("en"), "uncompared"),
        (captured_case("en"), "unchecked"),
        (analysed_case(), "compared"),
    ],
)
def test_windows_are_called_comparable_where_some_were_compared(case: SuccessCase, words: str) -> None:
    (page,) = grounds(context(case))
    claim = next(block for block in page.blocks if isinstance(block, Claim))
    assert claim.text == catalogue("en").text(f"report.grounds.{words}")


@pytest.mark.parametrize("load", ["", "4,255.7 transactions per second (pgbench)"])
def test_it_is_not_said_that_nothing_tells_the_load_where_the_runs_do(load: str) -> None:
    """On page one and below the table of windows: of a load generator, what the check could not use."""
    untold, why = catalogue("en").text("compare.load.untold"), "A load generator's throughput is a result."
    case = with_answer(analysed_case("en"))
    gate = tuple(replace(check, state="unknown", sentence=why) for check in checks() if check.check == "C3")
    stretch = CaseOccurrence(0, 10**9, load=load)
    windows = tuple(CaseWindow(own.value, own, occurrences=(stretch,)) for own in (Phase.BEFORE, Phase.AFTER))
    case = replace(case, windows=windows, analysis=replace(case.analysis, gate=gate, driver=untold))
    blocks = list(every_block(report(case).blocks))
    sure = next(block for block in blocks if isinstance(block, TextColumns)).columns[0].paragraphs[0]
    caption = catalogue("en").text("report.caption.windows")
    (table,) = (block for block in blocks if isinstance(block, Table) and block.caption.endswith(caption))
    assert sure == (why if load else untold)
    assert table.notes[0].endswith(why if load else untold)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (SeriesSource("db1", "sar", "%idle", attributes=(("cpu", "all"),)), "db1 · sar"),
        (SeriesSource("db1", "iostat", "svc_t", attributes=(("device", "ssd2"),)), "db1 · iostat · ssd2"),
        (StatementSource("elapsed_s", "postgresql", "5812186252248936594", per_execution=True), ""),
        (MeasurementSource("response_time"), "SQL response time"),
        (ManualSource("stop watch"), "measured by hand: stop watch"),
    ],
)
def test_a_dot_is_named_by_what_its_source_is_called(source: MetricSource, name: str) -> None:
    """Neither ids nor keys with bars."""
    target = _target("met")
    target = replace(target, metric=replace(target.metric, source=source), source="measured by hand: stop watch")
    case = replace(_case(target), measurements=published_case().measurements)
    shown = source_name(context(case), target)
    assert shown == name
    (row,) = dot_figure(context(with_answer(case))).rows
    assert row.label.split("\n")[1] == " · ".join(filter(None, ("Iteration 1", name)))


def test_a_statement_is_named_as_on_the_page_of_its_database() -> None:
    database = database_case(made_pairs(3))
    pair = database.statements.pairs[0]
    source = StatementSource("elapsed_s", "oracle", pair.after_ids[0])
    target = replace(_target("met"), metric=replace(_target("met").metric, source=source))
    name = statement_name(database.statements.text_of(pair), catalogue("en"))
    assert name and source_name(context(replace(_case(target), databases=(database,))), target) == name


def test_a_price_is_told_with_its_iteration() -> None:
    """Page one is of iteration 2, whose price held; the one that was paid is of iteration 1."""
    own = _case(_target("met"), guards=(_guard("held"),)).cycle.iterations[0]
    own = replace(own, iteration=replace(own.iteration, number=2))
    paid = (_guard("paid"), _guard("not_measured"))
    earlier = CaseIteration(Iteration(4, 1, "first"), Outcome.CONTINUED, (), (), paid)
    case = with_answer(replace(full_case(), cycle=replace(full_case().cycle, iterations=(earlier, own))))
    (page,) = countermeasures(context_of(case, "en"))
    claim = next(block for block in page.blocks if isinstance(block, Claim))
    assert claim.lines[0] == "Iteration 2: prices watched 1, found to be paid 0, not measured 0"
    assert claim.lines[1] == "All other iterations: prices watched 2, found to be paid 1, not measured 1"
    table = [block for block in page.blocks if isinstance(block, Table)][-1]
    assert [row[0].text for row in table.rows] == ["1", "2", "1"]


def test_a_target_is_as_sure_as_itself_whatever_the_compared_windows_prove() -> None:
    """The answer is of other windows, and proven; the target is described only, and says why."""
    case = with_answer(_case(replace(_target("met"), interval=INTERVAL, descriptive=True)))
    assert case.answer is not None
    proven = Certainty(Chip.PROVEN, "measured", {"before": 5, "after": 5, "sd_pct": 3.1})
    answer = replace(case.answer.answer, headline=None, certainty=proven)
    case = replace(case, answer=replace(case.answer, answer=answer))
    (page,) = [section for section in report(case).sections if section.id == "achieved"]
    claim = next(block for block in every_block(page.blocks) if isinstance(block, Claim))
    assert [chip.text for chip in claim.chips] == [catalogue("en").text("answer.chip.descriptive")]
    assert claim.remark == catalogue("en").text("answer.sure.short_target")


def test_a_total_that_an_earlier_metric_reads_stands_once_on_the_page_of_the_result() -> None:
    """Beside the table of the judged iteration's targets, which does not have it."""
    source = MeasurementSource("response_time")
    metric = Metric(20, 4, "SQL response time", source, "total", "s", Direction.LOWER, decimals=3)
    change = called(590.997, 33.17, Direction.LOWER)
    read = CaseTarget(metric, Target(21, 4, 20, Figure(590.997), None, 1), Figure(33.17), "descriptive", change)
    earlier = CaseIteration(Iteration(4, 0, "published"), Outcome.CONTINUED, (), (read,))
    case = _case(_target("met"))
    case = with_answer(replace(case, cycle=replace(case.cycle, iterations=(earlier, *case.cycle.iterations))))
    (page,) = [section for section in report(case).sections if section.id == "achieved"]
    cells = [c.text for t in every_block(page.blocks) if isinstance(t, Table) for row in t.rows for c in row]
    assert cells.count("590.997 s") == 1 and cells.count("33.17 s") == 1


# -- slides --------------------------------------------------------------------------------------------


def deck(case: SuccessCase, language: str = "en") -> Any:
    return Presentation(BytesIO(slides_bytes(report(case, language, Shape.SLIDES))))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_slides_have_charts_that_can_be_edited(language: str) -> None:
    slides = list(deck(full_case(language), language).slides)
    assert len(slides) > 5
    assert all(slide.shapes.title.text.strip() for slide in slides)
    charts = [shape.chart for slide in slides for shape in slide.shapes if shape.has_chart]
    assert len(charts) >= 2
    for chart in charts:
        book = load_workbook(BytesIO(chart.part.chart_workbook.xlsx_part.blob))
        cells = [cell for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row]
        held = {f"{cell:.12g}" for cell in cells if isinstance(cell, int | float)}
        drawn = {f"{value:.12g}" for series in chart.plots[0].series for value in series.values if value is not None}
        assert drawn and drawn <= held
    assert not any(shape.shape_type == 13 for slide in slides for shape in slide.shapes)  # a picture cannot be edited


def test_slides_stay_inside_their_edges() -> None:
    deck_ = deck(full_case())
    for slide in deck_.slides:
        for shape in slide.shapes:
            assert shape.left >= 0 and shape.left + shape.width <= deck_.slide_width
            assert shape.top >= 0 and shape.top + shape.height <= deck_.slide_height


def test_every_number_of_the_slides_is_one_of_the_report() -> None:
    """What a slide has no room for stands in its notes."""
    case = full_case()
    document = report(case, shape=Shape.SLIDES)
    told = "\n".join(
        word.text or ""
        for slide in deck(case).slides
        for root in (slide.part._element, *([slide.notes_slide.part._element] if slide.has_notes_slide else []))
        for word in root.iter(qn("a:t"))
    )
    tables = [block for block in every_block(document.blocks) if isinstance(block, Table)]
    numbers = {n for t in tables for row in t.rows for cell in row for n in re.findall(r"\d[\d,.]*\d", cell.text)}
    assert numbers and not {number for number in numbers if number not in told}


def test_no_name_becomes_a_formula_of_the_small_workbook() -> None:
    target = replace(_target("met"), metric=replace(_target("met").metric, name='=HYPERLINK("http://x","y")'))
    slides = deck(with_answer(_case(target))).slides
    charts = [shape.chart for slide in slides for shape in slide.shapes if shape.has_chart]
    cells = [
        cell
        for chart in charts
        for row in load_workbook(BytesIO(chart.part.chart_workbook.xlsx_part.blob)).active.iter_rows()
        for cell in row
    ]
    assert any("HYPERLINK" in str(cell.value) for cell in cells)
    assert not any(cell.data_type == "f" or cell.hyperlink for cell in cells)


# -- the audit form ------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_audit_form_answers_what_auditors_ask(language: str) -> None:
    document = report(full_case(language), language, Shape.AUDIT_FORM)
    pdf_bytes(document, strict=True)
    form = next(block for block in document.blocks if isinstance(block, Table) and len(block.rows) == 7)
    assert len(form.columns) == 3
    answers = [row[1].text for row in form.rows]
    assert all(answers)
    assert "30 ms" in answers[1] and "300 ms" in answers[2] and "20 ms" in answers[4]
    if language == "ko":
        assert [row[0].text for row in form.rows][:2] == ["튜닝 대상 시스템 및 범위", "튜닝 목표"]


def test_without_targets_the_audit_form_shows_the_figures_and_claims_nothing() -> None:
    document = report(captured_case("en"), shape=Shape.AUDIT_FORM)
    form = next(block for block in document.blocks if isinstance(block, Table) and len(block.rows) == 7)
    assert form.rows[1][1].text == "no target was set"
