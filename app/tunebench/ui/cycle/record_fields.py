"""Fields of a form that is filled in place: each shows a stored text and says when another one was typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from tunebench.core.records import record
from tunebench.domain.cycle.book import KINDS, Record
from tunebench.domain.cycle.records import DailyWindow, Figure
from tunebench.domain.schema import InForm, OneOf, RecordField, Shape, schema
from tunebench.domain.translations import Translated, is_current, is_translatable
from tunebench.reporting.cycle_words import field_word, word
from tunebench.reporting.wording import recorded
from tunebench.ui.look.language import has_text, language, text, translated
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.typing import mark_stored, stored_soon
from tunebench.ui.widgets.parts import button, column, label, lock, set_tone

MOST_DIGITS = 9
TWELFTHS = 12

Choices = Callable[[], Sequence[tuple[str, str]]]
"""(stored text, words) of each choice, in the window's language."""


@record
class FieldSpec:
    """One field of a form.

    Attributes:
        path: the record's field.
        kind: ``line``, ``lines``, ``choice``, ``flag`` or ``day``.
        span: width in twelfths of the form.
        of: what the form is about, where the field has words of its own there.
        translatable: a second line below it holds its text in the second language.
    """

    path: str
    kind: str = "line"
    span: int = 4
    choices: Choices | None = None
    of: str = ""
    translatable: bool = False

    def in_language(self, code: str) -> FieldSpec:
        return replace(self, path=f"{self.path}@{code}", translatable=False)

    @property
    def words(self) -> str:
        """What the form calls the field: as every room does where the form has no words of its own."""
        key = next(filter(has_text, self._keys()), "")
        if key:
            return text(key)
        words = field_word(self.path, language().code)
        return words[:1].upper() + words[1:]

    @property
    def hint(self) -> str:
        """How it is typed, empty where that goes without saying."""
        keys = (*(f"{key}.hint" for key in self._keys()), *(["ui.cycle.hint.day"] if self.kind == "day" else []))
        return next((text(key) for key in keys if has_text(key)), "")

    def _keys(self) -> tuple[str, str]:
        return f"ui.cycle.field.{self.of}.{self.path}", f"ui.cycle.field.{self.path}"


def spec_of(record_type: type[Record], name: str, choices: Choices | None = None) -> FieldSpec:
    """The input of a record's field, as it was declared; `choices` where they are not those of its type."""
    field = schema(record_type)[name]
    position, offered = field.mark(InForm), choices or _choices_of(field)
    if offered is not None:
        kind = "choice"
    elif field.hint is bool:
        kind = "flag"
    else:
        kind = "lines" if field.has_lines else "day" if field.shape is Shape.DAY else "line"
    of = next(kind for kind, listed in KINDS.items() if listed is record_type)
    span = TWELFTHS if position is None else position.span
    return FieldSpec(name, kind, span, offered, of, is_translatable(field))


def form_of(record_type: type[Record], **choices: Choices) -> tuple[FieldSpec, ...]:
    """The inputs of every field that has a place in the form of its kind, row by row."""
    places = {
        name: position for name, field in schema(record_type).items() if (position := field.mark(InForm)) is not None
    }
    return tuple(
        spec_of(record_type, name, choices.get(name)) for name in sorted(places, key=lambda name: places[name].row)
    )


def _choices_of(field: RecordField) -> Choices | None:
    offered = field.mark(OneOf)
    if offered is not None:
        return keyed_choices(offered.choices, offered.words)
    kind = field.hint
    if not isinstance(kind, type) or not issubclass(kind, Enum):
        return None
    return lambda: [(str(member.value), word(member, language().code)) for member in kind]


def keyed_choices(values: Sequence[str], prefix: str) -> Choices:
    """(value, the sentence of `prefix` + value); an empty value is what is not known."""
    return lambda: [(value, text(f"{prefix}{value}" if value else "ui.cycle.not_known")) for value in values]


