"""From a figure or a piece of evidence back to where it was seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.core.whole_files import write_whole
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import (
    Attachment,
    ExperimentSource,
    Figure,
    MeasurementSource,
    Metric,
    SeriesSource,
    StatementSource,
)
from tunebench.domain.engagement import Run
from tunebench.domain.series import SeriesInfo
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.look.language import language, text
from tunebench.ui.workspace import Workspace
from tunebench.usecases import browse
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.figures import Broken, broken_text, find_parts, series_of_evidence

LEAST_NS = 1_000_000_000


def show_evidence(workspace: Workspace, evidence: Evidence) -> None:
    """Goes to the window, capture, statement or figure that was pinned; says what is no longer there."""
    if why := CycleController.of(workspace).why_broken(evidence.id):
        workspace.say(why, "warning")
    target = evidence.target
    match target.kind:
        case EvidenceKind.WINDOW:
            _find_window(workspace, evidence)
        case EvidenceKind.RUN:
            show_run(workspace, target.run_id)
        case EvidenceKind.CAPTURE:
            _show_lines(workspace, target.artefact_id, target.first_line, target.last_line)
        case EvidenceKind.STATEMENT:
            workspace.show_page("statements", target.key.partition(":")[2])
        case EvidenceKind.MEASUREMENT:
            workspace.show_page("engagement", ("measurements", target.key))
        case EvidenceKind.EXPERIMENT:
            workspace.show_page("experiments", int(target.key))
        case EvidenceKind.ATTACHMENT:
            _save_attachment(workspace, target.key)
        case _:
            workspace.say(f"{evidence.code} {evidence.caption}")


def show_source(workspace: Workspace, target: EvidenceTarget) -> None:
    """The capture that it was read from, and says which line; or that there is none."""
    project = workspace.opened

    def show(source: tuple[int, int | None] | None) -> None:
        if source is None:
            workspace.say(text("ui.pinned.no_source"), "warning")
        else:
            _show_lines(workspace, *source, source[1])

    workspace.jobs.run(
        "db",
        lambda _handle: cycle_evidence.source_of(project, target),
        owner=CycleController.of(workspace),
        slot="show",
        on_result=show,
    )


def _show_lines(workspace: Workspace, artefact_id: int | None, first: int | None, last: int | None) -> None:
    workspace.show_page("captures", artefact_id)
    if first is not None:
        workspace.say(text("ui.pinned.lines", first=first, last=last))


def show_figure(workspace: Workspace, metric: Metric, figure: Figure) -> None:
    """Goes to what a figure was computed from."""
    source = metric.source
    match source:
        case SeriesSource() if figure.run_id is not None:
            _find_series(workspace, source, figure)
        case StatementSource():
            workspace.show_page("statements", source.statement_id)
        case ExperimentSource():
            workspace.show_page("experiments", source.experiment_id)
        case MeasurementSource():
            workspace.show_page("engagement", ("measurements", source.key))
        case _:
            show_run(workspace, figure.run_id)


def leads_somewhere(metric: Metric, figure: Figure) -> bool:
    return figure.run_id is not None or isinstance(
        metric.source, StatementSource | MeasurementSource | ExperimentSource
    )


def run_called(workspace: Workspace, run_id: int | None) -> Run | None:
    views = workspace.overview.runs if workspace.overview else ()
    return next((view.run for view in views if view.run.id == run_id), None)


def show_run(workspace: Workspace, run_id: int | None) -> None:
    run = run_called(workspace, run_id)
    if run is not None:
        workspace.show_page("timeline", run)


def show_window(workspace: Workspace, series: Sequence[int], start_ns: int | None, end_ns: int | None) -> None:
    """These series over that stretch on the time line, with what was before and after it; series and range are set
    first, so that no defaults appear."""
    if series:
        workspace.selection.set_series(series)
    if start_ns is not None and end_ns is not None:
        shown = TimeRange(start_ns, end_ns if end_ns > start_ns else start_ns + LEAST_NS)
        workspace.selection.set_range(shown.widened(0.5))
    workspace.show_page("timeline")


def _find_window(workspace: Workspace, evidence: Evidence) -> None:
    project, target = workspace.opened, evidence.target
    workspace.jobs.run(
        "db",
        lambda _handle: series_of_evidence(project, evidence),
        owner=CycleController.of(workspace),
        slot="show",
        on_result=lambda series: show_window(workspace, [info.id for info in series], target.start_ns, target.end_ns),
    )


def _find_series(workspace: Workspace, source: SeriesSource, figure: Figure) -> None:
    run = run_called(workspace, figure.run_id)
    if run is None:
        return
    project = workspace.opened

    def take(answer: Sequence[SeriesInfo] | Broken) -> None:
        if isinstance(answer, Broken):
            why = Broken(answer.key, {**answer.facts, "run": run.label})
            workspace.say(broken_text(why, language().code), "warning")
        series = [] if isinstance(answer, Broken) else [info.id for info in answer]
        show_window(workspace, series, figure.start_ns, figure.end_ns)

    workspace.jobs.run(
        "db",
        lambda _handle: find_parts(browse.list_series(project, run.label), source),
        owner=CycleController.of(workspace),
        slot="show",
        on_result=take,
    )


def _save_attachment(workspace: Workspace, sha256: str) -> None:
    book = CycleController.of(workspace).book
    file_name = next(
        (attachment.file_name for attachment in book.all(Attachment) if attachment.sha256 == sha256), sha256[:12]
    )
    name, _ = QFileDialog.getSaveFileName(None, text("ui.pinned.save"), file_name)
    if not name:
        return
    project = workspace.opened
    if workspace.attempt(lambda: write_whole(Path(name), cycle_evidence.read_attachment(project, sha256))):
        workspace.say(text("ui.pinned.saved", path=name))
