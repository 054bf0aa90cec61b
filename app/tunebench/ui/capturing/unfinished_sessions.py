"""The sessions that an earlier end of the program, or a choice to go on later, left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from tunebench.core.errors import UserError
from tunebench.ui.look.language import text
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from tunebench.usecases.capturing.collecting import Unfinished
    from tunebench.usecases.projects import Project


class UnfinishedSessions(QObject):
    """`changed` says that `sessions` was read again."""

    changed = Signal()

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.sessions: tuple[Unfinished, ...] = ()

    def look(self, announced: bool = True) -> None:
        """Reads again what was left behind; what is new is announced."""
        project = self._workspace.project
        if project is None or not self._workspace.writable:
            return
        self._workspace.jobs.run(
            "cpu",
            lambda _handle: _unfinished(project),
            owner=self,
            slot="unfinished",
            on_result=lambda sessions: self._take(sessions, announced),
        )

    def finish(self, session_id: int) -> None:
        """Puts what a session left into the project; it is not continued."""
        from tunebench.usecases.capturing import collecting

        project = self._workspace.opened
        label = next((one.session.label for one in self.sessions if one.session.id == session_id), "")
        self._workspace.jobs.run(
            "db",
            lambda handle: collecting.finish(project, session_id, handle),
            owner=self,
            slot=f"finish-{session_id}",
            on_result=self._on_finished,
            on_error=self.refuse,
            title_key="ui.job.capture_finish",
            facts={"label": label},
        )
        self.forget(session_id)

    def forget(self, session_id: int) -> None:
        self._show(tuple(one for one in self.sessions if one.session.id != session_id))

    def clear(self) -> None:
        self._show(())

    def refuse(self, error: UserError) -> None:
        """What is found again is not announced: its sentence would take the place of the refusal."""
        self._workspace.say_error(error)
        self.look(announced=False)

    def _on_finished(self, _stored: object) -> None:
        self._workspace.announce(Change.CAPTURES)
        self._workspace.say(text("ui.live.unfinished.stored"))
        self.look()

    def _take(self, sessions: tuple[Unfinished, ...], announced: bool) -> None:
        new = {one.session.id for one in sessions} - {one.session.id for one in self.sessions}
        self._show(sessions)
        if new and announced:
            self._workspace.say(text("ui.live.unfinished.said", count=len(sessions)), "warning")

    def _show(self, sessions: tuple[Unfinished, ...]) -> None:
        self.sessions = sessions
        self.changed.emit()


def _unfinished(project: Project) -> tuple[Unfinished, ...]:
    from tunebench.usecases import projects

    if not projects.any_interrupted(project):
        return ()
    from tunebench.usecases.capturing import collecting  # with all that connects: not for every project that is opened

    return collecting.unfinished(project)
