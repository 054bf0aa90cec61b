"""Tables out of HTML: what names them, headings of several rows, lines of rows, encodings, damage."""

from __future__ import annotations

import pytest

from tunebench.sdk.html_tables import HtmlDocument, collapsed, decoded

PAGE = """<html><head><title>A  report
for X</title><style>td {color: red}</style></head>
<body>
<h3 class='x'>First things</h3>
<ul><li> Captured 88.0% of all &lt;things&gt; </li></ul>
<table border="0" summary="This table displays
      cache   sizes ">
<tr><th>Name</th><th colspan="2">Size</th><th rowspan=2>Note</th></tr>
<tr><th>&#160;</th><th>Begin</th><th>End</th></tr>
<tr><td scope="row">pool</td><td>1,024</td><td>&#160;</td><td>a<br>b</td></tr>

<tr><td>log
buffer</td><td colspan="2"> 7 </td><td><a href="#x">li</a>nk</td></tr>
</table>
<p>between</p>
<TABLE SUMMARY='second'><TR><TD>x:<TD>1<TR><TD>y:<TD>2</TABLE>
</body></html>
"""


def document(text: str, first_line: int = 1) -> HtmlDocument:
    return HtmlDocument(text.encode(), first_line)


def test_title_summary_and_heading():
    page = document(PAGE)
    first, second = page.tables
    assert page.title == "A report for X"
    assert (first.summary, first.key) == ("This table displays cache sizes", "this table displays cache sizes")
    assert second.summary == "second"
    assert first.header == (("Name", ""), ("Size", "Begin"), ("Size", "End"), ("Note",))
    assert second.header == ()


def test_cells_are_text():
    first, second = document(PAGE).tables
    assert [row.cells for row in first.rows] == [("pool", "1,024", "", "a\nb"), ("log\nbuffer", "7", "", "link")]
    assert [row.cells for row in second.rows] == [("x:", "1"), ("y:", "2")]


def test_rows_and_tables_know_their_lines():
    first, second = document(PAGE, first_line=101).tables
    lines = PAGE.splitlines()
    assert (first.first_line, first.last_line) == (106, 114)
    assert [lines[row.line - 101] for row in first.rows] == [lines[9], lines[11]]
    assert (second.first_line, second.last_line) == (116, 116)
    assert [row.line for row in second.rows] == [116, 116]


def test_notes_are_what_stands_between_the_tables():
    first, second = document(PAGE).tables
    assert [(note.line, note.text) for note in first.notes] == [
        (4, "First things"),
        (5, "Captured 88.0% of all <things>"),
    ]
    assert [note.text for note in second.notes] == ["between"]


def test_columns_by_name_group_and_neighbour():
    text = (
        '<table summary="t"><tr><th>Waits</th><th colspan=2>Reads: Data</th></tr>'
        "<tr><th>I#</th><th>Reqs per sec</th><th>Avg</th></tr></table>"
        '<table summary="u"><tr><th>Reads: Data</th><th>Reqs per sec</th><th>Writes: Data</th><th>Reqs  per sec</th></tr></table>'
    )
    grouped, flat = document(text).tables
    assert grouped.column("avg", group="reads: data") == 2
    assert grouped.column("Avg", group="Waits") is None
    assert flat.column("Reqs per sec", after="Writes: Data") == 3
    assert flat.column("Reqs per sec") == 1
    assert flat.column("Reqs per sec", after="Nothing") is None
    assert flat.has("Reads: Data", "writes:data") and not flat.has("Reads: Data", "Other")


def test_a_report_that_ends_in_the_middle_gives_what_is_there():
    whole = document(PAGE).tables[0]
    for cut in range(PAGE.index("<table") + 6, PAGE.index("</table>")):
        tables = document(PAGE[:cut]).tables
        assert len(tables) <= 1
        for table in tables:
            assert not table.whole
            assert [row.line for row in table.rows] == [row.line for row in whole.rows][: len(table.rows)]
    assert whole.whole


