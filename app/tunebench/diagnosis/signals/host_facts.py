"""What inventories tell of a host and its devices, as rules name it. Nothing is guessed: what is not told is None."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tunebench.core.patterns import lazy_pattern
from tunebench.core.records import record
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.finding import Fact
from tunebench.domain.operating_systems import os_word

_PARAMETERS = (
    "ncsize",
    "ufs_ninode",
    "maxusers",
    "max_nprocs",
    "maxphys",
    "md_maxphys",
    "vol_maxio",
    "maxcontig",
    "npskill",
)
_CPU_COUNTS = ("CPU(s)", "lcpu", "processors", "ncpu", "hw.ncpu")
_CORE_COUNTS = ("Online Virtual CPUs", "Number Of Processors")
"""Of AIX: virtual processors, each of which runs as many threads as SMT has; what dispatches work are the threads."""
_SMT = lazy_pattern(r"SMT-(\d+)")
_MEMORY_SIZES = ("MemTotal", "Memory size", "Online Memory", "mem", "realmem", "Memory Size", "Good Memory Size")
_SIZE = lazy_pattern(r"^([\d.,]+)\s*([KMGT])", re.IGNORECASE)
_POWERS = {"K": 0, "M": 1, "G": 2, "T": 3}
_PAGE_BYTES = {"linux": 4096, "aix": 4096, "hp-ux": 4096, "freebsd": 4096}

FACT_PROBES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "ncpu": {
        "sunos": ("solaris.psrinfo",),
        "linux": ("linux.lscpu",),
        "aix": ("aix.lparstat",),
        "hp-ux": ("hpux.machinfo",),
        "freebsd": ("freebsd.sysctl",),
    },
    "physmem_kb": {"sunos": ("solaris.prtconf",), "linux": ("linux.meminfo",), "aix": ("aix.inventory",)},
    "physmem": {"sunos": ("solaris.prtconf",)},
    "lotsfree": {"sunos": ("solaris.kernel_memory",)},
    "maxcontig": {"sunos": ("solaris.fstyp",)},
    "media": {"linux": ("linux.lsblk",)},
    "is_parallel_device": {"linux": ("linux.lsblk",)},
    "fs_type": {"linux": ("linux.mounts",), "sunos": ("solaris.fstyp",)},
    "raid_state": {"linux": ("linux.inventory",)},
    "npskill": {"aix": ("aix.tunables",)},
}
_ETC_SYSTEM = {"sunos": ("solaris.etc_system",)}


def fact_probes(name: str, os: str) -> tuple[str, ...]:
    """The probes that capture a fact of that name."""
    by_os = FACT_PROBES.get(name) or (_ETC_SYSTEM if name in _PARAMETERS else {})
    return by_os.get(os_word(os), ()) if os else tuple(dict.fromkeys(probe for own in by_os.values() for probe in own))


_VIRTIO = lazy_pattern(r"vd[a-z]+")


@record
class HostFacts:
    """The facts of one host; later inventories replace earlier ones.

    Attributes:
        values: of the host as a whole, by the rules' names.
        named: every fact, by name.
        derived: names whose value follows from a formula of the system's makers, not from the inventory.
    """

    values: Mapping[str, Fact]
    named: Mapping[str, str]
    derived: frozenset[str] = frozenset()

    def of_device(self, device: str) -> dict[str, Fact]:
        """The recorded facts of one device."""
        media = self._media(device)
        facts: dict[str, Fact] = {"media": media, "disk_interface": self._interface(device)}
        if media is not None:
            facts["is_parallel_device"] = media != "hdd"
        elif device.startswith(("dm-", "md", "mpath")):
            facts["is_parallel_device"] = True
        return {name: value for name, value in facts.items() if value is not None}

    def _media(self, device: str) -> str | None:
        if device.startswith("nvme"):
            return "nvme"
        kind, model = self.named.get(f"{device} TYPE", ""), self.named.get(f"{device} MODEL", "")
        if kind == "mpath":
            return "array"
        rota = self.named.get(f"{device} ROTA", "")
        if "virtual" in model.lower() or (_VIRTIO.fullmatch(device) and rota == "1"):
            return (
                None  # what lies below a virtual disk is not seen from inside, and virtio's says that it turns unasked
            )
        return {"0": "ssd", "1": "hdd"}.get(rota) if kind in ("", "disk") else None

    def _interface(self, device: str) -> str | None:
        if device.startswith("nvme"):
            return "nvme"
        return self.named.get(f"{device} TRAN", "").lower() or None

    def of_interface(self, interface: str) -> dict[str, Fact]:
        speed = re.match(r"(\d+)\s*Mb", self.named.get(f"{interface} Speed", ""))
        return {"link_mbit_s": float(speed.group(1))} if speed else {}

    def of_filesystem(self, mount: str) -> dict[str, Fact]:
        kind = self.named.get(f"{mount} type", "")
        return {"fs_type": kind} if kind else {}


def host_facts(facts: Iterable[SystemFact], os: str, cpus_seen: int = 0) -> HostFacts:
    """Facts in the order of time.

    Args:
        cpus_seen: processors as the captures tell by their banners, or by listing them one by one; 0 where none does.
    """
    named: dict[str, str] = {}
    for fact in facts:
        named[fact.name.strip()] = fact.value.strip()
        mounted = fact.value.split()
        if fact.section == "mount" and len(mounted) > 1 and not mounted[1].startswith("/"):
            named.setdefault(f"{fact.name.strip()} type", mounted[1])
    values: dict[str, Fact] = {}
    for name in _PARAMETERS:
        values[name] = _number(_parameter(named, name))
    values["ncpu"] = _cpu_count(named) or cpus_seen or _threads_of_cores(named) or None
    values["physmem_kb"] = values["physmem"] = _memory_kb(named)
    values["page_bytes"] = _page_bytes(named, os)
    values["raid_state"] = _raid_state(named)
    values["fs_type"] = _only(value for name, value in named.items() if name.endswith(" type") and name[0] == "/")
    if values["fs_type"] is None and values["maxcontig"] is not None and os_word(os) == "sunos":
        values["fs_type"] = "ufs"  # no other file system of Solaris has the parameter
    derived = _lotsfree(values, named, os)
    return HostFacts({name: value for name, value in values.items() if value is not None}, named, derived)


def _lotsfree(values: dict[str, Fact], named: Mapping[str, str], os: str) -> frozenset[str]:
    """lotsfree in KiB, as vmstat prints free memory; by default 1/64 of the memory."""
    pages, page_bytes, memory = _number(_parameter(named, "lotsfree")), values["page_bytes"], values["physmem_kb"]
    if pages is not None and isinstance(page_bytes, (int, float)):
        values["lotsfree"] = pages * page_bytes / 1024
    elif isinstance(memory, (int, float)) and os_word(os) == "sunos":
        values["lotsfree"] = memory / 64
        return frozenset({"lotsfree"})
    return frozenset()


def _parameter(named: Mapping[str, str], name: str) -> str:
    """The parameter by its name, or by the last part of a qualified one (``md:md_maxphys``, ``/dev/... maxcontig``)."""
    if name in named:
        return named[name]
    return next((value for key, value in named.items() if re.split(r"[.:\s]", key)[-1] == name), "")


def _number(text: str) -> float | None:
    try:
        return float(int(text, 0)) if text.lower().startswith("0x") else float(text.replace(",", ""))
    except ValueError:
        return None


def _cpu_count(named: Mapping[str, str]) -> int | None:
    for name in _CPU_COUNTS:
        count = _number(named.get(name, ""))
        if count:
            return int(count)
    listed = [name for name, state in named.items() if re.fullmatch(r"processor \d+", name) and state == "on-line"]
    return len(listed) or None


def _threads_of_cores(named: Mapping[str, str]) -> int | None:
    """Logical processors of an LPAR by its virtual ones and ``Type Shared-SMT-4``; one each without SMT."""
    cores = next((count for name in _CORE_COUNTS if (count := _number(named.get(name, "")))), None)
    threads = _SMT.search(named.get("Type", ""))
    return int(cores) * (int(threads[1]) if threads else 1) if cores else None


def _memory_kb(named: Mapping[str, str]) -> float | None:
    for name in _MEMORY_SIZES:
        size = _SIZE.match(named.get(name, ""))
        if size:
            return float(size.group(1).replace(",", "")) * 1024.0 ** _POWERS[size.group(2).upper()]
    return None


def _page_bytes(named: Mapping[str, str], os: str) -> float | None:
    stated = _number(named.get("getconf PAGESIZE", "") or named.get("pagesize", ""))
    if stated:
        return stated
    word = os_word(os)
    if word == "sunos":
        machine = named.get("System Configuration", "")
        return 4096 if "i86pc" in machine or "x86" in machine else 8192
    return _PAGE_BYTES.get(word)


def _raid_state(named: Mapping[str, str]) -> str | None:
    """State of Linux' software RAID: ``[UU]`` is whole, ``[U_]`` lacks a member."""
    states = [
        match.group(1)
        for name, value in named.items()
        if name.startswith("md") and (match := re.search(r"\[([U_]+)\]\s*$", value))
    ]
    if not states:
        return None
    return "degraded" if any("_" in state for state in states) else "optimal"


def _only(values: Iterable[str]) -> str | None:
    """The one value, None where there are several or none; memory file systems do not count."""
    there: Sequence[str] = sorted({value for value in values if value not in ("tmpfs", "devtmpfs", "proc", "sysfs")})
    return there[0] if len(there) == 1 else None
