"""What the devices of each host are called: a person's word, else what the host's own inventories tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tunebench.core.patterns import lazy_pattern
from tunebench.domain.assembly import DeviceAlias
from tunebench.store.aliases import list_aliases

if TYPE_CHECKING:
    from tunebench.store.project import Project

_NUMBERS = lazy_pattern(r"(\d+):(\d+)(?:\s|$)")
_DM = lazy_pattern(r"dm-\d+$")
_NO_MOUNT = frozenset({"", "[SWAP]", "[swap]"})


def names_of_devices(project: Project) -> dict[int, tuple[DeviceAlias, ...]]:
    """Host id -> names, a person's before those of the inventories."""
    by_host = list_aliases(project)
    for host_id, moments in _facts(project).items():
        aliases = _over_time({moment: _names(dict(facts)) for moment, facts in moments.items()})
        if aliases:
            by_host[host_id] = (*by_host.get(host_id, ()), *aliases)
    return by_host


def _facts(project: Project) -> dict[int, dict[int, list[tuple[str, str]]]]:
    """Host -> moment -> (name, value) of the facts that an inventory has of disks."""
    rows = project.rows(
        "SELECT host_id, moment_ns, name, value FROM system_fact WHERE section <> 'volatile' AND"
        " (name LIKE '% KNAME' OR name LIKE '% MOUNTPOINT' OR name LIKE '% MAJ:MIN' OR name LIKE '% device'"
        " OR name LIKE '% TYPE' OR (instr(name, ' ') = 0 AND value GLOB '[0-9]*:[0-9]*'))"
        " ORDER BY host_id, moment_ns, position"
    )
    by_host: dict[int, dict[int, list[tuple[str, str]]]] = {}
    for host_id, moment, name, value in rows:
        by_host.setdefault(host_id, {}).setdefault(moment, []).append((name, value))
    return by_host


def _names(facts: Mapping[str, str]) -> dict[str, str]:
    """Device as tools print it -> its name, from lsblk (-P or a table), multipath -ll and dmsetup ls.

    A name says more than the device: the one place where it is mounted, else its logical volume or multipath map, and
    for ``dev8-0`` of sar the kernel's name.
    """
    names: dict[str, str] = {}
    for kernel, name, mount, numbers in _blocks(facts):
        better = mount if mount not in _NO_MOUNT else name if name != kernel else ""
        if better and kernel:
            names[kernel] = better
        if numbers is not None:
            major, minor = numbers.groups()
            shown = better or kernel or name
            names.setdefault(f"dev{major}-{minor}", shown)
            if _is_mapped(name, facts):
                names.setdefault(f"dm-{minor}", shown)
    return names


def _blocks(facts: Mapping[str, str]) -> Iterator[tuple[str, str, str, re.Match[str] | None]]:
    """(kernel's name, name, mount point, numbers) of each block device."""
    for key, value in facts.items():
        name, _, what = key.rpartition(" ")
        if what == "KNAME":
            numbers = _NUMBERS.match(facts.get(f"{name} MAJ:MIN", ""))
            yield value, name, facts.get(f"{name} MOUNTPOINT", ""), numbers
        elif what == "device" and _DM.match(value) and f"{name} KNAME" not in facts:
            yield value, name, "", None
        elif not name and _NUMBERS.match(value):
            words = value.split()
            mount = words[-1] if len(words) > 5 and words[-1].startswith("/") else ""
            yield "" if _is_mapped(what, facts) else what, what, mount, _NUMBERS.match(value)


def _is_mapped(name: str, facts: Mapping[str, str]) -> bool:
    """A logical volume or a multipath map, whose kernel's name is dm-MINOR."""
    words = facts.get(name, "").split()
    kind = facts.get(f"{name} TYPE", "") or " ".join(words)
    return bool(re.search(r"\b(lvm|mpath|crypt)\b", kind)) or (len(words) == 1 and bool(_NUMBERS.match(words[0])))


def _over_time(moments: Mapping[int, Mapping[str, str]]) -> list[DeviceAlias]:
    """Each device's names one after the other; the first holds from ever, the last for ever.

    An inventory that does not speak of a device changes nothing.
    """
    by_device: dict[str, list[tuple[int, str]]] = {}
    for moment, names in sorted(moments.items()):
        for device, name in names.items():
            periods = by_device.setdefault(device, [])
            if not periods or periods[-1][1] != name:
                periods.append((moment, name))
    return [alias for device, periods in by_device.items() for alias in _of_device(device, periods)]


def _of_device(device: str, periods: list[tuple[int, str]]) -> Iterable[DeviceAlias]:
    for index, (moment, name) in enumerate(periods):
        end = periods[index + 1][0] - 1 if index + 1 < len(periods) else None
        yield DeviceAlias(device, name, moment if index else None, end, "facts")
