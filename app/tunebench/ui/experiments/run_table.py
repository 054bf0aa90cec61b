"""The trials of an experiment in the order they are run; values are typed and pasted, Enter goes down to the next
trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QHeaderView, QWidget

from tunebench.columns.column import Column, Locale
from tunebench.domain.experiments.records import Experiment, Factor, Response, Trial, TrialRole, TrialState
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import ROW_HEIGHT, current_theme
from tunebench.ui.tables.cells import ChoiceDelegate
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.tables.view import TableView
from tunebench.usecases.experiments.words import member_text, unmeasured_text

LEADING = ("place", "repetition")
WHERE_NEEDED = frozenset({"role", "reason", "note"})
MARKS = {TrialState.PLANNED: "○", TrialState.DONE: "●", TrialState.FAILED: "✕", TrialState.EXCLUDED: "⊘"}
LEAST_PX, WIDEST_PX, FITTED_ROWS = 56, 220, 60


def state_words(trial: Trial) -> str:
    return f"{MARKS[trial.state]} {member_text(trial.state, language().code)}"


class TrialModel(TableModel[Trial]):
    """Columns: place and repetition, one for each factor, one for each response, and what belongs to the trial.

    Signals:
    typed: (row, response index, text) of a cell that was edited.
    """

    typed = Signal(int, int, str)

    def __init__(self) -> None:
        super().__init__()
        self.experiment: Experiment | None = None
        self.writable = False
        self._captures: dict[int, str] = {}

    def show_trials(
        self, experiment: Experiment | None, trials: Sequence[Trial], writable: bool, captures: dict[int, str]
    ) -> None:
        """Shows the trials; `captures`: artefact id -> name."""
        same = experiment == self.experiment and len(trials) == len(self.rows) and writable == self.writable
        self.experiment, self._captures, self.writable = experiment, captures, writable
        if same:
            self.rows = tuple(trials)
            self.refresh()
        else:
            self.show_rows(tuple(trials), self._columns())

    @property
    def first_response(self) -> int:
        return len(LEADING) + (len(self.experiment.factors) if self.experiment else 0)

    def response_at(self, column: int) -> int | None:
        """The index of the response in that column."""
        index = column - self.first_response
        return index if self.experiment and 0 <= index < len(self.experiment.responses) else None

    def is_idle(self, column: int) -> bool:
        """Whether a column is empty and nothing can be typed into it."""
        wanted = self.columns[column]
        return wanted.id in WHERE_NEEDED and not any(wanted.words(row, self.locale) for row in self.rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        kept = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self.writable and self.response_at(index.column()) is not None
        return kept | Qt.ItemFlag.ItemIsEditable if editable else kept

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.EditRole:
            return self.plain(index.row(), index.column())
        if role == Qt.ItemDataRole.BackgroundRole and self.writable and self.response_at(index.column()) is not None:
            theme = current_theme()
            return theme.field if self.row_at(index).is_recorded else theme.tint(theme.accent, 0.07)
        return super().data(index, role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        response = self.response_at(index.column())
        if role != Qt.ItemDataRole.EditRole or response is None:
            return False
        if str(value) == self.plain(index.row(), index.column()):
            return False
        self.typed.emit(index.row(), response, str(value))
        return True

    # --- columns
    def _columns(self) -> list[Column[Trial]]:
        experiment = self.experiment
        if experiment is None:
            return []
        return [
            *(_own(name, lambda trial, name=name: str(getattr(trial, name)), right=True) for name in LEADING),
            *(_factor(index, factor) for index, factor in enumerate(experiment.factors)),
            *map(_response, experiment.responses),
            *(_own(name, words) for name, words in (*TRAILING.items(), ("evidence", self._evidence))),
            _own("note", partial(_note_words, experiment)),
        ]

    def _evidence(self, trial: Trial) -> str:
        if trial.artefact_id is None:
            return text("ui.experiments.runs.typed") if trial.is_recorded else ""
        name = self._captures.get(trial.artefact_id, str(trial.artefact_id))
        return text("ui.experiments.runs.line", capture=name, line=trial.line) if trial.line else name


def _cache_words(trial: Trial) -> str:
    return member_text(trial.cache, language().code)


def _role_words(trial: Trial) -> str:
    return "" if trial.role is TrialRole.MEASURE else member_text(trial.role, language().code)


def _reason_words(trial: Trial) -> str:
    return " · ".join(part for part in (trial.reason, trial.decided_by) if part)


def _note_words(experiment: Experiment, trial: Trial) -> str:
    missing = unmeasured_text(experiment, trial, language().code)
    return " ".join(filter(None, (missing, trial.note.replace("\n", " "))))


TRAILING = {"state": state_words, "cache": _cache_words, "role": _role_words, "reason": _reason_words}


def _tone(trial: Trial) -> str:
    return "" if trial.stands or not trial.is_recorded else "muted"


def _own(name: str, words: Callable[[Trial], str], right: bool = False) -> Column[Trial]:
    key = f"ui.experiments.runs.{name}"
    return Column(name, key, words, right=right, tone=_tone, elided=True)


def _factor(index: int, factor: Factor) -> Column[Trial]:
    def level(trial: Trial) -> str:
        return trial.cell[index]

    return Column(f"factor.{index}", lambda _: _named(factor), level, tone=_tone, elided=True)


def _response(response: Response) -> Column[Trial]:
    def shown(trial: Trial, _locale: Locale) -> str:
        value = trial.value(response.name)
        return "" if value is None else f"{value:,.12g}"

    return Column(
        f"response.{response.name}",
        lambda _: _named(response),
        lambda trial: trial.value(response.name),
        text=shown,
        tone=_tone,
        elided=True,
        explained=lambda _: response.title or _named(response),
    )


def _named(thing: Factor | Response) -> str:
    return f"{thing.name} [{thing.unit}]" if thing.unit else thing.name


class RunTable(TableView):
    """Signals:
    pasted: (row, response index, text of the clipboard).
    cleared: a list of (row, response index).
    """

    pasted = Signal(int, int, str)
    cleared = Signal(list)

    def __init__(self) -> None:
        self.trials = TrialModel()
        super().__init__(self.trials)
        self.setFrameShape(TableView.Shape.NoFrame)
        self.setShowGrid(True)
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setItemDelegate(ChoiceDelegate(self, lambda _column: None))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.trials.modelReset.connect(self._fit)
        self.trials.dataChanged.connect(self._fit)

    @property
    def chosen_rows(self) -> list[int]:
        return sorted({index.row() for index in self.selectedIndexes()})

    def chosen_ids(self) -> list[int]:
        return [self.trials.rows[row].id for row in self.chosen_rows if row < len(self.trials.rows)]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        here = self.currentIndex()
        response = self.trials.response_at(here.column()) if here.isValid() else None
        if event.matches(QKeySequence.StandardKey.Paste) and response is not None and self.trials.writable:
            self.pasted.emit(
                self.chosen_rows[0] if self.chosen_rows else here.row(), response, QGuiApplication.clipboard().text()
            )
        elif event.key() == Qt.Key.Key_Delete and self.trials.writable:
            self._clear()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and response is not None:
            if self.state() != QAbstractItemView.State.EditingState and self.trials.writable:
                self.edit(here)  # the key that ends an edit comes here too, before the editor is closed
        else:
            super().keyPressEvent(event)

    def _clear(self) -> None:
        places = [(index.row(), self.trials.response_at(index.column())) for index in self.selectedIndexes()]
        cells = [cell for cell in places if cell[1] is not None]
        if cells:
            self.cleared.emit(cells)

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        below = self.currentIndex().siblingAtRow(self.currentIndex().row() + 1)
        if hint == QAbstractItemDelegate.EndEditHint.SubmitModelCache and below.isValid():
            self.setCurrentIndex(below)

    def choose_trial(self, trial_id: int) -> None:
        position = next((row for row, trial in enumerate(self.trials.rows) if trial.id == trial_id), None)
        if position is not None:
            self.setCurrentIndex(self.trials.index(position, self.trials.first_response))
            self.scrollTo(self.currentIndex())

    def _fit(self, *_: object) -> None:
        header, cells = self.horizontalHeader().fontMetrics(), self.fontMetrics()
        for index, column in enumerate(self.trials.columns):
            widths = [header.horizontalAdvance(column.title(self.trials.locale)) + 30]
            widths += [
                cells.horizontalAdvance(column.words(trial, self.trials.locale)) + 34
                for trial in self.trials.rows[:FITTED_ROWS]
            ]
            self.setColumnWidth(index, min(max(LEAST_PX, *widths), WIDEST_PX))
            self.setColumnHidden(index, self.trials.is_idle(index))
