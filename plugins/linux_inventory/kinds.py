"""Which output a line begins, which lines go on with it, and the facts it gives.

A kind's `begins` is certain: no other tool prints such a line. `goes_on` tells which lines belong to the output that
has begun; a line that does not ends it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from tunebench.families.linux.hardware import (
    read_cpuinfo,
    read_dmidecode,
    read_ethtool,
    read_linux_ifconfig,
    read_lspci,
    read_netstat_interfaces,
    read_numactl,
)
from tunebench.families.linux.readings import read_free, read_ip, read_lscpu, read_meminfo, read_os_release, read_sysctl
from tunebench.families.linux.storage import (
    read_df,
    read_findmnt,
    read_fstab,
    read_lsblk,
    read_lvs,
    read_mdstat,
    read_mount,
    read_multipath,
    read_schedulers,
    read_swaps,
    read_volumes,
)
from tunebench.families.readings import Reading, read_lines, read_ulimit, read_uname, squeezed
from tunebench.sdk import lazy_pattern, record

Reader = Callable[[Sequence[str]], Iterable[Reading]]
_SCHEDULER = r"(?:noop|none|anticipatory|deadline|cfq|mq-deadline|bfq|kyber|adios)"
_LIMITS = (
    "core|data|fsize|memlock|nofile|rss|stack|cpu|nproc|as|maxlogins|maxsyslogins|priority|locks|sigpending|msgqueue"
    "|nice|rtprio"
)
_LSBLK_COLUMNS = (
    "MAJ:MIN|FSTYPE|KNAME|PKNAME|SIZE|TYPE|FSVER|LABEL|UUID|MODEL|ROTA|MOUNTPOINTS?|SCHED|VENDOR|ALIGNMENT|RM|RO|HCTL"
)
_DISK = (
    r"(?:[hsv]d[a-z]|xvd|nvme|dm-|md\d|sr\d|loop\d|zram|ram\d|nbd|rbd|mmcblk|fd\d|mpath|dasd|emcpower|bcache|drbd"
    r"|cciss|pmem)[\w!.-]*"
)
_SYSCTL = r"(?:abi|crypto|debug|dev|fs|kernel|net|sunrpc|user|vm|fscache|kernel-settings)(?:\.[\w:@*/-]+)+\s*="
_BRANDS = (
    "Red Hat Enterprise Linux|Red Hat Linux|CentOS|Oracle Linux|Enterprise Linux Enterprise|Rocky Linux|AlmaLinux"
    "|Scientific Linux|Fedora|SUSE Linux Enterprise|openSUSE|Asianux|Amazon Linux|Enterprise Linux"
)


@record
class KindOfOutput:
    """`section` is where the inventory of the house's own probes has the same facts."""

    section: str
    read: Reader
    begins: re.Pattern[str]
    goes_on: re.Pattern[str] | None = None  # None: one line
    own: bool = True  # False: samples as well, and with a parser of their own


def _named(name: str) -> Reader:
    """One line, under the name of the command by which the inventory asks for it."""

    def read(lines: Sequence[str]) -> Iterable[Reading]:
        return read_lines(lines, name)

    return read


def _read_tuned(lines: Sequence[str]) -> Iterator[Reading]:
    for line in lines:
        yield Reading("cat /etc/tuned/active_profile", squeezed(line.partition(":")[2]))


def _read_uptime(lines: Sequence[str]) -> Iterator[Reading]:
    for line in lines:
        yield Reading("uptime", squeezed(line), volatile=True)


def _read_limits_conf(lines: Sequence[str]) -> Iterator[Reading]:
    """``oracle soft nofile 1024``: who, which and what."""
    for line in lines:
        words = line.partition("#")[0].split()
        if len(words) == 4:
            yield Reading(" ".join(words[:3]), words[3])


def _read_sysfs(lines: Sequence[str]) -> Iterator[Reading]:
    """grep -H: ``/sys/block/sda/queue/scheduler:[none] mq-deadline``."""
    for line in lines:
        name, mark, value = line.partition(":")
        if mark:
            yield Reading(name, squeezed(value))


def _any(*patterns: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(f"(?:{pattern})" for pattern in patterns))


