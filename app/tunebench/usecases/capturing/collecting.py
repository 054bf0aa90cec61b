"""Capture from customers' hosts: an approved plan is run, resumed, finished, and looked at afterwards.

capture = collecting.start(project, plan.digest, prompter)
capture.snapshot(); capture.mark("index created"); capture.stop(); capture.wait(60)
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from tunebench.capture import collected, storing
from tunebench.capture.collected import StoredCollection
from tunebench.capture.collection import cut_off_collection, find_collection
from tunebench.capture.detached import DetachedState
from tunebench.capture.detached_session import DetachedCapture
from tunebench.capture.plan_run import RunOrder
from tunebench.capture.scheduling import PlannedWindow, ScheduledRuns, windows
from tunebench.capture.server_cost import stored_costs
from tunebench.capture.session import CaptureSession
from tunebench.capture.settings import CaptureSettings
from tunebench.capture.spooled import read_session
from tunebench.capture.storing import SessionStored
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress, SilentProgress
from tunebench.core.records import record
from tunebench.domain.capturing.plan import Approval, CaptureMode, CapturePlan, CommandKind
from tunebench.domain.capturing.run import (
    CaptureGap,
    ClockCheck,
    ServerCost,
    SessionRecord,
    SessionState,
    StreamRecord,
    StreamSegment,
    StreamState,
)
from tunebench.domain.connection import Backend, HostProfile
from tunebench.domain.engagement import Phase
from tunebench.store import plans, runs, sessions
from tunebench.store.locking import current_user
from tunebench.store.project import Project, spools_beside
from tunebench.transport.ssh.link import Connector, Prompter
from tunebench.usecases import services
from tunebench.usecases.capturing import connections
from tunebench.usecases.capturing.plans import planned_host
from tunebench.usecases.importing import assembly
from tunebench.usecases.projects import refuse_read_only

_MEASURING = (CommandKind.STREAM, CommandKind.LOOP, CommandKind.ONCE)
_SHORTER_S, _SHORTER_SHARE = 2.0, 0.05
"""What a capture may lack of the approved duration without a word: connecting and starting take their time."""

Capture = CaptureSession | DetachedCapture
"""A plan that runs: streamed here, or on its hosts by itself."""


# --- run


def spool_folder(project: Project, session_id: int) -> Path:
    """Where a session's raw bytes lie until they are in the project: beside the project file."""
    return spools_beside(project.path) / f"session-{session_id:04d}"


def start(
    project: Project,
    digest: str,
    prompter: Prompter,
    *,
    label: str = "",
    settings: CaptureSettings | None = None,
    leave_out: Collection[str] = (),
) -> Capture:
    """Runs an approved plan; returns at once.

    Args:
        leave_out: commands of it that are not run this time (trials that have their results).

    Raises:
        UserError: the plan is not there or not approved, or is for the customer to run; the project is read-only.
    """
    refuse_read_only(project)
    plan, approvals = plans.approved_plan(project, digest)
    if plan.mode is CaptureMode.OFFLINE:
        raise UserError("plan_is_offline", run=plan.run)
    if plan.mode is CaptureMode.DETACHED and project.key is not None:
        raise UserError("detached_unsealed", path=str(project.path))
    profiles = _profiles_of(project, plan)
    label = label or plan.run
    run = runs.ensure_run(project, plan.run, Phase(plan.phase))
    session_id = sessions.begin_session(project, digest, run.id, "", label)
    folder = spool_folder(project, session_id)
    sessions.change_session(project, session_id, spool=str(folder))
    order = RunOrder(
        project,
        session_id,
        plan,
        approvals[-1],
        folder,
        profiles,
        _connector(project),
        connections.KeepingPrompter(project, prompter),
        settings or CaptureSettings(),
        label,
        leave_out,
    )
    capture: Capture
    if plan.mode is CaptureMode.DETACHED:
        capture = DetachedCapture(order, partial(_store_fetched, order))
    else:
        capture = CaptureSession(order, services.current().plugins, store=partial(_store_spooled, order))
    capture.start()
    return capture


