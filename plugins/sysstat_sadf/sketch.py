"""What one sample of JSON or XML holds: which number of the text is which series.

Both forms are trees of the same activities under slightly different names:

    "disk": [ {"disk-device": "sda", "tps": 3.50, ...} ]          <disk><disk-device dev="sda" tps="3.50" .../></disk>
    "memory": {"memfree": 4711, ...}                              <memory><memfree>4711</memfree>...</memory>
    "interrupts": [ {"intr": "sum", "all": 2313.50, "CPU0": 1209.50, ...} ]
    <interrupts><int-global><irq intr="sum" cpu="all" value="2313.50"/>...

A form's reader walks the tree and tells a `Sketch` of every object with its members; the sketch knows which
members name the thing, what the table is called (as in the text of sar), and keeps figures apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import lru_cache
from typing import NamedTuple

from tunebench.sdk import SeriesKey, lazy_pattern, record

TABLES = {
    "cpu-load": "cpu", "cpu-load-all": "cpu", "process-and-context-switch": "tasks", "processes": "tasks",
    "context-switch": "tasks", "interrupts": "interrupts", "swap-pages": "swapping", "paging": "paging", "io": "io",
    "memory": "memory", "hugepages": "huge_pages", "kernel": "kernel_tables", "queue": "load", "serial": "tty",
    "disk": "device", "net-dev": "interface", "net-edev": "interface_errors", "net-nfs": "nfs_client",
    "net-nfsd": "nfs_server", "net-sock": "sockets", "net-ip": "ip", "net-eip": "ip_errors", "net-icmp": "icmp",
    "net-eicmp": "icmp_errors", "net-tcp": "tcp", "net-etcp": "tcp_errors", "net-udp": "udp",
    "net-sock6": "sockets6", "net-ip6": "ip6", "net-eip6": "ip6_errors", "net-icmp6": "icmp6",
    "net-eicmp6": "icmp6_errors", "net-udp6": "udp6", "fchosts": "fibre_channel", "fchost": "fibre_channel",
    "softnet": "softnet", "cpu-frequency": "cpu_frequency", "cpu-weighted-frequency": "cpu_frequency_weighted",
    "fan-speed": "fan", "temperature": "temperature", "voltage-input": "voltage", "battery": "battery",
    "usb-devices": "usb", "filesystems": "filesystem", "psi-cpu": "pressure_cpu", "psi-io": "pressure_io",
    "psi-mem": "pressure_memory",
}  # fmt: skip
"""Activity -> table, as the parser of sar's text calls it. Others go by their own name."""

_CONTAINERS = frozenset({"", "network", "power-management", "psi"})
_KEYS = {"cpu": "cpu", "number": "device", "disk-device": "device", "dev": "device", "iface": "interface",
         "intr": "state", "filesystem": "device", "fsname": "device", "mountpoint": "mountpoint",
         "fchost": "device", "name": "device", "line": "device", "bus_number": "device"}  # fmt: skip
