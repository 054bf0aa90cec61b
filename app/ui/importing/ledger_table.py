"""The list of captures: one row each, what was made of it at a glance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.domain.ledger import LineCounts
from app.ui.importing.ledger_view import STATE_TONES, LedgerEntry, state_words
from app.ui.look.formats import DASH, format_count, format_short_span, format_span, host_words, years_to_name
from app.ui.look.language import text
from app.ui.tables.column import Column
from app.ui.tables.model import TableModel
from app.ui.workspace import Workspace

NARROW = {"host": 880, "run": 720, "skipped": 560}
"""Columns that go first where the page is narrower than this many px; the ledger below says it all."""
LEAST_NAME = 180
"""Where the names of the files have less room than these px, the run goes: the tree and the ledger say it."""
WIDEST = {"run": 110, "host": 90, "tool": 90}


class LedgerModel(TableModel[LedgerEntry]):
    """One row per capture."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._with_year = False
        super().__init__(self._columns())

    def fill(self, entries: Sequence[LedgerEntry]) -> None:
        self._with_year = years_to_name((each.ledger.first_ns for each in entries), self._workspace.zone)
        self.show_rows(entries)

    def row_of(self, key: object) -> int | None:
        return next((i for i, entry in enumerate(self.rows) if entry.key == key), None)

    def _columns(self) -> list[Column[LedgerEntry]]:
        def column(id_: str, words: Callable[[LedgerEntry], str], **looks: Any) -> Column[LedgerEntry]:
            return Column(id_, f"ui.captures.column.{id_}", words, **looks)

        def of(count: Callable[[LineCounts], int]) -> Callable[[LedgerEntry], str]:
            return lambda it: format_count(count(it.ledger.lines)) if it.ledger.lines.total else DASH

        return [
            column("state", _state_words, tone=_state_tone),
            column("name", _name_words, tip=lambda it: it.path),
            column("run", lambda it: it.run or DASH, tip=lambda it: it.run),
            column("host", lambda it: host_words(it.host) or DASH, tip=lambda it: host_words(it.host)),
            column("tool", lambda it: it.ledger.tool or it.parser or DASH),
            column("lines", of(lambda lines: lines.total), right=True),
            column(
                "skipped",
                of(lambda lines: lines.skipped),
                right=True,
                tone=lambda it: "warning" if it.ledger.lines.skipped else "",
            ),
            column("span", self._span, tone=lambda _: "muted", tip=self._whole_span),
        ]

    def _span(self, entry: LedgerEntry) -> str:
        return format_short_span(entry.ledger.first_ns, entry.ledger.last_ns, self._workspace.zone, self._with_year)

    def _whole_span(self, entry: LedgerEntry) -> str:
        return format_span(entry.ledger.first_ns, entry.ledger.last_ns, self._workspace.zone)


def _state_words(entry: LedgerEntry) -> str:
    return "? " + text("ui.state.to_check") if entry.open_questions else state_words(entry.state)


def _state_tone(entry: LedgerEntry) -> str:
    return "watch" if entry.open_questions else STATE_TONES.get(entry.state, "") or "muted"


def _name_words(entry: LedgerEntry) -> str:
    if entry.bundle is not None and entry.holds:
        return f"{'▸' if entry.folded else '▾'} {entry.name}"
    return f"      {entry.name}" if entry.inside is not None else entry.name or DASH
