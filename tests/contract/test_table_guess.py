"""`plugin new NAME --from FILE --table`: a definition that reads its sample at once."""

from __future__ import annotations

import pytest

from tunebench.core.errors import UserError
from tunebench.plughost import table_guess
from tunebench.plughost.scaffold import create_parser_from, create_table_plugin, write_table_plugin
from tunebench.sdk.manifest import examine_manifest, read_manifest
from tunebench.sdk.testkit import check_plugin, read_capture
from tunebench.sdk.testkit_runs import merged
from tunebench.sdk.units import factor_between

BROKER = """brokerq 3.2 (queue statistics)
Host: mqtest01
# interval 5 s

time                queue    depth  in/s  wait_ms  state
2026-11-21 16:10:13 orders       3  12.5     1.50  ok
2026-11-21 16:10:13 billing     17   0.5    40.25  slow
2026-11-21 16:10:18 orders       5  14.0     1.75  ok
2026-11-21 16:10:18 billing     19   0.7    41.00  slow
"""
LATENCY = """Timestamp,Region,Latency (ms),Size [KiB],Errors
1795245013,seoul,1.5,200,0
1795245023,seoul,1.7,210,0
1795245033,seoul,1.9,190,1
"""
GERMAN = """Bericht vom 21.11.2026
Zeit;CPU;Last %;Speicher kB
16:10:13;0;12,5;1.024
16:10:13;1;13,5;2.048
16:10:18;0;1,5;1.024
16:10:18;1;3,5;2.048
"""
WATCHED = """zzz ***Sat Nov 21 16:10:13 KST 2026
 r  b  w   avm
 1  2  3  400
zzz ***Sat Nov 21 16:10:43 KST 2026
 r  b  w   avm
 2  2  3  500
"""
HEADLESS = "16:10:13 12.5 3\n16:10:14 13.5 4\n16:10:15 14.5 4\n"
UNSTAMPED = "reads writes\n1 2\n3 4\n5 6\n"
BOXED = """+---------------------+------+----+
| ts                  | name | n  |
+---------------------+------+----+
| 2026-11-21 16:10:13 | a    | 5  |
| 2026-11-21 16:10:13 | b    | 7K |
| 2026-11-21 16:10:14 | a    | 6  |
| 2026-11-21 16:10:14 | b    | 8K |
"""
UNNAMED = "         queue   depth\n16:10:13    in      3\n16:10:18    in      4\n"
NAMELESS = "\tqueue\tdepth\n16:10:13\tin\t3\n16:10:18\tin\t4\n"
LONG = """clock;host;item;value
2026-11-21 16:10:13;web01;cpu;20,5
2026-11-21 16:10:13;web01;iops;1000
2026-11-21 16:10:23;web01;cpu;21,25
2026-11-21 16:10:23;web01;iops;1001
"""
TWO_LINES = """,CPU,CPU,Disk
time,user,sys,busy
2026-11-21 16:10:13,1.5,2,30
2026-11-21 16:10:23,2.5,3,40
"""
QUOTED_COMMAS = 'time,load,n\n2026-11-21 16:10:13,"1,5",3\n2026-11-21 16:10:23,"2,25",4\n'
BRACES = "time,{a} b,n\n2026-11-21 16:10:13,1.5,3\n2026-11-21 16:10:23,2.5,4\n"
HALVES = "수집시각,CPU(%)\n2026-11-21 오전 9:00:00,20\n2026-11-21 오후 12:05:00,21\n2026-11-21 오후 1:05:00,22\n"
EXCEL_DAYS = "t\tn\n46347.0\t1\n46347.375\t2\n46347.5\t3\n46347.75\t4\n"
CASES: dict[str, tuple[str, str, dict[tuple[str, str], list[float]]]] = {
    # name of the file: (text, time rule, {(attributes, heading): values})
    "long.csv": (LONG, "columns", {("", "cpu"): [20.5, 21.25], ("", "iops"): [1000, 1001]}),
    "two.csv": (TWO_LINES, "columns", {("", "CPU user"): [1.5, 2.5], ("", "Disk busy"): [30, 40]}),
    "quoted.csv": (QUOTED_COMMAS, "columns", {("", "load"): [1.5, 2.25], ("", "n"): [3, 4]}),
    "braces.csv": (BRACES, "columns", {("", "{a} b"): [1.5, 2.5]}),
    "halves.csv": (HALVES, "columns", {("", "CPU(%)"): [20, 21, 22]}),
    "days.tsv": (EXCEL_DAYS, "columns", {("", "n"): [1, 2, 3, 4]}),
    "brokerq_20261121.log": (BROKER, "columns", {("orders", "depth"): [3, 5], ("billing", "wait_ms"): [40.25, 41.0]}),
    "latency.csv": (LATENCY, "columns", {("", "Latency (ms)"): [1.5, 1.7, 1.9], ("", "Errors"): [0, 0, 1]}),
    "last.txt": (GERMAN, "columns", {("0", "Last %"): [12.5, 1.5], ("1", "Speicher kB"): [2048, 2048]}),
    "watched.dat": (WATCHED, "line", {("", "r"): [1, 2], ("", "avm"): [400, 500]}),
    "headless_20261121.txt": (HEADLESS, "columns", {("", "c2"): [12.5, 13.5, 14.5]}),
    "plain.txt": (UNSTAMPED, "start", {("", "reads"): [1, 3, 5], ("", "writes"): [2, 4, 6]}),
    "psql.txt": (BOXED, "columns", {("a", "n"): [5, 6], ("b", "n"): [7168, 8192]}),
    "nameless.tsv": (NAMELESS, "columns", {("in", "depth"): [3, 4]}),
    "unnamed.txt": (UNNAMED, "first", {("in", "depth"): [3, 4]}),
}


