"""A calculator as a form that computes while one types."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QFrame, QGridLayout, QLabel, QLineEdit, QScrollArea, QWidget

from tunebench.analysis.calculators.calculator import (
    Answer,
    Calculator,
    Input,
    InputRefusal,
    Note,
    Output,
    shown_default,
)
from tunebench.analysis.comparing.improvement import half_up
from tunebench.ui.look.language import error_text, language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.widgets.parts import ElidedLink, button, card, column, label, row, selectable, set_tone
from tunebench.usecases.reference import entries as reference

FIELD_WIDTH, MOST_WIDTH = 190, 880
MOST_NOTES = 5
Field = QLineEdit | QComboBox


class CalculatorForm(QScrollArea):
    """Formula, inputs, result and source of one calculator; what was typed is kept for every calculator.

    `entry_asked` carries an entry id, `said` a sentence.
    """

    entry_asked = Signal(str)
    said = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._typed: dict[str, dict[str, str]] = {}
        self._calculator: Calculator | None = None
        self.fields: dict[str, Field] = {}
        self.answer: Answer | None = None
        self.error = label(wrap=True)
        self._outputs: dict[str, QLabel] = {}
        self._notes: list[QLabel] = []
        self._results = QWidget()

    # --- building
    def show_calculator(self, calculator: Calculator) -> None:
        self._calculator = calculator
        self.fields = {}
        self.error = label(wrap=True)
        set_tone(self.error, "critical")
        self._results = self._make_results(calculator)
        parts = (self._head(calculator), self._formula(calculator), self._body(calculator), self._foot(calculator))
        for part in parts:
            part.setMaximumWidth(MOST_WIDTH)
        inner = QWidget()
        inner.setLayout(column(*parts, 1, spacing=SPACE_M, margins=(SPACE_L, SPACE_M, SPACE_L, SPACE_M)))
        self.setWidget(inner)
        self.compute()

    def _head(self, calculator: Calculator) -> QWidget:
        head = QWidget()
        copy = button(text("ui.calculator.copy"), "", self.copy)
        copy.setToolTip(text("ui.calculator.copy.tip"))
        reset = button(text("ui.calculator.reset"), "quiet", self.reset)
        head.setLayout(row(label(text(f"calculator.{calculator.id}.title"), "title"), 1, reset, copy))
        return head

    def _formula(self, calculator: Calculator) -> QWidget:
        box, name = card(), label(text("ui.calculator.formula"), "small")
        formula = selectable(label(text(f"calculator.{calculator.id}.formula"), "code", wrap=True))
        box.setLayout(column(name, formula, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S, SPACE_M, SPACE_S)))
        return box

    def _body(self, calculator: Calculator) -> QWidget:
        body = QWidget()
        grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_S)
        grid.addWidget(label(text("ui.calculator.inputs"), "section"), 0, 0)
        grid.addWidget(label(text("ui.calculator.result"), "section"), 0, 1)
        left = QGridLayout()
        left.setHorizontalSpacing(SPACE_S)
        left.setVerticalSpacing(SPACE_S)
        typed = self._typed.setdefault(calculator.id, {})
        for at, wanted in enumerate(calculator.inputs):
            self._add_input(left, at, wanted, typed.get(wanted.name, shown_default(wanted)))
        if any(wanted.unit == "bytes" for wanted in calculator.inputs):
            left.addWidget(label(text("ui.calculator.sizes"), "small", wrap=True), len(calculator.inputs), 0, 1, 3)
        grid.addLayout(left, 1, 0, Qt.AlignmentFlag.AlignTop)
        grid.addLayout(column(self.error, self._results, 1), 1, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        return body

    def _add_input(self, grid: QGridLayout, at: int, wanted: Input, typed: str) -> None:
        words = text(f"calculator.input.{wanted.name}")
        field = _choices(wanted, typed, self.compute) if wanted.choices else _number_field(typed, self.compute)
        field.setAccessibleName(words)
        field.setFixedWidth(FIELD_WIDTH)
        field.setObjectName(f"input-{wanted.name}")
        self.fields[wanted.name] = field
        named = label(words, wrap=True)
        named.setBuddy(field)
        grid.addWidget(named, at, 0)
        grid.addWidget(field, at, 1)
        grid.addWidget(label(_unit(wanted), "small"), at, 2)
        grid.setColumnStretch(0, 1)

    def _make_results(self, calculator: Calculator) -> QWidget:
        lines = []
        self._outputs, self._notes = {}, [selectable(label(wrap=True)) for _ in range(MOST_NOTES)]
        for output in calculator.outputs:
            value = selectable(label(role="section"))
            value.setObjectName(f"output-{output.name}")
            self._outputs[output.name] = value
            lines.append(row((label(text(f"calculator.output.{output.name}"), "muted", wrap=True), 1), value))
        holder = QWidget()
        holder.setLayout(column(*lines, *self._notes))
        return holder

    def _foot(self, calculator: Calculator) -> QWidget:
        foot, links = QWidget(), []
        for entry in map(reference.find, calculator.entries):
            link = ElidedLink(partial(self.entry_asked.emit, entry.id))
            link.set_words(f"{entry.title[language().code]}  ({entry.id})")
            links.append(link)
        title = label(text("ui.calculator.source"), "section")
        foot.setLayout(column(title, *links, spacing=0, margins=(0, SPACE_S, 0, 0)))
        return foot

    # --- computing
    def typed(self) -> dict[str, str]:
        return {name: _words_of(field) for name, field in self.fields.items()}

    def compute(self, *_: object) -> None:
        if self._calculator is None:
            return
        typed = self._typed[self._calculator.id] = self.typed()
        wrong = ""
        try:
            self.answer = self._calculator.answer(typed)
            self.error.setText("")
        except InputRefusal as refusal:
            self.answer, wrong = None, str(refusal.facts["name"])
            self.error.setText(f"⚠ {error_text(refusal)}")
        self.error.setVisible(self.answer is None)
        for name, field in self.fields.items():
            set_tone(field, "wrong" if name == wrong else "", "state")
        self._show_results()

    def _show_results(self) -> None:
        self._results.setVisible(self.answer is not None)
        if self._calculator is None or self.answer is None:
            return
        for output in self._calculator.outputs:
            value, shown = self.answer.values[output.name], self._outputs[output.name]
            shown.setText(figure(output, value))
            shown.setAccessibleName(f"{text(f'calculator.output.{output.name}')}: {shown.text()}")
            set_tone(shown, "muted" if value is None else "section", "role")
        notes: list[Note | None] = [*self.answer.notes, *[None] * MOST_NOTES]
        for note_label, note in zip(self._notes, notes, strict=False):
            _say(note_label, note)

    def reset(self) -> None:
        if self._calculator is not None:
            self._typed.pop(self._calculator.id, None)
            self.show_calculator(self._calculator)

    def retranslate(self) -> None:
        if self._calculator is not None:
            self.show_calculator(self._calculator)

    def focus_first(self) -> None:
        first = next(iter(self.fields.values()), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)
            if isinstance(first, QLineEdit):
                first.selectAll()

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.plain_text())
        self.said.emit(text("ui.reference.copied"))

    def plain_text(self) -> str:
        if self._calculator is None:
            return ""
        lines = [text(f"calculator.{self._calculator.id}.title"), text(f"calculator.{self._calculator.id}.formula")]
        for wanted in self._calculator.inputs:
            shown = _shown(self.fields[wanted.name])
            lines += [f"{text(f'calculator.input.{wanted.name}')}\t{shown}\t{_unit(wanted)}".rstrip()] if shown else []
        if self.answer is None:
            return "\n".join([*lines, self.error.text()])
        for output in self._calculator.outputs:
            value = figure(output, self.answer.values[output.name])
            lines.append(f"{text(f'calculator.output.{output.name}')}\t{value}")
        lines += [_note_words(note) for note in self.answer.notes]
        sources = ", ".join(reference.find(name).title[language().code] for name in self._calculator.entries)
        return "\n".join([*lines, f"{text('ui.calculator.source')}: {sources}"])


def figure(output: Output, value: float | None) -> str:
    if value is None:
        return text("ui.calculator.not_computed")
    words = f"{half_up(value, output.decimals):,f}"
    return f"{words} {text(f'calculator.unit.{output.unit}')}" if output.unit else words


def _note_words(note: Note) -> str:
    return text(f"calculator.note.{note.key}", **note.facts)


def _say(note_label: QLabel, note: Note | None) -> None:
    """A sign before the words says what the colour says."""
    note_label.setVisible(note is not None)
    note_label.setObjectName(f"note-{note.key}" if note is not None else "")
    if note is not None:
        warning = note.tone == "warning"
        note_label.setText(f"{'⚠' if warning else 'ⓘ'} {_note_words(note)}")
        set_tone(note_label, "" if warning else "muted", "role")
        set_tone(note_label, "warning" if warning else "")


def _unit(wanted: Input) -> str:
    unit = text(f"calculator.unit.{wanted.unit}") if wanted.unit else ""
    optional = text("ui.calculator.optional") if wanted.optional else ""
    return ", ".join(words for words in (unit, optional) if words)


def _number_field(typed: str, on_change: Callable[[], None]) -> QLineEdit:
    field = QLineEdit(typed)
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.textChanged.connect(on_change)
    return field


def _choices(wanted: Input, typed: str, on_change: Callable[[], None]) -> QComboBox:
    box = QComboBox()
    for name in wanted.choices:
        box.addItem(text(f"calculator.choice.{name}"), name)
    box.setCurrentIndex(wanted.choices.index(typed) if typed in wanted.choices else 0)
    box.currentIndexChanged.connect(on_change)
    return box


def _words_of(field: Field) -> str:
    return field.text() if isinstance(field, QLineEdit) else str(field.currentData())


def _shown(field: Field) -> str:
    return field.text().strip() if isinstance(field, QLineEdit) else field.currentText()
