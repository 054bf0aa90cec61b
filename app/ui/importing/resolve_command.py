"""Correcting captures as one act that can be undone; they are read again in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtGui import QUndoCommand

from app.ui.look.language import text
from app.ui.workspace import Change, Workspace
from app.usecases.importing import resolution
from app.usecases.projects import Project


class CorrectCaptures(QUndoCommand):
    """Says it, takes it back, says it again. `say` does it and gives the numbers of what was said."""

    def __init__(self, workspace: Workspace, say: Callable[[Project, Any], list[int]], done: str) -> None:
        super().__init__(text("ui.undo.resolve_times"))
        self._workspace, self._say, self._done = workspace, say, done
        self._numbers: list[int] | None = None

    def redo(self) -> None:
        if self._numbers is None:
            project = self._workspace.opened
            _run(self._workspace, lambda handle: self._say(project, handle), self._remember)
        else:
            self._again(resolution.renew, self._numbers)

    def _remember(self, numbers: list[int]) -> None:
        self._numbers = numbers
        self._workspace.say(self._done if numbers else text("ui.resolution.no_change"))

    def undo(self) -> None:
        self._again(resolution.take_back, reversed(self._numbers or ()))

    def _again(self, act: Callable[..., None], numbers: Iterable[int]) -> None:
        project, every = self._workspace.opened, list(numbers)
        if every:
            _run(self._workspace, lambda handle: _each(act, project, every, handle))


def _each(act: Callable[..., None], project: Project, numbers: list[int], handle: Any) -> None:
    for number in numbers:
        act(project, number, handle)


class TakeBack(QUndoCommand):
    """Takes back what was said earlier, or says it again; undoing is the other of the two."""

    def __init__(self, workspace: Workspace, number: int, back: bool) -> None:
        super().__init__(text("ui.undo.resolve_times"))
        self._workspace, self._number, self._back = workspace, number, back

    def redo(self) -> None:
        self._act(self._back)

    def undo(self) -> None:
        self._act(not self._back)

    def _act(self, back: bool) -> None:
        project, number = self._workspace.opened, self._number
        act = resolution.take_back if back else resolution.renew
        _run(self._workspace, lambda handle: act(project, number, handle))


def _run(workspace: Workspace, work: Callable[[Any], Any], then: Callable[[Any], None] | None = None) -> None:
    def done(result: Any) -> None:
        workspace.announce(Change.CAPTURES)
        if then is not None:
            then(result)

    def stopped(*_: Any) -> None:
        workspace.announce(Change.CAPTURES)

    def refused(error: Any) -> None:
        workspace.announce(Change.CAPTURES)
        workspace.say_error(error)

    workspace.jobs.run(
        "db",
        work,
        owner=workspace,
        slot="resolve",
        on_result=done,
        on_error=refused,
        on_cancelled=stopped,
        title_key="ui.job.resolve",
    )
