"""AIX iostat in its plain forms and with -D: figures typed from the fixtures, blocks, units, clocks."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "aix"
IOSTAT = load_parser("aix_stat", "iostat:IostatParser")
EXTENDED = load_parser("aix_stat", "iostat_extended:IostatExtendedParser")
START: dict[str, Any] = {"start": datetime(2026, 1, 1), "interval_s": 5.0}


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def test_processors_and_disks_share_the_time_of_their_block():
    reading = read_capture(IOSTAT, fixture("iostat.txt"), **START)
    assert reading.values("system", "% iowait") == [0.0, 4.0]
    assert reading.values("system", "% entc") == [1.6, 25.6]
    assert reading.values("device", "% tm_act", device="hdisk11") == [0.0, 36.5]
    assert reading.values("device", "Kb_wrtn", device="hdisk11") == [14296158, 122]
    for table, native, attributes in (("system", "tin", {}), ("device", "tps", {"device": "cd0"})):
        assert reading.times(table, native, **attributes) == ["2026-01-01 00:00:00", "2026-01-01 00:00:05"]
        assert [row.since_boot for row in reading.of(table, native, **attributes)] == [True, False]
    assert reading.ledger.lines.data == 6
    assert reading.skipped() == {}


def test_the_whole_system_and_the_adapters():
    reading = read_capture(IOSTAT, fixture("iostat_as.txt"), **START)
    assert reading.values("system_io", "tps", group="Physical") == [2.0]
    assert reading.values("vadapter", "bkread", device="vscsi0") == [2.0]
    assert reading.values("device", "Kb_read", device="hdisk0") == [8]
    assert reading.ledger.hostname == "sovma448"
    assert len({row.time_ns for rows in reading.samples.values() for row in rows}) == 1


def test_the_time_behind_each_row_is_used():
    reading = read_capture(IOSTAT, fixture("iostat_T.txt"), zone="Asia/Seoul", date=date(2024, 3, 5))
    assert reading.times("device", "Kbps", device="hdisk1") == ["2024-03-05 02:44:31", "2024-03-05 02:44:41"]
    assert reading.values("device", "Kbps", device="hdisk1") == [1690.5, 1640.1]
    assert reading.ledger.interval_s == 10


def test_old_forms_without_partition_and_with_messages():
    text = """tty:      tin         tout   avg-cpu:  % user    % sys     % idle    % iowait
          0.1          9.0               7.0       59.4      0.0       33.7
" Disk history since boot not available. "

Disks:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn
hdisk0          22.5      81.2      17.6          0       163
Drive hdisk77 Not Found
"""
    reading = read_capture(IOSTAT, text.encode(), **START)
    assert reading.values("system", "% iowait") == [33.7]
    assert reading.values("device", "tps", device="hdisk0") == [17.6]
    assert reading.ledger.lines.balanced and reading.ledger.lines.data == 2


def test_file_systems_by_their_mount_point():
    text = """FS Name:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn
