"""Commands of the frame itself: project, panels, pages, look, history, help."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QActionGroup

from app.core.messages import LANGUAGES
from app.ui.commands import Command
from app.ui.frame.page_list import KEYS
from app.ui.look.language import language
from app.ui.look.theme import ThemeMode, themes

if TYPE_CHECKING:
    from app.ui.frame.main_window import MainWindow

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


class FrameCommands(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._registry = window.workspace.commands
        self._registry.added.connect(self._make_key_work)
        self._add_file()
        self._add_edit()
        self._add_pages()
        self._add_view()
        self._add_capture()
        self._add_help()
        workspace = window.workspace
        workspace.undo.indexChanged.connect(self.refresh)
        workspace.selection.history_changed.connect(self.refresh)
        self.refresh()

    def _add(self, command: Command, handler: Callable[[], object]) -> None:
        self._registry.add(command, handler)

    def _make_key_work(self, command_id: str) -> None:
        """A key reaches an action only through a widget that has it; not every command is in a menu."""
        self._window.addAction(self._registry.action(command_id))

    # --- file
    def _add_file(self) -> None:
        window = self._window
        for command, handler in (
            (Command("file.new", "file", 0, ("Ctrl+N",)), self._new),
            (Command("file.open", "file", 0, ("Ctrl+O",)), window.desk.browse),
            (Command("file.demo", "file", 0), window.desk.open_demo),
            (Command("file.save_copy", "file", 1, ("Ctrl+Shift+S",), needs_project=True), window.desk.save_copy),
            (Command("file.check", "file", 1, needs_project=True), window.desk.check),
            (Command("file.close", "file", 2, ("Ctrl+W",), needs_project=True), window.desk.leave),
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
            keys = (KEYS[page_id],) if page_id in KEYS else ()
            command = Command(f"go.{page_id}", PAGE_MENUS.get(page_id, "view"), 0, keys, needs_project=True)
            self._add(command, lambda p=page_id: window.show_page(p))
        self._add(Command("go.back", "", 0, ("Esc",), in_palette=False), window.leave_help)

    # --- view
    def _add_view(self) -> None:
        window = self._window
        view = (
            (Command("view.tree", "view", 1, ("Ctrl+Shift+T",), needs_project=True, checkable=True), self._fold),
            (Command("view.inspector", "view", 1, ("Ctrl+Shift+I",), needs_project=True, checkable=True), self._fold),
        )
        for command, handler in view:
            self._add(command, handler)
            name = command.id.removeprefix("view.")
            self._registry.action(command.id).setChecked(window.settings.flag(name, True))
        self._add_choices("theme", [mode.value for mode in ThemeMode], self.set_theme)
        self._add_choices("language", list(LANGUAGES), self.set_language)
        self._add(Command("view.full_screen", "view", 3, ("F11",)), self._full_screen)

    def _add_choices(self, subject: str, values: list[str], choose: Callable[[str], None]) -> None:
        group = QActionGroup(self._window)
        for value in values:
            command = Command(f"view.{subject}.{value}", "view", 2, checkable=True, submenu=f"ui.menu.{subject}")
            self._add(command, lambda v=value: choose(v))
            group.addAction(self._registry.action(command.id))

    @property
    def tree_wanted(self) -> bool:
        return self._registry.action("view.tree").isChecked()

    @property
    def inspector_wanted(self) -> bool:
        return self._registry.action("view.inspector").isChecked()

    def _fold(self) -> None:
        self._window.settings.save_flag("tree", self.tree_wanted)
        self._window.settings.save_flag("inspector", self.inspector_wanted)
        self._window.fold_sides()

    def set_theme(self, value: str) -> None:
        self._window.settings.theme_mode = ThemeMode(value)
        themes().set_mode(ThemeMode(value))
        self.refresh()

    def set_language(self, code: str) -> None:
        self._window.settings.language = code
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
        self._add(Command("capture.import_folder", "capture", 1, needs_writing=True), self._import_folder)
        self._add(Command("capture.describe", "capture", 1, needs_project=True), self._describe)
        self._add(Command("resolution.open", "capture", 1, needs_project=True), lambda: window.show_page("resolution"))
        for name, kind in (("run", "run"), ("capture", "artefact")):
            command = Command(f"capture.remove_{name}", "capture", 9, needs_writing=True)
            self._add(command, lambda kind=kind: window.tree.remove_chosen(kind))

    def _import_folder(self) -> None:
        from app.ui.pages.captures_page import CapturesPage

        self._window.show_page("captures")
        page = self._window.page("captures")
        if isinstance(page, CapturesPage):
            page.ask_folder()

    def _describe(self) -> None:
        from app.ui.pages.captures_page import CapturesPage

        self._window.show_page("captures")
        page = self._window.page("captures")
        if isinstance(page, CapturesPage):
            page.ask_described()

    # --- help
    def _add_help(self) -> None:
        window = self._window
        self._add(Command("help.show", "help", 0, ("F1",)), self._help)
        self._add(Command("help.keys", "help", 0), lambda: window.show_page("help", "keys"))
        self._add(Command("help.about", "help", 1), self._about)

    def _help(self) -> None:
        from app.ui.pages.help_page import TOPICS

        here = {"collect": "capture", "captures": "import", "board": "cycle", "tradeoffs": "cycle"}
        page = self._window.current_page
        topic = here.get(page, page if page in TOPICS else TOPICS[0])
        self._window.show_page("help", topic)

    def _about(self) -> None:
        from app.ui.frame.about import AboutDialog

        AboutDialog(self._window).exec()

    # --- state
    def refresh(self, *_: object) -> None:
        """What can be undone, walked and seen now."""
        workspace = self._window.workspace
        action = self._registry.action
        action("edit.undo").setEnabled(workspace.undo.canUndo() and workspace.writable)
        action("edit.redo").setEnabled(workspace.undo.canRedo() and workspace.writable)
        action("edit.selection_back").setEnabled(workspace.selection.can_go_back())
        action("edit.selection_forward").setEnabled(workspace.selection.can_go_forward())
        action("edit.selection_all").setEnabled(workspace.selection.range is not None)
        action("go.back").setEnabled(self._window.current_page in ("help", "settings", "resolution"))
        for mode in ThemeMode:
            action(f"view.theme.{mode.value}").setChecked(themes().mode is mode)
        for code in LANGUAGES:
            action(f"view.language.{code}").setChecked(language().code == code)
