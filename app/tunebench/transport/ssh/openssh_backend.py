"""The system's own ssh as a backend: for servers paramiko cannot reach, hardware keys, and what only ssh knows.

Every hop gets a master process of its own (ControlMaster) that later sessions share, so that a stream costs no new
log-in; a further hop is reached through the master before it. Nothing survives us: see `ssh_workspace`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tunebench.domain.connection import AcceptedKey, Hop, ResolvedHost
from tunebench.transport.ssh.host_key_check import HostKeyCheck
from tunebench.transport.ssh.identities import describe, public_key_line
from tunebench.transport.ssh.link import Deadlines, LinkError, LinkSettings, LinkWatcher, Prompter
from tunebench.transport.ssh.openssh_link import OpenSshLink, link_facts
from tunebench.transport.ssh.persons import Persons
from tunebench.transport.ssh.secrets import SecretStore
from tunebench.transport.ssh.sockets import addresses_of
from tunebench.transport.ssh.ssh_answers import Answers
from tunebench.transport.ssh.ssh_binary import SshBinary, find_ssh
from tunebench.transport.ssh.ssh_command import Step, through
from tunebench.transport.ssh.ssh_errors import failure, host_key_refused
from tunebench.transport.ssh.ssh_host_trust import HopTrust
from tunebench.transport.ssh.ssh_log import Phase, SshLog
from tunebench.transport.ssh.ssh_login import GivenUp, SshProcess, read_key_line
from tunebench.transport.ssh.ssh_master import Master
from tunebench.transport.ssh.ssh_workspace import Workspace
from tunebench.transport.ssh.stagger import at_door

# What says that the way was the trouble, and not the log-in: for a jump host it is told as the way's end.
_OF_THE_WAY = {"unresolved", "refused", "unreachable", "connect_timeout", "banner_timeout", "lost"}
_REFUSAL_WITHIN_S = 2.0
"""The ssh of the way on may see its connection close before the words of the hop's ssh, which say why, are read."""


class OpenSshConnector:
    """Makes links with the system's ssh.

    Args:
        accepted_keys: the keys accepted for the engagement, asked at every connection.
    """

    def __init__(self, accepted_keys: Callable[[], Sequence[AcceptedKey]]) -> None:
        self.check = HostKeyCheck(accepted_keys)
        self.stores = {True: SecretStore(), False: SecretStore(use_keyring=False)}  # by "with the key ring"

    def connect(
        self, host: ResolvedHost, prompter: Prompter, watcher: LinkWatcher, settings: LinkSettings
    ) -> OpenSshLink:
        binary = find_ssh(host.target.address)
        persons = Persons(prompter, settings.deadlines.person_s)
        workspace = _workspace(host.target.address)
        way = _Way(self, binary, host, persons, settings, workspace)
        since = time.monotonic()
        try:
            way.open()
        except BaseException:
            for master in way.masters:
                master.close()
            workspace.close()
            raise
        connect_ms = (time.monotonic() - since - persons.spent_s()) * 1000
        facts = link_facts(way.masters, way.trusts[-1], connect_ms, reconnects_alone=not way.asked_for_code)

        def further(watcher: LinkWatcher) -> OpenSshLink:
            return self.connect(host, prompter, watcher, settings)

        return OpenSshLink(
            binary, workspace, way.masters, facts, watcher, settings, None if way.asked_for_code else further
        )


