"""Plans and approvals: stored verbatim, found by digest, only ever added."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from tests.store import cases
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import Approval
from tunebench.store import plans
from tunebench.store.audit.trail import list_audit
from tunebench.store.opening import open_project
from tunebench.store.project import Project

PLAN = cases.PLAN
APPROVAL = Approval(PLAN.digest, "박과장", "2026-11-21T03:00:00+00:00", "signed_sheet", "문서 12")


def test_a_plan_comes_back_equal_with_its_digest(project: Project) -> None:
    plans.save_plan(project, PLAN)
    plans.save_plan(project, PLAN)
    other = replace(PLAN, nonce="ffffffff")
    plans.save_plan(project, other)
    project.close()
    with open_project(project.path) as again:
        assert plans.find_plan(again, PLAN.digest) == PLAN
        assert plans.find_plan(again, PLAN.digest).digest == PLAN.digest
        assert [(record.digest, record.plan, record.approvals) for record in plans.list_plans(again)] == [
            (PLAN.digest, PLAN, ()),
            (other.digest, other, ()),
        ]
        saved = [entry for entry in list_audit(again) if entry.action == "plan_saved"]
    assert saved[0].facts == {"digest": PLAN.digest, "run": "before", "hosts": ["db1"], "commands": 2}
    assert len(saved) == 2


def test_a_plan_that_is_not_there_is_a_refusal(project: Project) -> None:
    with pytest.raises(UserError, match="plan_missing"):
        plans.find_plan(project, "0" * 64)
    with pytest.raises(UserError, match="plan_missing"):
        plans.approve(project, APPROVAL)
    assert plans.approvals(project, PLAN.digest) == []


def test_approvals_belong_to_one_plan_oldest_first(project: Project) -> None:
    other = replace(PLAN, duration_s=601.0)
    for plan in (PLAN, other):
        plans.save_plan(project, plan)
    second = replace(APPROVAL, approved_by="이영진", how="spoken", note="")
    for approval in (APPROVAL, second, APPROVAL):
        plans.approve(project, approval)
    assert plans.approvals(project, PLAN.digest) == [APPROVAL, second]
    assert plans.approvals(project, other.digest) == []
    first, last = plans.list_plans(project)
    assert (first.approvals, last.approvals) == ((APPROVAL, second), ())
    approved = [entry for entry in list_audit(project) if entry.action == "plan_approved"]
    assert [entry.facts["approved_by"] for entry in approved] == ["박과장", "이영진"]
    for entry in list_audit(project):
        cases.check_audit_sentence(entry)


def change(project: Project, statement: str, *values: str) -> None:
    """As somebody does who can write the file; plans and approvals are not guarded by triggers."""
    with closing(sqlite3.connect(project.path)) as connection:
        assert connection.execute(statement, values).rowcount > 0
        connection.commit()


def refusal(project: Project, digest: str) -> str:
    with pytest.raises(UserError) as refused:
        plans.approved_plan(project, digest)
    return refused.value.key


@pytest.fixture
def approved(project: Project) -> Project:
    plans.save_plan(project, PLAN)
    plans.approve(project, APPROVAL)
    return project


def test_what_may_run_is_what_the_audit_trail_says_was_approved(approved: Project) -> None:
    assert plans.approved_plan(approved, PLAN.digest) == (PLAN, (APPROVAL,))
    other = replace(PLAN, nonce="ffffffff")
    plans.save_plan(approved, other)
    assert refusal(approved, other.digest) == "plan_not_approved"


def test_a_plan_changed_together_with_its_approval_may_not_run(approved: Project) -> None:
    changed = replace(PLAN, commands=(replace(PLAN.commands[0], verbatim="touch /tmp/x"), *PLAN.commands[1:]))
    change(approved, "UPDATE capture_plan SET plan = ?", changed.to_json())
    assert refusal(approved, PLAN.digest) == "plan_digest_differs"
    change(approved, "UPDATE capture_plan SET digest = ?", changed.digest)
    change(approved, "UPDATE approval SET digest = ?", changed.digest)
    assert refusal(approved, changed.digest) == "approval_unproven"


def test_an_approval_in_another_name_may_not_run(approved: Project) -> None:
    change(approved, "UPDATE approval SET approved_by = ?", "CISO")
    assert refusal(approved, PLAN.digest) == "approval_unproven"


def test_an_entry_outside_of_the_chain_proves_no_approval(approved: Project) -> None:
    change(approved, "UPDATE approval SET approved_by = ?", "CISO")
    change(
        approved,
        "INSERT INTO audit (time, user, action, facts, previous, digest)"
        " SELECT time, user, action, replace(facts, ?, ?), '', '' FROM audit WHERE action = 'plan_approved'",
        APPROVAL.approved_by,
        "CISO",
    )
    assert plans.proven_approvals(approved) == {APPROVAL}
    assert refusal(approved, PLAN.digest) == "approval_trail_broken"


def test_with_a_broken_audit_trail_nothing_may_run(approved: Project) -> None:
    change(approved, "UPDATE property SET value = ? WHERE name = 'audit_head'", "1 f")
    assert refusal(approved, PLAN.digest) == "approval_trail_broken"
