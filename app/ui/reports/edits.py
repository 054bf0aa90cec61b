"""Edits of the success case that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QUndoCommand

from app.core.errors import UserError
from app.domain.engagement import Engagement, Measurement, Section
from app.ui.look.language import text
from app.ui.workspace import Change, Workspace
from app.usecases import projects


class CaseEdit(QUndoCommand):
    """Writes the new state, and the old one when taken back.

    A refusal goes to the message bar, leaves the undo stack, and `on_refused` puts the old words back on screen.
    """

    def __init__(
        self,
        workspace: Workspace,
        name_key: str,
        change: Change,
        write_new: Callable[[], None],
        write_old: Callable[[], None],
        on_refused: Callable[[], None],
    ) -> None:
        super().__init__(text(name_key))
        self._workspace, self._change, self._on_refused = workspace, change, on_refused
        self._write_new, self._write_old = write_new, write_old

    def redo(self) -> None:
        self._run(self._write_new)

    def undo(self) -> None:
        self._run(self._write_old)

    def _run(self, write: Callable[[], None]) -> None:
        try:
            write()
        except UserError as error:
            self.setObsolete(True)
            self._workspace.say_error(error)
            self._on_refused()
            return
        self._workspace.announce(self._change)


def edit_engagement(workspace: Workspace, old: Engagement, new: Engagement, on_refused: Callable[[], None]) -> None:
    workspace.undo.push(
        CaseEdit(
            workspace,
            "ui.undo.edit_engagement",
            Change.ENGAGEMENT,
            lambda: projects.update_engagement(workspace.opened, new),
            lambda: projects.update_engagement(workspace.opened, old),
            on_refused,
        )
    )


def edit_narrative(
    workspace: Workspace,
    place: tuple[Section, str],
    old: Sequence[str],
    new: Sequence[str],
    on_refused: Callable[[], None],
) -> None:
    """`place` is the section and the language of the texts."""
    section, code = place
    workspace.undo.push(
        CaseEdit(
            workspace,
            "ui.undo.edit_narrative",
            Change.NARRATIVE,
            lambda: projects.update_narrative(workspace.opened, section, code, new),
            lambda: projects.update_narrative(workspace.opened, section, code, old),
            on_refused,
        )
    )


def edit_measurements(
    workspace: Workspace, old: Sequence[Measurement], new: Sequence[Measurement], on_refused: Callable[[], None]
) -> None:
    workspace.undo.push(
        CaseEdit(
            workspace,
            "ui.undo.edit_measurements",
            Change.MEASUREMENTS,
            lambda: projects.update_measurements(workspace.opened, new),
            lambda: projects.update_measurements(workspace.opened, old),
            on_refused,
        )
    )
