"""The frame: menu, rail, project tree, page, inspector, navigator, status bar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QIcon, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QPushButton, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from app.core.paths import resources_folder
from app.ui.cycle.cycle_header import CycleHeader
from app.ui.frame.frame_commands import FrameCommands
from app.ui.frame.inspector import Inspector
from app.ui.frame.menus import MenuBuilder
from app.ui.frame.message_bar import MessageBar
from app.ui.frame.new_engagement import SUFFIX, NewEngagement
from app.ui.frame.page_list import PAGES, PageEntry
from app.ui.frame.palette import Found, Palette
from app.ui.frame.project_desk import ProjectDesk
from app.ui.frame.project_tree import ProjectTree
from app.ui.frame.rail import Rail
from app.ui.frame.status_bar import StatusBar
from app.ui.look.language import language, text
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.pages.base import Page
from app.ui.pages.welcome_page import WelcomePage
from app.ui.settings import Settings
from app.ui.widgets.drop_overlay import DropOverlay, DropPlace
from app.ui.widgets.drop_zone import dropped_paths
from app.ui.widgets.parts import ActionButton, restyle
from app.ui.widgets.read_only_banner import ReadOnlyBanner
from app.ui.workspace import Change, Workspace

SMALLEST = (1024, 640)
FIRST_SIZE, TITLE_BAR = (1600, 960), 40
SIDE_SIZES = (214, 888, 258)


class MainWindow(QMainWindow):
    def __init__(self, workspace: Workspace, settings: Settings, pages: Sequence[PageEntry] = PAGES) -> None:
        super().__init__()
        self.workspace, self.settings = workspace, settings
        self._entries = {entry.page_id: entry for entry in pages}
        self._pages: dict[str, Page] = {}
        self._current = ""
        self._previous = ""
        self._navigator: QWidget | None = None
        self.desk = ProjectDesk(workspace, settings, self)
        self.setWindowIcon(QIcon(str(resources_folder() / "icons" / "app.svg")))
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        self.commands = FrameCommands(self)
        self._make_parts()
        self._lay_out()
        self.menus = MenuBuilder(self.menuBar(), workspace.commands)
        self._connect()
        self._restore_layout()
        self.retranslate()
        self.show_page("welcome")
        self._on_change(Change.CLOSED)

    def _make_parts(self) -> None:
        self.rail = Rail(list(self._entries.values()))
        self.tree = ProjectTree(self.workspace)
        self.inspector = Inspector(self.workspace)
        self.messages = MessageBar()
        self.banner = ReadOnlyBanner(self.workspace)
        self.cycle_header = CycleHeader(self)
        self.stack = QStackedWidget()
        self.palette_box = Palette(self.workspace, self, self._recent_projects)
        self.status = StatusBar(self.workspace)
        self.setStatusBar(self.status)
        self._search = QPushButton()
        self._search.setObjectName("searchbutton")
        self._search.setMinimumWidth(270)
        self._search.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._search.clicked.connect(self.palette_box.open)
        self.overlay = DropOverlay(self, self.take_dropped)
        self.welcome = WelcomePage(self.workspace, self.settings)
        self._add_page("welcome", self.welcome)

    def _lay_out(self) -> None:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        notices = QVBoxLayout()
        notices.setContentsMargins(SPACE_M, SPACE_S, SPACE_M, 0)
        notices.setSpacing(SPACE_S)
        notices.addWidget(self.banner)
        notices.addWidget(self.messages)
        column.addLayout(notices)
        column.addWidget(self.cycle_header)
        column.addWidget(self.stack, 1)
        self.sides = QSplitter(Qt.Orientation.Horizontal)
        for side in (self.tree, middle, self.inspector):
            self.sides.addWidget(side)
        self.tree.setMinimumWidth(160)
        self.inspector.setMinimumWidth(230)
        self.sides.setHandleWidth(1)
        self.sides.setChildrenCollapsible(False)
        for at, stretch in enumerate((0, 1, 0)):
            self.sides.setStretchFactor(at, stretch)
        self.sides.setSizes(list(SIDE_SIZES))
        upper = QHBoxLayout()
        upper.setSpacing(0)
        upper.addWidget(self.rail)
        upper.addWidget(self.sides, 1)
        body = QWidget()
        self._body = QVBoxLayout(body)
        self._body.setContentsMargins(0, 0, 0, 0)
        self._body.setSpacing(0)
        self._body.addLayout(upper, 1)
        self.setCentralWidget(body)
        self.menuBar().setCornerWidget(self._corner())

    def _corner(self) -> QWidget:
        corner = QWidget(self.menuBar())
        layout = QHBoxLayout(corner)
        layout.setContentsMargins(0, SPACE_XS, SPACE_M, SPACE_XS)
        layout.setSpacing(SPACE_XS)
        registry = self.workspace.commands
        for command_id, drawing in (("edit.selection_back", "back"), ("edit.selection_forward", "forward")):
            layout.addWidget(ActionButton(registry.action(command_id), drawing))
        layout.addWidget(self._search)
        for command_id, drawing in (("view.tree", "panel-left"), ("view.inspector", "panel-right")):
            layout.addWidget(ActionButton(registry.action(command_id), drawing))
        return corner

    def _connect(self) -> None:
        workspace = self.workspace
        workspace.said.connect(self.messages.show_sentence)
        workspace.page_asked.connect(self.show_page)
        workspace.import_asked.connect(self.import_paths)
        workspace.project_changed.connect(self._on_change)
        workspace.jobs.jobs_changed.connect(self.commands.refresh)
        self.rail.chosen.connect(self.show_page)
        self.welcome.open_asked.connect(self.desk.open)
        self.welcome.browse_asked.connect(self.desk.browse)
        self.welcome.new_asked.connect(self._begin_engagement)
        self.welcome.demo_asked.connect(self.desk.open_demo)
        language().changed.connect(self.retranslate)

    # --- pages
    def _add_page(self, page_id: str, page: Page) -> None:
        self._pages[page_id] = page
        self.stack.addWidget(page)

    @property
    def page_ids(self) -> tuple[str, ...]:
        return tuple(self._entries)

    @property
    def current_page(self) -> str:
        return self._current

    def page(self, page_id: str) -> Page:
        """The page, made now where this is its first use."""
        if page_id not in self._pages:
            self._add_page(page_id, self._make_page(page_id))
        return self._pages[page_id]

    def _make_page(self, page_id: str) -> Page:
        if page_id == "help":
            from app.ui.pages.help_page import HelpPage

            return HelpPage(self.workspace)
        if page_id == "settings":
            from app.ui.pages.settings_page import SettingsPage

            return SettingsPage(self.workspace, self.settings)
        if page_id == "resolution":
            from app.ui.pages.resolution_page import ResolutionPage

            return ResolutionPage(self.workspace)
        return self._entries[page_id].make(self.workspace)

    def show_page(self, page_id: str, argument: object = None) -> None:
        if page_id in self._entries and self.workspace.project is None:
            page_id = "welcome"
        if page_id != self._current:
            self._change_page(page_id)
        if argument is not None:
            self._pages[page_id].show_argument(argument)

    def _change_page(self, page_id: str) -> None:
        page = self.page(page_id)
        if self._current:
            self._pages[self._current].leave()
        self._previous, self._current = self._current, page_id
        self.stack.setCurrentWidget(page)
        self.rail.show_page(page_id)
        self.workspace.commands.set_page(page_id)
        self.commands.refresh()
        self.cycle_header.show_for(page_id)
        self.fold_sides()
        page.setFocus(Qt.FocusReason.OtherFocusReason)
        page.enter()

    def leave_help(self) -> None:
        """Back from help or settings to where one was."""
        if self.palette_box.isVisible():
            self.palette_box.hide()
        elif self._current in ("help", "settings", "resolution"):
            self.show_page(self._previous or "welcome")

    # --- project
    def _on_change(self, change: Change) -> None:
        workspace = self.workspace
        has_project = workspace.project is not None
        workspace.commands.set_state(has_project=has_project, writable=workspace.writable)
        for made in self.rail.buttons.values():
            made.setEnabled(has_project)
        self._show_title()
        if change is Change.OPENED:
            self._show_opened()
        elif change is Change.CLOSED:
            self.show_page("welcome")
            self.welcome.end_new()
        self._show_navigator()
        self.commands.refresh()

    def _show_opened(self) -> None:
        self.messages.hide()
        overview = self.workspace.overview
        wanted = "timeline" if overview and overview.samples else "captures"
        self.show_page(wanted if wanted in self._entries else next(iter(self._entries)))

    def _show_title(self) -> None:
        overview = self.workspace.overview
        words = [overview.engagement.customer, overview.engagement.title] if overview else []
        self.setWindowTitle(" · ".join(w for w in words if w) + " – TuneBench" if words else "TuneBench")

    def _begin_engagement(self, new: NewEngagement, paths: list[Path]) -> None:
        if self.desk.create(new):
            self.welcome.end_new()
            if paths:
                self.import_paths(paths)

    def import_paths(self, paths: list[Any]) -> None:
        """Open the import sheet; without paths, ask for files."""
        from app.ui.pages.captures_page import CapturesPage

        self.show_page("captures")
        page = self.page("captures")
        if isinstance(page, CapturesPage) and not paths:
            page.ask_files()
        elif isinstance(page, CapturesPage):
            page.offer([Path(p) for p in paths])

    # --- sides
    def fold_sides(self) -> None:
        """Show the panels that are wanted and make sense on this page."""
        entry = self._entries.get(self._current) if self.workspace.project is not None else None
        self.rail.setVisible(self.workspace.project is not None)
        self.tree.setVisible(entry is not None and entry.tree and self.commands.tree_wanted)
        self.inspector.setVisible(entry is not None and entry.inspector and self.commands.inspector_wanted)
        if self._navigator is not None:
            has_samples = bool(self.workspace.overview and self.workspace.overview.samples)
            self._navigator.setVisible(entry is not None and entry.navigator and has_samples)

    def _show_navigator(self) -> None:
        """At the bottom from the first sample on; chart code is loaded only then."""
        overview = self.workspace.overview
        if self._navigator is None and overview is not None and overview.samples:
            from app.ui.widgets.navigator import Navigator

            self._navigator = Navigator(self.workspace)
            self._body.addWidget(self._navigator)
        self.fold_sides()

    def _recent_projects(self) -> list[Found]:
        aside = text("ui.palette.recent")
        return [
            Found(r.path.stem, aside, lambda path=r.path: self.desk.open(path), str(r.path).lower())
            for r in self.settings.recents()
            if r.path != self.workspace.project_path
        ]

    # --- dropping
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        paths = dropped_paths(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.welcome.show_drop(True)
            if self._current != "welcome":
                of_page = [] if any(path.suffix == SUFFIX for path in paths) else self._drop_places(paths)
                self.overlay.begin(paths, of_page)

    def _drop_places(self, paths: Sequence[Path]) -> Sequence[DropPlace]:
        writes = self.workspace.project is not None and self.workspace.writable
        return self._pages[self._current].drop_places(paths) if writes else ()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.welcome.show_drop(False)
        self.overlay.end_unless_entered()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.welcome.show_drop(False)
        self.overlay.hide()
        self.take_dropped(dropped_paths(event.mimeData()))

    def take_dropped(self, paths: Sequence[Path]) -> None:
        """A project file is opened; captures go into the open engagement, or begin one."""
        projects = [path for path in paths if path.suffix == SUFFIX and path.is_file()]
        if projects:
            self.desk.open(projects[0])
        elif self.workspace.project is None:
            self.show_page("welcome")
            self.welcome.begin_new(list(paths))
        else:
            self.import_paths(list(paths))

    # --- look
    def retranslate(self, *_: object) -> None:
        self._search.setText(text("ui.palette.button"))
        self._search.setAccessibleName(text("ui.palette.hint"))
        restyle(self._search)
        self._show_title()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.palette_box.hide()

    def _restore_layout(self) -> None:
        if not self.settings.restore_bytes("geometry", self.restoreGeometry):
            room = self.screen().availableGeometry()
            self.resize(min(FIRST_SIZE[0], room.width()), min(FIRST_SIZE[1], room.height() - TITLE_BAR))
        self.settings.restore_bytes("sides", self.sides.restoreState)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.desk.settle_captures():
            event.ignore()
            return
        self.settings.save_bytes("geometry", self.saveGeometry())
        self.settings.save_bytes("sides", self.sides.saveState())
        self.settings.flush()
        self.desk.close()
        super().closeEvent(event)
