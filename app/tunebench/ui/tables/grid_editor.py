"""Typing in a cell: a text that may have several lines. Cells to and from a spreadsheet program: what looks like a
formula stays text on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QCompleter, QFrame, QPlainTextEdit, QWidget

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.tabbed_text import Rows, from_tabbed, to_html, to_tabbed
from tunebench.usecases.grid_cells import Typed

_FORMULA = lazy_pattern(r"'*[=+\-@\t]")
_MARKED = lazy_pattern(r"'+[=+\-@\t]")
_NUMBER = lazy_pattern(r"[+-]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")
LEAST_OFFER_WIDTH = 280

_CHOOSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
_NO_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_ALT, _SHIFT = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier


def for_spreadsheet(rows: Rows) -> tuple[str, str]:
    """(text, table). In the text a cell that would be computed has an apostrophe before it, as one would type it;
    the table says of every cell that it is text."""
    return to_tabbed([[_shielded(cell) for cell in row] for row in rows]), to_html(rows)


def _shielded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def from_spreadsheet(text: str, html: str = "") -> list[list[str]]:
    """The cells of what was copied; `html` is the same as a table, where the clipboard has it."""
    rows = _with_line_ends(from_tabbed(text), html)
    return [[cell[1:] if _MARKED.match(cell) else cell for cell in row] for row in rows]


def without_heading(rows: list[list[str]], headings: Sequence[Sequence[str]]) -> list[list[str]]:
    """Without a first row that repeats the headings of the columns it is pasted into; `headings` per language."""
    first = [cell.strip().casefold() for cell in rows[0]] if len(rows) > 1 else []
    same = any(first == [words.casefold() for words in heading] for heading in headings)
    return rows[1:] if first and same else rows


def placed(rows: Rows, top: int, left: int) -> list[Typed]:
    """The block with its upper left cell there."""
    return [Typed(top + down, left + across, cell) for down, row in enumerate(rows) for across, cell in enumerate(row)]


def filled(text: str, places: Sequence[tuple[int, int]]) -> list[Typed]:
    """One cell into every chosen place."""
    return [Typed(row, column, text) for row, column in places]


# --- the table flavour of the clipboard, for what its text flavour loses


def _with_line_ends(rows: list[list[str]], html: str) -> list[list[str]]:
    """`rows` as read from the text, with the line ends of the same cells in `html`.

    Some spreadsheet programs write a cell of several lines on one line of the text. Where table and text agree in all
    but white space, the line ends are those of the table; anything else is left to the text.
    """
    if "<table" not in html.lower():
        return rows
    reader = _TableReader()
    reader.feed(html)
    reader.close()
    table = reader.rows
    if [[_words(cell) for cell in row] for row in table] != [[_words(cell) for cell in row] for row in rows]:
        return rows
    return [
        [shown if "\n" in shown and "\n" not in plain else plain for plain, shown in zip(row, seen, strict=True)]
        for row, seen in zip(rows, table, strict=True)
    ]


def _words(cell: str) -> str:
    return " ".join(cell.split())


class _TableReader(HTMLParser):
    """The cells of the first table; ``<br>`` ends a line, other white space is one blank."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._end_cell()
            self.rows.append([])
        elif tag in ("td", "th"):
            self._end_cell()
            self._cell = []
        elif tag == "br" and self._cell is not None:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            blank = " " if data[:1].isspace() else ""
            self._cell.append(blank + " ".join(data.split()) + (" " if data[-1:].isspace() else ""))

    def _end_cell(self) -> None:
        if self._cell is not None and self.rows:
            lines = "".join(self._cell).split("\n")
            self.rows[-1].append("\n".join(_words(line) for line in lines).strip())
        self._cell = None


class CellText(QPlainTextEdit):
    """Enter ends it, Alt+Enter (or Shift+Enter) begins a line where the cell may have several.

    Signals:
        ended: where the cursor of the table goes: (rows, columns).
    """

    ended = Signal(int, int)

    def __init__(self, parent: QWidget, lines: bool, hint: str) -> None:
        super().__init__(parent)
        self._lines = lines
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines else _NO_BAR)
        self.setHorizontalScrollBarPolicy(_NO_BAR)
        if not lines:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText(hint)
        self.setToolTip(hint)
        self._offers: QCompleter | None = None

    def offer(self, words: Sequence[str]) -> None:
        """Names that a line may have; those that contain what is typed are listed below it."""
        self._offers = QCompleter(list(words), self)
        self._offers.setWidget(self)
        self._offers.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._offers.setFilterMode(Qt.MatchFlag.MatchContains)
        self._offers.activated.connect(self._take_offer)
        QTimer.singleShot(0, self, self._list_offers)
        self.textChanged.connect(self._list_offers)

    def _list_offers(self) -> None:
        offers, line = self._offers, self.textCursor().block().text().strip()
        if offers is None:
            return
        offers.setCompletionPrefix("" if self.textCursor().hasSelection() else line)
        count, popup = offers.completionCount(), offers.popup()
        if not count or (count == 1 and offers.currentCompletion() == line):
            if popup is not None:
                popup.hide()
            return
        below = self.cursorRect()
        below.setWidth(max(self.width(), LEAST_OFFER_WIDTH))
        offers.complete(below)

    def _take_offer(self, words: str) -> None:
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor if self._lines else QTextCursor.SelectionType.Document)
        first = not self._lines or cursor.block().blockNumber() == 0
        cursor.insertText(words if first else f"\n{words}")
        self.setTextCursor(cursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._offers.popup() if self._offers is not None else None
        if popup is not None and popup.isVisible() and event.key() in _CHOOSING and popup.currentIndex().isValid():
            event.ignore()  # the list takes it
            return
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._lines and modifiers in (_ALT, _SHIFT, _CONTROL):
                self.insertPlainText("\n")
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.ended.emit(-1 if modifiers == _SHIFT else 1, 0)
            case Qt.Key.Key_Tab:
                self.ended.emit(0, 1)
            case Qt.Key.Key_Backtab:
                self.ended.emit(0, -1)
            case _:
                super().keyPressEvent(event)

    def begin(self, words: str, replacing: bool) -> None:
        """`replacing`: what is typed next takes the place of the words."""
        self.setPlainText(words)
        if replacing:
            self.selectAll()
        else:
            self.moveCursor(QTextCursor.MoveOperation.End)
