"""Statistics of an instance as tables: alike for V$ views and for their copies in the repository.

V$SYS_TIME_MODEL, V$SYSTEM_EVENT              microseconds
V$SYSTEM_WAIT_CLASS, V$FILESTAT, V$OSSTAT     hundredths of a second
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tunebench.families.oracle.names import LOAD_TOTALS, TIME_LABELS
from tunebench.families.oracle.rows import Collected

from .cells import Row, number

MICRO, CENTI = 1e-6, 1e-2
OS = "os"
_CENTISECONDS = "cs"
_LOAD_UNITS = {
    "redo_bytes": "By",
    "read_bytes": "By",
    "write_bytes": "By",
    "logical_reads": "{block}",
    "block_changes": "{block}",
    "physical_reads": "{block}",
    "physical_writes": "{block}",
    "cluster_blocks_received": "{block}",
    "cluster_blocks_served": "{block}",
}
_CURRENT = (" current", " currently", "highwater", "high water")
"""Statistics of V$SYSSTAT that hold at a moment."""
_COUNTED_BY_HOST = ("_TIME", "_TICKS", "_IN_BYTES", "_OUT_BYTES", "RSRC_MGR_CPU_WAIT_TIME")

Statistic = tuple[int, str, str]
"""Line, name, value as printed."""
Waits = tuple[int, Row]
FileName = tuple[str, str, float | None]


def add_statistics(into: Collected, statistics: Iterable[Statistic]) -> None:
    """V$SYSSTAT, and the load profile made of it."""
    totals: dict[str, tuple[int, float]] = {}
    for line, name, cell in statistics:
        value = number(cell)
        if not name or value is None or name in totals:
            continue
        if name.endswith(_CURRENT) or any(word in name for word in _CURRENT[2:]):
            into.add("state", line, {"scope": "sysstat", "name": name}, {"end": value})
            continue
        totals[name] = line, value
        into.add("activity", line, {"scope": "", "name": name}, {"total": value})
    for load, parts in LOAD_TOTALS.items():
        if all(part in totals for part in parts):
            texts = {"name": load, "native": " + ".join(parts), "unit": _LOAD_UNITS.get(load, "1")}
            into.add("load", totals[parts[0]][0], texts, {"total": sum(totals[part][1] for part in parts)})


def add_times(into: Collected, statistics: Iterable[Statistic]) -> None:
    """V$SYS_TIME_MODEL, and its share of the load profile."""
    added: set[str] = set()
    for line, native, cell in statistics:
        value = number(cell)
        name = TIME_LABELS.get(native.lower())
        if value is None or native in added:
            continue
        added.add(native)
        if name is None:
            texts = {"scope": "time_model", "name": native, "unit": "s"}
            into.add("activity", line, texts, {"total": value * MICRO})
            continue
        into.add("time_model", line, {"name": name}, {"time_s": value * MICRO})
        if name in ("db_time", "db_cpu", "background_cpu"):
            into.add("load", line, {"name": name, "native": native, "unit": "s"}, {"total": value * MICRO})


def add_host(into: Collected, statistics: Iterable[Statistic]) -> None:
    """V$OSSTAT: what is counted and what holds."""
    added: set[str] = set()
    for line, name, cell in statistics:
        value = number(cell)
        if value is None or name in added:
            continue
        added.add(name)
        if name.endswith(_COUNTED_BY_HOST):
            unit = "By" if name.endswith("_BYTES") else _CENTISECONDS
            into.add("activity", line, {"scope": OS, "name": name, "unit": unit}, {"total": value})
        else:
            unit = "By" if "BYTES" in name or name.startswith("TCP_") else "1"
            into.add("state", line, {"scope": OS, "name": name, "unit": unit}, {"end": value})


def is_of_host(names: Iterable[str]) -> bool:
    return not {"NUM_CPUS", "BUSY_TIME", "IDLE_TIME"}.isdisjoint(names)


def is_time_model(names: Iterable[str]) -> bool:
    return not {"DB time", "DB CPU"}.isdisjoint(names)


def add_events(into: Collected, rows: Iterable[Waits], column: str = "event") -> None:
    """V$SYSTEM_EVENT. From 11g on it parts foreground and background."""
    for line, row in rows:
        name = row.get(column, "").strip()
        if name:
            texts = {"event": name, "wait_class": row.get("wait_class", "").strip()}
            _add_grounds(into, "wait_event", line, texts, _event_figures(row, ""), _event_figures(row, "_fg"))


def add_classes(into: Collected, rows: Iterable[Waits]) -> None:
    for line, row in rows:
        name = row.get("wait_class", "").strip()
        if name:
            everything = {"waits": _number(row, "total_waits"), "time_s": _scaled(row, "time_waited", CENTI)}
            ahead = {"waits": _number(row, "total_waits_fg"), "time_s": _scaled(row, "time_waited_fg", CENTI)}
            _add_grounds(into, "wait_class", line, {"wait_class": name}, everything, ahead)


def _event_figures(row: Row, ground: str) -> dict[str, float | None]:
    time_s = _scaled(row, f"time_waited_micro{ground}", MICRO)
    if time_s is None:
        time_s = _scaled(row, f"time_waited{ground}", CENTI)
    return {
        "waits": _number(row, f"total_waits{ground}"),
        "timeouts": _number(row, f"total_timeouts{ground}"),
        "time_s": time_s,
    }


def _add_grounds(
    into: Collected,
    table: str,
    line: int,
    texts: Mapping[str, str],
    everything: Mapping[str, float | None],
    foreground: Mapping[str, float | None],
) -> None:
    """What the foreground leaves is the background's; without the parting one row stands for both."""
    if foreground["waits"] is None and foreground["time_s"] is None:
        into.add(table, line, {**texts, "ground": ""}, everything)
        return
    into.add(table, line, {**texts, "ground": "foreground"}, foreground)
    background = {name: _left(everything[name], foreground.get(name)) for name in everything}
    if any(background.values()):
        into.add(table, line, {**texts, "ground": "background"}, background)


