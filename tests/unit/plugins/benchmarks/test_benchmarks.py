"""Results of benchmarks, each beside the line of the text it stands in."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "benchmarks"
ENTRIES = {
    "sysbench": "sysbench:SysbenchParser",
    "bonnie": "bonnie:BonnieParser",
    "iozone": "iozone:IozoneParser",
    "fio": "fio:FioParser",
    "dd": "dd:DdParser",
}
KIB = 1024


def kind_of(path: Path) -> str:
    return path.name.partition("-")[0]


@pytest.fixture
def capture(load, read):
    def make(name: str, **context):
        path = FIXTURES / name
        return read(load("benchmarks", ENTRIES[kind_of(path)]), path.read_bytes(), **context)

    return make


@pytest.mark.parametrize(
    ("name", "table", "expected"),
    [
        (
            "sysbench-oltp_read_write.txt",
            "sysbench",
            {
                "tps": 724.08,
                "qps": 14481.54,
                "latency_min_s": 0.00088,
                "latency_avg_s": 0.00552,
                "latency_max_s": 0.04781,
                "latency_p99_s": 0.01965,
                "total_time_s": 15.0202,
                "events": 10876,
            },
        ),
        ("sysbench-cpu.txt", "sysbench", {"events_per_s": 811.60, "latency_p95_s": 0.01641, "events": 4086}),
        (
            "sysbench-fileio-rndrw.txt",
            "sysbench",
            {
                "reads_per_s": 20948.67,
                "writes_per_s": 13965.78,
                "fsyncs_per_s": 2796.66,
                "read_bytes_per_s": 327.32 * KIB**2,
                "written_bytes_per_s": 218.22 * KIB**2,
            },
        ),
        (
            "sysbench-memory.txt",
            "sysbench",
            {"operations_per_s": 2252730.24, "transferred_bytes_per_s": 2199.93 * KIB**2},
        ),
        (
            "sysbench-0.4-oltp.txt",
            "sysbench",
            {"tps": 166.61, "qps": 3165.62, "latency_p95_s": 0.30169, "latency_avg_s": 0.19176, "total_time_s": 60.026},
        ),
        (
            "sysbench-0.4-fileio.txt",
            "sysbench",
            {"requests_per_s": 3.33, "transferred_bytes_per_s": 53.316 * KIB, "latency_max_s": 2.59696},
        ),
        ("sysbench-0.5.txt", "sysbench", {"tps": 1267.62, "qps": 22817.16, "latency_p95_s": 0.01908}),
        (
            "bonnie-1.03.txt",
            "bonnie",
            {
                "put_char_bytes_per_s": 36432 * KIB,
                "put_block_bytes_per_s": 48732 * KIB,
                "rewrite_bytes_per_s": 19237 * KIB,
                "get_block_bytes_per_s": 51232 * KIB,
                "seeks_per_s": 180.3,
                "seq_create_per_s": 2314,
                "ran_delete_per_s": 6120,
            },
        ),
        (
            "bonnie-1.97.txt",
            "bonnie",
            {
                "put_block_bytes_per_s": 364656 * KIB,
                "seeks_per_s": 439.5,
                "latency_rewrite_s": 0.184,
                "latency_put_char_s": 0.008631,
                "seq_delete_per_s": 17536,
                "latency_files_ran_delete_s": 90e-6,
            },
        ),
        (
            "bonnie-2.00a.txt",
            "bonnie",
            {  # of the line of values, not 479m of the table
                "put_block_bytes_per_s": 490626 * KIB,
                "rewrite_bytes_per_s": 197416 * KIB,
                "seq_create_per_s": 1134,
                "latency_get_char_s": 0.211,
            },
        ),
        (
            "iozone-t.txt",
            "iozone_throughput",
            {"write_bytes_per_s": 4732581.09 * KIB, "random_read_bytes_per_s": 1557497.38 * KIB},
        ),
        ("dd-bsd.txt", "dd", {"bytes": 1021592274, "elapsed_s": 480.752682, "bytes_per_s": 1021592274 / 480.752682}),
    ],
)
def test_the_figures_of_a_run_are_one_row(capture, name, table, expected):
    reading = capture(name)
    found = {native: reading.values(table, native) for native in expected}
    assert found == {native: [pytest.approx(value, rel=1e-12)] for native, value in expected.items()}
    lines = {sample.line for key, own in reading.samples.items() if key.table == table for sample in own}
    assert len(lines) == 1


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*-*")), ids=lambda path: path.name)
def test_every_line_is_accounted_for_and_nothing_of_these_is_left_out(load, read, path):
    parser = load("benchmarks", ENTRIES[kind_of(path)])
    data = path.read_bytes()
    assert parser.sniff(data, path.name) >= 0.85
    whole, bits = (read(parser, data, piece=piece) for piece in (1 << 20, 7))
    buckets = sum(1 for line in data.splitlines() if b" |*" in line or b"-- distribution --" in line or b" | " in line)
    assert whole.skipped() == ({"average": buckets} if "hist" in path.name else {})
    assert whole.ledger.lines.total == len(data.splitlines())
    assert bits.samples == whole.samples


def test_interval_lines_are_no_results_but_samples_of_their_seconds(capture):
    reading = capture("sysbench-oltp_read_write.txt")
    assert reading.values("sysbench_interval", "interval_tps") == [827.75, 665.44, 658.61, 752.32, 719.62]
    assert reading.values("sysbench_interval", "interval_latency_p99_s")[0] == pytest.approx(0.01527)
    times = [sample.time_ns for sample in reading.of("sysbench_interval", "interval_tps")]
    assert [after - before for before, after in pairwise(times)] == [3_000_000_000] * 4


def test_too_fast_to_measure_is_no_figure(capture):
    """``+++++`` for seeks and block reads of bonnie++ 2.00a, and for stats and deletes."""
    natives = {key.native for key in capture("bonnie-2.00a.txt").samples}
    assert not natives & {"seeks_per_s", "get_block_bytes_per_s", "seq_stat_per_s", "seq_delete_per_s"}


def test_a_figure_of_iozone_belongs_to_the_heading_it_stands_below(capture):
    """With ``-i 0 -i 2`` the columns of read and reread stay empty."""
    reading = capture("iozone-a.txt")
    small, large = {"group": "102400k/4k"}, {"group": "102400k/1024k"}
    assert reading.values("iozone", "rewrite_bytes_per_s", **small) == [2762 * KIB]
    assert reading.values("iozone", "random_read_bytes_per_s", **large) == [378122 * KIB]
    assert reading.values("iozone", "random_write_bytes_per_s", **large) == [364339 * KIB]
    assert not {key.native for key in reading.samples} & {"read_bytes_per_s", "reread_bytes_per_s"}


def test_fio_tells_its_own_time_and_each_direction(capture):
    reading = capture("fio-json.json")
    job = {"process": "oltp"}
    assert reading.values("fio", "read_iops", **job) == [20168.805199]
    assert reading.values("fio", "read_bytes_per_s", **job) == [165222852]
    assert reading.values("fio", "read_clat_p99_s", **job) == [pytest.approx(1019904e-9)]
    assert reading.values("fio", "exit_status", **job) == [0]
    assert reading.of("fio", "read_iops", **job)[0].time_ns == 1795245075125 * 1_000_000
    assert "trim_iops" not in {key.native for key in reading.samples}


def test_terse_lines_of_fio(capture):
    reading = capture("fio-terse.txt")
    assert reading.values("fio", "read_iops", process="a") == [10874]
    assert reading.values("fio", "read_bytes_per_s", process="a") == [43497 * KIB]
    assert reading.values("fio", "read_clat_p95_s", process="a") == [pytest.approx(90e-6)]
    assert reading.values("fio", "read_latency_mean_s", process="a") == [pytest.approx(91.290141e-6)]
    assert reading.values("fio", "write_iops", process="b") == [8134]
    assert "read_iops" not in {key.native for key in reading.samples if dict(key.attributes)["process"] == "b"}


def test_older_fio_counts_in_microseconds(load, read):
    text = (
        b'{\n  "fio version" : "fio-2.1.3",\n  "jobs" : [\n    {\n      "jobname" : "a",\n      "error" : 5,\n'
        b'      "read" : { "bw" : 100, "iops" : 25, "clat" : { "mean" : 400.5 }, "lat" : { "mean" : 410.0 } }\n'
        b"    }\n  ]\n}\n"
    )
    reading = read(load("benchmarks", ENTRIES["fio"]), text)
    assert reading.values("fio", "read_bytes_per_s", process="a") == [100 * KIB]
    assert reading.values("fio", "read_latency_mean_s", process="a") == [pytest.approx(410e-6)]
    assert reading.values("fio", "exit_status", process="a") == [5]


def test_dd_in_every_language_and_with_a_decimal_comma(capture):
    reading = capture("dd-locales.txt")  # Korean, German, French, Chinese
    assert reading.values("dd", "elapsed_s") == [0.5, 0.25, 2, 4]
    assert reading.values("dd", "bytes_per_s") == [134217728 / seconds for seconds in (0.5, 0.25, 2, 4)]


def test_two_runs_in_one_capture_are_two_results(load, read):
    text = (FIXTURES / "sysbench-cpu.txt").read_bytes()
    reading = read(load("benchmarks", ENTRIES["sysbench"]), text + text.replace(b"811.60", b"820.00"))
    assert reading.values("sysbench", "events_per_s") == [811.6, 820.0]
    assert len({sample.line for sample in reading.of("sysbench", "events_per_s")}) == 2


@pytest.mark.parametrize("entry", ENTRIES.values())
@pytest.mark.parametrize(
    "text",
    [
        b"real 0.80\nuser 0.73\nsys 0.17\n",
        b"procs -----------memory----------\n r  b   swpd   free\n",
        b"{\n}\n",
        b"\0" * 64,
        b"128+0 records in\n128+0 records out\n",
    ],
)
def test_what_is_no_benchmark_is_left_to_others(load, entry, text):
    assert load("benchmarks", entry).sniff(text, "x.txt") == 0


def test_a_document_of_fio_that_was_cut_off_loses_nothing_silently(load, read):
    data = b"".join((FIXTURES / "fio-json.json").read_bytes().splitlines(keepends=True)[:40])
    reading = read(load("benchmarks", ENTRIES["fio"]), data)
    assert reading.samples == {}
    assert sum(reading.skipped().values()) == 40
