"""The success case, out of the project."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import isfinite
from pathlib import Path
from zoneinfo import ZoneInfo

import tunebench
from tunebench.analysis.answering.answer import TargetAnswer
from tunebench.analysis.comparing.comparison import Comparison, Parts
from tunebench.columns import comparing_words
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.core.whole_files import require_place
from tunebench.domain.assembly import Span, overlap_of
from tunebench.domain.comparability import Check
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.finding import Shift
from tunebench.domain.ledger import ImportState
from tunebench.domain.translations import Reading, Untranslated, other_language
from tunebench.domain.windows import Window
from tunebench.reporting.binding import bound
from tunebench.reporting.cases.analysis import AnalysisCase, CaseCheck, Judged
from tunebench.reporting.cases.answer import AnswerCase
from tunebench.reporting.cases.case import (
    CaseOccurrence,
    CaseWindow,
    EvidenceEntry,
    ImportRecord,
    RunWindow,
    SuccessCase,
)
from tunebench.reporting.cases.cycle import CycleCase
from tunebench.reporting.chapters.results import unknown_charts
from tunebench.reporting.delivered import Recipe
from tunebench.reporting.document import ReportDocument
from tunebench.reporting.look import PLAIN_LOOK, Look
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import SECTION_IDS, build_document
from tunebench.store import engagements, hosts
from tunebench.store.artefacts import ArtefactInfo, list_artefacts
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases import translated
from tunebench.usecases.answering.answer import answer_of
from tunebench.usecases.capacity.case import outlooks
from tunebench.usecases.capturing import case as capture_case
from tunebench.usecases.comparing import compare
from tunebench.usecases.comparing.sides import forget
from tunebench.usecases.cycle import case as cycle_case
from tunebench.usecases.databases import case as database_case
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.experiments.case import experiment_cases
from tunebench.usecases.findings import case as findings_case
from tunebench.usecases.findings.case import Wording
from tunebench.usecases.findings.diagnose import diagnose, shift_between
from tunebench.usecases.reports import register as report_register
from tunebench.usecases.reports import series_case
from tunebench.usecases.reports.answer_case import answer_case
from tunebench.usecases.reports.designs import keep_logo
from tunebench.usecases.reports.recipes import recipe_of
from tunebench.usecases.reports.sides import CaseSide, as_compared, chosen_sides

NOTHING_COMPARED = Comparison(Window(0, ""), Window(0, ""), ())


@record
class _Evidence:
    """Keys F-1, F-2 ... of the artefacts, in the order of the import, and what their hosts and runs are called."""

    key_of: Mapping[int, str]
    artefacts: Mapping[int, ArtefactInfo]
    hosts: dict[int, str]
    runs: Mapping[int, str]

    def of(self, artefact_id: int | None) -> str:
        return self.key_of.get(artefact_id, "") if artefact_id is not None else ""

    def of_parts(self, parts: Parts, side: CaseSide) -> tuple[str, ...]:
        """The keys of all captures that a figure of that side is taken from."""
        ids = [id_ for part in parts for id_ in part.artefact_ids or (part.artefact_id,)]
        held = [id_ for id_ in ids if id_ in self.artefacts and side.holds(self.artefacts[id_])]
        return tuple(dict.fromkeys(key for key in map(self.of, held) if key))


@record
class Written:
    """Files of a report; `missing_glyphs` are characters of its text that the PDF's faces cannot draw, `contradicted`
    sentences of what the check of the project contradicts and the files do not print, `unknown_charts` series that the
    layout names and the project does not have. `case`: what they are made of."""

    paths: tuple[Path, ...]
    missing_glyphs: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    unknown_charts: tuple[str, ...] = ()
    case: SuccessCase | None = field(default=None, compare=False)


def build_case(
    project: Project,
    language: str,
    issued: str = "",
    progress: Progress | None = None,
    *,
    before: Window | None = None,
    after: Window | None = None,
    trail: int | None = None,
    untranslated: Untranslated = Untranslated.KEEP,
    as_written: bool = False,
    compared_once: bool = False,
) -> SuccessCase:
    """Everything the success case of this project is made of.

    Args:
        issued: ISO date of issue; it is the only date in the files that is not from the project, so that
            equal projects and dates give equal bytes.
        before, after: the windows that all of it is about (see `chosen_sides`).
        trail: last entry of the audit trail that it knows; None for all there are.
        untranslated: what becomes of records' texts that are in another language alone.
        as_written: no text of a record is said in another language, whatever that of the sentences around it.
        compared_once: nobody compares these windows again, for whom to remember what was computed of them.

    Raises:
        UserError: window_no_samples, window_overlap.
    """
    progress = progress or SilentProgress()
    engagement = engagements.read_engagement(project)
    reader = Reading(language, language) if as_written else translated.reader_of(project, language, untranslated)
    artefacts = [a for a in list_artefacts(project) if a.state in (ImportState.IMPORTED, ImportState.KEPT)]
    keys = {artefact.id: f"F-{number}" for number, artefact in enumerate(artefacts, 1)}
    captured, runs = hosts.hosts_of_captures(project), list_runs(project)
    names, labels = {host.id: host.name for host in captured}, {run.id: run.label for run in runs}
    evidence = _Evidence(keys, {artefact.id: artefact for artefact in artefacts}, names, labels)
    sides = chosen_sides(project, before, after)
    on_side = {side.phase: side for side in sides}
    case_databases = database_case.case_databases(
        project, on_side.get(Phase.BEFORE), on_side.get(Phase.AFTER), language, evidence.of
    )
    compared = case_databases.comparisons
    wording = Wording(language, ZoneInfo(engagement.zone), evidence.of)
    # before the comparison: what both take on the way is never in memory at once
    diagnosed, shift = _diagnosed(project, sides, wording, progress)
    comparison = _compared(project, sides, compared, progress) if len(sides) > 1 else None
    if compared_once:
        forget(project)
    sides = as_compared(sides, comparison) if comparison else sides
    zone = wording.zone
    rows = comparison.rows if comparison else None
    charted = series_case.series_case(project, sides, rows, zone, language, evidence.of_parts)
    analysis = _analysis(project, diagnosed, sides, comparison, wording, reader)
    case = SuccessCase(
        engagement=reader.of(engagement),
        narrative=translated.narrative_in(project, reader),
        measurements=reader.of(tuple(engagements.read_measurements(project))),
        databases=case_databases.compared,
        database_remarks=case_databases.remarks,
        databases_alone=case_databases.alone,
        licences=case_databases.licences,
        hosts=tuple(captured),
        runs=tuple(_run_window(project, run, evidence, language) for run in runs),
        windows=tuple(_window(project, side, reader, zone) for side in sides),
        series=charted.series,
        further_hosts=charted.further,
        captured=charted.captured,
        comparison=_comparison(comparison, sides, evidence),
        evidence=tuple(_entry(artefact, evidence) for artefact in artefacts),
        imports=tuple(_record(artefact, evidence) for artefact in artefacts),
        issued=issued,
        program_version=tunebench.__version__,
        live=capture_case.live_capture(project, evidence.of, trail),
        cycle=cycle_case.cycle_case(project, language, evidence.of, reader) or CycleCase(),
        analysis=analysis,
        answer=_answer(project, comparison, compared, shift, reader),
    )
    return replace(case, untranslated=tuple(reader.untranslated), leaves_out=reader.instead is not None)


def with_texts(project: Project, case: SuccessCase, language: str, untranslated: Untranslated) -> SuccessCase:
    """The case with the consultant's paragraphs as they are now; everything else is as it was."""
    reader = translated.reader_of(project, language, untranslated)
    narrative = translated.narrative_in(project, reader)
    return replace(
        case, narrative=narrative, untranslated=tuple(dict.fromkeys((*case.untranslated, *reader.untranslated)))
    )


