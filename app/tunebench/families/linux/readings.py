"""Readers of what Linux tells of processors, memory, kernel and network; see `families.linux.storage` for disks.

Used by the inventory of the house's own probes and by the parser of mailed files, so that one setting has one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.core.patterns import lazy_pattern
from tunebench.families.readings import Reading, squeezed

_COLON = lazy_pattern(r"^\s*(?P<name>[^:]+?):\s*(?P<value>.*?)\s*$")
_VOLATILE_CPU = lazy_pattern(r"^(?:CPU(?:\(s\) scaling)? MHz|BogoMIPS)$")
_SETTING = lazy_pattern(r"^\s*(?P<name>[\w./@*%-]+(?::[\w./-]+)*)\s*[=:]\s?(?P<value>.*?)\s*$")
_VOLATILE_SETTING = lazy_pattern(
    r"^(?:kernel\.random\.(?!read_wakeup|write_wakeup)|kernel\.ns_last_pid$|kernel\.pty\.nr$|kernel\.keys\."
    r"|fs\.(?:dentry-state|inode-nr|inode-state|file-nr|aio-nr)$|fs\.quota\.|net\.netfilter\.nf_conntrack_count$|net\.ipv4\.tcp_mem_pressure$|dev\.cdrom\.info"
    r"|vm\.stats\.|vm\.(?:vmtotal|loadavg)|kern\.(?:cp_time|openfiles|lastpid|numvnodes|ipc\.numopensockets)"
    r"|dev\.cpu\.\d+\.(?:freq|temperature)|debug\.|kern\.boottime)"
)
_STABLE_MEMORY = frozenset(
    {"MemTotal", "SwapTotal", "HugePages_Total", "HugePages_Surp", "Hugepagesize", "CommitLimit", "VmallocTotal"}
)
_INTERFACE = lazy_pattern(r"^\d+: (?P<name>[^:@\s]+)(?:@\S+)?: <(?P<flags>[^>]*)> (?P<rest>.*)$")
_OF_INTERFACE = frozenset({"mtu", "qdisc", "state", "qlen", "master"})
_BRIEF = lazy_pattern(
    r"^(?P<name>[\w.-]+)(?:@\S+)?\s+(?P<state>UP|DOWN|UNKNOWN|DORMANT|LOWERLAYERDOWN)\b(?P<addresses>.*)$"
)
_ADDRESS = lazy_pattern(r"^\s+(?P<kind>link/\S+|inet6?) (?P<address>\S+)")


def read_lscpu(lines: Sequence[str]) -> Iterator[Reading]:
    for line in lines:
        match = _COLON.match(line)
        if match is not None and match["value"]:
            yield Reading(match["name"], squeezed(match["value"]), _VOLATILE_CPU.match(match["name"]) is not None)


def read_sysctl(lines: Sequence[str]) -> Iterator[Reading]:
    """``name = value``, ``name: value`` (FreeBSD), ``name=value`` (files); also vmo, ioo, schedo and no of AIX."""
    for line in lines:
        match = _SETTING.match(line)
        if match is not None and not line.startswith(("sysctl:", "#")):  # permission denied, deprecated keys
            yield Reading(match["name"], squeezed(match["value"]), _VOLATILE_SETTING.match(match["name"]) is not None)


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
        match = _COLON.match(line)
        if match is not None:
            yield Reading(match["name"], squeezed(match["value"]), volatile=match["name"] not in _STABLE_MEMORY)


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
    for key, values in addresses.items():
        yield Reading(key, ", ".join(values))


def _read_interface(name: str, flags: str, rest: str) -> Iterator[Reading]:
    yield Reading(f"{name} flags", flags)
    words = rest.split()
    for key, value in zip(words[::2], words[1::2], strict=False):
        if key in _OF_INTERFACE:
            yield Reading(f"{name} {key}", value)
