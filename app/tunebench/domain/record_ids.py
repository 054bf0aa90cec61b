"""Ids of records that are made together, before any of them has been kept.

A record to be added has id 0; where another record of the same edit names it, both use one negative number for it
(``-1``, ``-2`` ...), which gets its real id when the edit is applied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.schema import renamed

T = TypeVar("T")


def renumbered(record: T, ids: Mapping[int, int]) -> T:
    """The record with every id that `ids` knows replaced, its own too."""
    kept = renamed(cast("Any", record), lambda id_: ids.get(id_, id_))
    return cast("T", replace(kept, id=ids.get(kept.id, kept.id)))


def numbered(edit: CycleEdit, next_id: Callable[[], int]) -> CycleEdit:
    """The edit with real ids: a record that is added anew gets the next one, and what names it says so."""
    fresh = {change.after.id: next_id() for change in edit.changes if change.after is not None and change.after.id < 0}
    return CycleEdit(edit.name, tuple(_numbered(change, fresh, next_id) for change in edit.changes))


def _numbered(change: RecordChange, ids: Mapping[int, int], next_id: Callable[[], int]) -> RecordChange:
    if change.after is None:
        return change
    after: Record = renumbered(change.after, ids)
    if change.before is None and after.id == 0:
        after = replace(after, id=next_id())
    return RecordChange(change.before, after)


def book_after(book: CycleBook, edit: CycleEdit) -> CycleBook:
    """The book after the edit, whose ids are real ones."""
    records = dict(book.records)
    for change in edit.changes:
        if change.before is not None:
            records.pop(change.before.id, None)
        if change.after is not None:
            records[change.after.id] = change.after
    return CycleBook.of(records.values())
