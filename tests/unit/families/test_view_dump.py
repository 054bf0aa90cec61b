"""The base of parsers for database views: rounds, sections, exports one after the other, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tunebench.domain.ledger import Ledger
from tunebench.families.views.dump import Dump, ViewDumpParser
from tunebench.sdk import ParseContext
from tunebench.sdk.databases import DatabaseIdentity, DatabaseRecord, Engine, Moment, Reach

VIEWS = {frozenset({"queryid", "calls"}): "statements", frozenset({"name", "setting"}): "settings"}


class Reader(ViewDumpParser):
    """Keeps its dumps."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.dumps: list[Dump] = []

    def name_of(self, columns: Sequence[str]) -> str:
        return next((name for wanted, name in VIEWS.items() if wanted <= set(columns)), "")

    def knows(self, name: str, columns: Sequence[str]) -> bool:
        return name != "strange" and "odd" not in columns

    def moment_of(self, dump: Dump) -> int | None:
        view = dump.view("settings")
        return 77 if view is not None and ["clock", "77"] in view.rows else None

    def read_dump(self, dump: Dump) -> Iterable[DatabaseRecord]:
        self.dumps.append(dump)
        yield DatabaseRecord("test", Reach.COUNTERS, DatabaseIdentity(Engine.POSTGRESQL), Moment(dump.time_ns))


def read(text: str | bytes, piece: int = 1 << 20, **context: object) -> tuple[list[Dump], Ledger]:
    data = text.encode() if isinstance(text, str) else text
    parser = Reader(ParseContext(**context))  # type: ignore[arg-type]
    records: list[DatabaseRecord] = []
    for start in range(0, len(data), piece):
        assert list(parser.feed(data[start : start + piece])) == []
        records += parser.take_records()
    assert list(parser.finish()) == []
    records += parser.take_records()
    assert parser.take_records() == []
    ledger = parser.ledger()
    assert ledger.lines.balanced, ledger.lines
    assert [record.end.time_ns for record in records] == [dump.time_ns for dump in parser.dumps]
    return parser.dumps, ledger


def skipped(ledger: Ledger) -> dict[str, int]:
    return {entry.reason: entry.count for entry in ledger.skipped}


