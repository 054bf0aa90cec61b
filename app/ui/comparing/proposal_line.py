"""What the captures suggest as windows, in one quiet line, where none was kept yet."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.domain.windows import Window
from app.ui.comparing.window_book import SIDES, WindowBook
from app.ui.look.language import text, translated
from app.ui.widgets.parts import ElidedLabel, button, row


class ProposalLine(QWidget):
    """Gone as soon as a window is kept.

    Args:
        of_import: it waits until it is `wanted`, and speaks of a before and an after only.
    """

    def __init__(self, book: WindowBook, of_import: bool = False) -> None:
        super().__init__()
        self._of_import, self.wanted = of_import, not of_import
        self._book = book
        self.found: tuple[Window, ...] = ()
        self.words = ElidedLabel(role="small", mode=Qt.TextElideMode.ElideRight)
        self.keep = translated(
            button(kind="link", on_click=lambda: self._book.keep_all(self.found)), "ui.window.proposed.keep"
        )
        row((self.words, 1), self.keep, of=self)
        self.hide()
        book.changed.connect(self.look)

    def look(self) -> None:
        """Asks again what there is to be kept."""
        if self.wanted:
            self._book.propose(self, self._show)
        else:
            self._show(())

    def _show(self, found: tuple[Window, ...]) -> None:
        told = not self._of_import or {each.role for each in found} >= set(SIDES.values())
        self.found = found if told else ()
        key = "ui.window.proposed.both" if self._of_import else "ui.window.proposed"
        self.words.set_words(text(key, names=", ".join(each.name for each in self.found)))
        self.setVisible(bool(self.found))
