"""Capture from customers' hosts: draft a plan, have it approved, run exactly it, keep what came.

    plan = collecting.draft(project, PlanDraft(...))       nothing is connected to
    collecting.keep(project, plan); collecting.approve(project, plan, "Kim", "signed_sheet")
    capture = collecting.start(project, plan.digest, asker)
    capture.snapshot(); capture.mark("index created"); capture.stop(); capture.wait(60)
"""

from __future__ import annotations

import hashlib
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from app.capture import collected, offline_script, storing
from app.capture.collected import StoredCollection
from app.capture.detached_session import DetachedCapture
from app.capture.live import LiveTail
from app.capture.planning import (
    PlanRequest,
    PlanTotals,
    PlanWarning,
    ProbeChoice,
    build_plan,
    choose_probes,
    totals,
    warnings,
)
from app.capture.scheduling import PlannedWindow, ScheduledRuns, windows
from app.capture.session import CaptureSession
from app.capture.settings import CaptureSettings
from app.capture.spooled import read_session
from app.capture.storing import SessionStored
from app.capture.views import HostView, SessionView, StreamView
from app.core.errors import UserError
from app.core.progress import Progress, SilentProgress
from app.domain.capture_plan import Approval, CaptureMode, CapturePlan, PlannedHost, Schedule
from app.domain.capture_run import CaptureGap, ClockCheck, SessionState, StreamSegment
from app.domain.connection import Backend, HostProfile
from app.domain.engagement import Phase
from app.sdk.probes import Probe
from app.store import audit, engagements, plans, runs, sessions
from app.store.locking import current_user
from app.store.plans import PlanRecord
from app.store.project import Project
from app.store.sessions import SessionRecord, StreamRecord
from app.transport.ssh.link import Asker, Connector, LinkError
from app.transport.ssh.resolve import resolve
from app.usecases import connections, services

__all__ = [
    "Capture", "CaptureSession", "HostView", "LiveTail", "PlanRecord", "PlanTotals", "PlanWarning", "PlannedWindow",
    "ProbeChoice", "ScheduledRuns", "SessionRecord", "SessionStored", "SessionView", "StreamRecord", "StreamView",
    "totals", "warnings",
]  # fmt: skip

ASSUMED_OS = "linux"

Capture = CaptureSession | DetachedCapture
"""A plan that runs: streamed here, or on its hosts by itself."""


# --- plan


@dataclass(frozen=True, slots=True)
class PlanDraft:
    """What the consultant chooses.

    Attributes:
        hosts: profiles, saved or not.
        probes: words per host name, or under ``""`` for every host: probe ids, names of tools, ``default``,
            ``generic.timed_command=nm /dev/ksyms`` for a probe with a parameter.
    """

    hosts: tuple[HostProfile, ...]
    probes: Mapping[str, tuple[str, ...]]
    run: str
    phase: Phase = Phase.OTHER
    interval_s: float = 1.0
    duration_s: float = 600.0
    schedule: Schedule = field(default_factory=Schedule)
    mode: CaptureMode = CaptureMode.LIVE


def available_probes(os: str = "") -> tuple[Probe, ...]:
    """Every probe of every usable plug-in, or those that suit one operating system."""
    found = services.current().plugins.probes()
    return tuple(probe for probe in found if not os or not probe.os or os in probe.os)


def draft(project: Project, wanted: PlanDraft) -> CapturePlan:
    """The plan, complete and verbatim; nothing is connected to and nothing is kept.

    Raises:
        UserError: a host cannot be resolved, a probe is unknown or does not fit, a parameter is refused.
    """
    probes = services.current().plugins.probes()
    hosts = tuple(_planned_host(project, profile) for profile in wanted.hosts)
    every = wanted.probes.get("", ())
    chosen = {
        host.name: choose_probes([*every, *wanted.probes.get(host.name, ())] or ["default"], host.os, probes)
        for host in hosts
    }
    request = PlanRequest(
        hosts=hosts, probes=chosen, run=wanted.run, phase=wanted.phase.value, interval_s=wanted.interval_s,
        duration_s=wanted.duration_s, schedule=wanted.schedule, mode=wanted.mode,
        zone=engagements.read_engagement(project).zone,
    )
    return build_plan(request, probes)


