"""Work that a second thread does beside the caller's, where there is a processor for it.

zstd, SHA-256, pcodec and what is compiled let other threads run meanwhile. There is one such thread, which works in the
order in which it is asked, so that what comes of it is the same as without it.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import ParamSpec, TypeVar

ONE_THREAD = "TUNEBENCH_ONE_THREAD"
"""An environment variable: where it is set, nothing is done beside. So it is in a process that works beside others."""

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
    done: Future[R] = Future()
    try:
        done.set_result(work(*args, **kwargs))
    except BaseException as error:  # noqa: BLE001  raised where the result is asked for, as from a thread
        done.set_exception(error)
    return done


def in_order(work: Callable[[T], R], items: Iterable[T], ahead: int) -> Iterator[R]:
    """`map`, of which `ahead` results at most are made before they are asked for."""
    asked: deque[Future[R]] = deque()
    for item in items:
        asked.append(beside(work, item))
        if len(asked) > ahead:
            yield asked.popleft().result()
    while asked:
        yield asked.popleft().result()


@cache
def _thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "beside")
