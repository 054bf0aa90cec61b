"""Left edge: six places, each button at the same pixel whatever page is shown; above the page the views of its place.

Each page is imported and made on first use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QTabBar, QToolButton, QWidget

from tunebench.core.records import record
from tunebench.ui.look.icons import icon
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ICON_SIZE, SPACE_XS, themes
from tunebench.ui.pages.base import Page
from tunebench.ui.settings import Settings
from tunebench.ui.widgets.parts import column
from tunebench.ui.workspace import Workspace

WIDTH, BUTTON_HEIGHT, TABS_HEIGHT = 76, 54, 30


@record
class PageEntry:
    """`tree`, `inspector` and `navigator` say whether these have anything to do with the page.

    `wide`: its charts or pages want the width; the panels at its sides stay folded on a small screen until they are
    asked for.
    """

    page_id: str
    module: str
    make: Callable[[Workspace], Page]
    tree: bool = True
    inspector: bool = True
    navigator: bool = True
    wide: bool = False


def _entry(
    page_id: str, name: str, tree: bool = True, inspector: bool = True, navigator: bool = True, wide: bool = False
) -> PageEntry:
    """The page of a class in `tunebench.ui.pages`, its module before it: ``board_page.BoardPage``."""
    file, _, page = name.partition(".")
    module = f"tunebench.ui.pages.{file}"

    def make(workspace: Workspace) -> Page:
        view: Page = getattr(import_module(module), page)(workspace)
        if page_id in PLACE_OF and view.heading is not None:
            view.heading.hide()  # its tab says it
        return view

    return PageEntry(page_id, module, make, tree, inspector, navigator, wide)


PAGES = (
    _entry("board", "board_page.BoardPage", inspector=False, navigator=False),
    _entry("engagement", "engagement_page.EngagementPage", inspector=False, navigator=False),
    _entry("collect", "capture_page.CapturePage", tree=False, inspector=False, navigator=False),
    _entry("captures", "captures_page.CapturesPage"),
    _entry("timeline", "timeline_page.TimelinePage", wide=True),
    _entry("compare", "compare_page.ComparePage", wide=True),
    _entry("statements", "statements_page.StatementsPage", tree=False, inspector=False, navigator=False),
    _entry("database", "profile_page.ProfilePage", tree=False, inspector=False),
    _entry("findings", "findings_page.FindingsPage", inspector=False, navigator=False),
    _entry("cycle", "cycle_page.CyclePage", inspector=False, navigator=False),
    _entry("tradeoffs", "tradeoff_page.TradeoffPage", inspector=False, navigator=False),
    _entry("capacity", "capacity_page.CapacityPage", tree=False, inspector=False, navigator=False),
    _entry("experiments", "experiments_page.ExperimentsPage", tree=False, inspector=False, navigator=False),
    _entry("report", "report_page.ReportPage", inspector=False, navigator=False, wide=True),
    _entry("reference", "reference_page.ReferencePage", tree=False, inspector=False, navigator=False),
)


ASIDE = {
    page_id: _entry(page_id, name)
    for page_id, name in (
        ("help", "help_page.HelpPage"),
        ("resolution", "resolution_page.ResolutionPage"),
        ("review", "review_page.ReviewPage"),
    )
}
"""Pages that no place has."""


@record
class Place:
    """A button of the rail, and the pages that are its views; the first one is shown where none was looked at yet."""

    place_id: str
    icon: str
    views: tuple[str, ...]
    title_key: str


PLACES = (
    Place("engagement", "engagement", ("engagement",), "ui.page.engagement"),
    Place("captures", "captures", ("captures", "collect"), "ui.page.captures"),
    Place("explore", "timeline", ("timeline", "statements", "database", "findings", "capacity"), "ui.place.explore"),
    Place("compare", "compare", ("compare",), "ui.page.compare"),
    Place("method", "cycle", ("board", "cycle", "tradeoffs", "experiments", "reference"), "ui.place.method"),
    Place("report", "report", ("report",), "ui.page.report"),
)
"""Whose engagement it is, what was captured, what it says, what has changed, what is done about it, what is handed
over."""
PLACE_OF = {page_id: place for place in PLACES for page_id in place.views}


class RailButton(QToolButton):
    """As high as the rail says, whatever the style sheet would make of it."""

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH - 1, BUTTON_HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class Rail(QFrame):
    """`chosen` carries the page that was looked at last in the place."""

    chosen = Signal(str)

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self.setObjectName("rail")
        self.setFixedWidth(WIDTH)
        self._group = QButtonGroup(self)
        self.buttons = {place.place_id: self._button(place) for place in PLACES}
        for number, rail_button in enumerate(self.buttons.values(), 1):
            QShortcut(QKeySequence(f"Ctrl+{number}"), self, rail_button.click)
        self.setLayout(column(*self.buttons.values(), 1, spacing=1, margins=(0, SPACE_XS, 0, SPACE_XS)))
        language().follow(self.retranslate)
        themes().follow(self.recolour)

    def _button(self, place: Place) -> RailButton:
        rail_button = RailButton()
        rail_button.clicked.connect(lambda _c=False: self.chosen.emit(self._last_view(place)))
        self._group.addButton(rail_button)
        return rail_button

    def _last_view(self, place: Place) -> str:
        last = self._settings.last_view(place.place_id)
        return last if last in place.views else place.views[0]

    def retranslate(self) -> None:
        """A tool tip has the key and lists the views."""
        for number, place in enumerate(PLACES, 1):
            rail_button, words = self.buttons[place.place_id], text(place.title_key)
            rail_button.setText(words)
            rail_button.setAccessibleName(words)
            heading = f"{words}  Ctrl+{number}"
            rail_button.setToolTip("\n".join((heading, *(text(f"ui.page.{view}") for view in place.views))))

    def recolour(self) -> None:
        for place in PLACES:
            self.buttons[place.place_id].setIcon(icon(place.icon))

    def show_page(self, page_id: str) -> None:
        """Marks the place of the page that is shown; none for welcome, help and settings."""
        if page_id in PLACE_OF:
            place_id = PLACE_OF[page_id].place_id
            self.buttons[place_id].setChecked(True)
            self._settings.keep_last_view(place_id, page_id)
            return
        self._group.setExclusive(False)
        for rail_button in self.buttons.values():
            rail_button.setChecked(False)
        self._group.setExclusive(True)


class ViewTabs(QTabBar):
    """The views of the place that is shown; their names are the titles of the pages. `chosen` carries a page id."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("viewtabs")
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setFixedHeight(TABS_HEIGHT)
        self._place: Place | None = None
        translated(self, accessibleName="ui.place.views")
        self.currentChanged.connect(self._choose)
        language().changed.connect(self._name)

    def _choose(self, at: int) -> None:
        if at >= 0:
            self.chosen.emit(self.tabData(at))

    def step(self, by: int, page: QWidget) -> None:
        """To the next view of the place; where it has but one, to the next of the tabs that `page` has."""
        own = [bar for bar in page.findChildren(QTabBar) if bar.isVisible()] if self.count() < 2 else [self]
        for bar in own[:1]:
            shown = [at for at in range(bar.count()) if bar.isTabVisible(at) and bar.isTabEnabled(at)]
            bar.setCurrentIndex(shown[(shown.index(bar.currentIndex()) + by) % len(shown)])

    def show_page(self, page_id: str) -> None:
        """Chooses the tab of the page; the bar is hidden for a page without a place."""
        place = PLACE_OF.get(page_id)
        self.setVisible(place is not None)
        if place is None:
            return
        self.blockSignals(True)
        if place is not self._place:
            self._fill(place)
        self.setCurrentIndex(place.views.index(page_id))
        self.updateGeometry()  # the chosen one is written bold
        self.blockSignals(False)

    def _fill(self, place: Place) -> None:
        self._place = place
        while self.count():
            self.removeTab(0)
        for view in place.views:
            self.setTabData(self.addTab(""), view)
        self._name()

    def _name(self) -> None:
        for at in range(self.count()):
            self.setTabText(at, text(f"ui.page.{self.tabData(at)}"))
