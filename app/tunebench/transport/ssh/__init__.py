"""Hosts over SSH: the way to them, their keys, and the connections themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunebench.domain.connection import AcceptedKey, Backend
from tunebench.transport.ssh.link import Connector


def connector_for(backend: Backend, accepted_keys: Callable[[], Sequence[AcceptedKey]]) -> Connector:
    """A new connector; share it between hosts, for it remembers accepted keys and typed secrets.

    Args:
        accepted_keys: the keys accepted for the engagement, asked at every connection.
    """
    if backend is Backend.OPENSSH:
        from tunebench.transport.ssh.openssh_backend import OpenSshConnector

        return OpenSshConnector(accepted_keys)
    from tunebench.transport.ssh.paramiko_route import ParamikoConnector

    return ParamikoConnector(accepted_keys)
