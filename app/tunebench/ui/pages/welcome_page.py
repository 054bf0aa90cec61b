"""What is shown while no engagement is open: try, compare two folders, begin, or go on with a recent one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QPushButton

from tunebench.core.errors import UserError
from tunebench.core.moments import local_minute
from tunebench.ui.frame.new_engagement import NewEngagementForm
from tunebench.ui.frame.tour_steps import STEPS
from tunebench.ui.look.language import error_text, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from tunebench.ui.pages.base import Page
from tunebench.ui.settings import Recent, Settings
from tunebench.ui.widgets.drop_overlay import DropZone
from tunebench.ui.widgets.parts import (
    ClickableFrame,
    ElidedLabel,
    IconButton,
    button,
    caption,
    card,
    clear_layout,
    column,
    label,
    name_button,
    panel,
    row,
    scrolling,
    set_tone,
)
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.usecases.importing.interrupted import Card

WIDTH = 1040
_STARTS = ("demo", "folder", "capture")


class RecentLine(ClickableFrame):
    """Customer and title (read from the project itself), file, an import that was cut off, last opened."""

    forgotten = Signal(object)

    def __init__(self, recent: Recent) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self.recent = recent
        self._customer = ElidedLabel(recent.path.stem, "strong", Qt.TextElideMode.ElideRight)
        self._file = ElidedLabel(str(recent.path), "small")
        self._opened = label(local_minute(recent.opened_at), "small")
        self._forget = IconButton("close", lambda: self.forgotten.emit(recent.path))
        name_button(self._forget, text("ui.welcome.forget"))
        words = (self._customer, 1), (self._file, 1)
        row(*words, self._opened, self._forget, margins=(SPACE_M, SPACE_S), of=self)
        self.setAccessibleName(text("ui.welcome.open_recent", name=recent.path.stem))

    def show_card(self, seen: Card) -> None:
        if seen.begun is not None:
            self._warn(text("ui.welcome.cut_off", arrived=seen.begun.arrived, files=seen.begun.files))
        self._customer.set_words(seen.title)
        self.setAccessibleName(text("ui.welcome.open_recent", name=seen.title))

    def show_problem(self, error: UserError) -> None:
        self._warn(error_text(error))

    def _warn(self, words: str) -> None:
        self._file.set_words(words)
        set_tone(self._file, "warning")


class WelcomePage(Page):
    """Signals: `open_asked` (path), `new_asked` (NewEngagement, paths to import), `paths_given` (as if dropped),
    `tour_asked`, `browse_asked`."""

    page_id = "welcome"
    title_key = "ui.page.welcome"
    icon = "engagement"

    open_asked = Signal(object)
    new_asked = Signal(object, object)
    paths_given = Signal(object)
    tour_asked = Signal()
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
        self._open = translated(button(kind="link", on_click=self.browse_asked.emit), "ui.welcome.open")
        acts = self.tour_asked.emit, self._ask_folder, self.begin_new
        self.starts = {
            name: translated(button(kind="" if index else "primary", on_click=act), f"ui.welcome.{name}.act")
            for index, (name, act) in enumerate(zip(_STARTS, acts, strict=True))
        }
        self.starts["demo"].setAutoDefault(True)  # the key Enter is all it takes
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
        head = column(
            caption("ui.welcome.heading", "title", wrap=True),
            caption("ui.welcome.promise", "muted", wrap=True),
            spacing=SPACE_XS,
        )
        cards = row(*((self._card(name, control), 1) for name, control in self.starts.items()), spacing=SPACE_M)
        self._start = panel(column(cards, self._drop, spacing=SPACE_M))
        self.form.hide()
        self._waiting_words.hide()
        column(
            head,
            self._start,
            self._waiting_words,
            self.form,
            row(caption("ui.welcome.recent", "section"), 1, self._open),
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

    @staticmethod
    def _card(name: str, control: QPushButton) -> QFrame:
        control.setMinimumHeight(32)
        words = caption(f"ui.welcome.{name}.title", "section"), caption(f"ui.welcome.{name}.about", "muted", wrap=True)
        return card(column(*words, 1, row(control, 1), margins=SPACE_L))

    def retranslate(self, code: str) -> None:
        self._name_waiting()
        self._name_tour()
        self._on_recents()

    def enter(self) -> None:
        self._name_tour()
        self.refresh_recents()
        if not self._settings.recents():
            self.starts["demo"].setFocus()

    def _name_tour(self) -> None:
        """Begins, or goes on at the step that was reached."""
        reached = self._settings.tour_step
        key = "ui.welcome.demo.resume" if reached > 1 else "ui.welcome.demo.act"
        self.starts["demo"].setText(text(key, step=reached, steps=len(STEPS)))

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
        from tunebench.usecases.importing import interrupted

        path = line.recent.path
        self.workspace.jobs.run(
            "cpu",
            lambda _handle: interrupted.read_card(path),
            owner=line,
            slot="card",
            on_result=line.show_card,
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

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, text("ui.import.choose_folder"))
        if chosen:
            self.paths_given.emit([Path(chosen)])

    def show_drop(self, over: bool) -> None:
        self._drop.show_over(over)
