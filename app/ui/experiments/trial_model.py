"""The trials of an experiment in the order they are run; their values are typed into the cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal

from app.domain.experiments.records import Experiment, Factor, Response, Trial, TrialRole, TrialState
from app.ui.look.language import language, text
from app.ui.look.theme import current_theme
from app.ui.tables.model import Column, Index, TableModel
from app.usecases.experiments.words import member_text

LEADING = ("place", "repetition")
WHERE_NEEDED = frozenset({"role", "reason", "note"})
MARKS = {TrialState.PLANNED: "○", TrialState.DONE: "●", TrialState.FAILED: "✕", TrialState.EXCLUDED: "⊘"}


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
        """`captures`: artefact id -> name."""
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
        place = column - self.first_response
        return place if self.experiment and 0 <= place < len(self.experiment.responses) else None

    def is_idle(self, column: int) -> bool:
        """Nothing stands in it, and nothing can be typed into it."""
        wanted = self.columns[column]
        return wanted.id in WHERE_NEEDED and not any(map(wanted.text, self.rows))

    def flags(self, index: Index) -> Qt.ItemFlag:
        kept = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self.writable and self.response_at(index.column()) is not None
        return kept | Qt.ItemFlag.ItemIsEditable if editable else kept

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.EditRole:
            return self.plain(index.row(), index.column())
        if role == Qt.ItemDataRole.BackgroundRole and self.writable and self.response_at(index.column()) is not None:
            theme = current_theme()
            return theme.field if self.row_at(index).is_recorded else theme.tint(theme.accent, 0.07)
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        response = self.response_at(index.column())
        if role != Qt.ItemDataRole.EditRole or response is None:
            return False
        if str(value) == self.plain(index.row(), index.column()):
            return False
        self.typed.emit(index.row(), response, str(value))
        return True

    # --- columns
    def _columns(self) -> list[Column[Trial]]:
        found = self.experiment
        if found is None:
            return []
        return [
            *(_own(name, lambda trial, name=name: str(getattr(trial, name)), right=True) for name in LEADING),
            *(_factor(place, factor) for place, factor in enumerate(found.factors)),
            *map(_response, found.responses),
            *(_own(name, words) for name, words in (*TRAILING.items(), ("evidence", self._evidence))),
            _own("note", lambda trial: trial.note.replace("\n", " ")),
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


TRAILING = {"state": state_words, "cache": _cache_words, "role": _role_words, "reason": _reason_words}


def _tone(trial: Trial) -> str:
    return "" if trial.stands or not trial.is_recorded else "muted"


def _own(name: str, words: Callable[[Trial], str], right: bool = False) -> Column[Trial]:
    key = f"ui.experiments.runs.{name}"
    return Column(name, key, words, right=right, heading_tip=partial(text, key), tone=_tone, tip=words)


def _factor(place: int, factor: Factor) -> Column[Trial]:
    def level(trial: Trial) -> str:
        return trial.cell[place]

    return Column(
        f"factor.{place}", partial(_named, factor), level, heading_tip=partial(_named, factor), tone=_tone, tip=level
    )


def _response(response: Response) -> Column[Trial]:
    def figure(trial: Trial, form: str) -> str:
        value = trial.value(response.name)
        return "" if value is None else format(value, form)

    def shown(trial: Trial) -> str:
        return figure(trial, ",.12g")

    return Column(
        f"response.{response.name}",
        partial(_named, response),
        shown,
        right=True,
        heading_tip=lambda: response.title or _named(response),
        tone=_tone,
        tip=shown,
        copy=lambda trial: figure(trial, ".15g"),
    )


def _named(thing: Factor | Response) -> str:
    return f"{thing.name} [{thing.unit}]" if thing.unit else thing.name
