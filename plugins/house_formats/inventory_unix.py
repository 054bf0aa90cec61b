"""Readers of what Unix systems tell of their configuration; Solaris has its own in `families.solaris.readings`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.families.readings import Reading, squeezed
from tunebench.sdk import lazy_pattern

_IFCONFIG = lazy_pattern(r"^(?P<name>[\w.:-]+?):?\s+(?:flags=|Link encap)(?P<rest>.*)$")
_POOL_SETTINGS = frozenset({"SIZE", "HEALTH", "ALTROOT"})
_ADDRESS_COLUMNS = 4


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
        match = _IFCONFIG.match(line)
        words = line.split()
        if match is not None:
            name = match["name"]
            yield Reading(f"{name} flags", squeezed(match["rest"]))
        elif name:
            counted = words[0] in ("RX", "TX") or "packets" in line
            yield Reading(f"{name} {words[0]}", " ".join(words[1:]), counted)


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
