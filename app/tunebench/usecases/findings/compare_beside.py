"""A process beside the one that compares: it compares blocks of series too, and finds where the bottleneck went.

    parent -> worker    Asked, then indexes of pairs of series, block by block, then TELL_SHIFT, on stdin; sent as
                        `tunebench.capture.reading_worker` sends its messages
    worker -> parent    list[PairFigures] of each block, then Shift, on stdout

The worker ends when its stdin does, so it ends with its parent, however suddenly that dies. Where no answer comes the
parent computes the block itself: what went wrong goes wrong there too, and is reported there.
"""

from __future__ import annotations

import gc
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tunebench.capture.reading_worker import receive, send
from tunebench.core.beside import cores
from tunebench.core.collecting import uncollected
from tunebench.core.processes import ends, started
from tunebench.core.program_words import COMPARE_BESIDE
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.core.sealing import Key, hold
from tunebench.domain.finding import Shift
from tunebench.domain.windows import Window
from tunebench.store.merged_series import count_columns
from tunebench.store.overlaps import state_of
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.comparing.compare import PairFigures, Work
from tunebench.usecases.findings.diagnose import shift

MANY_COLUMNS = 10_000
"""Of the runs of both windows, from which on it takes much longer than a process takes to start."""
_TELL_SHIFT = "shift"


@record
class Asked:
    """What the worker is to compare.

    Attributes:
        state: of the captures; where another process changes them the two would number their series differently.
    """

    project: Path
    state: tuple[int, ...]
    before: Window
    after: Window
    key: Key | None


class CompareBeside:
    """Used in a ``with``: the process does not outlive it.

    Attributes:
        process: None where there are few series, or one processor.
    """

    def __init__(self, project: Project, before: Window, after: Window) -> None:
        self._project, self._windows = project, (before, after)
        self._shift: Shift | None = None
        self._shift_asked = False
        self._uncollected = uncollected()
        self.process: subprocess.Popen[bytes] | None = None
        runs = {occurrence.run_id for window in self._windows for occurrence in window.occurrences}
        if cores() > 1 and count_columns(project, runs) >= MANY_COLUMNS:
            self.process = started(COMPARE_BESIDE, subprocess.DEVNULL)
            self._send(Asked(project.path, state_of(project), before, after, project.key))

    @property
    def helper(self) -> Self | None:
        return self if self.process else None

    def compared(self, indexes: Sequence[int]) -> list[PairFigures] | None:
        self._send(indexes)
        answer = self._answer()
        return answer if isinstance(answer, list) else None

    def no_more(self) -> None:
        self._send(_TELL_SHIFT)
        self._shift_asked = True

    def result(self, progress: Progress) -> Shift:
        """Where the bottleneck went, computed once."""
        if self._shift is None:
            if not self._shift_asked:
                self.no_more()
            answer = self._answer()
            self._shift = answer if isinstance(answer, Shift) else shift(self._project, *self._windows, progress)
        return self._shift

    def _send(self, message: object) -> None:
        if self.process is None or self.process.stdin is None:
            return
        try:
            send(self.process.stdin, message)
        except OSError:
            return  # it died: there will be no answer

    def _answer(self) -> object:
        if self.process is None or self.process.stdout is None:
            return None
        try:
            return receive(self.process.stdout)[0]
        except (EOFError, OSError):
            return None

    def __enter__(self) -> Self:
        if self.process is not None:
            self._uncollected.__enter__()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self.process is not None:
            self._uncollected.__exit__(None, None, None)
            self.process.kill()
            # the system takes 0.4 s to free what the process held, for which nobody has to wait
            threading.Thread(target=self.process.communicate, daemon=True).start()


def serve() -> int:
    """Answers what the parent asks."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C goes to all at the terminal; the parent decides
    orders, answers = ends()
    waiting: queue.Queue[object] = queue.Queue()
    try:
        asked, _ = receive(orders)
        assert isinstance(asked, Asked)
        threading.Thread(target=_listen, args=(orders, waiting), daemon=True).start()
        if asked.key is not None:
            hold(asked.key)
        with projects.open_(asked.project, read_only=True) as project:
            if state_of(project) == asked.state:
                _answer_all(project, asked, waiting, answers)
    except (BrokenPipeError, EOFError):
        return 0
    return 0


def _answer_all(project: Project, asked: Asked, waiting: queue.Queue[object], answers: IO[bytes]) -> None:
    work = Work.of(project, asked.before, asked.after)
    while isinstance(indexes := waiting.get(), list):
        send(answers, work.block(indexes))
    send(answers, shift(project, asked.before, asked.after))


def _listen(orders: IO[bytes], waiting: queue.Queue[object]) -> None:
    """A parent that is gone needs no answer, also in the middle of one."""
    try:
        while True:
            waiting.put(receive(orders)[0])
    except EOFError:
        os._exit(0)
