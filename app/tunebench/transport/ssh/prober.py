"""Watching a connection: a probe that wants an answer every few seconds, because silence alone says nothing.

Two threads. The courier sends whatever may have to wait (probes, input, the end of input): on a line that is full, or
while keys are exchanged, sending blocks. The prober only counts seconds, and so is never late.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

from paramiko.ssh_exception import SSHException

from tunebench.transport.ssh.link import Deadlines
from tunebench.transport.ssh.paramiko_transport import WatchedTransport

Task = Callable[[], object]


class Courier:
    """Sends things in order, on a thread of its own."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        threading.Thread(target=self._run, name="ssh-courier", daemon=True).start()

    def post(self, task: Task) -> None:
        self._tasks.put(task)

    def close(self) -> None:
        self._tasks.put(None)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task()
            except (SSHException, EOFError, OSError):
                # The connection or the channel has ended under it; whoever reads from them hears of that.
                continue


class Prober:
    """Asks until the transport is gone; closes it when an answer is overdue.

    Args:
        answered: called with the round trip in seconds.
        missed: called before the transport is closed for want of an answer.
        ended: called last, once the transport is gone.
    """

    def __init__(
        self,
        transport: WatchedTransport,
        courier: Courier,
        deadlines: Deadlines,
        answered: Callable[[float], None],
        missed: Callable[[], None],
        ended: Callable[[], None],
    ) -> None:
        self._transport, self._courier, self._deadlines = transport, courier, deadlines
        self._answered, self._missed, self._ended = answered, missed, ended
        threading.Thread(target=self._run, name="ssh-prober", daemon=True).start()

    def _run(self) -> None:
        try:
            while not self._transport.gone.wait(self._deadlines.probe_interval_s):
                self._probe()
        finally:
            self._courier.close()
            self._ended()

    def _probe(self) -> None:
        sent_at = time.monotonic()
        self._transport.answered.clear()
        self._courier.post(self._transport.send_probe)
        if not self._hear(sent_at):
            self._missed()
            self._transport.close()
            self._transport.gone.wait(1.0)
        elif not self._transport.gone.is_set():
            self._answered(self._transport.answered_at - sent_at)

    def _hear(self, sent_at: float) -> bool:
        """Waits until the answer comes, or nothing at all has come for the whole allowance."""
        while True:
            last_at = max(sent_at, self._transport.heard_at)
            left_s = last_at + self._deadlines.probe_allowance_s - time.monotonic()
            if left_s <= 0 or self._transport.gone.is_set():
                return self._transport.gone.is_set()
            if self._transport.answered.wait(left_s):
                return True
