"""A capture that runs on a real server by itself, as a session: left alone, found again, fetched, stored, removed."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e import capture_rig as rig
from tests.e2e.capture_rig import Engine, planned
from tests.e2e.conftest import Command
from tests.e2e.processes import marked, processes, send
from tests.e2e.sshd_rig import Sshd
from tests.waiting import until
from tunebench.capture import collected, detached_session, offline_script
from tunebench.capture.collection import cut_off_collection, find_collection
from tunebench.capture.detached import DetachedState, detached_folder
from tunebench.capture.detached_session import STARTED_FILE, DetachedCapture
from tunebench.capture.plan_run import RunOrder
from tunebench.capture.planning import PlanRequest, build_plan, choose_probes
from tunebench.capture.spooled import SESSION_FILE
from tunebench.core.errors import UserError
from tunebench.core.progress import SilentProgress
from tunebench.domain.capturing.plan import Approval, CaptureMode, CapturePlan, CommandKind, PlannedHost
from tunebench.domain.capturing.run import CaptureGap, GapCause, HostState, SessionState, StreamState
from tunebench.domain.engagement import Phase
from tunebench.domain.ledger import ImportState
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.store import artefacts, plans, runs, sessions
from tunebench.store.opening import open_project

pytestmark = pytest.mark.skipif(shutil.which("vmstat") is None, reason="vmstat is not installed")
SETTINGS = replace(rig.SETTINGS, drain_s=6.0)
MAIN = Path(__file__).resolve().parents[2] / "main.py"


class Away:
    """Detached sessions of one plan in one project."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.nonce = secrets.token_hex(4)
        self.place = Path(detached_folder(self.nonce))
        self.commands: tuple = ()
        self.duration_s = 2.0
        self.stored: list[DetachedState] = []
        self.after_store: Callable[[], object] = lambda: None
        self.plugins = engine.plugins
        self.catalogue = MetricCatalogue.load(manifests=self.plugins.manifests())
        self.open: list[DetachedCapture] = []
        self.session_id = 0

    @property
    def plan(self) -> CapturePlan:
        sshd, probes = self.engine.sshd, self.plugins.probes()
        host = PlannedHost("server", sshd.address, sshd.port, sshd.user, "linux", "profile")
        chosen = {"server": choose_probes(["linux.vmstat"], "linux", probes)}
        plan = build_plan(
            PlanRequest(
                (host,),
                chosen,
                "before",
                "before",
                1.0,
                self.duration_s,
                mode=CaptureMode.DETACHED,
                nonce=self.nonce,
                created_at="2026-11-21T00:00:00+00:00",
            ),
            probes,
        )
        return replace(plan, commands=(*plan.commands, *self.commands))

    def begin(self) -> DetachedCapture:
        """A new session the first time, then the same one again as after a restart of the program."""
        plan, project = self.plan, self.engine.project
        approval = Approval(plan.digest, "Kim", "2026-11-21T00:00:00+00:00", "signed_sheet")
        if not self.session_id:
            plans.save_plan(project, plan)
            plans.approve(project, approval)
            run = runs.ensure_run(project, "before", Phase.BEFORE)
            self.session_id = sessions.begin_session(project, plan.digest, run.id, str(self.engine.folder), "before")
        order = RunOrder(
            project,
            self.session_id,
            plan,
            approval,
            self.engine.folder,
            [self.engine.profile()],
            rig.connector,
            rig.Nobody(),
            SETTINGS,
            "before",
        )
        session = DetachedCapture(order, self.store)
        self.open.append(session)
        session.start()
        return session

    def store(self, host: str, fetched: Path, state: DetachedState) -> None:
        self.stored.append(state)
        found = find_collection(fetched) or cut_off_collection(fetched, self.plan, host, str(state))
        collected.store_collection(
            self.engine.project, found, self.plugins, self.catalogue, SilentProgress(), session_id=self.session_id
        )
        shutil.rmtree(fetched)
        self.after_store()

    @property
    def state(self) -> SessionState:
        return sessions.find_session(self.engine.project, self.session_id).state

    def samples(self) -> int:
        (vmstat,) = (a for a in artefacts.list_artefacts(self.engine.project) if a.name.endswith("linux.vmstat"))
        assert vmstat.state == ImportState.IMPORTED
        return vmstat.ledger.samples

    def gaps(self) -> list[CaptureGap]:
        return sessions.list_gaps(self.engine.project)

    def has_samples(self) -> bool:
        """On the server, of vmstat: its headings, the row since boot and another."""
        texts = [path.read_bytes() for path in self.place.glob("*.out")]
        return any(text.partition(b"procs")[2].count(b"\n") >= 4 for text in texts)

    def running(self) -> list[int]:
        return marked(f"TUNEBENCH=cap{self.nonce}")

    def kill_all(self) -> None:
        leader = int((self.place / "pid").read_text())
        send([p.pid for p in processes() if group_of(p.pid) == leader], signal.SIGKILL)

    def close(self) -> None:
        for session in self.open:
            session.close()
        send(self.running(), signal.SIGKILL)
        shutil.rmtree(self.place, ignore_errors=True)


