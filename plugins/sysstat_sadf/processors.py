"""Which processors had a row of their own, for the interrupts that are printed later with one column for each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

_MOST_CHANGES = 20_000


class ProcessorsOverTime:
    """Kept where they change alone: a recording of a month has millions of times."""

    def __init__(self) -> None:
        self._since_ns: list[int] = []
        self._own: list[tuple[bytes, ...]] = []
        self._last: tuple[bytes, ...] = ()  # of the time that was noted last
        self._last_ns = -1

    def __bool__(self) -> bool:
        return bool(self._own)

    def note(self, time_ns: int, names: Iterable[bytes]) -> None:
        """At this time these (too) had a row; a time before the last begins another recording."""
        own = tuple(name for name in names if name != b"all")
        self._last = own = (*self._last, *own) if time_ns == self._last_ns else own
        self._last_ns = time_ns
        if self._own and (time_ns < self._since_ns[-1] or len(self._own) >= _MOST_CHANGES):
            self._since_ns.clear()
            self._own.clear()
        if not self._own or self._own[-1] != own:
            self._since_ns.append(time_ns)
            self._own.append(own)

    def at(self, time_ns: int) -> tuple[bytes, ...] | None:
        index = bisect_right(self._since_ns, time_ns)
        return self._own[index - 1] if index else None
