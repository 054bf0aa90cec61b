"""Readers of what Solaris, AIX and HP-UX tell of their configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .inventory_reading import Reading, squeezed

_COLON = re.compile(r"^(?P<name>[A-Za-z][^:]*?):\s+(?P<value>\S.*?)\s*$")
_SET = re.compile(r"^\s*set\s+(?P<name>[\w:.-]+)\s*(?P<operator>[=&|])\s*(?P<value>\S+)")
_DIRECTIVE = re.compile(r"^\s*(?P<name>forceload|exclude|moddir|rootfs|rootdev|include)\s*:\s*(?P<value>\S+)")
_PROCESSOR = re.compile(r"^(?P<id>\d+)\s+(?P<state>on-line|off-line|no-intr|spare|faulted|powered-off|disabled)\b")
_SINCE = re.compile(r"\b(?:since|as of:?) \d\d/\d\d/\d{4} \d\d:\d\d:\d\d")
_SYMBOL = re.compile(r"^(?P<name>[A-Za-z_]\w*)(?:/[A-Z])?:\s+(?P<value>\S.*?)\s*$")
_VOLATILE_UFS = frozenset({"time", "nbfree", "ndir", "nifree", "nffree", "cgrotor", "fmod"})
_SUPERBLOCK_END = re.compile(r"^\s*(?:blocks available in each|cs\[\]\.cs_|cylinders in last group|cg \d+:)")
_VOLATILE_PRTCONF = re.compile(r"^Unallocated ")  # of the pool that other partitions share
_IFCONFIG = re.compile(r"^(?P<name>[\w.:-]+?):?\s+(?:flags=|Link encap)(?P<rest>.*)$")
_POOL_SETTINGS = frozenset({"SIZE", "HEALTH", "ALTROOT"})
_ADDRESS_COLUMNS = 4


def read_prtconf(lines: Sequence[str], command: str) -> Iterator[Reading]:
    """Solaris and AIX, lparstat -i too: the lines with a colon by name, the device tree by line."""
    number = 0
    for line in lines:
        found = _COLON.match(line)
        if found is not None:
            name = squeezed(found["name"])
            yield Reading(name, squeezed(found["value"]), _VOLATILE_PRTCONF.match(name) is not None)
        elif line.strip(" *-=+"):
            number += 1
            yield Reading(f"{command} line {number}", squeezed(line))


def read_etc_system(lines: Sequence[str]) -> Iterator[Reading]:
    """``set ncsize=32768``; comments begin with an asterisk, and the last setting of a name is the one in force."""
    settings: dict[str, str] = {}
    for line in lines:
        if line.lstrip().startswith(("*", "#")):
            continue
        found, directive = _SET.match(line), _DIRECTIVE.match(line)
        if found is not None:
            operator = "" if found["operator"] == "=" else found["operator"]
            settings[found["name"]] = operator + found["value"]
        elif directive is not None:
            settings[f"{directive['name']} {directive['value']}"] = directive["value"]
    for name, value in settings.items():
        yield Reading(name, value)


def read_psrinfo(lines: Sequence[str], command: str) -> Iterator[Reading]:
    """``0  on-line  since 04/19/2011 21:00:00``, without the time; -v and -p by line."""
    number = 0
    for line in lines:
        found = _PROCESSOR.match(line)
        if found is not None:
            yield Reading(f"processor {found['id']}", found["state"])
            continue
        number += 1
        yield Reading(f"{command} line {number}", squeezed(_SINCE.sub("", line)))


def read_swap(lines: Sequence[str]) -> Iterator[Reading]:
    """swap -l: a file's place and size; its free blocks, and swap -s, are of the moment."""
    for line in lines:
        words = line.split()
        if words[:2] == ["swapfile", "dev"]:
            continue
        if len(words) >= 5 and words[-1].isdigit() and words[-2].isdigit():
            yield Reading(words[0], f"swaplo {words[-3]}, blocks {words[-2]}")
            yield Reading(f"{words[0]} free", words[-1], volatile=True)
        elif words[:1] == ["total:"]:
            yield Reading("total", " ".join(words[1:]), volatile=True)
        else:
            yield Reading(words[0], " ".join(words[1:]))


