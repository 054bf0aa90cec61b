"""Every command of the program once: menus, toolbar, palette and help all come from here."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from tunebench.core.records import record
from tunebench.ui.look.language import has_text, language, text

MENUS = ("file", "edit", "view", "capture", "analyse", "report", "help")


@record
class Command:
    """What a command is called and where it is found.

    Attributes:
        id: ``"subject.verb"``; the text key is ``ui.command.<id>``, its tooltip ``ui.command.<id>.tip`` where
            there is one.
        menu: one of `MENUS`; "" keeps it out of the menus (it is still in the palette).
        group: commands of one group stand together, groups are parted by a line.
        shortcuts: as `QKeySequence` reads them; the first is shown.
        page_id: only enabled while that page is shown; "" for always.
        needs_project, needs_writing: disabled without an open (writable) project.
        text_key: overrides ``ui.command.<id>`` (page authors may keep the text in their own catalogue).
        submenu: key of a submenu of `menu` that it stands in.
        in_palette: False for what makes no sense there (opening the palette itself).
    """

    id: str
    menu: str = ""
    group: int = 0
    shortcuts: tuple[str, ...] = ()
    page_id: str = ""
    needs_project: bool = False
    needs_writing: bool = False
    checkable: bool = False
    text_key: str = ""
    submenu: str = ""
    in_palette: bool = True

    @property
    def key(self) -> str:
        return self.text_key or f"ui.command.{self.id}"


class Commands(QObject):
    """Registry of `QAction`s. `added` carries the id of a new command."""

    added = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        self._page_id = ""
        self._has_project = False
        self._writable = False
        language().changed.connect(self.retranslate)

    def add(self, command: Command, handler: Callable[[], object]) -> QAction:
        """Register `command`; `handler` takes no argument (a checkable one asks its action)."""
        if command.id in self._commands:
            raise ValueError(f"command {command.id} exists")
        action = QAction(self)
        action.setObjectName(command.id)
        action.setCheckable(command.checkable)
        action.setShortcuts([QKeySequence(s) for s in command.shortcuts])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _checked=False: handler())
        self._commands[command.id] = command
        self._actions[command.id] = action
        self._name(command.id)
        self._enable(command.id)
        self.added.emit(command.id)
        return action

    def action(self, command_id: str) -> QAction:
        return self._actions[command_id]

    def command(self, command_id: str) -> Command:
        return self._commands[command_id]

    def all(self) -> list[tuple[Command, QAction]]:
        return [(command, self._actions[command.id]) for command in self._commands.values()]

    def in_menu(self, menu: str) -> list[Command]:
        """Commands of one menu, ordered by group, then by registration."""
        return sorted((c for c in self._commands.values() if c.menu == menu), key=lambda c: c.group)

    def set_state(self, *, has_project: bool, writable: bool) -> None:
        self._has_project, self._writable = has_project, writable
        self._enable_all()

    def set_page(self, page_id: str) -> None:
        self._page_id = page_id
        self._enable_all()

    def retranslate(self) -> None:
        for command_id in self._commands:
            self._name(command_id)

    def _enable_all(self) -> None:
        for command_id in self._commands:
            self._enable(command_id)

    def _enable(self, command_id: str) -> None:
        command = self._commands[command_id]
        allowed = not command.page_id or command.page_id == self._page_id
        if command.needs_project or command.needs_writing:
            allowed = allowed and self._has_project
        if command.needs_writing:
            allowed = allowed and self._writable
        self._actions[command_id].setEnabled(allowed)

    def _name(self, command_id: str) -> None:
        command, action = self._commands[command_id], self._actions[command_id]
        name = text(command.key)
        action.setText(name)
        tip = text(f"{command.key}.tip") if has_text(f"{command.key}.tip") else name
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip(f"{tip}  {keys}" if keys else tip)
