"""The times of a command that stand among the rows of iostat, vmstat and their like."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures"
TIMES = ["", "real    0m48.465s", "user    0m0.738s", "sys     0m0.176s"]
TOOLS = [
    ("linux_stat", "vmstat:VmstatParser", "linux/vmstat.txt", 8),
    ("linux_stat", "iostat:IostatParser", "linux/iostat-xt.txt", 99),
    ("aix_stat", "vmstat:VmstatParser", "aix/vmstat_IWw.txt", 99),
    ("bsd_stat", "vmstat:VmstatParser", "bsd/vmstat-freebsd.txt", 4),
    ("hpux_stat", "vmstat:VmstatParser", "hpux/vmstat.txt", 99),
    ("sysstat_sar", "sar:SarParser", "sar/sar-u.ko_KR.UTF-8.txt", 6),
    ("sysstat_sar", "sar:SarParser", "sar/sar-live-u-d-12h.txt", 999),
    ("solaris_stat", "mpstat:MpstatParser", "solaris_stat/mpstat-one-cpu-p.txt", 99),
]


def figures(reading) -> list[tuple[float, ...]]:
    rows = [reading.values("timed", name) for name in ("real_s", "user_s", "sys_s")]
    return list(zip(*rows, strict=True))


@pytest.mark.parametrize(("folder", "entry", "name", "place"), TOOLS)
def test_the_response_time_is_kept_and_no_row_is_lost(load, read, folder, entry, name, place):
    parser = load(folder, entry)
    lines = (FIXTURES / name).read_text().rstrip("\n").split("\n")
    text = "\n".join([*lines[:place], *TIMES, *lines[place:], ""])
    plain = read(parser, ("\n".join(lines) + "\n").encode(), modified_ns=10**18)
    for piece in (1 << 20, 5):
        reading = read(parser, text.encode(), piece, modified_ns=10**18)
        assert figures(reading) == [(48.465, 0.738, 0.176)]
        timed = [key for key in reading.samples if key.table == "timed"]
        rest = {key: samples for key, samples in reading.samples.items() if key not in timed}
        assert {key: [each.value for each in samples] for key, samples in rest.items()} == {
            key: [each.value for each in samples] for key, samples in plain.samples.items()
        }
        rows = [sample for samples in rest.values() for sample in samples if sample.line <= place + 1]
        assert reading.of("timed", "real_s")[0].time_ns == max(sample.time_ns for sample in rows)
        assert reading.ledger.lines.data == plain.ledger.lines.data + 3
        assert reading.skipped() == plain.skipped()


@pytest.mark.parametrize(
    ("folder", "entry", "name"),
    [("linux_stat", "vmstat:VmstatParser", "linux/vmstat.txt"), ("top", "top:TopParser", "top/top-b.txt")],
)
def test_two_commands_and_one_that_was_cut_off(load, read, folder, entry, name):
    text = (FIXTURES / name).read_text()
    one = "real 62.31 user 1.20 sys 0.30\n"
    reading = read(load(folder, entry), (text + one + one + "real 0m1.000s\n").encode())
    assert figures(reading) == [(62.31, 1.2, 0.3)] * 2
    assert reading.skipped() == {"truncated": 1}


def test_times_above_the_first_row_have_no_time_and_are_named(load, read):
    text = "\n".join(TIMES) + "\n" + (FIXTURES / "linux" / "vmstat.txt").read_text()
    reading = read(load("linux_stat", "vmstat:VmstatParser"), text.encode())
    assert reading.skipped() == {"not_a_table": 3}
