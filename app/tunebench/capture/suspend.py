"""Notices that this machine slept, or that the program stood still."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tunebench.core.records import record


@record
class Sleep:
    """`noticed_s` is on the monotonic clock."""

    noticed_s: float
    slept_s: float


class SuspendWatch:
    """Somebody calls `look` about once a second; a call that comes far too late means that all stood still.

    A machine that sleeps stops its monotonic clock on most systems but not its wall clock; a stopped program finds both
    advanced. Whoever asks first after waking finds it, so that nobody explains a lost connection before it is known.
    """

    def __init__(
        self, suspended_s: float, steady: Callable[[], float] = time.monotonic, wall: Callable[[], float] = time.time
    ) -> None:
        self._suspended_s = suspended_s
        self._steady, self._wall = steady, wall
        self._lock = threading.Lock()
        self._last = (steady(), wall())
        self._latest: Sleep | None = None

    def look(self) -> Sleep | None:
        """The sleep that just ended, if there was one."""
        with self._lock:
            steady, wall = self._steady(), self._wall()
            slept_s = max(steady - self._last[0], wall - self._last[1])
            self._last = (steady, wall)
            if slept_s < self._suspended_s:
                return None
            self._latest = Sleep(steady, slept_s)
            return self._latest

    def recent(self, within_s: float) -> Sleep | None:
        """The last sleep, if it ended less than `within_s` ago."""
        self.look()
        latest = self._latest
        return latest if latest is not None and self._steady() - latest.noticed_s <= within_s else None
