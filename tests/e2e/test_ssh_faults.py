"""What may happen to a connection that stands: killed, frozen, cut off, slow; and to the commands on it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest

from tests.e2e.network_rig import Network, SlowRelay
from tests.e2e.processes import read_process, send
from tests.e2e.ssh_people import Desk, Sink, Watcher
from tests.e2e.sshd_rig import Sshd
from tests.waiting import PATIENCE_S, let_time_pass, wait_until
from tunebench.transport.ssh.link import Deadlines, LinkError, LinkSettings, LossCause

QUICK = LinkSettings(deadlines=Deadlines(probe_interval_s=0.4, probe_allowance_s=1.2))
LINES = "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo line $i; sleep 0.1; done"


def started(desk: Desk, sshd: Sshd, settings: LinkSettings | None = None) -> tuple[Sink, Watcher]:
    """A stream that has sent a first line."""
    sink, watcher = Sink(), Watcher()
    desk.open(sshd.profile(), settings=settings, watcher=watcher).stream(LINES, sink)
    assert wait_until(lambda: b"line 1\n" in sink.out)
    return sink, watcher


# -- the connection
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_killed_session_is_lost_at_once(sshd: Sshd, desk: Desk, number: signal.Signals) -> None:
    sink, watcher = started(desk, sshd)
    killed_at = time.monotonic()
    sshd.kill_sessions(number)
    assert watcher.lost.wait(PATIENCE_S) and watcher.lost_at - killed_at < 5.0
    assert [cause for cause, _ in watcher.losses] == [LossCause.CLOSED_BY_SERVER]
    assert sink.done.wait(PATIENCE_S) and sink.end == (None, "", LossCause.CLOSED_BY_SERVER)
    assert bytes(sink.out).endswith(b"\n") and not desk.links[0].alive
    with pytest.raises(LinkError) as failure:
        desk.links[0].run("true", 5)
    assert (failure.value.key, failure.value.final) == ("lost", False)


def test_after_a_loss_the_next_connection_has_nothing_of_the_old_one(sshd: Sshd, desk: Desk) -> None:
    sink, watcher = started(desk, sshd)
    sshd.kill_sessions()
    assert watcher.lost.wait(PATIENCE_S) and sink.done.wait(PATIENCE_S)
    before = bytes(sink.out)
    again, _ = started(desk, sshd)
    assert again.out.startswith(b"line 1\n") and bytes(sink.out) == before


def test_a_frozen_server_is_lost_by_its_silence(sshd: Sshd, desk: Desk) -> None:
    """With the deadlines as shipped: 2 s until the next probe, 6 s for its answer."""
    sink, watcher = started(desk, sshd)
    frozen_at = time.monotonic()
    sshd.freeze()
    assert watcher.lost.wait(PATIENCE_S)
    assert 5.5 < watcher.lost_at - frozen_at < 20.0
    assert [cause for cause, _ in watcher.losses] == [LossCause.NETWORK_LOST]
    assert sink.done.wait(PATIENCE_S) and sink.end[2] is LossCause.NETWORK_LOST


def test_a_frozen_server_holds_up_no_caller(sshd: Sshd, desk: Desk) -> None:
    link = desk.open(sshd.profile(), settings=LinkSettings(deadlines=Deadlines(channel_s=0.5)))
    sshd.freeze()
    for call in (lambda: link.run("true", 0.5), lambda: link.stream("true", Sink())):
        started_at = time.monotonic()
        with pytest.raises(LinkError) as failure:
            call()
        assert failure.value.key == "deadline" and time.monotonic() - started_at < 5.0
    closing_at = time.monotonic()
    link.close()
    assert time.monotonic() - closing_at < 5.0


def test_a_server_that_thaws_in_time_is_not_lost(sshd: Sshd, desk: Desk) -> None:
    sink, watcher = started(desk, sshd, LinkSettings(deadlines=Deadlines(probe_interval_s=0.4, probe_allowance_s=4.0)))
    sshd.freeze()
    let_time_pass(1.5, "several probes go unanswered, for less than the allowance")
    sshd.thaw()
    seen = len(sink.out)
    assert wait_until(lambda: len(sink.out) > seen and max(watcher.round_trips) > 0.5)
    assert not watcher.losses and not sink.ends


def test_dropped_packets_are_lost_within_the_probes_allowance(network: Network, make_sshd, desk: Desk) -> None:
    sink, watcher = started(desk, make_sshd(network.address, network.prefix).start(), QUICK)
    cut_at = time.monotonic()
    network.drop_everything()
    assert watcher.lost.wait(PATIENCE_S) and watcher.lost_at - cut_at < 6.0
    assert [cause for cause, _ in watcher.losses] == [LossCause.NETWORK_LOST]
    assert sink.done.wait(PATIENCE_S) and sink.end[2] is LossCause.NETWORK_LOST


def test_losing_every_fifth_packet_and_a_second_of_delay_lose_no_line(
    network: Network, make_sshd: Callable[..., Sshd], desk: Desk
) -> None:
    sshd = make_sshd(network.address, network.prefix).start()
    relay = SlowRelay((network.address, sshd.port))
    sshd.known_hosts.write_text(sshd.known_hosts.read_text().replace(network.address, "*").replace(str(sshd.port), "*"))
    try:
        link = desk.open(sshd.profile(address=relay.address, port=relay.port))
        network.lose(0.2)
        relay.delay_s = 0.5
        sink = Sink()
        link.stream(LINES.replace("1000", "40"), sink)
        assert sink.done.wait(30.0)
        assert sink.end == (0, "", None)
        assert bytes(sink.out).split() == [word for i in range(1, 41) for word in (b"line", b"%d" % i)]
        assert not desk.watcher.losses and max(desk.watcher.round_trips) > 0.9
    finally:
        desk.close()
        relay.remove()


def test_probes_are_answered_and_timed(sshd: Sshd, desk: Desk) -> None:
    desk.open(sshd.profile(), settings=QUICK)
    assert wait_until(lambda: len(desk.watcher.round_trips) >= 3)
    assert all(0 < seconds < 0.5 for seconds in desk.watcher.round_trips)


def test_closing_sets_every_reader_free_and_is_no_loss(sshd: Sshd, desk: Desk) -> None:
    sink, watcher = started(desk, sshd)
    desk.links[0].close()
    assert sink.done.wait(PATIENCE_S) and sink.end == (None, "", LossCause.CLOSED_BY_US)
    let_time_pass(0.3, "a loss would be told a moment later")
    assert not watcher.losses


# -- the command
@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("echo out; echo wrong >&2; exit 3", 3, b"wrong"),
        ("no-such-tool 1", 127, b"not found"),
        ("{forbidden}", 126, b"ermission denied"),
    ],
)
def test_a_command_that_fails_tells_how_and_disturbs_no_other(sshd, desk, command, status, words) -> None:
    forbidden = sshd.tool("forbidden", "echo never")
    forbidden.chmod(0o644)
    other, watcher = started(desk, sshd)
    sink = Sink()
    desk.links[0].stream(command.format(forbidden=forbidden), sink)
    assert sink.done.wait(PATIENCE_S) and sink.end == (status, "", None)
    assert words in sink.err
    seen = len(other.out)
    assert wait_until(lambda: len(other.out) > seen) and not other.ends and not watcher.losses


def test_a_killed_command_tells_the_signal_and_disturbs_no_other(sshd: Sshd, desk: Desk) -> None:
    other, watcher = started(desk, sshd)
    sink = Sink()
    desk.links[0].stream("exec tail -f /dev/null", sink)
    assert wait_until(lambda: sshd.running("tail"))
    send(sshd.running("tail"), signal.SIGKILL)
    assert sink.done.wait(PATIENCE_S) and sink.end == (None, "KILL", None)
    seen = len(other.out)
    assert wait_until(lambda: len(other.out) > seen) and not other.ends and not watcher.losses


def test_of_two_streams_one_is_dropped_and_the_other_goes_on(sshd: Sshd, desk: Desk) -> None:
    other, _ = started(desk, sshd)
    sink = Sink()
    stream = desk.links[0].stream("exec cat", sink)
    assert wait_until(lambda: sshd.running("cat"))
    (pid,) = sshd.running("cat")
    stream.close()
    assert sink.done.wait(PATIENCE_S) and sink.end == (None, "", LossCause.CLOSED_BY_US)
    assert wait_until(lambda: read_process(pid) is None)
    seen = len(other.out)
    assert wait_until(lambda: len(other.out) > seen) and not other.ends


def test_the_end_of_input_stops_and_a_byte_renews(sshd: Sshd, desk: Desk) -> None:
    link, sink = desk.open(sshd.profile()), Sink()
    stream = link.stream("wc -c", sink)
    for _ in range(3):
        stream.renew()
    stream.stop()
    assert sink.done.wait(PATIENCE_S) and sink.end == (0, "", None) and sink.out.split() == [b"3"]


# -- run
def test_a_command_is_run_with_input_status_and_both_outputs(sshd: Sshd, desk: Desk) -> None:
    link = desk.open(sshd.profile())
    done = link.run("cat; echo complaint >&2; exit 7", 5, stdin=b"given\n")
    assert (done.stdout, done.stderr, done.exit_status, done.truncated) == (b"given\n", b"complaint\n", 7, False)


def test_without_input_it_stays_open_until_the_command_ends(sshd: Sshd, desk: Desk) -> None:
    """A wrapped command takes the end of its input for the order to stop."""
    link = desk.open(sshd.profile())
    assert link.run("read -t 0.3 x; echo $?", 5).stdout.strip() not in {b"0", b"1"}


def test_a_command_that_takes_too_long_is_dropped(sshd: Sshd, desk: Desk) -> None:
    link, started_at = desk.open(sshd.profile()), time.monotonic()
    with pytest.raises(LinkError) as failure:
        link.run("exec cat", 0.5)
    assert (failure.value.key, failure.value.facts["seconds"]) == ("deadline", "0.5")
    assert time.monotonic() - started_at < 5.0
    assert wait_until(lambda: not sshd.running("cat"))


def test_output_beyond_the_limit_is_cut_and_said_so(sshd: Sshd, desk: Desk) -> None:
    done = desk.open(sshd.profile()).run("yes", 10, limit_bytes=100_000)
    assert done.truncated and done.stdout == b"y\n" * 50_000 and done.exit_status is None
    assert wait_until(lambda: not sshd.running("yes"))
