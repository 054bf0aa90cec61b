"""Statements are broken at their clauses, and lines marked by what became of them."""

from __future__ import annotations

from tunebench.analysis.databases.text_alignment import aligned, broken_up, changed_spans


def test_long_statements_are_broken_at_their_clauses_but_not_inside_quotes() -> None:
    long = (
        "select a, b from t where x = ' from here and there ' and y = 2 order by z"
        + " " * 3
        + "/* and so on */ limit 5 -- x"
        + "y" * 40
    )
    lines = broken_up(long).splitlines()
    assert [line.split()[0] for line in lines] == ["select", "from", "where", "and", "order", "limit"]
    assert "' from here and there '" in lines[2] and "/* and so on */" in lines[4]
    assert broken_up("select 1 from dual") == "select 1 from dual"


def test_lines_are_marked_by_what_became_of_them() -> None:
    left, right = aligned(["select a", "from t", "where x = 1"], ["select a", "from t, u", "where x = 1", "and y = 2"])
    assert [line.sign for line in left] == ["", "~", "", ""] and left[3].filler
    assert [line.sign for line in right] == ["", "~", "", "+"]
    assert changed_spans("where a = 1", "where bb = 1") == (((6, 7),), ((6, 8),))
