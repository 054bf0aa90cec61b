"""diskstats and df: values from the text, rates as iostat works them out."""

from __future__ import annotations

import math
import re

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "linux_system"
STAMP = "@tunebench at 2026-11-21T00:00:{:02}Z\n"


@pytest.fixture
def diskstats(load, read):
    return lambda data, **context: read(load("linux_system", "diskstats:DiskstatsParser"), data, **context)


@pytest.fixture
def df(load, read):
    return lambda data, **context: read(load("linux_system", "df:DfParser"), data, **context)


def iostat_blocks(name: str) -> list[dict[str, float]]:
    """The reports of a plain `iostat -dxk vda`, read with nothing but split."""
    blocks, heading = [], []
    for line in (FIXTURES / name).read_text().splitlines():
        words = line.split()
        if words[:1] == ["Device"]:
            heading = words[1:]
        elif words[:1] == ["vda"]:
            blocks.append(dict(zip(heading, map(float, words[1:]), strict=True)))
    return blocks


def test_rates_are_those_that_iostat_prints_for_the_same_counters(diskstats):
    """iostat 12.6.1 was given these very counters and elapsed times of 5 s and 2.5 s."""
    reading = diskstats((FIXTURES / "diskstats-of-iostat.txt").read_bytes())
    printed = iostat_blocks("iostat-of-diskstats.txt")[1:]  # the first is since boot
    assert len(printed) == 2
    for native in printed[0]:
        ours = {sample.time_ns: sample.value for sample in reading.of("device", native, device="vda")}
        times = sorted(sample.time_ns for sample in reading.of("device", "r/s", device="vda"))
        for time_ns, block in zip(times, printed, strict=True):
            if time_ns in ours:
                assert round(ours[time_ns], 2) == pytest.approx(block[native], abs=0.011), native
            else:  # nothing finished: no mean; iostat prints 0.00
                assert block[native] == 0.0, native


def test_rates_agree_with_an_iostat_that_ran_at_the_same_time(diskstats):
    """A steady load of direct writes, five intervals of two seconds, two recordings side by side."""
    reading = diskstats((FIXTURES / "parallel-diskstats.txt").read_bytes())
    blocks = iostat_blocks("parallel-iostat.txt")
    for native, tolerance in (("w/s", 0.02), ("wkB/s", 0.02), ("w_await", 0.05), ("%util", 0.03), ("aqu-sz", 0.15)):
        ours = reading.values("device", native, device="vda")
        assert len(ours) == len(blocks) == 5
        mean = sum(block[native] for block in blocks) / len(blocks)
        assert sum(ours) / len(ours) == pytest.approx(mean, rel=tolerance), native


def test_counters_are_kept_as_they_stand(diskstats):
    data = (FIXTURES / "diskstats-loop.txt").read_bytes()
    reading = diskstats(data)
    printed = [line.split() for line in data.decode().splitlines() if " vda " in line]
    for native, column in (("reads completed", 3), ("sectors written", 9), ("ms doing I/Os", 12), ("ms flushing", 19)):
        expected = [float(cells[column]) for cells in printed]
        assert reading.values("counters_device", native, device="vda") == expected
    assert reading.of("counters_device", "reads completed", device="vda")[0].line == 2
    assert [sample.line for sample in reading.of("device", "w/s", device="vda")] == [5, 8, 11]


@pytest.mark.parametrize(("width", "last"), [(11, "%util"), (15, "dareq-sz"), (17, "f_await")])
def test_every_kernel_s_number_of_fields(diskstats, width, last):
    rows = [" ".join(str(value) for value in range(start, start + width)) for start in (0, 100)]
    text = "".join(STAMP.format(second) + f"   8    0 sda {row}\n" for second, row in zip((0, 10), rows, strict=True))
    reading = diskstats(text.encode())
    assert reading.values("device", "r/s", device="sda") == [10.0]
    assert reading.values("device", last, device="sda") != []
    natives = {key.native for key in reading.samples if key.table == "device"}
    assert ("f/s" in natives, "d/s" in natives) == (width == 17, width > 11)


def test_a_partition_of_an_old_kernel_has_four_counters(diskstats):
    reading = diskstats(b"   3    0 hda 1 2 3 4 5 6 7 8 9 10 11\n   3    1 hda1 35486 38030 38031 38032\n")
    assert reading.values("counters_partition", "sectors written", device="hda1") == [38032.0]
    assert reading.ledger.lines.data == 2


