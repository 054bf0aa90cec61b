"""pgbench's logs and outputs."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures" / "pgbench"
ALL = sorted(path for path in FIXTURES.rglob("pgbench*") if path.is_file())
LOG = ("pgbench", "aggregate_log:PgbenchLogParser")
OUTPUT = ("pgbench", "output:PgbenchOutputParser")
COLUMNS = [
    "num_transactions",
    "sum_latency",
    "sum_latency_2",
    "min_latency",
    "max_latency",
    "sum_lag",
    "sum_lag_2",
    "min_lag",
    "max_lag",
    "skipped",
    "retried",
    "retries",
    "serialization_failures",
    "deadlock_failures",
]


def owner_of(load, path: Path) -> tuple[str, str]:
    data = path.read_bytes()
    claims = [entry for entry in (LOG, OUTPUT) if load(*entry).sniff(data, path.name) > 0]
    assert len(claims) == 1, (path, claims)
    return claims[0]


@pytest.mark.parametrize("path", ALL, ids=lambda path: "/".join(path.parts[-2:]))
def test_every_recording_is_claimed_by_one_and_balances_in_pieces(load, read, path):
    parser = load(*owner_of(load, path))
    data = path.read_bytes()
    whole = read(parser, data, file_name=path.name)
    assert whole.ledger.lines.balanced
    assert whole.ledger.lines.total == data.count(b"\n")
    for piece in (1, 13, 200):
        split = read(parser, data, piece=piece, file_name=path.name)
        assert (split.ledger, split.samples) == (whole.ledger, whole.samples)
    assert set(whole.skipped()) <= {"message"}


@pytest.mark.parametrize("name", ["before/pgbench_log.4448", "before/pgbench_log.4448.1", "after/pgbench_log.4485"])
def test_aggregated_log(load, read, name):
    path = FIXTURES / name
    reading = read(load(*LOG), path.read_bytes(), file_name=path.name)
    rows = [[int(cell) for cell in line.split()] for line in path.read_text().splitlines()]
    thread = path.name.removeprefix("pgbench_log.")
    for column, heading in enumerate(COLUMNS, 1):
        samples = reading.of("log", heading, process=thread)
        assert [sample.value for sample in samples] == [row[column] for row in rows]
        assert [sample.time_ns for sample in samples] == [(row[0] + 1) * 10**9 for row in rows]  # end of the second
        assert [sample.line for sample in samples] == list(range(1, len(rows) + 1))
    assert reading.values("log", "tps", process=thread) == [row[1] / 1 for row in rows]
    assert reading.values("log", "latency average", process=thread) == [row[2] / row[1] for row in rows if row[1]]
    assert reading.ledger.interval_s == 1
    assert reading.ledger.zone == "UTC"


@pytest.mark.parametrize("width", [6, 10, 11, 15])
def test_logs_of_older_versions_have_fewer_columns(load, read, width):
    text = "".join(f"{1345828500 + 10 * i} " + " ".join(str(i + c) for c in range(1, width)) + "\n" for i in range(3))
    assert load(*LOG).sniff(text.encode(), "pgbench_log.7") > 0.9
    reading = read(load(*LOG), text.encode(), file_name="pgbench_log.7")
    assert {key.native for key in reading.samples} == {*COLUMNS[: width - 1], "tps", "latency average"}
    assert reading.values("log", COLUMNS[width - 2], process="7") == [width - 1, width, width + 1]
    assert reading.values("log", "tps", process="7") == [0.1, 0.2, 0.3]
    assert reading.times("log", "tps", process="7")[0] == "2012-08-24 17:15:10"


def test_an_interval_without_transactions_has_no_latency(load, read):
    text = b"1795250734 6 60 814 9 13\n1795250735 0 0 0 0 0\n1795250736 4 48 78 9 13\n"
    reading = read(load(*LOG), text, file_name="pgbench_log.1")
    assert reading.values("log", "num_transactions", process="1") == [6, 0, 4]
    assert reading.values("log", "latency average", process="1") == [10, 12]


def test_one_line_alone_does_not_tell_its_interval(load, read):
    reading = read(load(*LOG), b"1795250734 6 60 814 9 13\n", file_name="pgbench_log.1")
    assert "interval_s" in reading.ledger.needs
    reading = read(load(*LOG), b"1795250734 6 60 814 9 13\n", file_name="pgbench_log.1", interval_s=5.0)
    assert reading.values("log", "tps", process="1") == [1.2]
    assert reading.ledger.needs == ()


def test_a_log_per_transaction_is_not_an_aggregated_one(load):
    text = b"0 199 2241 0 1175850568 995598\n0 200 2465 0 1175850568 998079\n"
    assert load(*LOG).sniff(text, "pgbench_log.1") == 0.0


@pytest.mark.parametrize("side", ["before", "after"])
def test_progress_with_epochs(load, read, side):
    path = FIXTURES / side / "pgbench-progress.txt"
    reading = read(load(*OUTPUT), path.read_bytes())
    lines = [line for line in path.read_text().splitlines() if line.startswith("progress")]
    numbers = [[float(n) for n in re.findall(r"-?\d+\.?\d*", line)] for line in lines]
    for column, heading in enumerate(["tps", "lat", "stddev", "failed", "lag"], 1):
        assert reading.values("progress", heading) == [row[column] for row in numbers]
    assert [round(sample.time_ns / 1e6) for sample in reading.of("progress", "tps")] == [
        round(row[0] * 1000) for row in numbers
    ]


def test_progress_without_epochs_counts_from_the_start(load, read):
    data = (FIXTURES / "pgbench-tpcb.txt").read_bytes()
    reading = read(load(*OUTPUT), data, start=datetime(2026, 11, 21, 7, 0, tzinfo=UTC))
    assert reading.times("progress", "tps") == [f"2026-11-21 07:00:{second:02}" for second in (2, 4, 6, 8, 10)]
    assert reading.values("progress", "lat") == [5.913, 3.805, 8.860, 7.424, 8.479]
    assert reading.ledger.tool_version == "15.18"
    assert "start" in read(load(*OUTPUT), data).ledger.needs


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("progress: 1.0 s, 7.0 tps, lat 435.396 ms stddev 120.347", {"tps": 7, "lat": 435.396, "stddev": 120.347}),
        ("progress: 5.0 s, 1.0 tps, lat 2.0 ms stddev 3.0, lag 4.0 ms, 5 skipped", {"lag": 4, "skipped": 5}),
        (
            "progress: 5.0 s, 1.0 tps, lat 2.0 ms stddev 3.0, 0 failed, 6 retried, 7 retries",
            {"retried": 6, "retries": 7},
        ),
    ],
)
def test_progress_lines_of_several_versions(load, read, line, expected):
    reading = read(load(*OUTPUT), f"{line}\n".encode(), start=datetime(2026, 11, 21, tzinfo=UTC))
    given = {key.native: samples[0].value for key, samples in reading.samples.items()}
    assert expected.items() <= given.items()
    assert reading.skipped() == {}


def test_an_idle_second_has_no_latency(load, read):
    text = b"progress: 1.0 s, 0.0 tps, lat -nan ms stddev -nan\nprogress: 2.0 s, 3.0 tps, lat 1.5 ms stddev 0.5\n"
    reading = read(load(*OUTPUT), text)
    assert reading.values("progress", "tps") == [0, 3]
    assert reading.values("progress", "lat") == [1.5]


def test_summary(load, read):
    reading = read(load(*OUTPUT), (FIXTURES / "pgbench-prepared-rate.txt").read_bytes())
    given = {key.native: samples[0].value for key, samples in reading.samples.items() if key.table == "summary"}
    assert given == {
        "scaling factor": 3,
        "number of clients": 4,
        "number of threads": 1,
        "maximum number of tries": 1,
        "duration": 6,
        "number of transactions actually processed": 580,
        "number of failed transactions": 0,
        "number of transactions skipped": 6,
        "number of transactions above": 6,
        "latency average": 10.123,
        "latency stddev": 13.092,
        "rate limit schedule lag avg": 1.751,
        "rate limit schedule lag max": 96.486,
        "initial connection time": 94.522,
        "tps (without initial connection time)": 98.263831,
    }


def test_summary_of_version_9(load, read):
    text = b"""transaction type: TPC-B (sort of)
