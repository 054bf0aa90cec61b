"""What a page has to pin: what it is, what of it can be left out, and how it becomes evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.columns.column import Locale
from tunebench.columns.formats import format_short_span
from tunebench.columns.series_words import host_text
from tunebench.core.records import record
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.domain.engagement import Measurement, Run
from tunebench.domain.experiments.records import Experiment
from tunebench.domain.finding import Finding
from tunebench.domain.series import SeriesInfo
from tunebench.domain.windows import Window, ends_of
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.projects import ArtefactInfo, Project

NAMED_SERIES = 3


@record
class Part:
    """Something of the offer that can be left out."""

    key: int
    words: str


@record
class Offer:
    """What "add as evidence" would pin.

    Attributes:
        words: what it is, in one line.
        caption: a first proposal.
        targets: (project, keys of the parts that are wanted) -> where the evidence lies, one for each run;
            raises UserError.
    """

    words: str
    caption: str
    parts: tuple[Part, ...]
    targets: Callable[[Project, Sequence[int]], Sequence[EvidenceTarget]]


def of_window(series: Sequence[SeriesInfo], span: TimeRange, locale: Locale) -> Offer | None:
    """The series that have values in `span`; a piece of evidence per run, cut to what the run has of it."""
    inside = [info for info in series if _overlap(info, span) is not None]
    if not inside:
        return None
    runs = dict.fromkeys(info.run for info in inside)
    several = len(runs) > 1
    parts = tuple(Part(info.id, _series_words(info, several, locale)) for info in inside)
    stretch = format_short_span(span.start_ns, span.end_ns, locale.zone)
    names = list(dict.fromkeys(info.label for info in inside))
    caption = ", ".join(names[:NAMED_SERIES]) + (" …" if len(names) > NAMED_SERIES else "")

    def targets(project: Project, keys: Sequence[int]) -> list[EvidenceTarget]:
        wanted = [info for info in inside if info.id in keys]
        evidence = []
        for run_id in dict.fromkeys(info.run_id for info in wanted):
            own = [info for info in wanted if info.run_id == run_id]
            spans = [cut for cut in (_overlap(info, span) for info in own) if cut is not None]
            start, end = min(cut.start_ns for cut in spans), max(cut.end_ns for cut in spans)
            evidence.append(cycle_evidence.window(project, [info.id for info in own], start, end))
        return evidence

    return Offer(locale.text("ui.pinned.offer.window", span=stretch, runs=", ".join(runs)), caption, parts, targets)


def _overlap(info: SeriesInfo, span: TimeRange) -> TimeRange | None:
    if info.first_ns is None or info.last_ns is None:
        return None
    start, end = max(info.first_ns, span.start_ns), min(info.last_ns, span.end_ns)
    return TimeRange(start, end) if start <= end else None


def _series_words(info: SeriesInfo, with_run: bool, locale: Locale) -> str:
    words = f"{host_text(info.host, locale.messages)} {info.tool} {info.label}"
    return f"{words} · {info.run}" if with_run else words


def of_comparison(row: ComparedSeries, before: Window, after: Window, locale: Locale) -> Offer:
    """The offer of both sides of a row of the comparison, each over its window."""
    sides = [(0, "before", row.before_parts, before), (1, "after", row.after_parts, after)]
    there = [side for side in sides if side[2]]
    parts = tuple(
        Part(
            key,
            f"{locale.text(f'ui.pinned.side.{side}')} · {series[0].run} · {_window_words(window, series, locale.zone)}",
        )
        for key, side, series, window in there
    )

    label = row.series.label
    return Offer(
        locale.text("ui.pinned.offer.comparison", series=label),
        label,
        parts,
        lambda project, keys: [
            cycle_evidence.window(project, [info.id for info in series], *ends_of(window.occurrences))
            for key, _side, series, window in there
            if key in keys
        ],
    )


def _window_words(window: Window, series: Sequence[SeriesInfo], zone: tzinfo) -> str:
    firsts = [info.first_ns for info in series if info.first_ns is not None]
    lasts = [info.last_ns for info in series if info.last_ns is not None]
    start, end = ends_of(window.occurrences)
    start = start if start is not None else min(firsts, default=None)
    end = end if end is not None else max(lasts, default=None)
    return format_short_span(start, end, zone)


def of_capture(artefact: ArtefactInfo, locale: Locale) -> Offer:
    words = locale.text("ui.pinned.offer.capture", name=artefact.name)
    return Offer(words, artefact.name, (), lambda project, _keys: [cycle_evidence.capture(project, artefact.id)])


def of_finding(finding: Finding, title: str, locale: Locale) -> Offer | None:
    """What its first stretch rests on; None where that is nothing."""
    first = finding.evidence[0] if finding.evidence else None
    if first is None:
        return None
    together = [one for one in finding.evidence if (one.start_ns, one.end_ns) == (first.start_ns, first.end_ns)]
    series = [one.series_id for one in together if one.series_id is not None]
    captures = [artefact_id for one in together for artefact_id in one.artefact_ids]
    if not series and not captures:
        return None

    def targets(project: Project, _keys: Sequence[int]) -> list[EvidenceTarget]:
        if series:
            return [cycle_evidence.window(project, series, first.start_ns, first.end_ns)]
        return [cycle_evidence.capture(project, captures[0])]

    return Offer(locale.text("ui.pinned.offer.finding", title=title), title, (), targets)


def of_measurement(item: Measurement, locale: Locale) -> Offer:
    name = item.label_ko if locale.language == "ko" else item.label_en
    words = locale.text("ui.pinned.offer.measurement", name=name)
    return Offer(words, name, (), lambda project, _keys: [cycle_evidence.measurement(project, item.key)])


def of_experiment(experiment: Experiment, locale: Locale) -> Offer:
    words = locale.text("ui.pinned.offer.experiment", title=experiment.title)
    return Offer(
        words, experiment.title, (), lambda project, _keys: [cycle_evidence.experiment(project, experiment.id)]
    )


def of_statement_sides(sides: Sequence[tuple[str, Run, str, str]], locale: Locale) -> Offer:
    """A statement that may have another id on either side; (``before`` or ``after``, run, engine, id)."""
    parts = tuple(
        Part(key, f"{locale.text(f'ui.pinned.side.{side}')} · {run.label} · {id_}")
        for key, (side, run, _engine, id_) in enumerate(sides)
    )

    name = " → ".join(dict.fromkeys(id_ for *_, id_ in sides))
    return Offer(
        locale.text("ui.pinned.offer.statement", id=name),
        name,
        parts,
        lambda project, keys: [
            cycle_evidence.statement(project, run, engine, id_)
            for key, (_side, run, engine, id_) in enumerate(sides)
            if key in keys
        ],
    )
