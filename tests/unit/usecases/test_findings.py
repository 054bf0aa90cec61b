"""Findings become causes and worksheet rows, with evidence; both can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.program import compose
from tests.unit.usecases.founding_runs import founding_project
from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleBook, CycleEdit
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind
from tunebench.domain.cycle.records import Cause, CauseDomain, Confidence, Step
from tunebench.domain.cycle.worksheet import Action, Resource
from tunebench.domain.finding import Finding
from tunebench.domain.windows import run_window
from tunebench.sdk.rules import Rule
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.cycle.edits import open_iteration
from tunebench.usecases.findings import acting as findings
from tunebench.usecases.findings import diagnose


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    compose()
    with founding_project(tmp_path_factory.mktemp("founding")) as made:
        yield made


class Desk:
    """What a test applies is taken back when it ends."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.done: list[CycleEdit] = []

    @property
    def book(self) -> CycleBook:
        return reading.read(self.project)

    def apply(self, edit: CycleEdit) -> None:
        self.done.append(applying.apply(self.project, edit))

    def undo(self) -> None:
        applying.undo(self.project, self.done.pop())


@pytest.fixture
def desk(project: Project) -> Iterator[Desk]:
    """With an open iteration."""
    made = Desk(project)
    made.apply(open_iteration(made.book, "write performance"))
    yield made
    while made.done:
        made.undo()


def found(project: Project, run: str, rule: str) -> tuple[Finding, Rule]:
    diagnosis = diagnose.diagnose(project, run_window(projects.find_run(project, run).id))
    one = next(each for each in diagnosis.findings if each.rule == rule)
    return one, diagnosis.rules[rule]


def test_a_finding_becomes_a_cause_with_its_evidence(project: Project, desk: Desk) -> None:
    finding, rule = found(project, "read-6", "SF-052")
    desk.apply(findings.take_as_cause(project, desk.book, finding, rule, "en", by="Kim"))
    after = desk.book
    (cause,) = after.all(Cause)
    assert cause.domain is CauseDomain.SYSTEM
    assert cause.title == "Disk bottleneck: svrdb1 ssd2"
    assert cause.finding == "SF-052/read-6/svrdb1/device=ssd2"
    assert cause.confidence is Confidence.LOW  # one sample
    assert "137.8 ms" in cause.text and "single sample" in cause.text and "%b 가 20% 이상" in cause.text
    (pinned,) = after.all(Evidence)
    assert pinned.attached_to == (cause.id,) and pinned.pinned_by == "Kim"
    assert pinned.target.kind is EvidenceKind.WINDOW
    assert "svrdb1|iostat|svc_t|device=ssd2" in pinned.target.series_names
    desk.undo()
    assert not desk.book.all(Cause) and not desk.book.all(Evidence)


def test_a_cause_of_many_samples_is_as_sure_as_its_rule(project: Project, desk: Desk) -> None:
    finding, rule = found(project, "swap", "SF-404")
    desk.apply(findings.take_as_cause(project, desk.book, finding, rule, "ko"))
    (cause,) = desk.book.all(Cause)
    assert cause.confidence is rule.confidence
    assert cause.title.startswith(f"{rule.title['ko']}: swaphost")
    assert len(desk.book.evidence_of(cause.id)) == 3  # steps 6, 7 and after


def test_the_same_finding_is_taken_once(project: Project, desk: Desk) -> None:
    finding, rule = found(project, "read-6", "SF-052")
    desk.apply(findings.take_as_cause(project, desk.book, finding, rule, "en"))
    again = desk.book
    assert findings.cause_of(again, finding) is not None
    with pytest.raises(UserError, match="finding_taken"):
        findings.take_as_cause(project, again, finding, rule, "en")


def test_a_finding_taken_without_an_open_iteration_opens_one(project: Project) -> None:
    finding, rule = found(project, "read-6", "SF-052")
    desk = Desk(project)
    assert desk.book.current is None
    desk.apply(findings.take_as_cause(project, desk.book, finding, rule, "en"))
    book = desk.book
    (cause,) = book.all(Cause)
    assert book.current is not None and book.current.title == cause.title
    assert cause.iteration_id == book.current.id and len(book.in_iteration(Step, book.current.id)) == 7
    assert [evidence.attached_to for evidence in book.all(Evidence)] == [(cause.id,)] * len(book.all(Evidence))
    desk.undo()
    assert desk.book.current is None, "one step back takes all of it away"


def test_a_row_proposed_at_once_brings_the_cause_and_its_evidence(project: Project, desk: Desk) -> None:
    finding, rule = found(project, "dnlc", "SF-100")
    desk.apply(findings.propose_action(project, desk.book, finding, rule, "en"))
    (cause,), (action,) = desk.book.all(Cause), desk.book.all(Action)
    assert action.cause_ids == (cause.id,) and action.prices
    assert desk.book.all(Evidence)
    assert all(evidence.attached_to == (cause.id,) for evidence in desk.book.all(Evidence))


def test_a_row_is_proposed_with_what_is_known_of_such_a_change(project: Project, desk: Desk) -> None:
    """DNLC: the rule says "raise ncsize", of which the matrix knows that memory pays (analysis of the guide 5.1)."""
    finding, rule = found(project, "dnlc", "SF-100")
    desk.apply(findings.take_as_cause(project, desk.book, finding, rule, "en"))
    taken = desk.book
    desk.apply(findings.propose_action(project, taken, finding, rule, "en"))
    (action,) = desk.book.all(Action)
    assert action.known_effect == "founding.dnlc"
    assert {change.parameter for change in action.changes} == {"ncsize", "ufs_ninode"}
    assert Resource.MEMORY in {impact.resource for impact in action.prices}
    assert action.finding == finding.key
    assert action.cause_ids == (taken.all(Cause)[0].id,)
    with pytest.raises(UserError, match="finding_proposed"):
        findings.propose_action(project, desk.book, finding, rule, "en")
    desk.undo()
    assert not desk.book.all(Action)


def test_a_rule_without_advice_proposes_nothing(project: Project, desk: Desk) -> None:
    finding, rule = found(project, "read-6", "SF-052")
    with pytest.raises(UserError, match="finding_without_action"):
        findings.propose_action(project, desk.book, finding, replace(rule, action={}), "en")


def test_a_word_of_everyday_language_is_no_parameter(project: Project) -> None:
    _, rule = found(project, "read-6", "SF-052")
    about_data = replace(rule, action={"en": "move the data elsewhere"}, metrics=("svc_t",))
    assert findings.effect_for(about_data) is None
    about_swap = replace(rule, action={"en": "add disk swap"}, metrics=("swap_avail_kb",))
    effect = findings.effect_for(about_swap)
    assert effect is not None and effect.id == "founding.disk_swap"
