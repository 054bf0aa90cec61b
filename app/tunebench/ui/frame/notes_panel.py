"""The consultant's notes on what the inspector shows: add, edit in place, delete, all undoable."""

from __future__ import annotations

import getpass
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QScrollArea, QWidget

from tunebench.columns.formats import format_time
from tunebench.domain.engagement import Note
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XS
from tunebench.ui.typing import stored_when_left
from tunebench.ui.undo import AddNote, ChangeNote, NoteNumbers, NoteTarget, RemoveNote
from tunebench.ui.widgets.parts import IconButton, button, column, label, name_button, row, selectable
from tunebench.ui.workspace import Change, Workspace

EDITOR_HEIGHT = 60
LIST_HEIGHT = 190


class NoteEditor(QPlainTextEdit):
    """Ctrl+Enter keeps, Escape drops."""

    def __init__(self, keep: Callable[[], object], drop: Callable[[], object]) -> None:
        super().__init__()
        self._keep, self._drop = keep, drop
        self.setFixedHeight(EDITOR_HEIGHT)
        self.setTabChangesFocus(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._keep()
        elif event.key() == Qt.Key.Key_Escape:
            self._drop()
        else:
            super().keyPressEvent(event)


class NotesPanel(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._numbers = NoteNumbers()
        self._target: NoteTarget | None = None
        self._editing: int | None = None
        self._title = label(role="strong")
        self._list = QScrollArea()
        self._list.setWidgetResizable(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.editor: NoteEditor = translated(
            NoteEditor(self.keep_new, lambda: self.editor.clear()),
            placeholderText="ui.notes.hint",
            accessibleName="ui.notes.hint",
        )
        self.editor.textChanged.connect(self._enable)
        stored_when_left(self.editor, self, self._store_new)
        self._add = translated(button(on_click=self.keep_new), "ui.notes.add")
        margins = (SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        self.setLayout(column(self._title, self._list, self.editor, row(1, self._add), margins=margins))
        language().follow(self.refresh)

    def show_target(self, target: NoteTarget | None) -> None:
        if target != self._target:
            self._keep_typed()
            self._editing = None
            self.editor.clear()
        self._target = target
        self.refresh()

    def _keep_typed(self) -> None:
        """What was typed of one thing is kept of it before another one is shown."""
        if self._workspace.project is not None and self._workspace.writable:
            self._store_edit()
            self.keep_new()

    def _store_new(self) -> bool:
        self.keep_new()
        return True

    def _store_edit(self) -> bool:
        note, editor = self._edited()
        if note is not None and editor is not None:
            self.keep_edit(note, editor.toPlainText())
        return True

    def _edited(self) -> tuple[Note | None, NoteEditor | None]:
        note = next((note for note in self.notes() if note.id == self._editing), None)
        return note, self._list.findChild(NoteEditor)

    def notes(self) -> list[Note]:
        """Notes on the target, oldest first."""
        from tunebench.usecases import projects

        project = self._workspace.project
        if self._target is None or project is None:
            return []
        everything = self._workspace.answer_of(lambda: projects.list_notes(project), Change.NOTES) or []
        return [n for n in everything if (n.target_kind, n.target_id) == (self._target.kind, self._target.id)]

    def refresh(self, *_: object) -> None:
        self.setVisible(self._target is not None)
        notes = self.notes()
        writable = self._workspace.writable
        self._title.setText(text("ui.notes.title", count=len(notes)) if notes else text("ui.notes.title.none"))
        self.editor.setVisible(writable and self._editing is None)
        self._add.setVisible(writable and self._editing is None)
        self._list.setVisible(bool(notes))
        body = QWidget()
        parts = [self._editor_of(note) if note.id == self._editing else self._line_of(note) for note in notes]
        inside = column(*parts, 1)
        body.setLayout(inside)
        self._list.setWidget(body)
        height = inside.totalHeightForWidth(self._list.viewport().width()) if notes else 0
        self._list.setFixedHeight(min(LIST_HEIGHT, height + 2))
        self._enable()

    def _line_of(self, note: Note) -> QWidget:
        frame = QFrame()
        when = format_time(note.time_ns, self._workspace.zone) if note.time_ns is not None else note.written_at[:10]
        head = row((label(" · ".join(w for w in (when, note.author) if w), "small"), 1), spacing=0)
        if self._workspace.writable:
            for drawing, act, key in (
                ("edit", self.begin_edit, "ui.notes.edit"),
                ("trash", self.remove, "ui.notes.remove"),
            ):
                made_button = IconButton(drawing, lambda act=act: act(note))
                made_button.setObjectName(f"note-{drawing}")
                name_button(made_button, text(key))
                head.addWidget(made_button)
        words = selectable(label(note.text, wrap=True))
        frame.setLayout(column(head, words, spacing=0, margins=(0, 0, 0, SPACE_XS)))
        return frame

    def _editor_of(self, note: Note) -> QWidget:
        holder = QWidget()
        editor: NoteEditor = NoteEditor(lambda: self.keep_edit(note, editor.toPlainText()), self._end_edit)
        editor.setObjectName("note-editor")
        stored_when_left(editor, self, self._store_edit)
        editor.setPlainText(note.text)
        editor.setAccessibleName(text("ui.notes.edit"))
        keep = button(text("ui.notes.keep"), "primary", lambda: self.keep_edit(note, editor.toPlainText()))
        buttons = row(1, button(text("ui.action.cancel"), on_click=self._end_edit), keep)
        holder.setLayout(column(editor, buttons, spacing=SPACE_XS))
        editor.setFocus()
        return holder

    def _enable(self) -> None:
        self._add.setEnabled(bool(self.editor.toPlainText().strip()))

    # --- edits
    def keep_new(self) -> None:
        words = self.editor.toPlainText().strip()
        if words and self._target is not None:
            self.editor.clear()
            self._workspace.undo.push(AddNote(self._workspace, self._numbers, self._target, words, _author()))

    def begin_edit(self, note: Note) -> None:
        self._editing = note.id
        self.refresh()

    def _end_edit(self) -> None:
        self._editing = None
        self.refresh()

    def keep_edit(self, note: Note, words: str) -> None:
        self._editing = None
        if words.strip() and words.strip() != note.text:
            self._workspace.undo.push(ChangeNote(self._workspace, self._numbers, note, words.strip()))
        else:
            self.refresh()

    def remove(self, note: Note) -> None:
        self._workspace.undo.push(RemoveNote(self._workspace, self._numbers, note))


def _author() -> str:
    try:
        return getpass.getuser()
    except OSError:
        return ""
