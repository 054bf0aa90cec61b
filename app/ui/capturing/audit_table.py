"""The audit trail as a table: rows are read in pages as they come into view, so that its length costs nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from app.core.errors import UserError
from app.ui.capturing.audit_words import entry_words
from app.ui.look.formats import DASH, format_stamp
from app.ui.tables.column import Column
from app.ui.tables.model import TableModel
from app.ui.tables.view import TableView
from app.ui.workspace import Workspace
from app.usecases import audit_trail
from app.usecases.audit_trail import AuditEntry

WIDTHS = {"id": 72, "time": 164, "user": 96}
PAGE_ROWS = 100
PAGES_KEPT = 30
GRAVE = ("command_refused", "ssh_refused", "session_interrupted", "host_key_replaced")
WATCHED = ("capture_gap", "weak_algorithms", "host_key_accepted", "host_key_forgotten")


class AuditModel(TableModel[int]):
    """Rows are the numbers of the entries, newest first."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        super().__init__(self._columns())
        self._broken_at: int | None = None
        self._pages: OrderedDict[int, dict[int, AuditEntry]] = OrderedDict()

    def show_ids(self, ids: Sequence[int]) -> None:
        self._pages.clear()
        self.show_rows(ids)

    def show_broken(self, entry_id: int | None) -> None:
        """The entry at which the chain is broken is marked."""
        if entry_id != self._broken_at:
            self._broken_at = entry_id
            self.refresh()

    def entry(self, entry_id: int) -> AuditEntry | None:
        """None where it cannot be read."""
        place = (self.row_of(entry_id) or 0) // PAGE_ROWS
        if place not in self._pages:
            self._pages[place] = self._read(place)
            if len(self._pages) > PAGES_KEPT:
                self._pages.popitem(last=False)
        return self._pages[place].get(entry_id)

    def _read(self, place: int) -> dict[int, AuditEntry]:
        """A page is read on the main thread: about a millisecond."""
        if self._workspace.project is None:
            return {}
        ids = self.rows[place * PAGE_ROWS : (place + 1) * PAGE_ROWS]
        try:
            return {entry.id: entry for entry in audit_trail.read_entries(self._workspace.project, ids)}
        except UserError:  # the rows show a dash; whoever checks the chain is told why
            return {}

    def row_of(self, entry_id: int) -> int | None:
        place = bisect_left(self.rows, -entry_id, key=lambda each: -each)
        return place if place < len(self.rows) and self.rows[place] == entry_id else None

    def _columns(self) -> tuple[Column[int], ...]:
        def column(id_: str, words: Callable[[AuditEntry], str], tone: Callable[[int], str]) -> Column[int]:
            def shown(entry_id: int) -> str:
                entry = self.entry(entry_id)
                return DASH if entry is None else words(entry)

            return Column(id_, f"ui.audit.column.{id_}", shown, tone=self._marked(tone))

        def faint(_entry_id: int) -> str:
            return "muted"

        return (
            Column("id", "ui.audit.column.id", self._number, right=True, copy=str, tone=self._marked(faint)),
            column("time", lambda entry: format_stamp(entry.time, self._workspace.zone), faint),
            column("user", lambda entry: entry.user, faint),
            column("words", lambda entry: entry_words(entry, self._workspace.zone).replace("\n", " "), self._gravity),
        )

    def _number(self, entry_id: int) -> str:
        return f"{'✕ ' if entry_id == self._broken_at else ''}{entry_id:,}"

    def _marked(self, tone: Callable[[int], str]) -> Callable[[int], str]:
        return lambda entry_id: "critical" if entry_id == self._broken_at else tone(entry_id)

    def _gravity(self, entry_id: int) -> str:
        entry = self.entry(entry_id)
        if entry is None:
            return "muted"
        return "critical" if entry.action in GRAVE else "watch" if entry.action in WATCHED else ""


class AuditTable(TableView):
    """Selected rows are copied as tab-separated text."""

    def __init__(self, model: AuditModel) -> None:
        super().__init__(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setSectionResizeMode(model.column("words"), QHeaderView.ResizeMode.Stretch)
        for column, width in WIDTHS.items():
            self.setColumnWidth(model.column(column), width)
