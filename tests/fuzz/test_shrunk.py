"""Damage that a parser once tripped over, shrunk to a few lines: whole and line by line it gives the same, and no error."""

from __future__ import annotations

import pytest

from app.sdk.testkit_runs import difference
from tests.fuzz.samples import host
from tests.fuzz.verdict import CONTEXT, Outcome, fault_of, outcome_of

CASES = {
    "a heading of words without a digit": ("solaris.iostat", b"""\
                    extended device statistics
    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device
    0.2    0.0  226.7    0.1  0.0  0.0    0.1   27.5   0   0 c1t0d0
""" + b"x" * 70_000 + b"\n"),
    "disks behind the faults": ("solaris.vmstat", b"""\
 r b w   swap  free  re  mf pi po fr de in s0 s1 sr   sy   cs us sy id
 0 0 0 1397757072 511142704 909 2345 0 0 0 0 0 0 0 0 107 15278 23632 17922 99
"""),
    "two headings of vmstat in turns": ("solaris.vmstat", b"""\
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id
 0 7310 0 1424532104 583002960 110 271 23 4 1 0 0 0 0 0 6 6950 0 6957  0  0 100
 r b w   swap  free  re  mf pi po fr s1 sr s0 de s2 s3   in   sy   cs us sy id
 0 0 0 1397757072 511142704 909 2345 0 0 0 0 0 0 0 0 107 15278 23632 17922 0 0 99
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id
 0 0 0 1397757072 511148112 97 293 0 0 0 0 0 0 0  0 105 15317 18022 16913 0 0 99
"""),
    "gaps of several lengths": ("linux.sar", b"""\
16:10:13    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact   kbdirty
16:10:15     19019192  23937608    360232      1.46     32164   4800408    621404      2.52   1787076   3103736    287160
16:10:35     19077012  23722312    574360      2.33     34320   4526796    880532      3.57   1833108   2999784     35508
16:10:37     19124816  23772536    524200      2.12     34896   4528612    854772      3.46   1837128   2972924      6788
16:10:45     18320800  22981272   1311844      5.31     35588   4540660   1437848      5.83   1837128   3554308     49928
16:10:47     19168276  23806540    490528      1.99     35552   4514968    543508      2.20   1842976   2731916     49768
"""),
    "an unreadable stamp between rows of one time": ("linux.sar", b"""\
16:10:27        IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
16:10:41           lo      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
16:18446744073709551615:41 ifb0 0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
16:10:41         ifb1      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
16:10:47         eth0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
"""),
    "rows of another table between those of one time": ("linux.sar", b"""\
04:10:29 PM      INTR       all      CPU0      CPU1
04:10:31 PM       sum   2211.50   1191.50   1020.00
04:10:49 PM     all      0.00      0.00      0.26      0.00      0.00      0.00      0.00      0.00      0.00     99.74
04:10:31 PM        38      0.00      0.00      0.00
04:10:21 PM       0      0.00      0.00      0.00      0.00      0.00         0
04:10:31 PM        40      0.00      0.00      0.00
"""),
    "two headings of sar's cpu in turns, backwards": ("linux.sar", b"""\
16:10:27        CPU     %user     %nice   %system   %iowait    %steal     %idle
16:10:37        all     80.15      0.00      6.62      0.51      0.00     12.72
16:10:27        CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    %gnice     %idle
16:10:29        all     80.15      0.00      6.62      0.51      0.00      0.00      0.00      0.00      0.00     12.72
16:10:27        CPU     %user     %nice   %system   %iowait    %steal     %idle
16:10:25        all     80.15      0.00      6.62      0.51      0.00     12.72
"""),
    "an element without its name": ("linux.mpstat_json", b"""\
{"sysstat": {"hosts": [{"nodename": "a", "date": "2026-11-21", "statistics": [
{"timestamp": "16:10:23", "cpu-load": [{"usr": 10.91}]},
{"timestamp": "16:10:24", "individual-interrupts": [{"cpu": "0"}]},
{"timestamp": "16:10:25", "individual-interrupts": [{"cpu": "0", "intr": [{"value": 1}]}]},
{"timestamp": "16:10:26", "cpu-load": [{"cpu": "all", "usr": """ + b"9" * 400 + b"""}]}
]}]}}
"""),
    "a disk without its name": ("linux.iostat_json", b"""\
{"sysstat": {"hosts": [{"nodename": "a", "date": "2026-11-21", "statistics": [
{"timestamp": "11/21/26 16:10:13", "disk": [{"tps": 1.0}]}, {"disk": """ + b"[" * 10_000 + b"""
]}]}}
"""),
    "a figure that is a digit and no number": ("solaris.iostat_errors", "\
sd0      Soft Errors: ² Hard Errors: 0 Transport Errors: 0\n\
Vendor: SEAGATE  Product: ST373207LSUN72G  Revision: 045A Serial No: 053735RSRC\n\
Size: 73.40GB <73400057856 bytes>\n".encode()),
    "one name in two encodings": ("linux.sadf_delimited", b"""\
# hostname;interval;timestamp;CPU;%usr;%nice;%sys;%iowait;%steal;%irq;%soft;%guest;%gnice;%idle
sun;600;2023-08-02 22:10:01 UTC;1;0.07;0.00;0.05;0.04;0.00;0.00;0.00;0.00;0.00;99.84
sun;600;2023-08-02 22:10:01 UTC;\xa01;0.05;0.00;0.07;0.02;0.00;0.00;0.14;0.00;0.00;99.72
"""),
    "progress that goes back": ("pgbench.output", b"""\
progress: 10.0 s, 469.5 tps, lat 8.479 ms stddev 14.703, 0 failed
progress: 4.0 s, 1044.1 tps, lat 3.805 ms stddev 4.594, 0 failed
progress: 6.0 s, 447.5 tps, lat 8.860 ms stddev 15.826, 0 failed
progress: 8.0 s, 536.7 tps, lat 7.424 ms stddev 13.866, 0 failed
"""),
    "a total that is no number": ("pgbench.pg_stat_statements", b"""\
queryid,query,calls,total_exec_time,rows,shared_blks_hit,shared_blks_read,shared_blks_dirtied,wal_bytes
7932140926709813934,SELECT abalance FROM pgbench_accounts WHERE aid = $1,76,nan,76,304,0,0,0
"""),
}  # fmt: skip


def line_by_line(entry, data: bytes) -> Outcome:
    parser = entry.create(CONTEXT)
    batches = [batch for line in data.splitlines(keepends=True) for batch in parser.feed(line)]
    batches.extend(parser.finish())
    return Outcome(tuple(batches), parser.ledger(), parser.events(), parser.statements(), parser.facts())


@pytest.mark.parametrize("name", CASES)
def test_damage_that_was_mended(name):
    parser, data = CASES[name]
    entry = host().parser(parser)
    assert entry is not None, "quarantined"
    assert fault_of(entry, data) == ""
    assert difference(outcome_of(entry, data), line_by_line(entry, data)) == ""
