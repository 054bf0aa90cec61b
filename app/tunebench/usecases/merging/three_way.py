"""One value in two copies and as it was where they parted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Final, TypeVar

T = TypeVar("T")


class Unknown(Enum):
    """What was there where the copies parted is not told by either trail."""

    VALUE = "unknown"


UNKNOWN: Final = Unknown.VALUE


class Differ(Enum):
    """Both copies changed it, each otherwise."""

    VALUE = "differ"


DIFFER: Final = Differ.VALUE


def merged_value(base: T | Unknown, mine: T, theirs: T) -> T | Differ:
    """What one side changed, or both alike."""
    if theirs in (mine, base):
        return mine
    return theirs if mine == base else DIFFER


def merged_members(base: Iterable[T], mine: Sequence[T], theirs: Sequence[T]) -> list[T]:
    """Mine, with what they added and without what they removed, of which nothing is a conflict: each member stands for
    itself."""
    before = list(base)
    kept = [member for member in mine if member in theirs or member not in before]
    return kept + [member for member in theirs if member not in mine and member not in before]
