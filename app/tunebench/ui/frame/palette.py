"""The menu bar, built from the command registry and rebuilt when a page brings commands of its own; and the search for
everything: commands, pages, series, captures, help. Type (initial consonants will do for Korean), arrow, Enter; what
was chosen lately comes first. A verb takes what follows it: ``compare cpu db01``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QMenu, QMenuBar, QWidget

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.series import SeriesInfo
from tunebench.ui.commands import MENUS, Command, Commands
from tunebench.ui.frame.project_tree import ASIDE, TONE, TwoPartDelegate
from tunebench.ui.frame.verbs import GROUPS, PaletteEntry, series_entry, show_series, verb_entries
from tunebench.ui.look.language import has_text, language, text, translated
from tunebench.ui.look.theme import SPACE_S
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import column, label
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.searching import score

WIDTH, HEIGHT, MOST = 560, 420, 60
LATELY = 8


class MenuBuilder(QObject):
    def __init__(self, bar: QMenuBar, commands: Commands) -> None:
        super().__init__(bar)
        self._bar, self._commands = bar, commands
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self.build)
        commands.added.connect(self._build_soon)
        language().follow(self.build)

    def _build_soon(self, _command_id: str) -> None:
        self._timer.start()

    def build(self, *_: object) -> None:
        self._bar.clear()
        for former in self._bar.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
            former.deleteLater()
        for name in MENUS:
            commands = self._commands.in_menu(name)
            if commands:
                menu = self._bar.addMenu(text(f"ui.menu.{name}"))
                menu.setToolTipsVisible(False)
                self._fill(menu, commands)

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


class Palette(QFrame):
    """Lies over the window; leaves with Escape or when something else is clicked."""

    def __init__(self, workspace: Workspace, window: QWidget, more: Callable[[], list[PaletteEntry]]) -> None:
        super().__init__(window)
        self.setProperty("card", "true")
        self._workspace, self._window, self._more = workspace, window, more
        self._verbs: Callable[[str], list[PaletteEntry]] = lambda _typed: []
        self._entries: list[PaletteEntry] = []
        self._lately: list[PaletteEntry] = []
        workspace.project_changed.connect(self._forget)
        self.field = translated(QLineEdit(), placeholderText="ui.palette.hint", accessibleName="ui.palette.hint")
        never_stored(self.field)
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.list = translated(QListWidget(), accessibleName="ui.palette.results")
        self.list.setItemDelegate(TwoPartDelegate(self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(lambda _item: self.choose())
        self._none = translated(label(role="muted"), "ui.palette.none")
        self.setLayout(column(self.field, self._none, self.list, margins=SPACE_S))
        self.hide()

    def _forget(self, change: Change) -> None:
        """What was chosen lately was of another project."""
        if change in (Change.OPENED, Change.CLOSED):
            self._lately = []

    def open(self) -> None:
        room = self._window.size()
        self.setGeometry((room.width() - WIDTH) // 2, 44, WIDTH, min(HEIGHT, room.height() - 80))
        series = self._list_series()
        self._verbs = partial(verb_entries, self._workspace, series)
        shown = [series_entry(info, lambda i=info: show_series(self._workspace, i)) for info in series]
        self._entries = [*self._commands(), *self._captures(), *shown, *self._reference(), *self._more()]
        self.field.clear()
        self._filter("")
        self.show()
        self.raise_()
        self.field.setFocus()

    # --- what there is
    def _commands(self) -> list[PaletteEntry]:
        """Found by their names in both languages and by their ids."""
        entries = []
        for command, action in self._workspace.commands.all():
            if not (command.in_palette and action.isEnabled()):
                continue
            words = action.text().replace("&&", "&").rstrip("…")
            if command.submenu:
                words = f"{text(command.submenu)}: {words}"
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            tip = text(f"{command.key}.tip") if has_text(f"{command.key}.tip") else ""
            keys_of_names = command.key, f"ui.page.{command.id.removeprefix('go.')}"
            titles = tuple(catalogue(code).text(key) for code in LANGUAGES for key in keys_of_names if has_text(key))
            aside = "  ".join(filter(None, (keys, tip)))
            entries.append(PaletteEntry(words, aside, action.trigger, command.id, "command", titles))
        return entries

    def _list_series(self) -> list[SeriesInfo]:
        from tunebench.usecases import browse

        overview = self._workspace.overview
        return browse.list_series(self._workspace.opened) if overview is not None and overview.series else []

    def _reference(self) -> list[PaletteEntry]:
        from tunebench.ui.reference.volume_list import found_volumes

        if self._workspace.project is None:
            return []
        aside = text("ui.reference.palette")
        return [
            PaletteEntry(
                volume.title,
                f"{aside} · {volume.id}",
                lambda at=volume.address: self._workspace.show_page("reference", at),
                f"{volume.title} {volume.id}",
            )
            for volume in found_volumes()
        ]

    def _captures(self) -> list[PaletteEntry]:
        overview = self._workspace.overview
        return [
            PaletteEntry(
                a.name,
                f"{text('ui.palette.capture')} · {view.run.label}",
                lambda i=a.id: self._workspace.show_page("captures", i),
                f"{a.name} {view.run.label}",
            )
            for view in (overview.runs if overview else ())
            for a in view.artefacts
        ]

    # --- choosing
    def _filter(self, needle: str) -> None:
        """Lists what matches in its groups, the best first; what was chosen lately before all."""
        offered = [*self._verbs(needle), *self._entries]
        names = {entry.name: index for index, entry in enumerate(self._lately)}
        entries = [*offered, *(entry for entry in self._lately if entry.name not in {one.name for one in offered})]
        scored = [(score(entry.names, entry.haystack, needle), entry) for entry in entries]
        matching = [(points, entry) for points, entry in scored if points is not None]
        matching.sort(key=lambda pair: (-pair[0], GROUPS.index(pair[1].group)))
        recent = sorted((one for _, one in matching if one.name in names), key=lambda one: names[one.name])
        rest = [one for _, one in matching if one.name not in names][: MOST - len(recent)]
        self.list.clear()
        self._add_group("recent", recent)
        for group in dict.fromkeys(one.group for one in rest):
            self._add_group(group, [one for one in rest if one.group == group])
        self._move(0)
        self._none.setVisible(not matching)

    def _add_group(self, group: str, entries: Sequence[PaletteEntry]) -> None:
        if entries:
            heading = QListWidgetItem(text(f"ui.palette.group.{group}"), self.list)
            heading.setData(TONE, "muted")
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
        for entry in entries:
            item = QListWidgetItem(entry.words, self.list)
            item.setData(ASIDE, entry.aside)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.words} {entry.aside}")
            item.setData(Qt.ItemDataRole.UserRole, entry)

    def shown(self) -> list[PaletteEntry]:
        """What is listed, in its order."""
        items = map(self.list.item, range(self.list.count()))
        return [entry for item in items if (entry := item.data(Qt.ItemDataRole.UserRole)) is not None]

    def _move(self, by: int) -> None:
        """Up or down, past the headings; by 0 to the first."""
        rows = [row for row in range(self.list.count()) if self.list.item(row).flags() & Qt.ItemFlag.ItemIsSelectable]
        if rows:
            here = rows.index(self.list.currentRow()) + by if by else 0
            self.list.setCurrentRow(rows[max(0, min(here, len(rows) - 1))])

    def choose(self) -> None:
        item = self.list.currentItem()
        self.hide()
        if item is not None:
            entry = item.data(Qt.ItemDataRole.UserRole)
            self._lately = [entry, *(former for former in self._lately if former.name != entry.name)][:LATELY]
            entry.choose()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut and watched is self.field and self.isVisible():
            self.hide()
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event)
        return super().eventFilter(watched, event)

    def _on_key(self, event: QKeyEvent) -> bool:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
        if event.key() in steps:
            self._move(steps[Qt.Key(event.key())])
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose()
            return True
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            return True
        return False
