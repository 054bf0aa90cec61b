"""How long work tells where it stands, and learns that it is no longer wanted."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Given to long work by whoever started it."""

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        """`done` of `total` units are finished (0 of 0: not known); `key` names the sentence to show."""
        ...

    def raise_if_cancelled(self) -> None:
        """Raises `app.core.errors.Cancelled` when the user gave up."""
        ...


class SilentProgress:
    """For work that nobody watches."""

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        return

    def raise_if_cancelled(self) -> None:
        return
