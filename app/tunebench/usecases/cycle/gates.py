"""What the method does not let pass, as a refusal with the gate's own sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.core.errors import UserError
from tunebench.diagnosis.cycle import gates
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.words import fact_text
from tunebench.domain.cycle.book import CycleBook, Record
from tunebench.domain.cycle.records import Iteration, Metric, Result, Step, StepNumber, StepState, Target
from tunebench.domain.cycle.worksheet import ExecutedChange


class GateRefusal(UserError):
    """Refused by one gate or several; its sentence is the first one's, `gates` are all of them."""

    subject = "gate"

    def __init__(self, closed: Sequence[Gate]) -> None:
        super().__init__(closed[0].key, **closed[0].facts)
        self.gates = tuple(closed)

    def facts_in(self, language: str) -> dict[str, object]:
        return {name: fact_text(value, language) for name, value in self.gates[0].facts.items()}


def pass_gates(closed: Sequence[Gate]) -> None:
    """Raises GateRefusal where a gate is closed."""
    if closed:
        raise GateRefusal(closed)


def gates_before(book: CycleBook, before: Record | None, after: Record) -> tuple[Gate, ...]:
    """The gates that a record has to pass to become `after`; `book` is as it is before."""
    return tuple(_gates_before(book, before, after))


def _gates_before(book: CycleBook, before: Record | None, after: Record) -> Iterator[Gate]:
    if isinstance(after, Target):
        if after.value is not None:
            yield from gates.may_set_target(book, after)
        metric = book.find(Metric, after.metric_id)
        old = before.baseline if isinstance(before, Target) else None
        if metric is not None and after.baseline is not None and after.baseline != old:
            yield from gates.may_take_figure(metric, after.baseline, StepNumber.TARGETS)
            yield from gates.may_take_baseline(book, metric, after.baseline)
    elif isinstance(after, Result):
        metric = book.find(Metric, after.metric_id)
        if metric is not None and (not isinstance(before, Result) or before.after != after.after):
            yield from gates.may_record_result(book, metric, after.after)
            yield from gates.may_take_figure(metric, after.after, StepNumber.RESULT)
        if metric is not None and before is None:
            yield from gates.may_begin_result(book, metric)
    elif isinstance(after, ExecutedChange) and (
        not isinstance(before, ExecutedChange)
        or (before.executed_at, before.executed_by) != (after.executed_at, after.executed_by)
    ):
        yield from gates.may_log_execution(book, after)
    elif isinstance(after, Step) and (not isinstance(before, Step) or before.state is not after.state):
        yield from _before_step(book, after)


def _before_step(book: CycleBook, step: Step) -> tuple[Gate, ...]:
    iteration = book.find(Iteration, step.iteration_id)
    if iteration is None:
        return ()
    if step.state is StepState.SKIPPED:
        return gates.may_skip(iteration, step.number, step.skip_reason)
    return gates.may_finish(book, iteration, step.number) if step.state is StepState.DONE else ()
