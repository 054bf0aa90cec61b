"""Every cell that kept a paste or a file from being taken in, each a way to the cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListWidget, QListWidgetItem

from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.tables.grid import GridView
from tunebench.ui.widgets.parts import IconButton, button, column, label, row
from tunebench.usecases.grid_cells import CellError

MOST_HEIGHT = 118


class ProblemCard(QFrame):
    """Hidden while there is nothing wrong.

    Signals:
        chosen: the `CellError` to go to.
        resized: it takes another height.
    """

    chosen = Signal(object)
    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._errors: list[CellError] = []
        self._sentences: list[str] = []
        self._head = label(role="strong", tone="critical", wrap=True)
        self._copy = translated(button(kind="quiet", on_click=self.copy), "ui.tradeoffs.problems.copy")
        self._close = IconButton("close", self.dismiss, key="ui.message.close")
        self.list = QListWidget()
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setWordWrap(True)
        self.list.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.list.setStyleSheet("QListView { border: none; } QListView::item { height: none; padding: 0 4px; }")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.itemActivated.connect(self._on_item)
        self.list.itemClicked.connect(self._on_item)
        head = row((self._head, 1), self._copy, self._close)
        self.setLayout(column(head, self.list, spacing=SPACE_XS, margins=(SPACE_M, SPACE_S, SPACE_S, SPACE_S)))
        self.hide()
        language().changed.connect(self.dismiss)

    def follow(self, grid: GridView, say: Callable[[str, str], object]) -> None:
        """Cells that `grid` refuses. One wrong cell is still open, and is spoken of in a message (`say`); of
        several there is a list."""

        def refuse(errors: Sequence[CellError]) -> None:
            self.dismiss()
            if len(errors) > 1:
                self.show_errors(errors)
            else:
                say(f"{errors[0].where}: {errors[0].sentence}", "warning")

        def go_to(error: CellError) -> None:
            index = grid.cells.index_of(error)
            if index.isValid():
                grid.setCurrentIndex(index)
                grid.setFocus()

        grid.cells.refused.connect(refuse)
        grid.given_up.connect(self.dismiss)
        self.chosen.connect(go_to)

    def show_errors(self, errors: Sequence[CellError]) -> None:
        """Cells of a table of the page."""
        self._errors = list(errors)
        words = text("ui.tradeoffs.problems.pasted", n=len(errors))
        self._show(words, [f"{error.where}: {error.sentence}" for error in errors])

    def show_sentences(self, head: str, sentences: Sequence[str]) -> None:
        """Cells of a file."""
        self._errors = []
        self._show(head, list(sentences))

    def _show(self, head: str, sentences: list[str]) -> None:
        self._sentences = sentences
        self._head.setText(head)
        self.list.clear()
        for sentence in sentences:
            item = QListWidgetItem(sentence)
            item.setToolTip(sentence)
            self.list.addItem(item)
        self.setAccessibleName(head)
        self.show()
        self._fit()

    def _fit(self) -> None:
        """As high as the sentences, up to a limit."""
        width, wanted = max(self.width() - 2 * SPACE_L - SPACE_M, 200), 0
        for at, sentence in enumerate(self._sentences[: self.list.count()]):
            room = QRect(0, 0, width, 1000)
            lines = self.list.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), sentence)
            self.list.item(at).setSizeHint(QSize(width, lines.height() + SPACE_XS))
            wanted += lines.height() + SPACE_XS
        self.list.setFixedHeight(min(wanted, MOST_HEIGHT) + SPACE_XS)
        self.resized.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def sentences(self) -> tuple[str, ...]:
        return () if self.isHidden() else tuple(self._sentences)

    def dismiss(self, *_: object) -> None:
        self._errors, self._sentences = [], []
        if not self.isHidden():
            self.hide()
            self.resized.emit()

    def copy(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._sentences))

    def _on_item(self, item: QListWidgetItem) -> None:
        at = self.list.row(item)
        if at < len(self._errors):
            self.chosen.emit(self._errors[at])
