"""dstat, dool, pcp-dstat: values typed from the recordings."""

from __future__ import annotations

import csv
from datetime import date, datetime

import pytest

from tests.conftest import CORPUS, ROOT
from tunebench.plughost.catalogue import MetricCatalogue

FIXTURES = ROOT / "tests" / "fixtures" / "dstat"
DSTAT = (FIXTURES / "dstat.csv").read_bytes()
EPOCH = (FIXTURES / "dstat-epoch.csv").read_bytes()
DOOL = (FIXTURES / "dool.csv").read_bytes()
DOOL_BYTES = (FIXTURES / "dool-bytes.csv").read_bytes()
PCP = (FIXTURES / "pcp-dstat.csv").read_bytes()
TEXT = (FIXTURES / "dstat-text.txt").read_bytes()
TEXT_EPOCH = (FIXTURES / "dstat-text-epoch.txt").read_bytes()
DOOL_TEXT = (FIXTURES / "dool-terminal.txt").read_bytes()


@pytest.fixture
def take(load, read):
    return lambda data, **context: read(load("dstat", "csv_file:CsvParser"), data, **context)


@pytest.fixture
def take_text(load, read):
    return lambda data, **context: read(load("dstat", "terminal:TerminalParser"), data, **context)


def as_samples(reading):
    return {key: [(s.time_ns, s.value) for s in samples] for key, samples in reading.samples.items() if samples}


# -- CSV ----------------------------------------------------------------------------------------------


def test_columns_stand_below_their_groups(take):
    reading = take(DSTAT)
    rows = list(csv.reader(DSTAT.decode().splitlines()))[6:]
    assert reading.values("cpu", "usr", cpu="all") == [float(row[1]) for row in rows]
    assert reading.values("dsk", "writ", device="total")[:2] == [21005974.668, 486658048.0]
    assert reading.values("net", "recv", interface="total")[2] == 14111430.0
    assert reading.values("system", "csw") == [float(row[13]) for row in rows]
    assert reading.values("memory usage", "free")[0] == 17696600064.0
    assert reading.values("swap", "free") == [0.0] * 10
    assert reading.values("procs", "new")[0] == 28.993
    assert reading.ledger.lines.data == 10
    assert (reading.ledger.hostname, reading.ledger.tool, reading.ledger.tool_version) == ("dbtest01", "dstat", "0.8.0")


def test_the_year_and_the_zone_are_the_preambles(take):
    reading = take(DSTAT)
    assert reading.times("cpu", "usr", cpu="all")[:2] == ["2026-11-21 07:15:32", "2026-11-21 07:15:33"]
    assert reading.ledger.zone == "Asia/Seoul"
    assert reading.ledger.needs == ()


def test_the_first_row_is_since_boot(take):
    samples = take(DSTAT).of("cpu", "usr", cpu="all")
    assert [one.since_boot for one in samples] == [True] + [False] * 9
    assert samples[0].line == 7


def test_new_year_between_two_rows(take):
    text = DSTAT.replace(b"21-11 16:15:32", b"31-12 23:59:58").replace(b"21-11 16:15:33", b"31-12 23:59:59")
    text = text.replace(b"21-11 16:15:", b"01-01 00:00:").replace(b"21 Nov 2026", b"31 Dec 2026")
    times = take(text).times("cpu", "usr", cpu="all")
    assert times[1:3] == ["2026-12-31 14:59:59", "2026-12-31 15:00:34"]


def test_epoch_devices_and_prefixed_headings(take):
    reading = take(EPOCH)
    assert reading.of("cpu", "idl", cpu="all")[0].time_ns == 1_795_245_332_769_000_000
    assert reading.values("dsk", "read", device="vda")[1] == 14755840.0
    assert reading.values("io", "writ", device="total") == [330765.5, 312.0, 303.0, 899.5, 420.5]