def _answer(
    project: Project,
    comparison: Comparison | None,
    databases: Sequence[DatabaseComparison],
    shift: Shift | None,
    reader: Reading,
) -> AnswerCase | None:
    """Of an engagement whose figures were all typed in its targets alone; None where nothing was wanted either."""
    answer = answer_of(project, comparison or NOTHING_COMPARED, databases, shift)
    if comparison is None and not answer.targets:
        return None
    headline = reader.of(answer.headline) if isinstance(answer.headline, TargetAnswer) else answer.headline
    answer = replace(answer, headline=headline, targets=reader.of(answer.targets), price=reader.of(answer.price))
    return answer_case(project, answer, comparison or NOTHING_COMPARED)


def _compared(
    project: Project, sides: Sequence[CaseSide], databases: Sequence[DatabaseComparison], progress: Progress
) -> Comparison:
    return compare.compare(project, sides[0].window, sides[1].window, progress, databases[0] if databases else None)


def _diagnosed(
    project: Project, sides: Sequence[CaseSide], wording: Wording, progress: Progress
) -> tuple[AnalysisCase, Shift | None]:
    """What the rules say of each side, and how the bottleneck moved."""
    diagnosed = [(side.phase.value, diagnose(project, side.window, progress)) for side in sides]
    moved = shift_between(diagnosed[0][1], diagnosed[1][1]) if len(diagnosed) > 1 else None
    case = AnalysisCase(
        runs_diagnosed=tuple(
            (phase, side.title) for side, (phase, diagnosis) in zip(sides, diagnosed, strict=True) if diagnosis.rules
        ),
        rules_passed=tuple((phase, len(diagnosis.passed)) for phase, diagnosis in diagnosed),
        findings=findings_case.findings(diagnosed, wording),
        rules=findings_case.rules(diagnosed, wording.language),
        unjudged=findings_case.unjudged(diagnosed, wording.language),
        use=findings_case.use_rows(diagnosed, wording),
        shift=findings_case.shift_case(moved, diagnosed, wording) if moved else None,
    )
    return case, moved


