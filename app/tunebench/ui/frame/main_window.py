"""The frame: menu, rail, project tree, page, inspector, navigator, status bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QChildEvent, QObject, Qt
from PySide6.QtGui import (
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QIcon,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import QMainWindow, QMenuBar, QPushButton, QSplitter, QStackedWidget, QWidget

from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import resources_folder
from tunebench.ui.commands import Command, Commands
from tunebench.ui.cycle.cycle_header import CycleHeader
from tunebench.ui.frame.encryption_controller import EncryptionController
from tunebench.ui.frame.focus import Panes
from tunebench.ui.frame.inspector import Inspector
from tunebench.ui.frame.merge_controller import MergeController
from tunebench.ui.frame.new_engagement import SUFFIX, NewEngagement, begin_with
from tunebench.ui.frame.palette import MenuBuilder, Palette
from tunebench.ui.frame.project_controller import ProjectController
from tunebench.ui.frame.project_tree import ProjectTree
from tunebench.ui.frame.rail import ASIDE, PAGES, Rail, ViewTabs
from tunebench.ui.frame.status_bar import ReadOnlyBanner, StatusBar
from tunebench.ui.frame.toasts import Toasts
from tunebench.ui.frame.tour import Tour
from tunebench.ui.frame.typed_fields import TypedFields
from tunebench.ui.frame.verbs import PaletteEntry, project_entry
from tunebench.ui.inspected import Inspected, InspectedEvent, InspectedSeries
from tunebench.ui.look.formats import engagement_words
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS, ThemeMode, themes
from tunebench.ui.pages.base import ACCEPT, Page
from tunebench.ui.pages.welcome_page import WelcomePage
from tunebench.ui.settings import Settings
from tunebench.ui.widgets.drop_overlay import DropOverlay, DropPlace, dropped_paths
from tunebench.ui.widgets.parts import ActionButton, column, restyle, row
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from tunebench.ui.pages.captures_page import CapturesPage

SMALLEST = (1024, 640)
FIRST_SIZE, TITLE_BAR = (1600, 960), 40
SIDE_SIZES = (214, 888, 258)
PAGE_MENUS = {
    "engagement": "view",
    "collect": "capture",
    "captures": "capture",
    "timeline": "analyse",
    "compare": "analyse",
    "statements": "analyse",
    "database": "analyse",
    "findings": "analyse",
    "capacity": "analyse",
    "experiments": "analyse",
    "report": "report",
    "reference": "help",
}
_WITH_SETTINGS = {"settings": "settings_page.SettingsPage", "archive": "archive_page.ArchivePage"}
_ASIDE = frozenset({*ASIDE, *_WITH_SETTINGS})
"""Pages that are not in the rail; one goes back from them."""


class MainWindow(QMainWindow):
    def __init__(self, workspace: Workspace, settings: Settings) -> None:
        super().__init__()
        self.workspace, self.settings = workspace, settings
        workspace.archive_address = partial(settings.folder, "archive")
        self._entries = {entry.page_id: entry for entry in PAGES}
        self._pages: dict[str, Page] = {}
        self._current = ""
        self._previous = ""
        self._navigator: QWidget | None = None
        self.controller = ProjectController(workspace, settings, self, lambda: self.page("timeline"))
        self.typed = TypedFields(workspace, self)
        self.encryption = EncryptionController(workspace, self.controller, self)
        self.merging = MergeController(workspace, self)
        self.setWindowIcon(QIcon(str(resources_folder() / "icons" / "app.svg")))
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        self.panes = Panes(self, self._shown_panes)
        self.tour = Tour(self)
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
        self.rail, self.views = Rail(self.settings), ViewTabs()
        self.tree = ProjectTree(self.workspace)
        self.inspector = Inspector(self.workspace)
        self.messages = Toasts(self.workspace, self)
        self.banner = ReadOnlyBanner(self.workspace, self.controller.take_over)
        self.cycle_header = CycleHeader(self.workspace, self._engagement_page)
        self.stack = self.workspace.stage = QStackedWidget()
        self.palette_box = Palette(self.workspace, self, self._recent_projects)
        self.status = StatusBar(self.workspace, self.messages.bell)
        self.setStatusBar(self.status)
        self._search = _search_button(self.palette_box)
        self.overlay = DropOverlay(self, self.take_dropped)
        self.welcome = WelcomePage(self.workspace, self.settings)
        self._add_page("welcome", self.welcome)

    def _lay_out(self) -> None:
        middle = QWidget()
        notices = column(self.banner, margins=(SPACE_M, SPACE_S, SPACE_M, 0))
        middle.setLayout(column(notices, self.cycle_header, (self.stack, 1), spacing=0))
        self._place_line = QWidget()
        self._place_line.setLayout(row(self.views, (self.cycle_header.strip, 1), margins=(SPACE_S, 0, SPACE_M, 0)))
        self.sides = QSplitter(Qt.Orientation.Horizontal)
        for side in (self.tree, middle, self.inspector):
            self.sides.addWidget(side)
        self.tree.setMinimumWidth(160)
        self.inspector.setMinimumWidth(230)
        self.sides.setHandleWidth(1)
        self.sides.setChildrenCollapsible(False)
        for at, stretch in enumerate((0, 1, 0)):
            self.sides.setStretchFactor(at, stretch)
            self.sides.handle(at).setAutoFillBackground(True)
            self.sides.handle(at).setBackgroundRole(QPalette.ColorRole.Mid)  # the splitter itself is not dressed
        self.sides.setSizes(list(SIDE_SIZES))
        body = QWidget()
        beside = column(self._place_line, (self.sides, 1), spacing=0)
        self._body = column((row(self.rail, (beside, 1), spacing=0), 1), spacing=0)
        body.setLayout(self._body)
        self.setCentralWidget(body)
        self.menuBar().setCornerWidget(_corner(self.menuBar(), self.workspace.commands, self._search))
        for part in (self.rail, self._place_line, self.tree, self.banner, self.cycle_header, self.inspector):
            themes().dress(part)

    def _connect(self) -> None:
        workspace = self.workspace
        workspace.page_asked.connect(self.show_page)
        workspace.import_asked.connect(self.import_paths)
        workspace.inspected.connect(self.commands.show_evidence)
        workspace.project_changed.connect(self._on_change)
        workspace.jobs.jobs_changed.connect(self.commands.refresh)
        self.rail.chosen.connect(self.show_page)
        self.views.chosen.connect(self.show_page)
        self.welcome.open_asked.connect(self.controller.open)
        self.welcome.browse_asked.connect(self.controller.browse)
        self.welcome.new_asked.connect(self._begin_engagement)
        self.welcome.tour_asked.connect(self.tour.begin)
        self.welcome.paths_given.connect(self.take_dropped)
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
        if page_id in _WITH_SETTINGS:
            module, _, name = _WITH_SETTINGS[page_id].partition(".")
            page: Callable[..., Page] = getattr(import_module(f"tunebench.ui.pages.{module}"), name)
            return page(self.workspace, self.settings)
        return (self._entries.get(page_id) or ASIDE[page_id]).make(self.workspace)

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
            self.workspace.store_typed()
            self._pages[self._current].leave()
        self._previous, self._current = self._current, page_id
        self.stack.setCurrentWidget(page)
        self.rail.show_page(page_id)
        self.views.show_page(page_id)
        self.workspace.commands.set_page(page_id)
        self.commands.refresh()
        self.cycle_header.show_page()
        self.fold_sides()
        page.setFocus(Qt.FocusReason.OtherFocusReason)
        page.enter()

    def _engagement_page(self) -> Page | None:
        return self._pages.get(self._current) if self._current in self._entries else None

    def leave_help(self) -> None:
        """Back from help or settings to where one was; out of the tour, until it is gone on with."""
        if self.messages.close_held():
            return
        if self.palette_box.isVisible():
            self.palette_box.hide()
        elif self.tour.isVisible():
            self.tour.end()
        elif self._current in _ASIDE:
            self.show_page(self._previous or "welcome")

    # --- project
    def _on_change(self, change: Change) -> None:
        workspace = self.workspace
        has_project = workspace.project is not None
        workspace.commands.set_state(has_project=has_project, writable=workspace.writable)
        for control in self.rail.buttons.values():
            control.setEnabled(has_project)
        self._show_title()
        if change is Change.OPENED:
            self.show_page("timeline" if workspace.overview and workspace.overview.samples else "captures")
        elif change is Change.CLOSED:
            self.show_page("welcome")
            self.welcome.end_new()
        self._show_navigator()
        self.commands.refresh()

    def _show_title(self) -> None:
        overview = self.workspace.overview
        self.setWindowTitle(f"{engagement_words(overview.engagement)} – TuneBench" if overview else "TuneBench")

    def _begin_engagement(self, new: NewEngagement, paths: list[Path]) -> None:
        if self.controller.create(new):
            self.welcome.end_new()
            if paths:
                self.import_paths(paths)

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Open the import sheet; without paths, ask for files."""
        page = self.captures_page()
        if paths:
            page.offer(paths)
        else:
            page.ask_files()

    def captures_page(self) -> CapturesPage:
        """The page of captures, shown."""
        from tunebench.ui.pages.captures_page import CapturesPage

        self.show_page("captures")
        page = self.page("captures")
        assert isinstance(page, CapturesPage)
        return page

    # --- sides
    def fold_sides(self) -> None:
        """Show the panels that are wanted and make sense on this page."""
        entry = self._entries.get(self._current) if self.workspace.project is not None else None
        self.rail.setVisible(self.workspace.project is not None)
        self._place_line.setVisible(entry is not None)
        self.commands.show_panels(self._current, not (entry and entry.wide))
        self.tree.setVisible(entry is not None and entry.tree and self.commands.tree_wanted)
        self.inspector.setVisible(entry is not None and entry.inspector and self.commands.inspector_wanted)
        if self._navigator is not None:
            has_samples = bool(self.workspace.overview and self.workspace.overview.samples)
            self._navigator.setVisible(entry is not None and entry.navigator and has_samples)

    def _show_navigator(self) -> None:
        """Shows the navigator from the first sample on; chart code is loaded only then."""
        overview = self.workspace.overview
        if self._navigator is None and overview is not None and overview.samples:
            from tunebench.ui.widgets.navigator import Navigator

            self._navigator = Navigator(self.workspace)
            self._body.addWidget(self._navigator)
            themes().dress(self._navigator)
        self.fold_sides()

    def _recent_projects(self) -> list[PaletteEntry]:
        recents = (recent.path for recent in self.settings.recents())
        return [project_entry(path, self.controller.open) for path in recents if path != self.workspace.project_path]

    def childEvent(self, event: QChildEvent) -> None:
        """The bars, what lies over the window, its dialogs: what is in its middle is dressed part by part."""
        super().childEvent(event)
        part = event.child()
        if event.polished() and isinstance(part, QWidget) and part is not self.centralWidget():
            themes().dress(part)

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
        """A project file is opened; captures go into the engagement that is looked at, or begin one."""
        projects = [path for path in paths if path.suffix == SUFFIX and path.is_file()]
        if projects:
            self.controller.open(projects[0])
        elif self.workspace.project is not None and self._current != self.welcome.page_id:
            self.import_paths(list(paths))
        elif not begin_with(paths, self.workspace, self, self.controller.create):
            self.show_page("welcome")
            self.welcome.begin_new(list(paths))

    # --- keyboard
    def _shown_panes(self) -> list[QWidget]:
        """In the order of F6."""
        page = self._pages.get(self._current)
        if self.tour.isVisible():
            return self.tour.panes()
        return [
            self.rail,
            self._place_line,
            self.cycle_header.sheet,
            *(page.panes() if page is not None else ()),
            self.tree,
            self.inspector,
            *([self._navigator] if self._navigator is not None else []),
            *self.messages.shown,
        ]

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002  Qt's name
        return self.panes.step(1 if next else -1) or super().focusNextPrevChild(next)

    # --- look
    def retranslate(self, *_: object) -> None:
        restyle(self._search)
        self._show_title()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.palette_box.hide()
        self.fold_sides()
        self.tour.look()

    def _restore_layout(self) -> None:
        if not self.settings.restore_bytes("geometry", self.restoreGeometry):
            room = self.screen().availableGeometry()
            self.resize(min(FIRST_SIZE[0], room.width()), min(FIRST_SIZE[1], room.height() - TITLE_BAR))
        self.settings.restore_bytes("sides", self.sides.restoreState)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.controller.may_leave():
            event.ignore()
            return
        self.settings.save_bytes("geometry", self.saveGeometry())
        self.settings.save_bytes("sides", self.sides.saveState())
        self.settings.flush()
        self.controller.close()
        super().closeEvent(event)


