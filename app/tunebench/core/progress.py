"""How long work tells where it stands, and learns that it is no longer wanted."""

from __future__ import annotations

import time
from typing import Protocol

from tunebench.core.errors import Cancelled

_WHOLE = 100_000


class Progress(Protocol):
    """Given to long work by whoever started it."""

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        """`done` of `total` units are finished (0 of 0: not known); `key` names the sentence to show."""
        ...

    def raise_if_cancelled(self) -> None:
        """Raises `tunebench.core.errors.Cancelled` when the user gave up."""
        ...


class SilentProgress:
    """For work that nobody watches."""

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        return

    def raise_if_cancelled(self) -> None:
        return


class PartOf:
    """A stretch of a whole progress, from `start` to `end` (0..1); facts given here go into every sentence."""

    def __init__(self, whole: Progress, start: float, end: float, **facts: object) -> None:
        self._whole, self._start, self._end, self._facts = whole, start, end, facts

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        share = min(done / total, 1.0) if total else 0.0
        at = self._start + (self._end - self._start) * share
        self._whole.report(round(_WHOLE * at), _WHOLE, key, **{**self._facts, **facts})

    def raise_if_cancelled(self) -> None:
        self._whole.raise_if_cancelled()


class LastMoments:
    """What may still be brought to its end behind a cancel: nobody watches, and it is cancelled after some seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        return

    def raise_if_cancelled(self) -> None:
        if time.monotonic() > self._end:
            raise Cancelled
