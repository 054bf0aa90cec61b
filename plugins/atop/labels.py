"""The fields of atop -P behind the six that every line begins with, from the manual (atop 2.8) and its older forms.

A field has the name that the report gives the same figure, so that both forms of one capture agree. What the report
does not show has the manual's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count

from tunebench.sdk import record

NAN = float("nan")
COUNT, GAUGE, PAGES, SHARE, TICKS, MICROSECONDS, KIB, SKIP = range(8)
"""Counted in the interval, as it stands, pages, per cent, clock ticks of the interval, µs of it, KiB, not a figure."""
_Field = tuple[str, int]


def _all(kind: int, *names: str) -> tuple[_Field, ...]:
    return tuple((name, kind) for name in names)


def _pressure(short: str, long: str) -> tuple[_Field, ...]:
    return (*_all(SHARE, f"{short} avg10", f"{short} avg60", f"{short} avg300"), (long, MICROSECONDS))


_MODES = _all(TICKS, "sys", "user", "nice", "idle", "wait", "irq", "softirq", "steal", "guest")
_SPEED = (*_all(GAUGE, "curf", "curscal"), *_all(COUNT, "instructions", "cycles"))
FIELDS: Mapping[str, tuple[_Field, ...]] = {
    "CPU": (("", SKIP), ("numcpu", GAUGE), *_MODES, *_SPEED),
    "cpu": (("", SKIP), ("", SKIP), *_MODES, *_SPEED),
    "CPL": (*_all(GAUGE, "numcpu", "avg1", "avg5", "avg15"), *_all(COUNT, "csw", "intr")),
    "MEM": (("", SKIP),
            *_all(PAGES, "tot", "free", "cache", "buff", "slab", "dirty", "slrec", "vmbal", "shmem", "shrss", "shswp"),
            *_all(GAUGE, "huge page size", "huge pages", "huge pages free"),
            *_all(PAGES, "zfarc", "kssav", "ksuse", "tcpsk", "udpsk", "pgtab")),
    "SWP": (("", SKIP), *_all(PAGES, "tot", "free", "swcac", "vmcom", "vmlim"), ("", SKIP),
            *_all(PAGES, "zstor", "zpool")),
    "PAG": (("", SKIP), *_all(COUNT, "scan", "stall"), ("", SKIP),
            *_all(COUNT, "swin", "swout", "oomkill", "compact", "migrate", "numamig", "pgin", "pgout")),
    "PSI": (("", SKIP), *_pressure("cs", "cpusome"), *_pressure("ms", "memsome"), *_pressure("mf", "memfull"),
            *_pressure("is", "iosome"), *_pressure("if", "iofull")),
    "NFM": _all(COUNT, "read", "write", "nread", "nwrit", "dread", "dwrit", "mread pages", "mwrit pages"),
    "NFC": _all(COUNT, "rpc", "rpread", "rpwrite", "retxmit", "autref"),
    "NFS": _all(COUNT, "rpc", "cread", "cwrit", "bytes read", "bytes written", "badfmt", "badaut", "badcln", "netcnt",
                "nettcp", "netudp", "nettcpcon", "rchits", "rcmiss", "rcnoca"),
    "IFB": (("", SKIP), ("lanes", GAUGE), ("maximum rate", GAUGE),
            *_all(COUNT, "bytes received", "bytes transmitted", "pcki", "pcko")),
    "LLC": (("usage", SHARE), *_all(COUNT, "tot", "loc")),
    "NUM": (("", SKIP), ("frag", SHARE), *_all(PAGES, "tot", "free", "activ", "inact", "file", "dirty", "slab", "slrec",
                                               "shmem", "hptot")),
    "NUC": (("", SKIP), *_MODES),
    "upper": (*_all(COUNT, "tcpi", "tcpo", "udpi", "udpo", "ipi", "ipo", "deliv", "ipfrw", "udpie", "udpnp"),
              *_all(COUNT, "tcpao", "tcppo"), ("established", GAUGE), *_all(COUNT, "tcprs", "tcpie", "tcpor")),
    "interface": (*_all(COUNT, "pcki", "bytes received", "pcko", "bytes transmitted"), ("sp", GAUGE), ("", SKIP)),
}  # fmt: skip
KEYED = frozenset({"LVM", "MDD", "DSK", "NFM", "IFB", "LLC", "NUM", "NUC"})
DISKS = frozenset({"LVM", "MDD", "DSK"})
_NETWORK_LAYER = frozenset({"ipi/s", "ipo/s", "ipfrw/s", "deliv/s"})
_MOST_UNKNOWN = 40  # fields that later versions add
_SECTORS_PER_MIB = 2048.0


@record
class Scale:
    """What turns a field into its figure: the interval, ticks per second, bytes of a page."""

    interval_s: float
    ticks: float = NAN
    page_bytes: float = NAN


def figures_of(label: str, cells: Sequence[float], scale: Scale) -> dict[str, float]:
    """The figures of a line's fields; what is not available (-1) is missing."""
    figures: dict[str, float] = {}
    unknown = count(len(FIELDS[label]) + 1)
    for index, value in enumerate(cells[: len(FIELDS[label]) + _MOST_UNKNOWN]):
        if index >= len(FIELDS[label]):
            figures[f"field {next(unknown)}"] = value
            continue
        name, kind = FIELDS[label][index]
        if kind == SKIP:
            continue
        if kind == COUNT:
            name = f"{name}/s"
        figures[name] = _figure(value, kind, scale) if value >= 0 else NAN
    return figures