def _search_button(box: Palette) -> QPushButton:
    shown = translated(QPushButton(), "ui.palette.button", accessibleName="ui.palette.hint")
    shown.setObjectName("searchbutton")
    shown.setMinimumWidth(270)
    shown.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    shown.clicked.connect(box.open)
    return shown


def _corner(bar: QMenuBar, commands: Commands, search: QWidget) -> QWidget:
    """What stands at the right end of the menu bar."""
    corner, action = QWidget(bar), commands.action
    parts = (
        ActionButton(action("edit.selection_back"), "back"),
        ActionButton(action("edit.selection_forward"), "forward"),
        search,
        ActionButton(action("view.tree"), "panel-left"),
        ActionButton(action("view.inspector"), "panel-right"),
    )
    corner.setLayout(row(*parts, spacing=SPACE_XS, margins=(0, SPACE_XS, SPACE_M, SPACE_XS)))
    return corner


class FrameCommands(QObject):
    """Commands of the frame itself: project, panels, pages, look, history, help."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._registry = window.workspace.commands
        self._add = self._registry.add
        self._registry.added.connect(self._make_key_work)
        self._add_file()
        self._add_edit()
        self._add_pages()
        self._add_view()
        self._add_capture()
        self._add_help()
        workspace = window.workspace
        workspace.undo.indexChanged.connect(self.refresh)
        language().changed.connect(self.refresh)
        workspace.selection.history_changed.connect(self.refresh)
        self.refresh()

    def _make_key_work(self, command_id: str) -> None:
        """A key reaches an action only through a widget that has it; not every command is in a menu."""
        self._window.addAction(self._registry.action(command_id))

    # --- file
    def _add_file(self) -> None:
        window = self._window
        for command, handler in (
            (Command("file.new", "file", 0, ("Ctrl+N",)), self._new),
            (Command("file.open", "file", 0, ("Ctrl+O",)), window.controller.browse),
            (Command("file.demo", "file", 0), window.controller.open_demo),
            (Command("file.save_copy", "file", 1, ("Ctrl+Shift+S",), needs_project=True), window.controller.save_copy),
            (Command("file.export_clean", "file", 1, needs_project=True), window.controller.export_clean),
            (Command("file.check", "file", 1, needs_project=True), window.controller.check),
            (Command("file.check_copy", "file", 1, needs_project=True), window.controller.check_copy),
            (Command("file.merge", "file", 1, needs_project=True), window.merging.merge),
            (Command("file.export_part", "file", 1, needs_project=True), window.merging.export_part),
            (Command("file.trust_keys", "file", 1, needs_project=True), window.controller.trust_keys),
            (Command("file.encrypt", "file", 1, needs_project=True), window.encryption.encrypt),
            (Command("file.archive", "file", 1), lambda: window.show_page("archive")),
            (Command("file.decrypt", "file", 1, needs_project=True), window.encryption.decrypt),
            (Command("file.close", "file", 2, ("Ctrl+W",), needs_project=True), window.controller.leave),
            (Command("file.quit", "file", 3, ("Ctrl+Q",)), window.close),
        ):
            self._add(command, handler)

    def _new(self) -> None:
        self._window.show_page("welcome")
        self._window.welcome.begin_new()

    # --- edit
    def _add_edit(self) -> None:
        window = self._window
        selection, undo = window.workspace.selection, window.workspace.undo
        for command, handler in (
            (Command("edit.undo", "edit", 0, ("Ctrl+Z",)), undo.undo),
            (Command("edit.redo", "edit", 0, ("Ctrl+Y", "Ctrl+Shift+Z")), undo.redo),
            (Command("edit.selection_back", "edit", 1, ("Alt+Left",)), selection.back),
            (Command("edit.selection_forward", "edit", 1, ("Alt+Right",)), selection.forward),
            (Command("edit.selection_all", "edit", 1, ("Alt+Up",)), lambda: selection.set_range(None)),
            (Command("edit.search", "edit", 2, ("Ctrl+K", "Ctrl+Shift+P"), in_palette=False), self._search),
            (Command("edit.settings", "edit", 3, ("Ctrl+,",)), lambda: window.show_page("settings")),
        ):
            self._add(command, handler)

    def _search(self) -> None:
        self._window.palette_box.open()

    # --- pages
    def _add_pages(self) -> None:
        window = self._window
        for page_id in window.page_ids:
            command = Command(f"go.{page_id}", PAGE_MENUS.get(page_id, "view"), 0, needs_project=True)
            self._add(command, lambda p=page_id: window.show_page(p))
        for by, view_keys, pane_key in (
            (1, ("Ctrl+Tab",), "F6"),
            (-1, ("Ctrl+Shift+Tab", "Ctrl+Shift+Backtab"), "Shift+F6"),
        ):
            way = "next" if by > 0 else "previous"
            command = Command(f"go.{way}_view", "view", 1, view_keys, needs_project=True, in_palette=False)
            self._add(command, lambda by=by: window.views.step(by, window.page(window.current_page)))
            command = Command(f"go.{way}_pane", "view", 1, (pane_key,), in_palette=False)
            self._add(command, lambda by=by: window.panes.go(by))
        self._add(Command("go.back", "", 0, ("Esc",), in_palette=False), window.leave_help)

    # --- view
    def _add_view(self) -> None:
        for name, key in (("tree", "Ctrl+Shift+T"), ("inspector", "Ctrl+Shift+I")):
            command = Command(f"view.{name}", "view", 1, (key,), needs_project=True, checkable=True)
            self._add(command, lambda name=name: self._fold(name))
        self._add_choices("theme", [mode.value for mode in ThemeMode], self.set_theme)
        self._add_choices("language", list(LANGUAGES), self.set_language)
        self._add(Command("view.messages", "view", 3), lambda: self._window.messages.bell.showMenu())
        self._add(Command("view.full_screen", "view", 3, ("F11",)), self._full_screen)

    def _add_choices(self, subject: str, values: list[str], choose: Callable[[str], None]) -> None:
        group = QActionGroup(self._window)
        for value in values:
            command = Command(f"view.{subject}.{value}", "view", 2, checkable=True, submenu=f"ui.menu.{subject}")
            group.addAction(self._add(command, lambda v=value: choose(v)))

    @property
    def tree_wanted(self) -> bool:
        return self._registry.action("view.tree").isChecked()

    @property
    def inspector_wanted(self) -> bool:
        return self._registry.action("view.inspector").isChecked()

    def show_panels(self, page_id: str, unless_said: bool) -> None:
        """The panels as they were left on that page; `unless_said`: whether they are shown where nothing was chosen."""
        for name in ("tree", "inspector"):
            self._registry.action(f"view.{name}").setChecked(
                self._window.settings.flag(f"{name}-{page_id}", unless_said)
            )

    def show_evidence(self, shown: Inspected | None) -> None:
        """A point that was clicked on a chart opens the inspector, unless it was folded here by hand."""
        settings, flag = self._window.settings, f"inspector-{self._window.current_page}"
        is_point = isinstance(shown, InspectedEvent) or (
            isinstance(shown, InspectedSeries) and shown.time_ns is not None
        )
        if is_point and settings.flag(flag, True):
            settings.save_flag(flag, True)
            self._window.fold_sides()

    def _fold(self, name: str) -> None:
        wanted = self._registry.action(f"view.{name}").isChecked()
        self._window.settings.save_flag(f"{name}-{self._window.current_page}", wanted)
        self._window.fold_sides()

    def set_theme(self, value: str) -> None:
        self._window.settings.theme_mode = ThemeMode(value)
        themes().set_mode(ThemeMode(value))
        self.refresh()

    def set_language(self, code: str) -> None:
        self._window.settings.language = code
        self._window.workspace.store_typed()
        language().switch(code)
        self.refresh()

    def _full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    # --- capture
    def _add_capture(self) -> None:
        window = self._window
        command = Command("capture.import", "capture", 1, ("Ctrl+I",), needs_writing=True)
        self._add(command, lambda: window.import_paths([]))
        command = Command("capture.import_folder", "capture", 1, needs_writing=True)
        self._add(command, lambda: window.captures_page().ask_folder())
        command = Command("capture.describe", "capture", 1, needs_project=True)
        self._add(command, lambda: window.captures_page().ask_described())
        for name in ("review", "resolution"):
            command = Command(f"{name}.open", "capture", 1, needs_project=True)
            self._add(command, lambda name=name: window.show_page(name))
        command = Command("capture.accept_hosts", "capture", 1, needs_writing=True)
        self._add(command, lambda: window.show_page("review", ACCEPT))
        self._add(Command("file.export_result", "report", 1, needs_project=True), self._export_result)
        for name, kind in (("run", "run"), ("capture", "artefact")):
            command = Command(f"capture.remove_{name}", "capture", 9, needs_writing=True)
            self._add(command, lambda kind=kind: window.tree.remove_chosen(kind))

    def _export_result(self) -> None:
        from tunebench.ui.pages.report_page import ReportPage

        page = self._window.page("report")
        assert isinstance(page, ReportPage)
        page.export_result()

    # --- help
    def _add_help(self) -> None:
        window = self._window
        self._add(Command("help.show", "help", 0, ("F1",)), self._help)
        self._add(Command("help.tour", "help", 0), window.tour.begin)
        self._add(Command("help.keys", "help", 0), lambda: window.show_page("help", "keys"))
        self._add(Command("help.about", "help", 1), self._about)

    def _help(self) -> None:
        from tunebench.ui.pages.help_page import TOPICS

        here = {"collect": "capture", "captures": "import", "board": "cycle", "tradeoffs": "cycle"}
        page = self._window.current_page
        topic = here.get(page, page if page in TOPICS else TOPICS[0])
        self._window.show_page("help", topic)

    def _about(self) -> None:
        from tunebench.ui.pages.help_page import AboutDialog

        AboutDialog(self._window).exec()

    # --- state
    def refresh(self, *_: object) -> None:
        """What can be undone, walked and seen now."""
        workspace = self._window.workspace
        action = self._registry.action
        undo = workspace.undo
        for name, can, step in (
            ("edit.undo", undo.canUndo(), undo.undoText()),
            ("edit.redo", undo.canRedo(), undo.redoText()),
        ):
            words = text(f"ui.command.{name}.step", step=step.replace("&", "&&")) if can else text(f"ui.command.{name}")
            action(name).setText(words)
            action(name).setEnabled(can and workspace.writable)
        action("edit.selection_back").setEnabled(workspace.selection.can_go_back())
        action("edit.selection_forward").setEnabled(workspace.selection.can_go_forward())
        action("edit.selection_all").setEnabled(workspace.selection.range is not None)
        action("go.back").setEnabled(self._window.current_page in _ASIDE or self._window.tour.isVisible())
        for mode in ThemeMode:
            action(f"view.theme.{mode.value}").setChecked(themes().mode is mode)
        for code in LANGUAGES:
            action(f"view.language.{code}").setChecked(language().code == code)
