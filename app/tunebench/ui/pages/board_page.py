"""The board: where the engagement stands at a glance, and the evidence it rests on."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from tunebench.diagnosis.cycle.board import Standing
from tunebench.domain.cycle.records import StepNumber
from tunebench.reporting import cycle_words
from tunebench.ui.cycle.board_parts import CaptureLine, GateList, GuardList, NextCard, titled_card
from tunebench.ui.cycle.board_targets import TargetList
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_list import EvidenceList
from tunebench.ui.cycle.places import Place, go_to, page_of
from tunebench.ui.cycle.ring import CycleRing
from tunebench.ui.cycle.sentence_list import SentenceList, on_record
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_S
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.parts import ElidedLabel, EmptyState, column, label, panel, row, scrolling, stacked, tab_bar
from tunebench.ui.workspace import Change, Workspace

TABS = ("board", "evidence")
BESIDE_PX = 860


class BoardPage(Page):
    page_id = "board"
    title_key = "ui.page.board"
    icon = "board"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._controller = CycleController.of(workspace)
        self._where = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self.next = NextCard(workspace)
        self.ring = CycleRing()
        self.targets = TargetList(workspace)
        self.gates = GateList(workspace)
        self.guards = GuardList(workspace)
        self.amendments = SentenceList("warning", "watch")
        self.disclosures = SentenceList("warning", "watch")
        self.captures = CaptureLine(workspace)
        self.evidence = EvidenceList(workspace)
        self.tabs = translated(tab_bar(*TABS), accessibleName="ui.page.board")
        self._empty = EmptyState(
            "cycle",
            "ui.board.empty",
            (
                ("ui.board.begin", self._begin),
                ("ui.board.to_issues", lambda: workspace.show_page("engagement", "issues")),
            ),
        )
        self._lay_out()
        self._connect()
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._glance = stacked(self._board(), self._empty)
        self._parts = stacked(self._glance, self.evidence)
        head = row(self.title(), (self._where, 1), self.tabs, spacing=SPACE_L)
        column(head, (self._parts, 1), margins=(SPACE_L, SPACE_S), of=self)

    def _board(self) -> QWidget:
        self._shift = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self._heads: dict[str, QLabel] = {}
        ring, targets = self._headed("ring", self.ring), self._headed("targets", self.targets)
        in_the_way = panel(column(self.amendments, self.disclosures, (self.gates, 1)))
        gates, guards = self._headed("gates", in_the_way), self._headed("guards", self.guards)
        cards = _Cards(ring, targets, gates, guards)
        body = panel(column(self.next, (cards, 1), self.captures))
        area = scrolling(body, framed=False)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _headed(self, name: str, part: QWidget) -> QWidget:
        card, head = titled_card(part, scrolls=part is not self.ring)
        self._heads[name] = translated(label(role="strong"), f"ui.board.head.{name}")
        head.addWidget(self._heads[name])
        if part is self.guards:
            head.addWidget(self._shift, 1)
        else:
            head.addStretch(1)
        return card

    def _connect(self) -> None:
        self._controller.changed.connect(self._on_controller)
        self._controller.broken_changed.connect(self._on_controller)
        self.tabs.currentChanged.connect(self._parts.setCurrentIndex)
        self.next.asked.connect(self._follow)
        self.ring.chosen.connect(lambda step: go_to(self.workspace, step))
        self.targets.asked.connect(lambda target: go_to(self.workspace, StepNumber.TARGETS, (target.id,)))
        self.gates.asked.connect(lambda gate: go_to(self.workspace, gate.step, gate.record_ids))
        self.captures.asked.connect(lambda: self.workspace.show_page("captures"))

    # --- ways out
    def _follow(self) -> None:
        wanted = self._controller.standing.next_action if self._controller.standing is not None else None
        if self._controller.due_next():
            self._controller.measure_due(on_board=True)
        elif wanted is not None and wanted.key == "open_iteration":
            self._begin()
        elif wanted is not None:
            go_to(self.workspace, wanted.step, wanted.record_ids)

    def _begin(self) -> None:
        self.workspace.show_page(page_of(None), Place(StepNumber.PROBLEM))

    # --- page
    def enter(self) -> None:
        self._fill()

    def show_argument(self, argument: object) -> None:
        """``evidence`` for the list of it, or a piece of evidence to choose there."""
        self.tabs.setCurrentIndex(0 if argument == "board" else 1)
        self.evidence.choose(argument)

    def project_changed(self, change: Change) -> None:
        if change in (Change.CAPTURES, Change.RUNS, Change.ENGAGEMENT) and self.isVisible():
            self._fill()

    def retranslate(self, code: str) -> None:
        self._fill()

    def _on_controller(self) -> None:
        """A hidden page is filled when it is entered."""
        if self.isVisible():
            self._fill()

    def _fill(self) -> None:
        standing = self._controller.shown()
        for index, name in enumerate(TABS):
            n = len(self.evidence.pieces) if name == "evidence" else 0
            self.tabs.setTabText(index, text(f"ui.board.tab.{name}", n=n))
        nothing = standing is None or standing.iteration is None
        self._glance.setCurrentIndex(1 if nothing else 0)
        self._where.set_words("")
        if standing is not None and standing.iteration is not None:
            self._show(standing)

    def _show(self, standing: Standing) -> None:
        iteration, code = standing.iteration, language().code
        assert iteration is not None
        outcome = cycle_words.word(standing.outcome, code)
        self._where.set_words(text("ui.board.where", number=iteration.number, title=iteration.title, outcome=outcome))
        self.next.show_next(standing)
        self.ring.show_steps(standing.steps, standing.next_action.step if iteration.outcome == "open" else None)
        self.targets.show_standings(standing.targets)
        ended = iteration.outcome != "open"
        self.gates.show_gates(standing.gates, text("ui.board.gates.ended" if ended else "ui.board.gates.none"))
        count = f" {len(standing.gates)}" if standing.gates else ""
        self._heads["gates"].setText(text("ui.board.head.recorded" if ended else "ui.board.head.gates") + count)
        for shown in (self.amendments, self.disclosures):
            shown.use_tone(*on_record(ended))
        self.amendments.show_sentences(self._controller.amendment_sentences(standing))
        self.disclosures.show_sentences(self._controller.disclosure_sentences(standing))
        self.guards.show_standings(standing.guards)
        self._shift.set_words(self._shift_words(standing, code))
        self.captures.refresh()

    def _shift_words(self, standing: Standing, code: str) -> str:
        """Where the bottleneck went; marked as a description where it was not measured."""
        shift = standing.shift
        if shift.state.value == "unknown":
            return ""
        resources = [text(f"cycle.resource.{name}") for name in (shift.before, shift.after)]
        words = text(
            "ui.board.shift", before=resources[0], after=resources[1], state=cycle_words.word(shift.state, code)
        )
        return words if shift.measured else f"{words} ({text('ui.board.described')})"


class _Cards(QWidget):
    """Ring and targets above what is in the way and what pays; where that is too narrow, one column, targets first."""

    def __init__(self, ring: QWidget, targets: QWidget, gates: QWidget, guards: QWidget) -> None:
        super().__init__()
        for part, least_px in ((ring, 336), (targets, 336), (gates, 120), (guards, 120)):
            part.setMinimumHeight(least_px)
        self._beside = {ring: (0, 0), targets: (0, 1), gates: (1, 0), guards: (1, 1)}
        self._below = {part: (down, 0) for down, part in enumerate((targets, guards, gates, ring))}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SPACE_S)
        self._grid.setColumnStretch(0, 10)
        self._places: Mapping[QWidget, tuple[int, int]] = {}
        self._lay(self._beside)

    def _lay(self, places: Mapping[QWidget, tuple[int, int]]) -> None:
        if places is self._places:
            return
        self._places = places
        for part, (down, across) in places.items():
            self._grid.addWidget(part, down, across)
        used = {down for down, _across in places.values()}
        for down in range(len(places)):
            self._grid.setRowStretch(down, (1 if down else 2) if down in used else 0)
        self._grid.setColumnStretch(1, 9 if places is self._beside else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay(self._beside if event.size().width() >= BESIDE_PX else self._below)
