"""Fields below their names, and other parts in place of those that stand there."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QBoxLayout, QGridLayout, QWidget

from tunebench.ui.look.language import translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XS
from tunebench.ui.widgets.parts import clear_layout, label

STYLE_SPACING = -1  # that of the layout around it, else of the style of the window


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
        """Sets the stretch of the columns, from the first."""
        for side, share in enumerate(shares):
            self.setColumnStretch(side, share)


def two_beside(key: str, fields: Mapping[str, QWidget]) -> NamedFields:
    """Two fields beside each other, equally wide, each line a little below the one before."""
    grid = NamedFields(
        key, fields, {name: (3 * (at // 2), at % 2, 1) for at, name in enumerate(fields)}, (SPACE_L, SPACE_XS)
    )
    for line in range((len(fields) + 1) // 2):
        grid.setRowMinimumHeight(3 * line + 2, SPACE_XS)
    grid.stretch(1, 1)
    return grid


def refill(layout: QBoxLayout, *parts: QWidget) -> None:
    """Other parts in place of those that are there."""
    clear_layout(layout)
    for part in parts:
        layout.addWidget(part)