def _analysis(
    project: Project,
    diagnosed: AnalysisCase,
    sides: Sequence[CaseSide],
    comparison: Comparison | None,
    wording: Wording,
    reader: Reading,
) -> AnalysisCase:
    """What the rules said, with what the comparison and the records say.

    Args:
        sides: those of the case, before first.
        comparison: of the two sides, made once for the whole case; None of a side by itself.
    """
    language, zone = wording.language, wording.zone
    load, ratio = _load_of(comparison, language, zone) if comparison else ("", None)
    return replace(
        diagnosed,
        gate=_checks(comparison, reader, zone) if comparison else (),
        splits=tuple(comparing_words.split_text(offer, language, zone) for offer in comparison.split_offers)
        if comparison
        else (),
        load=load,
        driver=comparing_words.load_text(comparison.gate, language, zone) if comparison else "",
        load_ratio=ratio,
        capacity=outlooks(project, wording, [side.window for side in sides]),
        experiments=experiment_cases(project, language, wording.file_key, reader),
    )


def _checks(comparison: Comparison, reader: Reading, zone: ZoneInfo) -> tuple[CaseCheck, ...]:
    language = reader.language
    return tuple(
        CaseCheck(
            check.check.value,
            comparing_words.check_title(check.check, language),
            check.state.value,
            comparing_words.state_text(check.state, language),
            comparing_words.check_text(check, language, zone),
        )
        for check in (replace(check, facts=reader.facts(check.facts)) for check in comparison.gate)
    )


def _load_of(comparison: Comparison, language: str, zone: ZoneInfo) -> tuple[str, float | None]:
    """The sentence on the load of both windows, and their ratio where a capture tells it."""
    check = next((check for check in comparison.gate if check.check is Check.LOAD), None)
    if check is None:
        return "", None
    ratio = check.facts.get("ratio")
    sentence = comparing_words.check_text(check, language, zone)
    return sentence, ratio if isinstance(ratio, float) and isfinite(ratio) else None


