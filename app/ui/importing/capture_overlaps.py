"""In a capture's ledger: which other captures hold the same stretch, and which of them counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout

from app.domain.assembly import Relation
from app.ui.look.formats import format_span
from app.ui.look.language import text
from app.ui.undo import CaseEdit
from app.ui.widgets.notice import notice
from app.ui.widgets.parts import button
from app.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from app.usecases.importing.assembly import OverlapView

MOST_SHOWN = 5


def add_overlaps(column: QVBoxLayout, workspace: Workspace, artefact: Any) -> None:
    from app.usecases.importing import assembly

    for each in assembly.overlaps_of(workspace.opened).get(artefact.id, ())[:MOST_SHOWN]:
        column.addWidget(notice(_words(each, workspace), "watch" if _odd(each) else "accent", "="))
        if each.counts is False and workspace.writable:
            choose = button(text("ui.overlap.choose"), "link", lambda: _choose(workspace, artefact.id))
            choose.setObjectName(f"count-{artefact.id}")
            column.addWidget(choose, 0, Qt.AlignmentFlag.AlignLeft)


def _odd(each: OverlapView) -> bool:
    return each.relation is Relation.DIFFERS or bool(each.shift_ns)


def _words(each: OverlapView, workspace: Workspace) -> str:
    from app.usecases.importing import assembly

    key = "differs" if each.relation is Relation.DIFFERS else "shifted" if each.shift_ns else "same"
    span = format_span(each.start_ns, each.end_ns, workspace.zone)
    shift = assembly.shift_words(each.shift_ns)
    words = text(f"ui.overlap.{key}", name=_name(each.other, workspace), span=span, shift=shift)
    if each.counts is None:
        return words
    return f"{words} {text('ui.overlap.counts' if each.counts else 'ui.overlap.counts_not')}"


def _name(other: Any, workspace: Workspace) -> str:
    """With the bundle it came in: captures of two archives often have the same names."""
    overview = workspace.overview
    for bundle in overview.bundles if overview else ():
        if bundle.name != other.name and any(member.artefact_id == other.id for member in bundle.members):
            return f"{bundle.name}!/{other.name}"
    return str(other.name)


def _choose(workspace: Workspace, artefact_id: int) -> None:
    from app.usecases.importing import assembly

    before = assembly.choices(workspace.opened)
    after = [artefact_id, *(id_ for id_ in before if id_ != artefact_id)]
    workspace.undo.push(
        CaseEdit(
            workspace,
            "ui.undo.choose_capture",
            Change.CAPTURES,
            lambda: assembly.set_choices(workspace.opened, after),
            lambda: assembly.set_choices(workspace.opened, before),
        )
    )
