"""Plans and approvals: stored verbatim, found by digest, only ever added."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.errors import UserError
from app.domain.capture_plan import Approval
from app.store import plans
from app.store.audit import list_audit
from app.store.project import Project, open_project
from tests.store import cases

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
            (PLAN.digest, PLAN, ()), (other.digest, other, ()),
        ]
        saved = [entry for entry in list_audit(again) if entry.action == "plan_saved"]
    assert saved[0].facts == {
        "digest": PLAN.digest, "run": "before", "hosts": ["db1"], "commands": 2,
    }
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
