"""An entry of the reference, as it is read."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent, QTextCursor
from PySide6.QtWidgets import QTextBrowser

from app.domain.reference import Entry
from app.ui.look import fonts
from app.ui.look.theme import current_theme
from app.ui.reference.entry_html import html_of, style_of

MARGIN, LONGEST_LINE, BODY_PX = 18, 900, 14


class EntryView(QTextBrowser):
    """Lines no longer than one reads with ease, however wide the window is."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setLineWrapMode(QTextBrowser.LineWrapMode.FixedPixelWidth)

    def show_entry(self, entry: Entry) -> None:
        document = self.document()
        document.setDefaultFont(fonts.font(BODY_PX))
        document.setDocumentMargin(MARGIN)
        document.setDefaultStyleSheet(style_of(current_theme()))
        document.setHtml(html_of(entry))
        self._show_beginning()

    def _show_beginning(self) -> None:
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        at_beginning = self.verticalScrollBar().value() == 0
        super().resizeEvent(event)
        self.setLineWrapColumnOrWidth(min(self.viewport().width(), LONGEST_LINE))
        if at_beginning:
            self._show_beginning()
