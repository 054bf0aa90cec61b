"""Work that a second thread does beside the caller's, where there is a processor for it.

zstd, SHA-256, pcodec and what is compiled let other threads run meanwhile. There is one such thread, which works in the
order in which it is asked, so that what comes of it is the same as without it.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from typing import Generic, ParamSpec, TypeVar

ONE_THREAD = "TUNEBENCH_ONE_THREAD"
"""An environment variable: where it is set, nothing is done beside. So it is in a process that works beside others."""
_SWITCH_S = 0.0002
"""After so long a thread lets another go on in Python. With Python's own five milliseconds what is done beside would
wait for most of its time: it comes back to Python every tenth of one."""

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def beside(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
    """What the work gives, now or later; what it raises is raised where its result is asked for."""
    if not os.environ.get(ONE_THREAD) and cores() > 1:
        return _thread().submit(work, *args, **kwargs)
    return _here(partial(work, *args, **kwargs))


class Asked(Generic[R]):
    """Work that rests on no other, and is done by whoever comes first: the second thread, or who wants the result."""

    def __init__(self, work: Callable[[], R]) -> None:
        self._work = work
        self._future = beside(work)

    @property
    def is_done(self) -> bool:
        return self._future.done()

    def take_over(self) -> None:
        """Does it here, unless it is begun."""
        if self._future.cancel():
            self._future = _here(self._work)

    def result(self) -> R:
        self.take_over()
        return self._future.result()


def in_order(work: Callable[[T], R], items: Iterable[T], ahead: int) -> Iterator[R]:
    """`map`, of which `ahead` results at most are made before they are asked for; see `Asked`."""
    waiting: deque[Asked[R]] = deque()
    for item in items:
        waiting.append(Asked(partial(work, item)))
        if len(waiting) > ahead:
            yield _first(waiting)
    while waiting:
        yield _first(waiting)


def _first(waiting: deque[Asked[R]]) -> R:
    """While another thread works on the first, the others are begun."""
    first = waiting.popleft()
    first.take_over()
    for later in waiting:
        if not first.is_done:
            later.take_over()
    return first.result()


def _here(work: Callable[[], R]) -> Future[R]:
    done: Future[R] = Future()
    try:
        done.set_result(work())
    except BaseException as error:  # noqa: BLE001  raised where the result is asked for, as from a thread
        done.set_exception(error)
    return done


@cache
def _thread() -> ThreadPoolExecutor:
    sys.setswitchinterval(_SWITCH_S)
    return ThreadPoolExecutor(1, "beside")
