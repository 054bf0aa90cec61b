"""The system's ssh as a backend, against a real server: commands, streams, faults, and what is left behind."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.openssh_client import (
    Client,
    Person,
    Sink,
    clean_client,
    left_in,
    needs_ssh,
    our_processes,
    own_temporary_folder,
)
from tests.e2e.processes import descendants, read_process, send
from tests.e2e.sshd_rig import PASSPHRASE, Sshd
from tests.waiting import PATIENCE_S, let_time_pass, wait_until
from tunebench.transport.ssh.link import LinkError, LossCause

pytestmark = needs_ssh


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with own_temporary_folder(monkeypatch) as folder:
        yield folder


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with clean_client(folder) as client:
        yield client


# -- commands


def test_run_gives_outputs_and_status(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile())
    done = link.run("echo out; echo err >&2; exit 3", 5)
    assert (done.stdout, done.stderr, done.exit_status) == (b"out\n", b"err\n", 3)
    assert link.run("exit 255", 5).exit_status == 255
    assert link.run("cat", 5, stdin=b"x" * 300_000).stdout == b"x" * 300_000
    cut = link.run("yes", 5, limit_bytes=1000)
    assert (len(cut.stdout), cut.truncated) == (1000, True)
    assert link.run("kill -9 $$", 5).exit_status is None
    with pytest.raises(LinkError, match="deadline"):
        link.run("sleep 20", 0.4)
    assert link.alive
    assert wait_until(lambda: not sshd.running("yes"))


def test_stream_arrives_as_it_is_written_and_ends_with_its_input(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile())
    sink = Sink()
    stream = link.stream("for i in 1 2 3; do echo $i; sleep 0.3; done; while read -r x; do echo got $x; done", sink)
    assert wait_until(lambda: sink.data.startswith(b"1\n"))
    stream.renew()
    assert wait_until(lambda: sink.data == b"1\n2\n3\n")
    assert not sink.done.is_set()
    stream.stop()
    assert sink.done.wait(PATIENCE_S)
    assert sink.end == (0, "", None)


def test_closed_stream_ends_the_command(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile())
    sink = Sink()
    stream = link.stream("exec cat", sink)
    assert wait_until(lambda: sshd.running("cat"))
    stream.close()
    assert sink.done.wait(PATIENCE_S)
    assert sink.end == (None, "", LossCause.CLOSED_BY_US)
    assert wait_until(lambda: not sshd.running("cat"))
    assert link.alive


def test_flood_on_stderr_does_not_hold_up_others(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile())
    flood, calm = Sink(), Sink()
    link.stream("dd if=/dev/zero bs=65536 count=128 1>&2", flood)
    link.stream("echo calm; exec cat", calm)
    assert flood.done.wait(PATIENCE_S)
    assert flood.end == (0, "", None)
    assert len(flood.errors) >= 128 * 65536
    assert calm.data == b"calm\n"


@pytest.mark.parametrize(("server_limit", "own_limit", "connections"), [(3, 8, 3), (10, 4, 2)])
def test_sessions_beyond_the_limit_go_through_further_connections(
    sshd: Sshd, client: Client, server_limit: int, own_limit: int, connections: int
) -> None:
    sshd.restart(f"MaxSessions {server_limit}")
    link = client.connect(sshd.profile(), session_limit=own_limit)
    sinks = [Sink() for _ in range(7)]
    for sink in sinks:
        link.stream("echo here; exec cat", sink)
    assert wait_until(lambda: all(sink.data == b"here\n" for sink in sinks))
    assert sshd.log.split("Server listening")[-1].count("Accepted publickey") == connections
    link.close()
    assert all(sink.done.wait(PATIENCE_S) for sink in sinks)
    assert {sink.end for sink in sinks} == {(None, "", LossCause.CLOSED_BY_US)}
    assert not client.watcher.losses


def test_end_of_a_further_connection_is_the_end_of_all(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile(), session_limit=1)
    first, second = Sink(), Sink()
    link.stream("echo here; exec cat", first)
    before = set(sshd.session_pids())
    link.stream("echo here; exec cat", second)
    assert wait_until(lambda: first.data and second.data)
    send(set(sshd.session_pids()) - before, signal.SIGKILL)
    assert first.done.wait(PATIENCE_S)
    assert second.done.wait(PATIENCE_S)
    assert wait_until(lambda: len(client.watcher.losses) == 1)
    assert not link.alive


def test_server_without_sessions(sshd: Sshd, client: Client) -> None:
    sshd.restart("MaxSessions 0")
    link = client.connect(sshd.profile())
    with pytest.raises(LinkError, match="no_channel"):
        link.run("true", 5)


def test_pull_of_200_mb_is_complete_and_resumes(sshd: Sshd, client: Client, tmp_path: Path) -> None:
    path = tmp_path / "it's big"
    piece = os.urandom(1 << 20)
    with path.open("wb") as file:
        for number in range(200):
            file.write(number.to_bytes(4, "big") + piece[4:])
    link = client.connect(sshd.profile())
    sink = Sink()
    link.pull(str(path), 0, sink)
    assert sink.done.wait(60)
    assert sink.end == (0, "", None)
    assert hashlib.sha256(sink.data).digest() == hashlib.sha256(path.read_bytes()).digest()
    offset = (150 << 20) + 12345
    rest = Sink()
    link.pull(str(path), offset, rest)
    assert rest.done.wait(30)
    assert rest.data == sink.data[offset:]
    missing = Sink()
    link.pull(str(tmp_path / "missing"), 0, missing)
    assert missing.done.wait(PATIENCE_S)
    assert missing.end is not None
    assert missing.end[0] not in {0, None}
    assert b"missing" in missing.errors


# -- faults


def test_killed_session_is_noticed_at_once(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile())
    sink = Sink()
    link.stream("echo go; exec cat", sink)
    assert wait_until(lambda: sink.data)
    since = time.monotonic()
    sshd.kill_sessions()
    assert client.watcher.lost.wait(PATIENCE_S)
    assert time.monotonic() - since < 5
    assert client.watcher.losses[0][0] in {LossCause.CLOSED_BY_SERVER, LossCause.NETWORK_LOST}
    assert sink.done.wait(PATIENCE_S)
    assert sink.end is not None
    assert sink.end[2] in {LossCause.CLOSED_BY_SERVER, LossCause.NETWORK_LOST}
    assert not link.alive
    with pytest.raises(LinkError, match="lost"):
        link.run("true", 5)


def test_frozen_server_is_noticed_and_was_answering_before(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile())
    sink = Sink()
    link.stream("exec cat", sink)
    assert wait_until(lambda: len(client.watcher.round_trips_s) >= 2)
    assert all(0 <= seconds < 5 for seconds in client.watcher.round_trips_s)
    since = time.monotonic()
    sshd.freeze()
    assert client.watcher.lost.wait(PATIENCE_S)
    took_s = time.monotonic() - since
    sshd.thaw()
    assert 5 < took_s < 20
    assert client.watcher.losses[0][0] is LossCause.NETWORK_LOST
    assert sink.done.wait(PATIENCE_S)
    assert sink.end == (None, "", LossCause.NETWORK_LOST)
    assert not link.alive


def test_close_returns_at_once_even_when_the_server_is_frozen(sshd: Sshd, client: Client) -> None:
    link = client.connect(sshd.profile())
    sink = Sink()
    link.stream("exec cat", sink)
    sshd.freeze()
    since = time.monotonic()
    link.close()
    assert time.monotonic() - since < 3
    assert sink.done.wait(PATIENCE_S)
    assert sink.end == (None, "", LossCause.CLOSED_BY_US)
    assert wait_until(lambda: not our_processes())
    sshd.thaw()


CHILD = textwrap.dedent("""
    import sys, time
    sys.path.insert(0, {root!r})
    from tests.e2e.openssh_client import Client, Sink
    from tunebench.domain.connection import HostProfile
    client = Client()
    link = client.connect(HostProfile(**{profile!r}))
    sink = Sink()
    link.stream("echo go; exec cat", sink)
    link.stream("exec sleep 300", Sink())
    while not sink.data:
        time.sleep(0.01)
    print("ready", flush=True)
    time.sleep(60)
