"""The menu bar, built from the command registry and rebuilt when a page brings commands of its own; and the search for
everything: commands, pages, series, captures, help. Type (initial consonants will do for Korean), arrow, Enter; what
was chosen lately comes first."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QMenu, QMenuBar, QWidget

from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo
from tunebench.ui.commands import MENUS, Command, Commands
from tunebench.ui.frame.project_tree import ASIDE, TwoPartDelegate
from tunebench.ui.inspected import InspectedSeries
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_S
from tunebench.ui.typing import never_stored
from tunebench.ui.widgets.parts import column, label
from tunebench.ui.workspace import Workspace

WIDTH, HEIGHT, MOST = 560, 420, 60
LATELY, LATELY_BONUS = 8, 4
INITIALS, FIRST_SYLLABLE, PER_INITIAL = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ", 0xAC00, 588
"""Initial consonants in the order of Unicode's Hangul syllables, of which each begins `PER_INITIAL`."""


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


@record
class PaletteEntry:
    """One thing that can be chosen; `aside` says what it is or its shortcut."""

    words: str
    aside: str
    choose: Callable[[], object]
    haystack: str


def _place_of(word: str, haystack: str) -> int:
    """Where `word` begins, or -1. An initial consonant stands for every syllable that begins with it."""
    if not any(letter in INITIALS for letter in word):
        return haystack.find(word)
    match = re.search("".join(map(_letters_for, word)), haystack)
    return match.start() if match else -1


def _letters_for(letter: str) -> str:
    at = INITIALS.find(letter)
    if at < 0:
        return re.escape(letter)
    first = FIRST_SYLLABLE + at * PER_INITIAL
    return f"[{letter}{chr(first)}-{chr(first + PER_INITIAL - 1)}]"


def score(haystack: str, needle: str) -> int | None:
    """How well all words of `needle` are found; higher is better, None is no match."""
    total = 0
    for word in needle.lower().split():
        at = _place_of(word, haystack)
        if at < 0:
            return None
        total += 30 if at == 0 else 20 if haystack[at - 1] in " ·/_-" else 5
    return total


class Palette(QFrame):
    """Lies over the window; leaves with Escape or when something else is clicked."""

    def __init__(self, workspace: Workspace, window: QWidget, more: Callable[[], list[PaletteEntry]]) -> None:
        super().__init__(window)
        self.setProperty("card", "true")
        self._workspace, self._window, self._more = workspace, window, more
        self._entries: list[PaletteEntry] = []
        self._lately: list[tuple[str, str]] = []
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

    def open(self) -> None:
        room = self._window.size()
        self.setGeometry((room.width() - WIDTH) // 2, 44, WIDTH, min(HEIGHT, room.height() - 80))
        self._entries = [*self._commands(), *self._captures(), *self._series(), *self._reference(), *self._more()]
        self.field.clear()
        self._filter("")
        self.show()
        self.raise_()
        self.field.setFocus()

    # --- what there is
    def _commands(self) -> list[PaletteEntry]:
        entries = []
        for command, action in self._workspace.commands.all():
            if not (command.in_palette and action.isEnabled()):
                continue
            words = action.text().replace("&&", "&").rstrip("…")
            if command.submenu:
                words = f"{text(command.submenu)}: {words}"
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            entries.append(PaletteEntry(words, keys, action.trigger, f"{words} {command.id}".lower()))
        return entries

    def _series(self) -> list[PaletteEntry]:
        from tunebench.usecases import browse

        if self._workspace.project is None or not self._workspace.overview or not self._workspace.overview.series:
            return []
        return [
            PaletteEntry(
                info.label,
                f"{info.run} · {host_words(info.host)} · {info.tool}",
                lambda i=info: self._show_series(i),
                f"{info.label} {info.native} {info.metric} {info.host} {info.run} {info.tool}".lower(),
            )
            for info in browse.list_series(self._workspace.project)
        ]

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
                f"{volume.title} {volume.id}".lower(),
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
                f"{a.name} {view.run.label}".lower(),
            )
            for view in (overview.runs if overview else ())
            for a in view.artefacts
        ]

    def _show_series(self, info: SeriesInfo) -> None:
        self._workspace.selection.add_series(info.id)
        self._workspace.show_page("timeline")
        self._workspace.inspect(InspectedSeries(info))

    # --- choosing
    def _filter(self, needle: str) -> None:
        """Lists the matches, the best first; those chosen lately before others that match as well."""
        bonus = {name: LATELY_BONUS - at / LATELY for at, name in enumerate(self._lately)}
        scored = [(score(f.haystack, needle), f) for f in self._entries]
        matching = [(s, f) for s, f in scored if s is not None]
        matching.sort(key=lambda pair: -pair[0] - bonus.get((pair[1].words, pair[1].aside), 0))
        self.list.clear()
        for _score, entry in matching[:MOST]:
            item = QListWidgetItem(entry.words)
            item.setData(ASIDE, entry.aside)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.words} {entry.aside}")
            item.setData(Qt.ItemDataRole.UserRole, entry)
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self._none.setVisible(not matching)

    def choose(self) -> None:
        item = self.list.currentItem()
        self.hide()
        if item is not None:
            entry = item.data(Qt.ItemDataRole.UserRole)
            name = (entry.words, entry.aside)
            self._lately = [name, *(former for former in self._lately if former != name)][:LATELY]
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
            wanted = self.list.currentRow() + steps[Qt.Key(event.key())]
            self.list.setCurrentRow(max(0, min(wanted, self.list.count() - 1)))
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose()
            return True
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
            self._window.setFocus()
            return True
        return False
