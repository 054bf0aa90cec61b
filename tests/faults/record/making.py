"""Real faults and real healthy loads, by the name of their recording: what is started, and how long before it is captured.

Each is made on a machine of its own (`tests.faults.record.machine`), which undoes it. Written for two processors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.faults.record.machine import INSIDE, OUTSIDE, Machine, run

Made = Callable[[Machine], None]


# -- processors ----------------------------------------------------------------------------------------------


def _cpu_full(machine: Machine) -> None:
    machine.loads("spin", 2, 100)
    machine.loads("spin", 4, 60)


def _one_hot_cpu(machine: Machine) -> None:
    machine.loads("spin", 1, 100, 1)


def _run_queue(machine: Machine) -> None:
    machine.loads("spin", 24, 100)


def _kernel_time(machine: Machine) -> None:
    machine.loads("kernel", 4)


def _softirq(machine: Machine) -> None:
    """The sender stands on one processor, so that what it sends is received there as well."""
    machine.network()
    machine.firewall("INPUT", "-i", "veth-in", "-p", "udp", "-j", "DROP", inside=True)
    for _ in range(60):  # each rule is work for every packet
        machine.firewall("INPUT", "-i", "veth-in", "-p", "udp", "--sport", 1, "-j", "ACCEPT", inside=True)
    machine.start("taskset", "-c", "0", machine.folder / "loads", "datagrams", INSIDE, 2, 0, 0)


def _softirq_of_routing(machine: Machine) -> None:
    """Packets of the other network are taken on the second processor, which the sender does not use."""
    machine.network()
    _received_by(machine, 2)
    for _ in range(120):
        machine.firewall("INPUT", "-i", "veth-out", "-p", "udp", "--sport", 1, "-j", "ACCEPT")
    machine.firewall("INPUT", "-i", "veth-out", "-p", "udp", "-j", "DROP")
    machine.start("taskset", "-c", "0", machine.folder / "loads", "datagrams", OUTSIDE, 2, 0, 0, inside=True)


def _throttled(quota_us: int, threads: int) -> Made:
    def make(machine: Machine) -> None:
        machine.group("limited", cpu__cfs_period_us=100000, cpu__cfs_quota_us=quota_us)
        machine.loads("spin", threads, 100, group="limited")

    return make


def _fork_storm(machine: Machine) -> None:
    machine.loads("forks", 3)


def _switch_storm(machine: Machine) -> None:
    machine.loads("switches", 3)


def _lock_convoy(machine: Machine) -> None:
    machine.loads("convoy", 40, 30000)


def _timers(machine: Machine) -> None:
    machine.loads("timers", 12, 0)


# -- memory --------------------------------------------------------------------------------------------------


def _swap_storm(machine: Machine) -> None:
    machine.swap(1500)
    machine.group("small", memory__limit_in_bytes=200 << 20)
    machine.loads("touch", 500, 0, 500, group="small")
    machine.loads("touch", 300, 0, 300, group="small")


def _swap_in_only(machine: Machine) -> None:
    machine.swap(1500)
    machine.group("small", memory__limit_in_bytes=120 << 20)
    mark = machine.folder / "mark"
    machine.loads("touch", 1100, 1600, 1100, mark, group="small")
    for _ in range(600):
        if mark.exists():
            break
        time.sleep(0.1)
    machine.limit("small", memory__limit_in_bytes=3 << 30)
    mark.unlink()


def _cache_thrash(machine: Machine) -> None:
    file = machine.file("data", 900)
    machine.group("small", memory__limit_in_bytes=120 << 20)
    machine.loads("map", file, 6, group="small")


def _reclaim(machine: Machine) -> None:
    """A group that reads and writes files beyond its memory, and works on what it holds."""
    file = machine.file("data", 700)
    machine.group("small", memory__limit_in_bytes=220 << 20)
    machine.loads("touch", 170, 20000, 170, group="small")
    machine.fio(file, "--rw=randrw", "--bs=16k", "--ioengine=psync", "--numjobs=4", "--thread", group="small")


def _leak(machine: Machine) -> None:
    machine.group("leaking", memory__limit_in_bytes=9 << 30)
    machine.loads("leak", 110, group="leaking")


def _killed_for_memory(machine: Machine) -> None:
    machine.group("small", memory__limit_in_bytes=100 << 20)
    machine.shell(f"while :; do {machine.folder}/loads leak 60; sleep 1; done", group="small")


# -- disks ---------------------------------------------------------------------------------------------------


def _disk_full_load(machine: Machine) -> None:
    disk = machine.disk("sick", 800)
    _limited_disk(machine, read_iops=900)
    options = ("--rw=randread", "--bs=64k", "--ioengine=libaio", "--direct=1", "--iodepth=96")
    machine.fio(disk, *options, group="slow")


def _limited_disk(machine: Machine, **limits: object) -> None:
    numbers = {f"blkio__throttle.{name}_device": f"{machine.under()} {value}" for name, value in limits.items()}
    machine.group("slow", **numbers)


def _small_random(machine: Machine) -> None:
    disk = machine.disk("sick", 800)
    _limited_disk(machine, read_iops=400)
    options = ("--rw=randread", "--bs=4k", "--ioengine=libaio", "--direct=1", "--iodepth=24")
    machine.fio(disk, *options, group="slow")


def _sequential(machine: Machine) -> None:
    disk = machine.disk("sick", 800)
    _limited_disk(machine, read_bps=60 << 20)
    machine.fio(disk, "--rw=read", "--bs=1M", "--ioengine=libaio", "--direct=1", "--iodepth=8", group="slow")


def _slow_disk(machine: Machine) -> None:
    """Few requests, of which each takes long: a path to storage that lost its cache."""
    disk = machine.disk("sick", 400)
    _limited_disk(machine, read_iops=30)
    machine.fio(disk, "--rw=randread", "--bs=8k", "--ioengine=libaio", "--direct=1", "--iodepth=3", group="slow")


def _one_of_several(machine: Machine) -> None:
    good, sick = machine.disk("good", 300), machine.disk("sick", 300)
    _limited_disk(machine, read_iops=150)
    options = ("--rw=randread", "--bs=8k", "--direct=1")
    machine.fio(good, *options, "--ioengine=psync", "--rate_iops=300")
    machine.fio(sick, *options, "--ioengine=libaio", "--iodepth=16", group="slow")


def _writeback(machine: Machine) -> None:
    """Programs write more than may wait in memory, and are made to wait for the disk."""
    machine.setting("vm/dirty_ratio", run("cat", "/proc/sys/vm/dirty_ratio").strip())  # as bytes are set it becomes 0
    run("sysctl", "-q", f"vm.dirty_bytes={8 << 20}")
    options = ("--rw=randwrite", "--bs=4k", "--ioengine=psync", "--size=300M", "--numjobs=8", "--thread")
    machine.fio(machine.file("written", 300), *options)


def _throttled_group_io(machine: Machine) -> None:
    """Requests that a limit holds back before they reach the disk, which stays idle."""
    file = machine.file("data", 400)
    _limited_disk(machine, read_iops=30)
    machine.fio(
        file, "--rw=randread", "--bs=4k", "--ioengine=psync", "--direct=1", "--numjobs=12", "--thread", group="slow"
    )


def _frozen(machine: Machine) -> None:
    mount = machine.mounted(machine.disk("frozen", 64))
    run("fsfreeze", "-f", mount)
    for place in range(14):
        machine.shell(f"echo >{mount}/{place}")
    machine.finally_run("fsfreeze", "-u", mount)  # first of all: nobody who waits for it can be ended


def _file_system_full(machine: Machine) -> None:
    mount = machine.mounted(machine.disk("full", 200), "-m", 0)
    machine.shell(f"dd if=/dev/zero of={mount}/log bs=1M count=170; while sleep 2; do echo >>{mount}/log; done")


def _file_system_filling(machine: Machine) -> None:
    mount = machine.mounted(machine.disk("filling", 1200), "-m", 0)
    fill = f"dd if=/dev/zero of={mount}/log bs=1M count=5 oflag=append,direct conv=notrunc"
    machine.shell(f"dd if=/dev/zero of={mount}/log bs=1M count=300; while sleep 1; do {fill}; done")


def _inodes(machine: Machine) -> None:
    mount = machine.mounted(machine.disk("mail", 100), "-N", 2000)
    for place in range(1960):
        (mount / str(place)).touch()


def _handles(machine: Machine) -> None:
    used = int(Path("/proc/sys/fs/file-nr").read_text().split()[0])
    machine.setting("fs/file-max", used + 6000)
    machine.loads("handles", 5600)


# -- networks ------------------------------------------------------------------------------------------------


def _link_full(machine: Machine) -> None:
    machine.network()
    machine.loads("serve", 7000, inside=True)
    time.sleep(0.3)
    machine.loads("stream", INSIDE, 7000, 0, 2)


def _shaped(machine: Machine) -> None:
    machine.network()
    shape = ("rate", "100mbit", "burst", "32kbit", "latency", "20ms")
    run("tc", "qdisc", "add", "dev", "veth-out", "root", "tbf", *shape)
    machine.loads("serve", 7000, inside=True)
    time.sleep(0.3)
    machine.loads("stream", INSIDE, 7000, 0, 8)


def _drops(machine: Machine) -> None:
    """The queue of received packets, which another processor empties, is too short for what comes in bursts."""
    machine.network()
    _received_by(machine, 2)
    machine.setting("net/core/netdev_max_backlog", 2)
    for _ in range(2):
        machine.start("taskset", "-c", 0, machine.folder / "loads", "datagrams", OUTSIDE, 1, 9000, 0, inside=True)


def _received_by(machine: Machine, processors: int) -> None:
    """What comes in by ``veth-out`` is taken by these processors, one bit each; the interface forgets it as it goes."""
    Path("/sys/class/net/veth-out/queues/rx-0/rps_cpus").write_text(f"{processors:x}")


def _lossy(share: float) -> Made:
    def make(machine: Machine) -> None:
        machine.network()
        lost = ("-p", "tcp", "-m", "statistic", "--mode", "random", "--probability", share, "-j", "DROP")
        machine.firewall("INPUT", *lost, inside=True)
        machine.loads("serve", 7000, inside=True)
        time.sleep(0.3)
        machine.loads("stream", INSIDE, 7000, 400, 24)

    return make


def _time_wait(machine: Machine) -> None:
    machine.network()
    machine.setting("net/ipv4/ip_local_port_range", "32768 60999")
    machine.loads("serve", 7000, inside=True)
    time.sleep(0.3)
    machine.loads("connect", INSIDE, 7000, 1200)


def _tracked(machine: Machine) -> None:
    machine.network()
    machine.setting("net/netfilter/nf_conntrack_max", 6000)
    machine.firewall("INPUT", "-i", "veth-out", "-m", "conntrack", "--ctstate", "NEW", "-j", "ACCEPT")
    machine.loads("datagrams", OUTSIDE, 2, 12000, 9000, inside=True)


# -- nothing is wrong ----------------------------------------------------------------------------------------


def _idle(machine: Machine) -> None:
    """Nothing at all."""


def _busy_and_fine(machine: Machine) -> None:
    machine.loads("spin", 2, 45)


def _backup(machine: Machine) -> None:
    disk = machine.disk("source", 800)
    options = ("--rw=read", "--bs=1M", "--ioengine=psync", "--direct=1", "--rate=250m")
    machine.fio(disk, *options)


def _batch(machine: Machine) -> None:
    machine.loads("spin", 1, 90)
    machine.fio(machine.file("data", 300), "--rw=read", "--bs=128k", "--ioengine=psync", "--rate=30m")


def _cache_warm(machine: Machine) -> None:
    file = machine.file("data", 400)
    machine.fio(file, "--rw=randread", "--bs=8k", "--ioengine=psync", "--rate_iops=9000", "--pre_read=1")


def _checkpoints(machine: Machine) -> None:
    mount = machine.mounted(machine.disk("data", 500))
    burst = f"dd if=/dev/zero of={mount}/data bs=1M count=180 conv=fsync,notrunc"
    machine.shell(f"while :; do {burst}; sleep 12; done")
    machine.loads("spin", 1, 25)


def _collections(machine: Machine) -> None:
    machine.shell(f"while :; do timeout 1 {machine.folder}/loads spin 2 100; sleep 11; done")
    machine.loads("spin", 2, 15)


def _web(machine: Machine) -> None:
    machine.network()
    machine.loads("serve", 7000, inside=True)
    time.sleep(0.3)
    machine.loads("connect", INSIDE, 7000, 60)
    machine.loads("stream", INSIDE, 7000, 900, 10)
    machine.loads("spin", 2, 20)


def _copy_over_the_network(machine: Machine) -> None:
    machine.network()
    machine.loads("serve", 7000, inside=True)
    time.sleep(0.3)
    machine.loads("stream", INSIDE, 7000, 45000, 2)


def _flash_busy(machine: Machine) -> None:
    options = ("--rw=randread", "--bs=4k", "--ioengine=libaio", "--direct=1", "--iodepth=4")
    machine.fio(machine.disk("fast", 500), *options)


def _compiling(machine: Machine) -> None:
    source = Path(__file__).with_name("loads.c")
    machine.shell(f"while :; do cc -O2 -o {machine.folder}/made {source} -lpthread; sleep .4; done")


def _writing_steadily(machine: Machine) -> None:
    mount = machine.mounted(machine.disk("data", 500))
    machine.fio(mount / "log", "--rw=write", "--bs=16k", "--ioengine=psync", "--size=300M", "--rate=4m", "--fsync=16")


FAULTS: Mapping[str, Made] = {
    "cpu-full": _cpu_full,
    "one-hot-cpu": _one_hot_cpu,
    "run-queue": _run_queue,
    "kernel-time": _kernel_time,
    "softirq-flood": _softirq,
    "softirq-on-another-cpu": _softirq_of_routing,
    "cgroup-throttled": _throttled(60_000, 3),
    "cgroup-throttled-as-stand-in-for-steal": _throttled(140_000, 6),
    "fork-storm": _fork_storm,
    "switch-storm": _switch_storm,
    "lock-convoy": _lock_convoy,
    "timers-on-one-cpu": _timers,
    "swap-storm": _swap_storm,
    "swap-in-only": _swap_in_only,
    "cache-thrash": _cache_thrash,
    "reclaim-in-a-group": _reclaim,
    "leak": _leak,
    "killed-for-memory": _killed_for_memory,
    "disk-full-load": _disk_full_load,
    "disk-small-random": _small_random,
    "disk-sequential": _sequential,
    "disk-slow": _slow_disk,
    "disk-one-of-several": _one_of_several,
    "disk-writeback": _writeback,
    "io-limit-of-a-group": _throttled_group_io,
    "hang-in-d-state": _frozen,
    "file-system-full": _file_system_full,
    "file-system-filling": _file_system_filling,
    "inodes": _inodes,
    "file-handles": _handles,
    "link-full": _link_full,
    "link-shaped": _shaped,
    "packets-dropped": _drops,
    "retransmissions": _lossy(0.06),
    "time-wait": _time_wait,
    "tracked-connections": _tracked,
}

HEALTHY: Mapping[str, Made] = {
    "healthy-idle": _idle,
    "healthy-busy-and-fine": _busy_and_fine,
    "healthy-backup": _backup,
    "healthy-batch": _batch,
    "healthy-cache-warm": _cache_warm,
    "healthy-checkpoints": _checkpoints,
    "healthy-collections-of-garbage": _collections,
    "healthy-web": _web,
    "healthy-copy-over-the-network": _copy_over_the_network,
    "healthy-flash-busy": _flash_busy,
    "healthy-compiling": _compiling,
    "healthy-writing-steadily": _writing_steadily,
}
