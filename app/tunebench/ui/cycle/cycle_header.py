"""What of the cycle stands above every page: the seven steps of the iteration that is looked at, in one line, and the
sheet that pins evidence."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QPushButton, QSizePolicy, QWidget

from tunebench.domain.cycle.records import Outcome, StepNumber, StepState
from tunebench.ui.commands import Command
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_sheet import EvidenceSheet
from tunebench.ui.cycle.evidence_show import show_source
from tunebench.ui.cycle.places import go_to
from tunebench.ui.cycle.step_head import SIZE, paint_state
from tunebench.ui.look.fonts import BODY_PX, SMALL_PX, font
from tunebench.ui.look.language import language, text
from tunebench.ui.look.painting import painter_on
from tunebench.ui.look.theme import RADIUS, SPACE_M, SPACE_XS, Theme, current_theme
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.parts import ActionButton, column, row
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import Offer

HEIGHT, EDGE = 24, 4


class StripStep(QAbstractButton):
    """One step: the mark of its state, its name, and how many gates are in its way; the words are in its tool tip."""

    def __init__(self, number: StepNumber) -> None:
        super().__init__()
        self.number = number
        self.state, self.gates, self.marked = StepState.OPEN, 0, False
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(104, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(2 * EDGE + int(SIZE), HEIGHT)

    def show_state(self, state: StepState, word: str, gates: int, marked: bool) -> None:
        self.state, self.gates, self.marked = state, gates, marked
        name = text(f"ui.board.step.{int(self.number)}")
        blocked = text("ui.board.gates", n=gates) if gates else ""
        state_words = ", ".join(part for part in (word, blocked) if part)
        self.setAccessibleName(f"{int(self.number)} {name}: {state_words}")
        self.setToolTip(f"{int(self.number)} {name} – {state_words}\n{text(f'cycle.step_question.{int(self.number)}')}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), painter_on(self, smooth=True)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.accent if self.marked or self.hasFocus() else theme.border, 1))
        painter.setBrush(theme.hover if self.underMouse() else theme.surface)
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        paint_state(painter, QPointF(EDGE + SIZE / 2, self.height() / 2), self.state, theme)
        self._paint_words(painter, theme)

    def _paint_words(self, painter: QPainter, theme: Theme) -> None:
        left = EDGE + SIZE + SPACE_XS
        gates = f" ▲{self.gates}" if self.gates else ""
        body, small = font(BODY_PX, bold=self.marked), font(SMALL_PX)
        taken = QFontMetricsF(small).horizontalAdvance(gates)
        name = f"{int(self.number)} {text(f'ui.board.step.{int(self.number)}')}"
        room = self.width() - left - taken - 3
        shown = QFontMetricsF(body).elidedText(name, Qt.TextElideMode.ElideRight, room)
        for words, look, colour, at in (
            (shown, body, theme.accent if self.marked else theme.text, left),
            (gates, small, theme.warning, left + QFontMetricsF(body).horizontalAdvance(shown)),
        ):
            painter.setFont(look)
            painter.setPen(colour)
            painter.drawText(QRectF(at, 0, self.width() - at, self.height()), Qt.AlignmentFlag.AlignVCenter, words)


class StepStrip(QWidget):
    """Hidden while there is no iteration. The button at the end chooses which one is looked at."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._controller = CycleController.of(workspace)
        self._wanted = False
        self.steps = {number: StripStep(number) for number in StepNumber}
        self.which = QPushButton()
        self.which.setProperty("kind", "quiet")
        self._menu = QMenu(self.which)
        self._menu.aboutToShow.connect(self._list_iterations)
        self.which.setMenu(self._menu)
        self._line = row(*((step, 1) for step in self.steps.values()), self.which, spacing=SPACE_XS)
        self.setLayout(self._line)
        for number, step in self.steps.items():
            step.clicked.connect(lambda _on=False, number=number: go_to(workspace, number))
        self._controller.changed.connect(self.refresh)
        language().follow(self.refresh)

    def add_button(self, widget: QWidget) -> None:
        """What may be done on every page of the engagement, after the steps."""
        self._line.addWidget(widget)

    def set_wanted(self, wanted: bool) -> None:
        """Whether the page that is shown belongs to the engagement."""
        self._wanted = wanted
        self.refresh()

    def refresh(self, *_: object) -> None:
        from tunebench.reporting import cycle_words
        from tunebench.usecases.cycle.words import outcome_text

        standing = self._controller.standing
        iteration = standing.iteration if standing else None
        self.setVisible(self._wanted and iteration is not None)
        if standing is None or iteration is None:
            return
        is_open = iteration.outcome is Outcome.OPEN
        for step in standing.steps:
            marked = is_open and step.number is standing.next_action.step
            self.steps[step.number].show_state(
                step.state, cycle_words.word(step.state, language().code), step.gates, marked
            )
        self.which.setText(text("ui.strip.iteration", number=iteration.number))
        self.which.setToolTip(f"{iteration.title} – {outcome_text(standing, language().code)}")
        self.which.setAccessibleName(f"{self.which.text()} {iteration.title}")

    def _list_iterations(self) -> None:
        from tunebench.diagnosis.cycle.results import outcome_of
        from tunebench.reporting import cycle_words

        self._menu.clear()
        looked_at = self._controller.iteration
        for iteration in self._controller.book.iterations:
            outcome = cycle_words.word(outcome_of(self._controller.book, iteration), language().code)
            words = text("ui.board.where", number=iteration.number, title=iteration.title, outcome=outcome)
            action = self._menu.addAction(words.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(looked_at is not None and iteration.id == looked_at.id)
            action.triggered.connect(lambda _on=False, id_=iteration.id: self._controller.choose(id_))


class CycleHeader(QWidget):
    """Brings the command "add as evidence"; what would be pinned is what the page says (`Page.to_pin`). The strip
    stands in the line of the views, where the frame places it.

    `shown` gives the page that is shown where it is one of the engagement's.
    """

    def __init__(self, workspace: Workspace, shown: Callable[[], Page | None]) -> None:
        super().__init__()
        self._workspace, self._shown = workspace, shown
        self.strip = StepStrip(workspace)
        self.sheet = EvidenceSheet(workspace)
        self.setLayout(column(self.sheet, margins=(SPACE_M, 0, SPACE_M, 0)))
        command = Command("evidence.pin", "analyse", 8, ("Ctrl+E",), needs_writing=True, text_key="ui.pinned.command")
        action = workspace.commands.add(command, self.pin)
        self.strip.add_button(ActionButton(action, "pin"))
        workspace.pin_offered.connect(self._offer)
        command = Command("evidence.source", "analyse", 8, ("F4",), needs_project=True, text_key="ui.pinned.source")
        workspace.commands.add(command, self.show_source)

    def show_page(self) -> None:
        """Another page is shown: steps only where it is one of the engagement's."""
        self._show_strip()
        self.sheet.cancel()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_strip()

    def _show_strip(self) -> None:
        """The page is as wide as this header."""
        page = self._shown()
        self.strip.set_wanted(page is not None and not page.shows_steps(self.width()))

    def pin(self) -> None:
        self._offer(self._offered())

    def _offer(self, offered: Offer | None) -> None:
        if offered is not None:
            self.sheet.offer(offered)

    def show_source(self) -> None:
        """The line of the capture that what is chosen was read from."""
        offered = self._offered()
        if offered is not None:
            project, wanted = self._workspace.opened, [part.key for part in offered.parts[:1]]
            self._workspace.attempt(lambda: show_source(self._workspace, offered.targets(project, wanted)[0]))

    def _offered(self) -> Offer | None:
        page = self._shown()
        offered = page.to_pin() if page is not None else None
        if offered is None:
            self._workspace.say(text("ui.pinned.nothing"), "warning", Change.CYCLE)
        return offered
