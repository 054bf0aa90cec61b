"""Hosts in the names of files, folders and archives, as people write them: ``vmstat_web01_0504.txt``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tunebench.capture.layouts import Sighting, host_name, short_name
from tunebench.core.patterns import lazy_pattern
from tunebench.usecases.importing.phases import without_phase

_PARTS = lazy_pattern(r"[^A-Za-z0-9-]+")
_STEM = lazy_pattern(r"[A-Za-z]+")
_LIKE_A_HOST = lazy_pattern(r"[A-Za-z]{2}[A-Za-z-]*\d[A-Za-z0-9-]*$")
_COUNTED = """
    aix all asm attempt avg awr awrrpt backup bak batch before boot bz case change client clients conn core cpu cpus
    csv ctl cycle data dataset date day days dev disk dm dump el eth export fc file final gc group hdisk hour hours
    ip iter iteration job jobs jtl level line load log logs lun lv max mem min mode net new nic no num nvme old os
    out page part pass patch peak perf phase pid plan port proc process pv rate raw read report result rev rhel round
    row run sample sar scenario sd sda sdb sdc sde sec section ses sess session set shift solaris sp ssd stage step
    sum sun sunos table tar tc test thread threads tmp top tps trial try tuned txt unit us user users utf ver version vg
    vol vu vus vuser vusers warehouses wave week window wk work worker workers write xls xlsx xml zip after
    jan feb mar apr may jun jul aug sep oct nov dec january february march april june july august september october
    november december mon tue wed thu fri sat sun am pm
"""
"""Words that stand before a number where no machine is meant: what was run, how often, on what, when."""
_NEVER_A_HOST = frozenset(_COUNTED.split())


def hosts_in(name: str, full_names: Mapping[str, str], tools: Collection[str]) -> tuple[set[str], set[str]]:
    """Hosts that are known by these words, and words that look like another one's: letters and a number.

    Args:
        full_names: names of hosts by `short_name`.
        tools: what the tools of captures are called; ``vmstat0`` is none.
    """
    words = {word for part in _PARTS.split(without_phase(name)) for word in _bare(part, full_names, tools)}
    sure = {full_names[short_name(word)] for word in words if short_name(word) in full_names}
    return sure, {
        word for word in words if short_name(word) not in full_names and _LIKE_A_HOST.match(word) and host_name(word)
    }


def _bare(part: str, full_names: Mapping[str, str], tools: Collection[str]) -> Iterable[str]:
    """``web-01`` of ``vmstat-web-01-20260504``; none where nothing is left."""
    words = part.split("-")
    while words and "-".join(words).lower() not in full_names and _is_beside(words[0], tools):
        del words[0]
    while words and "-".join(words).lower() not in full_names and _is_behind(words[-1], tools):
        del words[-1]
    return ["-".join(words)] if words else []


def _is_behind(word: str, tools: Collection[str]) -> bool:
    return _is_beside(word, tools) or (len(word) > 3 and word.isdigit())


def _is_beside(word: str, tools: Collection[str]) -> bool:
    stem = _STEM.match(word.lower())
    return not word or (stem is not None and (stem[0] in _NEVER_A_HOST or stem[0] in tools))


def laid_out_host(seen: Sighting) -> str:
    """The host that a layout tells; a folder above a day's may as well say ``as-is`` or ``week19``."""
    if seen.layout != "daily_folders":
        return seen.host
    stem = _STEM.match(seen.host.lower())
    is_other = not without_phase(seen.host) or (stem is not None and stem[0] in _NEVER_A_HOST)
    return "" if is_other else seen.host


def archives_of(path: str) -> list[str]:
    """Names of the archives that a capture came in: ``web01.tar.gz`` of ``/in/web01.tar.gz!/var/vmstat.txt``."""
    *outer, _ = path.replace("\\", "/").split("!/")
    return [archive.rpartition("/")[2] for archive in outer]


def folders_of(path: str) -> list[str]:
    """Names of the folders that a capture lies in, archives left out; the nearest last."""
    parts = path.replace("\\", "/").split("!/")
    return [folder for part in parts for folder in part.split("/")[:-1] if folder]
