"""Cells between separators: the scanner and a cell read by itself give the double nearest to the printed decimal."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunebench.families.delimited import read_cells, scanner_of
from tunebench.families.page_reading import Cell, Field, Key, suffix_factors

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9)


def read(scanner, text):
    """What stands behind what could be read, and the rows of each table."""
    at, number, rows = 0, 1, {}
    while True:
        scan = scanner.scan(text, at, number)
        at, number = scan.end, number + scan.lines
        for part in scan.rows:
            rows.setdefault(part.table, []).extend(
                zip(
                    part.lines.tolist(),
                    part.values.tolist(),
                    part.fields.tolist() or [[]] * len(part.lines),
                    strict=True,
                )
            )
        if scan.other or at == len(text):
            return text[at:], rows


def rows_of(scanner, text, columns):
    table = scanner.open_table = scanner.table(columns, Key.NONE, suffix_factors((1.0,) * columns))
    rest, rows = read(scanner, text)
    return rest, [values for _, values, _ in rows[table]]


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=20))
def test_every_number_is_what_float_makes_of_it(rows):
    texts = [[f"{value:f}".encode() for value in row] for row in rows]
    _, values = rows_of(scanner_of(b","), b"".join(b",".join(row) + b"\n" for row in texts), 3)
    assert values == [[float(text) for text in row] for row in texts]
    assert [read_cells(row)[0] for row in texts] == values


def test_what_is_missing_and_what_is_text():
    values, text = read_cells([b"1.5", b"", b"x", b"-", b" 7", b"- 5", b"1.2.3", b"12345678901234567890"])
    assert [None if math.isnan(value) else value for value in values] == [
        1.5,
        None,
        None,
        None,
        7.0,
        None,
        None,
        12345678901234567890.0,
    ]
    assert np.flatnonzero(text).tolist() == [2, 5, 6]


@pytest.mark.parametrize("separator", [b",", b";", b"|", b"\t"])
def test_a_row_has_as_many_cells_as_its_table(separator):
    text = b"1,,-\n 2 ,3.5,\n4,5\n".replace(b",", separator)
    rest, values = rows_of(scanner_of(separator), text, 3)
    assert rest == b"4,5\n".replace(b",", separator)
    assert [[None if math.isnan(one) else one for one in row] for row in values] == [[1, None, None], [2, 3.5, None]]


def test_keys_of_several_cells_behind_words():
    scanner = scanner_of(b"\t")
    table = scanner.table([Cell.NUMBER, Cell.WORD], Key.FIRST, suffix_factors((1.0,)), words=1, key_cells=2)
    scanner.open_table = table
    rest, rows = read(scanner, b"host\tall\t%user\t12.5\tnote\nhost\tcpu0\t%user\t1\t\n")
    assert list(table.names) == [b"all\t%user", b"cpu0\t%user"]
    assert (rest, [values for _, values, _ in rows[table]]) == (b"", [[12.5], [1.0]])
    with pytest.raises(ValueError, match="separator"):
        scanner.table(1, Key.AROUND, suffix_factors((1.0,)))


@pytest.mark.parametrize("separator", [b"", b","])
def test_a_first_word_tells_whose_row_a_line_is(separator):
    scanner = scanner_of(separator)
    tables = [scanner.table(columns, Key.NONE, suffix_factors((1.0,) * columns)) for columns in (1, 2)]
    for word, table in zip((b"CPU", b"MEM"), tables, strict=True):
        scanner.stamp_rows(table, b"T0001", [Field(1, 5, 9999)], first=True)
        scanner.tag(word, table)
    text = b"CPU,T0001,5\nMEM,T0001,7,8\nCPU,T0002,6\nNET,T0002,6\n".replace(b",", separator or b" ")
    rest, rows = read(scanner, text)
    assert {table: [(line, values, fields[0]) for line, values, fields in own] for table, own in rows.items()} == {
        tables[0]: [(1, [5.0], 1), (3, [6.0], 2)],
        tables[1]: [(2, [7.0, 8.0], 1)],
    }
    assert rest.startswith(b"NET")
