"""Every probe that TuneBench brings becomes commands of a plan on each of its systems."""

from __future__ import annotations

import re
import subprocess
from functools import cache

import pytest

from tests.unit.capture.plan_cases import CREATED, NONCE, host
from tunebench.capture.planning import PlanRequest, ProbeChoice, build_plan, choose_probes
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.capturing.budget import BYTES_BUDGET_PER_S, CPU_BUDGET_PCT, totals, warnings
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand, Rights
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk.probes import ParameterKind, Probe

SYSTEMS = ("linux", "sunos", "aix", "hp-ux", "freebsd")
EXAMPLES = {
    ParameterKind.PATH: "/data/it's here",
    ParameterKind.NAME: "ORCL",
    ParameterKind.NUMBER: "7",
    ParameterKind.COMMAND: "nm /dev/ksyms | wc -l",
    ParameterKind.DAYS: "3",
}


@cache
def _probes() -> tuple[Probe, ...]:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)]).probes()


def _choice(probe: Probe) -> ProbeChoice:
    return ProbeChoice(probe.id, {parameter.name: (EXAMPLES[parameter.kind],) for parameter in probe.parameters})


@cache
def _plan(os: str) -> CapturePlan:
    """Every probe of the system, at an interval that all of them take."""
    choices = tuple(_choice(probe) for probe in _probes() if not probe.os or os in probe.os)
    request = PlanRequest(
        (host(os=os),), {"db01": choices}, "before", "before", 60.0, 7200.0, nonce=NONCE, created_at=CREATED
    )
    return build_plan(request, _probes())


def _captures(os: str) -> list[PlannedCommand]:
    return [command for command in _plan(os).commands if command.kind is not CommandKind.HOUSE]


@pytest.mark.parametrize("os", SYSTEMS)
def test_every_probe_becomes_whole_commands(os: str) -> None:
    found = _captures(os)
    assert {command.probe for command in found} == {p.id for p in _probes() if not p.os or os in p.os}
    for command in found:
        assert command.verbatim.isprintable(), command.id
        assert not re.search(r"\{(interval|count|duration|day|date)\}", command.verbatim), command.id
        assert command.purpose_ko and command.purpose_en, command.id
        assert (command.count is not None) == (command.kind in (CommandKind.STREAM, CommandKind.LOOP)), command.id


@pytest.mark.parametrize("os", SYSTEMS)
def test_every_line_is_sound_shell(os: str) -> None:
    """A login shell takes the line apart without an error; nothing is run."""
    lines = [command.verbatim for command in _plan(os).commands]
    for line in lines:
        checked = subprocess.run(["sh", "-n"], input=line.encode(), capture_output=True, timeout=20, check=False)
        assert checked.returncode == 0, (line, checked.stderr)


@pytest.mark.parametrize("os", SYSTEMS)
def test_sudo_commands_have_their_lines(os: str) -> None:
    found = [command for command in _captures(os) if command.rights is Rights.SUDO]
    sudoers = _plan(os).hosts[0].sudoers
    assert bool(found) == bool(sudoers)
    for command in found:
        tool = command.tool_line.split(maxsplit=1)[0].rpartition("/")[2]
        assert any(f"/{tool} " in line for line in sudoers), command.tool_line


@pytest.mark.parametrize("os", SYSTEMS)
def test_the_default_set_keeps_the_budget(os: str) -> None:
    choices = choose_probes(["default"], os, _probes())
    assert choices
    request = PlanRequest((host(os=os),), {"db01": choices}, "r", "before", 1.0, 600.0, nonce=NONCE, created_at=CREATED)
    found = build_plan(request, _probes())
    cost = totals(found, "db01")
    assert cost.cpu_pct is not None and cost.cpu_pct < CPU_BUDGET_PCT
    assert cost.bytes_per_s is not None and cost.bytes_per_s < BYTES_BUDGET_PER_S
    assert not warnings(found)