def _planned_host(project: Project, profile: HostProfile) -> PlannedHost:
    """The host as the sheet names it, with the ssh configuration resolved as far as that goes without connecting."""
    from app.store import profiles

    try:
        target = resolve(profile, profiles.list_profiles(project)).target
    except LinkError as error:
        raise connections.as_user_error(error, profile.name) from error
    return PlannedHost(
        name=profile.name, address=target.address, port=target.port, user=target.user,
        os=profile.os or ASSUMED_OS, os_source="profile" if profile.os else "assumed",
        jump=profile.jump, backend=str(profile.backend), weak_algorithms=profile.weak_algorithms,
        colour=str(profile.colour),
    )


def keep(project: Project, plan: CapturePlan, profiles_used: Iterable[HostProfile] = ()) -> None:
    """Keeps a plan in the project, with the profiles of hosts that were not there yet."""
    _require_writable(project)
    known = {profile.name for profile in connections.list_profiles(project)}
    for profile in profiles_used:
        if profile.name not in known:
            connections.save_profile(project, profile)
    plans.save_plan(project, plan)


def list_plans(project: Project) -> tuple[PlanRecord, ...]:
    return tuple(plans.list_plans(project))


def find_plan(project: Project, digest: str) -> CapturePlan:
    return plans.find_plan(project, digest)


def approve(project: Project, plan: CapturePlan, approved_by: str, how: str, note: str = "") -> Approval:
    """Records who consented to exactly this plan.

    Raises:
        UserError: ``approval_without_name``.
    """
    _require_writable(project)
    if not approved_by.strip():
        raise UserError("approval_without_name")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    approval = Approval(plan.digest, approved_by.strip(), at, how, note.strip())
    plans.save_plan(project, plan)
    plans.approve(project, approval)
    return approval


def write_scripts(project: Project, plan: CapturePlan, path: Path, language: str) -> tuple[Path, ...]:
    """The plan as shell scripts that the customer runs alone; their archives are imported like any capture.

    One host: `path`. Several: one file each, named after `path` and the host.

    Raises:
        UserError: a file cannot be written.
    """
    several = len(plan.hosts) > 1
    written: list[Path] = []
    for host in plan.hosts:
        text = offline_script.render_script(plan, language, host.name)
        target = path.with_name(f"{path.stem}-{file_name_of(host.name)}{path.suffix or '.sh'}") if several else path
        try:
            target.write_text(text, encoding="utf-8", newline="\n")
            target.chmod(0o755)
        except OSError as error:
            raise UserError("file_unwritable", path=str(target), reason=error.strerror or str(error)) from error
        written.append(target)
        if not project.read_only:
            plans.save_plan(project, plan)
            sha256 = hashlib.sha256(text.encode()).hexdigest()
            audit.record(
                project, "script_written", digest=plan.digest, file_name=target.name, language=language, sha256=sha256
            )
    return tuple(written)


def file_name_of(host: str) -> str:
    """A host's name as part of a file name."""
    return re.sub(r"[^\w.-]", "_", host)


# --- run


def spool_folder(project: Project, session_id: int) -> Path:
    """Where a session's raw bytes lie until they are in the project: beside the project file."""
    return project.path.with_name(f"{project.path.stem}.capture") / f"session-{session_id:04d}"


def start(
    project: Project, digest: str, asker: Asker, *, label: str = "", settings: CaptureSettings | None = None
) -> Capture:
    """Runs an approved plan; returns at once.

    Raises:
        UserError: the plan is not there or not approved, the project is read-only.
    """
    _require_writable(project)
    plan = plans.find_plan(project, digest)
    approval = _approval_of(project, digest)
    profiles = _profiles_of(project, plan)
    run = runs.ensure_run(project, plan.run, Phase(plan.phase))
    session_id = sessions.begin_session(project, digest, run.id, "", label or plan.run)
    folder = spool_folder(project, session_id)
    sessions.change_session(project, session_id, spool=str(folder))
    capture: Capture
    if plan.mode is CaptureMode.DETACHED:
        capture = _detached(project, session_id, plan, folder, asker, settings, label or plan.run)
    else:
        capture = CaptureSession(
            project, session_id, plan, approval, folder, profiles, _connector(project),
            connections.KeepingAsker(project, asker), services.current().plugins, settings=settings,
            store=_storing(project, session_id, plan), label=label or plan.run,
        )
    capture.start()
    return capture


