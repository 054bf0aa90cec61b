"""Step 6: the target was not met, so the next iteration goes on with what is still open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from tunebench.core import records
from tunebench.diagnosis.cycle.results import TargetState, latest_figure, target_standing, value_of
from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.records import (
    Cause,
    CauseState,
    Iteration,
    Metric,
    Outcome,
    Question,
    Step,
    StepNumber,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState
from tunebench.domain.record_ids import renumbered

_STILL_CAUSES = (CauseState.OPEN, CauseState.CONFIRMED)
_STILL_PLANNED = (ActionState.DRAFT, ActionState.PROPOSED)


@records.record(frozen=False)
class _Copies:
    """Old id -> negative id of the copy, see `tunebench.domain.record_ids`."""

    iteration_id: int
    ids: dict[int, int] = field(default_factory=dict)

    def number(self, id_: int) -> int:
        return self.ids.setdefault(id_, self.iteration_id - 1 - len(self.ids))


def carry_over(book: CycleBook, iteration: Iteration, title: str, *, on: str = "", by: str = "") -> CycleEdit:
    """The next iteration with the open causes, the targets that were not met, the countermeasures that wait and, moved
    with who asked them when, the questions without an answer.

    A target starts from where the last iteration ended: its baseline is the figure after, where one was measured,
    because only what changes from now on may be credited to the new countermeasures. Approvals are asked for anew.

    Args:
        on, by: ISO date and person; who closes the iteration that is continued.
    """
    copies = _Copies(iteration_id=-1)
    records: list[Record] = [_next_iteration(book, iteration, title, on)]
    records += [Step(0, copies.iteration_id, number) for number in StepNumber]
    old = tuple(_open_records(book, iteration))
    for record in old:
        copies.number(record.id)
    records += [_copy(book, record, copies) for record in old]
    closing = _closed(iteration, on, by)
    changes = [RecordChange(iteration, closing)] if closing != iteration else []
    changes += [
        RecordChange(question, replace(question, iteration_id=copies.iteration_id))
        for question in book.in_iteration(Question, iteration.id)
        if not question.answer.strip()
    ]
    return CycleEdit("carry_over", (*changes, *(RecordChange(None, record) for record in records)))


def _next_iteration(book: CycleBook, iteration: Iteration, title: str, on: str) -> Iteration:
    number = 1 + max((earlier.number for earlier in book.iterations), default=0)
    return Iteration(
        -1, number, title, iteration.introduction, iteration.template, continues=iteration.id, opened_on=on
    )


def _closed(iteration: Iteration, on: str, by: str) -> Iteration:
    """One that was closed already keeps its own end."""
    if iteration.outcome is not Outcome.OPEN:
        return iteration
    return replace(iteration, outcome=Outcome.CONTINUED, closed_on=on, closed_by=by)


def _open_records(book: CycleBook, iteration: Iteration) -> Iterator[Metric | Target | Cause | Action]:
    """The open records, each after those that it names, except a guard and its action."""
    targets = [target for target in book.in_iteration(Target, iteration.id) if _is_open(book, target)]
    actions = [a for a in book.in_iteration(Action, iteration.id) if a.state in _STILL_PLANNED]
    kept = {target.metric_id for target in targets}
    kept |= {verification.metric_id for action in actions for verification in action.verifications}
    waiting = {action.id for action in actions}
    for metric in book.in_iteration(Metric, iteration.id):
        if metric.guards in waiting or (metric.guards is None and metric.id in kept):
            yield metric
    yield from targets
    for cause in book.in_iteration(Cause, iteration.id):
        if cause.state in _STILL_CAUSES:
            yield cause
    yield from actions


def _is_open(book: CycleBook, target: Target) -> bool:
    """Missed, undecided, not comparable or not measured; the limit of a guard goes with its action."""
    metric = book.find(Metric, target.metric_id)
    if metric is None:
        return False
    if metric.guards is not None:
        action = book.find(Action, metric.guards)
        return action is not None and action.state in _STILL_PLANNED
    return target_standing(book, target, metric).state is not TargetState.MET


def _copy(book: CycleBook, record: Metric | Target | Cause | Action, copies: _Copies) -> Record:
    """The record under its new number, naming the copies of what was carried over and nothing that was left behind."""
    turned = replace(record, iteration_id=copies.iteration_id, carried_from=None)
    if isinstance(turned, Target):
        now = latest_figure(book, turned.metric_id)
        turned = replace(turned, baseline=now if value_of(now) is not None else turned.baseline)
    if isinstance(turned, Action):
        turned = _without_left_behind(turned, copies.ids)
    if isinstance(turned, Cause) and _was_acted_on(book, record.id):
        # what its share was before the change it is no longer: it has to be found again
        turned = replace(turned, state=CauseState.OPEN, share_pct=None)
    return replace(renumbered(turned, copies.ids), carried_from=record.id)


def _was_acted_on(book: CycleBook, cause_id: int) -> bool:
    return any(cause_id in action.cause_ids and action.state is ActionState.EXECUTED for action in book.all(Action))


def _without_left_behind(action: Action, copied: Mapping[int, int]) -> Action:
    return replace(
        action,
        cause_ids=tuple(id_ for id_ in action.cause_ids if id_ in copied),
        verifications=tuple(verification for verification in action.verifications if verification.metric_id in copied),
        consents=(),
        state=ActionState.DRAFT,
    )
