"""Several captures are read at once, each in a process of its own; one of them that dies costs its capture only."""

from __future__ import annotations

import logging
import os
import queue
import tempfile
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import IO, Self, cast

from tunebench.capture.capture_reading import Step
from tunebench.capture.reading_worker import Answer, Job, Ready, Setup, Unknown
from tunebench.core.processes import receive, send, started
from tunebench.core.program_words import READ_CAPTURES

MOST_WORKERS = 8
_ANSWERS_WAITING = 4  # of one worker; it waits while they are not taken
_LOOK_S = 0.1
_MOST_LAST_WORDS = 4000

_log = logging.getLogger(__name__)


class Died:
    """The process that read a capture ended in the middle of it."""


Event = tuple[int, Answer | Died, int]
"""Number of the job, what came of it, and how many bytes that took on its way."""


class _Worker:
    """One process, and a thread that takes its answers."""

    def __init__(self, setup: Setup, came: threading.Event) -> None:
        self.number: int | None = None  # of the job it is at
        self.ready = False
        self.answers: queue.Queue[tuple[Answer | Died, int]] = queue.Queue(_ANSWERS_WAITING)
        self._came = came
        self._stopped = False
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed with the worker
        self._process = started(READ_CAPTURES, self._errors)
        self._send(setup)
        self._thread = threading.Thread(target=self._take_answers, name="capture-reader", daemon=True)
        self._thread.start()

    def give(self, number: int, job: Job) -> None:
        self.number = number
        self._send(job)

    def _send(self, message: object) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            send(pipe, message)
        except OSError:
            return  # it died: the thread that waits for its answers tells

    def _take_answers(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        try:
            while True:
                message, size = receive(pipe)
                if isinstance(message, Ready):
                    self.ready = True
                else:
                    self._put(cast("Answer", message), size)
        except (EOFError, OSError):
            self._put(Died(), 0)

    def _put(self, answer: Answer | Died, size: int) -> None:
        while not self._stopped:
            try:
                self.answers.put((answer, size), timeout=_LOOK_S)
            except queue.Full:
                continue
            self._came.set()
            return

    def last_words(self) -> str:
        """The end of what it wrote to its standard error, and how it ended."""
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - _MOST_LAST_WORDS))
        return f"{self._errors.read().decode('utf-8', 'replace')} [{self._process.wait()}]"

    def stop(self) -> None:
        """Ends the process, whatever it does."""
        self._stopped = True
        self._process.kill()
        self._process.wait()
        self._thread.join()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            assert pipe is not None
            try:
                pipe.close()
            except OSError:
                continue  # what waited for a process that is gone


class ReadingPool:
    """Processes that read the captures of one project. Used in a ``with``: none of them outlives it.

    Args:
        workers: how many at once, at most.
    """

    def __init__(self, setup: Setup, workers: int) -> None:
        self._setup = setup
        self._size = workers
        self._came = threading.Event()
        self._workers: list[_Worker] = []
        self._cannot_start = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    def read(self, jobs: Sequence[Job], most_held_bytes: int) -> Iterator[Event | None]:
        """The answers to the jobs, those of one job after those of the one before; None where nothing came for a while.

        Answers that come before their turn are held; a process that has much to say early waits.
        """
        waiting = deque(enumerate(jobs))
        held = _Held()
        while held.turn < len(jobs):
            self._employ(waiting)
            moved = False
            for worker in list(self._workers):
                if worker.number == held.turn or held.size_bytes <= most_held_bytes:
                    for event in self._answers_of(worker):
                        moved = True
                        held.add(event)
            if self._cannot_start and waiting:
                held.add((waiting.popleft()[0], Unknown(), 0))
            yield from held.in_turn()
            if not moved:
                yield None
                self._came.wait(_LOOK_S)
                self._came.clear()

    def _employ(self, waiting: deque[tuple[int, Job]]) -> None:
        """Every process gets a job while there are some; one that died is replaced."""
        if self._cannot_start:
            return
        while waiting and len(self._workers) < self._size:
            self._workers.append(_Worker(self._setup, self._came))
            self._workers[-1].give(*waiting.popleft())
        for worker in self._workers:
            if worker.number is None and waiting:
                worker.give(*waiting.popleft())

    def _answers_of(self, worker: _Worker) -> Iterator[Event]:
        """What has come of its job so far."""
        while (number := worker.number) is not None:
            try:
                answer, size = worker.answers.get_nowait()
            except queue.Empty:
                return
            if isinstance(answer, Died):
                answer = self._buried(worker)
            if not isinstance(answer, Step):
                worker.number = None
            yield number, answer, size

    def _buried(self, worker: _Worker) -> Died | Unknown:
        """What that means for its job: a process that did not even begin tells nothing about the capture."""
        _log.warning("a process that reads captures ended: %s", worker.last_words())
        worker.stop()
        self._workers.remove(worker)
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
