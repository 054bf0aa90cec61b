"""Records as they were where two copies parted: what is there now, with every later entry of the trail taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tunebench.domain.translations import FIELD as TRANSLATIONS
from tunebench.store.audit.trail import AuditEntry
from tunebench.usecases.merging.fork import Copy
from tunebench.usecases.merging.three_way import UNKNOWN

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Fields = dict[str, Any]


class Replayed:
    """What the trail of one copy says of records since the copies parted.

    Attributes:
        base: reference (``metric.5``) -> its fields then, None where it was not there; of those that an entry names.
        last: reference, and heading (``metric.5 title``) -> the last entry about it.
        in_part: references of records that were removed and of which the trail does not tell the fields.
    """

    def __init__(
        self, copy: Copy, action: str, kinds: Mapping[str, type[DataclassInstance]], now: Mapping[str, Fields]
    ) -> None:
        self.base: dict[str, Fields | None] = {}
        self.last: dict[str, AuditEntry] = {}
        self.in_part: set[str] = set()
        self._empty = {kind: _empty_fields(record_type) for kind, record_type in kinds.items()}
        for entry in reversed(copy.since):
            changes = entry.facts.get("changes") if entry.action == action else None
            for reference, before in _by_record(changes if isinstance(changes, dict) else {}).items():
                self._take_back(entry, reference, before, now)

    def _take_back(self, entry: AuditEntry, reference: str, before: Fields, now: Mapping[str, Fields]) -> None:
        self.last.setdefault(reference, entry)
        for name in before:
            self.last.setdefault(f"{reference} {name}", entry)
        later = self.base[reference] if reference in self.base else now.get(reference)
        empty = self._empty.get(reference.partition(".")[0], {})
        first = next(iter(empty), "")  # that no record of the kind is without
        whole = before.pop("", UNKNOWN)  # a trial that is only planned: its place in the plan stands for all of it
        if whole is None or before.get(first, UNKNOWN) is None:
            self.base[reference] = None
        elif whole is not UNKNOWN:
            self.in_part.add(reference)
            self.base[reference] = later
        else:
            self.base[reference] = {**empty, **(later or {}), **before}


def _by_record(changes: Mapping[str, object]) -> dict[str, Fields]:
    """Reference -> field -> what it was before."""
    records: dict[str, Fields] = {}
    for heading, pair in changes.items():
        reference, _, name = heading.partition(" ")
        if isinstance(pair, list) and len(pair) == 2:
            records.setdefault(reference, {})[name] = pair[0]
    return records


def highest_id(copy: Copy, action: str, kinds: Mapping[str, object]) -> int:
    """The highest number that was given to a record of these kinds before the copies parted."""
    highest = 0
    for entry in copy.common:
        changes = entry.facts.get("changes") if entry.action == action else None
        for heading in changes if isinstance(changes, dict) else ():
            kind, _, id_ = heading.partition(" ")[0].partition(".")
            if kind in kinds and id_.isdecimal():
                highest = max(highest, int(id_))
    return highest


def _empty_fields(kind: type[DataclassInstance]) -> Fields:
    """What an entry does not name of a record that was removed; its translations come last."""
    names = [declared.name for declared in fields(kind) if declared.name not in ("id", TRANSLATIONS)]
    translated = any(declared.name == TRANSLATIONS for declared in fields(kind))
    return {**dict.fromkeys(names), **({TRANSLATIONS: []} if translated else {})}
