"""What was worked out for objects that come again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Remembers the answers for the last few tuples, by their identity.

    The builders give the same tuple of series again, batch after batch; with a thousand devices it has more than
    ten thousand keys, and to hash or compare them takes longer than to read the batch.
    """

    def __init__(self, work: Callable[[K], V], most: int = 16) -> None:
        self._work = work
        self._most = most
        self._answers: dict[int, tuple[K, V]] = {}  # the objects are held, so that their ids stay theirs

    def __call__(self, thing: K) -> V:
        if not isinstance(thing, tuple):  # a list may be another one tomorrow
            return self._work(thing)
        remembered = self._answers.get(id(thing))
        if remembered is not None:
            return remembered[1]
        answer = self._work(thing)
        if len(self._answers) >= self._most:
            del self._answers[next(iter(self._answers))]
        self._answers[id(thing)] = thing, answer
        return answer
