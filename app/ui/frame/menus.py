"""The menu bar, built from the command registry and rebuilt when a page brings commands of its own."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMenu, QMenuBar

from app.ui.commands import MENUS, Command, Commands
from app.ui.look.language import language, text


class MenuBuilder(QObject):
    def __init__(self, bar: QMenuBar, commands: Commands) -> None:
        super().__init__(bar)
        self._bar, self._commands = bar, commands
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.build)
        commands.added.connect(self._build_soon)
        language().changed.connect(self.build)
        self.build()

    def _build_soon(self, _command_id: str) -> None:
        self._timer.start()

    def build(self, *_: object) -> None:
        self._bar.clear()
        for name in MENUS:
            found = self._commands.in_menu(name)
            if found:
                menu = self._bar.addMenu(text(f"ui.menu.{name}"))
                menu.setToolTipsVisible(False)
                self._fill(menu, found)

    def _fill(self, menu: QMenu, commands: list[Command]) -> None:
        group = commands[0].group
        submenus: dict[str, QMenu] = {}
        for command in commands:
            if command.group != group:
                menu.addSeparator()
                group = command.group
            target = menu
            if command.submenu:
                if command.submenu not in submenus:
                    submenus[command.submenu] = menu.addMenu(text(command.submenu))
                target = submenus[command.submenu]
            target.addAction(self._commands.action(command.id))
