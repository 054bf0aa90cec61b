"""Edits that can be taken back: notes and runs. Captures are append-only and never undone.

A removed note that comes back has a new number in the project; `NoteNumbers` keeps older commands pointing
at the right one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import partial

from PySide6.QtGui import QUndoCommand, QUndoStack

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.engagement import Note, Phase, Run
from tunebench.ui.look.language import text
from tunebench.ui.workspace import NO_TYPING, Change, Workspace


@record(frozen=False)
class NoteNumbers:
    """First number of a note -> its present one."""

    _now: dict[int, int] = field(default_factory=dict)

    def now(self, first: int) -> int:
        return self._now.get(first, first)

    def first(self, now: int) -> int:
        return next((first for first, current in self._now.items() if current == now), now)

    def moved(self, first: int, now: int) -> None:
        self._now[first] = now


@record
class NoteTarget:
    kind: str
    id: int | None
    time_ns: int | None = None


class CaseEdit(QUndoCommand):
    """Writes the new state into the project, the old one when taken back, and publishes the change.

    A refusal is said and leaves the undo stack; `on_refused` puts the old words back on screen.
    Edits that store the same typing bit by bit are taken back as one.
    """

    def __init__(
        self,
        workspace: Workspace,
        name_key: str,
        change: Change,
        write_new: Callable[[], None],
        write_old: Callable[[], None],
        on_refused: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(text(name_key))
        self._typing = workspace.typing_number
        self._workspace, self._change, self._on_refused = workspace, change, on_refused
        self.write_new, self._write_old = write_new, write_old

    def id(self) -> int:
        return self._typing

    def mergeWith(self, later: QUndoCommand) -> bool:
        if not isinstance(later, CaseEdit) or later.isObsolete():
            return False
        self.write_new = later.write_new
        return True

    def redo(self) -> None:
        self._run(self.write_new)

    def undo(self) -> None:
        self._run(self._write_old)

    def _run(self, write: Callable[[], None]) -> None:
        if self._workspace.attempt(write, self._change):
            self._workspace.announce(self._change)
            return
        self.setObsolete(True)
        if self._on_refused is not None:
            self._on_refused()


class DoneEdit(QUndoCommand):
    """Laid on the stack because it was done already; undone, and done again under the same ids.

    Args:
        undo, redo: say whether it was done; where it was refused, the command leaves the stack.
        typing: `Workspace.typing_number`: edits that store the same typing bit by bit are taken back as one.
    """

    def __init__(self, words: str, undo: Callable[[], bool], redo: Callable[[], bool], typing: int = NO_TYPING) -> None:
        super().__init__(words)
        self.steps = [(undo, redo)]
        self._typing, self._first = typing, True

    def id(self) -> int:
        return self._typing

    def mergeWith(self, later: QUndoCommand) -> bool:
        if not isinstance(later, DoneEdit):
            return False
        self.steps += later.steps
        return True

    def redo(self) -> None:
        if self._first:
            self._first = False
        else:
            self.setObsolete(not all(redo() for _undo, redo in self.steps))

    def undo(self) -> None:
        self.setObsolete(not all(undo() for undo, _redo in reversed(self.steps)))


def take_back_typing(stack: QUndoStack, number: int) -> None:
    """Undoes what was stored while something was typed that is given up now, and leaves no trace on the stack."""
    last = stack.command(stack.index() - 1) if stack.index() else None
    if last is not None and last.id() == number:
        last.undo()
        last.setObsolete(True)
        stack.undo()


class AddNote(CaseEdit):
    def __init__(self, workspace: Workspace, numbers: NoteNumbers, target: NoteTarget, words: str, author: str) -> None:
        super().__init__(workspace, "ui.undo.add_note", Change.NOTES, self._do, self._reverse)
        self._numbers, self._target, self._words, self._author = numbers, target, words, author
        self._first: int | None = None

    def _do(self) -> None:
        from tunebench.usecases import projects

        target = self._target
        note = projects.add_note(
            self._workspace.opened, target.kind, target.id, target.time_ns, self._words, self._author
        )
        if self._first is None:
            self._first = note.id
        self._numbers.moved(self._first, note.id)

    def _reverse(self) -> None:
        from tunebench.usecases import projects

        assert self._first is not None
        projects.remove_note(self._workspace.opened, self._numbers.now(self._first))


class RemoveNote(CaseEdit):
    def __init__(self, workspace: Workspace, numbers: NoteNumbers, note: Note) -> None:
        super().__init__(workspace, "ui.undo.remove_note", Change.NOTES, self._do, self._reverse)
        self._numbers, self._note, self._first = numbers, note, numbers.first(note.id)

    def _do(self) -> None:
        from tunebench.usecases import projects

        projects.remove_note(self._workspace.opened, self._numbers.now(self._first))

    def _reverse(self) -> None:
        from tunebench.usecases import projects

        note = self._note
        restored = projects.add_note(
            self._workspace.opened, note.target_kind, note.target_id, note.time_ns, note.text, note.author
        )
        self._numbers.moved(self._first, restored.id)


class ChangeNote(CaseEdit):
    def __init__(self, workspace: Workspace, numbers: NoteNumbers, note: Note, words: str) -> None:
        new, old = partial(self._write, words), partial(self._write, note.text)
        super().__init__(workspace, "ui.undo.change_note", Change.NOTES, new, old)
        self._numbers, self._first = numbers, numbers.first(note.id)

    def _write(self, words: str) -> None:
        from tunebench.usecases import projects

        projects.change_note(self._workspace.opened, self._numbers.now(self._first), words)


class ChangeRun(CaseEdit):
    def __init__(self, workspace: Workspace, run: Run, label: str, phase: Phase) -> None:
        new, old = partial(self._write, label, phase), partial(self._write, run.label, run.phase)
        super().__init__(workspace, "ui.undo.change_run", Change.RUNS, new, old)
        self._run_id = run.id

    def _write(self, label: str, phase: Phase) -> None:
        """Raises UserError run_unknown where the run was removed since."""
        from tunebench.usecases import projects

        overview = self._workspace.overview
        runs = [view.run for view in overview.runs] if overview else []
        if all(run.id != self._run_id for run in runs):
            raise UserError("run_unknown", run=label, known=", ".join(run.label for run in runs) or "-")
        projects.change_run(self._workspace.opened, self._run_id, label, phase)