def group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return -1


@pytest.fixture
def away(tmp_path: Path, sshd: Sshd, monkeypatch: pytest.MonkeyPatch) -> Iterator[Away]:
    monkeypatch.setattr(detached_session, "_GRACE_S", 0.5)
    engine = Engine(tmp_path, sshd)
    made = Away(engine)
    yield made
    made.close()
    engine.close()


def host_of(session: DetachedCapture):
    return session.snapshot().hosts[0]


def test_the_line_drops_and_everything_is_fetched_when_it_is_back(away: Away) -> None:
    """A tool that is not there has failed, and misses its whole window."""
    sshd = away.engine.sshd
    away.commands = (planned("missing", "no-such-tool 1 600", nonce=away.nonce),)
    session = away.begin()
    until(lambda: host_of(session).state is HostState.CAPTURING)
    sshd.stop(sessions=False)
    until(lambda: host_of(session).state is HostState.WAITING)
    assert host_of(session).reason_key.startswith("ssh.")
    sshd.start(*sshd.options)
    assert session.wait(20.0)
    assert (away.state, away.stored) == (SessionState.FINISHED, [DetachedState.ENDED])
    assert host_of(session).state is HostState.DONE
    assert away.samples() > 0
    assert [(gap.stream, gap.cause, gap.end_ns) for gap in away.gaps()] == [
        ("server/missing", GapCause.PROCESS_ENDED, None)
    ]
    assert not away.place.exists()
    assert not away.running()
    assert not (away.engine.folder / "host-001" / "files").exists()
    for action in ("detached_started", "detached_pulled", "detached_removed"):
        assert len(away.engine.facts_of(action)) == 1, action
    streams = {stream.command_id: stream for stream in sessions.list_streams(away.engine.project, away.session_id)}
    assert "vmstat" in streams["server/linux.vmstat"].tool_version
    assert streams["server/missing"].state is StreamState.FAILED


def test_stopping_ends_it_there_and_brings_what_there_is(away: Away) -> None:
    away.duration_s = 60.0
    session = away.begin()
    until(lambda: host_of(session).state is HostState.CAPTURING)
    until(away.has_samples)
    session.stop()
    assert session.wait(20.0)
    assert away.state is SessionState.FINISHED
    assert away.samples() > 0
    assert not away.running()
    assert not away.place.exists()


def test_a_file_that_reached_its_limit_has_its_gap(away: Away, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline_script, "_SMALLEST_LIMIT_BYTES", 64 << 10)
    away.commands = (planned("flood", "yes 0123456789abcdef", CommandKind.STREAM, nonce=away.nonce),)
    session = away.begin()
    assert session.wait(20.0)
    assert away.stored == [DetachedState.LIMIT_REACHED]
    (gap,) = away.gaps()
    assert (gap.stream, gap.cause, gap.end_ns) == ("server/flood", GapCause.PROCESS_ENDED, None)
    assert "ulimit -f" in gap.evidence
    assert away.samples() > 0
    assert not away.place.exists()


@pytest.mark.parametrize("rebooted", [True, False])
def test_what_a_server_left_that_went_down_is_stored_with_its_gap(away: Away, rebooted: bool) -> None:
    """Killed as one that restarts kills: no end marker, no manifest, another boot."""
    away.duration_s = 60.0
    session = away.begin()
    until(away.has_samples)
    if rebooted:
        (away.place / "boot").write_text("another boot\n")
    away.kill_all()
    session.stop()
    assert session.wait(20.0)
    assert away.state is SessionState.FAILED
    assert away.stored == [DetachedState.REBOOTED if rebooted else DetachedState.DIED]
    assert away.samples() > 0
    gaps = {gap.stream: gap for gap in away.gaps()}
    assert gaps["server/linux.vmstat"].cause is (GapCause.SERVER_REBOOT if rebooted else GapCause.PROCESS_ENDED)
    assert gaps["server/linux.vmstat"].end_ns is None
    assert not away.place.exists()


def test_a_server_that_empties_its_tmp_is_told_and_waited_for_no_longer(away: Away) -> None:
    session = away.begin()
    until(lambda: host_of(session).state is HostState.CAPTURING)
    away.kill_all()
    shutil.rmtree(away.place)
    assert session.wait(20.0)
    assert (host_of(session).state, host_of(session).reason_key) == (HostState.REFUSED, "detached_folder_gone")
    assert away.state is SessionState.FAILED
    assert away.stored == []


