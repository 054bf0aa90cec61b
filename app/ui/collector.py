"""Python's cyclic garbage is collected in the window's thread only.

A worker that happens to trigger a collection would free what is left of closed pages, and Qt objects that are freed
outside their own thread take the process with them.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 250


class Collector(QObject):
    """Looks four times a second whether Python would have collected by now, and does it; `close` gives it back."""

    def __init__(self) -> None:
        super().__init__()
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> int | None:
        """The oldest generation that was collected; None where there was no need."""
        young, middle, old = (count > limit for count, limit in zip(gc.get_count(), gc.get_threshold(), strict=True))
        if not young:
            return None
        generation = 2 if middle and old else 1 if middle else 0
        gc.collect(generation)
        return generation

    def close(self) -> None:
        self._timer.stop()
        if self._was_enabled:
            gc.enable()
