"""Figures of the cycle as the window prints them."""

from __future__ import annotations

from tunebench.analysis.comparing.improvement import Change, Improvement
from tunebench.domain.cycle.records import Figure, Metric
from tunebench.domain.engagement import Direction
from tunebench.domain.provenance import ASSUMED, DESCRIBED
from tunebench.reporting.wording import Wording
from tunebench.ui.look.language import language, text
from tunebench.ui.workspace import Workspace

_STATE_SHAPES = {
    "met": "✓", "missed": "✕", "undecided": "?", "not_comparable": "≠", "not_measured": "○", "descriptive": "≈",
    "contradicted": "✕",
    "held": "✓", "paid": "▼", "exceeded": "✕", "confirmed": "✓", "within_margin": "≈", "worse": "✕",
}  # fmt: skip
_STATE_TONES = {
    "met": "ok", "missed": "critical", "undecided": "watch", "not_comparable": "watch", "held": "ok", "paid": "warning",
    "exceeded": "critical", "contradicted": "critical",
    "confirmed": "ok", "within_margin": "watch", "worse": "critical",
}  # fmt: skip
_GOAL_SIGNS = {Direction.LOWER: "≤ ", Direction.HIGHER: "≥ ", Direction.NEUTRAL: ""}
_CIRCA = "≈"


def state_shape(called: str) -> str:
    """The sign before the word of a state; of one that figures alone tell (``met_described``) none that is sure."""
    return _CIRCA if called.endswith(DESCRIBED) else _STATE_SHAPES.get(called.removesuffix(ASSUMED), "")


def state_tone(called: str) -> str:
    """Empty for what is not decided."""
    return _STATE_TONES.get(called.removesuffix(ASSUMED), "")


def wording(workspace: Workspace) -> Wording:
    return Wording(language().code, workspace.zone.key)


def figure_text(figure: Figure | None, metric: Metric, words: Wording) -> str:
    """``590.997 s``, ``under 20 %``, ``not measured``."""
    if figure is None or figure.value is None:
        return text("ui.board.not_measured")
    return words.quantity(figure.value, metric.unit, metric.decimals, figure.bound)


def goal_text(value: float | None, metric: Metric, words: Wording) -> str:
    """``≤ 20 s`` where lower is better."""
    if value is None:
        return text("ui.board.no_goal")
    return _GOAL_SIGNS[metric.direction] + words.quantity(value, metric.unit, metric.decimals)


def change_text(change: Improvement, words: Wording) -> str:
    """How many times better or worse; empty where it cannot be said."""
    return "" if change.change is Change.NOT_COMPUTABLE else words.ratio(change)