def _approval_of(project: Project, digest: str) -> Approval:
    given = plans.approvals(project, digest)
    if not given:
        raise UserError("plan_not_approved", digest=digest[:12])
    return given[-1]


def _profiles_of(project: Project, plan: CapturePlan) -> tuple[HostProfile, ...]:
    """The profiles as they are now, for the hosts as they were approved: a changed address is another plan."""
    saved = {profile.name: profile for profile in connections.list_profiles(project)}
    found: list[HostProfile] = []
    for host in plan.hosts:
        profile = saved.get(host.name)
        if profile is None:
            raise UserError("host_profile_missing", name=host.name)
        now = _planned_host(project, profile)
        if (now.address, now.port, now.user, now.jump) != (host.address, host.port, host.user, host.jump):
            raise UserError("host_changed_since_plan", name=host.name)
        found.append(replace(profile, weak_algorithms=host.weak_algorithms))
    return tuple(found)


def _detached(
    project: Project, session_id: int, plan: CapturePlan, folder: Path, asker: Asker,
    settings: CaptureSettings | None, label: str,
) -> DetachedCapture:
    return DetachedCapture(
        project, session_id, plan, _approval_of(project, plan.digest), folder, _profiles_of(project, plan),
        _connector(project), connections.KeepingAsker(project, asker), settings=settings,
        store=lambda _host, fetched: _store_fetched(project, session_id, fetched), label=label,
    )


def _store_fetched(project: Project, session_id: int, fetched: Path) -> StoredCollection:
    """Raises UserError ``collection_without_manifest``."""
    collection = collected.find_collection(fetched)
    if collection is None:
        raise UserError("collection_without_manifest", path=str(fetched))
    installed = services.current()
    stored = collected.store_collection(
        project, collection, installed.plugins, installed.catalogue, SilentProgress(), session_id=session_id
    )
    shutil.rmtree(fetched)
    return stored


def schedule(
    project: Project, digest: str, asker: Asker, *, label: str = "", begun: Callable[[Capture], None],
    failed: Callable[[UserError], None], settings: CaptureSettings | None = None,
) -> ScheduledRuns:
    """Runs an approved plan when it says: now, at its time, or again and again; each time is a session.

    Args:
        begun: called with each session that was started, on a thread of the schedule.
        failed: why one could not be started; the following ones are still tried.

    Raises:
        UserError: the plan is not there or not approved, or its last time has passed.
    """
    plan = plans.find_plan(project, digest)
    _approval_of(project, digest)

    def begin(_window: PlannedWindow) -> None:
        begun(start(project, digest, asker, label=label, settings=settings))

    runs_of_plan = ScheduledRuns(windows(plan, time.time_ns()), begin, lambda _window, error: failed(error))
    runs_of_plan.start()
    return runs_of_plan


def _connector(project: Project) -> Callable[[HostProfile], Connector]:
    """One connector per backend for a whole session: it remembers what was typed, so that nobody is asked twice."""
    made: dict[Backend, Connector] = {}
    lock = threading.Lock()

    def connector(profile: HostProfile) -> Connector:
        with lock:
            if profile.backend not in made:
                made[profile.backend] = connections.connector(project, profile)
            return made[profile.backend]

    return connector


def _storing(project: Project, session_id: int, plan: CapturePlan) -> Callable[[Path], SessionStored]:
    installed = services.current()
    return lambda folder: storing.store_session(
        project, session_id, folder, plan, installed.plugins, installed.catalogue, SilentProgress()
    )