/                      -      12.0      3.0          4        20
/ora data              -     112.0     13.0         40       200
"""
    reading = read_capture(IOSTAT, text.encode(), **START)
    assert reading.values("filesystem", "Kbps", mountpoint="/ora data") == [112.0]
    assert ("filesystem", "% tm_act") not in {(key.table, key.native) for key, rows in reading.samples.items() if rows}


def test_a_loop_of_framed_starts_begins_anew():
    data = b"@tunebench 4f1c0a7e begin id=x pid=1 interval=5 utc=2026-11-21T02:48:00Z\n" + fixture("iostat.txt")
    reading = read_capture(IOSTAT, data + data, **START)
    assert [row.since_boot for row in reading.of("system", "tin")] == [True, False, True, False]


# -- -D ----------------------------------------------------------------------------------------------------


def test_four_sub_rows_are_one_row_of_the_disk():
    reading = read_capture(EXTENDED, fixture("iostat_D.txt"), **START)
    disk = {"device": "hdisk6"}
    assert reading.values("device", "%tm_act", **disk) == [0.0, 9.6]
    assert reading.values("device", "bps", **disk) == [0, 16400]  # 4 transfers of 4096 bytes: K is 1000
    assert reading.values("device", "avgserv", **disk, group="read") == [0.0, 4.9]
    assert reading.values("device", "avgserv", **disk, group="write") == [0.0, 0.0]
    assert reading.values("device", "maxserv", **disk, group="write") == [0.0, 1500]  # 1.5S
    assert reading.values("device", "sqfull", **disk, group="queue") == [0.0, 2.0]
    assert [row.line for row in reading.of("device", "tps", **disk)] == [4, 14]
    assert [row.since_boot for row in reading.of("device", "tps", **disk)] == [True, False]
    assert reading.times("device", "tps", **disk) == ["2026-01-01 00:00:00", "2026-01-01 00:00:05"]
    assert reading.ledger.warnings == ("rounded_units",)
    assert len(reading.samples) == 5 + 6 + 6 + 6


def test_the_long_form_gives_the_same_columns():
    reading = read_capture(EXTENDED, fixture("iostat_DlT.txt"), zone="UTC", date=date(2024, 3, 5))
    disk = {"device": "hdisk1"}
    assert reading.values("device", "bps", **disk) == [169_100_000, 164_100_000]
    assert reading.values("device", "avgserv", **disk, group="read") == [0.9, 1.3]
    assert reading.values("device", "maxserv", **disk, group="read") == [1.5, 34.0]
    assert reading.values("device", "minserv", device="hdisk0", group="read") == [0.0, 1500]
    assert reading.values("device", "bwrtn", device="hdisk0") == [0, 8200]
    assert reading.values("device", "sqfull", device="hdisk0", group="queue") == [0.0, 3.0]
    assert reading.times("device", "%tm_act", **disk) == ["2024-03-05 11:44:31", "2024-03-05 11:44:32"]
    block_form = read_capture(EXTENDED, fixture("iostat_D.txt"), **START)
    natives = {(key.native, dict(key.attributes).get("group")) for key in reading.samples}
    assert natives == {(key.native, dict(key.attributes).get("group")) for key in block_form.samples}


def test_the_long_form_of_adapters_and_disks():
    text = """
Vadapter:                        xfers                                 read                        write                              queue
-------------------- --------------------------------------- -------------------------- -------------------------- --------------------------------------
                       Kbps   tps bkread bkwrtn partition-id   rps    avg    min    max   wps    avg    min    max    avg    min    max   avg   avg  serv
                                                                     serv   serv   serv         serv   serv   serv   time   time   time  wqsz  sqsz qfull
vscsi0                  8.0   2.0    2.0    0.0            1   2.0   0.4    0.1    0.9    0.0   0.0    0.0    0.0    0.0    0.0    0.0    0.0   0.0   0.0

Disks:                           xfers                                read                                write                                  queue
-------------------- -------------------------------- ------------------------------------ ------------------------------------ --------------------------------------
                       %tm    bps   tps  bread  bwrtn   rps    avg    min    max time fail   wps    avg    min    max time fail    avg    min    max   avg   avg  serv
                       act                                    serv   serv   serv outs              serv   serv   serv outs        time   time   time  wqsz  sqsz qfull