def _left(everything: float | None, part: float | None) -> float | None:
    """The two columns are not read at one instant: the difference may be a hair below zero."""
    return None if everything is None or part is None else max(everything - part, 0.0)


def add_files(into: Collected, rows: Iterable[Waits], names: Mapping[str, FileName], kind: str) -> None:
    """V$FILESTAT and V$TEMPSTAT.

    Args:
        names: file number -> tablespace, file name, bytes of a block; for exports whose rows have the number only.
    """
    for line, row in rows:
        tablespace, file, block_bytes = names.get(row.get("file#", ""), ("", "", None))
        file = row.get("file_name", "").strip() or row.get("filename", "").strip() or file or row.get("file#", "")
        texts = {
            "kind": kind,
            "name": row.get("tablespace", "").strip() or row.get("tsname", "").strip() or tablespace,
            "file": file,
        }
        block_bytes = _number(row, "block_size") or block_bytes
        read, written = _number(row, "phyblkrd"), _number(row, "phyblkwrt")
        figures = {
            "reads": _number(row, "phyrds"),
            "read_blocks": read,
            "read_bytes": None if read is None or block_bytes is None else read * block_bytes,
            "read_time_s": _scaled(row, "readtim", CENTI),
            "writes": _number(row, "phywrts"),
            "write_blocks": written,
            "write_bytes": None if written is None or block_bytes is None else written * block_bytes,
            "write_time_s": _scaled(row, "writetim", CENTI),
        }
        into.add("io", line, texts, figures)


def add_segments(into: Collected, rows: Iterable[Waits]) -> None:
    for line, row in rows:
        value = _number(row, "value")
        if not value:
            continue
        texts = {
            "owner": row.get("owner", ""),
            "name": row.get("object_name", ""),
            "subname": row.get("subobject_name", ""),
            "kind": row.get("object_type", ""),
            "statistic": row.get("statistic_name", ""),
            "tablespace": row.get("tablespace_name", ""),
        }
        into.add("segment", line, {name: text.strip() for name, text in texts.items()}, {"value": value})


def add_parameters(into: Collected, rows: Iterable[Waits], column: str = "name") -> None:
    added: set[str] = set()
    for line, row in rows:
        name = row.get(column, "").strip()
        if name and name not in added:
            added.add(name)
            into.add("parameter", line, {"name": name, "begin": row.get("value", "").strip()}, {})


def _number(row: Row, column: str) -> float | None:
    return number(row.get(column, "").strip())


def _scaled(row: Row, column: str, factor: float) -> float | None:
    value = _number(row, column)
    return None if value is None else value * factor
