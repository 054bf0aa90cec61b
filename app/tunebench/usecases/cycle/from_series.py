"""A series that is pointed at becomes a metric with its target, or a cause; an iteration is opened where none is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunebench.columns.series_words import series_name
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.evidence import Evidence, EvidenceTarget
from tunebench.domain.cycle.records import Cause, CauseDomain, Iteration, Metric, Outcome, StatementSource, Target
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.domain.engagement import Direction, Run
from tunebench.domain.record_labels import label
from tunebench.domain.series import SeriesInfo
from tunebench.domain.series_names import source_of
from tunebench.domain.windows import Window
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.acts import record_result
from tunebench.usecases.cycle.edits import add, open_iteration
from tunebench.usecases.cycle.figures import check_before, measured

PROPOSED_GAIN = 0.2
"""How much better than its baseline a target is first proposed to be."""
_DIGITS = 3
_METRIC, _TARGET = -12, -13
"""The ids of a metric and its target until they are kept: others than those of a cause that is taken with them."""
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
            of the iteration has this source; cycle_run_is_after; and what `measured` refuses.
    """
    if info.direction is Direction.NEUTRAL:
        raise UserError("series_without_direction", series=info.label)
    name = name or f"{info.host} {series_name(info, catalogue(language), False)}"
    metric = Metric(_METRIC, 0, name, source_of(info), "mean", info.unit, info.direction)
    return _with_target(project, book, metric, over, language)


def make_statement_target(
    project: Project, book: CycleBook, engine: str, reference: str, over: Run | Window, language: str
) -> CycleEdit:
    """As `make_target` of the time that one execution of a statement takes.

    Args:
        reference: as `StatementKey.reference`.
    """
    name = catalogue(language).text("cycle.proposed_statement", statement=reference)
    source = StatementSource("elapsed_s", engine, reference, per_execution=True)
    return _with_target(project, book, Metric(_METRIC, 0, name, source, "value", "s", Direction.LOWER), over, language)


def _with_target(project: Project, book: CycleBook, metric: Metric, over: Run | Window, language: str) -> CycleEdit:
    begun = opened(book, metric.name)
    own = book.in_iteration(Metric, begun.iteration_id)
    judged = next((other for other in own if other.source == metric.source), None)
    if judged is not None:
        raise UserError("series_judged", record=label(judged))
    metric = replace(metric, iteration_id=begun.iteration_id)
    check_before(book, metric, over)
    baseline = measured(project, metric, over)
    factor = 1 - PROPOSED_GAIN if metric.direction is Direction.LOWER else 1 + PROPOSED_GAIN
    value = None if baseline.value is None else float(f"{baseline.value * factor:.{_DIGITS}g}")
    priority = 2 if book.in_iteration(Target, begun.iteration_id) else 1
    note = catalogue(language).text("cycle.proposed_target", percent=f"{100 * PROPOSED_GAIN:.0f}")
    target = Target(_TARGET, begun.iteration_id, metric.id, baseline, value, priority, note=note)
    set_target = add(CycleBook.of([*book, metric]), target).changes
    return CycleEdit("make_target", (*begun.changes, RecordChange(None, metric), *set_target))


def make_price(
    project: Project,
    book: CycleBook,
    info: SeriesInfo,
    action: Action,
    sides: tuple[Run | Window, Run | Window],
    language: str,
) -> CycleEdit:
    """What got worse as a price of the action: a guard metric with its baseline and, once the action was carried out,
    its result. The worksheet that was approved stays as it is.

    Args:
        sides: over which it is measured before and after.

    Raises:
        UserError: as `make_target`.
    """
    if info.direction is Direction.NEUTRAL:
        raise UserError("series_without_direction", series=info.label)
    name, source = f"{info.host} {series_name(info, catalogue(language), False)}", source_of(info)
    own = book.in_iteration(Metric, action.iteration_id)
    watched = next((other for other in own if (other.source, other.guards) == (source, action.id)), None)
    if watched is not None:
        raise UserError("series_judged", record=label(watched))
    metric = Metric(_METRIC, action.iteration_id, name, source, "mean", info.unit, info.direction, guards=action.id)
    target = Target(_TARGET, action.iteration_id, metric.id, measured(project, metric, sides[0]), None, 2)
    changes = [RecordChange(None, metric), *add(CycleBook.of([*book, metric]), target).changes]
    if action.state is ActionState.EXECUTED:
        watched_book = CycleBook.of([*book, metric, target])
        changes += record_result(watched_book, metric.id, measured(project, metric, sides[1])).changes
    return CycleEdit("make_price", tuple(changes))


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
    domain = next((domain for head, domain in _DOMAINS if first.metric.startswith(head)), CauseDomain.SYSTEM)
    return _caused(book, domain, title, target, by)


def make_statement_cause(
    project: Project, book: CycleBook, run: Run, engine: str, reference: str, language: str, by: str = ""
) -> CycleEdit:
    """An open cause with the statement of the run as its evidence; `reference` as for `make_statement_target`.

    Raises:
        UserError: evidence_statement_unknown.
    """
    title = catalogue(language).text("cycle.proposed_statement_cause", statement=reference)
    target = cycle_evidence.statement(project, run, engine, reference)
    return _caused(book, CauseDomain.DATABASE, title, target, by)


def _caused(book: CycleBook, domain: CauseDomain, title: str, target: EvidenceTarget, by: str) -> CycleEdit:
    begun = opened(book, title)
    cause = Cause(-2, begun.iteration_id, domain, title)
    pinned = Evidence(0, 0, title, target, (cause.id,), by, audit.now_iso())
    return CycleEdit("make_cause", (*begun.changes, RecordChange(None, cause), RecordChange(None, pinned)))
