"""The trials of an experiment in the order they are run; their values are typed into the cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.domain.experiments.records import Experiment, Trial, TrialRole, TrialState
from app.ui.look.language import language, text
from app.ui.look.theme import current_theme

AnyIndex = QModelIndex | QPersistentModelIndex
LEADING = ("place", "repetition")
TRAILING = ("state", "cache", "role", "reason", "evidence", "note")
WHERE_NEEDED = frozenset({"role", "reason", "note"})
MARKS = {TrialState.PLANNED: "○", TrialState.DONE: "●", TrialState.FAILED: "✕", TrialState.EXCLUDED: "⊘"}


def state_words(trial: Trial) -> str:
    from app.usecases.experiments.words import member_text

    return f"{MARKS[trial.state]} {member_text(trial.state, language().code)}"


class TrialModel(QAbstractTableModel):
    """Columns: place and repetition, one for each factor, one for each response, and what belongs to the trial.

    Signals:
    typed: (row, response index, text) of a cell that was edited.
    """

    typed = Signal(int, int, str)

    def __init__(self) -> None:
        super().__init__()
        self.experiment: Experiment | None = None
        self.trials: tuple[Trial, ...] = ()
        self.writable = False
        self._captures: dict[int, str] = {}

    def show_trials(
        self, experiment: Experiment | None, trials: Sequence[Trial], writable: bool, captures: dict[int, str]
    ) -> None:
        """`captures`: artefact id -> name."""
        same = experiment == self.experiment and len(trials) == len(self.trials) and writable == self.writable
        self.experiment, self._captures, self.writable = experiment, captures, writable
        if same:
            self.trials = tuple(trials)
            if trials:
                self.dataChanged.emit(self.index(0, 0), self.index(len(trials) - 1, self.columnCount() - 1))
            return
        self.beginResetModel()
        self.trials = tuple(trials)
        self.endResetModel()

    # --- columns
    @property
    def first_response(self) -> int:
        return len(LEADING) + (len(self.experiment.factors) if self.experiment else 0)

    def response_at(self, column: int) -> int | None:
        """The index of the response in that column."""
        place = column - self.first_response
        return place if self.experiment and 0 <= place < len(self.experiment.responses) else None

    def _word_at(self, column: int) -> str:
        if column < len(LEADING):
            return LEADING[column]
        if self.experiment is None or column < self.first_response + len(self.experiment.responses):
            return ""
        return TRAILING[column - self.first_response - len(self.experiment.responses)]

    def is_idle(self, column: int) -> bool:
        """Nothing stands in it, and nothing can be typed into it."""
        return self._word_at(column) in WHERE_NEEDED and not any(self.shown(each, column) for each in self.trials)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.trials)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:
        if parent.isValid() or self.experiment is None:
            return 0
        return self.first_response + len(self.experiment.responses) + len(TRAILING)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        kept = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self.writable and self.response_at(index.column()) is not None
        return kept | Qt.ItemFlag.ItemIsEditable if editable else kept

    # --- cells
    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        trial, column = self.trials[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.shown(trial, column)
        if role == Qt.ItemDataRole.EditRole:
            return self.plain(index.row(), column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return None if trial.stands or not trial.is_recorded else current_theme().muted
        if role == Qt.ItemDataRole.BackgroundRole and self.writable and self.response_at(column) is not None:
            return current_theme().field if trial.is_recorded else current_theme().tint(current_theme().accent, 0.07)
        return None

    def _alignment(self, column: int) -> int:
        figure = column < len(LEADING) or self.response_at(column) is not None
        side = Qt.AlignmentFlag.AlignRight if figure else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)

    def shown(self, trial: Trial, column: int) -> str:
        response = self.response_at(column)
        if response is not None:
            return self._figure(trial, response, ",.12g")
        if len(LEADING) <= column < self.first_response:
            return trial.cell[column - len(LEADING)]
        return self._words(trial, self._word_at(column))

    def _figure(self, trial: Trial, response: int, form: str) -> str:
        value = trial.value(self.experiment.responses[response].name) if self.experiment else None
        return "" if value is None else format(value, form)

    def _words(self, trial: Trial, column: str) -> str:
        from app.usecases.experiments.words import member_text

        if column in ("place", "repetition"):
            return str(getattr(trial, column))
        if column == "cache":
            return member_text(trial.cache, language().code)
        if column == "role":
            return "" if trial.role is TrialRole.MEASURE else member_text(trial.role, language().code)
        if column == "state":
            return state_words(trial)
        if column == "reason":
            return " · ".join(part for part in (trial.reason, trial.decided_by) if part)
        if column == "evidence":
            return self._evidence(trial)
        return trial.note.replace("\n", " ")

    def _evidence(self, trial: Trial) -> str:
        if trial.artefact_id is None:
            return text("ui.experiments.runs.typed") if trial.is_recorded else ""
        name = self._captures.get(trial.artefact_id, str(trial.artefact_id))
        return text("ui.experiments.runs.line", capture=name, line=trial.line) if trial.line else name

    def plain(self, row: int, column: int) -> str:
        """As a spreadsheet wants it."""
        response = self.response_at(column)
        trial = self.trials[row]
        return self.shown(trial, column) if response is None else self._figure(trial, response, ".15g")

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or self.experiment is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        response = self.response_at(section)
        if response is not None:
            each = self.experiment.responses[response]
            if role == Qt.ItemDataRole.ToolTipRole and each.title:
                return each.title
            return f"{each.name} [{each.unit}]" if each.unit else each.name
        if len(LEADING) <= section < self.first_response:
            factor = self.experiment.factors[section - len(LEADING)]
            return f"{factor.name} [{factor.unit}]" if factor.unit else factor.name
        return text(f"ui.experiments.runs.{self._word_at(section)}")

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        response = self.response_at(index.column())
        if role != Qt.ItemDataRole.EditRole or response is None:
            return False
        if str(value) == self.plain(index.row(), index.column()):
            return False
        self.typed.emit(index.row(), response, str(value))
        return True
