"""What the tools of a Linux host would have printed of the demo's world: sar, iostat -xt and vmstat -t."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta

import numpy as np

from tunebench.usecases.demo.world import DAY_MINUTES, Disk, Floats, Machine, World

SAR_STEP = 10
"""Minutes."""
BEGIN_HOUR, END_HOUR = 9, 18
"""The hours that are measured every minute."""
_IOSTAT_HEAD = (
    "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await"
    " wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util\n"
)
_VMSTAT_HEAD = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 KST\n"
)
_CACHE_SHARE = 0.55
"""Of the memory that no process holds."""
_PIECE_KB = 16_384
"""Memory comes and goes in pieces of a shared pool."""


def sar(world: World, machine: Machine, number: int) -> str:
    """One day of ``sar -u -q -r -d -n DEV -F``, every ten minutes."""
    day = world.day(number)
    first = number * DAY_MINUTES
    stamps = [f"{time(step // 60, step % 60, 1)}" for step in range(SAR_STEP, DAY_MINUTES, SAR_STEP)]

    def mean(values: Floats) -> Floats:
        """Of each ten minutes of the day; the last ten are the next day's first row."""
        rows = values[first : first + DAY_MINUTES - SAR_STEP].reshape(-1, SAR_STEP)
        return np.asarray(rows.mean(axis=1), dtype=np.float64)

    processors = machine.facts["processors"]
    head = f"Linux {machine.facts['release']} ({machine.name}) \t{day} \t_x86_64_\t({processors} CPU)\n\n"
    return head + "\n".join(_sections(machine, number, stamps, mean))


def _sections(machine: Machine, number: int, stamps: Sequence[str], mean: Callable[[Floats], Floats]) -> Iterator[str]:
    user, system, iowait = (mean(values) for values in (machine.user, machine.system, machine.iowait))
    rows = zip(stamps, user, system, iowait, 100.0 - user - system - iowait, strict=True)
    yield _table(
        "        CPU     %user     %nice   %system   %iowait    %steal     %idle",
        (
            f"{at}        all{own:10.2f}      0.00{kernel:10.2f}{wait:10.2f}      0.00{idle:10.2f}"
            for at, own, kernel, wait, idle in rows
        ),
    )
    runnable, blocked = mean(machine.runnable), mean(machine.blocked)
    slow = np.convolve(np.pad(runnable, 2, "edge"), np.full(5, 0.2), "valid")
    yield _table(
        "   runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked",
        (
            f"{at}{round(run):10d}{412 + round(9 * run):10d}{run:10.2f}{(run + late) / 2:10.2f}{late:10.2f}"
            f"{round(stuck):10d}"
            for at, run, late, stuck in zip(stamps, runnable, slow, blocked, strict=True)
        ),
    )
    yield _table(
        "    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact"
        "   kbdirty",
        (f"{at}{_memory_row(machine, float(used))}" for at, used in zip(stamps, mean(machine.memory_pct), strict=True)),
    )
    if "file_system" not in machine.facts:
        received, sent = mean(machine.received_kb), mean(machine.sent_kb)
        yield _table(
            "        IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s   rxcmp/s   txcmp/s  rxmcst/s   %ifutil",
            (
                f"{at}         eth0{into / 0.7:10.2f}{out / 0.9:10.2f}{into:10.2f}{out:10.2f}"
                f"      0.00      0.00      0.00{max(into, out) * 8 / 1e4:10.2f}"
                for at, into, out in zip(stamps, received, sent, strict=True)
            ),
        )
        return
    disks = {
        name: tuple(mean(values) for values in _sar_disk(disk))
        for name, disk in machine.disks.items()
        if disk.since <= number * DAY_MINUTES
    }
    yield _table(
        "          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util",
        (
            f"{at}{name:>13s}" + _sar_disk_row(*(float(values[row]) for values in figures))
            for row, at in enumerate(stamps)
            for name, figures in disks.items()
        ),
    )
    yield _file_systems(machine, number, stamps)


def _table(heading: str, rows: Iterator[str]) -> str:
    return f"00:00:01{heading}\n" + "\n".join(rows) + "\n"


def _memory_row(machine: Machine, used_pct: float) -> str:
    total = machine.facts["memory_mb"] * 1024
    used = round(total * used_pct / 100 / _PIECE_KB) * _PIECE_KB
    used_pct, rest = 100 * used / total, total - used
    cached, buffers = round(rest * _CACHE_SHARE / _PIECE_KB) * _PIECE_KB, 210_944
    free = rest - cached - buffers
    return (
        f"{free:13d}{free + cached:10d}{used:10d}{used_pct:10.2f}{buffers:10d}{cached:10d}{round(used * 1.12):10d}"
        f"{used_pct * 1.12:10.2f}{round(used * 0.8):10d}{round(cached * 0.7):10d}{round(used * 0.0004):10d}"
    )


def _sar_disk(disk: Disk) -> tuple[Floats, ...]:
    time_ms = disk.reads * disk.read_ms + disk.writes * disk.write_ms
    return disk.reads + disk.writes, disk.reads * disk.read_kb, disk.writes * disk.write_kb, time_ms, disk.busy_pct


def _sar_disk_row(requests: float, read_kb: float, write_kb: float, time_ms: float, busy: float) -> str:
    size, wait = ((read_kb + write_kb) / requests, time_ms / requests) if requests else (0.0, 0.0)
    kilobytes = f"{read_kb:10.2f}{write_kb:10.2f}      0.00{size:10.2f}"
    return f"{requests:10.2f}{kilobytes}{time_ms / 1000:10.2f}{wait:10.2f}{busy:10.2f}"


