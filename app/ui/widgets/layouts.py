"""Where parts stand: with a border to drag between them, one at a time, fields below their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLayout, QSplitter, QStackedWidget, QTabBar, QWidget

from app.ui.look.language import translated
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.parts import label

STYLE_SPACING = -1  # that of the layout around it, else of the style of the window


def holder(layout: QLayout) -> QWidget:
    """A widget for what is shown, hidden or stretched as one."""
    made = QWidget()
    made.setLayout(layout)
    return made


def stack(*parts: QWidget) -> QStackedWidget:
    """One of them at a time, the first to begin with."""
    made = QStackedWidget()
    for part in parts:
        made.addWidget(part)
    return made


def tab_bar(*keys: str) -> QTabBar:
    """Tabs of these names, without what they lead to."""
    made = QTabBar()
    made.setDrawBase(False)
    made.setExpanding(False)
    for _ in keys:
        made.addTab("")
    return translated(made, tabText=keys)


def splitter(
    *parts: QWidget, down: bool = False, handle: int = SPACE_S, shares: Sequence[int] = (), sizes: Sequence[int] = ()
) -> QSplitter:
    """Parts with a border to drag between them; `shares`: of the room that comes or goes, `sizes`: to begin with."""
    made = QSplitter(Qt.Orientation.Vertical if down else Qt.Orientation.Horizontal)
    made.setProperty("plain", "true")
    made.setHandleWidth(handle)
    made.setChildrenCollapsible(False)
    for part in parts:
        made.addWidget(part)
    for place, share in enumerate(shares):
        made.setStretchFactor(place, share)
    if sizes:
        made.setSizes(list(sizes))
    return made


class NamedFields(QGridLayout):
    """Fields, each below its name, which a screen reader says as well.

    Args:
        key: the name of a field is the message below it.
        places: (line, column, columns wide) of a name; its field is in the next line. None: all in one line.
    """

    def __init__(
        self,
        key: str,
        fields: Mapping[str, QWidget],
        places: Mapping[str, tuple[int, int, int]] | None = None,
        spacing: tuple[int, int] = (SPACE_M, SPACE_XS),
    ) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(spacing[0])
        self.setVerticalSpacing(spacing[1])
        self.labels = {name: translated(label(role="small"), f"{key}.{name}") for name in fields}
        for at, (name, field) in enumerate(fields.items()):
            line, side, width = places[name] if places else (0, at, 1)
            self.addWidget(self.labels[name], line, side, 1, width)
            self.addWidget(translated(field, accessibleName=f"{key}.{name}"), line + 1, side, 1, width)
            self.labels[name].setBuddy(field)

    def stretch(self, *shares: int) -> None:
        """Of the columns, from the first."""
        for side, share in enumerate(shares):
            self.setColumnStretch(side, share)


def refill(layout: QBoxLayout, *parts: QWidget) -> None:
    """Other parts in place of those that are there."""
    while (item := layout.takeAt(0)) is not None:
        if (gone := item.widget()) is not None:
            gone.hide()  # until it is gone
            gone.deleteLater()
    for part in parts:
        layout.addWidget(part)
