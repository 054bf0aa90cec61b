"""What is shown while no engagement is open: go on with a recent one, begin, or try."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QLabel

from tunebench.core.errors import UserError
from tunebench.ui.frame.new_engagement import NewEngagementForm
from tunebench.ui.look.icons import pixmap
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS, Theme, current_theme
from tunebench.ui.pages.base import Page
from tunebench.ui.settings import Recent, Settings
from tunebench.ui.widgets.drop_overlay import DropZone
from tunebench.ui.widgets.parts import (
    ClickableFrame,
    ElidedLabel,
    IconButton,
    button,
    caption,
    clear_layout,
    column,
    label,
    name_button,
    panel,
    row,
    scrolling,
)
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.domain.engagement import Engagement

WIDTH = 880


class RecentLine(ClickableFrame):
    """Customer and title (read from the project itself), file, last opened."""

    forgotten = Signal(object)

    def __init__(self, recent: Recent) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.recent = recent
        self._customer = ElidedLabel(recent.path.stem, "strong", Qt.TextElideMode.ElideRight)
        self._file = ElidedLabel(str(recent.path), "small")
        self._opened = label(_day(recent.opened_at), "small")
        self._forget = IconButton("close", lambda: self.forgotten.emit(recent.path))
        name_button(self._forget, text("ui.welcome.forget"))
        words = column(self._customer, self._file, spacing=2)
        row((words, 1), self._opened, self._forget, margins=(SPACE_M, SPACE_S, SPACE_S, SPACE_S), of=self)
        self.setAccessibleName(text("ui.welcome.open_recent", name=recent.path.stem))

    def show_engagement(self, engagement: Engagement) -> None:
        self._customer.set_words(" · ".join(w for w in (engagement.customer, engagement.title) if w))
        self.setAccessibleName(text("ui.welcome.open_recent", name=self._customer.words()))

    def show_problem(self, error: UserError) -> None:
        self._file.set_words(error_text(error))
        self._file.setProperty("tone", "warning")


class WelcomePage(Page):
    """Signals: `open_asked` (path), `new_asked` (NewEngagement, paths to import), `demo_asked`, `browse_asked`."""

    page_id = "welcome"
    title_key = "ui.page.welcome"
    icon = "engagement"

    open_asked = Signal(object)
    new_asked = Signal(object, object)
    demo_asked = Signal()
    browse_asked = Signal()

    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        super().__init__(workspace)
        self._settings = settings
        self._waiting: list[Path] = []
        self._make_parts()
        self._lay_out()
        settings.recents_changed.connect(self._on_recents)
        self.start()

    def _make_parts(self) -> None:
        self._mark = QLabel()
        self._new = translated(button(kind="primary", on_click=self.begin_new), "ui.welcome.new")
        self._open = translated(button(on_click=self.browse_asked.emit), "ui.welcome.open")
        self._demo = translated(button(on_click=self.demo_asked.emit), "ui.welcome.demo")
        self._drop = DropZone("ui.welcome.drop", self._ask_captures)
        self.form = NewEngagementForm(self._settings)
        self.form.submitted.connect(lambda new: self.new_asked.emit(new, list(self._waiting)))
        self.form.closed.connect(self.end_new)
        self._waiting_words = label(tone="accent", wrap=True)
        self._no_recent = translated(label(role="muted", wrap=True), "ui.welcome.no_recent")
        self._recents = column()

    def _lay_out(self) -> None:
        body = QFrame()
        body.setMaximumWidth(WIDTH)
        head = row(
            self._mark,
            (
                column(
                    label("TuneBench", "title"), caption("ui.welcome.promise", "muted", wrap=True), spacing=SPACE_XS
                ),
                1,
            ),
            spacing=SPACE_M,
        )
        head.setAlignment(self._mark, Qt.AlignmentFlag.AlignTop)
        buttons = self._new, self._open, self._demo
        for control in buttons:
            control.setMinimumHeight(32)
        self._drop.setMinimumHeight(120)
        self._start = panel(column(row(*buttons, 1), self._drop, spacing=SPACE_L, margins=(0, SPACE_S, 0, 0)))
        self.form.hide()
        self._waiting_words.hide()
        column(
            head,
            self._start,
            self._waiting_words,
            self.form,
            caption("ui.welcome.recent", "section"),
            self._no_recent,
            self._recents,
            1,
            spacing=SPACE_L,
            margins=(SPACE_XL, SPACE_XL),
            of=body,
        )
        scroll = scrolling(body)
        scroll.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column(scroll, of=self)

    def retranslate(self, code: str) -> None:
        self._name_waiting()
        self._on_recents()

    def apply_theme(self, theme: Theme) -> None:
        self._mark.setPixmap(pixmap("app", current_theme().accent, 44))

    def enter(self) -> None:
        self.refresh_recents()

    # --- recents
    def _on_recents(self) -> None:
        if self.isVisible():
            self.refresh_recents()

    def refresh_recents(self) -> None:
        clear_layout(self._recents)
        recents = self._settings.recents()
        self._no_recent.setVisible(not recents)
        for recent in recents:
            line = RecentLine(recent)
            line.clicked.connect(lambda path=recent.path: self.open_asked.emit(path))
            line.forgotten.connect(self._settings.remove_recent)
            self._recents.addWidget(line)
            self._peek(line)

    def _peek(self, line: RecentLine) -> None:
        """Read customer and title from the project, in the background: the settings hold only paths."""
        path = line.recent.path
        self.workspace.jobs.run(
            "cpu",
            lambda _handle: read_card(path),
            owner=line,
            slot="card",
            on_result=line.show_engagement,
            on_error=line.show_problem,
        )

    # --- new
    def begin_new(self, paths: list[Path] | None = None) -> None:
        self._waiting = list(paths or [])
        self._start.hide()
        self.form.show()
        self.form.begin()
        self._name_waiting()

    def end_new(self) -> None:
        self._waiting = []
        self.form.hide()
        self._start.show()
        self._name_waiting()

    def _name_waiting(self) -> None:
        self._waiting_words.setVisible(bool(self._waiting))
        names = ", ".join(path.name for path in self._waiting[:3])
        self._waiting_words.setText(text("ui.welcome.waiting", count=len(self._waiting), names=names))

    def _ask_captures(self) -> None:
        chosen, _ = QFileDialog.getOpenFileNames(self, text("ui.import.choose_files"))
        if chosen:
            self.begin_new([Path(p) for p in chosen])

    def show_drop(self, over: bool) -> None:
        self._drop.show_over(over)


def read_card(path: Path) -> Engagement:
    """The engagement of a project file that stays closed otherwise."""
    from tunebench.usecases import projects

    project = projects.open_(path, read_only=True)
    try:
        return projects.read_engagement(project)
    finally:
        projects.close(project)


def _day(iso: str) -> str:
    try:
        return datetime.fromisoformat(iso).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return ""
