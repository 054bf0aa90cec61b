"""Damage that a parser once tripped over, shrunk to a few lines: whole and line by line it gives the same, and no error."""

from __future__ import annotations

import pytest

from tests.fuzz.samples import host
from tests.fuzz.verdict import CONTEXT, fault_of, fed, outcome_of
from tunebench.sdk.testkit_runs import Outcome, difference

CASES = {
    "a heading of words without a digit": (
        "solaris.iostat",
        b"""\
                    extended device statistics
    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device
    0.2    0.0  226.7    0.1  0.0  0.0    0.1   27.5   0   0 c1t0d0
"""
        + b"x" * 70_000
        + b"\n",
    ),
    "disks behind the faults": (
        "solaris.vmstat",
        b"""\
 r b w   swap  free  re  mf pi po fr de in s0 s1 sr   sy   cs us sy id
 0 0 0 1397757072 511142704 909 2345 0 0 0 0 0 0 0 0 107 15278 23632 17922 99
""",
    ),
    "an interval of many years": (
        "solaris.vmstat",
        b"""\
root@host # vmstat 18446744073709551615
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id
 0 0 0 1397757072 511148112 97 293 0 0 0 0 0 0 0  0 105 15317 18022 16913 0 0 99
 0 0 0 1397757072 511148112 97 293 0 0 0 0 0 0 0  0 105 15317 18022 16913 0 0 99
 0 0 0 1397757072 511148112 97 293 0 0 0 0 0 0 0  0 105 15317 18022 16913 0 0 99
""",
    ),
    "an interval of many years below a date": (
        "solaris.mpstat",
        """\
root@svrdb1 # mpstat -a -T d 18446744073709551615 3
2011년 04월 19일 (화) 오후 09시 16분 01초
SET minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl sze
  1    9   0    0   329  102   88    0    3    1    0   229    4   0   0  96   2
  1   11   0    0   331  104   90    1    3    1    0   240    5   0   0  95   2
""".encode(),
    ),
    "a user's table without its users": (
        "solaris.prstat",
        b"""\
 NPROC USER_NAME SWAP   RSS MEMORY      TIME  CPU
    12 root       50M   60M   1.0%   0:01:02 0.1%
""",
    ),
    "two headings of vmstat in turns": (
        "solaris.vmstat",
        b"""\
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id
 0 7310 0 1424532104 583002960 110 271 23 4 1 0 0 0 0 0 6 6950 0 6957  0  0 100
 r b w   swap  free  re  mf pi po fr s1 sr s0 de s2 s3   in   sy   cs us sy id
 0 0 0 1397757072 511142704 909 2345 0 0 0 0 0 0 0 0 107 15278 23632 17922 0 0 99
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id
 0 0 0 1397757072 511148112 97 293 0 0 0 0 0 0 0  0 105 15317 18022 16913 0 0 99
""",
    ),
    "gaps of several lengths": (
        "linux.sar",
        b"""\
16:10:13    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact   kbdirty
16:10:15     19019192  23937608    360232      1.46     32164   4800408    621404      2.52   1787076   3103736    287160
16:10:35     19077012  23722312    574360      2.33     34320   4526796    880532      3.57   1833108   2999784     35508
16:10:37     19124816  23772536    524200      2.12     34896   4528612    854772      3.46   1837128   2972924      6788
16:10:45     18320800  22981272   1311844      5.31     35588   4540660   1437848      5.83   1837128   3554308     49928
16:10:47     19168276  23806540    490528      1.99     35552   4514968    543508      2.20   1842976   2731916     49768
""",
    ),
    "an unreadable stamp between rows of one time": (
        "linux.sar",
        b"""\
16:10:27        IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
16:10:41           lo      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
16:18446744073709551615:41 ifb0 0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
16:10:41         ifb1      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
16:10:47         eth0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
""",
    ),
    "rows of another table between those of one time": (
        "linux.sar",
        b"""\
04:10:29 PM      INTR       all      CPU0      CPU1
04:10:31 PM       sum   2211.50   1191.50   1020.00
04:10:49 PM     all      0.00      0.00      0.26      0.00      0.00      0.00      0.00      0.00      0.00     99.74
04:10:31 PM        38      0.00      0.00      0.00
04:10:21 PM       0      0.00      0.00      0.00      0.00      0.00         0
04:10:31 PM        40      0.00      0.00      0.00
""",
    ),
    "two headings of sar's cpu in turns, backwards": (
        "linux.sar",
        b"""\
16:10:27        CPU     %user     %nice   %system   %iowait    %steal     %idle
16:10:37        all     80.15      0.00      6.62      0.51      0.00     12.72
16:10:27        CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    %gnice     %idle
16:10:29        all     80.15      0.00      6.62      0.51      0.00      0.00      0.00      0.00      0.00     12.72
16:10:27        CPU     %user     %nice   %system   %iowait    %steal     %idle
16:10:25        all     80.15      0.00      6.62      0.51      0.00     12.72
""",
    ),
    "an element without its name": (
        "linux.mpstat_json",
        b"""\
{"sysstat": {"hosts": [{"nodename": "a", "date": "2026-11-21", "statistics": [
{"timestamp": "16:10:23", "cpu-load": [{"usr": 10.91}]},
{"timestamp": "16:10:24", "individual-interrupts": [{"cpu": "0"}]},
{"timestamp": "16:10:25", "individual-interrupts": [{"cpu": "0", "intr": [{"value": 1}]}]},
{"timestamp": "16:10:26", "cpu-load": [{"cpu": "all", "usr": """
        + b"9" * 400
        + b"""}]}
]}]}}
""",
    ),
    "a disk without its name": (
        "linux.iostat_json",
        b"""\
{"sysstat": {"hosts": [{"nodename": "a", "date": "2026-11-21", "statistics": [
{"timestamp": "11/21/26 16:10:13", "disk": [{"tps": 1.0}]}, {"disk": """
        + b"[" * 10_000
        + b"""
]}]}}
""",
    ),
    "a figure that is a digit and no number": (
        "solaris.iostat_errors",
        "\
sd0      Soft Errors: ² Hard Errors: 0 Transport Errors: 0\n\
Vendor: SEAGATE  Product: ST373207LSUN72G  Revision: 045A Serial No: 053735RSRC\n\
Size: 73.40GB <73400057856 bytes>\n".encode(),
    ),
    "one name in two encodings": (
        "linux.sadf_delimited",
        b"""\
# hostname;interval;timestamp;CPU;%usr;%nice;%sys;%iowait;%steal;%irq;%soft;%guest;%gnice;%idle
sun;600;2023-08-02 22:10:01 UTC;1;0.07;0.00;0.05;0.04;0.00;0.00;0.00;0.00;0.00;99.84
sun;600;2023-08-02 22:10:01 UTC;\xa01;0.05;0.00;0.07;0.02;0.00;0.00;0.14;0.00;0.00;99.72
""",
    ),
    "half a character of UTF-16 at the end": (
        "linux.sadf_per_value",
        ("dbtest01\t2\t2026-11-21 07:10:41 UTC\tcpu0\t%user\t12.05\n" * 3).encode("utf-16") + b"\r",
    ),
    "progress that goes back": (
        "pgbench.output",
        b"""\
progress: 10.0 s, 469.5 tps, lat 8.479 ms stddev 14.703, 0 failed
progress: 4.0 s, 1044.1 tps, lat 3.805 ms stddev 4.594, 0 failed
progress: 6.0 s, 447.5 tps, lat 8.860 ms stddev 15.826, 0 failed
progress: 8.0 s, 536.7 tps, lat 7.424 ms stddev 13.866, 0 failed
""",
    ),
    "a statement without end": (
        "postgresql.views",
        b"""\
queryid,query,calls,total_exec_time,rows,shared_blks_hit,shared_blks_read,shared_blks_dirtied,wal_bytes
7932140926709813934,"""
        + b"x" * 140_000
        + b""",76,1,76,304,0,0,0
""",
    ),
    "a column that comes twice": (
        "bsd.gstat",
        b"""\
dT: 1.003s  w: 1.000s
 L(q)  ops/s    r/s   kBps   ms/r    r/s   kBps   ms/w   %busy Name
    0      1      0      0    0.0      1      4    0.1    0.0| ada0
""",
    ),
    "names that differ in a NUL": (
        "linux.sadf_per_value",
        b"""\
dbtest01\t2\t2026-11-21 07:10:41 UTC\tall\t%user\t12.05
dbtest01\t2\t2026-11-21 07:10:41 UTC\tall\t%system\t2.05
dbtest01\t2\t2026-11-21 07:10:41 UTC\t-\tx\0\t1.00
dbtest01\t2\t2026-11-21 07:10:41 UTC\t-\ty\t1.00
dbtest01\t2\t2026-11-21 07:10:41 UTC\teth0\tx\t1.00
""",
    ),
    "figures that only Python would read": (
        "hpux.sar",
        b"""\
00:00:01   device   %busy   avque   r+w/s  blks/s  avwait  avserv
00:05:01    disk1    8,35   10,17      39     578   12,74    3,96
05:55:00      23       6      50      20
           disk33    1,02    0,50      20     255    0,1_0    0,54
03:05:00      77      16       5       1
           disk43    0,1e400    0,50       1      24    0,00    0,49
""",
    ),
    "an epoch that is none": (
        "solaris.iostat",
        b"""\
9999999999
                  extended device statistics
device       r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b
sd0          0.4    0.4   49.5    5.6  0.0  0.0   12.5   0   0
""",
    ),
    "a date in the year 9999": (
        "solaris.iostat",
        b"""\
Tue Apr 19 21:16:01 9999
                  extended device statistics
device       r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b
sd0          0.4    0.4   49.5    5.6  0.0  0.0   12.5   0   0
""",
    ),
    "a banner of the year 9999": (
        "hpux.sar",
        b"""\
HP-UX lasv B.11.31 U ia64    03/21/9999

00:00:01    %usr    %sys    %wio   %idle
00:05:01      19       8      29      45
""",
    ),
    "a total that is no number": (
        "postgresql.views",
        b"""\
queryid,query,calls,total_exec_time,rows,shared_blks_hit,shared_blks_read,shared_blks_dirtied,wal_bytes
7932140926709813934,SELECT abalance FROM pgbench_accounts WHERE aid = $1,76,nan,76,304,0,0,0
""",
    ),
    "a heading with half a letter": (
        "bsd.iostat",
        b"""\
                        extended device statistics
device     r/s   w/s    kr/s    kw/s qlen sv\xf2c_t  %b
ada0       1.5   2.5     3.0     4.0    0    1.0   5
""",
    ),
    "a row of counters shorter than its heading": (
        "aix.netstat_i",
        b"""\
Name  Mtu   Network     Address            Ipkts Ierrs    Opkts Oerrs  Coll  a  b  c
en0   1500  link#2      e2.14.5.a0.1c.2   905512     0   771208     0     0  1  2  3
en1   1500  link#2      e2.14.5.a0.1c.3   905512     0
""",
    ),
    "figures of fifty digits": (
        "linux.sar",
        b"""\
16:10:13          CPU     %user     %nice   %system   %iowait    %steal     %idle
"""
        + b"".join(
            b"16:10:%02d          all     80.15      0.00      6.62      0.51      0.00     %s\n" % (second, b"9" * 50)
            for second in range(15, 40)
        )
        + b"".join(
            b"16:10:%02d          all     80.15      0.00      6.62      0.51      0.00     %s\n" % (second, b"4" * 400)
            for second in range(40, 60)
        ),
    ),
    "a row that ends at its last separator": (
        "dstat.terminal",
        b"""\
--epoch--- --total-cpu-usage-- ------memory-usage-----
  epoch   |usr sys idl wai stl| used  free  buff  cach
1795245333| 46  16  37   1   0| 821M 16.5G 54.5M 5859M
1795245335| 90  10   0   0   0|
""",
    ),
    "cells beyond two headings of one table": (
        "nmon.nmon",
        b"""\
AAA,progname,nmon
AAA,interval,2
DISKRXFER1,Transfers per disk (reads) db1,hdisk4,hdisk5
ZZZZ,T0001,07:10:15,21-NOV-2026
DISKRXFER1,T0001,21,4,1
DISKRXFER,Transfers per disk (reads) db1,hdisk0,hdisk1
ZZZZ,T0002,07:10:17,21-NOV-2026
DISKRXFER,T0002,6,1,2
DISKRXFER1,T0002,22,5,3
ZZZZ,T0003,07:10:19,21-NOV-2026
DISKRXFER,T0003,7,2,4
""",
    ),
    "a disk in two headings of one table": (
        "nmon.nmon",
        b"""\
AAA,progname,nmon
AAA,interval,2
DISKBUSY1,Disk busy db1,hdisk0
ZZZZ,T0001,07:10:15,21-NOV-2026
DISKBUSY1,T0001,21
DISKBUSY,Disk busy db1,hdisk0
ZZZZ,T0002,07:10:17,21-NOV-2026
DISKBUSY,T0002,6
DISKBUSY1,T0002,22
ZZZZ,T0003,07:10:19,21-NOV-2026
DISKBUSY,T0003,7
""",
    ),
}


def line_by_line(entry, data: bytes) -> Outcome:
    return fed(entry.create(CONTEXT), data.splitlines(keepends=True))


@pytest.mark.parametrize("name", CASES)
def test_damage_that_was_mended(name):
    parser, data = CASES[name]
    entry = host().parser(parser)
    assert entry is not None, "quarantined"
    assert fault_of(entry, data) == ""
    assert difference(outcome_of(entry, data), line_by_line(entry, data)) == ""
