"""A process of this program that is given jobs and answers them, and the thread that takes its answers.

    this process -> the other    a setup, then job, job, ...     each as 8 bytes of length and a pickle, on stdin
    the other -> this process    Ready, then answers             the same, on stdout

Both ends are one program, started one by the other; nobody else speaks on these pipes. The other ends when its stdin
does: so does the parent's death, however sudden.
"""

from __future__ import annotations

import os
import queue
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import IO, Self

from tunebench.core.beside import ONE_THREAD
from tunebench.core.processes import Died, ends, receive, send, started
from tunebench.core.records import record

LOOK_S = 0.1
"""How often who waits looks whether anybody still wants what it waits for."""
_ANSWERS_WAITING = 4  # of one process; it waits while they are not taken
_MOST_LAST_WORDS = 4000


@record
class Ready:
    """The process has begun, and is given jobs from now on."""


class WorkerProcess:
    """One process, and a thread that takes its answers.

    Args:
        word: what the process becomes; see `tunebench.core.program_words`.
        setup: what it is given first.
        came: set whenever an answer came.
    """

    def __init__(self, word: str, setup: object, came: threading.Event) -> None:
        self.number: int | None = None  # of the job it is at
        self.ready = False
        self.answers: queue.Queue[tuple[object, int]] = queue.Queue(_ANSWERS_WAITING)
        self._came = came
        self._stopped = False
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        self._process = started(word, self._errors)
        self._send(setup)
        self._thread = threading.Thread(target=self._take_answers, name=word, daemon=True)
        self._thread.start()

    def give(self, number: int, job: object) -> None:
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
                    self._put(message, size)
        except (EOFError, OSError):
            self._put(Died(), 0)

    def _put(self, answer: object, size: int) -> None:
        while not self._stopped:
            try:
                self.answers.put((answer, size), timeout=LOOK_S)
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


class WorkerGroup:
    """Processes that are asked side by side. Used in a ``with``: none of them outlives it.

    Args:
        size: how many at once, at most.
    """

    def __init__(self, word: str, setup: object, size: int) -> None:
        self._word, self._setup = word, setup
        self.size = size
        self.workers: list[WorkerProcess] = []
        self._came = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for worker in self.workers:
            worker.stop()
        self.workers.clear()

    def add(self) -> WorkerProcess:
        """One more process."""
        self.workers.append(WorkerProcess(self._word, self._setup, self._came))
        return self.workers[-1]

    def bury(self, worker: WorkerProcess) -> str:
        """Takes out one that died; gives its last words."""
        words = worker.last_words()
        worker.stop()
        self.workers.remove(worker)
        return words

    def wait(self) -> None:
        """Until an answer comes, for a moment at most."""
        self._came.wait(LOOK_S)
        self._came.clear()


def serve(begin: Callable[[object], Callable[[object], Iterable[object]]], *, one_of_many: bool = True) -> int:
    """The other end: answers jobs until the parent closes the pipe.

    Args:
        begin: takes the setup and gives what answers a job.
        one_of_many: there is such a process for each processor.
    """
    if one_of_many:
        os.environ[ONE_THREAD] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C goes to all at the terminal; the parent decides
    orders, answers = ends()
    jobs: queue.Queue[object] = queue.Queue()
    try:
        setup, _ = receive(orders)
        threading.Thread(target=_listen, args=(orders, jobs), daemon=True).start()
        answers_of = begin(setup)
        send(answers, Ready())
        while True:
            for answer in answers_of(jobs.get()):
                send(answers, answer)
    except (BrokenPipeError, EOFError):
        return 0


def _listen(orders: IO[bytes], jobs: queue.Queue[object]) -> None:
    """Takes the jobs; a parent that is gone needs no more answers, also in the middle of one."""
    try:
        while True:
            job, _ = receive(orders)
            jobs.put(job)
    except EOFError:
        os._exit(0)
