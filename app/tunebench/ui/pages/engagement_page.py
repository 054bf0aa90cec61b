"""The engagement: its facts and registers, its texts, its figures; the questionnaire."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QTabWidget

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES
from tunebench.ui.commands import Command
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.scope_exchange import SUFFIX, QuestionnaireExchange
from tunebench.ui.cycle.scope_model import REGISTERS
from tunebench.ui.cycle.scope_review import QuestionnaireReview
from tunebench.ui.cycle.scope_table import RegisterTable
from tunebench.ui.cycle.second_texts import SecondTexts
from tunebench.ui.look.formats import engagement_words
from tunebench.ui.look.language import text, translated, window_locale
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.pages.base import Page
from tunebench.ui.reports.details_form import DetailsForm
from tunebench.ui.reports.measurement_table import MeasurementTable
from tunebench.ui.reports.narrative_editor import NarrativeEditor
from tunebench.ui.widgets.drop_overlay import DropPlace
from tunebench.ui.widgets.parts import ElidedLabel, button, column, panel, row, stacked
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import Offer, of_measurement

if TYPE_CHECKING:
    from tunebench.usecases.cycle.questionnaire import Proposal

TABS = ("details", *(register.name for register in REGISTERS), "narrative", "measurements", "translations")
_CHAPTERS = {
    "issues": ("issues", "countermeasures"),
    "systems": ("issues", "grounds"),
    "terms": ("glossary",),
    "narrative": ("issues", "approach", "worsened"),
    "measurements": ("improvements", "entered", "achieved"),
}
"""Tab -> chapters of the report, the best first; the cover, or page one, for the others."""
_QUESTIONNAIRE = (*(f"export_{code}" for code in LANGUAGES), "import")


class EngagementPage(Page):
    page_id = "engagement"
    title_key = "ui.page.engagement"
    icon = "engagement"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._summary = ElidedLabel(role="muted")
        self._report = translated(button(on_click=self._to_report), "ui.engagement.to_report")
        self.details = DetailsForm(workspace)
        self.narrative = NarrativeEditor(workspace)
        self.measurements = MeasurementTable(workspace)
        self.translations = SecondTexts(workspace)
        self.registers = {register.name: RegisterTable(workspace, register) for register in REGISTERS}
        self.exchange = QuestionnaireExchange(workspace, self, self._review, self._review_refused)
        self.review = QuestionnaireReview(self._take, self.exchange.read, self._close_review)
        self.questionnaire = translated(button(), "ui.scope.questionnaire")
        self.questionnaire.setMenu(self._questionnaire_menu())
        self.tabs = QTabWidget()
        parts = (self.details, *self.registers.values(), self.narrative, self.measurements, self.translations)
        for part in parts:
            self.tabs.addTab(panel(column(part, margins=(0, SPACE_M, 0, 0))), "")
        self.body = stacked(self.tabs, self.review)
        self.tabs.currentChanged.connect(lambda _place: self.narrative.save_all())
        self._head = panel(row(self.title(), (self._summary, 1), self.questionnaire, self._report, spacing=SPACE_L))
        column(self._head, (self.body, 1), spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)
        CycleController.of(workspace).changed.connect(self._name_tabs)
        self.start()
        self._show_all()

    def enter(self) -> None:
        self._show_all()

    def leave(self) -> None:
        self.narrative.save_all()
        begun = [text(f"ui.engagement.tab.{name}") for name, table in self.registers.items() if table.model.has_draft()]
        if begun and self.workspace.project is not None:
            self.workspace.say(text("ui.scope.begun", tables=", ".join(begun)), "warning")

    def show_argument(self, argument: object) -> None:
        """The name of a tab; with the key of a figure to choose in it."""
        name, key = argument if isinstance(argument, tuple) else (argument, "")
        if name in TABS:
            self._close_review()
            self.tabs.setCurrentIndex(TABS.index(str(name)))
        if key and name == "measurements":
            self.measurements.choose(key)

    def drop_places(self, paths: Sequence[Path]) -> Sequence[DropPlace]:
        """A filled questionnaire, on the head of the page or on the one that is being looked at."""
        if len(paths) != 1 or paths[0].suffix.lower() != SUFFIX:
            return ()
        words = text("ui.scope.drop", name=paths[0].name)

        def read(dropped: Sequence[Path]) -> None:
            self.exchange.read(dropped[0])

        return tuple(DropPlace(part, words, read) for part in (self._head, self.review) if part.isVisible())

    def to_pin(self) -> Offer | None:
        """The figure that is chosen."""
        shown = TABS[self.tabs.currentIndex()]
        if shown == "measurements" and self.measurements.chosen is not None:
            return of_measurement(self.measurements.chosen, window_locale())
        return None

    def _to_report(self) -> None:
        """Shows where the report prints what the tab holds."""
        shown = TABS[self.tabs.currentIndex()]
        self.workspace.show_page("report", _CHAPTERS.get(shown, ("cover", "result")))

    def project_changed(self, change: Change) -> None:
        if self.workspace.overview is None:
            return
        if change is Change.OPENED:
            self._close_review()
            self.details.forget()
            for table in self.registers.values():
                table.forget()
            self._choose_language()
            self._show_all()
        elif change is Change.ENGAGEMENT:
            self._show_details()
            self._name_tabs()
            self.translations.reload()
        elif change is Change.NARRATIVE:
            self.narrative.reload()
        elif change is Change.MEASUREMENTS:
            self.measurements.reload()
        elif change in (Change.CAPTURES, Change.RUNS):
            self.registers["systems"].reload()

    def retranslate(self, code: str) -> None:
        self._name_tabs()

    def _name_tabs(self) -> None:
        for index, name in enumerate(TABS):
            count = self.registers[name].count() if name in self.registers else 0
            self.tabs.setTabText(index, f"{text(f'ui.engagement.tab.{name}')} {count or ''}".rstrip())
        has_two = bool(CycleController.of(self.workspace).second_language)
        self.tabs.setTabVisible(TABS.index("translations"), has_two)

    # --- the questionnaire
    def _questionnaire_menu(self) -> QMenu:
        menu = QMenu(self)
        for name in _QUESTIONNAIRE:
            command = Command(
                f"questionnaire.{name}",
                "file",
                1,
                page_id=self.page_id,
                needs_project=True,
                needs_writing=name == "import",
                text_key=f"ui.scope.command.{name}",
            )
            menu.addAction(self.workspace.commands.add(command, lambda name=name: self._exchange(name)))
        return menu

    def _exchange(self, name: str) -> None:
        if name == "import":
            self.exchange.ask_import()
        else:
            self.exchange.ask_export(name.removeprefix("export_"))

    def _review(self, proposal: Proposal) -> None:
        self.body.setCurrentWidget(self.review)
        self.review.show_proposal(proposal)

    def _review_refused(self, path: Path, refused: UserError) -> None:
        self.body.setCurrentWidget(self.review)
        self.review.show_refusal(path, refused)

    def _take(self, proposal: Proposal) -> None:
        if self.exchange.take(proposal):
            self._close_review()
            self.workspace.say_done(text("ui.scope.taken", name=proposal.path.name))

    def _close_review(self) -> None:
        if self.body.currentWidget() is self.review:
            self.body.setCurrentWidget(self.tabs)
            self.tabs.setFocus()

    def apply_theme(self, theme: object) -> None:
        self.review.retranslate()

    def _choose_language(self) -> None:
        overview = self.workspace.overview
        code = overview.engagement.language if overview else LANGUAGES[0]
        self.narrative.show_language(code if code in LANGUAGES else LANGUAGES[0])

    def _show_all(self) -> None:
        if self.workspace.overview is None:
            return
        self._show_details()
        if not self.narrative.language:
            self._choose_language()
        self.narrative.reload()
        self.measurements.reload()

    def _show_details(self) -> None:
        overview = self.workspace.overview
        assert overview is not None
        self.details.show_engagement(overview.engagement, self.workspace.writable)
        self._summary.set_words(engagement_words(overview.engagement))
