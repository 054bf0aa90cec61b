"""Verdicts and checks as a mark, a word and a colour, so that the colour is never the only sign."""

from __future__ import annotations

from PySide6.QtGui import QColor

from app.analysis.comparing.comparison import ComparedSeries
from app.analysis.inference.verdict import Verdict
from app.domain.comparability import CheckState
from app.ui.look.language import language, text
from app.ui.look.theme import Theme, current_theme
from app.usecases.comparing import words as compare_words

VERDICT_MARKS = {
    Verdict.IMPROVED: "▲",
    Verdict.REGRESSED: "▼",
    Verdict.EQUIVALENT: "=",
    Verdict.INCONCLUSIVE: "?",
    Verdict.INSUFFICIENT_DATA: "–",
    Verdict.NOT_COMPARABLE: "×",
    Verdict.DESCRIPTIVE_ONLY: "○",
}
STATE_MARKS = {CheckState.PASS: "✓", CheckState.ADJUST: "△", CheckState.REFUSE: "×", CheckState.UNKNOWN: "?"}


def verdict_words(row: ComparedSeries) -> str:
    """Of a series that one side lacks, which side has it."""
    if row.before is None or row.after is None:
        return text("ui.compare.only." + ("after" if row.before is None else "before"))
    return f"{VERDICT_MARKS[row.verdict]} {compare_words.verdict_text(row.verdict, language().code)}"


def verdict_colour(verdict: Verdict, theme: Theme | None = None) -> QColor | None:
    """None for that of text."""
    shown = theme or current_theme()
    if verdict is Verdict.EQUIVALENT:
        return None
    return {Verdict.IMPROVED: shown.ok, Verdict.REGRESSED: shown.critical, Verdict.NOT_COMPARABLE: shown.watch}.get(
        verdict, shown.muted
    )


def state_colour(state: CheckState, theme: Theme | None = None) -> QColor:
    shown = theme or current_theme()
    return {
        CheckState.PASS: shown.ok,
        CheckState.ADJUST: shown.watch,
        CheckState.REFUSE: shown.critical,
        CheckState.UNKNOWN: shown.muted,
    }[state]
