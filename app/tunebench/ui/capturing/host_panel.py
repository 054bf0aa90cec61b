"""Left side of the plan: the hosts as painted rows of two lines each, and what can be done with one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QWidget

from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import format_value
from tunebench.domain.connection import HostColour, HostProfile
from tunebench.ui.capturing.host_book import HostBook, Reach
from tunebench.ui.look import fonts
from tunebench.ui.look.language import error_text, has_text, text, translated
from tunebench.ui.look.theme import RADIUS, SPACE_S, SPACE_XS, Theme, current_theme
from tunebench.ui.tables.cells import CheckedModel
from tunebench.ui.tables.model import Index
from tunebench.ui.widgets.layouts import STYLE_SPACING
from tunebench.ui.widgets.parts import EmptyState, IconButton, button, column, label, panel, row, stacked
from tunebench.ui.widgets.row_list import RowList, TwoLineDelegate, paint_side, paint_words
from tunebench.ui.workspace import Workspace

REACH_SHAPES = {Reach.UNTRIED: "○", Reach.TRYING: "…", Reach.REACHED: "✓", Reach.FAILED: "✕"}
REACH_TONES = {Reach.REACHED: "ok", Reach.FAILED: "critical"}
COLOUR_SHAPES = {HostColour.PRODUCTION: "◆", HostColour.STAGING: "▲", HostColour.TEST: "●"}
COLOUR_TONES = {HostColour.PRODUCTION: "critical", HostColour.STAGING: "watch", HostColour.TEST: "ok"}
EMPTY_WIDTH = 168


def place_words(profile: HostProfile) -> str:
    """``root@db01.example:2222``; what is not said is left out."""
    user = f"{profile.user}@" if profile.user else ""
    address = f"[{profile.address}]" if ":" in profile.address and profile.port else profile.address
    return f"{user}{address}" + (f":{profile.port}" if profile.port else "")


def os_words(os: str) -> str:
    """The system's name; a survey may name one that the window does not know."""
    key = f"ui.capture.os.{os or 'unknown'}"
    return text(key) if has_text(key) else os


def colour_words(colour: HostColour) -> str:
    """``◆ production``: a shape and a word, the colour only repeats them."""
    return f"{COLOUR_SHAPES[colour]} {text(f'ui.capture.colour.{colour}')}" if colour else ""


class HostModel(CheckedModel[HostProfile]):
    """The hosts of a `HostBook`, with a check box for the plan."""

    def __init__(self, book: HostBook) -> None:
        super().__init__([Column("host", "", lambda it: it.name, tip=self._tip)])
        self._book = book
        book.changed.connect(self._on_changed)
        book.tested.connect(self._on_tested)

    def row_of(self, name: str) -> int | None:
        return next((row for row, profile in enumerate(self.rows) if profile.name == name), None)

    def is_checked(self, row: HostProfile) -> bool:
        return self._book.is_chosen(row.name)

    def check(self, row: HostProfile, on: bool) -> None:
        self._book.choose(row.name, on)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.isValid():
            profile = self.row_at(index)
            return ", ".join(filter(None, (profile.name, colour_words(profile.colour), *self.second_line(profile))))
        return super().data(index, role)

    def second_line(self, profile: HostProfile) -> tuple[str, str]:
        """(where and what, how the last test went)."""
        last = self._book.last_test(profile.name)
        if last.reach is Reach.TRYING:
            state = text(f"ui.capture.test.{last.step or 'connecting'}")
        elif last.reach is Reach.REACHED and last.result is not None:
            state = text("ui.capture.test.reached", ms=format_value(last.result.round_trip_ms, 2))
        else:
            state = text(f"ui.capture.test.{last.reach}")
        return f"{place_words(profile)} · {os_words(profile.os)}", f"{REACH_SHAPES[last.reach]} {state}"

    def reach(self, profile: HostProfile) -> Reach:
        return self._book.last_test(profile.name).reach

    def _tip(self, profile: HostProfile, _locale: Locale) -> str:
        error = self._book.last_test(profile.name).error
        words = [profile.name, *self.second_line(profile), error_text(error) if error else "", profile.note]
        return "\n".join(filter(None, words))

    def _on_changed(self) -> None:
        if self.rows == self._book.profiles:
            self.refresh()
        else:
            self.show_rows(self._book.profiles)

    def _on_tested(self, name: str) -> None:
        row = self.row_of(name)
        if row is not None:
            self.dataChanged.emit(self.index(row, 0), self.index(row, 0))


