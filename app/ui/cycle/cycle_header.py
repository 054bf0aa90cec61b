"""What of the cycle stands above every page: the steps, and the sheet that pins evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.commands import Command
from app.ui.cycle.evidence_sheet import EvidenceSheet
from app.ui.cycle.step_strip import StepStrip
from app.ui.look.language import text
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.parts import ActionButton

if TYPE_CHECKING:
    from app.ui.frame.main_window import MainWindow


class CycleHeader(QWidget):
    """Brings the command "add as evidence"; what would be pinned is what the page says (`Page.to_pin`)."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self._window, self._workspace = window, window.workspace
        self.strip = StepStrip(window.workspace)
        self.sheet = EvidenceSheet(window.workspace)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_M, SPACE_XS, SPACE_M, 0)
        column.setSpacing(SPACE_S)
        column.addWidget(self.strip)
        column.addWidget(self.sheet)
        command = Command("evidence.pin", "analyse", 8, ("Ctrl+E",), needs_writing=True, text_key="ui.pinned.command")
        action = window.workspace.commands.add(command, self.pin)
        self.strip.add_button(ActionButton(action, "pin"))

    def show_for(self, page_id: str) -> None:
        """Steps only where the page is one of the engagement's."""
        self._show_strip(page_id)
        self.sheet.cancel()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_strip(self._window.current_page)

    def _show_strip(self, page_id: str) -> None:
        """The page is as wide as this header."""
        of_engagement = page_id in self._window.page_ids
        self.strip.set_wanted(of_engagement and not self._window.page(page_id).shows_steps(self.width()))

    def pin(self) -> None:
        offered = self._window.page(self._window.current_page).to_pin()
        if offered is None:
            self._workspace.say(text("ui.pinned.nothing"), "warning")
        else:
            self.sheet.offer(offered)
