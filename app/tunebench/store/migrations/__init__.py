"""Steps from one version of the schema to the next, oldest first; one small module per step."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from tunebench.core.records import record
from tunebench.store.format import Version
from tunebench.store.migrations import v1_8, v1_9, v1_10, v1_11, v2_0, v2_1


@record
class Step:
    """Brings a file of version `start` to `end`. `apply` runs inside the transaction that bumps the version."""

    start: Version
    end: Version
    apply: Callable[[sqlite3.Connection], None]


STEPS: tuple[Step, ...] = (
    Step(Version(1, 7), Version(1, 8), v1_8.upgrade),
    Step(Version(1, 8), Version(1, 9), v1_9.upgrade),
    Step(Version(1, 9), Version(1, 10), v1_10.upgrade),
    Step(Version(1, 10), Version(1, 11), v1_11.upgrade),
    Step(Version(1, 11), Version(2, 0), v2_0.upgrade),
    Step(Version(2, 0), Version(2, 1), v2_1.upgrade),
)
