"""One ssh process, from its start to an open connection or to a server's key: read, answered, given up in time."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from tunebench.transport.ssh.askpass import AskedFor, AskpassBridge
from tunebench.transport.ssh.link import Deadlines, LinkError
from tunebench.transport.ssh.ssh_command import environment
from tunebench.transport.ssh.ssh_errors import timeout
from tunebench.transport.ssh.ssh_log import Phase, SshLog
from tunebench.transport.ssh.ssh_workspace import Workspace, kill_group

_PIECE_BYTES = 1 << 16


class GivenUp(Exception):
    """A question was not answered."""


class SshProcess:
    """An ssh that is connecting.

    Args:
        answer: called on this thread for each question; None gives up.
        through_hop: connecting and the banner come as one.
    """

    def __init__(
        self,
        workspace: Workspace,
        command: Sequence[str],
        deadlines: Deadlines,
        answer: Callable[[AskedFor], str | None],
        *,
        through_hop: bool = False,
    ) -> None:
        self.log = SshLog()
        self._workspace, self._answer, self._deadlines = workspace, answer, deadlines
        self._through_hop = through_hop
        self._bridge = AskpassBridge(workspace.path("ask"))
        try:
            self.process: subprocess.Popen[bytes] = workspace.start(
                command, environment=environment(self._bridge.environment())
            )
        except OSError as error:
            self._bridge.close()
            raise LinkError("backend_missing", final=True, detail=str(error)) from error
        assert self.process.stderr is not None
        self._stderr: IO[bytes] = self.process.stderr

    def run_until(self, reached: Callable[[SshLog], bool]) -> bool:
        """True when `reached`; False where ssh ended before. The process goes on.

        Raises:
            LinkError: a deadline passed; the process is then gone.
            GivenUp: a question was not answered; the process is then gone.
        """
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._stderr, selectors.EVENT_READ)
                selector.register(self._bridge, selectors.EVENT_READ)
                return self._follow(selector, reached)
        except BaseException:
            self.end()
            raise
        finally:
            self._bridge.close()

    def end(self) -> None:
        """Ends the process, if it is not gone, and waits for it."""
        kill_group(self.process, signal.SIGTERM)
        self._workspace.reap(self.process, 1.0)
        self._stderr.close()

    def _follow(self, selector: selectors.BaseSelector, reached: Callable[[SshLog], bool]) -> bool:
        phase, since = self.log.phase, time.monotonic()
        while True:
            left_s = since + self._allowance(phase) - time.monotonic()
            if left_s <= 0:
                raise timeout(self.log, self._allowance(phase))
            ready = [key.fileobj for key, _ in selector.select(left_s)]
            if self._stderr in ready and not self._read():
                return reached(self.log)
            if reached(self.log):
                return True
            if self._bridge in ready:
                since += self._ask()
            if self.log.phase != phase:
                phase, since = self.log.phase, time.monotonic()

    def _allowance(self, phase: Phase) -> float:
        if phase is Phase.CONNECTING:
            return self._deadlines.connect_s + (self._deadlines.banner_s if self._through_hop else 0.0)
        return self._deadlines.banner_s if phase is Phase.BANNER else self._deadlines.auth_s

    def _read(self) -> bool:
        data = os.read(self._stderr.fileno(), _PIECE_BYTES)
        self.log.feed(data or b"\n", time.monotonic())
        return bool(data)

    def _ask(self) -> float:
        """Seconds that the answering took."""
        question = self._bridge.question()
        if question is None:
            return 0.0
        since = time.monotonic()
        answer = self._answer(question)
        if answer is None:
            raise GivenUp
        self._bridge.answer(answer, lambda: self.process.poll() is None)
        return time.monotonic() - since


def read_key_line(path: Path) -> tuple[str, str]:
    """(type, base64) of the first key in a known_hosts file; ("", "") where there is none."""
    try:
        fields = path.read_text(encoding="ascii").split()
    except (OSError, UnicodeDecodeError):
        return "", ""
    return (fields[1], fields[2]) if len(fields) >= 3 else ("", "")
