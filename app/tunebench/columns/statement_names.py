"""What a statement is called where people read it: verb, table and where that is; its id stands beside, smaller."""

from __future__ import annotations

from tunebench.analysis.databases.matching import MatchedPair
from tunebench.analysis.databases.statement_comparison import StatementComparison
from tunebench.analysis.databases.statement_heads import statement_head
from tunebench.core.messages import Catalogue
from tunebench.domain.databases.records import StatementKey

_LONGEST_ID = 20
"""PostgreSQL's, with its sign."""
_BEGINNING = 12
_ARROW = " → "
"""Between the ids of one statement before and after."""


def statement_name(text: str, messages: Catalogue, container: str = "") -> str:
    """``SELECT orders, SALES``; empty where the text tells nothing.

    Args:
        container: the schema, database or pluggable database it ran in, where it is to be named; a schema that stands
            before the table is named in any case.
    """
    head = statement_head(text)
    if head is None:
        return ""
    name = head.verb
    if head.table:
        key = f"database.statement.{head.verb.lower().replace(' ', '_')}"
        key = key if key in messages else "database.statement.other"
        name = messages.text(key, table=head.table, verb=head.verb)
    where = {part.casefold(): part for part in (container, head.schema) if part}
    return ", ".join((name, *reversed(where.values())))


def pair_name(statements: StatementComparison, pair: MatchedPair, messages: Catalogue) -> str:
    """What a compared statement is called, with its container where there are several; its ids where no capture has a
    text."""
    container = pair.container if statements.several_containers else ""
    return statement_name(statements.text_of(pair), messages, container) or ", ".join(
        part for part in (pair.name, container) if part
    )


def pair_name_with_id(statements: StatementComparison, pair: MatchedPair, messages: Catalogue) -> str:
    name = pair_name(statements, pair, messages)
    return name if name.startswith(pair.name) else named_with_id(name, pair.name)


def key_name(key: StatementKey, text: str, messages: Catalogue) -> str:
    """What one statement of one container is called; its reference where no capture has its text."""
    return statement_name(text, messages, key.container) or key.reference


def named_with_id(name: str, id_: str) -> str:
    """``SELECT orders, SALES · 121ffmrc95v7g``; the id alone where no text tells a name. Digests of 32 and 64 signs are
    known by their beginning."""
    ids = id_.split(_ARROW) if name else [id_]
    shown = _ARROW.join(f"{one[:_BEGINNING]}…" if name and len(one) > _LONGEST_ID else one for one in ids)
    return " · ".join(part for part in (name, shown) if part)
