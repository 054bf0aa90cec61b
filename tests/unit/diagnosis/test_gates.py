"""Every gate opens for its own reason, closes again, and says why in both languages.

The gates are those of the method: sections 2.1 and 2.2 of the guide.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from enum import Enum, StrEnum
from pathlib import Path

import pytest

from tests.unit.diagnosis.cycle_case import (
    ACTION,
    COMPARED,
    CPU,
    EXECUTED,
    ITERATION,
    RESULT,
    SIGNED,
    TARGET,
    TOO_EARLY,
    WHOLE_RUNS,
    WRITE,
    book,
    done,
    keys,
)
from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.diagnosis.cycle import gates as rules
from tunebench.diagnosis.cycle.disclosures import disclosures
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.gates import (
    closing_advice,
    gates,
    may_approve,
    may_close,
    may_execute,
    may_finish,
    may_log_execution,
    may_record_result,
    may_set_target,
    may_skip,
)
from tunebench.diagnosis.cycle.worksheet_rules import advice, is_trade_off_point
from tunebench.diagnosis.words import advice_text, gate_text
from tunebench.domain.cycle import evidence, worksheet
from tunebench.domain.cycle import records as cycle
from tunebench.domain.cycle.evidence import Evidence, EvidenceKind, EvidenceTarget
from tunebench.domain.cycle.records import (
    Attachment,
    CustomerIssue,
    Equality,
    Figure,
    MeasurementSource,
    Metric,
    Outcome,
    Result,
    ResultSummary,
    SeriesSource,
    Step,
    StepNumber,
    StepState,
    Target,
)
from tunebench.domain.cycle.worksheet import (
    ActionState,
    Basis,
    Consent,
    Decision,
    Impact,
    ParameterChange,
    Resource,
    Rollback,
)
from tunebench.domain.engagement import Direction, Engagement, TwoRoles
from tunebench.domain.windows import Occurrence, Window
from tunebench.reporting.cycle_words import word_key

SERIES = replace(WRITE, source=SeriesSource("db1", "iostat", "kw/s", "system.disk.io"), direction=Direction.HIGHER)
HOUR_NS = 3_600_000_000_000
CHANGE_NS = 1_795_226_400 * 1_000_000_000  # 2026-11-21T11:00:00+09:00, `date -d ... +%s`


def test_a_complete_plan_has_no_gate():
    assert gates(book(), ITERATION) == ()
    assert may_execute(book(), ACTION) == ()
    assert may_set_target(book(), TARGET) == ()


def test_a_met_and_measured_iteration_has_no_gate_and_may_be_closed():
    after = done(WATCHED)
    assert gates(after, ITERATION) == ()
    assert may_close(after, ITERATION) == ()


def test_what_has_ended_has_no_gates():
    ended = replace(ITERATION, outcome=Outcome.ABANDONED)
    assert gates(book(ended, without=(2,)), ended) == ()


# --- no target without a metric and a baseline


@pytest.mark.parametrize(
    ("target", "key"),
    [
        (replace(TARGET, metric_id=99), "target_without_metric"),
        (replace(TARGET, metric_id=5), "target_without_metric"),  # a cause is no metric
        (replace(TARGET, baseline=None), "target_without_baseline"),
        (replace(TARGET, baseline=Figure(None, source="not measured")), "target_without_baseline"),
        (replace(TARGET, baseline=Figure(float("nan"), run_id=1)), "target_without_baseline"),
        (replace(TARGET, baseline=Figure(86.18)), "baseline_without_origin"),
    ],
)
def test_no_target_without_a_metric_and_a_baseline(target, key):
    assert keys(may_set_target(book(target), target)) == [key]
    assert key in keys(gates(book(target), ITERATION))


def test_the_metric_of_another_iteration_is_none_of_this_one():
    foreign = replace(WRITE, iteration_id=9)
    assert keys(may_set_target(book(foreign), TARGET)) == ["target_without_metric"]


@pytest.mark.parametrize("origin", [{"run_id": 3}, {"evidence_id": 12}, {"source": "the customer's report"}])
def test_a_baseline_says_where_it_comes_from(origin):
    assert may_set_target(book(), replace(TARGET, baseline=Figure(86.18, **origin))) == ()


def test_a_target_without_value_is_no_target_but_the_baseline_of_a_guard_is():
    assert keys(gates(book(replace(TARGET, value=None)), ITERATION)) == ["target_without_value"]
    guard = Target(30, 1, CPU.id, Figure(40.0, run_id=1), None, priority=3)
    assert gates(book(guard), ITERATION) == ()


# --- exactly one top priority


def test_there_is_exactly_one_top_priority():
    assert keys(gates(book(replace(TARGET, priority=2)), ITERATION)) == ["no_top_priority"]
    assert keys(gates(book(without=(4,)), ITERATION)) == ["no_top_priority"]
    twice = gates(book(replace(TARGET, id=31)), ITERATION)
    assert keys(twice) == ["top_priority_twice"]
    assert twice[0].facts["n"] == 2 and set(twice[0].record_ids) == {4, 31}
    assert keys(may_close(done(replace(TARGET, priority=2), WATCHED), ITERATION)) == ["no_top_priority"]


# --- no execution without a complete worksheet


@pytest.mark.parametrize(
    ("action", "key"),
    [
        (replace(ACTION, changes=()), "worksheet_no_change"),
        (replace(ACTION, changes=(*ACTION.changes, ParameterChange(" "))), "worksheet_no_change"),
        (replace(ACTION, changes=(ParameterChange("maxcontig", "6", " "),)), "worksheet_no_new_value"),
        (replace(ACTION, impacts=(Impact(Resource.DISK_THROUGHPUT, 2),)), "worksheet_no_price"),
        (replace(ACTION, impacts=()), "worksheet_no_price"),
        (replace(ACTION, rollback=Rollback("  ")), "worksheet_no_rollback"),
        (replace(ACTION, verifications=()), "worksheet_no_verification"),
        (replace(ACTION, verifications=(worksheet.Verification(CPU.id),)), "worksheet_no_verification"),
        (replace(ACTION, verifications=(worksheet.Verification(99),)), "worksheet_no_verification"),
        (replace(ACTION, impacts=(*ACTION.impacts, Impact(Resource.MEMORY, -2))), "worksheet_no_guard"),
        (replace(ACTION, consents=()), "worksheet_unapproved"),
        (replace(ACTION, consents=(Consent("owner", " ", Decision.APPROVED),)), "worksheet_unapproved"),
        (replace(ACTION, consents=(Consent("owner", "Kim", Decision.DEFERRED),)), "worksheet_not_agreed"),
    ],
)
def test_no_execution_without_a_complete_worksheet(action, key):
    found = may_execute(book(action), action)
    assert keys(found) == [key]
    assert found[0].record_ids == (6,) and found[0].step is StepNumber.COUNTERMEASURES
    assert keys(gates(book(action), ITERATION)) == [key]


def test_an_explicit_reason_stands_for_a_price():
    free = replace(ACTION, impacts=(), no_price_reason="read-only measurement, nothing is changed on the host")
    assert may_execute(book(free), free) == ()


def test_the_last_word_of_each_person_counts():
    kim = Consent("system owner", "Kim", Decision.APPROVED)
    park = Consent("DBA", "Park", Decision.REJECTED)
    against = replace(ACTION, consents=(kim, park))
    assert keys(may_execute(book(against), against)) == ["worksheet_not_agreed"]
    agreed = replace(ACTION, consents=(kim, park, replace(park, decision=Decision.APPROVED)))
    assert may_execute(book(agreed), agreed) == ()


def test_everything_that_lacks_is_told_at_once():
    bare = replace(ACTION, changes=(), impacts=(), rollback=Rollback(), verifications=(), consents=())
    assert keys(may_execute(book(bare), bare)) == [
        "worksheet_no_change",
        "worksheet_no_price",
        "worksheet_no_rollback",
        "worksheet_no_verification",
        "worksheet_unapproved",
    ]
    assert keys(rules.may_approve(book(bare), bare)) == keys(may_execute(book(bare), bare))[:-1]


def test_nothing_is_executed_twice_nor_after_the_end():
    assert keys(may_execute(book(), replace(ACTION, state=ActionState.EXECUTED))) == ["action_executed"]
    assert keys(may_execute(book(), replace(ACTION, state=ActionState.DROPPED))) == ["action_dropped"]
    assert may_execute(book(), replace(ACTION, state=ActionState.ROLLED_BACK)) == ()
    assert keys(may_execute(book(replace(ITERATION, outcome=Outcome.MET)), ACTION)) == ["iteration_closed"]


def test_an_execution_past_the_worksheet_stays_in_the_way_and_one_without_a_log_too():
    bare = replace(ACTION, state=ActionState.EXECUTED, rollback=Rollback())
    assert keys(gates(done(bare), ITERATION)) == ["worksheet_no_rollback"]
    assert keys(gates(done(without=(7,)), ITERATION)) == ["executed_unlogged"]
    dropped = replace(ACTION, state=ActionState.DROPPED, rollback=Rollback(), consents=())
    assert gates(book(dropped), ITERATION) == ()


# --- no result without an after-run


def test_a_captured_metric_needs_an_after_run():
    assert keys(may_record_result(book(SERIES), SERIES, Figure(25411.4, source="typed"))) == ["result_without_run"]
    assert may_record_result(book(SERIES), SERIES, Figure(25411.4, run_id=2)) == ()


@pytest.mark.parametrize("source", [WRITE.source, MeasurementSource("response_time")])
def test_a_figure_by_hand_says_where_it_stands(source):
    metric = replace(WRITE, source=source)
    assert keys(may_record_result(book(metric), metric, Figure(27.59))) == ["result_without_origin"]
    assert may_record_result(book(metric), metric, Figure(27.59, source="000 4.4")) == ()


def test_a_result_has_a_value():
    assert keys(may_record_result(book(), WRITE, Figure(None, run_id=2))) == ["result_without_value"]


@pytest.mark.parametrize(
    ("after", "key"),
    [
        (Figure(25411.4, run_id=1), "result_from_baseline"),  # nobody knows which stretch
        (Figure(25411.4, run_id=1, start_ns=20), "result_from_baseline"),
        (Figure(25411.4, run_id=1, end_ns=20), "result_from_baseline"),
        (Figure(25411.4, run_id=1, start_ns=5, end_ns=20), "result_from_baseline"),
        (Figure(25411.4, run_id=1, start_ns=10, end_ns=20), ""),  # a long run with the change in the middle
        (Figure(25411.4, run_id=2, start_ns=5, end_ns=20), ""),
    ],
)
def test_before_and_after_share_no_time(after, key):
    target = replace(TARGET, baseline=Figure(6743.3, run_id=1, start_ns=0, end_ns=10))
    assert keys(may_record_result(book(SERIES, target), SERIES, after)) == ([key] if key else [])


@pytest.mark.parametrize("edge", [{"start_ns": None}, {"end_ns": None}])
def test_a_baseline_of_unknown_extent_may_share_everything(edge):
    target = replace(TARGET, baseline=replace(Figure(1.0, run_id=1, start_ns=0, end_ns=10), **edge))
    after = Figure(2.0, run_id=1, start_ns=50, end_ns=60)
    assert keys(may_record_result(book(SERIES, target), SERIES, after)) == ["result_from_baseline"]


def test_a_result_that_was_recorded_past_the_gate_stays_in_the_way():
    after = done(SERIES, replace(TARGET, value=10_000.0), replace(RESULT, after=Figure(25411.4, source="typed")))
    (gate,) = gates(after, ITERATION)
    assert (gate.key, gate.record_ids, gate.step) == ("result_without_run", (2, 8), StepNumber.RESULT)


def test_a_target_that_lost_its_metric_is_told_once():
    assert keys(gates(done(replace(TARGET, metric_id=99)), ITERATION)) == ["target_without_metric"]


def test_a_result_begins_after_the_last_change():
    early, late = (Figure(1.0, run_id=2, start_ns=CHANGE_NS + step, end_ns=CHANGE_NS + HOUR_NS) for step in (-1, 0))
    assert keys(may_record_result(book(SERIES, EXECUTED), SERIES, early)) == ["result_before_change"]
    assert may_record_result(book(SERIES, EXECUTED), SERIES, late) == ()
    taken_back = replace(EXECUTED, rolled_back_at="2026-11-21T12:00:00+09:00")
    assert may_record_result(book(SERIES, taken_back), SERIES, early) == ()
    undated = replace(EXECUTED, executed_at="2026-11-21T11:00:00")  # no zone: no moment
    assert may_record_result(book(SERIES, undated), SERIES, early) == ()


def test_a_target_stays_open_until_it_is_measured_after_the_execution():
    assert keys(gates(done(without=(8,)), ITERATION)) == ["no_result"]
    limit = Target(30, 1, CPU.id, Figure(40.0, run_id=1), 80.0, priority=3)
    assert keys(gates(done(limit), ITERATION)) == ["no_result"]
    assert gates(book(limit), ITERATION) == ()


# --- no closing with a missed top priority

WATCHED = Result(60, 1, CPU.id, Figure(55.0, run_id=2))
MISSED = replace(RESULT, after=Figure(52.06, source="mkfile"))


def test_no_closing_with_a_missed_top_priority_unless_a_named_person_says_why():
    after = done(MISSED, WATCHED)
    assert keys(gates(after, ITERATION)) == ["top_target_missed"]
    assert keys(may_close(after, ITERATION)) == ["top_target_missed"]
    assert keys(may_close(after, ITERATION, "Kim", " ")) == ["acceptance_without_reason"]
    assert keys(may_close(after, ITERATION, " ", "budget")) == ["acceptance_without_name"]
    assert may_close(after, ITERATION, "Kim", "no budget for disks this year") == ()


@pytest.mark.parametrize("result", [None, Figure(None), Figure(31.0, bound="<")])
def test_what_is_not_shown_to_be_met_is_not_met(result):
    after = done(WATCHED, without=(8,)) if result is None else done(replace(RESULT, after=result), WATCHED)
    assert keys(may_close(after, ITERATION)) == ["top_target_unproven"]
    assert may_close(after, ITERATION, "Kim", "measured by the customer's own monitor") == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_target_that_may_not_be_compared_is_closed_only_by_name_with_a_reason(language):
    refused = replace(done(*COMPARED, WATCHED), refused={WHOLE_RUNS: (TOO_EARLY,)})
    (gate,) = may_close(refused, ITERATION)
    assert gate.key == "top_target_not_comparable" and "C7" in gate_text(gate, language)
    assert may_close(refused, ITERATION, "Kim", "measured again next week") == ()


def test_nothing_is_executed_before_it_was_approved():
    """ACTION was approved on 2026-11-21 at 10:00 in Seoul, which is 01:00 UTC."""
    for at, found in (
        ("2026-11-20T17:00:00+09:00", ["executed_before_approval"]),
        ("2026-11-21T00:59:00+00:00", ["executed_before_approval"]),
        ("2026-11-21T10:00:00+09:00", []),
        ("2026-11-21T01:00:01+00:00", []),
        ("", []),
    ):
        assert keys(may_execute(book(), ACTION, at)) == found
    just_now = replace(ACTION.consents[0], decided_at="2026-11-21T10:00:26+09:00")  # the window types minutes
    assert may_execute(book(), replace(ACTION, consents=(just_now,)), "2026-11-21T10:00:00+09:00") == ()
    first, later = ACTION.consents[0], Consent("DBA", "Park", Decision.APPROVED, "2026-11-22T10:00:00+09:00")
    assert may_execute(book(), replace(ACTION, consents=(first, later)), "2026-11-21T22:00:00+09:00") == ()
    undated = Consent("DBA", "Park", Decision.APPROVED)  # nobody knows when: it may have been the first
    assert may_execute(book(), replace(ACTION, consents=(first, undated)), "2026-11-20T17:00:00+09:00") == ()


def test_a_missed_target_of_lower_priority_does_not_hold_the_iteration():
    other = Metric(40, 1, "svc_t", SERIES.source, "p95", "ms", Direction.LOWER)
    target = Target(41, 1, 40, Figure(1246.4, run_id=1), 50.0, priority=2)
    result = Result(42, 1, 40, Figure(353.6, run_id=2))
    assert may_close(done(other, target, result, WATCHED), ITERATION) == ()


def test_an_iteration_ends_once_and_is_continued_once():
    ended = replace(ITERATION, outcome=Outcome.MET)
    assert keys(may_close(done(ended), ended)) == ["already_closed"]
    follower = replace(ITERATION, id=50, number=2, continues=1)
    assert keys(rules.may_continue(book(follower), ITERATION)) == ["already_continued"]
    assert rules.may_continue(book(), ITERATION) == ()


def test_abandoning_needs_a_name_and_a_reason():
    assert keys(rules.may_abandon(ITERATION, "Kim", "")) == ["abandon_unsigned"]
    assert keys(rules.may_abandon(ITERATION, " ", "no access")) == ["abandon_unsigned"]
    assert rules.may_abandon(ITERATION, "Kim", "the project was stopped") == ()


# --- steps


def test_step_0_falls_away_only_at_the_introduction_of_a_system():
    assert keys(may_skip(ITERATION, StepNumber.PROBLEM, "known")) == ["skip_only_introduction"]
    assert may_skip(replace(ITERATION, introduction=True), StepNumber.PROBLEM, "new system") == ()
    assert keys(may_skip(replace(ITERATION, introduction=True), StepNumber.PROBLEM, "")) == ["skip_without_reason"]
    assert keys(may_skip(replace(ITERATION, introduction=True), StepNumber.PROBLEM, " ")) == ["skip_without_reason"]
    assert may_skip(ITERATION, StepNumber.CAUSES, "the cause is known from the last iteration") == ()
    skipped = Step(20, 1, StepNumber.PROBLEM, StepState.SKIPPED, skip_reason="known")
    assert keys(gates(book(skipped), ITERATION)) == ["skip_only_introduction"]


@pytest.mark.parametrize(
    ("step", "without", "key"),
    [
        (StepNumber.PROBLEM, (), "no_problem_stated"),
        (StepNumber.METRICS, (2,), "no_metric"),
        (StepNumber.TARGETS, (4,), "no_top_priority"),
        (StepNumber.CAUSES, (5,), "no_cause"),
        (StepNumber.COUNTERMEASURES, (6,), "no_action"),
        (StepNumber.COUNTERMEASURES, (), "action_undecided"),
        (StepNumber.RESULT, (), "no_result"),
        (StepNumber.DECISION, (), "not_decided"),
    ],
)
def test_a_step_is_done_only_when_it_holds_something(step, without, key):
    assert keys(may_finish(book(without=without), ITERATION, step)) == [key]
    called_done = Step(20 + step, 1, step, StepState.DONE)
    assert key in keys(gates(book(called_done, without=without), ITERATION))


def test_a_done_step_that_holds_its_own_is_no_gate():
    issue = CustomerIssue(60, 1, "end-of-month batch too slow")
    assert may_finish(book(issue), ITERATION, StepNumber.PROBLEM) == ()
    noted = Step(20, 1, StepNumber.PROBLEM, notes="users wait at 9 o'clock")
    assert may_finish(book(noted), ITERATION, StepNumber.PROBLEM) == ()
    for step in (StepNumber.METRICS, StepNumber.TARGETS, StepNumber.CAUSES, StepNumber.COUNTERMEASURES):
        assert may_finish(done(), ITERATION, step) == ()
    assert may_finish(done(), ITERATION, StepNumber.RESULT) == ()


def test_gates_stand_in_the_order_of_the_steps():
    spoilt = book(
        Step(20, 1, StepNumber.PROBLEM, StepState.SKIPPED),
        replace(TARGET, baseline=None),
        replace(ACTION, rollback=Rollback()),
    )
    steps = [gate.step for gate in gates(spoilt, ITERATION)]
    assert steps == sorted(steps) and set(steps) == {0, 2, 4}


# --- advice: said, never in the way


@pytest.mark.parametrize(
    ("action", "key"),
    [
        (replace(ACTION, hypothesis=" "), "no_hypothesis"),
        (replace(ACTION, cause_ids=()), "no_cause"),
        (replace(ACTION, impacts=(Impact(Resource.CPU, -1),)), "no_relief"),
        (replace(ACTION, rollback=Rollback("tunefs -a 6")), "rollback_untested"),
        (replace(ACTION, changes=(ParameterChange("maxcontig", "6", "128"),)), "coupled"),
        (replace(ACTION, changes=(ParameterChange("ncsize", "", "69992"),)), "coupled"),
        (
            replace(
                ACTION, changes=(ParameterChange("ncsize", "69,992", "4000"), ParameterChange("ufs_ninode", "", "4000"))
            ),
            "shrinks",
        ),
        (replace(ACTION, impacts=(*ACTION.impacts, Impact(Resource.CPU, -1, basis=Basis.MEASURED))), "unmeasured"),
        (replace(ACTION, impacts=(*ACTION.impacts, Impact(Resource.CPU, -1, basis=Basis.FOUNDING))), "unsourced"),
    ],
)
def test_advice_is_said_and_stops_nothing(action, key):
    assert advice(ACTION) == ()
    assert key in keys(advice(action))
    assert may_execute(book(action), action) == ()


@pytest.mark.parametrize(
    ("impacts", "point"),
    [
        (ACTION.impacts, True),
        ((Impact(Resource.CPU, -1),), False),
        ((Impact(Resource.CPU, 1),), False),
        ((Impact(Resource.CPU, 1), Impact(Resource.CPU, -1)), False),  # reading gains, writing pays: one resource
        ((Impact(Resource.CPU, 1), Impact(Resource.CPU, -1), Impact(Resource.SPACE, 1)), True),
        ((), False),
    ],
)
def test_a_trade_off_point_moves_two_resources_in_opposite_directions(impacts, point):
    assert is_trade_off_point(replace(ACTION, impacts=impacts)) is point


def test_what_is_coupled_is_named_and_case_module_and_blanks_do_not_matter():
    alone = replace(ACTION, changes=(ParameterChange(" MAXPHYS ", "1", "2"),))
    (remark,) = advice(alone)
    assert (remark.facts["given"], remark.facts["missing"]) == ("maxphys", "maxcontig")
    assert advice(replace(ACTION, changes=(ParameterChange("sd:maxphys"), ParameterChange("Maxcontig")))) == ()


def test_what_stays_as_it_is_does_not_shrink():
    same = replace(ACTION, changes=(ParameterChange("innodb_io_capacity", " 4,000 ", "4000"),))
    assert advice(same) == ()
    assert advice(replace(ACTION, changes=(ParameterChange("sga", "auto", "4000"),))) == ()


def test_a_blank_is_no_source_and_no_rollback():
    blank = replace(ACTION, impacts=(*ACTION.impacts, Impact(Resource.CPU, -1, basis=Basis.FOUNDING, source=" ")))
    assert keys(advice(blank)) == ["unsourced"]
    assert advice(replace(ACTION, rollback=Rollback(" "))) == ()
    assert not is_trade_off_point(replace(ACTION, impacts=(Impact(Resource.CPU, -1), Impact(Resource.SPACE, 0))))


def test_a_price_that_nobody_measured_stops_a_close_without_a_reason():
    after = done()
    (said,) = closing_advice(after, ITERATION)
    assert (said.key, said.record_ids, said.step) == ("guards_unmeasured", (CPU.id,), StepNumber.DECISION)
    (gate,) = may_close(after, ITERATION)
    assert (gate.key, gate.facts) == ("close_guard_unmeasured", said.facts)
    assert may_close(after, ITERATION, "Kim", "measured next month") == ()
    for reason in ("", " ", ".", "x", "---"):
        assert may_close(after, ITERATION, "Kim", reason) == (gate,)
    for language in LANGUAGES:
        assert advice_text(said, language).endswith(f": {CPU.name}")
    assert closing_advice(done(Result(60, 1, CPU.id, Figure(None))), ITERATION) == (said,)
    assert closing_advice(done(Result(60, 1, CPU.id, Figure(55.0, run_id=2))), ITERATION) == ()
    assert closing_advice(book(), ITERATION) == ()  # not carried out: nothing was paid


def test_better_figures_alone_close_nothing():
    """Without a cause nobody knows why, without a countermeasure nobody knows from what."""
    assert keys(may_close(done(WATCHED, without=(5,)), ITERATION)) == ["close_without_cause"]
    assert keys(may_close(book(RESULT), ITERATION)) == ["close_without_action"]
    skipped = Step(24, 1, StepNumber.COUNTERMEASURES, StepState.SKIPPED, skip_reason="done by the vendor")
    assert keys(may_close(book(RESULT, skipped), ITERATION)) == ["equality_unsigned"]
    assert may_close(book(RESULT, skipped, SIGNED), ITERATION) == ()
    assert may_close(book(RESULT), ITERATION, "Kim", "the disk was replaced by its maker") == ()


SAME = replace(SIGNED, equality=Equality.SAME)
PROOF = Evidence(70, 1, "diff of both outputs", EvidenceTarget(EvidenceKind.RUN, 2), (SIGNED.id,))


@pytest.mark.parametrize(
    ("records", "key"),
    [
        ((ResultSummary(9, 1),), "equality_unsigned"),
        ((replace(SAME, equality_by=" ."), PROOF), "equality_unsigned"),
        ((replace(SAME, equality=Equality.DIFFERENT), PROOF), "equality_differs"),
        ((SAME,), "equality_unproven"),
        ((replace(SAME, equality_basis="."), PROOF), "equality_unproven"),
        ((replace(SIGNED, equality_basis=""),), "equality_unproven"),
        ((SAME, PROOF), ""),
        ((SAME, replace(PROOF, attached_to=(20 + StepNumber.RESULT,))), ""),
        ((SAME, Attachment(71, 1, StepNumber.RESULT, "diff.txt", "ab", 1)), ""),
        ((SAME, Attachment(71, 1, StepNumber.RESULT, "diff.txt", "ab", 0)), "equality_unproven"),
        ((SAME, Attachment(71, 1, StepNumber.CAUSES, "diff.txt", "ab", 1)), "equality_unproven"),
    ],
)
def test_faster_is_not_met_where_nobody_shows_that_the_answers_are_the_same(records, key):
    after = done(WATCHED, *records)
    assert keys(may_close(after, ITERATION)) == keys(gates(after, ITERATION)) == ([key] if key else [])
    assert key in (*keys(disclosures(after, ITERATION)), "")
    assert may_close(after, ITERATION, "Kim", "the customer compares them next week") == ()


def test_a_policy_of_two_persons_refuses_one_in_both_roles():
    policy = Engagement("t", "c", two_roles=TwoRoles.REFUSED)
    planned, after = (replace(each, engagement=policy) for each in (book(), done()))
    for name, found in (("Kim", ["same_person_refused"]), (" k im.", ["same_person_refused"]), ("Lee", []), ("", [])):
        assert keys(may_execute(planned, ACTION, by=name)) == found
        assert keys(may_log_execution(after, replace(EXECUTED, executed_by=name))) == found
    assert keys(may_approve(after, ACTION, "LEE")) == ["same_person_refused"]
    declared = replace(after, engagement=replace(policy, two_roles=TwoRoles.DECLARED, consultants=("Kim", "Lee")))
    assert may_approve(declared, ACTION, "LEE") == ()
    told = disclosures(declared, ITERATION)
    assert [each.key for each in told] == ["equality_own", "approved_by_consultant"]
    assert told[-1].facts["names"] == ("Kim",)
    skipped = Step(24, 1, StepNumber.COUNTERMEASURES, StepState.SKIPPED, skip_reason="done by the vendor")
    (said,) = disclosures(book(RESULT, skipped, SIGNED), ITERATION)
    assert (said.key, said.facts["reason"]) == ("step_skipped", "done by the vendor")


def test_what_captures_measure_is_not_typed_in():
    taken = Figure(55.0, run_id=2, start_ns=1, end_ns=2, samples=12)
    assert rules.may_take_figure(CPU, taken, StepNumber.RESULT) == ()
    typed = (replace(taken, source="trust me"), Figure(55.0, run_id=2), Figure(55.0, source="trust me"))
    assert {keys(rules.may_take_figure(CPU, each, StepNumber.RESULT))[0] for each in typed} == {"figure_typed"}
    assert all(rules.may_take_figure(WRITE, each, StepNumber.RESULT) == () for each in typed)


def test_a_baseline_is_measured_before_the_change():
    """EXECUTED at 11:00 in Seoul, which is 02:00 UTC."""
    change_ns = int(datetime(2026, 11, 21, 2, tzinfo=UTC).timestamp()) * 1_000_000_000
    for end_ns, expected in ((change_ns - 1, []), (change_ns + 3_600_000_000_000, ["baseline_after_change"])):
        figure = Figure(55.0, run_id=1, start_ns=change_ns - 10, end_ns=end_ns, samples=12)
        assert keys(rules.may_take_baseline(done(), CPU, figure)) == expected
    assert rules.may_take_baseline(book(), CPU, figure) == ()  # nothing was changed yet


def test_a_result_is_not_recorded_before_what_was_approved_is_carried_out():
    assert keys(rules.may_begin_result(book(), WRITE)) == ["result_before_execution"]
    skipped = Step(24, 1, StepNumber.COUNTERMEASURES, StepState.SKIPPED, skip_reason="done by the vendor")
    for more in (replace(ACTION, state=ActionState.EXECUTED), replace(ACTION, state=ActionState.DROPPED), skipped):
        assert rules.may_begin_result(book(more), WRITE) == ()
    assert rules.may_begin_result(book(replace(ACTION, consents=())), WRITE) == ()  # nothing was agreed on yet


# --- sentences


FOLDER = Path(rules.__file__).parent
FILES = ("equality.py", "gates.py", "worksheet_rules.py")
SOURCE = "".join((FOLDER / name).read_text(encoding="utf-8") for name in FILES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_gate_has_its_sentence_and_every_sentence_its_gate(language):
    known = catalogue(language).keys()
    told = {key.partition(".")[2] for key in known if key.startswith(("gate.", "advice."))}
    assert told <= set(re.findall(r'"([a-z_]+)"', SOURCE))
    assert told >= set(re.findall(r'(?:_gate|Gate|append|_of_action|_of_iteration)\("([a-z_]+)"', SOURCE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_names_what_it_is_about_in_the_readers_language(language):
    memory = replace(ACTION, impacts=(*ACTION.impacts, Impact(Resource.MEMORY, -2)))
    (gate,) = may_execute(book(memory), memory)
    sentence = gate_text(gate, language)
    assert "Raise maxcontig" in sentence and {"ko": "메모리", "en": "memory"}[language] in sentence
    assert "{" not in sentence and "⟨" not in sentence


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("module", [cycle, worksheet, evidence])
def test_every_word_of_the_cycle_is_known(module, language):
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, StrEnum)]
    members: list[Enum] = [member for kind in kinds for member in kind]
    members += cycle.StepNumber
    assert [word_key(member) for member in members if word_key(member) not in catalogue(language)] == []


def test_lists_and_numbers_are_printed_plainly():
    gate = Gate("top_priority_twice", {"metrics": ("a", "b"), "n": 2}, (), StepNumber.TARGETS)
    assert "(a, b)" in gate_text(gate, "en") and "2" in gate_text(gate, "ko")


def test_windows_that_share_time_are_no_before_and_after():
    """Of several runs each: their occurrences tell, not the first start and the last end."""
    early = Window(70, "mornings", occurrences=(Occurrence(0, 10), Occurrence(100, 110)))
    late = Window(71, "noons", occurrences=(Occurrence(10, 20), Occurrence(110, 120)))
    both = Window(72, "both", occurrences=(Occurrence(5, 15),))
    for after, expected in ((late, []), (both, ["result_from_baseline"]), (early, ["result_from_baseline"])):
        target = replace(TARGET, baseline=Figure(86.18, start_ns=0, end_ns=110, window_id=early.id))
        measured = Figure(27.59, start_ns=5, end_ns=120, window_id=after.id)
        told = may_record_result(book(target, early, late, both), WRITE, measured)
        assert [gate.key for gate in told] == expected
