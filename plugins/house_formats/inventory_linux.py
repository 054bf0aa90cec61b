"""Readers of what Linux tells of its configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .inventory_reading import Reading, squeezed

_COLON = re.compile(r"^\s*(?P<name>[^:]+?):\s*(?P<value>.*?)\s*$")
_VOLATILE_CPU = re.compile(r"^(?:CPU(?:\(s\) scaling)? MHz|BogoMIPS)$")
_PAIR = re.compile(r'(?P<name>[A-Z][A-Z0-9:_%-]*)="(?P<value>[^"]*)"')
_TREE = re.compile(r"^[\s│├└─|`-]*")
_MOMENTARY_COLUMNS = frozenset({"FSAVAIL", "FSUSED", "FSUSE%"})
_MOUNT = re.compile(r"^(?P<device>.+?) on (?P<place>/\S*) type (?P<type>\S+) \((?P<options>.*)\)$")
_MNTTAB = re.compile(r"^(?P<device>\S+)\t(?P<place>/\S*)\t(?P<type>\S+)\t(?P<options>\S+)\t\d+$")  # Solaris
_OLD_MOUNT = re.compile(r"^(?P<place>/\S*) on (?P<device>\S+) (?P<options>\S+) on [A-Z][a-z]{2} .*$")  # Solaris, HP-UX
_PROC_MOUNT = re.compile(r"^(?P<device>\S+) (?P<place>/\S*) (?P<type>\S+) (?P<options>\S+) \d \d$")
_SETTING = re.compile(r"^\s*(?P<name>[\w./@*%-]+(?::[\w./-]+)*)\s*[=:]\s?(?P<value>.*?)\s*$")
_VOLATILE_SETTING = re.compile(
    r"^(?:kernel\.random\.(?!read_wakeup|write_wakeup)|kernel\.ns_last_pid$|kernel\.pty\.nr$|kernel\.keys\.|fs\.(?:dentry-state|inode-nr|inode-state"
    r"|file-nr|aio-nr)$|fs\.quota\.|net\.netfilter\.nf_conntrack_count$|net\.ipv4\.tcp_mem_pressure$|dev\.cdrom\.info"
    r"|vm\.stats\.|vm\.(?:vmtotal|loadavg)|kern\.(?:cp_time|openfiles|lastpid|numvnodes|ipc\.numopensockets)"
    r"|dev\.cpu\.\d+\.(?:freq|temperature)|debug\.|kern\.boottime)"
)
_STABLE_MEMORY = frozenset(
    {"MemTotal", "SwapTotal", "HugePages_Total", "HugePages_Surp", "Hugepagesize", "CommitLimit", "VmallocTotal"}
)
_DF_OF_THE_MOMENT = ("Used", "Available", "Use%")
_MULTIPATH = re.compile(r"^(?:\w+: )?(?P<name>[\w.-]+) (?:\((?P<wwid>[^)]+)\) )?(?P<dm>dm-\d+)\s*(?P<vendor>.*)$")
_PATH = re.compile(r"[|` -]+\s*(?P<hctl>\d+:\d+:\d+:\d+)\s+(?P<device>\S+)\s+(?P<number>\d+:\d+)\s+(?P<state>.*)$")
_DMSETUP = re.compile(r"^(?P<name>\S+)\s+\((?P<numbers>\d+[:,]\s?\d+)\)$")
_INTERFACE = re.compile(r"^\d+: (?P<name>[^:@\s]+)(?:@\S+)?: <(?P<flags>[^>]*)> (?P<rest>.*)$")
_OF_INTERFACE = frozenset({"mtu", "qdisc", "state", "qlen", "master"})
_BRIEF = re.compile(
    r"^(?P<name>[\w.-]+)(?:@\S+)?\s+(?P<state>UP|DOWN|UNKNOWN|DORMANT|LOWERLAYERDOWN)\b(?P<addresses>.*)$"
)
_ADDRESS = re.compile(r"^\s+(?P<kind>link/\S+|inet6?) (?P<address>\S+)")


def read_lscpu(lines: Sequence[str]) -> Iterator[Reading]:
    for line in lines:
        found = _COLON.match(line)
        if found is not None and found["value"]:
            yield Reading(found["name"], squeezed(found["value"]), _VOLATILE_CPU.match(found["name"]) is not None)


def read_lsblk(lines: Sequence[str]) -> Iterator[Reading]:
    """``NAME="sda" SIZE="10G"`` (-P), else the table: a device's row under its name."""
    for line in lines:
        pairs = {found["name"]: found["value"] for found in _PAIR.finditer(line)}
        device = pairs.pop("NAME", "") or pairs.pop("KNAME", "")
        if device:
            for name, value in pairs.items():
                if value:
                    yield Reading(f"{device} {name}", value, name in _MOMENTARY_COLUMNS)
        elif not pairs:
            words = _TREE.sub("", line).split()
            if words and words[0] != "NAME":
                yield Reading(words[0], " ".join(words[1:]))


def read_df(lines: Sequence[str]) -> Iterator[Reading]:
    """The file systems and their sizes; what is used changes by itself."""
    unit = "blocks"
    for line in lines:
        cells = line.split(None, 5)
        if line.startswith("Filesystem"):
            unit = cells[1] if len(cells) > 1 else unit
        elif len(cells) == 6:
            place = cells[5].strip()
            yield Reading(f"{place} device", cells[0])
            yield Reading(f"{place} {unit}", cells[1])
            for name, value in zip(_DF_OF_THE_MOMENT, cells[2:5], strict=True):
                yield Reading(f"{place} {name}", value, volatile=True)


