"""Taking runs and captures out: said before, refused with the way to what rests on them, and not undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QMenu, QPushButton

from tests.ui import made_cycle
from tunebench.domain.engagement import Phase, Run
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.frame.project_tree import KIND
from tunebench.ui.importing.removal import RemovalQuestion
from tunebench.ui.pages.captures_page import CapturesPage
from tunebench.ui.undo import ChangeRun
from tunebench.usecases import projects

Idle = Callable[[], None]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[RemovalQuestion]:
    """Every question that is asked; each is answered by a click on what `answer` names."""
    found: list[RemovalQuestion] = []

    def answer(question: RemovalQuestion) -> int:
        found.append(question)
        question.remove_button.click() if not question.remove_button.isHidden() else question.keep_button.click()
        return question.result()

    monkeypatch.setattr(RemovalQuestion, "exec", answer)
    return found


def runs_of(window: MainWindow) -> list[Run]:
    overview = window.workspace.overview
    assert overview is not None
    return [view.run for view in overview.runs]


def said(window: MainWindow) -> list[str]:
    heard: list[str] = []
    window.workspace.said.connect(lambda _tone, sentence: heard.append(sentence))
    return heard


def choose_in_tree(window: MainWindow, kind: str) -> None:
    window.tree.tree.setCurrentItem(next(item for item in window.tree.items() if item.data(0, KIND) == kind))


def test_a_run_goes_with_its_captures_and_says_so_before(
    opened: MainWindow, asked: list[RemovalQuestion], idle: Idle
) -> None:
    heard = said(opened)
    choose_in_tree(opened, "run")
    opened.workspace.commands.action("capture.remove_run").trigger()
    (question,) = asked
    assert "19 July" in question.question.text()
    assert "captures: 3" in question.facts.text() and "samples:" in question.facts.text()
    assert "cannot be undone" in question.warning.text()
    idle()
    assert not runs_of(opened)
    assert not [item for item in opened.tree.items() if item.data(0, KIND) in ("run", "artefact")]
    assert "19 July" in heard[-1]


def test_nothing_goes_where_it_is_kept(opened: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    def keep(question: RemovalQuestion) -> int:
        question.keep_button.click()
        return question.result()

    monkeypatch.setattr(RemovalQuestion, "exec", keep)
    choose_in_tree(opened, "run")
    opened.tree.remove_chosen("run")
    assert len(runs_of(opened)) == 1


def test_a_capture_goes_from_its_page(opened: MainWindow, asked: list[RemovalQuestion], idle: Idle) -> None:
    page = opened.page("captures")
    assert isinstance(page, CapturesPage)
    name = page.ledger.entry.name if page.ledger.entry else ""
    page.remove()
    assert name in asked[0].question.text()
    idle()
    assert name not in [entry.name for entry in page.entries()] and len(page.entries()) == 2


def test_what_is_evidence_stays_and_leads_to_who_rests_on_it(
    window: MainWindow, project_file: Path, asked: list[RemovalQuestion], idle: Idle
) -> None:
    project = projects.open_(project_file)
    made_cycle.fill(project)
    projects.close(project)
    assert window.controller.open(project_file)
    idle()
    window.tree.choose("run", next(run.id for run in runs_of(window) if run.phase is Phase.AFTER))
    window.tree.remove_chosen("run")
    (question,) = asked
    assert question.remove_button.isHidden() and question.warning.isHidden()
    assert "cannot be removed" in question.question.text()
    words = [link.text() for link in question.links]
    assert any(each.startswith("E-1 ") for each in words) and "result · Order time" in words
    assert len(runs_of(window)) == 3
    link: QPushButton = next(each for each in question.links if each.text() == "result · Order time")
    link.click()
    idle()
    assert window.current_page == "cycle"


def test_nothing_chosen_is_said(opened: MainWindow) -> None:
    heard = said(opened)
    opened.tree.tree.setCurrentIndex(QModelIndex())
    opened.tree.remove_chosen("run")
    assert "tree" in heard[-1]


def test_an_older_rename_of_a_run_that_is_gone_is_refused(
    opened: MainWindow, asked: list[RemovalQuestion], idle: Idle
) -> None:
    run = runs_of(opened)[0]
    opened.workspace.undo.push(ChangeRun(opened.workspace, run, "Thursday", Phase.BEFORE))
    choose_in_tree(opened, "run")
    opened.tree.remove_chosen("run")
    heard = said(opened)
    opened.workspace.undo.undo()
    assert heard and "19 July" in heard[-1]
    assert not opened.workspace.undo.canUndo()


def test_nothing_can_be_removed_from_a_file_that_is_only_read(opened: MainWindow, project_file: Path) -> None:
    opened.controller.close()
    holder = projects.open_(project_file)
    assert opened.controller.open(project_file)
    for name in ("run", "capture"):
        assert not opened.workspace.commands.action(f"capture.remove_{name}").isEnabled()
    opened.controller.close()
    projects.close(holder)


def test_the_menu_of_the_tree_offers_it(opened: MainWindow) -> None:
    tree = opened.tree
    for kind, fill, words in (
        ("run", tree._fill_run_menu, "Remove run…"),
        ("artefact", tree._fill_capture_menu, "Remove capture…"),
    ):
        menu = QMenu()
        fill(menu, next(item for item in tree.items() if item.data(0, KIND) == kind))
        assert menu.actions()[-1].text() == words and menu.actions()[-1].isEnabled()
