"""Many commands on one link, floods, rekeying, and files pulled whole although the way breaks."""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.e2e.processes import send
from tests.e2e.ssh_people import Desk, Person, Sink
from tests.e2e.sshd_rig import PASSPHRASE, Sshd
from tests.waiting import PATIENCE_S, wait_until
from tunebench.transport.ssh.link import LinkError, LossCause
from tunebench.transport.ssh.pulling import BLOCK_BYTES

MEGABYTE = 1 << 20


def big_file(folder: Path, megabytes: int, name: str = "big file's data") -> Path:
    path = folder / name
    path.write_bytes(os.urandom(MEGABYTE) * megabytes)
    return path


# -- sessions
def test_fourteen_commands_on_a_stock_server_take_a_second_connection(sshd: Sshd, desk: Desk) -> None:
    sshd.restart("MaxSessions 10")
    link, sinks = desk.open(sshd.profile()), [Sink() for _ in range(14)]
    streams = [link.stream("echo ready; exec cat", sink) for sink in sinks]
    assert wait_until(lambda: all(sink.out == b"ready\n" for sink in sinks))
    assert sshd.log.count("Accepted publickey") == 2
    assert link.run("echo more", 5).stdout == b"more\n"
    for stream in streams:
        stream.stop()
    assert wait_until(lambda: all(sink.ends == [(0, "", None)] for sink in sinks))


def test_a_server_with_fewer_sessions_is_learned_from_its_refusal(sshd: Sshd, desk: Desk) -> None:
    sshd.restart("MaxSessions 2")
    link, sinks = desk.open(sshd.profile()), [Sink() for _ in range(5)]
    for sink in sinks:
        link.stream("echo ready; exec cat", sink)
    assert wait_until(lambda: all(sink.out == b"ready\n" for sink in sinks))
    assert sshd.log.count("Accepted publickey") == 3


def test_a_server_that_opens_no_session_at_all_is_told(sshd: Sshd, desk: Desk) -> None:
    sshd.restart("MaxSessions 0")
    link = desk.open(sshd.profile())
    with pytest.raises(LinkError) as failure:
        link.run("true", 5)
    assert (failure.value.key, failure.value.facts["host"]) == ("no_channel", "server")
    assert sshd.log.count("Accepted publickey") <= 2


def test_a_further_connection_asks_nobody(sshd: Sshd, desk: Desk) -> None:
    sshd.restart("MaxSessions 1")
    person = Person(secrets=[PASSPHRASE])
    link = desk.open(sshd.profile(identity=str(sshd.encrypted_key)), person)
    for _ in range(3):
        link.stream("exec cat", Sink())
    assert sshd.log.count("Accepted publickey") == 3 and person.asked == 1


def test_the_loss_of_one_connection_is_the_loss_of_the_link(sshd: Sshd, desk: Desk) -> None:
    sshd.restart("MaxSessions 1")
    link, sinks = desk.open(sshd.profile()), [Sink(), Sink()]
    for sink in sinks:
        link.stream("echo ready; exec cat", sink)
    assert wait_until(lambda: all(sink.out for sink in sinks))  # until then a command may still be called sshd
    send(sshd.session_pids()[-1:], signal.SIGKILL)
    assert desk.watcher.lost.wait(PATIENCE_S)
    assert wait_until(lambda: all(sink.ends for sink in sinks))
    assert [sink.end[2] for sink in sinks] == [LossCause.CLOSED_BY_SERVER] * 2
    assert len(desk.watcher.losses) == 1 and not link.alive


# -- floods
def test_a_flood_on_stderr_and_a_reader_that_stands_still_hold_up_nobody(sshd: Sshd, desk: Desk) -> None:
    link, go_on = desk.open(sshd.profile()), threading.Event()
    flood, held, steady = Sink(), Sink(on_data=lambda _: go_on.wait(10)), Sink()
    try:
        link.stream("dd if=/dev/zero bs=65536 count=128 1>&2 2>/dev/null", flood)
        link.stream("dd if=/dev/zero bs=65536 count=128 2>/dev/null", held)
        link.stream("i=0; while [ $i -lt 20 ]; do i=$((i+1)); echo $i; sleep 0.05; done", steady)
        assert flood.done.wait(PATIENCE_S) and flood.end == (0, "", None) and len(flood.err) == 8 * MEGABYTE
        assert steady.done.wait(PATIENCE_S) and steady.end == (0, "", None) and len(steady.out.split()) == 20
        assert not held.ends
    finally:
        go_on.set()
    assert held.done.wait(PATIENCE_S) and held.end == (0, "", None) and len(held.out) == 8 * MEGABYTE


# -- pulling
@pytest.mark.parametrize("offset", [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, 3 * BLOCK_BYTES + 17, 4 * MEGABYTE])
def test_a_file_is_pulled_from_any_byte_on(sshd: Sshd, desk: Desk, tmp_path: Path, offset: int) -> None:
    path, sink = big_file(tmp_path, 4, 'it\'s a $HOME `x` "file"'), Sink()
    desk.open(sshd.profile()).pull(str(path), offset, sink)
    assert sink.done.wait(PATIENCE_S) and sink.end == (0, "", None)
    assert bytes(sink.out) == path.read_bytes()[offset:]


