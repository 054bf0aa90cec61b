"""The audit trail as a table: rows are read in pages as they come into view, so that its length costs nothing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from app.core.errors import UserError
from app.ui.look.formats import DASH, format_count, format_stamp
from app.ui.look.language import has_text, text
from app.ui.tables.model import Column, TableModel
from app.ui.tables.view import TableView
from app.ui.workspace import Workspace
from app.usecases import audit_trail
from app.usecases.audit_trail import AuditEntry

SHORT_DIGEST = 12
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_STAMPED: Final = ("start", "end", "time", "planned_start", "planned_end", "approved_at", "ended_at")
_COUNTED: Final = ("bytes", "count", "commands", "files")
_WORDED: Final = {
    "cause": "gap_cause.",
    "how": "report.approval.",
    "reason": "ui.audit.reason.",
    "state": "ui.state.",
    "leftovers": "report.leftovers.",
    "phase": "phase.",
}
"""Facts that are keys, and where their words are."""
WIDTHS = {"id": 72, "time": 164, "user": 96}
PAGE_ROWS = 100
PAGES_KEPT = 30
GRAVE = ("command_refused", "ssh_refused", "session_interrupted", "host_key_replaced")
WATCHED = ("capture_gap", "weak_algorithms", "host_key_accepted", "host_key_forgotten")


def entry_words(entry: AuditEntry, zone: ZoneInfo, *, brief: bool = True) -> str:
    """The sentence of an entry; of an action that no catalogue knows its name and facts.

    Args:
        brief: digests are cut to their first `SHORT_DIGEST` digits.
    """
    facts = _worded(entry, zone)
    key = f"audit.{entry.action}"
    if has_text(key):
        said = text(key, **facts)
    else:
        said = " ".join([entry.action, *(f"{name}={value}" for name, value in facts.items())])
    return _DIGEST.sub(lambda found: f"{found[0][:SHORT_DIGEST]}…", said) if brief else said


def _worded(entry: AuditEntry, zone: ZoneInfo) -> dict[str, str]:
    facts = {name: fact_words(name, value, zone) for name, value in entry.shown_facts().items()}
    changes = entry.facts.get("changes")
    if isinstance(changes, dict):
        facts["changes"] = "; ".join(_change_words(name, value, zone, entry.action) for name, value in changes.items())
    return facts


def _change_words(name: str, value: object, zone: ZoneInfo, action: str) -> str:
    """A field's [before, after] with an arrow."""
    sides = value if isinstance(value, list) and len(value) == 2 else [value]
    return f"{fact_name(name)}: {' → '.join(_side_words(name, side, zone, action) for side in sides)}"


def _side_words(name: str, side: object, zone: ZoneInfo, action: str) -> str:
    if side is None or side == "":
        return DASH
    key = f"session_state.{side}"
    if name == "state" and action == "session_changed" and has_text(key):
        return text(key)
    return fact_words(name, ", ".join(map(str, side)) if isinstance(side, list) else side, zone)


def fact_words(name: str, value: object, zone: ZoneInfo) -> str:
    """One fact, as `AuditEntry.shown_facts` gives it."""
    shown = str(value)
    if name in _STAMPED and _is_stamp(shown):
        return format_stamp(shown, zone)
    if name in _COUNTED and isinstance(value, int):
        return format_count(value)
    key = _WORDED.get(name, "") + shown
    return text(key) if name in _WORDED and has_text(key) else shown


def _is_stamp(words: str) -> bool:
    """A time with its offset; a time without one is not moved into a zone."""
    try:
        return datetime.fromisoformat(words).tzinfo is not None
    except ValueError:
        return False


def sentences(zone: ZoneInfo, *, brief: bool = True) -> Callable[[AuditEntry], str]:
    """`entry_words` for work on another thread."""
    return lambda entry: entry_words(entry, zone, brief=brief)


def fact_name(name: str) -> str:
    key = f"ui.audit.fact.{name}"
    return text(key) if has_text(key) else name


def plain_facts(entry: AuditEntry, zone: ZoneInfo) -> list[tuple[str, str]]:
    """(name, value) of every fact, whole; what is not known as a dash."""
    return [(fact_name(name), words or DASH) for name, words in _worded(entry, zone).items()]


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
