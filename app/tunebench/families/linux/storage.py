"""Readers of what Linux tells of disks, volumes and file systems; df and mount of other systems as well.

Used by the inventory of the house's own probes and by the parser of mailed files, so that one setting has one name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from tunebench.core.patterns import lazy_pattern
from tunebench.families.readings import Reading, squeezed

_PAIR = lazy_pattern(r'(?P<name>[A-Z][A-Z0-9:_%-]*)="(?P<value>[^"]*)"')
_TREE = lazy_pattern(r"^[\s│├└─|`-]*")
_MOMENTARY_COLUMNS = frozenset({"FSAVAIL", "FSUSED", "FSUSE%"})
_MOUNT = lazy_pattern(r"^(?P<device>.+?) on (?P<place>/\S*) type (?P<type>\S+) \((?P<options>.*)\)(?: \[.*\])?$")
_MNTTAB = lazy_pattern(r"^(?P<device>\S+)\t(?P<place>/\S*)\t(?P<type>\S+)\t(?P<options>\S+)\t\d+$")  # Solaris
_OLD_MOUNT = lazy_pattern(
    r"^(?P<place>/\S*) on (?P<device>\S+) (?P<options>\S+) on [A-Z][a-z]{2} .*$"
)  # Solaris, HP-UX
_PROC_MOUNT = lazy_pattern(r"^(?P<device>\S+) (?P<place>/\S*) (?P<type>\S+) (?P<options>\S+) \d \d$")
_DF_OF_THE_MOMENT = ("Used", "Available", "Use%")
_MULTIPATH = lazy_pattern(r"^(?:\w+: )?(?P<name>[\w.-]+) (?:\((?P<wwid>[^)]+)\) )?(?P<dm>dm-\d+)\s*(?P<vendor>.*)$")
_OLD_MAP = lazy_pattern(r"\[(?P<name>size|features|hwhandler|wp)=(?P<value>[^\]]*)\]")
_PATH = lazy_pattern(
    r"(?:[|` -]+|^\s*\\_ )\s*(?P<hctl>\d+:\d+:\d+:\d+)\s+(?P<device>\S+)\s+(?P<number>\d+:\d+)\s+(?P<state>.*)$"
)
_FREE_COLUMNS = frozenset({"PFree", "VFree"})
_MD = lazy_pattern(r"^(?P<name>md\w+) : (?P<members>\S.*)$")
_DMSETUP = lazy_pattern(r"^(?P<name>\S+)\s+\((?P<numbers>\d+[:,]\s?\d+)\)$")

_Heading = tuple[str, int, int]  # a heading's word, where it begins and ends


def read_lsblk(lines: Sequence[str]) -> Iterator[Reading]:
    """Each column of a device under its name: ``sda SIZE``.

    ``NAME="sda" SIZE="10G"`` (-P), JSON (-J), or the table, whose cells may be empty or hold blanks: a cell stands
    under its heading. A device that is mounted at several places has a line for each.
    """
    if lines and lines[0].lstrip().startswith("{"):
        yield from _read_lsblk_json(lines)
        return
    heading: list[_Heading] = []
    table: list[tuple[str, dict[str, str]]] = []
    for line in lines:
        pairs = {match["name"]: match["value"] for match in _PAIR.finditer(line)}
        if pairs:
            yield from _of_device(pairs.pop("NAME", "") or pairs.pop("KNAME", ""), pairs)
        elif re.match(r"K?NAME\b", line):
            heading = [(match[0], match.start(), match.end()) for match in re.finditer(r"\S+", line)]
        elif heading:
            _add_row(line, heading, table)
        else:
            words = _TREE.sub("", line).split()
            if words:
                yield Reading(words[0], " ".join(words[1:]))
    for device, cells in table:
        yield from _of_device(device, cells)


def _of_device(device: str, cells: Mapping[str, str]) -> Iterator[Reading]:
    for name, value in cells.items():
        if device and value:
            yield Reading(f"{device} {name}", value, name in _MOMENTARY_COLUMNS)


def _add_row(line: str, heading: Sequence[_Heading], table: list[tuple[str, dict[str, str]]]) -> None:
    """Adds a device and its cells; a line with only a further mount point adds to the device before."""
    cells = list(re.finditer(r"\S+", line))
    if len(heading) > 1 and cells[0].start() >= heading[1][1] and table and not _TREE.sub("", line[: heading[1][1]]):
        mounted = table[-1][1]
        for name, value in _under_headings(cells, heading).items():
            mounted[name] = f"{mounted[name]} {value}" if name in mounted else value
        return
    first = 0 if _TREE.sub("", cells[0][0]) else 1  # the branch may stand apart from the name
    if first < len(cells):
        table.append((_TREE.sub("", cells[first][0]), _under_headings(cells[first + 1 :], heading)))


def _under_headings(words: Sequence[re.Match[str]], heading: Sequence[_Heading]) -> dict[str, str]:
    cells: dict[str, str] = {}
    current = ""
    for cell in words:
        under = next((name for name, start, end in heading[1:] if cell.start() < end and cell.end() > start), "")
        if under and under not in cells:
            cells[under], current = cell[0], under
        elif current:
            cells[current] += f" {cell[0]}"
    return cells


def _read_lsblk_json(lines: Sequence[str]) -> Iterator[Reading]:
    try:
        document = json.loads("\n".join(lines))
    except (ValueError, RecursionError):
        return
    waiting = _devices(document.get("blockdevices")) if isinstance(document, dict) else []
    while waiting:
        device = waiting.pop(0)
        name = str(device.get("name") or device.get("kname") or "")
        cells = {key.upper(): _json_value(value) for key, value in device.items() if key not in ("name", "children")}
        yield from _of_device(name, cells)
        waiting = [*_devices(device.get("children")), *waiting]


def _devices(value: object) -> list[dict[str, object]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _json_value(value: object) -> str:
    if isinstance(value, list):
        return " ".join(str(one) for one in value if one is not None)
    if isinstance(value, bool):
        return str(int(value))  # as the other forms print it
    return "" if value is None or isinstance(value, dict) else str(value)


def read_df(lines: Sequence[str]) -> Iterator[Reading]:
    """The file systems and their sizes (-T: types, -i: inodes); what is used changes by itself."""
    columns: tuple[str, ...] = ("blocks", *_DF_OF_THE_MOMENT)
    device = ""
    for line in lines:
        if line.startswith("Filesystem"):
            words = line.split()
            if words[2:3] == ["blocks"]:  # AIX: GB blocks
                words[1:3] = [" ".join(words[1:3])]
            columns = _df_columns(words[1:-2]) if words[-2:] == ["Mounted", "on"] else columns
            continue
        cells = line.split(None, len(columns) + 1)
        if device and line[:1].isspace():
            cells = [device, *line.split(None, len(columns))]
        elif len(cells) == 1:  # a long name has a line of its own
            device = cells[0]
            continue
        device = ""
        if len(cells) == len(columns) + 2:
            yield from _read_file_system(cells, columns)


def _df_columns(words: Sequence[str]) -> tuple[str, ...]:
    """Names of the columns; the three behind a total of sizes have fixed names, whatever the heading calls them."""
    first = 1 if words[:1] == ["Type"] else 0
    sizes = len(words) == first + 1 + len(_DF_OF_THE_MOMENT) and not words[first].startswith("Inode")
    return (*words[: first + 1], *_DF_OF_THE_MOMENT) if sizes else tuple(words)


def _read_file_system(cells: Sequence[str], columns: Sequence[str]) -> Iterator[Reading]:
    mount_point = cells[-1].strip()
    yield Reading(f"{mount_point} device", cells[0])
    steady = 2 if columns[:1] == ("Type",) else 1
    for index, (name, value) in enumerate(zip(columns, cells[1:], strict=False)):
        yield Reading(f"{mount_point} {'type' if name == 'Type' else name}", value, volatile=index >= steady)


def read_mount(lines: Sequence[str]) -> Iterator[Reading]:
    """``device type options`` by mount point; the time of mounting is left out."""
    for line in lines:
        match = _MOUNT.match(line) or _OLD_MOUNT.match(line) or _PROC_MOUNT.match(line) or _MNTTAB.match(line)
        if match is None:
            yield Reading(line.split()[0], squeezed(line))
            continue
        part = match.groupdict()
        kept = (part["device"], part.get("type") or "", part["options"])
        yield Reading(part["place"], " ".join(value for value in kept if value))


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
        elif name and line.startswith("[size="):  # before 0.4.9
            for old in _OLD_MAP.finditer(line):
                yield Reading(f"{name} {old['name']}", old["value"])
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
        match = _DMSETUP.match(line.strip())
        if match is not None:
            yield Reading(match["name"], match["numbers"].replace(", ", ":").replace(",", ":"))


def read_volumes(lines: Sequence[str]) -> Iterator[Reading]:
    """pvs and vgs: each column of a physical volume or volume group; what is free is of the moment."""
    headings: list[str] = []
    for line in lines:
        words = line.split()
        if words[:2] in (["PV", "VG"], ["VG", "#PV"]):
            headings = words
        elif headings and len(words) == len(headings):
            for heading, value in zip(headings[1:], words[1:], strict=True):
                yield Reading(f"{words[0]} {heading}", value, heading in _FREE_COLUMNS)
        elif headings and headings[0] == "PV" and len(words) == len(headings) - 1:  # a volume of no group
            for heading, value in zip(headings[2:], words[1:], strict=True):
                yield Reading(f"{words[0]} {heading}", value, heading in _FREE_COLUMNS)


def read_mdstat(lines: Sequence[str]) -> Iterator[Reading]:
    """``md0 : active raid1 sdb1[1] sda1[0]`` and what stands below it; a resync under way is of the moment."""
    name = ""
    for line in lines:
        match = _MD.match(line)
        words = line.split()
        if match is not None:
            name = match["name"]
            yield Reading(f"{name} members", squeezed(match["members"]))
        elif name and "blocks" in words[1:2]:
            yield Reading(f"{name} blocks", squeezed(line))
        elif name and words and line[:1].isspace():
            what = words[0].strip("[]=>.") or "progress"
            yield Reading(f"{name} {what}", squeezed(line), volatile=words[0] != "bitmap:")


def read_findmnt(lines: Sequence[str]) -> Iterator[Reading]:
    """``device type options`` by mount point, as of mount."""
    for line in lines:
        words = _TREE.sub("", line).split()
        if len(words) >= 4 and words[0].startswith("/"):
            yield Reading(words[0], " ".join((*words[1:3], words[-1])))


def read_fstab(lines: Sequence[str]) -> Iterator[Reading]:
    """``device type options dump pass`` by mount point; an area for swapping under its device."""
    for line in lines:
        words = line.partition(" #")[0].split()
        if len(words) >= 4 and not words[0].startswith("#"):
            mount_point = words[1] if words[1].startswith("/") else f"{words[1]} {words[0]}"
            yield Reading(mount_point, " ".join((words[0], *words[2:])))


def read_swaps(lines: Sequence[str]) -> Iterator[Reading]:
    """/proc/swaps and swapon -s: type, size and priority of an area; what is used changes by itself."""
    for line in lines:
        words = line.split()
        if len(words) == 5 and words[0] != "Filename":
            yield Reading(words[0], " ".join((words[1], words[2], words[4])))


def read_schedulers(lines: Sequence[str], device: str = "") -> Iterator[Reading]:
    """``none [mq-deadline] kyber``: of one device, or where nobody says of which, by line."""
    for number, line in enumerate(lines, 1):
        name = device or ("scheduler" if number == 1 else f"scheduler line {number}")
        yield Reading(name, squeezed(line))
