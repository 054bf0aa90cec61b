"""A link over paramiko: as many connections as its commands need, lost as a whole when one of them is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tunebench.transport.ssh.channels import CommandStream
from tunebench.transport.ssh.collector import Collector
from tunebench.transport.ssh.link import (
    Finished,
    LinkError,
    LinkFacts,
    LinkWatcher,
    LossCause,
    RemoteStream,
    SessionRefused,
    StreamSink,
)
from tunebench.transport.ssh.paramiko_connection import Connection
from tunebench.transport.ssh.pulling import pull_command

Opener = Callable[[bool], Connection]


class ParamikoLink:
    """Args:
    first: the connection that was made; its `facts` are the link's.
    opener: makes a further connection to the same host, for bulk transfer where True.
    opening_s: how long a caller waits while another one opens a connection.
    """

    def __init__(
        self, first: Connection, facts: LinkFacts, watcher: LinkWatcher, opener: Opener, opening_s: float
    ) -> None:
        self.facts, self._watcher, self._opener, self._opening_s = facts, watcher, opener, opening_s
        self._lock, self._opening = threading.Lock(), threading.Lock()
        self._first = first
        self._connections = {False: [first], True: []}  # by "for bulk transfer"
        self._loss: LossCause | None = None
        for hop in first.hops():
            hop.watch()
        first.watch(watcher.probe_answered, self._connection_lost)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._first.label}, alive={self.alive})"

    @property
    def alive(self) -> bool:
        return self._loss is None and self._first.alive

    def run(self, command: str, deadline_s: float, *, stdin: bytes = b"", limit_bytes: int = 16 << 20) -> Finished:
        until = time.monotonic() + deadline_s
        sink = Collector(limit_bytes)
        stream = self._start(command, sink)
        try:
            if stdin:
                stream.feed(stdin, max(until - time.monotonic(), 0.0))
            # Without any, the input stays open: the wrapper takes its end for the order to stop.
            if not sink.done.wait(max(until - time.monotonic(), 0.0)):
                raise self._overdue(deadline_s)
        except TimeoutError:
            raise self._overdue(deadline_s) from None
        finally:
            stream.close()
        return sink.finished(self._first.label, self._first.detail)

    def stream(self, command: str, sink: StreamSink) -> RemoteStream:
        return self._start(command, sink)

    def pull(self, path: str, offset: int, sink: StreamSink) -> RemoteStream:
        pull = pull_command(path, offset)
        return self._start(pull.command, sink, bulk=True, skip_bytes=pull.skip_bytes)

    def close(self) -> None:
        self._shut(LossCause.CLOSED_BY_US, "")

    def _lost(self) -> LinkError:
        return LinkError("lost", host=self._first.label, detail=self._first.detail)

    def _overdue(self, seconds: float) -> LinkError:
        return LinkError("deadline", host=self._first.label, seconds=f"{seconds:g}")

    # -- connections
    def _start(self, command: str, sink: StreamSink, *, bulk: bool = False, skip_bytes: int = 0) -> CommandStream:
        for _ in range(4):
            connection = self._with_room(bulk)
            try:
                return connection.start(command, sink, skip_bytes)
            except SessionRefused:
                if not connection.serves:
                    break
        raise LinkError("no_channel", host=self._first.label)

    def _with_room(self, bulk: bool) -> Connection:
        """A connection with a session reserved; a new one where all are full."""
        reserved = self._reserve(bulk)
        if reserved is not None:
            return reserved
        if not self._opening.acquire(timeout=self._opening_s):
            raise self._overdue(self._opening_s)
        try:
            return self._reserve(bulk) or self._open(bulk)
        finally:
            self._opening.release()

    def _reserve(self, bulk: bool) -> Connection | None:
        if not self.alive:
            raise self._lost()
        with self._lock:
            return next((connection for connection in self._connections[bulk] if connection.reserve()), None)

    def _open(self, bulk: bool) -> Connection:
        connection = self._opener(bulk)
        with self._lock:
            open_still = self._loss is None
            if open_still:
                connection.reserve()
                self._connections[bulk].append(connection)
        if not open_still:
            connection.close()
            connection.abandon()
            raise self._lost()
        connection.watch(on_loss=self._connection_lost)  # only the first one's round trip is shown
        return connection

    # -- the end
    def _connection_lost(self, connection: Connection) -> None:
        with self._lock:
            bulk = connection in self._connections[True]
            if bulk:
                self._connections[True].remove(connection)
            if bulk or self._loss is not None:
                return
        cause = connection.loss() or LossCause.CLOSED_BY_SERVER
        if self._shut(cause, connection.detail):
            self._watcher.link_lost(cause, connection.detail)

    def _shut(self, cause: LossCause, detail: str) -> bool:
        """Closes every connection; False where that was done before. Jump hosts first, for what is closed behind an
        open one has to say goodbye through it, which may take time."""
        with self._lock:
            if self._loss is not None:
                return False
            self._loss = cause
            connections = [*self._connections[True], *self._connections[False]]
        everything = [*self._first.hops(), *connections]
        for connection in everything:
            connection.note_loss(cause, detail)
        for connection in everything:
            connection.close()
        return True
