"""Name-and-value rows, as the inspector and the ledger print them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.ui.look.theme import SPACE_M, SPACE_XS
from app.ui.widgets.parts import ElidedLabel, label, selectable, set_tone


class FactTable(QWidget):
    """Muted name left, value right (or left-aligned where values are long)."""

    def __init__(self, right: bool = True) -> None:
        super().__init__()
        self._right = right
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_M)
        self._grid.setVerticalSpacing(SPACE_XS)
        self._grid.setColumnStretch(1, 1)
        self._rows = 0

    def add(self, name: str, value: str, tone: str = "", tip: str = "", elide: bool = False) -> QLabel:
        shown: QLabel = ElidedLabel(value) if elide else selectable(label(value, wrap=True))
        if tone:
            set_tone(shown, tone)
        if tip:
            shown.setToolTip(tip)
        side = Qt.AlignmentFlag.AlignRight if self._right else Qt.AlignmentFlag.AlignLeft
        shown.setAlignment(side | Qt.AlignmentFlag.AlignTop)
        shown.setAccessibleName(f"{name}: {value}")
        named = label(name, "small")
        named.setContentsMargins(0, 2, 0, 0)
        self._grid.addWidget(named, self._rows, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(shown, self._rows, 1)
        self._rows += 1
        return shown

    def add_widget(self, name: str, widget: QWidget) -> None:
        self._grid.addWidget(label(name, "small"), self._rows, 0, Qt.AlignmentFlag.AlignVCenter)
        self._grid.addWidget(widget, self._rows, 1)
        self._rows += 1


def fact_table(*rows: tuple[str, str] | tuple[str, str, str]) -> FactTable:
    """Of long values: (name, value, tone)."""
    made = FactTable(right=False)
    for name, value, *tone in rows:
        made.add(name, value, "".join(tone))
    return made
