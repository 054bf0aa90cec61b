"""A questionnaire is proposed before it is taken; taken back, it leaves what was edited since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.store import cases, cycle_cases
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.records import Contact, CustomerIssue, Severity
from tunebench.store import engagements
from tunebench.store.project import Project
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.cycle.edits import change_typed
from tunebench.usecases.cycle.questionnaire import (
    differences,
    export_questionnaire,
    propose_questionnaire,
    take_again,
    take_back,
    take_proposal,
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    applying.apply(opened, cycle_cases.adding(CustomerIssue(0, 1, "Slow")), "tester")
    yield opened
    opened.close()


@pytest.fixture
def answered(project: Project, tmp_path: Path) -> Path:
    path = export_questionnaire(project, tmp_path / "q.xlsx", "ko")
    book: Any = openpyxl.load_workbook(path)
    for form, place, value in (
        ("engagement", "C7", "분당"),
        ("issues", "D5", "상"),
        ("contacts", "A5", "김고객"),
        ("contacts", "D5", "02-1"),
    ):
        book[catalogue("ko").text(f"form.{form}.sheet")][place] = value
    book.save(path)
    return path


def test_a_proposal_changes_nothing_and_says_what_it_would(project: Project, answered: Path) -> None:
    before = (reading.read(project), engagements.read_engagement(project))
    proposal = propose_questionnaire(project, answered)
    assert (reading.read(project), engagements.read_engagement(project)) == before
    told = [
        (each.form, each.record, each.field, each.before, each.after, each.added)
        for each in differences(proposal, "en")
    ]
    assert told == [
        ("engagement", before[1].title, "site", before[1].site, "분당", False),
        ("issues", "1. Slow", "severity", "medium", "high", False),
        ("contacts", "김고객", "name", "", "김고객", True),
        ("contacts", "김고객", "phone", "", "02-1", True),
    ]
    assert not proposal.is_empty


def test_what_goes_out_proposes_nothing(project: Project, tmp_path: Path) -> None:
    proposal = propose_questionnaire(project, export_questionnaire(project, tmp_path / "q.xlsx", "en"))
    assert proposal.is_empty
    assert differences(proposal, "ko") == ()


def test_it_is_taken_taken_back_and_taken_again(project: Project, answered: Path) -> None:
    before = (reading.read(project), engagements.read_engagement(project))
    taken = take_proposal(project, propose_questionnaire(project, answered), "tester")
    after = (reading.read(project), engagements.read_engagement(project))
    assert after[1].site == "분당"
    assert after[0].all(CustomerIssue)[0].severity is Severity.HIGH
    take_back(project, taken)
    assert (reading.read(project), engagements.read_engagement(project)) == before
    take_again(project, taken)
    assert (reading.read(project), engagements.read_engagement(project)) == after


def test_taking_back_leaves_what_the_questionnaire_did_not_change(project: Project, answered: Path) -> None:
    site = engagements.read_engagement(project).site
    taken = take_proposal(project, propose_questionnaire(project, answered))
    engagements.write_engagement(project, replace(engagements.read_engagement(project), firm="Other firm"))
    take_back(project, taken)
    engagement = engagements.read_engagement(project)
    assert (engagement.firm, engagement.site) == ("Other firm", site)


def test_a_proposal_that_is_out_of_date_does_nothing(project: Project, answered: Path) -> None:
    proposal = propose_questionnaire(project, answered)
    (issue,) = reading.read(project).all(CustomerIssue)
    applying.apply(project, change_typed(reading.read(project), issue.id, {"title": "Slower"}))
    before = (reading.read(project), engagements.read_engagement(project))
    with pytest.raises(UserError) as caught:
        take_proposal(project, proposal)
    assert caught.value.key == "cycle_changed_meanwhile"
    assert (reading.read(project), engagements.read_engagement(project)) == before
    assert reading.read(project).all(Contact) == ()
