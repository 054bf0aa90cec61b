"""Figures of an experiment with their digits chosen once for all parts of the page, and what a comparison comes to: a
mark, words and a colour, so that the colour is never the only sign."""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.analysis.experiments.comparisons import CellComparison
from tunebench.analysis.inference.verdict import Verdict
from tunebench.ui.look.formats import unit_text
from tunebench.ui.look.language import language
from tunebench.usecases.experiments.words import judged_text

MARKS = {
    Verdict.IMPROVED: "▲",
    Verdict.REGRESSED: "▼",
    Verdict.EQUIVALENT: "＝",
    Verdict.INCONCLUSIVE: "?",
    Verdict.INSUFFICIENT_DATA: "…",
    Verdict.NOT_COMPARABLE: "✕",
    Verdict.DESCRIPTIVE_ONLY: "◇",
}
DIGITS = 4


def verdict_words(compared: CellComparison) -> str:
    return f"{MARKS[compared.verdict]} {judged_text(compared, language().code)}"


def verdict_tone(verdict: Verdict) -> str:
    return {Verdict.IMPROVED: "ok", Verdict.REGRESSED: "critical", Verdict.INCONCLUSIVE: "watch"}.get(verdict, "")


def figure_text(value: float | None) -> str:
    """Four significant digits, thousands parted; a dash where nothing was measured."""
    if value is None:
        return "–"
    rounded = float(f"{value:.{DIGITS}g}")
    if rounded and (abs(rounded) >= 1e9 or abs(rounded) < 1e-4):
        return f"{rounded:.3g}"
    return f"{rounded:,.12g}"


def with_unit(value: float | None, unit: str) -> str:
    return f"{figure_text(value)} {unit_text(unit)}".rstrip() if value is not None else figure_text(value)


def is_wide(values: Iterable[float]) -> bool:
    """Whether the values span so much that they need a logarithmic scale."""
    numbers = list(values)
    return bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > 30
