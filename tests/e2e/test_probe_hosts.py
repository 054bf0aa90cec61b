"""The default set of each system, planned, wrapped and run through a real SSH server, and read by the named parsers.

Linux answers with its own tools; Solaris and AIX are played by `tests/fixtures/fake_hosts`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from zoneinfo import ZoneInfo

import pytest

from tests.conftest import ROOT
from tests.e2e.ssh_people import Desk, Sink
from tests.e2e.sshd_rig import Sshd
from tunebench.capture.frames import segments
from tunebench.capture.planning import PlanRequest, build_plan, choose_probes
from tunebench.core.paths import builtin_plugins_folder
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedCommand, PlannedHost
from tunebench.plughost.host import PluginHost
from tunebench.plughost.listing import Origin
from tunebench.plughost.plugin_folders import SearchFolder
from tunebench.sdk import ParseContext

FAKES = ROOT / "tests" / "fixtures" / "fake_hosts"
RELEASES = {"linux": "Linux", "sunos": "SunOS svrdb1 5.10", "aix": "AIX dbaix1 2 7"}
DURATION_S = 3


def default_plan(system: str, plugins: PluginHost) -> CapturePlan:
    host = PlannedHost("db01", "127.0.0.1", 22, "user", system, "profile")
    chosen = choose_probes(("default",), system, plugins.probes())
    request = PlanRequest((host,), {"db01": chosen}, "run", "before", interval_s=1, duration_s=DURATION_S)
    return build_plan(request, plugins.probes())


def capture(system: str, server: Sshd, desk: Desk, plan: CapturePlan) -> dict[str, tuple[PlannedCommand, bytes]]:
    """The output of each command of the default set, all of them at once on one link."""
    link = desk.open(server.profile())
    assert RELEASES[system] in link.run("uname -a", 10).stdout.decode()
    sinks = {command.id: Sink() for command in plan.commands if not command.probe.startswith("house.")}
    for command_id, sink in sinks.items():
        link.stream(plan.command(command_id).verbatim, sink)
    for command_id, sink in sinks.items():
        assert sink.done.wait(30), command_id
        assert (sink.end[0], bytes(sink.err)) == (0, b""), (command_id, sink.end, sink.err)
    return {command_id: (plan.command(command_id), bytes(sink.out)) for command_id, sink in sinks.items()}


@pytest.fixture
def plugins() -> PluginHost:
    return PluginHost([SearchFolder(builtin_plugins_folder(), Origin.BUILTIN)])


@pytest.mark.parametrize("system", RELEASES)
def test_the_default_set_runs_over_ssh_and_is_read(
    make_sshd: Callable[..., Sshd], desk: Desk, plugins: PluginHost, system: str
) -> None:
    path = os.environ.get("PATH", "/usr/bin:/bin")
    front = "" if system == "linux" else f"{FAKES / system / 'bin'}:"
    server = make_sshd().start(environment={"PATH": front + path})
    for command, output in capture(system, server, desk, default_plan(system, plugins)).values():
        (segment,) = segments([output])
        assert segment.exit_status == 0 and segment.began_ns is not None and segment.ended_ns is not None
        tool_bytes = output[segment.first_byte : segment.end_byte]
        rounds = tool_bytes.count(b"@tunebench at ")
        assert rounds == {CommandKind.STREAM: 0, CommandKind.ONCE: 1}.get(command.kind, command.count)
        assert tool_bytes.strip(), command.id
        if command.parser:
            assert facts_and_samples(plugins, command, tool_bytes) > 0, command.id
    assert server.running("vmstat") == []


def facts_and_samples(plugins: PluginHost, command: PlannedCommand, tool_bytes: bytes) -> int:
    entry = plugins.parser(command.parser)
    assert entry is not None
    context = ParseContext(zone=ZoneInfo("Asia/Seoul"), zone_source="host", interval_s=command.interval_s)
    parser = entry.create(context)
    batches = [*parser.feed(tool_bytes), *parser.finish()]
    assert parser.ledger().lines.balanced
    return sum(len(batch.times_ns) for batch in batches) + len(parser.facts())
