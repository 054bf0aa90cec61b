"""Statements that were entered by hand, as a record, so that they are compared like those of captures."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.analysis.databases.matching import match_statements
from tunebench.analysis.databases.record import DatabaseRecord, TableRows
from tunebench.core.grouping import by_key
from tunebench.domain.databases.records import DatabaseIdentity, Moment, Reach
from tunebench.domain.engagement import Run, Statement
from tunebench.store import engagements
from tunebench.store.project import Project

BY_HAND = "by_hand"
_FIGURES = ("executions", "elapsed_s", "cpu_s", "block_gets", "block_reads", "rows")


def entered_record(engine: str, statements: Sequence[Statement]) -> DatabaseRecord:
    """The statements of one engine; nobody enters all that ran, so that one that is missing is unknown, not gone."""
    rows, texts = TableRows("statement"), TableRows("statement_text")
    for line, statement in enumerate(statements, 1):
        figures = {name: float(value) for name in _FIGURES if (value := getattr(statement, name)) is not None}
        words = {
            "statement_id": statement.statement_id,
            "plan": statement.plan,
            "module": statement.module,
            "seen_in": BY_HAND,
        }
        rows.add(line, words, figures)
        if statement.text:
            texts.add(line, {"statement_id": statement.statement_id, "text": statement.text}, {"complete": 1.0})
    tables = {"statement": rows.close(), "statement_text": texts.close()}
    return DatabaseRecord(BY_HAND, Reach.PERIOD, DatabaseIdentity(engine), Moment(), tables=tables)


def by_engine(statements: Sequence[Statement]) -> dict[str, list[Statement]]:
    return by_key((statement.engine, statement) for statement in statements)


def paired(before: Sequence[Statement], after: Sequence[Statement]) -> list[tuple[Statement | None, Statement | None]]:
    """Matched like those of captures, the longest first; what has no partner stands alone."""
    earlier, later = by_engine(before), by_engine(after)
    rows: list[tuple[Statement | None, Statement | None]] = []
    for engine in dict.fromkeys((*earlier, *later)):
        old, new = earlier.get(engine, []), later.get(engine, [])
        sides = tuple({statement.statement_id: statement for statement in side} for side in (old, new))
        for pair in match_statements(entered_record(engine, old), entered_record(engine, new)):
            rows.append((_taken(sides[0], pair.before_ids), _taken(sides[1], pair.after_ids)))
        rows += [(statement, None) for statement in sides[0].values()]
        rows += [(None, statement) for statement in sides[1].values()]
    return sorted(
        rows, key=lambda pair: (-max(statement.elapsed_s or 0.0 for statement in pair if statement), None in pair)
    )


def _taken(statements: dict[str, Statement], ids: Sequence[str]) -> Statement | None:
    """The first of them; others of the same statement stay to stand alone."""
    return statements.pop(ids[0], None) if ids else None


def are_left_out(project: Project, sides: Sequence[Sequence[Run]]) -> bool:
    """Whether there are any, of whole runs as they are, beside a window that is of several."""
    entered = any(engagements.read_statements_by_hand(project, run.id) for own in sides for run in own)
    return entered and any(len(own) != 1 for own in sides)
