"""The cycle desk: one book for all pages, edits with undo, refusals with their sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.cycle.book import CycleEdit
from app.domain.cycle.records import CustomerIssue, Iteration, Outcome, StepNumber, StepState, Target
from app.domain.engagement import Engagement
from app.ui.cycle.cycle_desk import CycleDesk
from app.ui.workspace import Change, Workspace
from app.usecases import projects
from app.usecases.cycle import facade as cycle
from tests.ui import made_cycle


@pytest.fixture
def desk(workspace: Workspace, tmp_path: Path) -> Iterator[CycleDesk]:
    workspace.project = projects.create(tmp_path / "cycle.tune", Engagement("Tuning", "ACME"))
    workspace.announce(Change.OPENED)
    yield CycleDesk.of(workspace)
    workspace.jobs.drop_all()
    assert workspace.jobs.wait(20)
    project, workspace.project, workspace.overview = workspace.project, None, None
    workspace.announce(Change.CLOSED)
    projects.close(project)


@pytest.fixture
def ids(desk: CycleDesk, workspace: Workspace) -> dict[str, int]:
    made = made_cycle.fill(workspace.project)
    workspace.announce(Change.CYCLE)
    return made


def said(workspace: Workspace) -> list[tuple[str, str]]:
    heard: list[tuple[str, str]] = []
    workspace.said.connect(lambda tone, sentence: heard.append((tone, sentence)))
    return heard


def test_there_is_one_desk_per_workspace(desk: CycleDesk, workspace: Workspace) -> None:
    assert CycleDesk.of(workspace) is desk


def test_an_engagement_without_a_cycle_has_a_board(desk: CycleDesk) -> None:
    assert desk.iteration is None
    assert desk.standing is not None
    assert desk.standing.next_action.key == "open_iteration"
    assert desk.next_sentence() == "Open the first iteration, from a template or empty."


def test_an_edit_is_done_undone_and_done_again_under_the_same_id(
    qtbot: Any, desk: CycleDesk, workspace: Workspace
) -> None:
    with qtbot.waitSignal(desk.changed):
        assert desk.edit(cycle.add(desk.book, CustomerIssue(0, 1, "Orders are slow")))
    (issue,) = desk.book.all(CustomerIssue)
    assert workspace.undo.undoText() == "add an issue"
    workspace.undo.undo()
    assert not desk.book.all(CustomerIssue)
    workspace.undo.redo()
    assert desk.book.all(CustomerIssue) == (issue,)
    assert cycle.read(workspace.opened) == desk.book


def test_an_edit_gives_its_new_ids(desk: CycleDesk) -> None:
    done = desk.applied(lambda: cycle.add(desk.book, CustomerIssue(0, 1, "Orders are slow")))
    assert done is not None and done.changes[0].after is not None
    assert desk.book.records[done.changes[0].after.id] == done.changes[0].after


def test_an_edit_of_nothing_leaves_nothing_to_undo(desk: CycleDesk, workspace: Workspace) -> None:
    assert desk.edit(CycleEdit("check_in_force", ()))
    assert workspace.undo.count() == 0


def test_a_closed_gate_says_its_own_sentence_and_leaves_nothing_to_undo(
    desk: CycleDesk, workspace: Workspace, ids: dict[str, int]
) -> None:
    heard = said(workspace)
    assert not desk.attempt(lambda: cycle.close_iteration(desk.book, ids["iteration"], by="", on="2026-08-01"))
    assert desk.standing is not None
    assert heard == [("error", desk.gate_sentences(desk.standing.gates[-1:])[0])]
    assert "Order time" in heard[0][1]
    assert workspace.undo.count() == 0


def test_an_edit_of_an_old_book_is_refused(desk: CycleDesk, workspace: Workspace, ids: dict[str, int]) -> None:
    old = desk.book
    issue = old.find(CustomerIssue, ids["issue"])
    assert issue is not None
    assert desk.edit(cycle.change(old, replace(issue, title="Orders are very slow")))
    heard = said(workspace)
    assert not desk.edit(cycle.change(old, replace(issue, title="Orders are fine")))
    assert [tone for tone, _ in heard] == ["error"]
    assert made_cycle.the(desk.book, CustomerIssue, ids["issue"]).title == "Orders are very slow"


def test_an_undo_that_is_refused_leaves_the_stack(desk: CycleDesk, workspace: Workspace) -> None:
    desk.edit(cycle.add(desk.book, CustomerIssue(0, 1, "Orders are slow")))
    (issue,) = desk.book.all(CustomerIssue)
    cycle.apply(workspace.opened, cycle.change(desk.book, replace(issue, title="Written by another")))
    heard = said(workspace)
    workspace.undo.undo()
    assert [tone for tone, _ in heard] == ["error"]
    assert not workspace.undo.canUndo()


def test_another_iteration_can_be_looked_at_and_a_new_one_is(qtbot: Any, desk: CycleDesk, ids: dict[str, int]) -> None:
    desk.attempt(lambda: cycle.continue_iteration(desk.book, ids["iteration"], "Second round", on="2026-08-02"))
    assert desk.iteration is not None and desk.iteration.title == "Second round"
    with qtbot.waitSignal(desk.changed):
        desk.choose(ids["iteration"])
    assert desk.iteration.title == "First round"
    assert desk.standing is not None and desk.standing.iteration == desk.iteration
    desk.attempt(
        lambda: cycle.abandon_iteration(
            desk.book, desk.book.iterations[-1].id, by="Kim", on="2026-08-03", reason="No budget"
        )
    )
    assert desk.iteration.title == "First round"
    desk.attempt(lambda: cycle.open_iteration(desk.book, "Third round"))
    assert desk.iteration.title == "Third round"


def test_an_iteration_that_is_undone_is_not_looked_at_any_more(
    desk: CycleDesk, workspace: Workspace, ids: dict[str, int]
) -> None:
    desk.attempt(lambda: cycle.continue_iteration(desk.book, ids["iteration"], "Second round"))
    workspace.undo.undo()
    assert desk.iteration == made_cycle.the(desk.book, Iteration, ids["iteration"])
    assert desk.iteration.outcome is Outcome.OPEN


def test_closing_the_engagement_empties_the_desk(desk: CycleDesk, workspace: Workspace, ids: dict[str, int]) -> None:
    assert desk.book.records
    project, workspace.project = workspace.project, None
    workspace.announce(Change.CLOSED)
    assert not desk.book.records and desk.standing is None and desk.next_sentence() == ""
    workspace.project = project


def test_a_step_that_lacks_something_says_what(desk: CycleDesk, workspace: Workspace, ids: dict[str, int]) -> None:
    heard = said(workspace)
    step = cycle.step_of(desk.book, ids["iteration"], StepNumber.RESULT)
    assert not desk.attempt(lambda: cycle.set_step(desk.book, step.id, StepState.DONE))
    assert "Block gets" in heard[0][1]


def test_a_figure_whose_source_vanished_is_called_broken(
    qtbot: Any, desk: CycleDesk, workspace: Workspace, ids: dict[str, int]
) -> None:
    """Its run has no statements any more: the baseline was computed from them, as it names no other source."""
    target = made_cycle.the(desk.book, Target, ids["second"])
    computed = replace(made_cycle.baseline_of(target), source="")
    with qtbot.waitSignal(desk.broken_changed, timeout=60_000):
        desk.edit(cycle.change(desk.book, replace(target, baseline=computed)))
    assert {id_: why.key for id_, why in desk.broken.items()} == {ids["second"]: "statement_missing"}
