"""Pages of a report in a text browser that fetches nothing; and lines of a capture as they stand there, one marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QUrl,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrame,
    QTextOption,
    QTextTable,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem, QTextBrowser

from tunebench.ui.look import fonts
from tunebench.ui.look.language import translated
from tunebench.ui.look.theme import current_theme

_CODE_PX = 12
_ROW_PX = 18
AnyIndex = QModelIndex | QPersistentModelIndex
_PAPER, _INK, _MARK = "#FFFFFF", "#000000", "#FFE08A"
"""A report is shown on paper in either theme: its own colours are made for that."""


class _Lines(QAbstractListModel):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.marked = 1, 0
        self.lines: Sequence[str] = ()

    def show(self, first: int, lines: Sequence[str], marked: int) -> None:
        self.beginResetModel()
        self.first, self.lines, self.marked = first, [line.expandtabs(8) for line in lines], marked
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        number = self.first + index.row()
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{number:>6}  {self.lines[index.row()]}"
        if role == Qt.ItemDataRole.BackgroundRole and number == self.marked:
            return current_theme().tint(current_theme().accent, 0.18)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.lines[index.row()]
        return None


class OriginalText(QListView):
    """Scrolls both ways; a line is never wrapped. Copying takes the chosen lines without their numbers."""

    def __init__(self) -> None:
        super().__init__(uniformItemSizes=True)
        self._lines = _Lines()
        self.setModel(self._lines)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setFont(fonts.code_font(_CODE_PX))
        translated(self, accessibleName="ui.evidence.lines")

    @property
    def marked(self) -> int:
        return self._lines.marked

    def show_lines(self, first: int, lines: Sequence[str], marked: int) -> None:
        self._lines.show(first, lines, marked)
        metrics = self.fontMetrics()
        longest = max(self._lines.lines, key=len, default="")
        width = metrics.horizontalAdvance(" " * 8 + longest) + 24
        self.setItemDelegate(_FixedSize(self, QSize(width, max(_ROW_PX, metrics.height()))))
        if marked >= first and marked - first < len(lines):
            index = self._lines.index(marked - first, 0)
            self.setCurrentIndex(index)
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def holds(self, line: int) -> bool:
        return self._lines.first <= line < self._lines.first + len(self._lines.lines)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            rows = sorted(index.row() for index in self.selectedIndexes())
            QGuiApplication.clipboard().setText("\n".join(self._lines.lines[row] for row in rows))
        else:
            super().keyPressEvent(event)


class _FixedSize(QStyledItemDelegate):
    """All rows as wide as the longest line, without measuring each."""

    def __init__(self, parent: QListView, size: QSize) -> None:
        super().__init__(parent)
        self._size = size

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]
        return self._size


class OriginalBrowser(QTextBrowser):
    """Signals:
    followed: the name of a place inside the report that a link leads to.
    refused: a link leads out of the report.
    """

    followed = Signal(str)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__(openLinks=False)
        self.asked: list[str] = []
        self.marked_cells: tuple[str, ...] = ()
        self._no_picture = QImage(1, 1, QImage.Format.Format_ARGB32)
        self._no_picture.fill(0)
        self.setUndoRedoEnabled(False)
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)  # a narrow table scrolls; its words are never cut
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.anchorClicked.connect(self._on_link)
        self._lay_paper()
        translated(self, accessibleName="ui.profile.original")

    def _lay_paper(self) -> None:
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(_PAPER))
        palette.setColor(QPalette.ColorRole.Text, QColor(_INK))
        self.setPalette(palette)
        self.setStyleSheet(f"QTextBrowser {{ background: {_PAPER}; color: {_INK}; }}")

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Pictures, style sheets, anything: refused, whether in the network or on this disk.

        Something is given instead: where a browser gives nothing, Qt looks for a file itself.
        """
        self.asked.append(QUrl(name).toString())
        return self._no_picture if kind == QTextDocument.ResourceType.ImageResource.value else QByteArray(b" ")

    def _on_link(self, url: QUrl) -> None:
        if url.fragment() and not url.host() and not url.path():
            self.followed.emit(url.fragment())
        else:
            self.refused.emit(url.toString())

    def show_page(self, html: str) -> None:
        self.marked_cells = ()
        self.setHtml(html)

    # --- marking
    def go(self, anchor: str, cells: Sequence[str] = ()) -> bool:
        """Scrolls to an anchor and marks the row with these cells below it; whether that row was found."""
        self.scrollToAnchor(anchor)
        self.marked_cells = ()
        wanted = tuple(_folded(cell) for cell in cells)
        match = self._row_of(wanted) if any(wanted) else None
        if match is not None:
            self._mark(*match)
            self.marked_cells = tuple(cells)
        return match is not None

    def _row_of(self, wanted: tuple[str, ...]) -> tuple[QTextTable, int] | None:
        """The first row with these cells from what is in sight on, else the first of the page."""
        top = self.cursorForPosition(QPoint(2, 2)).position() if self.verticalScrollBar().value() else 0
        above = None
        for table in self._tables():
            row = _row_in(table, wanted)
            if row is not None and table.lastPosition() >= top:
                return table, row
            above = (table, row) if above is None and row is not None else above
        return above

    def _tables(self) -> Iterator[QTextTable]:
        frames: list[QTextFrame] = [self.document().rootFrame()]
        while frames:
            frame = frames.pop(0)
            if isinstance(frame, QTextTable):
                yield frame
            frames = [*frame.childFrames(), *frames]

    def _mark(self, table: QTextTable, row: int) -> None:
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            style = QTextCharFormat(cell.format())
            style.setBackground(QColor(_MARK))
            cell.setFormat(style)
        cursor = table.cellAt(row, 0).firstCursorPosition()
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - self.viewport().height() // 3)
        self.horizontalScrollBar().setValue(0)


def _row_in(table: QTextTable, wanted: tuple[str, ...]) -> int | None:
    telling = max(range(len(wanted)), key=lambda column: len(wanted[column]))
    if table.columns() < len(wanted):
        return None
    filled = [column for column, words in enumerate(wanted) if words]
    for row in range(table.rows()):
        if _cell(table, row, telling) == wanted[telling] and all(
            _cell(table, row, column) == wanted[column] for column in filled
        ):
            return row
    return None


def _cell(table: QTextTable, row: int, column: int) -> str:
    cell = table.cellAt(row, column)
    cursor = cell.firstCursorPosition()
    cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
    return _folded(cursor.selectedText())


def _folded(words: str) -> str:
    return "".join(words.split())