def test_a_table_around_others_is_left_out():
    text = '<table id="layout"><tr><td><table summary="in"><tr><td>1</td></tr></table></td></tr></table>'
    tables = document(text).tables
    assert [table.summary for table in tables] == ["", "in"]
    assert [row.cells for row in tables[1].rows] == [("1",)]
    assert [table.summary for table in document(text.replace("<tr><td><table", "<table")).tables] == ["in"]


def test_a_heading_repeated_further_down_is_no_row():
    text = "<table><tr><th>A</th></tr><tr><td>1</td></tr><tr><th>A</th></tr><tr><td>2</td></tr></table>"
    (table,) = document(text).tables
    assert table.header == (("A",),)
    assert [row.cells for row in table.rows] == [("1",), ("2",)]


def test_lines_beyond_those_that_libxml2_counts():
    rows = "".join(f"<tr><td>{number}</td></tr>\n" for number in range(70_000))
    (table,) = document(f"<table>\n{rows}</table>").tables
    assert [row.line for row in table.rows] == list(range(2, 70_002))


@pytest.mark.parametrize(
    ("encoding", "declared", "expected"),
    [
        ("utf-8", "", "utf-8"),
        ("utf-8", "euc-kr", "utf-8"),
        ("cp949", "", "cp949"),
        ("euc-kr", "euc-kr", "euc-kr"),
        ("cp949", "iso-8859-1", "cp949"),
        ("utf-16", "", "utf-16"),
        ("shift_jis", "shift_jis", "shift_jis"),
    ],
)
def test_encodings(encoding, declared, expected):
    word = "月次" if encoding == "shift_jis" else "영업점"
    head = f'<meta http-equiv="x" content="text/html; charset={declared}">' if declared else ""
    page = HtmlDocument(f"<html><head>{head}</head><table><tr><td>{word}\n</td></tr></table>".encode(encoding))
    assert page.encoding == expected
    assert page.tables[0].rows[0].cells == (word,)


def test_bytes_that_fit_nothing_are_replaced_and_said():
    text, encoding = decoded(b"<td>\xff\xfe\xff 1</td>\n"[:4] + b"\x81\xff\x00 1</td>\n")
    assert encoding == "replaced"
    assert text.decode() == "<td>\ufffd\ufffd  1</td>\n"


def test_a_code_page_of_letters_that_korean_does_not_fit():
    data = '<meta charset="windows-1252"><td>Größe ÷ ÿ</td>'.encode("cp1252")
    assert decoded(data) == ('<meta charset="windows-1252"><td>Größe ÷ ÿ</td>'.encode(), "windows-1252")


def test_a_report_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("tunebench.sdk.html_tables.MOST_BYTES", 100)
    with pytest.raises(ValueError, match="too large"):
        HtmlDocument(b"x" * 101)


def test_a_report_of_too_many_tags_is_refused():
    with pytest.raises(ValueError, match="too large"):
        HtmlDocument(b"<td>" * 2_000_001)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<table",
        "<table>",
        "</table>",
        "<table><tr",
        "<table" * 5000,
        "<tr>" * 5000,
        "<table><tr><td>" * 3000,
        "<table>" + "<b>" * 20_000 + "<tr><td>1",
    ],
)
def test_any_markup_is_borne(text):
    for table in document(text).tables:
        assert all(row.line == 1 for row in table.rows)


def test_collapsed():
    assert collapsed(" a\n\t b\xa0 c ") == "a b c"


def test_an_empty_cell_may_stand_in_the_corner_of_the_headings():
    """Reports of compared periods write it as a cell of the body, and a blank before the number of columns."""
    data = (
        b'<table><tr><td>&nbsp;</td><th colspan=" 2">Time (s)</th></tr><tr><th>Name</th><th>1st</th><th>2nd</th></tr>'
        b"<tr><td>DB time</td><td>1</td><td>2</td></tr></table>"
    )
    (table,) = HtmlDocument(data).tables
    assert table.header == (("", "Name"), ("Time (s)", "1st"), ("Time (s)", "2nd"))
    assert [row.cells for row in table.rows] == [("DB time", "1", "2")]