def test_a_file_is_pulled_below_a_c_shell_too(sshd: Sshd, desk: Desk, accounts, tmp_path: Path) -> None:
    shell = next((path for path in ("/bin/tcsh", "/usr/bin/tcsh", "/bin/csh") if Path(path).exists()), "")
    if not shell:
        pytest.skip("no C shell on this machine")
    account = accounts.add(shell)
    path = big_file(account.home, 1, "it's a $HOME file")
    sink = Sink()
    desk.open(sshd.profile(user=account.name)).pull(str(path), BLOCK_BYTES + 5, sink)
    assert sink.done.wait(PATIENCE_S) and sink.end == (0, "", None)
    assert bytes(sink.out) == path.read_bytes()[BLOCK_BYTES + 5 :]


def test_a_file_that_is_not_there_is_named(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    link = desk.open(sshd.profile())
    for offset in (0, 10 * BLOCK_BYTES):
        sink = Sink()
        link.pull(str(tmp_path / "nowhere"), offset, sink)
        assert sink.done.wait(PATIENCE_S) and sink.end[0] not in {0, None} and b"nowhere" in sink.err and not sink.out


def test_rekeying_in_the_middle_harms_neither_stream_nor_file(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    sshd.restart("RekeyLimit 5M 1s")
    path, link = big_file(tmp_path, 100), desk.open(sshd.profile())
    steady, file = Sink(), Sink()
    link.stream("i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo $i; sleep 0.05; done", steady)
    link.pull(str(path), 0, file)
    assert file.done.wait(30) and file.end == (0, "", None)
    assert hashlib.md5(file.out).digest() == hashlib.md5(path.read_bytes()).digest()
    assert steady.done.wait(30) and steady.end == (0, "", None) and len(steady.out.split()) == 60
    assert steady.longest_gap_s() < 2.0 and not desk.watcher.losses
    assert sshd.log.count("rekey") > 10 or sshd.log.count("SSH2_MSG_NEWKEYS sent") > 10


def test_a_pull_that_breaks_in_the_middle_goes_on_where_it_was(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    path, link = big_file(tmp_path, 40), desk.open(sshd.profile())
    mine = set(sshd.session_pids())
    half = threading.Event()

    def break_at_half(_data: bytes) -> None:
        if len(sink.out) > 20 * MEGABYTE and not half.is_set():
            half.set()
            send(set(sshd.session_pids()) - mine, signal.SIGKILL)

    sink = Sink(on_data=break_at_half)
    link.pull(str(path), 0, sink)
    assert sink.done.wait(PATIENCE_S) and sink.end == (None, "", LossCause.CLOSED_BY_SERVER)
    received = len(sink.out)
    assert 20 * MEGABYTE < received < 40 * MEGABYTE and link.alive and not desk.watcher.losses
    rest = Sink()
    link.pull(str(path), received, rest)
    assert rest.done.wait(PATIENCE_S) and rest.end == (0, "", None)
    assert hashlib.sha256(sink.out + rest.out).digest() == hashlib.sha256(path.read_bytes()).digest()
    told = link.run(f"cksum <{shlex.quote(str(path))}", 10).stdout.split()
    assert int(told[1]) == received + len(rest.out)


def test_a_pull_whose_cat_was_killed_is_not_complete(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    path, link = big_file(tmp_path, 20), desk.open(sshd.profile())
    sink = Sink(on_data=lambda _: send(sshd.running("cat"), signal.SIGKILL))
    link.pull(str(path), 0, sink)
    assert sink.done.wait(PATIENCE_S)
    assert sink.end == (None, "KILL", None) and len(sink.out) < 20 * MEGABYTE
    assert link.alive


def test_several_pulls_share_a_connection_of_their_own(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    path, link = big_file(tmp_path, 2), desk.open(sshd.profile())
    sinks = [Sink() for _ in range(4)]
    for sink in sinks:
        link.pull(str(path), 0, sink)
    assert all(sink.done.wait(PATIENCE_S) and bytes(sink.out) == path.read_bytes() for sink in sinks)
    assert sshd.log.count("Accepted publickey") == 2


def test_closing_in_the_middle_of_a_pull_returns_at_once(sshd: Sshd, desk: Desk, tmp_path: Path) -> None:
    link, begun = desk.open(sshd.profile()), threading.Event()
    sink = Sink(on_data=lambda _: begun.set())
    link.pull(str(big_file(tmp_path, 100)), 0, sink)
    assert begun.wait(PATIENCE_S)
    started_at = time.monotonic()
    link.close()
    assert time.monotonic() - started_at < 5
    assert sink.done.wait(PATIENCE_S) and sink.end[2] is LossCause.CLOSED_BY_US