def test_stamps_of_pt_diskstats_time_the_rounds(diskstats):
    """Two rounds of the corpus' made capture, 2.021981318 s apart: 1610 reads in between."""
    data = (FIXTURES / "diskstats-3x.txt").read_bytes()
    reading = diskstats(data)
    assert reading.values("device", "r/s", device="vda")[0] == pytest.approx((223857 - 222247) / 2.021981318, rel=1e-6)
    assert reading.times("device", "r/s", device="vda")[0] == "2026-11-21 07:10:23"
    assert math.isclose(reading.values("device", "rareq-sz", device="vda")[0], (15077498 - 15040026) / 2 / 1610)


def test_a_file_without_stamps_has_a_round_per_repetition_of_its_first_device(diskstats):
    once = b"   8 0 sda 1 0 0 0 0 0 0 0 0 0 0\n   8 16 sdb 1 0 0 0 0 0 0 0 0 0 0\n"
    reading = diskstats(once + once.replace(b" 1 0", b" 3 0", 2), interval_s=2.0)
    assert reading.values("device", "r/s", device="sdb") == [1.0]
    assert "start" in reading.ledger.needs


# -- df ------------------------------------------------------------------------------------------------


def test_df_by_mount_point(df):
    data = (FIXTURES / "df-loop.txt").read_bytes()
    reading = df(data)
    used = [float(line.split()[2]) for line in data.decode().splitlines() if line.startswith("/dev/vda")]
    assert reading.values("filesystem", "Used", mountpoint="/") == used
    assert reading.values("filesystem", "Capacity", mountpoint="/dev/shm")[0] == 1.0
    assert reading.ledger.lines.balanced


def test_file_systems_without_blocks(df, load):
    """df -al, as a sosreport has it: the first of them have no share in use."""
    text = b"""Filesystem     1K-blocks     Used Available Use% Mounted on
sysfs                  0        0         0    - /sys
proc                   0        0         0    - /proc
tmpfs            1024000    12000   1012000   2% /run
"""
    assert load("linux_system", "df:DfParser").sniff(text, "df_-al") > 0.9
    reading = df(text)
    assert (reading.values("filesystem", "Used", mountpoint="/run"), reading.skipped()) == ([12000.0], {})
    assert reading.values("filesystem", "Used", mountpoint="/sys") == [0.0]


def test_inodes_have_their_own_table(df):
    data = (FIXTURES / "df-inodes-loop.txt").read_bytes()
    reading = df(data)
    printed = re.findall(r"^/dev/vda +\d+ +(\d+) +(\d+) +(\d+)% /$", data.decode(), re.MULTILINE)
    assert reading.values("inodes", "IUsed", mountpoint="/") == [float(row[0]) for row in printed]
    assert reading.values("inodes", "IUse%", mountpoint="/") == [float(row[2]) for row in printed]


def test_sizes_with_units_are_bytes_and_marked_as_rounded(df):
    reading = df(
        b"Filesystem     Type   Size  Used Avail Use% Mounted on\n/dev/vda       ext4   252G   20G   72G  22% /\n"
    )
    assert reading.values("filesystem_human", "Size", mountpoint="/") == [252 * 1024**3]
    assert reading.values("filesystem_human", "Use%", mountpoint="/") == [22.0]
    assert reading.ledger.warnings == ("rounded_units",)


def test_a_long_device_name_on_a_line_of_its_own(df):
    text = b"""Filesystem     1K-blocks     Used Available Use% Mounted on
/dev/mapper/vg_oracle-lv_archive_log_of_production
               264212084 25846336  69654928  28% /arch log
none                   4        0         4   0% /sys/fs/cgroup
"""
    reading = df(text)
    assert reading.values("filesystem", "Used", mountpoint="/arch log") == [25846336.0]
    assert reading.values("filesystem", "1K-blocks", mountpoint="/sys/fs/cgroup") == [4.0]
    assert reading.skipped() == {}


def test_blocks_of_512_bytes_are_another_table(df):
    reading = df(
        b"Filesystem    512-blocks      Used Available Capacity Mounted on\n/dev/hd4  4194304 780504 3413800 19% /\n"
    )
    assert reading.values("filesystem_512", "Used", mountpoint="/") == [780504.0]


@pytest.mark.parametrize(("share", "system"), [("capacity", "sunos"), ("%used", "hp-ux")])
def test_df_of_solaris_10_and_bdf_of_hpux(df, share, system):
    text = f"Filesystem            kbytes    used   avail {share}  Mounted on\n/dev/dsk/c0t0d0s0     8072333 3123456 4868154    40%    /\n"
    reading = df(text.encode())
    assert reading.values("filesystem", "used", mountpoint="/") == [3123456.0]
    assert reading.values("filesystem", share, mountpoint="/") == [40.0]
    assert reading.ledger.os == system


def test_the_headings_of_coreutils_tell_linux(df):
    assert df((FIXTURES / "df-k.txt").read_bytes()).ledger.os == "linux"


