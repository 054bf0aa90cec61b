"""Step 6 of the guide: what was not reached is gone on with, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.diagnosis.cycle_case import (
    ACTION,
    CAUSE,
    COMPARED,
    CPU,
    ITERATION,
    RESULT,
    TARGET,
    TOO_EARLY,
    WHOLE_RUNS,
    WRITE,
    apply,
    book,
    done,
    keys,
    only,
)
from tunebench.diagnosis.cycle.carry_over import carry_over
from tunebench.diagnosis.cycle.gates import gates, may_continue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import (
    Cause,
    CauseDomain,
    CauseState,
    Figure,
    Iteration,
    Metric,
    Outcome,
    Question,
    Result,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.worksheet import Action, ActionState, Verification

MISSED = replace(RESULT, after=Figure(52.06, run_id=2, source="mkfile"))


def carried(before: CycleBook) -> tuple[CycleBook, Iteration]:
    after, _ = apply(before, carry_over(before, ITERATION, "again", on="2026-11-28", by="Lee"))
    return after, only(after.all(Iteration), number=2)


def test_the_old_iteration_ends_and_the_new_one_continues_it():
    after, second = carried(done(MISSED))
    first = only(after.all(Iteration), number=1)
    assert (first.outcome, first.closed_on, first.closed_by) == (Outcome.CONTINUED, "2026-11-28", "Lee")
    assert (second.continues, second.title, second.opened_on, second.outcome) == (
        1,
        "again",
        "2026-11-28",
        Outcome.OPEN,
    )
    steps = after.in_iteration(Step, second.id)
    assert [step.number for step in steps] == list(StepNumber)
    assert {step.state for step in steps} == {StepState.OPEN}
    assert keys(may_continue(after, first)) == ["already_continued"]


def test_a_missed_target_starts_from_where_the_last_iteration_ended():
    after, second = carried(done(MISSED))
    metric = only(after.in_iteration(Metric, second.id))
    target = only(after.in_iteration(Target, second.id))
    assert metric == replace(WRITE, id=metric.id, iteration_id=second.id, carried_from=WRITE.id)
    assert (target.metric_id, target.carried_from, target.value, target.priority) == (metric.id, TARGET.id, 30.0, 1)
    assert target.baseline == MISSED.after
    assert gates(after, second) == ()


def test_an_unmeasured_target_keeps_its_baseline():
    after, second = carried(book())
    assert only(after.in_iteration(Target, second.id)).baseline == TARGET.baseline


def test_a_target_that_was_met_is_not_carried_over():
    after, second = carried(done())
    assert after.in_iteration(Target, second.id) == () and after.in_iteration(Metric, second.id) == ()
    assert keys(gates(after, second)) == ["no_top_priority"]


def test_open_causes_go_on_and_refuted_or_solved_ones_stay():
    causes = [Cause(60 + n, 1, CauseDomain.DATABASE, state.value, state=state) for n, state in enumerate(CauseState)]
    after, second = carried(done(MISSED, *causes))
    found = {(cause.title, cause.carried_from) for cause in after.in_iteration(Cause, second.id)}
    assert found == {(CAUSE.title, CAUSE.id), ("open", 60), ("confirmed", 61)}


def test_a_cause_whose_countermeasure_was_carried_out_has_to_be_found_again():
    """Its share was measured before the change: what it is now nobody knows."""
    acted_on = replace(CAUSE, state=CauseState.CONFIRMED, share_pct=97.0)
    waiting = Cause(61, 1, CauseDomain.DATABASE, "no index", state=CauseState.CONFIRMED, share_pct=2.0)
    after, second = carried(done(MISSED, acted_on, waiting))
    found = {cause.carried_from: (cause.state, cause.share_pct) for cause in after.in_iteration(Cause, second.id)}
    assert found == {CAUSE.id: (CauseState.OPEN, None), 61: (CauseState.CONFIRMED, 2.0)}


def test_a_target_that_may_not_be_compared_is_carried_over():
    after, second = carried(replace(done(*COMPARED), refused={WHOLE_RUNS: (TOO_EARLY,)}))
    assert len(after.in_iteration(Target, second.id)) == 1


def test_a_countermeasure_that_waits_goes_on_with_its_guard_and_is_approved_anew():
    limit = Target(70, 1, CPU.id, Figure(40.0, run_id=1), 80.0, priority=3)
    after, second = carried(book(limit))
    action = only(after.in_iteration(Action, second.id))
    guard = only(after.in_iteration(Metric, second.id), resource="cpu")
    assert (action.carried_from, action.state, action.consents) == (ACTION.id, ActionState.DRAFT, ())
    assert guard.guards == action.id and guard.carried_from == CPU.id
    assert only(after.in_iteration(Target, second.id), priority=3).metric_id == guard.id
    metric = only(after.in_iteration(Metric, second.id), name=WRITE.name)
    assert action.verifications == (Verification(metric.id, 10.0),)
    assert action.cause_ids == (only(after.in_iteration(Cause, second.id)).id,)
    assert keys(gates(after, second)) == ["worksheet_unapproved"]


def test_an_executed_countermeasure_and_its_guard_stay():
    after, second = carried(done(MISSED))
    assert after.in_iteration(Action, second.id) == ()
    assert [metric.resource for metric in after.in_iteration(Metric, second.id)] == [""]


def test_what_is_left_behind_is_no_longer_named():
    refuted = replace(CAUSE, state=CauseState.REFUTED)
    after, second = carried(book(refuted))
    assert only(after.in_iteration(Action, second.id)).cause_ids == ()


def test_an_iteration_that_was_accepted_keeps_its_end():
    accepted = replace(ITERATION, outcome=Outcome.ACCEPTED, closed_by="Kim", reason="budget")
    before = done(accepted, MISSED)
    after, _ = apply(before, carry_over(before, accepted, "later", by="Lee"))
    assert after.find(Iteration, 1) == accepted


def test_it_is_one_step_of_undo():
    before = done(MISSED, Result(71, 1, CPU.id, Figure(44.0, run_id=2)))
    after, edit = apply(before, carry_over(before, ITERATION, "again"))
    assert apply(after, edit.inverse)[0] == before


def test_the_introduction_of_a_system_goes_on():
    introduction = replace(ITERATION, introduction=True, template="founding.ufs_read_ahead")
    before = done(introduction, MISSED)
    after, _ = apply(before, carry_over(before, introduction, "again"))
    second = only(after.all(Iteration), number=2)
    assert (second.introduction, second.template) == (True, "founding.ufs_read_ahead")


def test_the_limit_of_a_guard_stays_with_an_action_that_was_executed_or_is_gone():
    limit = Target(70, 1, CPU.id, Figure(40.0, run_id=1), 80.0, priority=3)
    for before in (done(MISSED, limit), done(MISSED, limit, replace(CPU, guards=99))):
        after, second = carried(before)
        assert [target.priority for target in after.in_iteration(Target, second.id)] == [1]


def test_a_question_without_an_answer_goes_along_with_who_asked_it_when():
    waiting = Question(80, 1, StepNumber.CAUSES, "who runs the batch?", "Park", "2026-11-20")
    answered = Question(81, 1, StepNumber.CAUSES, "since when?", answer="since May")
    after, second = carried(done(MISSED, waiting, answered))
    assert after.in_iteration(Question, second.id) == (replace(waiting, iteration_id=second.id),)
    assert after.in_iteration(Question, ITERATION.id) == (answered,)
