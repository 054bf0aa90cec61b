"""The controller that runs captures for a window: against a real sshd where something is captured."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.ui.capture_rig import ENDS_MS, Approve, host_of, is_capturing, only_view
from tests.waiting import let_window_live
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import Schedule, ScheduleKind
from tunebench.domain.capturing.run import SessionState
from tunebench.domain.engagement import Phase
from tunebench.domain.experiments.records import Experiment, Factor, Level, Response, TrialState
from tunebench.store import runs
from tunebench.store.opening import open_project
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.experiments.experiment_controller import ExperimentController
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.capturing import collecting, connections
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.capturing.plans import PlanDraft
from tunebench.usecases.experiments import applying, planning, reading
from tunebench.usecases.experiments import runs as experiment_runs

FAR = (datetime.now(UTC) + timedelta(hours=2)).isoformat(timespec="seconds")


def test_a_workspace_has_one_desk(workspace: Workspace) -> None:
    controller = CaptureController.of(workspace)
    assert CaptureController.of(workspace) is controller
    assert not controller.busy
    assert controller.views == ()


def test_a_plan_runs_to_its_end_and_is_stored(
    qtbot: Any, live_controller: CaptureController, window: MainWindow, approve: Approve
) -> None:
    plan = approve(3.0)
    with qtbot.waitSignal(live_controller.finished, timeout=ENDS_MS) as ended:
        live_controller.start(plan.digest, "before, morning")
        qtbot.waitUntil(lambda: live_controller.running, timeout=60_000)
        assert only_view(live_controller).label == "before, morning"
    (view,) = ended.args
    assert view.state is SessionState.FINISHED
    assert not live_controller.running
    assert live_controller.is_over(view.session_id)
    overview = window.workspace.overview
    assert overview is not None
    assert [each.run.label for each in overview.runs] == ["before"]
    assert overview.samples > 0
    live_controller.dismiss(view.session_id)
    assert live_controller.views == ()


def test_others_may_write_while_trials_run_and_not_beside_other_captures(
    qtbot: Any, live_controller: CaptureController, window: MainWindow, approve: Approve
) -> None:
    project, plan = window.workspace.opened, approve(2.0)
    with qtbot.waitSignal(live_controller.finished, timeout=ENDS_MS):
        live_controller.start(plan.digest)
        qtbot.waitUntil(lambda: live_controller.running, timeout=60_000)
        with open_project(project.path) as other:
            assert other.read_only_reason == "locked"
    factor = Factor("nap", (Level("1"), Level("2")))
    napping = Experiment(
        0, "Naps", (factor,), (Response("real_s", "s"),), command="sleep {nap}", limit_s=30.0, repetitions=1
    )
    applying.apply(project, planning.add(napping))
    applying.apply(project, planning.add(replace(napping, title="Others")))
    window.workspace.announce(Change.EXPERIMENTS)
    desk = ExperimentController.of(window.workspace)
    (host,) = connections.list_profiles(project)
    trials, _ = experiment_runs.draft(project, reading.read(project), 1, host, run="naps")
    capture_plans.keep(project, trials, (host,))
    capture_plans.approve(project, trials, "Kim", "signed_sheet")
    with qtbot.waitSignal(live_controller.finished, timeout=ENDS_MS):
        live_controller.start(trials.digest)
        qtbot.waitUntil(lambda: live_controller.running, timeout=60_000)
        with open_project(project.path) as other:
            assert not other.read_only
            runs.ensure_run(other, "of another", Phase.OTHER)
            theirs = reading.read(other)
            applying.apply(other, planning.change(theirs, replace(theirs.experiments[2], title="Theirs")))
        assert not desk.attempt(lambda: planning.change(desk.book, replace(desk.book.experiments[2], title="Mine")))
        assert desk.book.experiments[2].title == "Theirs"  # read again, so that the next try is one at what is there
        assert desk.attempt(lambda: planning.change(desk.book, replace(desk.book.experiments[2], title="Mine")))
    qtbot.waitUntil(lambda: all(each.is_recorded for each in reading.read(project).trials_of(1)), timeout=60_000)
    assert "of another" in {run.label for run in runs.list_runs(project)}
    assert {each.state for each in reading.read(project).trials_of(1)} == {TrialState.DONE}


def test_what_is_not_approved_is_not_started(
    live_controller: CaptureController, window: MainWindow, approve: Approve
) -> None:
    project = window.workspace.opened
    profile = approve().hosts[0].name
    wanted = PlanDraft((connections.find_profile(project, profile),), {"": ("linux.iostat",)}, "before")
    unapproved = capture_plans.draft(project, wanted)
    capture_plans.keep(project, unapproved)
    with pytest.raises(UserError) as refused:
        live_controller.start(unapproved.digest)
    assert refused.value.key == "plan_not_approved"
    assert not live_controller.busy


def test_a_scheduled_plan_waits_and_can_be_cancelled(
    qtbot: Any, live_controller: CaptureController, window: MainWindow, approve: Approve
) -> None:
    plan = approve(60.0, schedule=Schedule(ScheduleKind.EVERY, FAR, 3600, 3))
    live_controller.start(plan.digest)
    (waiting,) = live_controller.awaited
    assert waiting.left == 3
    assert waiting.next_ns == int(datetime.fromisoformat(FAR).timestamp()) * 1_000_000_000
    assert live_controller.busy
    assert not live_controller.running
    let_window_live(0.3, "a look later it still waits")
    live_controller.cancel(waiting.id)
    assert live_controller.awaited == ()
    assert not live_controller.busy
    assert collecting.list_sessions(window.workspace.project) == ()


def test_a_host_that_cannot_be_reached_says_so_and_is_given_up(
    qtbot: Any, live_controller: CaptureController, approve: Approve
) -> None:
    plan = approve(60.0, name="gone", address="127.0.0.1", port=1, user="root", os="linux", use_config=False)
    live_controller.start(plan.digest)
    qtbot.waitUntil(lambda: bool(live_controller.views) and host_of(live_controller).reason_key != "", timeout=60_000)
    assert host_of(live_controller).reason_key.startswith("ssh.")
    assert host_of(live_controller).next_try_s is not None or host_of(live_controller).needs_person
    live_controller.stop_all()
    qtbot.waitUntil(lambda: not live_controller.running, timeout=15_000)


def test_what_is_left_is_found_again_and_finished(
    qtbot: Any, live_controller: CaptureController, window: MainWindow, approve: Approve
) -> None:
    """As after kill -9: nothing is asked of the sessions when the project is closed."""
    plan = approve(60.0)
    live_controller.start(plan.digest)
    qtbot.waitUntil(lambda: is_capturing(live_controller, lines=6), timeout=ENDS_MS)
    path = window.workspace.project_path
    assert path is not None
    window.controller.close()
    assert live_controller.views == ()
    assert window.controller.open(path)
    qtbot.waitUntil(lambda: len(live_controller.unfinished.sessions) == 1, timeout=60_000)
    (left,) = live_controller.unfinished.sessions
    assert left.can_resume
    assert "cut off" in window.messages.sentence()
    # somebody changed its folder meanwhile: it does not go on, and stays
    told = (left.folder / "session.json").read_text()
    (left.folder / "session.json").write_text(told.replace("vmstat", "vmstat;id"))
    live_controller.resume(left.session.id)
    qtbot.waitUntil(lambda: "does not agree with the project" in window.messages.sentence(), timeout=60_000)
    qtbot.waitUntil(lambda: len(live_controller.unfinished.sessions) == 1, timeout=60_000)
    assert "does not agree with the project" in window.messages.sentence()  # and stays said
    live_controller.unfinished.finish(left.session.id)
    assert live_controller.unfinished.sessions == ()

    def stored() -> bool:
        overview = window.workspace.overview
        return overview is not None and overview.samples > 0

    qtbot.waitUntil(stored, timeout=60_000)
    (session,) = collecting.list_sessions(window.workspace.opened)
    assert session.state is SessionState.FINISHED
    assert not Path(session.spool).exists()
