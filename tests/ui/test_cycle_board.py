"""The board: ring, targets, gates, next action; every number leads to where it comes from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from tests.ui import made_cycle
from tunebench.diagnosis.cycle.results import TargetState
from tunebench.domain.comparability import Check, CheckState, GateCheck
from tunebench.domain.cycle.book import CycleEdit, RecordChange
from tunebench.domain.cycle.records import StepNumber, StepState, Target
from tunebench.domain.cycle.seals import Amendment
from tunebench.domain.engagement import Run
from tunebench.domain.record_labels import reference_of
from tunebench.ui.cycle.board_targets import BulletBar, BulletMarks
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.places import Place, go_to
from tunebench.ui.cycle.record_results import verdict_text
from tunebench.ui.cycle.ring import CycleRing
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.look.language import language
from tunebench.ui.look.theme import LIGHT, ThemeMode, current_theme, themes
from tunebench.ui.pages.board_page import BoardPage
from tunebench.ui.workspace import Change
from tunebench.usecases import projects
from tunebench.usecases.cycle import comparable as cycle_comparable
from tunebench.usecases.cycle import edits
from tunebench.usecases.cycle.acts import abandon_iteration, continue_iteration
from tunebench.usecases.cycle.edits import change_typed

Idle = Callable[[], None]


@pytest.fixture
def ids(project_file: Path) -> dict[str, int]:
    project = projects.open_(project_file)
    made = made_cycle.fill(project)
    projects.close(project)
    return made


@pytest.fixture
def board(window: MainWindow, ids: dict[str, int], project_file: Path, idle: Idle) -> BoardPage:
    assert window.controller.open(project_file)
    window.show_page("board")
    idle()
    page = window.page("board")
    assert isinstance(page, BoardPage)
    return page


def test_an_amendment_stands_on_the_board(board: BoardPage, ids: dict[str, int]) -> None:
    assert board.amendments.isHidden()
    controller = CycleController.of(board.workspace)
    controller.ask_reason = lambda *_: ("asked for in writing", "Lee")
    assert controller.attempt(lambda: change_typed(controller.book, ids["top"], {"value": "30"}))
    (told,) = board.amendments.sentences()
    assert told.startswith("Amendment 1: target Order time, value: 20 → 30. Reason: asked for in writing (Lee, ")
    assert told.endswith("This target was changed after the result was seen.")
    first, *others = board.disclosures.sentences()
    assert first == "Nobody has signed off that results are the same after the changes."  # the easier target is met
    assert all("not taken for it (1): 19 July." in each for each in others[:-2])
    assert [told.split(" by ")[0] for told in others[-2:]] == [
        'Approval of "Larger read-ahead"',
        'Execution of "Larger read-ahead"',
    ]
    assert board.disclosures.isVisible()


@pytest.fixture
def asked(window: MainWindow) -> list[tuple[str, object]]:
    """Pages that were asked for, instead of being shown."""
    heard: list[tuple[str, object]] = []
    window.workspace.page_asked.disconnect(window.show_page)
    window.workspace.page_asked.connect(lambda page, argument: heard.append((page, argument)))
    return heard


# --- nothing yet
def test_an_engagement_without_a_cycle_is_invited_to_begin(
    window: MainWindow, project_file: Path, asked: list[tuple[str, object]]
) -> None:
    assert window.controller.open(project_file)
    window.show_page("board")
    page: Any = window.page("board")
    assert not page.ring.isVisible()
    assert not window.cycle_header.strip.isVisible()
    buttons = [b for b in page.findChildren(type(page.next.go)) if b.isVisible() and b.text()]
    assert [b.text() for b in buttons] == ["Begin the first iteration", "Write down the customer's issues"]
    buttons[0].click()
    assert asked == [("cycle", Place(StepNumber.PROBLEM))]


# --- what the gate of the comparison says
def test_a_refused_comparison_is_said_as_soon_as_it_is_known(
    window: MainWindow, ids: dict[str, int], project_file: Path, idle: Idle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked for in the background: before, nothing is called met or missed."""
    refused = SimpleNamespace(
        refusals=(GateCheck(Check.CALENDAR, CheckState.REFUSE, "overlap", {"overlap_pct": 20.0}),), gate=()
    )
    monkeypatch.setattr(cycle_comparable, "compare", lambda *_: refused)
    assert window.controller.open(project_file)
    controller = CycleController.of(window.workspace)

    def state() -> TargetState:
        assert controller.standing is not None
        return controller.standing.targets[0].state

    assert state() is TargetState.UNDECIDED
    window.show_page("board")
    idle()
    page = cast("BoardPage", window.page("board"))
    top = page.targets.rows[0].state
    assert top.text() == "≠ not comparable (C2)" and "20 %" in top.toolTip()
    window.show_page("cycle", Place(StepNumber.DECISION))
    assert "(C2)" in cast("Any", window.page("cycle")).detail.panel.top.text()
    refused.refusals = ()  # a note may say that another job ran, or that none did
    projects.add_note(window.workspace.opened, "project", None, None, "no batch that day")
    window.workspace.announce(Change.NOTES)
    idle()
    assert state() is TargetState.MISSED


