"""The answer in one sentence with why, and the numbers behind it: name, value, and what was done to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from tunebench.analysis.capacity.outcome import Outcome
from tunebench.columns.formats import DASH
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.widgets.parts import (
    Card,
    FactTable,
    IconButton,
    caption,
    column,
    label,
    panel,
    row,
    selectable,
    set_tone,
)
from tunebench.usecases.capacity.outlook import Outlook
from tunebench.usecases.capacity.words import (
    a_day,
    day_text,
    figure,
    headline,
    hours_text,
    limit_text,
    percent,
    probability,
    quantity,
    said_text,
    slope_interval,
    subject_text,
)

_SIGNS = {
    Outcome.DATED: ("◆", "warning"),
    Outcome.POSSIBLE: ("◇", "watch"),
    Outcome.NOT_WITHIN: ("●", "ok"),
    Outcome.REACHED: ("■", "critical"),
    Outcome.REFUSED: ("○", ""),
}


class AnswerCard(Card):
    def __init__(self) -> None:
        super().__init__()
        self.sign, self.sentence = label(role="section"), selectable(label(role="section", wrap=True))
        self.reasons = selectable(label(role="muted", wrap=True))
        words = column(self.sentence, self.reasons, spacing=SPACE_XS)
        row(self.sign, (words, 1), margins=(SPACE_M, SPACE_S), of=self)
        self.show_words("…")

    def show_outlook(self, outlook: Outlook) -> None:
        sign, tone = _SIGNS[outlook.forecast.outcome]
        code, unit = language().code, outlook.subject.info.unit
        reasons = [said_text(refusal, code, unit) for refusal in outlook.forecast.refusals]
        if outlook.forecast.outcome in (Outcome.POSSIBLE, Outcome.NOT_WITHIN):
            reasons = []  # the sentence itself says that the history reaches no further
        self._show(sign, tone, headline(outlook, code), "\n".join(reasons))

    def show_words(self, words: str, more: str = "") -> None:
        self._show("○", "", words, more)

    def _show(self, sign: str, tone: str, words: str, more: str) -> None:
        self.sign.setText(sign)
        set_tone(self.sign, tone)
        self.sentence.setText(words)
        self.reasons.setText(more)
        self.reasons.setVisible(bool(more))
        self.setAccessibleName(text("ui.capacity.answer"))
        self.setAccessibleDescription(f"{words}\n{more}".strip())


class NumberCard(Card):
    def __init__(self, copy: Callable[[], object]) -> None:
        super().__init__()
        self.copy_button = IconButton("copy", copy, key="ui.capacity.copy")
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = row(caption("ui.capacity.numbers", "strong"), 1, self.copy_button)
        column(head, (self._scroll, 1), margins=(SPACE_M, SPACE_S, SPACE_XS, SPACE_S), of=self)
        self._outlook: Outlook | None = None
        language().follow(self.retranslate)

    def show_outlook(self, outlook: Outlook | None) -> None:
        self._outlook = outlook
        parts: list[QWidget] = []
        if outlook is not None:
            facts = FactTable()
            for one in number_rows(outlook):
                key = f"ui.capacity.number.{one.key}"
                facts.add(text(key), one.value, tip=text(f"{key}.tip"))
            parts.append(facts)
            for remark in outlook.forecast.remarks:
                words = said_text(remark, language().code, outlook.subject.info.unit)
                parts.append(selectable(label(f"· {words}", "small", wrap=True)))
            parts.append(selectable(label(text("ui.capacity.method.words"), "small", wrap=True)))
        self._scroll.setWidget(panel(column(*parts, 1, margins=(0, 0, SPACE_S, 0))))
        self.copy_button.setEnabled(outlook is not None)

    def retranslate(self) -> None:
        self.show_outlook(self._outlook)


class Row(NamedTuple):
    """`key` below ``ui.capacity.number.``; its tool tip is the key with ``.tip``."""

    key: str
    value: str


def number_rows(outlook: Outlook) -> list[Row]:
    return [*_history(outlook), *_trend(outlook), *_check(outlook)]


def _history(outlook: Outlook) -> list[Row]:
    forecast, days = outlook.forecast, outlook.forecast.days
    span = f"{day_text(int(days[0]))} – {day_text(int(days[-1]))}" if len(days) else DASH
    return [
        Row("span", span),
        Row("days", f"{len(days):,}"),
        Row("hours", hours_text(outlook.days.hours)),
        Row("now", quantity(outlook.now, outlook.subject.info.unit, language().code)),
        Row("horizon", str(forecast.horizon) if forecast.horizon else DASH),
    ]


def _trend(outlook: Outlook) -> list[Row]:
    trend, unit, code = outlook.forecast.trend, outlook.subject.info.unit, language().code
    if trend is None:
        return []
    low, high = slope_interval(trend)
    worth = trend.band.worth
    return [
        Row("slope", a_day(trend, trend.band.line.slope, unit, code)),
        Row("slope_interval", f"{low} … {high}"),
        Row("ols", a_day(trend, trend.band.ols.slope, unit, code)),
        Row("tau90", a_day(trend, trend.peaks.slope, unit, code)),
        Row("mann_kendall", probability(trend.corrected.p)),
        Row("n", f"{trend.n} / {figure(worth.n_eff, 3)}"),
        Row("lag1", f"{worth.lag1:.2f}"),
    ]


def _check(outlook: Outlook) -> list[Row]:
    tested = outlook.forecast.back_test
    if tested is None:
        return []
    return [
        Row("coverage", percent(tested.coverage)),
        Row("mase", DASH if tested.mase is None else f"{tested.mase:.2f}"),
        Row("origins", f"{tested.origins} / {tested.points}"),
    ]


def copied(outlook: Outlook) -> str:
    """Everything as lines of name and value, tabs between."""
    code, unit = language().code, outlook.subject.info.unit
    forecast = outlook.forecast
    lines = [
        (outlook.subject.info.host, subject_text(outlook.subject, code)),
        (text("ui.capacity.limit"), f"{quantity(outlook.limit.value, unit, code)} ({limit_text(outlook.limit, code)})"),
        (text("ui.capacity.answer"), headline(outlook, code)),
        *((text("ui.capacity.reason"), said_text(refusal, code, unit)) for refusal in forecast.refusals),
        *((text(f"ui.capacity.number.{row.key}"), row.value) for row in number_rows(outlook)),
        *((text("ui.capacity.remark"), said_text(remark, code, unit)) for remark in forecast.remarks),
        (text("ui.capacity.method"), text("ui.capacity.method.words")),
    ]
    return "\n".join(f"{name}\t{value}" for name, value in lines)
