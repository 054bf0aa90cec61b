"""Steps 2 and 5 in common: a row per metric, and a figure that is taken from a run or typed in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from app.core.errors import UserError
from app.domain.cycle.book import CycleEdit
from app.domain.cycle.evidence import EvidenceTarget
from app.domain.cycle.measured_over import Over
from app.domain.cycle.records import Figure, Metric, Target
from app.domain.engagement import Phase
from app.ui.cycle.evidence_chips import EvidenceChips
from app.ui.cycle.record_figures import FigureField, typed_figure
from app.ui.cycle.record_panel import TablePanel
from app.ui.cycle.record_table import Row
from app.ui.cycle.sentence_list import SentenceList
from app.ui.look.language import error_text, language, text
from app.ui.look.theme import SPACE_M
from app.ui.widgets.parts import column, label
from app.ui.workspace import Workspace
from app.usecases.cycle.measuring import caption, taken, with_evidence


class MeteredPanel(TablePanel):
    """Rows are metrics; what is said of a metric hangs below the table."""

    phase: ClassVar[Phase] = Phase.BEFORE

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.metric_name = label(role="strong", wrap=True)
        self.gates = SentenceList()
        self.figure = FigureField(workspace, self.name, self.phase)
        self.broken = SentenceList()
        self.error = SentenceList("error", "critical")
        self.chips = EvidenceChips(workspace)
        self.form = self.make_form()
        told = (self.metric_name, self.gates, self.figure, self.broken, self.error, self.chips, self.form)
        self.lay(self.table, column(*told, spacing=-1, margins=(0, SPACE_M, 0, 0)))
        self.table.chosen.connect(self._on_chosen)
        self.table.opened.connect(lambda _id: self.figure.value.setFocus())
        self.figure.take_asked.connect(self.take)
        self.figure.typed.connect(self.type_in)
        self.controller.broken_changed.connect(self._on_broken)

    # --- what a subclass says
    @abstractmethod
    def metrics(self) -> Sequence[Metric]: ...

    @abstractmethod
    def row(self, metric: Metric) -> Row: ...

    @abstractmethod
    def held(self, metric: Metric) -> tuple[int | None, Figure | None]:
        """Id of the record that holds the metric's figure, and the figure."""

    @abstractmethod
    def put(self, metric: Metric, figure: Figure) -> CycleEdit:
        """Raises UserError."""

    def check_run(self, run: Over) -> None:
        """Raises UserError where no figure may come from it."""

    # --- showing

    @property
    def current(self) -> Metric | None:
        return self.controller.book.find(Metric, self.table.chosen_id)

    def refresh(self, editable: bool) -> None:
        self._editable = editable
        self.show_rows([self.row(metric) for metric in self.metrics()])
        self._show_chosen()

    def _on_chosen(self, _id: int) -> None:
        self.error.show_sentences(())
        self._show_chosen()

    def _show_chosen(self) -> None:
        metric = self.current
        for part in (self.metric_name, self.figure, self.chips):
            part.setVisible(metric is not None)
        if metric is None:
            self.gates.show_sentences(())
            self.broken.show_sentences(())
            self.form.show_record(None, False)
            return
        id_, figure = self.held(metric)
        self.metric_name.setText(metric.name)
        self.chips.show_for((id_,) if id_ else (), text("ui.cycle.evidence.none"))
        self.figure.show_figure(metric, figure, self._editable)
        why = self.controller.why_broken(id_)
        self.broken.show_sentences([why] if why else [])
        self.form.show_record(self.controller.book.records.get(id_ or 0), self._editable)
        about = [each for each in self.controller.gates if {metric.id, id_} & set(each.record_ids)]
        barred = self.controller.gate_sentences(gate for gate in about if gate.step is self.step)
        self.gates.show_sentences(barred, metric.id)
        self.form.gates.show_sentences(())

    def _on_broken(self) -> None:
        """A figure is kept although what it was computed from is gone, or says otherwise now."""
        if self.isVisible() and self.controller.iteration is not None:
            self.refresh(self._editable)

    def target(self, metric: Metric) -> Target | None:
        targets = self.controller.book.in_iteration(Target, metric.iteration_id)
        return next((each for each in targets if each.metric_id == metric.id), None)

    def mark(self, id_: int | None, words: str) -> str:
        """A figure's words, with the sign of a broken one."""
        return f"▲ {words}" if id_ in self.controller.broken else words

    def choose(self, record_id: int) -> bool:
        record = self.controller.book.records.get(record_id)
        return self.table.choose(getattr(record, "metric_id", record_id))

    # --- editing
    def take(self, run: Over) -> None:
        """The figure and its evidence from a run or a kept window; computed in the background, one step of undo."""
        metric, project = self.current, self.workspace.project
        if metric is None or project is None:
            return
        try:
            self.check_run(run)
        except UserError as error:
            self._refuse(error)
            return
        self.workspace.jobs.run(
            "db",
            lambda _handle: taken(project, metric, run),
            owner=self,
            slot="take",
            on_result=lambda found: self._take_in(metric, run, *found),
            on_error=self._refuse,
        )

    def _take_in(self, metric: Metric, run: Over, figure: Figure, place: EvidenceTarget | None) -> None:
        words, book = caption(metric, run, self.phase is Phase.BEFORE, language().code), self.controller.book
        self._put(lambda: with_evidence(book, figure, place, words, lambda told: self.put(metric, told)))

    def type_in(self, value: str, source: str) -> None:
        metric = self.current
        if metric is not None and self._put(lambda: self.put(metric, typed_figure(value, source))):
            self.figure.recorded()

    def _put(self, build: Callable[[], CycleEdit]) -> bool:
        """A refusal stands beside the figure that it bars."""
        try:
            edit = build()
        except UserError as error:
            self._refuse(error)
            return False
        self.error.show_sentences(())
        return self.controller.edit(edit)

    def _refuse(self, error: UserError) -> None:
        if "field" in error.facts:
            error.facts = {**error.facts, "field": text("ui.cycle.figure_of.value")}
        self.error.show_sentences([error_text(error)])
