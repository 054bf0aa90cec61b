"""SQL statements of two runs, matched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.domain.engagement import Statement

StatementSides = tuple[Statement | None, Statement | None]


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over statements; None where no statement reports the figure."""

    elapsed_s: float | None
    block_gets: int | None


def normalised_text(text: str) -> str:
    """Blanks folded, case ignored: enough to know a statement again whose id changed."""
    return " ".join(text.split()).lower()


def pair_statements(before: Sequence[Statement], after: Sequence[Statement]) -> list[StatementSides]:
    """Pairs by (engine, id), then by text; what stands on one side only comes last.

    In the order of the larger elapsed time, so that the first line is the one that matters most.
    """
    pairs: list[StatementSides] = []
    later = {(s.engine, s.statement_id): s for s in after}
    unmatched = []
    for statement in before:
        partner = later.pop((statement.engine, statement.statement_id), None)
        if partner is None:
            unmatched.append(statement)
        else:
            pairs.append((statement, partner))
    by_text = {normalised_text(s.text): key for key, s in later.items()}
    for statement in unmatched:
        key = by_text.pop(normalised_text(statement.text), None)
        pairs.append((statement, later.pop(key) if key else None))
    pairs.extend((None, statement) for statement in later.values())
    return sorted(pairs, key=_weight, reverse=True)


def _weight(pair: StatementSides) -> float:
    return max((side.elapsed_s or 0.0) for side in pair if side is not None)


def totals(statements: Iterable[Statement]) -> Totals:
    known = list(statements)
    elapsed = [s.elapsed_s for s in known if s.elapsed_s is not None]
    blocks = [s.block_gets for s in known if s.block_gets is not None]
    return Totals(sum(elapsed) if elapsed else None, sum(blocks) if blocks else None)
