"""The engine between its neighbours: a rendered plan, both backends, the store; and many hosts at once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.capture_rig import Engine, host_of, ours
from tests.e2e.sshd_rig import Sshd
from tests.perf.capture_load import run_engine
from tests.waiting import until
from tunebench.capture.frames import segments
from tunebench.capture.planning import PlanRequest, build_plan, choose_probes
from tunebench.capture.storing import SessionStored, store_session
from tunebench.core.progress import SilentProgress
from tunebench.domain.capturing.plan import PlannedHost
from tunebench.domain.capturing.run import SessionState, StreamState
from tunebench.domain.connection import Backend
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.store import artefacts, sessions

NEEDS_TOOLS = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("vmstat", "iostat", "mpstat", "sar")), reason="sysstat is not installed"
)
NEEDS_SSH = pytest.mark.skipif(shutil.which("ssh") is None, reason="the system has no ssh")


@pytest.fixture
def engine(tmp_path: Path, sshd: Sshd) -> Iterator[Engine]:
    made = Engine(tmp_path, sshd)
    yield made
    made.close()


@NEEDS_TOOLS
@NEEDS_SSH
@pytest.mark.parametrize("backend", [Backend.PARAMIKO, Backend.OPENSSH])
def test_the_default_set_from_plan_to_project(engine: Engine, backend: Backend) -> None:
    stored: list[SessionStored] = []
    plan = default_plan(engine, backend)
    engine.plan = lambda duration_s, lease_s=20: plan  # type: ignore[method-assign,assignment]
    engine.profile = lambda: replace(engine.sshd.profile(os="linux"), backend=backend)  # type: ignore[method-assign]
    catalogue = MetricCatalogue.load(manifests=engine.plugins.manifests())

    def store(folder: Path) -> None:
        session_id = sessions.list_sessions(engine.project)[-1].id
        stored.append(
            store_session(engine.project, session_id, folder, plan, engine.plugins, catalogue, SilentProgress())
        )

    session = engine.begin(store=store)
    assert session.wait(40.0)
    view = session.snapshot()
    assert (view.state, view.message_key) == (SessionState.FINISHED, "")
    assert {stream.state for stream in view.hosts[0].streams} == {StreamState.VERIFIED}
    overhead = host_of(session).overhead_pct
    assert overhead is not None
    assert overhead < 60.0
    assert not ours(plan.nonce)
    (result,) = stored
    assert result.failed == {}
    assert not engine.folder.exists()
    artefact = result.artefacts["server/linux.vmstat"]
    (segment,) = segments(artefacts.read_artefact(engine.project, artefact))
    assert segment.exit_status in (0, 143)
    assert segment.cpu_s is not None
    assert artefacts.find_artefact(engine.project, artefact).ledger.samples > 0
    assert sessions.list_gaps(engine.project) == []
    assert len(sessions.list_clock_checks(engine.project)) == 2


def default_plan(engine: Engine, backend: Backend):
    sshd = engine.sshd
    host = PlannedHost("server", sshd.address, sshd.port, sshd.user, "linux", "profile", backend=str(backend))
    probes = engine.plugins.probes()
    chosen = {"server": choose_probes(["default"], "linux", probes)}
    return build_plan(PlanRequest((host,), chosen, "before", "before", 1.0, 6.0), probes)


@NEEDS_TOOLS
def test_values_can_be_watched_while_they_come(engine: Engine) -> None:
    plan = default_plan(engine, Backend.PARAMIKO)
    engine.plan = lambda duration_s, lease_s=20: plan  # type: ignore[method-assign,assignment]
    session = engine.begin()
    tail = session.live("server/linux.vmstat")
    until(lambda: any(len(table.times_ns) >= 3 for table in tail.read().tables))
    table = tail.read().tables[0]
    idle = next(number for number, key in enumerate(table.series) if key.native == "id")
    assert all(0.0 <= value <= 100.0 for value in table.values[:, idle])
    assert all(later > earlier for earlier, later in zip(table.times_ns, table.times_ns[1:], strict=False))
    tail.close()


@pytest.mark.skipif(shutil.which("perl") is None, reason="the benchmark's streams are written in perl")
def test_a_hundred_hosts_lose_no_line(sshd: Sshd) -> None:
    """Row 34 in short; the figures of the design are the benchmark's, on a quiet machine."""
    figures = run_engine(100, 5, 6.0)
    assert figures["lost_lines"] == 0
    assert figures["ended_well"]
    assert figures["lines"] >= 500 * 5
    assert figures["rss_mb"] < 300
    assert figures["snapshot_ms"] < 500
