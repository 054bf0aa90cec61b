"""A running command: one ssh process that talks to the master, one thread that reads both of its outputs."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import threading
import time
from collections.abc import Callable
from typing import IO

from tunebench.core.patterns import lazy_pattern
from tunebench.transport.ssh.link import LinkError, LossCause, SessionRefused, StreamSink
from tunebench.transport.ssh.ssh_binary import SshBinary
from tunebench.transport.ssh.ssh_command import environment, session
from tunebench.transport.ssh.ssh_master import Master
from tunebench.transport.ssh.ssh_workspace import Workspace, kill_group

_PIECE_BYTES = 1 << 18
_NEWS_S = 1.5  # how long the end of the connection may become known after the end of a session
_OPENED = b"master session id"
_STATUS = lazy_pattern(rb"Received exit status from master (\d+)")


class Session:
    """A `RemoteStream`; `over` when nothing more will come.

    ssh's own log comes through a named pipe, which also serves to wake the reader.

    Raises:
        LinkError: ``lost``, ``deadline``.
        SessionRefused: the server said no.
    """

    def __init__(
        self,
        binary: SshBinary,
        workspace: Workspace,
        master: Master,
        command: str,
        sink: StreamSink,
        finished: Callable[[Session], None],
        *,
        channel_s: float,
        skip_bytes: int = 0,
    ) -> None:
        self._workspace, self._master, self._sink, self._finished = workspace, master, sink, finished
        self._skip_bytes = skip_bytes
        self._lock = threading.Lock()
        self._log = b""
        self._loss: LossCause | None = None
        self._dropped = False
        self._refused = False
        self.over = False
        self._settled = threading.Event()  # opened, or it never will be
        self._start(binary, command)
        self._await_opening(channel_s)

    def renew(self) -> None:
        """Never blocks: what the command does not take at once is not sent."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            os.write(self._stdin.fileno(), b".")

    def stop(self) -> None:
        with self._lock, contextlib.suppress(OSError):
            self._stdin.close()

    def close(self) -> None:
        self.drop(LossCause.CLOSED_BY_US)

    def drop(self, loss: LossCause | None) -> None:
        """Ends the session without waiting for the server; `ended` tells `loss`."""
        with self._lock:
            if self._dropped:
                return
            self._dropped, self._loss = True, loss
            if self._log_pipe >= 0:
                with contextlib.suppress(BlockingIOError):
                    os.write(self._log_pipe, b"\0")  # wakes the reader
        kill_group(self._process, signal.SIGTERM)

    def write_all(self, data: bytes, until_s: float) -> None:
        """All of `data`, then the end of input; stops silently where the command ended or `until_s` has passed."""
        view = memoryview(data)
        while view and time.monotonic() < until_s and not self._dropped:
            try:
                view = view[os.write(self._stdin.fileno(), view) :]
            except BlockingIOError:
                time.sleep(0.005)
            except (OSError, ValueError):
                break
        self.stop()

    # -- starting
    def _start(self, binary: SshBinary, command: str) -> None:
        path = self._workspace.path("log")
        try:
            os.mkfifo(path, 0o600)
            self._log_pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)
            self._log_path = path
            self._process = self._workspace.start(
                session(binary, self._master.socket, path, command),
                environment=environment({}),
                stdin=-1,
                stdout=-1,
                stderr=-1,
            )
        except OSError as error:
            raise LinkError("lost", host=self._master.label, detail=str(error)) from error
        assert self._process.stdin is not None
        self._stdin: IO[bytes] = self._process.stdin
        os.set_blocking(self._stdin.fileno(), False)
        threading.Thread(target=self._read, name="ssh-reader", daemon=True).start()

    def _await_opening(self, channel_s: float) -> None:
        if not self._settled.wait(channel_s):
            self.drop(None)
            raise LinkError("deadline", host=self._master.label, seconds=f"{channel_s:g}")
        if self._refused:
            if self._master.cause(_NEWS_S if b"refused" not in self._log else 0.0) is not None:
                raise LinkError("lost", host=self._master.label, detail=self._master.detail)
            raise SessionRefused

    # -- the reader's thread
    def _read(self) -> None:
        process = self._process
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            with selectors.DefaultSelector() as selector:
                for file in (process.stdout, process.stderr):
                    os.set_blocking(file.fileno(), False)
                    selector.register(file, selectors.EVENT_READ)
                selector.register(self._log_pipe, selectors.EVENT_READ)
                while not self._dropped and len(selector.get_map()) > 1:
                    self._take(selector)
        finally:
            process.stdout.close()
            process.stderr.close()
            self._end()

    def _take(self, selector: selectors.BaseSelector) -> None:
        for key, _ in selector.select():
            if key.fd == self._log_pipe:
                self._read_log()
                continue
            try:
                data = os.read(key.fd, _PIECE_BYTES)
            except BlockingIOError:
                continue
            if not data:
                selector.unregister(key.fileobj)
            elif key.fileobj is self._process.stdout:
                self._received(data)
            else:
                self._sink.complained(data, time.time_ns())

    def _received(self, data: bytes) -> None:
        skipped = min(self._skip_bytes, len(data))
        self._skip_bytes -= skipped
        if len(data) > skipped:
            self._sink.received(data[skipped:] if skipped else data, time.time_ns())

    def _read_log(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._log += os.read(self._log_pipe, _PIECE_BYTES)
        if _OPENED in self._log:
            self._settled.set()

    def _end(self) -> None:
        if self._dropped:
            kill_group(self._process, signal.SIGTERM)
        self._workspace.reap(self._process, 2.0)
        self._read_log()
        self.stop()
        with self._lock:
            os.close(self._log_pipe)
            self._log_pipe = -1
        self._log_path.unlink(missing_ok=True)
        opened = _OPENED in self._log
        self._refused = not opened
        self.over = True
        self._finished(self)
        self._settled.set()
        if opened:
            self._tell_end()

    def _tell_end(self) -> None:
        status = _STATUS.search(self._log)
        if status and not self._dropped:
            self._sink.ended(int(status[1]), "", None)
        elif self._dropped:
            self._sink.ended(None, "", self._loss)
        else:
            self._sink.ended(None, "", self._master.cause(_NEWS_S))
