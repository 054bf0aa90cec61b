"""Small parts that every page is made of, so that all pages look alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCompleter,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tunebench.ui.look.icons import icon, pixmap
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ICON_SIZE_SMALL, SPACE_L, SPACE_M, SPACE_S, SPACE_XS, current_theme, themes
from tunebench.ui.typing import never_stored

SENTENCE_WIDTH = 460
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""What stands in a row or column; an int is stretch: by itself, or of the part before it."""
Margins = int | tuple[int, int] | tuple[int, int, int, int]
"""Left, top, right, bottom; of two the first is across, the second down."""
Box = TypeVar("Box", bound=QBoxLayout)


def restyle(widget: QWidget) -> None:
    """Let the style sheet look again at the widget's properties."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def set_tone(widget: QWidget, tone: str, name: str = "tone") -> None:
    if widget.property(name) != tone:
        widget.setProperty(name, tone)
        restyle(widget)


def lock(field: QWidget, locked: bool, why: str = "ui.locked.tip") -> None:
    """Shows that nothing can be typed into `field`; its tool tip is the sentence `why`."""
    if bool(field.property("locked")) != locked:
        field.setProperty("locked", locked)
        restyle(field)
    field.setToolTip(text(why) if locked and why else "")


def label(words: str = "", role: str = "", tone: str = "", wrap: bool = False) -> QLabel:
    widget = QLabel(words)
    if role:
        widget.setProperty("role", role)
    if tone:
        widget.setProperty("tone", tone)
    widget.setWordWrap(wrap)
    widget.setTextFormat(Qt.TextFormat.PlainText)
    return widget


def caption(key: str, role: str = "small", tone: str = "", wrap: bool = False) -> QLabel:
    """Fixed words, in the language of the window."""
    return translated(label(role=role, tone=tone, wrap=wrap), key)


def selectable(widget: QLabel) -> QLabel:
    """Let the words of a label be copied."""
    widget.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return widget


def fit_words(widget: QLabel, most: int) -> None:
    """As wide as its words, at most so many pixels, and as high as they are then."""
    widget.setWordWrap(True)
    widget.ensurePolished()
    widget.setFixedWidth(min(most, widget.fontMetrics().horizontalAdvance(widget.text()) + SPACE_S))
    widget.setMinimumHeight(widget.heightForWidth(widget.width()))


def button(words: str = "", kind: str = "", on_click: Callable[[], object] | None = None) -> QPushButton:
    widget = QPushButton(words)
    if kind:
        widget.setProperty("kind", kind)
    widget.setAutoDefault(False)
    if on_click is not None:
        widget.clicked.connect(lambda _checked=False: on_click())
    return widget


def search_field(key: str, least: int = 0, most: int = 0) -> QLineEdit:
    """A field for words that narrow what is listed; its name and what it says while it is empty are `key`.

    `least`, `most`: its width in pixels, where it is held to one.
    """
    field = translated(QLineEdit(), placeholderText=key, accessibleName=key)
    field.setClearButtonEnabled(True)
    never_stored(field)
    if least:
        field.setMinimumWidth(least)
    if most:
        field.setMaximumWidth(most)
    return field


def completer(words: Sequence[str] | QAbstractItemModel, field: QObject) -> QCompleter:
    """Lists below `field`, which it is set to, those of the words that contain what is typed.

    The list is a window that nobody dresses: it has the palette. Were it made before it is needed, Qt would die where a
    box clears its own rows.
    """
    return QCompleter(
        words if isinstance(words, QAbstractItemModel) else list(words),
        field,
        filterMode=Qt.MatchFlag.MatchContains,
        caseSensitivity=Qt.CaseSensitivity.CaseInsensitive,
    )


def scrolling(
    inside: QWidget, sideways: bool = True, framed: bool = True, area: QScrollArea | None = None
) -> QScrollArea:
    """An area as wide as there is room, scrolled `sideways` where `inside` needs more; `area` is used where given."""
    area = area or QScrollArea()
    area.setWidgetResizable(True)
    if not sideways:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if not framed:
        area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(inside)
    return area


class IconButton(QToolButton):
    """A quiet 16 px button; its tool tip and its name are `key`, or what `name_button` says."""

    def __init__(self, drawing: str, on_click: Callable[[], object] | None = None, key: str = "") -> None:
        super().__init__()
        if key:
            translated(self, toolTip=key, accessibleName=key)
        self._drawing = drawing
        self.setProperty("kind", "icon")
        if on_click is not None:
            self.clicked.connect(lambda _checked=False: on_click())
        themes().follow(self.recolour)

    def recolour(self) -> None:
        self.setIcon(icon(self._drawing, ICON_SIZE_SMALL))


def name_button(widget: QToolButton, words: str) -> None:
    widget.setToolTip(words)
    widget.setAccessibleName(words)


class Card(QFrame):
    """A part of a page with an edge around it."""

    def __init__(self, inside: QLayout | None = None) -> None:
        super().__init__()
        self.setProperty("card", "true")
        if inside is not None:
            self.setLayout(inside)


def card(inside: QLayout | None = None) -> QFrame:
    return Card(inside)


def panel(inside: QLayout) -> QWidget:
    """A widget for what is shown, hidden or stacked together."""
    widget = QWidget()
    widget.setLayout(inside)
    return widget


def line() -> QFrame:
    frame = QFrame()
    frame.setProperty("line", "true")
    return frame


def row(*parts: Part, spacing: int = SPACE_S, margins: Margins = 0, of: QWidget | None = None) -> QHBoxLayout:
    """Parts side by side. `of`: the widget that they fill."""
    return _filled(QHBoxLayout() if of is None else QHBoxLayout(of), parts, spacing, margins)


def column(*parts: Part, spacing: int = SPACE_S, margins: Margins = 0, of: QWidget | None = None) -> QVBoxLayout:
    """Parts one below the other. `of`: the widget that they fill."""
    return _filled(QVBoxLayout() if of is None else QVBoxLayout(of), parts, spacing, margins)


def _filled(box: Box, parts: Sequence[Part], spacing: int, margins: Margins) -> Box:
    around = (margins, margins) if isinstance(margins, int) else margins
    box.setContentsMargins(*(*around, *around)[:4])
    box.setSpacing(spacing)
    for entry in parts:
        part, stretch = entry if isinstance(entry, tuple) else (entry, 0)
        if isinstance(part, int):
            box.addStretch(part)
        elif isinstance(part, QLayout):
            box.addLayout(part, stretch)
        else:
            box.addWidget(part, stretch)
    return box


def clear_layout(layout: QLayout) -> None:
    """The widgets that stand in it go for good, those of the rows within it too."""
    while (item := layout.takeAt(0)) is not None:
        if (inner := item.layout()) is not None:
            clear_layout(inner)
        elif (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()


def stacked(*parts: QWidget) -> QStackedWidget:
    """A stack of which one part is seen at a time."""
    stack = QStackedWidget()
    for part in parts:
        stack.addWidget(part)
    return stack


def splitter(
    *parts: QWidget, down: bool = False, handle: int = SPACE_S, shares: Sequence[int] = (), sizes: Sequence[int] = ()
) -> QSplitter:
    """Parts with a border to drag between them, none of which can be folded away.

    Args:
        shares: of the room that comes or goes.
        sizes: to begin with.
    """
    orientation = Qt.Orientation.Vertical if down else Qt.Orientation.Horizontal
    split = QSplitter(orientation, childrenCollapsible=False, handleWidth=handle)
    for part in parts:
        split.addWidget(part)
    for index, share in enumerate(shares):
        split.setStretchFactor(index, share)
    if sizes:
        split.setSizes(list(sizes))
    split.setProperty("plain", "true")
    return split


def tab_bar(*names: str) -> QTabBar:
    """Tabs as wide as their words, each with its name as data."""
    tabs = QTabBar(expanding=False, drawBase=False)
    for name in names:
        tabs.setTabData(tabs.addTab(""), name)
    return tabs


def show_tab(tabs: QTabBar, index: int, wanted: bool) -> None:
    """Or hide it. Said of another tab where nothing changes, Qt forgets to lay out the one that has just come."""
    if tabs.isTabVisible(index) != wanted:
        tabs.setTabVisible(index, wanted)


class ElidedLabel(QLabel):
    """A line that gives way: shortened in the middle, whole in the tool tip."""

    def __init__(self, words: str = "", role: str = "", mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle) -> None:
        super().__init__()
        self._words = words
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.set_words(words)

    def set_words(self, words: str) -> None:
        self._words = words
        self._shorten()

    def words(self) -> str:
        return self._words

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        shown = self.fontMetrics().elidedText(self._words, self._mode, max(self.width(), 24))
        self.setText(shown)
        self.setToolTip(self._words if shown != self._words else "")


class ElidedLink(QPushButton):
    """A link that gives way: shortened at its end, whole in the tool tip."""

    def __init__(self, on_click: Callable[[], object]) -> None:
        super().__init__()
        self._words = ""
        self.setProperty("kind", "link")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda _checked=False: on_click())

    def set_words(self, words: str) -> None:
        self._words = words
        self.setAccessibleName(words)
        self.setToolTip(words)
        self._shorten()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._shorten()

    def _shorten(self) -> None:
        room = max(self.width() - SPACE_S // 2, 24)
        shown = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))


class ClickableFrame(QFrame):
    """A card that is one button, for keyboard and mouse alike."""

    clicked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)


class EmptyState(QWidget):
    """What belongs here, in one sentence, and the likely next actions."""

    def __init__(
        self,
        drawing: str,
        sentence_key: str,
        actions: Sequence[tuple[str, Callable[[], object]]] = (),
        width: int = SENTENCE_WIDTH,
    ) -> None:
        super().__init__()
        self._drawing, self._sentence_key, self._width = drawing, sentence_key, width
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._sentence = label(role="muted", wrap=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._buttons = [(key, button("", "primary" if i == 0 else "", act)) for i, (key, act) in enumerate(actions)]
        self._lay_out()
        for key, control in self._buttons:
            translated(control, key)
        language().follow(self.retranslate)
        themes().follow(self.recolour)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        column.setSpacing(SPACE_M)
        column.addStretch(2)
        column.addWidget(self._picture)
        column.addWidget(self._sentence, 0, Qt.AlignmentFlag.AlignHCenter)
        if self._buttons:
            column.addLayout(row(1, *(b for _, b in self._buttons), 1))
        column.addStretch(3)

    def retranslate(self) -> None:
        self.say(text(self._sentence_key))

    def say(self, sentence: str) -> None:
        """Instead of its own sentence, until the language changes."""
        self._sentence.setText(sentence)
        fit_words(self._sentence, self._width)

    def recolour(self) -> None:
        self._picture.setPixmap(pixmap(self._drawing, current_theme().muted, 32))


class ActionButton(QToolButton):
    """A quiet tool button for a registered command."""

    def __init__(self, action: QAction, drawing: str) -> None:
        super().__init__()
        self._drawing = drawing
        self.setProperty("kind", "quiet")
        self.setDefaultAction(action)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        action.setIconVisibleInMenu(False)
        action.changed.connect(self._name)
        self._name()
        themes().follow(self.recolour)

    def _name(self) -> None:
        self.setAccessibleName(self.defaultAction().text())

    def recolour(self) -> None:
        self.defaultAction().setIcon(icon(self._drawing, ICON_SIZE_SMALL))


class FactTable(QWidget):
    """Muted name left, value right (or left-aligned where values are long)."""

    def __init__(self, right: bool = True) -> None:
        super().__init__()
        self._right = right
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_M)
        self._grid.setVerticalSpacing(SPACE_XS)
        self._grid.setColumnStretch(1, 1)
        self._rows = 0

    def add(self, name: str, value: str, tone: str = "", tip: str = "", elide: bool = False) -> QLabel:
        shown: QLabel = ElidedLabel(value) if elide else selectable(label(value, wrap=True))
        if tone:
            set_tone(shown, tone)
        if tip:
            shown.setToolTip(tip)
        side = Qt.AlignmentFlag.AlignRight if self._right else Qt.AlignmentFlag.AlignLeft
        shown.setAlignment(side | Qt.AlignmentFlag.AlignTop)
        shown.setAccessibleName(f"{name}: {value}")
        named = label(name, "small")
        named.setContentsMargins(0, 2, 0, 0)
        self._grid.addWidget(named, self._rows, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(shown, self._rows, 1)
        self._rows += 1
        return shown

    def add_widget(self, name: str, widget: QWidget) -> None:
        self._grid.addWidget(label(name, "small"), self._rows, 0, Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(widget, self._rows, 1)
        self._rows += 1


def fact_table(*rows: tuple[str, str] | tuple[str, str, str]) -> FactTable:
    """A table of long values: (name, value, tone)."""
    table = FactTable(right=False)
    for name, value, *tone in rows:
        table.add(name, value, "".join(tone))
    return table
