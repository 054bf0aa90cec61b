"""What every page is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QSplitter, QStackedLayout, QWidget

from tunebench.ui.commands import Command
from tunebench.ui.look.language import language
from tunebench.ui.look.theme import SPACE_M, SPACE_S, Theme, current_theme, themes
from tunebench.ui.widgets.parts import EmptyState, Part, caption, column, panel
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tunebench.ui.widgets.drop_overlay import DropPlace
    from tunebench.usecases.cycle.pinning import Offer


ACCEPT = "accept"
"""Asks the review to take all proposals."""
CAPTURED = (Change.OPENED, Change.CLOSED, Change.CAPTURES, Change.RUNS, Change.ENGAGEMENT)
"""What changes the samples of a window, or whose they are."""


class Page(QWidget):
    """A view of a place of the rail. Made on first use; keeps its state when left.

    A subclass sets the three class attributes, builds its widgets in `__init__` (calling `super().__init__`
    first) and ends it with `self.start()`, which calls `retranslate` and `apply_theme` once; afterwards both come
    when language or theme are others than the page was last seen in. `project_changed` comes for hidden pages too:
    `outdate` there, and the work is done in `fill`, once, when the page is seen.
    """

    page_id: ClassVar[str] = ""
    title_key: ClassVar[str] = ""
    icon: ClassVar[str] = ""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent or workspace.stage)
        themes().dress(self)
        self.workspace = workspace
        self.outdated = True
        self._code = ""
        self._theme: Theme | None = None
        self.heading: QLabel | None = None
        self.setObjectName(f"page-{self.page_id}")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    def start(self) -> None:
        """Connect to the shared things; call it last in `__init__`."""
        language().changed.connect(self._renew_if_seen)
        themes().theme_changed.connect(self._renew_if_seen)
        self.workspace.project_changed.connect(self.project_changed)
        self._renew()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._renew()

    def _renew_if_seen(self, *_: object) -> None:
        if self.isVisible():
            self._renew()

    def _renew(self) -> None:
        """Words and colours of now, where those of the page are others."""
        code, theme = language().code, current_theme()
        if self._code != code:
            self._code = code
            self.retranslate(code)
        if self._theme is not theme:
            self._theme = theme
            self.apply_theme(theme)

    def title(self) -> QLabel:
        """Its heading, which the frame hides where a tab says the same."""
        self.heading = caption(self.title_key, "title")
        return self.heading

    def stack_parts(self, *parts: Part, empty: QWidget) -> QStackedLayout:
        """The page: these parts one below the other (place 0), or `empty` while there is nothing for them (1)."""
        layout = QStackedLayout(self)
        layout.addWidget(panel(column(*parts, margins=(SPACE_M, SPACE_S))))
        layout.addWidget(empty)
        return layout

    def add_commands(
        self, menu: str, group: int, texts: str, *commands: tuple[str, tuple[str, ...], Callable[[], object]]
    ) -> None:
        """Commands that work while this page is shown: name, shortcuts, act. Their words are ``<texts>.<name>``."""
        for name, shortcuts, act in commands:
            command = Command(
                f"{self.page_id}.{name}", menu, group, shortcuts, self.page_id, text_key=f"{texts}.{name}"
            )
            self.workspace.commands.add(command, act)

    def enter(self) -> None:
        """The page is now shown, with `project` open."""
        self.freshen()

    def fill(self) -> None:
        """Show the project as it is now."""

    def freshen(self) -> None:
        if self.outdated:
            self.outdated = False
            self.fill()

    def outdate(self) -> None:
        """What is shown is no longer so: it is filled anew when it is seen next, which may be now."""
        self.outdated = True
        if self.isVisible() and self.workspace.project is not None:
            self.enter()

    def show_argument(self, argument: object) -> None:
        """Called after `enter` when somebody asked for this page with something to show."""

    def captures_wanted(self, sentence_key: str) -> EmptyState:
        """What a page that lives from captures shows while there are none."""
        return EmptyState(
            self.icon,
            sentence_key,
            (
                ("ui.timeline.empty.import", lambda: self.workspace.ask_import()),
                ("ui.timeline.empty.captures", lambda: self.workspace.show_page("captures")),
            ),
        )

    def to_pin(self) -> Offer | None:
        """What "add as evidence" would pin now; None where nothing is chosen."""
        return None

    def drop_places(self, paths: Sequence[Path]) -> Sequence[DropPlace]:
        """Parts of the page that take these files themselves; anywhere else they are imported as captures."""
        return ()

    def panes(self) -> tuple[QWidget, ...]:
        """What F6 stops at, one after the other: the page, and each part that a border can be dragged beside."""
        splits = [split for split in self.findChildren(QSplitter) if split.isVisible()]
        return (self, *(part for split in splits for part in map(split.widget, range(split.count())) if part))

    def shows_steps(self, width: int) -> bool:
        """Whether a page of that width shows the seven steps itself: the strip above it would say them twice."""
        return False

    def leave(self) -> None:
        """The page is no longer shown."""

    def retranslate(self, language: str) -> None:
        """Set every text again."""

    def apply_theme(self, theme: Theme) -> None:
        """Colour anew what keeps a colour (items, style sheets of its own); whatever paints is painted anew anyway."""

    def project_changed(self, change: Change) -> None:
        """Another project, or something new in this one."""
