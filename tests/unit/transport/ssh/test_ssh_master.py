"""What the connection to a hop is asked about the way on; a shell stands in for ssh."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tunebench.domain.connection import Hop
from tunebench.transport.ssh.link import Deadlines, LinkError
from tunebench.transport.ssh.openssh_backend import _Way
from tunebench.transport.ssh.ssh_log import Phase, SshLog
from tunebench.transport.ssh.ssh_master import Master
from tunebench.transport.ssh.ssh_workspace import Workspace

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a POSIX shell")
FORBIDDEN = "channel 3: open failed: administratively prohibited: open failed"


@pytest.fixture
def seen_beyond() -> Iterator[Callable[[str], LinkError]]:
    """What a connection that closes behind a hop is told as, when the hop's ssh does as the line says."""
    workspace = Workspace()
    environment = {"PATH": os.environ.get("PATH", "")}

    def see(line: str) -> LinkError:
        process = workspace.start(["/bin/sh", "-c", line], environment=environment)
        log = SshLog(phase=Phase.OPEN)
        gate = Master("kim@gate", workspace, process, workspace.path("m"), log, Deadlines())
        host: Any = SimpleNamespace(hops=[Hop(name, 22, "kim", name) for name in ("gate", "db")])
        way: Any = SimpleNamespace(masters=[gate], host=host)
        return _Way._as_seen_from_hop(way, LinkError("lost", detail="Connection closed by UNKNOWN port 65535"), 1)

    yield see
    workspace.close()


def test_a_hop_whose_words_come_a_moment_later_is_heard(seen_beyond: Callable[[str], LinkError]) -> None:
    error = seen_beyond(f"sleep 0.3; echo '{FORBIDDEN}' >&2; sleep 60")
    assert (error.key, error.final, error.facts) == ("hop_failed", True, {"hop": "gate", "cause": FORBIDDEN})


def test_a_hop_that_ends_is_not_waited_for(seen_beyond: Callable[[str], LinkError]) -> None:
    error = seen_beyond("echo 'Connection to gate closed by remote host.' >&2")
    assert (error.key, error.facts["cause"]) == ("hop_failed", "Connection to gate closed by remote host.")


def test_a_hop_that_says_nothing_leaves_it_a_lost_connection(seen_beyond: Callable[[str], LinkError]) -> None:
    assert seen_beyond("sleep 60").key == "lost"
