"""The plan of an experiment as a form: every field is kept by itself, and says at its own place what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QWidget

from tunebench.core.errors import UserError
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Experiment, RunOrder, cell_text
from tunebench.domain.schema import planned, schema
from tunebench.domain.typed_numbers import typed_number, whole_number
from tunebench.ui.experiments.experiment_controller import ExperimentController
from tunebench.ui.experiments.plan_draft import (
    CacheBoxes,
    DraftFactor,
    PlanLine,
    PlanText,
    draft_factors,
    experiment_with_factors,
    experiment_with_responses,
    field_words,
    inserts_of,
    problem_label,
    renamed,
    response_rows,
)
from tunebench.ui.experiments.row_table import RowTable, entry_column
from tunebench.ui.look.language import error_text, language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.typing import mark_stored, stored_soon
from tunebench.ui.widgets.parts import button, column, label, lock, row, scrolling, set_tone
from tunebench.usecases.experiments import planning
from tunebench.usecases.experiments.words import member_text
from tunebench.usecases.grid_cells import CellError

NUMBERS = planned(Experiment, "numbers")
KEY = "ui.experiments.plan."
EXAMPLE = "mount -o {mount} /mnt/test"


def _directions() -> list[tuple[str, str]]:
    return [(direction.value, text(f"ui.experiments.better.{direction.value}")) for direction in Direction]


class PlanForm(QScrollArea):
    """Signals:
    remove_asked: the experiment is to go.
    """

    remove_asked = Signal()

    def __init__(self, controller: ExperimentController) -> None:
        super().__init__()
        self._controller = controller
        self._experiment: Experiment | None = None
        self._factors: list[DraftFactor] = []
        self._refused: set[str] = set()
        self.problems: dict[str, QLabel] = {}
        self.fields: dict[str, PlanLine | PlanText] = {}
        self.factors = RowTable(
            [entry_column(0, f"{KEY}factor", 3, f"{KEY}factor.hint"), entry_column(1, f"{KEY}unit", 2)], 3
        )
        self.levels = RowTable(
            [
                entry_column(0, f"{KEY}level", 3, f"{KEY}level.hint"),
                entry_column(1, f"{KEY}number", 2),
                entry_column(2, f"{KEY}insert", 3),
            ],
            3,
        )
        self.responses = RowTable(
            [
                entry_column(0, f"{KEY}response", 3, f"{KEY}response.hint"),
                entry_column(1, f"{KEY}unit", 2),
                entry_column(2, f"{KEY}direction", 3, values=_directions),
                entry_column(3, f"{KEY}figure", 4, f"{KEY}figure.hint"),
                entry_column(4, f"{KEY}response_title", 5),
            ],
            2,
        )
        self.order, self.baseline = QComboBox(), QComboBox()
        self.caches = CacheBoxes()
        self.extent, self._explained = label(role="muted", wrap=True), label(role="small", wrap=True)
        self.remove_button = translated(button(kind="quiet", on_click=self.remove_asked.emit), "ui.experiments.remove")
        self._lay_out()
        self._connect()
        for name, field in self.fields.items():
            translated(field, accessibleName=f"{KEY}{name}", placeholderText=f"{KEY}{name}.tip")
        for table, name in ((self.factors, "factors"), (self.levels, "level"), (self.responses, "responses")):
            translated(table, accessibleName=f"{KEY}{name}")
            table.cells.refused.connect(partial(self._show_refused, "factors" if name == "level" else name))
        translated(self.order, accessibleName=f"{KEY}order")
        translated(self.baseline, accessibleName=f"{KEY}baseline")

    # --- building
    def _lay_out(self) -> None:
        parts = [
            *self._beside("title", PlanLine()),
            self._tables(),
            self._problem("factors"),
            self._name("responses", "strong"),
            self.responses,
            self._problem("responses"),
            self._name("runs", "strong"),
            self._run_fields(),
            self.extent,
            self._name("commands", "strong"),
            self._explained,
            *self._group("commands", lambda: PlanLine(code=True)),
            *self._group("around", PlanText),
            *self._group("seconds", PlanLine),
            self._name("remarks", "strong"),
            *self._group("remarks", PlanText),
            *self._group("host", PlanLine),
            row(1, self.remove_button),
            1,
        ]
        inside = QWidget()
        inside.setLayout(column(*parts, margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_L)))
        scrolling(inside, sideways=False, framed=False, area=self)

    def _tables(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_M)
        grid.setVerticalSpacing(SPACE_XS)
        self._levels_of = label(role="strong")
        grid.addWidget(self._name("factors", "strong"), 0, 0)
        grid.addWidget(self._levels_of, 0, 1)
        grid.addWidget(self.factors, 1, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.levels, 1, 1, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        return grid

    def _run_fields(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(SPACE_XS)
        for index, name in enumerate(NUMBERS):
            field = self.fields[name] = PlanLine()
            field.setFixedWidth(96)
            grid.addWidget(self._name(name), 0, index * 2)
            grid.addWidget(field, 0, index * 2 + 1)
        grid.addWidget(self._name("order"), 1, 0)
        grid.addWidget(self.order, 1, 1, 1, 3)
        grid.addWidget(self._name("caches"), 1, 4)
        grid.addWidget(self.caches, 1, 5, 1, 2)
        grid.addWidget(self._name("baseline"), 2, 0)
        grid.addWidget(self.baseline, 2, 1, 1, 6)
        grid.setColumnStretch(6, 1)
        for name in (*NUMBERS, "caches", "baseline"):
            self._problem(name)
        for index, name in enumerate((*NUMBERS, "caches", "baseline")):
            grid.addWidget(self.problems[name], 3 + index, 0, 1, 7)
        return grid

    def _name(self, name: str, role: str = "muted") -> QLabel:
        return translated(label(role=role), f"{KEY}{name}")

    def _problem(self, name: str) -> QLabel:
        self.problems[name] = problem_label()
        return self.problems[name]

    def _beside(self, name: str, field: PlanLine | PlanText) -> tuple[QHBoxLayout, QLabel]:
        """A field beside its name, and what is wrong with it."""
        self.fields[name] = field
        words = self._name(name)
        words.setFixedWidth(112)
        words.setWordWrap(True)
        return row(words, (field, 1)), self._problem(name)

    def _group(self, group: str, field: Callable[[], PlanLine | PlanText]) -> Iterator[QHBoxLayout | QLabel]:
        for name in planned(Experiment, group):
            yield from self._beside(name, field())

    def _connect(self) -> None:
        self.factors.edited.connect(self._on_factors)
        self.factors.row_changed.connect(lambda _row: self._show_levels())
        self.levels.edited.connect(self._on_levels)
        self.responses.edited.connect(
            lambda: self._keep("responses", lambda it: experiment_with_responses(it, self.responses.rows))
        )
        for name, field in self.fields.items():
            field.finished.connect(lambda name=name: self._on_field(name))
            stored_soon(field, partial(self._store_field, name))
        self.order.activated.connect(
            lambda _place: self._keep("order", lambda it: replace(it, order=RunOrder(self.order.currentData())))
        )
        self.baseline.activated.connect(
            lambda _place: self._keep("baseline", lambda it: replace(it, baseline=self.baseline.currentData() or ()))
        )
        self.caches.edited.connect(lambda: self._keep("caches", lambda it: replace(it, caches=self.caches.chosen)))

    # --- showing
    def show_experiment(self, experiment: Experiment | None) -> None:
        """What is kept. What was refused stays as it was typed while its part of the experiment is the same."""
        before, self._experiment = self._experiment, experiment
        is_other = before is None or experiment is None or experiment.id != before.id
        self._refused = {
            name for name in self._refused if not is_other and getattr(before, name) == getattr(experiment, name)
        }
        self.setEnabled(experiment is not None)
        for name in self.problems.keys() - self._refused:
            self.problems[name].hide()
            self._controller.hold(name, held=False)
        if experiment is None:
            mark_stored(self)
            return
        if is_other:
            self.verticalScrollBar().setValue(0)
            self.factors.setCurrentIndex(self.factors.cells.index(0, 0))
        self._show_tables(experiment)
        for name in self.fields.keys() - self._refused:
            self.fields[name].show_words(field_words(name, getattr(experiment, name)))
        self._show_choices(experiment)
        self.lock(not self._controller.writable)

    def _show_tables(self, experiment: Experiment) -> None:
        if "factors" not in self._refused:
            self._factors = draft_factors(experiment)
            self.factors.show_rows([(factor.name, factor.unit) for factor in self._factors], experiment.id)
        if not self.factors.currentIndex().isValid():
            self.factors.setCurrentIndex(self.factors.cells.index(0, 0))
        self._show_levels()
        if "responses" not in self._refused:
            self.responses.show_rows(response_rows(experiment), experiment.id)

    def lock(self, locked: bool) -> None:
        for table in (self.factors, self.levels, self.responses):
            table.set_locked(locked)
        for field in self.fields.values():
            field.setReadOnly(locked)
            lock(field, locked)
        for part in (self.order, self.baseline, self.caches, self.remove_button):
            part.setEnabled(not locked)

    def _show_choices(self, experiment: Experiment) -> None:
        self.order.clear()
        for order in RunOrder:
            self.order.addItem(member_text(order, language().code), order.value)
        self.order.setCurrentIndex(self.order.findData(experiment.order.value))
        self.baseline.clear()
        first = cell_text(experiment, experiment.all_cells[0])
        self.baseline.addItem(text(f"{KEY}baseline.first", cell=first), None)
        for cell in experiment.all_cells[:400]:
            self.baseline.addItem(cell_text(experiment, cell), cell)
        cells = [self.baseline.itemData(index) for index in range(self.baseline.count())]
        chosen = next((i for i, cell in enumerate(cells) if cell and tuple(cell) == experiment.baseline), 0)
        self.baseline.setCurrentIndex(chosen)
        self.caches.show_caches(experiment.caches)
        self.fields["seed"].setEnabled(experiment.order is RunOrder.RANDOM)
        cells_run, trials = len(experiment.all_cells), len(self._controller.trials)
        done = sum(trial.is_recorded for trial in self._controller.trials)
        self.extent.setText(
            text(f"{KEY}size", cells=cells_run, combinations=experiment.combinations, trials=trials, done=done)
        )

    def _show_levels(self) -> None:
        factor, experiment = self._chosen_factor(), self._experiment
        self._levels_of.setText(text(f"{KEY}levels", factor="–" if factor is None else factor.name))
        owner = (experiment and experiment.id, factor and self._factors.index(factor))
        self.levels.show_rows(() if factor is None else factor.levels, owner)
        self.levels.setEnabled(factor is not None)

    def _chosen_factor(self) -> DraftFactor | None:
        """The factor under the keyboard; on the empty line the one above it, which may just have been typed."""
        row = min(self.factors.currentIndex().row(), len(self._factors) - 1)
        return self._factors[max(row, 0)] if self._factors else None

    def retranslate(self) -> None:
        self._explained.setText(text(f"{KEY}commands.explained", example=EXAMPLE))

    # --- editing
    def _on_factors(self) -> None:
        self._factors = renamed(self._factors, self.factors.rows)
        self._show_levels()
        self._keep("factors", lambda it: experiment_with_factors(it, self._factors))

    def _on_levels(self) -> None:
        factor = self._chosen_factor()
        if factor is not None:
            factor.levels = [(name, number, insert) for name, number, insert in self.levels.rows]
            self._keep("factors", lambda it: experiment_with_factors(it, self._factors))

    def _show_refused(self, name: str, errors: Sequence[CellError]) -> None:
        """Cells of a table that were not taken in."""
        self._show_problem(name, "\n".join(f"{error.where}: {error.sentence}" for error in errors))

    def _show_problem(self, name: str, sentence: str) -> None:
        (self._refused.add if sentence else self._refused.discard)(name)
        problem = self.problems.get(name)
        if problem is not None:
            problem.setText(sentence and f"⚠ {sentence}")
            problem.setVisible(bool(sentence))

    def _store_field(self, name: str) -> bool:
        field = self.fields[name]
        field.is_kept = True
        stored = self._on_field(name)
        field.is_kept = False
        return stored

    def _on_field(self, name: str) -> bool:
        """Whether the experiment says it now."""
        words = self.fields[name].words()
        return self._keep(name, lambda it: replace(it, **{name: _field_value(name, words)}))  # type: ignore[arg-type]

    def _keep(self, name: str, changed: Callable[[Experiment], Experiment]) -> bool:
        """Keeps the experiment as one field makes it; a refusal stands at that field, which stays as it was typed."""
        experiment = self._experiment
        if experiment is None or not self._controller.writable:
            return False
        field = self.fields.get(name)
        try:
            after = changed(experiment)
            if after != experiment:
                self._controller.do(lambda: planning.change(self._controller.book, after))
            refusal = ""
        except UserError as error:
            refusal = error_text(error)
        if field is None:
            self._controller.hold(name, held=bool(refusal))  # a table keeps the rows that were refused
        elif refusal and self._controller.is_typing:
            return False
        self._show_problem(name, refusal)
        if field is not None:
            set_tone(field, "wrong" if refusal else "", "state")
            if not refusal:
                mark_stored(field)
        return not refusal


def _field_value(name: str, words: str) -> object:
    """What was typed, as the type of the experiment's field has it."""
    hint = schema(Experiment)[name].hint
    if name == "inserts":
        return inserts_of(words)
    if hint is int:
        count = whole_number(words)
        return -1 if count is None else count  # the rules refuse it with their own sentence
    if hint is float:
        return typed_number(words) or 0.0
    return words if hint is str else tuple(line.strip() for line in words.splitlines() if line.strip())
