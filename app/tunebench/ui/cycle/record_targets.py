"""Step 2: from where, to where, by when, and what comes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tunebench.columns.formats import DASH
from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange
from tunebench.domain.cycle.measured_over import Over
from tunebench.domain.cycle.records import Figure, Metric, StepNumber, Target
from tunebench.domain.engagement import Phase
from tunebench.ui.cycle.figure_words import figure_text, goal_text, wording
from tunebench.ui.cycle.record_fields import form_of
from tunebench.ui.cycle.record_form import RecordForm
from tunebench.ui.cycle.record_metered import MeteredPanel
from tunebench.ui.cycle.record_table import Cell, Row
from tunebench.ui.look.language import text
from tunebench.usecases.cycle.figures import check_before

PRIORITIES = 5
TOP = "1"


def _priorities() -> list[tuple[str, str]]:
    top = text("ui.cycle.priority.top")
    return [(TOP, f"1 – {top}"), *((str(number), str(number)) for number in range(2, PRIORITIES + 1))]


class TargetForm(RecordForm):
    """The top priority is given to one target: it is taken from the one that had it, in one step of undo."""

    def build(self, record: Record, path: str, typed: str) -> CycleEdit:
        edit = super().build(record, path, typed)
        if path != "priority" or typed != TOP or not isinstance(record, Target):
            return edit
        book = self._controller.book
        others = [target for target in book.in_iteration(Target, record.iteration_id) if target.id != record.id]
        moved = [RecordChange(target, replace(target, priority=2)) for target in others if target.priority == 1]
        return CycleEdit("set_top_priority", (*edit.changes, *moved))


class TargetPanel(MeteredPanel):
    name = "targets"
    columns = ("metric", "baseline", "goal", "priority", "due_on", "owner")
    phase = Phase.BEFORE
    step = StepNumber.TARGETS
    specs = form_of(Target, priority=_priorities)
    form_type = TargetForm

    def metrics(self) -> Sequence[Metric]:
        """The top priority first; guards last: their targets are limits."""

        def rank(metric: Metric) -> tuple[bool, int, int]:
            target = self.target(metric)
            return metric.guards is not None, target.priority if target else PRIORITIES + 1, metric.id

        return sorted(self.controller.book.in_iteration(Metric, self.iteration.id), key=rank)

    def row(self, metric: Metric) -> Row:
        words, target = wording(self.workspace), self.target(metric)
        top = target is not None and target.priority == 1
        faded = "muted" if target is None or metric.guards is not None else ""
        priority = DASH if target is None else text("ui.cycle.priority.top") if top else str(target.priority)
        return Row(
            metric.id,
            (
                Cell(metric.name, faded, strong=not faded),
                Cell(
                    self.mark(self.held(metric)[0], figure_text(self.held(metric)[1], metric, words)), faded, right=True
                ),
                Cell(goal_text(target.value if target else None, metric, words), faded, right=True),
                Cell(priority, "accent" if top else faded, strong=top),
                Cell((target.due_on if target else "") or DASH, faded),
                Cell((target.owner if target else "") or DASH, faded),
            ),
        )

    def held(self, metric: Metric) -> tuple[int | None, Figure | None]:
        target = self.target(metric)
        return (target.id, target.baseline) if target else (None, None)

    def check_run(self, run: Over) -> None:
        metric = self.current
        if metric is not None:
            check_before(self.controller.book, metric, run)
