"""Links between statements that a person makes and takes back, both undoable."""

from __future__ import annotations

from app.domain.databases.choices import KeptLink
from app.ui.undo import CaseEdit
from app.ui.workspace import Change, Workspace


class _Link:
    """A link that comes and goes: after the first time with its author, its time and another number."""

    def __init__(self, workspace: Workspace, link: KeptLink) -> None:
        self._workspace, self._link = workspace, link

    def make(self) -> None:
        from app.usecases.databases import facade as databases

        link, project = self._link, self._workspace.opened
        if link.made_at:
            self._link = databases.relink_statements(project, link)
        else:
            self._link = databases.link_statements(
                project, link.engine, link.before_id, link.after_id, link.author, link.note
            )

    def take_back(self) -> None:
        from app.usecases.databases import facade as databases

        self._link = databases.unlink_statements(self._workspace.opened, self._link.id)


def _nothing() -> None:
    """A refusal leaves nothing on screen to put back."""


def link(workspace: Workspace, made: KeptLink) -> None:
    kept = _Link(workspace, made)
    workspace.undo.push(
        CaseEdit(workspace, "ui.undo.link_statements", Change.STATEMENTS, kept.make, kept.take_back, _nothing)
    )


def unlink(workspace: Workspace, kept_link: KeptLink) -> None:
    kept = _Link(workspace, kept_link)
    workspace.undo.push(
        CaseEdit(workspace, "ui.undo.unlink_statements", Change.STATEMENTS, kept.take_back, kept.make, _nothing)
    )
