"""Recorded hosts: what was done to each (`tests.faults.record.making`), and what a diagnosis must say of it.

The labels were written before any of the recordings was judged. Every third by name, of faults and of healthy hosts, is
kept aside: the rules were not changed for those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.faults.library import NONE

RECORDINGS = Path(__file__).with_name("recordings")


@dataclass(frozen=True)
class Recorded:
    """A recorded fault.

    Attributes:
        cause: the rules of which any names it.
        bottleneck: the resource, `NONE` where none is short; which loop device it was differs.
        symptoms: rules that may hold beside it.
        must_not: rules that would name another cause, and may not be above `watch`.
    """

    cause: tuple[str, ...]
    bottleneck: str = NONE
    symptoms: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()


_BUSY = ("X-CPU-01", "X-CPU-02", "X-CPU-10")
_OF_MEMORY = ("X-MEM-01", "X-MEM-02", "X-MEM-09", "X-MEM-10", "X-MEM-11")
_OF_DISKS = ("X-DSK-05", "X-DSK-11", "X-DSK-10")
_OF_NETWORKS = ("X-NET-02", "X-NET-03", "X-NET-05", "X-NET-06", "X-NET-08")
_SLOW = ("X-DSK-05", "X-DSK-11")

_LABELS: Mapping[str, Recorded] = {
    "cpu-full": Recorded(("X-CPU-02",), "cpu", _BUSY, (*_OF_MEMORY, *_OF_DISKS, *_OF_NETWORKS, "X-CPU-05")),
    "one-hot-cpu": Recorded(("X-CPU-09",), "cpu", (), (*_OF_MEMORY, *_OF_DISKS, "X-CPU-02", "X-CPU-12")),
    "run-queue": Recorded(("X-CPU-02",), "cpu", _BUSY, (*_OF_MEMORY, *_OF_DISKS)),
    "kernel-time": Recorded(("X-CPU-05",), "cpu", _BUSY, (*_OF_MEMORY, *_OF_DISKS, "X-CPU-14", "X-CPU-15")),
    "softirq-flood": Recorded(("X-CPU-12", "X-CPU-09"), "cpu", ("X-CPU-09",), (*_OF_MEMORY, *_OF_DISKS)),
    "softirq-on-another-cpu": Recorded(("X-CPU-12",), "cpu", ("X-CPU-09", "X-NET-08"), (*_OF_MEMORY, *_OF_DISKS)),
    "cgroup-throttled": Recorded(("X-CPU-13",), "cpu tunebench-limited", _BUSY, (*_OF_MEMORY, *_OF_DISKS)),
    "cgroup-throttled-as-stand-in-for-steal": Recorded(
        ("X-CPU-13",), "cpu tunebench-limited", _BUSY, (*_OF_MEMORY, *_OF_DISKS)
    ),
    "fork-storm": Recorded(("X-CPU-14",), "cpu", (*_BUSY, "X-CPU-05", "X-CPU-08"), (*_OF_MEMORY, *_OF_DISKS)),
    "switch-storm": Recorded(("X-CPU-15",), "cpu", (*_BUSY, "X-CPU-05", "X-CPU-08"), (*_OF_MEMORY, *_OF_DISKS)),
    "lock-convoy": Recorded(("X-CPU-15",), "cpu", (*_BUSY, "X-CPU-08"), (*_OF_MEMORY, *_OF_DISKS)),
    "timers-on-one-cpu": Recorded(("X-CPU-09", "X-CPU-12", "X-CPU-15"), "cpu", ("X-CPU-08",), _OF_MEMORY),
    "swap-storm": Recorded(("X-MEM-02",), "memory", (*_OF_MEMORY, *_OF_DISKS, *_BUSY), _OF_NETWORKS),
    "swap-in-only": Recorded(("X-MEM-10",), "memory", (*_OF_DISKS, *_BUSY), ("X-MEM-02",)),
    "cache-thrash": Recorded(("X-MEM-11", "X-MEM-09"), "memory", (*_OF_DISKS, *_BUSY), ("X-MEM-02", "X-MEM-10")),
    "reclaim-in-a-group": Recorded(("X-MEM-11", "X-MEM-09"), "memory", (*_OF_DISKS, *_BUSY), ("X-MEM-02",)),
    "leak": Recorded(("X-MEM-12",), NONE, (), (*_OF_DISKS, "X-MEM-02", "X-MEM-11")),
    "killed-for-memory": Recorded(("X-MEM-04",), NONE, (), (*_OF_DISKS, "X-MEM-02")),
    "disk-full-load": Recorded(_SLOW, "disk loop*", (), _OF_MEMORY),
    "disk-small-random": Recorded(_SLOW, "disk loop*", (), (*_OF_MEMORY, "X-DSK-10")),
    "disk-sequential": Recorded(_SLOW, "disk loop*", (), (*_OF_MEMORY, "X-DSK-10")),
    "disk-slow": Recorded(_SLOW, "disk loop*", (), (*_OF_MEMORY, "X-DSK-10")),
    "disk-one-of-several": Recorded(_SLOW, "disk loop*", (), (*_OF_MEMORY, "X-DSK-10")),
    "disk-writeback": Recorded(("X-DSK-05", "X-DSK-11", "X-DSK-01"), "disk vda", (), _OF_MEMORY),
    "io-limit-of-a-group": Recorded(("X-DSK-10",), NONE, (), (*_OF_MEMORY, *_SLOW)),
    "hang-in-d-state": Recorded(("X-DSK-10",), NONE, ("X-CPU-03", "X-CPU-04"), (*_OF_MEMORY, *_SLOW, "X-CPU-02")),
    "file-system-full": Recorded(("X-DSK-06",), NONE, (), (*_OF_MEMORY, *_SLOW)),
    "file-system-filling": Recorded(("X-DSK-06",), NONE, (), (*_OF_MEMORY, *_SLOW)),
    "inodes": Recorded(("X-DSK-12",), NONE, (), (*_OF_MEMORY, *_SLOW)),
    "file-handles": Recorded(("X-SYS-01",), NONE, (), (*_OF_MEMORY, *_OF_DISKS)),
    "link-full": Recorded(("X-NET-03",), "network veth-out", _BUSY, (*_OF_MEMORY, *_OF_DISKS)),
    "link-shaped": Recorded(("X-NET-03", "X-NET-05"), NONE, (), (*_OF_MEMORY, *_OF_DISKS)),
    "packets-dropped": Recorded(("X-NET-02", "X-NET-08"), NONE, (), (*_OF_MEMORY, *_OF_DISKS)),
    "retransmissions": Recorded(("X-NET-05",), NONE, (), (*_OF_MEMORY, *_OF_DISKS)),
    "time-wait": Recorded(("X-NET-07",), NONE, (), (*_OF_MEMORY, *_OF_DISKS)),
    "tracked-connections": Recorded(("X-NET-06",), NONE, (), (*_OF_MEMORY, *_OF_DISKS)),
}

_HEALTHY = (
    "healthy-backup", "healthy-batch", "healthy-busy-and-fine", "healthy-cache-warm", "healthy-checkpoints",
    "healthy-collections-of-garbage", "healthy-compiling", "healthy-copy-over-the-network", "healthy-flash-busy",
    "healthy-idle", "healthy-web", "healthy-writing-steadily",
)  # fmt: skip

_KEPT = {*sorted(_LABELS)[2::3], *sorted(_HEALTHY)[2::3]}


def recording(name: str) -> Path:
    return RECORDINGS / f"{name}.tar.gz"


def _there(name: str) -> bool:
    return recording(name).exists()


RECORDED = {name: label for name, label in _LABELS.items() if _there(name) and name not in _KEPT}
KEPT_RECORDED = {name: label for name, label in _LABELS.items() if _there(name) and name in _KEPT}
RECORDED_HEALTHY = [name for name in _HEALTHY if _there(name) and name not in _KEPT]
KEPT_RECORDED_HEALTHY = [name for name in _HEALTHY if _there(name) and name in _KEPT]
