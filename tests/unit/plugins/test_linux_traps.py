"""Traps of real captures: since-boot blocks, wrappers, locales, old versions, ambiguous dates, odd names."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures" / "linux"
SEOUL = "Asia/Seoul"
CPU = """avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          37.46    0.01   16.73    0.63    0.26   44.92

"""
DEVICES = """Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
sda              {0}.24         5.24         1.10     203305      42533

"""


@pytest.fixture(scope="module")
def iostat(load, read):
    parser = load("linux_stat", "iostat:IostatParser")
    return lambda data, **known: read(parser, data if isinstance(data, bytes) else data.encode(), **known)


@pytest.fixture(scope="module")
def vmstat(load, read):
    parser = load("linux_stat", "vmstat:VmstatParser")
    return lambda data, **known: read(parser, data if isinstance(data, bytes) else data.encode(), **known)


@pytest.fixture(scope="module")
def mpstat(load, read):
    parser = load("linux_stat", "mpstat:MpstatParser")
    return lambda data, **known: read(parser, data if isinstance(data, bytes) else data.encode(), **known)


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def blocks(*numbers: int, banner: str = "Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n") -> str:
    return banner + "".join(CPU + DEVICES.format(number) for number in numbers)


def boots(reading, *series, **attributes):
    return [sample.since_boot for sample in reading.of(*series, **attributes)]


def assumptions(reading):
    return {entry.subject: (entry.value, entry.source) for entry in reading.ledger.assumptions}


# -- stamps and locales ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "first", "step_s", "locale", "variant"),
    [
        ("iostat-xt.txt", "2026-11-21 07:10:13", 2, "C", "-x -t"),
        ("iostat-xt-iso.txt", "2026-11-21 07:10:13", 2, "C", "-x -t"),
        ("iostat-xt-en_US-12h.txt", "2026-11-21 07:10:13", 2, "en_US", "-x -t"),
        ("iostat-xt-fr_FR.txt", "2026-11-21 07:10:13", 2, "fr", "-x -t"),
        ("iostat-xt.de_DE.txt", "2026-11-21 09:13:55", 1, "de", "-x -t"),
        ("iostat-xt.ko_KR.txt", "2026-11-21 09:13:55", 1, "ko", "-x -t"),
        ("iostat-xt.ja_JP.txt", "2026-11-21 09:13:55", 1, "ja", "-x -t"),
        ("iostat-xth.txt", "2026-11-21 09:13:59", 1, "C", "-x -h -t human"),
        ("iostat-ctz-iso.txt", "2026-11-21 09:13:59", 1, "C", "-c -t"),
    ],
)
def test_iostat_stamps_in_every_locale(iostat, name, first, step_s, locale, variant):
    reading = iostat(fixture(name), zone=SEOUL)
    times = [sample.time_ns for sample in next(iter(reading.samples.values()))]
    assert datetime.fromtimestamp(times[0] / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S") == first
    assert {later - earlier for earlier, later in pairwise(times)} == {step_s * 10**9}
    assert (reading.ledger.locale, reading.ledger.variant) == (locale, variant)
    assert reading.ledger.interval_s == step_s
    assert reading.ledger.needs == ()


def test_stamp_with_offset_needs_no_zone(iostat):
    reading = iostat(fixture("iostat-xt-iso.txt"), zone="America/New_York", zone_source="engagement")
    assert reading.times("cpu", "%user")[0] == "2026-11-21 07:10:13"
    assert (reading.ledger.zone, reading.ledger.zone_source, reading.ledger.needs) == ("+0900", "stamp", ())


def test_stamp_without_offset_asks_for_the_zone(iostat):
    reading = iostat(fixture("iostat-xt.txt"), zone=SEOUL, zone_source="engagement")
    assert "zone" in reading.ledger.needs


@pytest.mark.parametrize(
    ("name", "first", "locale"),
    [
        ("mpstat-12h.txt", "2026-11-21 07:10:23", "en_US"),
        ("mpstat.ko_KR.txt", "2026-11-21 09:13:56", "ko"),
        ("mpstat.ja_JP.txt", "2026-11-21 09:13:56", "ja"),
        ("mpstat.de_DE.txt", "2026-11-21 09:13:56", "de"),
        ("mpstat.fr_FR.txt", "2026-11-21 09:13:58", "fr"),
        ("mpstat-PALL.txt", "2026-11-21 07:10:23", "C"),
    ],
)
def test_mpstat_stamps_and_averages_in_every_locale(mpstat, name, first, locale):
    reading = mpstat(fixture(name), zone=SEOUL)
    assert reading.times("cpu", "%idle", cpu="all")[0] == first
    assert reading.ledger.locale == locale
    assert set(reading.skipped()) == {"average"}
    assert not any(boots(reading, "cpu", "%idle", cpu="all"))


def test_mpstat_passes_midnight(mpstat):
    text = """Linux 6.1.0 (db1) \t2026-11-21 \t_x86_64_\t(2 CPU)

