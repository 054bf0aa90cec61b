"""Left edge: one button per page, icon over label, in groups. Each page is imported and made on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QScrollArea, QSizePolicy, QToolButton, QWidget

from app.ui.look.icons import icon
from app.ui.look.language import language, text, translated
from app.ui.look.theme import ICON_SIZE, ICON_SIZE_SMALL, SPACE_XS, themes
from app.ui.pages.base import Page
from app.ui.widgets.parts import column, line, restyle
from app.ui.workspace import Workspace

BEGIN_GROUPS = frozenset({"collect", "compare", "cycle", "report"})
"""Pages of the rail with a line above them: what is asked, what was captured, what it says, what is done about it, what
is handed over."""

KEYS = {
    "board": "Ctrl+1", "engagement": "Ctrl+2", "collect": "Ctrl+3", "captures": "Ctrl+4", "timeline": "Ctrl+5",
    "compare": "Ctrl+6", "statements": "Ctrl+7", "database": "Ctrl+8", "cycle": "Ctrl+9", "tradeoffs": "Ctrl+0",
    "findings": "Alt+1", "capacity": "Alt+2", "experiments": "Alt+3", "report": "Alt+4", "reference": "Alt+5",
}  # fmt: skip
"""A page keeps its key whatever pages come between."""

WIDTH = 76
TALLEST, SMALLEST = 49, 37
"""Height of a button, pixels."""
ROOMY = 44
"""From this height on the icons have their full size."""
SPACING, LINE_SPACE, ARROW_HEIGHT = 1, 5, 20
STEP = 3


@dataclass(frozen=True, slots=True)
class PageEntry:
    """`tree`, `inspector` and `navigator` say whether these have anything to do with the page."""

    page_id: str
    title_key: str
    icon: str
    make: Callable[[Workspace], Page]
    tree: bool = True
    inspector: bool = True
    navigator: bool = True


def _entry(page_id: str, name: str, tree: bool = True, inspector: bool = True, navigator: bool = True) -> PageEntry:
    """The page of a class in `app.ui.pages`, its module before it: ``board_page.BoardPage``."""
    module, _, page = name.partition(".")

    def make(workspace: Workspace) -> Page:
        made: Page = getattr(import_module(f"app.ui.pages.{module}"), page)(workspace)
        return made

    return PageEntry(page_id, f"ui.page.{page_id}", page_id, make, tree, inspector, navigator)


PAGES = (
    _entry("board", "board_page.BoardPage", inspector=False, navigator=False),
    _entry("engagement", "engagement_page.EngagementPage", navigator=False),
    _entry("collect", "capture_page.CapturePage", tree=False, inspector=False, navigator=False),
    _entry("captures", "captures_page.CapturesPage"),
    _entry("timeline", "timeline_page.TimelinePage"),
    _entry("compare", "compare_page.ComparePage"),
    _entry("statements", "statements_page.StatementsPage", tree=False, inspector=False, navigator=False),
    _entry("database", "profile_page.ProfilePage", tree=False, inspector=False),
    _entry("findings", "findings_page.FindingsPage", inspector=False, navigator=False),
    _entry("cycle", "cycle_page.CyclePage", inspector=False, navigator=False),
    _entry("tradeoffs", "tradeoff_page.TradeoffPage", inspector=False, navigator=False),
    _entry("capacity", "capacity_page.CapacityPage", tree=False, inspector=False, navigator=False),
    _entry("experiments", "experiments_page.ExperimentsPage", tree=False, inspector=False, navigator=False),
    _entry("report", "report_page.ReportPage", inspector=False, navigator=False),
    _entry("reference", "reference_page.ReferencePage", tree=False, inspector=False, navigator=False),
)


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
