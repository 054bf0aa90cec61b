"""A figure of the answer, large: what it is, from where to where, its course, and what may be said of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tunebench.analysis.answering.profiles import Profile
from tunebench.analysis.answering.ranking import tier
from tunebench.analysis.answering.resources import Figure
from tunebench.columns.answering.resource_words import change_text, figure_name, figure_values
from tunebench.columns.column import Locale
from tunebench.columns.comparing import VERDICT_TONES, marked_verdict
from tunebench.ui.comparing.change_plots import ProfilePlot
from tunebench.ui.look.theme import SPACE_S
from tunebench.ui.widgets.parts import ClickableFrame, ElidedLabel, column, label, row, set_tone

LARGE_PX = 18


class FigureTile(ClickableFrame):
    """`figure`: what is shown; a click asks for its rows."""

    def __init__(self, figure: Figure, profile: Profile | None, locale: Locale) -> None:
        super().__init__()
        self.figure = figure
        self.setProperty("card", "true")
        before, after, unit = figure_values(figure, locale)
        name = ElidedLabel(role="strong", mode=Qt.TextElideMode.ElideMiddle)
        name.set_words(figure_name(figure, locale))
        verdict = label(marked_verdict(figure.lead, locale), role="small")
        set_tone(verdict, VERDICT_TONES[figure.lead.verdict] if tier(figure.lead.verdict) == 0 else "")
        change = ElidedLabel(role="small")
        change.set_words(change_text(figure, locale))
        plot = ProfilePlot()
        plot.show_profile(profile)
        figures = row(
            _large(before, "before"), label("→"), _large(after, "after"), label(unit, role="small"), 1, verdict
        )
        column(name, figures, (plot, 1), change, spacing=2, margins=(SPACE_S, 6), of=self)
        words = f"{figure_name(figure, locale)}: {before} → {after} {unit}, {change_text(figure, locale)}"
        self.setAccessibleName(words)
        self.setToolTip(f"{words}\n{marked_verdict(figure.lead, locale)}")
        self.setMinimumHeight(124)


def _large(words: str, tone: str) -> QWidget:
    shown = label(words, tone=tone)
    font = shown.font()
    font.setPixelSize(LARGE_PX)
    font.setBold(True)
    shown.setFont(font)
    return shown
