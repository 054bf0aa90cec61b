"""The server's key is looked at before the server is told anything that it could misuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from app.domain.connection import AcceptedKey, Hop, HostKey, HostKeyQuestion, KeyVerdict
from app.transport.ssh.known_hosts import Judgement, KnownHosts, host_key, lookup_port
from app.transport.ssh.link import LinkError
from app.transport.ssh.paramiko_transport import WatchedTransport
from app.transport.ssh.persons import Persons

_REFUSALS = {KeyVerdict.CHANGED: "host_key_changed", KeyVerdict.REVOKED: "host_key_revoked"}
_TRUSTED = (KeyVerdict.KNOWN, KeyVerdict.KNOWN_BY_CA)


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

    def verify(self, question: HostKeyQuestion, known: KnownHosts, hop: Hop, persons: Persons) -> KeyVerdict:
        """What the known hosts say of the key in `question`; a person was asked where that was not enough.

        Raises:
            LinkError: ``host_key_changed``, ``host_key_revoked``, ``host_key_unknown``, all final.
        """
        key = question.key
        judged = known.judge(names_of(hop, question.addresses), lookup_port(hop), key)
        asked = replace(question, verdict=judged.verdict, known=judged.known)
        if judged.verdict in _REFUSALS:
            raise _refusal(asked, judged)
        if judged.verdict not in _TRUSTED:
            if not persons.accepts_host_key(asked):
                raise _refused_by_person(asked)
            self._since.append(AcceptedKey(key, "", datetime.now(UTC).isoformat(timespec="seconds")))
        return judged.verdict


def shown_key(transport: WatchedTransport, hop: Hop) -> HostKey:
    key = transport.host_key
    return host_key(hop, key.get_name(), key.asbytes())


def names_of(hop: Hop, addresses: Sequence[str]) -> tuple[str, ...]:
    """What a key may be known by; with a HostKeyAlias that alone, for several hosts may share an address."""
    if hop.host_key_name != hop.address:
        return (hop.host_key_name,)
    return tuple(dict.fromkeys((hop.host_key_name, *addresses)))


def _refusal(asked: HostKeyQuestion, judged: Judgement) -> LinkError:
    return LinkError(
        _REFUSALS[judged.verdict],
        final=True,
        key_type=asked.key.key_type,
        fingerprint=asked.key.fingerprint,
        known=", ".join(key.fingerprint for key in judged.known),
    )


def _refused_by_person(asked: HostKeyQuestion) -> LinkError:
    return LinkError("host_key_unknown", final=True, key_type=asked.key.key_type, fingerprint=asked.key.fingerprint)
