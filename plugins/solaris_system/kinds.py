"""Which output of which command a line begins, and the prompts between them.

root@svrdb1 # prtconf | head -3
# echo "lotsfree/E" | mdb -k
$ cat /etc/system
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tunebench.families.readings import Reading, read_ulimit, read_uname
from tunebench.families.solaris.hardware import begins_disk_errors, read_disk_errors, read_prtdiag
from tunebench.families.solaris.readings import (
    read_etc_system,
    read_fstyp,
    read_mdb,
    read_prtconf,
    read_psrinfo,
    read_swap,
    read_sysdef,
)
from tunebench.sdk import lazy_pattern, record

SECTIONS = {
    "prtdiag": "hardware", "prtconf": "memory", "fstyp": "disk", "mdb": "kernel", "system": "kernel", "psrinfo": "cpu",
    "swap": "memory", "sysdef": "kernel", "uname": "os", "iostat": "disk",
    "ulimit": "limits",
}  # fmt: skip
"""Command -> the section of its facts: those of the house's own inventory of Solaris."""
OF_OTHER_PARSERS = frozenset({"swap", "iostat"})
"""Read here only where they stand among others: alone they are samples as well, and have parsers of their own."""

_PROMPT = lazy_pattern(r"^(?P<prompt>[^#$%>|]{0,60}[#$%>])\s*(?P<command>[A-Za-z/\"'.].{0,400}?)\s*$")
_HOST = lazy_pattern(r"@(?P<host>[\w.-]+)")
_TOOL = lazy_pattern(
    r"(?:^|[|;&(]\s*|\s)(?:\S*/)?(?P<tool>prtdiag|prtconf|fstyp|mdb|adb|psrinfo|swap|sysdef|uname|ulimit)\b"
)
_DEVICE = lazy_pattern(r"(?P<device>/\S+)\s*(?:\||$|;)")
_SYMBOLS = (
    "lotsfree|desfree|minfree|slowscan|fastscan|ncsize|ufs_ninode|maxphys|handspreadpages|maxpgio|physmem|maxusers"
)
_BEGINNINGS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("uname", lazy_pattern(r"^SunOS \S+ 5\.\d+ \S+ \S+ \S+(?: \S+)?$")),
    ("fstyp", lazy_pattern(r"^(?:ufs|magic\s+\S+\s+format\s+\S+\s+time\s+.*|maxcontig\s+\d+\s+rotdelay\s+\d+ms\b.*)$")),
    ("mdb", lazy_pattern(rf"^(?:\w+`)?(?:{_SYMBOLS}):(?:\s+\S.*)?$|^physmem [0-9a-f]+$")),
    ("system", lazy_pattern(r"^\*\s*ident\s+\"@\(#\)system|^\s*set\s+[\w:]+\s*[=&|]\s*\S|^\s*forceload\s*:")),
    ("psrinfo", lazy_pattern(r"^Status of (?:virtual )?processor \d+ as of|^\d+\s+(?:on|off)-line\s+since ")),
    ("ulimit", lazy_pattern(r"^time\(seconds\)\s+\S+$")),
    ("swap", lazy_pattern(r"^swapfile\s+dev\s+swaplo|^total: \d+k bytes allocated")),
)
_AHEAD = 60


@record
class Kind:
    """One command whose output follows; `device` is the one that fstyp was asked about."""

    tool: str
    device: str = ""
    host: str = ""


def read_prompt(line: str) -> Kind | None:
    """The command of a prompt; its tool is empty where it is none that is read here."""
    match = _PROMPT.match(line)
    if match is None or line.startswith("*"):
        return None
    command = match["command"]
    host = _HOST.search(match["prompt"])
    host_name = host["host"] if host is not None else ""
    if "/etc/system" in command:
        return Kind("system", host=host_name)
    if re.search(r"\biostat\s+-\w*E", command):
        return Kind("iostat", host=host_name)
    tool = _TOOL.search(command)
    if tool is None:
        return Kind("", host=host_name) if host is not None or match["prompt"] in ("#", "$") else None
    name = "mdb" if tool["tool"] == "adb" else tool["tool"]
    device = _DEVICE.search(command[tool.end() :]) if name == "fstyp" else None
    return Kind(name, device["device"] if device is not None else "", host_name)


def beginning_of(lines: Sequence[str], index: int) -> str:
    """The command whose output line `index` begins, or nothing."""
    line = lines[index]
    for tool, pattern in _BEGINNINGS:
        if pattern.match(line):
            return tool
    if begins_disk_errors(line):
        return "iostat"
    if line.startswith("System Configuration:"):  # "System configuration: lcpu=4" is AIX
        return _of_system_configuration(lines[index + 1 : index + _AHEAD])
    if line.startswith("*"):
        return _of_asterisk(lines[index : index + _AHEAD])
    return ""


def _of_system_configuration(ahead: Sequence[str]) -> str:
    """prtconf and prtdiag begin alike."""
    if any(one.startswith("System Peripherals") for one in ahead[:5]):
        return "prtconf"
    return "prtdiag" if any(one.startswith("====") for one in ahead) else "prtconf"


def _of_asterisk(ahead: Sequence[str]) -> str:
    """Comments begin /etc/system; sysdef has asterisks around its titles."""
    titles = [one.strip("* \t") for one in ahead if one.startswith("*")]
    if any(title in ("Hostid", "Tunable Parameters", "Devices", "Loadable Objects") for title in titles):
        return "sysdef"
    return "system" if any(_BEGINNINGS[3][1].match(one) for one in ahead) else ""


def readings_of(kind: Kind, lines: Sequence[str]) -> Iterator[Reading]:
    """What the output of a command tells."""
    if kind.tool == "fstyp":
        return read_fstyp(lines, kind.device)
    readers = {
        "prtdiag": read_prtdiag,
        "prtconf": read_prtconf,
        "mdb": read_mdb,
        "system": read_etc_system,
        "psrinfo": read_psrinfo,
        "swap": read_swap,
        "sysdef": read_sysdef,
        "uname": read_uname,
        "iostat": read_disk_errors,
        "ulimit": read_ulimit,
    }
    return readers[kind.tool](lines)