def _window(project: Project, side: CaseSide, reader: Reading, zone: ZoneInfo) -> CaseWindow:
    messages, exclusions = catalogue(reader.language), reader.of(side.window.exclusions)

    def reason(hole: Span) -> str:
        own = (exclusion.reason for exclusion in exclusions if overlap_of(exclusion.span, hole))
        return next(own, messages.text("report.window.excluded_there"))

    unlike = messages.text("report.window.without_like")
    return CaseWindow(
        name=side.title,
        phase=side.phase,
        kept=bool(side.window.name),
        hosts=side.window.hosts,
        occurrences=tuple(
            CaseOccurrence(*stretch.span, tuple((*hole, reason(hole)) for hole in stretch.holes), load)
            for stretch, load in zip(side.stretches, series_case.loads_of(project, side, reader.language), strict=True)
        ),
        left_out=tuple(CaseOccurrence(*stretch.span, ((*stretch.span, unlike),)) for stretch in side.left_out),
        zone=side.window.zone if side.window.zone != zone.key else "",
    )


def _run_window(project: Project, run: Run, evidence: _Evidence, language: str) -> RunWindow:
    own = [artefact for artefact in evidence.artefacts.values() if artefact.run_id == run.id]
    names = evidence.hosts
    intervals = {artefact.ledger.interval_s for artefact in own if artefact.ledger.interval_s}
    return RunWindow(
        label=run.label,
        phase=run.phase,
        start_ns=run.first_ns,
        end_ns=run.last_ns,
        hosts=tuple(dict.fromkeys(names[a.host_id] for a in own if a.host_id in names)),
        files=len(own),
        interval_s=intervals.pop() if len(intervals) == 1 else None,
        load=series_case.load_of(project, run, language),
    )


def _comparison(comparison: Comparison | None, sides: Sequence[CaseSide], evidence: _Evidence) -> tuple[Judged, ...]:
    if comparison is None:
        return ()
    before, after = sides
    earlier = _grounds((row.before_parts for row in comparison.rows), before, evidence)
    later = _grounds((row.after_parts for row in comparison.rows), after, evidence)
    return tuple(
        Judged(row, before_evidence=keys_before, after_evidence=keys_after, spans=(span_before, span_after))
        for row, (keys_before, span_before), (keys_after, span_after) in zip(
            comparison.rows, earlier, later, strict=True
        )
    )


_Ground = tuple[tuple[str, ...], Span | None]
"""Keys of the captures that a figure is taken from, and when these were measured."""


def _grounds(listed: Iterable[Parts], side: CaseSide, evidence: _Evidence) -> Iterator[_Ground]:
    """Of the parts of each row; thousands of columns of the same captures share one."""
    grounds: dict[tuple[object, ...], _Ground] = {}
    for parts in listed:
        own = tuple((part.artefact_ids or part.artefact_id, part.run_id, part.first_ns, part.last_ns) for part in parts)
        if own not in grounds:
            grounds[own] = evidence.of_parts(parts, side), side.measured(parts)
        yield grounds[own]


def _entry(artefact: ArtefactInfo, evidence: _Evidence) -> EvidenceEntry:
    return EvidenceEntry(
        key=evidence.of(artefact.id),
        file=artefact.name,
        sha256=artefact.sha256,
        host=evidence.hosts.get(artefact.host_id or 0, ""),
        run=evidence.runs.get(artefact.run_id, ""),
        start_ns=artefact.ledger.first_ns,
        end_ns=artefact.ledger.last_ns,
        interval_s=artefact.ledger.interval_s,
        samples=artefact.ledger.samples or None,
        first_line=1,
        last_line=artefact.ledger.lines.total,
        parser=artefact.parser_id,
        parser_version=artefact.parser_version,
    )


def _record(artefact: ArtefactInfo, evidence: _Evidence) -> ImportRecord:
    return ImportRecord(evidence.of(artefact.id), artefact.name, ImportState(artefact.state), artefact.ledger)


def success_case(
    project: Project,
    language: str,
    issued: str = "",
    sections: Collection[str] | None = None,
    progress: Progress | None = None,
    *,
    before: Window | None = None,
    after: Window | None = None,
) -> ReportDocument:
    case = build_case(project, language, issued, progress, before=before, after=after)
    return build_document(case, language, sections)


