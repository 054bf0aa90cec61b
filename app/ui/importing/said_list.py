"""What was said of a host's times: who, when, what; each can be taken back and said again."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.ui.look.formats import format_stamp
from app.ui.look.language import text
from app.ui.look.theme import SPACE_XS
from app.ui.widgets.parts import ElidedLabel, button, column, label, panel, row
from app.usecases.importing import assembly
from app.usecases.importing.resolution import Resolution


class SaidList(QWidget):
    """`toggled` carries (number, taken back)."""

    toggled = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self._column = column(spacing=SPACE_XS)
        self.setLayout(self._column)
        self._lines: list[QWidget] = []

    def show_said(self, said: Sequence[Resolution], zone: ZoneInfo, writable: bool) -> None:
        """The newest first."""
        for old in self._lines:
            old.setParent(None)
            old.deleteLater()
        self._lines = [label(text("ui.resolution.said"), "strong")] if said else []
        for each in reversed(said):
            key = "ui.resolution.said.line" if each.in_force else "ui.resolution.said.back"
            words = ", ".join(_said(name, value) for name, value in each.said.items())
            line = ElidedLabel(text(key, at=format_stamp(each.said_at, zone), by=each.said_by or "–", said=words))
            act = button(
                text("ui.resolution.take_back" if each.in_force else "ui.resolution.renew"),
                "link",
                lambda number=each.id, back=each.in_force: self.toggled.emit(number, back),
            )
            act.setObjectName(f"said-{each.id}")
            act.setEnabled(writable)
            self._lines.append(panel(row((line, 1), act)))
        for shown in self._lines:
            self._column.addWidget(shown)


def _said(name: str, value: str) -> str:
    """``shift +0:59:05``: hours and minutes, not thousands of seconds."""
    shown = assembly.shift_words(round(float(value) * 1_000_000_000)) if name == "shift_s" else value
    return f"{text(f'ui.resolution.subject.{name}')} {shown}"