def _profiles_of(project: Project, plan: CapturePlan) -> tuple[HostProfile, ...]:
    """The profiles as they are now, for the hosts as they were approved: a changed address is another plan."""
    saved = {profile.name: profile for profile in connections.list_profiles(project)}
    profiles: list[HostProfile] = []
    for host in plan.hosts:
        profile = saved.get(host.name)
        if profile is None:
            raise UserError("host_profile_missing", name=host.name)
        now = planned_host(project, profile)
        if (now.address, now.port, now.user, now.jump) != (host.address, host.port, host.user, host.jump):
            raise UserError("host_changed_since_plan", name=host.name)
        profiles.append(replace(profile, weak_algorithms=host.weak_algorithms))
    return tuple(profiles)


def _store_fetched(order: RunOrder, host: str, fetched: Path, state: DetachedState) -> StoredCollection:
    collection = find_collection(fetched) or cut_off_collection(fetched, order.plan, host, str(state))
    installed = services.current()
    stored = collected.store_collection(
        order.project, collection, installed.plugins, installed.catalogue, SilentProgress(), session_id=order.session_id
    )
    shutil.rmtree(fetched)
    assembly.review(order.project)
    return stored


def _store_spooled(order: RunOrder, folder: Path) -> SessionStored:
    stored = _store_journals(order.project, order.session_id, folder, order.plan, SilentProgress())
    assembly.review(order.project)
    return stored


def _store_journals(
    project: Project, session_id: int, folder: Path, plan: CapturePlan, progress: Progress
) -> SessionStored:
    installed = services.current()
    return storing.store_session(project, session_id, folder, plan, installed.plugins, installed.catalogue, progress)


def schedule(
    project: Project,
    digest: str,
    prompter: Prompter,
    *,
    label: str = "",
    begun: Callable[[Capture], None],
    failed: Callable[[UserError], None],
    settings: CaptureSettings | None = None,
    leave_out: Collection[str] = (),
) -> ScheduledRuns:
    """Runs an approved plan when it says: now, at its time, or again and again; each time is a session.

    Args:
        begun: called with each session that was started, on a thread of the schedule.
        failed: why one could not be started; the following ones are still tried.

    Raises:
        UserError: the plan is not there or not approved, or its last time has passed.
    """
    plan, _ = plans.approved_plan(project, digest)

    def begin(_window: PlannedWindow) -> None:
        begun(start(project, digest, prompter, label=label, settings=settings, leave_out=leave_out))

    runs_of_plan = ScheduledRuns(windows(plan, time.time_ns()), begin, lambda _window, error: failed(error))
    runs_of_plan.start()
    return runs_of_plan


def _connector(project: Project) -> Callable[[HostProfile], Connector]:
    """One connector per backend for a whole session: it remembers what was typed, so that nobody is asked twice."""
    connectors: dict[Backend, Connector] = {}
    lock = threading.Lock()

    def connector(profile: HostProfile) -> Connector:
        with lock:
            if profile.backend not in connectors:
                connectors[profile.backend] = connections.connector(project, profile)
            return connectors[profile.backend]

    return connector


# --- after an interruption


@record
class Unfinished:
    """A session that TuneBench did not see the end of; its bytes wait in `folder`."""

    session: SessionRecord
    plan: CapturePlan
    folder: Path
    can_resume: bool  # its planned end has not come yet, or it is still to be fetched from its hosts


def unfinished(project: Project) -> tuple[Unfinished, ...]:
    """Interrupted sessions whose bytes are still there, oldest first."""
    every: list[Unfinished] = []
    for session in sessions.list_sessions(project):
        folder = _existing_folder(project, session)
        if session.state is not SessionState.INTERRUPTED or folder is None:
            continue
        plan = plans.find_plan(project, session.digest)
        left = read_session(folder, plan)
        can_resume = plan.mode is CaptureMode.DETACHED or (left.window_is_open and not left.finished)
        every.append(Unfinished(session, plan, folder, can_resume))
    return tuple(every)


def _existing_folder(project: Project, session: SessionRecord) -> Path | None:
    """The recorded folder, or the one beside the project where both were moved together."""
    for folder in (Path(session.spool), spool_folder(project, session.id)):
        if session.spool and folder.is_dir():
            return folder
    return None


