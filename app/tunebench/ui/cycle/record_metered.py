"""Steps 2 and 5 in common: a row per metric, and a figure that is taken from a kept window or a run with one click, or
typed in with where it stands."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from tunebench.columns.formats import format_short_span
from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.cycle.evidence import Evidence, EvidenceTarget
from tunebench.domain.cycle.measured_over import Over, TrialCell
from tunebench.domain.cycle.records import ExperimentSource, Figure, ManualSource, Metric, Target
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.translations import in_both_languages
from tunebench.domain.windows import Window, ends_of
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_chips import EvidenceChips
from tunebench.ui.cycle.evidence_show import run_called
from tunebench.ui.cycle.figure_words import figure_text, wording
from tunebench.ui.cycle.record_fields import Choice, Line
from tunebench.ui.cycle.record_panel import TablePanel
from tunebench.ui.cycle.record_table import Row
from tunebench.ui.cycle.sentence_list import SentenceList
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.typing import stored_when_left
from tunebench.ui.widgets.parts import button, column, label, row, set_tone
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle.acts import record_result, set_baseline
from tunebench.usecases.cycle.fields import set_field
from tunebench.usecases.cycle.measuring import figure_edit, taken
from tunebench.usecases.cycle.trials import cells_of

_WINDOW = "window "


class FigureField(QWidget):
    """Signals: `take_asked` carries the `Window`, the `Run` or the `TrialCell`; `typed` the (value, where it stands) as
    texts."""

    take_asked = Signal(object)
    typed = Signal(str, str)

    def __init__(self, workspace: Workspace, name: str, phase: Phase) -> None:
        """`name` is the part of the keys below ``ui.cycle.figure_of.``; those of `phase` are offered first."""
        super().__init__()
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        self._name, self._phase = name, phase
        self._owner: int | None = None
        self._cells: list[TrialCell] = []
        self._title, self._value = label(role="small"), label(role="strong")
        self._origin = label(role="muted", wrap=True)
        self.run = Choice()
        self.take = button(kind="primary", on_click=self._on_take)
        self.value, self.source = Line(), Line()
        self.record = translated(button(on_click=self._on_typed), "ui.cycle.figure_of.record")
        self.value.returnPressed.connect(self._on_typed)
        self.source.returnPressed.connect(self._on_typed)
        for field in (self.value, self.source):
            stored_when_left(field, self, self._store_typed)
        self._run_name, self._value_name, self._source_name = (label(role="small") for _ in range(3))
        self._lay_out()
        translated(self._title, f"ui.cycle.figure_of.{self._name}")
        translated(self.take, f"ui.cycle.figure_of.{self._name}.take")
        language().follow(self.retranslate)

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(SPACE_XS // 2)
        for name, field, down, across, span in (
            (self._run_name, self.run, 0, 0, 2),
            (None, self.take, 0, 2, 1),
            (self._value_name, self.value, 2, 0, 1),
            (self._source_name, self.source, 2, 1, 1),
            (None, self.record, 2, 2, 1),
        ):
            if name is not None:
                name.setBuddy(field)
                grid.addWidget(name, down, across, 1, span)
            grid.addWidget(field, down + 1, across, 1, span)
        for index, stretch in enumerate((2, 5, 0)):
            grid.setColumnStretch(index, stretch)
        self.setLayout(
            column(self._title, row(self._value, (self._origin, 1), spacing=SPACE_M), grid, spacing=SPACE_XS)
        )

    def retranslate(self) -> None:
        for name, field, key in (
            (self._run_name, self.run, "run"),
            (self._value_name, self.value, "value"),
            (self._source_name, self.source, "source"),
        ):
            words = text(f"ui.cycle.figure_of.{key}")
            name.setText(words)
            field.setAccessibleName(f"{self._title.text()}: {words}")

    def show_figure(self, metric: Metric, figure: Figure | None, editable: bool) -> None:
        self._value.setText(figure_text(figure, metric, wording(self._workspace)))
        self._origin.setText(self._origin_words(figure))
        self._cells = self._cells_of(metric)
        if metric.id != self._owner:
            self._owner = metric.id
            self.value.clear()
            self.source.clear()
        self._offer_runs(figure)
        by_hand = isinstance(metric.source, ManualSource)
        self.run.set_editable(editable and not by_hand)
        set_tone(self.take, "" if figure is not None or by_hand else "primary", "kind")
        self.take.setEnabled(editable and not by_hand and self.run.count() > 0)
        self.take.setToolTip(text("ui.cycle.figure_of.by_hand") if by_hand else "")
        for field in (self.value, self.source):
            field.set_editable(editable)
        self.value.setPlaceholderText(text("ui.cycle.figure_of.value.hint") if editable else "")
        self.source.setPlaceholderText(text("ui.cycle.figure_of.source.hint") if editable else "")
        self.record.setEnabled(editable)

    def _origin_words(self, figure: Figure | None) -> str:
        """Run or window, stretch of time, number of samples, evidence, or the words where a typed figure stands."""
        if figure is None or figure.value is None:
            return ""
        window, run = self._controller.book.find(Window, figure.window_id), run_called(self._workspace, figure.run_id)
        evidence = self._controller.book.find(Evidence, figure.evidence_id)
        parts = (
            window.name if window else run.label if run else "/".join(figure.cell),
            format_short_span(figure.start_ns, figure.end_ns, self._workspace.zone) if figure.start_ns else "",
            f"n {figure.samples:,}" if figure.samples else "",
            evidence.code if evidence else "",
            figure.source,
        )
        return " · ".join(part for part in parts if part)

    def _runs(self) -> list[Run]:
        overview = self._workspace.overview
        runs = [view.run for view in overview.runs] if overview else []
        return sorted(runs, key=lambda run: (run.phase is not self._phase, run.first_ns or 0))

    def _windows(self) -> list[Window]:
        return sorted(self._controller.book.all(Window), key=lambda window: window.role.value != self._phase.value)

    def _cells_of(self, metric: Metric) -> list[TrialCell]:
        """The cells of an experiment, which alone can be taken of it; empty for another source."""
        project = self._workspace.project
        if project is None or not isinstance(metric.source, ExperimentSource):
            return []
        cells = cells_of(project, metric.source)
        return sorted(cells, key=lambda cell: cell.is_reference is not (self._phase is Phase.BEFORE))

    def _offer_runs(self, figure: Figure | None) -> None:
        kept, zone = self.run.read(), self._workspace.zone
        if self._cells:
            self.run.fill([(_key(cell), cell.name) for cell in self._cells])
            wanted = f"{_CELL}{'/'.join(figure.cell)}" if figure is not None and not kept else kept
            self.run.setCurrentIndex(max(self.run.findData(wanted), 0))
            return
        windows = [(_key(window), _window_words(window, zone)) for window in self._windows()]
        self.run.fill([*windows, *((_key(run), _run_words(run, zone)) for run in self._runs())])
        wanted = kept
        if figure is not None and not kept:
            wanted = f"{_WINDOW}{figure.window_id}" if figure.window_id else str(figure.run_id or "")
        self.run.setCurrentIndex(max(self.run.findData(wanted), 0) if self.run.count() else -1)

    def _on_take(self) -> None:
        key = self.run.read()
        offered: list[Over] = [*self._cells, *self._windows(), *self._runs()]
        over = next((choice for choice in offered if _key(choice) == key), None)
        if over is not None:
            self.take_asked.emit(over)

    def _on_typed(self) -> None:
        if self.value.text().strip():
            self.typed.emit(self.value.text(), self.source.text())
        else:
            self.value.setFocus()

    def _store_typed(self) -> bool:
        if not self.value.text().strip():
            return False
        self.typed.emit(self.value.text(), self.source.text())
        return not self.value.text()

    def recorded(self) -> None:
        """What was typed is in the book now."""
        self.value.clear()
        self.source.clear()


_CELL = "cell "


def _key(over: Over) -> str:
    if isinstance(over, TrialCell):
        return f"{_CELL}{'/'.join(over.cell)}"
    return f"{_WINDOW}{over.id}" if isinstance(over, Window) else str(over.id)


def _window_words(window: Window, zone: ZoneInfo) -> str:
    return f"{window.name}  {format_short_span(*ends_of(window.occurrences), zone)}".strip()


def _run_words(run: Run, zone: ZoneInfo) -> str:
    span = format_short_span(run.first_ns, run.last_ns, zone) if run.first_ns is not None else ""
    return f"{run.label}  {span}".strip()


def typed_figure(value: str, source: str) -> Figure:
    """``< 20`` and where it stands. Raises UserError cycle_value_figure."""
    target = set_field(Target(0, 0, 0), "baseline", f"{value} @ {source}")
    assert target.baseline is not None
    return target.baseline


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
        self.due_button = translated(button(on_click=self.controller.measure_due), "ui.cycle.measure_due")
        self.head.addWidget(self.due_button)
        parts = (self.metric_name, self.gates, self.figure, self.broken, self.error, self.chips, self.form)
        self.lay(self.table, column(*parts, spacing=-1, margins=(0, SPACE_M, 0, 0)))
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

    def check_run(self, run: Over) -> None:
        """Raises UserError where no figure may come from it."""

    # --- showing

    @property
    def current(self) -> Metric | None:
        return self.controller.book.find(Metric, self.table.chosen_id)

    def refresh(self, editable: bool) -> None:
        self._editable = editable
        self.due_button.setEnabled(editable and bool(self.controller.due()))
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
        about = [gate for gate in self.controller.gates if {metric.id, id_} & set(gate.record_ids)]
        barred = self.controller.gate_sentences(gate for gate in about if gate.step is self.step)
        self.gates.show_sentences(barred, metric.id)
        self.form.gates.show_sentences(())

    def _on_broken(self) -> None:
        """A figure is kept although what it was computed from is gone, or says otherwise now."""
        if self.isVisible() and self.controller.iteration is not None:
            self.refresh(self._editable)

    def target(self, metric: Metric) -> Target | None:
        targets = self.controller.book.in_iteration(Target, metric.iteration_id)
        return next((target for target in targets if target.metric_id == metric.id), None)

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
            on_result=lambda answer: self._take_in(metric, run, *answer),
            on_error=self._refuse,
        )

    def _take_in(self, metric: Metric, run: Over, figure: Figure, target: EvidenceTarget | None) -> None:
        book, is_before = self.controller.book, self.phase is Phase.BEFORE
        self._put(
            lambda: in_both_languages(
                lambda code: figure_edit(book, metric, run, figure, target, is_before, code), language().code
            )
        )

    def type_in(self, value: str, source: str) -> None:
        metric = self.current
        put = set_baseline if self.phase is Phase.BEFORE else record_result
        if metric is not None and self._put(lambda: put(self.controller.book, metric.id, typed_figure(value, source))):
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
