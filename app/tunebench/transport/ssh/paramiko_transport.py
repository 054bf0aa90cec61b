"""paramiko's Transport with what a watched connection needs: an answer to a probe, when the peer was last heard,
what it offered, how a command was killed, and the moment at which it is gone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from paramiko import ServiceRequestingTransport
from paramiko.channel import Channel
from paramiko.common import (
    MSG_CHANNEL_DATA,
    MSG_CHANNEL_EXTENDED_DATA,
    MSG_CHANNEL_REQUEST,
    cMSG_GLOBAL_REQUEST,
    cMSG_SERVICE_REQUEST,
)
from paramiko.message import Message
from paramiko.ssh_exception import SSHException

from tunebench.transport.ssh.algorithms import ciphers_for_paramiko
from tunebench.transport.ssh.authentication_exchange import AuthenticationExchange

# Its debug lines hold what servers and keys say; nobody reads them and nothing of it may reach a log file.
_LOGGER = logging.getLogger("paramiko")
_LOGGER.setLevel(logging.CRITICAL + 1)
_LOGGER.propagate = False
_LOGGER.addHandler(logging.NullHandler())

Handler = Callable[[Channel, Message], None]

KEEPALIVE = "keepalive@openssh.com"  # unknown to other servers, who then answer "no": an answer all the same


class WatchedTransport(ServiceRequestingTransport):  # type: ignore[misc]  # paramiko has no types
    """A client's transport.

    Attributes:
        gone: set when the transport's thread ends, for whatever reason.
        answered: set when a probe was answered (also, so that nobody waits in vain, when `gone` is).
        heard_at: monotonic second at which the peer last sent channel data or an answer.
        offer: the algorithm lists of the server's first KEXINIT, as paramiko names them.
        disconnect: code and words of the server's goodbye, if it said one.
    """

    auth_handler: AuthenticationExchange | None
    _channel_handler_table: dict[int, Handler]
    _preferred_ciphers: tuple[str, ...]
    _preferred_keys: tuple[str, ...]

    def __init__(self, sock: Any, disabled_algorithms: Mapping[str, Sequence[str]]) -> None:
        super().__init__(sock, disabled_algorithms=dict(disabled_algorithms))
        self.name = "ssh-transport"
        self.gone, self.answered = threading.Event(), threading.Event()
        self.heard_at = self.answered_at = time.monotonic()
        self.offer: dict[str, list[str]] = {}
        self.disconnect: tuple[int, str] = (0, "")
        self._service_answer = threading.Event()
        handlers: dict[int, Handler] = dict(self._channel_handler_table)
        handlers[MSG_CHANNEL_DATA] = self._heard(handlers[MSG_CHANNEL_DATA])
        handlers[MSG_CHANNEL_EXTENDED_DATA] = self._heard(handlers[MSG_CHANNEL_EXTENDED_DATA])
        handlers[MSG_CHANNEL_REQUEST] = _noting_signals(handlers[MSG_CHANNEL_REQUEST])
        self._channel_handler_table = handlers

    def run(self) -> None:
        try:
            super().run()
        finally:
            # The thread that times the handshake would otherwise outlive a failed one by up to 15 s.
            self.packetizer.complete_handshake()
            self._service_answer.set()
            self.gone.set()
            self.answered.set()

    def close(self) -> None:
        """Closes the socket even where the thread never ran or has ended, when paramiko leaves it open."""
        self.packetizer.complete_handshake()
        for step in (super().close, self.sock.close):
            with suppress(SSHException, EOFError, OSError):
                step()  # behind a jump host the socket is a channel, and closing it sends something

    # -- algorithms
    def prefer_keys(self, types: Sequence[str]) -> None:
        """Offers these host key types first, so that a server with several shows one that is already known."""
        names = [name for kind in types for name in (_RSA if kind == "ssh-rsa" else (kind,))]
        offered = self._preferred_keys
        wanted = [name for name in names if name in offered]
        self._preferred_keys = (*wanted, *(name for name in offered if name not in wanted))

    def prefer_speed(self) -> None:
        self._preferred_ciphers = ciphers_for_paramiko(self._preferred_ciphers)

    def _really_parse_kex_init(self, m: Message, ignore_first_byte: bool = False) -> dict[str, Any]:
        parsed: dict[str, Any] = super()._really_parse_kex_init(m, ignore_first_byte)
        if not self.offer:
            # paramiko takes the signalling names out of its own list afterwards; ours is what the server sent.
            self.offer = {name: list(value) for name, value in parsed.items() if isinstance(value, list)}
        return parsed

    @property
    def agreed_kex(self) -> str:
        offered = self.offer.get("kex_algo_list", [])
        return next((name for name in self.preferred_kex if name in offered), "")

    # -- authentication
    def _parse_service_accept(self, m: Message) -> None:
        super()._parse_service_accept(m)
        self._service_answer.set()

    def request_authentication(self, allowance_s: float) -> AuthenticationExchange:
        """Asks for the authentication service, once; paramiko itself would look for the answer for ever."""
        message = Message()
        message.add_byte(cMSG_SERVICE_REQUEST)
        message.add_string("ssh-userauth")
        self._send_message(message)
        if not self._service_answer.wait(allowance_s):
            raise TimeoutError
        if not self._service_userauth_accepted:
            raise SSHException("no authentication service")
        self.auth_handler = exchange = AuthenticationExchange(self)
        return exchange

    def _parse_disconnect(self, m: Message) -> None:
        self.disconnect = (m.get_int(), m.get_text())

    # -- probing
    def send_probe(self) -> None:
        """May wait while keys are exchanged or the line is full."""
        message = Message()
        message.add_byte(cMSG_GLOBAL_REQUEST)
        message.add_string(KEEPALIVE)
        message.add_boolean(True)
        self._send_user_message(message)

    def _parse_request_success(self, m: Message) -> None:
        super()._parse_request_success(m)
        self._answer()

    def _parse_request_failure(self, m: Message) -> None:
        super()._parse_request_failure(m)
        self._answer()

    def _answer(self) -> None:
        self.heard_at = self.answered_at = time.monotonic()
        self.answered.set()

    def _heard(self, feed: Handler) -> Handler:
        """Data is a sign of life too: on a slow line an answer queues behind megabytes of it."""

        def heard(channel: Channel, message: Message) -> None:
            self.heard_at = time.monotonic()
            feed(channel, message)

        return heard


_RSA = ("rsa-sha2-512", "rsa-sha2-256")  # what an `ssh-rsa` key signs with today


def _noting_signals(handle: Handler) -> Handler:
    """paramiko drops `exit-signal` (RFC 4254, 6.10), the only word on a command that was killed."""

    def noting(channel: Channel, message: Message) -> None:
        kind, _reply = message.get_text(), message.get_boolean()
        if kind == "exit-signal":
            channel.exit_signal = message.get_text()
        message.rewind()
        message.get_int()  # the channel's number, which the table's caller had read
        handle(channel, message)

    return noting
