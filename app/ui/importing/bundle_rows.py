"""Captures that came in one archive or folder, under one row of the captures page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from app.domain.bundle import Bundle, MemberState
from app.domain.capturing.times import deciding
from app.domain.ledger import Ledger, LineCounts
from app.ui.importing.ledger_view import LedgerEntry
from app.ui.look.formats import host_words

_MANY = 12
"""A bundle with more captures than these begins folded."""
_HELD = (MemberState.IMPORTED, MemberState.KEPT, MemberState.FAILED)
_TROUBLE = (MemberState.UNRECOGNISED, MemberState.FAILED, MemberState.REFUSED)
_READ = (MemberState.IMPORTED, MemberState.DUPLICATE, MemberState.KEPT)


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
    lines = LineCounts(*(sum(getattr(each.lines, part) for each in ledgers) for part in LineCounts.__slots__))
    timed = [entry.ledger for entry in deciding(own)]
    total = Ledger(
        tool=bundle.form,
        lines=lines,
        first_ns=min((each.first_ns for each in timed if each.first_ns is not None), default=None),
        last_ns=max((each.last_ns for each in timed if each.last_ns is not None), default=None),
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
