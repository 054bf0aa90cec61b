"""The shift of the bottleneck, reckoned in a process of its own while this one compares.

    parent -> worker    Asked, as `app.capture.reading_worker` sends its messages, on stdin
    worker -> parent    Shift, on stdout

The worker ends when its stdin does: so does the parent's death, however sudden. Where no answer comes the parent
reckons itself: what went wrong goes wrong there too, and is said there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from app.capture.reading_pool import cores
from app.capture.reading_worker import ends, receive, send, started
from app.core.program_words import TELL_SHIFT
from app.core.progress import Progress
from app.core.sealing import Key, hold
from app.domain.finding import Shift
from app.domain.windows import Window
from app.store.project import Project
from app.usecases import projects
from app.usecases.comparing.stretches import series_in
from app.usecases.findings.diagnose import shift

MANY_SERIES = 10_000
"""Of both windows, from which on it takes much longer than a process takes to start."""


@dataclass(frozen=True, slots=True)
class Asked:
    project: Path
    before: Window
    after: Window
    key: Key | None


class ShiftBeside:
    """Used in a ``with``: the process does not outlive it.

    Attributes:
        process: None where there are few series, or one processor.
    """

    def __init__(self, project: Project, before: Window, after: Window) -> None:
        self._project, self._windows = project, (before, after)
        self.process: subprocess.Popen[bytes] | None = None
        if cores() > 1 and sum(len(series_in(project, each)) for each in self._windows) >= MANY_SERIES:
            self._start()

    def _start(self) -> None:
        self.process = started(TELL_SHIFT, subprocess.DEVNULL)
        assert self.process.stdin is not None
        try:
            send(self.process.stdin, Asked(self._project.path, *self._windows, self._project.key))
        except OSError:
            return  # it died: there will be no answer

    def result(self, progress: Progress) -> Shift:
        found = self._answer()
        return shift(self._project, *self._windows, progress) if found is None else found

    def _answer(self) -> Shift | None:
        if self.process is None or self.process.stdout is None:
            return None
        try:
            found, _ = receive(self.process.stdout)
        except (EOFError, OSError):
            return None
        return found if isinstance(found, Shift) else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()


def serve() -> int:
    """Answers what the parent asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C goes to all at the terminal; the parent decides
    orders, answers = ends()
    try:
        asked, _ = receive(orders)
        assert isinstance(asked, Asked)
        threading.Thread(target=_end_with, args=(orders,), daemon=True).start()
        if asked.key is not None:
            hold(asked.key)
        with projects.open_(asked.project, read_only=True) as project:
            send(answers, shift(project, asked.before, asked.after))
    except (BrokenPipeError, EOFError):
        return 0
    return 0


def _end_with(orders: IO[bytes]) -> None:
    """A parent that is gone needs no answer."""
    orders.read()
    os._exit(0)
