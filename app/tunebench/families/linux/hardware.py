"""Readers of what Linux tells of the machine: /proc/cpuinfo, numactl, dmidecode, lspci, ethtool, ifconfig.

Where lscpu or ip tell the same, the fact has their name: ``CPU(s)``, ``Model name``, ``eth0 mtu``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.core.patterns import lazy_pattern
from tunebench.families.readings import Reading, squeezed

_FIELD = lazy_pattern(r"^\s*(?P<name>[^:]+?)\s*:\s*(?P<value>.*?)\s*$")
_NAME_OF_LSCPU = {
    "vendor_id": "Vendor ID", "cpu family": "CPU family", "model": "Model", "model name": "Model name",
    "stepping": "Stepping", "flags": "Flags", "bogomips": "BogoMIPS", "cpu MHz": "CPU MHz", "microcode": "microcode",
    "cache size": "cache size", "address sizes": "Address sizes", "cpu": "cpu", "machine": "machine",
}  # fmt: skip
_MOMENTARY = frozenset({"BogoMIPS", "CPU MHz"})
_NODE = lazy_pattern(r"^node (?P<node>\d+) (?P<what>cpus|size|free): ?(?P<value>.*)$")
_DISTANCE = lazy_pattern(r"^\s*(?P<node>\d+):\s+(?P<values>\d+(?:\s+\d+)*)\s*$")
_HANDLE = lazy_pattern(r"^Handle (?P<handle>0x[0-9A-Fa-f]+), DMI type (?P<type>\d+)")
_SLOT = lazy_pattern(r"^(?P<slot>(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?P<what>\S.*)$")
_OF_ETHTOOL = lazy_pattern(
    r"^(?:Settings for|Features for|Ring parameters for|Coalesce parameters for|Channel parameters for"
    r"|Pause parameters for|Offload parameters for) (?P<name>[\w.@-]+):\s*$"
)
_GROUP = lazy_pattern(r"^(?P<group>Pre-set maximums|Current hardware settings):\s*$")
_OLD_INTERFACE = lazy_pattern(r"^(?P<name>\S+)\s+Link encap:(?P<link>.*?)(?:\s+HWaddr (?P<address>\S+))?\s*$")
_NEW_INTERFACE = lazy_pattern(r"^(?P<name>[^\s:]+(?::\d+)?): flags=\d+<(?P<flags>[^>]*)>\s+mtu (?P<mtu>\d+)\s*$")
_OLD_FLAGS = lazy_pattern(r"^\s+(?P<flags>[A-Z][A-Z ]*?)\s+MTU:(?P<mtu>\d+)\s+Metric:\d+")
_ADDRESS = lazy_pattern(r"^\s+(?P<kind>inet6?)(?: addr:)?\s*(?P<address>[0-9A-Fa-f.:/]+)")
_ETHER = lazy_pattern(r"^\s+(?P<kind>ether) (?P<address>\S+)")
_QUEUE = lazy_pattern(r"\btxqueuelen[: ](?P<length>\d+)")
_MOST_DMI_FIELDS = 2000
_DMI_TYPES = frozenset({"0", "1", "2", "3", "4", "7", "16", "17", "19"})
"""BIOS, system, board, chassis, processor, cache, memory array, memory device, mapped address."""


def read_cpuinfo(lines: Sequence[str]) -> Iterator[Reading]:
    """The number of processors and their fields; one that differs between them is read of the first."""
    count = 0
    sockets: set[str] = set()
    cores: set[tuple[str, str]] = set()
    fields: dict[str, str] = {}
    socket = ""
    for line in lines:
        match = _FIELD.match(line)
        if match is None:
            continue
        name, value = match["name"], squeezed(match["value"])
        count += name == "processor" and value.isdigit()
        if name == "physical id":
            socket = value
            sockets.add(value)
        elif name == "core id":
            cores.add((socket, value))
        elif name in _NAME_OF_LSCPU and value:
            fields.setdefault(_NAME_OF_LSCPU[name], value)
    yield Reading("CPU(s)", str(count))
    if sockets:
        yield Reading("Socket(s)", str(len(sockets)))
        if len(cores) % len(sockets) == 0 and cores:
            yield Reading("Core(s) per socket", str(len(cores) // len(sockets)))
    for name, value in fields.items():
        yield Reading(name, value, name in _MOMENTARY)


def read_numactl(lines: Sequence[str]) -> Iterator[Reading]:
    """numactl --hardware: processors, memory and distances of each node."""
    for line in lines:
        node, distance = _NODE.match(line), _DISTANCE.match(line)
        if line.startswith("available:"):
            yield Reading("NUMA nodes", squeezed(line.partition(":")[2]))
        elif node is not None:
            yield Reading(f"NUMA node {node['node']} {node['what']}", squeezed(node["value"]), node["what"] == "free")
        elif distance is not None:
            yield Reading(f"NUMA node {distance['node']} distances", squeezed(distance["values"]))


def read_dmidecode(lines: Sequence[str]) -> Iterator[Reading]:
    """The fields of machine, processors and memory: ``Memory Device 0x0011 Size``; slots and ports are left out."""
    title = handle = ""
    wanted = False
    fields = 0
    for line in lines:
        match = _HANDLE.match(line)
        field = _FIELD.match(line)
        if match is not None:
            handle, title, wanted = match["handle"], "", match["type"] in _DMI_TYPES
        elif wanted and line.strip() and not line[:1].isspace():
            title = line.strip()
        elif wanted and title and field is not None and field["value"] and fields < _MOST_DMI_FIELDS:
            fields += 1
            yield Reading(f"{title} {handle} {field['name']}", squeezed(field["value"]))


def read_lspci(lines: Sequence[str]) -> Iterator[Reading]:
    """The devices by their slots."""
    for line in lines:
        match = _SLOT.match(line)
        if match is not None:
            yield Reading(match["slot"], squeezed(match["what"]))


def read_ethtool(lines: Sequence[str], interface: str = "") -> Iterator[Reading]:
    """ethtool with -i, -g, -k, -c, -l or nothing: ``eth0 Speed``; a ring's sizes by their group."""
    name, group, before = interface, "", ""
    for line in lines:
        head, part, field = _OF_ETHTOOL.match(line), _GROUP.match(line), _FIELD.match(line)
        if head is not None:
            name, group = head["name"], ""
        elif part is not None:
            group = f"{part['group']} "
        elif field is not None and field["value"]:
            before = f"{name} {group}{squeezed(field['name'])}".strip()
            yield Reading(before, squeezed(field["value"]))
        elif field is None and before and line[:1].isspace():  # further link modes
            yield Reading(before, squeezed(line))


