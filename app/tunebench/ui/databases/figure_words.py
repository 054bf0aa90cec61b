"""How figures of databases are written, and what lines are called."""

from __future__ import annotations

from tunebench.analysis.databases.explained import Step
from tunebench.analysis.databases.profile_lines import Basis, LineKind, ProfileLine
from tunebench.analysis.databases.side_by_side import CounterLine
from tunebench.analysis.databases.statement_comparison import StatementComparison
from tunebench.columns.comparing import signed
from tunebench.columns.formats import DASH, RATIO, format_value
from tunebench.core.messages import catalogue
from tunebench.reporting.statement_words import group_text, statistic_text, step_texts
from tunebench.ui.look.language import has_text, language, text


def not_measured() -> str:
    return text("ui.profile.not_measured")


def value_words(value: float | None, unit: str = "") -> str:
    return not_measured() if value is None else f"{format_value(value)} {unit}".strip()


def duration_words(seconds: float | None) -> str:
    """``12.3 ms``: in the unit that shows it best."""
    if seconds is None:
        return not_measured()
    size = abs(seconds)
    if size >= 1 or seconds == 0:
        return f"{format_value(seconds)} s"
    return f"{format_value(seconds * 1e3)} ms" if size >= 1e-3 else f"{format_value(seconds * 1e6)} µs"


def share_words(share_pct: float | None) -> str:
    return not_measured() if share_pct is None else f"{0.0 if abs(share_pct) < 0.05 else share_pct:,.1f} %"


def change_words(value: float | None) -> str:
    if value is None:
        return not_measured()
    return format_value(value, 3) if value <= 0 else f"+{format_value(value, 3)}"


def contribution_words(contribution_pct: float | None) -> str:
    return not_measured() if contribution_pct is None else f"{signed(contribution_pct)} %"


def ratio_words(ratio: float | None) -> str:
    return not_measured() if ratio is None else text("compare.times", ratio=RATIO.written(ratio))


def ratio_or_dash(ratio: float | None) -> str:
    return DASH if ratio is None else ratio_words(ratio)


def basis_unit(basis: Basis, unit: str) -> str:
    """What amounts are in: ``s``, sessions, ``s`` per transaction; samples where time was not measured."""
    return text(f"ui.profile.amount.{basis}" if unit == "s" else f"ui.profile.samples.{basis}")


def line_name(line: ProfileLine) -> str:
    if line.kind is LineKind.UNACCOUNTED:
        return text("ui.profile.unaccounted")
    if line.kind is LineKind.SAMPLED:
        return text("report.db.line.sampled", name=line.name)
    key = f"database.time.{line.name}"
    return text(key) if line.kind in (LineKind.CPU, LineKind.TIME_MODEL) and has_text(key) else line.name


def load_name(name: str) -> str:
    key = f"database.load.{name}"
    return text(key) if has_text(key) else name


def step_words(step: Step, statements: StatementComparison | None) -> tuple[str, str, str]:
    """Cause, statement and what it added; nothing without the comparison that the step is of."""
    return ("", "", "") if statements is None else step_texts(step, statements, catalogue(language().code))


def statistic_name(line: CounterLine) -> str:
    return statistic_text(line, catalogue(language().code))


def group_name(line: CounterLine) -> str:
    return group_text(line, catalogue(language().code))


def listed_words(value: float | None) -> str:
    """What a list leaves out is not 0."""
    return text("ui.profile.not_listed") if value is None else format_value(value)
