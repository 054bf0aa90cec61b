"""A TCP connection to a host, every address of it tried, each with its own deadline."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence
from functools import partial
from typing import Any

from tunebench.transport.ssh.deadline import within
from tunebench.transport.ssh.link import LinkError

Address = tuple[Any, ...]  # as the socket module has it


def addresses_of(name: str, port: int, deadline_s: float) -> list[tuple[int, Address]]:
    """(family, address) of every address of a name, in the system's order.

    Raises:
        LinkError: ``unresolved``.
    """
    look_up = partial(socket.getaddrinfo, name, port, type=socket.SOCK_STREAM)
    try:
        return [(family, address) for family, _, _, _, address in within(deadline_s, "ssh-resolver", look_up)]
    except (OSError, UnicodeError) as failure:
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
            # paramiko leaves Nagle's algorithm on, and every command then costs 40 ms more
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock, str(address[0])
    raise _explained(failures, port, deadline_s)


def _explained(failures: Sequence[OSError], port: int, deadline_s: float) -> LinkError:
    failure = failures[-1] if failures else OSError(errno.EADDRNOTAVAIL, "no address")
    facts: dict[str, Any] = {"port": port, "detail": failure.strerror or str(failure)}
    if isinstance(failure, TimeoutError) or failure.errno == errno.ETIMEDOUT:
        return LinkError("connect_timeout", **facts, seconds=f"{deadline_s:g}")
    return LinkError("refused" if isinstance(failure, ConnectionRefusedError) else "unreachable", **facts)
