"""A connection the system's ssh holds open for us: watched, and the door to every further session on it.

Proof of life are the packets of the server that ssh's own log names. While nothing comes, ssh itself asks the server
(ServerAliveInterval) and gives up when answers stay away; the answers also tell the round trip. While data come they
are the proof, and the last measured round trip stands.
"""

from __future__ import annotations

import math
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tunebench.transport.ssh.link import Deadlines, LossCause
from tunebench.transport.ssh.ssh_log import SshLog
from tunebench.transport.ssh.ssh_workspace import Workspace, kill_group

_PIECE_BYTES = 1 << 16
_OWN_ALLOWANCE_S = 1.5  # beyond ssh's own: for an ssh that stands still itself
_REFUSAL_EVERY_S = 0.02
_NETWORK = ("not responding", "timed out", "Broken pipe", "reset by peer", "No route", "unreachable")


class Master:
    """An ssh process that was logged in.

    Args:
        answered: called with the round trip in seconds, at most once per probe interval while data flow.
        ended: called once, last, on the master's thread.
    """

    def __init__(
        self,
        label: str,
        workspace: Workspace,
        process: subprocess.Popen[bytes],
        socket: Path,
        log: SshLog,
        deadlines: Deadlines,
    ) -> None:
        self.label, self.socket, self.log = label, socket, log
        self._workspace, self._process, self._deadlines = workspace, process, deadlines
        self._closed_by_us = False
        self._gave_up = False
        self._over = threading.Event()
        self._answered: Callable[[float], None] | None = None
        self._ended: Callable[[], None] | None = None
        self.loss: LossCause | None = None
        log.complaints.clear()
        threading.Thread(target=self._watch, name="ssh-master", daemon=True).start()

    @property
    def alive(self) -> bool:
        return not self._over.is_set() and not self._closed_by_us

    @property
    def detail(self) -> str:
        return self.log.complaints[-1] if self.log.complaints else ""

    def observe(self, answered: Callable[[float], None], ended: Callable[[], None]) -> None:
        """Reports answers and the end from now on; `ended` is called at once where it is over already."""
        self._answered, self._ended = answered, ended
        if self._over.is_set():
            ended()

    def cause(self, wait_s: float) -> LossCause | None:
        """Why it ended, waiting a little for the end to become known; None while it lives."""
        if self._closed_by_us:
            return LossCause.CLOSED_BY_US
        return self.loss if self._over.wait(wait_s) else None

    def refusal(self, wait_s: float) -> str:
        """What the server said to a way on that it did not open, waiting a little for it to be read; or empty."""
        until_s = time.monotonic() + wait_s
        while not self.log.open_failure and self.alive and time.monotonic() < until_s:
            time.sleep(_REFUSAL_EVERY_S)
        return self.log.open_failure

    def close(self) -> None:
        self._closed_by_us = True
        kill_group(self._process, signal.SIGTERM)

    def _watch(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as stderr, selectors.DefaultSelector() as selector:
            selector.register(stderr, selectors.EVENT_READ)
            self._follow(selector, stderr.fileno())
            kill_group(self._process, signal.SIGTERM)
            self._workspace.reap(self._process, 1.0)
        self.loss = self._classify()
        self._over.set()
        if self._ended is not None:
            self._ended()

    def _follow(self, selector: selectors.BaseSelector, stderr: int) -> None:
        """Follows ssh until it ends, or has been silent for longer than it should be able to."""
        limit_s = self._deadlines.probe_interval_s + self._deadlines.probe_allowance_s + _OWN_ALLOWANCE_S
        reported_s, reported = time.monotonic(), self.log.answered
        heard_s = reported_s
        while True:
            ready = selector.select(limit_s)
            now_s = time.monotonic()
            if ready:
                data = os.read(stderr, _PIECE_BYTES)
                if not data:
                    return
                self.log.feed(data, now_s)
            if self.log.heard_s > heard_s:
                heard_s = self.log.heard_s
                due = now_s - reported_s >= self._deadlines.probe_interval_s
                if self.log.answered != reported or due:
                    reported_s, reported = now_s, self.log.answered
                    self._report()
            if now_s - heard_s > limit_s:
                self._gave_up = True
                return

    def _report(self) -> None:
        if self._answered is not None and not math.isnan(self.log.round_trip_s):
            self._answered(self.log.round_trip_s)

    def _classify(self) -> LossCause:
        if self._closed_by_us:
            return LossCause.CLOSED_BY_US
        network = self._gave_up or any(words in self.log.text for words in _NETWORK)
        return LossCause.NETWORK_LOST if network else LossCause.CLOSED_BY_SERVER
