"""A step in full: its head, what is worked on in it, and beside that notes, questions, files and evidence."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QSizePolicy, QWidget

from tunebench.domain.cycle.records import Outcome, Step, StepNumber
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.record_decision import DecisionPanel
from tunebench.ui.cycle.record_fields import spec_of
from tunebench.ui.cycle.record_files import AttachmentPanel, EvidencePanel
from tunebench.ui.cycle.record_form import RecordForm
from tunebench.ui.cycle.record_metrics import MetricPanel
from tunebench.ui.cycle.record_panel import StepPanel
from tunebench.ui.cycle.record_plain import ActionPanel, CausePanel, IssuePanel, QuestionPanel
from tunebench.ui.cycle.record_results import ResultPanel
from tunebench.ui.cycle.record_targets import TargetPanel
from tunebench.ui.cycle.sentence_list import SentenceList, on_record
from tunebench.ui.cycle.step_head import StepHead
from tunebench.ui.look.language import translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.widgets.parts import column, label, line
from tunebench.ui.workspace import Workspace

SIDE_BY_SIDE = 1120
SIDE_WIDTH = 380

PANELS: Mapping[StepNumber, type[StepPanel]] = {
    StepNumber.PROBLEM: IssuePanel,
    StepNumber.METRICS: MetricPanel,
    StepNumber.TARGETS: TargetPanel,
    StepNumber.CAUSES: CausePanel,
    StepNumber.COUNTERMEASURES: ActionPanel,
    StepNumber.RESULT: ResultPanel,
    StepNumber.DECISION: DecisionPanel,
}


class Sheet(QFrame):
    """As high as its texts need at its width: what they would need at the least width leaves a hole."""

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)


class StepDetail(QScrollArea):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self.number = StepNumber.PROBLEM
        self.panels: dict[StepNumber, StepPanel] = {}
        self.head = StepHead(self._controller)
        self.notes = RecordForm(self._controller, [spec_of(Step, "notes")], removable=False)
        self.questions = QuestionPanel(workspace)
        self.attachments = AttachmentPanel(workspace)
        self.evidence = EvidencePanel(workspace)
        self.closed = translated(label(role="muted", wrap=True), "ui.cycle.closed")
        self.amendments = SentenceList("warning", "watch")
        self.disclosures = SentenceList("warning", "watch")
        self._main, self._side = QWidget(), QWidget()
        self._lay_out()
        self.setWidgetResizable(True)
        self._controller.broken_changed.connect(self._on_broken)

    def _lay_out(self) -> None:
        self._work = column(spacing=-1)
        parts = (self.closed, self.head, self.amendments, self.disclosures)
        self._main.setLayout(column(*parts, line(), self._work, 1, spacing=SPACE_M))
        beside = (part for section in (self.questions, self.attachments, self.evidence) for part in (line(), section))
        self._side.setLayout(column(self.notes, *beside, 1, spacing=SPACE_M))
        holder = Sheet()
        holder.setProperty("card", "true")
        self._both = QBoxLayout(QBoxLayout.Direction.TopToBottom, holder)
        self._both.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        self._both.setSpacing(SPACE_L)
        self._rule = line()
        for part in (self._main, self._rule, self._side):
            self._both.addWidget(part, int(part is self._main))
        self.setWidget(holder)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lays both parts beside each other where there is room."""
        super().resizeEvent(event)
        wide = self.viewport().width() >= SIDE_BY_SIDE
        directions = QBoxLayout.Direction
        self._both.setDirection(directions.LeftToRight if wide else directions.TopToBottom)
        self._rule.setVisible(not wide)
        policy = QSizePolicy.Policy
        self._side.setSizePolicy(policy.Fixed if wide else policy.Preferred, policy.Preferred)
        self._side.setMinimumWidth(SIDE_WIDTH if wide else 0)
        self._side.setMaximumWidth(SIDE_WIDTH if wide else 16_777_215)

    @property
    def panel(self) -> StepPanel:
        """The panel of the step that is shown; made on first use."""
        if self.number not in self.panels:
            panel = PANELS[self.number](self._workspace)
            self.panels[self.number] = panel
            self._work.addWidget(panel)
        return self.panels[self.number]

    def show_step(self, number: StepNumber) -> None:
        """Shows the step as the book has it now."""
        iteration = self._controller.iteration
        if iteration is None:
            return
        if number is not self.number:
            self.number = number
            # after the focus has left what is hidden now
            QTimer.singleShot(0, self, lambda: self.verticalScrollBar().setValue(0))
        panel = self.panel
        for other in self.panels.values():
            other.setVisible(other is panel)
        ended = iteration.outcome is not Outcome.OPEN
        editable = self._controller.writable and not ended
        self.closed.setVisible(ended)
        steps = self._controller.book.in_iteration(Step, iteration.id)
        step = next((step for step in steps if step.number is number), None)
        self.head.show_step(iteration, number, step, editable)
        shown = self._controller.shown()
        for sentences in (self.amendments, self.disclosures):
            sentences.use_tone(*on_record(ended))
        self.amendments.show_sentences(self._controller.amendment_sentences(shown))
        self.disclosures.show_sentences(self._controller.disclosure_sentences(shown))
        panel.refresh(editable)
        self.notes.show_record(step, editable)
        self.notes.gates.show_sentences(())
        for part in (self.questions, self.attachments, self.evidence):
            part.step = number
            part.refresh(editable)

    def choose(self, record_id: int) -> None:
        """The record in whichever part of the step it stands."""
        for part in (self.panel, self.questions, self.attachments):
            if part.choose(record_id):
                break

    def _on_broken(self) -> None:
        if self.isVisible() and self._controller.iteration is not None:
            self.evidence.refresh(self._controller.writable)
