"""Tables without code: each rule of a definition, and its account of every line."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.sdk.simple_tables import AT, NOVEMBER_21, QUEUES, definition, outcome, series, skipped, sniff
from tunebench.sdk.testkit_runs import merged

HEAD = "time                queue depth wait size state\n"
FIRST = "2026-11-21 16:10:13 in    3     1.5  5.7M ok\n"
COLUMNS = '"size" = { unit = "By", suffix = "binary" }\n"state" = { ignored = "a word" }\n'


# -- cells -------------------------------------------------------------------------------------------


def test_rows_of_things_with_a_stamp_of_two_words():
    rows = "2026-11-21 16:10:18 in 4 - 1K slow\n2026-11-21 16:10:18 out 9 2 5 ok\n"
    made = outcome(QUEUES + COLUMNS, HEAD + FIRST + rows)
    assert series(made) == {
        "in depth": [(AT, 3.0), (AT + 5, 4.0)],
        "in wait": [(AT, 1.5)],
        "in size": [(AT, 5.7 * 1024**2), (AT + 5, 1024.0)],
        "out depth": [(AT + 5, 9.0)],
        "out wait": [(AT + 5, 2.0)],
        "out size": [(AT + 5, 5.0)],
    }
    assert (made.ledger.lines.data, made.ledger.lines.header, made.ledger.tool) == (3, 1, "queues")
    ignored = made.ledger.assumptions[0]
    assert (ignored.subject, ignored.value, ignored.source) == ("columns_ignored", "state", "definition")


def test_a_column_that_nobody_described_is_kept_under_its_name():
    made = outcome(QUEUES, "time queue depth brand_new\n2026-11-21 16:10:13 in 3 7\n")
    assert series(made)["in brand_new"] == [(AT, 7.0)]


@pytest.mark.parametrize(
    ("separator", "text"),
    [
        ("comma", 'a,"b, with",c\n2026-11-21 16:10:13,"x, y",3\n'),
        ("semicolon", "a;b, with;c\n2026-11-21 16:10:13;x, y;3\n"),
        ("tab", "a\tb, with\tc\n2026-11-21 16:10:13\tx, y\t3\n"),
        ("bar", "| a | b, with | c |\n| 2026-11-21 16:10:13 | x, y | 3 |\n"),
        ("::", "a::b, with::c\n2026-11-21 16:10:13::x, y::3\n"),
    ],
)
def test_separators(separator, text):
    made = outcome(
        QUEUES.replace("files =", f'separator = "{separator}"\nfiles =')
        .replace('columns = ["time"]', 'columns = ["a"]')
        .replace('["time", "queue", "depth"]', '["c"]')
        .replace('device = "queue"', 'device = "b, with"'),
        text,
    )
    assert series(made) == {"x, y c": [(AT, 3.0)]}


@pytest.mark.parametrize(
    ("cell", "value"),
    [("12,5", 12.5), ("1.234,5", 1234.5), ("1.234", 1234.0), ("-3,5", -3.5), ("7", 7.0), ("45,2%", 45.2)],
)
def test_decimal_commas(cell, value):
    text = QUEUES.replace("files =", 'decimal = ","\nfiles =')
    assert series(outcome(text, f"time queue depth\n2026-11-21 16:10:13 in {cell}\n")) == {"in depth": [(AT, value)]}


@pytest.mark.parametrize(
    ("cell", "value"), [("1,234.5", 1234.5), ("12.5%", 12.5), ("-0.5", -0.5), ("+3", 3.0), ("1e3", 1e3)]
)
def test_decimal_points(cell, value):
    assert series(outcome(QUEUES, f"time queue depth\n2026-11-21 16:10:13 in {cell}\n")) == {"in depth": [(AT, value)]}


@pytest.mark.parametrize(
    ("suffix", "unit", "cell", "value"),
    [
        ("binary", "By", "2K", 2048.0),
        ("binary", "KiBy", "2M", 2048.0),
        ("decimal", "By", "2.5G", 2.5e9),
        ("decimal", "1", "3M", 3e6),
        ("binary", "By", "5.7MB", 5.7 * 1024**2),
        ("binary", "KiBy", "12", 12.0),
    ],
)
def test_suffixes(suffix, unit, cell, value):
    text = QUEUES + f'"depth" = {{ unit = "{unit}", suffix = "{suffix}" }}\n'
    assert series(outcome(text, f"time queue depth\n2026-11-21 16:10:13 in {cell}\n")) == {"in depth": [(AT, value)]}


@pytest.mark.parametrize("cell", ["-", "--", "n/a", "NaN", "null"])
def test_a_missing_cell_is_missing_and_never_zero(cell):
    made = outcome(QUEUES, f"time queue depth wait\n2026-11-21 16:10:13 in {cell} 1\n")
    assert series(made) == {"in wait": [(AT, 1.0)]}
    assert made.ledger.warnings == ()


def test_text_in_a_described_column_spoils_its_row_and_elsewhere_it_is_missing():
    rows = "time queue depth wait\n2026-11-21 16:10:13 in many 1\n"
    made = outcome(QUEUES, rows)
    assert series(made) == {"in wait": [(AT, 1.0)]}
    assert made.ledger.warnings == ("table_text_cells",)
    made = outcome(QUEUES + '"depth" = { unit = "1" }\n', rows)
    assert series(made) == {}
    assert skipped(made) == {"unreadable_numbers": 1}
    assert made.ledger.skipped[0].example == "2026-11-21 16:10:13 in many 1"


def test_a_number_beyond_all_bounds_is_text():
    made = outcome(QUEUES + '"depth" = { unit = "1" }\n', "time queue depth\n2026-11-21 16:10:13 in 1e400\n")
    assert skipped(made) == {"unreadable_numbers": 1}


def test_two_things_of_a_row_and_attributes_of_a_column():
    text = QUEUES.replace('{ device = "queue" }', '{ process = "queue", cpu = "core" }')
    text += '"depth" = { unit = "1", metric = "system.cpu.run_queue_length", attributes = { direction = "read" } }\n'
    made = outcome(text, "time queue core depth\n2026-11-21 16:10:13 java 0 3\n2026-11-21 16:10:13 java 1 4\n")
    keys = {key.attributes: rows[0][1] for key, rows in merged(made.batches).items()}
    assert keys == {
        (("cpu", "0"), ("direction", "read"), ("process", "java")): 3.0,
        (("cpu", "1"), ("direction", "read"), ("process", "java")): 4.0,
    }


def test_the_last_column_may_hold_blanks():
    text = QUEUES.replace('device = "queue"', 'process = "command"').replace('"queue", "depth"', '"depth", "command"')
    made = outcome(text, "time depth command\n2026-11-21 16:10:13 3 java -jar app.jar\n")
    assert series(made) == {"java -jar app.jar depth": [(AT, 3.0)]}


def test_short_rows():
    rows = "time queue depth wait\n2026-11-21 16:10:13 in 3\n2026-11-21 16:10:13 out\n"
    assert skipped(outcome(QUEUES, rows)) == {"table_width": 2}
    made = outcome(QUEUES.replace("files =", "short_rows = true\nfiles ="), rows)
    assert series(made) == {"in depth": [(AT, 3.0)]}
    assert skipped(made) == {"table_width": 1}


# -- lines -------------------------------------------------------------------------------------------


def test_every_line_has_its_place_in_the_account():
    text = QUEUES.replace(
        "files =",
        'skip = ["#", "Total {number}"]\nhost_line = "Host: {host}"\nversion_line = "queues {version}"\nfiles =',
    )
    made = outcome(
        text,
        "queues 3.2 (linux)\nHost: mq1 (test)\nbefore any heading\n# comment\n\n" + "time queue depth\n"
        "2026-11-21 16:10:13 in 3\n2026-11-21 16:10:13 in 3 4\nToday 16:10:13 in 3\nTotal 12 rows\nTotal of all 1\n",
    )
    lines = made.ledger.lines
    assert (lines.total, lines.data, lines.header, lines.blank, lines.skipped) == (11, 1, 3, 1, 6)
    assert skipped(made) == {"not_a_table": 1, "comment": 2, "table_width": 1, "table_time": 2}
    assert (made.ledger.hostname, made.ledger.tool_version) == ("mq1", "3.2")


def test_several_tables_in_one_file_each_with_its_heading():
    text = QUEUES + '[[tables.sections]]\ntable = "host"\nheading = ["time", "load"]\n'
    made = outcome(
        text,
        "time queue depth\n2026-11-21 16:10:13 in 3\n\ntime load\n2026-11-21 16:10:13 0.5\n"
        "time queue depth\n2026-11-21 16:10:18 in 4\ntime load users\n2026-11-21 16:10:18 0.7 3\n",
    )
    assert series(made) == {
        "in depth": [(AT, 3.0), (AT + 5, 4.0)],
        "load": [(AT, 0.5), (AT + 5, 0.7)],
        "users": [(AT + 5, 3.0)],
    }
    assert {batch.table for batch in made.batches} == {"queue", "host"}


def test_a_heading_by_pattern_with_named_columns():
    named = 'heading = "Queue report {any}"\nnames = ["time", "queue", "depth"]'
    text = QUEUES.replace('heading = ["time", "queue", "depth"]', named)
    made = outcome(text, "Queue report of today\n2026-11-21 16:10:13 in 3\n")
    assert series(made) == {"in depth": [(AT, 3.0)]}


def test_a_text_without_a_heading():
    text = QUEUES.replace('heading = ["time", "queue", "depth"]', 'names = ["time", "queue", "depth"]')
    data = "2026-11-21 16:10:13 in 3\n2026-11-21 16:10:18 in 4\n"
    assert series(outcome(text, data)) == {"in depth": [(AT, 3.0), (AT + 5, 4.0)]}
    assert sniff(text, data, "/home/x/Queue_1.LOG") > 0.5
    assert sniff(text, data, "other.txt") < 0.3


@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "utf-16", "utf-8-sig"])
def test_korean_headings_in_any_encoding(encoding):
    text = QUEUES.replace('"queue", "depth"', '"대기열", "깊이"').replace('device = "queue"', 'device = "대기열"')
    data = "time 대기열 깊이\r\n2026-11-21 16:10:13 주문 3\r\n".encode(encoding)
    assert series(outcome(text, data)) == {"주문 깊이": [(AT, 3.0)]}
    assert sniff(text, data) > 0.8


def test_memory_is_bounded_by_the_number_of_things():
    rows = "".join(f"2026-11-21 16:10:13 q{number} 1\n" for number in range(5_003))
    assert skipped(outcome(QUEUES, "time queue depth\n" + rows)) == {"too_many_series": 3}
    rows = "2026-11-21 16:10:13 in 1\n" * 20_002
    assert skipped(outcome(QUEUES, "time queue depth\n" + rows)) == {"too_many_series": 2}


# -- times -------------------------------------------------------------------------------------------


def timed(rule: str, heading: str = '["queue", "depth"]') -> str:
    head, _, rest = QUEUES.partition("[tables.time]")
    return (
        head
        + "[tables.time]\n"
        + rule
        + "\n"
        + rest[rest.index("[[tables.sections]]") :].replace('["time", "queue", "depth"]', heading)
    )


def test_date_and_time_in_two_columns():
    text = timed('rule = "columns"\ncolumns = ["day", "clock"]\nformat = "%d.%m.%Y %H:%M:%S"')
    made = outcome(text, "queue day depth clock\nin 21.11.2026 3 16:10:13\n")
    assert series(made) == {"in depth": [(AT, 3.0)]}


@pytest.mark.parametrize(
    ("form", "stamp"),
    [
        ("epoch_s", "1795245013"),
        ("epoch_ms", "1795245013000"),
        ("epoch_us", "1795245013000000"),
        ("iso", "2026-11-21T16:10:13"),
        ("iso", "2026-11-21T07:10:13Z"),
        ("iso", "2026-11-21T16:10:13+0900"),
        ("%d/%b/%Y:%H:%M:%S", "21/Nov/2026:16:10:13"),
        ("%Y%m%d%H%M%S", "20261121161013"),
    ],
)
def test_formats_of_one_word(form, stamp):
    text = timed(f'rule = "columns"\ncolumns = ["t"]\nformat = "{form}"')
    assert series(outcome(text, f"t queue depth\n{stamp} in 3\n")) == {"in depth": [(AT, 3.0)]}


def test_a_time_of_day_takes_its_date_from_a_line_the_file_or_the_user_and_passes_midnight():
    rule = 'rule = "columns"\ncolumns = ["t"]\nformat = "%I:%M:%S %p"\n'
    rows = "t queue depth\n11:59:58 PM in 3\n12:00:03 AM in 4\n"
    midnight = 1_795_273_200  # 2026-11-22 00:00:00 in Seoul
    expected = {"in depth": [(midnight - 2, 3.0), (midnight + 3, 4.0)]}
    made = outcome(timed(rule + 'date_line = "Report of {date}"'), "Report of 2026-11-21 (all)\n" + rows)
    assert series(made) == expected and made.ledger.needs == ("zone",)
    made = outcome(timed(rule + 'date_line = "Am {date}"\ndate_format = "%d.%m.%y"'), "Am 21.11.26\n" + rows)
    assert series(made) == expected
    made = outcome(timed(rule), rows, file_name="queue_20261121.log")
    assert series(made) == expected and "date" in made.ledger.needs
    made = outcome(timed(rule), rows, date=NOVEMBER_21)
    assert series(made) == expected and "date" not in made.ledger.needs


def test_the_same_time_of_day_below_another_date_is_another_day():
    text = timed('rule = "columns"\ncolumns = ["t"]\nformat = "%H:%M:%S"\ndate_line = "Report of {date}"')
    made = outcome(text, "Report of 2026-11-21\nt queue depth\n16:10:13 in 3\nReport of 2026-11-22\n16:10:13 in 4\n")
    assert series(made) == {"in depth": [(AT, 3.0), (AT + 86_400, 4.0)]}


def test_the_stamp_may_stand_before_the_columns_of_row_and_heading():
    text = timed('rule = "first"\nformat = "%Y-%m-%d %H:%M:%S"')
    for heading in ("queue depth\n", "2026-11-21 16:10:08 queue depth\n"):
        assert series(outcome(text, heading + "2026-11-21 16:10:13 in 3\n")) == {"in depth": [(AT, 3.0)]}


def test_a_stamp_line_above_the_rows():
    text = timed('rule = "line"\nline = "zzz ***{stamp}"\nformat = "%a %b %d %H:%M:%S %Z %Y"')
    made = outcome(
        text,
        "queue depth\nin 0\nzzz ***Sat Nov 21 16:10:13 KST 2026\nqueue depth\nin 3\nout 4\n"
        "zzz ***Sat Nov 21 16:10:18 KST 2026\nqueue depth\nin 5\n",
    )
    assert series(made) == {"in depth": [(AT, 3.0), (AT + 5, 5.0)], "out depth": [(AT, 4.0)]}
    assert skipped(made) == {"table_time": 1}  # above the first stamp
    assert made.ledger.needs == ()  # KST says the zone


def test_rows_that_go_on_below_one_stamp_are_an_interval_apart():
    rule = 'rule = "line"\nline = "at {stamp}"\nformat = "iso"\n'
    rows = "queue depth\nat 2026-11-21 16:10:13\nin 1\nout 2\nin 3\nout 4\n"
    made = outcome(timed(rule + "interval_s = 2"), rows)
    assert series(made) == {"in depth": [(AT, 1.0), (AT + 2, 3.0)], "out depth": [(AT, 2.0), (AT + 2, 4.0)]}
    made = outcome(timed(rule), rows)
    assert series(made)["in depth"] == [(AT, 1.0), (AT + 1, 3.0)] and "interval_s" in made.ledger.needs


def test_without_any_time_the_rows_count_from_the_start():
    rows = "queue depth\nin 1\nout 2\nqueue depth\nin 3\n"
    made = outcome(timed('rule = "start"\ninterval_s = 5'), rows, file_name="queue_20261121_161013.log")
    assert series(made) == {"in depth": [(AT, 1.0), (AT + 5, 3.0)], "out depth": [(AT, 2.0)]}
    assert "start" in made.ledger.needs and "interval_s" not in made.ledger.needs


@pytest.mark.parametrize("keyed", [True, False])
def test_the_first_block_since_boot_is_marked(keyed):
    text = QUEUES.replace("files =", "since_boot = true\nfiles =")
    if not keyed:
        text = text.replace('key = { device = "queue" }', "").replace('"queue", ', "")
    name, head = ("in", "time queue depth") if keyed else ("", "time depth")
    made = outcome(text, f"{head}\n2026-11-21 16:10:13 {name} 3\n2026-11-21 16:10:18 {name} 4\n")
    assert [flag for batch in made.batches for flag in batch.since_boot.tolist()] == [True, False]


# -- recognition and robustness ----------------------------------------------------------------------


def test_a_file_is_known_by_its_heading_and_rows():
    sure = sniff(QUEUES, HEAD + FIRST)
    assert sure > 0.8
    assert sniff(QUEUES, HEAD + FIRST, "queue1.log") > sure
    assert sniff(QUEUES, HEAD + "something else\n" * 5) < 0.3
    assert sniff(QUEUES, "the time of the queue and its depth\nis long\n") < 0.3
    assert sniff(QUEUES, b"") == 0.0


DATA = (HEAD + FIRST + "2026-11-21 16:10:18 in 4 - 1K slow\njunk\n\n" + HEAD + "2026-11-21 16:10:18 out 9 x 5 ok\n") * 3


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_pieces_make_no_difference(piece):
    whole, parts = outcome(QUEUES + COLUMNS, DATA), outcome(QUEUES + COLUMNS, DATA, piece)
    assert series(whole) == series(parts)
    assert whole.ledger.lines == parts.ledger.lines and whole.ledger.skipped == parts.ledger.skipped


_NAMES = st.text("abcdefgh_%/", min_size=1, max_size=8).filter(lambda name: name not in ("t", "k"))
_NUMBERS = st.one_of(
    st.integers(-(10**12), 10**12).map(float), st.decimals(-(10**6), 10**6, places=3).map(float), st.none()
)
_SEPARATORS = st.sampled_from(["blanks", "comma", "semicolon", "tab", "bar"])


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.lists(_NAMES, min_size=1, max_size=5, unique=True),
    st.lists(st.lists(_NUMBERS, min_size=5, max_size=5), min_size=1, max_size=20),
    _SEPARATORS,
    st.sampled_from([".", ","]),
    st.integers(1, 40),
)
def test_any_table_that_is_written_by_a_definition_is_read_back(names, rows, separator, decimal, piece):
    if separator == "comma":
        decimal = "."
    sign = {"blanks": "  ", "comma": ",", "semicolon": ";", "tab": "\t", "bar": " | "}[separator]

    def printed(value):
        words = "-" if value is None else f"{value:.3f}"
        return words.replace(".", decimal)

    text = timed('rule = "columns"\ncolumns = ["t"]\nformat = "epoch_s"', '["t", "k"]')
    told = f'separator = "{separator}"\ndecimal = "{decimal}"\nfiles ='
    text = text.replace('device = "queue"', 'device = "k"').replace("files =", told)
    lines = [sign.join(["t", "k", *names])]
    for number, row in enumerate(rows):
        lines.append(sign.join([str(AT + number // 2), f"thing{number % 2}", *map(printed, row[: len(names)])]))
    made = outcome(text, "\n".join(lines) + "\n", piece)
    expected = {}
    for number, row in enumerate(rows):
        for name, value in zip(names, row, strict=False):
            if value is not None:
                expected.setdefault(f"thing{number % 2} {name}", []).append((AT + number // 2, float(f"{value:.3f}")))
    assert series(made) == expected
    assert made.ledger.lines.data == len(rows) and made.ledger.skipped == ()


def test_a_definition_never_takes_long_whatever_the_text():
    """Patterns come from strangers: no text and no pattern may make a line expensive."""
    text = QUEUES.replace("files =", 'skip = ["{any}a{word}b{any}c{word}d", "{word} {word} {number}x"]\nfiles =')
    started = time.process_time()
    outcome(text, "\n".join(["a" * 20_000, "a " * 10_000, "1" * 20_000, "abcd" * 5_000] * 20))
    assert time.process_time() - started < 5


def test_a_definition_is_a_parser_as_any_other():
    made = definition(QUEUES)
    assert (made.id, made.tools, made.os) == ("local.queues", ("queues",), ())
