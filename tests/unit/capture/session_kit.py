"""Sessions against hosts that do what the test says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tests.unit.capture.scripted_link import NONCE, Play, ScriptedHost, begin
from tunebench.capture.plan_run import RunOrder
from tunebench.capture.session import CaptureSession
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spooled import SpooledSession, read_session
from tunebench.domain.capturing.plan import Approval, CapturePlan, CommandKind, PlannedCommand, PlannedHost
from tunebench.domain.connection import HostKeyQuestion, HostProfile, PromptsQuestion, SecretQuestion
from tunebench.domain.engagement import Phase
from tunebench.plughost.host import PluginHost
from tunebench.store import plans, runs, sessions
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project

SETTINGS = CaptureSettings(
    free_bytes=0,
    backoff_s=(0.1,),
    restart_backoff_s=(0.05,),
    restarts=2,
    drain_s=3.0,
    tick_s=0.02,
    reconnect_after_end_s=0.3,
    clock_every_s=3600.0,
    suspended_s=30.0,
    syncs_per_s=200.0,
)
EVERY_S = 0.02


class Nobody:
    """No person is asked in these tests."""

    def accepts_host_key(self, question: HostKeyQuestion) -> bool:
        return False

    def secret(self, question: SecretQuestion) -> str | None:
        return None

    def answers(self, question: PromptsQuestion) -> Sequence[str] | None:
        return None


def command(
    name: str,
    kind: CommandKind = CommandKind.STREAM,
    interval_s: float | None = 1.0,
    count: int | None = 3600,
    path: str = "",
) -> PlannedCommand:
    return PlannedCommand(
        f"db01/{name}",
        "db01",
        name,
        kind,
        name,
        f"wrapped {name}",
        "ko",
        "en",
        tool=name,
        interval_s=interval_s,
        count=count,
        remote_path=path,
    )


class Kit:
    def __init__(self, project: Project, folder: Path) -> None:
        self.project, self.folder = project, folder
        self.host = ScriptedHost()
        self.commands: list[PlannedCommand] = []
        self.stored: list[Path] = []
        self.open: list[CaptureSession] = []
        self.run_id = runs.ensure_run(project, "before", Phase.BEFORE).id

    def plays(self, name: str, script: Callable[[Play], None], **options: object) -> PlannedCommand:
        planned = command(name, **options)  # type: ignore[arg-type]
        self.commands.append(planned)
        self.host.scripts[planned.verbatim] = script
        return planned

    def plan(self, duration_s: float) -> CapturePlan:
        host = PlannedHost("db01", "192.0.2.1", 22, "oracle", "linux", "survey")
        return CapturePlan(
            NONCE, "2026-11-21T00:00:00+00:00", "before", "before", (host,), tuple(self.commands), 1.0, duration_s
        )

    def session(
        self, duration_s: float = 5.0, settings: CaptureSettings = SETTINGS, **options: object
    ) -> CaptureSession:
        plan = self.plan(duration_s)
        plans.save_plan(self.project, plan)
        plans.approve(self.project, approval(plan))
        session_id = sessions.begin_session(self.project, plan.digest, self.run_id, str(self.folder), "before")
        order = RunOrder(
            self.project,
            session_id,
            plan,
            approval(plan),
            self.folder,
            [PROFILE],
            self.host.connector,
            Nobody(),
            settings,
            "before",
        )
        session = CaptureSession(
            order,
            PluginHost([]),
            store=self.stored.append,
            **options,  # type: ignore[arg-type]
        )
        self.open.append(session)
        return session

    def resumed(self, settings: CaptureSettings = SETTINGS) -> CaptureSession:
        order = replace(self.open[-1].order, settings=settings)
        session = CaptureSession.resume(order, PluginHost([]), store=self.stored.append)
        self.open.append(session)
        return session

    def spooled(self) -> SpooledSession:
        return read_session(self.folder)

    def bytes_of(self, name: str) -> bytes:
        return b"".join(self.spooled().pieces(f"db01/{name}"))

    def numbers(self, name: str) -> list[int]:
        return [int(line.split()[1]) for line in self.bytes_of(name).splitlines() if line.startswith(b"line ")]

    def actions(self) -> list[str]:
        return [entry.action for entry in audit.list_audit(self.project)]


PROFILE = HostProfile("db01", "192.0.2.1", use_config=False)


def approval(plan: CapturePlan) -> Approval:
    return Approval(plan.digest, "Kim", "2026-11-21T00:00:00+00:00", "signed_sheet")


def counts_on() -> Callable[[Play], None]:
    """Numbered lines that go on over restarts, so that a line that came twice is seen."""
    next_line = [0]

    def script(play: Play) -> None:
        play.send(begin("x"))
        while not (play.stopped.is_set() or play.gone.is_set()):
            play.lines(1, EVERY_S, next_line[0])
            next_line[0] += 1
        play.finish(143)

    return script


def stream_of(session: CaptureSession, name: str):
    return next(each for each in session.snapshot().hosts[0].streams if each.id == f"db01/{name}")


def host_of(session: CaptureSession):
    return session.snapshot().hosts[0]
