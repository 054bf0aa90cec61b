"""A window with an engagement, an approved plan of a few seconds, and a real OpenSSH server that it is run against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.capture_rig import SETTINGS
from tests.e2e.sshd_rig import Sshd, missing
from tunebench.domain.capturing.plan import CaptureMode, CapturePlan, Schedule
from tunebench.domain.capturing.run import HostState, StreamState
from tunebench.domain.capturing.views import HostView, SessionView, StreamView
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Engagement, Phase
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.frame.main_window import MainWindow
from tunebench.usecases import projects
from tunebench.usecases.capturing import connections
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.capturing.plans import PlanDraft

Approve = Callable[..., CapturePlan]
ENDS_MS = 25_000


@pytest.fixture
def server() -> Iterator[Sshd]:
    if reason := missing():
        pytest.skip(reason)
    made = Sshd().start()
    made.know_host()
    yield made
    made.remove()


@pytest.fixture
def db01(server: Sshd) -> HostProfile:
    return server.profile(name="db01", os="linux")


@pytest.fixture
def live_controller(window: MainWindow, tmp_path: Path) -> Iterator[CaptureController]:
    """The controller of a window with an open engagement; it is patient for as long as a test may be."""
    project = projects.create(tmp_path / "acme.tune", Engagement("2026 tuning", "ACME"))
    projects.close(project)
    controller = CaptureController.of(window.workspace)
    controller.settings = SETTINGS
    assert window.controller.open(tmp_path / "acme.tune")
    yield controller
    window.controller.close()


@pytest.fixture
def approve(live_controller: CaptureController, window: MainWindow, db01: HostProfile) -> Approve:
    """Drafts, keeps and approves a plan for db01."""

    def plan(
        duration_s: float = 60.0,
        probes: tuple[str, ...] = ("linux.vmstat",),
        run: str = "before",
        mode: CaptureMode = CaptureMode.LIVE,
        schedule: Schedule | None = None,
        **changes: Any,
    ) -> CapturePlan:
        project = window.workspace.opened
        hosts = (connections.save_profile(project, db01),) if not changes else (HostProfile(**changes),)
        made = capture_plans.draft(
            project,
            PlanDraft(
                hosts=hosts,
                probes={"": probes},
                run=run,
                phase=Phase.BEFORE,
                duration_s=duration_s,
                schedule=schedule or Schedule(),
                mode=mode,
            ),
        )
        capture_plans.keep(project, made, hosts)
        capture_plans.approve(project, made, "Kim", "signed_sheet")
        return made

    return plan


def only_view(controller: CaptureController) -> SessionView:
    (view,) = controller.views
    return view


def host_of(controller: CaptureController) -> HostView:
    return only_view(controller).hosts[0]


def stream_of(controller: CaptureController, probe: str = "linux.vmstat") -> StreamView:
    return next(stream for stream in host_of(controller).streams if stream.probe == probe)


def is_capturing(controller: CaptureController, probe: str = "linux.vmstat", lines: int = 3) -> bool:
    """Whether so many lines have come."""
    return (
        bool(controller.views)
        and host_of(controller).state is HostState.CAPTURING
        and (
            stream_of(controller, probe).state is StreamState.CAPTURING and stream_of(controller, probe).lines >= lines
        )
    )
