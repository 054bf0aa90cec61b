"""Numbers, dates and tables as a report prints them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

MONTHS = {
    "en": ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    "de": ["Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"],
    "ru": ["Янв", "Фев", "Мар", "Апр", "Май", "Июн", "Июл", "Авг", "Сен", "Окт", "Ноя", "Дек"],
    "fr": ["Janv.", "Févr.", "Mars", "Avr.", "Mai", "Juin", "Juil.", "Août", "Sept.", "Oct.", "Nov.", "Déc."],
    "es": ["Ene", "Feb", "Mar", "Abr", "May", "Jun", "Jul", "Ago", "Sep", "Oct", "Nov", "Dic"],
    "ko": [f"{month}월 " for month in range(1, 13)],
    "ja": [f"{month}月 " for month in range(1, 13)],
}
COMMA = frozenset({"de", "fr", "es", "ru"})
Cell = str | tuple[str, int]
"""A text, or a heading with how many columns it reaches over."""


@dataclass(frozen=True)
class Style:
    """How one report is printed.

    Attributes:
        locale: of the names of months and, where it is one of `COMMA`, of the decimal mark.
        summaries: whether tables carry a `summary` (10g does not).
    """

    locale: str = "en"
    summaries: bool = True

    def number(self, value: float | None, decimals: int = 0) -> str:
        """``1,139.2``; without a zero before the mark, and blank where there is none."""
        if value is None:
            return "&#160;"
        text = f"{value:,.{decimals}f}"
        if decimals and text.startswith("0."):
            text = text[1:]
        return text.translate(str.maketrans(",.", ".,")) if self.locale in COMMA else text

    def moment(self, moment: datetime, seconds: bool = True) -> str:
        month = MONTHS[self.locale][moment.month - 1]
        return (
            f"{moment:%d}-{month}-{moment:%y} {moment:%H:%M:%S}"
            if seconds
            else f"{moment:%d}-{month}-{moment:%y} {moment:%H:%M}"
        )

    def average(self, seconds: float) -> str:
        """Of 12.2 and later: with its unit."""
        for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
            if seconds < limit:
                return f"{self.number(seconds * factor, 2)}{unit}"
        return f"{self.number(seconds, 2)} s"

    def table(
        self, summary: str, heading: Sequence[Cell] | Sequence[Sequence[Cell]], rows: Iterable[Sequence[str]]
    ) -> str:
        """`heading` may have several rows; texts of cells are markup already."""
        levels = [heading] if not heading or isinstance(heading[0], (str, tuple)) else heading
        parts = [
            f'<table border="0" class="tdiff" summary="{summary}">'
            if self.summaries
            else '<table border="1" width="600" >'
        ]
        parts += ["<tr>" + "".join(map(_head, level)) + "</tr>" for level in levels if level]  # type: ignore[arg-type]
        for number, row in enumerate(rows):
            shade = "awrc" if number % 2 else "awrnc"
            parts.append("<tr>" + "".join(f"<td align=\"right\" class='{shade}'>{cell}</td>" for cell in row) + "</tr>")
        return "\n".join([*parts, "</table><p />", ""])


def _head(cell: Cell) -> str:
    text, span = (cell, 1) if isinstance(cell, str) else cell
    return f'<th class="awrbg" scope="col"{f" colspan={span}" if span > 1 else ""}>{text}</th>'


def text(value: str) -> str:
    return html.escape(value, quote=False) if value else "&#160;"


def heading(title: str, *notes: str, level: int = 3) -> str:
    items = "".join(f"<li class='awr'> {note} </li>\n" for note in notes)
    return f"<a class='awr' name='s'></a>\n<h{level} class='awr'>{title}</h{level}>\n<ul>\n{items}</ul>\n"
