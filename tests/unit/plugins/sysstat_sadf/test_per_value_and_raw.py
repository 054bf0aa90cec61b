"""sadf -p and -r. Figures typed from the texts."""

from __future__ import annotations

from datetime import date

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture
from tunebench.domain.engagement import EventKind

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "sadf"
PER_VALUE = load_parser("sysstat_sadf", "per_value:SadfPerValueParser")
RAW = load_parser("sysstat_sadf", "raw:SadfRawParser")


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def test_one_value_per_line():
    reading = read_capture(PER_VALUE, fixture("sadf-p.txt"), zone="Asia/Seoul", zone_source="engagement")
    assert reading.times("cpu", "%user", cpu="all")[0] == "2026-11-21 07:10:15"
    assert reading.values("cpu", "%idle", cpu="all")[:2] == [44.22, 47.31]
    assert reading.values("device", "wkB/s", device="vda")[0] == 232618.00
    assert reading.of("cpu", "%nice", cpu="all")[1].line == 7
    assert reading.ledger.lines.data == 252
    assert (reading.ledger.hostname, reading.ledger.needs, reading.ledger.restarts) == ("dbtest01", (), 1)


def test_every_activity_one_value_per_line():
    """A name that two activities share (retrans/s, tps) belongs to the one whose lines stand around it."""
    reading = read_capture(PER_VALUE, fixture("sadf-p-A.txt"))
    assert reading.ledger.lines.data == sum(line.count(b"\t") == 5 for line in fixture("sadf-p-A.txt").splitlines())
    tables = {key.table for key in reading.samples if key.native == "retrans/s"}
    assert tables == {"nfs_client", "tcp_errors"}
    assert {key.table for key in reading.samples if key.native == "tps"} == {"io", "device"}
    assert {dict(key.attributes)["device"] for key in reading.samples if key.table == "tty"} == {"0"}
    assert {dict(key.attributes)["cpu"] for key in reading.samples if key.table == "softnet"} == {"all", "0", "1"}
    assert {key.native for key in reading.samples if key.table == "interrupts"} == {"intr/s"}


def test_words_and_damage_in_rows_of_values():
    text = (
        b"db\t46\t2018-08-29 09:34:34 UTC\tfan1\tDEVICE\tf71858fg-isa-0200\n"
        b"db\t46\t2018-08-29 09:34:34 UTC\tfan1\trpm\t1283.00\n"
        b"db\t46\t2018-08-29 09:34:34 UTC\tfan1\tdrpm\tmany\n"
        b"db\t46\t2018-08-29 09:34:34 UTC\t-\tfile-nr\t1085\n"
        b"db\t-1\t2018-08-29 09:40:00 UTC\tCOM disk replaced\n"
        b"db\t46\t2018-08-29 09:4"
    )
    reading = read_capture(PER_VALUE, text)
    assert reading.values("fan", "rpm", device="1") == [1283.0]
    assert reading.skipped() == {"unreadable_numbers": 1, "truncated": 1}
    assert [(event.kind, event.text) for event in reading.events] == [(EventKind.COMMENT, "disk replaced")]
    assert reading.ledger.lines.balanced


def test_the_pieces_of_rows_of_values_change_nothing():
    data = fixture("sadf-p-A.txt")[:30_000]
    whole = read_capture(PER_VALUE, data)
    assert read_capture(PER_VALUE, data.replace(b"\n", b"\r\n"), piece=313).samples == whole.samples


def test_raw_counters_are_kept_as_they_are():
    """The value before and the one now: the latter. The date is nowhere, so it is asked for."""
    reading = read_capture(RAW, fixture("sadf-r-raw.txt"), date=date(2026, 11, 21))
    assert reading.values("counters_cpu", "%user", cpu="all")[:2] == [95546, 95743]
    assert reading.times("counters_cpu", "%user", cpu="all")[0] == "2026-11-21 07:10:15"
    assert reading.values("counters_device", "tot_ticks", device="vda")[0] == 34296
    assert reading.ledger.tool == "sadf"
    assert (reading.ledger.lines.data, reading.ledger.restarts) == (36, 1)
    asked = read_capture(RAW, fixture("sadf-r-raw.txt"), zone="Asia/Seoul", zone_source="engagement")
    assert asked.ledger.needs == ("date",)
    assert asked.ledger.zone == "UTC"


def test_raw_rows_that_cannot_be_read():
    text = b"07:10:15 UTC; proc/s; 1; 2; cswch/s; 3; 4;\n07:10:17 UTC; proc/s; 2; 3; cswch/s; 4; 4"
    reading = read_capture(RAW, text + b"\n07:10:19 UTC; proc/s; many;\n\nnoise\n", date=date(2026, 11, 21))
    assert reading.values("counters_tasks", "cswch/s") == [4.0]
    assert reading.skipped() == {"truncated": 1, "unreadable_numbers": 1, "not_a_table": 1}
    assert reading.ledger.lines.balanced
