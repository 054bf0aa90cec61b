"""Rows of views, in every form that a client prints them in. Expected cells are read off the text by eye."""

from __future__ import annotations

import pytest

from tunebench.families.views.records import RecordReader, record_number
from tunebench.families.views.rows import Form, RowReader, is_frame, looks_like_heading


def rows_of(text: str) -> list[list[str] | None]:
    """Rows below the first line; rulers are taken as such."""
    heading, *lines = text.encode().split(b"\n")
    reader = RowReader(heading)
    found = []
    for line in lines:
        if reader.take_ruler(line):
            continue
        cells = reader.read(line)
        if cells is not None or not reader.held_lines:
            found.append(cells)
    return found


@pytest.mark.parametrize(
    ("heading", "form"),
    [
        ("queryid,query,calls", Form.QUOTED),
        ('"queryid";"query";"calls"', Form.QUOTED),
        ("queryid~query~calls", Form.QUOTED),
        ("queryid|query|calls", Form.QUOTED),
        ('"queryid"\t"query"\t"calls"', Form.QUOTED),
        ("queryid\tquery\tcalls", Form.TABBED),
        (" queryid | query | calls ", Form.PSQL),
        ("| queryid | query | calls |", Form.FRAMED),
    ],
)
def test_the_heading_tells_the_form(heading, form):
    reader = RowReader(heading.encode())
    assert (reader.form, reader.columns) == (form, ("queryid", "query", "calls"))


def test_headings_are_read_in_lower_case_and_without_a_mark():
    assert RowReader(b"\xef\xbb\xbfSQL_ID,Executions\r").columns == ("sql_id", "executions")
    assert looks_like_heading(b"A,b,C", [frozenset({"a", "x"}), frozenset({"b", "c"})])
    assert not looks_like_heading(b"A,b", [frozenset({"b", "c"})])


def test_quoted_cells_hold_separators_quotes_and_line_ends():
    text = 'id,query,calls\n1,"select ""a,b""\nfrom t -- ""\n",3\n2,,4\n3,"",5'
    assert rows_of(text) == [["1", 'select "a,b"\nfrom t -- "\n', "3"], ["2", "", "4"], ["3", "", "5"]]


def test_a_quote_inside_of_an_unquoted_cell_opens_nothing():
    """psql -A quotes nothing."""
    assert rows_of('id|query|calls\n1|select 5" as inch|3\n2|x|4') == [["1", 'select 5" as inch', "3"], ["2", "x", "4"]]


def test_a_cell_that_never_closes_is_held_until_somebody_asks():
    reader = RowReader(b"id,query")
    assert reader.read(b'1,"never') is None
    assert reader.read(b"closes") is None
    assert reader.held_lines == 2
    assert reader.take_held() == [b'1,"never', b"closes"]
    assert reader.read(b"2,x") == ["2", "x"]


def test_tabbed_cells_are_freed_of_escapes():
    text = "digest\ttext\tcount\nNULL\tselect 1\\n from\\tt where a = '\\\\'\t7\n\\N\tx\t8"
    assert rows_of(text) == [["", "select 1\n from\tt where a = '\\'", "7"], ["", "x", "8"]]


PSQL = """\
 queryid |       query        | calls
---------+--------------------+-------
      12 | select a || b     +|     3
         |   from t          +|
         |  where c = '+'     |
      -7 | 한글을 | 조회      |     4"""


def test_a_table_of_psql_is_cut_at_its_ruler():
    """Texts with bars and plus signs, over lines, with characters that take two columns."""
    assert rows_of(PSQL) == [["12", "select a || b\n  from t\n where c = '+'", "3"], ["-7", "한글을 | 조회", "4"]]


def test_a_table_of_psql_whose_last_cell_goes_on():
    text = " id |   query   \n----+-----------\n  1 | select 1 +\n    | from t   +\n    |\n  2 | x"
    rows = rows_of(text)
    assert rows == [["1", "select 1\nfrom t"], ["2", "x"]]


def test_without_a_ruler_bars_part_the_cells():
    assert rows_of(" a | b \n 1 | 2 ") == [["1", "2"]]


FRAMED = """\
| SCHEMA_NAME | DIGEST_TEXT | COUNT |
+-------------+-------------+-------+
| NULL        | select 1|2  |     7 |
+-------------+-------------+-------+"""


def test_a_framed_table():
    assert rows_of(FRAMED) == [["", "select 1|2", "7"]]
    assert is_frame(b"+----+----+") and not is_frame(b"----+----")


def record_of(mark: bytes, *lines: str) -> dict[str, str]:
    reader = RecordReader(mark, 1)
    assert all(reader.take(line.encode()) for line in lines)
    assert reader.lines == len(lines)
    return dict(zip(reader.columns, reader.cells, strict=True))


def test_expanded_output_of_psql():
    mark = b"-[ RECORD 12 ]------+----------"
    assert record_number(mark) == 12
    found = record_of(
        mark, "queryid | 12", "query   | select a | b       +", "        |   from t", "calls   | 3  ", "x       | "
    )
    assert found == {"queryid": "12", "query": "select a | b\n  from t", "calls": "3", "x": ""}


def test_vertical_output_of_mysql():
    mark = b"*************************** 2. row ***************************"
    assert record_number(mark) == 2
    found = record_of(mark, "  Type: InnoDB", "  Name: NULL", "Status: ", "=====", "a: 1 line: 2")
    assert found == {"type": "InnoDB", "name": "", "status": "\n=====\na: 1 line: 2"}


@pytest.mark.parametrize("line", [b"-[ RECORD x ]", b"*** 1. row ***x", b"", b"a | b"])
def test_other_lines_begin_no_record(line):
    assert record_number(line) is None
