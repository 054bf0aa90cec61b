"""Renders chosen probes into a plan: every command line that will ever be sent, verbatim."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from math import ceil
from zoneinfo import ZoneInfo

from tunebench.capture import planned_house
from tunebench.capture.probe_rendering import Rendered, checked_values, render
from tunebench.capture.wrapper import stop_by_hand, wrap
from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.budget import SEAM_S, runs, usual_interval_s
from tunebench.domain.capturing.plan import (
    CaptureMode,
    CapturePlan,
    CommandKind,
    PlannedCommand,
    PlannedHost,
    Rights,
    Schedule,
    ScheduleKind,
)
from tunebench.sdk.probes import Probe

ASSUMED_OS = "linux"
DEFAULT_SET = "default"
ROUNDS = {CommandKind.ONCE: 2, CommandKind.PULL: 1, CommandKind.TRIAL: 1}
"""How often what does not repeat is run: a once-command at the start and at the end."""
LONGEST_DURATION_S = 31 * 86_400
_REPEATING = (CommandKind.STREAM, CommandKind.LOOP)
_GRACE_DAYS = 1
_TOOL_FOLDERS = ("/usr/bin", "/usr/sbin")
"""Where a tool without a path is looked for: sudoers takes full paths only."""
_SPECIAL = lazy_pattern(r"([\\,:=#*?\[\]])")
"""What means something to sudoers in an argument; escaped, it stands for itself."""


@record
class ProbeChoice:
    """A probe to be captured. `interval_s` None: the probe's own, else the plan's."""

    probe_id: str
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    interval_s: float | None = None


@record
class PlanRequest:
    """What a plan is made from.

    Attributes:
        probes: by host name.
        nonce: eight hex digits; made where empty.
        created_at: ISO (UTC); now where empty.
        nice: by how much the commands stand back; 0 where what they take is itself what is measured.
    """

    hosts: tuple[PlannedHost, ...]
    probes: Mapping[str, tuple[ProbeChoice, ...]]
    run: str
    phase: str
    interval_s: float
    duration_s: float
    schedule: Schedule = field(default_factory=Schedule)
    mode: CaptureMode = CaptureMode.LIVE
    zone: str = "Asia/Seoul"
    nonce: str = ""
    created_at: str = ""
    nice: int = 5


def build_plan(request: PlanRequest, probes: Sequence[Probe]) -> CapturePlan:
    """The plan of `request`.

    Raises:
        UserError: ``plan_empty``, ``plan_duration``, ``plan_schedule``, ``host_twice``, ``probe_unknown``,
            ``probe_not_for_os``, ``probe_parameter_*``, ``interval_too_short``, ``interval_not_whole``,
            ``interval_longer_than_plan``.
    """
    _check(request)
    by_id = {probe.id: probe for probe in probes}
    plan = CapturePlan(
        nonce=request.nonce or secrets.token_hex(4),
        created_at=request.created_at or datetime.now(UTC).isoformat(timespec="seconds"),
        run=request.run,
        phase=request.phase,
        hosts=tuple(host if host.os else replace(host, os=ASSUMED_OS, os_source="assumed") for host in request.hosts),
        commands=(),
        interval_s=request.interval_s,
        duration_s=request.duration_s,
        schedule=request.schedule,
        mode=request.mode,
        zone=request.zone,
        nice=request.nice,
    )
    slugs = _slugs(host.name for host in plan.hosts)
    hosts, commands = [], []
    for host in plan.hosts:
        own = _HostCommands(plan, host, slugs[host.name], by_id)
        planned = own.planned(request.probes.get(host.name, ()))
        hosts.append(replace(host, sudoers=_sudoers_lines(plan, host, planned)))
        commands += planned
    return replace(plan, hosts=tuple(hosts), commands=tuple(commands))


def _check(request: PlanRequest) -> None:
    if not request.hosts:
        raise UserError("plan_empty")
    if not 0 < request.duration_s <= LONGEST_DURATION_S or request.duration_s != round(request.duration_s):
        raise UserError("plan_duration", duration=f"{request.duration_s:g}", days=LONGEST_DURATION_S // 86_400)
    names = [host.name for host in request.hosts]
    for name in names:
        if names.count(name) > 1:
            raise UserError("host_twice", host=name)
        if not request.probes.get(name):
            raise UserError("plan_host_empty", host=name)
    if request.schedule.kind is ScheduleKind.EVERY and request.schedule.every_s < request.duration_s:
        raise UserError("plan_schedule", every=request.schedule.every_s, duration=f"{request.duration_s:g}")


def _slugs(names: Iterator[str]) -> dict[str, str]:
    """Host names as they stand in command ids: letters, digits and ``._-`` only, each once."""
    slugs: dict[str, str] = {}
    for name in names:
        slug = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("_") or "host"
        taken, number = set(slugs.values()), 2
        unique = slug
        while unique in taken:
            unique, number = f"{slug}-{number}", number + 1
        slugs[name] = unique
    return slugs


class _HostCommands:
    """The commands of one host."""

    def __init__(self, plan: CapturePlan, host: PlannedHost, slug: str, by_id: Mapping[str, Probe]) -> None:
        self._plan = plan
        self._host = host
        self._slug = slug
        self._by_id = by_id
        self._ids: set[str] = set()

    def planned(self, choices: Sequence[ProbeChoice]) -> list[PlannedCommand]:
        chosen = [command for choice in choices for command in self._of(choice)]
        house = planned_house.commands(self._plan, self._host, self._slug, self._versions(choices), chosen)
        return [*house, *chosen]

    def _versions(self, choices: Sequence[ProbeChoice]) -> dict[str, str]:
        """The command that tells the version, by tool, each once."""
        probes = (self._by_id[choice.probe_id] for choice in choices)
        return {probe.tool: probe.version for probe in probes if probe.tool and probe.version}

    def _of(self, choice: ProbeChoice) -> Iterator[PlannedCommand]:
        probe = self._probe(choice)
        values = checked_values(probe, choice.values)
        interval_s = self._interval(probe, choice)
        span_s = _span_of_a_start(self._plan, interval_s)
        count = None if interval_s is None else self._rounds(probe, span_s, interval_s)
        today = _first_start(self._plan).astimezone(ZoneInfo(self._plan.zone)).date()
        rendered = render(probe, values, interval_s=interval_s, count=count, duration_s=span_s, today=today)
        for line in rendered:
            yield self._command(probe, line, interval_s, count)

    def _rounds(self, probe: Probe, span_s: float, interval_s: float) -> int:
        """Rows of a stream are of the time that has passed; what a loop reads is of that moment, and counters of the
        last interval need one more. Where another start follows, its first round is that one.
        """
        to_the_end = span_s >= self._plan.duration_s and probe.kind is CommandKind.LOOP and not probe.is_work
        return int(span_s // interval_s) + 1 if to_the_end else max(ceil(span_s / interval_s), 1)

    def _probe(self, choice: ProbeChoice) -> Probe:
        probe = self._by_id.get(choice.probe_id)
        if probe is None:
            raise UserError("probe_unknown", probe=choice.probe_id)
        if probe.os and self._host.os not in probe.os:
            raise UserError("probe_not_for_os", probe=probe.id, host=self._host.name, os=self._host.os)
        return probe

    def _interval(self, probe: Probe, choice: ProbeChoice) -> float | None:
        if probe.kind not in _REPEATING:
            return None
        interval_s = choice.interval_s or usual_interval_s(
            self._plan.interval_s, self._plan.duration_s, probe.default_interval_s, probe.shortest_interval_s
        )
        if interval_s < probe.shortest_interval_s:
            shortest = f"{probe.shortest_interval_s:g}"
            raise UserError("interval_too_short", probe=probe.id, interval=f"{interval_s:g}", shortest=shortest)
        if interval_s != round(interval_s):
            raise UserError("interval_not_whole", probe=probe.id, interval=f"{interval_s:g}")
        if interval_s > self._plan.duration_s:
            if choice.interval_s is None and self._plan.interval_s <= self._plan.duration_s:
                return self._plan.duration_s  # of a plan that is shorter than the least interval, begin and end
            duration = f"{self._plan.duration_s:g}"
            raise UserError("interval_longer_than_plan", probe=probe.id, interval=f"{interval_s:g}", duration=duration)
        return interval_s

    def _command(self, probe: Probe, rendered: Rendered, interval_s: float | None, count: int | None) -> PlannedCommand:
        command_id = self._unused(f"{self._slug}/{probe.id}")
        # what runs at the start and at the end only is spread over the whole run
        every_s = interval_s or self._plan.duration_s / ROUNDS[probe.kind]
        path = rendered.tool_line if probe.kind is CommandKind.PULL else ""
        return PlannedCommand(
            id=command_id,
            host=self._host.name,
            probe=probe.id,
            kind=probe.kind,
            tool_line=f"cat {shlex.quote(path)}" if path else rendered.tool_line,
            verbatim=self._verbatim(probe, rendered.tool_line, command_id, interval_s, count),
            purpose_ko=probe.purpose.get("ko") or probe.name_in("ko"),
            purpose_en=probe.purpose.get("en") or probe.name_in("en"),
            rights=probe.rights,
            parser=probe.parser,
            tool=probe.tool,
            interval_s=interval_s,
            count=count,
            cpu_pct=_scaled(probe.cpu_pct, every_s),
            bytes_per_s=_scaled(probe.bytes_per_s, every_s),
            cost_source=probe.cost_source,
            stop_by_hand=stop_by_hand(self._plan.nonce, self._host.os),
            own_words=rendered.own_words,
            remote_path=path,
            licence=probe.licence,
            limit_s=probe.limit_s,
        )

    def _verbatim(
        self, probe: Probe, tool_line: str, command_id: str, interval_s: float | None, count: int | None
    ) -> str:
        if probe.kind is CommandKind.PULL:
            return planned_house.pull_line(tool_line)
        return wrap(
            tool_line,
            command_id=command_id,
            nonce=self._plan.nonce,
            os=self._host.os,
            kind=probe.kind,
            interval_s=interval_s,
            count=count,
            lease_s=self._plan.lease_s,
            nice=self._plan.nice,
            environment=probe.environment,
            rights=probe.rights,
        )

    def _unused(self, wanted: str) -> str:
        """``db01/linux.df``, for the next command of that probe ``db01/linux.df-2``."""
        command_id, number = wanted, 2
        while command_id in self._ids:
            command_id, number = f"{wanted}-{number}", number + 1
        self._ids.add(command_id)
        return command_id


def _span_of_a_start(plan: CapturePlan, interval_s: float | None) -> float:
    """An hour; where the interval is longer than that, two of them: many tools begin with a row since boot."""
    return min(plan.duration_s, max(SEAM_S, 2 * (interval_s or 0)))


def _scaled(at_one_second: float | None, every_s: float) -> float | None:
    return None if at_one_second is None else at_one_second / every_s


def _first_start(plan: CapturePlan) -> datetime:
    at = plan.schedule.at if plan.schedule.kind is not ScheduleKind.NOW and plan.schedule.at else plan.created_at
    return datetime.fromisoformat(at)


def _sudoers_lines(plan: CapturePlan, host: PlannedHost, commands: Sequence[PlannedCommand]) -> tuple[str, ...]:
    """What lets these commands, and nothing else, run through sudo without a password; empty where none needs it.

    The last day is in the comment.
    """
    lines = [
        f"{host.user or 'USER'} ALL=(root) NOPASSWD: {path}"
        for command in commands
        if command.rights is Rights.SUDO
        for path in _exact(command.tool_line)
    ]
    if not lines:
        return ()
    repeated_s = plan.schedule.every_s * (runs(plan) - 1)
    over = _first_start(plan) + timedelta(seconds=repeated_s + plan.duration_s, days=_GRACE_DAYS)
    return (f"# TuneBench cap{plan.nonce}: remove after {over.date().isoformat()}", *dict.fromkeys(lines))


def _exact(tool_line: str) -> list[str]:
    """The command with its full path and exactly these arguments; ``""`` stands for "no arguments"."""
    tool, *arguments = shlex.split(tool_line)
    shown = " ".join(_SPECIAL.sub(r"\\\1", argument) for argument in arguments) or '""'
    paths = [tool] if tool.startswith("/") else [f"{folder}/{tool}" for folder in _TOOL_FOLDERS]
    return [f"{path} {shown}" for path in paths]


def choose_probes(words: Sequence[str], os: str, probes: Sequence[Probe]) -> tuple[ProbeChoice, ...]:
    """The choices that `words` stand for, in order; a probe named several times gathers its values.

    Args:
        words: ``default``, a probe's id (``linux.vmstat``), its tool (``vmstat``) or its id without the system
            (``timed``); with ``@SECONDS`` for an interval of its own (``vmstat@5``) and ``=VALUE`` for its parameter
            (``linux.timed=COMMAND``, ``linux.files=path=/data``).

    Raises:
        UserError: ``probe_unknown``, ``probe_ambiguous``, ``probe_not_for_os``, ``probe_parameter_unknown``,
            ``interval_not_whole``.
    """
    fitting = [probe for probe in probes if not probe.os or os in probe.os]
    values: dict[str, dict[str, tuple[str, ...]]] = {}
    intervals: dict[str, float] = {}
    for word in words:
        named, _, value = word.strip().partition("=")
        name, at, every = named.partition("@")
        if name == DEFAULT_SET:
            for probe in fitting:
                if probe.default:
                    values.setdefault(probe.id, {})
            continue
        probe = _named(name, os, fitting, probes)
        own = values.setdefault(probe.id, {})
        if at:
            intervals[probe.id] = _own_interval(probe, every)
        if value:
            parameter, text = _parameter(probe, value)
            own[parameter] = (*own.get(parameter, ()), text)
    return tuple(ProbeChoice(probe_id, own, intervals.get(probe_id)) for probe_id, own in values.items())


def _own_interval(probe: Probe, seconds: str) -> float:
    if not (seconds.isdecimal() and seconds.isascii() and int(seconds)):
        raise UserError("interval_not_whole", probe=probe.id, interval=seconds)
    return float(seconds)


def _named(name: str, os: str, fitting: Sequence[Probe], probes: Sequence[Probe]) -> Probe:
    for probe in fitting:
        if probe.id == name:
            return probe
    if any(probe.id == name for probe in probes):
        raise UserError("probe_not_for_os", probe=name, host="", os=os)
    matches = [probe for probe in fitting if probe.tool == name or probe.id.partition(".")[2] == name]
    chosen = [probe for probe in matches if probe.default] or matches
    if not chosen:
        raise UserError("probe_unknown", probe=name)
    if len(chosen) > 1:
        raise UserError("probe_ambiguous", probe=name, ids=", ".join(probe.id for probe in chosen))
    return chosen[0]


def _parameter(probe: Probe, value: str) -> tuple[str, str]:
    """``VALUE`` is for the parameter that must be given, else for the first; ``NAME=VALUE`` names it."""
    name, sign, text = value.partition("=")
    if sign and probe.parameter(name) is not None:
        return name, text
    wanted = [parameter for parameter in probe.parameters if parameter.required] or list(probe.parameters)
    if not wanted:
        raise UserError("probe_parameter_unknown", probe=probe.id, parameter=value)
    return wanted[0].name, value