def read_by_first_word(lines: Sequence[str]) -> Iterator[Reading]:
    """Tables of things (lsps, lspv, lsdev, dladm, swap areas): a row under its first word."""
    for line in lines:
        words = line.split()
        yield Reading(words[0], " ".join(words[1:]))


def read_zpool(lines: Sequence[str]) -> Iterator[Reading]:
    """zpool list: size and health of a pool; how full it is changes by itself."""
    headings = lines[0].split() if lines else []
    for line in lines[1:]:
        words = line.split()
        for heading, value in zip(headings[1:], words[1:], strict=False):
            yield Reading(f"{words[0]} {heading}", value, heading not in _POOL_SETTINGS)


def read_netstat(lines: Sequence[str]) -> Iterator[Reading]:
    """netstat -in: interface, MTU, network and address; packets are counted."""
    for line in lines:
        words = line.split()
        if words[:1] != ["Name"] and len(words) > _ADDRESS_COLUMNS:
            yield Reading(f"{words[0]} {words[2]}", " ".join(words[1:_ADDRESS_COLUMNS]))
            yield Reading(f"{words[0]} {words[2]} packets", " ".join(words[_ADDRESS_COLUMNS:]), volatile=True)


def read_ifconfig(lines: Sequence[str]) -> Iterator[Reading]:
    """An interface's flags, and its further lines by their first word (``hme0 inet``)."""
    name = ""
    for line in lines:
        found = _IFCONFIG.match(line)
        words = line.split()
        if found is not None:
            name = found["name"]
            yield Reading(f"{name} flags", squeezed(found["rest"]))
        elif name:
            counted = words[0] in ("RX", "TX") or "packets" in line
            yield Reading(f"{name} {words[0]}", " ".join(words[1:]), counted)


def read_ulimit(lines: Sequence[str]) -> Iterator[Reading]:
    """``open files                  (-n) 1024`` and ``nofiles                 1024``: the last word is the limit."""
    for line in lines:
        words = line.split()
        if len(words) > 1:
            yield Reading(" ".join(words[:-1]), words[-1])


def read_lsattr(lines: Sequence[str]) -> Iterator[Reading]:
    """lsattr -El of AIX: attribute, value, description, whether a user may set it."""
    for line in lines:
        words = line.split()
        if len(words) > 2 and words[-1] in ("True", "False"):
            yield Reading(words[0], words[1])


def read_vmstat_pages(lines: Sequence[str]) -> Iterator[Reading]:
    """vmstat -P ALL of AIX: which page sizes there are; their counts are of the moment."""
    for line in lines:
        words = line.split()
        if len(words) > 2 and words[0] in ("4K", "64K", "16M", "16G"):
            yield Reading(f"page size {words[0]}", "present")
            yield Reading(f"page size {words[0]} counts", " ".join(words[1:]), volatile=True)


def read_kctune(lines: Sequence[str]) -> Iterator[Reading]:
    """``maxuprc  256  Default  Immed`` of HP-UX: tunable, value, expression."""
    for line in lines:
        words = line.split()
        if len(words) >= 3 and words[0] != "Tunable":
            yield Reading(words[0], " ".join(words[1:3]))


def read_fstyp(lines: Sequence[str], device: str = "") -> Iterator[Reading]:
    """The superblock of a UFS (fstyp -v): ``maxcontig 128 rotdelay 0ms rps 120``; cylinder groups are left out."""
    for line in lines:
        if _SUPERBLOCK_END.match(line):
            return
        subject, mark, state = line.strip().partition(" is ")
        if mark:  # file system state is valid, fsclean is 1
            yield Reading(f"{device} {subject}".strip(), squeezed(state))
            continue
        words = line.split()
        if len(words) == 1:
            yield Reading(f"{device} type".strip(), words[0])
        for name, value in zip(words[::2], words[1::2], strict=False):
            yield Reading(f"{device} {name}".strip(), value, name in _VOLATILE_UFS)
            if name == "time":  # a date of five words ends its line
                break


def read_mdb(lines: Sequence[str]) -> Iterator[Reading]:
    """``lotsfree:       125312``, the answer to ``lotsfree/E``; the line with the bare name says nothing."""
    for line in lines:
        found = _SYMBOL.match(line)
        if found is not None:
            yield Reading(found["name"], squeezed(found["value"]))
