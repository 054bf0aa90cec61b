from __future__ import annotations

from app.analysis.statements import pair_statements, totals
from app.domain.engagement import Statement


def statement(number: str, text: str, elapsed_s: float | None, blocks: int | None = None) -> Statement:
    return Statement(1, "postgresql", number, text, elapsed_s=elapsed_s, block_gets=blocks)


def test_pairs_by_id_then_by_text_and_drops_nothing() -> None:
    before = [statement("1", "select a", 5.0), statement("2", "select  B\nfrom t", 9.0), statement("3", "gone", 1.0)]
    after = [statement("1", "select a", 1.0), statement("77", "SELECT b from T", 2.0), statement("8", "new", 0.5)]
    pairs = [(b and b.statement_id, a and a.statement_id) for b, a in pair_statements(before, after)]
    assert pairs == [("2", "77"), ("1", "1"), ("3", None), (None, "8")]


def test_totals_of_nothing_reported_are_none() -> None:
    assert totals([statement("1", "x", None)]).elapsed_s is None
    found = totals([statement("1", "x", 1.5, 10), statement("2", "y", None, 5)])
    assert (found.elapsed_s, found.block_gets) == (1.5, 15)
