"""What belongs together, by what it has in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def by_key(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Key -> its values; keys and values in the order in which they come."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
