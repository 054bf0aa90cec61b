"""A command on a channel: started with a deadline, read by one thread that drains both its outputs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from paramiko.channel import Channel
from paramiko.common import cMSG_CHANNEL_REQUEST, cMSG_CHANNEL_WINDOW_ADJUST
from paramiko.message import Message
from paramiko.ssh_exception import SSHException

from tunebench.transport.ssh.link import LossCause, StreamSink
from tunebench.transport.ssh.prober import Courier

CHUNK_BYTES = 1 << 18
IDLE_S = 1.0
NEWS_OF_LOSS_S = 0.5


class CommandRefused(Exception):
    """The server opened a session but runs nothing on it."""


def start_command(channel: Channel, command: str, deadline_s: float) -> None:
    """paramiko's own `exec_command` waits for the server's word without end.

    Raises:
        TimeoutError: no word in time. EOFError: the connection ended. CommandRefused: the server said no.
    """
    message = Message()
    message.add_byte(cMSG_CHANNEL_REQUEST)
    message.add_int(channel.remote_chanid)
    message.add_string("exec")
    message.add_boolean(True)
    message.add_string(command)
    channel.event.clear()
    channel.event_ready = False
    channel.transport._send_user_message(message)  # noqa: SLF001 - there is no public way to send it
    if not channel.event.wait(deadline_s):
        raise TimeoutError
    if not channel.event_ready:
        raise EOFError if not channel.transport.is_active() else CommandRefused


class _Bell:
    """Rung by either of a channel's two buffers. Each would silence it when it is empty, though the other is not."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.wait, self.set = self._event.wait, self._event.set

    def clear(self) -> None:
        """Called by the buffers; only the reader silences it."""

    def silence(self) -> None:
        self._event.clear()


class CommandStream:
    """A running command; `ended` of the sink is called exactly once, when everything was delivered.

    Args:
        skip_bytes: of stdout, not delivered.
        cause: why the connection ended; None while it lives. Given the seconds it may wait for news.
        finished: called after `ended`.
    """

    def __init__(
        self,
        channel: Channel,
        courier: Courier,
        sink: StreamSink,
        cause: Callable[[float], LossCause | None],
        finished: Callable[[], None],
        skip_bytes: int = 0,
    ) -> None:
        self._channel, self._courier, self._sink = channel, courier, sink
        self._cause, self._finished, self._skip_bytes = cause, finished, skip_bytes
        self._dropped = False
        self._bell = _Bell()
        self._outputs = ((channel.in_buffer, self._received), (channel.in_stderr_buffer, self._complained))
        for buffer, _deliver in self._outputs:
            buffer.set_event(self._bell)
        threading.Thread(target=self._read, name="ssh-reader", daemon=True).start()

    def renew(self) -> None:
        if self._channel.send_ready():  # else the command does not read, and the courier must not wait for it
            self._courier.post(lambda: self._channel.send(b"."))

    def feed(self, data: bytes, deadline_s: float) -> None:
        """Sends all of `data` and ends the input. Waits for a command that reads slowly.

        Raises:
            TimeoutError: not everything was taken in time.
        """
        self._channel.settimeout(deadline_s)
        try:
            self._channel.sendall(data)
        except TimeoutError:
            raise
        except OSError:
            return  # the command ended without reading it all, or the connection did: `ended` tells
        self.stop()

    def stop(self) -> None:
        self._courier.post(self._channel.shutdown_write)

    def close(self) -> None:
        self._dropped = True
        self._courier.post(self._channel.close)
        self._bell.set()

    # -- the reader's thread
    def _read(self) -> None:
        try:
            while not (self._dropped or self._channel.closed):
                idle = not self._bell.wait(IDLE_S)
                self._bell.silence()
                self._deliver()
                if idle and self._said_all():
                    self._courier.post(self._channel.close)
            self._deliver()
        finally:
            self._end()

    def _said_all(self) -> bool:
        """Some servers wait for us to close first."""
        return bool(self._channel.eof_received) and self._channel.status_event.is_set()

    def _deliver(self) -> None:
        """Both in turn: a flood on one of them must not hold up the other."""
        more = True
        while more and not self._dropped:
            more = False
            for buffer, deliver in self._outputs:
                if buffer.read_ready():
                    data = buffer.read(CHUNK_BYTES, 0.0)
                    deliver(data)
                    self._acknowledge(len(data))
                    more = True

    def _acknowledge(self, count: int) -> None:
        """Opens the window again. After the delivery, and not through `recv`: that one fails, with the bytes already
        taken out of the buffer, where the connection has just ended."""
        window = self._channel._check_add_window(count)  # noqa: SLF001 - half of what `recv` does
        if not window:
            return
        message = Message()
        message.add_byte(cMSG_CHANNEL_WINDOW_ADJUST)
        message.add_int(self._channel.remote_chanid)
        message.add_int(window)
        with suppress(SSHException, EOFError, OSError):
            self._channel.transport._send_user_message(message)  # noqa: SLF001 - there is no public way to send it

    def _complained(self, data: bytes) -> None:
        self._sink.complained(data, time.time_ns())

    def _received(self, data: bytes) -> None:
        if self._skip_bytes:
            skipped = min(self._skip_bytes, len(data))
            self._skip_bytes -= skipped
            data = data[skipped:]
        if data:
            self._sink.received(data, time.time_ns())

    def _end(self) -> None:
        try:
            self._sink.ended(*self._outcome())
        finally:
            self._courier.post(self._channel.close)
            self._finished()

    def _outcome(self) -> tuple[int | None, str, LossCause | None]:
        if self._dropped:
            return None, "", LossCause.CLOSED_BY_US
        status = self._channel.exit_status if self._channel.exit_status >= 0 else None
        signal = getattr(self._channel, "exit_signal", "")
        # Without a word on how it ended, the connection may just be ending; its own news takes a moment.
        ended = status is not None or bool(signal)
        return status, signal, None if ended else self._cause(NEWS_OF_LOSS_S)
