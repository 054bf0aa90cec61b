"""Which keys the system's ssh may accept for a hop: our verdict, written as a private known_hosts file for it.

The file names the host by an alias of ours and holds exactly the keys (and authorities, and revocations) that our own
reading of the known hosts gives. ssh then connects strictly, so it sends no credential to any other key.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.domain.connection import DEFAULT_PORT, AcceptedKey, Hop, HostKey, HostKeyQuestion, KeyVerdict
from app.transport.ssh.known_hosts import Judgement, KnownHosts, Marker, host_key, lookup_port
from app.transport.ssh.link import LinkError
from app.transport.ssh.persons import Persons

_REFUSALS = {KeyVerdict.CHANGED: "host_key_changed", KeyVerdict.REVOKED: "host_key_revoked"}


class HopTrust:
    """One hop's keys.

    Args:
        host: the profile's name; `label` the jump host's, empty for the host itself.
        addresses: what the hop's name stands for, where that is known.
    """

    def __init__(self, host: str, label: str, hop: Hop, known: KnownHosts, addresses: Sequence[str]) -> None:
        self._host, self._label, self._hop, self._known = host, label, hop, known
        self.addresses = tuple(addresses)
        self._accepted: list[HostKey] = []

    @property
    def names(self) -> tuple[str, ...]:
        """With a HostKeyAlias that alone, for several hosts may share an address."""
        if self._hop.host_key_name != self._hop.address:
            return (self._hop.host_key_name,)
        return tuple(dict.fromkeys((self._hop.host_key_name, *self.addresses)))

    @property
    def known(self) -> bool:
        """Whether anything could be accepted without asking."""
        return bool(self._keys() or self._known.marked(self.names, self._port, Marker.AUTHORITY))

    @property
    def _port(self) -> int:
        return lookup_port(self._hop)

    def write(self, path: Path, alias: str) -> Path:
        lines = [f"{alias} {key.key_type} {key.blob}" for key in self._keys()]
        for marker in (Marker.AUTHORITY, Marker.REVOKED):
            entries = self._known.marked(self.names, self._port, marker)
            lines += [f"{marker.value} {alias} {entry.key_type} {entry.blob}" for entry in entries]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
        path.chmod(0o600)
        return path

    def judge(self, key_type: str, blob: str) -> tuple[HostKey, Judgement]:
        key = host_key(self._hop, key_type, base64.b64decode(blob))
        return key, self._known.judge(self.names, self._port, key)

    def verdict_of(self, fingerprint: str) -> KeyVerdict:
        """Of a key ssh has accepted from the file."""
        asked = any(key.fingerprint == fingerprint for key in self._accepted)
        return KeyVerdict.UNKNOWN if asked else KeyVerdict.KNOWN

    def ask(self, key: HostKey, judged: Judgement, persons: Persons) -> None:
        """Accepts `key` where it is known or a person says so.

        Raises:
            LinkError: ``host_key_changed``, ``host_key_revoked``, ``host_key_unknown``; all final.
        """
        facts = {"host": _label(self._hop), "fingerprint": key.fingerprint, "key_type": key.key_type}
        if judged.verdict in _REFUSALS:
            known = ", ".join(other.fingerprint for other in judged.known)
            raise LinkError(_REFUSALS[judged.verdict], final=True, known=known, **facts)
        if judged.verdict is not KeyVerdict.KNOWN:
            question = HostKeyQuestion(self._host, self._label, key, judged.verdict, self.addresses, judged.known)
            if not persons.accepts_host_key(question):
                raise LinkError("host_key_unknown", final=True, **facts)
        self._accepted.append(key)

    def accepted(self) -> tuple[HostKey, ...]:
        return tuple(self._accepted)

    def _keys(self) -> tuple[HostKey, ...]:
        if self._accepted:
            return tuple(self._accepted)
        for name in self.names:
            keys = self._known.plain_keys(name, self._port)
            if not keys and self._port != DEFAULT_PORT:
                keys = self._known.bare_name_keys(name)
            if keys:
                return keys
        return ()


def _label(hop: Hop) -> str:
    return hop.address if hop.port == DEFAULT_PORT else f"{hop.address}:{hop.port}"


def as_accepted(key: HostKey, moment: str) -> AcceptedKey:
    """For the rest of this run; who accepted it for the engagement is recorded elsewhere."""
    return AcceptedKey(replace(key), "", moment)
