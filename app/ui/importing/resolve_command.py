"""Settling times as one act that can be undone; captures are read again in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QUndoCommand

from app.domain.capturing.times import Correction
from app.ui.look.language import text
from app.ui.workspace import Change, Workspace
from app.usecases.importing import resolution


class ResolveTimes(QUndoCommand):
    """Says it, takes it back, says it again."""

    def __init__(
        self, workspace: Workspace, host_id: int, artefact_ids: list[int], correction: Correction, done: str
    ) -> None:
        super().__init__(text("ui.undo.resolve_times"))
        self._workspace, self._host_id, self._ids, self._correction = workspace, host_id, artefact_ids, correction
        self._done = done
        self._number: int | None = None

    def redo(self) -> None:
        project, number = self._workspace.opened, self._number
        if number is not None:
            _run(self._workspace, lambda handle: resolution.renew(project, number, handle))
            return
        _run(
            self._workspace,
            lambda handle: resolution.resolve(project, self._host_id, self._ids, self._correction, handle),
            self._remember,
        )

    def _remember(self, number: int | None) -> None:
        self._number = number
        self._workspace.say(self._done if number is not None else text("ui.resolution.no_change"))

    def undo(self) -> None:
        project, number = self._workspace.opened, self._number
        if number is not None:
            _run(self._workspace, lambda handle: resolution.take_back(project, number, handle))


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
