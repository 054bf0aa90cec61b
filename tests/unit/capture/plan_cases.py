"""Small made-up probes and plans for the tests of planning and policy."""

from __future__ import annotations

from typing import Any

from tunebench.capture.planning import PlanRequest, ProbeChoice, build_plan
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedHost, Rights
from tunebench.sdk.probes import ParameterKind, Probe, ProbeParameter

NONCE = "a1b2c3d4"
CREATED = "2026-11-21T02:00:00+00:00"  # 11:00 in Seoul


def probe(probe_id: str, kind: CommandKind, command: str, **settings: Any) -> Probe:
    settings.setdefault("os", ("linux",))
    settings.setdefault("tool", command.split(maxsplit=1)[0])
    return Probe(
        id=probe_id,
        name={"ko": probe_id, "en": probe_id},
        purpose={"ko": f"{probe_id} 확인", "en": f"looks at {probe_id}"},
        kind=kind,
        command=command,
        **settings,
    )


def parameter(name: str, kind: ParameterKind, **settings: Any) -> ProbeParameter:
    return ProbeParameter(name, kind, {"ko": name, "en": name}, **settings)


VMSTAT = probe(
    "linux.vmstat",
    CommandKind.STREAM,
    "vmstat -n {interval} {count}",
    version="vmstat -V",
    parser="linux.vmstat",
    environment={"LC_ALL": "C"},
    cpu_pct=0.2,
    bytes_per_s=100.0,
    cost_source="measured",
    default=True,
)
OLD_VMSTAT = probe("linux.vmstat_narrow", CommandKind.STREAM, "vmstat {interval} {count}")
FREE = probe(
    "linux.free",
    CommandKind.LOOP,
    "free -b",
    cpu_pct=0.5,
    bytes_per_s=200.0,
    cost_source="estimated",
    default=True,
    default_interval_s=10.0,
)
INVENTORY = probe("linux.lsblk", CommandKind.ONCE, "lsblk -P", cpu_pct=3.0, bytes_per_s=6000.0, default=True)
SPACE = probe(
    "linux.space",
    CommandKind.ONCE,
    "du -sk {path}",
    parameters=(parameter("path", ParameterKind.PATH, required=True, many=True),),
)
TIMED = probe(
    "generic.timed",
    CommandKind.LOOP,
    "time -p sh -c {command}",
    os=(),
    is_work=True,
    parameters=(
        parameter("command", ParameterKind.COMMAND, required=True, many=True),
        parameter("user", ParameterKind.NAME),
    ),
)
HARDWARE = probe("linux.dmidecode", CommandKind.ONCE, "dmidecode -t memory,cache", rights=Rights.SUDO)
SA_FILES = probe(
    "linux.sa_files",
    CommandKind.PULL,
    "/var/log/sysstat/sa{day}",
    tool="",
    parameters=(parameter("days", ParameterKind.DAYS, default="1"),),
)
PRSTAT = probe("solaris.prstat", CommandKind.STREAM, "prstat -c {interval} {count}", os=("sunos",))
SLOW = probe("linux.pidstat", CommandKind.STREAM, "pidstat {interval} {count}", shortest_interval_s=5.0)

PROBES = (VMSTAT, OLD_VMSTAT, FREE, INVENTORY, SPACE, TIMED, HARDWARE, SA_FILES, PRSTAT, SLOW)


def host(name: str = "db01", **settings: Any) -> PlannedHost:
    values = {"address": f"{name}.example", "port": 22, "user": "perf", "os": "linux", "os_source": "survey"}
    return PlannedHost(name=name, **{**values, **settings})


def plan(*choices: ProbeChoice | str, hosts: tuple[PlannedHost, ...] = (host(),), **settings: Any) -> CapturePlan:
    """A plan with the same probes on every host; ten minutes at one second unless said otherwise."""
    chosen = tuple(ProbeChoice(choice) if isinstance(choice, str) else choice for choice in choices)
    values = {
        "run": "before 1",
        "phase": "before",
        "interval_s": 1.0,
        "duration_s": 600.0,
        "nonce": NONCE,
        "created_at": CREATED,
    }
    probes = {each.name: chosen for each in hosts}
    return build_plan(PlanRequest(hosts=hosts, probes=probes, **{**values, **settings}), PROBES)