def test_dool_prints_bits_where_dstat_prints_bytes(take):
    reading, plain = take(DOOL), take(DOOL_BYTES)
    assert reading.values("dsk_bits", "read", device="vda") == [6574810.099, 1048576.0, 294912.0, 458752.0]
    assert plain.values("dsk", "read", device="total") == [821789.457, 221184.0]
    # the averages since boot of two runs three seconds apart: eight times as much
    ratio = reading.values("dsk_bits", "read", device="vda")[0] / plain.values("dsk", "read", device="total")[0]
    assert ratio == pytest.approx(8.0, rel=1e-3)
    catalogue = MetricCatalogue.load()
    bits = catalogue.describe("dool", "linux", "dsk_bits", "read", {"device": "vda"}, "1.3.8")
    assert (bits.metric, bits.unit, bits.to_base, bits.base_unit) == ("system.disk.io", "bit/s", 0.125, "By/s")
    whole = catalogue.describe("dool", "linux", "dsk", "read", {"device": "total"}, "1.3.8")
    assert (whole.metric, whole.to_base) == ("system.disk.io", 1.0)


def test_dool_names_the_month_and_the_processor(take):
    reading = take(DOOL)
    assert reading.times("cpu", "usr", cpu="0")[0] == "2026-11-21 18:34:13"
    assert reading.values("cpu", "usr", cpu="0") == [27.412, 40.404, 0.0, 1.980]
    assert reading.values("cpu", "usr", cpu="all") == [31.735, 47.0, 0.0, 1.005]
    assert (reading.ledger.tool, reading.ledger.tool_version, reading.ledger.zone) == ("dool", "1.3.8", "UTC")


def test_rows_without_times_count_from_the_preambles_date(take):
    reading = take(DOOL_BYTES)
    assert reading.times("cpu", "usr", cpu="all") == ["2026-11-21 18:34:16", "2026-11-21 18:34:17"]
    told = {(one.subject, one.value, one.source) for one in reading.ledger.assumptions}
    assert ("start", "2026-11-21 18:34:16", "banner") in told
    assert ("interval_s", "1", "wrapper") in told
    later = take(DOOL_BYTES, start=datetime(2020, 1, 1), interval_s=30.0)
    assert later.times("cpu", "usr", cpu="all") == ["2020-01-01 00:00:00", "2020-01-01 00:00:30"]


def test_pcp_leaves_a_quote_open_and_a_line_empty(take):
    reading = take(PCP)
    assert reading.values("cpu", "siq", cpu="all") == [1.267, 0.0, 0.0]
    assert reading.values("dsk", "writ", device="sda") == [280219.327, 73728.0, 77824.0]
    assert reading.values("raw", "raw") == [0.0] * 3
    assert reading.values("sockets", "tcp") == [6.0, 5.0, 5.0]
    assert reading.values("sockets", "udp") == [5.0, 5.0]
    assert (reading.ledger.variant, reading.ledger.hostname) == ("pcp-dstat", "db1")
    assert reading.ledger.lines.blank == 1


def test_without_a_preamble_the_year_is_asked_for(take):
    text = DSTAT[DSTAT.index(b'"system"') :]
    reading = take(text, modified_ns=1_795_300_000 * 10**9)
    assert reading.times("cpu", "usr", cpu="all")[0] == "2026-11-21 16:15:32"
    assert "date" in reading.ledger.needs
    told = take(text, modified_ns=1_795_300_000 * 10**9, date=date(2025, 11, 21))
    assert told.times("cpu", "usr", cpu="all")[0] == "2025-11-21 16:15:32"


def test_two_runs_in_one_file_and_a_cut_last_row(take):
    reading = take(DSTAT + DOOL[:-10])
    assert len(reading.values("cpu", "usr", cpu="all")) == 13
    assert sum(one.since_boot for one in reading.of("cpu", "usr", cpu="all")) == 2
    assert reading.skipped() == {"truncated": 1}
    assert reading.ledger.lines.balanced


def test_words_of_plug_ins_are_left_out(take):
    text = DSTAT.replace(b'"procs",,', b'"most expensive",,').replace(b'"run","blk","new"', b'"cpu process","x","y"')
    text = text.replace(b",7,0,28.993", b',"java, big",0,28.993').replace(b",5,0,8\n", b",rsync,0,8\n")
    reading = take(text)
    assert reading.ledger.warnings == ("word_columns",)
    assert reading.values("most expensive", "y")[:2] == [28.993, 8.0]
    assert reading.ledger.lines.data == 10


# -- terminal -----------------------------------------------------------------------------------------


