"""The definition that is being written, every change of which can be taken back, and fields each bound to one place of
it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QUndoCommand, QUndoStack
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from tunebench.ui.look.language import text
from tunebench.ui.widgets.parts import set_tone
from tunebench.usecases.importing.table_definitions import Draft

Path = tuple[str | int, ...]


class _Change(QUndoCommand):
    """The whole draft before and after: it is small."""

    def __init__(self, controller: DraftController, path: Path, after: Draft) -> None:
        super().__init__()
        self._controller, self.path = controller, path
        self._before, self.after = controller.draft, after

    def redo(self) -> None:
        self._controller.show(self.after)

    def undo(self) -> None:
        self._controller.show(self._before)


class DraftController(QObject):
    """The draft of a definition; `changed` after every change, made or taken back."""

    changed = Signal()

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self.draft = draft
        self.stack = QUndoStack(self)
        self._last: _Change | None = None
        self._last_at = -1

    def show(self, draft: Draft) -> None:
        self.draft = draft
        self.changed.emit()

    def value(self, *path: str | int) -> object:
        """What stands at `path`; None where nothing does."""
        value: object = self.draft
        for step in path:
            value = _inside(value, step)
        return value

    def text(self, *path: str | int) -> str:
        value = self.value(*path)
        return value if isinstance(value, str) else ""

    def texts(self, *path: str | int) -> list[str]:
        values = self.value(*path)
        return [str(value) for value in values] if isinstance(values, list | tuple) else []

    def put(self, path: Sequence[str | int], value: object) -> None:
        """Sets, or with None or an empty text takes away, what stands at `path`."""
        self.put_all({tuple(path): value}, merged=True)

    def put_all(self, values: Mapping[Path, object], merged: bool = False) -> None:
        """Several values as one change."""
        after = copy.deepcopy(self.draft)
        for path, value in values.items():
            _put(after, path, value)
        if after != self.draft:
            self._push(next(iter(values)) if merged else (), after)

    def _push(self, path: Path, after: Draft) -> None:
        """A stroke in the field of the last change belongs to that change."""
        last, at_the_end = self._last, self.stack.index() == self._last_at == self.stack.count()
        if path and last is not None and last.path == path and at_the_end:
            last.after = after
            self.show(after)
            return
        self._last = _Change(self, path, after)
        self.stack.push(self._last)
        self._last_at = self.stack.index()

    def replace(self, draft: Draft) -> None:
        if draft != self.draft:
            self._push((), copy.deepcopy(draft))


def _inside(value: object, step: str | int) -> object:
    """What stands at one step of a path; None where nothing does."""
    if isinstance(value, dict):
        return value.get(step)
    return value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None


def _put(draft: Draft, path: Path, value: object) -> None:
    holder: object = draft
    *before, last = path
    for step in before:
        holder = holder.setdefault(step, {}) if isinstance(holder, dict) else _inside(holder, step)
    assert isinstance(holder, dict)  # every path ends with a name
    if value is None or value in ("", [], {}):
        holder.pop(last, None)
    else:
        holder[last] = value


class UndoKeys(QObject):
    """Ctrl+Z and Ctrl+Y in a field take back changes of the form, not only letters of the field.

    A wheel that turns over a list of choices scrolls the form; it does not choose.
    """

    def __init__(self, controller: DraftController) -> None:
        super().__init__(controller)
        self._controller = controller

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent):
            for keys, act in (
                (QKeySequence.StandardKey.Undo, self._controller.stack.undo),
                (QKeySequence.StandardKey.Redo, self._controller.stack.redo),
            ):
                if event.matches(keys):
                    if event.type() == QEvent.Type.KeyPress:
                        act()
                    event.accept()
                    return True
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QComboBox):
            event.ignore()
            return True
        return super().eventFilter(watched, event)


class Field:
    """What every field has: a widget, a place in the draft, a way to show what stands there."""

    widget: QWidget

    def __init__(self, controller: DraftController, path: Path) -> None:
        self.controller, self.path = controller, path

    def refresh(self) -> None:
        """Shows what stands in the draft, without telling it."""
        raise NotImplementedError

    def mark(self, sentence: str) -> None:
        """Wrong for this reason; ``""`` for right."""
        set_tone(self.widget, "wrong" if sentence else "", "state")
        self.widget.setToolTip(sentence or self.tip)

    tip = ""


class LineField(Field):
    """A text; `several` texts with commas between them."""

    def __init__(self, controller: DraftController, path: Path, several: bool = False, hint: str = "") -> None:
        super().__init__(controller, path)
        self.edit = QLineEdit()
        self.edit.setPlaceholderText(hint)
        self.widget = self.edit
        self._several = several
        self.edit.textEdited.connect(self._take)

    def _take(self, words: str) -> None:
        several = [part.strip() for part in words.split(",") if part.strip()]
        self.controller.put(self.path, several if self._several else words)

    def refresh(self) -> None:
        if self._several:
            value = self.controller.texts(*self.path)
            typed = [part.strip() for part in self.edit.text().split(",") if part.strip()]
            if typed != value:
                self.edit.setText(", ".join(value))
        elif self.edit.text() != self.controller.text(*self.path):
            self.edit.setText(self.controller.text(*self.path))


class NumberField(LineField):
    """A number; what is none stays text, which the check names."""

    def _take(self, words: str) -> None:
        self.controller.put(self.path, _number(words))

    def refresh(self) -> None:
        value = self.controller.value(*self.path)
        if _number(self.edit.text()) != value:
            self.edit.setText("" if value is None else f"{value:g}" if isinstance(value, int | float) else str(value))


def _number(words: str) -> float | str | None:
    try:
        return float(words) if words.strip() else None
    except ValueError:
        return words


class ChoiceField(Field):
    """One of `words` (value, text key); editable where other values may be typed."""

    def __init__(
        self,
        controller: DraftController,
        path: Path,
        words: Sequence[tuple[str, str]],
        editable: bool = False,
        first: str = "",
    ) -> None:
        super().__init__(controller, path)
        self.box = QComboBox()
        self.widget = self.box
        self._first = first
        self.box.setEditable(editable)
        self.box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(6)
        for value, key in words:
            self.box.addItem(text(key) if key else value, value)
        self.box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.box.activated.connect(self._take)
        edit = self.box.lineEdit()
        if edit is not None:
            edit.setCompleter(None)  # type: ignore[arg-type]  # what it would add is not what was typed
            edit.textEdited.connect(self._take_text)

    def _take(self, index: int) -> None:
        self.controller.put(self.path, self.box.itemData(index))

    def _take_text(self, words: str) -> None:
        self.controller.put(self.path, words)

    def refresh(self) -> None:
        value = self.controller.text(*self.path) or self._first
        at = self.box.findData(value)
        edit = self.box.lineEdit()
        if edit is None:
            self.box.setCurrentIndex(at)
        elif edit.text() != value or at != self.box.currentIndex():
            cursor = edit.cursorPosition()
            self.box.setCurrentIndex(at)
            edit.setText(self.box.itemText(at) if at >= 0 else value)
            edit.setCursorPosition(cursor)


class FlagField(Field):
    def __init__(self, controller: DraftController, path: Path, key: str) -> None:
        super().__init__(controller, path)
        self.box = QCheckBox(text(key))
        self.widget = self.box
        self.box.clicked.connect(lambda on: self.controller.put(self.path, True if on else None))

    def refresh(self) -> None:
        self.box.setChecked(self.controller.value(*self.path) is True)
