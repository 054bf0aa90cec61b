"""A database in words: sessions at work, and which statements changed them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import log

from tunebench.analysis.answering.answer import CauseAnswer, DatabaseAnswer
from tunebench.analysis.answering.ranking import tier
from tunebench.analysis.databases.explained import StepKind
from tunebench.columns.answering.changes import ends_of, in_times
from tunebench.columns.answering.marks import as_after, as_before
from tunebench.columns.column import Locale
from tunebench.columns.formats import decimals_for, figure_text
from tunebench.columns.statement_names import named_with_id, statement_name
from tunebench.core.grouping import by_key
from tunebench.domain.engagement import Direction

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def database_text(database: DatabaseAnswer, locale: Locale) -> str:
    """``ERPDB: sessions at work 1.45 → 0.96, at equal executions 1.31 times lower [1.28, 1.34].``"""
    sessions = database.sessions
    if sessions is None:
        return locale.text("answer.database.untold", name=database.label)
    decimals = decimals_for(sessions)
    before, after = (f"{value:,.{decimals}f}" for value in sessions)
    return locale.text(
        "answer.database",
        name=database.label,
        before=as_before(before),
        after=as_after(after),
        change=database_change_text(database, locale),
    )


def database_change_text(database: DatabaseAnswer, locale: Locale) -> str:
    totals = database.totals
    if totals is not None and totals.fisher is not None and not totals.reason:
        ends = ends_of(totals.interval, Direction.LOWER)
        return in_times(-log(totals.fisher), ends, "", "equal_work", locale)
    time = database.time
    if time is None:
        return locale.text("answer.change.none")
    ends = ends_of(time.interval if tier(time.verdict) < 3 else None, Direction.LOWER)
    return in_times(-log(time.ratio), ends, "", "per_unit" if time.per_unit_of else "", locale)


def cause_texts(database: DatabaseAnswer, locale: Locale) -> Iterator[str]:
    """Each statement that changed DB time, with its container, by how much and why; all others where they changed it
    more than one of these, before them where they changed it more than any did in all."""
    sentences = [cause_text(cause, locale) for cause in database.causes]
    amount = database.others[1]
    if sentences and abs(amount) > min(abs(cause.amount) for cause in database.causes):
        others = locale.text("answer.cause.others", amount=f"{amount:+.3f}")
        sentences.insert(0 if abs(amount) > max(map(abs, _sums(database))) else len(sentences), others)
    yield from sentences


def _sums(database: DatabaseAnswer) -> Iterable[float]:
    """What each named statement changed in all: dearer by itself, it may have been executed less often."""
    amounts = by_key((id(cause.statement), cause.amount) for cause in database.causes)
    return [sum(own) for own in amounts.values()]


def cause_text(cause: CauseAnswer, locale: Locale) -> str:
    detail = _detail(cause, locale)
    return locale.text("answer.cause", amount=f"{cause.amount:+.3f}", name=cause_name(cause, locale), detail=detail)


def cause_name(cause: CauseAnswer, locale: Locale) -> str:
    """What the statement is called; with its id where that is not enough."""
    name = statement_name(cause.text, locale.messages, cause.container)
    return named_with_id(name, cause.id) if name else " · ".join(filter(None, (cause.id, cause.container)))


def _detail(cause: CauseAnswer, locale: Locale) -> str:
    change = cause.statement.changes["elapsed_s"]
    if cause.kind is StepKind.BEHAVIOUR and change.before_each and change.after_each:
        before, after, unit = durations(change.before_each, change.after_each)
        return locale.text("answer.cause.each", before=before, after=after, unit=unit)
    runs = (cause.statement.before_executions, cause.statement.after_executions)
    if cause.kind is StepKind.VOLUME and None not in runs:
        before, after = (f"{value:,.0f}" for value in runs if value is not None)
        return locale.text("answer.cause.runs", before=before, after=after)
    return locale.text(f"answer.cause.{cause.kind}")


def durations(*seconds: float) -> tuple[str, str, str]:
    """(before, after, unit): in the unit in which the larger is at least 1."""
    factor, unit = next(((own, name) for own, name in _UNITS if max(seconds) >= own), _UNITS[-1])
    before, after = (figure_text(value / factor, 3) for value in seconds)
    return before, after, unit
