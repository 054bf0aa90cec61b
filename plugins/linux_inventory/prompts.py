"""The command lines and titles between the outputs of a file that holds several.

[root@db1 ~]# lsblk -o NAME,SIZE,SCHED
$ cat /etc/fstab
===== df -hT =====
### /proc/cpuinfo ###
"""

from __future__ import annotations

from tunebench.sdk import lazy_pattern, record

_PROMPT = lazy_pattern(
    r"^(?P<prompt>(?:\[[^\]]{1,80}\]|[\w.@:~/-]{1,80})?\s?[#$>])\s+(?P<command>[A-Za-z/\"'.].{0,400}?)\s*$"
)
_TITLE = lazy_pattern(r"^(?P<mark>[#=*+>-]{2,40})\s*(?P<command>[A-Za-z/][^#=*]{0,200}?)\s*[#=*+<:-]*$")
_HOST = lazy_pattern(r"@(?P<host>[A-Za-z0-9][\w.-]*)")
_TOOL = lazy_pattern(
    r"(?:^|[|;&(]\s*|sudo\s+)(?:\S*/)?(?P<tool>lscpu|lsblk|df|mount|findmnt|sysctl|uname|free|ip|netstat|ifconfig|ethtool|dmidecode"
    r"|lspci|multipath|uptime|ulimit|numactl|tuned-adm|pvs|vgs|lvs|getconf|swapon)\b"
)
_FILE = lazy_pattern(
    r"(?P<file>/proc/cpuinfo|/proc/meminfo|/proc/mounts|/proc/self/mounts|/etc/mtab|/etc/fstab|/etc/sysctl\.(?:conf|d/\S+)"
    r"|/etc/os-release|/etc/(?:redhat|centos|oracle|system)-release|/etc/SuSE-release|/proc/mdstat|/proc/swaps|/proc/cmdline"
    r"|/etc/security/limits\.(?:conf|d/\S+)|/sys/block/\S+/queue/scheduler|/etc/tuned/active_profile)"
)
_KIND_OF_TOOL = {"pvs": "lvm", "vgs": "lvm", "swapon": "swaps"}
_KIND_OF_FILE = {"mounts": "mount", "mtab": "mount", "active_profile": "cmdline"}
_PAGE = lazy_pattern(r"\bgetconf\s+PAGE_?SIZE\b")


@record
class Prompt:
    """`kind` is empty for a command that is none of ours; `device` is the one that it is about."""

    kind: str
    device: str = ""
    host: str = ""
    command: str = ""


def read_prompt(line: str) -> Prompt | None:
    match = _PROMPT.match(line) or _TITLE.match(line)
    if match is None:
        return None
    host = _HOST.search(match[1])
    name = host["host"] if host is not None else ""
    kind, device = _kind_of(match["command"])
    if kind:
        return Prompt(kind, device, name, match["command"])
    return Prompt("", host=name) if host is not None else None


def _kind_of(command: str) -> tuple[str, str]:
    file = _FILE.search(command)
    if file is not None:
        return _kind_of_file(file["file"])
    tool = _TOOL.search(command)
    if tool is None:
        return "", ""
    name = tool["tool"]
    if name == "getconf":
        return ("getconf", "") if _PAGE.search(command) else ("", "")
    if name == "ethtool":
        words = command.split()
        return name, words[-1] if len(words) > 1 else ""
    return _KIND_OF_TOOL.get(name, name), ""


def _kind_of_file(path: str) -> tuple[str, str]:
    last = path.rsplit("/", 1)[-1]
    if last == "scheduler":
        return "scheduler", "" if "*" in path else path
    if "sysctl" in path:
        return "sysctl.conf", ""
    if "limits" in path:
        return "limits.conf", ""
    if last.endswith("-release") and last != "os-release":
        return "release", ""
    return _KIND_OF_FILE.get(last, last), ""