# --- the ring
def test_the_ring_says_state_counts_and_what_is_in_the_way(board: BoardPage) -> None:
    steps = board.ring.steps
    assert steps[StepNumber.PROBLEM].lines == ("0 Problem", "done", "issues: 1 · open: 1")
    assert steps[StepNumber.METRICS].lines == ("1 Metrics", "done", "metrics: 3 · guard metrics: 1")
    assert steps[StepNumber.RESULT].lines[1] == "not begun · in the way: 2"
    assert steps[StepNumber.CAUSES].lines[2] == "causes: 1 · confirmed: 0 · evidence: 1"
    assert "1 Metrics: done" in steps[StepNumber.METRICS].accessibleName()


def test_segments_and_words_and_strip_go_to_the_step(
    board: BoardPage, window: MainWindow, qtbot: Any, asked: list[tuple[str, object]]
) -> None:
    ring = board.ring
    qtbot.mouseClick(ring.steps[StepNumber.PROBLEM], Qt.MouseButton.LeftButton)
    assert ring.step_at(ring.middle) is StepNumber.PROBLEM
    for number in list(StepNumber)[1:]:
        turned, away = math.radians((number - 1) * 60 + 30), ring.radius - 12
        place = (ring.middle + QPointF(away * math.sin(turned), -away * math.cos(turned))).toPoint()
        qtbot.mouseClick(ring, Qt.MouseButton.LeftButton, pos=place)
    assert asked == [("cycle", Place(number)) for number in StepNumber]
    asked.clear()
    ring.steps[StepNumber.CAUSES].setFocus()
    qtbot.keyClick(ring.steps[StepNumber.CAUSES], Qt.Key.Key_Space)
    qtbot.mouseClick(window.cycle_header.strip.steps[StepNumber.RESULT], Qt.MouseButton.LeftButton)
    assert asked == [("cycle", Place(StepNumber.CAUSES)), ("cycle", Place(StepNumber.RESULT))]


def test_no_words_of_the_ring_lie_on_the_ring_or_on_each_other(qtbot: Any) -> None:
    ring = CycleRing()
    qtbot.addWidget(ring)
    ring.show()
    for width, height in ((500, 244), (544, 270), (760, 420), (1000, 600)):
        ring.setFixedSize(width, height)
        labels = [ring.steps[number].geometry() for number in list(StepNumber)[1:]]
        for place, one in enumerate(labels):
            assert ring.rect().contains(one)
            assert not any(one.intersects(other) for other in labels[place + 1 :])
            away = [QPointF(x, y) - ring.middle for x in (one.left(), one.right()) for y in (one.top(), one.bottom())]
            assert min(math.hypot(off.x(), off.y()) for off in away) > ring.radius


# --- bullet bars
def bar(marks: BulletMarks, qtbot: Any) -> BulletBar:
    made = BulletBar()
    qtbot.addWidget(made)
    made.resize(412, 22)  # 400 px between the edges
    made.show_marks(marks, "", "")
    return made


