"""A plan is kept with the profiles that it names; those that the project has already stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.program import compose
from tests.store import cases
from tunebench.domain.connection import HostProfile
from tunebench.store.project import Project
from tunebench.usecases.capturing import connections
from tunebench.usecases.capturing import plans as capture_plans
from tunebench.usecases.capturing.plans import PlanDraft

KNOWN = HostProfile(name="db01", address="192.0.2.7", user="oracle", os="linux")
NEW = HostProfile(name="web01", address="192.0.2.8", user="www", os="linux")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    with cases.new_project(tmp_path) as opened:
        yield opened


def test_a_plan_is_kept_with_the_profiles_that_are_new(project: Project) -> None:
    connections.save_profile(project, KNOWN)
    plan = capture_plans.draft(project, PlanDraft((KNOWN, NEW), {"": ("linux.vmstat",)}, "before"))
    capture_plans.keep(project, plan, (replace(KNOWN, user="another"), NEW))
    saved = {profile.name: (profile.address, profile.user) for profile in connections.list_profiles(project)}
    assert saved == {"db01": ("192.0.2.7", "oracle"), "web01": ("192.0.2.8", "www")}
    assert capture_plans.find_plan(project, plan.digest) == plan
    assert [record.digest for record in capture_plans.list_plans(project)] == [plan.digest]
