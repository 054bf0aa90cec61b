"""Fixtures of the capture page's tests: an empty engagement on the plan tab, and real servers to connect to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import sshd_rig
from tests.e2e.sshd_rig import Sshd
from tests.ui.plan_controller import Controller
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Engagement
from tunebench.ui.workspace import Workspace
from tunebench.usecases import projects
from tunebench.usecases.capturing import connections


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's own ssh files."""
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True, mode=0o700)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def controller(qtbot: Any, workspace: Workspace, tmp_path: Path, home: Path) -> Iterator[Controller]:
    made = Controller(qtbot, workspace)
    made.open(projects.create(tmp_path / "acme.tune", Engagement("2026 tuning", "ACME", zone="Asia/Seoul")))
    yield made
    made.close()


@pytest.fixture
def read_only(controller: Controller) -> Controller:
    """The same engagement with a host that was saved before, opened so that nothing can be written."""
    connections.save_profile(controller.project, HostProfile("db01", "db01.example", os="linux"))
    path = controller.project.path
    projects.close(controller.project)
    controller.open(projects.open_(path, read_only=True))
    return controller


@pytest.fixture
def make_sshd() -> Iterator[Callable[..., Sshd]]:
    reason = sshd_rig.missing()
    if reason:
        pytest.skip(reason)
    made: list[Sshd] = []

    def make() -> Sshd:
        made.append(Sshd())
        return made[-1]

    yield make
    for server in made:
        server.remove()


@pytest.fixture
def sshd(make_sshd: Callable[..., Sshd]) -> Sshd:
    """A running server whose key nobody knows yet."""
    server = make_sshd()
    server.forget_host()
    return server.start()
