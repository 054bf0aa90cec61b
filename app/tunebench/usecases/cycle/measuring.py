"""A figure taken from a run, with the evidence that it rests on, as one edit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.evidence import Evidence, EvidenceTarget
from tunebench.domain.cycle.measured_over import Over
from tunebench.domain.cycle.records import (
    ExperimentSource,
    Figure,
    MeasurementSource,
    Metric,
    SeriesSource,
    StatementSource,
)
from tunebench.domain.engagement import Run
from tunebench.domain.record_ids import renumbered
from tunebench.domain.translations import in_language
from tunebench.store import queries, runs
from tunebench.store.project import Project
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.acts import record_result, set_baseline
from tunebench.usecases.cycle.figures import find_parts, measured, title_of

_EVIDENCE_ID, _OWNER_ID = -1, -2
"""Before they are kept, see `tunebench.domain.record_ids`."""
FIRST_FREE = -3
"""The first id that no figure's own edit uses: `apart` begins there."""


def taken(project: Project, metric: Metric, over: Over) -> tuple[Figure, EvidenceTarget | None]:
    """What the run or window says about the metric, and where that lies; None where it lies in several runs.

    Raises:
        UserError: the run does not have it.
    """
    figure = measured(project, metric, over)
    if isinstance(metric.source, ExperimentSource):
        return figure, cycle_evidence.experiment(project, metric.source.experiment_id)
    run = next((run for run in runs.list_runs(project) if run.id == figure.run_id), None)
    return figure, None if run is None else _evidence_of(project, metric, run, figure)


def _evidence_of(project: Project, metric: Metric, run: Run, figure: Figure) -> EvidenceTarget:
    source = metric.source
    if isinstance(source, SeriesSource):
        parts = find_parts(queries.list_series(project, run.id), source)
        if isinstance(parts, tuple):
            ids = [info.id for info in parts]
            return cycle_evidence.window(project, ids, figure.start_ns, figure.end_ns)
    if isinstance(source, StatementSource) and source.statement_id:
        return cycle_evidence.statement(project, run, source.engine, source.statement_id)
    if isinstance(source, MeasurementSource):
        return cycle_evidence.measurement(project, source.key)
    return cycle_evidence.whole_run(run)


def caption(metric: Metric, over: Over, baseline: bool, language: str) -> str:
    """What the evidence of a baseline or a result is called."""
    side = "baseline" if baseline else "result"
    return catalogue(language).text(
        f"cycle.caption.{side}", metric=in_language(metric, "name", language), run=title_of(over)
    )


def figure_edit(
    book: CycleBook,
    metric: Metric,
    over: Over,
    figure: Figure,
    target: EvidenceTarget | None,
    baseline: bool,
    language: str,
    *,
    remark: str = "",
) -> CycleEdit:
    """The figure as the metric's baseline, else as its result, with the evidence that `taken` gave.

    Raises:
        GateRefusal: the gates of a baseline or of a result.
    """

    def put(pinned: Figure) -> CycleEdit:
        if baseline:
            return set_baseline(book, metric.id, pinned)
        return record_result(book, metric.id, pinned, remark)

    return with_evidence(book, figure, target, caption(metric, over, baseline, language), put)


def with_evidence(
    book: CycleBook,
    figure: Figure,
    target: EvidenceTarget | None,
    caption: str,
    build: Callable[[Figure], CycleEdit],
    by: str = "",
) -> CycleEdit:
    """The edit that `build` makes of the figure, and the evidence pinned to its record; one that is there is used, none
    where there is no one place.

    Raises:
        UserError: what `build` raises.
    """
    if target is None:
        return build(figure)
    pinned = next((evidence for evidence in book.all(Evidence) if evidence.target == target), None)
    edit = build(replace(figure, evidence_id=pinned.id if pinned else _EVIDENCE_ID))
    holder, *others = edit.changes
    owner: Record | None = holder.after
    assert owner is not None  # a figure is put into a record, none is taken away by it
    if owner.id == 0:
        owner = replace(owner, id=_OWNER_ID)
    main = RecordChange(holder.before, owner)
    proof = _proof(book, target, caption, owner.id, by) if pinned is None else _attached(pinned, owner.id)
    changed = [change for change in (main, proof, *others) if change.before != change.after]
    return CycleEdit(edit.name, tuple(changed))


def _proof(book: CycleBook, target: EvidenceTarget, caption: str, owner_id: int, by: str) -> RecordChange:
    (pinned,) = cycle_evidence.pin(book, target, caption, by=by).changes
    assert isinstance(pinned.after, Evidence)
    return RecordChange(None, replace(pinned.after, id=_EVIDENCE_ID, attached_to=(owner_id,)))


def _attached(pinned: Evidence, owner_id: int) -> RecordChange:
    kept = pinned.attached_to if owner_id in pinned.attached_to else (*pinned.attached_to, owner_id)
    return RecordChange(pinned, replace(pinned, attached_to=kept))


def apart(edit: CycleEdit, next_id: Callable[[], int]) -> CycleEdit:
    """A figure's edit with ids that no other has, so that several can be kept together."""
    own = {_EVIDENCE_ID: next_id(), _OWNER_ID: next_id()}
    return CycleEdit(edit.name, tuple(_apart(change, own, next_id) for change in edit.changes))


def _apart(change: RecordChange, own: Mapping[int, int], next_id: Callable[[], int]) -> RecordChange:
    assert change.after is not None  # as in `with_evidence`
    after: Record = renumbered(change.after, own)
    return RecordChange(change.before, after if after.id else replace(after, id=next_id()))
