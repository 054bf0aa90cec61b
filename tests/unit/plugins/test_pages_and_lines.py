"""Reading a page at once and reading line by line give the same samples and the same account, whatever is in between."""

from __future__ import annotations

import random
import re
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from tests.fuzz.verdict import by_lines, by_pages
from tunebench.sdk import ParseContext, lines
from tunebench.sdk.testkit_runs import difference, parse

FIXTURES = Path(__file__).parents[2] / "fixtures"
IOSTAT = sorted((FIXTURES / "linux").glob("iostat*.txt"))
SAR = sorted(path for path in (FIXTURES / "sar").rglob("*") if path.suffix == ".txt")
PIECE = 3000


def compare(parser, data: bytes, piece: int = PIECE) -> str:
    with by_pages():
        at_once = parse(parser, ParseContext("a.txt"), data, piece)
    with by_lines():
        return difference(at_once, parse(parser, ParseContext("a.txt"), data, piece))


def noted(monkeypatch, parser, method: str = "read_line") -> list[int]:
    """The numbers of the lines that go line by line, from the first byte on by pages."""
    slowly: list[int] = []
    monkeypatch.setattr(lines, "FEWEST_PAGE_BYTES", 1)
    read_line = getattr(parser, method)

    def noting(self, number, line):
        slowly.append(number)
        return read_line(self, number, line)

    monkeypatch.setattr(parser, method, noting)
    return slowly


def damaged(data: bytes, seed: int) -> bytes:
    """Lines dropped, doubled, cut, made longer, swapped, with garbage between them."""
    chance = random.Random(seed)
    found = []
    for line in data.split(b"\n") * 2:
        fate = chance.randrange(100)
        if fate == 0:
            continue
        if fate == 1:
            found.append(line[: chance.randrange(len(line) + 1)])
        elif fate == 2:
            found.append(line.replace(b" ", b"  ", 1))
        elif fate == 3:
            found.append(line.replace(b".", b"123.", 1))
        else:
            if fate == 4:
                noise = [b"", b"garbage", b"\x00\x01", b"-bash: x: not found", b" 1.00 2.00", line]
                found.append(chance.choice(noise))
            found.append(line)
    return b"\n".join(found) + b"\n"


def many_blocks(count: int, stamp: bool = True) -> bytes:
    """iostat of three devices; now and then a value overflows its column, a device comes and goes, a stamp repeats."""
    text = ["Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)", ""]
    for number in range(count):
        if stamp:
            at = 60 * number - (60 if number % 37 == 36 else 0)
            text.append(f"11/{21 + at // 86400:02}/2026 {at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}")
        text.append("avg-cpu:  %user   %nice %system %iowait  %steal   %idle")
        text += [f"      {number % 100:10.2f}    0.00   16.73    0.63    0.26   44.92", ""]
        text.append("Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn")
        for device in ("sda", "sdb", "dm-0")[: 3 if number % 50 else 2]:
            big = 10**9 if number % 23 == 22 and device == "sdb" else 0
            rates = f"{number + big:9.2f} {number / 4:12.2f} {number / 8:12.2f}"
            text.append(f"{device:<12}{rates} {number:10d} {number * 3:10d}")
        text += ["", ""] if number % 11 else [""]
    return ("\n".join(text) + "\n").encode()


@pytest.mark.parametrize("path", IOSTAT, ids=lambda path: path.name)
def test_iostat(monkeypatch, load, path):
    parser = load("linux_stat", "iostat:IostatParser")
    data = path.read_bytes()
    assert compare(parser, data) == ""
    for seed in range(2):
        assert compare(parser, damaged(data, seed)) == "", seed


@pytest.mark.parametrize("stamp", [True, False])
def test_many_blocks_of_iostat(monkeypatch, load, stamp):
    parser = load("linux_stat", "iostat:IostatParser")
    data = many_blocks(150, stamp)
    assert compare(parser, data) == ""
    for seed in range(6):
        assert compare(parser, damaged(data, seed)) == "", seed


@pytest.mark.parametrize("path", SAR, ids=lambda path: path.name)
def test_sar(monkeypatch, load, path):
    parser = load("sysstat_sar", "sar:SarParser")
    data = path.read_bytes()
    assert compare(parser, data) == ""
    assert compare(parser, damaged(data, 1)) == ""


