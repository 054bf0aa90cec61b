"""One authenticated, watched connection and the sessions that are open on it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from paramiko.channel import Channel
from paramiko.ssh_exception import ChannelException, SSHException

from tunebench.transport.ssh.channels import CommandRefused, CommandStream, start_command
from tunebench.transport.ssh.link import Deadlines, LinkError, LossCause, SessionRefused, StreamSink
from tunebench.transport.ssh.paramiko_transport import WatchedTransport
from tunebench.transport.ssh.prober import Courier, Prober

NEWS_OF_HOP_S = 0.3
_RESET = (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)


class Connection:
    """Args:
    label: what a loss is told by where this is a jump host.
    via: the connection of the jump host before, if there is one.
    session_limit: sessions kept open at most; lowered where the server refuses earlier.

    Attributes:
        detail: of a loss: the jump host at fault, else a technical word or nothing.
    """

    def __init__(
        self, transport: WatchedTransport, label: str, deadlines: Deadlines, session_limit: int, via: Connection | None
    ) -> None:
        self.transport, self.label, self.via = transport, label, via
        self._deadlines, self._limit = deadlines, session_limit
        self._lock, self._opening = threading.Lock(), threading.Lock()
        self._sessions = 0
        self._loss: LossCause | None = None
        self.detail = ""
        self._on_loss: Callable[[Connection], None] = lambda _: None
        self._courier = Courier()

    def watch(
        self,
        on_round_trip: Callable[[float], None] = lambda _: None,
        on_loss: Callable[[Connection], None] = lambda _: None,
    ) -> None:
        """Begins to probe. `on_loss` comes once, also when it is closed."""
        self._on_loss = on_loss
        Prober(self.transport, self._courier, self._deadlines, on_round_trip, self._missed, self._ended)

    # -- why it ended
    @property
    def alive(self) -> bool:
        return self._loss is None and self.transport.is_active()

    def loss(self, wait_s: float = 0.0) -> LossCause | None:
        if self.transport.gone.wait(wait_s):
            self.note_loss(*self._transports_end())
        return self._loss

    def silent(self) -> bool:
        """Nothing was heard for longer than a healthy connection keeps still."""
        return time.monotonic() - self.transport.heard_at > self._deadlines.probe_interval_s + 1.0

    def close(self) -> None:
        """At once: sets every reader free."""
        self.note_loss(LossCause.CLOSED_BY_US, "")
        self.transport.close()

    def abandon(self) -> None:
        """Ends the courier of a connection that was never watched: it would wait for ever."""
        self._courier.close()

    def _missed(self) -> None:
        hop = next((hop for hop in self.hops() if not hop.alive or hop.silent()), None)
        self.note_loss(LossCause.NETWORK_LOST, hop.label if hop else "")

    def _ended(self) -> None:
        self.loss()
        self._on_loss(self)

    def note_loss(self, cause: LossCause, detail: str) -> None:
        """The first cause that is noted stands."""
        with self._lock:
            if self._loss is None:
                self._loss, self.detail = cause, detail

    def _transports_end(self) -> tuple[LossCause, str]:
        if self._loss is not None:
            return self._loss, self.detail
        for hop in self.hops():
            cause = hop.loss(NEWS_OF_HOP_S)
            if cause is not None:
                return cause, hop.label
        error = self.transport.saved_exception
        if isinstance(error, OSError) and not isinstance(error, _RESET):
            return LossCause.NETWORK_LOST, error.strerror or type(error).__name__
        return LossCause.CLOSED_BY_SERVER, self.transport.disconnect[1]

    def hops(self) -> list[Connection]:
        """The jump hosts before it, the first one first."""
        return [*self.via.hops(), self.via] if self.via else []

    # -- sessions
    def reserve(self) -> bool:
        with self._lock:
            if self._loss is not None or self._sessions >= self._limit:
                return False
            self._sessions += 1
            return True

    def release(self) -> None:
        with self._lock:
            self._sessions -= 1

    @property
    def serves(self) -> bool:
        """Whether the server ever let a session be opened here."""
        with self._lock:
            return self._limit > 0

    def start(self, command: str, sink: StreamSink, skip_bytes: int = 0) -> CommandStream:
        """Runs a command on a session that was reserved; the reservation ends with it, or with the error.

        Raises:
            SessionRefused, LinkError: ``deadline``, ``lost``, ``no_channel``.
        """
        try:
            channel = self._open()
            start_command(channel, command, self._deadlines.channel_s)
        except (SessionRefused, LinkError):
            self.release()
            raise
        except CommandRefused:
            self.release()
            raise LinkError("no_channel", host=self.label) from None
        except (SSHException, EOFError, OSError) as failure:
            self.release()
            raise self._failed(failure) from None
        return CommandStream(channel, self._courier, sink, self.loss, self.release, skip_bytes)

    def _open(self) -> Channel:
        """One at a time: paramiko keeps the server's refusals in one place for all."""
        if not self._opening.acquire(timeout=self._deadlines.channel_s):
            raise self._overdue()
        try:
            return self.transport.open_session(timeout=self._deadlines.channel_s)
        except ChannelException:
            self._learn_limit()
            raise SessionRefused from None
        finally:
            self._opening.release()

    def _learn_limit(self) -> None:
        with self._lock:
            self._limit = min(self._limit, self._sessions - 1)

    def _failed(self, failure: BaseException) -> LinkError:
        if not self.transport.is_active():
            self.loss(NEWS_OF_HOP_S)
            return LinkError("lost", host=self.label, detail=self.detail)
        if isinstance(failure, (SSHException, TimeoutError)):
            return self._overdue()
        return LinkError("lost", host=self.label, detail=type(failure).__name__)

    def _overdue(self) -> LinkError:
        return LinkError("deadline", host=self.label, seconds=f"{self._deadlines.channel_s:g}")
