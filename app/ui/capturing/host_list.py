"""The list of hosts: one row of two lines each, painted, so that a hundred cost nothing."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from app.domain.connection import HostColour, HostProfile
from app.ui.capturing.host_book import HostBook, Reach
from app.ui.look import fonts
from app.ui.look.formats import format_value
from app.ui.look.language import error_text, has_text, text
from app.ui.look.theme import RADIUS, SPACE_S, Theme, current_theme
from app.ui.tables.checked import CheckedModel
from app.ui.tables.column import Column
from app.ui.tables.model import Index
from app.ui.widgets.two_lines import TwoLineDelegate, paint_side, paint_words

REACH_SHAPES = {Reach.UNTRIED: "○", Reach.TRYING: "…", Reach.REACHED: "✓", Reach.FAILED: "✕"}
REACH_TONES = {Reach.REACHED: "ok", Reach.FAILED: "critical"}
COLOUR_SHAPES = {HostColour.PRODUCTION: "◆", HostColour.STAGING: "▲", HostColour.TEST: "●"}
COLOUR_TONES = {HostColour.PRODUCTION: "critical", HostColour.STAGING: "watch", HostColour.TEST: "ok"}


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

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
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

    def _tip(self, profile: HostProfile) -> str:
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
