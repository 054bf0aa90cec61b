"""The trials of an experiment in the order they are run; values are typed and pasted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QFrame

from tunebench.columns.column import Column, Edit, Locale
from tunebench.domain.experiments.records import Experiment, Factor, Response, Trial, TrialRole, TrialState
from tunebench.ui.look.language import language, text, window_locale
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_model import CellModel, Store
from tunebench.usecases.experiments.tables import with_text
from tunebench.usecases.experiments.words import member_text, unmeasured_text

LEADING = ("place", "repetition")
WHERE_NEEDED = frozenset({"role", "reason", "note"})
MARKS = {TrialState.PLANNED: "○", TrialState.DONE: "●", TrialState.FAILED: "✕", TrialState.EXCLUDED: "⊘"}
LEAST_PX, WIDEST_PX, FITTED_ROWS = 56, 220, 60


def state_words(trial: Trial) -> str:
    return f"{MARKS[trial.state]} {member_text(trial.state, language().code)}"


class TrialModel(CellModel):
    """Columns: place and repetition, one for each factor, one for each response, and what belongs to the trial."""

    def __init__(self, store: Store) -> None:
        super().__init__((), store)
        self.experiment: Experiment | None = None
        self._captures: dict[int, str] = {}

    def show_trials(
        self, experiment: Experiment | None, trials: Sequence[Trial], writable: bool, captures: dict[int, str]
    ) -> None:
        """Shows the trials; `captures`: artefact id -> name."""
        self._captures = captures
        if experiment != self.experiment:
            self.beginResetModel()
            self.experiment, self.rows = experiment, ()
            self.columns = self._columns()
            self.endResetModel()
        self.show(trials, window_locale(), writable)

    @property
    def first_response(self) -> int:
        return len(LEADING) + (len(self.experiment.factors) if self.experiment else 0)

    def is_idle(self, column: int) -> bool:
        """Whether a column is empty and nothing can be typed into it."""
        wanted = self.columns[column]
        return wanted.id in WHERE_NEEDED and not any(wanted.words(row, self.locale) for row in self.rows)

    # --- columns
    def _columns(self) -> list[Column[Trial]]:
        experiment = self.experiment
        if experiment is None:
            return []
        return [
            *(_own(name, lambda trial, name=name: str(getattr(trial, name)), right=True) for name in LEADING),
            *(_factor(index, factor) for index, factor in enumerate(experiment.factors)),
            *(_response(experiment, response) for response in experiment.responses),
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


def _response(experiment: Experiment, response: Response) -> Column[Trial]:
    def shown(trial: Trial, _locale: Locale) -> str:
        value = trial.value(response.name)
        return "" if value is None else f"{value:,.12g}"

    def figure(trial: Trial, _locale: Locale) -> str:
        value = trial.value(response.name)
        return "" if value is None else str(value)

    def write(trial: Trial, text: str, _locale: Locale) -> Trial:
        return with_text(experiment, trial, response, text)

    return Column(
        f"response.{response.name}",
        lambda _: _named(response),
        lambda trial: trial.value(response.name),
        text=shown,
        tone=_tone,
        elided=True,
        explained=lambda _: response.title or _named(response),
        edit=Edit(write, text=figure),
    )


def _named(thing: Factor | Response) -> str:
    return f"{thing.name} [{thing.unit}]" if thing.unit else thing.name


class RunTable(GridView):
    def __init__(self, store: Store) -> None:
        self.trials = TrialModel(store)
        super().__init__(self.trials)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.trials.modelReset.connect(self._fit)
        self.trials.dataChanged.connect(self._fit)

    @property
    def chosen_rows(self) -> list[int]:
        return sorted({index.row() for index in self.selectedIndexes()})

    def chosen_ids(self) -> list[int]:
        return [self.trials.rows[row].id for row in self.chosen_rows if row < len(self.trials.rows)]

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
        if self.isColumnHidden(self.currentIndex().column()):
            self.setCurrentIndex(self.trials.index(self.currentIndex().row(), self.trials.first_response))
