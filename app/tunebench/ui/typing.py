"""What a field that somebody types into says of itself: how its words are stored, or that they are nobody's to keep.

`frame.typed_fields` watches every field of the window, whoever made it. One whose words are a search or a calculation
says so with `never_stored`. One that is stored while it is typed names how with `stored_soon`. What is typed into any
other is not stored until its button is pressed, and so long it is said that it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from tunebench.core.records import record

_NEVER, _KEEPER = "neverStored", "keeper"

TextField = QLineEdit | QPlainTextEdit | QTextEdit


@record
class Keeper:
    """How the words of a field are stored. `form`: leaving the field for another of the same form does not leave it;
    None where only `soon` counts."""

    store: Callable[[], bool]
    soon: bool
    form: QWidget | None = None


def keeper_of(field: TextField) -> Keeper | None:
    """The keeper of a field; None where none was set."""
    keeper = field.property(_KEEPER)
    return keeper if isinstance(keeper, Keeper) else None


def stored_soon(field: TextField, store: Callable[[], bool]) -> None:
    """`store` is called a moment after a key, when the field is left, and when Enter is pressed in it.

    Args:
        store: writes what the field says, and gives whether the project holds it now. It is called with
            `Workspace.is_typing`: whoever would have to ask somebody, or say that it is wrong, gives False instead.
    """
    field.setProperty(_KEEPER, Keeper(store, soon=True))


def stored_when_left(field: TextField, form: QWidget, store: Callable[[], bool]) -> None:
    """As `stored_soon`, for what makes sense only when it is whole: stored when the form is left, or the project."""
    field.setProperty(_KEEPER, Keeper(store, soon=False, form=form))


def never_stored(*parts: QWidget) -> None:
    """What is typed into these, or into fields inside of them, is a search or a question, and not of the project."""
    for part in parts:
        part.setProperty(_NEVER, True)


def mark_stored(*parts: QWidget) -> None:
    """What stands in these fields, or in fields inside of them, is in the project, or was given up."""
    for part in parts:
        for field in _fields_of(part):
            set_modified(field, False)
    typing_news().settled.emit()


class News(QObject):
    """Signals:
    settled: words are stored, or given up, without having been typed over.
    given_up: Escape, in a field that is stored while it is typed.
    """

    settled = Signal()
    given_up = Signal(object)


def give_up(part: QWidget) -> None:
    """What was typed into it is nobody's, and what of it was stored meanwhile is taken back."""
    field = text_field(part)
    if field is not None:
        mark_stored(field)
        typing_news().given_up.emit(field)


@cache
def typing_news() -> News:
    return News()


def text_field(widget: QWidget | None) -> TextField | None:
    """The field that takes the keys where `widget` has the keyboard."""
    if isinstance(widget, QComboBox):
        return widget.lineEdit()
    if isinstance(widget, QAbstractSpinBox):
        return widget.findChild(QLineEdit)
    return widget if isinstance(widget, QLineEdit | QPlainTextEdit | QTextEdit) else None


def is_stored_field(field: TextField) -> bool:
    """Whether what is typed into it ends up in the project."""
    if isinstance(field, QLineEdit) and field.echoMode() is not QLineEdit.EchoMode.Normal:
        return False
    part: QWidget | None = field
    while part is not None:
        if part.property(_NEVER):
            return False
        part = part.parentWidget()
    return True


def _fields_of(part: QWidget) -> Iterable[TextField]:
    own = text_field(part)
    kinds = (QLineEdit, QPlainTextEdit, QTextEdit)
    return [own] if own is not None else [field for kind in kinds for field in part.findChildren(kind)]


def is_modified(field: TextField) -> bool:
    """Whether words were typed into it since they were set or stored."""
    return field.isModified() if isinstance(field, QLineEdit) else field.document().isModified()


def set_modified(field: TextField, modified: bool) -> None:
    if isinstance(field, QLineEdit):
        field.setModified(modified)
    else:
        field.document().setModified(modified)