class HostDelegate(TwoLineDelegate):
    """Name and mark above, place and state below."""

    indent = 30  # behind the check box

    def paint_lines(self, painter: QPainter, upper: QRect, lower: QRect, index: Index) -> None:
        model = index.model()
        assert isinstance(model, HostModel)
        profile = model.row_at(index)
        self._paint_name(painter, upper, profile)
        self._paint_state(painter, lower, model, profile)

    def _paint_name(self, painter: QPainter, room: QRect, profile: HostProfile) -> None:
        theme = current_theme()
        mark = colour_words(profile.colour)
        width = 0
        if mark:
            width = QFontMetrics(fonts.font(fonts.SMALL_PX, bold=True)).horizontalAdvance(mark) + 2 * 6
            chip = QRect(room.right() - width, room.top() + 1, width, room.height() - 2)
            _chip(painter, chip, mark, getattr(theme, COLOUR_TONES[profile.colour]), theme)
        left = room.adjusted(0, 0, -width - SPACE_S, 0)
        paint_words(painter, left, profile.name, theme.text, fonts.font(bold=True))

    def _paint_state(self, painter: QPainter, room: QRect, model: HostModel, profile: HostProfile) -> None:
        theme, small = current_theme(), fonts.font(fonts.SMALL_PX)
        where, state = model.second_line(profile)
        tone = REACH_TONES.get(model.reach(profile))
        left = paint_side(painter, room, state, getattr(theme, tone) if tone else theme.muted, small)
        paint_words(painter, left, where, theme.muted, small, Qt.TextElideMode.ElideMiddle)


def _chip(painter: QPainter, room: QRect, words: str, colour: QColor, theme: Theme) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(colour)
    painter.setBrush(theme.tint(colour))
    painter.drawRoundedRect(room, RADIUS, RADIUS)
    painter.setFont(fonts.font(fonts.SMALL_PX, bold=True))
    painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter), words)


class HostView(RowList):
    """Delete removes; Space toggles the check box by itself."""

    remove_asked = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.remove_asked.emit()
        else:
            super().keyPressEvent(event)