def ns(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


ROUNDS = """\
@tunebench at 2026-11-21T02:48:00.000Z
@section statements
queryid,query,calls
1,"select
@section inside
2",3
2,x,4
@section settings
name,setting
work_mem,4MB
@end
@tunebench at 2026-11-21T02:49:00.000Z
@section statements
queryid,query,calls
1,y,5
@end
"""


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_rounds_of_a_capture_of_ours(piece):
    """A quoted cell may hold lines that nearly look like marks of ours."""
    text = ROUNDS.replace("@section inside\n", "@sections inside\n")
    (first, second), ledger = read(text, piece)
    assert (first.time_ns, second.time_ns) == (ns("2026-11-21T02:48:00"), ns("2026-11-21T02:49:00"))
    statements, settings = first.views
    assert statements.name == "statements" and statements.columns == ("queryid", "query", "calls")
    assert statements.rows == [["1", "select\n@sections inside\n2", "3"], ["2", "x", "4"]]
    assert statements.lines == [4, 7]
    assert settings.records() == [{"name": "work_mem", "setting": "4MB"}]
    assert statements.column("nothing", "calls") == ["3", "4"] and statements.column("nothing") is None
    assert first.view("nothing", "settings") is settings
    assert first.whole and second.whole
    assert (ledger.lines.data, ledger.lines.header, skipped(ledger)) == (6, 10, {})


def test_a_round_that_was_cut_off_is_not_whole():
    (first, second), ledger = read(ROUNDS.replace("@end\n@tunebench", "@tunebench").replace("@section inside\n", ""))
    assert (first.whole, second.whole) == (False, True)
    assert ledger.warnings == ("snapshot_cut_off",)
    (only,), ledger = read(ROUNDS[: ROUNDS.index("@section inside")])
    assert not only.whole and only.views[0].rows == []
    assert skipped(ledger) == {"truncated": 1}


def test_a_mark_inside_of_an_open_quote_ends_the_row():
    (first, _), ledger = read(ROUNDS)
    assert first.views[0].rows == [] and not first.whole
    assert first.views[1].name == "inside"
    assert skipped(ledger)["truncated"] == 1


def test_errors_and_unknown_sections_lose_nothing_else():
    text = """\
@tunebench at 2026-11-21T02:48:00.000Z
@section statements
ERROR:  permission denied for view statements
@section settings
name,setting
psql: error: connection to server was lost
a,b
@section strange
x,y
1,2
3,4
@section settings
odd,setting
1,2
@end
"""
    (dump,), ledger = read(text)
    assert [(view.name, view.rows) for view in dump.views] == [("settings", [["a", "b"]])]
    assert skipped(ledger) == {"message": 2, "section_unknown": 3}


def test_an_export_has_the_time_of_its_file():
    written = ns("2026-11-21T10:00:00")
    (dump,), ledger = read("queryid,calls\n1,2\n", modified_ns=written)
    assert (dump.time_ns, dump.views[0].name, dump.whole) == (written, "statements", True)
    assert [(one.subject, one.source) for one in ledger.assumptions] == [("start", "mtime")]
    (dump,), ledger = read(
        "queryid,calls\n1,2\n", modified_ns=written, start=datetime(2026, 11, 21, 9), zone=ZoneInfo("Asia/Seoul")
    )
    assert dump.time_ns == ns("2026-11-21T00:00:00")
    assert [(one.subject, one.source) for one in ledger.assumptions] == [("start", "user")]
    (dump,), ledger = read("queryid,calls\n1,2\n")
    assert (dump.time_ns, ledger.needs) == (None, ("start",))


def test_what_the_views_tell_comes_before_the_files_time():
    (dump,), ledger = read("name,setting\nclock,77\n", modified_ns=ns("2026-11-21T10:00:00"))
    assert (dump.time_ns, ledger.assumptions) == (77, ())


def test_several_views_in_one_file_are_of_one_moment():
    text = " queryid | calls \n---------+-------\n       1 |     2\n(1 row)\n\nname,setting\na,b\n"
    (dump,), ledger = read(text, modified_ns=5)
    assert [(view.name, view.rows) for view in dump.views] == [("statements", [["1", "2"]]), ("settings", [["a", "b"]])]
    assert (ledger.lines.data, ledger.lines.header, ledger.lines.blank) == (2, 4, 1)


def test_a_heading_below_rows_begins_another_view():
    (dump,), _ = read("queryid,calls\n1,2\nname,setting\na,b\n", modified_ns=5)
    assert [(view.name, view.rows) for view in dump.views] == [("statements", [["1", "2"]]), ("settings", [["a", "b"]])]


def test_a_view_that_comes_again_is_of_another_moment():
    """The file was written when the last was; when the first was, nobody says."""
    (first, second), ledger = read("queryid,calls\n1,2\nqueryid,calls\n1,5\n", modified_ns=5)
    assert [(first.time_ns, first.views[0].rows), (second.time_ns, second.views[0].rows)] == [
        (None, [["1", "2"]]),
        (5, [["1", "5"]]),
    ]
    assert ledger.needs == ("start",)


def test_somebodys_loop_with_dates():
    text = "Sat Nov 21 02:48:00 UTC 2026\nqueryid,calls\n1,2\n1795229340\nqueryid,calls\n1,3\n"
    (first, second), ledger = read(text)
    assert (first.time_ns, second.time_ns) == (ns("2026-11-21T02:48:00"), 1795229340 * 10**9)
    assert (first.views[0].rows, second.views[0].rows) == ([["1", "2"]], [["1", "3"]])
    assert ledger.lines.header == 4


def test_a_heading_that_a_page_break_repeats_is_no_row():
    text = "@tunebench at 2026-11-21T02:48:00Z\n@section s\nqueryid,calls\n1,2\nqueryid,calls\n3,4\n@end\n"
    (dump,), _ = read(text)
    assert [view.rows for view in dump.views] == [[["1", "2"], ["3", "4"]]]


EXPANDED = """\
-[ RECORD 1 ]--+--
queryid | 1
calls   | 2
-[ RECORD 2 ]--+--
queryid | 3
calls   | 4

-[ RECORD 1 ]--+--
queryid | 1
calls   | 9
(1 row)
"""


@pytest.mark.parametrize("piece", [1, 11, 1000])
def test_expanded_output(piece):
    """The second table is the same view again, later."""
    (first, second), ledger = read(EXPANDED, piece, modified_ns=5)
    assert first.views[0].rows == [["1", "2"], ["3", "4"]] and first.views[0].lines == [1, 4]
    assert (second.views[0].rows, second.time_ns) == ([["1", "9"]], 5)
    assert (ledger.lines.data, ledger.lines.header, ledger.lines.blank) == (6, 4, 1)


def test_expanded_output_that_is_cut_off():
    (dump,), ledger = read(EXPANDED[: EXPANDED.index("calls   | 4")], modified_ns=5)
    assert dump.views[0].rows == [["1", "2"]] and not dump.whole
    assert skipped(ledger) == {"truncated": 1} and ledger.warnings == ("snapshot_cut_off",)


@pytest.mark.parametrize("footer", ["(1 row)", "(2개 행)", "(2 Zeilen)", "1 row in set (0.00 sec)", "COPY 5"])
def test_footers_end_a_table(footer):
    (dump,), ledger = read(f"queryid,calls\n1,2\n{footer}\nnoise after it, and more\n", modified_ns=5)
    assert dump.views[0].rows == [["1", "2"]]
    assert (ledger.lines.header, skipped(ledger)) == (2, {"not_a_table": 1})


def test_rows_of_another_width_are_named():
    (dump,), ledger = read("queryid,query,calls\n1,a,b,2\n3,c,4\nhello\n", modified_ns=5)
    assert dump.views[0].rows == [["3", "c", "4"]]
    assert skipped(ledger) == {"unreadable_numbers": 1, "message": 1}
