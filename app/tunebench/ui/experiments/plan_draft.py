"""What stands in the form of the plan, as rows of texts, and the experiment that it makes; fields that say when they
were left with something else in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import cast

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPlainTextEdit, QWidget

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import CacheState, Experiment, Factor, Inserted, Level, Response
from tunebench.domain.typed_numbers import typed_number
from tunebench.ui.look import fonts
from tunebench.ui.look.language import translated
from tunebench.ui.look.theme import SPACE_M
from tunebench.ui.typing import mark_stored
from tunebench.ui.widgets.parts import label, row, set_tone
from tunebench.usecases.experiments.definition import figure_of
from tunebench.usecases.experiments.drafts import with_factors

TEXT_LINES = 3
INDENT = "    "


def problem_label() -> QLabel:
    problem = label(tone="critical", wrap=True)
    problem.hide()
    return problem


class PlanLine(QLineEdit):
    """`is_kept`: the words are being stored while they are typed: they stay as they were typed.

    Signals:
    finished: left, or Enter was pressed, with other words than were shown.
    """

    finished = Signal()

    def __init__(self, code: bool = False) -> None:
        super().__init__()
        self._shown = ""
        self.is_kept = False
        if code:
            self.setFont(fonts.code_font())
        self.editingFinished.connect(self._on_finished)

    def words(self) -> str:
        return self.text()

    def show_words(self, words: str) -> None:
        self._shown = words
        set_tone(self, "", "state")
        if words != self.text() and not self.is_kept:
            self.setText(words)
            self.setCursorPosition(0)
        mark_stored(self)

    def _on_finished(self) -> None:
        if self.text() != self._shown:
            self._shown = self.text()
            self.finished.emit()


class PlanText(QPlainTextEdit):
    """`is_kept`: as of a `PlanLine`.

    Signals:
    finished: left with other words than were shown.
    """

    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shown = ""
        self.is_kept = False
        self.setTabChangesFocus(True)
        self.setFixedHeight(TEXT_LINES * self.fontMetrics().lineSpacing() + 18)

    def words(self) -> str:
        return self.toPlainText()

    def show_words(self, words: str) -> None:
        self._shown = words
        set_tone(self, "", "state")
        if words != self.toPlainText() and not self.is_kept:
            self.setPlainText(words)
        mark_stored(self)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.toPlainText() != self._shown:
            self._shown = self.toPlainText()
            self.finished.emit()


class CacheBoxes(QWidget):
    """The cache states that are planned.

    Signals:
        edited: another choice.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.boxes = {cache: translated(QCheckBox(), f"experiment.cachestate.{cache.value}") for cache in CacheState}
        self.setLayout(row(*self.boxes.values(), 1, spacing=SPACE_M))
        for box in self.boxes.values():
            box.toggled.connect(lambda _on: self.edited.emit())

    @property
    def chosen(self) -> tuple[CacheState, ...]:
        return tuple(cache for cache, box in self.boxes.items() if box.isChecked())

    def show_caches(self, caches: tuple[CacheState, ...]) -> None:
        for cache, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(cache in caches)


@record(frozen=False)
class DraftFactor:
    """`levels`: (name, number, what stands in the command); `origin`: the index that it has in the kept experiment."""

    name: str
    unit: str
    levels: list[tuple[str, str, str]] = field(default_factory=list)
    origin: int | None = None


def draft_factors(experiment: Experiment) -> list[DraftFactor]:
    return [
        DraftFactor(
            factor.name,
            factor.unit,
            [(level.name, _figure(level.value), level.insert) for level in factor.levels],
            index,
        )
        for index, factor in enumerate(experiment.factors)
    ]


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"


def renamed(drafts: Sequence[DraftFactor], rows: Sequence[Sequence[str]]) -> list[DraftFactor]:
    """The factors after their table was edited: one is the same by its name, else by its place."""
    left = list(drafts)
    names = [line[0] for line in rows]
    factors: list[DraftFactor] = []
    for index, (name, unit) in enumerate((line[0], line[1]) for line in rows):
        same = next((draft for draft in left if draft.name == name), None)
        if same is None and len(rows) >= len(drafts) and index < len(drafts) and drafts[index].name not in names:
            same = drafts[index]
        if same is None:
            factors.append(DraftFactor(name, unit))
            continue
        left.remove(same)
        factors.append(DraftFactor(name, unit, same.levels, same.origin))
    return factors


def experiment_with_factors(experiment: Experiment, drafts: Sequence[DraftFactor]) -> Experiment:
    """The experiment with these factors. Raises UserError experiment_level_value where a level's number is none."""
    factors = [
        Factor(draft.name, tuple(_level(draft.name, row) for row in draft.levels), draft.unit) for draft in drafts
    ]
    return with_factors(experiment, factors, [draft.origin for draft in drafts])


def _level(factor: str, row: Sequence[str]) -> Level:
    """A name that is a number stands for that number, unless another is given beside it."""
    name, number, insert = row
    value = typed_number(number) if number.strip() else typed_number(name)
    if number.strip() and value is None:
        raise UserError("experiment_level_value", factor=factor, level=name)
    return Level(name, value, insert)


def response_rows(experiment: Experiment) -> list[tuple[str, ...]]:
    return [
        (response.name, response.unit, response.direction.value, _taken_from(response), response.title)
        for response in experiment.responses
    ]


def _taken_from(response: Response) -> str:
    """``vmstat us@mean``, as the command line has it."""
    return f"{response.figure}@{response.statistic.value}" if response.statistic else response.figure


def experiment_with_responses(experiment: Experiment, rows: Sequence[Sequence[str]]) -> Experiment:
    """Raises UserError experiment_words where the statistic behind @ is none."""
    return replace(experiment, responses=tuple(_response(row) for row in rows))


def _response(row: Sequence[str]) -> Response:
    name, unit, direction, words, title = row
    figure, statistic = figure_of(words)
    return Response(name, unit, Direction(direction), title, figure, statistic)


def field_words(name: str, value: object) -> str:
    """A field of the experiment as its form shows it."""
    if name == "inserts":
        return inserts_words(cast("tuple[Inserted, ...]", value))
    if isinstance(value, tuple):
        return "\n".join(value)
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def inserts_words(inserts: Sequence[Inserted]) -> str:
    """Each target on a line of its own, the text that goes into it below, indented."""
    return "\n".join(
        "\n".join((insert.into, *(f"{INDENT}{line}" for line in insert.text.splitlines()))) for insert in inserts
    )


def inserts_of(typed: str) -> tuple[Inserted, ...]:
    inserts: list[tuple[str, list[str]]] = []
    for line in typed.splitlines():
        if line.startswith(INDENT) and inserts:
            inserts[-1][1].append(line.removeprefix(INDENT))
        elif line.strip():
            inserts.append((line.strip(), []))
    return tuple(Inserted(into, "\n".join(lines)) for into, lines in inserts)