def day_of_sar(stamp: str, comma: bool = False) -> bytes:
    """sar -u -r -d of a file: a heading every fifty times, a processor that is offline for a while, a restart."""
    text, start = ["Linux 6.1.0 (db1) \t2026-11-21 \t_x86_64_\t(2 CPU)"], datetime(2026, 11, 21, 0, 0)
    for part in (range(500), range(560, 700)):
        for heading in ("CPU     %user     %idle", "kbmemfree  %memused", "tps     %util DEV"):
            for number in part:
                now = stamp.format(start + timedelta(minutes=2 * number))
                if number % 50 == 0 or number == part[0]:
                    before = stamp.format(start + timedelta(minutes=2 * number - 2 * (number > 0)))
                    text += ["", f"{before} {heading}"]
                figures = f"{number}.25 {number % 100}.5"
                if heading.startswith("CPU"):
                    text += [f"{now} {cpu:>7} {figures}" for cpu in ("all", "0", "1")[: 3 - (100 < number < 120)]]
                else:
                    text += [
                        f"{now}  {figures} {name}".rstrip() for name in (("sda", "sdb") if "DEV" in heading else ("",))
                    ]
            text.append("Average:        all      1.00     99.00")
        text += ["", stamp.format(start + timedelta(minutes=1119)) + "     LINUX RESTART\t(2 CPU)"]
    data = "\n".join(text) + "\n"
    return (data.replace(".", ",").replace("6,1,0", "6.1.0") if comma else data).encode()


@pytest.mark.parametrize("stamp", ["{:%H:%M:%S}", "{:%I:%M:%S %p}", "{:%H시 %M분 %S초}", "{:%H時%M分%S秒}", "{:%s}"])
def test_rows_of_sar_are_read_at_once_in_every_form(monkeypatch, load, stamp):
    """All but the first heading of each section, and those and the rows that begin another half of a day."""
    parser = load("sysstat_sar", "sar:SarParser")
    for data in (day_of_sar(stamp), day_of_sar(stamp, comma=True)):
        for piece in (PIECE, 20_000):
            assert compare(parser, data, piece) == "", piece
    slowly = noted(monkeypatch, parser)
    outcome = parse(parser, ParseContext("a.txt"), data)
    assert len(slowly) < 40
    numbers = [*range(500), *range(560, 700)]
    assert outcome.values("%idle", cpu="all") == [number % 100 + 0.5 for number in numbers]
    assert outcome.values("%idle", cpu="1") == [number % 100 + 0.5 for number in numbers if not 100 < number < 120]
    assert outcome.values("kbmemfree") == outcome.values("tps", device="sdb") == [number + 0.25 for number in numbers]
    for table in ("cpu", "memory", "device"):
        times_ns = np.concatenate([batch.times_ns for batch in outcome.batches if batch.table == table])
        assert set(np.diff(np.unique(times_ns)).tolist()) == {120 * 10**9, 61 * 120 * 10**9}
    assert outcome.ledger.lines.balanced
    assert [(one.reason, one.count) for one in outcome.ledger.skipped] == [("average", 6)]


