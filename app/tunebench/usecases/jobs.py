"""Long work off the caller's thread: lanes, progress, cancel.

The ``db`` lane has one worker, so that the order of writes is total; ``cpu`` has one per core;
``ssh`` has a few for connections, which wait for servers and people. Whoever
shows progress polls `Job.progress` (the window at 10 Hz): nothing is pushed.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from typing import Generic, TypeVar

from tunebench.core.errors import Cancelled
from tunebench.core.records import record

T = TypeVar("T")


@record
class ProgressSnapshot:
    """Where a job stands; `fraction` is None while that cannot be known."""

    fraction: float | None = None
    key: str = ""
    facts: dict[str, object] = field(default_factory=dict)


class JobHandle:
    """The worker's side of a job; a `Progress`."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()
        self.snapshot = ProgressSnapshot()

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        self.snapshot = ProgressSnapshot(min(done / total, 1.0) if total else None, key, facts)

    def raise_if_cancelled(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled

    def cancel(self) -> None:
        self._cancelled.set()


class Job(Generic[T]):
    """The starter's side of a job."""

    def __init__(self, job_id: int, handle: JobHandle, future: Future[T]) -> None:
        self.id = job_id
        self._handle = handle
        self._future = future

    @property
    def progress(self) -> ProgressSnapshot:
        return self._handle.snapshot

    @property
    def done(self) -> bool:
        return self._future.done()

    def cancel(self) -> None:
        """Asks the work to stop at its next step; a job still waiting never starts."""
        self._handle.cancel()
        self._future.cancel()

    @property
    def error(self) -> BaseException | None:
        """Why it failed, `Cancelled` included; None while running or when it went well."""
        if not self._future.done():
            return None
        if self._future.cancelled():
            return Cancelled()
        return self._future.exception()

    def result(self, timeout_s: float | None = None) -> T:
        return self._future.result(timeout_s)


class JobLanes:
    """The program's workers."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._lanes = {
            "db": ThreadPoolExecutor(max_workers=1, thread_name_prefix="db"),
            "cpu": ThreadPoolExecutor(max_workers=os.cpu_count() or 2, thread_name_prefix="cpu"),
            "ssh": ThreadPoolExecutor(max_workers=5, thread_name_prefix="ssh"),
        }

    def submit(self, lane: str, work: Callable[[JobHandle], T]) -> Job[T]:
        handle = JobHandle()
        return Job(next(self._ids), handle, self._lanes[lane].submit(work, handle))

    def close(self) -> None:
        """Waits for running work; what waits in a lane is dropped."""
        for executor in self._lanes.values():
            executor.shutdown(wait=True, cancel_futures=True)
