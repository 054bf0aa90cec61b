"""Words on moments of the test, while it runs: a field to type in, and what was typed so far."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QWidget

from app.domain.capturing.run import CaptureMark
from app.ui.look.fonts import font
from app.ui.look.formats import moment
from app.ui.look.language import text, translated
from app.ui.look.theme import SPACE_S
from app.ui.widgets.parts import button, column, label, row

FIELD_PX = 38
_MOMENT = r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?"
_CLOCK = re.compile(rf"^\s*{_MOMENT}(?=\s|$)\s*|\s+{_MOMENT}\s*$")


def timed_words(typed: str, now_ns: int, zone: ZoneInfo) -> tuple[str, int]:
    """Words and their moment: ``14:32 index created`` and ``index created 14:32`` say it, else it is now.

    The clock is that of `zone`; the last such moment that is not later than now.
    """
    found = _CLOCK.search(typed)
    if found is None:
        return typed.strip(), now_ns
    words = (typed[: found.start()] + typed[found.end() :]).strip()
    hour, minute, second = (int(part or 0) for part in (found.groups()[:3] if found[1] else found.groups()[3:]))
    now = moment(now_ns, zone)
    then = now.replace(hour=hour, minute=minute, second=second, microsecond=0)
    if then > now:
        then = (then.replace(tzinfo=None) - timedelta(days=1)).replace(tzinfo=zone)
    return words or typed.strip(), int(then.timestamp()) * 1_000_000_000


class MarkField(QWidget):
    """`marked` carries (words, UTC nanoseconds)."""

    marked = Signal(str, object)

    def __init__(self, zone: ZoneInfo) -> None:
        super().__init__()
        self.zone = zone
        self.field = translated(QLineEdit(), placeholderText="ui.live.mark.hint", accessibleName="ui.live.mark.name")
        self.field.setFont(font(15))
        self.field.setFixedHeight(FIELD_PX)
        self.field.setMaxLength(200)
        self.button = translated(button(kind="primary", on_click=self._mark), "ui.live.mark")
        self.button.setFixedHeight(FIELD_PX)
        self.setLayout(row(self.field, self.button))
        self.field.returnPressed.connect(self._mark)
        self.field.textChanged.connect(lambda typed: self.button.setEnabled(bool(typed.strip())))
        self.button.setEnabled(False)

    def _mark(self) -> None:
        if not self.field.text().strip():
            return
        words, time_ns = timed_words(self.field.text(), time.time_ns(), self.zone)
        self.field.clear()
        self.marked.emit(words, time_ns)


class MarkList(QWidget):
    """Newest first."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[CaptureMark, ...] = ()
        self._zone: ZoneInfo | None = None
        self._title = label(role="small")
        self.list = translated(QListWidget(), accessibleName="ui.live.marks")
        self.list.setWordWrap(True)
        self._none = translated(label(role="muted", wrap=True), "ui.live.marks.none")
        self.setLayout(column(self._title, self._none, (self.list, 1), 0, margins=(SPACE_S, 0, 0, 0)))

    def show_marks(self, marks: Sequence[CaptureMark], zone: ZoneInfo) -> None:
        if tuple(marks) == self._shown and zone == self._zone:
            return
        self._shown, self._zone = tuple(marks), zone
        self.list.clear()
        for mark in sorted(marks, key=lambda each: each.time_ns, reverse=True):
            self.list.addItem(f"{moment(mark.time_ns, zone):%H:%M:%S}  {mark.text}")
            self.list.item(self.list.count() - 1).setToolTip(f"{mark.text}\n{mark.author}")
        self.retranslate()

    def retranslate(self) -> None:
        self._title.setText(text("ui.live.marks.count", count=len(self._shown)))
        self._none.setVisible(not self._shown)
        self.list.setVisible(bool(self._shown))
