"""Processes of this machine; each has one task at a time, so that one which dies tells which."""

from __future__ import annotations

import logging
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from tunebench.cluster.work import ATTEMPTS, Done, Event, SetAside, Task, Unit, died, failed
from tunebench.core import worker_process
from tunebench.core.errors import UserError
from tunebench.core.processes import Died
from tunebench.core.program_words import WORK
from tunebench.core.records import record
from tunebench.core.worker_process import WorkerGroup, WorkerProcess

_log = logging.getLogger(__name__)


@record
class _Raised:
    """The unit raised: this is a bug, or the process's surroundings failed it."""

    reason: str


def serve() -> int:
    """Runs units until the parent closes the pipe."""
    return worker_process.serve(lambda _setup: _answered)


def _answered(call: object) -> Iterator[object]:
    assert isinstance(call, partial)
    try:
        yield call()
    except Exception as error:  # noqa: BLE001  told to who asked; the process serves the next
        _log.exception("a unit failed")
        yield _Raised(f"{type(error).__name__}: {error}")


@record(frozen=False)
class _Begun:
    """A task under way."""

    number: int
    task: Task
    attempts: int = 1


class LocalEngine(WorkerGroup):
    """Used in a ``with``: none of its processes outlives it.

    Args:
        processes: how many at once.
        attempts: how often a task is begun beside others.
    """

    def __init__(self, processes: int, attempts: int = ATTEMPTS) -> None:
        super().__init__(WORK, None, processes)
        self._attempts = attempts

    def run(self, unit: Unit, tasks: Iterable[Task], may_take: Callable[[], bool]) -> Iterator[Event]:
        """See `Engine.run`.

        Raises:
            UserError: work_cannot_start.
        """
        running = _Running(unit, tasks, may_take, self._attempts)
        while True:
            self._employ(running)
            if not running.begun:
                return
            moved = False
            for worker in list(self.workers):
                if worker.number is not None and (event := self._event_of(worker, running)) is not None:
                    moved = True
                    yield event
            if not moved:
                yield None
                self.wait()

    def agree(self, unit: Unit, asked: object) -> bool:
        """They are on this machine."""
        return True

    def _employ(self, running: _Running) -> None:
        """Every process gets a task while there are some; one that died is replaced."""
        while (idle := self._idle()) is not None or len(self.workers) < self.size:
            begun = running.next()
            if begun is None:
                return
            (idle or self.add()).give(begun.number, partial(running.unit, begun.task.asked))

    def _idle(self) -> WorkerProcess | None:
        return next((worker for worker in self.workers if worker.number is None), None)

    def _event_of(self, worker: WorkerProcess, running: _Running) -> Event:
        try:
            answer, _ = worker.answers.get_nowait()
        except queue.Empty:
            return None
        assert worker.number is not None
        begun = running.begun.pop(worker.number)
        worker.number = None
        if isinstance(answer, Died):
            self._refuse_unready(worker)
            return running.begin_again(begun)
        if isinstance(answer, _Raised):
            return SetAside(begun.number, failed(begun.task, answer.reason))
        return Done(begun.number, answer)

    def _refuse_unready(self, worker: WorkerProcess) -> None:
        words = self.bury(worker)
        _log.warning("a process that works beside this one ended: %s", words)
        if not worker.ready:
            raise UserError("work_cannot_start", reason=words.strip().splitlines()[-1])


class _Running:
    """The tasks of one run: those to come, those under way, and those that are to be alone."""

    def __init__(self, unit: Unit, tasks: Iterable[Task], may_take: Callable[[], bool], attempts: int) -> None:
        self.unit = unit
        self._attempts = attempts
        self.begun: dict[int, _Begun] = {}
        self._waiting = enumerate(tasks)
        self._may_take = may_take
        self._again: deque[_Begun] = deque()
        self._alone: deque[_Begun] = deque()

    def next(self) -> _Begun | None:
        """The next task; None where there is none now. One that is to be alone waits for the others, they for it."""
        if self._alone or any(other.attempts > self._attempts for other in self.begun.values()):
            begun = None if self.begun else self._alone.popleft()
        elif self._again:
            begun = self._again.popleft()
        else:
            begun = self._new()
        if begun is not None:
            self.begun[begun.number] = begun
        return begun

    def _new(self) -> _Begun | None:
        if self.begun and not self._may_take():
            return None
        for number, task in self._waiting:
            return _Begun(number, task)
        return None

    def begin_again(self, begun: _Begun) -> Event:
        """The process died: again, then alone, then never more."""
        if begun.attempts > self._attempts:
            return SetAside(begun.number, died(begun.task))
        begun.attempts += 1
        (self._alone if begun.attempts > self._attempts else self._again).append(begun)
        return None
