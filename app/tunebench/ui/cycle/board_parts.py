"""Parts of the board: the next action, what is in the way, the price that was paid, what the captures are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QWidget

from tunebench.columns.formats import format_count
from tunebench.diagnosis.cycle.board import Standing
from tunebench.diagnosis.cycle.gate import Gate
from tunebench.diagnosis.cycle.results import GuardStanding
from tunebench.domain.cycle.records import Figure
from tunebench.domain.ledger import not_understood
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.figure_card import FigureCard, name_figure
from tunebench.ui.cycle.figure_words import change_text, goal_text, state_shape, state_tone, wording
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, Theme, current_theme, themes
from tunebench.ui.widgets.parts import ElidedLabel, button, card, clear_layout, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.cycle.due import over_titles
from tunebench.usecases.cycle.words import basis_text, state_text


def titled_card(part: QWidget, *, scrolls: bool = False) -> tuple[QFrame, QHBoxLayout]:
    """A card around `part`, and the line above it for a title and what belongs beside it."""
    frame, head = card(), row(spacing=SPACE_M)
    inside = part
    if scrolls:
        inside = area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(part)
    frame.setLayout(column(head, (inside, 1), margins=(SPACE_L, SPACE_S, SPACE_L, SPACE_M)))
    return frame, head


class NextCard(QFrame):
    """The one thing to do next, large; `asked` when it is to be done."""

    asked = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._controller = CycleController.of(workspace)
        self.setObjectName("nextcard")
        self._title = label(role="small")
        self.sentence = label(role="section", wrap=True)
        self.go = button(kind="primary", on_click=self.asked.emit)
        words = column(self._title, self.sentence, spacing=2)
        line = row((words, 1), self.go, spacing=SPACE_L, margins=(SPACE_L, SPACE_S, SPACE_L, SPACE_S))
        self.setLayout(line)
        line.setAlignment(self.go, Qt.AlignmentFlag.AlignVCenter)
        themes().theme_changed.connect(self._recolour)
        self._recolour(current_theme())

    def _recolour(self, theme: Theme) -> None:
        self.setStyleSheet(
            f"#nextcard {{ background: {theme.selected.name()}; border: 1px solid {theme.border.name()};"
            f" border-left: 4px solid {theme.accent.name()}; border-radius: 4px; }}"
        )

    def show_next(self, standing: Standing) -> None:
        self._title.setText(text("ui.board.next"))
        self.sentence.setText(self._controller.next_sentence())
        begins = standing.next_action.key == "open_iteration"
        due = self._controller.due_next()
        measured = text("ui.board.measure", windows=over_titles(due))
        self.go.setText(measured if due else text("ui.board.begin" if begins else "ui.board.go"))
        self.setAccessibleName(self.sentence.text())


class GuardRow(QWidget):
    """One guard metric: its name and state, how it changed, below them what it was, is and may be."""

    def __init__(self, workspace: Workspace, standing: GuardStanding) -> None:
        super().__init__()
        self._workspace, self._standing = workspace, standing
        metric, words = standing.metric, wording(workspace)
        name = ElidedLabel(metric.name, mode=Qt.TextElideMode.ElideRight)
        word, state = state_text(standing, language().code), standing.called
        self.state = label(f"{state_shape(state)} {word}", "strong", state_tone(state))
        self.state.setToolTip(basis_text(standing, language().code, workspace.zone))
        limit = text("ui.board.limit", limit=goal_text(standing.limit, metric, words))
        shown = "" if standing.limit is None else limit
        self._limit = ElidedLabel(shown, "muted", Qt.TextElideMode.ElideRight)
        self.baseline, self.now = self._figure("baseline", standing.before), self._figure("now", standing.now)
        change = label(change_text(standing.improvement, words), "muted")
        self.setLayout(
            column(
                row((name, 1), self.state, spacing=SPACE_M),
                change,
                row(self.baseline, self.now, (self._limit, 1), spacing=SPACE_M),
                spacing=1,
            )
        )

    def _figure(self, side: str, figure: Figure | None) -> QPushButton:
        link = button("", "link", lambda: self._open(side, figure, link))
        name_figure(link, side, figure, self._standing.metric, wording(self._workspace))
        return link

    def _open(self, side: str, figure: Figure | None, at: QPushButton) -> None:
        if figure is not None:
            metric, shown = self._standing.metric, FigureCard(self._workspace, self)
            shown.show_figure(metric, side, figure, metric.id, at)


class PartList(QWidget):
    """Parts below each other, or a sentence where there are none."""

    def __init__(self, none: QLabel) -> None:
        super().__init__()
        self._none, self._parts = none, column()
        self.setLayout(column(none, self._parts, 1))

    def show_parts(self, parts: Sequence[QWidget], none_words: str) -> None:
        clear_layout(self._parts)
        for part in parts:
            self._parts.addWidget(part)
        self._none.setText(none_words)
        self._none.setVisible(not parts)


class GuardList(PartList):
    """What watches the resources that pay."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(label(role="muted", wrap=True))
        self._workspace = workspace
        self.rows: list[GuardRow] = []

    def show_standings(self, standings: Sequence[GuardStanding]) -> None:
        self.rows = [GuardRow(self._workspace, standing) for standing in standings]
        self.show_parts(self.rows, text("ui.board.no_guards"))