def test_text_columns_between_separators(take_text):
    reading = take_text(TEXT, date=date(2026, 11, 21), zone="Asia/Seoul")
    assert reading.values("cpu", "usr", cpu="all") == [46.0, 86.0, 95.0, 90.0, 94.0, 89.0, 87.0, 94.0, 94.0, 97.0]
    assert reading.values("dsk", "read", device="total")[:2] == [12 * 1024.0**2, 2516 * 1024.0]
    assert reading.values("net", "send", interface="total")[1] == 2673.0
    assert reading.values("system", "csw")[3] == 11_000.0
    assert reading.values("procs", "run")[0] == 7.0
    assert reading.times("cpu", "usr", cpu="all")[0] == "2026-11-21 07:15:32"
    assert [one.since_boot for one in reading.of("cpu", "usr", cpu="all")][:2] == [True, False]
    assert reading.ledger.warnings == ("rounded_units",)


def test_text_with_epochs_and_several_devices(take_text):
    reading = take_text(TEXT_EPOCH)
    assert reading.values("dsk", "writ", device="vda")[1] == 233 * 1024.0**2
    assert reading.values("io", "read", device="total")[:2] == [296_000.0, 342.0]
    assert reading.of("cpu", "usr", cpu="all")[0].time_ns == 1_795_245_333 * 10**9
    assert reading.ledger.lines.data == 5


def test_text_agrees_with_the_csv_of_the_same_run(take, take_text):
    exact, rounded = take(EPOCH), take_text(TEXT_EPOCH)
    for key, samples in exact.samples.items():
        values = [one.value for one in rounded.samples[key]]
        assert values == pytest.approx([one.value for one in samples], rel=0.05, abs=1.0), key


def test_pages_repeat_their_headings(take_text):
    lines = TEXT.splitlines(keepends=True)
    text = b"".join(lines[:5] + lines[:2] + lines[5:])
    assert as_samples(take_text(text)).keys() == as_samples(take_text(TEXT)).keys()
    reading = take_text(text)
    assert (reading.ledger.lines.header, reading.ledger.lines.data) == (4, 10)


def test_colours_and_dools_month(take_text):
    reading = take_text(DOOL_TEXT, date=date(2026, 11, 21))
    assert reading.values("dsk_bits", "read", device="total") == [6_584_000.0, 33_000.0, 1_442_000.0]
    assert reading.values("cpu", "usr", cpu="all") == [32.0, 55.0, 52.0]
    assert reading.times("cpu", "usr", cpu="all")[0] == "2026-11-21 18:36:53"
    assert reading.ledger.tool == "dool"


# -- all of them --------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [DSTAT, EPOCH, DOOL, PCP], ids=["dstat", "epoch", "dool", "pcp"])
def test_encodings_pieces_and_sniffing(take, load, text):
    expected = as_samples(take(text))
    assert as_samples(take(text.replace(b"\n", b"\r\n"))) == expected
    assert as_samples(take(b"\xef\xbb\xbf" + text)) == expected
    assert as_samples(take(text, piece=53)) == expected
    assert load("dstat", "csv_file:CsvParser").sniff(text, "x") > 0.9
    assert load("dstat", "terminal:TerminalParser").sniff(text, "x") == 0.0


@pytest.mark.parametrize("text", [TEXT, TEXT_EPOCH, DOOL_TEXT], ids=["text", "epoch", "dool"])
def test_pieces_and_sniffing_of_text(take_text, load, text):
    assert as_samples(take_text(text, piece=31)) == as_samples(take_text(text))
    assert load("dstat", "terminal:TerminalParser").sniff(text, "x") > 0.9
    assert load("dstat", "csv_file:CsvParser").sniff(text, "x") == 0.0


def test_a_whole_recording_of_pcp(take):
    folder = CORPUS / "wild" / "dstat-csv"
    if not folder.is_dir():
        pytest.skip("these captures are not beside the project")
    path = next(folder.iterdir())
    rows = [line.split(",") for line in path.read_text().splitlines() if line[:1].isdigit()]
    reading = take(path.read_bytes())
    assert reading.ledger.lines.data == len(rows)
    assert reading.values("system", "csw") == [float(row[23]) for row in rows]
    assert reading.ledger.lines.balanced


def test_a_table_of_psql_is_none_of_dstat(load):
    text = b"""              Table "public.pgbench_accounts"
  Column  |     Type      | Collation | Nullable | Default
----------+---------------+-----------+----------+---------
 aid      | integer       |           | not null |
"""
    assert load("dstat", "terminal:TerminalParser").sniff(text, "pgbench_accounts.txt") == 0.0
