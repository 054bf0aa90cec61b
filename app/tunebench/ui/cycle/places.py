"""Where something of the cycle is worked on, and how to get there."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook, Record
from tunebench.domain.cycle.records import CustomerIssue, Iteration, Step, StepNumber
from tunebench.domain.cycle.worksheet import Action, ExecutedChange
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.workspace import Workspace


@record
class Place:
    """The argument of the pages ``cycle`` and ``tradeoffs``: a step, and the record in it to choose."""

    step: StepNumber
    record_id: int | None = None


def place_of(book: CycleBook, step: StepNumber, record_ids: Sequence[int]) -> Place:
    """The first record that stands in a step by itself; an iteration is not chosen, its step is."""
    named = (book.records.get(id_) for id_ in record_ids)
    return Place(
        step, next((record.id for record in named if record and not isinstance(record, Iteration | Step)), None)
    )


def page_of(record: Record | None) -> str:
    """What is planned and executed is worked on in the worksheet, the rest in its step."""
    return "tradeoffs" if isinstance(record, Action | ExecutedChange) else "cycle"


def go_to(workspace: Workspace, step: StepNumber, record_ids: Sequence[int] = ()) -> None:
    """Shows the page, the iteration and the record."""
    controller = CycleController.of(workspace)
    place = place_of(controller.book, step, record_ids)
    record = controller.book.records.get(place.record_id or 0)
    iteration_id = _iteration_of(controller.book, record)
    if iteration_id is not None and controller.iteration is not None and iteration_id != controller.iteration.id:
        controller.choose(iteration_id)
    workspace.show_page(page_of(record), place)


def _iteration_of(book: CycleBook, record: Record | None) -> int | None:
    if isinstance(record, ExecutedChange):
        record = book.find(Action, record.action_id)
    if record is None or isinstance(record, CustomerIssue):
        return None
    iteration_id = getattr(record, "iteration_id", None)
    return iteration_id if isinstance(iteration_id, int) else None


def step_of(record: Record) -> StepNumber:
    """The step that a record belongs to."""
    own = getattr(record, "number" if isinstance(record, Step) else "step", None)
    return own if isinstance(own, StepNumber) else _STEPS.get(type(record).__name__, StepNumber.PROBLEM)


_STEPS = {
    "Metric": StepNumber.METRICS,
    "Target": StepNumber.TARGETS,
    "Cause": StepNumber.CAUSES,
    "Action": StepNumber.COUNTERMEASURES,
    "ExecutedChange": StepNumber.COUNTERMEASURES,
    "Result": StepNumber.RESULT,
    "ResultSummary": StepNumber.RESULT,
    "Iteration": StepNumber.DECISION,
}
