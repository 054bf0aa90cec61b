"""When approvals, executions and results were entered, read from the audit trail: nothing is stored for it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from app.domain.cycle.book import CycleBook
from app.domain.cycle.recorded import Recorded, Told
from app.domain.cycle.worksheet import Consent
from app.store.audit.replay import recorded_changes
from app.store.cycle.record_json import BadRecord, value_from_json
from app.store.project import Project

_TOLD = {
    (
        "executed",
        "action_id",
    ): "executed_at",  # a line is there since its action was carried out, with a time or without
    ("executed", "rolled_back_at"): "rolled_back_at",
    ("result", "after"): "after",
    ("action", "consents"): "consents",
}


@dataclass(slots=True)
class _Read:
    """Entries are never changed, so that only those after `last` are read again."""

    last: int = 0
    found: dict[Told, Recorded] = field(default_factory=dict)


_read: WeakKeyDictionary[Project, _Read] = WeakKeyDictionary()


def with_recorded(project: Project, book: CycleBook) -> CycleBook:
    """The book with the entry of every approval, execution, rollback and result that the trail names."""
    known = _read.setdefault(project, _Read())
    for entry, changes in recorded_changes(project, "cycle_changed", after=known.last):
        for told, is_first in _told(changes):
            if not is_first or told not in known.found:
                known.found[told] = Recorded(entry.id, entry.time)
        known.last = entry.id
    return replace(book, recorded=dict(known.found))


def _told(changes: Mapping[str, object]) -> Iterator[tuple[Told, bool]]:
    """What an entry says; of an execution the first entry counts, of anything else the last."""
    for place, pair in changes.items():
        reference, _, name = place.partition(" ")
        kind, _, id_ = reference.partition(".")
        what = _TOLD.get((kind, name))
        if what is None or not id_.isdecimal() or not isinstance(pair, list) or len(pair) != 2 or not pair[1]:
            continue
        if what == "consents":
            yield from (((int(id_), consent), False) for consent in _added(*pair))
        else:
            yield (int(id_), what), what == "executed_at"


def _added(old: object, new: object) -> Iterator[Consent]:
    there = [json.dumps(each, sort_keys=True) for each in old] if isinstance(old, list) else []
    for each in new if isinstance(new, list) else ():
        if json.dumps(each, sort_keys=True) not in there:
            try:
                consent = value_from_json(Consent, each, "consents")
            except BadRecord:
                continue
            assert isinstance(consent, Consent)
            yield consent
