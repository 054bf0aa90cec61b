"""Where the blocks came from: files, tablespaces, buffer pools, segments; and the parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tunebench.families.oracle.html_reports import HtmlRow, HtmlTable
from tunebench.families.oracle.rows import Collected
from tunebench.sdk import record

from .reading import Columns

_MS = 1e-3
_SEGMENT_COLUMNS = frozenset(
    {
        "Owner",
        "Tablespace Name",
        "Tablespace",
        "Object Name",
        "Subobject Name",
        "Obj. Type",
        "Obj Type",
        "Type",
        "Obj#",
        "Dataobj#",
        "PDB Name",
        "Container Name",
        "%Total",
        "% of Capture",
        "%Capture",
        "Statistic",
    }
)
"""What a table of segments has beside the figure it is ordered by."""


def read_volumes(into: Collected, table: HtmlTable, kind: str, name_column: str) -> None:
    """I/O by function or type of file: volumes as printed; requests are printed as rates only, and stay rates."""
    columns = Columns(table, into.numbers)
    for row in table.rows:
        name = columns.text(row, name_column)
        if not name or name.rstrip(":").casefold() == "total":
            continue
        wait_s = into.numbers.seconds(columns.text(row, "Avg Time"))
        if wait_s is None:
            wait_s = _scaled(columns.number(row, "Avg Tm(ms)"), _MS)
        figures = {
            "read_bytes": columns.bytes_of(row, "Reads: Data"),
            "write_bytes": columns.bytes_of(row, "Writes: Data"),
            "reads_per_s": columns.number(row, "Reqs per sec", after="Reads: Data"),
            "writes_per_s": columns.number(row, "Reqs per sec", after="Writes: Data"),
            "waits": columns.number(row, "Waits: Count"),
            "wait_avg_s": wait_s,
        }
        into.add("io", row.line, {"kind": kind, "name": name}, figures)


def read_files(into: Collected, table: HtmlTable, kind: str) -> None:
    """Tablespaces and files: counts are exact, times are averages."""
    columns = Columns(table, into.numbers)
    for row in table.rows:
        name, container = columns.text(row, "Tablespace"), columns.text(row, "PDB Name")
        if not name:
            continue
        name = f"{container}:{name}" if container else name
        texts = {"kind": kind, "name": name, "file": columns.text(row, "Filename")}
        figures = {
            "reads": columns.number(row, "Reads"),
            "writes": columns.number(row, "Writes"),
            "waits": columns.number(row, "Buffer Waits"),
            "reads_per_s": columns.number(row, "Av Rds/s"),
            "writes_per_s": columns.number(row, "Writes avg/s"),
            "read_avg_s": _time(columns, row, "Av Rd(ms)", "Av Rd"),
            "write_avg_s": _time(columns, row, "Av Writes(ms)", "Av Writes"),
            "wait_avg_s": _time(columns, row, "Av Buf Wt(ms)", "Av Buf Wt"),
        }
        into.add("io", row.line, texts, figures)


def read_pools(into: Collected, table: HtmlTable) -> None:
    columns = Columns(table, into.numbers)
    for row in table.rows:
        name = columns.text(row, "P")
        if not name:
            continue
        figures = {
            "gets": columns.number(row, "Buffer Gets"),
            "read_blocks": columns.number(row, "Physical Reads"),
            "write_blocks": columns.number(row, "Physical Writes"),
            "waits": columns.number(row, "Buffer Busy Waits"),
        }
        into.add("io", row.line, {"kind": "buffer_pool", "name": name}, figures)


def read_segments(into: Collected, table: HtmlTable) -> None:
    """The figure is in the one column that names no property of a segment; its heading is the statistic."""
    columns = Columns(table, into.numbers)
    named = [names[-1] for names in table.header if names]
    statistic = next((name for name in named if name and name not in _SEGMENT_COLUMNS), "")
    repeated = "Statistic" in named  # a cluster's report names it in a column of its own, once per group
    group = ""
    for row in table.rows:
        group = columns.text(row, "Statistic") or group
        value = columns.number(row, statistic) if statistic else None
        if value is None or not columns.text(row, "Object Name"):
            continue
        texts = {
            "owner": columns.text(row, "Owner"),
            "name": columns.text(row, "Object Name"),
            "subname": columns.text(row, "Subobject Name"),
            "kind": columns.first_text(row, "Obj. Type", "Obj Type", "Type"),
            "container": columns.first_text(row, "PDB Name", "Container Name"),
            "statistic": group if repeated else statistic,
            "tablespace": columns.first_text(row, "Tablespace Name", "Tablespace"),
        }
        share = columns.first_number(row, "%Total", "% of Capture", "%Capture")
        into.add("segment", row.line, texts, {"value": value, "share_pct": share})


@record(frozen=False)
class _Parameter:
    line: int
    begin: list[str] = field(default_factory=list)
    end: list[str] = field(default_factory=list)


@record(frozen=False)
class Parameters:
    """Parameters by name and container; one with several values prints a row for each."""

    into: Collected
    found: dict[tuple[str, str], _Parameter] = field(default_factory=dict)

    def read(self, table: HtmlTable) -> None:
        columns = Columns(table, self.into.numbers)
        name = ""
        for row in table.rows:
            name = columns.text(row, "Parameter Name") or name
            if name:
                texts = {"name": name, "scope": columns.text(row, "PDB Name")}
                begin, end = columns.text(row, "Begin value"), columns.text(row, "End value (if different)")
                self.note(row.line, texts, begin, end)

    def note(self, line: int, texts: Mapping[str, str], begin: str, end: str) -> None:
        one = self.found.setdefault((texts["name"], texts["scope"]), _Parameter(line))
        one.begin.append(begin)
        one.end.append(end or begin)

    def close(self) -> None:
        for (name, scope), one in self.found.items():
            texts = {"name": name, "scope": scope, "begin": ", ".join(one.begin), "end": ", ".join(one.end)}
            self.into.add("parameter", one.line, texts, {})

    def changed_number(self, name: str) -> bool:
        one = self.found.get((name, ""))
        return one is not None and one.begin != one.end


def _time(columns: Columns, row: HtmlRow, in_ms: str, with_unit: str) -> float | None:
    time_s = columns.numbers.seconds(columns.text(row, with_unit))
    bare = columns.text(row, in_ms)
    if time_s is None and bare:
        time_s = columns.numbers.seconds(bare)
        time_s = _scaled(columns.numbers.read(bare), _MS) if time_s is None else time_s
    return time_s


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
