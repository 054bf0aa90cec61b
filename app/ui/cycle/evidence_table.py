"""Pieces of evidence as rows: number, caption, kind, where it lies, what it supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.domain.cycle.evidence import Evidence, EvidenceKind
from app.ui.cycle.cycle_desk import CycleDesk
from app.ui.cycle.evidence_show import run_called
from app.ui.cycle.evidence_tree import record_words
from app.ui.look.formats import format_short_span
from app.ui.look.language import language, text
from app.ui.look.theme import current_theme
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.cycle.facade import Broken

COLUMNS = ("code", "caption", "kind", "where", "supports")
Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class EvidenceModel(QAbstractTableModel):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace, self._desk = workspace, CycleDesk.of(workspace)
        self.pieces: tuple[Evidence, ...] = ()

    def fill(self, pieces: Sequence[Evidence]) -> None:
        """The same pieces are only shown anew: a reset while a caption is being kept would lose the keyboard."""
        if pieces and [each.id for each in pieces] == [each.id for each in self.pieces]:
            self.pieces = tuple(pieces)
            self.dataChanged.emit(self.index(0, 0), self.index(len(pieces) - 1, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self.pieces = tuple(pieces)
        self.endResetModel()

    def row_of(self, evidence_id: int | None) -> int | None:
        return next((row for row, each in enumerate(self.pieces) if each.id == evidence_id), None)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.pieces)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return text(f"ui.pinned.column.{COLUMNS[section]}")
        return Qt.AlignmentFlag.AlignLeft if role == Qt.ItemDataRole.TextAlignmentRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self._desk.writable and COLUMNS[index.column()] == "caption"
        return plain | Qt.ItemFlag.ItemIsEditable if editable else plain

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        evidence, column = self.pieces[index.row()], COLUMNS[index.column()]
        broken = self._desk.broken.get(evidence.id)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._shown(evidence, column, broken)
        if role == Qt.ItemDataRole.EditRole:
            return evidence.caption
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(evidence, broken)
        if role == Qt.ItemDataRole.ForegroundRole and broken and column == "code":
            return current_theme().warning
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        from app.usecases.cycle import facade as cycle

        evidence, caption = self.pieces[index.row()], str(value).strip()
        if not caption or caption == evidence.caption:
            return False
        return self._desk.attempt(lambda: cycle.change(self._desk.book, replace(evidence, caption=caption)))

    def _shown(self, evidence: Evidence, column: str, broken: Broken | None) -> str:
        from app.usecases.cycle import facade as cycle

        if column == "code":
            return f"{evidence.code} ▲" if broken else evidence.code
        if column == "caption":
            return evidence.caption
        if column == "kind":
            return cycle.word(evidence.target.kind, language().code)
        return where_words(self._workspace, evidence) if column == "where" else self._supports(evidence)

    def _supports(self, evidence: Evidence) -> str:
        book = self._desk.book
        records = [book.records[id_] for id_ in evidence.attached_to if id_ in book.records]
        return ", ".join(record_words(book, record) for record in records) or text("ui.pinned.loose")

    def _tip(self, evidence: Evidence, broken: Broken | None) -> str:
        from app.usecases.cycle import facade as cycle

        series = "\n".join(evidence.target.series_names)
        why = f"▲ {cycle.broken_text(broken, language().code)}" if broken else ""
        pinned = text("ui.pinned.by", name=evidence.pinned_by, at=evidence.pinned_at[:16].replace("T", " "))
        return "\n".join(part for part in (f"{evidence.code} {evidence.caption}", series, why, pinned) if part)


def where_words(workspace: Workspace, evidence: Evidence) -> str:
    """Run and stretch, lines of a capture, or the name of the statement or figure."""
    target = evidence.target
    run = run_called(workspace, target.run_id)
    parts = [run.label] if run else []
    if target.kind in (EvidenceKind.WINDOW, EvidenceKind.RUN):
        parts.append(format_short_span(target.start_ns, target.end_ns, workspace.zone))
    elif target.kind is EvidenceKind.CAPTURE:
        parts.append(_capture_names(workspace).get(target.artefact_id or 0, ""))
        if target.first_line is not None:
            parts.append(text("ui.pinned.lines", first=target.first_line, last=target.last_line))
    else:
        parts.append(target.key.partition(":")[2] or target.key)
    return " · ".join(part for part in parts if part)


def _capture_names(workspace: Workspace) -> Mapping[int, str]:
    views = workspace.overview.runs if workspace.overview else ()
    return {artefact.id: artefact.name for view in views for artefact in view.artefacts}