""")


def test_nothing_is_left_when_the_program_is_killed(sshd: Sshd, folder: Path) -> None:
    values = {
        "name": "server",
        "address": sshd.address,
        "port": sshd.port,
        "user": sshd.user,
        "identity": str(sshd.user_key),
        "use_config": False,
        "user_known_hosts": str(sshd.known_hosts),
    }
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(root=str(ROOT), profile=values)],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    try:
        assert child.stdout is not None
        with child.stdout as output:
            assert output.readline() == b"ready\n"
            started = [process.pid for process in descendants(child.pid)]
            assert len(started) >= 4
            assert left_in(folder)
            child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.wait(10)
    assert wait_until(lambda: not any(read_process(pid) for pid in started))
    assert wait_until(lambda: not left_in(folder))
    assert wait_until(lambda: not sshd.running("cat"))
    assert wait_until(lambda: not sshd.session_pids())


def test_many_connections_leave_no_thread_and_no_descriptor(sshd: Sshd, client: Client) -> None:
    def count() -> tuple[int, int]:
        return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))

    client.connect(sshd.profile()).close()
    assert wait_until(lambda: not our_processes())
    let_time_pass(0.3, "threads of the first connection end after its processes")
    before = count()
    for _ in range(6):
        link = client.connect(sshd.profile())
        link.run("true", 5)
        link.close()
    assert wait_until(lambda: count() <= before), (before, count())


def test_the_secret_is_in_no_argument_and_no_environment(sshd: Sshd, client: Client) -> None:
    seen: list[bytes] = []

    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            for process in descendants(os.getpid()):
                for name in ("cmdline", "environ"):
                    try:
                        seen.append(Path(f"/proc/{process.pid}/{name}").read_bytes())
                    except OSError:
                        continue
            let_time_pass(0.005, "the look of a process list, again and again")

    looker = threading.Thread(target=look)
    looker.start()
    try:
        client.connect(sshd.profile(identity=str(sshd.encrypted_key)), Person(secret=PASSPHRASE))
    finally:
        stop.set()
        looker.join()
    assert any(b"askpass" in text for text in seen)
    assert not any(PASSPHRASE.encode() in text for text in seen)
