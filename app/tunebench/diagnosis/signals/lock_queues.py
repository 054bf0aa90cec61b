"""Who waits for whose lock in a database: what most of the sightings of waiting sessions have in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.databases.text import literal_free
from tunebench.core.records import record
from tunebench.diagnosis.signals.database_figures import ROW_LOCK, family
from tunebench.domain.databases.records import TABLES
from tunebench.domain.finding import Fact, LockQueue, QueuedStatement

_EVENTS = {"row_lock_pct": {*ROW_LOCK, "row lock"}, "table_lock_wait_pct": {"table lock"}}
"""What the waits that a rule's figure is of are called; the last as InnoDB's monitor tells them apart."""
_MOST_LINES = 5


def lock_queue(record: DatabaseRecord, metrics: Collection[str], facts: Mapping[str, Fact]) -> LockQueue | None:
    """The queue behind a finding; None where its figures are of no locks.

    Args:
        metrics: the figures of its rule.
        facts: their values.
    """
    events = {event for name in metrics for event in _EVENTS.get(name, ())}
    contended = facts.get("contention_event")
    if isinstance(contended, str) and contended in record.table("lock_wait").text("event"):
        events = {contended}
    if not events:
        return None
    sightings = [sighting for sighting in _sightings(record) if sighting.texts["event"] in events]
    return _most_seen(sightings, _Texts(record)) if sightings else _by_figures(record, facts)


@record
class _Sighting:
    """A row of the table: its keys by name."""

    texts: Mapping[str, str]
    samples: int
    held_s: float
    line: int

    @property
    def kind(self) -> tuple[str, ...]:
        """What two sightings of one queue have in common: its head may be another session of the same program."""
        return tuple(text for name, text in self.texts.items() if name not in ("holder", "event"))


def _sightings(record: DatabaseRecord) -> list[_Sighting]:
    table, names = record.table("lock_wait"), TABLES["lock_wait"].keys
    figures = (table.figure("samples").tolist(), table.figure("held_s").tolist(), table.lines.tolist())
    return [
        _Sighting(dict(zip(names, keys, strict=True)), int(samples), held_s, line)
        for keys, samples, held_s, line in zip(table.keys(), *figures, strict=True)
    ]


def _most_seen(sightings: Sequence[_Sighting], texts: _Texts) -> LockQueue:
    by_kind: dict[tuple[str, ...], list[_Sighting]] = {}
    for sighting in sightings:
        by_kind.setdefault(sighting.kind, []).append(sighting)
    own = max(by_kind.values(), key=lambda alike: sum(sighting.samples for sighting in alike))
    first, holders = own[0].texts, {sighting.texts["holder"] for sighting in own}
    held_s = np.array([sighting.held_s for sighting in own])
    return LockQueue(
        texts.statement(first["statement_id"], first["statement"], first["container"]),
        first["object"],
        holders.pop() if len(holders) == 1 else "",
        first["holder_state"],
        texts.statement(first["holder_statement_id"], first["holder_statement"], ""),
        None if np.isnan(held_s).all() else float(np.nanmax(held_s)),
        sum(sighting.samples for sighting in own),
        sum(sighting.samples for sighting in sightings),
        lines=tuple(sorted({sighting.line for sighting in own if sighting.line}))[:_MOST_LINES],
    )


def _by_figures(record: DatabaseRecord, facts: Mapping[str, Fact]) -> LockQueue:
    """Without sightings: the statement and the segment with most of the waits, where the database counts these."""
    named = facts.get("row_lock_statement")
    id_, _, container = str(named or "").partition("@")
    return LockQueue(_Texts(record).statement(id_, "", container), str(facts.get("row_lock_segment") or ""))


class _Texts:
    """The texts of a record's statements, by id and by their shape."""

    def __init__(self, record: DatabaseRecord) -> None:
        self._engine = family(str(record.identity.engine))
        self._by_id = record.statement_texts()
        self._by_shape: dict[str, str] | None = None

    def statement(self, id_: str, shape: str, container: str) -> QueuedStatement:
        """Of a statement that is told by its text without literals, the id that the list of statements has for it."""
        if shape and not id_:
            id_ = self._shapes().get(shape, "")
        return QueuedStatement(id_, self._by_id.get(id_, "") or shape, container)

    def _shapes(self) -> dict[str, str]:
        if self._by_shape is None:
            self._by_shape = {literal_free(text, self._engine): id_ for id_, text in self._by_id.items()}
        return self._by_shape