class GateLine(QWidget):
    """What is in the way, in a sentence, and the way to where it is mended."""

    def __init__(self, gate: Gate, sentence: str, ask: Callable[[Gate], object]) -> None:
        super().__init__()
        self.gate = gate
        step = label(f"▲ {int(gate.step)}", "strong", "warning")
        step.setToolTip(text(f"ui.board.step.{int(gate.step)}"))
        self.sentence = label(sentence, wrap=True)
        self.go = button(text("ui.board.go"), "link", lambda: ask(gate))
        self.go.setAccessibleName(f"{text('ui.board.go')}: {sentence}")
        line = row(step, (self.sentence, 1), self.go)
        for part in (step, self.go):
            line.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        self.setLayout(line)


class GateList(PartList):
    """Gates in the order of the steps; a sentence of its own where none is closed. `asked` carries the `Gate`."""

    asked = Signal(object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(label(tone="ok", wrap=True))
        self._controller = CycleController.of(workspace)
        self.lines: list[GateLine] = []

    def show_gates(self, gates: Sequence[Gate], none_words: str) -> None:
        sentences = self._controller.gate_sentences(gates)
        self.lines = [GateLine(gate, words, self.asked.emit) for gate, words in zip(gates, sentences, strict=True)]
        self.show_parts(self.lines, none_words)


class CaptureLine(QWidget):
    """What everything rests on, in one line: runs, hosts, captures, lines that were not understood."""

    asked = Signal()

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._words = button(kind="link", on_click=self.asked.emit)
        self._watch = label(tone="watch")
        self.setLayout(row(self._words, self._watch, 1, spacing=SPACE_M))

    def refresh(self) -> None:
        overview = self._workspace.overview
        artefacts = [artefact for view in overview.runs for artefact in view.artefacts] if overview else []
        lines = sum(artefact.ledger.lines.total for artefact in artefacts)
        skipped = sum(not_understood(artefact.ledger) for artefact in artefacts)
        self._words.setText(
            text(
                "ui.board.captures",
                hosts=format_count(len(overview.hosts) if overview else 0),
                runs=format_count(len(overview.runs) if overview else 0),
                captures=format_count(len(artefacts)),
                lines=format_count(lines),
            )
        )
        needs = sum(len(artefact.ledger.needs) for artefact in artefacts if str(artefact.state) == "imported")
        unread = sum(str(artefact.state) in ("failed", "unrecognised") for artefact in artefacts)
        counts = (("skipped", skipped), ("needs", needs), ("unread", unread))
        worse = [text(f"ui.board.captures.{key}", n=format_count(n)) for key, n in counts if n]
        self._watch.setText("▲ " + " · ".join(worse) if worse else "")
