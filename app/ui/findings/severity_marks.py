"""How grave something is: a mark, a word and a colour, so that the colour is never the only sign."""

from __future__ import annotations

from PySide6.QtGui import QColor

from app.domain.finding import Severity
from app.ui.look.language import language
from app.ui.look.theme import Theme, current_theme
from app.usecases.findings.words import severity_text

MARKS = {Severity.OK: "○", Severity.WATCH: "◇", Severity.WARNING: "△", Severity.CRITICAL: "■"}


def severity_words(severity: Severity) -> str:
    return f"{MARKS[severity]} {severity_text(severity, language().code)}"


def severity_colour(severity: Severity | None, theme: Theme | None = None) -> QColor | None:
    """None for what is not graded."""
    shown = theme or current_theme()
    if severity is None:
        return None
    return {
        Severity.OK: shown.ok,
        Severity.WATCH: shown.watch,
        Severity.WARNING: shown.warning,
        Severity.CRITICAL: shown.critical,
    }[severity]
