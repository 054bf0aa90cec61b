"""Makes links over paramiko: the default backend."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from app.domain.connection import AcceptedKey, ResolvedHost
from app.transport.ssh.host_key_check import HostKeyCheck
from app.transport.ssh.link import Asker, Link, LinkError, LinkSettings, LinkWatcher
from app.transport.ssh.paramiko_link import ParamikoLink
from app.transport.ssh.paramiko_route import Route
from app.transport.ssh.persons import Persons
from app.transport.ssh.secrets import SecretStore


class ParamikoConnector:
    """May be shared by any number of hosts and threads; remembers accepted keys and typed secrets while it lives.

    Args:
        accepted_keys: the keys accepted for the engagement, asked at every connection.
    """

    def __init__(self, accepted_keys: Callable[[], Sequence[AcceptedKey]], secrets: SecretStore | None = None) -> None:
        self._check = HostKeyCheck(accepted_keys)
        self._stores = {True: secrets or SecretStore(), False: SecretStore(use_keyring=False)}

    def connect(self, host: ResolvedHost, asker: Asker, watcher: LinkWatcher, settings: LinkSettings) -> Link:
        if host.proxy_command:
            raise LinkError("backend_missing", final=True, host=host.profile.name, detail="ProxyCommand")
        started_at = time.monotonic()
        persons = Persons(asker, settings.deadlines.person_s)
        route = Route(host, self._check, persons, self._stores[settings.use_keyring], settings)
        connection = route.open()
        connect_s = time.monotonic() - started_at - persons.spent_s()
        deadlines = settings.deadlines
        opening_s = deadlines.connect_s + deadlines.banner_s + deadlines.auth_s
        return ParamikoLink(
            connection, route.facts(connection, connect_s * 1e3), watcher, route.open_further, opening_s
        )
