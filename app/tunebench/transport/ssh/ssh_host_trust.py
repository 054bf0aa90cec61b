"""Which keys the system's ssh may accept for a hop: our verdict, written as a private known_hosts file for it.

The file names the host by an alias of ours and holds exactly the keys (and authorities, and revocations) that our own
reading of the known hosts gives. ssh then connects strictly, so it sends no credential to any other key.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from tunebench.domain.connection import DEFAULT_PORT, Hop, HostKey, HostKeyQuestion, KeyVerdict
from tunebench.transport.ssh.host_key_check import HostKeyCheck, names_of
from tunebench.transport.ssh.known_hosts import KnownHosts, Marker, host_key, lookup_port
from tunebench.transport.ssh.persons import Persons


class HopTrust:
    """One hop's keys.

    Args:
        host: the profile's name; `label` the jump host's, empty for the host itself.
        addresses: what the hop's name stands for, where that is known.
    """

    def __init__(self, host: str, label: str, hop: Hop, known_hosts: KnownHosts, addresses: Sequence[str]) -> None:
        self._host, self._label, self._hop, self._known_hosts = host, label, hop, known_hosts
        self.addresses = tuple(addresses)
        self._names, self._port = names_of(hop, addresses), lookup_port(hop)
        self._accepted: list[HostKey] = []

    @property
    def known(self) -> bool:
        """Whether anything could be accepted without asking."""
        return bool(self._keys() or self._known_hosts.marked(self._names, self._port, Marker.AUTHORITY))

    def write(self, path: Path, alias: str) -> Path:
        lines = [f"{alias} {key.key_type} {key.blob}" for key in self._keys()]
        for marker in (Marker.AUTHORITY, Marker.REVOKED):
            entries = self._known_hosts.marked(self._names, self._port, marker)
            lines += [f"{marker.value} {alias} {entry.key_type} {entry.blob}" for entry in entries]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
        path.chmod(0o600)
        return path

    def verdict_of(self, fingerprint: str) -> KeyVerdict:
        """The verdict on a key that ssh has accepted from the file."""
        asked = any(key.fingerprint == fingerprint for key in self._accepted)
        return KeyVerdict.UNKNOWN if asked else KeyVerdict.KNOWN

    def learn(self, key_type: str, blob: str, check: HostKeyCheck, persons: Persons) -> None:
        """Accepts the key that the server showed where it is known or a person says so.

        Raises:
            LinkError: as `HostKeyCheck.verify`.
        """
        key = host_key(self._hop, key_type, base64.b64decode(blob))
        question = HostKeyQuestion(self._host, self._label, key, KeyVerdict.UNKNOWN, self.addresses)
        check.verify(question, self._known_hosts, self._hop, persons)
        self._accepted.append(key)

    def _keys(self) -> tuple[HostKey, ...]:
        if self._accepted:
            return tuple(self._accepted)
        for name in self._names:
            keys = self._known_hosts.plain_keys(name, self._port)
            if not keys and self._port != DEFAULT_PORT:
                keys = self._known_hosts.plain_keys(name, DEFAULT_PORT)
            if keys:
                return keys
        return ()
