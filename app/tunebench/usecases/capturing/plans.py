"""What is to be captured: drafted, kept, approved, printed as a script for the customer. Nothing is connected to.

plan = capture_plans.draft(project, PlanDraft(...))
capture_plans.keep(project, plan); capture_plans.approve(project, plan, "Kim", "signed_sheet")
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path

from tunebench.capture import offline_script
from tunebench.capture.planning import ASSUMED_OS, PlanRequest, build_plan, choose_probes
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.core.signing import SigningKey, as_signature
from tunebench.core.whole_files import write_whole
from tunebench.domain.approving import plan_text
from tunebench.domain.capturing.plan import Approval, CaptureMode, CapturePlan, PlannedHost, PlanRecord, Schedule
from tunebench.domain.connection import HostProfile
from tunebench.domain.engagement import Phase
from tunebench.domain.series import SeriesInfo
from tunebench.sdk.batches import SeriesKey
from tunebench.sdk.probes import Probe
from tunebench.store import engagements, plans, profiles
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.transport.ssh.link import LinkError
from tunebench.transport.ssh.resolve import resolve
from tunebench.usecases import services
from tunebench.usecases.capturing import connections
from tunebench.usecases.capturing import licences as capture_licences
from tunebench.usecases.cycle.text import clean_text
from tunebench.usecases.projects import refuse_read_only


@record
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
    probes = services.current().plugins.probes()
    return tuple(probe for probe in probes if not os or not probe.os or os in probe.os)


def draft(project: Project, wanted: PlanDraft) -> CapturePlan:
    """The plan, complete and verbatim; nothing is connected to and nothing is kept.

    Raises:
        UserError: a host cannot be resolved, a probe is unknown or does not fit, a parameter is refused.
    """
    probes = services.current().plugins.probes()
    hosts = tuple(planned_host(project, profile) for profile in wanted.hosts)
    every = wanted.probes.get("", ())
    chosen = {
        host.name: choose_probes([*every, *wanted.probes.get(host.name, ())] or ["default"], host.os, probes)
        for host in hosts
    }
    request = PlanRequest(
        hosts=hosts,
        probes=chosen,
        run=wanted.run,
        phase=wanted.phase.value,
        interval_s=wanted.interval_s,
        duration_s=wanted.duration_s,
        schedule=wanted.schedule,
        mode=wanted.mode,
        zone=engagements.read_engagement(project).zone,
    )
    return build_plan(request, probes)


def planned_host(project: Project, profile: HostProfile) -> PlannedHost:
    """The host as the sheet names it, with the ssh configuration resolved as far as that goes without connecting."""
    try:
        target = resolve(profile, profiles.list_profiles(project)).target
    except LinkError as error:
        raise connections.as_user_error(error, profile.name) from error
    return PlannedHost(
        name=profile.name,
        address=target.address,
        port=target.port,
        user=target.user,
        os=profile.os or ASSUMED_OS,
        os_source="profile" if profile.os else "assumed",
        jump=profile.jump,
        backend=str(profile.backend),
        weak_algorithms=profile.weak_algorithms,
        colour=str(profile.colour),
    )


def keep(project: Project, plan: CapturePlan, profiles_used: Iterable[HostProfile] = ()) -> None:
    """Keeps a plan in the project, with the profiles of hosts that were not there yet."""
    refuse_read_only(project)
    kept = {profile.name for profile in connections.list_profiles(project)}
    for profile in profiles_used:
        if profile.name not in kept:
            connections.save_profile(project, profile)
    plans.save_plan(project, plan)


def list_plans(project: Project) -> tuple[PlanRecord, ...]:
    return tuple(plans.list_plans(project))


def find_plan(project: Project, digest: str) -> CapturePlan:
    return plans.find_plan(project, digest)


def approve(
    project: Project,
    plan: CapturePlan,
    approved_by: str,
    how: str,
    note: str = "",
    *,
    key: SigningKey | None = None,
    signature: str = "",
    at: str = "",
) -> Approval:
    """Records who consented to exactly this plan.

    Args:
        key: what the approver signs with here; `signature` was made elsewhere, of what `at` is the moment of.

    Raises:
        UserError: ``approval_without_name``, ``licence_unconfirmed``; ApprovalLacking where the engagement's policy
            wants more.
    """
    refuse_read_only(project)
    if not approved_by.strip():
        raise UserError("approval_without_name")
    capture_licences.require(project, plan)
    by, at = clean_text(approved_by), at or datetime.now(UTC).isoformat(timespec="seconds")
    given = key.sign(plan_text(plan.digest, by, at)) if key is not None else as_signature(signature)
    approval = Approval(plan.digest, by, at, how, note.strip(), given)
    plans.refuse_lacking(project, approval)
    plans.save_plan(project, plan)
    plans.approve(project, approval)
    return approval


def write_scripts(project: Project, plan: CapturePlan, path: Path, language: str) -> tuple[Path, ...]:
    """The plan as shell scripts that the customer runs alone; their archives are imported like any capture.

    One host: `path`. Several: one file each, named after `path` and the host.

    Raises:
        UserError: a file cannot be written, ``licence_unconfirmed``.
    """
    capture_licences.require(project, plan)
    several = len(plan.hosts) > 1
    written: list[Path] = []
    for host in plan.hosts:
        text = offline_script.render_script(plan, language, host.name)
        target = path.with_name(f"{path.stem}-{file_name_of(host.name)}{path.suffix or '.sh'}") if several else path
        write_whole(target, text.encode())
        try:
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


def describe_columns(
    plan: CapturePlan, stream_id: str, keys: Sequence[SeriesKey], first_id: int = 1
) -> list[SeriesInfo]:
    """A `SeriesInfo` per column, numbered from `first_id`; counts and times are those of nothing stored yet."""
    installed, command = services.current(), plan.command(stream_id)
    entry = installed.plugins.parser(command.parser) if command.parser else None
    tool = command.tool if entry is None or command.tool in entry.tools else entry.tools[0]
    os = next((host.os for host in plan.hosts if host.name == command.host), "")
    columns: list[SeriesInfo] = []
    for number, key in enumerate(keys, first_id):
        attributes = dict(key.attributes)
        traits = installed.catalogue.describe(tool, os, key.table, key.native, attributes)
        columns.append(
            SeriesInfo(
                id=number,
                run_id=0,
                run=plan.run,
                host_id=0,
                host=command.host,
                artefact_id=0,
                clock_id=0,
                tool=tool,
                table=key.table,
                native=key.native,
                metric=traits.metric,
                unit=traits.unit,
                kind=traits.kind,
                direction=traits.direction,
                to_base=traits.to_base,
                base_unit=traits.base_unit,
                count=0,
                missing=0,
                first_ns=None,
                last_ns=None,
                interval_s=command.interval_s or plan.interval_s,
                attributes=attributes,
                implied=dict(traits.implied),
                definition=traits.definition,
            )
        )
    return columns
