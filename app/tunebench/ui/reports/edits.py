"""Edits of the success case that can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunebench.domain.engagement import Engagement, Measurement, Section
from tunebench.ui.undo import CaseEdit
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects


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
            lambda: projects.write_narrative(workspace.opened, section, code, new),
            lambda: projects.write_narrative(workspace.opened, section, code, old),
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
            lambda: projects.write_measurements(workspace.opened, new),
            lambda: projects.write_measurements(workspace.opened, old),
            on_refused,
        )
    )
