"""How a session ends: at the approved end, with nothing; and how one that was cut off does not go on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.capture.scripted_link import Play, begin
from tests.unit.capture.session_kit import SETTINGS, Kit, command, counts_on, host_of, stream_of
from tests.waiting import until
from tunebench.capture.journal import JournalKind, JournalWriter
from tunebench.capture.session import CaptureSession
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spooled import SESSION_FOLDER, read_session
from tunebench.capture.stream import allowed_bytes
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import CapturePlan, CommandKind
from tunebench.domain.capturing.run import GapCause, HostState, SessionState, StreamState
from tunebench.store import sessions
from tunebench.transport.ssh.link import Finished, LinkError

# -- a folder that says something else -----------------------------------------------------------------


def cut_off(kit: Kit) -> CaptureSession:
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=60.0)
    session.start()
    until(lambda: stream_of(session, "vmstat").lines > 2)
    session.close()
    return session


def other_line(raw: dict[str, Any]) -> None:
    """As in a plan that was approved: with its own digest."""
    plan = CapturePlan.from_json(raw["plan"])
    changed = replace(plan, commands=(replace(plan.commands[0], verbatim="touch /tmp/x"), *plan.commands[1:]))
    raw["plan"], raw["approval"]["digest"] = changed.to_json(), changed.digest


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (other_line, "plan"),
        (lambda raw: raw["approval"].update(approved_by="CISO"), "approval"),
        (lambda raw: raw.update(planned_end_ns=raw["planned_end_ns"] + 60 * 10**9), "planned_end_ns"),
        (lambda raw: raw.update(started_ns=raw["started_ns"] + 60 * 10**9), "started_ns"),
        (lambda raw: raw["folders"].update(db01="../elsewhere"), "folders"),
        (lambda raw: raw.update(session_id=7), "session_id"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_changed_folder_is_not_resumed_and_nothing_is_sent(
    kit: Kit, change: Callable[[dict[str, Any]], None], field: str
) -> None:
    cut_off(kit)
    captured = kit.bytes_of("vmstat")
    sent = list(kit.host.sent)
    path = kit.folder / "session.json"
    raw = json.loads(path.read_text())
    change(raw)
    path.write_text(json.dumps(raw))
    with pytest.raises(UserError) as refusal:
        kit.resumed()
    assert refusal.value.key == "capture_session_changed"
    assert field in str(refusal.value.facts["fields"])
    assert kit.host.sent == sent
    left = read_session(kit.folder, kit.open[0].plan)
    assert b"".join(left.pieces("db01/vmstat")) == captured


def test_a_resumed_capture_ends_when_the_project_says(kit: Kit) -> None:
    """The journal beside the project tells of an end that nobody recorded in the audit trail."""
    session = cut_off(kit)
    planned_end_ns = session.snapshot().planned_end_ns
    writer = JournalWriter(kit.folder / SESSION_FOLDER)
    event = {"event": "extended", "planned_end_ns": planned_end_ns + 60 * 10**9}
    writer.append(JournalKind.EVENT, "", 0, 0, json.dumps(event).encode())
    writer.close()
    assert kit.spooled().file.planned_end_ns > planned_end_ns
    assert kit.resumed().snapshot().planned_end_ns // 10**6 == planned_end_ns // 10**6


# -- the approved end ----------------------------------------------------------------------------------


def snapshot(exit_status: int = 0) -> Callable[[Play], None]:
    def script(play: Play) -> None:
        play.send(begin("x") + (b"calls: 1\n" if exit_status == 0 else b""))
        play.finish(exit_status)

    return script


def test_what_is_asked_at_both_ends_alone_is_asked_again_at_the_approved_end(kit: Kit) -> None:
    asked_ns: list[int] = []

    def noted(play: Play) -> None:
        asked_ns.append(time.time_ns())
        snapshot()(play)

    kit.plays("snapshot", noted, kind=CommandKind.ONCE, interval_s=None, count=None)
    kit.plays("activity", snapshot(), kind=CommandKind.LOOP, interval_s=1.0, count=1)
    session = kit.session(duration_s=2.0)
    session.start()
    assert session.wait(10.0)
    assert len(asked_ns) == 2
    assert asked_ns[0] < session.snapshot().planned_end_ns <= asked_ns[1]


def test_what_told_nothing_at_the_start_is_not_waited_for(kit: Kit) -> None:
    kit.plays("snapshot", snapshot(exit_status=1), kind=CommandKind.ONCE, interval_s=None, count=None)
    session = kit.session(duration_s=60.0)
    session.start()
    assert session.wait(10.0)
    assert stream_of(session, "snapshot").state is StreamState.FAILED
    assert session.snapshot().state is SessionState.FAILED


# -- nothing came --------------------------------------------------------------------------------------


def refused_by_the_shell(play: Play) -> None:
    """A restricted login shell: noise of its own on both streams, and no begin marker."""
    play.send(b"Welcome\n")
    play.sink.complained(b"rbash: line 1: exec: restricted\n", time.time_ns())
    play.over(1)


@pytest.mark.parametrize("script", [refused_by_the_shell, snapshot(exit_status=1)], ids=["shell", "tool"])
def test_a_capture_that_got_nothing_has_failed_and_misses_its_whole_window(
    kit: Kit, script: Callable[[Play], None]
) -> None:
    kit.plays("vmstat", script)
    session = kit.session(duration_s=30.0)
    session.start()
    assert session.wait(10.0)
    view = session.snapshot()
    assert (view.state, view.message_key) == (SessionState.FAILED, "capture_got_nothing")
    assert stream_of(session, "vmstat").state is StreamState.FAILED
    (gap,) = kit.spooled().all_gaps()
    assert (gap.start_ns, gap.end_ns, gap.cause) == (view.started_ns, None, GapCause.PROCESS_ENDED)
    assert sessions.find_session(kit.project, session.session_id).state is SessionState.FAILED


def test_a_loop_whose_tool_says_nothing_has_failed(kit: Kit) -> None:
    """Its rounds are stamped by us; the stamps are no samples."""

    def rounds(play: Play) -> None:
        play.send(begin("x") + b"@tunebench at 2026-11-21T03:00:00Z\n")
        play.stopped.wait(10.0)
        play.finish(143)

    kit.plays("activity", rounds, kind=CommandKind.LOOP)
    kit.plays("vmstat", counts_on())
    session = kit.session(duration_s=1.0)
    session.start()
    assert session.wait(10.0)
    assert stream_of(session, "activity").state is StreamState.FAILED
    assert stream_of(session, "activity").error_key == "capture_without_output"
    assert stream_of(session, "vmstat").state is not StreamState.FAILED
    assert session.snapshot().state is SessionState.FINISHED
    assert [gap.stream for gap in kit.spooled().all_gaps()] == ["db01/activity"]


def test_what_was_never_started_misses_its_whole_window(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    kit.host.refusals = [LinkError("auth_failed", final=True)]
    session = kit.session(duration_s=30.0)
    session.start()
    until(lambda: host_of(session).state is HostState.REFUSED)
    session.stop(reason="nobody_to_ask")
    assert session.wait(10.0)
    (gap,) = kit.spooled().all_gaps()
    assert (gap.end_ns, gap.cause) == (None, GapCause.NOT_STARTED)
    assert session.snapshot().state is SessionState.FAILED


# -- a server that does not stop -----------------------------------------------------------------------

MIB = 1 << 20
LITTLE = replace(SETTINGS, unplanned_bytes=MIB, unplanned_bytes_per_s=0, queue_bytes=MIB)


def endless(complains: bool, text: bytes = b"y\n") -> Callable[[Play], None]:
    def script(play: Play) -> None:
        play.send(begin("x"))
        while not play.gone.is_set():  # whatever it is told
            (play.sink.complained if complains else play.sink.received)(text * 16384, time.time_ns())

    return script


def kept_bytes(kit: Kit) -> int:
    return sum(path.stat().st_size for path in kit.folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("complains", [False, True])
@pytest.mark.parametrize("kind", [CommandKind.STREAM, CommandKind.ONCE])
def test_output_without_end_stops_at_its_bound(kit: Kit, kind: CommandKind, complains: bool) -> None:
    kit.plays("vmstat", endless(complains), kind=kind)
    session = kit.session(duration_s=60.0, settings=LITTLE)
    session.start()
    assert session.wait(30.0)
    stream = stream_of(session, "vmstat")
    assert stream.error_key == "capture_floods"
    assert stream.error_facts["size"] == (0 if complains else pytest.approx(1024, abs=64))
    assert session.snapshot().state is SessionState.FAILED
    assert kept_bytes(kit) < 1.1 * MIB
    assert kit.host.sent.count("wrapped vmstat") == 1
    if kind is CommandKind.STREAM:
        (gap,) = [gap for gap in kit.spooled().all_gaps() if gap.stream == "db01/vmstat"]
        assert (gap.cause, gap.end_ns) == (GapCause.LIMIT_REACHED, None)


def test_a_line_without_end_is_not_waited_for(kit: Kit) -> None:
    kit.plays("vmstat", endless(False, text=b"yy"))
    session = kit.session(duration_s=60.0, settings=replace(SETTINGS, queue_bytes=MIB))
    session.start()
    assert session.wait(30.0)
    assert stream_of(session, "vmstat").error_key == "capture_line_endless"
    assert MIB // 2 < kept_bytes(kit) < 1.1 * MIB


def test_what_is_over_before_anybody_looks_is_not_called_whole(kit: Kit) -> None:
    """The command ended well by itself, but its output was not taken to the end."""

    def much(play: Play) -> None:
        play.send(begin("x"))
        for _ in range(64):
            play.sink.received(b"y\n" * 16384, time.time_ns())
        play.finish()

    kit.plays("inventory", much, kind=CommandKind.ONCE, interval_s=None, count=None)
    session = kit.session(duration_s=60.0, settings=replace(LITTLE, tick_s=5.0))
    session.start()
    assert session.wait(30.0)
    assert stream_of(session, "inventory").error_key == "capture_floods"


@pytest.mark.parametrize(
    ("interval_s", "bytes_per_s", "elapsed_s", "allowed"),
    [
        (1.0, 147.0, 0.0, MIB),  # vmstat: at least a mebibyte
        (1.0, 147.0, 9.0, 10 * MIB),  # and as much in every round: a large host has a thousand disks
        (1.0, 600_000.0, 9.0, 4 * 600_000 * 10),  # else four times what the plan expects
        (10.0, 54.0, 0.0, MIB),
        (60.0, None, 0.0, 16 * MIB + 4 * 65_536 * 60),  # a snapshot of a database, whose size no plan tells
        (86_400.0, 16.0, 0.0, 256 * MIB),  # recorded days
        (None, 57_720.0, 1.0, 16 * MIB + 4 * 57_720),
    ],
)
def test_the_bound_follows_from_the_plan(
    interval_s: float | None, bytes_per_s: float | None, elapsed_s: float, allowed: float
) -> None:
    planned = replace(command("x", interval_s=interval_s), bytes_per_s=bytes_per_s)
    assert allowed_bytes(planned, elapsed_s, CaptureSettings()) == allowed


def test_a_tool_that_says_as_much_as_planned_is_no_flood(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    kit.commands[0] = replace(kit.commands[0], bytes_per_s=float(1 << 16))
    session = kit.session(duration_s=1.0, settings=replace(SETTINGS, round_bytes=0))
    session.start()
    assert session.wait(10.0)
    assert stream_of(session, "vmstat").state is not StreamState.FAILED


def test_an_answer_without_end_is_not_believed(kit: Kit) -> None:
    kit.plays("vmstat", counts_on())
    survey = replace(command("house.survey", CommandKind.HOUSE, None, None), verbatim="survey")
    kit.commands.append(survey)
    kit.host.answers["survey"] = Finished(b"@survey os=Linux\n@survey end=1\n", b"", None, truncated=True)
    session = kit.session(duration_s=30.0)
    session.start()
    until(lambda: host_of(session).state is HostState.REFUSED)
    assert host_of(session).reason_key == "capture_endless_answer"
    assert "wrapped vmstat" not in kit.host.sent


def test_what_came_from_a_host_is_for_nobody_else_to_read(kit: Kit) -> None:
    kit.folder = kit.folder / "case.capture" / "session-0001"
    session = cut_off(kit)
    folders = [session.folder, session.folder.parent, *(path for path in session.folder.rglob("*") if path.is_dir())]
    assert {path.stat().st_mode & 0o777 for path in folders} == {0o700}
