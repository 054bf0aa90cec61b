"""Several captures are read at once, each in a process of its own; one of them that dies costs its capture only."""

from __future__ import annotations

import logging
import queue
from collections import deque
from collections.abc import Iterator, Sequence
from typing import cast

from tunebench.capture.capture_reading import Step
from tunebench.capture.reading_worker import Answer, Job, Setup, Unknown
from tunebench.core.processes import Died
from tunebench.core.program_words import READ_CAPTURES
from tunebench.core.worker_process import WorkerGroup, WorkerProcess

_log = logging.getLogger(__name__)

Event = tuple[int, Answer | Died, int]
"""Number of the job, what came of it, and how many bytes that took on its way."""


class ReadingPool(WorkerGroup):
    """Processes that read the captures of one project. Used in a ``with``: none of them outlives it.

    Args:
        workers: how many at once, at most.
    """

    def __init__(self, setup: Setup, workers: int) -> None:
        super().__init__(READ_CAPTURES, setup, workers)
        self._cannot_start = False

    def read(self, jobs: Sequence[Job], most_held_bytes: int) -> Iterator[Event | None]:
        """The answers to the jobs, those of one job after those of the one before; None where nothing came for a while.

        Answers that come before their turn are held; a process that has much to say early waits.
        """
        waiting = deque(enumerate(jobs))
        held = _Held()
        while held.turn < len(jobs):
            self._employ(waiting)
            moved = False
            for worker in list(self.workers):
                if worker.number == held.turn or held.size_bytes <= most_held_bytes:
                    for event in self._answers_of(worker):
                        moved = True
                        held.add(event)
            if self._cannot_start and waiting:
                held.add((waiting.popleft()[0], Unknown(), 0))
            yield from held.in_turn()
            if not moved:
                yield None
                self.wait()

    def _employ(self, waiting: deque[tuple[int, Job]]) -> None:
        """Every process gets a job while there are some; one that died is replaced."""
        if self._cannot_start:
            return
        while waiting and len(self.workers) < self.size:
            self.add().give(*waiting.popleft())
        for worker in self.workers:
            if worker.number is None and waiting:
                worker.give(*waiting.popleft())

    def _answers_of(self, worker: WorkerProcess) -> Iterator[Event]:
        """What has come of its job so far."""
        while (number := worker.number) is not None:
            try:
                came, size = worker.answers.get_nowait()
            except queue.Empty:
                return
            answer = self._buried(worker) if isinstance(came, Died) else cast("Answer", came)
            if not isinstance(answer, Step):
                worker.number = None
            yield number, answer, size

    def _buried(self, worker: WorkerProcess) -> Died | Unknown:
        """What that means for its job: a process that did not even begin tells nothing about the capture."""
        _log.warning("a process that reads captures ended: %s", self.bury(worker))
        self._cannot_start = self._cannot_start or not worker.ready
        return Died() if worker.ready else Unknown()


class _Held:
    """Events that wait for their turn."""

    def __init__(self) -> None:
        self.turn = 0
        self.size_bytes = 0
        self._events: dict[int, deque[Event]] = {}

    def add(self, event: Event) -> None:
        self._events.setdefault(event[0], deque()).append(event)
        self.size_bytes += event[2]

    def in_turn(self) -> Iterator[Event]:
        while mine := self._events.get(self.turn):
            event = mine.popleft()
            self.size_bytes -= event[2]
            if not isinstance(event[1], Step):
                del self._events[self.turn]
                self.turn += 1
            yield event
