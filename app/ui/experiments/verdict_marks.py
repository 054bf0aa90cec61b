"""What a comparison comes to: a mark, words and a colour, so that the colour is never the only sign."""

from __future__ import annotations

from PySide6.QtGui import QColor

from app.analysis.experiments.comparisons import CellComparison
from app.analysis.inference.verdict import Verdict
from app.ui.look.language import language
from app.ui.look.theme import current_theme
from app.usecases.experiments.words import judged_text

MARKS = {
    Verdict.IMPROVED: "▲",
    Verdict.REGRESSED: "▼",
    Verdict.EQUIVALENT: "＝",
    Verdict.INCONCLUSIVE: "?",
    Verdict.INSUFFICIENT_DATA: "…",
    Verdict.NOT_COMPARABLE: "✕",
    Verdict.DESCRIPTIVE_ONLY: "◇",
}


def verdict_words(compared: CellComparison) -> str:
    return f"{MARKS[compared.verdict]} {judged_text(compared, language().code)}"


def verdict_tone(verdict: Verdict) -> str:
    return {Verdict.IMPROVED: "ok", Verdict.REGRESSED: "critical", Verdict.INCONCLUSIVE: "watch"}.get(verdict, "")


def verdict_colour(verdict: Verdict) -> QColor:
    return getattr(current_theme(), verdict_tone(verdict) or "text")
