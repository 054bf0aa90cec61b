"""The steps that an iteration would leave unfinished when it ends: most of them were simply never clicked through."""

from __future__ import annotations

from tunebench.core.records import record
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.gates import may_finish
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Iteration, Step, StepNumber, StepState


@record
class LackingStep:
    """A step that cannot be called done yet, with what is in the way."""

    step: Step
    gates: tuple[Gate, ...]


@record
class StepsLeft:
    """Steps 0 to 5 that are neither done nor skipped; step 6 is done by deciding.

    Attributes:
        ready: hold all that the method asks of them, and may be finished together with the iteration.
        lacking: hold less; they stay as they are.
    """

    ready: tuple[Step, ...]
    lacking: tuple[LackingStep, ...]


def steps_left(book: CycleBook, iteration: Iteration) -> StepsLeft:
    unfinished = sorted(
        (step for step in book.in_iteration(Step, iteration.id) if _is_left(step)), key=lambda step: step.number
    )
    lacking = [LackingStep(step, may_finish(book, iteration, step.number)) for step in unfinished]
    return StepsLeft(
        tuple(left.step for left in lacking if not left.gates), tuple(left for left in lacking if left.gates)
    )


def _is_left(step: Step) -> bool:
    return step.number is not StepNumber.DECISION and step.state in (StepState.OPEN, StepState.IN_WORK)