def _figure(value: float, kind: int, scale: Scale) -> float:
    if kind in (GAUGE, SHARE):
        return value
    if kind == PAGES:
        return value * scale.page_bytes
    if kind == KIB:
        return value * 1024.0
    if scale.interval_s <= 0:
        return NAN
    rate = value / scale.interval_s
    if kind == TICKS:
        return 100.0 * rate / scale.ticks if scale.ticks > 0 else NAN
    return rate / 10_000.0 if kind == MICROSECONDS else rate


def of_disk(cells: Sequence[float], interval_s: float) -> dict[str, float]:
    """Milliseconds busy; reads, sectors read; writes, sectors; discards, sectors; in flight, queue."""
    if interval_s <= 0 or len(cells) < 5:
        return {}
    busy_ms, *counts = (value if value >= 0 else NAN for value in cells)
    figures = {"busy": busy_ms / interval_s / 10.0}
    kinds = (("read", "r", "MBr/s"), ("write", "w", "MBw/s"), ("discrd", "d", ""))
    done = 0.0
    for (name, letter, rate), number, sectors in zip(kinds, counts[::2], counts[1::2], strict=False):
        figures[f"{name}/s"] = number / interval_s
        figures[f"KiB/{letter}"] = sectors / 2.0 / number if number > 0 else NAN
        if rate:
            figures[rate] = sectors / _SECTORS_PER_MIB / interval_s
        done += number if number == number else 0.0
    figures["avio"] = busy_ms / done if done > 0 else NAN
    if len(counts) >= 8:
        figures |= {"inflt": counts[6], "avq": counts[7]}
    return figures


def of_layers(figures: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """The figures of TCP and UDP, and those of IP."""
    network = {name: value for name, value in figures.items() if name in _NETWORK_LAYER}
    return {name: value for name, value in figures.items() if name not in _NETWORK_LAYER}, network


def of_interface(figures: dict[str, float]) -> dict[str, float]:
    """``si`` and ``so`` in bits per second, as the report has them; its speed is in bits as well."""
    received, sent = figures.pop("bytes received/s", NAN), figures.pop("bytes transmitted/s", NAN)
    speed = figures.get("sp", NAN)
    return figures | {"si": received * 8.0, "so": sent * 8.0, "sp": speed * 1e6}
