"""Whether somebody has signed that the system answers after the changes what it answered before, and shown it."""

from __future__ import annotations

from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.results import summary_of
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Attachment, Equality, Iteration, Step, StepNumber, StepState
from tunebench.domain.cycle.seals import has_substance
from tunebench.domain.cycle.worksheet import Action, ActionState


def equality_gates(book: CycleBook, iteration: Iteration) -> tuple[Gate, ...]:
    """What the sign-off lacks; nothing where no change is in force, by a countermeasure or by others (its step was
    skipped)."""
    done = any(action.state is ActionState.EXECUTED for action in book.in_iteration(Action, iteration.id))
    steps = book.in_iteration(Step, iteration.id)
    if not done and not any(s.number is StepNumber.COUNTERMEASURES and s.state is StepState.SKIPPED for s in steps):
        return ()
    key = _lacks(book, iteration)
    summary = summary_of(book, iteration)
    about = (summary.id,) if summary is not None else ()
    return (Gate(key, {"number": iteration.number}, (*about, iteration.id), StepNumber.RESULT),) if key else ()


def _lacks(book: CycleBook, iteration: Iteration) -> str:
    summary = summary_of(book, iteration)
    if summary is None or summary.equality is Equality.UNSIGNED or not has_substance(summary.equality_by):
        return "equality_unsigned"
    if summary.equality is Equality.DIFFERENT:
        return "equality_differs"
    shown = summary.equality is Equality.NOT_APPLICABLE or equality_evidence(book, iteration)
    return "" if shown and has_substance(summary.equality_basis) else "equality_unproven"


def equality_evidence(book: CycleBook, iteration: Iteration) -> tuple[str, ...]:
    """Codes of what is pinned to the summary or to the step that it is written in, and files that were laid there."""
    steps = (step for step in book.in_iteration(Step, iteration.id) if step.number is StepNumber.RESULT)
    ids = {record.id for record in (summary_of(book, iteration), *steps) if record is not None}
    pinned = (evidence.code for evidence in book.all(Evidence) if ids & set(evidence.attached_to))
    files = (
        attachment
        for attachment in book.in_iteration(Attachment, iteration.id)
        if attachment.step is StepNumber.RESULT and attachment.size_bytes
    )
    return (*pinned, *(attachment.file_name for attachment in files))
