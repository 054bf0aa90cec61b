"""The way to one host: every jump host a full connection of its own, its key verified like any other's."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

from paramiko.channel import Channel
from paramiko.ssh_exception import ChannelException, SSHException

from tunebench.core.records import record
from tunebench.domain.connection import AcceptedKey, Hop, HostKey, HostKeyQuestion, KeyVerdict, ResolvedHost
from tunebench.transport.ssh.authentication import Authentication, Credentials
from tunebench.transport.ssh.host_key_check import HostKeyCheck, names_of
from tunebench.transport.ssh.known_hosts import host_key, lookup_port
from tunebench.transport.ssh.link import Link, LinkError, LinkFacts, LinkSettings, LinkWatcher, Prompter
from tunebench.transport.ssh.negotiation import agreed_weak, is_gcm, negotiate
from tunebench.transport.ssh.paramiko_connection import Connection
from tunebench.transport.ssh.paramiko_link import ParamikoLink
from tunebench.transport.ssh.paramiko_transport import WatchedTransport
from tunebench.transport.ssh.persons import Persons
from tunebench.transport.ssh.secrets import SecretStore
from tunebench.transport.ssh.sockets import connect_socket
from tunebench.transport.ssh.stagger import at_door

# What is wrong with the way; other errors are about the account or the key and name the jump host as their host.
_WAY_ERRORS = frozenset(
    ("unresolved", "refused", "unreachable", "connect_timeout", "banner_timeout", "lost", "no_channel", "deadline")
)
_PROHIBITED = 1  # SSH_OPEN_ADMINISTRATIVELY_PROHIBITED


@record(frozen=False)
class _Passed:
    """What a step of the way showed and was opened with; a further connection has to find the same."""

    key: HostKey
    verdict: KeyVerdict
    credentials: Credentials
    addresses: tuple[str, ...]


class Route:
    def __init__(
        self, host: ResolvedHost, check: HostKeyCheck, persons: Persons, store: SecretStore, settings: LinkSettings
    ) -> None:
        self._host, self._check, self._persons, self._store, self._settings = host, check, persons, store, settings
        self._passed: dict[int, _Passed] = {}
        self._last_hop: Connection | None = None

    def open(self) -> Connection:
        """The connection to the host itself, opened over all jump hosts before it.

        Raises:
            LinkError: naming the jump host where it is at fault; nothing is left open then.
        """
        connections: list[Connection] = []
        try:
            for index in range(len(self._host.hops)):
                connections.append(self._step(index, connections[-1] if connections else None, fast=False))
        except BaseException:
            for connection in reversed(connections):
                connection.close()
                connection.abandon()
            raise
        self._last_hop = connections[-1].via
        return connections[-1]

    def open_further(self, bulk: bool) -> Connection:
        """One more connection to the host itself, through the same jump hosts, without asking anybody."""
        return self._step(len(self._host.hops) - 1, self._last_hop, fast=bulk)

    def facts(self, connection: Connection, connect_ms: float) -> LinkFacts:
        transport, passed = connection.transport, self._passed[len(self._host.hops) - 1]
        return LinkFacts(
            backend="paramiko",
            server_version=transport.remote_version,
            addresses=passed.addresses,
            host_key_type=passed.key.key_type,
            fingerprint=passed.key.fingerprint,
            host_key_verdict=passed.verdict.value,
            auth_method=passed.credentials.method,
            kex=transport.agreed_kex,
            cipher=transport.remote_cipher,
            mac="" if is_gcm(transport) else transport.remote_mac,
            weak=tuple(
                dict.fromkeys(name for hop in (*connection.hops(), connection) for name in agreed_weak(hop.transport))
            ),
            hops=tuple(hop.label for hop in connection.hops()),
            connect_ms=connect_ms,
            reconnects_alone=all(entered.credentials.alone for entered in self._passed.values()),
        )

    # -- one step
    def _label(self, index: int) -> str:
        return self._host.profile.name if index == len(self._host.hops) - 1 else self._host.hops[index].place

    def _step(self, index: int, via: Connection | None, *, fast: bool) -> Connection:
        hop, deadlines = self._host.hops[index], self._settings.deadlines
        try:
            with at_door(hop.address, hop.port, deadlines):
                transport = self._enter(index, via, fast=fast)
        except LinkError as failure:
            raise self._named(failure, index) from failure
        return Connection(transport, self._label(index), deadlines, self._settings.session_limit, via)

    def _enter(self, index: int, via: Connection | None, *, fast: bool) -> WatchedTransport:
        hop = self._host.hops[index]
        sock, addresses = self._reach(hop, via)
        known_hosts = self._check.known(self._host.known_hosts)
        types = known_hosts.preferred_types(names_of(hop, addresses), lookup_port(hop))
        before = self._passed.get(index)
        wanted = (before.key.key_type,) if before else types
        transport = negotiate(sock, hop, wanted, self._settings.deadlines, fast=fast)
        try:
            key = host_key(hop, transport.host_key.get_name(), transport.host_key.asbytes())
            if before is not None:
                verdict = _same_key(before, key)
            else:
                asked_for = self._label(index) if index < len(self._host.hops) - 1 else ""
                question = HostKeyQuestion(self._host.profile.name, asked_for, key, KeyVerdict.UNKNOWN, addresses)
                verdict = self._check.verify(question, known_hosts, hop, self._persons)
            credentials = self._authentication(hop, before).run(transport, self._settings.deadlines.auth_s)
        except BaseException:
            transport.close()
            transport.gone.wait(1.0)
            raise
        if before is None:
            self._passed[index] = _Passed(key, verdict, credentials, addresses)
        return transport

    def _authentication(self, hop: Hop, before: _Passed | None) -> Authentication:
        certificate = "" if hop.identities and hop.identities != self._host.identities else self._host.certificate
        return Authentication(
            self._host.profile.name,
            hop,
            hop.identities or self._host.identities,
            certificate,
            self._persons,
            self._store,
            before.credentials if before else None,
        )

    def _reach(self, hop: Hop, via: Connection | None) -> tuple[socket.socket | Channel, tuple[str, ...]]:
        """Directly, or through the jump host before: then only that one knows the address."""
        deadline_s = self._settings.deadlines.connect_s
        if via is None:
            sock, address = connect_socket(hop.address, hop.port, deadline_s)
            return sock, (address,)
        try:
            channel = via.transport.open_channel(
                "direct-tcpip", (hop.address, hop.port), ("127.0.0.1", 0), timeout=deadline_s
            )
        except ChannelException as failure:
            if failure.code == _PROHIBITED:
                raise LinkError("hop_failed", final=True, hop=via.label, cause=failure.text) from None
            raise LinkError("unreachable", hop=via.label, detail=failure.text) from None
        except (SSHException, EOFError, OSError) as failure:
            if via.alive:
                raise LinkError("connect_timeout", hop=via.label, seconds=f"{deadline_s:g}") from None
            raise LinkError("hop_failed", hop=via.label, cause=type(failure).__name__) from None
        return channel, ()

    def _named(self, failure: LinkError, index: int) -> LinkError:
        """The failure with the host's name, or with the jump host's where that is at fault."""
        label, facts = self._label(index), dict(failure.facts)
        target = index == len(self._host.hops) - 1
        if target or failure.key == "hop_failed":
            named: dict[str, Any] = {"host": self._host.profile.name, **facts}
            return LinkError(failure.key, final=failure.final, **named)
        if failure.key in _WAY_ERRORS:
            cause = facts.get("detail") or failure.key
            named = {**facts, "host": self._host.profile.name, "hop": label, "cause": cause, "reason": failure.key}
            return LinkError("hop_failed", final=failure.final, **named)
        return LinkError(failure.key, final=failure.final, **{**facts, "host": label, "hop": label})


def _same_key(before: _Passed, key: HostKey) -> KeyVerdict:
    if key.blob != before.key.blob:
        raise LinkError(
            "host_key_changed",
            final=True,
            fingerprint=key.fingerprint,
            known=before.key.fingerprint,
            key_type=key.key_type,
        )
    return before.verdict


class ParamikoConnector:
    """May be shared by any number of hosts and threads; remembers accepted keys and typed secrets while it lives.

    Args:
        accepted_keys: the keys accepted for the engagement, asked at every connection.
    """

    def __init__(self, accepted_keys: Callable[[], Sequence[AcceptedKey]]) -> None:
        self._check = HostKeyCheck(accepted_keys)
        self._stores = {True: SecretStore(), False: SecretStore(use_keyring=False)}  # by "with the key ring"

    def connect(self, host: ResolvedHost, prompter: Prompter, watcher: LinkWatcher, settings: LinkSettings) -> Link:
        if host.proxy_command:
            raise LinkError("backend_missing", final=True, host=host.profile.name, detail="ProxyCommand")
        started_at = time.monotonic()
        persons = Persons(prompter, settings.deadlines.person_s)
        route = Route(host, self._check, persons, self._stores[settings.use_keyring], settings)
        connection = route.open()
        connect_s = time.monotonic() - started_at - persons.spent_s()
        facts = route.facts(connection, connect_s * 1e3)
        return ParamikoLink(connection, facts, watcher, route.open_further, settings.deadlines.opening_s)
