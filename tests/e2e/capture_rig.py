"""A capture session against the real server: plan, project, settings, and what came of it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.e2e.processes import command_line, processes
from tests.e2e.sshd_rig import Sshd
from tests.waiting import PATIENCE_S, until
from tunebench.capture.house_commands import clock_line, leftovers_line, survey_line
from tunebench.capture.plan_run import RunOrder
from tunebench.capture.session import CaptureSession
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spooled import SpooledSession, read_session
from tunebench.capture.wrapper import wrap
from tunebench.domain.capturing.plan import Approval, CapturePlan, CommandKind, PlannedCommand, PlannedHost
from tunebench.domain.capturing.views import HostView, StreamView
from tunebench.domain.connection import HostKeyQuestion, HostProfile, PromptsQuestion, SecretQuestion
from tunebench.domain.engagement import Engagement, Phase
from tunebench.plughost.host import PluginHost
from tunebench.store import plans, runs, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.opening import create_project
from tunebench.store.project import Project
from tunebench.transport.ssh import connector_for
from tunebench.transport.ssh.link import Deadlines, LinkSettings

NONCE = secrets.token_hex(4)  # of this run of the tests: another one beside it is not ours
DEADLINES = Deadlines(
    connect_s=5.0, banner_s=5.0, auth_s=8.0, channel_s=4.0, probe_interval_s=1.0, probe_allowance_s=3.0
)
SETTINGS = CaptureSettings(
    free_bytes=0,
    backoff_s=(0.3, 0.5, 1.0),
    restart_backoff_s=(0.2,),
    restarts=2,
    drain_s=8.0,
    tick_s=0.1,
    reconnect_after_end_s=10.0,
    suspended_s=5.0,
    run_deadline_s=10.0,
    link=LinkSettings(DEADLINES, use_keyring=False),
)


class Nobody:
    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        return False

    def secret(self, question: SecretQuestion) -> str | None:
        return None

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        return None


def planned(
    name: str,
    tool_line: str,
    kind: CommandKind = CommandKind.STREAM,
    *,
    interval_s: float | None = 1.0,
    count: int | None = 600,
    parser: str = "",
    host: str = "server",
    lease_s: int = 20,
    path: str = "",
    nonce: str = NONCE,
    bare: bool = False,
) -> PlannedCommand:
    command_id = f"{host}/{name}"
    line = (
        tool_line
        if bare
        else wrap(
            tool_line,
            command_id=command_id,
            nonce=nonce,
            os="linux",
            kind=kind,
            interval_s=interval_s,
            count=count,
            lease_s=lease_s,
            nice=0,
        )
    )
    return PlannedCommand(
        command_id,
        host,
        name,
        kind,
        tool_line,
        line,
        "ko",
        "en",
        parser=parser,
        tool=tool_line.split(maxsplit=1)[0],
        interval_s=interval_s,
        count=count,
        remote_path=path,
    )


def house(host: str = "server", nonce: str = NONCE) -> list[PlannedCommand]:
    lines = [
        ("survey", survey_line(nonce)),
        ("clock", clock_line(nonce, "linux")),
        ("leftovers", leftovers_line(nonce, "linux")),
    ]
    return [
        planned(
            f"house.{name}",
            line,
            CommandKind.HOUSE,
            interval_s=None,
            count=None,
            host=host,
            nonce=nonce,
            bare=name != "leftovers",
        )
        for name, line in lines
    ]


def ours(nonce: str = NONCE) -> list[int]:
    """Living processes that carry the capture's mark on their command line."""
    return [process.pid for process in processes() if f"cap{nonce}" in command_line(process.pid)]


class Engine:
    """Makes sessions in one project and ends them all."""

    def __init__(self, folder: Path, sshd: Sshd) -> None:
        self.sshd = sshd
        self.folder = folder / "spool"
        self.project_path = folder / "acme.tune"
        self.project: Project = create_project(self.project_path, Engagement("ACME", "ACME"))
        self.commands: list[PlannedCommand] = house()
        self.plugins = PluginHost()
        self.open: list[CaptureSession] = []

    def plan(self, duration_s: float, lease_s: int = 20) -> CapturePlan:
        host = PlannedHost("server", self.sshd.address, self.sshd.port, self.sshd.user, "linux", "survey")
        return CapturePlan(
            NONCE,
            "2026-11-21T00:00:00+00:00",
            "before",
            "before",
            (host,),
            tuple(self.commands),
            1.0,
            duration_s,
            lease_s=lease_s,
        )

    def begin(self, duration_s: float = 60.0, lease_s: int = 20, **options: Any) -> CaptureSession:
        session = self.prepare(duration_s, lease_s, **options)
        session.start()
        return session

    def prepare(self, duration_s: float = 60.0, lease_s: int = 20, **options: Any) -> CaptureSession:
        """Approved, and yet to be started."""
        plan = self.plan(duration_s, lease_s)
        plans.save_plan(self.project, plan)
        approval = Approval(plan.digest, "Kim", "2026-11-21T00:00:00+00:00", "signed_sheet")
        plans.approve(self.project, approval)
        run = runs.ensure_run(self.project, "before", Phase.BEFORE)
        session_id = sessions.begin_session(self.project, plan.digest, run.id, str(self.folder), "before")
        order = RunOrder(
            self.project,
            session_id,
            plan,
            approval,
            self.folder,
            [self.profile()],
            connector,
            Nobody(),
            options.pop("settings", SETTINGS),
            "before",
        )
        session = CaptureSession(order, self.plugins, **options)
        self.open.append(session)
        return session

    def resume(self, **options: Any) -> CaptureSession:
        order = replace(self.open[-1].order, settings=options.pop("settings", SETTINGS))
        session = CaptureSession.resume(order, self.plugins, **options)
        self.open.append(session)
        session.start()
        return session

    def profile(self) -> HostProfile:
        return self.sshd.profile()

    def spooled(self) -> SpooledSession:
        return read_session(self.folder)

    def bytes_of(self, name: str) -> bytes:
        return b"".join(self.spooled().pieces(f"server/{name}"))

    def numbers(self, name: str) -> list[int]:
        return [int(line.split()[1]) for line in self.bytes_of(name).splitlines() if line.startswith(b"line ")]

    def facts_of(self, action: str) -> list[dict[str, object]]:
        return [entry.facts for entry in audit.list_audit(self.project) if entry.action == action]

    def close(self) -> None:
        for session in self.open:
            session.close()
        self.project.close()


def connector(profile: HostProfile) -> Any:
    return connector_for(profile.backend, tuple)


def host_of(session: CaptureSession) -> HostView:
    return session.snapshot().hosts[0]


def stream_of(session: CaptureSession, name: str) -> StreamView:
    return next(stream for stream in host_of(session).streams if stream.id == f"server/{name}")


def gain(session: CaptureSession, name: str, lines: int = 2, timeout_s: float = PATIENCE_S) -> None:
    """Waits until so many more lines came."""
    before = stream_of(session, name).lines
    until(lambda: stream_of(session, name).lines >= before + lines, timeout_s)


def end(session: CaptureSession, timeout_s: float = PATIENCE_S) -> None:
    session.stop()
    assert session.wait(timeout_s), "the session does not end"