def typed_text(value: object) -> str:
    """The text that `cycle.set_field` would read back as the value."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case Enum():
            return str(value.value)
        case float():
            return recorded(value, MOST_DIGITS).replace(",", "")
        case DailyWindow():
            return f"{value.start}-{value.end}"
        case Figure():
            return "" if value.value is None else f"{value.bound}{typed_text(value.value)}"
    return str(value)


class Line(QLineEdit):
    """A line; Escape puts back the text that was stored when the keyboard came."""

    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.stored = self.found = ""
        self.editingFinished.connect(self.finished)

    def read(self) -> str:
        return self.text()

    def write(self, words: str) -> None:
        if self.text() != words:
            self.setText(words)
            self.setCursorPosition(0)
        mark_stored(self)

    def set_editable(self, editable: bool) -> None:
        self.setReadOnly(not editable)
        lock(self, not editable)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.found = self.stored

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text() != self.found:
            self.selectAll()
            self.insert(self.found)  # as if typed: a part of what is given up may be stored already
        else:
            super().keyPressEvent(event)


class Lines(QPlainTextEdit):
    """Several lines, as high as its text up to a limit; Ctrl+Enter or leaving it stores them."""

    finished = Signal()
    LEAST, MOST = 2, 9

    def __init__(self, least: int = LEAST) -> None:
        super().__init__()
        self.stored = self.found = ""
        self._least = least
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textChanged.connect(self.updateGeometry)

    def _height(self) -> int:
        lines = min(max(round(self.document().size().height()), self._least), self.MOST)
        return lines * self.fontMetrics().lineSpacing() + 20

    def sizeHint(self) -> QSize:
        return QSize(200, self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()  # other breaks of lines

    def read(self) -> str:
        return self.toPlainText()

    def write(self, words: str) -> None:
        if self.toPlainText() != words:
            self.setPlainText(words)
        mark_stored(self)

    def set_editable(self, editable: bool) -> None:
        self.setReadOnly(not editable)
        lock(self, not editable)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.found = self.stored

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.finished.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ctrl = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Escape and self.toPlainText() != self.found:
            self.selectAll()
            self.insertPlainText(self.found)
        elif ctrl and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finished.emit()
        else:
            super().keyPressEvent(event)


class Choice(QComboBox):
    """A box of choices that the wheel passes by: scrolling the page changes nothing."""

    finished = Signal()

    def __init__(self, choices: Choices | None = None) -> None:
        super().__init__()
        self.stored = ""
        self._choices = choices
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(4)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # nor does it take the keyboard
        self.activated.connect(lambda _place: self.finished.emit())

    def refill(self) -> None:
        if self._choices is not None:
            self.fill(self._choices())

    def fill(self, choices: Sequence[tuple[str, str]]) -> None:
        kept = self.read()
        if [(self.itemData(at), self.itemText(at)) for at in range(self.count())] == list(choices):
            return
        self.clear()
        for value, words in choices:
            self.addItem(words, value)
        self.write(kept)

    def offer(self, value: str, words: str) -> None:
        """Choose `value`, one of the choices from now on."""
        if self.findData(value) < 0:
            self.addItem(words, value)
        self.write(value)

    def read(self) -> str:
        return str(self.currentData() or "")

    def write(self, words: str) -> None:
        self.setCurrentIndex(self.findData(words))

    def set_editable(self, editable: bool) -> None:
        self.setEnabled(editable)
        self.setToolTip("" if editable else text("ui.locked.tip"))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class Flag(QCheckBox):
    finished = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.stored = ""
        self.clicked.connect(lambda _on: self.finished.emit())

    def read(self) -> str:
        return "yes" if self.isChecked() else "no"

    def write(self, words: str) -> None:
        self.setChecked(words == "yes")

    def set_editable(self, editable: bool) -> None:
        self.setEnabled(editable)
        self.setToolTip("" if editable else text("ui.locked.tip"))


Input = Line | Lines | Choice | Flag


def _input(spec: FieldSpec) -> Input:
    if spec.kind == "lines":
        return Lines()
    if spec.kind == "choice":
        return Choice(spec.choices)
    return Flag() if spec.kind == "flag" else Line()


class Field(QWidget):
    """A named input. `committed` carries (path, text) when something else than the stored text was typed; whoever keeps
    that calls `kept`.

    Args:
        soon: it is committed while it is typed, a moment after a key.

    Attributes:
        second: below it, its text in the second language, whose path is ``title@en``; None where there is none.
    """

    committed = Signal(str, str)

    def __init__(self, spec: FieldSpec, soon: bool = True) -> None:
        super().__init__()
        self.spec = spec
        self._offered: str | None = None
        self._kept: str | None = None
        self.input = _input(spec)
        self._name = label(role="small")
        self._name.setBuddy(self.input)
        self.second: Field | None = None
        self._still_right = translated(button(kind="link", on_click=self._keep_text), "ui.cycle.second.still_right")
        self._still_right.hide()
        below = () if spec.kind == "lines" else (1,)
        self._column = column(self._name, self.input, self._still_right, *below, spacing=SPACE_XS // 2)
        self.setLayout(self._column)
        self._owner: object = None
        self.input.finished.connect(self._on_finished)
        if soon and isinstance(self.input, Line | Lines):
            stored_soon(self.input, self._store_typed)
        language().follow(self.retranslate)

    def retranslate(self) -> None:
        words = self.spec.words
        self._name.setText("" if isinstance(self.input, Flag) else words)
        self.input.setAccessibleName(words)
        if isinstance(self.input, Flag):
            self.input.setText(words)
        elif isinstance(self.input, Choice):
            self.input.refill()
            self.input.write(self.input.stored)

    def show_name(self, shown: bool) -> None:
        self._name.setVisible(shown)

    def show_text(self, stored: str, owner: object, editable: bool) -> None:
        """`owner` tells records apart: what is typed and not stored stays until there is another one."""
        if isinstance(self.input, Choice):
            self.input.refill()
        if stored != self.input.stored or owner != self._owner or isinstance(self.input, Choice | Flag):
            is_typing = owner == self._owner and self.input.read() == self._offered
            self.input.stored, self._owner = stored, owner
            if not is_typing:
                self.input.write(stored)
                self._kept = None
            self.mark(False)
        self.set_editable(editable)

    def show_second(self, record: Translated, code: str, editable: bool) -> None:
        """The second line, for the text in the language `code`; none where that is empty."""
        if not self.spec.translatable:
            return
        wanted = self.spec.in_language(code) if code else None
        if self.second is not None and self.second.spec != wanted:
            self._column.removeWidget(self.second)
            self.second.deleteLater()
            self.second = None
        if wanted is None:
            return
        if self.second is None:
            self.second = Field(wanted)
            self.second.show_name(False)  # it stands right below, and says which language it is while it is empty
            self.second.committed.connect(self.committed)
            self._column.insertWidget(3, self.second)
            QWidget.setTabOrder(self.input, self.second.input)
        translation = record.translation(self.spec.path, code)
        self.second.show_text(translation.text if translation else "", getattr(record, "id", None), editable)
        outdated = translation is not None and not is_current(record, translation)
        self.second.show_outdated(outdated and editable)
        if isinstance(self.second.input, Line | Lines):
            self.second.input.setPlaceholderText(text(f"ui.language.{code}"))

    def show_outdated(self, outdated: bool) -> None:
        """Whether the text that this one translates was changed since."""
        self._still_right.setVisible(outdated)

    def _keep_text(self) -> None:
        """The translation holds for the changed text as well."""
        self.committed.emit(self.spec.path, self.input.read())

    def set_editable(self, editable: bool) -> None:
        """Locks or unlocks the field; a hint stands only where it can be written in."""
        self.input.set_editable(editable)
        if isinstance(self.input, Line | Lines) and self.spec.hint:
            self.input.setPlaceholderText(self.spec.hint if editable else "")

    def mark(self, wrong: bool) -> None:
        set_tone(self.input, "wrong" if wrong else "", "state")

    def flush(self) -> None:
        """Stores as if the field were left now; what was refused already is not tried again."""
        if self.input.property("state") != "wrong":
            self._on_finished()

    def kept(self, typed: str) -> None:
        """The project holds what was typed, as it was or tidied."""
        if self._offered is not None:
            self._kept = typed

    def _store_typed(self) -> bool:
        """Stores while typing goes on: the field keeps the words as they are typed."""
        typed = self.input.read()
        if typed == self.input.stored:
            return True
        if typed != self._kept:
            self._offered = typed
            self.committed.emit(self.spec.path, typed)
            self._offered = None
        return self._kept == typed

    def _on_finished(self) -> None:
        typed = self.input.read()
        if typed == self._kept:
            self.input.write(self.input.stored)
        elif typed != self.input.stored:
            self.committed.emit(self.spec.path, typed)
            return
        self._kept = None
        self.mark(False)
