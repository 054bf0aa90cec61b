"""TuneBench's own commands on a host, as part of the plan: they are approved like any other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tunebench.capture.detached import detached_commands, detached_folder
from tunebench.capture.house_commands import (
    SURVEYED_TOOLS,
    cksum_line,
    clock_line,
    leftovers_line,
    overhead_line,
    survey_line,
)
from tunebench.capture.offline_script import limit_bytes
from tunebench.capture.wrapper import stop_by_hand, wrap
from tunebench.core.messages import catalogue
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, CommandKind, PlannedCommand, PlannedHost
from tunebench.transport.ssh.pulling import pull_command

LONGEST_OVERHEAD_INTERVAL_S = 60.0
SHORTEST_OVERHEAD_INTERVAL_S = 5.0
OVERHEAD_CPU_PCT = 5.0
"""Of one core at one second: one ps over about 300 processes, estimated."""
PROCESSES_PER_COMMAND = 4
"""The wrapper's shell, the one that runs the tool, its watcher and the tool: what is listed of every command."""
LISTED_BYTES = 100
"""What is told of one process, at most."""


@record
class _House:
    """One of our own commands.

    `alone`: the line is sent as it is, without the wrapper. `path`: the file it is about; `number` counts such files.
    """

    name: str
    line: str
    tool: str = ""
    alone: bool = False
    interval_s: float | None = None
    cpu_pct: float | None = None
    bytes_per_s: float | None = None
    files: tuple[str, ...] = ()
    path: str = ""
    number: int = 1


def pull_line(path: str) -> str:
    """The line that sends a whole file; one that was cut off is continued by a line of the same form."""
    return pull_command(path, 0).command


def commands(
    plan: CapturePlan, host: PlannedHost, slug: str, versions: Mapping[str, str], captures: Sequence[PlannedCommand]
) -> list[PlannedCommand]:
    """Survey, clock, versions of the tools, overhead, checksums of fetched files and clean-up proof of one host.

    Args:
        slug: the host's name as it stands in command ids.
        versions: tool -> the command that tells its version.
        captures: the host's other commands.
    """
    tools = (*SURVEYED_TOOLS, *(command.tool for command in captures if command.tool))
    lines = [
        _House("survey", survey_line(plan.nonce, tuple(dict.fromkeys(tools))), alone=True),
        _House("clock", clock_line(plan.nonce, host.os), alone=True),
        *(_House("version", line, tool) for tool, line in versions.items()),
        _overhead(plan, host, captures),
        _House("leftovers", leftovers_line(plan.nonce, host.os)),
    ]
    if plan.mode is CaptureMode.LIVE:  # the collection script adds up its files itself
        fetched = (command.remote_path for command in captures if command.kind is CommandKind.PULL)
        paths = enumerate(dict.fromkeys(fetched), 1)
        lines += [_House("cksum", cksum_line(path), path=path, number=number) for number, path in paths]
    if plan.mode is CaptureMode.DETACHED:
        lines += _detached(plan, host, captures)
    return [_command(plan, host, slug, house) for house in lines]


def _detached(plan: CapturePlan, host: PlannedHost, captures: Iterable[PlannedCommand]) -> list[_House]:
    """The commands that start the capture on the server, ask after it, fetch its files and remove them.

    The files are fetched one by one; ``FILE`` stands for their names.
    """
    folder = detached_folder(plan.nonce)
    lines = detached_commands(plan.nonce, host.os) | {"fetch": pull_line(f"{folder}/FILE")}
    limit_mib = max((limit_bytes(command, plan) for command in captures), default=0) >> 20
    files = (f"{folder}/ (ulimit -f: {limit_mib} MiB / file)",)
    return [
        _House(f"detached.{name}", line, alone=True, files=files if name == "upload" else ())
        for name, line in lines.items()
    ]


def _overhead(plan: CapturePlan, host: PlannedHost, captures: Iterable[PlannedCommand]) -> _House:
    every_s = min(LONGEST_OVERHEAD_INTERVAL_S, max(SHORTEST_OVERHEAD_INTERVAL_S, plan.duration_s // 10))
    repeating = 1 + sum(command.interval_s is not None for command in captures)
    return _House(
        "overhead",
        overhead_line(plan.nonce, host.os, every_s),
        interval_s=every_s,
        cpu_pct=OVERHEAD_CPU_PCT / every_s,
        bytes_per_s=PROCESSES_PER_COMMAND * LISTED_BYTES * repeating / every_s,
    )


def _command(plan: CapturePlan, host: PlannedHost, slug: str, house: _House) -> PlannedCommand:
    command_id = f"{slug}/house.{house.name}" + (f".{house.tool}" if house.tool else "")
    command_id += f"-{house.number}" if house.number > 1 else ""
    facts = {"tool": house.tool, "path": house.path}
    ko, en = (catalogue(language).text(f"plan.house.{house.name}", **facts) for language in ("ko", "en"))
    return PlannedCommand(
        id=command_id,
        host=host.name,
        probe=f"house.{house.name.partition('.')[0]}",
        kind=CommandKind.HOUSE,
        tool_line=house.line,
        verbatim=house.line if house.alone else _wrapped(plan, host, command_id, house),
        purpose_ko=ko,
        purpose_en=en,
        tool=house.tool,
        interval_s=house.interval_s,
        cpu_pct=house.cpu_pct,
        bytes_per_s=house.bytes_per_s,
        cost_source="estimated" if house.cpu_pct is not None else "",
        files=house.files,
        stop_by_hand=stop_by_hand(plan.nonce, host.os),
        remote_path=house.path,
    )


def _wrapped(plan: CapturePlan, host: PlannedHost, command_id: str, house: _House) -> str:
    return wrap(
        house.line,
        command_id=command_id,
        nonce=plan.nonce,
        os=host.os,
        kind=CommandKind.HOUSE,
        interval_s=house.interval_s,
        lease_s=plan.lease_s,
        nice=plan.nice,
    )