def colour_at(shown: QWidget, x: float, y: int) -> QColor:
    return shown.grab().toImage().pixelColor(QPoint(round(x), y))


def test_zero_is_always_in_the_scale(qtbot: Any) -> None:
    made = bar(BulletMarks(50.0, 25.0, 20.0), qtbot)
    assert made.scale()[0] == 0.0 and made.scale()[1] == pytest.approx(53.0)
    assert made.place(0.0) == 6.0
    assert made.place(53.0) == pytest.approx(406.0)
    low, high = bar(BulletMarks(-4.0, 2.0, None), qtbot).scale()
    assert low == pytest.approx(-4.24) and high == pytest.approx(2.12)


def test_a_figure_that_was_not_measured_is_no_bar_of_length_zero(qtbot: Any) -> None:
    measured, missing = bar(BulletMarks(50.0, 0.0, 20.0), qtbot), bar(BulletMarks(50.0, None, 20.0), qtbot)
    zero = measured.place(0.0) + 1
    assert colour_at(measured, zero, 11) == LIGHT.after
    assert colour_at(missing, zero, 11) != LIGHT.after
    assert measured.grab().toImage() != missing.grab().toImage()


def test_each_mark_has_a_shape_of_its_own(qtbot: Any) -> None:
    made = bar(BulletMarks(50.0, 25.0, 20.0), qtbot)
    assert colour_at(made, made.place(12.0), 11) == LIGHT.after  # the bar
    assert colour_at(made, made.place(20.0), 11).lightness() < 40  # the target's line, over the bar
    assert colour_at(made, made.place(50.0), 11) == LIGHT.surface  # the diamond is hollow
    assert colour_at(made, made.place(50.0) + 20, 11) == LIGHT.pressed


def test_the_met_side_is_hatched_only_where_better_is_known(qtbot: Any) -> None:
    def row_of(marks: BulletMarks) -> list[str]:
        image = bar(marks, qtbot).grab().toImage()
        return [image.pixelColor(x, 6).name() for x in range(8, 400)]

    lower, higher = row_of(BulletMarks(50.0, None, 20.0)), row_of(BulletMarks(50.0, None, 20.0, lower_is_better=False))
    neutral = row_of(BulletMarks(50.0, None, 20.0, lower_is_better=None))
    assert len(set(lower[20:120])) > 1 and set(higher[20:120]) == {LIGHT.pressed.name()}
    assert len(set(higher[200:300])) > 1 and set(lower[200:300]) == {LIGHT.pressed.name()}
    assert set(neutral[20:120]) == {LIGHT.pressed.name()}


# --- targets
def test_targets_say_shape_word_and_figures(board: BoardPage) -> None:
    top, gets, queue = board.targets.rows
    assert (top.name.accessibleName(), top.top.text()) == ("Order time", "★ top priority · mean · due 2026-08-01")
    assert (top.state.text(), top.change.text()) == ("✕ missed", "2.00× lower")
    assert [top.baseline.text(), top.now.text(), top.goal.words()] == ["Baseline 50 s", "Now 25 s", "Target ≤ 20 s"]
    assert gets.state.text() == "○ not measured"
    assert (gets.now.text(), gets.now.isEnabled()) == ("Now not measured", False)
    assert gets.bar.marks == BulletMarks(800.0, None, 100.0)
    assert queue.state.text() == "≈ descriptive only"
    assert (queue.goal.words(), queue.top.text()) == ("Target not set", "mean")
    assert queue.bar.marks.lower_is_better is None
    assert "Now 25 s" in top.bar.accessibleName() and "✕ missed" in top.bar.accessibleName()


