"""What a connection to a host can do, whichever SSH implementation is behind it.

Nothing here waits without a deadline, and nothing here touches the window: every callback comes on a thread
of the link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum
from typing import Protocol

from tunebench.core.records import record
from tunebench.domain.connection import HostKeyQuestion, PromptsQuestion, ResolvedHost, SecretQuestion


class LossCause(StrEnum):
    """Why a connection is gone; the first two are faults, the third is us."""

    NETWORK_LOST = "network_lost"  # the prober got no answer, or the socket broke
    CLOSED_BY_SERVER = "closed_by_server"
    CLOSED_BY_US = "closed_by_us"


class LinkError(Exception):
    """A connection, or an operation on it, failed.

    Args:
        key: what happened, a catalogue key below ``error.ssh.``: ``unresolved``, ``refused``, ``unreachable``,
            ``connect_timeout``, ``banner_timeout``, ``auth_timeout``, ``host_key_unknown``,
            ``host_key_changed``, ``host_key_revoked``, ``auth_failed``, ``auth_other_backend``,
            ``auth_cancelled``, ``passphrase_wrong``, ``key_unreadable``, ``no_common_algorithm``, ``hop_failed``,
            ``lost``, ``deadline``, ``no_channel``, ``backend_missing``, ``shell_refused``.
        final: True where trying again without a person is wrong (host key, authentication, policy).
        facts: for the sentence; never secrets.
    """

    def __init__(self, key: str, *, final: bool = False, **facts: object) -> None:
        super().__init__(key, facts)
        self.key = key
        self.final = final
        self.facts = facts


class SessionRefused(Exception):
    """The server opens no more sessions on a connection."""


class Prompter(Protocol):
    """A person who may be asked; called on a thread of the link, may block, None or False means "no answer"."""

    def accepts_host_key(self, question: HostKeyQuestion) -> bool: ...

    def secret(self, question: SecretQuestion) -> str | None: ...

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None: ...


@record
class Finished:
    """A command that ran to its end. `exit_status` is None where the server gave none (that is not success)."""

    stdout: bytes
    stderr: bytes
    exit_status: int | None
    signal: str = ""
    truncated: bool = False  # stdout reached the limit and the rest was left unread


@record
class LinkFacts:
    """What was negotiated: for the audit trail and the window. No secrets."""

    backend: str
    server_version: str
    addresses: tuple[str, ...]
    host_key_type: str
    fingerprint: str
    host_key_verdict: str
    auth_method: str  # publickey, password, keyboard-interactive ...
    kex: str = ""
    cipher: str = ""
    mac: str = ""
    weak: tuple[str, ...] = ()  # weak algorithms in use by exception
    hops: tuple[str, ...] = ()
    connect_ms: float = 0.0
    reconnects_alone: bool = True  # False where a one-time code is needed each time


class StreamSink(Protocol):
    """Where a running command's bytes go. `received` and `complained` must return at once."""

    def received(self, data: bytes, arrived_ns: int) -> None:
        """Bytes of stdout; `arrived_ns` is this machine's wall clock in UTC nanoseconds."""

    def complained(self, data: bytes, arrived_ns: int) -> None:
        """Bytes of stderr."""

    def ended(self, exit_status: int | None, signal: str, loss: LossCause | None) -> None:
        """Called once, last. `loss` is None where the command ended by itself and the connection lives."""


class RemoteStream(Protocol):
    """A command that runs until it ends or is stopped."""

    def renew(self) -> None:
        """A byte to its stdin: the lease of the wrapper begins anew. Never blocks."""

    def stop(self) -> None:
        """Ends its stdin; the wrapper then ends the command, and `ended` follows."""

    def close(self) -> None:
        """Drops the channel at once."""


@record(frozen=False)
class Deadlines:
    """How long each step may take, seconds."""

    connect_s: float = 10.0
    banner_s: float = 15.0
    auth_s: float = 30.0
    person_s: float = 180.0  # for each question to a person, not counted in the others
    channel_s: float = 6.0
    probe_interval_s: float = 2.0
    probe_allowance_s: float = 6.0

    @property
    def opening_s(self) -> float:
        """What one connection may take where nobody is asked."""
        return self.connect_s + self.banner_s + self.auth_s


@record
class LinkSettings:
    deadlines: Deadlines = field(default_factory=Deadlines)
    use_keyring: bool = True
    session_limit: int = 8
    """Channels opened on one connection; stock sshd refuses the eleventh (MaxSessions 10)."""


class LinkWatcher(Protocol):
    """Hears of the link as a whole; called on a thread of the link."""

    def link_lost(self, cause: LossCause, detail: str) -> None:
        """Called once at most, never for `Link.close`. `detail` names the jump host at fault, else it is a technical
        word or empty."""

    def probe_answered(self, round_trip_s: float) -> None: ...


class Unwatched:
    """A watcher for an errand that is over before a loss matters: it shows in what was being done."""

    def link_lost(self, cause: LossCause, detail: str) -> None: ...

    def probe_answered(self, round_trip_s: float) -> None: ...


class Link(Protocol):
    """An open, authenticated, watched connection."""

    @property
    def facts(self) -> LinkFacts: ...

    @property
    def alive(self) -> bool: ...

    def run(self, command: str, deadline_s: float, *, stdin: bytes = b"", limit_bytes: int = 16 << 20) -> Finished:
        """Runs one command to its end. `stdin` is sent and then ended; without any it stays open until the command
        has ended, because a wrapped command takes the end of its input for the order to stop.

        Raises:
            LinkError: ``deadline``, ``lost``, ``no_channel``.
        """

    def stream(self, command: str, sink: StreamSink) -> RemoteStream:
        """Starts a command whose bytes go to `sink` as they come. When it is lost, the whole link is.

        Raises:
            LinkError: ``no_channel`` (the server opens no more sessions here), ``lost``, ``deadline``.
        """

    def pull(self, path: str, offset: int, sink: StreamSink) -> RemoteStream:
        """Sends the bytes of a remote file from `offset` on to `sink`, ``ended(0, "", None)`` when all came.

        On a connection of its own: when that is lost, the pull is, but not the link.

        Raises:
            LinkError: as `stream`.
        """

    def close(self) -> None:
        """Returns at once; every reader is released."""


class Connector(Protocol):
    """A backend: makes links."""

    def connect(self, host: ResolvedHost, prompter: Prompter, watcher: LinkWatcher, settings: LinkSettings) -> Link:
        """Connects, verifies the host key, then authenticates.

        Raises:
            LinkError: with the step's own key; `final` where a person is needed.
        """
