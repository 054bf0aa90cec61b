"""Tools that print no times, behind the stamps that a script put before each line: every row, at its stamp."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
STAMPS = [
    "2026-07-20 09:00:{0:02}\t",
    "2026-07-20 09:00:{0:02},",
    "Mon Jul 20 09:00:{0:02} KST 2026 ",
    "09:00:{0:02} | ",
]
TOOLS = [
    ("aix_stat", "vmstat:VmstatParser", "aix/vmstat_IWw.txt"),
    ("aix_stat", "iostat:IostatParser", "aix/iostat.txt"),
    ("aix_stat", "lparstat:LparstatParser", "aix/lparstat_dedicated.txt"),
    ("bsd_stat", "vmstat:VmstatParser", "bsd/vmstat-freebsd.txt"),
    ("hpux_stat", "vmstat:VmstatParser", "hpux/vmstat.txt"),
    ("linux_stat", "vmstat:VmstatParser", "linux/vmstat.txt"),
    ("linux_system", "free:FreeParser", "linux_system/free-m.txt"),
    ("linux_system", "df:DfParser", "linux_system/df-k.txt"),
]
VMSTAT = """ kthr      memory            page            disk          faults      cpu
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 --   in   sy   cs us sy id
 0 0 0 5342892 1532216 38 310 0 1 1 0 0  1  1  0  0  411  752  472  2  1 97
 12 0 0 5342892 1532216 38 310 0 1 1 0 0  1  1  0  0  411  752  472  2  1 97
 7 0 0 5342892 1532216 38 310 0 1 1 0 0  1  1  0  0  411  752  472  2  1 97
"""


def behind(stamp: str, text: str) -> bytes:
    return "".join(f"{stamp.format(at)}{line}\n" for at, line in enumerate(text.splitlines())).encode()


def kept(reading) -> dict[object, list[float]]:
    return {key: [sample.value for sample in samples] for key, samples in reading.samples.items()}


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize(("folder", "entry", "name"), TOOLS)
def test_every_figure_is_kept(load, read, folder, entry, name, stamp):
    parser = load(folder, entry)
    text = "\n".join((FIXTURES / name).read_text().splitlines()[:25])
    plain, stamped = read(parser, text.encode()), read(parser, behind(stamp, text))
    assert kept(stamped) == kept(plain) and plain.samples
    assert (stamped.ledger.lines.data, stamped.skipped()) == (plain.ledger.lines.data, plain.skipped())
    assert "interval_s" not in stamped.ledger.needs and "start" not in stamped.ledger.needs


@pytest.mark.parametrize("stamp", STAMPS)
def test_rows_of_solaris_are_of_their_stamps(load, read, stamp):
    modified_ns = int(datetime(2026, 7, 20, 12, tzinfo=UTC).timestamp()) * 10**9
    reading = read(
        load("solaris_stat", "vmstat:VmstatParser"), behind(stamp, VMSTAT), zone="Asia/Seoul", modified_ns=modified_ns
    )
    assert reading.values("vmstat", "r") == [0, 12, 7]
    assert reading.times("vmstat", "r") == [f"2026-07-20 00:00:{second:02}" for second in (2, 3, 4)]
    assert [sample.since_boot for sample in reading.of("vmstat", "r")] == [True, False, False]


@pytest.mark.parametrize("mark", ["> ", ">", ">> ", "> > "])
@pytest.mark.parametrize(("folder", "entry", "name"), TOOLS)
def test_what_a_mail_quotes_is_read(load, read, folder, entry, name, mark):
    parser = load(folder, entry)
    text = "\n".join((FIXTURES / name).read_text().splitlines()[:25])
    known = {"start": datetime(2026, 7, 20, 9, tzinfo=UTC)}
    plain, quoted = read(parser, text.encode(), **known), read(parser, behind(mark, text), **known)
    assert quoted.samples == plain.samples and plain.samples
    assert (quoted.ledger.lines, quoted.ledger.needs) == (plain.ledger.lines, plain.ledger.needs)


@pytest.mark.parametrize("tool", ["vmstat", "iostat", "mpstat"])
def test_what_is_written_above_and_below_a_quoted_text_is_no_part_of_it(load, read, tool):
    parser = load("linux_stat", f"{tool}:{tool.capitalize()}Parser")
    name = {"vmstat": "vmstat.txt", "iostat": "iostat-xt.txt", "mpstat": "mpstat-PALL.txt"}[tool]
    text = (FIXTURES / "linux" / name).read_text()
    data = b"Hi, here it is:\n\n" + behind("> ", text) + b"\nRegards\n"
    plain, quoted = read(parser, text.encode(), modified_ns=10**18), read(parser, data, modified_ns=10**18)
    assert parser.sniff(data, "") > 0.5
    assert kept(quoted) == kept(plain) and plain.samples
    assert quoted.skipped() == plain.skipped() | {"not_a_table": 2}


def test_a_block_is_of_the_stamp_before_its_first_line(load, read):
    text = "\n".join([(FIXTURES / "linux_system/free-m.txt").read_text().rstrip("\n")] * 3)
    reading = read(load("linux_system", "free:FreeParser"), behind(STAMPS[0], text), zone="Asia/Seoul")
    lines = len(text.splitlines()) // 3
    times = next(iter(reading.samples.values()))
    assert [sample.utc.second for sample in times] == [0, lines, 2 * lines]
