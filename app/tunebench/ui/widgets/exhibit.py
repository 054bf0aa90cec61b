"""Charts and tables that can be taken away: copied as a picture, as vectors and as a table, saved, dragged out.

A picture is in the light theme, twice as fine as the screen, with its title and where it is from.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QMimeData, QObject, QPoint, QRectF, QSize, Qt, QUrl
from PySide6.QtGui import (
    QContextMenuEvent,
    QDrag,
    QGuiApplication,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QRegion,
)
from PySide6.QtWidgets import QFileDialog, QMenu, QTableView, QToolButton, QWidget

from tunebench.core.records import record
from tunebench.domain.tabbed_text import to_html, to_tabbed
from tunebench.ui.look.fonts import SECTION_PX, SMALL_PX
from tunebench.ui.look.icons import icon
from tunebench.ui.look.language import text
from tunebench.ui.look.painting import font_of, write
from tunebench.ui.look.theme import current_theme, themes

SCALE = 2
TITLE_PX, SOURCE_PX, MARGIN_PX = 30, 22, 12
ROW_PX, MOST_ROWS, MOST_COLUMN_PX = 20, 60, 260
GRIP_PX = 22
SVG_MIME = "image/svg+xml"
KINDS = ("png", "svg", "tsv")

Lines = Sequence[Sequence[str]]


@record
class Exhibit:
    """
    Attributes:
        title: what it shows.
        lines: its figures, the headings first.
        source: where these are from: windows, captures, the engagement.
    """

    title: str
    lines: Lines
    source: str = ""


def _name_around(shown: QWidget) -> str:
    around: QWidget | None = shown
    while around is not None and not around.accessibleName():
        around = around.parentWidget()
    return around.accessibleName() if around is not None else window_words(shown)


def window_words(shown: QWidget) -> str:
    """Whose figures they are."""
    return shown.window().windowTitle()


def spoken(shown: QWidget) -> Exhibit:
    """What a chart says to a screen reader: a line for each thing, its figures behind a colon."""
    name, described = shown.accessibleName(), shown.accessibleDescription()
    title, _, rest = name.partition(": ")
    lines = re.split(r"\n|; ", described or rest or name)
    return Exhibit(title or name, [line.split(": ", 1) for line in lines], window_words(shown))


class Exhibited(QObject):
    """Makes a chart or table one that can be taken away: Ctrl+C, its menu, and a grip that shows at its corner."""

    def __init__(
        self, shown: QWidget, exhibit: Callable[[], Exhibit] | None = None, link: Callable[[], str] | None = None
    ) -> None:
        """
        Args:
            exhibit: its figures; what it says to a screen reader where there are no others.
            link: leads back to it, where it has any.
        """
        super().__init__(shown)
        self._shown, self.link = shown, link
        self._read: Callable[[], Exhibit] = exhibit or (lambda: spoken(shown))
        self._grip = _Grip(self, shown)
        shown.installEventFilter(self)
        if isinstance(shown, QTableView):
            shown.viewport().installEventFilter(self)

    def exhibit(self) -> Exhibit:
        """Under the name of what it stands in, where it has none of its own."""
        read = self._read()
        return read if read.title else replace(read, title=_name_around(self._shown))

    @classmethod
    def of(cls, shown: QWidget) -> Exhibited | None:
        return shown.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._grip.setVisible(event.type() == QEvent.Type.Enter or self._grip.underMouse())
        elif event.type() == QEvent.Type.Resize:
            self._grip.move(self._shown.width() - GRIP_PX - 2, 2)
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.matches(QKeySequence.StandardKey.Copy) and not isinstance(self._shown, QTableView):
                self.copy()
                return True
        elif isinstance(event, QContextMenuEvent) and self._offers_menu():
            self.menu().popup(event.globalPos())
            return True
        return False

    def _offers_menu(self) -> bool:
        """Where the widget has a menu of its own, that one offers the copies too (`add_copies`)."""
        own = type(self._shown).contextMenuEvent is not QWidget.contextMenuEvent
        return not own and self._shown.contextMenuPolicy() == Qt.ContextMenuPolicy.DefaultContextMenu

    def menu(self) -> QMenu:
        menu = QMenu(self._shown)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill(menu)
        return menu

    def fill(self, menu: QMenu) -> None:
        for kind in KINDS:
            menu.addAction(text(f"ui.exhibit.copy.{kind}"), lambda one=kind: self.copy((one,)))
        if self.link is not None:
            menu.addAction(text("ui.exhibit.copy.link"), self._copy_link)
        menu.addAction(text("ui.exhibit.save"), self.save)

    # --- taking it away
    def picture(self) -> QImage:
        exhibit, size = self.exhibit(), self._size()
        image = QImage(size * SCALE, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(SCALE)
        with _light(self._shown):
            image.fill(current_theme().surface)
            painter = QPainter(image)
            self._paint(painter, exhibit, size)
            painter.end()
        return image

    def vectors(self) -> bytes:
        from PySide6.QtSvg import QSvgGenerator

        exhibit, size, written = self.exhibit(), self._size(), QBuffer()
        written.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(written)
        generator.setSize(size)
        generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
        generator.setTitle(exhibit.title)
        generator.setDescription(exhibit.source)
        with _light(self._shown):
            painter = QPainter(generator)
            self._paint(painter, exhibit, size)
            painter.end()
        return bytes(written.data().data())

    def copied(self, kinds: Sequence[str] = KINDS) -> QMimeData:
        """All asked for at once: whoever pastes takes what it knows."""
        exhibit, data = self.exhibit(), QMimeData()
        if "png" in kinds:
            data.setImageData(self.picture())
        if "svg" in kinds:
            data.setData(SVG_MIME, QByteArray(self.vectors()))
        if "tsv" in kinds:
            data.setText(to_tabbed(exhibit.lines))
            data.setHtml(to_html(exhibit.lines))
        return data

    def copy(self, kinds: Sequence[str] = KINDS) -> None:
        QGuiApplication.clipboard().setMimeData(self.copied(kinds))

    def _copy_link(self) -> None:
        if self.link is not None:
            QGuiApplication.clipboard().setText(self.link())

    def save(self) -> None:
        """As the kind of file that the name ends in."""
        filters = ";;".join(text(f"ui.exhibit.file.{kind}") for kind in KINDS)
        name, _ = QFileDialog.getSaveFileName(self._shown, text("ui.exhibit.save"), f"{self.file_stem()}.png", filters)
        if name:
            self.write(Path(name))

    def write(self, path: Path) -> None:
        if path.suffix == ".svg":
            path.write_bytes(self.vectors())
        elif path.suffix in (".tsv", ".txt"):
            path.write_text(to_tabbed(self.exhibit().lines), encoding="utf-8")
        else:
            self.picture().save(str(path.with_suffix(".png")))

    def file_stem(self) -> str:
        return re.sub(r"[^\w.-]+", "_", self.exhibit().title).strip("_")[:80] or "chart"

    def drag_out(self) -> None:
        """As a file that another program takes."""
        path = Path(tempfile.mkdtemp(prefix="tunebench-")) / f"{self.file_stem()}.png"
        self.write(path)
        drag, data = QDrag(self._shown), self.copied(("png", "tsv"))
        data.setUrls([QUrl.fromLocalFile(str(path))])
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)

    # --- painting
    def _size(self) -> QSize:
        shown = self._shown
        inner = _table_size(shown, self.exhibit().lines) if isinstance(shown, QTableView) else shown.size()
        return QSize(inner.width() + 2 * MARGIN_PX, inner.height() + TITLE_PX + SOURCE_PX)

    def _paint(self, painter: QPainter, exhibit: Exhibit, size: QSize) -> None:
        theme, width = current_theme(), size.width() - 2 * MARGIN_PX
        painter.setFont(font_of(self._shown, SECTION_PX, bold=True))
        title = painter.fontMetrics().elidedText(exhibit.title, Qt.TextElideMode.ElideRight, width)
        write(painter, QRectF(MARGIN_PX, 0, width, TITLE_PX), title, theme.text)
        painter.setFont(font_of(self._shown, SMALL_PX))
        source = painter.fontMetrics().elidedText(exhibit.source, Qt.TextElideMode.ElideRight, width)
        write(painter, QRectF(MARGIN_PX, size.height() - SOURCE_PX, width, SOURCE_PX), source, theme.muted)
        if isinstance(self._shown, QTableView):
            _paint_table(painter, self._shown, exhibit.lines)
        else:
            self._grip.hide()
            self._shown.render(painter, QPoint(MARGIN_PX, TITLE_PX), QRegion(), QWidget.RenderFlag.DrawChildren)


class _Grip(QToolButton):
    """A click opens the menu of copies, a drag takes the exhibit out as a file."""

    def __init__(self, owner: Exhibited, shown: QWidget) -> None:
        super().__init__(shown)
        self._owner = owner
        self._from: QPoint | None = None
        self.setFixedSize(GRIP_PX, GRIP_PX)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setProperty("kind", "icon")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.hide()

    def showEvent(self, _event: object) -> None:
        self.setIcon(icon("copy"))
        self.setToolTip(text("ui.exhibit.grip"))
        self.setAccessibleName(text("ui.exhibit.grip"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        moved = self._from is not None and (event.position().toPoint() - self._from).manhattanLength()
        if moved and moved >= QGuiApplication.styleHints().startDragDistance():
            self._from = None
            self._owner.drag_out()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._from is not None:
            self._owner.menu().popup(event.globalPosition().toPoint())
        self._from = None


def add_copies(menu: QMenu, shown: QWidget) -> None:
    """What the menu of a chart or table has beside its own."""
    exhibited = Exhibited.of(shown)
    if exhibited is not None:
        menu.addSeparator()
        exhibited.fill(menu)


@contextmanager
def _light(shown: QWidget) -> Iterator[None]:
    """What is painted by hand is painted light within it."""
    with themes().painted_light():
        _repaint_later(shown)
        yield
    _repaint_later(shown)


def _repaint_later(shown: QWidget) -> None:
    """Whoever keeps a picture of what it painted forgets it."""
    for widget in (shown, *shown.findChildren(QWidget)):
        QGuiApplication.sendEvent(widget, QEvent(QEvent.Type.PaletteChange))


def _table_size(view: QTableView, lines: Lines) -> QSize:
    return QSize(sum(_column_widths(view, lines)), ROW_PX * min(len(lines), MOST_ROWS + 1))


def _column_widths(view: QTableView, lines: Lines) -> list[int]:
    metrics = view.fontMetrics()
    shown = lines[: MOST_ROWS + 1]
    columns = range(max(map(len, shown), default=0))
    return [
        min(max(metrics.horizontalAdvance(line[at]) for line in shown if at < len(line)) + 16, MOST_COLUMN_PX)
        for at in columns
    ]


def _paint_table(painter: QPainter, view: QTableView, lines: Lines) -> None:
    theme, widths, metrics = current_theme(), _column_widths(view, lines), view.fontMetrics()
    for number, line in enumerate(lines[: MOST_ROWS + 1]):
        top, left = TITLE_PX + number * ROW_PX, MARGIN_PX
        painter.setFont(font_of(view, SMALL_PX, bold=number == 0))
        for words, width in zip(line, widths, strict=False):
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, width - 8)
            write(painter, QRectF(left, top, width - 8, ROW_PX), shown, theme.text)
            left += width
        painter.fillRect(MARGIN_PX, top + ROW_PX - 1, sum(widths), 1, theme.border)
