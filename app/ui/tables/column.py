"""A column of a table: its heading, what its cells say, what it is sorted by and what is copied of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtGui import QColor, QFont

from app.ui.look.language import text as message

Row = TypeVar("Row")
Figure = float | str | None


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """
    Attributes:
        id: never shown; the heading is.
        heading: key of its words, or what gives them.
        text: the words of a cell.
        sort: what a cell stands for, None where there is nothing: sorted by, and copied where it is a figure.
        right: aligned to the right; None: where there is `sort`. What is aligned to the left is copied as shown.
        side: ``before``, ``after`` or empty: the colour of the heading.
        heading_tip: the tool tip of the heading.
        tone: a colour, or the name of one of the theme; it goes with the words and is never the only sign.
        copy: what is copied, where it is neither the figure nor the words.
    """

    id: str
    heading: str | Callable[[], str]
    text: Callable[[Row], str]
    sort: Callable[[Row], Figure] | None = None
    right: bool | None = None
    side: str = ""
    heading_tip: Callable[[], str] | None = None
    tone: Callable[[Row], QColor | str | None] | None = None
    tip: Callable[[Row], str | None] | None = None
    font: Callable[[Row], QFont | None] | None = None
    copy: Callable[[Row], str] | None = None

    @property
    def title(self) -> str:
        return message(self.heading) if isinstance(self.heading, str) else self.heading()

    @property
    def is_right(self) -> bool:
        return self.sort is not None if self.right is None else self.right

    def figure(self, row: Row) -> Figure:
        return self.sort(row) if self.sort else self.text(row)

    def copied(self, row: Row) -> str:
        """As a spreadsheet wants it: the whole figure; nothing where there is none."""
        if self.copy is not None:
            return self.copy(row)
        if self.sort is None or not self.is_right:
            return self.text(row)
        figure = self.sort(row)
        return "" if figure is None else str(figure)
