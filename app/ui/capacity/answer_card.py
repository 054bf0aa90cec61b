"""The answer in one sentence, and under it why, in words."""

from __future__ import annotations

from app.analysis.capacity.outcome import Outcome
from app.ui.look.language import language, text
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.parts import Card, column, label, row, selectable, set_tone
from app.usecases.capacity.outlook import Outlook
from app.usecases.capacity.words import headline, said_text

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
        reasons = [said_text(said, code, unit) for said in outlook.forecast.refusals]
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