@pytest.mark.parametrize(
    ("code", "words"),
    [("en", "✕ missed (subject to: target amended, first 25 s)"), ("ko", "✕ 미달성(단서: 목표를 고침(처음 25 s))")],
)
def test_an_amended_target_never_stands_as_a_bare_verdict(
    board: BoardPage, look: Callable[[str, str], None], ids: dict[str, int], code: str, words: str
) -> None:
    """In the words of the report: on the board, in the list of results and where it is decided."""
    look(code, "light")
    controller = CycleController.of(board.workspace)
    assert controller.standing is not None
    (top, *_) = controller.standing.targets
    amended = Amendment(
        9, top.target.iteration_id, 1, reference_of(top.target), "", "value", "25.0", "20.0", "asked", "Kim", "", True
    )
    controller.standing = replace(controller.standing, amendments=(amended,))
    board.targets.show_standings(controller.standing.targets)
    assert board.targets.rows[0].state.text() == words
    assert verdict_text(top, controller) == words


def test_a_figure_shows_where_it_comes_from(
    board: BoardPage, asked: list[tuple[str, object]], ids: dict[str, int]
) -> None:
    top = board.targets.rows[0]
    top.baseline.click()
    words = [shown.text() for shown in top.card.findChildren(type(top.state))]
    assert words[1] == "50 s"
    assert {"before", "12", "mean", made_cycle.SOURCE} <= set(words)
    assert [chip.text() for chip in top.card.findChildren(type(top.baseline))] == ["E-1", "Show where it was measured"]
    top.card.findChildren(type(top.baseline))[0].click()
    assert not top.card.isVisible()
    page, run = cast("tuple[str, Run]", asked[0])
    assert (page, run.id) == ("timeline", ids["after"])


def test_a_broken_baseline_is_marked(board: BoardPage, qtbot: Any, ids: dict[str, int]) -> None:
    controller = CycleController.of(board.workspace)
    target = made_cycle.the(controller.book, Target, ids["second"])
    with qtbot.waitSignal(controller.broken_changed, timeout=60_000):
        computed = replace(target, baseline=replace(made_cycle.baseline_of(target), source=""))
        controller.edit(CycleEdit("set_baseline", (RecordChange(target, computed),)))
    assert board.targets.rows[1].baseline.text() == "Baseline 800 blocks ▲"


def test_no_verdict_stands_beside_a_record_that_the_trail_contradicts(
    board: BoardPage, qtbot: Any, ids: dict[str, int]
) -> None:
    project = board.workspace.opened
    with project.transaction() as connection:
        easier = "UPDATE cycle_record SET body = json_set(body, '$.value', 30.0) WHERE id = ?"
        connection.execute(easier, (ids["top"],))
    board.workspace.announce(Change.RUNS)
    qtbot.waitUntil(lambda: board.targets.rows[0].state.text() == "✕ contradicted by the check", timeout=60_000)
    assert board.targets.rows[0].change.text() == ""
    controller = CycleController.of(board.workspace)
    sentences = controller.disclosure_sentences(controller.shown())
    (sentence,) = [words for words in sentences if f"target.{ids['top']}" in words]
    assert "20" in sentence and "30" in sentence


# --- gates, next action, guards
def test_gates_are_sentences_with_the_way_to_mend_them(
    board: BoardPage, asked: list[tuple[str, object]], ids: dict[str, int]
) -> None:
    sentences = [line.sentence.text() for line in board.gates.lines]
    assert sentences[0] == 'The target of "Queue" has no value. Say what is to be reached.'
    assert [int(line.gate.step) for line in board.gates.lines] == [2, 5, 5, 6]
    board.gates.lines[0].go.click()
    assert asked == [("cycle", Place(StepNumber.TARGETS, ids["seen"]))]


def test_every_way_out_leads_to_the_record(
    board: BoardPage, asked: list[tuple[str, object]], ids: dict[str, int]
) -> None:
    assert board.next.sentence.text() == board.gates.lines[0].sentence.text()
    board.next.go.click()
    board.targets.rows[1].name.click()
    go_to(board.workspace, StepNumber.COUNTERMEASURES, (ids["action"],))
    assert asked == [
        ("cycle", Place(StepNumber.TARGETS, ids["seen"])),
        ("cycle", Place(StepNumber.TARGETS, ids["second"])),
        ("tradeoffs", Place(StepNumber.COUNTERMEASURES, ids["action"])),
    ]


