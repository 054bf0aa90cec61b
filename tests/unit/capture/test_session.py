"""A whole session against hosts that do what the test says: states, gaps, restarts, resuming."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.unit.capture.scripted_link import Play, begin
from tests.unit.capture.session_kit import EVERY_S, SETTINGS, Kit, command, counts_on, host_of, stream_of
from tests.waiting import let_time_pass, until
from tunebench.capture.session import CaptureSession
from tunebench.capture.spooled import unfinished
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import GapCause, HostState, SessionState, StreamState
from tunebench.plughost.host import PluginHost
from tunebench.store import sessions
from tunebench.store.audit import trail as audit
from tunebench.transport.ssh.link import LinkError, LossCause

pytestmark = pytest.mark.alone  # counts by the tenth of a second


# -- the whole way -------------------------------------------------------------------------------------


def test_captures_until_the_planned_end_and_stores(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=1.0)
    session.start()
    assert session.wait(60.0)
    view = session.snapshot()
    assert view.state is SessionState.FINISHED
    assert view.hosts[0].state is HostState.DONE
    assert view.hosts[0].streams[0].state is StreamState.ENDED
    assert view.message_key == ""
    numbers = kit.numbers("vmstat")
    assert len(numbers) > 10
    assert numbers == list(range(len(numbers)))
    assert kit.stored == [kit.folder]
    assert kit.spooled().finished
    assert unfinished(kit.folder) is None
    assert sessions.find_session(kit.project, session.session_id).state is SessionState.FINISHED


def test_what_a_stopped_tool_cost_there_is_not_known(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=0.5)
    session.start()
    assert session.wait(60.0)
    stream = stream_of(session, "vmstat")
    assert stream.exit_status == 143
    assert stream.cpu_s is None
    assert host_of(session).overhead_pct is None


def test_measures_what_it_cost_there(kit: Kit) -> None:
    def script(play: Play) -> None:
        play.send(begin("x"))
        play.lines(20, EVERY_S, 0)
        play.finish(0)

    kit.plays("vmstat", script)
    session = kit.session(duration_s=0.5)
    session.start()
    assert session.wait(60.0)
    stream = stream_of(session, "vmstat")
    starts = kit.actions().count("capture_command")
    assert stream.cpu_s == pytest.approx(0.2 * starts)  # the four figures of each end marker
    assert stream.exit_status == 0
    overhead = host_of(session).overhead_pct
    assert overhead is not None
    assert 100 * stream.cpu_s / 4.0 < overhead < 100 * stream.cpu_s / 0.3  # of the time that it ran


def test_the_trail_says_what_was_sent_and_how_it_ended(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=0.5)
    session.start()
    assert session.wait(60.0)
    actions = kit.actions()
    wanted = ["capture_started", "ssh_connected", "capture_command", "capture_command_ended", "capture_stopped"]
    assert [action for action in actions if action in wanted] == wanted
    rows = {entry.action: entry.facts for entry in audit.list_audit(kit.project)}
    assert rows["capture_command"]["verbatim"] == "wrapped vmstat"
    assert rows["capture_command_ended"]["pid"] == 4711
    assert rows["capture_command_ended"]["exit_status"] == 143
    assert rows["ssh_connected"]["fingerprint"] == "SHA256:abc"


# -- losing the connection -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "cause"),
    [(LossCause.NETWORK_LOST, GapCause.NETWORK_LOST), (LossCause.CLOSED_BY_SERVER, GapCause.KILLED_BY_SERVER)],
)
def test_a_lost_connection_is_a_gap_and_comes_back(kit: Kit, loss: LossCause, cause: GapCause) -> None:
    kit.plays("vmstat", counts_on())
    kit.plays("iostat", counts_on())
    session = kit.session()
    session.start()
    until(lambda: stream_of(session, "vmstat").lines > 5 and stream_of(session, "iostat").lines > 5)
    kit.host.lose(loss)
    until(lambda: len(kit.host.links) == 2 and stream_of(session, "vmstat").state is StreamState.CAPTURING)
    lines = stream_of(session, "vmstat").lines
    until(lambda: stream_of(session, "vmstat").lines > lines + 5)
    session.stop()
    assert session.wait(60.0)
    gaps = kit.spooled().all_gaps()
    assert sorted((gap.stream, gap.cause) for gap in gaps) == [("db01/iostat", cause), ("db01/vmstat", cause)]
    assert all(gap.end_ns is not None and gap.end_ns >= gap.start_ns for gap in gaps)
    numbers = kit.numbers("vmstat")
    assert numbers == sorted(set(numbers))
    assert b"cut\n" in kit.bytes_of("vmstat")
    assert kit.actions().count("capture_gap") == 2
    assert kit.actions().count("ssh_connected") == 2


def test_tries_again_with_growing_pauses_until_it_answers(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    kit.host.refusals = [LinkError("unreachable"), LinkError("connect_timeout"), LinkError("refused")]
    session = kit.session()
    session.start()
    until(lambda: host_of(session).state is HostState.WAITING)
    assert host_of(session).reason_key.startswith("ssh.")
    assert host_of(session).next_try_s is not None
    until(lambda: stream_of(session, "vmstat").lines > 2)
    assert host_of(session).reason_key == ""


def test_a_refused_host_waits_for_a_person(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    kit.host.refusals = [LinkError("auth_failed", final=True)]
    session = kit.session()
    session.start()
    until(lambda: host_of(session).state is HostState.REFUSED)
    let_time_pass(0.3, "it would have knocked again by now")
    assert not kit.host.links
    assert host_of(session).needs_person
    assert host_of(session).reason_key == "ssh.auth_failed"
    session.retry("db01")
    until(lambda: stream_of(session, "vmstat").lines > 2)
    assert "ssh_refused" in kit.actions()


def test_a_refused_host_ends_with_the_session(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    kit.host.refusals = [LinkError("auth_failed", final=True)]
    session = kit.session(duration_s=0.5)
    session.start()
    assert session.wait(60.0)
    assert host_of(session).state is HostState.REFUSED
    assert stream_of(session, "vmstat").state is StreamState.FAILED
    assert stream_of(session, "vmstat").error_key == "ssh.auth_failed"


def test_a_host_that_needs_a_code_is_not_knocked_at(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    kit.host.reconnects_alone = False
    session = kit.session()
    session.start()
    until(lambda: stream_of(session, "vmstat").lines > 2)
    kit.host.lose()
    until(lambda: host_of(session).state is HostState.WAITING)
    let_time_pass(0.4, "it would have knocked again by now")
    assert len(kit.host.links) == 1
    assert host_of(session).needs_person
    assert host_of(session).next_try_s is None
    session.retry("db01")
    until(lambda: len(kit.host.links) == 2 and host_of(session).state is HostState.CAPTURING)


def test_more_commands_than_channels_open_another_connection(kit: Kit) -> None:
    kit.host.channels = 2
    for number in range(5):
        kit.plays(f"tool{number}", counts_on())
    session = kit.session()
    session.start()
    until(lambda: all(stream.lines > 2 for stream in host_of(session).streams))
    assert len(kit.host.links) == 3


# -- commands that end ---------------------------------------------------------------------------------


def test_a_tool_that_is_not_there_fails_alone(kit: Kit) -> None:
    def missing(play: Play) -> None:
        play.send(begin("x"))
        play.sink.complained(b"sh: nmon: not found\n", time.time_ns())
        play.finish(127)

    kit.plays("nmon", missing)
    kit.plays("vmstat", counts_on())
    session = kit.session()
    session.start()
    until(lambda: stream_of(session, "nmon").state is StreamState.FAILED)
    failed = stream_of(session, "nmon")
    assert failed.error_key == "capture_tool_missing"
    assert failed.error_facts["stderr"] == "sh: nmon: not found"
    lines = stream_of(session, "vmstat").lines
    until(lambda: stream_of(session, "vmstat").lines > lines + 5)
    assert kit.host.sent.count("wrapped nmon") == 1


def test_no_permission_is_not_tried_again(kit: Kit) -> None:
    def denied(play: Play) -> None:
        play.send(begin("x"))
        play.sink.complained(b"iotop: Permission denied\n", time.time_ns())
        play.finish(1)

    kit.plays("iotop", denied)
    session = kit.session()
    session.start()
    until(lambda: stream_of(session, "iotop").state is StreamState.FAILED)
    assert stream_of(session, "iotop").error_key == "capture_no_permission"
    assert kit.host.sent.count("wrapped iotop") == 1


def test_a_command_that_dies_is_started_again_and_leaves_a_gap(kit: Kit) -> None:
    starts = []

    def dies_once(play: Play) -> None:
        starts.append(play)
        play.send(begin("x", pid=len(starts)))
        if len(starts) == 1:
            play.lines(5, EVERY_S)
            play.sink.complained(b"terminated by somebody\n", time.time_ns())
            play.finish(143)
        else:
            play.lines(1000, EVERY_S, 5)
            play.finish(143)

    kit.plays("vmstat", dies_once)
    session = kit.session()
    session.start()
    until(lambda: len(starts) == 2 and stream_of(session, "vmstat").lines > 8)
    session.stop()
    assert session.wait(60.0)
    (gap,) = kit.spooled().all_gaps()
    assert gap.cause is GapCause.PROCESS_ENDED
    assert gap.evidence == "exit 143; terminated by somebody"


def test_a_command_that_keeps_dying_is_given_up(kit: Kit) -> None:
    def dies(play: Play) -> None:
        play.send(begin("x"))
        play.lines(2, EVERY_S)
        play.finish(3)

    kit.plays("vmstat", dies)
    session = kit.session()
    session.start()
    until(lambda: stream_of(session, "vmstat").state is StreamState.FAILED)
    assert stream_of(session, "vmstat").error_key == "capture_keeps_ending"
    assert kit.host.sent.count("wrapped vmstat") == 1 + SETTINGS.restarts
    assert session.wait(60.0)  # nothing is left to wait for


def test_a_count_that_is_reached_is_a_seam_and_no_gap(kit: Kit) -> None:
    first = [0]

    def counts(play: Play) -> None:
        play.send(begin("x"))
        play.lines(2, 1.0, first[0])
        first[0] += 2
        play.finish(143 if play.stopped.is_set() else 0)

    kit.plays("vmstat", counts, interval_s=1.0, count=2)  # half a second is left to a busy machine at each seam
    session = kit.session(duration_s=7.0)
    session.start()
    assert session.wait(60.0)
    assert kit.host.sent.count("wrapped vmstat") == 3
    assert kit.spooled().all_gaps() == []
    numbers = kit.numbers("vmstat")
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= 5


def rounds(numbers: list[float], number: int, every_s: float) -> Callable[[Play], None]:
    """A loop as the wrapper runs it: the last round is over at once. `numbers`: when each round was, seconds."""

    def play(play: Play) -> None:
        play.send(begin("x"))
        for position in range(number):
            if position and play.stopped.wait(every_s):
                break
            numbers.append(time.monotonic())
            play.send(b"line %d\n" % len(numbers))
        play.finish(143 if play.stopped.is_set() else 0)

    return play


@pytest.mark.parametrize("number", [1, 2])
def test_a_loop_that_came_to_its_count_goes_on_an_interval_after_its_last_round(kit: Kit, number: int) -> None:
    told: list[float] = []
    kit.plays("df", rounds(told, number, 0.6), kind=CommandKind.LOOP, interval_s=0.6, count=number)
    session = kit.session(duration_s=3.0)
    session.start()
    assert session.wait(60.0)
    steps = [later - earlier for earlier, later in pairwise(told)]
    assert 4 <= len(told) <= 5
    assert steps == pytest.approx([0.6] * len(steps), abs=0.2)
    assert kit.spooled().all_gaps() == []


def test_a_tool_whose_interval_is_longer_than_its_start_is_not_begun_again_and_again(kit: Kit) -> None:
    """One row since boot, and it is over: the next one is due an interval later."""
    told: list[float] = []
    kit.plays("vmstat", rounds(told, 1, 0.0), interval_s=0.6, count=1)
    session = kit.session(duration_s=2.0)
    session.start()
    assert session.wait(60.0)
    assert len(told) <= 3


def test_stopping_between_two_starts_of_a_loop_leaves_no_gap(kit: Kit) -> None:
    told: list[float] = []
    kit.plays("df", rounds(told, 1, 0.0), kind=CommandKind.LOOP, interval_s=10.0, count=1)
    session = kit.session(duration_s=60.0)
    session.start()
    until(lambda: stream_of(session, "df").state is StreamState.WAITING)
    session.stop()
    assert session.wait(60.0)
    assert len(told) == 1
    assert kit.spooled().all_gaps() == []


def test_a_loss_between_two_starts_of_a_loop_neither_begins_it_early_nor_makes_a_gap(kit: Kit) -> None:
    told: list[float] = []
    kit.plays("df", rounds(told, 1, 0.0), kind=CommandKind.LOOP, interval_s=1.0, count=1)
    session = kit.session(duration_s=3.0)
    session.start()
    until(lambda: stream_of(session, "df").state is StreamState.WAITING)
    kit.host.lose()
    assert session.wait(60.0)
    assert told[1] - told[0] > 0.9
    assert kit.spooled().all_gaps() == []


# -- what a person does --------------------------------------------------------------------------------


def test_stopping_one_stream_leaves_the_others(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    kit.plays("iostat", counts_on())
    session = kit.session()
    session.start()
    until(lambda: all(stream.lines > 2 for stream in host_of(session).streams))
    session.stop(stream="db01/iostat")
    until(lambda: stream_of(session, "iostat").state is StreamState.ENDED)
    lines = stream_of(session, "vmstat").lines
    until(lambda: stream_of(session, "vmstat").lines > lines + 5)
    session.stop()
    assert session.wait(60.0)
    assert kit.spooled().all_gaps() == []


def test_marks_are_kept_with_their_moment(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session()
    session.start()
    before_ns = time.time_ns()
    mark = session.mark("색인 생성 14:32", "Kim")
    assert before_ns <= mark.time_ns <= time.time_ns()
    session.stop()
    assert session.wait(60.0)
    assert kit.spooled().marks == [mark]
    assert session.snapshot().marks == (mark,)


def test_longer_than_approved_needs_another_sheet(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=100.0, starts_ns=None)
    session.start()
    with pytest.raises(UserError) as refusal:
        session.extend(60)
    assert refusal.value.key == "capture_extend_not_approved"


def test_a_shorter_run_may_be_extended_to_what_was_approved(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    plan_s = 100.0
    session = kit.session(duration_s=plan_s)
    session.close()
    shorter = CaptureSession(session.order, PluginHost([]), duration_s=40.0)
    kit.open.append(shorter)
    shorter.start()
    before_ns = shorter.snapshot().planned_end_ns
    shorter.extend(60)
    assert shorter.snapshot().planned_end_ns == before_ns + 60 * 10**9
    with pytest.raises(UserError):
        shorter.extend(1)
    shorter.close()
    assert kit.spooled().file.planned_end_ns == before_ns + 60 * 10**9


def test_another_plan_than_the_approved_one_does_not_start(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session()
    changed = replace(session.plan, nice=0)
    other = CaptureSession(replace(session.order, plan=changed), PluginHost([]))
    with pytest.raises(UserError) as refusal:
        other.start()
    assert refusal.value.key == "plan_not_approved"
    assert not kit.host.links
    assert "command_refused" in kit.actions()


def test_a_session_for_later_waits(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=1.0, starts_ns=time.time_ns() + 500_000_000)
    session.start()
    until(lambda: host_of(session).state is HostState.SCHEDULED)
    assert not kit.host.links
    assert session.wait(60.0)
    assert len(kit.numbers("vmstat")) > 5


# -- the machine and the disk --------------------------------------------------------------------------


def test_little_free_space_ends_it_with_a_message(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(settings=replace(SETTINGS, free_bytes=1 << 60))
    session.start()
    assert session.wait(60.0)
    assert session.snapshot().message_key == "capture_disk_low"
    assert kit.stored == [kit.folder]


def test_what_was_left_is_resumed_with_a_gap(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=8.0)
    session.start()
    until(lambda: stream_of(session, "vmstat").lines > 5)
    session.close()
    assert sessions.find_session(kit.project, session.session_id).state is SessionState.INTERRUPTED
    left = unfinished(kit.folder)
    assert left is not None
    assert left.window_is_open
    assert [(gap.stream, gap.cause, gap.end_ns) for gap in left.all_gaps()] == [
        ("db01/vmstat", GapCause.CLIENT_CRASH, None)
    ]
    again = kit.resumed()
    again.start()
    until(lambda: stream_of(again, "vmstat").lines > left.streams["db01/vmstat"].lines + 5)
    again.stop()
    assert again.wait(60.0)
    (gap,) = kit.spooled().all_gaps()
    assert gap.cause is GapCause.CLIENT_CRASH
    assert gap.end_ns is not None
    numbers = kit.numbers("vmstat")
    assert numbers == sorted(set(numbers))
    assert kit.stored == [kit.folder]
    assert "capture_resumed" in kit.actions()


def test_what_is_finished_is_not_resumed(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=0.3)
    session.start()
    assert session.wait(60.0)
    with pytest.raises(UserError) as refusal:
        kit.resumed()
    assert refusal.value.key == "capture_already_finished"


# -- once and files ------------------------------------------------------------------------------------


def test_an_inventory_is_taken_at_both_ends(kit: Kit) -> None:
    def inventory(play: Play) -> None:
        play.send(begin("x") + b"@tunebench at 2026-11-21T03:00:00Z\nMemTotal: 1\n")
        play.finish(0)

    kit.plays("lscpu", inventory, kind=CommandKind.ONCE, interval_s=None, count=None)
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=1.0)
    session.start()
    assert session.wait(60.0)
    assert kit.bytes_of("lscpu").count(b"MemTotal") == 2
    sent = kit.host.sent
    assert sent.index("wrapped vmstat") < len(sent) - 1
    assert sent[-1] == "wrapped lscpu"


def test_a_file_that_was_cut_off_goes_on_where_it_stopped(kit: Kit) -> None:
    content = bytes(range(256)) * 100
    pulled = command("sa21", CommandKind.PULL, None, None, "/var/log/sa/sa21")
    kit.commands.append(pulled)

    def first(play: Play) -> None:
        play.send(content[:10_000])
        let_time_pass(0.1, "what was sent is on the disk")
        kit.host.lose()

    def rest(play: Play) -> None:
        play.send(content[10_000:])
        play.over(0)

    kit.host.scripts["pull /var/log/sa/sa21 0"] = first
    kit.host.scripts["pull /var/log/sa/sa21 10000"] = rest
    session = kit.session(duration_s=0.3, settings=replace(SETTINGS, reconnect_after_end_s=5.0))
    kit.plays("vmstat", counts_on())
    session.start()
    assert session.wait(60.0)
    assert kit.bytes_of("sa21") == content
    assert stream_of(session, "sa21").state is StreamState.ENDED
