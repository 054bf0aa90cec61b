"""A whole session against hosts that do what the test says: states, gaps, restarts, resuming."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.capture.journal import JournalKind, JournalWriter
from app.capture.session import CaptureSession
from app.capture.settings import CaptureSettings
from app.capture.spooled import SESSION_FOLDER, SpooledSession, read_session, unfinished
from app.core.errors import UserError
from app.domain.capture_plan import Approval, CapturePlan, CommandKind, PlannedCommand, PlannedHost
from app.domain.capture_run import GapCause, HostState, SessionState, StreamState
from app.domain.connection import HostKeyQuestion, HostProfile, PromptsQuestion, SecretQuestion
from app.domain.engagement import Engagement, Phase
from app.plughost.host import PluginHost
from app.store import audit, plans, runs, sessions
from app.store.project import Project, create_project
from app.transport.ssh.link import LinkError, LossCause
from tests.unit.capture.scripted_link import NONCE, Play, ScriptedHost, begin

pytestmark = pytest.mark.alone  # counts by the tenth of a second
SETTINGS = CaptureSettings(
    free_bytes=0, backoff_s=(0.1,), restart_backoff_s=(0.05,), restarts=2, drain_s=3.0, tick_s=0.02,
    reconnect_after_end_s=0.3, clock_every_s=3600.0, suspended_s=30.0, syncs_per_s=200.0,
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
    name: str, kind: CommandKind = CommandKind.STREAM, interval_s: float | None = 1.0, count: int | None = 3600,
    path: str = "",
) -> PlannedCommand:
    return PlannedCommand(
        f"db01/{name}", "db01", name, kind, name, f"wrapped {name}", "ko", "en", tool=name, interval_s=interval_s,
        count=count, remote_path=path,
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
        session = CaptureSession(
            self.project, session_id, plan, approval(plan), self.folder, [PROFILE], self.host.connector, Nobody(),
            PluginHost([]), settings=settings, store=self.stored.append, label="before", **options,  # type: ignore[arg-type]
        )
        self.open.append(session)
        return session

    def resumed(self, settings: CaptureSettings = SETTINGS) -> CaptureSession:
        session = CaptureSession.resume(
            self.project, self.open[-1].session_id, self.folder, [PROFILE], self.host.connector, Nobody(),
            PluginHost([]), settings=settings, store=self.stored.append,
        )
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


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    with create_project(tmp_path / "acme.tune", Engagement("ACME", "ACME")) as project:
        made = Kit(project, tmp_path / "spool")
        yield made
        for session in made.open:
            session.close()
        made.host.join()


def until(condition: Callable[[], object], timeout_s: float = 60.0) -> None:
    end_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.01)


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
    time.sleep(0.3)
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
    time.sleep(0.4)
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
        play.lines(10, 0.1, first[0])
        first[0] += 10
        play.finish(143 if play.stopped.is_set() else 0)

    kit.plays("vmstat", counts, interval_s=0.1, count=10)
    session = kit.session(duration_s=3.0)
    session.start()
    assert session.wait(60.0)
    assert kit.host.sent.count("wrapped vmstat") == 3
    assert kit.spooled().all_gaps() == []
    numbers = kit.numbers("vmstat")
    assert numbers == list(range(len(numbers)))
    assert len(numbers) >= 28


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
    shorter = CaptureSession(
        kit.project, session.session_id, session.plan, approval(session.plan), kit.folder, [PROFILE],
        kit.host.connector, Nobody(), PluginHost([]), settings=SETTINGS, duration_s=40.0,
    )
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
    other = CaptureSession(
        kit.project, session.session_id, changed, approval(session.plan), kit.folder, [PROFILE], kit.host.connector,
        Nobody(), PluginHost([]), settings=SETTINGS,
    )
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


@pytest.mark.parametrize(("change", "field"), [
    (other_line, "plan"),
    (lambda raw: raw["approval"].update(approved_by="CISO"), "approval"),
    (lambda raw: raw.update(planned_end_ns=raw["planned_end_ns"] + 60 * 10**9), "planned_end_ns"),
    (lambda raw: raw.update(started_ns=raw["started_ns"] + 60 * 10**9), "started_ns"),
    (lambda raw: raw["folders"].update(db01="../elsewhere"), "folders"),
    (lambda raw: raw.update(session_id=7), "session_id"),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
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


def snapshot(exit_status: int = 0) -> Callable[[Play], None]:
    def script(play: Play) -> None:
        play.send(begin("x") + (b"calls: 1\n" if exit_status == 0 else b""))
        play.finish(exit_status)

    return script


def test_what_is_asked_at_both_ends_alone_is_asked_again_at_the_approved_end(kit: Kit) -> None:
    kit.plays("snapshot", snapshot(), kind=CommandKind.ONCE, interval_s=None, count=None)
    kit.plays("activity", says_and_ends(), kind=CommandKind.LOOP, interval_s=1.0, count=1)
    session = kit.session(duration_s=2.0)
    asked_ns: list[int] = []
    kit.host.scripts["wrapped snapshot"] = lambda play: (asked_ns.append(time.time_ns()), snapshot()(play))[0]
    session.start()
    assert session.wait(10.0)
    assert len(asked_ns) == 2
    assert asked_ns[0] < session.snapshot().planned_end_ns <= asked_ns[1]


def says_and_ends() -> Callable[[Play], None]:
    def script(play: Play) -> None:
        play.send(begin("x") + b"load 1\n")
        play.finish(0)

    return script


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


def test_a_file_that_was_cut_off_goes_on_where_it_stopped(kit: Kit) -> None:
    content = bytes(range(256)) * 100
    pulled = command("sa21", CommandKind.PULL, None, None, "/var/log/sa/sa21")
    kit.commands.append(pulled)

    def first(play: Play) -> None:
        play.send(content[:10_000])
        time.sleep(0.1)
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