# --- after an interruption


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A session that TuneBench did not see the end of; its bytes wait in `folder`."""

    session: SessionRecord
    plan: CapturePlan
    folder: Path
    can_resume: bool  # its planned end has not come yet, or it is still to be fetched from its hosts


def unfinished(project: Project) -> tuple[Unfinished, ...]:
    """Interrupted sessions whose bytes are still there, oldest first."""
    found: list[Unfinished] = []
    for session in sessions.list_sessions(project):
        folder = _existing_folder(project, session)
        if session.state is not SessionState.INTERRUPTED or folder is None:
            continue
        left = read_session(folder)
        plan = plans.find_plan(project, session.digest)
        can_resume = plan.mode is CaptureMode.DETACHED or (left.window_is_open and not left.finished)
        found.append(Unfinished(session, plan, folder, can_resume))
    return tuple(found)


def _existing_folder(project: Project, session: SessionRecord) -> Path | None:
    """The recorded folder, or the one beside the project where both were moved together."""
    for folder in (Path(session.spool), spool_folder(project, session.id)):
        if session.spool and folder.is_dir():
            return folder
    return None


def resume(
    project: Project, session_id: int, asker: Asker, *, settings: CaptureSettings | None = None
) -> Capture:
    """Goes on with an interrupted session until its planned end, under the same approval.

    Raises:
        UserError: ``session_over`` where the planned end has passed: it can only be finished.
    """
    _require_writable(project)
    waiting = _find_unfinished(project, session_id)
    if not waiting.can_resume:
        raise UserError("session_over", label=waiting.session.label)
    if waiting.plan.mode is CaptureMode.DETACHED:
        fetching = _detached(
            project, session_id, waiting.plan, waiting.folder, asker, settings, waiting.session.label
        )
        sessions.set_session_state(project, session_id, SessionState.RUNNING)
        fetching.start()
        return fetching
    capture = CaptureSession.resume(
        project, waiting.folder, _profiles_of(project, waiting.plan), _connector(project),
        connections.KeepingAsker(project, asker), services.current().plugins, settings=settings,
        store=_storing(project, session_id, waiting.plan),
    )
    capture.start()
    return capture


def finish(project: Project, session_id: int, progress: Progress | None = None) -> SessionStored:
    """Puts what an interrupted session left into the project; it is not continued."""
    _require_writable(project)
    waiting = _find_unfinished(project, session_id)
    if waiting.plan.mode is CaptureMode.DETACHED:
        raise UserError("detached_to_be_fetched", label=waiting.session.label)
    installed = services.current()
    stored = storing.store_session(
        project, session_id, waiting.folder, waiting.plan, installed.plugins, installed.catalogue,
        progress or SilentProgress(),
    )
    sessions.set_session_state(project, session_id, SessionState.FINISHED)
    return stored


def _find_unfinished(project: Project, session_id: int) -> Unfinished:
    for waiting in unfinished(project):
        if waiting.session.id == session_id:
            return waiting
    raise UserError("session_missing", session_id=session_id)


# --- what was captured


@dataclass(frozen=True, slots=True)
class SessionDetails:
    """A finished session with everything that is known of it."""

    session: SessionRecord
    plan: CapturePlan
    approvals: tuple[Approval, ...]
    streams: tuple[StreamRecord, ...]
    gaps: tuple[CaptureGap, ...]
    clocks: tuple[ClockCheck, ...]
    segments: Mapping[str, tuple[StreamSegment, ...]]  # by command id


def list_sessions(project: Project) -> tuple[SessionRecord, ...]:
    return tuple(sessions.list_sessions(project))


def details(project: Project, session_id: int) -> SessionDetails:
    session = sessions.find_session(project, session_id)
    streams = tuple(sessions.list_streams(project, session_id))
    return SessionDetails(
        session=session,
        plan=plans.find_plan(project, session.digest),
        approvals=tuple(plans.approvals(project, session.digest)),
        streams=streams,
        gaps=tuple(sessions.list_gaps(project, session_id)),
        clocks=tuple(sessions.list_clock_checks(project, session_id)),
        segments={
            stream.command_id: tuple(sessions.read_segments(project, stream.artefact_id))
            for stream in streams if stream.artefact_id is not None
        },
    )


def _require_writable(project: Project) -> None:
    if project.read_only:
        raise UserError("project_read_only", path=str(project.path))


def who() -> str:
    """The consultant at this machine, for marks and approvals."""
    return current_user()


def words_of(choices: Sequence[ProbeChoice]) -> tuple[str, ...]:
    """Choices back as the words of a draft."""
    found: list[str] = []
    for choice in choices:
        values = [value for parameter in choice.values.values() for value in parameter]
        found += [f"{choice.probe_id}={value}" for value in values] or [choice.probe_id]
    return tuple(found)
