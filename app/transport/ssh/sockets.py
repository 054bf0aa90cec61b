"""A TCP connection to a host, every address of it tried, each with its own deadline."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TooLate
from typing import Any

from app.transport.ssh.link import LinkError
from app.transport.ssh.paramiko_transport import quiet_socket

Address = tuple[Any, ...]  # as the socket module has it


def addresses_of(name: str, port: int, deadline_s: float) -> list[tuple[int, Address]]:
    """(family, address) of every address of a name, in the system's order.

    The system's resolver knows no deadline, so it is asked on a thread that may be left behind.

    Raises:
        LinkError: ``unresolved``.
    """
    answer: Future[list[tuple[int, Address]]] = Future()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
            answer.set_result([(family, address) for family, _, _, _, address in found])
        except (OSError, UnicodeError) as failure:
            answer.set_exception(failure)

    threading.Thread(target=look_up, name="ssh-resolver", daemon=True).start()
    try:
        return answer.result(deadline_s)
    except (OSError, UnicodeError, TooLate) as failure:
        raise LinkError("unresolved", detail=str(failure)) from failure


def connect_socket(name: str, port: int, deadline_s: float) -> tuple[socket.socket, str]:
    """The connected socket and the IP address.

    Raises:
        LinkError: ``unresolved``, or for the last address ``refused``, ``connect_timeout``, ``unreachable``.
    """
    failures: list[OSError] = []
    for family, address in addresses_of(name, port, deadline_s):
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.settimeout(deadline_s)
        try:
            sock.connect(address)
        except OSError as failure:
            sock.close()
            failures.append(failure)
        else:
            return quiet_socket(sock), str(address[0])
    raise _explained(failures, port, deadline_s)


def _explained(failures: Sequence[OSError], port: int, deadline_s: float) -> LinkError:
    failure = failures[-1] if failures else OSError(errno.EADDRNOTAVAIL, "no address")
    facts: dict[str, Any] = {"port": port, "detail": failure.strerror or str(failure)}
    if isinstance(failure, TimeoutError) or failure.errno == errno.ETIMEDOUT:
        return LinkError("connect_timeout", **facts, seconds=f"{deadline_s:g}")
    return LinkError("refused" if isinstance(failure, ConnectionRefusedError) else "unreachable", **facts)
