from __future__ import annotations

import threading

import pytest

from tunebench.core.errors import Cancelled
from tunebench.usecases.jobs import JobHandle, JobLanes


def test_a_lane_of_one_keeps_the_order() -> None:
    lanes = JobLanes()
    seen: list[int] = []
    jobs = [lanes.submit("db", lambda handle, n=n: seen.append(n)) for n in range(20)]  # type: ignore[misc]
    for job in jobs:
        job.result(60)
    lanes.close()
    assert seen == list(range(20))


def test_progress_is_polled_and_cancel_reaches_the_work() -> None:
    lanes = JobLanes()
    reached, go_on = threading.Event(), threading.Event()

    def work(handle: JobHandle) -> None:
        handle.report(1, 4, "progress.storing", name="x")
        reached.set()
        go_on.wait(60)
        handle.raise_if_cancelled()

    job = lanes.submit("cpu", work)
    assert reached.wait(60)
    assert (job.progress.fraction, job.progress.facts) == (0.25, {"name": "x"})
    job.cancel()
    go_on.set()
    with pytest.raises(Cancelled):
        job.result(60)
    assert isinstance(job.error, Cancelled)
    lanes.close()


def test_a_job_cancelled_before_it_starts_never_runs() -> None:
    lanes = JobLanes()
    block = threading.Event()
    lanes.submit("db", lambda handle: block.wait(60))
    ran: list[int] = []
    waiting = lanes.submit("db", lambda handle: ran.append(1))
    waiting.cancel()
    block.set()
    lanes.close()
    assert ran == []
    assert isinstance(waiting.error, Cancelled)
