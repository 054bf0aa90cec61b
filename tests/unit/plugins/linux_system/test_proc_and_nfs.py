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


KERNEL = """/proc/vmstat:nr_dirty {dirty}
/proc/vmstat:allocstall_normal {normal}
/proc/vmstat:allocstall_movable {movable}
/proc/vmstat:workingset_refault_file {refaults}
/proc/net/softnet_stat:{packets:08x} {dropped:08x} 00000003 00000000 00000000 00000000 00000000 00000000 00000000 00000000 \
00000000 00000000 00000005 00000000 00000000
/proc/sys/fs/file-nr:1655\t0\t2466170
/proc/sys/net/netfilter/nf_conntrack_count:12
/proc/sys/net/netfilter/nf_conntrack_max:262144
/sys/fs/cgroup/cpu,cpuacct/web/cpu.stat:nr_periods {periods}
/sys/fs/cgroup/cpu,cpuacct/web/cpu.stat:nr_throttled {throttled}
/sys/fs/cgroup/app.slice/cpu.stat:nr_throttled 0
"""


def test_what_the_kernel_keeps_in_single_files(take):
    """In ten seconds: 5 + 15 stalls, 4,000 refaults, 1,000 packets of which 30 were dropped, 40 of 50 periods throttled."""
    first = {"dirty": 7, "normal": 10, "movable": 20, "refaults": 1000, "packets": 255, "dropped": 0}
    second = {"dirty": 9, "normal": 15, "movable": 35, "refaults": 5000, "packets": 1255, "dropped": 30}
    text = (
        STAMP.format(0)
        + KERNEL.format(**first, periods=100, throttled=10)
        + STAMP.format(10)
        + KERNEL.format(**second, periods=150, throttled=50)
    )
    found = take("kernel_state:KernelStateParser", text.encode())
    assert found.values("vmstat nr_dirty", "nr_dirty") == [7, 9]
    assert found.values("vmstat", "allocstall/s") == [2.0]
    assert found.values("vmstat", "workingset_refault_file/s") == [400.0]
    assert found.values("softnet", "total/s", cpu="5") == [100.0]
    assert found.values("softnet", "dropd/s", cpu="5") == [3.0]
    assert found.values("files", "file-nr") == [1655, 1655]
    assert found.values("nf_conntrack_max", "nf_conntrack_max") == [262144, 262144]
    assert found.values("cgroup", "%throttled", process="web") == [80.0]
    assert found.ledger.lines.balanced and found.ledger.skipped == ()


def test_a_line_of_no_file_that_is_known_is_skipped(take):
    text = STAMP.format(0) + "/proc/net/softnet_stat:not hexadecimal\n/etc/passwd:root\n/proc/vmstat:nr_dirty 5\n"
    found = take("kernel_state:KernelStateParser", text.encode())
    assert found.values("vmstat nr_dirty", "nr_dirty") == [5]
    assert found.ledger.lines.data == 1 and found.ledger.lines.skipped == 2