def test_a_wrong_checksum_removes_nothing_and_is_fetched_again_when_asked(away: Away) -> None:
    """A cksum that lies while the files are listed."""
    sshd = away.engine.sshd
    session = away.begin()
    until(lambda: not away.running() and (away.place / "manifest").is_file())
    real = shutil.which("cksum")
    sshd.tool("cksum", f'{real} "$@" | sed s/^./9/')
    until(lambda: host_of(session).needs_person)
    assert host_of(session).reason_key == "detached_incomplete"
    assert away.place.is_dir()
    assert away.stored == []
    (sshd.tools / "cksum").unlink()
    session.retry("server")
    assert session.wait(20.0)
    assert (away.state, away.samples() > 0) == (SessionState.FINISHED, True)
    assert not away.place.exists()


def test_a_connection_that_breaks_after_storing_only_cleans_up(away: Away) -> None:
    away.after_store = away.engine.sshd.kill_sessions
    session = away.begin()
    assert session.wait(20.0)
    assert away.stored == [DetachedState.ENDED]
    assert away.state is SessionState.FINISHED
    assert not away.place.exists()
    assert len(away.engine.facts_of("detached_pulled")) == 1


@pytest.mark.parametrize("known", [True, False])
def test_the_program_comes_back_to_what_it_left(away: Away, known: bool) -> None:
    """Also where it ended before it had noted that the script was started."""
    first = away.begin()
    until(lambda: host_of(first).state is HostState.CAPTURING)
    pid = (away.place / "pid").read_text()
    first.close()
    until(lambda: away.state is SessionState.INTERRUPTED)
    if not known:
        (away.engine.folder / "host-001" / STARTED_FILE).unlink()
    sessions.set_session_state(away.engine.project, away.session_id, SessionState.RUNNING)
    second = away.begin()
    until(lambda: host_of(second).state is HostState.CAPTURING)
    assert (away.engine.folder / "host-001" / STARTED_FILE).read_text() == pid
    assert second.wait(20.0)
    assert away.state is SessionState.FINISHED
    assert not away.place.exists()
    assert len(away.engine.facts_of("capture_resumed")) == 1


def test_a_folder_that_was_changed_is_not_gone_on_with(away: Away) -> None:
    first = away.begin()
    until(lambda: host_of(first).state is HostState.CAPTURING)
    first.close()
    path = away.engine.folder / SESSION_FILE
    told = json.loads(path.read_text())
    told["folders"]["server"] = "../elsewhere"
    path.write_text(json.dumps(told))
    connected = len(away.engine.facts_of("ssh_connected"))
    with pytest.raises(UserError, match="capture_session_changed"):
        away.begin()
    assert len(away.engine.facts_of("ssh_connected")) == connected
    assert away.place.exists()


def test_an_upload_that_never_began_is_begun_anew(away: Away) -> None:
    first = away.begin()
    until(lambda: host_of(first).state is HostState.CAPTURING)
    first.close()
    away.kill_all()
    for path in away.place.iterdir():
        if path.name != "run.sh":
            path.unlink()
    (away.engine.folder / "host-001" / STARTED_FILE).unlink()
    second = away.begin()
    until(lambda: host_of(second).state is HostState.CAPTURING)
    assert away.running()
    assert second.wait(20.0)
    assert away.samples() > 0


def test_a_killed_program_is_offered_its_capture_and_fetches_it(
    tmp_path: Path, sshd: Sshd, tunebench: Command, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detached_session, "_GRACE_S", 0.5)
    words = [
        "capture",
        project,
        "--host",
        f"{sshd.user}@{sshd.address}:{sshd.port}",
        "--identity",
        sshd.user_key,
        "--known-hosts",
        sshd.known_hosts,
        "--probe",
        "linux.vmstat",
        "--interval",
        "1",
        "--duration",
        "2",
        "--run",
        "before",
        "--detached",
        "--json",
    ]
    program = subprocess.Popen(
        [sys.executable, str(MAIN), *map(str, words)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    started = project.with_name("acme.capture") / "session-0001" / "host-001" / STARTED_FILE
    until(started.is_file)
    program.kill()
    program.wait(10)
    answer = tunebench("capture", project, "--resume", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["state"] == "finished"
    vmstat = next(s for s in answer.json["hosts"][0]["streams"] if s["probe"] == "linux.vmstat")
    assert vmstat["samples"] > 0
    assert not list(Path("/tmp").glob(f"tunebench-{nonce_of(project)}"))
    assert tunebench("check", project).code == 0


def nonce_of(project: Path) -> str:
    with open_project(project, read_only=True) as known:
        return plans.list_plans(known)[-1].plan.nonce
