"""Ending an iteration with its steps, figures with their evidence, and records that say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.store import cases
from tests.unit.usecases.cycle_bench import Bench, refused, with_result
from tunebench.diagnosis.cycle.steps_left import steps_left
from tunebench.domain.cycle.book import CycleEdit
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Iteration, Metric, SeriesSource, Step, StepNumber, StepState, Target
from tunebench.domain.cycle.seals import Amendment
from tunebench.domain.engagement import Direction
from tunebench.usecases import projects
from tunebench.usecases.cycle import applying, edits
from tunebench.usecases.cycle import measuring as cycle_measuring
from tunebench.usecases.cycle.acts import close_iteration, continue_iteration, set_baseline, set_step, step_of
from tunebench.usecases.cycle.edits import add_typed, change_typed


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with cases.new_project(tmp_path) as project:
        yield Bench(project)


WHY = "원인은 다음 반복에서 찾음"


def states(bench: Bench, iteration: Iteration) -> dict[int, str]:
    return {int(step.number): step.state.value for step in bench.book.in_iteration(Step, iteration.id)}


def test_steps_that_hold_what_they_need_are_finished_with_the_iteration(bench: Bench) -> None:
    """Nobody said what the problem is, and no cause was looked for: steps 0 and 3 stay open, and say why."""
    iteration = with_result(bench, 15.0)
    skipped = step_of(bench.book, iteration.id, StepNumber.RESULT)
    bench.do(set_step(bench.book, skipped.id, StepState.SKIPPED, on="2026-07-26", skip_reason="다음에"))
    left = steps_left(bench.book, iteration)
    assert [int(step.number) for step in left.ready] == [1, 2, 4]
    lacks = [(int(each.step.number), [gate.key for gate in each.gates]) for each in left.lacking]
    assert lacks == [(0, ["no_problem_stated"]), (3, ["no_cause"])]
    close = close_iteration(bench.book, iteration.id, by="이영진", on="2026-07-27", finish_steps=True, reason=WHY)
    done = bench.do(close)
    for rewritten in ({"reason": "고객이 받아들임"}, {"title": "성공"}):
        wrong = change_typed(bench.book, iteration.id, rewritten)
        assert refused(partial(applying.apply, bench.project, wrong)).key == "cycle_sealed"
    assert states(bench, iteration) == {0: "open", 1: "done", 2: "done", 3: "open", 4: "done", 5: "skipped", 6: "done"}
    step = step_of(bench.book, iteration.id, StepNumber.METRICS)
    assert (step.started_on, step.ended_on) == ("", "2026-07-27")
    assert refused(lambda: applying.undo(bench.project, done)).key == "cycle_sealed"
    applying.undo(bench.project, done, "이영진", WHY)
    assert [each.field for each in bench.book.all(Amendment)] == ["outcome", "reason"]
    assert states(bench, iteration) == {**dict.fromkeys(range(7), "open"), 5: "skipped"}
    plain = bench.do(close_iteration(bench.book, iteration.id, by="이영진", on="2026-07-27", reason=WHY))
    assert {change.after.number for change in plain.changes if isinstance(change.after, Step)} == {StepNumber.DECISION}


def test_going_on_finishes_steps_of_an_open_iteration_only(bench: Bench) -> None:
    iteration = with_result(bench, 50.0)
    goes_on = continue_iteration
    done = bench.do(goes_on(bench.book, iteration.id, "2차", on="2026-07-27", finish_steps=True))
    assert states(bench, iteration)[1] == "done"
    assert set(states(bench, bench.book.iterations[-1]).values()) == {"open"}
    applying.undo(bench.project, done)
    bench.do(close_iteration(bench.book, iteration.id, by="김부장", on="2026-07-27", reason="교체 예정"))
    bench.do(goes_on(bench.book, iteration.id, "2차", on="2026-08-01", finish_steps=True))
    assert states(bench, iteration)[1] == "open"


def test_a_figure_is_measured_with_its_evidence_in_one_edit(bench: Bench) -> None:
    cases.write_samples(bench.project, cases.batch([[1.0], [3.0]]))
    iteration = bench.start()
    source = SeriesSource("db1", "iostat", "svc_t", "", (("device", "ssd2"),))
    made = Metric(0, iteration.id, "응답", source, "mean", "ms", Direction.LOWER)
    bench.do(edits.add(bench.book, made))
    metric = bench.one(Metric)
    run = projects.find_run(bench.project, "before")
    figure, place = cycle_measuring.taken(bench.project, metric, run)
    assert place is not None
    assert (figure.value, place.series_names) == (2.0, ("db1|iostat|svc_t|device=ssd2",))
    caption = cycle_measuring.caption(metric, run, True, "ko")

    def build() -> CycleEdit:
        put = set_baseline
        return cycle_measuring.with_evidence(
            bench.book, figure, place, caption, lambda told: put(bench.book, metric.id, told), "이영진"
        )

    done = bench.do(build())
    evidence, target = bench.one(Evidence), bench.one(Target)
    assert (evidence.code, evidence.caption, evidence.pinned_by) == ("E-1", "응답의 기준선 (before)", "이영진")
    assert (target.baseline.evidence_id, evidence.attached_to) == (evidence.id, (target.id,))
    assert build().changes == ()  # measured again, it rests on the same evidence
    applying.undo(bench.project, done)
    assert (bench.book.all(Evidence), bench.book.all(Target)) == ((), ())


@pytest.mark.parametrize("values", [{}, {"conclusion": " \n"}, {"bottleneck_before": ""}])
def test_what_says_nothing_is_no_record(bench: Bench, values: dict[str, str]) -> None:
    bench.start()
    error = refused(lambda: add_typed(bench.book, "summary", values))
    assert (error.key, error.facts["kind"]) == ("cycle_record_empty", "summary")
    assert str(error.facts["known"]).startswith(
        "bottleneck_before, bottleneck_after, basis, side_effects, conclusion, "
    )
    bench.do(add_typed(bench.book, "summary", {**values, "conclusion": "달성"}))