23:59:40     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
23:59:50     all    1.00    0.00    1.49    0.50    0.00    0.00    0.00    0.00    0.00   97.01
00:00:00     all    2.00    0.00    1.49    0.50    0.00    0.00    0.00    0.00    0.00   96.01
00:00:10     all    3.00    0.00    1.49    0.50    0.00    0.00    0.00    0.00    0.00   95.01
"""
    assert mpstat(text).times("cpu", "%usr", cpu="all") == [
        "2026-11-21 23:59:50",
        "2026-11-22 00:00:00",
        "2026-11-22 00:00:10",
    ]


def test_mpstat_epoch_stamps(mpstat):
    text = """Linux 1.2.3 (x) \t06/01/20 \t_x86_64_\t(9 CPU)

1591016000   CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
1591016001   all    2.15   12.50    1.84    0.12    0.34    0.19    0.00    0.00    0.00   82.88
"""
    assert mpstat(text).times("cpu", "%usr", cpu="all") == ["2020-06-01 12:53:21"]


def test_mpstat_of_sysstat_5(mpstat):
    text = """Linux 2.6.9-5.ELsmp (db1) \t03/24/15

03:49:57 PM  CPU   %user   %nice %system %iowait    %irq   %soft   %idle    intr/s
03:50:02 PM  all    5.10    0.00    1.20    0.30    0.00    0.10   93.30   1032.40
Average:     all    5.10    0.00    1.20    0.30    0.00    0.10   93.30   1032.40
"""
    reading = mpstat(text)
    assert reading.times("cpu", "intr/s", cpu="all") == ["2015-03-24 15:50:02"]
    assert reading.values("cpu", "intr/s", cpu="all") == [1032.4]
    assert reading.ledger.hostname == "db1"
    assert reading.ledger.os_version == "2.6.9-5.ELsmp"


def test_mpstat_without_interval_is_since_boot(mpstat):
    for name in ("mpstat-once.txt", "mpstat-once-P.txt"):
        reading = mpstat(fixture(name))
        assert boots(reading, "cpu", "%idle", cpu="all") == [True]
        assert "since_boot_only" in reading.ledger.warnings


def test_sar_is_not_taken_for_mpstat(load):
    sniff = load("linux_stat", "mpstat:MpstatParser").sniff
    for heading in (
        "17:45:32        CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    %idle",
        "17:45:32        CPU     %user     %nice   %system   %iowait    %steal     %idle",
        "17:45:32        CPU   total/s   dropd/s squeezd/s  rx_rps/s flw_lim/s",
    ):
        row = "17:45:33        all      0.00      0.00      1.00      0.00      0.00      0.00      0.00      0.00     9.0"
        text = f"Linux 6.1.0 (db1) \t2026-11-21 \t_x86_64_\t(2 CPU)\n\n{heading}\n{row}\n"
        assert sniff(text.encode(), "sar.txt") == 0.0


# -- the date in the banner -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("11/21/26", "2026-11-21"),
        ("21/11/26", "2026-11-21"),
        ("2026-11-21", "2026-11-21"),
        ("21.11.2026", "2026-11-21"),
        ("2026년 11월 21일", "2026-11-21"),
        ("2026年11月21日", "2026-11-21"),
    ],
)
def test_certain_banner_dates(iostat, printed, expected):
    banner = f"Linux 6.1.0 (db1) \t{printed} \t_x86_64_\t(2 CPU)\n\n"
    reading = iostat(blocks(1, 2, banner=banner))
    assert reading.times("cpu", "%user") == [f"{expected} 00:00:00", f"{expected} 00:00:01"]
    assert assumptions(reading)["start"] == (f"{expected} 00:00:00", "banner")
    assert "date_order" not in assumptions(reading)
    assert {"start", "interval_s"} <= set(reading.ledger.needs)


def test_ambiguous_banner_date_is_assumed_and_asked_for(iostat):
    banner = "Linux 6.1.0 (db1) \t05/06/11 \t_x86_64_\t(2 CPU)\n\n"
    reading = iostat(blocks(1, banner=banner))
    assert reading.times("cpu", "%user") == ["2011-05-06 00:00:00"]
    assert "date_order" in assumptions(reading)
    assert "date" in reading.ledger.needs
    reading = iostat(blocks(1, banner=banner), day_first=True)
    assert reading.times("cpu", "%user") == ["2011-06-05 00:00:00"]
    assert "date" not in reading.ledger.needs


def test_comma_decimals_mean_day_first(iostat):
    banner = "Linux 6.1.0 (db1) \t05/06/2011 \t_x86_64_\t(2 CPU)\n\n"
    reading = iostat(blocks(1, banner=banner).replace(".", ","))
    assert reading.times("cpu", "%user") == ["2011-06-05 00:00:00"]
    assert reading.values("cpu", "%user") == [37.46]
    assert "date" not in reading.ledger.needs


def test_twelve_hour_stamps_mean_month_first(iostat):
    text = blocks(1, banner="Linux 6.1.0 (db1) \t05/06/2011 \t_x86_64_\t(2 CPU)\n\n05/06/2011 11:30:00 PM\n")
    reading = iostat(text)
    assert reading.times("cpu", "%user") == ["2011-05-06 23:30:00"]
    assert "date" not in reading.ledger.needs


def test_the_order_found_first_holds_for_the_whole_capture(iostat):
    """30/11/26 is certain; 01/12/26 on the next day must be read the same way."""
    text = "Linux 6.1.0 (db1) \t30/11/26 \t_x86_64_\t(2 CPU)\n\n"
    for stamp in ("30/11/26 23:59:50", "01/12/26 00:00:00"):
        text += f"{stamp}\n{CPU}"
    assert iostat(text).times("cpu", "%user") == ["2026-11-30 23:59:50", "2026-12-01 00:00:00"]


def test_the_users_word_on_start_and_interval_wins(iostat):
    reading = iostat(blocks(1, 2, 3), start=datetime(2026, 11, 20, 9, 0), interval_s=10.0, zone=SEOUL)
    assert reading.times("cpu", "%user") == ["2026-11-20 00:00:00", "2026-11-20 00:00:10", "2026-11-20 00:00:20"]
    assert reading.ledger.needs == ()


def test_the_path_gives_the_start(iostat):
    reading = iostat(blocks(1, 2), path="host/20150509/050500/iostat.txt")
    assert reading.times("cpu", "%user")[0] == "2015-05-09 05:05:00"
    assert assumptions(reading)["start"][1] == "path"


# -- since boot -----------------------------------------------------------------------------------


def test_first_block_is_since_boot(iostat):
    reading = iostat(blocks(1, 2, 3))
    assert boots(reading, "cpu", "%user") == [True, False, False]
    assert boots(reading, "device", "tps", device="sda") == [True, False, False]


@pytest.mark.parametrize("name", ["iostat-dxt-y.txt", "iostat-xk-y.txt", "iostat-y.txt", "iostat-dxty.txt"])
def test_runs_with_y_have_no_block_since_boot(iostat, name):
    """-y leaves a second blank line below the banner."""
    reading = iostat(fixture(name))
    assert not any(sample.since_boot for samples in reading.samples.values() for sample in samples)


def test_each_restart_of_the_tool_begins_since_boot_again(iostat):
    reading = iostat(fixture("loop-date-iostat.txt"), zone=SEOUL)
    assert boots(reading, "device", "%util", device="vda") == [True, False] * 3
    assert reading.times("device", "%util", device="vda") == [
        "2026-11-21 07:15:32",
        "2026-11-21 07:15:33",
        "2026-11-21 07:15:33",
        "2026-11-21 07:15:34",
        "2026-11-21 07:15:34",
        "2026-11-21 07:15:35",
    ]


def test_a_capture_cut_off_at_its_head_has_no_block_since_boot(iostat, vmstat):
    whole = blocks(1, 2, 3)
    cut = whole[whole.index("sda") + 5 :]
    assert boots(iostat(cut), "cpu", "%user") == [False, False]
    lines = fixture("vmstat-repeat-header.txt").split(b"\n")
    reading = vmstat(b"\n".join(lines[10:]))
    assert not any(boots(reading, "vmstat", "us", group="cpu"))


def test_since_boot_alone_is_warned_of(iostat):
    assert "since_boot_only" in iostat(blocks(1)).ledger.warnings
    assert "since_boot_only" not in iostat(blocks(1, 2)).ledger.warnings


def test_vmstat_restarted_by_a_loop(vmstat):
    reading = vmstat(fixture("loop-date-vmstat.txt"), zone=SEOUL)
    assert boots(reading, "vmstat", "us", group="cpu") == [True, False] * 4
    assert reading.values("vmstat", "us", group="cpu") == [45, 86, 45, 90, 45, 91, 45, 92]
    assert reading.times("vmstat", "us", group="cpu")[:3] == [
        "2026-11-21 07:15:32",
        "2026-11-21 07:15:33",
        "2026-11-21 07:15:33",
    ]
    assert reading.ledger.zone == "Asia/Seoul"


def test_vmstat_restarted_without_any_stamp(vmstat):
    """`while true; do vmstat 1 2; done`: pages of two rows are no pages of a terminal."""
    lines = [line for line in fixture("loop-date-vmstat.txt").split(b"\n") if b"KST" not in line]
    reading = vmstat(b"\n".join(lines))
    assert boots(reading, "vmstat", "us", group="cpu") == [True, False] * 4


def test_vmstat_heading_repeats_with_the_page(vmstat):
    reading = vmstat(fixture("vmstat-repeat-header.txt"))
    assert boots(reading, "vmstat", "us", group="cpu") == [True, *[False] * 29]


# -- wrappers -------------------------------------------------------------------------------------


def test_stamps_before_every_line(vmstat, iostat):
    reading = vmstat(fixture("vmstat-awk.txt"), zone=SEOUL)
    assert reading.times("vmstat", "us", group="cpu") == [f"2026-11-21 09:39:{second:02}" for second in (8, 9, 10, 11)]
    assert boots(reading, "vmstat", "us", group="cpu") == [True, False, False, False]
    reading = iostat(fixture("iostat-awk.txt"), zone=SEOUL)
    assert reading.times("device", "%util", device="vda") == [f"2026-11-21 09:39:{second:02}" for second in (8, 9, 10)]
    assert boots(reading, "device", "%util", device="vda") == [True, False, False]
    assert reading.ledger.hostname == "vm"


STAMPS = [
    "2026-07-20 09:00:{0:02}",
    "2026-07-20 09:00:{0:02}.250",
    "2026-07-20T09:00:{0:02}+0900",
    "[2026-07-20 09:00:{0:02}]",
    "Jul 20 09:00:{0:02}",
    "Mon Jul 20 09:00:{0:02} KST 2026",
    "17845056{0:02}",
    "2026-07-20 09:00:{0:02},250",
    "2026. 07. 20. (월) 09:00:{0:02} KST",
]
SEPARATORS = [" ", "\t", ",", ": ", " | "]
RUNNABLE = [2, 9, 10, 23, 9, 123, 1]


def behind(stamp: str, separator: str, *blocks: str) -> bytes:
    """Each line of each block behind the block's stamp."""
    lines = [(second, line) for second, block in enumerate(blocks) for line in block.rstrip("\n").split("\n")]
    return "".join(stamp.format(second) + (separator + line if line else "") + "\n" for second, line in lines).encode()


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("separator", SEPARATORS)
def test_each_row_behind_a_stamp_is_read_whatever_stands_between(load, vmstat, iostat, mpstat, stamp, separator):
    heading = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
