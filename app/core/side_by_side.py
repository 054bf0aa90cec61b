"""Independent work on all processors: NumPy, pcodec and SQLite let go of the interpreter while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def side_by_side(function: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """`function` of each, in their order. It must not call this itself: its threads are the same few."""
    pool = _pool() if len(items) > 1 else None
    return list((pool.map if pool else map)(function, items))


@cache
def _pool() -> ThreadPoolExecutor | None:
    """Threads that stay, as each has a connection of its own to a project; None where there is one processor."""
    processors = os.cpu_count() or 1
    return ThreadPoolExecutor(processors, thread_name_prefix="side") if processors > 1 else None
