"""A figure taken from a run, with the evidence that it rests on, as one edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from app.domain.cycle import Figure, MeasurementSource, Metric, SeriesSource, StatementSource
from app.domain.cycle_book import CycleBook, CycleEdit, Record, RecordChange
from app.domain.engagement import Run
from app.domain.evidence import Evidence, EvidenceTarget

EVIDENCE_ID, OWNER_ID = -1, -2
"""Before they are kept, see `app.domain.record_ids`."""


def taken(project: Any, metric: Metric, run: Run) -> tuple[Figure, EvidenceTarget]:
    """What the run says about the metric, and where that lies.

    Raises:
        UserError: the run does not have it.
    """
    from app.usecases import cycle

    figure = cycle.measured(project, metric, run)
    return figure, _place(project, metric, run, figure)


def _place(project: Any, metric: Metric, run: Run, figure: Figure) -> EvidenceTarget:
    from app.usecases import browse, cycle_evidence, cycle_figures

    source = metric.source
    if isinstance(source, SeriesSource):
        found = cycle_figures.find_parts(browse.list_series(project, run.label), source)
        if isinstance(found, tuple):
            ids = [info.id for info in found]
            return cycle_evidence.window(project, ids, figure.start_ns, figure.end_ns)
    if isinstance(source, StatementSource) and source.statement_id:
        return cycle_evidence.statement(project, run, source.engine, source.statement_id)
    if isinstance(source, MeasurementSource):
        return cycle_evidence.measurement(project, source.key)
    return cycle_evidence.whole_run(run)


def with_evidence(
    book: CycleBook, figure: Figure, place: EvidenceTarget, caption: str, build: Callable[[Figure], CycleEdit]
) -> CycleEdit:
    """The edit that `build` makes of the figure, and the evidence pinned to its record; one that is there is used.

    Raises:
        UserError: what `build` raises.
    """
    from app.usecases import cycle

    pinned = next((each for each in book.all(Evidence) if each.target == place), None)
    edit = build(replace(figure, evidence_id=pinned.id if pinned else EVIDENCE_ID))
    holder, *others = edit.changes
    owner: Record | None = holder.after
    assert owner is not None  # a figure is put into a record, none is taken away by it
    if owner.id == 0:
        owner = replace(owner, id=OWNER_ID)
    main = RecordChange(holder.before, owner)
    if pinned is not None:
        kept = pinned.attached_to if owner.id in pinned.attached_to else (*pinned.attached_to, owner.id)
        proof = RecordChange(pinned, replace(pinned, attached_to=kept))
    else:
        (made,) = cycle.pin(book, place, caption).changes
        assert isinstance(made.after, Evidence)
        proof = RecordChange(None, replace(made.after, id=EVIDENCE_ID, attached_to=(owner.id,)))
    changed = [each for each in (main, proof, *others) if each.before != each.after]
    return CycleEdit(edit.name, tuple(changed))
