"""Left edge: one button per page, icon over label, in groups.

The buttons share the height there is, down to the least that icon and label need; where even that is too little, the
rail scrolls and says so by an arrow at the end that hides something.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QScrollArea, QSizePolicy, QToolButton, QWidget

from app.ui.frame.page_list import BEGIN_GROUPS, KEYS, PageEntry
from app.ui.look.icons import icon
from app.ui.look.language import language, text, translated
from app.ui.look.theme import ICON_SIZE, ICON_SIZE_SMALL, SPACE_XS, themes
from app.ui.widgets.parts import column, line, restyle

WIDTH = 76
TALLEST, SMALLEST = 49, 37
"""Height of a button, pixels."""
ROOMY = 44
"""From this height on the icons have their full size."""
SPACING, LINE_SPACE, ARROW_HEIGHT = 1, 5, 20
STEP = 3


class RailButton(QToolButton):
    """As high as the rail says, whatever the style sheet would make of it."""

    def __init__(self) -> None:
        super().__init__()
        self._height = TALLEST
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 1, self._height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def set_height(self, height: int) -> None:
        size = ICON_SIZE if height >= ROOMY else ICON_SIZE_SMALL
        self._height = height
        self.setIconSize(QSize(size, size))
        dense = "true" if height < ROOMY else "false"
        if self.property("dense") != dense:
            self.setProperty("dense", dense)
            restyle(self)
        self.updateGeometry()


class Rail(QFrame):
    """`chosen` carries a page id."""

    chosen = Signal(str)

    def __init__(self, entries: Sequence[PageEntry]) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setFixedWidth(WIDTH)
        self._entries = entries
        self._group = QButtonGroup(self)
        self._lines = 0
        self.buttons: dict[str, RailButton] = {}
        self._lay_out()
        language().changed.connect(self.retranslate)
        themes().theme_changed.connect(self.recolour)
        self.retranslate()
        self.recolour()

    # --- building
    def _lay_out(self) -> None:
        self._inner = inner = QWidget()
        inner.setObjectName("railbuttons")
        inside = column(spacing=SPACING, margins=(0, SPACE_XS, 0, SPACE_XS))
        inner.setLayout(inside)
        for entry in self._entries:
            if entry.page_id in BEGIN_GROUPS and self.buttons:
                inside.addWidget(self._line())
            inside.addWidget(self._button(entry))
        inside.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(inner)
        self._scroll.verticalScrollBar().valueChanged.connect(self._show_arrows)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._show_arrows)
        self.up = translated(self._arrow(-1), accessibleName="ui.rail.up")
        self.down = translated(self._arrow(1), accessibleName="ui.rail.down")
        self.setLayout(column((self._scroll, 1)))

    def _line(self) -> QFrame:
        self._lines += 1
        holder = QFrame()
        holder.setFixedHeight(LINE_SPACE)
        holder.setLayout(column(line(), margins=(18, 0, 18, 0)))
        return holder

    def _button(self, entry: PageEntry) -> RailButton:
        made = RailButton()
        made.clicked.connect(lambda _c=False: self.chosen.emit(entry.page_id))
        self._group.addButton(made)
        self.buttons[entry.page_id] = made
        return made

    def _arrow(self, direction: int) -> QToolButton:
        made = QToolButton(self)
        made.setObjectName("railarrow")
        made.setArrowType(Qt.ArrowType.UpArrow if direction < 0 else Qt.ArrowType.DownArrow)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        made.setAutoRepeat(True)
        made.clicked.connect(lambda _c=False: self._scroll_by(direction))
        made.hide()
        return made

    # --- room
    def button_height(self, room: int) -> int:
        """What every button gets where the rail is `room` px high."""
        return max(SMALLEST, min(TALLEST, (room - self._taken()) // max(1, len(self.buttons))))

    def _taken(self) -> int:
        """Height of all that is no button."""
        return 2 * SPACE_XS + self._lines * (LINE_SPACE + SPACING) + SPACING * len(self.buttons)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        height = self.button_height(self.height())
        for made in self.buttons.values():
            made.set_height(height)
        self._inner.setMinimumHeight(self._taken() + height * len(self.buttons))
        self._show_arrows()

    def _scroll_by(self, direction: int) -> None:
        bar = self._scroll.verticalScrollBar()
        bar.setValue(bar.value() + direction * STEP * SMALLEST)

    def _show_arrows(self, *_: object) -> None:
        """An arrow lies over the end behind which there are more pages."""
        bar = self._scroll.verticalScrollBar()
        self.up.setGeometry(0, 0, WIDTH - 1, ARROW_HEIGHT)
        self.down.setGeometry(0, self.height() - ARROW_HEIGHT, WIDTH - 1, ARROW_HEIGHT)
        for arrow, more in ((self.up, bar.value() > bar.minimum()), (self.down, bar.value() < bar.maximum())):
            arrow.setVisible(more)
            arrow.raise_()

    # --- words and colours
    def retranslate(self) -> None:
        for entry in self._entries:
            made, words = self.buttons[entry.page_id], text(entry.title_key)
            made.setText(words)
            made.setAccessibleName(words)
            key = KEYS.get(entry.page_id, "")
            shown = QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) if key else ""
            made.setToolTip(f"{words}  {shown}" if shown else words)

    def recolour(self) -> None:
        for entry in self._entries:
            self.buttons[entry.page_id].setIcon(icon(entry.icon))

    def show_page(self, page_id: str) -> None:
        """Mark the page that is shown, and bring its button into view; none for welcome, help and settings."""
        if page_id in self.buttons:
            made = self.buttons[page_id]
            made.setChecked(True)
            top = made.mapTo(self._inner, QPoint(0, 0)).y()
            self._scroll.ensureVisible(0, top + made.height() // 2, 0, made.height() // 2 + ARROW_HEIGHT)
            return
        self._group.setExclusive(False)
        for made in self.buttons.values():
            made.setChecked(False)
        self._group.setExclusive(True)
