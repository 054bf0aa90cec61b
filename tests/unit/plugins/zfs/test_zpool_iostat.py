"""zpool iostat: pools and devices in the layout of Oracle's "Managing ZFS File Systems" (11.2 and 11.4)."""

from __future__ import annotations

import math

import pytest

RULE = "----------  -----  -----  -----  -----  -----  -----\n"
HEADING = (
    "               capacity     operations    bandwidth\npool        alloc   free   read  write   read  write\n" + RULE
)
TWO_POOLS = """\
rpool       6.05G  61.9G      0      0    786    107
tank        31.3G  36.7G      4      1   296K  86.1K
"""
MIRROR = """\
                              capacity     operations    bandwidth
pool                       alloc   free   read  write   read  write
-------------------------  -----  -----  -----  -----  -----  -----
tank                        810M  1.81T      0    390    536  32.1M
  mirror-0                  405M   928G      0    194    232  16.1M
    c0t5000C5001032271Bd0      -      -      0     37  1.07K  16.2M
    c0t5000C50010349387d0      -      -      0     38    858  16.1M
  mirror-1                  405M   928G      0    195    304  16.1M
    c0t5000C5001033963Fd0      -      -      0     37  1.14K  16.2M
-------------------------  -----  -----  -----  -----  -----  -----
"""
WAITS = """\
              capacity     operations     bandwidth    total_wait     disk_wait    syncq_wait    asyncq_wait  scrub   trim
pool        alloc   free   read  write   read  write   read  write   read  write   read  write   read  write   wait   wait
----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
teststore   1.34T   947G      0    239  2.84K  39.9M   30ms    7ms   30ms    3ms    1us    1us    4us    3ms   52ms      -
"""


@pytest.fixture
def take(load, read):
    return lambda data, **context: read(load("zfs", "zpool_iostat:ZpoolIostatParser"), data.encode(), **context)


def test_reports_of_an_interval_follow_one_heading(take):
    second = TWO_POOLS.replace("296K", "1.50M").replace("6.05G", "6.06G")
    found = take(HEADING + TWO_POOLS + RULE + second + RULE, interval_s=2.0)
    assert found.values("pool", "bandwidth read", device="tank") == [296 * 1024, 1.5 * 1024**2]
    assert found.values("pool", "operations write", device="tank") == [1.0, 1.0]
    alloc = found.of("pool", "capacity alloc", device="rpool")
    assert [sample.since_boot for sample in alloc] == [True, False]
    assert alloc[1].time_ns - alloc[0].time_ns == 2 * 10**9
    assert (found.ledger.lines.data, found.ledger.lines.header, found.skipped()) == (4, 5, {})


def test_one_pool_alone_has_no_rule_between_reports(take):
    row = "tank        31.3G  36.7G      4      1   296K  86.1K\n"
    found = take(HEADING + row * 3, interval_s=5.0)
    times = [sample.time_ns for sample in found.of("pool", "operations read", device="tank")]
    assert [time - times[0] for time in times] == [0, 5 * 10**9, 10 * 10**9]


def test_devices_stand_below_their_mirror(take):
    found = take(MIRROR, interval_s=5.0)
    assert found.values("pool", "capacity free", device="tank/mirror-1") == [928 * 1024**3]
    leaf = "tank/mirror-1/c0t5000C5001033963Fd0"
    assert found.values("pool", "bandwidth read", device=leaf) == [pytest.approx(1.14 * 1024)]
    assert not [value for value in found.values("pool", "capacity alloc", device=leaf) if not math.isnan(value)]
    assert found.ledger.lines.data == 6 and found.skipped() == {}


def test_waits_are_seconds_under_their_groups(take):
    """Layout: OpenZFS 2.1, `zpool iostat -vl`, as owners of home servers published it."""
    found = take(WAITS, interval_s=5.0)
    waits = {"total_wait write": 7e-3, "disk_wait read": 30e-3, "asyncq_wait read": 4e-6, "scrub wait": 52e-3}
    for name, seconds in waits.items():
        assert found.values("pool", name, device="teststore") == [pytest.approx(seconds)]
    assert (found.ledger.lines.data, found.skipped()) == (1, {})


def test_a_loop_of_single_starts_gives_means_since_the_import_alone(take):
    stamp = "@tunebench at 2026-11-21T00:00:{:02}Z\n"
    found = take(stamp.format(0) + HEADING + TWO_POOLS + RULE + stamp.format(10) + HEADING + TWO_POOLS + RULE)
    assert [sample.since_boot for sample in found.of("pool", "operations read", device="tank")] == [True, True]


def test_a_row_that_lost_a_cell_is_named(take):
    found = take(HEADING + "tank        31.3G  36.7G      4      1   296K\n", interval_s=5.0)
    assert found.ledger.lines.data == 0 and found.skipped() != {}


def test_disks_of_other_tools_are_not_its_own(load):
    text = b"Device  r/s  w/s\nsda 1 2\n"
    assert load("zfs", "zpool_iostat:ZpoolIostatParser").sniff(text, "x") == 0.0
    assert load("zfs", "zpool_iostat:ZpoolIostatParser").sniff(MIRROR.encode(), "x") == 0.95