"""
    row = "{0:2}  0 151296 415308 224620 64440556    0    0  2928  5597    7    5  7  3 85  5  0\n"
    text = behind(stamp, separator, heading + row.format(RUNNABLE[0]), *map(row.format, RUNNABLE[1:]))
    reading = vmstat(text, zone=SEOUL, modified_ns=1_784_600_000 * 10**9)
    assert reading.values("vmstat", "r", group="procs") == RUNNABLE
    assert boots(reading, "vmstat", "r", group="procs") == [True] + [False] * 6
    assert reading.times("vmstat", "r", group="procs") == [f"2026-07-20 00:00:{second:02}" for second in range(7)]
    assert (reading.ledger.lines.data, reading.ledger.lines.header, reading.skipped()) == (7, 2, {})

    text = behind(stamp, separator, blocks(RUNNABLE[0]), *(CPU + DEVICES.format(number) for number in RUNNABLE[1:]))
    reading = iostat(text, zone=SEOUL, modified_ns=1_784_600_000 * 10**9)
    assert reading.values("device", "tps", device="sda") == [number + 0.24 for number in RUNNABLE]
    assert boots(reading, "device", "tps", device="sda") == [True] + [False] * 6

    block = """17:00:0{0}     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
17:00:0{1}     all {2:7.2f}    0.00    1.49    0.50    0.00    0.00    0.00    0.00    0.00   97.01
"""
    text = behind(stamp, separator, *(block.format(at, at + 1, number) for at, number in enumerate(RUNNABLE)))
    assert mpstat(text, zone=SEOUL, date=date(2026, 7, 20)).values("cpu", "%usr", cpu="all") == RUNNABLE
    assert load("linux_stat", "mpstat:MpstatParser").sniff(text, "") > 0.5


def test_a_row_behind_a_stamp_of_another_form_is_booked_as_unread(vmstat):
    text = fixture("vmstat.txt")
    lines = text.splitlines()
    damaged = b"\n".join([*lines[:4], b"21/07/2026-09:00:02," + lines[4], *lines[5:], b""])
    reading = vmstat(damaged, zone=SEOUL)
    assert reading.skipped() == {"unreadable_numbers": 1}
    assert boots(reading, "vmstat", "us", group="cpu").count(True) == 1


def test_rows_that_a_buffering_wrapper_stamped_alike_are_all_kept(vmstat):
    text = fixture("vmstat-awk.txt").replace(b"18:39:09", b"18:39:08").replace(b"18:39:10", b"18:39:08")
    reading = vmstat(text)
    assert len(reading.of("vmstat", "us", group="cpu")) == 4


@pytest.mark.parametrize(
    ("stamp", "utc"),
    [
        ("Sat Nov 21 16:15:32 KST 2026", "2026-11-21 07:15:32"),
        ("Sat 21 Nov 2026 04:15:32 PM KST", "2026-11-21 07:15:32"),
        ("2026. 11. 21. (토) 16:15:32 KST", "2026-11-21 07:15:32"),
        ("2026년 11월 21일 토요일 16시 15분 32초 KST", "2026-11-21 07:15:32"),
        ("2026. 11. 21. (토) 오후 04:15:32 KST", "2026-11-21 07:15:32"),
        ("Sa 21. Nov 16:15:32 KST 2026", "2026-11-21 07:15:32"),
        ("sam. 21 nov. 2026 16:15:32 KST", "2026-11-21 07:15:32"),
        ("토 11월 21 16:15:32 KST 2026", "2026-11-21 07:15:32"),
        ("2026年 11月 21日 土曜日 16:15:32 JST", "2026-11-21 07:15:32"),
        ("### 2026-11-21 16:15:32", "2026-11-21 07:15:32"),
        ("2026-11-21T16:15:32+09:00", "2026-11-21 07:15:32"),
        ("20261121_161532", "2026-11-21 07:15:32"),
        ("1795245332", "2026-11-21 07:15:32"),
        ("zzz ***Sat Nov 21 16:15:32 KST 2026", "2026-11-21 07:15:32"),
        ("zzz <11/21/2026 16:15:32> Count:1", "2026-11-21 07:15:32"),
    ],
)
def test_stamp_lines_of_wrappers(vmstat, stamp, utc):
    reading = vmstat(f"{stamp}\n".encode() + fixture("vmstat.txt"), zone=SEOUL)
    assert reading.times("vmstat", "us", group="cpu")[:2] == [utc, utc[:-1] + "3"]
    assert reading.skipped() == {}


LOGINS = [
    "Last login: Fri Jul 17 18:22:41 2026 from 10.0.0.5",
    "Last failed login: Fri Jul 17 18:22:41 KST 2026 on pts/0",
    "마지막 로그인: 금  7월 17 18:22:41 KST 2026 일시 pts/0",
    "Last authentication failure: Sun Jul 19 08:00:00 KST-9 2026 on ssh",
    "Your password will expire on Fri Aug 21 09:00:00 2026.",
    "System rebooted Sat Jul 18 03:00:00 KST 2026",
]


@pytest.mark.parametrize("login", LOGINS)
def test_a_login_is_not_when_the_capture_starts(vmstat, iostat, login):
    putty = "=~=~=~=~=~=~=~=~=~=~=~= PuTTY log 2026.07.20 09:00:00 =~=~=~=~=~=~=~=~=~=~=~=\n"
    table = fixture("vmstat.txt").decode()
    known = {"zone": SEOUL, "modified_ns": int(datetime(2026, 7, 21, tzinfo=UTC).timestamp()) * 10**9}
    reading = vmstat(f"{login}\n[root@db01 ~]# vmstat 1\n{table}", **known)
    assert reading.times("vmstat", "us", group="cpu")[0] == "2026-07-21 00:00:00"
    assert assumptions(reading)["start"][1] == "mtime" and "start" in reading.ledger.needs
    assert reading.skipped() == {"wrapper": 2}
    reading = vmstat(f"{putty}{login}\n[root@db01 ~]# vmstat 1\n{table}", **known)
    assert reading.times("vmstat", "us", group="cpu")[0] == "2026-07-20 00:00:00"
    reading = iostat(f"{login}\nYou have 3 new mails.\n{blocks(1, 2, banner='')}", **known)
    assert reading.times("cpu", "%user")[0] == "2026-07-21 00:00:00"
    assert boots(reading, "cpu", "%user") == [True, False], "words above a capture are no sign that its head is gone"


@pytest.mark.parametrize(
    ("banner", "host"),
    [("Linux OSWbb v7.3.3", ""), ("Linux OSWbb v8.1.2", ""), ("Linux OSWbb v22.1.0AHF db02", "db02")],
)
def test_the_line_by_which_oswatcher_names_itself_is_a_heading(vmstat, banner, host):
    reading = vmstat(f"{banner}\nzzz ***Sat Nov 21 16:15:32 KST 2026\n".encode() + fixture("vmstat.txt"), zone=SEOUL)
    assert reading.skipped() == {} and reading.ledger.hostname == host
    assert reading.times("vmstat", "us", group="cpu")[0] == "2026-11-21 07:15:32"


def test_oswatcher_stamps_before_the_tools_own(iostat):
    text = """zzz ***Wed Feb 29 11:01:52 EST 2012 Sample interval: 5 secconds
