"""The one place where tests wait: for a state, with one patience; or, where time itself must pass, for a reason that is said."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 60.0
"""How long what must come is waited for: on a busy machine a matter of course takes its time, and only a failure takes all."""


def wait_until(condition: Callable[[], object], timeout_s: float = PATIENCE_S, every_s: float = 0.02) -> bool:
    """Whether it came to be so in time."""
    give_up_s = time.monotonic() + timeout_s
    while time.monotonic() < give_up_s:
        if condition():
            return True
        time.sleep(every_s)
    return bool(condition())


def until(condition: Callable[[], object], timeout_s: float = PATIENCE_S) -> float:
    """Seconds that it took; it fails where it was waited for in vain."""
    began_s = time.monotonic()
    assert wait_until(condition, timeout_s, 0.01), "waited in vain"
    return time.monotonic() - began_s


def let_time_pass(seconds: float, why: str) -> None:
    """Nothing that could be waited for tells that it is over; `why` says so to the reader."""
    assert why
    time.sleep(seconds)


def let_window_live(seconds: float, why: str) -> None:
    """As `let_time_pass`, while the window goes on with its events."""
    from PySide6.QtTest import QTest

    assert why
    QTest.qWait(round(seconds * 1000))
