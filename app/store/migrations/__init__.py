"""Steps from one version of the schema to the next, oldest first; one small module per step."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from app.store.format import Version
from app.store.migrations import v1_1, v1_2, v1_3, v1_4, v1_5, v1_6, v1_7, v1_8, v1_9, v1_10


@dataclass(frozen=True, slots=True)
class Step:
    """Brings a file of version `start` to `end`. `apply` runs inside the transaction that bumps the version."""

    start: Version
    end: Version
    apply: Callable[[sqlite3.Connection], None]


STEPS: tuple[Step, ...] = (
    Step(Version(1, 0), Version(1, 1), v1_1.upgrade),
    Step(Version(1, 1), Version(1, 2), v1_2.upgrade),
    Step(Version(1, 2), Version(1, 3), v1_3.upgrade),
    Step(Version(1, 3), Version(1, 4), v1_4.upgrade),
    Step(Version(1, 4), Version(1, 5), v1_5.upgrade),
    Step(Version(1, 5), Version(1, 6), v1_6.upgrade),
    Step(Version(1, 6), Version(1, 7), v1_7.upgrade),
    Step(Version(1, 7), Version(1, 8), v1_8.upgrade),
    Step(Version(1, 8), Version(1, 9), v1_9.upgrade),
    Step(Version(1, 9), Version(1, 10), v1_10.upgrade),
)
