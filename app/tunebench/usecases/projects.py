"""Open, look over and edit an engagement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.core.grouping import by_key
from tunebench.domain.bundle import Bundle
from tunebench.domain.capturing.run import SessionState
from tunebench.domain.engagement import Approvals, Engagement, Host, Phase, Run, WrittenReport
from tunebench.store import (
    artefacts,
    bundles,
    engagements,
    hosts,
    merged_series,
    queries,
    reports,
    runs,
    sessions,
    trusted,
)
from tunebench.store.artefacts import ArtefactInfo, find_artefact
from tunebench.store.audit.trail import record
from tunebench.store.cycle.records import read_book
from tunebench.store.damage import damage_of
from tunebench.store.engagements import (
    add_note,
    change_note,
    list_notes,
    read_engagement,
    read_measurements,
    read_narrative,
    read_statements_by_hand,
    remove_note,
    write_measurements,
    write_narrative,
)
from tunebench.store.errors import sorted_errors
from tunebench.store.locking import Locked, LockHolder, give_up
from tunebench.store.opening import backup_project, create_project, open_project
from tunebench.store.project import Project
from tunebench.store.removal import Going, going_with_artefact, going_with_run, remove_artefact, remove_run, wipe
from tunebench.usecases.days_off import read_days_off

__all__ = [
    "ArtefactInfo",
    "Going",
    "LockHolder",
    "Project",
    "add_note",
    "change_note",
    "find_artefact",
    "going_with_artefact",
    "going_with_run",
    "list_notes",
    "read_engagement",
    "read_measurements",
    "read_narrative",
    "read_statements_by_hand",
    "remove_artefact",
    "remove_note",
    "remove_run",
    "wipe",
    "write_measurements",
    "write_narrative",
]


MANY_SERIES = 5_000


@records.record
class RunView:
    run: Run
    host_names: tuple[str, ...]
    artefacts: tuple[ArtefactInfo, ...]

    @property
    def dated_by_file(self) -> int:
        """How many captures do not count for the run's time, as only their files' dates say when they were measured."""
        timed = [capture.ledger for capture in self.artefacts if capture.ledger.first_ns is not None]
        return 0 if self.run.dated_by_file else sum(ledger.dated_by_file for ledger in timed)


@records.record
class Overview:
    """All of a project but its samples: what tree, status bar and ``info`` show.

    Attributes:
        hosts: those that captures are of.
    """

    engagement: Engagement
    hosts: tuple[Host, ...]
    runs: tuple[RunView, ...]
    series: int
    samples: int
    size_bytes: int
    read_only: bool
    read_only_reason: str
    lock_holder: LockHolder | None
    reports: tuple[WrittenReport, ...]
    bundles: tuple[Bundle, ...] = ()


def create(path: Path, engagement: Engagement, story_clock: Callable[[], datetime] | None = None) -> Project:
    """A new project file; with a `story_clock` that of a made-up engagement, as its trail says first.

    Raises:
        UserError: it exists, its folder does not, nothing can be written there; the zone is unknown, or a word of its
            holidays.
    """
    _check_engagement(engagement)
    project = create_project(with_suffix(path), engagement, story_clock)
    trusted.forget_place(project)
    if engagement.approvals is not Approvals.NONE:
        trusted.policy_said(project, engagement.approvals)
    return project


def with_suffix(path: Path) -> Path:
    """``acme`` means ``acme.tune``."""
    return path if path.suffix == ".tune" else path.with_name(path.name + ".tune")


def open_(path: Path, read_only: bool = False) -> Project:
    """An existing project; comes read-only where it is in use elsewhere or on a medium without writing."""
    return open_project(existing(path), read_only)


def existing(path: Path) -> Path:
    return with_suffix(path) if not path.exists() and with_suffix(path).exists() else path


def take_over(path: Path, host: str) -> None:
    """Ends the hold on a project of a process on the computer `host`, which is gone for good; nothing where nobody
    holds it.

    Raises:
        UserError: project_in_use where another computer holds it, or a living process of this one; else as `open_`.
    """
    path = existing(path)
    try:
        with sorted_errors(path):
            holder = give_up(path.resolve(), host)
    except Locked as locked:
        raise in_use(path, locked.holder) from None
    if holder is None:
        return
    with open_(path) as project:
        require_writing(project)
        record(project, "lock_taken_over", holder=holder.user, host=holder.host, since=holder.since)


def require_writing(project: Project) -> None:
    """Says who works in the project, before somebody types for nothing.

    Raises:
        UserError: project_in_use with the person and the machine; project_read_only for other reasons.
    """
    if project.lock_holder is not None:
        raise in_use(project.path, project.lock_holder)
    refuse_read_only(project)


def in_use(path: Path, holder: LockHolder) -> UserError:
    """The refusal that names who has the project open."""
    since = datetime.fromisoformat(holder.since).astimezone() if holder.since else None
    return UserError(
        "project_in_use",
        path=str(path),
        user=holder.user or "-",
        host=holder.host or "-",
        since=since.strftime("%Y-%m-%d %H:%M") if since else "-",
    )


def refuse_read_only(project: Project) -> None:
    """Raises UserError project_read_only."""
    if project.read_only:
        raise UserError("project_read_only", path=str(project.path))


def damage_behind(path: Path) -> UserError | None:
    """Why something went wrong that nobody foresaw: the project is damaged. None where it is not, and it was a bug."""
    try:
        with open_(path, read_only=True) as project:
            damages = damage_of(project)
    except UserError as refused:
        return refused if refused.key == "project_damaged" else None
    return UserError("project_damaged", path=str(path), detail=", ".join(damages[:3])) if damages else None


def close(project: Project) -> None:
    project.close()


def backup(project: Project, target: Path) -> None:
    """A copy of an open project, complete to the last transaction."""
    backup_project(project, with_suffix(target))


def has_iterations(project: Project) -> bool:
    """Whether an iteration of the tuning cycle was begun.

    Raises:
        UserError: cycle_record_damaged.
    """
    return bool(read_book(project).iterations)


def engagement_zone(project: Project) -> ZoneInfo:
    return ZoneInfo(read_engagement(project).zone)


def has_many_series(project: Project) -> bool:
    """Whether listing its series takes so long that a window would stand still meanwhile: a tenth of a second."""
    return merged_series.has_columns(project, MANY_SERIES)


def list_ahead(project: Project) -> None:
    """Lists the series, which are remembered: on another thread, so that nobody waits for it afterwards."""
    merged_series.list_merged(project)


def overview(project: Project) -> Overview:
    of_captures = hosts.hosts_of_captures(project)
    names = {host.id: host.name for host in of_captures}
    every = artefacts.list_artefacts(project)
    by_run = by_key((capture.run_id, capture) for capture in every)
    views = tuple(_run_view(run, by_run.get(run.id, []), names) for run in runs.list_runs(project))
    series = merged_series.list_merged(project)
    return Overview(
        engagement=read_engagement(project),
        hosts=tuple(of_captures),
        runs=views,
        series=len(series),
        samples=sum(info.count for info in series),
        size_bytes=queries.storage_size(project),
        read_only=project.read_only,
        read_only_reason=project.read_only_reason,
        lock_holder=project.lock_holder,
        reports=tuple(reports.list_reports(project)),
        bundles=tuple(bundles.list_bundles(project)),
    )


def _run_view(run: Run, own: Sequence[ArtefactInfo], names: dict[int, str]) -> RunView:
    seen = {names[capture.host_id]: None for capture in own if capture.host_id in names}
    return RunView(run, tuple(seen), tuple(own))


def check_zone(name: str) -> ZoneInfo:
    """The zone called `name`.

    Raises:
        UserError: there is no such zone.
    """
    if name not in available_timezones():
        raise UserError("zone_unknown", zone=name)
    return ZoneInfo(name)


def find_run(project: Project, label: str) -> Run:
    """The run called `label`; a phase's name means the run of that phase where there is just one.

    Raises:
        UserError: no run, or several, go by that name.
    """
    every = runs.list_runs(project)
    for run in every:
        if run.label == label:
            return run
    of_phase = [run for run in every if run.phase == label]
    if len(of_phase) == 1:
        return of_phase[0]
    raise UserError("run_unknown", run=label, known=", ".join(run.label for run in every) or "-")


def today(project: Project) -> date:
    """The date on the clock of the engagement, wherever this machine stands."""
    return datetime.now(ZoneInfo(read_engagement(project).zone)).date()


def update_engagement(project: Project, engagement: Engagement) -> None:
    _check_engagement(engagement)
    before = engagements.read_engagement(project).approvals
    with project.transaction():  # a policy that this machine cannot remember is none
        engagements.write_engagement(project, engagement)
        if engagement.approvals != before:
            trusted.policy_said(project, engagement.approvals)


def _check_engagement(engagement: Engagement) -> None:
    check_zone(engagement.zone)
    if engagement.holidays:
        read_days_off(engagement.holidays, engagement.zone)


def change_run(project: Project, run_id: int, label: str, phase: Phase) -> None:
    label = label.strip()
    if not label or any(run.label == label and run.id != run_id for run in runs.list_runs(project)):
        raise UserError("run_label_taken" if label else "run_label_empty", run=label)
    runs.change_run(project, run_id, label, phase)


def set_host_zone(project: Project, host_id: int, zone: str) -> None:
    """The user's word on a host's zone, used by imports and re-parses from now on."""
    check_zone(zone)
    hosts.set_host_zone(project, host_id, zone, "user")


def any_interrupted(project: Project) -> bool:
    """Whether some session was never finished; `collecting.unfinished` tells which of them can be taken up."""
    return any(session.state is SessionState.INTERRUPTED for session in sessions.list_sessions(project))
