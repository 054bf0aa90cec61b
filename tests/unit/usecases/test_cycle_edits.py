"""The builders: what each makes of a book, what its gates refuse, and that every one can be undone and redone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.store import cases
from tests.unit.usecases.cycle_bench import AT, YES, Bench, refused, sign_results, with_result
from tunebench.core.errors import UserError
from tunebench.core.messages import catalogue
from tunebench.diagnosis.words import gate_text
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.cycle.book import KINDS, CycleBook, CycleEdit
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    CustomerIssue,
    Figure,
    Iteration,
    Metric,
    Outcome,
    Result,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import (
    Action,
    ActionState,
    Decision,
    ExecutedChange,
    Impact,
    InForce,
    ParameterChange,
    Resource,
    Rollback,
)
from tunebench.domain.engagement import Run
from tunebench.store import artefacts, sessions
from tunebench.store.audit.trail import list_audit
from tunebench.store.check import check_project
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.cycle import applying, edits, reading
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.acts import (
    abandon_iteration,
    approve_action,
    close_iteration,
    continue_iteration,
    execute_action,
    record_result,
    reopen_iteration,
    roll_back,
    set_baseline,
    set_step,
    step_of,
)
from tunebench.usecases.cycle.edits import add_typed, change_typed, open_iteration
from tunebench.usecases.cycle.engagement import set_engagement
from tunebench.usecases.cycle.gates import GateRefusal
from tunebench.usecases.cycle.lookup import iteration_of, look_up, with_ids
from tunebench.usecases.cycle.words import next_text


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    opened = cases.new_project(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def bench(project: Project) -> Bench:
    return Bench(project)


# -- iterations and steps ------------------------------------------------------------------------------


def test_an_iteration_opens_with_its_seven_steps(bench: Bench) -> None:
    iteration = bench.start()
    steps = bench.book.in_iteration(Step, iteration.id)
    assert [step.number for step in steps] == list(StepNumber)
    assert (iteration.number, iteration.opened_on, iteration.outcome) == (1, "2026-07-19", Outcome.OPEN)
    assert refused(lambda: open_iteration(bench.book, "2차")).key == "cycle_iteration_open"


def test_only_at_introduction_step_zero_is_skipped_and_any_skip_has_a_reason(bench: Bench) -> None:
    iteration = bench.start()
    zero, one = (step_of(bench.book, iteration.id, StepNumber(number)) for number in (0, 1))
    skip = StepState.SKIPPED
    assert refused(lambda: set_step(bench.book, zero.id, skip, skip_reason="바쁨")).key == "skip_only_introduction"
    assert refused(lambda: set_step(bench.book, one.id, skip)).key == "skip_without_reason"
    bench.do(edits.change(bench.book, replace(iteration, introduction=True)))
    bench.do(set_step(bench.book, zero.id, skip, on="2026-07-19", skip_reason="도입 단계"))
    assert step_of(bench.book, iteration.id, StepNumber.PROBLEM).ended_on == "2026-07-19"


def test_a_step_is_done_when_it_has_what_it_needs(bench: Bench) -> None:
    iteration = bench.start()
    step = step_of(bench.book, iteration.id, StepNumber.METRICS)
    assert refused(lambda: set_step(bench.book, step.id, StepState.DONE)).key == "no_metric"
    bench.metric()
    bench.do(set_step(bench.book, step.id, StepState.DONE, on="2026-07-20"))
    done = step_of(bench.book, iteration.id, StepNumber.METRICS)
    assert (done.state, done.started_on, done.ended_on) == (StepState.DONE, "2026-07-20", "2026-07-20")
    bench.do(set_step(bench.book, step.id, StepState.IN_WORK))
    again = step_of(bench.book, iteration.id, StepNumber.METRICS)
    assert (again.started_on, again.ended_on) == ("2026-07-20", "")


# -- targets, actions, results -------------------------------------------------------------------------


def test_no_target_without_metric_and_baseline(bench: Bench) -> None:
    iteration = bench.start()
    metric = bench.metric()
    bare = Target(0, iteration.id, metric.id, value=20.0)
    assert refused(lambda: edits.add(bench.book, bare)).key == "target_without_baseline"
    nowhere = replace(bare, metric_id=999)
    assert refused(lambda: edits.add(bench.book, nowhere)).key == "target_without_metric"
    bench.baseline(metric)
    assert (bench.target().priority, bench.target().value) == (1, 20.0)
    second = bench.metric("두 번째")
    bench.baseline(second)
    assert bench.one(Target).priority == 2


def test_a_paid_resource_brings_its_guard_and_undo_takes_both_back(bench: Bench) -> None:
    bench.start()
    action = bench.action(bench.metric())
    before = bench.book
    paid = replace(action, impacts=(Impact(Resource.MEMORY, -1),), no_price_reason="")
    done = bench.do(edits.change(bench.book, paid))
    guard = bench.one(Metric)
    assert (guard.guards, guard.resource) == (action.id, "memory")
    after = bench.book
    applying.undo(bench.project, done)
    assert bench.book == before
    applying.redo(bench.project, done)
    assert bench.book == after
    bench.do(
        edits.remove(bench.book, guard.id)
    )  # the consultant does not want it, and undo of later work respects that
    renamed = bench.do(edits.change(bench.book, replace(bench.one(Action), title="새 이름")))
    assert len(bench.book.all(Metric)) == 2  # asked for again with the next change of the action
    applying.undo(bench.project, renamed)
    assert [metric.guards for metric in bench.book.all(Metric)] == [None]


def test_nothing_incomplete_is_approved_or_executed(bench: Bench) -> None:
    bench.start()
    action = bench.action(bench.metric(), no_price_reason="", rollback=Rollback())
    error = refused(lambda: approve_action(bench.book, action.id, YES))
    assert isinstance(error, GateRefusal)
    assert [gate.key for gate in error.gates] == ["worksheet_no_price", "worksheet_no_rollback"]
    assert refused(lambda: execute_action(bench.book, action.id, "이영진", AT)).key == "worksheet_no_price"
    rejected = replace(YES, decision=Decision.REJECTED)
    bench.do(approve_action(bench.book, action.id, rejected))  # a refusal needs no complete worksheet
    bench.do(edits.change(bench.book, replace(bench.one(Action), no_price_reason="없음", rollback=Rollback("."))))
    assert refused(lambda: execute_action(bench.book, action.id, "이영진", AT)).key == "worksheet_no_rollback"
    bench.do(edits.change(bench.book, replace(bench.one(Action), rollback=Rollback("tunefs -a 6"))))
    assert refused(lambda: execute_action(bench.book, action.id, "이영진", AT)).key == "worksheet_not_agreed"
    assert refused(lambda: approve_action(bench.book, action.id, replace(YES, name=" "))).key == "cycle_value_empty"


def test_an_approval_is_for_the_worksheet_as_it_was(bench: Bench) -> None:
    bench.start()
    action = bench.action(bench.metric())
    bench.do(approve_action(bench.book, action.id, YES))
    rejected = replace(YES, name="김부장", decision=Decision.DEFERRED)
    bench.do(approve_action(bench.book, action.id, rejected))
    approved = bench.one(Action)
    tested = replace(approved, rollback=replace(approved.rollback, tested_on="2026-07-19"))
    assert applying.withdrawn(bench.do(edits.change(bench.book, tested))) == ()
    renamed = bench.do(edits.change(bench.book, replace(tested, title="새 제목")))
    assert [each.id for each in applying.withdrawn(renamed)] == [action.id]
    applying.undo(bench.project, renamed)
    bigger = replace(bench.one(Action), changes=(ParameterChange("maxcontig", "6", "1280"),))
    before = bench.book
    done = bench.do(edits.change(bench.book, bigger))
    assert bench.one(Action).consents == (rejected,)
    assert [each.id for each in applying.withdrawn(done)] == [action.id]
    assert refused(lambda: execute_action(bench.book, action.id, "이영진", AT)).key == "worksheet_not_agreed"
    applying.undo(bench.project, done)
    assert bench.book == before


def test_execution_and_rollback_stay_in_the_change_log(bench: Bench) -> None:
    action = bench.executed()
    (line,) = bench.book.all(ExecutedChange)
    assert (line.parameter, line.old, line.new, line.executed_by, line.commands) == (
        "maxcontig",
        "6",
        "128",
        "이영진",
        "tunefs -a 128",
    )
    assert refused(lambda: execute_action(bench.book, action.id, "이영진", AT)).key == "action_executed"
    assert refused(lambda: edits.remove(bench.book, action.id, True)).key == "cycle_log_stays"
    assert refused(lambda: edits.remove(bench.book, bench.one(Iteration).id, True)).key == "cycle_log_stays"
    bench.do(roll_back(bench.book, action.id, "강경구", "2026-07-21T01:00:00+09:00"))
    (line,) = bench.book.all(ExecutedChange)
    assert (line.rolled_back_by, bench.one(Action).state) == ("강경구", ActionState.ROLLED_BACK)
    assert refused(lambda: roll_back(bench.book, action.id, "강경구", AT)).key == "cycle_not_executed"


def test_values_found_otherwise_than_planned_are_logged_as_found(bench: Bench) -> None:
    bench.start()
    action = bench.action(bench.metric())
    bench.do(approve_action(bench.book, action.id, YES))
    bench.do(execute_action(bench.book, action.id, "이영진", AT, actual={"maxcontig": ("16", "64")}))
    assert (bench.one(ExecutedChange).old, bench.one(ExecutedChange).new) == ("16", "64")


def test_captured_parameters_say_whether_a_change_is_still_in_force(bench: Bench) -> None:
    bench.executed()
    artefact = cases.store_artefact(bench.project, b"inventory", run="after")
    cases.mark_parsed(bench.project, artefact)
    facts = [SystemFact("kernel", "ufs:maxcontig", "128"), SystemFact("kernel", "maxphys", "1048576")]
    sessions.write_facts(bench.project, artefact, 1, cases.START_NS, facts)
    bench.do(cycle_evidence.check_in_force(bench.project, bench.book, bench.after))
    line = bench.one(ExecutedChange)
    assert (line.in_force, line.in_force_basis) == (InForce.YES, "after: maxcontig = 128")
    assert not cycle_evidence.check_in_force(bench.project, bench.book, bench.after).changes
    sessions.write_facts(bench.project, artefact, 1, cases.START_NS, [SystemFact("kernel", "maxcontig", "6")])
    bench.do(cycle_evidence.check_in_force(bench.project, bench.book, bench.after))
    assert bench.one(ExecutedChange).in_force is InForce.NO


def test_no_result_without_an_after_run(bench: Bench) -> None:
    bench.executed()
    metric = bench.one(Metric)
    assert refused(lambda: record_result(bench.book, metric.id, Figure(15.0))).key == "result_without_origin"
    assert refused(lambda: record_result(bench.book, metric.id, Figure(None))).key == "result_without_value"
    same = Figure(15.0, run_id=bench.before.id)
    assert refused(lambda: record_result(bench.book, metric.id, same)).key == "result_from_baseline"
    bench.do(record_result(bench.book, metric.id, Figure(15.0, run_id=bench.after.id), "같은 요일"))
    bench.do(record_result(bench.book, metric.id, Figure(14.0, run_id=bench.after.id)))
    (result,) = bench.book.all(Result)
    assert (result.after.value, result.remark) == (14.0, "같은 요일")


# -- the decision --------------------------------------------------------------------------------------


def test_a_met_target_closes_the_iteration(bench: Bench) -> None:
    iteration = with_result(bench, 15.0)
    why = refused(lambda: close_iteration(bench.book, iteration.id, by="이영진", on="2026-07-27"))
    assert why.key == "close_without_cause"
    bench.do(add_typed(bench.book, "cause", {"domain": "system", "title": "작은 쓰기"}))
    assert refused(lambda: close_iteration(bench.book, iteration.id, by="이영진", on="")).key == "equality_unsigned"
    sign_results(bench)
    bench.do(close_iteration(bench.book, iteration.id, by="이영진", on="2026-07-27"))
    closed = bench.book.iterations[-1]
    assert (closed.outcome, closed.closed_by, closed.closed_on) == (Outcome.MET, "이영진", "2026-07-27")
    assert step_of(bench.book, closed.id, StepNumber.DECISION).state is StepState.DONE
    again = refused(lambda: close_iteration(bench.book, iteration.id, by="이영진", on=""))
    assert again.key == "already_closed"
    bench.do(reopen_iteration(bench.book, iteration.id))
    assert bench.book.iterations[-1].outcome is Outcome.OPEN


def test_a_missed_target_is_accepted_only_by_name_with_a_reason(bench: Bench) -> None:
    iteration = with_result(bench, 50.0)
    close = close_iteration
    assert refused(lambda: close(bench.book, iteration.id, by="김부장", on="")).key == "top_target_missed"
    assert (
        refused(lambda: close(bench.book, iteration.id, by="", on="", reason="교체")).key == "acceptance_without_name"
    )
    bench.do(close(bench.book, iteration.id, by="김부장", on="2026-07-27", reason="교체 예정"))
    closed = bench.book.iterations[-1]
    assert (closed.outcome, closed.closed_by, closed.reason) == (Outcome.ACCEPTED, "김부장", "교체 예정")


def test_a_missed_target_goes_on_in_the_next_iteration(bench: Bench) -> None:
    iteration = with_result(bench, 50.0)
    done = bench.do(continue_iteration(bench.book, iteration.id, "2차", on="2026-07-27", by="이영진"))
    first, second = bench.book.iterations
    assert (first.outcome, second.continues, second.number) == (Outcome.CONTINUED, first.id, 2)
    (target,) = bench.book.in_iteration(Target, second.id)
    assert target.baseline is not None and target.baseline.value == 50.0
    assert refused(lambda: continue_iteration(bench.book, first.id, "3차")).key == "already_continued"
    applying.undo(bench.project, done)
    assert [each.outcome for each in bench.book.iterations] == [Outcome.OPEN]


def test_giving_up_needs_a_name_and_a_reason(bench: Bench) -> None:
    iteration = bench.start()
    give_up = abandon_iteration
    assert refused(lambda: give_up(bench.book, iteration.id, by="이영진", on="", reason="")).key == "abandon_unsigned"
    bench.do(give_up(bench.book, iteration.id, by="이영진", on="2026-07-27", reason="계약 종료"))
    assert bench.book.iterations[-1].outcome is Outcome.ABANDONED


# -- removing ------------------------------------------------------------------------------------------


def test_removing_takes_dependents_along_and_links_away(bench: Bench) -> None:
    bench.start()
    metric = bench.metric()
    bench.baseline(metric)
    action = bench.action(metric)
    bench.do(cycle_evidence.pin(bench.book, cycle_evidence.whole_run(bench.before), "전체", (metric.id, action.id)))
    error = refused(lambda: edits.remove(bench.book, metric.id))
    assert (error.key, error.facts["dependents"]) == ("cycle_has_dependents", f"target.{bench.one(Target).id}")
    found = edits.removal(bench.book, metric.id)
    assert [type(each) for each in found.dependents] == [Target]
    assert {type(each) for each in found.unlinked} == {Action, Evidence}
    before = bench.book
    done = bench.do(found.edit)
    assert (bench.book.all(Metric), bench.book.all(Target)) == ((), ())
    assert bench.one(Action).verifications == ()
    assert bench.one(Evidence).attached_to == (action.id,)
    applying.undo(bench.project, done)
    assert bench.book == before


def test_an_iteration_goes_with_all_that_is_in_it(bench: Bench) -> None:
    iteration = bench.start()
    metric = bench.metric()
    bench.baseline(metric)
    bench.action(metric, impacts=(Impact(Resource.CPU, -1),))
    bench.do(edits.remove(bench.book, iteration.id, True))
    assert not bench.book.records


def test_what_is_not_there_is_said(bench: Bench) -> None:
    iteration = bench.start()
    step = step_of(bench.book, iteration.id, StepNumber.RESULT)
    assert refused(lambda: edits.remove(bench.book, step.id)).key == "cycle_step_stays"
    bench.do(edits.remove(bench.book, bench.one(Iteration).id, True))
    for build in (
        lambda: edits.find(bench.book, 9),
        lambda: edits.remove(bench.book, 9),
        lambda: set_step(bench.book, 9, StepState.DONE),
        lambda: execute_action(bench.book, 9, "x", AT),
        lambda: record_result(bench.book, 9, Figure(1.0)),
        lambda: close_iteration(bench.book, 9, by="x", on=""),
        lambda: edits.attach(bench.book, 9, 9),
        lambda: change_typed(bench.book, 9, {"title": "x"}),
    ):
        assert refused(build).key == "cycle_record_unknown"
    assert refused(lambda: iteration_of(bench.book, None)).key == "cycle_no_iteration"
    assert refused(lambda: iteration_of(bench.book, 3)).key == "cycle_iteration_unknown"
    assert refused(lambda: add_typed(bench.book, "cause", {"title": "x"})).key == "cycle_no_iteration"


def test_records_are_found_by_what_people_call_them(bench: Bench) -> None:
    first = bench.start()
    bench.do(add_typed(bench.book, "issue", {"title": "느림"}))
    bench.do(add_typed(bench.book, "issue", {"title": "멈춤"}))
    metric = bench.metric()
    bench.do(cycle_evidence.pin(bench.book, cycle_evidence.whole_run(bench.before), "전체"))
    book = bench.book
    assert isinstance(look_up(book, "issue:2", first), CustomerIssue)
    assert (
        look_up(book, f"metric.{metric.id}", first)
        == look_up(book, "metric", first)
        == look_up(book, str(metric.id), None)
    )
    assert look_up(book, "step:3", first) == step_of(book, first.id, StepNumber.CAUSES)
    assert look_up(book, "e-1", None) == bench.one(Evidence)
    assert look_up(book, "iteration", first) == first
    assert refused(lambda: look_up(book, "issue", first)).key == "cycle_reference_unclear"
    for words in ("issue:9", "cause", "target.1", "E-9", "foo", "", "issue."):
        assert refused(lambda: look_up(book, words, first)).key == "cycle_reference_unknown"  # noqa: B023
    ids = dict(
        with_ids(
            book,
            {"issues": "issue:1 issue:2", "title": "issue:1", "verifications+": "metric=metric; margin_pct=5"},
            first,
        )
    )
    assert ids["issues"] == ",".join(str(issue.id) for issue in book.all(CustomerIssue))
    assert (ids["title"], ids["verifications+"]) == ("issue:1", f"metric={metric.id}; margin_pct=5")


# -- evidence ------------------------------------------------------------------------------------------


def test_a_list_grows_by_every_item_that_is_typed(bench: Bench) -> None:
    bench.start()
    items = [("title", "x"), *(("impacts+", f"resource={name}; direction=1") for name in ("cpu", "memory"))]
    bench.do(add_typed(bench.book, "action", items))
    bench.do(change_typed(bench.book, bench.one(Action).id, items))
    assert [impact.resource.value for impact in bench.one(Action).impacts] == ["cpu", "memory", "cpu", "memory"]


def test_evidence_says_exactly_where_it_lies(bench: Bench, tmp_path: Path) -> None:
    artefact = cases.write_samples(bench.project, cases.batch([[1.0, 2.0]], ("svc_t", "%b")))
    run = bench.before
    target = cycle_evidence.window(bench.project, [1, 2, 1], cases.START_NS, cases.START_NS + 5)
    assert (target.run_id, target.series, target.start_ns) == (run.id, (1, 2), cases.START_NS)
    assert target.series_names == ("db1|iostat|svc_t|device=ssd2", "db1|iostat|%b|device=ssd2")
    lines = cycle_evidence.capture(bench.project, artefact, 1, 2)
    assert (lines.first_line, lines.last_line, lines.run_id) == (1, 2, run.id)
    assert cycle_evidence.capture(bench.project, artefact).first_line is None
    assert cycle_evidence.finding("X-DSK-01", run).kind is EvidenceKind.FINDING
    for build, key in (
        (lambda: cycle_evidence.window(bench.project, []), "evidence_without_series"),
        (lambda: cycle_evidence.window(bench.project, [1], 5, 4), "evidence_window_empty"),
        (lambda: cycle_evidence.window(bench.project, [99]), "series_missing"),
        (lambda: cycle_evidence.capture(bench.project, artefact, 2, 9), "evidence_lines_unknown"),
        (lambda: cycle_evidence.capture(bench.project, artefact, 2, 1), "evidence_lines_unknown"),
        (lambda: cycle_evidence.statement(bench.project, run, "", "x"), "evidence_statement_unknown"),
        (lambda: cycle_evidence.measurement(bench.project, "x"), "evidence_measurement_unknown"),
        (lambda: cycle_evidence.pin(bench.book, target, " "), "cycle_value_empty"),
        (lambda: cycle_evidence.pin(bench.book, target, "x", (99,)), "cycle_record_unknown"),
    ):
        assert refused(build).key == key
    bench.do(cycle_evidence.pin(bench.book, target, "튜닝 전", by="이영진", at=AT))
    assert (bench.one(Evidence).code, bench.one(Evidence).pinned_at) == ("E-1", AT)
    with pytest.raises(UserError, match="run_is_evidence"):
        projects.remove_run(bench.project, run.id)


def test_series_of_two_runs_are_no_one_piece_of_evidence(bench: Bench) -> None:
    cases.write_samples(bench.project, cases.batch([[1.0]]))
    other = cases.store_artefact(bench.project, b"other", run="after")
    writer = cases.sample_writer(bench.project, other)
    writer.append(cases.batch([[1.0]]))
    writer.finish()
    cases.mark_parsed(bench.project, other)
    assert refused(lambda: cycle_evidence.window(bench.project, [1, 2])).key == "evidence_of_two_runs"
    assert len(artefacts.list_artefacts(bench.project)) == 2


def test_files_are_attached_once_and_read_back(bench: Bench, tmp_path: Path) -> None:
    iteration = bench.start()
    memo = tmp_path / "면담.txt"
    memo.write_bytes("면담".encode())
    for _ in range(2):
        bench.do(
            cycle_evidence.attach_file(bench.project, bench.book, iteration.id, StepNumber.PROBLEM, memo, by="이영진")
        )
    first, second = bench.book.all(KINDS["attachment"])
    assert first.sha256 == second.sha256  # type: ignore[union-attr]
    assert cycle_evidence.read_attachment(bench.project, first.sha256) == "면담".encode()  # type: ignore[union-attr]
    missing = tmp_path / "none.txt"
    error = refused(
        lambda: cycle_evidence.attach_file(bench.project, bench.book, iteration.id, StepNumber.PROBLEM, missing)
    )
    assert error.key == "attachment_unreadable"


def test_the_engagement_is_set_whole_or_not_at_all(bench: Bench) -> None:
    set_engagement(
        bench.project,
        {
            "site": "본점\x00",
            "consultants": "이영진, 강경구,",
            "period_start": "2026-07-19",
            "period_end": "2026-07-26",
        },
    )
    engagement = projects.read_engagement(bench.project)
    assert (engagement.site, engagement.consultants) == ("본점", ("이영진", "강경구"))
    for values, key in (
        ({"period_end": "2026-07-01"}, "cycle_period_turned"),
        ({"colour": "x"}, "cycle_field_unknown"),
        ({"title": " "}, "cycle_value_empty"),
        ({"language": "de"}, "cycle_value_choice"),
        ({"period_end": "7/1"}, "cycle_value_date"),
        ({"site": "x", "zone": "Mars"}, "zone_unknown"),
    ):
        assert refused(lambda: set_engagement(bench.project, values)).key == key  # noqa: B023
    assert projects.read_engagement(bench.project) == engagement


# -- every edit, in any order --------------------------------------------------------------------------


REASON = "고객 요청"


def unsealed(book: CycleBook) -> CycleBook:
    """Without what undo leaves: seals and amendments."""
    return CycleBook.of(record for record in book if not isinstance(record, Seal | Amendment))


class Consultant(RuleBasedStateMachine):
    """Acts in any order; whatever is done is undone to exactly the book before, and redone to the book after."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.bench = Bench(cases.new_project(Path(self.folder.name)))
        self.done: list[tuple[CycleBook, CycleEdit, CycleBook]] = []
        self.undone: list[tuple[CycleBook, CycleEdit, CycleBook]] = []
        self.codes: dict[int, int] = {}
        self.refusals: list[str] = []
        self.bench.start()
        metric = self.bench.metric()
        self.bench.baseline(metric)
        self.bench.target()
        self.bench.action(metric)

    def teardown(self) -> None:
        if hasattr(self, "bench"):
            assert {result.state for result in check_project(self.bench.project)} == {"ok"}
            assert not [sentence for sentence in self.refusals if "⟨" in sentence or "{" in sentence]
            self.bench.project.close()
            self.folder.cleanup()

    def act(self, build: Callable[[CycleBook], CycleEdit]) -> None:
        before = self.bench.book
        try:
            done = applying.apply(self.bench.project, build(before), "이영진", REASON)
        except UserError as error:
            self.refusals.append(catalogue("ko").error(error))
            assert self.bench.book == before
            return
        assert "⟨" not in catalogue("ko").text(f"cycle.edit.{done.name}"), done.name
        self.done.append((unsealed(before), done, unsealed(self.bench.book)))
        self.undone.clear()

    def some(self, data: st.DataObject, kind: type[Any]) -> Any:
        """A record of that kind in the current iteration, or one that is none."""
        book = self.bench.book
        here = book.current.id if book.current else 0
        found = [record for record in book.all(kind) if getattr(record, "iteration_id", here) == here]
        return data.draw(st.sampled_from(found)) if found else Cause(999, 1, CauseDomain.SYSTEM, "none")

    @precondition(lambda self: self.bench.book.current is None or self.bench.book.current.outcome is not Outcome.OPEN)
    @rule()
    def open(self) -> None:
        self.act(lambda book: open_iteration(book, "회차", on="2026-07-19"))

    @rule(data=st.data(), title=st.sampled_from(["느림", "멈춤\n둘째 줄"]))
    def add(self, data: st.DataObject, title: str) -> None:
        kind = data.draw(st.sampled_from(["issue", "cause", "question", "action", "term", "metric"]))
        values = {
            "issue": {"title": title},
            "cause": {"title": title, "domain": "system"},
            "question": {"text": title, "step": "causes"},
            "action": {"title": title, "changes+": "parameter=p; new=1"},
            "term": {"korean": title, "english": "term"},
            "metric": {"name": title, "source": "manual:손", "statistic": "value", "unit": "s", "direction": "lower"},
        }[kind]
        self.act(lambda book: add_typed(book, kind, values))

    @rule(data=st.data(), value=st.floats(1, 100))
    def baseline_and_target(self, data: st.DataObject, value: float) -> None:
        metric = self.some(data, Metric)
        self.act(lambda book: set_baseline(book, metric.id, Figure(value, run_id=self.bench.before.id)))
        target = self.some(data, Target)
        self.act(lambda book: change_typed(book, target.id, {"value": str(value)}))

    @rule(data=st.data(), resource=st.sampled_from(Resource), complete=st.booleans())
    def work_on_the_worksheet(self, data: st.DataObject, resource: Resource, complete: bool) -> None:
        action = self.some(data, Action)
        values = {"no_price_reason": "없음"} if complete else {"impacts+": f"resource={resource}; direction=-1"}
        self.act(lambda book: change_typed(book, action.id, values))

    @rule(data=st.data(), decision=st.sampled_from(Decision))
    def approve(self, data: st.DataObject, decision: Decision) -> None:
        action = self.some(data, Action)
        self.act(lambda book: approve_action(book, action.id, replace(YES, decision=decision)))

    @rule(data=st.data())
    def execute(self, data: st.DataObject) -> None:
        action = self.some(data, Action)
        self.act(lambda book: execute_action(book, action.id, "이영진", AT))

    @precondition(lambda self: any(each.state is ActionState.EXECUTED for each in self.bench.book.all(Action)))
    @rule(data=st.data())
    def roll_back(self, data: st.DataObject) -> None:
        action = self.some(data, Action)
        self.act(lambda book: roll_back(book, action.id, "이영진", AT))

    @rule(data=st.data(), value=st.floats(1, 100))
    def result(self, data: st.DataObject, value: float) -> None:
        metric = self.some(data, Metric)
        self.act(lambda book: record_result(book, metric.id, Figure(value, run_id=self.bench.after.id)))

    @rule(data=st.data())
    def pin(self, data: st.DataObject) -> None:
        records = list(self.bench.book)
        to = [data.draw(st.sampled_from(records)).id] if records else []
        self.act(lambda book: cycle_evidence.pin(book, cycle_evidence.whole_run(self.bench.before), "전체", to))

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        records = [record for record in self.bench.book if not isinstance(record, Iteration)]
        if records:
            record = data.draw(st.sampled_from(records))
            self.act(lambda book: edits.remove(book, record.id, True))

    @rule(data=st.data(), state=st.sampled_from(StepState), reason=st.sampled_from(["", "이유"]))
    def step(self, data: st.DataObject, state: StepState, reason: str) -> None:
        step = self.some(data, Step)
        self.act(lambda book: set_step(book, step.id, state, on="2026-07-20", skip_reason=reason))

    @precondition(lambda self: len(self.done) > 8)
    @rule(
        data=st.data(),
        reason=st.sampled_from(["", "이유"]),
        act=st.sampled_from(["close", "continue", "abandon", "reopen"]),
    )
    def end(self, data: st.DataObject, reason: str, act: str) -> None:
        id_ = self.some(data, Iteration).id
        self.act(
            {
                "close": lambda book: close_iteration(book, id_, by="김부장", on="2026-07-27", reason=reason),
                "continue": lambda book: continue_iteration(book, id_, "다음", on="2026-07-27", by="이영진"),
                "abandon": lambda book: abandon_iteration(book, id_, by="김부장", on="2026-07-27", reason=reason),
                "reopen": lambda book: reopen_iteration(book, id_),
            }[act]
        )

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        before, edit, after = self.done.pop()
        try:
            applying.undo(self.bench.project, edit, reason=REASON)
        except UserError as error:  # an iteration in which something was sealed stays
            if error.key != "cycle_record_in_use" or unsealed(self.bench.book) != after:
                raise
            self.done.clear()
            self.undone.clear()
            return
        assert unsealed(self.bench.book) == before
        self.undone.append((before, edit, after))

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        before, edit, after = self.undone.pop()
        applying.redo(self.bench.project, edit, reason=REASON)
        assert unsealed(self.bench.book) == after
        self.done.append((before, edit, after))

    @invariant()
    def evidence_keeps_its_number(self) -> None:
        if hasattr(self, "bench"):
            for evidence in self.bench.book.all(Evidence):
                assert self.codes.setdefault(evidence.id, evidence.number) == evidence.number
            assert len(set(self.codes.values())) == len(self.codes)

    @invariant()
    def the_board_stands(self) -> None:
        if hasattr(self, "bench"):
            standing = reading.standing(self.bench.project)
            assert "⟨" not in next_text(standing.next_action, "ko")
            assert all("⟨" not in gate_text(gate, "ko") for gate in standing.gates)


Consultant.TestCase.settings = settings(max_examples=20, stateful_step_count=40, deadline=None)
TestConsultant = Consultant.TestCase


def test_the_trail_names_the_person(bench: Bench) -> None:
    bench.start()
    entry = list_audit(bench.project)[-1]
    assert (entry.action, entry.facts["edit"], entry.facts["by"]) == ("cycle_changed", "open_iteration", "이영진")
    assert isinstance(bench.before, Run)
