"""An open connection of the system's ssh."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from tunebench.domain.connection import Backend, KeyVerdict
from tunebench.transport.ssh.algorithms import weak
from tunebench.transport.ssh.collector import Collector
from tunebench.transport.ssh.link import (
    Finished,
    LinkError,
    LinkFacts,
    LinkSettings,
    LinkWatcher,
    LossCause,
    SessionRefused,
    StreamSink,
    Unwatched,
)
from tunebench.transport.ssh.pulling import pull_command
from tunebench.transport.ssh.ssh_binary import SshBinary
from tunebench.transport.ssh.ssh_host_trust import HopTrust
from tunebench.transport.ssh.ssh_master import Master
from tunebench.transport.ssh.ssh_session import Session
from tunebench.transport.ssh.ssh_workspace import Workspace

_HOP_NEWS_S = 0.3  # the end of a jump host takes the master behind it along, and may become known later


class OpenSshLink:
    """A `Link`: one master per hop, one small process per session.

    Where the server opens no more sessions on this connection, a further link of the same kind takes the rest; its end
    is the end of all.

    Args:
        further: makes that link, with the watcher it is given; None where a person would be needed.
    """

    def __init__(
        self,
        binary: SshBinary,
        workspace: Workspace,
        masters: Sequence[Master],
        facts: LinkFacts,
        watcher: LinkWatcher,
        settings: LinkSettings,
        further: Callable[[LinkWatcher], OpenSshLink] | None,
    ) -> None:
        self._binary, self._workspace, self._masters = binary, workspace, tuple(masters)
        self.facts, self._watcher, self._settings = facts, watcher, settings
        self._further = further
        self._next: OpenSshLink | None = None
        self._limit = settings.session_limit
        self._sessions: set[Session] = set()
        self._reserved = 0
        self._over = False
        self._lock = threading.Lock()
        self._extending = threading.Lock()
        self._target.observe(watcher.probe_answered, self._master_ended)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._target.label}, alive={self.alive})"

    @property
    def alive(self) -> bool:
        return not self._over and self._target.alive

    @property
    def _target(self) -> Master:
        return self._masters[-1]

    def run(self, command: str, deadline_s: float, *, stdin: bytes = b"", limit_bytes: int = 16 << 20) -> Finished:
        until_s = time.monotonic() + deadline_s
        sink = Collector(limit_bytes)
        session = self.open_session(command, sink)
        try:
            if stdin:
                session.write_all(stdin, until_s)
            if not sink.done.wait(max(until_s - time.monotonic(), 0.0)):
                raise LinkError("deadline", host=self._target.label, seconds=f"{deadline_s:g}")
        finally:
            session.close()  # ends a command that still runs; of one that ended nothing is left to close
        return sink.finished(self._target.label, self._target.detail)

    def stream(self, command: str, sink: StreamSink) -> Session:
        return self.open_session(command, sink)

    def pull(self, path: str, offset: int, sink: StreamSink) -> Session:
        pull = pull_command(path, offset)
        return self.open_session(pull.command, sink, pull.skip_bytes)

    def close(self) -> None:
        """Asks everything to end; the guard sees to it that it does."""
        self._finish(LossCause.CLOSED_BY_US)

    # -- sessions
    def open_session(self, command: str, sink: StreamSink, skip_bytes: int = 0) -> Session:
        if self._reserve():
            try:
                return self._keep(
                    Session(
                        self._binary,
                        self._workspace,
                        self._target,
                        command,
                        sink,
                        self._session_over,
                        channel_s=self._settings.deadlines.channel_s,
                        skip_bytes=skip_bytes,
                    )
                )
            except SessionRefused:
                self._learn_limit()
            finally:
                with self._lock:
                    self._reserved -= 1
        return self._next_link().open_session(command, sink, skip_bytes)

    def _reserve(self) -> bool:
        if not self.alive:
            raise LinkError("lost", host=self._target.label, detail=self._target.detail)
        with self._lock:
            if len(self._sessions) + self._reserved >= self._limit:
                return False
            self._reserved += 1
            return True

    def _learn_limit(self) -> None:
        """A server that refuses the very first session would refuse it on any connection."""
        with self._lock:
            self._limit = len(self._sessions)
        if not self._limit:
            raise LinkError("no_channel", host=self._target.label)

    def _keep(self, session: Session) -> Session:
        with self._lock:
            if not session.over:
                self._sessions.add(session)
        if not self.alive:  # the end of the connection may have come between
            session.drop(self._target.cause(0.0))
        return session

    def _session_over(self, session: Session) -> None:
        with self._lock:
            self._sessions.discard(session)

    def _next_link(self) -> OpenSshLink:
        if self._further is None:
            raise LinkError("no_channel", host=self._target.label)
        with self._extending:
            if self._next is None:
                try:
                    self._next = self._further(_FurtherWatcher(self._lost))
                except LinkError as error:
                    raise LinkError("no_channel", host=self._target.label) from error
        if self._over:  # closed while it was being made
            self._next.close()
        return self._next

    # -- the end
    def _finish(self, loss: LossCause) -> bool:
        """Ends the link once; False where it was over before."""
        with self._lock:
            if self._over:
                return False
            self._over = True
            sessions = tuple(self._sessions)
        for master in self._masters:
            master.close()
        for session in sessions:
            session.drop(loss)
        self._workspace.close()
        if self._next is not None:
            self._next.close()
        return True

    def _lost(self, loss: LossCause, detail: str) -> None:
        if self._finish(loss):
            self._watcher.link_lost(loss, detail)

    def _master_ended(self) -> None:
        """On the master's thread."""
        self._lost(self._target.loss or LossCause.CLOSED_BY_SERVER, self._detail())

    def _detail(self) -> str:
        """A jump host that died is named: it took the master behind it with it."""
        if self._over:
            return ""
        causes = ((hop, hop.cause(_HOP_NEWS_S)) for hop in self._masters[:-1])
        dead = next((hop for hop, cause in causes if cause not in {None, LossCause.CLOSED_BY_US}), None)
        detail = f"{dead.label}: {dead.detail}" if dead else self._target.detail
        return detail or self._target.label


class _FurtherWatcher(Unwatched):
    """Watches a further link for its end only: the round trip that is shown is the first connection's."""

    def __init__(self, lost: Callable[[LossCause, str], None]) -> None:
        self._lost = lost

    def link_lost(self, cause: LossCause, detail: str) -> None:
        self._lost(cause, detail)


def link_facts(masters: Sequence[Master], trust: HopTrust, connect_ms: float, *, reconnects_alone: bool) -> LinkFacts:
    """Facts of the connection to the host itself; the hops are named."""
    log = masters[-1].log
    verdict = KeyVerdict.KNOWN_BY_CA if log.matched_certificate else trust.verdict_of(log.fact("fingerprint"))
    negotiated = [log.fact(name) for name in ("kex", "host_key_algorithm", "cipher", "mac")]
    return LinkFacts(
        backend=Backend.OPENSSH.value,
        server_version=log.fact("server_version"),
        addresses=trust.addresses or tuple(filter(None, [log.fact("address")])),
        host_key_type=log.fact("host_key_type"),
        fingerprint=log.fact("fingerprint"),
        host_key_verdict=verdict.value,
        auth_method=log.fact("auth_method"),
        kex=log.fact("kex"),
        cipher=log.fact("cipher"),
        mac=log.fact("mac"),
        weak=weak(negotiated),
        hops=tuple(master.label for master in masters),
        connect_ms=connect_ms,
        reconnects_alone=reconnects_alone,
    )
