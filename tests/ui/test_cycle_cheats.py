"""What is sealed is not changed in the window without a reason that says something, and then by amendment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget

from tests.cycle_cheats import CHEATS, EMPTY_REASONS, REASON, DaysAgo, amended_of, edit_of, fill
from tests.ui import made_cycle
from tunebench.core.errors import UserError
from tunebench.domain.cycle.records import Figure, ManualSource, Metric, Result, Step, StepNumber, Target
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Consent, Decision
from tunebench.domain.engagement import Direction, Engagement, TwoRoles
from tunebench.ui.cycle.amendment_dialog import AmendmentDialog
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.look.language import language, text
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.acts import (
    abandon_iteration,
    approve_action,
    close_iteration,
    record_result,
    set_baseline,
)
from tunebench.usecases.cycle.edits import add_typed, change_typed
from tunebench.usecases.cycle.figures import check_before


@pytest.fixture
def controller(workspace: Workspace, tmp_path: Path) -> Iterator[CycleController]:
    workspace.project = projects.create(tmp_path / "cycle.tune", Engagement("Tuning", "ACME"))
    workspace.announce(Change.OPENED)
    yield CycleController.of(workspace)
    workspace.jobs.drop_all()
    assert workspace.jobs.wait(20)
    project, workspace.project, workspace.overview = workspace.project, None, None
    workspace.announce(Change.CLOSED)
    projects.close(project)


@pytest.fixture
def ids(controller: CycleController, workspace: Workspace) -> dict[str, int]:
    made = fill(workspace.project)
    workspace.announce(Change.CYCLE)
    return made


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_asks_for_a_reason_and_becomes_an_amendment(
    name: str, controller: CycleController, ids: dict[str, int]
) -> None:
    cheat = CHEATS[name]
    asked: list[str] = []
    before = controller.book

    def give(answer: tuple[str, str] | None) -> Any:
        def answered(sentence: str, _person: str) -> tuple[str, str] | None:
            asked.append(sentence)
            return answer

        return answered

    controller.ask_reason = give(None)
    assert not controller.attempt(lambda: edit_of(controller.book, cheat, ids))
    controller.ask_reason = give((".", "Lee"))
    assert not controller.attempt(lambda: edit_of(controller.book, cheat, ids))
    assert len(asked) == 2 and controller.book == before
    controller.ask_reason = give((REASON, "Lee"))
    assert controller.attempt(lambda: edit_of(controller.book, cheat, ids))
    (amendment,) = controller.book.all(Amendment)
    assert (amendment.record, amendment.field) == amended_of(cheat, ids)
    assert (amendment.reason, amendment.amended_by, amendment.after_result) == (REASON, "Lee", True)


def test_taking_an_amendment_back_is_one_more(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    controller.ask_reason = lambda *_: (REASON, "Lee")
    controller.attempt(lambda: change_typed(controller.book, ids["top"], {"value": "30"}))
    workspace.undo.undo()
    workspace.undo.redo()
    told = [(each.number, each.old, each.new) for each in controller.book.all(Amendment)]
    assert told == [(1, "20.0", "30.0"), (2, "30.0", "20.0"), (3, "20.0", "30.0")]
    assert len(controller.book.all(Seal)) == 1


def test_what_no_reason_makes_right(controller: CycleController, workspace: Workspace, ids: dict[str, int]) -> None:
    controller.ask_reason = lambda *_: (REASON, "Lee")
    projects.update_engagement(workspace.opened, Engagement("Tuning", "ACME", two_roles=TwoRoles.REFUSED))
    workspace.announce(Change.CYCLE)
    book, here, typed = controller.book, ids["iteration"], Figure(1.0, "", ids["after"], source="trust me")
    after = next(run for run in projects.overview(workspace.opened).runs if run.run.id == ids["after"]).run
    step = next(each for each in book.all(Step) if each.iteration_id == here and each.number is StepNumber.CAUSES)
    for cheat in (
        lambda: record_result(book, ids["gets"], typed),
        lambda: set_baseline(book, ids["gets"], typed),
        lambda: change_typed(book, ids["second"], {"baseline.value": "9000"}),
        lambda: change_typed(book, ids["line"], {"executed_at": "2026-07-20T05:00:00+09:00"}),
        lambda: change_typed(book, ids["line"], {"executed_by": "PARK."}),
        lambda: approve_action(book, ids["action"], Consent("DBA", " k im", Decision.APPROVED)),
        lambda: close_iteration(book, here, by="Lee", on="2026-08-01", reason="."),
        lambda: abandon_iteration(book, here, by="Lee", on="2026-08-01", reason="x"),
        lambda: add_typed(book, "result", {"metric_id": str(ids["gets"]), "after": "1 @ trust me"}),
        lambda: change_typed(book, step.id, {"state": "skipped", "skip_reason": "-"}),
    ):
        assert not controller.attempt(cheat)
    with pytest.raises(UserError, match="cycle_run_is_after"):
        check_before(book, made_cycle.the(book, Metric, ids["time"]), after)
    assert controller.book == book


def test_a_clock_that_was_set_back_is_told(
    controller: CycleController, ids: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    controller.ask_reason = lambda *_: (REASON, "Lee")
    before = len(controller.disclosure_sentences(controller.shown()))
    monkeypatch.setattr("tunebench.store.project.datetime", DaysAgo)
    assert controller.attempt(lambda: edit_of(controller.book, CHEATS["the result is measured again"], ids))
    language().switch("en")
    told = controller.disclosure_sentences(controller.shown())
    assert len(told) > before and "clock" in told[0]


def test_the_dialog_takes_no_empty_reason(qtbot: Any) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    dialog = AmendmentDialog("Why?", "Lee", page)
    for reason in EMPTY_REASONS:
        dialog.reason.setPlainText(reason)
        assert not dialog.ok.isEnabled(), reason
    dialog.reason.setPlainText("오타")
    assert dialog.ok.isEnabled()
    dialog.person.clear()
    assert not dialog.ok.isEnabled()


def _refused(controller: CycleController) -> list[str]:
    """Who would be asked for a reason, and why; nobody gives one."""
    asked: list[str] = []

    def nobody(why_asked: str, person: str) -> tuple[str, str] | None:
        asked.append(f"{person}: {why_asked}")
        return None

    controller.ask_reason = nobody
    return asked


def test_who_is_asked_reads_what_would_change_in_words(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    asked = _refused(controller)
    target = next(each for each in controller.book.all(Target) if each.id == ids["top"])
    metric = controller.book.find(Metric, target.metric_id)
    assert metric is not None
    controller.attempt(lambda: change_typed(controller.book, target.id, {"value": "30", "priority": "2"}))
    (sentence,) = asked
    assert f"{metric.name} (target.{target.id})" in sentence
    assert f"{text('cycle.field.value')}, {text('cycle.field.priority')}" in sentence and "--" not in sentence


def test_times_told_otherwise_and_one_person_in_two_roles_are_disclosed(
    controller: CycleController, ids: dict[str, int]
) -> None:
    def told() -> list[str]:
        return [sentence.split(": stated")[0] for sentence in controller.disclosure_sentences(controller.shown())]

    language().switch("en")
    stated = ['Approval of "Larger read-ahead" by Park', 'Execution of "Larger read-ahead" by Kim']
    assert told() == stated
    controller.ask_reason = lambda *_: (REASON, "Lee")
    controller.attempt(lambda: change_typed(controller.book, ids["line"], {"executed_by": " park"}))
    assert told()[0] == '"Larger read-ahead" was approved and carried out by the same person (park).'
    language().switch("ko")
    assert controller.disclosure_sentences(controller.shown())[0].startswith(
        '"Larger read-ahead"은(는) 같은 사람(park)'
    )


def test_undo_takes_no_result_away_without_a_reason(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    asked = _refused(controller)
    metric = Metric(0, ids["iteration"], "Logins", ManualSource("stop watch"), "mean", "s", Direction.LOWER)
    made = controller.applied(lambda: edits.add(controller.book, metric))
    assert made is not None and made.changes[0].after is not None
    logins = made.changes[0].after.id
    after = Figure(25.0, source=made_cycle.SOURCE)
    assert controller.attempt(lambda: record_result(controller.book, logins, after)) and not asked
    workspace.undo.undo()
    assert len(asked) == 1 and [each.after for each in controller.book.all(Result) if each.metric_id == logins] == [
        after
    ]
    better = Figure(19.0, source=made_cycle.SOURCE)
    assert not controller.attempt(lambda: record_result(controller.book, logins, better)) and len(asked) == 2
