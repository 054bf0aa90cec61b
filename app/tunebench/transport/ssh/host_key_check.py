"""The server's key is looked at before the server is told anything that it could misuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tunebench.domain.connection import AcceptedKey, Hop, HostKeyQuestion, KeyVerdict
from tunebench.transport.ssh.known_hosts import KnownHosts, lookup_port
from tunebench.transport.ssh.link import LinkError
from tunebench.transport.ssh.persons import Persons

_REFUSALS = {KeyVerdict.CHANGED: "host_key_changed", KeyVerdict.REVOKED: "host_key_revoked"}


class HostKeyCheck:
    """Knows the known hosts, the keys accepted for the engagement, and those accepted since this was made.

    Args:
        accepted: gives the keys accepted for the engagement, asked at every connection.
    """

    def __init__(self, accepted: Callable[[], Sequence[AcceptedKey]]) -> None:
        self._accepted = accepted
        self._since: list[AcceptedKey] = []

    def known(self, files: Sequence[str]) -> KnownHosts:
        return KnownHosts.read([Path(file).expanduser() for file in files], [*self._accepted(), *self._since])

    def verify(self, question: HostKeyQuestion, known_hosts: KnownHosts, hop: Hop, persons: Persons) -> KeyVerdict:
        """What the known hosts say of the key in `question`; a person was asked where that was not enough.

        Raises:
            LinkError: ``host_key_changed``, ``host_key_revoked``, ``host_key_unknown``, all final.
        """
        key = question.key
        facts = {"key_type": key.key_type, "fingerprint": key.fingerprint}
        judged = known_hosts.judge(names_of(hop, question.addresses), lookup_port(hop), key)
        if judged.verdict in _REFUSALS:
            others = ", ".join(other.fingerprint for other in judged.known)
            raise LinkError(_REFUSALS[judged.verdict], final=True, known=others, **facts)
        if judged.verdict is not KeyVerdict.KNOWN:
            if not persons.accepts_host_key(replace(question, verdict=judged.verdict, known=judged.known)):
                raise LinkError("host_key_unknown", final=True, **facts)
            self._since.append(AcceptedKey(key, "", datetime.now(UTC).isoformat(timespec="seconds")))
        return judged.verdict


def names_of(hop: Hop, addresses: Sequence[str]) -> tuple[str, ...]:
    """What a key may be known by; with a HostKeyAlias that alone, for several hosts may share an address."""
    if hop.host_key_name != hop.address:
        return (hop.host_key_name,)
    return tuple(dict.fromkeys((hop.host_key_name, *addresses)))