Linux 2.6.18-194.3.1.0.4.el5 (dm02cel01.aim.com) \t02/29/12

Time: 11:01:52
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.25    0.00    0.54    0.30    0.00   97.91

Device:         rrqm/s   wrqm/s   r/s   w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util
sda               0.08    41.54  0.55 16.53    85.50   466.29    32.30     0.02    1.12   0.41   0.70

Time: 11:01:57
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           2.25    0.00    0.54    0.30    0.00   96.91

Device:         rrqm/s   wrqm/s   r/s   w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util
sda               0.00    11.00  0.00  5.00     0.00   128.00    25.60     0.00    0.04   0.04   0.02

"""
    reading = iostat(text)
    assert reading.times("device", "wsec/s", device="sda") == ["2012-02-29 11:01:52", "2012-02-29 11:01:57"]
    assert reading.values("device", "wsec/s", device="sda") == [466.29, 128.0]
    assert boots(reading, "device", "wsec/s", device="sda") == [True, False]
    assert reading.ledger.hostname == "dm02cel01.aim.com"
    assert reading.skipped() == {}


def test_the_command_line_gives_the_interval(vmstat, iostat):
    reading = vmstat(b"# vmstat -S M 5 720\n" + fixture("vmstat.txt"), start=datetime(2026, 11, 21, tzinfo=UTC))
    assert reading.times("vmstat", "us", group="cpu")[:3] == [f"2026-11-21 00:00:{s:02}" for s in (0, 5, 10)]
    assert reading.ledger.variant == "-S M"
    assert "memory_unit" in reading.ledger.warnings
    assert reading.skipped() == {"wrapper": 1}
    reading = iostat("$ iostat -xy 30\n" + blocks(1, 2), start=datetime(2026, 11, 21, tzinfo=UTC))
    assert reading.times("cpu", "%user") == ["2026-11-21 00:00:00", "2026-11-21 00:00:30"]
    assert boots(reading, "cpu", "%user") == [False, False]


# -- old versions and odd rows --------------------------------------------------------------------


def test_japanese_red_hat_5(iostat):
    text = """Linux 2.6.18-194.el5 (db1) \t2011年04月12日

