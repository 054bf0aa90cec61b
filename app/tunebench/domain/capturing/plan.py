"""What is to be captured: the plan that an administrator approves and that alone may run.

A plan is complete: every command line that will ever be sent is in it, verbatim. Its digest is over all that
matters; one changed character makes another plan and needs another approval sheet.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from enum import StrEnum
from typing import Any

from tunebench.core.records import record


class CommandKind(StrEnum):
    STREAM = "stream"  # the tool repeats by itself
    LOOP = "loop"  # our wrapper repeats it, a stamp before each round
    ONCE = "once"  # at the start and at the end of the run
    PULL = "pull"  # an existing file, copied as it is
    TRIAL = "trial"  # a trial of an experiment: to its end, after the one before it
    HOUSE = "house"  # our own: survey, clock, overhead, clean-up proof


class Rights(StrEnum):
    USER = "user"
    SUDO = "sudo"  # sudo -n with the line that the sheet prints


class CaptureMode(StrEnum):
    LIVE = "live"  # streamed over the connection
    DETACHED = "detached"  # runs on the host, files are fetched later
    OFFLINE = "offline"  # the customer runs the script


class ScheduleKind(StrEnum):
    NOW = "now"
    AT = "at"
    EVERY = "every"


@record
class Schedule:
    """When a plan runs. `at` is ISO with offset (for ``at``, and the first time of ``every``; empty = now)."""

    kind: ScheduleKind = ScheduleKind.NOW
    at: str = ""
    every_s: int = 0
    times: int = 1


@record
class PlannedCommand:
    """One command on one host.

    Attributes:
        id: unique in the plan, ``db01/linux.vmstat``; also the stream's id.
        host: profile name.
        probe: probe id; house commands have ``house.survey``, ``house.clock``, ``house.overhead``,
            ``house.version``, ``house.cksum``, ``house.leftovers``.
        tool_line: the command as an administrator knows it, ``vmstat -t 1 600``.
        verbatim: the whole remote command line, wrapper included, exactly as it will be sent.
        parser: id of the parser that reads its output; empty: kept as evidence only.
        purpose_ko, purpose_en: one sentence.
        interval_s: seconds between samples; None where it does not repeat.
        count: rounds of one start; None where it does not repeat.
        cpu_pct: expected share of one core, percent; None where not known.
        bytes_per_s: expected size of the output; None where not known.
        cost_source: ``measured``, ``estimated`` or empty.
        files: what it creates on the server, path and limit in words of the shell; empty: nothing.
        stop_by_hand: the command line with which an administrator ends it.
        own_words: True where the consultant typed the command (timed command): shown marked on the sheet.
        remote_path: for ``pull``, and for ``house.cksum`` the file whose checksum is asked for.
        tool: the program whose version is recorded, empty for none.
        licence: what the customer must be licensed for, empty for nothing.
        limit_s: seconds after which a trial is ended; None where it is no trial.
    """

    id: str
    host: str
    probe: str
    kind: CommandKind
    tool_line: str
    verbatim: str
    purpose_ko: str
    purpose_en: str
    rights: Rights = Rights.USER
    parser: str = ""
    tool: str = ""
    interval_s: float | None = None
    count: int | None = None
    cpu_pct: float | None = None
    bytes_per_s: float | None = None
    cost_source: str = ""
    files: tuple[str, ...] = ()
    stop_by_hand: str = ""
    own_words: bool = False
    remote_path: str = ""
    licence: str = ""
    limit_s: float | None = None

    def purpose(self, language: str) -> str:
        return self.purpose_ko if language == "ko" else self.purpose_en


@record
class PlannedHost:
    """A host of the plan as the sheet names it. `os_source`: ``survey``, ``profile`` or ``assumed``."""

    name: str
    address: str
    port: int
    user: str
    os: str
    os_source: str
    jump: tuple[str, ...] = ()
    backend: str = "paramiko"
    weak_algorithms: tuple[str, ...] = ()
    colour: str = ""
    sudoers: tuple[str, ...] = ()


@record
class CapturePlan:
    """Everything an administrator approves.

    Attributes:
        nonce: eight hex digits; marks our processes (``cap<nonce>`` as argv0) and our lines in their output.
        created_at: ISO (UTC).
        run, phase: label and phase of the run that the captures go into.
        zone: the engagement's zone, in which the sheet prints times.
        lease_s: seconds after which a silent connection ends the commands on the server.
    """

    nonce: str
    created_at: str
    run: str
    phase: str
    hosts: tuple[PlannedHost, ...]
    commands: tuple[PlannedCommand, ...]
    interval_s: float
    duration_s: float
    schedule: Schedule = Schedule()
    mode: CaptureMode = CaptureMode.LIVE
    zone: str = "Asia/Seoul"
    lease_s: int = 90
    nice: int = 5

    def to_json(self) -> str:
        """Canonical text: sorted keys, no spaces; what `digest` is over.

        What few commands have (a licence, a limit) stands there only where one has it: plans without keep the digests
        they were approved by.
        """
        raw = asdict(self)
        for command in raw["commands"]:
            for name in [name for name in _SELDOM if not command[name]]:
                del command[name]
        return json.dumps(raw, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @property
    def licences(self) -> tuple[tuple[str, str], ...]:
        """Host and what it must be licensed for, each once."""
        return tuple(dict.fromkeys((command.host, command.licence) for command in self.commands if command.licence))

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical text."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @property
    def own_intervals(self) -> dict[str, float]:
        """Seconds between samples, by probe, where they are not the plan's: what moves slowly is asked less often."""
        repeating = ((one.probe, one.interval_s) for one in self.commands if one.kind is not CommandKind.HOUSE)
        return {probe: every_s for probe, every_s in repeating if every_s not in (None, self.interval_s)}

    def on(self, host: str) -> tuple[PlannedCommand, ...]:
        return tuple(command for command in self.commands if command.host == host)

    def command(self, command_id: str) -> PlannedCommand:
        return next(command for command in self.commands if command.id == command_id)

    @classmethod
    def from_json(cls, text: str) -> CapturePlan:
        """The plan back from `to_json`."""
        raw = json.loads(text)
        hosts = tuple(PlannedHost(**_tuples(host)) for host in raw.pop("hosts"))
        commands = tuple(_command(command) for command in raw.pop("commands"))
        schedule = raw.pop("schedule")
        return cls(
            hosts=hosts,
            commands=commands,
            schedule=Schedule(**{**schedule, "kind": ScheduleKind(schedule["kind"])}),
            **{**raw, "mode": CaptureMode(raw["mode"])},
        )


_SELDOM = ("licence", "limit_s")


def _tuples(raw: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()}


def _command(raw: dict[str, Any]) -> PlannedCommand:
    fields = _tuples(raw)
    return PlannedCommand(**{**fields, "kind": CommandKind(fields["kind"]), "rights": Rights(fields["rights"])})


@record
class Approval:
    """Somebody's consent to exactly one plan.

    Attributes:
        digest: of the plan.
        approved_by: name of the person at the customer's (or the consultant on the command line).
        approved_at: ISO (UTC).
        how: ``signed_sheet``, ``command_line`` or ``spoken``.
        note: free words (document number of the signed sheet ...).
        signature: of `tunebench.domain.approving.plan_text`, empty where nobody signed with a key.
    """

    digest: str
    approved_by: str
    approved_at: str
    how: str
    note: str = ""
    signature: str = ""


@record
class PlanRecord:
    """A stored plan. `digest` is that of the stored text, `saved_at` ISO (UTC), `approvals` oldest first."""

    digest: str
    plan: CapturePlan
    saved_at: str
    approvals: tuple[Approval, ...]