def read_mount(lines: Sequence[str]) -> Iterator[Reading]:
    """``device type options`` by mount point; the time of mounting is left out."""
    for line in lines:
        found = _MOUNT.match(line) or _OLD_MOUNT.match(line) or _PROC_MOUNT.match(line) or _MNTTAB.match(line)
        if found is None:
            yield Reading(line.split()[0], squeezed(line))
            continue
        part = found.groupdict()
        kept = (part["device"], part.get("type") or "", part["options"])
        yield Reading(part["place"], " ".join(value for value in kept if value))


def read_sysctl(lines: Sequence[str]) -> Iterator[Reading]:
    """``name = value``, ``name: value`` (FreeBSD), ``name=value`` (files); also vmo, ioo, schedo and no of AIX."""
    for line in lines:
        found = _SETTING.match(line)
        if found is not None and not line.startswith(("sysctl:", "#")):  # permission denied, deprecated keys
            yield Reading(found["name"], squeezed(found["value"]), _VOLATILE_SETTING.match(found["name"]) is not None)


def read_os_release(lines: Sequence[str]) -> Iterator[Reading]:
    for line in lines:
        name, mark, value = line.strip().partition("=")
        if mark and not name.startswith("#"):
            yield Reading(name, value.strip("\"'"))


def read_free(lines: Sequence[str]) -> Iterator[Reading]:
    headings: list[str] = []
    for line in lines:
        words = line.split()
        if words[:2] == ["total", "used"]:
            headings = words
        elif headings and words[0].endswith(":"):
            for heading, value in zip(headings, words[1:], strict=False):
                yield Reading(f"{words[0]} {heading}", value, volatile=heading != "total")


def read_meminfo(lines: Sequence[str]) -> Iterator[Reading]:
    for line in lines:
        found = _COLON.match(line)
        if found is not None:
            yield Reading(found["name"], squeezed(found["value"]), volatile=found["name"] not in _STABLE_MEMORY)


def read_multipath(lines: Sequence[str]) -> Iterator[Reading]:
    """A map's identity, features and paths; ``dm-2`` is kept because iostat shows that name."""
    name = ""
    for line in lines:
        head, path = _MULTIPATH.match(line), _PATH.search(line)
        if head is not None:
            name = head["name"]
            yield Reading(f"{name} wwid", head["wwid"] or name)
            yield Reading(f"{name} device", head["dm"])
            yield Reading(f"{name} product", squeezed(head["vendor"]))
        elif name and line.startswith("size="):
            for word in re.findall(r"(\w+)=('[^']*'|\S+)", line):
                yield Reading(f"{name} {word[0]}", word[1].strip("'"))
        elif name and path is not None:
            yield Reading(f"{name} path {path['device']}", f"{path['hctl']} {path['number']} {squeezed(path['state'])}")
        elif name and "policy=" in line:
            yield Reading(f"{name} policy", squeezed(line[line.index("policy=") :]))


def read_lvs(lines: Sequence[str]) -> Iterator[Reading]:
    """Rows of lvs by ``VG/LV``, each column under its heading; without headings the row as it is."""
    headings: list[str] = []
    for line in lines:
        words = line.split()
        if words[:2] == ["LV", "VG"]:
            headings = words
            continue
        if len(words) < 2:
            continue
        device = f"{words[1]}/{words[0]}"
        if len(headings) >= 4 and len(words) >= 4:
            yield Reading(f"{device} {headings[2]}", words[2])
            yield Reading(f"{device} {headings[3]}", words[3])
            if words[4:]:
                yield Reading(f"{device} state", " ".join(words[4:]), volatile=True)  # fill of snapshots and pools
        else:
            yield Reading(device, " ".join(words[2:]))


def read_dmsetup(lines: Sequence[str]) -> Iterator[Reading]:
    """``vg-root (253:0)``: the number behind dm-0 in iostat."""
    for line in lines:
        found = _DMSETUP.match(line.strip())
        if found is not None:
            yield Reading(found["name"], found["numbers"].replace(", ", ":").replace(",", ":"))


def read_ip(lines: Sequence[str]) -> Iterator[Reading]:
    """ip addr, ip link, with -o (an interface in one line) or -br (``eth0 UP 10.0.0.5/24``)."""
    name = ""
    addresses: dict[str, list[str]] = {}
    for line in (part for whole in lines for part in whole.split("\\")):  # -o writes a backslash for a line end
        head, address, brief = _INTERFACE.match(line), _ADDRESS.match(line), _BRIEF.match(line)
        if head is not None:
            name = head["name"]
            yield from _read_interface(name, head["flags"], head["rest"])
        elif name and address is not None:
            addresses.setdefault(f"{name} {address['kind']}", []).append(address["address"])
        elif brief is not None:
            yield Reading(f"{brief['name']} addresses", squeezed(f"{brief['state']} {brief['addresses']}"))
    for key, found in addresses.items():
        yield Reading(key, ", ".join(found))


def _read_interface(name: str, flags: str, rest: str) -> Iterator[Reading]:
    yield Reading(f"{name} flags", flags)
    words = rest.split()
    for key, value in zip(words[::2], words[1::2], strict=False):
        if key in _OF_INTERFACE:
            yield Reading(f"{name} {key}", value)