時間: 20時45分12秒
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.07    0.00    0.06    0.03    0.00   99.84

Device:            tps   Blk_read/s   Blk_wrtn/s   Blk_read   Blk_wrtn
sda               1.05         3.71        20.90    1118650    6300850
sda1              0.00         0.01         0.00       2062         46

"""
    reading = iostat(text, zone="Asia/Tokyo")
    assert reading.times("device", "tps", device="sda") == ["2011-04-12 11:45:12"]
    assert reading.values("device", "Blk_wrtn", device="sda1") == [46.0]
    assert reading.ledger.locale == "ja"


def test_red_hat_5_in_english(iostat):
    text = blocks(1, banner="Linux 2.6.18-164.el5 (db1) \t03/24/15\n\nTime: 03:49:57 PM\n")
    assert iostat(text).times("cpu", "%user") == ["2015-03-24 15:49:57"]


def test_network_file_systems(iostat):
    text = """Linux 2.6.18-194.el5 (db1) \t03/24/15

Filesystem:              rBlk_nor/s   wBlk_nor/s   rBlk_dir/s   wBlk_dir/s   rBlk_svr/s   wBlk_svr/s    rops/s    wops/s
nas1:/vol/data                 1.00         2.00         0.00         0.00         3.50         4.25      0.50      0.75
nas1.example.com:/a/very/long/path/of/an/export
                              11.00        12.00         0.00         0.00        13.50        14.25      1.50      1.75