def read_linux_ifconfig(lines: Sequence[str]) -> Iterator[Reading]:
    """net-tools, old and new: flags, mtu, qlen and addresses as ip names them; packets are counted."""
    name = ""
    addresses: dict[str, list[str]] = {}
    for line in lines:
        new, old, flags = _NEW_INTERFACE.match(line), _OLD_INTERFACE.match(line), _OLD_FLAGS.match(line)
        if new is not None:
            name = new["name"]
            yield Reading(f"{name} flags", new["flags"])
            yield Reading(f"{name} mtu", new["mtu"])
        elif old is not None:
            name = old["name"]
            if old["address"]:
                addresses.setdefault(f"{name} link/ether", []).append(old["address"].lower())
        elif name and flags is not None:
            yield Reading(f"{name} flags", ",".join(flags["flags"].split()))
            yield Reading(f"{name} mtu", flags["mtu"])
        elif name:
            yield from _of_interface(name, line, addresses)
    for key, values in addresses.items():
        yield Reading(key, ", ".join(values))


def _of_interface(name: str, line: str, addresses: dict[str, list[str]]) -> Iterator[Reading]:
    address, ether, queue = _ADDRESS.match(line), _ETHER.match(line), _QUEUE.search(line)
    if address is not None:
        addresses.setdefault(f"{name} {address['kind']}", []).append(address["address"])
    elif ether is not None:
        addresses.setdefault(f"{name} link/ether", []).append(ether["address"].lower())
    elif line.lstrip().startswith(("RX", "TX")):
        yield Reading(f"{name} {' '.join(line.replace(':', ' ').split()[:2])}", squeezed(line), volatile=True)
    if queue is not None:
        yield Reading(f"{name} qlen", queue["length"])


def read_netstat_interfaces(lines: Sequence[str]) -> Iterator[Reading]:
    """netstat -i: the MTU as ip names it; packets are counted."""
    for line in lines:
        words = line.split()
        if len(words) > 3 and words[1].isdigit():
            yield Reading(f"{words[0]} mtu", words[1])
            yield Reading(f"{words[0]} packets", " ".join(words[2:]), volatile=True)