def resume(
    project: Project, session_id: int, prompter: Prompter, *, settings: CaptureSettings | None = None
) -> Capture:
    """Goes on with an interrupted session until its planned end, under the same approval.

    Raises:
        UserError: ``session_over`` where the planned end has passed: it can only be finished;
            ``capture_session_changed`` where its folder says anything else than the project. Its bytes stay.
    """
    refuse_read_only(project)
    waiting = _find_unfinished(project, session_id)
    if not waiting.can_resume:
        raise UserError("session_over", label=waiting.session.label)
    plan, approvals = plans.approved_plan(project, waiting.session.digest)
    order = RunOrder(
        project,
        session_id,
        plan,
        approvals[-1],
        waiting.folder,
        _profiles_of(project, plan),
        _connector(project),
        connections.KeepingPrompter(project, prompter),
        settings or CaptureSettings(),
        waiting.session.label,
    )
    capture: Capture
    if plan.mode is CaptureMode.DETACHED:
        capture = DetachedCapture(order, partial(_store_fetched, order))
        sessions.set_session_state(project, session_id, SessionState.RUNNING)
    else:
        capture = CaptureSession.resume(order, services.current().plugins, store=partial(_store_spooled, order))
    capture.start()
    return capture


def finish(project: Project, session_id: int, progress: Progress | None = None) -> SessionStored:
    """Puts what an interrupted session left into the project; it is not continued."""
    refuse_read_only(project)
    waiting = _find_unfinished(project, session_id)
    if waiting.plan.mode is CaptureMode.DETACHED:
        raise UserError("detached_to_be_fetched", label=waiting.session.label)
    stored = _store_journals(project, session_id, waiting.folder, waiting.plan, progress or SilentProgress())
    sessions.set_session_state(project, session_id, SessionState.FINISHED)
    assembly.review(project, progress)
    return stored


def _find_unfinished(project: Project, session_id: int) -> Unfinished:
    for waiting in unfinished(project):
        if waiting.session.id == session_id:
            return waiting
    raise UserError("session_missing", session_id=session_id)


# --- what was captured


@record
class SessionDetails:
    """A finished session with everything that is known of it."""

    session: SessionRecord
    plan: CapturePlan
    approvals: tuple[Approval, ...]
    streams: tuple[StreamRecord, ...]
    gaps: tuple[CaptureGap, ...]
    clocks: tuple[ClockCheck, ...]
    segments: Mapping[str, tuple[StreamSegment, ...]]  # by command id
    overheads: Mapping[str, ServerCost]  # by host, where it was measured

    def measured_s(self, command_id: str) -> float | None:
        """Seconds from its first sample to its last by the servers' clock, gaps included; None where that is not known.

        What is asked at the start and at the end measures from one to the other, nothing where it was asked once.
        """
        command, starts = self.plan.command(command_id), self.segments.get(command_id, ())
        if command.kind not in _MEASURING or not starts:
            return None
        twice = command.kind is CommandKind.ONCE
        first_ns, last_ns = starts[0].began_ns, starts[-1].began_ns if twice else starts[-1].ended_ns
        if first_ns is None or last_ns is None:
            return None
        return (last_ns - first_ns) / 1e9 + (command.interval_s or 0.0)

    @property
    def shorter(self) -> dict[str, float]:
        """Seconds measured, by command, where that is clearly less than what was approved."""
        least_s = self.plan.duration_s - max(_SHORTER_S, _SHORTER_SHARE * self.plan.duration_s)
        ran = (stream.command_id for stream in self.streams if stream.state is not StreamState.FAILED)
        measured = {name: self.measured_s(name) for name in ran}
        return {name: seconds for name, seconds in measured.items() if seconds is not None and seconds < least_s}


def list_sessions(project: Project) -> tuple[SessionRecord, ...]:
    return tuple(sessions.list_sessions(project))


def details(project: Project, session_id: int) -> SessionDetails:
    session = sessions.find_session(project, session_id)
    plan = plans.find_plan(project, session.digest)
    streams = tuple(sessions.list_streams(project, session_id))
    return SessionDetails(
        session=session,
        plan=plan,
        approvals=tuple(plans.approvals(project, session.digest)),
        streams=streams,
        gaps=tuple(sessions.list_gaps(project, session_id)),
        clocks=tuple(sessions.list_clock_checks(project, session_id)),
        segments={
            stream.command_id: tuple(sessions.read_segments(project, stream.artefact_id))
            for stream in streams
            if stream.artefact_id is not None
        },
        overheads=dict(stored_costs(project, plan, streams)),
    )


def who() -> str:
    """The consultant at this machine, for marks and approvals."""
    return current_user()
