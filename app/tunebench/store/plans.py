"""Capture plans and their approvals: both are only ever added."""

# ruff: noqa: S608 - only names of fields are put into queries; values are bound

from __future__ import annotations

from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING

from tunebench.core.errors import UserError
from tunebench.domain.approving import ApprovalLacking, Approvers, Lack, plan_text
from tunebench.domain.capturing.plan import Approval, CapturePlan, PlanRecord
from tunebench.store import engagements, trusted
from tunebench.store.audit import trail as audit
from tunebench.store.locking import current_user

if TYPE_CHECKING:
    from tunebench.store.project import Project


_FIELDS = tuple(field.name for field in fields(Approval))


def save_plan(project: Project, plan: CapturePlan) -> None:
    """Stores the plan; one that is there already stays as it is."""
    text, digest = plan.to_json(), plan.digest
    with project.transaction() as connection:
        if connection.execute("SELECT 1 FROM capture_plan WHERE digest = ?", (digest,)).fetchone():
            return
        connection.execute(
            "INSERT INTO capture_plan (digest, plan, saved_at) VALUES (?, ?, ?)", (digest, text, audit.now_iso(project))
        )
        audit.record(
            project,
            "plan_saved",
            digest=digest,
            run=plan.run,
            hosts=[host.name for host in plan.hosts],
            commands=len(plan.commands),
        )


def find_plan(project: Project, digest: str) -> CapturePlan:
    """Raises UserError plan_missing where there is none of this digest."""
    row = project.row("SELECT plan FROM capture_plan WHERE digest = ?", (digest,))
    if row is None:
        raise UserError("plan_missing", digest=digest)
    return CapturePlan.from_json(row[0])


def list_plans(project: Project) -> list[PlanRecord]:
    """All of them, oldest first."""
    return [
        PlanRecord(digest, CapturePlan.from_json(text), saved_at, tuple(approvals(project, digest)))
        for digest, text, saved_at in project.rows("SELECT digest, plan, saved_at FROM capture_plan ORDER BY id")
    ]


def approve(project: Project, approval: Approval) -> None:
    """Stores somebody's consent to a stored plan; the very same consent is stored once.

    Raises:
        UserError: plan_missing.
    """
    find_plan(project, approval.digest)
    with project.transaction() as connection:
        if approval in approvals(project, approval.digest):
            return
        connection.execute(f"INSERT INTO approval ({', '.join(_FIELDS)}) VALUES (?, ?, ?, ?, ?, ?)", astuple(approval))
        audit.record(project, "plan_approved", **asdict(approval))


def approvals(project: Project, digest: str) -> list[Approval]:
    """Consents to one plan, oldest first."""
    return [
        Approval(*row)
        for row in project.rows(f"SELECT {', '.join(_FIELDS)} FROM approval WHERE digest = ? ORDER BY id", (digest,))
    ]


def approved_plan(project: Project, digest: str) -> tuple[CapturePlan, tuple[Approval, ...]]:
    """A plan that may run, and the consents to it, each as the audit trail has it.

    Whoever can write the file can change plan and approval together; the trail remembers what was approved.

    Raises:
        UserError: plan_missing; plan_digest_differs; plan_not_approved; approval_trail_broken, approval_unproven; as
            `refuse_lacking` where none of them is enough.
    """
    plan = find_plan(project, digest)
    if plan.digest != digest:
        raise UserError("plan_digest_differs", digest=digest[:12])
    given = approvals(project, digest)
    if not given:
        raise UserError("plan_not_approved", digest=digest[:12])
    broken = audit.verify_chain(project)
    if broken is not None:
        raise UserError("approval_trail_broken", entry=broken)
    if not set(given) <= proven_approvals(project):
        raise UserError("approval_unproven", digest=digest[:12])
    enough = tuple(approval for approval in given if lack_of(project, approval) is None)
    if not enough:
        refuse_lacking(project, given[-1])
    return plan, enough


def lack_of(project: Project, approval: Approval, approvers: Approvers | None = None) -> Lack | None:
    """What a consent lacks by the engagement's policy; a plan is carried out by who is at this machine, for the
    engagement's consultants."""
    approvers = approvers or trusted.read_approvers(project)
    text = plan_text(approval.digest, approval.approved_by, approval.approved_at)
    others = (current_user(), *engagements.read_engagement(project).consultants)
    return approvers.lacking(approval.approved_by, approval.signature, text, others)


def refuse_lacking(project: Project, approval: Approval) -> None:
    """Raises ApprovalLacking where the consent is not, or no longer, enough; as `lack_of`."""
    lack = lack_of(project, approval)
    if lack is not None:
        raise ApprovalLacking(lack, name=approval.approved_by)


def proven_approvals(project: Project) -> frozenset[Approval]:
    """All consents that the audit trail has an entry of."""
    return frozenset(
        Approval(*(str(entry.facts.get(name, "")) for name in _FIELDS))
        for entry in audit.chained(project, "plan_approved")
    )
