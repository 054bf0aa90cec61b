"""The board counts what is there, and names the one thing to do next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.diagnosis.cycle_case import (
    ACTION,
    CAUSE,
    COMPARED,
    CPU,
    ITERATION,
    RESULT,
    STEPS,
    TARGET,
    TOO_EARLY,
    WHOLE_RUNS,
    WRITE,
    book,
    done,
)
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.diagnosis.cycle.board import standing
from tunebench.diagnosis.words import fact_text
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.recorded import Recorded, Told
from tunebench.domain.cycle.records import (
    Attachment,
    Cause,
    CauseDomain,
    CauseState,
    CustomerIssue,
    Figure,
    IssueState,
    Outcome,
    Question,
    Result,
    Step,
    StepNumber,
    StepState,
)
from tunebench.domain.cycle.worksheet import ActionState, Rollback


def test_an_empty_engagement_has_a_board_too():
    board = standing(CycleBook())
    assert (board.iteration, board.next_action.key, board.gates) == (None, "open_iteration", ())
    assert [step.number for step in board.steps] == list(StepNumber)
    assert all(step.state is StepState.OPEN and not any(step.counts.values()) for step in board.steps)


def test_the_ring_counts_what_each_step_holds():
    records = (
        CustomerIssue(60, 1, "slow batch"),
        CustomerIssue(61, 2, "old stall", state=IssueState.SOLVED),
        CustomerIssue(68, 3, "slow report"),
        replace(WRITE, id=69, name="svc_t"),
        Cause(62, 1, CauseDomain.DATABASE, "full scans", state=CauseState.CONFIRMED),
        Step(23, 1, StepNumber.CAUSES, StepState.IN_WORK),
        Question(63, 1, StepNumber.CAUSES, "who runs the batch?", answer=" "),
        Question(64, 1, StepNumber.CAUSES, "since when?", answer="since May"),
        Attachment(65, 1, StepNumber.CAUSES, "plan.txt", "00" * 32, 10),
        Evidence(66, 1, "svc_t over 50 ms", EvidenceTarget(EvidenceKind.RUN, run_id=1), (CAUSE.id, 62)),
        Evidence(67, 2, "the step's own", EvidenceTarget(EvidenceKind.RUN, run_id=1), (23,)),
    )
    board = standing(done(*records))
    counts = [step.counts for step in board.steps]
    assert counts == [
        {"issues": 3, "issues_open": 2},
        {"metrics": 2, "guards": 1},
        {"targets": 1, "baselines": 1},
        {"causes": 2, "causes_confirmed": 1},
        {"actions": 1, "actions_approved": 1, "actions_executed": 1},
        {"targets": 1, "targets_measured": 1},
        {"targets_met": 1, "targets_missed": 0},
    ]
    causes = board.steps[StepNumber.CAUSES]
    assert (causes.state, causes.open_questions, causes.attachments, causes.evidence) == (StepState.IN_WORK, 1, 1, 2)
    assert causes.record is not None and causes.record.id == 23


def test_gates_are_counted_where_they_are_mended():
    board = standing(book(replace(TARGET, baseline=None), replace(ACTION, rollback=Rollback())))
    assert [step.gates for step in board.steps] == [0, 0, 1, 0, 1, 0, 0]
    assert len(board.gates) == 2


def test_the_board_may_look_at_an_iteration_that_has_ended():
    ended = replace(ITERATION, outcome=Outcome.MET)
    current = replace(ITERATION, id=100, number=2)
    both = done(ended, current)
    assert standing(both).iteration == current
    assert standing(both, ended).iteration == ended and len(standing(both, ended).targets) == 1


PLAN = (2, 3, 4, 5, 6)
NEXT = [
    (book(without=PLAN), "decide_problem", (20,)),
    (book(replace(ITERATION, introduction=True), without=PLAN), "define_metrics", (1,)),
    (book(Step(20, 1, StepNumber.PROBLEM, StepState.DONE, notes="x"), without=PLAN), "define_metrics", (1,)),
    (book(without=(3, 4, 5, 6)), "define_targets", (1,)),
    (book(replace(TARGET, baseline=None), without=(3, 5, 6)), "measure_baseline", (4, 2)),
    (book(replace(TARGET, priority=2), without=(3, 5, 6)), "open_gate", (1,)),
    (book(without=(3, 5, 6)), "find_causes", (1,)),
    (book(replace(CAUSE, state=CauseState.REFUTED), without=(3, 6)), "find_causes", (1,)),
    (book(without=(3, 6)), "plan_action", (1,)),
    (book(replace(ACTION, rollback=Rollback(), consents=())), "complete_worksheet", (6,)),
    (book(replace(ACTION, consents=())), "approve_action", (6,)),
    (book(), "execute_action", (6,)),
    (done(without=(8,)), "measure_after", (2, 4)),
    (done(), "measure_guard", (3, 6)),
    (done(Result(81, 1, CPU.id, Figure(44.0, run_id=2))), "close_met", (4, 1)),
    (
        done(replace(RESULT, after=Figure(52.0, source="x")), Result(81, 1, CPU.id, Figure(44.0, run_id=2))),
        "continue_or_accept",
        (4, 1),
    ),
    (
        replace(done(*COMPARED, Result(81, 1, CPU.id, Figure(44.0, run_id=2))), refused={WHOLE_RUNS: (TOO_EARLY,)}),
        "measure_comparably",
        (4, 1),
    ),
    (replace(done(*COMPARED, Result(81, 1, CPU.id, Figure(44.0, run_id=2))), refused={}), "prove_or_accept", (4, 1)),
    (done(replace(ITERATION, outcome=Outcome.CONTINUED)), "carry_over", (1,)),
    (done(replace(ITERATION, outcome=Outcome.MET)), "closed", (1,)),
    (
        done(
            replace(ITERATION, outcome=Outcome.CONTINUED),
            replace(ITERATION, id=100, number=2, continues=1, outcome=Outcome.CONTINUED),
            replace(ITERATION, id=101, number=3, continues=100, outcome=Outcome.MET),
        ),
        "closed",
        (101,),
    ),
]


@pytest.mark.parametrize(("at", "key", "ids"), NEXT, ids=lambda value: value if isinstance(value, str) else "")
def test_there_is_always_one_thing_to_do_next(at, key, ids):
    next_action = standing(at).next_action
    assert (next_action.key, next_action.record_ids) == (key, ids)
    for language in LANGUAGES:
        facts = {name: fact_text(value, language) for name, value in next_action.facts.items()}
        sentence = catalogue(language).text(f"cycle.next.{key}", **facts)
        assert "⟨" not in sentence and "{" not in sentence


def test_what_was_continued_asks_for_nothing_more():
    first = replace(ITERATION, outcome=Outcome.CONTINUED)
    follower = replace(ITERATION, id=100, number=2, continues=1)
    next_action = standing(done(first, follower), first).next_action
    assert (next_action.key, next_action.record_ids) == ("continued", (follower.id,))


def test_every_count_has_its_words():
    names = {name for step in standing(done()).steps for name in step.counts}
    for language in LANGUAGES:
        known = catalogue(language).keys()
        words = {key.rpartition(".")[2] for key in known if key.startswith("cycle.count.")}
        assert words == names


def test_an_approved_action_goes_before_one_that_lacks_something():
    other = replace(ACTION, id=99, title="ncsize", consents=(), state=ActionState.DRAFT)
    assert standing(book(other)).next_action.record_ids == (6,)


def test_after_one_execution_measuring_comes_before_the_next_plan():
    waiting = replace(ACTION, id=99, title="ncsize", consents=(), state=ActionState.DRAFT)
    assert standing(done(waiting, without=(8,))).next_action.key == "measure_after"


def test_steps_may_be_missing():
    assert standing(done(without=tuple(step.id for step in STEPS))).steps[0].record is None


def test_a_clock_that_was_set_back_between_two_entries_is_disclosed():
    """Entry 8 follows entry 7, and says that it was made a day before."""
    entries: dict[Told, Recorded] = {
        (30, "after"): Recorded(8, "2026-11-20T09:00:00+00:00"),
        (31, "after"): Recorded(7, LATER),
    }
    (told,) = standing(replace(done(), recorded=entries)).disclosures
    assert (told.key, told.facts) == ("clock_set_back", {"earlier": LATER, "recorded": "2026-11-20T09:00:00+00:00"})
    forwards: dict[Told, Recorded] = {
        (30, "after"): Recorded(8, LATER),
        (31, "after"): Recorded(7, "2026-11-20T09:00:00+00:00"),
    }
    assert standing(replace(done(), recorded=forwards)).disclosures == ()


LATER = "2026-11-21T09:00:00+00:00"


def test_a_target_that_an_earlier_iteration_set_otherwise_is_disclosed():
    """WRITE was to take 30 and took 50: who starts again with 60 knew that."""
    before = done(replace(RESULT, after=Figure(50.0, source="stop watch")))
    again = replace(ITERATION, id=70, number=2, outcome=Outcome.OPEN)
    metric = replace(WRITE, id=71, iteration_id=70)
    target = replace(TARGET, id=72, iteration_id=70, metric_id=71, value=60.0)
    (told,) = standing(CycleBook.of([*before, again, metric, target]), again).disclosures
    expected = {"metric": WRITE.name, "target": 60.0, "number": 1, "before": 30.0, "result": 50.0}
    assert (told.key, told.facts) == ("target_moved", expected)
    same = replace(target, value=30.0)
    assert standing(CycleBook.of([*before, again, metric, same]), again).disclosures == ()
    called_otherwise = replace(metric, name="mkfile elapsed (typical)")
    (told,) = standing(CycleBook.of([*before, again, called_otherwise, target]), again).disclosures
    expected = {"metric": called_otherwise.name, "number": 1, "before": WRITE.name}
    assert (told.key, told.facts) == ("top_moved", expected)
    unasked = [replace(each, value=None) if each == TARGET else each for each in before]
    assert standing(CycleBook.of([*unasked, again, called_otherwise, target]), again).disclosures == ()
