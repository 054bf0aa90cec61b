"""/proc/stat, vmstat and net/dev in loops, and nfsiostat: numbers as they stand in the text, shares and rates by hand."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "linux_system"
STAMP = "@tunebench at 2026-11-21T00:00:{:02}Z\n"
NET = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
  eth0: {received} 59417    2    0    0     0          0         0  815 37761    0    0    0     0       0          0
"""


@pytest.fixture
def take(load, read):
    return lambda entry, data, **context: read(load("linux_system", entry), data, **context)


def test_shares_of_processors_are_of_the_ticks_between_two_rounds(take):
    """100 ticks: 40 in user of which 10 were a guest's, 20 in the kernel, 35 idle, 5 stolen."""
    text = (
        STAMP.format(0)
        + "cpu  1000 0 500 8000 20 0 5 0 100 0\ncpu0 1000 0 500 8000 20 0 5 0 100 0\nctxt 5000\nprocs_running 3\n"
        + STAMP.format(10)
        + "cpu  1040 0 520 8035 20 0 5 5 110 0\ncpu0 1040 0 520 8035 20 0 5 5 110 0\nctxt 7500\nprocs_running 4\n"
    )
    found = take("proc_counters:ProcCountersParser", text.encode())
    shares = {"%usr": 30, "%sys": 20, "%idle": 35, "%steal": 5, "%guest": 10, "%iowait": 0, "%gnice": 0}
    for name, share in shares.items():
        assert found.values("cpu", name, cpu="all") == found.values("cpu", name, cpu="0") == [share]
    assert found.values("kernel", "ctxt/s") == [250.0]
    assert found.values("kernel_now", "procs_running") == [3.0, 4.0]
    assert found.values("counters_cpu", "ticks usr", cpu="0") == [1000.0, 1040.0]
    assert found.ledger.lines.data == 8 and found.skipped() == {}


def test_interfaces_and_pages(take):
    rounds = [
        STAMP.format(second) + f"nr_free_pages {pages}\npgpgin {count}\npgfault 7\n" + NET.format(received=received)
        for second, pages, count, received in ((0, 500, 100, 1000), (4, 400, 300, 5000))
    ]
    found = take("proc_counters:ProcCountersParser", "".join(rounds).encode())
    assert found.values("interface", "RX bytes/s", interface="eth0") == [1000.0]
    assert found.values("counters_interface", "TX packets", interface="eth0") == [37761.0, 37761.0]
    assert found.values("vmstat_now", "nr_free_pages") == [500.0, 400.0]
    assert found.values("vmstat", "pgpgin/s") == [50.0]
    assert found.ledger.lines.data == 8 and found.skipped() == {}


def test_a_recorded_loop_of_head(take):
    """Three rounds two seconds apart on a machine of two processors; each round begins with its date."""
    text = (FIXTURES / "proc-loop.txt").read_bytes()
    found = take("proc_counters:ProcCountersParser", text)
    assert found.ledger.zone == "Asia/Seoul" and found.skipped() == {}
    idle = found.values("cpu", "%idle", cpu="1")
    assert len(idle) == 2 and all(0 <= share <= 100 for share in idle)
    counts = [int(line.split()[1]) for line in text.splitlines() if line.startswith(b"ctxt")]
    stamps = found.times("counters_kernel", "ctxt")
    assert len(stamps) == len(counts) == 3
    assert found.values("counters_kernel", "ctxt") == [float(count) for count in counts]
    assert found.ledger.lines.data == sum(
        1 for line in text.splitlines() if line and not line.startswith((b"==>", b"btime", b"Inter", b" face", b"Tue"))
    )


def test_nfsiostat_in_both_layouts(take):
    found = take("nfsiostat:NfsiostatParser", (FIXTURES / "nfsiostat-2.txt").read_bytes())
    where = {"mountpoint": "/mnt/nfs"}
    assert found.values("nfs", "ops/s", **where) == [12.345, 212.5]
    assert found.values("nfs", "rpc bklog", **where) == [0.0, 0.3]
    assert found.values("nfs_read", "kB/s", **where) == [56.789, 12800.0]
    assert found.values("nfs_read", "avg RTT (ms)", **where) == [1.234, 4.25]
    assert found.values("nfs_read", "retrans", **where) == [0.0, 3.0]
    assert found.values("nfs_read", "retrans %", **where) == [0.0, 1.5]
    assert found.values("nfs_read", "errors %", **where) == [0.5]
    assert found.values("nfs_write", "avg queue (ms)", **where) == [0.25]
    marks = [sample.since_boot for sample in found.of("nfs_read", "avg exe (ms)", **where)]
    assert marks == [True, False]  # the first round is since the export was mounted
    assert (found.ledger.lines.data, found.skipped()) == (6, {})


@pytest.mark.parametrize(
    "text",
    [
        "model name : x\ncpu MHz : 2000\n",
        "procs -----------memory----------\n r  b   swpd   free\n 1  0      0 1234\n",
        "eth0: flags=4163<UP> mtu 1500\n        inet 10.0.0.5\n",
        "name 12\nother 13\n",
        "read: IOPS=100, BW=400KiB/s\n",
    ],
)
def test_other_texts_are_theirs_not(load, text):
    for entry in ("proc_counters:ProcCountersParser", "nfsiostat:NfsiostatParser"):
        assert load("linux_system", entry).sniff(text.encode(), "x") < 0.5
