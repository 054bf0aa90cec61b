"""Faults with a known cause and hosts with none, all made: what a diagnosis must say of them, and what it must not.

The cause of each is what was put into its figures, and none of them was tried out on the rules before it was labelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.faults.made_host import Disk, MadeHost

NONE = ""


@dataclass(frozen=True)
class Fault:
    """`cause`: the rules of which any names it; `bottleneck`: the resource, `NONE` where none is short."""

    host: MadeHost
    cause: tuple[str, ...]
    bottleneck: str


def noise(mean: float, spread: float, samples: int = 180, seed: int = 3) -> NDArray[np.float64]:
    return np.maximum(mean + spread * np.random.default_rng(seed).standard_normal(samples), 0.0)


def ramp(start: float, end: float, samples: int = 180) -> NDArray[np.float64]:
    return np.linspace(start, end, samples)


FULL_DISK = Disk(99.0, reads=180.0, writes=120.0, await_ms=65.0, rota="1")

FEW_SENT_AGAIN = MadeHost(samples=60, interval_s=1, tcp=(3932 / 60, np.where(np.arange(60) % 12 == 5, 9.0, 0.0)))
"""45 of 3,932 segments, 1.14 %, in five seconds of a minute: of those seconds 14 %."""

FAULTS: Mapping[str, Fault] = {
    "processors full": Fault(
        MadeHost(cpu={"usr": 93.0, "sys": 5.0}, run_queue=14.0, load=14.0), ("X-CPU-02",), "cpu"
    ),
    "one hot processor": Fault(
        MadeHost(cpus=8, processors={3: {"usr": 98.0, "sys": 1.9}}, run_queue=2.0), ("X-CPU-09",), "cpu"
    ),
    "kernel time": Fault(
        MadeHost(cpu={"usr": 12.0, "sys": 76.0}, run_queue=7.0, load=7.0, switches=30_000.0), ("X-CPU-05",), "cpu"
    ),
    "soft interrupts on one processor": Fault(
        MadeHost(
            processors={0: {"usr": 1.0, "sys": 1.5, "soft": 97.0}},
            net=(61_000.0, 45_000.0, 38.0, 800.0),
        ),
        ("X-CPU-12",),
        "cpu",
    ),
    "steal": Fault(
        MadeHost(cpu={"usr": 53.0, "sys": 8.0, "steal": 32.0}, run_queue=5.0, load=5.0), ("X-CPU-06",), "cpu"
    ),
    "file server gone": Fault(
        MadeHost(cpu={"usr": 2.0, "sys": 1.5}, blocked=40.0, load=42.0, run_queue=1.0), ("X-DSK-10",), NONE
    ),
    "swap storm": Fault(
        MadeHost(
            cpu={"usr": 14.0, "sys": 22.0, "iowait": 50.0}, run_queue=5.0, load=21.0, blocked=16.0,
            memory_available=1.0, memory_free=0.6, swap_in=2500.0, swap_out=3000.0, major_faults=2400.0,
            scan_direct=20_000.0, scan_background=30_000.0, disks={"sda": FULL_DISK},
        ),
        ("X-MEM-02",),
        "memory",
    ),
    "reclaim of the page cache": Fault(
        MadeHost(
            cpu={"usr": 20.0, "sys": 35.0, "iowait": 20.0}, load=11.0, blocked=5.0, memory_available=15.0,
            memory_free=0.9, scan_direct=60_000.0, scan_background=40_000.0, major_faults=900.0,
            disks={"sda": Disk(85.0, reads=900.0, await_ms=1.5, rota="0")},
        ),
        ("X-MEM-09",),
        "memory",
    ),
    "little memory": Fault(MadeHost(memory_available=4.0, memory_free=2.0), ("X-MEM-01",), NONE),
    "disk full of requests": Fault(
        MadeHost(cpu={"usr": 8.0, "iowait": 55.0}, load=17.0, blocked=16.0, disks={"sda": FULL_DISK, "sdb": Disk(4.0)}),
        ("X-DSK-05",),
        "disk sda",
    ),
    "one of several disks": Fault(
        MadeHost(disks={"sda": Disk(6.0, rota="1"), "sdb": FULL_DISK, "sdc": Disk(9.0, rota="1")}),
        ("X-DSK-05",),
        "disk sdb",
    ),
    "queue that grows": Fault(
        MadeHost(disks={"sda": Disk(99.5, reads=300.0, await_ms=ramp(6, 100), rota="1")}),
        ("X-DSK-02", "X-DSK-05"),
        "disk sda",
    ),
    "slow flash": Fault(
        MadeHost(disks={"nvme0n1": Disk(97.0, reads=1500.0, writes=900.0, await_ms=9.0)}),
        ("X-DSK-05",),
        "disk nvme0n1",
    ),
    "link full": Fault(MadeHost(net=(80_000.0, 118_000.0, 97.0, 0.0)), ("X-NET-03",), "network eth0"),
    "packets dropped": Fault(MadeHost(net=(20_000.0, 9000.0, 8.0, 900.0)), ("X-NET-02",), NONE),
    "retransmissions": Fault(MadeHost(tcp=(900.0, 21.0)), ("X-NET-05",), NONE),
    "processors full for 75 seconds": Fault(
        MadeHost(cpu={"usr": 95.0, "sys": 4.5}, samples=75, interval_s=1, run_queue=3.0, load=2.5),
        ("X-CPU-01", "X-CPU-10"),
        NONE,
    ),
    "steal for two minutes": Fault(
        MadeHost(cpu={"usr": 30.0, "sys": 4.0, "steal": 30.0}, samples=24, interval_s=5), ("X-CPU-06",), NONE
    ),
}  # fmt: skip

HEALTHY: Mapping[str, MadeHost] = {
    "idle": MadeHost(cpu={"usr": 0.4, "sys": 0.3}, run_queue=0.0, disks={"sda": Disk(0.3, 0.4, 1.2, 0.9, "0")}),
    "busy and fine": MadeHost(
        cpu={"usr": 50.0, "sys": 9.0}, run_queue=2.6, load=2.7, switches=9000.0,
        disks={"sda": Disk(noise(42, 4), reads=500.0, writes=25.0, await_ms=0.8, rota="0")},
    ),
    "backup stream": MadeHost(
        cpu={"usr": 6.0, "sys": 5.0, "iowait": 12.0}, load=2.0, blocked=1.0, memory_free=1.5,
        scan_background=3000.0,
        disks={"sda": Disk(noise(99, 0.4), reads=240.0, writes=4.0, await_ms=9.0, rota="1", queue=noise(2.2, 0.25))},
    ),
    "NVMe at 99 %": MadeHost(
        cpus=16, cpu={"usr": 25.0, "sys": 10.0}, run_queue=5.0, load=6.0, switches=45_000.0,
        disks={"nvme0n1": Disk(99.0, reads=38_000.0, writes=9000.0, await_ms=0.15)},
    ),
    "cache warm": MadeHost(
        memory_available=62.0, memory_free=0.8, scan_background=400.0, major_faults=2.0, cpu={"usr": 30.0}, load=2.0
    ),
    "many processors at 60 %": MadeHost(
        cpus=32, cpu={"usr": 52.0, "sys": 8.0}, run_queue=19.0, load=20.0, switches=60_000.0
    ),
    "one processor at 55 %": MadeHost(cpus=1, cpu={"usr": 48.0, "sys": 7.0}, run_queue=0.7, load=0.8),
    "switches of a busy server": MadeHost(cpus=8, cpu={"usr": 30.0, "sys": 10.0}, switches=40_000.0, run_queue=3.0),
    "network at 43 %": MadeHost(net=(36_000.0, 52_000.0, 43.0, 2.0)),
    "batch on all processors but one": MadeHost(cpus=8, cpu={"usr": 90.0, "sys": 2.0}, run_queue=7.0, load=7.0),
    "a burst of ten seconds each five minutes": MadeHost(
        cpu={"usr": np.where(np.arange(180) % 30 == 9, 99.0, 12.0)},
        run_queue=np.where(np.arange(180) % 30 == 9, 9.0, 1.0),
        disks={"sda": Disk(np.where(np.arange(180) % 30 == 9, 100.0, 8.0), await_ms=1.0, rota="0")},
    ),
}  # fmt: skip
