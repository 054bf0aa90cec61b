"""Capture plans and their approvals: both are only ever added."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from app.core.errors import UserError
from app.domain.capturing.plan import Approval, CapturePlan
from app.store.audit import trail as audit

if TYPE_CHECKING:
    from app.store.project import Project


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """A stored plan. `digest` is that of the stored text, `saved_at` ISO (UTC), `approvals` oldest first."""

    digest: str
    plan: CapturePlan
    saved_at: str
    approvals: tuple[Approval, ...]


def save_plan(project: Project, plan: CapturePlan) -> None:
    """Stores the plan; one that is there already stays as it is."""
    text, digest = plan.to_json(), plan.digest
    with project.transaction() as connection:
        if connection.execute("SELECT 1 FROM capture_plan WHERE digest = ?", (digest,)).fetchone():
            return
        connection.execute(
            "INSERT INTO capture_plan (digest, plan, saved_at) VALUES (?, ?, ?)", (digest, text, audit.now_iso())
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
        connection.execute(
            "INSERT INTO approval (digest, approved_by, approved_at, how, note) VALUES (?, ?, ?, ?, ?)",
            (approval.digest, approval.approved_by, approval.approved_at, approval.how, approval.note),
        )
        audit.record(
            project,
            "plan_approved",
            digest=approval.digest,
            approved_by=approval.approved_by,
            approved_at=approval.approved_at,
            how=approval.how,
            note=approval.note,
        )


def approvals(project: Project, digest: str) -> list[Approval]:
    """Consents to one plan, oldest first."""
    return [
        Approval(*row)
        for row in project.rows(
            "SELECT digest, approved_by, approved_at, how, note FROM approval WHERE digest = ? ORDER BY id", (digest,)
        )
    ]


def approved_plan(project: Project, digest: str) -> tuple[CapturePlan, tuple[Approval, ...]]:
    """A plan that may run, and the consents to it, each as the audit trail has it.

    Whoever can write the file can change plan and approval together; the trail remembers what was approved.

    Raises:
        UserError: plan_missing; plan_digest_differs; plan_not_approved; approval_trail_broken, approval_unproven.
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
    return plan, tuple(given)


def proven_approvals(project: Project) -> frozenset[Approval]:
    """All consents that the audit trail has an entry of."""
    names = [field.name for field in fields(Approval)]
    return frozenset(
        Approval(*(str(entry.facts.get(name, "")) for name in names))
        for entry in audit.chained(project, "plan_approved")
    )
