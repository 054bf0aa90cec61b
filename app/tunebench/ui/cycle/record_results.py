"""Step 5: before, after, target and verdict of every metric, and where the bottleneck went."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel

from tunebench.columns.formats import DASH
from tunebench.diagnosis.cycle.planned import Planned, planned_and_happened
from tunebench.diagnosis.cycle.results import (
    GuardStanding,
    TargetStanding,
    VerificationStanding,
    change_between,
    latest_result,
    summary_of,
)
from tunebench.domain.cycle.book import CycleEdit, Record
from tunebench.domain.cycle.measured_over import Over
from tunebench.domain.cycle.records import Figure, Metric, Result, ResultSummary, StepNumber
from tunebench.domain.engagement import Phase
from tunebench.reporting import cycle_words
from tunebench.reporting.cycle_words import planned_text
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.figure_words import change_text, figure_text, goal_text, state_shape, state_tone, wording
from tunebench.ui.cycle.places import go_to
from tunebench.ui.cycle.record_fields import form_of
from tunebench.ui.cycle.record_form import RecordForm
from tunebench.ui.cycle.record_metered import MeteredPanel
from tunebench.ui.cycle.record_panel import StepPanel, TablePanel
from tunebench.ui.cycle.record_table import Cell, Row
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_L
from tunebench.ui.widgets.parts import label, line, set_tone
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.fields import set_field
from tunebench.usecases.cycle.figures import check_after
from tunebench.usecases.cycle.words import state_text


class ResultPanel(MeteredPanel):
    name = "results"
    columns = ("metric", "before", "after", "goal", "change", "verdict")
    phase = Phase.AFTER
    step = StepNumber.RESULT
    specs = form_of(Result)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.verified = VerifiedPanel(workspace)
        self.summary = SummaryPanel(workspace)
        self._rule = line()
        for rule, part in ((self._rule, self.verified), (line(), self.summary)):
            self.column.addSpacing(SPACE_L)
            self.lay(rule, part)

    def refresh(self, editable: bool) -> None:
        super().refresh(editable)
        self.verified.refresh(editable)
        for part in (self._rule, self.verified):
            part.setVisible(bool(self.verified.table.rows_model.rows))
        self.summary.refresh(editable)

    def metrics(self) -> Sequence[Metric]:
        """Targets first, by priority; then the guards; metrics with neither come last and are not judged."""
        if self.controller.standing is None:
            return ()
        judged = [standing.metric for standing in self.controller.standing.targets]
        others = [
            metric for metric in self.controller.book.in_iteration(Metric, self.iteration.id) if metric not in judged
        ]
        return (*judged, *sorted(others, key=lambda metric: metric.guards is None))

    def _standing(self, metric: Metric) -> TargetStanding | GuardStanding | None:
        standing = self.controller.standing
        judged: tuple[TargetStanding | GuardStanding, ...] = (*standing.targets, *standing.guards) if standing else ()
        return next((entry for entry in judged if entry.metric.id == metric.id), None)

    def row(self, metric: Metric) -> Row:
        words, target = wording(self.workspace), self.target(metric)
        result = latest_result(self.controller.book, metric.id)
        before, after = (target.baseline if target else None), (result.after if result else None)
        standing = self._standing(metric)
        state = standing.called if standing else ""
        change = standing.improvement if standing else change_between(before, after, metric, comparable=False)
        top = target is not None and target.priority == 1 and metric.guards is None
        return Row(
            metric.id,
            (
                Cell(metric.name, "muted" if metric.guards is not None else "", strong=top),
                Cell(
                    self.mark(target.id if target else None, figure_text(before, metric, words)), "before", right=True
                ),
                Cell(self.mark(self.held(metric)[0], figure_text(after, metric, words)), "after", right=True),
                Cell(goal_text(target.value if target else None, metric, words), right=True),
                Cell(change_text(change, words), right=True),
                Cell(verdict_text(standing, self.controller), state_tone(state) or "muted", strong=top),
            ),
        )

    def held(self, metric: Metric) -> tuple[int | None, Figure | None]:
        result = latest_result(self.controller.book, metric.id)
        return (result.id, result.after) if isinstance(result, Result) else (None, None)

    def check_run(self, run: Over) -> None:
        check_after(run)


def verdict_text(
    standing: TargetStanding | GuardStanding | VerificationStanding | None, controller: CycleController
) -> str:
    """Sign and words of a verdict; empty where there is none."""
    match standing:
        case None:
            return ""
        case TargetStanding():
            words = controller.target_text(standing)
        case _:
            words = state_text(standing, language().code)
    return f"{state_shape(standing.called)} {words}"


class VerifiedPanel(TablePanel):
    """Shows whether each change did what it was made for, and cost what was expected."""

    name = "verified"
    columns = ("countermeasure", "expected", "metric", "change", "verdict")
    wide = (0, 1, 2)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.lay(self.table)
        self.table.opened.connect(lambda id_: go_to(self.workspace, StepNumber.COUNTERMEASURES, (id_,)))

    def refresh(self, editable: bool) -> None:
        self.show_rows([self._row(entry) for entry in planned_and_happened(self.controller.book, self.iteration)])

    def _row(self, planned: Planned) -> Row:
        words, standing = wording(self.workspace), planned.standing
        state = standing.called if standing is not None else "not_measured"
        verdict = verdict_text(standing, self.controller) or DASH
        return Row(
            planned.action.id,
            (
                Cell(planned.action.title, strong=True),
                Cell(planned_text(planned.impacts, planned.margin_pct, words)),
                Cell(standing.metric.name if standing is not None else DASH),
                Cell((change_text(standing.improvement, words) if standing is not None else "") or DASH, right=True),
                Cell(verdict, state_tone(state) or "muted"),
            ),
        )


class SummaryForm(RecordForm):
    """There is a summary as soon as one of its fields is filled."""

    def build(self, record: Record, path: str, typed: str) -> CycleEdit:
        if record.id:
            return super().build(record, path, typed)
        return edits.add(self._controller.book, set_field(record, path, typed))


class SummaryPanel(StepPanel):
    """Where the bottleneck was and is, what that rests on, side effects, conclusion."""

    name = "summary"
    specs = form_of(ResultSummary)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.form = SummaryForm(self.controller, self.specs, removable=False)
        self.shift: QLabel = label(role="strong", wrap=True)
        self.lay(self.shift, self.form)

    def refresh(self, editable: bool) -> None:
        summary = summary_of(self.controller.book, self.iteration)
        self.form.show_record(summary or ResultSummary(0, self.iteration.id), editable)
        shift = self.controller.standing.shift if self.controller.standing else None
        shown = shift is not None and shift.state.value != "unknown"
        self.shift.setVisible(shown)
        if shift is not None and shown:
            names = [text(f"cycle.resource.{value}") for value in (shift.before, shift.after)]
            words = cycle_words.word(shift.state, language().code)
            basis = "" if shift.measured else " · " + text("ui.cycle.shift.described")
            self.shift.setText(f"{words}: {' → '.join(dict.fromkeys(names))}{basis}")
            set_tone(self.shift, "" if shift.measured else "watch")
