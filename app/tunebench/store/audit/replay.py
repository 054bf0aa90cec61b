"""Records compared with what the audit trail says was last written of them: a change past TuneBench shows.

An entry names every field that changed, with the value before and after (`record_json.changed_fields`), so that the
trail can be read from its beginning to what each record is now. A field that no entry names has no value, or the
default that a later version gave it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tunebench.core import records
from tunebench.domain.cycle.record_json import BadRecord, all_fields_of, fields_of, plain, value_from_json
from tunebench.domain.schema import schema
from tunebench.domain.translations import FIELD as TRANSLATIONS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from tunebench.store.project import Project


@records.record
class Difference:
    """`field` is a path (``after.value``); both values are JSON, None where there is none.

    `field` is empty where the record as a whole was added or removed past the trail.
    """

    record: str
    field: str
    written: object
    stored: object


@records.record(frozen=False)
class _LastWritten:
    """What the trail says of one record; of one that was added without its fields (`in_part`) only some are known."""

    values: dict[str, object] = field(default_factory=dict)
    in_part: bool = False

    def take(self, name: str, value: object) -> None:
        if name:
            self.values[name] = value
        else:
            self.in_part = value is not None
            self.values.clear()

    def is_there(self, kind: type[DataclassInstance]) -> bool:
        """A record that was removed has lost the field that no record of its kind is without: its first."""
        first = next(declared.name for declared in fields(kind) if declared.name not in ("id", TRANSLATIONS))
        return self.values.get(first) is not None if first in self.values else self.in_part


def differences(
    project: Project,
    action: str,
    kinds: Mapping[str, type[DataclassInstance]],
    stored: Mapping[str, DataclassInstance],
    unreadable: Iterable[str] = (),
) -> Iterator[Difference]:
    """
    Args:
        action: of the entries that hold the changes.
        kinds: the records' types by the first part of their references.
        stored: the records that can be read, by reference (``result.7``).
        unreadable: references of those that are there and cannot.
    """
    recorded = _replayed(project, action)
    wanted = {
        reference
        for reference, last in recorded.items()
        if (kind := kinds.get(reference.partition(".")[0])) is not None and last.is_there(kind)
    }
    for reference, record in stored.items():
        if reference in wanted:
            yield from _of_record(reference, record, recorded[reference])
        else:
            yield Difference(reference, "", None, fields_of(record))
    for reference in sorted(wanted - {*stored, *unreadable}):
        yield Difference(reference, "", dict(recorded[reference].values), None)


def _replayed(project: Project, action: str) -> dict[str, _LastWritten]:
    recorded: dict[str, _LastWritten] = {}
    for _entry, changes in recorded_changes(project, action):
        for path, pair in changes.items():
            reference, _, name = path.partition(" ")
            if isinstance(pair, list) and len(pair) == 2:
                recorded.setdefault(reference, _LastWritten()).take(name, pair[1])
    return recorded


class Entry(NamedTuple):
    """`time` is ISO in UTC; `entered`: of changes that a merge brought in, the id and time of their entry in the trail
    of the other copy, by heading.
    """

    id: int
    time: str
    entered: Mapping[str, Any] = MappingProxyType({})


def entered_at(project: Project, entry_id: int, time: str, origin: Any) -> tuple[float, str]:
    """Place in the trail and time of an entry, which is its own id; where a merge brought it in from another trail,
    whose entry is the `origin`, the place among the entries of this one that were there then: what one person did keeps
    its order, whoever merges.
    """
    if not (isinstance(origin, list) and len(origin) == 2 and isinstance(origin[0], int) and origin[0] >= 0):
        return entry_id, time
    their_id, then = origin
    row = project.row("SELECT coalesce(max(id), 0) FROM audit WHERE id < ? AND time <= ?", (entry_id, str(then)))
    return row[0] + 1 - 1 / (their_id + 1), str(then)


def recorded_changes(project: Project, action: str, after: int = 0) -> Iterator[tuple[Entry, dict[str, object]]]:
    """Every entry of a higher id than `after` with its changes, oldest first; one that is spoilt is found by the check
    of the chain, and one that was put in without a digest proves nothing."""
    query = "SELECT id, time, facts FROM audit WHERE action = ? AND id > ? AND digest <> '' ORDER BY id"
    for id_, time, text in project.rows(query, (action, after)):
        try:
            facts = json.loads(text)
        except ValueError:
            continue
        changes = facts.get("changes") if isinstance(facts, dict) else None
        if isinstance(changes, dict):
            entered = facts.get("entered")
            yield Entry(id_, time, entered if isinstance(entered, dict) else {}), changes


def _of_record(reference: str, record: DataclassInstance, recorded: _LastWritten) -> Iterator[Difference]:
    defaults = {declared.name: _default(declared) for declared in fields(record)}
    for name, value in all_fields_of(record).items():
        if name in recorded.values:
            written = as_read(schema(type(record))[name].hint, recorded.values[name], f"{reference}.{name}")
            yield from _between(reference, name, written, value)
        elif not recorded.in_part and value is not None and value != defaults[name]:
            yield from _between(reference, name, None, value)


def _default(declared: Any) -> object:
    if declared.default is not MISSING:
        return plain(declared.default)
    return plain(declared.default_factory()) if declared.default_factory is not MISSING else None


def as_read(hint: Any, value: object, path: str) -> object:
    """The value as this version reads it: parts that a later version added to a value have their defaults."""
    try:
        return plain(value_from_json(hint, value, path))
    except BadRecord:
        return value


def _between(reference: str, path: str, written: object, stored: object) -> Iterator[Difference]:
    """The differences between two values, down to the parts that differ."""
    if written == stored:
        return
    if isinstance(written, dict) and isinstance(stored, dict):
        for name in {**written, **stored}:
            yield from _between(reference, f"{path}.{name}", written.get(name), stored.get(name))
    elif isinstance(written, list) and isinstance(stored, list) and len(written) == len(stored):
        for index, pair in enumerate(zip(written, stored, strict=True)):
            yield from _between(reference, f"{path}.{index}", *pair)
    else:
        yield Difference(reference, path, written, stored)
