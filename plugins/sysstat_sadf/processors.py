"""Which processors had a row of their own, for the interrupts that are printed later with one column for each."""

from __future__ import annotations

from bisect import bisect_right

_MOST_CHANGES = 20_000


class ProcessorsOverTime:
    """Kept where they change alone: a recording of a month has millions of times."""

    def __init__(self) -> None:
        self._since_ns: list[int] = []
        self._own: list[tuple[bytes, ...]] = []

    def __bool__(self) -> bool:
        return bool(self._own)

    def note(self, time_ns: int, own: tuple[bytes, ...]) -> None:
        """At this time these had a row; a time before the last begins another recording."""
        if self._own and (time_ns < self._since_ns[-1] or len(self._own) >= _MOST_CHANGES):
            self._since_ns.clear()
            self._own.clear()
        if not self._own or self._own[-1] != own:
            self._since_ns.append(time_ns)
            self._own.append(own)

    def at(self, time_ns: int) -> tuple[bytes, ...] | None:
        index = bisect_right(self._since_ns, time_ns)
        return self._own[index - 1] if index else None