@pytest.mark.parametrize("stamp", [True, False])
def test_blocks_of_iostat_below_the_stamps_of_a_loop(monkeypatch, load, stamp):
    """The loop's stamp ends the tool's own; its second may be that of the block before it, which an interval gave."""
    parser = load("linux_stat", "iostat:IostatParser")
    begins = b"11/2" if stamp else b"avg-cpu"
    found, blocks = [], 0
    for line in many_blocks(120, stamp).split(b"\n"):
        if line.startswith(begins):
            blocks += 1
            if blocks % 7 == 0:
                found.append(b"### 2026-11-21 16:%02d:%02d" % divmod(6 * (blocks // 7), 60))
        found.append(line)
    data = b"\n".join(found)
    for piece in (900, PIECE, 20_000):
        assert compare(parser, data, piece) == "", piece
    outcome = parse(parser, ParseContext("a.txt"), data, PIECE)
    assert outcome.ledger.lines.balanced


def test_tabs_part_the_numbers_of_iostat_as_blanks_do(load):
    parser = load("linux_stat", "iostat:IostatParser")
    row = b"sda\t1.50 2.50\t3.50 4 5\n"
    data = many_blocks(3) + b"\n".join(many_blocks(4).split(b"\n")[2:7]) + b"\n" + row * 2
    assert compare(parser, data) == ""
    assert parse(parser, ParseContext("a.txt"), data).values("tps", device="sda")[-1] == 1.5


@pytest.mark.parametrize("stamp", ["zzz ***Sat Nov 21 {:%H:%M:%S} KST 2026", "### 2026-11-21T{:%H:%M:%S}+09:00"])
def test_the_stamps_of_a_loop_around_iostat_are_read_at_once(monkeypatch, load, stamp):
    """A wrapper's stamp before every block, as OSWatcher prints it; two of them repeat, and one block has none."""
    parser = load("linux_stat", "iostat:IostatParser")
    start, found, blocks = datetime(2026, 11, 21, 16, 0, 0), [], 0
    for line in many_blocks(120, stamp=False).split(b"\n"):
        if line.startswith(b"avg-cpu"):
            blocks += 1
            if blocks != 70:
                found += [stamp.format(start + timedelta(seconds=30 * blocks)).encode()] * (1 + (blocks % 50 == 49))
        found.append(line)
    data = b"\n".join(found)
    for piece in (700, PIECE, 0):
        assert compare(parser, data, piece) == "", piece
    for seed in range(4):
        assert compare(parser, damaged(data, seed)) == "", seed
    slowly = noted(monkeypatch, parser)
    outcome = parse(parser, ParseContext("a.txt"), data)
    assert len(slowly) < 70
    times_s = sorted({time_ns // 10**9 for batch in outcome.batches for time_ns in batch.times_ns.tolist()})
    first = int(datetime(2026, 11, 21, 7, 0, 30, tzinfo=UTC).timestamp())
    offset = times_s[0] - first  # of the zone, where the stamp names none that is known
    wanted = [first + offset + 30 * number for number in range(120)]
    wanted[69] = wanted[68] + 1  # a second is assumed where nobody says
    assert times_s == wanted


def test_a_line_of_blanks_below_a_heading_of_iostat_is_no_row(monkeypatch, load):
    parser = load("linux_stat", "iostat:IostatParser")
    data = many_blocks(60).replace(b"%idle\n", b"%idle\n \n\n", 20)
    assert compare(parser, data) == ""
    assert "unreadable_numbers" not in [one.reason for one in parse(parser, ParseContext("a.txt"), data).ledger.skipped]


HEADING_OF_DEVICES = b"     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n"


@pytest.mark.parametrize("known", [True, False])
def test_a_heading_of_iostat_directly_below_another_is_no_row(monkeypatch, load, known):
    """Wherever a piece ends: also where nothing but the second heading has come, also where it was never seen."""
    parser = load("linux_stat", "iostat:IostatParser")
    rows = b"   51.55      1.0M     6.20  10.7%    0.53    20.8k vda\n\n"
    begin = many_blocks(4, stamp=False) + (HEADING_OF_DEVICES + rows if known else b"")
    cpu = many_blocks(1, stamp=False).split(b"\n")[2:4]
    data = begin + cpu[0] + b"\n" + HEADING_OF_DEVICES + rows + b"\n".join(cpu) + b"\n\n" + many_blocks(2, stamp=False)
    monkeypatch.setattr(lines, "FEWEST_PAGE_BYTES", 1 << 30)
    whole = parse(parser, ParseContext("a.txt"), data)
    assert whole.values("r/s", device="vda") == [51.55] * (1 + known)
    assert "unreadable_numbers" not in [one.reason for one in whole.ledger.skipped]
    cut = len(begin) + len(cpu[0]) + 1 + len(HEADING_OF_DEVICES)
    assert difference(whole, parse(parser, ParseContext("a.txt"), data, cut)) == ""
    for piece in (0, cut, 400):
        assert compare(parser, data, piece) == "", piece


def test_a_new_heading_of_iostat_in_place_of_a_row(monkeypatch, load):
    """Among blocks that are read at once: it was never seen before."""
    parser = load("linux_stat", "iostat:IostatParser")
    blocks = many_blocks(60).split(b"%idle\n")
    blocks[18] = HEADING_OF_DEVICES + blocks[18].partition(b"\n")[2]
    data = b"%idle\n".join(blocks)
    assert compare(parser, data) == ""
    assert parse(parser, ParseContext("a.txt"), data).ledger.skipped == ()


def test_a_stamp_of_another_day_between_blocks_of_iostat(monkeypatch, load):
    """A date that was damaged sets another day; the blocks below it go by it until the next date."""
    parser = load("linux_stat", "iostat:IostatParser")
    blocks = many_blocks(60).split(b"11/21/2026 ")
    data = b"11/21/2026 ".join(blocks[:31]) + b"-1/21/2026 " + b"11/21/2026 ".join(blocks[31:])
    assert data.count(b"/21/2026 ") == 60
    for piece in (0, PIECE, 5000):
        assert compare(parser, data, piece) == "", piece


def test_blocks_are_really_read_at_once(monkeypatch, load):
    """The quick road is taken: all but the first piece and the ends of pieces."""
    parser = load("linux_stat", "iostat:IostatParser")
    slowly = []
    monkeypatch.setattr(lines, "FEWEST_PAGE_BYTES", 1)
    read_line = parser.read_line

    def noting(self, number, line):
        slowly.append(number)
        read_line(self, number, line)

    monkeypatch.setattr(parser, "read_line", noting)
    data = many_blocks(400).replace(b"1000000", b"      1")
    reading = parser(ParseContext("a.txt"))
    for at in range(0, len(data), 20_000):
        list(reading.feed(data[at : at + 20_000]))
    list(reading.finish())
    assert len(slowly) < 0.45 * data.count(b"\n")


MPSTAT = sorted((FIXTURES / "linux").glob("mpstat*.txt"))


def many_processors(count: int, since_boot_every: int = 0) -> bytes:
    """mpstat -P ALL over midnight; a processor goes offline, a value is very large, a stamp repeats."""
    text = ["Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(3 CPU)", ""]
    before = "23:30:00"
    for number in range(count):
        at = 84_600 + 10 * number - (10 if number % 41 == 40 else 0)
        now = f"{at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}"
        if since_boot_every and number % since_boot_every == 0:
            before = now
        text.append(f"{before}     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle")
        for cpu in ("all", "0", "1", "2")[: 4 if number % 60 < 50 else 3]:
            big = 10**8 if number % 29 == 28 and cpu == "1" else 0
            text.append(
                f"{now} {cpu:>7} {number % 100 + big:7.2f}    0.00   {number % 7:5.2f}" + "    0.25" * 6 + "   43.29"
            )
        text.append("")
        before = now
    return ("\n".join(text) + "\n").encode()


@pytest.mark.parametrize("path", MPSTAT, ids=lambda path: path.name)
def test_mpstat(monkeypatch, load, path):
    parser = load("linux_stat", "mpstat:MpstatParser")
    data = path.read_bytes()
    assert compare(parser, data) == ""
    for seed in range(2):
        assert compare(parser, damaged(data, seed)) == "", seed


@pytest.mark.parametrize("since_boot_every", [0, 13])
def test_many_blocks_of_mpstat(monkeypatch, load, since_boot_every):
    parser = load("linux_stat", "mpstat:MpstatParser")
    data = many_processors(240, since_boot_every)
    assert compare(parser, data) == ""
    for seed in range(6):
        assert compare(parser, damaged(data, seed)) == "", seed


def test_blocks_of_mpstat_are_really_read_at_once(monkeypatch, load):
    parser = load("linux_stat", "mpstat:MpstatParser")
    slowly = []
    read_line = parser.read_line

    def noting(self, number, line):
        slowly.append(number)
        read_line(self, number, line)

    monkeypatch.setattr(parser, "read_line", noting)
    data = many_processors(4000)
    reading = parser(ParseContext("a.txt"))
    for at in range(0, len(data), 200_000):
        list(reading.feed(data[at : at + 200_000]))
    list(reading.finish())
    assert len(slowly) < 0.5 * data.count(b"\n")


@pytest.mark.parametrize("stamp", ["{:%I:%M:%S %p}", "{:%H시 %M분 %S초}", "{:%H時%M分%S秒}", "{:%s}"])
def test_stamps_of_mpstat_are_read_at_once_in_every_form(monkeypatch, load, stamp):
    """Half days, whose hour is told anew each hour; words of other languages; seconds since 1970."""
    parser = load("linux_stat", "mpstat:MpstatParser")
    start, found = datetime(2026, 11, 21, 10, 0), ["Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)"]
    for number in range(400):
        before, now = (stamp.format(start + timedelta(seconds=60 * (number + later))) for later in (0, 1))
        found += [
            "",
            f"{before}     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle",
        ]
        found += [f"{now} {cpu:>7} {number % 100 + 0.25:7.2f}" + "    0.25" * 9 for cpu in ("all", "0", "1")]
    data = ("\n".join(found) + "\n").encode()
    for piece in (PIECE, 20_000):
        assert compare(parser, data, piece) == "", piece
    slowly = noted(monkeypatch, parser)
    outcome = parse(parser, ParseContext("a.txt"), data)
    assert len(slowly) < 120  # the first 60 lines, and a block each hour of a half day
    assert outcome.values("%usr", cpu="1") == [number % 100 + 0.25 for number in range(400)]
    times_ns = np.concatenate([batch.times_ns for batch in outcome.batches])
    assert set(np.diff(times_ns).tolist()) == {60 * 10**9}
    assert not any(batch.since_boot.any() for batch in outcome.batches)


def test_a_cut_row_of_mpstat_is_no_row_though_it_is_the_first_of_its_block(load):
    """``42.7`` may have been ``42.71``: the row is shorter than all before it."""
    parser = load("linux_stat", "mpstat:MpstatParser")
    data = many_processors(5)
    last = data.rindex(b"CPU")
    cut = data.index(b"43.29", last) + 4
    outcome = parse(parser, ParseContext("a.txt"), data[:cut])
    assert [(one.reason, one.count) for one in outcome.ledger.skipped] == [("truncated", 1)]
    assert outcome.values("%idle", cpu="all") == [43.29] * 4


VMSTAT = sorted((FIXTURES / "linux").glob("vmstat*.txt"))
GROUPS = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----"
NAMES = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st"


def many_rows(count: int, stamp: bool) -> bytes:
    """vmstat over midnight: values overflow their columns, runs begin anew, pages are too short, a clock goes back."""
    text = [GROUPS + " -----timestamp-----" * stamp, NAMES + "                 KST" * stamp]
    for number in range(count):
        if number % 20 == 0 or number % 97 in (3, 6):
            text += text[:2]
        if number % 211 == 210:
            text.append("")
        big = 10**9 if number % 23 == 22 else 0
        row = f"{number % 30:2d}  0      0 {19215932 + big} {32204 + number:6d} 5034356    0    0  {number % 3000:4d}"
        row += f"  8121  758 {2075 + big} {number % 100:2d} 17 {45 - 0.5 * (number % 53 == 52):g}  1  0"
        at = 86_100 + number - (30 if number % 83 == 82 else 0)
        if stamp:
            row += f" 2026-11-{21 + at // 86400} {at // 3600 % 24:02}:{at // 60 % 60:02}:{at % 60:02}"
        text.append(row)
    return ("\n".join(text) + "\n").encode()


@pytest.mark.parametrize("path", VMSTAT, ids=lambda path: path.name)
def test_vmstat(monkeypatch, load, path):
    parser = load("linux_stat", "vmstat:VmstatParser")
    data = path.read_bytes()
    assert compare(parser, data) == ""
    assert compare(parser, damaged(data, 1)) == ""


@pytest.mark.parametrize("stamp", [True, False])
def test_many_rows_of_vmstat(monkeypatch, load, stamp):
    parser = load("linux_stat", "vmstat:VmstatParser")
    data = many_rows(900, stamp)
    for piece in (3000, 20_000):
        assert compare(parser, data, piece) == ""
    for seed in range(6):
        assert compare(parser, damaged(data, seed), 20_000) == "", seed


@pytest.mark.parametrize("stamp", [True, False])
def test_rows_of_vmstat_are_really_read_at_once(monkeypatch, load, stamp):
    parser = load("linux_stat", "vmstat:VmstatParser")
    slowly = noted(monkeypatch, parser)
    data = many_rows(3000, stamp).replace(b" 44.5 ", b" 44 ")
    parse(parser, ParseContext("a.txt"), data, 100_000)
    assert len(slowly) < 0.5 * data.count(b"\n")


def test_the_stamps_of_a_loop_around_vmstat_are_read_at_once(monkeypatch, load):
    """As OSWatcher prints them: three rows each time, the first of them since boot."""
    parser = load("linux_stat", "vmstat:VmstatParser")
    start, found = datetime(2026, 11, 21, 16, 0, 0), []
    for number in range(120):
        found += [f"zzz ***{start + timedelta(seconds=30 * number):%a %b %d %H:%M:%S} KST 2026", GROUPS, NAMES]
        found += [
            f"{number % 30:2}  0      0 19215932  32204 5034356    0    0  2934  8121  758 2075 37 17 45  1  0"
        ] * 3
    data = ("\n".join(found) + "\n").encode()
    for piece in (700, PIECE, 0):
        assert compare(parser, data, piece) == "", piece
    for seed in range(4):
        assert compare(parser, damaged(data, seed)) == "", seed
    slowly = noted(monkeypatch, parser)
    outcome = parse(parser, ParseContext("a.txt"), data)
    assert len(slowly) < 70
    rows = sorted(
        (time_ns, bool(boot))
        for batch in outcome.batches
        for time_ns, boot in zip(batch.times_ns.tolist(), batch.since_boot.tolist(), strict=True)
    )
    assert [boot for _, boot in rows] == [True, False, False] * 120
    steps_s = [(after - before) // 10**9 for (before, _), (after, _) in pairwise(rows[::3])]
    assert steps_s == [30] * 119


def test_times_of_vmstat_on_the_day_the_clocks_change(monkeypatch, load):
    """A row every minute through the hour that comes twice and the one that is left out."""
    parser = load("linux_stat", "vmstat:VmstatParser")
    rows = [GROUPS + " -----timestamp-----", NAMES + "                 CET"]
    for start, hours in (("2026-03-29T00:00+01:00", 6), ("2026-10-25T00:00+02:00", 8)):
        first = datetime.fromisoformat(start).astimezone(UTC)
        for minute in range(60 * hours):
            local = (first + timedelta(minutes=minute)).astimezone(ZoneInfo("Europe/Paris"))
            rows.append(
                f" 1  0      0 19215932  32204 5034356    0    0  2934  8121  758 2075 37 17 45  1  0 {local:%F %T}"
            )
    data = ("\n".join(rows) + "\n").encode()
    assert compare(parser, data, 10_000) == ""
    monkeypatch.setattr(lines, "FEWEST_PAGE_BYTES", 1)
    outcome = parse(parser, ParseContext("a.txt"), data, 10_000)
    times_ns = np.unique(np.concatenate([batch.times_ns for batch in outcome.batches]))
    steps = np.diff(times_ns) // 60_000_000_000
    assert len(times_ns) == 60 * 14
    assert set(steps.tolist()) == {
        1,
        int((datetime(2026, 10, 24, 22) - datetime(2026, 3, 29, 4, 59)).total_seconds()) // 60,
    }


PIDSTAT = sorted((FIXTURES / "linux_system").glob("pidstat*.txt"))
CPU_NAMES = "   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command"
IO_NAMES = "   UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command"


def many_processes(blocks: int, half_days: bool, comma: bool = False) -> bytes:
    """pidstat -u -d over midnight: more processes than get series, counters that may not be read, odd names."""
    text = ["Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)", ""]
    clock = "%I:%M:%S %p" if half_days else "%H:%M:%S"
    for number in range(blocks):
        now = datetime(2026, 11, 21, 23, 58) + timedelta(seconds=10 * number)
        before = now - timedelta(seconds=0 if number == 7 else 10)
        for names, figures in ((CPU_NAMES, 7), (IO_NAMES, 4)):
            text.append(f"{before:{clock}}{names}")
            for pid in range(100 + 20 * number, 140 + 20 * number):
                hidden = "-1.00 " * 3 if pid % 7 == 3 else "522.17 0.00 12345678.47 "
                busy = f"{pid % 90}.44 0.{pid % 100:02} 0.00 1.48 {pid % 3}.25 {pid % 2}"
                cells = f"{hidden}{pid % 5}" if figures == 4 else busy
                if pid % 61 == 5:
                    cells = cells.replace("0.", "x.", 1)
                name = ("fio", "java -Xmx1g", "(sd-pam)", "a.1", "kworker/0:1")[pid % 5]
                text.append(f"{now:{clock}}  {1000 * (pid % 2)} {pid:9d} {cells}  {name}")
            text.append("")
    data = "\n".join(text) + "\n"
    return (data.replace(".", ",").replace("6,1,0", "6.1.0") if comma else data).encode()


@pytest.mark.parametrize("path", PIDSTAT, ids=lambda path: path.name)
def test_pidstat(monkeypatch, load, path):
    parser = load("linux_stat", "pidstat:PidstatParser")
    data = path.read_bytes()
    assert compare(parser, data) == ""
    for seed in range(2):
        assert compare(parser, damaged(data, seed)) == "", seed


@pytest.mark.parametrize(("half_days", "comma"), [(False, False), (True, False), (False, True)])
def test_many_rows_of_pidstat(monkeypatch, load, half_days, comma):
    parser = load("linux_stat", "pidstat:PidstatParser")
    data = many_processes(22, half_days, comma)
    for piece in (PIECE, 30_000):
        assert compare(parser, data, piece) == ""
    for seed in range(2):
        assert compare(parser, damaged(data, seed)) == "", seed


def test_rows_of_pidstat_are_really_read_at_once(monkeypatch, load):
    parser = load("linux_stat", "pidstat:PidstatParser")
    slowly = noted(monkeypatch, parser)
    data = many_processes(60, half_days=False).replace(b"x.", b"0.")
    parse(parser, ParseContext("a.txt"), data, 100_000)
    assert len(slowly) < 0.1 * data.count(b"\n")


def horizontal(clock: str) -> bytes:
    """pidstat -h: no stamp in the heading, and a user's name in each row."""
    text = ["Linux 6.1.0 (db1) \t11/21/26 \t_x86_64_\t(2 CPU)"]
    for number in range(200):
        now = datetime(2026, 11, 21, 10, 0) + timedelta(seconds=60 * number)
        text += ["", "#      Time   USER       PID    %usr   kB_rd/s   kB_wr/s  Command"]
        text += [
            f"{now:{clock}}     ann {pid:>9} {number % 100 + 0.25:7.2f}     -1.00    {pid}.50  a b {pid}"
            for pid in (7, 12)
        ]
    return ("\n".join(text) + "\n").encode()


@pytest.mark.parametrize("clock", [" %s", "%H:%M:%S", "%I:%M:%S %p"])
def test_rows_of_pidstat_below_headings_without_a_stamp_are_read_at_once(monkeypatch, load, clock):
    parser = load("linux_stat", "pidstat:PidstatParser")
    data = horizontal(clock)
    for piece in (PIECE, 20_000):
        assert compare(parser, data, piece) == "", piece
    slowly = noted(monkeypatch, parser)
    outcome = parse(parser, ParseContext("a.txt"), data)
    assert len(slowly) < 75  # the first 60 lines, and a row in each hour of a half day
    assert outcome.values("%usr", process="a b 7[7]") == [number % 100 + 0.25 for number in range(200)]
    assert outcome.values("kB_wr/s", process="a b 12[12]") == [12.5] * 200
    assert outcome.values("kB_rd/s") == []  # -1 says that it may not be read
    times_ns = np.concatenate([batch.times_ns for batch in outcome.batches])
    assert set(np.diff(times_ns).tolist()) == {60 * 10**9}


def test_a_negative_rate_of_pidstat_is_none(load):
    parser = load("linux_stat", "pidstat:PidstatParser")
    data = horizontal("%H:%M:%S").replace(b"     -1.00", b"     -7.00")
    assert compare(parser, data) == ""
    assert parse(parser, ParseContext("a.txt"), data).values("kB_rd/s") == []


def test_the_scanner_forgets_the_processes_of_pidstat_that_were(monkeypatch, load):
    parser = load("linux_stat", "pidstat:PidstatParser")
    data = many_processes(22, half_days=False)
    whole = parse(parser, ParseContext("a.txt"), data, 10_000)
    monkeypatch.setattr(sys.modules[parser.__module__], "_MOST_NAMED", 30)
    assert difference(whole, parse(parser, ParseContext("a.txt"), data, 10_000)) == ""


TOP = sorted((FIXTURES / "top").glob("*.txt"))
TOP_SUMMARY = """top - {now:%H:%M:%S} up 21 min,  0 user,  load average: 2.27, 2.65, 1.70
Tasks: 80 total,   8 running,  69 sleeping,   0 stopped,   3 zombie
%Cpu(s):  0.0 us,100.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :  24105.6 total,  18758.4 free,    725.1 used,   4949.6 buff/cache

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
"""


def many_reports(count: int) -> bytes:
    """top -b with large sizes, long times, priorities and cells that are none, more processes than get series."""
    text = []
    for number in range(count):
        text.append(TOP_SUMMARY.format(now=datetime(2026, 11, 21, 23, 59, 30) + timedelta(seconds=5 * number)))
        for pid in range(100 + 30 * number, 150 + 30 * number):
            size = (f"{9000 + pid}", f"{pid % 13}.{pid % 10}g", f"{pid}.2m", "1.2.3")[pid % 4 if pid % 33 else 3]
            spent = ("0:00.47", "123:45.67", "27,07", "12345:01", "5d", "x")[pid % 6]
            command = ("fio", "/usr/sbin/sshd -D", "kworker/0:1H-kblockd", "sshd: ann@pts/0")[pid % 4]
            nice = ("0", "-20")[pid % 2]
            figures = f"{size:>7} {pid * 3:>6}   5016 {'RSDZ'[pid % 4]} {pid % 90 / 10:5.1f}   0.1 {spent:>9}"
            text.append(f"{pid:7d} ann       {('rt', '20')[pid % 3 > 0]:>3} {nice:>3} {figures} {command}\n")
        text.append("\n")
    return "".join(text).encode()


@pytest.mark.parametrize("path", TOP, ids=lambda path: path.name)
def test_top(monkeypatch, load, path):
    parser = load("top", "top:TopParser")
    data = path.read_bytes()
    assert compare(parser, data) == ""
    for seed in range(2):
        assert compare(parser, damaged(data, seed)) == "", seed


def test_many_reports_of_top(monkeypatch, load):
    parser = load("top", "top:TopParser")
    data = many_reports(14)
    for piece in (PIECE, 30_000):
        assert compare(parser, data, piece) == ""
    for seed in range(3):
        assert compare(parser, damaged(data, seed)) == "", seed


def test_reports_of_top_are_really_read_at_once(monkeypatch, load):
    parser = load("top", "top:TopParser")
    slowly = noted(monkeypatch, parser, "take")
    data = re.sub(rb" (27,07|5d|x) ", b" 0:00.07 ", many_reports(30).replace(b"1.2.3", b"12345"))
    parse(parser, ParseContext("a.txt"), data, 100_000)
    assert len(slowly) < 0.15 * data.count(b"\n")


COLLECTL = sorted((FIXTURES / "collectl").glob("*.txt"))


def plot_rows(count: int, zone: str) -> bytes:
    """collectl -P over midnight: a missing day, a clock that goes back, words and signs among the numbers."""
    text = [f"# Date:       20261121-182044  Secs: 1795285244 TZ: {zone}"] if zone else []
    text.append("#Date Time [CPU]User% [CPU]Sys% [DSK:vda]Name [DSK:vda]Reads [MEM]Tot [CPU]L-Avg1 ")
    for number in range(count):
        now = datetime(2026, 11, 21, 23, 50) + timedelta(seconds=2 * number - 60 * (number % 191 == 190))
        user = ("-1", "x", "1.5.2")[number % 3] if number % 67 == 66 else f"{number % 100}.25"
        row = f"{now:%Y%m%d %H:%M:%S} {user} {number} vda {10**9 + number} 24684084 2.{number % 1000:03}"
        text.append(row.replace(" vda", "  vda") if number % 71 == 70 else row + " " * (number % 2))
    return ("\n".join(text) + "\n").encode()


@pytest.mark.parametrize("path", COLLECTL, ids=lambda path: path.name)
def test_collectl(monkeypatch, load, path):
    data = path.read_bytes()
    for parser in ("plot:PlotParser", "terminal:TerminalParser"):
        assert compare(load("collectl", parser), data) == ""


@pytest.mark.parametrize("zone", ["", "+0900"])
def test_many_rows_of_collectl(monkeypatch, load, zone):
    parser = load("collectl", "plot:PlotParser")
    data = plot_rows(900, zone)
    for piece in (PIECE, 40_000):
        assert compare(parser, data, piece) == ""
    for seed in range(4):
        assert compare(parser, damaged(data, seed), 40_000) == "", seed
    slowly = noted(monkeypatch, parser)
    parse(parser, ParseContext("a.txt"), data, 40_000)
    assert len(slowly) < 0.4 * data.count(b"\n")