class HostPanel(QWidget):
    """Signals:
    edit_asked: a host's name, empty for a new one.
    copy_asked: name of the host that a new one is to be like.
    keys_asked: show the accepted keys.
    """

    edit_asked = Signal(str)
    copy_asked = Signal(str)
    keys_asked = Signal()

    def __init__(self, workspace: Workspace, book: HostBook) -> None:
        super().__init__()
        self._workspace = workspace
        self._book = book
        self._leaving = ""
        self.model = HostModel(book)
        self.view = translated(HostView(self.model), accessibleName="ui.capture.hosts")
        self.view.setItemDelegate(HostDelegate(self.view))
        self.view.opened.connect(self.edit_current)
        self.view.remove_asked.connect(self.ask_removal)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.selectionModel().currentChanged.connect(self._on_current)
        self._make_buttons()
        self._lay_out()
        book.changed.connect(self.refresh)
        book.tested.connect(self._enable)

    def _make_buttons(self) -> None:
        self._title = translated(label(role="section"), "ui.capture.hosts")
        self._count = label(role="small")
        self.add = IconButton("plus", self.add_host, key="ui.capture.host.add")
        self.test = translated(button(on_click=self.test_current), "ui.capture.host.test")
        self.edit = IconButton("edit", self.edit_current, key="ui.capture.host.edit")
        self.duplicate = IconButton("copy", self._copy_current, key="ui.capture.host.duplicate")
        self.remove = IconButton("trash", self.ask_removal, key="ui.capture.host.remove")
        self.keys = translated(button(kind="link", on_click=self.keys_asked.emit), "ui.capture.keys.open")
        self.all = translated(button(kind="link", on_click=lambda: self._book.choose_all(True)), "ui.capture.hosts.all")
        self.none = translated(
            button(kind="link", on_click=lambda: self._book.choose_all(False)), "ui.capture.hosts.none"
        )
        self._question = label(role="muted", wrap=True)
        self.confirm = translated(button(kind="danger", on_click=self._remove), "ui.capture.host.remove")
        self.keep = translated(button(on_click=self.keep_host), "ui.capture.host.keep")

    def _lay_out(self) -> None:
        self._empty = EmptyState(
            "host", "ui.capture.hosts.empty", (("ui.capture.host.add", self.add_host),), EMPTY_WIDTH
        )
        self._removal = panel(column(self._question, row(self.confirm, self.keep, 1), spacing=STYLE_SPACING))
        self._removal.hide()
        choice = row(self.all, self.none, 1, spacing=SPACE_S * 2)
        acts = row(self.test, 1, self.edit, self.duplicate, self.remove, spacing=SPACE_XS)
        self._parts = stacked(self._empty, panel(column(choice, (self.view, 1), acts, self._removal)))
        head = row(self._title, self._count, 1, self.add)
        self.setLayout(column(head, (self._parts, 1), row(self.keys, 1)))

    # --- what is shown
    def refresh(self) -> None:
        count = len(self._book.profiles)
        self._parts.setCurrentIndex(1 if count else 0)
        self._count.setText(text("ui.capture.hosts.count", chosen=len(self._book.chosen), count=count) if count else "")
        if count and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, 0))
        self._enable()

    def retranslate(self) -> None:
        self._say_question()
        self.refresh()

    def _enable(self) -> None:
        writable, current = self._workspace.writable, bool(self.current())
        self.add.setEnabled(writable)
        self._empty.setEnabled(writable)
        for control in (self.edit, self.duplicate, self.remove, self.test):
            control.setEnabled(writable and current)

    def _on_current(self) -> None:
        self.keep_host()
        self._enable()

    # --- actions
    def current(self) -> str:
        index = self.view.currentIndex()
        return self.model.row_at(index).name if index.isValid() else ""

    def show_host(self, name: str) -> None:
        position = self.model.row_of(name)
        if position is not None:
            self.view.setCurrentIndex(self.model.index(position, 0))

    def add_host(self) -> None:
        if self._workspace.writable:
            self.edit_asked.emit("")

    def _with_current(self, act: Callable[[str], object]) -> None:
        if self.current() and self._workspace.writable:
            act(self.current())

    def edit_current(self) -> None:
        self._with_current(self.edit_asked.emit)

    def _copy_current(self) -> None:
        self._with_current(self.copy_asked.emit)

    def test_current(self) -> None:
        self._with_current(self._book.test)

    def _show_menu(self, position: QPoint) -> None:
        if not self.view.indexAt(position).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for shown in (self.test, self.edit, self.duplicate, self.remove):
            action = menu.addAction(shown.text() or shown.toolTip())
            action.setEnabled(shown.isEnabled())
            action.triggered.connect(shown.click)
        menu.popup(self.view.viewport().mapToGlobal(position))

    def ask_removal(self) -> None:
        self._with_current(self._ask_removal)

    def _ask_removal(self, name: str) -> None:
        self._leaving = name
        self._say_question()
        self._removal.show()
        self.keep.setFocus()

    @property
    def asks_removal(self) -> bool:
        return bool(self._leaving)

    def _say_question(self) -> None:
        if self._leaving:
            self._question.setText(text("ui.capture.host.remove_question", name=self._leaving))

    def _remove(self) -> None:
        self._book.remove(self._leaving)
        self.keep_host()

    def keep_host(self) -> None:
        """The question whether to remove it is taken back."""
        self._leaving = ""
        self._removal.hide()
