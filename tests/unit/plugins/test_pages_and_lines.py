"""Reading a page at once and reading line by line give the same samples and the same account, whatever is in between."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from app.sdk import ParseContext, lines
from app.sdk.testkit_runs import difference, parse

FIXTURES = Path(__file__).parents[2] / "fixtures"
IOSTAT = sorted((FIXTURES / "linux").glob("iostat*.txt"))
SAR = sorted(path for path in (FIXTURES / "sar").rglob("*") if path.suffix == ".txt")
PIECE = 3000


def compare(monkeypatch, parser, data: bytes) -> str:
    outcomes = []
    for fewest in (1, 1 << 30):  # a page from the first byte on, never a page
        monkeypatch.setattr(lines, "FEWEST_PAGE_BYTES", fewest)
        outcomes.append(parse(parser, ParseContext("a.txt"), data, PIECE))
    return difference(*outcomes)


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
    assert compare(monkeypatch, parser, data) == ""
    for seed in range(2):
        assert compare(monkeypatch, parser, damaged(data, seed)) == "", seed


@pytest.mark.parametrize("stamp", [True, False])
def test_many_blocks_of_iostat(monkeypatch, load, stamp):
    parser = load("linux_stat", "iostat:IostatParser")
    data = many_blocks(400, stamp)
    assert compare(monkeypatch, parser, data) == ""
    for seed in range(6):
        assert compare(monkeypatch, parser, damaged(data, seed)) == "", seed


@pytest.mark.parametrize("path", SAR, ids=lambda path: path.name)
def test_sar(monkeypatch, load, path):
    parser = load("sysstat_sar", "sar:SarParser")
    data = path.read_bytes()
    assert compare(monkeypatch, parser, data) == ""
    assert compare(monkeypatch, parser, damaged(data, 1)) == ""


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
            text.append(f"{now} {cpu:>7} {number % 100 + big:7.2f}    0.00   {number % 7:5.2f}" + "    0.25" * 6 + "   43.29")
        text.append("")
        before = now
    return ("\n".join(text) + "\n").encode()


@pytest.mark.parametrize("path", MPSTAT, ids=lambda path: path.name)
def test_mpstat(monkeypatch, load, path):
    parser = load("linux_stat", "mpstat:MpstatParser")
    data = path.read_bytes()
    assert compare(monkeypatch, parser, data) == ""
    for seed in range(2):
        assert compare(monkeypatch, parser, damaged(data, seed)) == "", seed


@pytest.mark.parametrize("since_boot_every", [0, 13])
def test_many_blocks_of_mpstat(monkeypatch, load, since_boot_every):
    parser = load("linux_stat", "mpstat:MpstatParser")
    data = many_processors(400, since_boot_every)
    assert compare(monkeypatch, parser, data) == ""
    for seed in range(12):
        assert compare(monkeypatch, parser, damaged(data, seed)) == "", seed


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