def write(
    project: Project,
    language: str,
    issued: str,
    *,
    pdf: Path | None = None,
    xlsx: Path | None = None,
    html: Path | None = None,
    pptx: Path | None = None,
    sections: Collection[str] | None = None,
    shape: Shape = Shape.WHOLE,
    progress: Progress | None = None,
    before: Window | None = None,
    after: Window | None = None,
    redacted: str = "",
    order: Sequence[str] = (),
    untranslated: Untranslated = Untranslated.KEEP,
    look: Look = PLAIN_LOOK,
) -> Written:
    """Writes the files that are named. A project that can be written remembers them.

    Args:
        shape: of PDF and HTML; the workbook has all that `sections` name, whatever these are for, and slides have a
            shape of their own.
        redacted: name of the profile that `project` is a clean copy by.
        order: parts that were moved (see `in_order`).
        untranslated: as for `build_case`.
        look: what the house chose.

    Raises:
        UserError: a file cannot be written; report_no_study, window_no_samples, window_overlap.
    """
    paths = tuple(path for path in (pdf, xlsx, html, pptx) if path is not None)
    for path in paths:
        require_place(path)
    build = partial(build_case, issued=issued, progress=progress, before=before, after=after, untranslated=untranslated)
    case = build(project, language, compared_once=not look.both)
    if shape is Shape.STUDY and not case.analysis.experiments:
        raise UserError("report_no_study")
    other = build(project, other_language(language)) if look.both and (pdf or html) else None
    recipe = recipe_of(project, case, language, sections, shape, before, after)
    recipe = replace(recipe, redacted=redacted, order=tuple(order), untranslated=untranslated, look=look.words)
    keep_logo(project, look)
    case = replace(case, edition=look.edition or case.edition)
    missing: tuple[str, ...] = ()
    if pdf is not None:
        from tunebench.reporting.pdf.writing import write_pdf as write_pdf_document

        missing = write_pdf_document(pdf_document(case, recipe, look, other), pdf).missing_glyphs
        report_register.remember(project, case, language, "pdf", pdf)
    if xlsx is not None:
        from tunebench.reporting.xlsx.workbook import write_workbook

        write_workbook(workbook_document(case, recipe, look), xlsx)
        report_register.remember(project, case, language, "xlsx", xlsx)
    if html is not None:
        from tunebench.reporting.html.writing import write_html

        write_html(pdf_document(case, recipe, look, other), html)
        report_register.remember(project, case, language, "html", html)
    if pptx is not None:
        from tunebench.reporting.pptx.deck import write_slides

        write_slides(slides_document(case, recipe, look), pptx)
        report_register.remember(project, case, language, "pptx", pptx)
    return Written(paths, missing, case.cycle.contradicted, unknown_charts(case, look), case)


def pdf_document(
    case: SuccessCase, recipe: Recipe, look: Look = PLAIN_LOOK, other: SuccessCase | None = None
) -> ReportDocument:
    """The document that is printed; its key words say how it was made.

    Args:
        other: the case in the other language, bound behind.
    """
    sections = frozenset(SECTION_IDS) - frozenset(recipe.without)
    document = build_document(case, recipe.language, sections, recipe.shape, recipe.order, look)
    if other is not None:
        code = other_language(recipe.language)
        document = bound(document, build_document(other, code, sections, recipe.shape, recipe.order, look))
    return replace(document, keywords=f"{document.keywords} {recipe.words}")


def workbook_document(case: SuccessCase, recipe: Recipe, look: Look = PLAIN_LOOK) -> ReportDocument:
    """All that there is of the parts, whatever the PDF is for."""
    return pdf_document(case, replace(recipe, shape=Shape.WHOLE), look)


def slides_document(case: SuccessCase, recipe: Recipe, look: Look = PLAIN_LOOK) -> ReportDocument:
    return pdf_document(case, replace(recipe, shape=Shape.SLIDES), look)
