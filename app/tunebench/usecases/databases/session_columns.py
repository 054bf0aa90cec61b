"""The columns of what goes on in a stretch of sessions: statements by their share, and statements beside the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from tunebench.analysis.databases.sessions import Correlation, StatementShare
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import FIGURE
from tunebench.columns.statement_names import named_with_id, statement_name
from tunebench.domain.databases.records import StatementKey
from tunebench.usecases.databases.profile_words import duration_words, share_words, value_words


def share_columns(sides: Sequence[str]) -> list[Column[StatementShare]]:
    """The columns of statements: share of DB time, sessions at work, and time per execution, side by side."""
    named: Column[StatementShare]
    named = Column(
        "id", "ui.sessions.column.statement", text=lambda share, locale: _named(share.statement, share.text, locale)
    )
    table = [named]
    for name, words in (("share_pct", share_words), ("sessions", value_words), ("each_s", duration_words)):
        for side in sides:
            figure = partial(_of_side, name=name, side=side)
            shown = partial(_shown, words=words, figure=figure)
            table.append(Column(f"{side}.{name}", f"ui.sessions.column.{side}.{name}", figure, text=shown, side=side))
    table.append(Column("text", "ui.sessions.column.text", lambda share: " ".join(share.text.split())[:200]))
    return table


def _named(statement: StatementKey, words: str, locale: Locale) -> str:
    """The statement's name, its id behind it."""
    name = statement_name(words, locale.messages, statement.container)
    return named_with_id(name, statement.id if name else statement.reference)


def _of_side(share: StatementShare, name: str, side: str) -> float | None:
    values: Mapping[str, float] = getattr(share, name)
    return values.get(side)


def _shown(
    share: StatementShare, locale: Locale, words: Callable[[float | None, Locale], str], figure: partial[float | None]
) -> str:
    value = figure(share)
    if value is None and not share.sessions.keys() & {figure.keywords["side"]}:
        return locale.text("ui.profile.not_listed")
    return words(value, locale)


CORRELATIONS: tuple[Column[tuple[str, Correlation]], ...] = (
    Column("side", "ui.sessions.column.side", text=lambda pair, locale: locale.text(f"ui.phase.{pair[0]}")),
    Column(
        "id", "ui.sessions.column.statement", text=lambda pair, locale: _named(pair[1].statement, pair[1].text, locale)
    ),
    Column("host", "ui.sessions.column.host", lambda pair: str(pair[1].host)),
    Column("rho", "ui.sessions.column.rho", lambda pair: pair[1].rho, text=lambda pair, _: f"{pair[1].rho:+.2f}"),
    Column(
        "range",
        "ui.sessions.column.range",
        lambda pair: pair[1].low,
        text=lambda pair, _: f"{pair[1].low:+.2f} ~ {pair[1].high:+.2f}",
    ),
    Column("n", "ui.sessions.column.n", lambda pair: float(pair[1].n), FIGURE),
)
"""Of (side, correlation); descriptive."""