FOOTED = """시각,CPU(%),대기(ms)
2026-03-02 10:00:00,20,1.5
2026-03-02 10:10:00,22,1.6
2026-03-02 10:20:00,24,1.7
2026-03-02 10:30:00,26,1.8
2026-03-02 10:40:00,28,1.9
"""


@pytest.mark.parametrize(
    "foot",
    [
        "평균,24,1.7\n",
        "합계,120,8.5\n",
        "Total,120,8.5\n",
        "Average:,24,1.7\n",
        ",평균,1.7\n",
        "Grand Total,120,8.5\n",
        "전체 평균,24,1.7\n최대값,28,1.9\n",
        "소계,66,4.8\n소계,54,3.7\n합 계,120,8.5\n",
    ],
)
def test_a_row_that_sums_up_the_others_has_no_vote(tmp_path, foot):
    """Times are times, no devices, and what is stored are the five rows of 2 March, not of today."""
    sample = tmp_path / "daily.csv"
    sample.write_text(FOOTED + foot, encoding="utf-8")
    folder = create_table_plugin(tmp_path / "plugins", "daily", sample)
    table = read_manifest(folder).tables[0]
    assert (table.time.rule, table.sections[0].keys) == ("columns", ())
    capture = read_capture(folder, sample)
    rows = {key.native: values for key, values in merged(capture.batches).items()}
    assert {name: [row[1] for row in values] for name, values in rows.items()} == {
        "CPU(%)": [20, 22, 24, 26, 28],
        "대기(ms)": [1.5, 1.6, 1.7, 1.8, 1.9],
    }
    # 2026-03-02 10:00 to 10:40, ten minutes apart
    assert [row[0] - values[0][0] for values in rows.values() for row in values][:5] == [
        minutes * 60 * 10**9 for minutes in range(0, 50, 10)
    ]
    assert capture.ledger.lines.skipped == foot.count("\n"), "the footers are named as left out"


@pytest.mark.parametrize("name", CASES)
def test_the_guess_reads_its_sample_and_passes_the_check(tmp_path, name):
    text, rule, expected = CASES[name]
    sample = tmp_path / name
    sample.write_text(text, encoding="utf-8")
    folder = create_table_plugin(tmp_path / "plugins", "guessed", sample)
    assert [one.text("en") for one in check_plugin(folder) if one.level != "info"] == []
    manifest = read_manifest(folder)
    assert manifest.tables[0].time.rule == rule and manifest.parsers == ()
    found = {
        (" ".join(value for _, value in key.attributes), key.native): [row[1] for row in rows]
        for key, rows in merged(read_capture(folder, folder / "fixtures" / name).batches).items()
    }
    for column, values in expected.items():
        assert found[column] == values
    assert not list(folder.rglob("*.py"))  # nothing in it can be run


