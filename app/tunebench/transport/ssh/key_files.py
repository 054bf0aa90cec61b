"""Private keys that may be tried: files that were named, or the same keys in an agent; never an agent's others."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from cryptography.exceptions import UnsupportedAlgorithm
from paramiko import Agent, PKey
from paramiko.pkey import PublicBlob, UnknownKeyType
from paramiko.ssh_exception import SSHException

from tunebench.core.records import record
from tunebench.transport.ssh.identities import certificate_beside, describe, public_key_line
from tunebench.transport.ssh.known_hosts import fingerprint
from tunebench.transport.ssh.link import LinkError

AGENT_ALLOWANCE_S = 60.0  # an agent may ask its own user before it signs


class WrongPassphrase(Exception):
    """Holds nothing: neither the passphrase nor what the library said about it."""


@record
class NamedKey:
    """A key file that was named; `certificate` is the path of its ``-cert.pub``, or empty.

    `public_only`: the private half is elsewhere, in an agent.
    """

    path: str
    encrypted: bool
    fingerprint: str
    certificate: str
    public_only: bool = False


def unreadable(path: str, detail: str) -> LinkError:
    return LinkError("key_unreadable", identity=path, detail=detail)


def named_key(path: str, certificate: str = "") -> NamedKey:
    """Raises:
    LinkError: ``key_unreadable``.
    """
    identity = describe(path)
    beside = certificate or identity.certificate or certificate_beside(path)
    if identity.usable and not identity.hardware:
        return NamedKey(identity.path, identity.encrypted, identity.fingerprint, beside)
    _, public = public_key_line(Path(identity.path))
    if public:  # only the public half is here, the private one is in an agent or on a token
        return NamedKey(identity.path, True, fingerprint(public), beside, public_only=True)
    raise unreadable(path, "hardware" if identity.hardware else identity.state.value)


def load_key(key: NamedKey, passphrase: str | None) -> PKey:
    """Raises:
    WrongPassphrase: it does not open the file.
    LinkError: ``key_unreadable``.
    """
    try:
        loaded = PKey.from_path(key.path, password=passphrase.encode() if passphrase else None)
    except (UnknownKeyType, UnsupportedAlgorithm, OSError) as failure:
        raise unreadable(key.path, type(failure).__name__) from None
    except (ValueError, TypeError, SSHException) as failure:
        if key.encrypted:
            raise WrongPassphrase from None
        raise unreadable(key.path, type(failure).__name__) from None
    loaded.public_blob = None  # `from_path` takes any certificate beside the key; which one is tried is said here
    return loaded


class CertifiedKey:
    """A private key, in a file or an agent, that is shown together with its certificate."""

    def __init__(self, key: PKey, path: str) -> None:
        """Raises:
        LinkError: ``key_unreadable``.
        """
        self._key = key
        try:
            self.public_blob = PublicBlob.from_file(path)
        except (OSError, ValueError, SSHException) as failure:
            raise unreadable(path, type(failure).__name__) from None

    def sign_ssh_data(self, data: bytes, algorithm: str) -> Any:
        return self._key.sign_ssh_data(data, algorithm)


@record(frozen=False)
class AgentKeys:
    """The agent of the user's session, asked when first needed."""

    _agent: Agent | None = field(default=None, repr=False)

    def find(self, wanted: str) -> PKey | None:
        """The agent's key with this fingerprint."""
        return next((key for key in self._keys() if fingerprint(key.asbytes()) == wanted), None)

    def _keys(self) -> Iterator[Any]:
        try:
            self._agent = self._agent or Agent()
        except (SSHException, OSError):
            return
        connection = self._agent._conn  # noqa: SLF001 - the only way to give it a deadline
        if isinstance(connection, socket.socket):
            connection.settimeout(AGENT_ALLOWANCE_S)
        yield from (key for key in self._agent.get_keys() if not key.name.endswith("-cert-v01@openssh.com"))

    def close(self) -> None:
        if self._agent is not None:
            self._agent.close()
            self._agent = None