hdisk0                 2.0   8.2K   2.0   8.2K   0.0    2.0   0.4    0.1    0.9     0    0   0.0   0.0    0.0    0.0     0    0   0.0    0.0    0.0    0.0   0.0   0.0
"""
    reading = read_capture(EXTENDED, text.encode(), **START)
    assert reading.values("vadapter", "avgserv", device="vscsi0", group="read") == [0.4]
    assert reading.values("device", "bread", device="hdisk0") == [8200]
    assert reading.skipped() == {}


@pytest.mark.parametrize("name", ["iostat.txt", "iostat_as.txt", "iostat_T.txt"])
def test_the_plain_form_is_not_the_extended_one_and_the_other_way_round(name):
    assert (IOSTAT.sniff(fixture(name), name), EXTENDED.sniff(fixture(name), name)) == (0.95, 0)
    for other in ("iostat_D.txt", "iostat_DlT.txt"):
        assert (EXTENDED.sniff(fixture(other), other), IOSTAT.sniff(fixture(other), other)) == (0.95, 0)


def test_the_iostat_of_linux_and_hpux_is_not_claimed():
    linux = b"Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn\nsda 1.0 2.0 3.0 4 5\n"
    hpux = b"  device    bps     sps    msps\n\n  c1t2d0     36     7.4     1.0\n"
    for parser in (IOSTAT, EXTENDED):
        assert parser.sniff(linux, "iostat.txt") == parser.sniff(hpux, "iostat.txt") == 0


def test_oswatcher_names_its_host_and_stamps_each_run():
    runs = "".join(
        f"zzz ***Tue Apr 19 21:{minute}:00 KST 2011\n" + fixture("iostat.txt").decode() for minute in (10, 20)
    )
    data = ("AIX OSWbb v22.1.0AHF dbaix1\n" + runs).encode()
    reading = read_capture(IOSTAT, data, interval_s=5.0)
    assert IOSTAT.sniff(data, "dbaix1_iostat_11.04.19.2100.dat") > 0.9
    assert reading.times("system", "tin") == [
        "2011-04-19 12:10:00",
        "2011-04-19 12:10:05",
        "2011-04-19 12:20:00",
        "2011-04-19 12:20:05",
    ]
    assert [row.since_boot for row in reading.of("device", "tps", device="cd0")] == [True, False, True, False]
    assert (reading.ledger.hostname, reading.skipped()) == ("dbaix1", {})


def test_paths_belong_to_their_disk_and_a_disk_under_two_adapters_begins_no_block():
    block = """tty:      tin         tout    avg-cpu: % user % sys % idle % iowait
          0.0          0.8                0.0   0.1   99.9      0.0
Adapter:                   Kbps      tps    Kb_read   Kb_wrtn
fcs0                       8.0       2.0          8         0
Disks:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn
hdisk4            0.2       8.0       2.0          8         0
Paths:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn
Path0             0.1       6.0       1.5          6         0
Path1             0.1       2.0       0.5          2         0
Adapter:                   Kbps      tps    Kb_read   Kb_wrtn
fcs1                       9.0       3.0          9         0
Disks:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn
hdisk4            0.3       9.0       3.0          9         0
hdisk5            0.3       1.0       1.0          1         0
Paths:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn
Path0             0.1       1.0       1.0          1         0

"""
    reading = read_capture(IOSTAT, (block + block).encode(), **START)
    assert reading.values("path", "Kbps", device="hdisk4/Path0") == [6.0, 6.0]
    assert reading.values("path", "Kbps", device="hdisk5/Path0") == [1.0, 1.0]
    assert reading.values("device", "tps", device="hdisk4") == [2.0, 2.0]
    assert reading.values("device", "tps", device="hdisk4#2") == [3.0, 3.0]
    assert reading.values("adapter", "tps", device="fcs1") == [3.0, 3.0]
    assert len({row.time_ns for rows in reading.samples.values() for row in rows}) == 2


def test_idle_disks_that_are_left_out_do_not_merge_two_blocks():
    """-z: neither disk comes twice, only the time behind the rows tells the blocks apart."""
    heading = "Disks:        % tm_act     Kbps      tps    Kb_read   Kb_wrtn  time\n"
    text = heading + (
        "hdisk0           1.0      68.0      17.0        252         0  11:44:31\n"
        "hdisk1          60.0    1690.5     645.0       1690         0  11:44:41\n"
    )
    reading = read_capture(IOSTAT, text.encode(), date=date(2024, 3, 5))
    assert reading.times("device", "tps", device="hdisk0") == ["2024-03-05 11:44:31"]
    assert reading.times("device", "tps", device="hdisk1") == ["2024-03-05 11:44:41"]


@pytest.mark.parametrize("encoding", ["utf-8", "cp949"])
def test_translated_headings_are_told_by_what_stays(encoding):
    text = """시스템 구성: lcpu=8 drives=3 ent=0.40 paths=2 vdisks=2

tty:      tin         tout    평균-cpu: % 사용자 % 시스템 % 유휴 % 입출력대기 physc % entc
          1.0        210.5               12.4   3.1   80.5      4.0   0.1   25.6

디스크:         % tm_act     Kbps      tps    Kb_read   Kb_wrtn
hdisk11          36.5    4120.4     515.2      20480       122
"""
    reading = read_capture(IOSTAT, text.encode(encoding), **START)
    assert reading.values("system", "% iowait") == [4.0]
    assert reading.values("system", "% entc") == [25.6]
    assert reading.values("device", "% tm_act", device="hdisk11") == [36.5]
    assert reading.skipped() == {}
