"""Groups and headings of dstat: which table a column belongs to, and what it is about.

    "total cpu usage",,,,,"dsk/total",,"dsk/vda",,"net/eth0",,"cpu0 usage",,,,
    "usr","sys","idl","wai","stl","read","writ","dsk/vda:read","dsk/vda:writ",...

A blank group cell is the group before. ``dsk/vda`` is the table ``dsk`` with device vda; ``total cpu usage`` and
``cpu0 usage`` are the table ``cpu``. Newer versions repeat the group in the heading (``dsk/vda:read``). dool prints
bytes per second of disks and networks in bits unless it ran with --bytes: these tables are ``dsk_bits``, ``net_bits``.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.sdk import SeriesKey, lazy_pattern, record

_PROCESSOR = lazy_pattern(r"^(?:cpu(?P<cpu>\d+) usage|total (?:cpu )?usage)$")
_THING = lazy_pattern(r"^(?P<kind>[a-z]+)/(?P<thing>.+)$")
_ATTRIBUTES = {"dsk": "device", "io": "device", "net": "interface", "swp": "device", "fs": "mountpoint"}
_IN_BITS = frozenset({"dsk", "net"})
TIME_HEADINGS = frozenset({"time", "epoch", "date/time"})


@record
class Columns:
    """Attributes:
    width: cells per row.
    time: place of the column with the time; None where there is none.
    is_epoch: that column counts seconds since 1970.
    tables: per table the places of its columns and their series.
    """

    width: int
    time: int | None
    is_epoch: bool
    tables: dict[str, tuple[list[int], tuple[SeriesKey, ...]]]


def read_columns(groups: Sequence[str], headings: Sequence[str], in_bits: bool) -> Columns:
    time, is_epoch = None, False
    columns: dict[str, list[tuple[int, SeriesKey]]] = {}
    seen: dict[SeriesKey, int] = {}
    group = ""
    for column, heading in enumerate(headings):
        group = (groups[column].strip() if column < len(groups) else "") or group
        name = heading.strip()
        name = name.removeprefix(f"{group}:") if name != f"{group}:" else name
        if name in TIME_HEADINGS and time is None:
            time, is_epoch = column, name == "epoch"
            continue
        key = _series(group, name or f"column {column + 1}", in_bits)
        times = seen[key] = seen.get(key, 0) + 1
        if times > 1:
            attributes = {**dict(key.attributes), "group": f"#{times}"}
            key = SeriesKey(key.table, key.native, tuple(sorted(attributes.items())))
        columns.setdefault(key.table, []).append((column, key))
    tables = {
        table: ([column for column, _ in entries], tuple(key for _, key in entries))
        for table, entries in columns.items()
    }
    return Columns(len(headings), time, is_epoch, tables)


def _series(group: str, name: str, in_bits: bool) -> SeriesKey:
    processor = _PROCESSOR.match(group)
    if processor is not None:
        return SeriesKey("cpu", name, (("cpu", processor["cpu"] or "all"),))
    thing = _THING.match(group)
    if thing is None:
        return SeriesKey(group or "dstat", name)
    table = thing["kind"]
    attributes = ((_ATTRIBUTES.get(table, "group"), thing["thing"]),)
    return SeriesKey(f"{table}_bits" if in_bits and table in _IN_BITS else table, name, attributes)