@pytest.mark.parametrize(
    ("device", "system"),
    [
        ("tmpfs", "linux"),
        ("/dev/mapper/vg-root", "linux"),
        ("/dev/vda1", "linux"),
        ("/dev/sda", "linux"),
        ("rpool/ROOT/solaris", "sunos"),
        ("/dev/hd4", "aix"),
        ("/dev/disk1s1", "darwin"),
        ("/dev/ada0p2", "freebsd"),
        ("/dev/sd0a", ""),
        ("fileserver:/export", ""),
        ("swap-server:/export", ""),
        ("/dev/data", ""),
    ],
)
def test_the_names_of_file_systems_tell_the_system_where_the_heading_is_everybodys(df, device, system):
    """OpenBSD's sd0a is NetBSD's as well; a name that somebody gave tells nothing."""
    text = f"Filesystem 1024-blocks Used Available Capacity Mounted on\n{device} 2018844 404488 1513416 21% /data\n"
    assert df(text.encode()).ledger.os == system


AIX = """\
Date:2024/05/28 15:30:00
Filesystem    {blocks}      Free %Used    Iused %Iused Mounted on
/dev/hd4          {size}   {free}    4%     3143     1% /
/proc                   -         -    -         -     -  /proc
"""


@pytest.mark.parametrize(
    ("blocks", "table", "size", "free"),
    [
        ("1024-blocks", "filesystem", "2097152", "2015540"),
        ("512-blocks", "filesystem_512", "4194304", "4031080"),
        ("MB blocks", "filesystem_mebi", "2048.00", "1968.30"),
        ("GB blocks", "filesystem_gibi", "2.00", "1.92"),
    ],
)
def test_df_of_aix_below_its_date(df, blocks, table, size, free):
    """getperf's stamp; AIX tells what is free and no more what is used."""
    reading = df(AIX.format(blocks=blocks, size=size, free=free).encode(), zone="Asia/Seoul")
    assert reading.values(table, blocks, mountpoint="/") == [float(size)]
    assert reading.values(table, "Free", mountpoint="/") == [float(free)]
    assert reading.values(table, "%Used", mountpoint="/") == [4.0]
    assert reading.values(table, "Iused", mountpoint="/") == [3143.0]
    assert reading.times(table, "Free", mountpoint="/") == ["2024-05-28 06:30:00"]  # 15:30 in Seoul
    assert (reading.ledger.os, reading.ledger.needs, reading.skipped()) == ("aix", (), {})
    assert reading.ledger.lines.balanced


def test_df_of_aix_below_the_date_command(df):
    text = AIX.format(blocks="GB blocks", size="2.00", free="1.92").replace(
        "Date:2024/05/28 15:30:00", "Tue May 28 15:30:00 KST 2024"
    )
    reading = df((text + text.replace("15:30", "15:40").replace("1.92", "1.90")).encode(), zone="Asia/Seoul")
    assert reading.values("filesystem_gibi", "Free", mountpoint="/") == [1.92, 1.90]
    assert reading.times("filesystem_gibi", "Free", mountpoint="/") == ["2024-05-28 06:30:00", "2024-05-28 06:40:00"]


def test_df_of_aix_with_what_is_used(df):
    reading = df(
        b"Filesystem    512-blocks      Used      Free %Used Mounted on\n/dev/hd4 4194304 163224 4031080 4% /\n"
    )
    assert reading.values("filesystem_512", "Used", mountpoint="/") == [163224.0]
    assert reading.values("filesystem_512", "Free", mountpoint="/") == [4031080.0]
    assert reading.ledger.os == "aix"


def test_a_single_df_has_no_interval_to_ask_for(df, load, read):
    assert df((FIXTURES / "df-k.txt").read_bytes()).ledger.needs == ("start",)
    free = (
        b"              total        used        free      shared  buff/cache   available\n"
        b"Mem:       24684084      740412    19211408       11148     5067616    23943672\n"
    )
    meminfo = b"MemTotal:       24684084 kB\nMemFree:        19211408 kB\nMemAvailable:   23943672 kB\n"
    for entry, text in (("free:FreeParser", free), ("meminfo:MeminfoParser", meminfo)):
        reading = read(load("linux_system", entry), text)
        assert reading.ledger.lines.data > 0 and reading.ledger.needs == ("start",)
        twice = read(load("linux_system", entry), text + text)
        assert twice.ledger.needs == ("start", "interval_s")


def test_a_dash_is_a_missing_value(df):
    reading = df(b"Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/sr0 0 0 0 - /media\n")
    assert reading.of("inodes", "IUse%", mountpoint="/media") == []
    assert reading.values("inodes", "Inodes", mountpoint="/media") == [0.0]
