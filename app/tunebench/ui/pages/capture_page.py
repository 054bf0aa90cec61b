"""Capture from hosts over SSH: plan and approval, the running capture, what was captured and its audit trail."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Qt

from tunebench.core.errors import UserError
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.domain.connection import HostProfile
from tunebench.ui.capturing.audit_view import AuditView
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.capturing.live_view import LiveView
from tunebench.ui.capturing.plan_tab import PlanTab
from tunebench.ui.capturing.question_controller import QuestionController
from tunebench.ui.commands import Command
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, Theme
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.parts import ElidedLabel, column, row, stacked, tab_bar
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.projects import Project

TABS = ("plan", "live", "sessions")


class CapturePage(Page):
    page_id = "collect"
    title_key = "ui.page.collect"
    icon = "collect"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._begun: object = None
        self._offers_awaited = False
        self.controller = CaptureController.of(workspace)
        self._summary = ElidedLabel(role="muted", mode=Qt.TextElideMode.ElideRight)
        self._summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.plan = PlanTab(workspace, self.controller)
        self.tabs = translated(
            tab_bar(*TABS), tabText=[f"ui.capture.tab.{name}" for name in TABS], accessibleName="ui.page.collect"
        )
        self.parts = stacked(self.plan)
        self.tabs.currentChanged.connect(self._show_tab)
        head = row(self.title(), self.tabs, (self._summary, 1), spacing=SPACE_L)
        column(head, (self.parts, 1), spacing=SPACE_M, margins=(SPACE_L, SPACE_S, SPACE_L, SPACE_M), of=self)
        self.questions: QuestionController | None = None
        self.plan.start_asked.connect(self._start)
        self.plan.key_refused.connect(self._refuse_key)
        self.controller.unfinished.changed.connect(self._show_offers)
        self._add_commands()
        self.start()

    @cached_property
    def live(self) -> LiveView:
        return LiveView(self.workspace, self.controller)

    @cached_property
    def audit(self) -> AuditView:
        return AuditView(self.workspace)

    def _show_tab(self, index: int) -> None:
        """What runs and what was captured are made when they are first looked at."""
        part = self.live if TABS[index] == "live" else self.audit if TABS[index] == "sessions" else self.plan
        if self.parts.indexOf(part) < 0:
            self.parts.addWidget(part)
        self.parts.setCurrentWidget(part)

    def _add_commands(self) -> None:
        commands = self.workspace.commands
        for name, shortcuts, handler in (
            ("add_host", ("Ctrl+Shift+H",), self._add_host),
            ("test_host", (), self._test_host),
            ("plan", (), lambda: self.show_argument("plan")),
            ("live", (), lambda: self.show_argument("live")),
            ("sessions", (), lambda: self.show_argument("sessions")),
        ):
            command = Command(
                f"collect.{name}",
                "capture",
                2,
                shortcuts,
                page_id="collect",
                needs_project=True,
                needs_writing=name.endswith("host"),
                text_key=f"ui.capture.command.{name}",
            )
            commands.add(command, handler)

    # --- page
    def enter(self) -> None:
        if self.questions is None:
            self.questions = QuestionController(self.controller.board, self.window())
        self._begin(self.workspace.opened)

    def show_argument(self, argument: object) -> None:
        """The name of a tab, or a plan that is kept."""
        if isinstance(argument, CapturePlan):
            self.tabs.setCurrentIndex(TABS.index("plan"))
            self.plan.show_kept(argument)
        elif argument in TABS:
            self.tabs.setCurrentIndex(TABS.index(str(argument)))

    def project_changed(self, change: Change) -> None:
        if change is Change.CLOSED:
            self._begun = None
        elif change is Change.OPENED and self.isVisible():
            self._begin(self.workspace.opened)

    def retranslate(self, code: str) -> None:
        self._summary.set_words(text("ui.capture.summary"))
        self.plan.retranslate()

    def apply_theme(self, theme: Theme) -> None:
        self.plan.apply_theme()

    def _begin(self, project: Project) -> None:
        """Another engagement than the one shown last."""
        if project is not self._begun:
            self._begun = project
            self._offers_awaited = True
            self.plan.begin()
            self.tabs.setCurrentIndex(0)
            self._show_offers()

    def _show_offers(self) -> None:
        """What an interruption left behind comes first, once."""
        if self._offers_awaited and self.controller.unfinished.sessions:
            self._offers_awaited = False
            self.show_argument("live")

    # --- actions
    def _add_host(self) -> None:
        self.show_argument("plan")
        self.plan.add_host()

    def _test_host(self) -> None:
        self.show_argument("plan")
        self.plan.test_host()

    def _start(self, plan: CapturePlan) -> None:
        if self.workspace.attempt(lambda: self.controller.start(plan.digest, plan.run)):
            self.show_argument("live")

    def _refuse_key(self, profile: HostProfile, error: UserError) -> None:
        if self.questions is not None:
            self.questions.refuse_key(profile, error)
