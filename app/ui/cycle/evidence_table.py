"""Pieces of evidence as rows: number, caption, kind, where it lies, what it supports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt

from app.domain.cycle.evidence import Evidence, EvidenceKind
from app.ui.cycle.cycle_controller import CycleController
from app.ui.cycle.evidence_show import run_called
from app.ui.cycle.evidence_tree import record_words
from app.ui.look.formats import format_short_span
from app.ui.look.language import language, text
from app.ui.tables.column import Column
from app.ui.tables.model import Index, TableModel
from app.ui.workspace import Workspace
from app.usecases.cycle import facade as cycle

Piece = Column[Evidence]


class EvidenceModel(TableModel[Evidence]):
    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._controller = workspace, CycleController.of(workspace)
        super().__init__(self._columns())

    def fill(self, pieces: Sequence[Evidence]) -> None:
        """The same pieces are only shown anew: a reset while a caption is being kept would lose the keyboard."""
        if pieces and [each.id for each in pieces] == [each.id for each in self.rows]:
            self.rows = pieces
            self.refresh()
        else:
            self.show_rows(pieces)

    def row_of(self, evidence_id: int | None) -> int | None:
        return next((row for row, each in enumerate(self.rows) if each.id == evidence_id), None)

    def flags(self, index: Index) -> Qt.ItemFlag:
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self._controller.writable and index.column() == self.column("caption")
        return plain | Qt.ItemFlag.ItemIsEditable if editable else plain

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return self.row_at(index).caption if role == Qt.ItemDataRole.EditRole else super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        evidence, caption = self.row_at(index), str(value).strip()
        if not caption or caption == evidence.caption:
            return False
        return self._controller.attempt(lambda: cycle.change(self._controller.book, replace(evidence, caption=caption)))

    def _columns(self) -> list[Piece]:
        def column(id_: str, words: Callable[[Evidence], str], tone: Callable[[Evidence], str] | None = None) -> Piece:
            return Column(id_, f"ui.pinned.column.{id_}", words, tone=tone, tip=self._tip)

        return [
            column("code", self._code, lambda each: "warning" if each.id in self._controller.broken else ""),
            column("caption", lambda each: each.caption),
            column("kind", _kind_words),
            column("where", lambda each: where_words(self._workspace, each)),
            column("supports", self._supports),
        ]

    def _code(self, evidence: Evidence) -> str:
        return f"{evidence.code} ▲" if evidence.id in self._controller.broken else evidence.code

    def _supports(self, evidence: Evidence) -> str:
        book = self._controller.book
        records = [book.records[id_] for id_ in evidence.attached_to if id_ in book.records]
        return ", ".join(record_words(book, record) for record in records) or text("ui.pinned.loose")

    def _tip(self, evidence: Evidence) -> str:
        series, why = "\n".join(evidence.target.series_names), self._controller.why_broken(evidence.id)
        pinned = text("ui.pinned.by", name=evidence.pinned_by, at=evidence.pinned_at[:16].replace("T", " "))
        return "\n".join(
            part for part in (f"{evidence.code} {evidence.caption}", series, why and f"▲ {why}", pinned) if part
        )


def _kind_words(evidence: Evidence) -> str:
    return cycle.word(evidence.target.kind, language().code)


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