def test_the_price_is_shown_and_never_as_zero(board: BoardPage) -> None:
    (guard,) = board.guards.rows
    assert guard.state.text() == "○ not measured"
    assert guard.now.text() == "Now not measured"
    assert not guard.now.isEnabled()


def test_the_board_follows_edits_and_undo(board: BoardPage, window: MainWindow, ids: dict[str, int]) -> None:
    controller = CycleController.of(board.workspace)
    target = made_cycle.the(controller.book, Target, ids["top"])
    controller.edit(edits.change(controller.book, replace(target, value=30.0)))
    assert board.targets.rows[0].state.text() == "✓ met (subject to: target amended, first 20 s)"
    window.workspace.undo.undo()
    assert board.targets.rows[0].state.text() == "✕ missed (subject to: target amended, first 20 s)"


def test_an_ended_iteration_has_nothing_in_its_way(board: BoardPage, ids: dict[str, int]) -> None:
    controller = CycleController.of(board.workspace)
    controller.attempt(
        lambda: abandon_iteration(controller.book, ids["iteration"], by="Kim", on="2026-08-03", reason="No budget")
    )
    assert not board.gates.lines
    assert "Iteration 1 has ended" in board.next.sentence.text()


# --- the strip above the pages
def test_the_strip_shows_the_steps_on_every_page_of_the_engagement(board: BoardPage, window: MainWindow) -> None:
    strip = window.cycle_header.strip
    assert strip.isVisible()
    assert [(s.state, s.gates) for s in strip.steps.values()] == [
        (StepState.DONE, 0),
        (StepState.DONE, 0),
        (StepState.OPEN, 1),
        (StepState.OPEN, 0),
        (StepState.OPEN, 0),
        (StepState.OPEN, 2),
        (StepState.OPEN, 1),
    ]
    assert strip.steps[StepNumber.TARGETS].marked
    assert "not begun, in the way: 2" in strip.steps[StepNumber.RESULT].accessibleName()
    window.show_page("captures")
    assert strip.isVisible()
    window.show_page("settings")
    assert not strip.isVisible()


def test_the_strip_chooses_the_iteration(board: BoardPage, window: MainWindow, ids: dict[str, int]) -> None:
    controller, strip = CycleController.of(window.workspace), window.cycle_header.strip
    controller.attempt(lambda: continue_iteration(controller.book, ids["iteration"], "Second round"))
    assert strip.which.text() == "Iteration 2"
    menu = strip.which.menu()
    menu.aboutToShow.emit()
    assert [(a.text(), a.isChecked()) for a in menu.actions()] == [
        ("Iteration 1 · First round · continued in the next iteration", False),
        ("Iteration 2 · Second round · open", True),
    ]
    menu.actions()[0].trigger()
    assert strip.which.text() == "Iteration 1"
    assert board.targets.rows[0].state.text() == "✕ missed"


# --- look
def test_nothing_is_left_untranslated_or_cut(board: BoardPage, idle: Idle) -> None:
    for code, mode in (("ko", "light"), ("en", "dark")):
        language().switch(code)
        themes().set_mode(ThemeMode(mode))
        idle()
        check_look(board, code)
        assert current_theme().name == mode


def check_look(board: BoardPage, code: str) -> None:
    labels = [each for each in board.findChildren(QWidget) if each.isVisible() and hasattr(each, "text")]
    assert not [each.text() for each in labels if "⟨" in str(each.text())]
    assert board.targets.rows[0].now.text() == {"ko": "현재 25 초", "en": "Now 25 s"}[code]
    for row in board.targets.rows:
        assert row.width() <= board.targets.width()
        for part in (row.baseline, row.now, row.state, row.chips):
            assert part.width() >= part.minimumSizeHint().width()


def test_closing_the_engagement_leaves_no_board(board: BoardPage, window: MainWindow) -> None:
    window.controller.close()
    assert window.current_page == "welcome"
    assert not window.cycle_header.strip.isVisible()
    window.workspace.announce(Change.CLOSED)
