"""The six-step cycle: which iteration, its steps as cards, and the chosen step in full."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QResizeEvent

from tunebench.diagnosis.cycle.results import outcome_of
from tunebench.domain.cycle.records import Iteration, Outcome, StepNumber
from tunebench.reporting import cycle_words
from tunebench.ui.commands import Command
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.places import Place
from tunebench.ui.cycle.record_fields import Choice, Field, spec_of
from tunebench.ui.cycle.step_detail import StepDetail
from tunebench.ui.cycle.step_head import StepCards
from tunebench.ui.cycle.step_start import StartSheet
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.drop_overlay import DropPlace
from tunebench.ui.widgets.parts import EmptyState, button, column, panel, row, scrolling, stacked
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.edits import change_typed

CARDS_WIDTH = 292
ROOM_FOR_CARDS = 900


class CyclePage(Page):
    page_id = "cycle"
    title_key = "ui.page.cycle"
    icon = "cycle"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.controller = CycleController.of(workspace)
        self.iterations = translated(Choice(), accessibleName="ui.cycle.iteration")
        self.iterations.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        self.name = Field(spec_of(Iteration, "title"))
        self.name.show_name(False)
        self.new_button = translated(button(on_click=self.begin_new), "ui.cycle.new_iteration")
        self.cards = StepCards()
        self.detail = StepDetail(workspace)
        self.start_sheet = StartSheet(workspace)
        self.empty = EmptyState("cycle", "ui.cycle.empty", (("ui.cycle.new_iteration", self.begin_new),))
        self._chosen_in: int | None = None
        self._lay_out()
        self._connect()
        self._add_commands()
        self.start()

    def _lay_out(self) -> None:
        self._cards_area = scrolling(self.cards)
        self._cards_area.setFixedWidth(CARDS_WIDTH)
        self.body = panel(row(self._cards_area, (self.detail, 1), spacing=SPACE_M))
        self.stack = stacked(self.body, self.start_sheet, self.empty)
        self._top = panel(row(self.iterations, (self.name, 1), self.new_button))
        head = row(self.title(), (self._top, 1), spacing=SPACE_L)
        column(head, (self.stack, 1), spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)

    def _connect(self) -> None:
        self.controller.changed.connect(self.outdate)
        self.cards.chosen.connect(self.show_step)
        self.iterations.finished.connect(self._on_iteration)
        self.name.committed.connect(self._on_title)
        self.start_sheet.done.connect(self._end_start)

    def _add_commands(self) -> None:
        add = self.workspace.commands.add
        new = Command("steps.new_iteration", page_id="cycle", needs_writing=True, text_key="ui.cycle.new_iteration")
        add(new, self.begin_new)
        for by, key, name in ((1, "Ctrl+PgDown", "next_step"), (-1, "Ctrl+PgUp", "previous_step")):
            command = Command(
                f"steps.{name}", page_id="cycle", needs_project=True, shortcuts=(key,), text_key=f"ui.cycle.{name}"
            )
            add(command, lambda by=by: self._move(by))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hides the cards where there is no room: the strip above the page goes from step to step as well."""
        super().resizeEvent(event)
        self._cards_area.setVisible(self.shows_steps(self.width()))

    def drop_places(self, paths: Sequence[Path]) -> Sequence[DropPlace]:
        """Files laid beside the step."""
        iteration = self.controller.iteration
        if iteration is None or iteration.outcome is not Outcome.OPEN or self.stack.currentWidget() is not self.body:
            return ()
        step = text(f"cycle.step_number.{int(self.cards.number)}")
        words = text("ui.cycle.drop.attach", step=f"{int(self.cards.number)} {step}", n=len(paths))
        return (DropPlace(self.detail.attachments, words, self.detail.attachments.attach_all),)

    def shows_steps(self, width: int) -> bool:
        return width >= ROOM_FOR_CARDS

    # --- the page's life
    def leave(self) -> None:
        """What is being typed is kept."""
        self._keep_typed()

    def _keep_typed(self) -> None:
        """Stores what stands in a field that was not left yet, before the form shows another record."""
        for field in self.findChildren(Field):
            field.flush()

    def show_argument(self, argument: object) -> None:
        """A `Place`: a step, and the record in it to choose; a number is a step's."""
        if isinstance(argument, Place):
            self._end_start()
            self.show_step(argument.step)
            if argument.record_id is not None:
                self.detail.choose(argument.record_id)
        elif isinstance(argument, int) and 0 <= argument < len(StepNumber):
            self.show_step(StepNumber(argument))
        elif argument == "new":
            self.begin_new()

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._chosen_in = None
            self.stack.setCurrentWidget(self.body)
        elif change is Change.ENGAGEMENT:
            self.outdate()

    def retranslate(self, language: str) -> None:
        self.outdate()

    # --- showing
    def fill(self) -> None:
        iteration, standing = self.controller.iteration, self.controller.standing
        starting = self.stack.currentWidget() is self.start_sheet
        self._top.setVisible(iteration is not None)
        if iteration is None or standing is None:
            self.stack.setCurrentWidget(self.start_sheet if starting else self.empty)
            return
        if not starting:
            self.stack.setCurrentWidget(self.body)
        if self._chosen_in != iteration.id:
            self._chosen_in = iteration.id
            self.cards.number = standing.next_action.step
        self._show_top(iteration)
        self.cards.show_steps(standing.steps)
        self.detail.show_step(self.cards.number)

    def _show_top(self, iteration: Iteration) -> None:
        book, code = self.controller.book, language().code
        ended = {iteration.id: cycle_words.word(outcome_of(book, iteration), code) for iteration in book.iterations}
        self.iterations.fill(
            [
                (
                    str(iteration.id),
                    text("ui.cycle.iteration_item", number=iteration.number, outcome=ended[iteration.id]),
                )
                for iteration in book.iterations
            ]
        )
        self.iterations.write(str(iteration.id))
        editable = self.controller.writable and iteration.outcome is Outcome.OPEN
        self.name.show_text(iteration.title, iteration.id, editable)
        self.name.show_second(iteration, self.controller.second_language, editable)
        self.new_button.setEnabled(self.controller.writable)

    def show_step(self, number: StepNumber) -> None:
        self._keep_typed()
        self.cards.number = number
        if self.controller.iteration is not None:
            self._chosen_in = self.controller.iteration.id
        self.fill()

    # --- acting
    def _move(self, by: int) -> None:
        if 0 <= self.cards.number + by < len(StepNumber):
            self.show_step(StepNumber(self.cards.number + by))

    def _on_iteration(self) -> None:
        self._keep_typed()
        self.controller.choose(int(self.iterations.read()))

    def _on_title(self, path: str, typed: str) -> None:
        iteration = self.controller.iteration
        if iteration is not None:
            done = self.controller.attempt(lambda: change_typed(self.controller.book, iteration.id, {path: typed}))
            second = self.name.second
            field = second if second is not None and path == second.spec.path else self.name
            if done:
                field.kept(typed)
            field.mark(not done and not self.controller.is_typing)

    def begin_new(self) -> None:
        self.stack.setCurrentWidget(self.start_sheet)
        self.start_sheet.begin()

    def _end_start(self) -> None:
        if self.stack.currentWidget() is self.start_sheet:
            self.stack.setCurrentWidget(self.body)
        self.fill()
