"""How figures of databases are written, and what lines are called."""

from __future__ import annotations

from tunebench.analysis.databases.explained import Step
from tunebench.analysis.databases.profile_lines import Basis, LineKind, ProfileLine
from tunebench.analysis.databases.statement_comparison import StatementComparison
from tunebench.columns.column import Locale
from tunebench.columns.comparing import signed
from tunebench.columns.formats import DASH, RATIO, format_value
from tunebench.reporting.statement_words import step_texts


def not_measured(locale: Locale) -> str:
    return locale.text("ui.profile.not_measured")


def value_words(value: float | None, locale: Locale, unit: str = "") -> str:
    return not_measured(locale) if value is None else f"{format_value(value)} {unit}".strip()


def duration_words(seconds: float | None, locale: Locale) -> str:
    """``12.3 ms``: in the unit that shows it best."""
    if seconds is None:
        return not_measured(locale)
    size = abs(seconds)
    if size >= 1 or seconds == 0:
        return f"{format_value(seconds)} s"
    return f"{format_value(seconds * 1e3)} ms" if size >= 1e-3 else f"{format_value(seconds * 1e6)} µs"


def share_words(share_pct: float | None, locale: Locale) -> str:
    return not_measured(locale) if share_pct is None else f"{0.0 if abs(share_pct) < 0.05 else share_pct:,.1f} %"


def change_words(value: float | None, locale: Locale) -> str:
    if value is None:
        return not_measured(locale)
    return format_value(value, 3) if value <= 0 else f"+{format_value(value, 3)}"


def contribution_words(contribution_pct: float | None, locale: Locale) -> str:
    return not_measured(locale) if contribution_pct is None else f"{signed(contribution_pct)} %"


def ratio_words(ratio: float | None, locale: Locale) -> str:
    return not_measured(locale) if ratio is None else locale.text("compare.times", ratio=RATIO.written(ratio))


def ratio_or_dash(ratio: float | None, locale: Locale) -> str:
    return DASH if ratio is None else ratio_words(ratio, locale)


def basis_unit(basis: Basis, unit: str, locale: Locale) -> str:
    """What amounts are in: ``s``, sessions, ``s`` per transaction; samples where time was not measured."""
    return locale.text(f"ui.profile.amount.{basis}" if unit == "s" else f"ui.profile.samples.{basis}")


def line_name(line: ProfileLine, locale: Locale) -> str:
    if line.kind is LineKind.UNACCOUNTED:
        return locale.text("ui.profile.unaccounted")
    if line.kind is LineKind.SAMPLED:
        return locale.text("report.db.line.sampled", name=line.name)
    key = f"database.time.{line.name}"
    return (
        locale.text(key) if line.kind in (LineKind.CPU, LineKind.TIME_MODEL) and key in locale.messages else line.name
    )


def load_name(name: str, locale: Locale) -> str:
    key = f"database.load.{name}"
    return locale.text(key) if key in locale.messages else name


def step_words(step: Step, statements: StatementComparison | None, locale: Locale) -> tuple[str, str, str]:
    """Cause, statement and what it added; nothing without the comparison that the step is of."""
    return ("", "", "") if statements is None else step_texts(step, statements, locale.messages)


def listed_words(value: float | None, locale: Locale) -> str:
    """What a list leaves out is not 0."""
    return locale.text("ui.profile.not_listed") if value is None else format_value(value)