"""
    reading = iostat(text)
    assert reading.values("nfs", "wBlk_svr/s", device="nas1:/vol/data") == [4.25]
    assert reading.values("nfs", "rBlk_nor/s", device="nas1.example.com:/a/very/long/path/of/an/export") == [11.0]
    assert reading.ledger.lines.data == 3
    assert reading.skipped() == {}


def test_a_long_name_without_its_numbers_is_booked(iostat):
    text = blocks(1) + DEVICES.format(2).replace("sda   ", "a-device-with-a-long-name\nsdb")
    reading = iostat(text)
    assert reading.skipped() == {"not_a_table": 1}
    assert reading.ledger.lines.balanced


def test_devices_come_and_go_and_tables_change_their_columns(iostat):
    text = (
        blocks(1, 2)
        + CPU
        + "Device             tps    kB_read/s\nsda               7.00         5.24\nsdb               8.00         1.00\n"
    )
    reading = iostat(text)
    assert reading.values("device", "tps", device="sda") == [1.24, 2.24, 7.0]
    assert reading.values("device", "tps", device="sdb") == [8.0]
    assert reading.values("device", "kB_wrtn", device="sda") == [42533.0, 42533.0]


def test_columns_nobody_knows_are_kept(iostat):
    text = blocks(1).replace("kB_wrtn\n", "kB_wrtn   new-col%\n").replace("42533", "42533     77.5")
    assert iostat(text).values("device", "new-col%", device="sda") == [77.5]


def test_values_that_touch_or_are_missing(iostat):
    text = blocks(1, 2).replace("2.24         5.24", "2.24         -nan")
    reading = iostat(text)
    assert reading.values("device", "tps", device="sda") == [1.24, 2.24]
    assert reading.values("device", "kB_read/s", device="sda") == [5.24]  # NaN is left out by the reading


@pytest.mark.parametrize("cut", [1, 2, 5, 30])
def test_a_last_row_that_was_cut_off_is_left_out(iostat, vmstat, mpstat, cut):
    whole = blocks(1, 2, 3).rstrip("\n")
    reading = iostat(whole[:-cut])
    assert reading.skipped() == {"truncated": 1}
    assert len(reading.of("device", "tps", device="sda")) == 2
    reading = vmstat(fixture("vmstat.txt").rstrip(b"\n")[:-cut])
    assert reading.skipped() == {"truncated": 1}
    assert len(reading.of("vmstat", "us", group="cpu")) == 5
    lines = fixture("mpstat-PALL.txt").split(b"\nAverage")[0].rstrip(b"\n")
    assert mpstat(lines[:-cut]).skipped() == {"truncated": 1}


def test_a_whole_last_row_without_a_line_end_is_taken(iostat, vmstat):
    assert iostat(blocks(1, 2, 3).rstrip("\n")).skipped() == {}
    assert vmstat(fixture("vmstat.txt").rstrip(b"\n")).skipped() == {}


def test_rows_are_evidence_by_their_line(iostat, vmstat):
    text = fixture("iostat-xt.txt")
    lines = text.decode().split("\n")
    for sample in iostat(text).of("device", "%util", device="vda"):
        assert lines[sample.line - 1].startswith("vda")
        assert float(lines[sample.line - 1].split()[-1]) == sample.value
    text = fixture("vmstat-repeat-header.txt")
    lines = text.decode().split("\n")
    for sample in vmstat(text).of("vmstat", "cs", group="system"):
        assert float(lines[sample.line - 1].split()[11]) == sample.value


def test_windows_line_ends_and_a_byte_order_mark(iostat):
    plain = iostat(fixture("iostat-xt.txt"))
    marked = iostat(b"\xef\xbb\xbf" + fixture("iostat-xt.txt").replace(b"\n", b"\r\n"))
    assert marked.samples == plain.samples
    assert marked.ledger.lines == plain.ledger.lines
    utf16 = iostat(fixture("iostat-xt.txt").decode().encode("utf-16"))
    assert utf16.samples == plain.samples


@pytest.mark.parametrize(
    ("tool", "name"), [("vmstat", "vmstat.txt"), ("iostat", "iostat-xt.txt"), ("mpstat", "mpstat-PALL.txt")]
)
def test_utf_16_is_known_and_read(load, read, tool, name):
    parser = load("linux_stat", f"{tool}:{tool.capitalize()}Parser")
    text = fixture(name)
    wide = text.decode().replace("\n", "\r\n").encode("utf-16")
    assert parser.sniff(wide[:65536], name) == parser.sniff(text, name) > 0.9
    assert read(parser, wide).samples == read(parser, text).samples


def test_rules_of_a_report_are_no_heading_of_vmstat_d(load):
    text = (b"------ " * 10).strip() + b"\n" + b"".join(b"%d " % number for number in range(11)).strip() + b"\n"
    assert load("linux_stat", "vmstat_tables:VmstatTablesParser").sniff(text, "prtdiag.txt") == 0.0


def test_json_documents_that_were_cut_off(load, read):
    parser = load("linux_stat", "iostat_json:IostatJsonParser")
    text = fixture("iostat-t-json.json")
    cut = text[: text.index(b"16:10:17") + 200]
    reading = read(parser, cut + b"\n" + text, zone=SEOUL)
    element = [line.strip() for line in cut.split(b"\n")]
    element = element[len(element) - 1 - element[::-1].index(b"{") :]
    assert reading.skipped() == {"truncated": len(element)}
    assert len(reading.of("cpu", "%user")) == 5
    assert boots(reading, "cpu", "%user") == [True, False, True, False, False]
    assert reading.ledger.lines.balanced


def test_json_on_one_line(load, read):
    import json

    parser = load("linux_stat", "iostat_json:IostatJsonParser")
    text = fixture("iostat-t-json.json")
    whole, minified = read(parser, text), read(parser, json.dumps(json.loads(text)).encode())
    assert {key: [(s.time_ns, s.value) for s in samples] for key, samples in minified.samples.items()} == {
        key: [(s.time_ns, s.value) for s in samples] for key, samples in whole.samples.items()
    }
    assert minified.ledger.lines.balanced


def test_vmstat_of_red_hat_4_and_the_zone_in_every_row(vmstat):
    text = """procs -----------memory---------- ---swap-- -----io---- --system-- ----cpu----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in    cs us sy id wa
 0  0    524  18964 147216 819640    0    0     8    10    1     9  1  0 98  1
