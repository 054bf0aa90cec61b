"""What the guard ends and removes; no server needed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.processes import read_process
from tests.waiting import wait_until
from tunebench.transport.ssh.ssh_workspace import Workspace, kill_group

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the guard is a POSIX shell")
ENVIRONMENT = {"PATH": os.environ.get("PATH", "")}


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    workspace = Workspace()
    yield workspace
    workspace.close()
    assert wait_until(lambda: not workspace.folder.exists())


def start(workspace: Workspace, line: str) -> subprocess.Popen[bytes]:
    return workspace.start(["/bin/sh", "-c", line], environment=ENVIRONMENT, stderr=subprocess.DEVNULL)


def test_folder_is_private_and_its_sockets_fit(workspace: Workspace) -> None:
    assert workspace.folder.stat().st_mode & 0o777 == 0o700
    assert len(f"{workspace.path('m')}.0123456789abcdef") < 104
    assert workspace.path("m") != workspace.path("m")


@pytest.mark.parametrize("folder", ["/tmp/" + "long/" * 20, "/tmp/with space", "/tmp/per%cent"])
def test_awkward_temporary_folders_are_avoided(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: folder)
    workspace = Workspace()
    workspace.close()
    assert workspace.folder.parent == Path("/tmp")
    assert wait_until(lambda: not workspace.folder.exists())


def test_closing_ends_processes_their_children_and_those_that_ignore_it(workspace: Workspace, tmp_path: Path) -> None:
    gentle = start(workspace, "sleep 300 & sleep 300")
    stubborn = start(workspace, f"trap '' TERM; : >'{tmp_path}/deaf'; while :; do sleep 1; done")
    assert wait_until((tmp_path / "deaf").exists)
    workspace.close()
    assert gentle.wait(60) == -signal.SIGTERM
    assert stubborn.wait(60) == -signal.SIGKILL
    with pytest.raises(OSError, match="closed"):
        start(workspace, "true")


def test_reaped_process_is_forgotten(workspace: Workspace) -> None:
    process = start(workspace, "exit 4")
    assert workspace.reap(process) == 4
    kill_group(process)  # of a process that was waited for, nothing is signalled any more
    assert workspace.reap(start(workspace, "trap '' TERM; sleep 300"), 0.2) == -signal.SIGKILL


def _command_of(pid: int) -> bytes:
    """Empty where the process has gone meanwhile: another test's child may."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def test_lost_guard_does_not_break_the_connection() -> None:
    workspace = Workspace()
    folder = str(workspace.folder).encode()
    guard = next(pid for pid in _children() if b"tunebench-guard" in _command_of(pid) and folder in _command_of(pid))
    os.kill(guard, signal.SIGKILL)
    assert wait_until(lambda: read_process(guard) is None)
    process = start(workspace, "exit 0")
    assert workspace.reap(process) == 0
    workspace.close()
    shutil.rmtree(workspace.folder)


def _children() -> list[int]:
    from tests.e2e.processes import descendants

    return [process.pid for process in descendants(os.getpid())]
