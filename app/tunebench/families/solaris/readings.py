"""Readers of what Solaris tells of its configuration: prtconf, prtdiag, /etc/system, fstyp -v, mdb, swap, iostat -E ...

Used by the inventory of the house's own probes and by the parser of mailed files, so that one setting has one
name: ``maxcontig`` of a superblock, ``lotsfree`` of the kernel, ``maxphys`` of /etc/system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.core.patterns import lazy_pattern
from tunebench.families.readings import Reading, squeezed

_COLON = lazy_pattern(r"^(?P<name>[A-Za-z][^:]*?):\s+(?P<value>\S.*?)\s*$")
_SET = lazy_pattern(r"^\s*set\s+(?P<name>[\w:.-]+)\s*(?P<operator>[=&|])\s*(?P<value>\S+)")
_DIRECTIVE = lazy_pattern(r"^\s*(?P<name>forceload|exclude|moddir|rootfs|rootdev|include)\s*:\s*(?P<value>\S+)")
_PROCESSOR = lazy_pattern(r"^(?P<id>\d+)\s+(?P<state>on-line|off-line|no-intr|spare|faulted|powered-off|disabled)\b")
_STATUS_OF = lazy_pattern(r"^Status of (?:virtual )?processor (?P<id>\d+) as of")
_ITS_STATE = lazy_pattern(r"^\s+(?P<state>on-line|off-line|no-intr|spare|faulted|powered-off|disabled)\b")
_ITS_KIND = lazy_pattern(r"^\s+The (?P<kind>\S+) processor (?:operates at (?P<mhz>[\d,.]+) MHz)?")
_ITS_FPU = lazy_pattern(r"^\s+and has an? (?P<fpu>.+?) floating point processor")
_SINCE = lazy_pattern(r"\b(?:since|as of:?) \d\d/\d\d/\d{4} \d\d:\d\d:\d\d")
_SYMBOL = lazy_pattern(r"^(?:[A-Za-z_]\w*`)?(?P<name>[A-Za-z_]\w*)(?:/[A-Z])?:\s+(?P<value>\S.*?)\s*$")
_PHYSMEM = lazy_pattern(r"^physmem (?P<pages>[0-9a-f]+)\s*$")  # adb greets with it, hexadecimal
_VOLATILE_UFS = frozenset({"nbfree", "ndir", "nifree", "nffree", "cgrotor", "fmod"})
_SUPERBLOCK_END = lazy_pattern(r"^\s*(?:blocks available in each|cs\[\]\.cs_|cylinders in last group|cg \d+:)")
_VOLATILE_PRTCONF = lazy_pattern(r"^Unallocated ")  # of the pool that other partitions share
_SWAP_HEADING = ("swapfile", "dev")
_TUNABLE = lazy_pattern(r"^\s*(?P<value>-?\d+|0x[0-9a-f]+)\s+(?P<what>[A-Za-z].*?)(?:\s+\((?P<name>[\w.]+)\))?\s*$")


def read_prtconf(lines: Sequence[str], command: str = "prtconf") -> Iterator[Reading]:
    """prtconf (AIX too), lparstat -i: the lines with a colon by name, the device tree by line."""
    number = 0
    for line in lines:
        match = _COLON.match(line)
        if match is not None:
            name = squeezed(match["name"])
            yield Reading(name, squeezed(match["value"]), _VOLATILE_PRTCONF.match(name) is not None)
        elif line.strip(" *-=+"):
            number += 1
            yield Reading(f"{command} line {number}", squeezed(line))


def read_etc_system(lines: Sequence[str]) -> Iterator[Reading]:
    """``set ncsize=32768``; the last setting of a name is in force, those before it are ``ncsize overridden``.

    Comments begin with an asterisk. They are kept, apart: nothing in them is in force.
    """
    settings: dict[str, list[str]] = {}
    comments: list[str] = []
    for line in lines:
        text = line.strip()
        if text.startswith(("*", "#")):
            words = squeezed(text.strip("*# \t"))
            if words:
                comments.append(words)
            continue
        setting, directive = _SET.match(line), _DIRECTIVE.match(line)
        if setting is not None:
            operator = "" if setting["operator"] == "=" else setting["operator"]
            settings.setdefault(setting["name"], []).append(operator + setting["value"])
        elif directive is not None:
            settings.setdefault(f"{directive['name']} {directive['value']}", []).append(directive["value"])
    for name, values in settings.items():
        yield Reading(name, values[-1])
        if any(value != values[-1] for value in values[:-1]):
            yield Reading(f"{name} overridden", ", ".join(values[:-1]))
    for comment in comments:
        yield Reading("/etc/system comment", comment, volatile=True)


def read_psrinfo(lines: Sequence[str], command: str = "psrinfo") -> Iterator[Reading]:
    """``0  on-line  since 04/19/2011 21:00:00``, without the time; -v by processor, -p by line."""
    number = 0
    processor = ""
    for line in lines:
        processor_line, status = _PROCESSOR.match(line), _STATUS_OF.match(line)
        if processor_line is not None:
            yield Reading(f"processor {processor_line['id']}", processor_line["state"])
        elif status is not None:
            processor = f"processor {status['id']}"
        elif processor and (readings := list(_read_processor(processor, line))):
            yield from readings
        else:
            number += 1
            yield Reading(f"{command} line {number}", squeezed(_SINCE.sub("", line)))


def _read_processor(processor: str, line: str) -> Iterator[Reading]:
    state, kind, fpu = _ITS_STATE.match(line), _ITS_KIND.match(line), _ITS_FPU.match(line)
    if state is not None:
        yield Reading(processor, state["state"])
    elif kind is not None:
        yield Reading(f"{processor} type", kind["kind"])
        if kind["mhz"]:
            yield Reading(f"{processor} MHz", kind["mhz"].rstrip(",."))
    elif fpu is not None:
        yield Reading(f"{processor} floating point", fpu["fpu"])


def read_swap(lines: Sequence[str]) -> Iterator[Reading]:
    """swap -l: a file's place and size; its free blocks, and swap -s, are of the moment."""
    headings: list[str] = []
    for line in lines:
        words = line.split()
        if tuple(words[:2]) == _SWAP_HEADING:
            headings = words
            continue
        cells = dict(zip(headings, words, strict=False)) if len(words) == len(headings) else {}
        if not cells and len(words) >= 5 and all(word.isdigit() for word in words[2:5]):
            cells = dict(zip(("swaplo", "blocks", "free"), words[2:5], strict=True))
        if {"swaplo", "blocks", "free"} <= cells.keys():
            yield Reading(words[0], f"swaplo {cells['swaplo']}, blocks {cells['blocks']}")
            yield Reading(f"{words[0]} free", cells["free"], volatile=True)
        elif words[:1] == ["total:"]:
            yield Reading("total", " ".join(words[1:]), volatile=True)
        else:
            yield Reading(words[0], " ".join(words[1:]))


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
        for index, (name, value) in enumerate(zip(words[::2], words[1::2], strict=False)):
            if name == "time":  # a date of five words ends its line
                yield Reading(f"{device} time".strip(), " ".join(words[2 * index + 1 :]), volatile=True)
                break
            yield Reading(f"{device} {name}".strip(), value, name in _VOLATILE_UFS)


def read_mdb(lines: Sequence[str]) -> Iterator[Reading]:
    """mdb -k, adb -k: ``lotsfree:       125312``, the answer to ``lotsfree/E``; the bare name says nothing."""
    for line in lines:
        symbol, physmem = _SYMBOL.match(line), _PHYSMEM.match(line)
        if symbol is not None and symbol["name"] in ("mdb", "adb", "kmdb"):
            continue  # mdb: failed to dereference symbol
        if symbol is not None:
            yield Reading(symbol["name"], squeezed(symbol["value"]))
        elif physmem is not None:
            yield Reading("physmem", f"0x{physmem['pages']}")


def read_sysdef(lines: Sequence[str], command: str = "sysdef") -> Iterator[Reading]:
    """``16218  maximum number of processes (v.v_proc)`` by the symbol, else by its words; other lines by number."""
    number = 0
    for line in lines:
        match = _TUNABLE.match(line)
        if match is not None:
            yield Reading(match["name"] or squeezed(match["what"]), match["value"])
        elif not line.lstrip().startswith("*"):
            number += 1
            yield Reading(f"{command} line {number}", squeezed(line))