def _file_systems(machine: Machine, number: int, stamps: Sequence[str]) -> str:
    facts = machine.facts["file_system"]
    device, size = facts["device"], facts["size_mb"]
    rows = []
    for row, at in enumerate(stamps):
        minute = number * DAY_MINUTES + (row + 1) * SAR_STEP
        used_pct = facts["used_pct"] + facts["a_day_pct"] * minute / DAY_MINUTES
        used = round(size * used_pct / 100)
        inodes = 3_120_000 + 140 * number
        rows.append(
            f"{at}{round(size) - used:13d}{used:10d}{used_pct:10.2f}{used_pct:10.2f}{104857600 - inodes:10d}"
            f"{inodes:10d}{inodes / 1048576:10.2f} {device}"
        )
    return _table("     MBfsfree  MBfsused   %fsused  %ufsused     Ifree     Iused    %Iused FILESYSTEM", iter(rows))


# -- every minute of the office hours ----------------------------------------------------------------------


def _stamps(world: World, day: date) -> Iterator[tuple[datetime, int]]:
    """Every full minute, and the number of the minute that ends there."""
    start = datetime.combine(day, time(BEGIN_HOUR))
    for step in range(1, (END_HOUR - BEGIN_HOUR) * 60 + 1):
        moment = start + timedelta(minutes=step)
        yield moment, world.minute_of(moment) - 1


def iostat(world: World, machine: Machine, day: date) -> str:
    """``S_TIME_FORMAT=ISO iostat -xty 60 540``."""
    processors = machine.facts["processors"]
    parts = [f"Linux {machine.facts['release']} ({machine.name}) \t{day} \t_x86_64_\t({processors} CPU)\n\n"]
    disks = {name: disk for name, disk in machine.disks.items() if disk.since <= world.minute_of(_at(day, BEGIN_HOUR))}
    for moment, minute in _stamps(world, day):
        user, system, iowait = machine.user[minute], machine.system[minute], machine.iowait[minute]
        parts.append(
            f"{moment:%Y-%m-%dT%H:%M:%S}+0900\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
            f"         {user:7.2f}    0.00 {system:7.2f} {iowait:7.2f}    0.00 {100 - user - system - iowait:7.2f}\n\n"
        )
        parts.append(_IOSTAT_HEAD)
        parts += [_iostat_row(name, disk, minute) for name, disk in disks.items()]
        parts.append("\n\n")
    return "".join(parts)


def _at(day: date, hour: int) -> datetime:
    return datetime.combine(day, time(hour))


def _iostat_row(name: str, disk: Disk, minute: int) -> str:
    reads, writes = float(disk.reads[minute]), float(disk.writes[minute])
    read_ms, write_ms = float(disk.read_ms[minute]), float(disk.write_ms[minute])
    queue = (reads * read_ms + writes * write_ms) / 1000
    return (
        f"{name:12s} {reads:8.2f} {reads * disk.read_kb:9.2f} {reads * 0.01:8.2f}   0.99 {read_ms:7.2f}"
        f" {disk.read_kb:8.2f} {writes:7.2f} {writes * disk.write_kb:9.2f} {writes * 0.12:8.2f}  10.71 {write_ms:7.2f}"
        f" {disk.write_kb:8.2f}    0.00      0.00     0.00   0.00    0.00     0.00    0.00    0.00 {queue:7.2f}"
        f" {disk.busy_pct[minute]:6.2f}\n"
    )


def vmstat(world: World, machine: Machine, day: date) -> str:
    """``vmstat -nt 60 540``, as it stands below the prompt that it was asked at."""
    disks = machine.disks.values()
    read_kb = np.sum([disk.reads * disk.read_kb for disk in disks], axis=0)
    written_kb = np.sum([disk.writes * disk.write_kb for disk in disks], axis=0)
    rows = (
        _vmstat_row(machine, minute, moment, round(float(read_kb[minute])), round(float(written_kb[minute])))
        for moment, minute in _stamps(world, day)
    )
    return f"[root@{machine.name} ~]# vmstat -nt 60 540\n" + _VMSTAT_HEAD + "".join(rows)


def _vmstat_row(machine: Machine, minute: int, moment: datetime, read_kb: int, written_kb: int) -> str:
    rest = machine.facts["memory_mb"] * 1024 * (100.0 - float(machine.memory_pct[minute])) / 100
    rest = round(rest / _PIECE_KB) * _PIECE_KB
    cached, buffers = round(rest * _CACHE_SHARE / _PIECE_KB) * _PIECE_KB, 210_944
    user, system, iowait, runnable, blocked, switches = (
        round(float(values[minute]))
        for values in (
            machine.user,
            machine.system,
            machine.iowait,
            machine.runnable,
            machine.blocked,
            machine.switches,
        )
    )
    return (
        f"{runnable:2d} {blocked:2d}      0 {rest - cached - buffers:8d} {buffers:6d} {cached:8d}    0    0"
        f" {read_kb:5d} {written_kb:5d} {round(switches * 0.62):5d} {switches:5d} {user:2d} {system:2d}"
        f" {100 - user - system - iowait:2d} {iowait:2d}  0 {moment:%Y-%m-%d %H:%M:%S}\n"
    )
