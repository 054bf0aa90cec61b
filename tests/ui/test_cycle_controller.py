"""The cycle controller: one book for all pages, edits with undo, refusals with their sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.ui import made_cycle
from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.records import CustomerIssue, Iteration, Outcome, StepNumber, StepState, Target
from tunebench.domain.engagement import Engagement
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import projects
from tunebench.usecases.cycle import applying, edits, reading
from tunebench.usecases.cycle.acts import abandon_iteration, close_iteration, continue_iteration, set_step, step_of
from tunebench.usecases.cycle.edits import open_iteration


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
    made = made_cycle.fill(workspace.project)
    workspace.announce(Change.CYCLE)
    return made


def said(workspace: Workspace) -> list[tuple[str, str]]:
    heard: list[tuple[str, str]] = []
    workspace.said.connect(lambda tone, sentence: heard.append((tone, sentence)))
    return heard


def test_there_is_one_desk_per_workspace(controller: CycleController, workspace: Workspace) -> None:
    assert CycleController.of(workspace) is controller


def test_an_engagement_without_a_cycle_has_a_board(controller: CycleController) -> None:
    assert controller.iteration is None
    assert controller.standing is not None
    assert controller.standing.next_action.key == "open_iteration"
    assert controller.next_sentence() == "Open the first iteration, from a template or empty."


def test_an_edit_is_done_undone_and_done_again_under_the_same_id(
    qtbot: Any, controller: CycleController, workspace: Workspace
) -> None:
    with qtbot.waitSignal(controller.changed):
        assert controller.edit(edits.add(controller.book, CustomerIssue(0, 1, "Orders are slow")))
    (issue,) = controller.book.all(CustomerIssue)
    assert workspace.undo.undoText() == "add an issue"
    workspace.undo.undo()
    assert not controller.book.all(CustomerIssue)
    workspace.undo.redo()
    assert controller.book.all(CustomerIssue) == (issue,)
    assert reading.read(workspace.opened) == controller.book


def test_an_edit_gives_its_new_ids(controller: CycleController) -> None:
    done = controller.applied(lambda: edits.add(controller.book, CustomerIssue(0, 1, "Orders are slow")))
    assert done is not None and done.changes[0].after is not None
    assert controller.book.records[done.changes[0].after.id] == done.changes[0].after


def test_an_edit_of_nothing_leaves_nothing_to_undo(controller: CycleController, workspace: Workspace) -> None:
    assert controller.edit(CycleEdit("check_in_force", ()))
    assert workspace.undo.count() == 0


def test_a_closed_gate_says_its_own_sentence_and_leaves_nothing_to_undo(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    heard = said(workspace)
    assert not controller.attempt(lambda: close_iteration(controller.book, ids["iteration"], by="", on="2026-08-01"))
    assert controller.standing is not None
    assert heard == [("error", controller.gate_sentences(controller.standing.gates[-1:])[0])]
    assert "Order time" in heard[0][1]
    assert workspace.undo.count() == 0


def test_an_edit_of_an_old_book_is_refused(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    old = controller.book
    issue = old.find(CustomerIssue, ids["issue"])
    assert issue is not None
    assert controller.edit(edits.change(old, replace(issue, title="Orders are very slow")))
    heard = said(workspace)
    assert not controller.edit(edits.change(old, replace(issue, title="Orders are fine")))
    assert [tone for tone, _ in heard] == ["error"]
    assert made_cycle.the(controller.book, CustomerIssue, ids["issue"]).title == "Orders are very slow"


def test_an_undo_that_is_refused_leaves_the_stack(controller: CycleController, workspace: Workspace) -> None:
    controller.edit(edits.add(controller.book, CustomerIssue(0, 1, "Orders are slow")))
    (issue,) = controller.book.all(CustomerIssue)
    applying.apply(workspace.opened, edits.change(controller.book, replace(issue, title="Written by another")))
    heard = said(workspace)
    workspace.undo.undo()
    assert [tone for tone, _ in heard] == ["error"]
    assert not workspace.undo.canUndo()


def test_another_iteration_can_be_looked_at_and_a_new_one_is(
    qtbot: Any, controller: CycleController, ids: dict[str, int]
) -> None:
    controller.attempt(lambda: continue_iteration(controller.book, ids["iteration"], "Second round", on="2026-08-02"))
    assert controller.iteration is not None and controller.iteration.title == "Second round"
    with qtbot.waitSignal(controller.changed):
        controller.choose(ids["iteration"])
    assert controller.iteration.title == "First round"
    assert controller.standing is not None and controller.standing.iteration == controller.iteration
    controller.attempt(
        lambda: abandon_iteration(
            controller.book, controller.book.iterations[-1].id, by="Kim", on="2026-08-03", reason="No budget"
        )
    )
    assert controller.iteration.title == "First round"
    controller.attempt(lambda: open_iteration(controller.book, "Third round"))
    assert controller.iteration.title == "Third round"


def test_an_iteration_that_is_undone_is_not_looked_at_any_more(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    controller.attempt(lambda: continue_iteration(controller.book, ids["iteration"], "Second round"))
    workspace.undo.undo()
    assert controller.iteration == made_cycle.the(controller.book, Iteration, ids["iteration"])
    assert controller.iteration.outcome is Outcome.OPEN


def test_closing_the_engagement_empties_the_desk(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    assert controller.book.records
    project, workspace.project = workspace.project, None
    workspace.announce(Change.CLOSED)
    assert not controller.book.records and controller.standing is None and controller.next_sentence() == ""
    workspace.project = project


def test_a_step_that_lacks_something_says_what(
    controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    heard = said(workspace)
    step = step_of(controller.book, ids["iteration"], StepNumber.RESULT)
    assert not controller.attempt(lambda: set_step(controller.book, step.id, StepState.DONE))
    assert "Block gets" in heard[0][1]


def test_a_figure_whose_source_vanished_is_called_broken(
    qtbot: Any, controller: CycleController, workspace: Workspace, ids: dict[str, int]
) -> None:
    """Its run has no statements any more: the baseline was computed from them, as it names no other source."""
    target = made_cycle.the(controller.book, Target, ids["second"])
    computed = replace(made_cycle.baseline_of(target), source="")
    with qtbot.waitSignal(controller.broken_changed, timeout=60_000):
        controller.edit(CycleEdit("set_baseline", (RecordChange(target, replace(target, baseline=computed)),)))
    assert {id_: why.key for id_, why in controller.broken.items()} == {ids["second"]: "statement_missing"}
