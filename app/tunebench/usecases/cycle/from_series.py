"""A series that is pointed at becomes a metric with its target, or a cause; an iteration is opened where none is."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.columns.series_words import series_name
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Cause, CauseDomain, Iteration, Metric, Outcome, Target
from tunebench.domain.engagement import Direction, Run
from tunebench.domain.record_labels import label
from tunebench.domain.series import SeriesInfo
from tunebench.domain.series_names import source_of
from tunebench.domain.windows import Window
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.edits import open_iteration
from tunebench.usecases.cycle.figures import measured

PROPOSED_GAIN = 0.2
"""How much better than its baseline a target is first proposed to be."""
_DIGITS = 3
_DOMAINS = (("system.network.", CauseDomain.NETWORK), ("system.", CauseDomain.SYSTEM), ("db.", CauseDomain.DATABASE))


@record
class Opened:
    """The iteration that records go into, and the changes that open it: none where it is open already."""

    iteration_id: int
    changes: tuple[RecordChange, ...]


def opened(book: CycleBook, title: str) -> Opened:
    """The open iteration, else a new one called by what it is begun for."""
    current = book.current
    if current is not None and current.outcome is Outcome.OPEN:
        return Opened(current.id, ())
    edit = open_iteration(book, title, on=audit.now_iso()[:10])
    (begun,) = (change.after for change in edit.changes if isinstance(change.after, Iteration))
    return Opened(begun.id, edit.changes)


def make_target(
    project: Project, book: CycleBook, info: SeriesInfo, over: Run | Window, language: str, name: str = ""
) -> CycleEdit:
    """A metric for the series and a target for it: the baseline is measured over the window, the value proposed.

    Args:
        language: of the words that are kept with it.
        name: what the metric is called; as the series is, where it has no other.

    Raises:
        UserError: series_without_direction where nobody knows whether more is better; series_judged where a metric
            of the iteration has this source; and what `measured` refuses.
    """
    if info.direction is Direction.NEUTRAL:
        raise UserError("series_without_direction", series=info.label)
    messages, source = catalogue(language), source_of(info)
    name = name or f"{info.host} {series_name(info, messages, False)}"
    begun = opened(book, name)
    own = book.in_iteration(Metric, begun.iteration_id)
    judged = next((metric for metric in own if metric.source == source), None)
    if judged is not None:
        raise UserError("series_judged", record=label(judged))
    metric = Metric(-2, begun.iteration_id, name, source, "mean", info.unit, info.direction)
    baseline = measured(project, metric, over)
    factor = 1 - PROPOSED_GAIN if info.direction is Direction.LOWER else 1 + PROPOSED_GAIN
    value = None if baseline.value is None else float(f"{baseline.value * factor:.{_DIGITS}g}")
    priority = 2 if book.in_iteration(Target, begun.iteration_id) else 1
    note = messages.text("cycle.proposed_target", percent=f"{100 * PROPOSED_GAIN:.0f}")
    target = Target(-3, begun.iteration_id, metric.id, baseline, value, priority, note=note)
    return CycleEdit("make_target", (*begun.changes, RecordChange(None, metric), RecordChange(None, target)))


def make_cause(
    project: Project, book: CycleBook, series: Sequence[SeriesInfo], span: Span, language: str, by: str = ""
) -> CycleEdit:
    """An open cause with the stretch as its evidence.

    Args:
        series: of one run.

    Raises:
        UserError: what `window` of the evidence refuses.
    """
    first = series[0]
    title = f"{first.host} {series_name(first, catalogue(language), False)}"
    target = cycle_evidence.window(project, [info.id for info in series], *span)
    begun = opened(book, title)
    domain = next((domain for head, domain in _DOMAINS if first.metric.startswith(head)), CauseDomain.SYSTEM)
    cause = Cause(-2, begun.iteration_id, domain, title)
    pinned = Evidence(0, 0, title, target, (cause.id,), by, audit.now_iso())
    return CycleEdit("make_cause", (*begun.changes, RecordChange(None, cause), RecordChange(None, pinned)))
