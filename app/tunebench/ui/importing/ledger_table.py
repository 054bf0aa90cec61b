"""The list of captures: one row each, what was made of it at a glance; those of one archive or folder under one row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import fields, replace

from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import DASH, format_count, format_short_span, format_span, years_to_name
from tunebench.domain.bundle import Bundle, MemberState
from tunebench.domain.capturing.times import deciding
from tunebench.domain.ledger import Ledger, LineCounts, not_understood
from tunebench.ui.importing.ledger_view import STATE_TONES, LedgerEntry, state_words
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import text
from tunebench.ui.tables.model import TableModel
from tunebench.ui.workspace import Workspace

_MANY = 12
"""A bundle with more captures than these begins folded."""
_HELD = (MemberState.IMPORTED, MemberState.KEPT, MemberState.FAILED)
_TROUBLE = (MemberState.UNRECOGNISED, MemberState.FAILED, MemberState.REFUSED)
_READ = (MemberState.IMPORTED, MemberState.DUPLICATE, MemberState.KEPT)
NARROW = {"host": 880, "run": 720, "skipped": 560}
"""Columns that go first where the page is narrower than this many px; the ledger below says it all."""
LEAST_NAME = 180
"""Where the names of the files have less room than these px, the run goes: the tree and the ledger say it."""
WIDEST = {"run": 110, "host": 90, "tool": 90}


def has_row(bundle: Bundle) -> bool:
    """Whether a bundle has something to say beyond its captures; a plain folder of captures has not."""
    plain = all(member.state in (MemberState.IMPORTED, MemberState.DUPLICATE) for member in bundle.members)
    return bundle.form != "folder" or bool(bundle.layouts) or not plain


def key_of(bundle: Bundle) -> tuple[str, int]:
    return ("bundle", bundle.id)


def is_folded(bundle: Bundle, turned: Collection[int]) -> bool:
    """`turned` are the ids of those whose row a person opened or closed."""
    held = sum(member.state in _HELD for member in bundle.members)
    return (held > _MANY) != (bundle.id in turned)


def grouped(entries: Sequence[LedgerEntry], bundles: Sequence[Bundle], turned: Collection[int]) -> list[LedgerEntry]:
    """The rows: captures by themselves as they are, those of a bundle below its row."""
    rows = [bundle for bundle in bundles if has_row(bundle)]
    owner = {
        member.artefact_id: bundle.id
        for bundle in reversed(rows)
        for member in bundle.members
        if member.artefact_id is not None and member.state in _HELD
    }
    own: dict[int, list[LedgerEntry]] = {bundle.id: [] for bundle in rows}
    loose: list[LedgerEntry] = []
    for entry in entries:
        bundle_id = owner.get(entry.key) if isinstance(entry.key, int) else None
        (loose if bundle_id is None else own[bundle_id]).append(entry)
    shown = list(loose)
    for bundle in rows:
        folded = is_folded(bundle, turned)
        shown.append(_row(bundle, own[bundle.id], folded))
        if not folded:
            shown += [replace(entry, inside=bundle) for entry in own[bundle.id]]
    return shown


def _row(bundle: Bundle, own: Sequence[LedgerEntry], folded: bool) -> LedgerEntry:
    ledgers = [entry.ledger for entry in own]
    lines = LineCounts(*(sum(getattr(ledger.lines, part.name) for ledger in ledgers) for part in fields(LineCounts)))
    timed = [entry.ledger for entry in deciding(own)]
    total = Ledger(
        tool=bundle.form,
        lines=lines,
        first_ns=min((ledger.first_ns for ledger in timed if ledger.first_ns is not None), default=None),
        last_ns=max((ledger.last_ns for ledger in timed if ledger.last_ns is not None), default=None),
    )
    runs = sorted({entry.run for entry in own})
    return LedgerEntry(
        key_of(bundle),
        bundle.name,
        bundle.path,
        _state(bundle),
        runs[0] if len(runs) == 1 else "",
        _hosts(bundle),
        bundle.form,
        total,
        bundle=bundle,
        folded=folded,
        holds=len(own),
    )


def _state(bundle: Bundle) -> str:
    """Whether all came in, part of it, or nothing that could be read."""
    if not any(bundle.totals[state] for state in _TROUBLE):
        return "bundle_trouble" if any(member.unknown_sections for member in bundle.members) else "bundle"
    return "bundle_trouble" if any(bundle.totals[state] for state in _READ) else "bundle_unread"


def _hosts(bundle: Bundle) -> str:
    return ", ".join(map(host_words, bundle.hosts))


class LedgerModel(TableModel[LedgerEntry]):
    """One row per capture."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._with_year = False
        super().__init__(self._columns())

    def fill(self, entries: Sequence[LedgerEntry]) -> None:
        self._with_year = years_to_name((entry.ledger.first_ns for entry in entries), self._workspace.zone)
        self.show_rows(entries)

    def row_of(self, key: object) -> int | None:
        return next((i for i, entry in enumerate(self.rows) if entry.key == key), None)

    def _columns(self) -> list[Column[LedgerEntry]]:
        def column(
            id_: str,
            words: Callable[[LedgerEntry], str],
            right: bool = False,
            tone: Callable[[LedgerEntry], str] | None = None,
            tip: Callable[[LedgerEntry, Locale], str] | None = None,
        ) -> Column[LedgerEntry]:
            return Column(id_, f"ui.captures.column.{id_}", words, right=right, tone=tone, tip=tip)

        def of(count: Callable[[LineCounts], int]) -> Callable[[LedgerEntry], str]:
            return lambda it: format_count(count(it.ledger.lines)) if it.ledger.lines.total else DASH

        return [
            column("state", _state_words, tone=_state_tone),
            column("name", _name_words, tip=lambda it, _: it.path),
            column("run", lambda it: it.run or DASH, tip=lambda it, _: it.run),
            column("host", lambda it: host_words(it.host) or DASH, tip=lambda it, _: host_words(it.host)),
            column("tool", lambda it: it.ledger.tool or it.parser or DASH),
            column("lines", of(lambda lines: lines.total), right=True),
            column(
                "skipped",
                of(lambda lines: lines.skipped),
                right=True,
                tone=lambda it: "warning" if not_understood(it.ledger) else "",
            ),
            column("span", self._span, tone=lambda _: "muted", tip=self._whole_span),
        ]

    def _span(self, entry: LedgerEntry) -> str:
        return format_short_span(entry.ledger.first_ns, entry.ledger.last_ns, self._workspace.zone, self._with_year)

    def _whole_span(self, entry: LedgerEntry, _locale: Locale) -> str:
        return format_span(entry.ledger.first_ns, entry.ledger.last_ns, self._workspace.zone)


def _state_words(entry: LedgerEntry) -> str:
    return "? " + text("ui.state.to_check") if entry.open_questions else state_words(entry.state)


def _state_tone(entry: LedgerEntry) -> str:
    return "watch" if entry.open_questions else STATE_TONES.get(entry.state, "") or "muted"


def _name_words(entry: LedgerEntry) -> str:
    if entry.bundle is not None and entry.holds:
        return f"{'▸' if entry.folded else '▾'} {entry.name}"
    return f"      {entry.name}" if entry.inside is not None else entry.name or DASH
