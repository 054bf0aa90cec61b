"""The list of captures: one row each, what was made of it at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.ui.importing.ledger_view import STATE_TONES, LedgerEntry, state_words
from app.ui.look.formats import DASH, format_count, format_short_span, format_span, host_words, years_to_name
from app.ui.look.language import text
from app.ui.look.theme import current_theme
from app.ui.workspace import Workspace

COLUMNS = ("state", "name", "run", "host", "tool", "lines", "skipped", "span")
NARROW = {"host": 880, "run": 720, "skipped": 560}
"""Columns that go first where the page is narrower than this many px; the ledger below says it all."""
LEAST_NAME = 180
"""Where the names of the files have less room than these px, the run goes: the tree and the ledger say it."""
WIDEST = {"run": 110, "host": 90, "tool": 90}
NUMBERS = ("lines", "skipped")


class LedgerModel(QAbstractTableModel):
    """One row per capture."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._entries: list[LedgerEntry] = []
        self._with_year = False

    def fill(self, entries: Sequence[LedgerEntry]) -> None:
        self.beginResetModel()
        self._entries = list(entries)
        self._with_year = years_to_name((each.ledger.first_ns for each in entries), self._workspace.zone)
        self.endResetModel()

    def entry(self, row: int) -> LedgerEntry:
        return self._entries[row]

    def row_of(self, key: object) -> int | None:
        return next((i for i, entry in enumerate(self._entries) if entry.key == key), None)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return text(f"ui.captures.column.{COLUMNS[section]}")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(COLUMNS[section])
        return None

    @staticmethod
    def _alignment(column: str) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in NUMBERS else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry, column = self._entries[index.row()], COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(entry, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(entry, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(entry, column)
        return None

    def _words(self, entry: LedgerEntry, column: str) -> str:
        ledger = entry.ledger
        if column == "name":
            return _name_words(entry)
        if column == "state":
            return "? " + text("ui.state.to_check") if entry.open_questions else state_words(entry.state)
        if column == "tool":
            return ledger.tool or entry.parser or DASH
        if column == "lines":
            return format_count(ledger.lines.total) if ledger.lines.total else DASH
        if column == "skipped":
            return format_count(ledger.lines.skipped) if ledger.lines.total else DASH
        if column == "span":
            return format_short_span(ledger.first_ns, ledger.last_ns, self._workspace.zone, self._with_year)
        if column == "host":
            return host_words(entry.host) or DASH
        return str(getattr(entry, column)) or DASH

    def _tip(self, entry: LedgerEntry, column: str) -> str | None:
        if column == "span":
            return format_span(entry.ledger.first_ns, entry.ledger.last_ns, self._workspace.zone)
        return {"name": entry.path, "run": entry.run, "host": host_words(entry.host)}.get(column)

    @staticmethod
    def _colour(entry: LedgerEntry, column: str) -> Any:
        theme = current_theme()
        if column == "state":
            tone = "watch" if entry.open_questions else STATE_TONES.get(entry.state, "")
            return getattr(theme, tone) if tone else theme.muted
        if column == "skipped" and entry.ledger.lines.skipped:
            return theme.warning
        return theme.muted if column == "span" else None


def _name_words(entry: LedgerEntry) -> str:
    if entry.bundle is not None and entry.holds:
        return f"{'▸' if entry.folded else '▾'} {entry.name}"
    return f"      {entry.name}" if entry.inside is not None else entry.name or DASH