KINDS: dict[str, KindOfOutput] = {
    "uname": KindOfOutput("os", read_uname, _any(r"^Linux \S+ \d+\.\d+\S* #?\S")),
    "os-release": KindOfOutput(
        "os",
        read_os_release,
        _any(r"""^(?:NAME|PRETTY_NAME|ID|VERSION)=(?:["'][^"']*["']|[\w.-]+)$"""),
        _any(r"^[A-Z][A-Z_0-9]*=", "^#"),
    ),
    "release": KindOfOutput("os", _named("cat /etc/redhat-release"), _any(rf"^(?:{_BRANDS})\b.{{0,60}}?\s\d")),
    "uptime": KindOfOutput("os", _read_uptime, _any(r"^\s*\d\d:\d\d(?::\d\d)?\s+up\s.*load average: "), own=False),
    "lscpu": KindOfOutput(
        "cpu", read_lscpu, _any(r"^Architecture:\s+\S"), _any(r"^\s*[A-Z][^:]{0,60}:\s*\S", r"^[A-Z][^:]{0,60}:$")
    ),
    "cpuinfo": KindOfOutput("cpu", read_cpuinfo, _any(r"^processor\s*: \d+$"), _any(r"^[\w /()-]{1,40}\s*:(?:\s|$)")),
    "numactl": KindOfOutput(
        "cpu", read_numactl, _any(r"^available: \d+ nodes? \("), _any(r"^node\s", r"^\s*\d+:\s", r"^available:")
    ),
    "meminfo": KindOfOutput(
        "memory", read_meminfo, _any(r"^MemTotal:\s+\d+ kB"), _any(r"^[A-Z]\w*(?:\(\w+\))?:\s+\d+(?: kB)?$"), own=False
    ),
    "free": KindOfOutput(
        "memory",
        read_free,
        _any(r"^\s+total\s+used\s+free\b"),
        _any(r"^(?:Mem|Swap|Low|High|Total|Comm|-/\+ buffers/cache):", r"^\s+total\s+used\s+free\b"),
        own=False,
    ),
    "swaps": KindOfOutput(
        "memory", read_swaps, _any(r"^Filename\s+Type\s+Size\s+Used\s+Priority"), _any(r"^/\S+\s+\w+\s+\d+\s")
    ),
    "getconf": KindOfOutput("memory", _named("getconf PAGESIZE"), _any(r"^\d{4,7}$")),
    "lsblk": KindOfOutput(
        "disk",
        read_lsblk,
        _any(rf"^K?NAME\s+(?:{_LSBLK_COLUMNS})\b", r'^K?NAME="[^"]+" [A-Z:-]+="', r'^\{\s*"blockdevices": ?\['),
        _any(rf"^{_DISK}", r"^\S+\s+\d+:\d+\s", r"^[│├└|`]", r"^\s+[│├└|`/\[{}\]]", r"^K?NAME", r'^\s*["{}\]]'),
    ),
    "df": KindOfOutput(
        "df",
        read_df,
        _any(r"^Filesystem\s.*\bMounted on$"),
        _any(r"^\S.*\s\d+%\s+/", r"^/\S+$", r"^\s+\d.*%\s+/", r"^\S+\s.*\s-\s+/"),
        own=False,
    ),
    "mount": KindOfOutput(
        "mount",
        read_mount,
        _any(r"^\S.* on /\S* type \S+ \([a-z]", r"^\S+ /\S* [a-z]\S* r[wo]\S* \d \d$"),
        _any(r"^\S.* on /\S* type \S+ \(", r"^\S+ /\S* \S+ \S+ \d \d$"),
    ),
    "findmnt": KindOfOutput(
        "mount", read_findmnt, _any(r"^TARGET\s+SOURCE\s+FSTYPE"), _any(r"^[\s│├└─|`-]*/", r"^TARGET\s")
    ),
    "fstab": KindOfOutput(
        "fstab",
        read_fstab,
        _any(
            r"^#\s*/etc/fstab",
            r"^(?:UUID|LABEL|PARTUUID)=\S+\s+\S+\s+\w+\s",
            r"^/dev/\S+\s+(?:/\S*|swap|none)\s+\w+\s+\S*defaults",
            r"^[\w.-]+:/\S*\s+/\S*\s+nfs4?\s+\S+\s+\d\s+\d",
        ),
        _any(r"^#", r"^\S+\s+(?:/\S*|swap|none)\s+\S+\s+\S+"),
    ),
    "multipath": KindOfOutput(
        "disk",
        read_multipath,
        _any(r"^(?:\w+: )?[\w.-]+ (?:\([^)]+\) )?dm-\d+\s+\S"),
        _any(r"^size=", r"^\[?size", r"^[|` ]", r"^\s*\\_ ", r"^(?:\w+: )?[\w.-]+ (?:\([^)]+\) )?dm-\d+\s+\S"),
    ),
    "lvm": KindOfOutput(
        "disk",
        read_volumes,
        _any(r"^\s*PV\s+VG\s+Fmt\s", r"^\s*VG\s+#PV\s+#LV\s"),
        _any(r"^\s+\S+\s+\S+\s+\S+", r"^\s*[PV]"),
    ),
    "lvs": KindOfOutput("disk", read_lvs, _any(r"^\s*LV\s+VG\s+Attr\b"), _any(r"^\s+\S+\s+\S+\s+\S+")),
    "mdstat": KindOfOutput(
        "disk", read_mdstat, _any(r"^Personalities :"), _any(r"^md\w+ : ", r"^\s+\S", r"^unused devices:")
    ),
    "scheduler": KindOfOutput(
        "disk",
        read_schedulers,
        _any(rf"^(?:{_SCHEDULER} )*\[{_SCHEDULER}\](?: {_SCHEDULER})*$"),
        _any(rf"^(?:{_SCHEDULER} )*\[{_SCHEDULER}\](?: {_SCHEDULER})*$"),
    ),
    "sysfs": KindOfOutput("disk", _read_sysfs, _any(r"^/sys/(?:block|devices|kernel)/\S+:\S"), _any(r"^/sys/\S+:")),
    "ip": KindOfOutput(
        "network",
        read_ip,
        _any(r"^\d+: \S+: <[A-Z_,-]*> mtu \d", r"^lo\s+(?:UNKNOWN|UP|DOWN)\s+\S"),
        _any(r"^\d+: \S+", r"^\s+\S", r"^[\w.@-]+\s+(?:UP|DOWN|UNKNOWN|LOWERLAYERDOWN|DORMANT)\b"),
    ),
    "ifconfig": KindOfOutput(
        "network",
        read_linux_ifconfig,
        _any(r"^\S+: flags=\d+<[A-Z,]*>  mtu \d+$", r"^\S+\s+Link encap:\S"),
        _any(r"^\S+: flags=\d+<", r"^\S+\s+Link encap:", r"^\s+\S"),
    ),
    "netstat": KindOfOutput(
        "network",
        read_netstat_interfaces,
        _any(r"^Kernel Interface table$", r"^Iface\s+MTU\s"),
        _any(r"^Iface\s+MTU\s", r"^\S+\s+\d+\s"),
        own=False,
    ),
    "ethtool": KindOfOutput(
        "network",
        read_ethtool,
        _any(r"^(?:Settings|Features|(?:Ring|Coalesce|Channel|Pause|Offload) parameters) for [\w.@-]+:$"),
        _any(r"^\s+\S", r"^[A-Za-z][\w .()/-]*:"),
    ),
    "dmidecode": KindOfOutput(
        "hardware", read_dmidecode, _any(r"^# dmidecode \d", r"^Handle 0x[0-9A-Fa-f]+, DMI type \d+"), _any("")
    ),
    "lspci": KindOfOutput(
        "hardware",
        read_lspci,
        _any(r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] [A-Z]"),
        _any(r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ", r"^\s+\S"),
    ),
    "ulimit": KindOfOutput(
        "limits",
        read_ulimit,
        _any(r"^core file size\s+\(blocks, -c\)", r"^real-time non-blocking time\s"),
        _any(r"^[a-zA-Z -]+\(.*-\w\)\s"),
    ),
    "limits.conf": KindOfOutput(
        "limits.conf",
        _read_limits_conf,
        _any(r"^#\s*/etc/security/limits", rf"^[*@%]?[\w.*-]*\s+(?:soft|hard|-)\s+(?:{_LIMITS})\s+\S+"),
        _any(r"^#", rf"^[*@%]?[\w.*:-]*\s+(?:soft|hard|-)\s+(?:{_LIMITS})\s+\S+"),
    ),
    "sysctl": KindOfOutput("kernel", read_sysctl, _any(rf"^{_SYSCTL}\s"), _any(rf"^{_SYSCTL}", "^sysctl: ")),
    "sysctl.conf": KindOfOutput(
        "sysctl.conf",
        read_sysctl,
        _any(rf"^{_SYSCTL}", r"^#\s*(?:/etc/sysctl|sysctl settings|Kernel sysctl configuration)"),
        _any(r"^\s*[#;]", rf"^\s*-?{_SYSCTL}"),
    ),
    "cmdline": KindOfOutput(
        "kernel", _named("cat /proc/cmdline"), _any(r"^(?:BOOT_IMAGE=\S+ |(?:ro|rw) root=|root=\S+ (?:ro|rw|quiet)\b)")
    ),
    "tuned-adm": KindOfOutput("kernel", _read_tuned, _any(r"^Current active profile: \S")),
}
"""In the order in which they are asked: what is more special comes first."""

_ANY_BEGINNING = lazy_pattern("|".join(f"(?:{kind.begins.pattern})" for kind in KINDS.values()))
"""Most lines begin nothing: asked once for all kinds, a third of the time."""

LINUX_ALONE = frozenset(KINDS) - {"ulimit", "dmidecode", "lspci", "df", "uptime", "getconf", "limits.conf"}
"""Kinds that no other system prints alike."""


_ASKED_FOR = "getconf"
"""A bare number tells nothing where nobody asked for it."""


def beginning_of(line: str, following: str = "") -> str:
    """The kind of output that a line begins, or nothing; lsblk -J begins with a bracket alone."""
    if line.strip() == "{":
        line += following
    if _ANY_BEGINNING.match(line) is None:
        return ""
    return next((name for name, kind in KINDS.items() if name != _ASKED_FOR and kind.begins.match(line)), "")


def goes_on(kind: str, line: str) -> bool:
    pattern = KINDS[kind].goes_on
    return pattern is not None and pattern.match(line) is not None


def fits(kind: str, line: str) -> bool:
    """Whether the output of a command that was asked for may hold this line."""
    return goes_on(kind, line) or KINDS[kind].begins.match(line) is not None