def test_host_version_units_and_words_are_taken_from_the_sample(tmp_path):
    sample = tmp_path / "brokerq_20261121.log"
    sample.write_text(BROKER, encoding="utf-8")
    table = read_manifest(create_table_plugin(tmp_path, "brokerq", sample)).tables[0]
    columns = table.sections[0].columns
    assert (columns["in/s"].unit, columns["wait_ms"].unit) == ("1/s", "ms")
    assert columns["state"].ignored and "depth" not in columns
    assert table.sections[0].keys == (("device", "queue"),)
    assert table.files == ("brokerq_*.log",)
    made = read_capture(tmp_path / "brokerq", sample)
    assert (made.ledger.hostname, made.ledger.tool_version) == ("mqtest01", "3.2")
    assert made.ledger.lines.header == 3 and made.ledger.lines.data == 4


@pytest.mark.parametrize(
    "data", [b"\n \n", b"no numbers here\nat all\n", bytes(range(256)) * 40, b"1\n2\n3\n", b"{a} {b}\n1 2\n"]
)
def test_any_sample_gives_a_manifest_that_can_be_read(tmp_path, data):
    sample = tmp_path / "odd{x}.bin"
    sample.write_bytes(data)
    if not data.strip():
        with pytest.raises(UserError) as caught:
            create_table_plugin(tmp_path, "odd", sample)
        assert caught.value.key == "sample_empty"
        return
    folder = create_table_plugin(tmp_path, "odd", sample)
    _, problems = examine_manifest(folder)
    assert {one.key for one in problems} <= {"names_needed", "no_numbers"}


def test_code_is_made_for_a_sample_with_it_as_a_fixture(tmp_path):
    sample = tmp_path / "brokerq.log"
    sample.write_text(BROKER, encoding="utf-8")
    folder = create_parser_from(tmp_path / "plugins", "other", sample)
    assert (folder / "fixtures" / "brokerq.log").read_text(encoding="utf-8") == BROKER
    left = [one for one in check_plugin(folder) if one.level == "error"]
    assert [(one.key, one.facts["capture"]) for one in left] == [("finding.not_recognised", "brokerq.log")]


def test_a_definition_that_is_written_is_read_back(tmp_path):
    sample = tmp_path / "brokerq.log"
    sample.write_text(BROKER, encoding="utf-8")
    first = read_manifest(create_table_plugin(tmp_path, "brokerq", sample))
    table = {
        "id": "local.again", "tool": 'a "tool"', "name": {"en": "A\\B", "ko": "가"}, "skip": ["#", "tab\there"],
        "since_boot": True, "time": {"rule": "start", "interval_s": 2.5},
        "sections": [{"table": "t", "heading": ["a.b", 'c"d'], "columns": {'c"d': {"unit": "ms"}}}],
    }  # fmt: skip
    manifest = read_manifest(write_table_plugin(tmp_path, "again", "0.1.7", table, ("s.txt", b"a.b\n1 2\n")))
    again = manifest.tables[0]
    assert (manifest.version, again.tool, again.name["en"], again.since_boot) == ("0.1.7", 'a "tool"', "A\\B", True)
    assert (again.time.interval_s, again.sections[0].words) == (2.5, ("a.b", 'c"d'))
    assert again.sections[0].columns['c"d'].unit == "ms" and again.skip[1].fits("tab here")
    assert first.tables[0] != again


def test_a_folder_with_code_is_not_written_over(tmp_path):
    sample = tmp_path / "brokerq.log"
    sample.write_text(BROKER, encoding="utf-8")
    create_parser_from(tmp_path, "brokerq", sample)
    with pytest.raises(UserError) as caught:
        write_table_plugin(tmp_path, "brokerq", "0.1.0", {}, None)
    assert caught.value.key == "plugin_exists"


def test_days_of_a_spreadsheet_are_times(tmp_path):
    """46347.375 days after 1899-12-30 are 2026-11-21 09:00."""
    (tmp_path / "days.tsv").write_text(EXCEL_DAYS, encoding="utf-8")
    made = create_table_plugin(tmp_path / "made", "days", tmp_path / "days.tsv")
    outcome = read_capture(made, made / "fixtures" / "days.tsv")
    nine = 1_795_219_200 * 10**9  # 2026-11-21 09:00 +09:00
    hours = [each - nine for batch in outcome.batches for each in batch.times_ns.tolist()]
    assert [each / 3600e9 for each in hours] == [-9, 0, 3, 9]


@pytest.mark.parametrize("words", table_guess._UNITS)
def test_a_unit_in_brackets_is_one_that_the_program_knows(words):
    unit = table_guess._unit(f"Throughput ({words.upper()})")
    assert unit == table_guess._UNITS[words] and factor_between(unit, unit) == 1.0
