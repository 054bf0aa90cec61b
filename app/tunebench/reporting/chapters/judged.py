"""The iteration that a document concludes from, and over which windows its targets were measured."""

from __future__ import annotations

from tunebench.domain.engagement import Phase
from tunebench.domain.provenance import bare_state
from tunebench.reporting.cases.case import CaseWindow
from tunebench.reporting.cases.cycle import CONTRADICTED, CaseIteration, CaseTarget, MeasuredOver
from tunebench.reporting.chapters.context import Context

GRAVITY = (CONTRADICTED, "missed", "not_comparable", "undecided", "not_measured", "descriptive", "met")
"""Of several targets the gravest state is the page's."""


def judged_iteration(context: Context) -> CaseIteration | None:
    """The last iteration that has a target; None where none was ever set."""
    wanted = (iteration for iteration in reversed(context.case.cycle.iterations) if targets_of(iteration))
    return next(wanted, None)


def targets_of(iteration: CaseIteration) -> list[CaseTarget]:
    """The iteration's targets with a value, the top priority first."""
    valued = [target for target in iteration.targets if target.target is not None and target.target.value is not None]
    return sorted(valued, key=lambda target: target.target.priority if target.target else 0)


def decisive(iteration: CaseIteration) -> list[CaseTarget]:
    """The targets of the top priority, which decide."""
    valued = targets_of(iteration)
    return [target for target in valued if target.target and target.target.priority == 1] or valued


def top_target(iteration: CaseIteration) -> CaseTarget:
    return min(decisive(iteration), key=lambda target: GRAVITY.index(bare_state(target.state)))


# -- which windows a figure is of ----------------------------------------------------------------------


def of_targets(context: Context, target: CaseTarget) -> str:
    """``full-load 2 → full-load 3`` where the target was measured over other windows than the document compares."""
    compared = _compared(context)
    sides = [pair for pair in zip(target.windows, compared, strict=True) if pair[0] is not None]
    if not all(compared) or all(over is not None and _lies_in(over, window) for over, window in sides):
        return ""
    return " → ".join(context.text("unknown") if over is None else over.name for over in target.windows)


def of_document(context: Context, sentence: str) -> str:
    """The sentence, with the windows that the document compares where some target that it shows is of others."""
    iteration = judged_iteration(context)
    before, after = _compared(context)
    if iteration is None or before is None or after is None:
        return sentence
    if not any(of_targets(context, target) for target in targets_of(iteration)):
        return sentence
    return context.text("note.of_windows", before=before.name, after=after.name, sentence=sentence)


def _compared(context: Context) -> tuple[CaseWindow | None, CaseWindow | None]:
    on_side = {window.phase: window for window in context.case.windows if window.occurrences}
    return on_side.get(Phase.BEFORE), on_side.get(Phase.AFTER)


def _lies_in(over: MeasuredOver, window: CaseWindow | None) -> bool:
    if window is None:
        return False
    if over.start_ns is None or over.end_ns is None:
        return over.name == window.name
    return window.occurrences[0].start_ns <= over.start_ns and over.end_ns <= window.occurrences[-1].end_ns
