"""What of the cycle stands above every page: the steps, and the sheet that pins evidence."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from app.ui.commands import Command
from app.ui.cycle.evidence_sheet import EvidenceSheet
from app.ui.cycle.step_strip import StepStrip
from app.ui.look.language import text
from app.ui.look.theme import SPACE_M, SPACE_XS
from app.ui.pages.base import Page
from app.ui.widgets.parts import ActionButton, column
from app.ui.workspace import Workspace


class CycleHeader(QWidget):
    """Brings the command "add as evidence"; what would be pinned is what the page says (`Page.to_pin`).

    `shown` gives the page that is shown where it is one of the engagement's.
    """

    def __init__(self, workspace: Workspace, shown: Callable[[], Page | None]) -> None:
        super().__init__()
        self._workspace, self._shown = workspace, shown
        self.strip = StepStrip(workspace)
        self.sheet = EvidenceSheet(workspace)
        self.setLayout(column(self.strip, self.sheet, margins=(SPACE_M, SPACE_XS, SPACE_M, 0)))
        command = Command("evidence.pin", "analyse", 8, ("Ctrl+E",), needs_writing=True, text_key="ui.pinned.command")
        action = workspace.commands.add(command, self.pin)
        self.strip.add_button(ActionButton(action, "pin"))

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
        page = self._shown()
        offered = page.to_pin() if page is not None else None
        if offered is None:
            self._workspace.say(text("ui.pinned.nothing"), "warning")
        else:
            self.sheet.offer(offered)
