"""Which reader reads which command's output, and the readers that serve several commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from tunebench.families.linux.hardware import read_cpuinfo, read_dmidecode, read_lspci, read_numactl
from tunebench.families.linux.readings import read_free, read_ip, read_lscpu, read_meminfo, read_os_release, read_sysctl
from tunebench.families.linux.storage import (
    read_df,
    read_dmsetup,
    read_fstab,
    read_lsblk,
    read_lvs,
    read_mdstat,
    read_mount,
    read_multipath,
    read_swaps,
    read_volumes,
)
from tunebench.families.readings import Reading, read_lines, read_ulimit, read_uname, squeezed
from tunebench.families.solaris.hardware import read_disk_errors, read_prtdiag
from tunebench.families.solaris.readings import (
    read_etc_system,
    read_fstyp,
    read_mdb,
    read_prtconf,
    read_psrinfo,
    read_swap,
    read_sysdef,
)
from tunebench.sdk import lazy_pattern

from .inventory_unix import (
    read_by_first_word,
    read_ifconfig,
    read_kctune,
    read_lsattr,
    read_netstat,
    read_vmstat_pages,
    read_zpool,
)

__all__ = ["Reader", "Reading", "reader_of"]

Reader = Callable[[Sequence[str]], Iterator[Reading]]
_BEFORE_COMMAND = lazy_pattern(r"^(?:[A-Za-z_]\w*=\S*|sudo|-n|nice|-\d+|exec|command|env)$")


def read_grep_with_names(lines: Sequence[str]) -> Iterator[Reading]:
    """grep -H: ``/sys/block/sda/queue/scheduler:[none] mq-deadline``."""
    for line in lines:
        name, mark, value = line.partition(":")
        if mark and name.startswith("/"):
            yield Reading(name, squeezed(value))


_OF_TOOL: dict[str, Reader] = {
    "lscpu": read_lscpu,
    "lsblk": read_lsblk,
    "df": read_df,
    "mount": read_mount,
    "sysctl": read_sysctl,
    "uname": read_uname,
    "free": read_free,
    "multipath": read_multipath,
    "lvs": read_lvs,
    "pvs": read_volumes,
    "vgs": read_volumes,
    "numactl": read_numactl,
    "dmidecode": read_dmidecode,
    "lspci": read_lspci,
    "dmsetup": read_dmsetup,
    "ip": read_ip,
    "ulimit": read_ulimit,
    "ifconfig": read_ifconfig,
    "netstat": read_netstat,
    "zpool": read_zpool,
    "swapon": read_by_first_word,
    "lsps": read_by_first_word,
    "lspv": read_by_first_word,
    "lsdev": read_by_first_word,
    "dladm": read_by_first_word,
    "vmo": read_sysctl,
    "ioo": read_sysctl,
    "schedo": read_sysctl,
    "no": read_sysctl,
    "vmstat": read_vmstat_pages,
    "swap": read_swap,
    "lsattr": read_lsattr,
    "kctune": read_kctune,
    "mdb": read_mdb,
    "adb": read_mdb,
    "prtdiag": read_prtdiag,
}
_BY_LINE = {"prtconf": read_prtconf, "lparstat": read_prtconf, "psrinfo": read_psrinfo, "sysdef": read_sysdef}
"""Readers that name some lines by their place, and so need the command: two of them may share a section."""
_OF_FILE: dict[str, Reader] = {
    "/etc/os-release": read_os_release,
    "/usr/lib/os-release": read_os_release,
    "/etc/system": read_etc_system,
    "/proc/meminfo": read_meminfo,
    "/proc/cpuinfo": read_cpuinfo,
    "/proc/mdstat": read_mdstat,
    "/proc/swaps": read_swaps,
    "/etc/fstab": read_fstab,
    "/proc/mounts": read_mount,
    "/proc/self/mounts": read_mount,
    "/etc/mnttab": read_mount,
    "/etc/sysctl.conf": read_sysctl,
    "/boot/loader.conf": read_sysctl,
}
_FILE_TOOLS = frozenset({"cat", "sed", "grep", "egrep", "awk", "head"})


def reader_of(command: str) -> Reader:
    """The reader for a command line; of a pipe the first command that is known: ``echo lotsfree/E | mdb -k``."""
    for part in re.split(r"\|\||&&|[|;]", command):
        words = _words(part)
        while words and _BEFORE_COMMAND.match(words[0]):
            words = words[1:]
        tool = words[0].rsplit("/", 1)[-1] if words else ""
        if tool == "fstyp":
            return partial(read_fstyp, device=words[-1] if words[-1].startswith("/") else "")
        if tool == "iostat" and any(re.fullmatch(r"-\w*E\w*", word) for word in words):
            return read_disk_errors
        if tool in _BY_LINE:
            return partial(_BY_LINE[tool], command=command)
        if tool in _OF_TOOL:
            return _OF_TOOL[tool]
        files = [word for word in words if word in _OF_FILE]
        if files and (tool in _FILE_TOOLS or words == files):
            return _OF_FILE[files[0]]
        if tool == "grep" and "-H" in words:
            return read_grep_with_names
    return partial(read_lines, command=command)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote that the split above cut in two
        return text.split()