scaling factor: 1
query mode: simple
number of clients: 16
number of threads: 16
duration: 5 s
number of transactions actually processed: 77
latency average: 1108.418 ms
latency stddev: 760.944 ms
tps = 12.580114 (including connections establishing)
tps = 13.062579 (excluding connections establishing)
statement latencies in milliseconds:
\t0.008039\t\\set nbranches 1 * :scale
\t1.000000\tEND;
"""
    reading = read(load(*OUTPUT), text)
    assert reading.values("summary", "latency average") == [1108.418]
    assert reading.values("summary", "tps (including connections establishing)") == [12.580114]
    assert reading.values("summary", "tps (excluding connections establishing)") == [13.062579]
    assert reading.values("command", "latency", process="1 \\set nbranches 1 * :scale") == [0.008039]
    assert reading.values("command", "latency", process="2 END;") == [1.0]


def test_commands_of_the_recorded_runs(load, read):
    """The one change of the recording (a primary key) shows in the SELECT and in the UPDATE of accounts."""
    latency = {}
    for side in ("before", "after"):
        reading = read(load(*OUTPUT), (FIXTURES / side / "pgbench.txt").read_bytes())
        for key, samples in reading.samples.items():
            if key.table == "command" and key.native == "latency":
                latency[side, dict(key.attributes)["process"]] = samples[0].value
    select = "7 SELECT abalance FROM pgbench_accounts WHERE aid = :aid;"
    assert latency["before", select] == 4.695
    assert latency["after", select] < 0.2
    assert len(latency) == 22


def test_two_scripts_in_one_run(load, read):
    text = b"""pgbench (16.1)
transaction type: multiple scripts
scaling factor: 1
number of transactions actually processed: 300
latency average = 2.000 ms
tps = 150.000000 (without initial connection time)
SQL script 1: a.sql
 - weight: 1 (targets 50.0% of total)
 - 140 transactions (46.7% of total, tps = 70.000000)
 - latency average = 1.500 ms
 - latency stddev = 0.500 ms
SQL script 2: b.sql
 - weight: 1 (targets 50.0% of total)
 - 160 transactions (53.3% of total, tps = 80.000000)
 - latency average = 2.500 ms
 - latency stddev = 0.700 ms
"""
    reading = read(load(*OUTPUT), text)
    assert reading.values("summary", "latency average") == [2.0]
    assert reading.values("script", "latency average", process="script 1") == [1.5]
    assert reading.values("script", "tps", process="script 2") == [80.0]
    assert reading.values("script", "number of transactions", process="script 2") == [160.0]
    assert reading.ledger.tool_version == "16.1"
    assert reading.ledger.lines.balanced