_LABELS = frozenset({"device", "idvendor", "idprod", "manufact", "product"})
"""Words that tell which thing an object is about, behind its number."""
NAMES = _KEYS.keys() | _LABELS
"""Members that name a thing: a comma in them is none of a number."""
_SILENT = frozenset({"per", "unit", "interval"})
_DOUBLES = {"rd_sec": "rkB", "wr_sec": "wkB", "dc_sec": "dkB", "avgrq-sz": "areq-sz", "avgqu-sz": "aqu-sz"}
"""Old name -> new name; JSON and XML print both where sar prints the new one, and one of them is enough."""
_CPU_COLUMN = lazy_pattern(r"all|CPU(\d+)")
NUMBER = lazy_pattern(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_CPU = "cpu"


class Member(NamedTuple):
    """One name and value; `place` is where the value's text begins in the sample."""

    name: str
    value: bytes
    place: int


class Figure(NamedTuple):
    """One number of a sample, where it begins and ends, and the series it belongs to."""

    key: SeriesKey
    place: int
    end: int


@record(frozen=False)
class Sketch:
    """All of one sample.

    Attributes:
        date_place, time_place: where ``2026-11-21`` and ``07:10:15`` begin; -1 where they are not.
        zone: ``UTC``, an abbreviation, or empty where the stamp does not say.
        free: where numbers begin and end that vary and are no figures.
        end: where the sample ends in the text.
        closed: whether it ended at all.
        words: whether a column holds words that are not stored.
        has_commas: whether commas stand both in numbers and between them.
    """

    date_place: int = -1
    time_place: int = -1
    zone: str = ""
    free: list[tuple[int, int]] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    end: int = 0
    closed: bool = False
    words: bool = False
    has_commas: bool = False
    _taken: set[SeriesKey] = field(default_factory=set)
    _next: dict[SeriesKey, int] = field(default_factory=dict)  # turn of what came twice

    def stamp(self, members: Iterable[Member]) -> None:
        """The members of the time stamp: date, time, and either ``utc`` or ``tz``."""
        for member in members:
            if member.name == "date":
                self.date_place = member.place
            elif member.name == "time":
                self.time_place = member.place
            elif member.name == "tz":
                self.zone = member.value.decode("utf-8", "replace")
            elif member.name == "utc" and member.value == b"1":
                self.zone = "UTC"
            elif member.name == "interval":
                self._free(member)

    def add(self, path: Sequence[str], members: Sequence[Member], inherited: Sequence[Member] = ()) -> None:
        """One object: its place in the tree, outermost first; `inherited` are the members around it."""
        table = table_of(path)
        named = _attributes(path, [*inherited, *members])
        figures = self._figures(members)
        if not figures:
            return
        names = [member.name for member in figures]
        keys = _series_of(table, names, named)
        if not self._taken.isdisjoint(keys):
            keys = self._next_turn(keys, table, names, named)
        self._taken.update(keys)
        for key, member in zip(keys, figures, strict=True):
            self.figures.append(Figure(key, member.place, member.place + len(member.value)))

    def _free(self, member: Member) -> None:
        if NUMBER.fullmatch(member.value):
            self.free.append((member.place, member.place + len(member.value)))

    def _next_turn(
        self, first: Sequence[SeriesKey], table: str, names: Sequence[str], named: dict[str, str]
    ) -> list[SeriesKey]:
        """The series of one thing that is listed again (a file system of several devices).

        All turns from 2 to the one in `_next` are taken: to try them each time would take the square of their number.
        """
        turn = max(self._next.get(key, 2) for key in first)
        keys = _series_of(table, names, _again(named, turn))
        while not self._taken.isdisjoint(keys):
            turn += 1
            keys = _series_of(table, names, _again(named, turn))
        self._next.update({key: turn + 1 for key in first if self._next.get(key, 2) == turn})
        return keys

    def _figures(self, members: Sequence[Member]) -> list[Member]:
        """The members to keep; numbers that are left out vary all the same."""
        figures: dict[str, Member] = {}
        names = {member.name for member in members}
        for member in members:
            if not self._is_figure(member):
                continue
            if member.name in figures or _DOUBLES.get(member.name) in names:
                self._free(member)
            else:
                figures[member.name] = member
        return list(figures.values())

    def _is_figure(self, member: Member) -> bool:
        if member.name in _KEYS or member.name in _LABELS or member.name in _SILENT:
            return False
        if NUMBER.fullmatch(member.value):
            return True
        if member.value.strip(b"-") not in (b"nan", b"inf", b""):
            self.words = True
        return False


def table_of(path: Sequence[str]) -> str:
    """The table of an object that lies at `path`."""
    for name in reversed(path):
        if name in TABLES:
            return TABLES[name]
    return next((name for name in path if name not in _CONTAINERS), "sample")


def _attributes(path: Sequence[str], members: Iterable[Member]) -> dict[str, str]:
    attributes: dict[str, str] = {}
    labels: list[str] = []
    for member in members:
        text = member.value.decode("utf-8", "replace").strip()
        if member.name in _KEYS:
            attributes[_key_attribute(member.name, path)] = "all" if (member.name, text) == (_CPU, "-1") else text
        elif member.name in _LABELS and text:
            labels.append(text)
    if labels:
        attributes["device"] = " ".join([attributes.get("device", ""), *labels]).strip()
    return attributes


def _key_attribute(name: str, path: Sequence[str]) -> str:
    if name == "number" and any(part.startswith(_CPU) or part == "irqcpu" for part in path):
        return _CPU
    return _KEYS[name]


def _series_of(table: str, names: Iterable[str], named: dict[str, str]) -> list[SeriesKey]:
    own = tuple(sorted(named.items()))
    return [_series(table, name, own) for name in names]


@lru_cache(maxsize=1 << 14)
def _series(table: str, name: str, named: tuple[tuple[str, str], ...]) -> SeriesKey:
    """An interrupt's columns are the processors: sar prints interrupts per second there."""
    match = _CPU_COLUMN.fullmatch(name) if table == "interrupts" else None
    if match:
        name, named = "intr/s", tuple(sorted({**dict(named), _CPU: match[1] or "all"}.items()))
    return SeriesKey(table, name, named)


def _again(named: dict[str, str], times: int) -> dict[str, str]:
    if not named:
        return {"group": f"#{times}"}
    name = next((name for name in ("device", "interface", "state") if name in named), next(iter(named)))
    return {**named, name: f"{named[name]}#{times}"}
