"""How long the event loop of the window stands still: the longest stretch between two of its rounds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QTimer


@dataclass
class Stall:
    """Milliseconds: of the clock on the wall, and of the window's own thread, which other processes do not lengthen."""

    wall_ms: float = 0.0
    own_ms: float = 0.0


@contextmanager
def watched() -> Iterator[Stall]:
    """The longest stall of what is done inside, which has to let the loop turn before it ends."""
    longest = Stall()
    last = [time.perf_counter(), time.thread_time()]

    def tick() -> None:
        now = [time.perf_counter(), time.thread_time()]
        longest.wall_ms = max(longest.wall_ms, (now[0] - last[0]) * 1000)
        longest.own_ms = max(longest.own_ms, (now[1] - last[1]) * 1000)
        last[:] = now

    timer = QTimer(interval=0)
    timer.timeout.connect(tick)
    timer.start()
    try:
        yield longest
    finally:
        tick()
        timer.stop()
