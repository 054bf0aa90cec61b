"""The capture page asks who confirms a licence before a plan that needs one can be approved."""

from __future__ import annotations

from tests.ui.plan_controller import Controller, facts, press, type_into
from tests.ui.test_capture_plan import approve, check, linux, panel, plan_of
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.databases.choices import list_confirmations

pytest_plugins = ("tests.ui.plan_fixtures",)
__all__ = ["linux"]


def test_a_plan_with_awr_is_approved_after_a_confirmation_only(linux: Controller) -> None:
    page = panel(linux)
    plan_of(linux)
    assert not page.licence.isVisibleTo(page) and page.form.isEnabled()
    check(linux, "oracle.awr_report")
    assert page.licence.isVisibleTo(page) and not page.form.isEnabled() and not page.script.isEnabled()
    assert "oracle.awr_report" in page.licence.words.text() and "Diagnostics Pack" in page.licence.words.text()
    type_into(page.licence.who, "Lee")
    press(page.licence.record)
    assert page.licence.evidence.property("state") == "wrong"
    assert list_confirmations(linux.project) == []
    type_into(page.licence.evidence, "order 4711")
    press(page.licence.record)
    linux.settle()
    (given,) = list_confirmations(linux.project)
    assert (given.host, given.confirmed_by, given.evidence) == ("db01", "Lee", "order 4711")
    assert page.form.isEnabled() and page.script.isEnabled()
    assert "Lee" in page.licence.words.text() and not page.licence.who.isVisibleTo(page.licence)
    approve(linux)
    assert "Approved by Kim" in facts(page)
    assert len(capture_plans.list_plans(linux.project)) == 1
