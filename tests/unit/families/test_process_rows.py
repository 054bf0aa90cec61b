"""Many rows of processes at once: the same as one by one, as far as the limit lets them in."""

from __future__ import annotations

import numpy as np

from tunebench.families.processes import FEW, ProcessLimit, ProcessRows
from tunebench.sdk import LedgerBook, TableBuilder


def added(count: int, busy_pct: list[float]):
    book = LedgerBook()
    table = TableBuilder("process", ("%CPU", "RES"), "process", book)
    rows = ProcessRows(ProcessLimit(), book)
    names = [b"p[%d]" % number for number in range(count)]
    numbers = np.arange(2.0 * count).reshape(count, 2)
    texts = {number: b"line " + name for number, name in enumerate(names, 100)}
    lines = np.arange(100, 100 + count)
    kept = rows.add(table, 10, lines, texts.__getitem__, names, busy_pct, numbers, False)
    return book, table, rows, kept


def test_all_that_have_a_place():
    book, table, _, kept = added(3, [0.0, 0.0, 0.0])
    [batch] = table.flush(final=True)
    assert kept.all()
    assert book.data_lines == 3
    assert batch.line_numbers.tolist() == [100]
    assert batch.values.tolist() == [[0, 1, 2, 3, 4, 5]]
    assert [dict(key.attributes)["process"] for key in batch.series[::2]] == ["p[0]", "p[1]", "p[2]"]


def test_idle_ones_beyond_the_first_few_are_named_with_their_lines():
    book, table, rows, kept = added(FEW + 3, [0.0] * (FEW + 1) + [1.0, 0.0])
    assert np.flatnonzero(~kept).tolist() == [FEW, FEW + 2]
    assert book.data_lines == FEW + 1
    ledger = book.close()
    [skipped] = ledger.skipped
    assert (skipped.reason, skipped.count, skipped.first_line) == ("too_many_processes", 2, 100 + FEW)
    assert skipped.example == f"line p[{FEW}]"
    [batch] = table.flush(final=True)
    assert batch.values[0, -2:].tolist() == [2 * FEW + 2, 2 * FEW + 3]
    assert rows.keeps(b"p[1]", 0.0)
    assert not rows.keeps(b"late[1]", 0.0)