"""
    assert vmstat(text).values("vmstat", "wa", group="cpu") == [1.0]
    text = """procs -----------memory---------- ---swap-- -----io---- --system-- -----cpu----- ---timestamp---
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 0  0    524  18964 147216 819640    0    0     8    10    1    9  1  0 98  1  0\t2015-05-09 05:05:00 KST
 1  0    524  18964 147216 819640    0    0     8    10    1    9  2  0 97  1  0\t2015-05-09 05:05:05 KST
"""
    reading = vmstat(text, zone="Europe/Berlin")
    assert reading.times("vmstat", "us", group="cpu") == ["2015-05-08 20:05:00", "2015-05-08 20:05:05"]
    assert reading.ledger.zone == "Asia/Seoul"


def test_vmstat_of_kernel_2_4(vmstat):
    text = """   procs                      memory    swap          io     system         cpu
 r  b  w   swpd   free   buff  cache  si  so    bi    bo   in    cs  us  sy  id
 0  6  1  27448  12352  56344 6958800   0   0  1792 12696 1977   897   2   5  93
 1  6  1  27448  13316  56504 6959908   0   0  1216  9488 1922   528   2   7  91
"""
    reading = vmstat(text)
    assert reading.values("vmstat", "w", group="procs") == [1.0, 1.0]
    assert reading.values("vmstat", "sy", group="cpu") == [5.0, 7.0]
    assert reading.skipped() == {}


def test_banners_that_lost_their_tabs_or_have_no_name(iostat):
    reading = iostat(
        blocks(1, banner="Linux 4.15.0-60-generic (node09)        09/28/19        _x86_64_        (2 CPU)\n\n")
    )
    assert reading.times("cpu", "%user") == ["2019-09-28 00:00:00"]
    assert (reading.ledger.hostname, reading.ledger.os_version) == ("node09", "4.15.0-60-generic")
    assert iostat(blocks(1, banner="Linux 2.6.12.6 ((none))         04/23/11\n\n")).ledger.hostname == "(none)"


def test_solaris_aix_and_bsd_are_not_linux(load):
    vmstat = load("linux_stat", "vmstat:VmstatParser").sniff
    iostat = load("linux_stat", "iostat:IostatParser").sniff
    solaris = """ kthr      memory            page            disk          faults      cpu
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 --   in   sy   cs us sy id
 0 0 0 1140216 258280 1 11 0 0 0 0 0 0 0 0 0 409 273 230 0 1 99
"""
    aix = """kthr    memory              page              faults        cpu
 r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa
 1  1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
"""
    solaris_disks = """                    extended device statistics
device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b
sd0       0.0    0.1    0.3    0.7  0.0  0.0   14.2   0   0
"""
    aix_disks = """tty:      tin         tout    avg-cpu: % user % sys % idle % iowait
          0.0          0.3                0.1   0.2   99.7      0.0
"""
    texts = [solaris, aix, solaris_disks, aix_disks]
    for text in texts:
        assert vmstat(text.encode(), "x.txt") == 0.0
        assert iostat(text.encode(), "x.txt") == 0.0


def test_user_date_places_a_capture_that_has_only_times(mpstat):
    text = fixture("mpstat-PALL.txt").split(b"\n", 2)[2]
    reading = mpstat(text, date=date(2026, 11, 19))
    assert reading.times("cpu", "%idle", cpu="all")[0] == "2026-11-19 16:10:23"
