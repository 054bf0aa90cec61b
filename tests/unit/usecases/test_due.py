"""What is due to be measured, the limits that a worksheet expects, and what is offered to who decides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.made import tuned_weeks as weeks
from tests.program import compose
from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleBook, CycleEdit, RecordChange
from tunebench.domain.cycle.records import Metric, Result, Target
from tunebench.domain.cycle.worksheet import (
    Action,
    Consent,
    Decision,
    Impact,
    ParameterChange,
    Resource,
    Rollback,
    Verification,
)
from tunebench.domain.engagement import Direction, Engagement, Phase
from tunebench.store.project import Project
from tunebench.usecases import browse, projects
from tunebench.usecases.cycle import applying, due, offers, reading
from tunebench.usecases.cycle.acts import approve_action, execute_action
from tunebench.usecases.cycle.from_series import make_price, make_target
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions

CHANGED = weeks.CHANGED.replace(tzinfo=UTC).isoformat()
EXPECTED_PCT = 10.0


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Both weeks, a target on the processors, and a worksheet that expects idle time to pay."""
    compose()
    made = projects.create(tmp_path / "weeks.tune", Engagement("Tuning", "ACME", zone="UTC", language="en"))
    for phase, files in zip((Phase.BEFORE, Phase.AFTER), weeks.write(tmp_path), strict=True):
        assert imports.import_captures(made, files, ImportOptions(run=phase.value, phase=phase)).complete
    before, _ = due.sides(made)
    assert before is not None
    info = next(info for info in browse.list_series(made) if info.native == "%user" and info.run == "before")
    applying.apply(made, make_target(made, book_of(made), replace(info, direction=Direction.LOWER), before, "en"))
    book = book_of(made)
    assert book.current is not None
    action = Action(
        0,
        book.current.id,
        "Deeper queue",
        (ParameterChange("nr_requests", "128", "512"),),
        impacts=(Impact(Resource.CPU, -1, expected=EXPECTED_PCT, unit="%"),),
        rollback=Rollback(command="nr_requests=128"),
        verifications=(Verification(book.all(Metric)[0].id),),
    )
    applying.apply(made, CycleEdit("add_action", (RecordChange(None, action),)))
    yield made
    projects.close(made)


def book_of(project: Project) -> CycleBook:
    return reading.read(project)


def now_due(project: Project) -> tuple[due.Due, ...]:
    book = book_of(project)
    return due.due_now(project, book, book.current, None, None)


def measure(project: Project) -> None:
    applying.apply(project, due.due_edit(project, book_of(project), due.measured_due(project, now_due(project))))


def carry_out(project: Project, at: str = CHANGED) -> None:
    (action,) = book_of(project).all(Action)
    consent = Consent("DBA", "Park", Decision.APPROVED, at)
    applying.apply(project, approve_action(book_of(project), action.id, consent))
    applying.apply(project, execute_action(book_of(project), action.id, "Kim", at))


def test_a_guard_gets_its_baseline_and_the_limit_that_the_worksheet_expects(project: Project) -> None:
    (wanted,) = now_due(project)
    assert wanted.is_baseline and wanted.metric.resource == "cpu"
    measure(project)
    book = book_of(project)
    (target,) = [own for own in book.all(Target) if own.metric_id == wanted.metric.id]
    assert target.baseline is not None and target.baseline.value is not None and target.value is not None
    assert target.value == pytest.approx(target.baseline.value * (1 - EXPECTED_PCT / 100), rel=0.005)
    assert f"{EXPECTED_PCT:g} %" in target.note and book.evidence_of(target.id)
    assert not now_due(project), "no result before the change was carried out"


def test_a_limit_is_not_proposed_once_the_change_is_made(project: Project) -> None:
    (guard,) = [one.metric for one in now_due(project)]
    carry_out(project)
    measure(project)
    (target,) = [own for own in book_of(project).all(Target) if own.metric_id == guard.id]
    assert target.baseline is not None and target.value is None


def test_results_are_measured_together_and_taken_back_together(project: Project) -> None:
    measure(project)
    carry_out(project)
    assert [one.is_baseline for one in now_due(project)] == [False, False]
    book = book_of(project)
    done = applying.apply(project, due.due_edit(project, book, due.measured_due(project, now_due(project))))
    results = book_of(project).all(Result)
    assert len(results) == 2 and all(own.after.samples and not own.after.source for own in results)
    user = next(own for own in results if own.metric_id == book.all(Metric)[0].id)
    assert user.after.value is not None
    assert user.after.value == pytest.approx(weeks.USER_PCT[1] * (4 + 0.1) / 5, rel=0.15)  # one day is a holiday
    assert len({own.after.evidence_id for own in results}) == 2
    with pytest.raises(UserError, match="cycle_sealed"):
        applying.undo(project, done)  # a result is sealed as soon as it is there
    applying.undo(project, done, reason="another window was meant")
    assert not book_of(project).all(Result)


def test_a_change_that_is_said_to_be_made_later_than_the_capture_bars_its_result(project: Project) -> None:
    measure(project)
    carry_out(project, datetime(2026, 8, 30, 12, tzinfo=UTC).isoformat())
    with pytest.raises(UserError, match="result_before_change"):
        due.due_edit(project, book_of(project), due.measured_due(project, now_due(project)))


def test_who_decided_last_and_a_moment_between_the_captures_are_offered(project: Project) -> None:
    (action,) = book_of(project).all(Action)
    offered = offers.offered(project, book_of(project), action, None, None)
    assert offered.people == {"by": ""}
    moment = datetime.strptime(offered.moment, offers.MINUTE)
    assert weeks.BEFORE[-1] < moment < weeks.AFTER[0]
    carry_out(project)
    offered = offers.offered(project, book_of(project), replace(action, id=action.id), None, None)
    assert offered.people == {"role": "DBA", "name": "Park", "by": "Kim"}
    assert datetime.strptime(offered.moment, offers.MINUTE) == weeks.CHANGED


def test_a_moment_before_the_capture_after_is_not_offered_while_there_is_none(project: Project) -> None:
    (action,) = book_of(project).all(Action)
    before, after = due.sides(project)
    assert offers.moment_of_change(book_of(project), action, before, None, 2e9) is None
    assert offers.moment_of_change(book_of(project), action, before, after, 0.0) is None  # it lies in the future


def test_what_got_worse_is_a_price_of_the_change_with_both_sides_measured(project: Project) -> None:
    carry_out(project)
    info = next(i for i in browse.list_series(project) if (i.native, i.run) == ("%system", "before"))
    info, (action,) = replace(info, direction=Direction.LOWER), book_of(project).all(Action)
    before, after = due.sides(project)
    assert before is not None and after is not None
    approved = action.consents
    applying.apply(project, make_price(project, book_of(project), info, action, (before, after), "en"))
    book = book_of(project)
    guard = book.all(Metric)[-1]
    (result,) = [own for own in book.all(Result) if own.metric_id == guard.id]
    assert guard.guards == action.id and result.after.value == pytest.approx(4.0)
    assert book.all(Action)[0].consents == approved, "what was approved stays as it was"
    with pytest.raises(UserError, match="series_judged"):
        make_price(project, book, info, action, (before, after), "en")
