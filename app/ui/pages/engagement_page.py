"""The engagement: its facts, its texts, its figures, its statements."""

from __future__ import annotations

from typing import Any, ClassVar

from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from app.core.messages import LANGUAGES
from app.ui.language import text
from app.ui.pages.base import Page
from app.ui.success_case.details_form import DetailsForm
from app.ui.success_case.measurement_table import MeasurementTable
from app.ui.success_case.narrative_editor import NarrativeEditor
from app.ui.success_case.statement_list import StatementList
from app.ui.theme import SPACE_L, SPACE_M
from app.ui.widgets.parts import ElidedLabel, button, label, row
from app.ui.workspace import Change, Workspace

TABS = ("details", "narrative", "measurements", "statements")


class EngagementPage(Page):
    page_id: ClassVar[str] = "engagement"
    title_key: ClassVar[str] = "ui.page.engagement"
    icon: ClassVar[str] = "engagement"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._title = label(role="title")
        self._summary = ElidedLabel(role="muted")
        self._report = button(on_click=lambda: workspace.show_page("report"))
        self.details = DetailsForm(workspace)
        self.narrative = NarrativeEditor(workspace)
        self.measurements = MeasurementTable(workspace)
        self.statements = StatementList(workspace)
        self.tabs = QTabWidget()
        for part in (self.details, self.narrative, self.measurements, self.statements):
            self.tabs.addTab(_padded(part), "")
        self.tabs.currentChanged.connect(lambda _place: self.narrative.save_all())
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_M, SPACE_L, SPACE_M)
        column.setSpacing(SPACE_M)
        head = row(self._title, self._summary, self._report, spacing=SPACE_L)
        head.setStretch(1, 1)
        column.addLayout(head)
        column.addWidget(self.tabs, 1)
        self.start()
        self._show_all()

    def enter(self, project: Any) -> None:
        self._show_all()

    def leave(self) -> None:
        self.narrative.save_all()

    def show_argument(self, argument: object) -> None:
        """The name of a tab."""
        if argument in TABS:
            self.tabs.setCurrentIndex(TABS.index(str(argument)))

    def project_changed(self, change: Change) -> None:
        if self.workspace.overview is None:
            return
        if change is Change.OPENED:
            self._choose_language()
            self._show_all()
        elif change is Change.ENGAGEMENT:
            self._show_details()
        elif change is Change.NARRATIVE:
            self.narrative.reload()
        elif change is Change.MEASUREMENTS:
            self.measurements.reload()
        elif change in (Change.STATEMENTS, Change.CAPTURES, Change.RUNS):
            self.statements.reload()

    def retranslate(self, code: str) -> None:
        self._title.setText(text("ui.page.engagement"))
        self._report.setText(text("ui.engagement.to_report"))
        for place, name in enumerate(TABS):
            self.tabs.setTabText(place, text(f"ui.engagement.tab.{name}"))
        self.details.retranslate()
        self.narrative.retranslate()
        self.measurements.retranslate()
        self.statements.retranslate()

    def apply_theme(self, theme: object) -> None:
        self.measurements.table.viewport().update()
        self.statements.table.viewport().update()

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
        self.statements.reload()

    def _show_details(self) -> None:
        overview = self.workspace.overview
        assert overview is not None
        self.details.show_engagement(overview.engagement, self.workspace.writable)
        self._summary.set_words(f"{overview.engagement.customer} · {overview.engagement.title}")


def _padded(part: QWidget) -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, SPACE_M, 0, 0)
    column.addWidget(part)
    return holder
