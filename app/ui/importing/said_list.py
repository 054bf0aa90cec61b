"""What was said of a host's times: who, when, what; each can be taken back and said again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.look.formats import format_stamp
from app.ui.look.language import text
from app.ui.look.theme import SPACE_S, SPACE_XS
from app.ui.widgets.parts import ElidedLabel, button, label, row

if TYPE_CHECKING:
    from app.usecases.importing.resolution import Resolution


class SaidList(QWidget):
    """`toggled` carries (number, taken back)."""

    toggled = Signal(int, bool)

    def __init__(self) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_XS)
        self._rows: list[QWidget] = []

    def show_said(self, said: Sequence[Resolution], zone: ZoneInfo, writable: bool) -> None:
        """The newest first."""
        for old in self._rows:
            self._column.removeWidget(old)
            old.setParent(None)
            old.deleteLater()
        self._rows = []
        if said:
            self._keep(label(text("ui.resolution.said"), "strong"))
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
            holder = QWidget()
            layout = row(line, act, spacing=SPACE_S)
            layout.setStretch(0, 1)
            holder.setLayout(layout)
            self._keep(holder)

    def _keep(self, made: QWidget) -> None:
        self._rows.append(made)
        self._column.addWidget(made)


def _said(name: str, value: str) -> str:
    """``shift +0:59:05``: hours and minutes, not thousands of seconds."""
    from app.usecases.importing import assembly

    shown = assembly.shift_words(round(float(value) * 1_000_000_000)) if name == "shift_s" else value
    return f"{text(f'ui.resolution.subject.{name}')} {shown}"
