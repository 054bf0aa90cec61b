"""Plans that read what needs a licence: refused until somebody confirms it, recorded, printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.program import compose
from tests.store import cases
from tests.store.database_cases import period, statements, store
from tunebench.cli.main import run as run_verb
from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.connection import HostProfile
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.store.audit import trail as audit
from tunebench.store.project import Project
from tunebench.usecases.capturing import approval_sheets
from tunebench.usecases.capturing import licences as capture_licences
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.capturing.plans import PlanDraft
from tunebench.usecases.databases import comparison
from tunebench.usecases.databases.choices import confirm_licence, list_confirmations

HOST = HostProfile(name="db01", address="192.0.2.7", user="oracle", os="linux")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        yield opened


@pytest.fixture
def plan(project: Project) -> CapturePlan:
    return capture_plans.draft(project, PlanDraft((HOST,), {"": ("oracle.sqlstat", "linux.vmstat")}, "before"))


def test_a_plan_without_such_probes_needs_nothing_and_keeps_its_canonical_text(project):
    plan = capture_plans.draft(project, PlanDraft((HOST,), {"": ("oracle.views", "oracle.licence_evidence")}, "before"))
    assert plan.licences == () and '"licence":' not in plan.to_json()
    capture_plans.approve(project, plan, "Kim", "spoken")


def test_a_plan_is_refused_until_the_licence_is_confirmed(project, plan, tmp_path):
    assert plan.licences == (("db01", "oracle.diagnostics_pack"),)
    assert CapturePlan.from_json(plan.to_json()) == plan
    for act in (
        lambda: capture_plans.approve(project, plan, "Kim", "spoken"),
        lambda: capture_plans.write_scripts(project, plan, tmp_path / "x.sh", "en"),
    ):
        with pytest.raises(UserError) as refused:
            act()
        assert refused.value.key == "licence_unconfirmed" and refused.value.facts["hosts"] == "db01"
    capture_licences.confirm(project, plan, "Lee", "order 4711")
    assert capture_plans.approve(project, plan, "Kim", "spoken").digest == plan.digest


@pytest.mark.parametrize(("by", "evidence"), [("", "order 4711"), ("Lee", " ")])
def test_a_confirmation_names_a_person_and_the_evidence(project, plan, by, evidence):
    with pytest.raises(UserError) as refused:
        capture_licences.confirm(project, plan, by, evidence)
    assert refused.value.key == "licence_without_name"
    assert list_confirmations(project) == []


def test_a_confirmation_is_recorded_audited_and_printed(project, plan):
    assert "not confirmed yet" in approval_sheets.as_text(plan, "en", project=project)
    capture_licences.confirm(project, plan, "Lee", "order 4711")
    (given,) = list_confirmations(project)
    assert (given.subject, given.host, given.confirmed_by, given.evidence) == (
        "oracle.diagnostics_pack",
        "db01",
        "Lee",
        "order 4711",
    )
    assert given.confirmed_at
    sheet = approval_sheets.as_text(plan, "en", project=project)
    assert "Oracle Diagnostics Pack" in sheet and "Lee" in sheet and "order 4711" in sheet
    assert "not confirmed yet" not in sheet
    entries = [entry for entry in audit.list_audit(project) if entry.action == "licence_confirmed"]
    assert len(entries) == 1
    capture_licences.confirm(project, plan, "Lee", "order 4711")  # nothing is missing any more
    assert len(list_confirmations(project)) == 1


@pytest.mark.parametrize("confirmed", [False, True, "otherdb"])
@pytest.mark.parametrize("source", ["awr_html", "oracle_views"])
def test_a_comparison_of_awr_reports_says_that_nobody_confirmed_the_licence(project, confirmed, source):
    for run in ("before", "after"):
        record = replace(period(0, 60, statements(a=(2, 10.0))), source=source)
        store(project, record, name=f"{run}.html", run=run)
    if confirmed:
        database = "" if confirmed is True else confirmed  # of another database of the customer's
        given = LicenceConfirmation(0, "oracle.diagnostics_pack", "", database, "Lee", "order 4711")
        confirm_licence(project, given)
    told = [caution.key for caution in comparison.compare(project, 1, 2).cautions]
    assert ("licence_unconfirmed" in told) == (source == "awr_html" and confirmed is not True)


def test_the_command_line_confirms_with_name_and_evidence(tmp_path, capsys):
    with cases.new_project(tmp_path) as opened:
        path = opened.path
    words = ["capture", str(path), "--host", "oracle@192.0.2.7", "--probe", "oracle.awr_report", "--lang", "en"]
    compose()
    refused = run_verb([*words, "--script", str(tmp_path / "x.sh")])
    assert refused != 0 and "nobody has confirmed that licence" in capsys.readouterr().err
    assert not (tmp_path / "x.sh").exists()
    given = ["--licence-confirmed-by", "Lee", "--licence-evidence", "order 4711"]
    assert run_verb([*words, *given, "--script", str(tmp_path / "x.sh")]) == 0
    assert "awr_report_html" in (tmp_path / "x.sh").read_text(encoding="utf-8")