@dataclass
class _Way:
    """The hops of one connection, opened one after the other."""

    connector: OpenSshConnector
    binary: SshBinary
    host: ResolvedHost
    persons: Persons
    settings: LinkSettings
    workspace: Workspace
    masters: list[Master] = field(default_factory=list)
    trusts: list[HopTrust] = field(default_factory=list)
    asked_for_code: bool = False

    @property
    def deadlines(self) -> Deadlines:
        return self.settings.deadlines

    def open(self) -> None:
        """Raises:
        LinkError: of the hop that failed.
        """
        for number, hop in enumerate(self.host.hops):
            try:
                with at_door(hop.address, hop.port, self.deadlines):
                    self._open_hop(number, hop)
            except LinkError as error:
                raise self._placed(error, number, hop) from error

    def _open_hop(self, number: int, hop: Hop) -> None:
        proxy = through(self.binary, self.masters[-1].socket) if number else self.host.proxy_command
        step = Step(self.binary, hop, f"tunebench-hop{number + 1}", proxy)
        label = "" if hop is self.host.target else hop.address
        addresses = self._addresses(hop) if number == 0 and not step.proxy else ()
        known_hosts = self.connector.check.known(self.host.known_hosts)
        trust = HopTrust(self.host.profile.name, label, hop, known_hosts, addresses)
        offered = ""
        if trust.known:
            refused = self._log_in(step, trust)
            if refused is None:
                return
            offered = refused.fact("host_key_type") if not refused.certified else ""
        self._learn(step, trust, offered)
        refused = self._log_in(step, trust)
        if refused is not None:
            raise failure(refused)

    def _addresses(self, hop: Hop) -> tuple[str, ...]:
        """Raises:
        LinkError: ``unresolved``.
        """
        addresses = addresses_of(hop.address, hop.port, self.deadlines.connect_s)
        return tuple(dict.fromkeys(str(address[0]) for _family, address in addresses))

    # -- host keys
    def _learn(self, step: Step, trust: HopTrust, offered: str) -> None:
        """Looks at the server's key without a credential, and has it judged."""
        path = self.workspace.path("scan")
        process = self._process(step, step.scan(path, offered), lambda _: None)
        learned = process.run_until(lambda log: log.key_learned or log.phase >= Phase.LOG_IN)
        process.end()
        key_type, blob = read_key_line(path)
        if not (learned and blob):
            raise failure(process.log)
        trust.learn(key_type, blob, self.connector.check, self.persons)

    # -- log-in
    def _log_in(self, step: Step, trust: HopTrust) -> SshLog | None:
        """The log where ssh refused the server's key; None after a log-in.

        Raises:
            LinkError: anything else.
        """
        store = self.connector.stores[self.settings.use_keyring]
        answers = Answers(self.host.profile.name, step.hop, self.persons, store)
        control = self.workspace.path("m")
        process = self._process(step, self._master_command(step, trust, control), answers.find)
        try:
            entered = process.run_until(lambda log: log.phase is Phase.OPEN) and control.is_socket()
        except GivenUp:
            if answers.repeated:
                raise self._log_in_failure(process.log, answers) from None
            raise LinkError("auth_cancelled", final=True, user=step.hop.user) from None
        if not entered:
            process.end()
            if host_key_refused(process.log):
                return process.log
            raise self._log_in_failure(process.log, answers)
        answers.were_right()
        self.asked_for_code |= answers.asked_for_code
        label = f"{step.hop.user}@{step.hop.address}:{step.hop.port}"
        self.trusts.append(trust)
        self.masters.append(Master(label, self.workspace, process.process, control, process.log, self.deadlines))
        return None

    def _master_command(self, step: Step, trust: HopTrust, control: Path) -> list[str]:
        known_hosts = trust.write(self.workspace.path("known"), step.alias)
        identities = self._identities(step.hop)
        certificate = self.host.certificate if step.hop is self.host.target else ""
        misses = max(1, round(self.deadlines.probe_allowance_s / self.deadlines.probe_interval_s))
        return step.master(control, known_hosts, identities, certificate, self.deadlines.probe_interval_s, misses)

    def _identities(self, hop: Hop) -> tuple[str, ...]:
        """The files that are keys, and no others: ssh falls back on its defaults where a named one is missing.

        Raises:
            LinkError: ``key_unreadable``: the key that the profile names.
        """
        paths = hop.identities or self.host.identities
        usable = tuple(path for path in paths if describe(path).usable or public_key_line(Path(path))[0])
        if paths and not usable and self.host.profile.identity in paths:
            raise LinkError("key_unreadable", final=True, identity=paths[0], detail=describe(paths[0]).state.value)
        return usable

    def _log_in_failure(self, log: SshLog, answers: Answers) -> LinkError:
        answers.were_wrong()
        if answers.passphrase_of and not log.tried_since_question:
            return LinkError("passphrase_wrong", final=True, identity=answers.passphrase_of)
        error = failure(log)
        return LinkError("auth_failed", final=True, methods=log.fact("methods") or "-") if answers.repeated else error

    def _process(self, step: Step, command: list[str], answer: Callable[..., str | None]) -> SshProcess:
        return SshProcess(self.workspace, command, self.deadlines, answer, through_hop=bool(step.proxy))

    # -- failures
    def _placed(self, error: LinkError, number: int, hop: Hop) -> LinkError:
        """The error with the host it is of; a failure at or before a jump host names that jump host."""
        error = self._as_seen_from_hop(error, number)
        facts: dict[str, Any] = {
            "host": hop.place,
            "user": hop.user,
            "identity": ", ".join(hop.identities or self.host.identities),
            **error.facts,
        }
        if error.key in _OF_THE_WAY and number < len(self.host.hops) - 1:
            facts.update(host=self.host.target.place, hop=hop.place, cause=facts.get("detail", error.key))
            return LinkError("hop_failed", **facts)
        return LinkError(error.key, final=error.final, **facts)

    def _as_seen_from_hop(self, error: LinkError, number: int) -> LinkError:
        """The error as the hop before tells it; ssh itself only sees a connection that closes."""
        if number == 0 or error.key not in _OF_THE_WAY:
            return error
        before = self.masters[-1]
        refusal = before.refusal(_REFUSAL_WITHIN_S)
        if refusal:
            seen = failure(SshLog(complaints=[refusal]))
            if seen.key in _OF_THE_WAY - {"lost"}:
                return LinkError(seen.key, final=seen.final, **{**error.facts, "detail": refusal})
            forbidden = "prohibited" in refusal  # no forwarding there: it will not be better the next time
            return LinkError("hop_failed", final=forbidden, hop=self.host.hops[number - 1].place, cause=refusal)
        if not before.alive:
            return LinkError("hop_failed", hop=self.host.hops[number - 1].place, cause=before.detail)
        return error


def _workspace(host: str) -> Workspace:
    try:
        return Workspace()
    except OSError as error:
        raise LinkError("backend_missing", final=True, host=host, detail=str(error)) from error
