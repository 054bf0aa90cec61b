"""Where the blocks came from: files, tablespaces, buffer pools, segments; and the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from tunebench.families.oracle.rows import Collected
from tunebench.sdk import record

from .profile import cell, rows_of
from .sections import Section, Table

_MS = 1e-3
_VOLUMES = ("read_bytes", "reads_per_s", "", "write_bytes", "writes_per_s", "", "waits", "wait_avg_s")
"""The columns of I/O by function behind the name; groups of headings lie above them, so that their order counts."""
_FILES = {
    "reads": ("reads",),
    "writes": ("writes",),
    "waits": ("bufferwaits",),
    "reads_per_s": ("avreads/s", "avrds/s"),
    "writes_per_s": ("avwrites/s", "avgwrites/s", "writesavg/s"),
}
_FILE_TIMES = {
    "read_avg_s": ("avrd(ms)", "avrd"),
    "write_avg_s": ("avwrites(ms)", "avwrt(ms)", "avwt(ms)"),
    "wait_avg_s": ("avbufwt(ms)", "avbufwt"),
}
_POOLS = {
    "gets": ("buffergets",),
    "read_blocks": ("physicalreads",),
    "write_blocks": ("physicalwrites",),
    "waits": ("bufferbusywaits", "busywaits"),
}


def read_volumes(into: Collected, section: Section, kind: str) -> None:
    """Volumes as printed; requests are printed as rates only, and stay rates."""
    for number, cells, _ in rows_of(section.tables[0] if section.tables else None):
        if len(cells) != len(_VOLUMES) + 1 or not cells[0] or cells[0].rstrip(":").casefold() == "total":
            continue
        figures: dict[str, float | None] = {}
        for name, text in zip(_VOLUMES, cells[1:], strict=True):
            if name == "wait_avg_s":
                figures[name] = _milliseconds(into, text)
            elif name:
                figures[name] = into.numbers.bytes_of(text) if name.endswith("bytes") else into.numbers.read(text)
        into.add("io", number, {"kind": kind, "name": cells[0]}, figures)


def read_files(into: Collected, section: Section, kind: str) -> None:
    """A name on one line (a long one on several), its figures on the next."""
    for table in section.tables:
        if table.second is not None:
            _read_pairs(into, table, kind)


def _read_pairs(into: Collected, table: Table, kind: str) -> None:
    columns = table.second
    named: list[str] = []
    first_line = 0
    for number, text in table.filled() if columns is not None else ():
        cells = columns.cells(text) if columns is not None else []
        if into.numbers.read(cells[0]) is None or not text[:1].isspace():
            parts = table.columns.cells(text)
            is_more = bool(named) and not parts[0]
            named = [a + b for a, b in zip(named, parts, strict=True)] if is_more else parts
            first_line = first_line if is_more else number
        elif named:
            _add_file(into, (first_line, kind), named, table, cells)
            named = []


def _add_file(into: Collected, where: tuple[int, str], named: Sequence[str], table: Table, cells: list[str]) -> None:
    columns = table.second
    if columns is None:
        return
    figures = {name: into.numbers.read(cell(cells, columns, *names)) for name, names in _FILES.items()}
    for name, names in _FILE_TIMES.items():
        figures[name] = _milliseconds(into, cell(cells, columns, *names))
    texts = {"kind": where[1], "name": named[0], "file": named[1] if len(named) > 1 else ""}
    into.add("io", where[0], texts, figures)


def read_pools(into: Collected, section: Section) -> None:
    for number, cells, columns in rows_of(section.table("p", "buffergets")):
        if cells[0]:
            figures = {name: into.numbers.read(cell(cells, columns, *names)) for name, names in _POOLS.items()}
            into.add("io", number, {"kind": "buffer_pool", "name": cells[0]}, figures)


def read_segments(into: Collected, section: Section) -> None:
    """The figure is in the last column but its share; the title says which it is."""
    statistic = " ".join(section.title.split()).partition(" by ")[2]
    for number, cells, columns in rows_of(section.table("owner", "objectname")):
        shares = columns.place("pcttotal", "%total", "%ofcapture", "%capture")
        value = into.numbers.read(cells[shares - 1]) if shares else None
        if value is None or not cell(cells, columns, "objectname"):
            continue
        texts = {
            "owner": cell(cells, columns, "owner"),
            "name": cell(cells, columns, "objectname"),
            "subname": cell(cells, columns, "subobjectname"),
            "kind": cell(cells, columns, "obj.type", "objtype"),
            "container": cell(cells, columns, "pdbname", "containername"),
            "statistic": statistic,
            "tablespace": cell(cells, columns, "tablespace", "tablespacename"),
        }
        share = into.numbers.read(cells[shares or 0])
        into.add("segment", number, texts, {"value": value, "share_pct": share})


@record(frozen=False)
class _Parameter:
    line: int
    begin: str
    end: str


@record(frozen=False)
class Parameters:
    """Values longer than their column go on in the lines below, cut wherever it ends."""

    into: Collected
    found: dict[str, _Parameter] = field(default_factory=dict)

    def read(self, section: Section) -> None:
        one: _Parameter | None = None
        for number, cells, columns in rows_of(section.table("parametername")):
            begin = cell(cells, columns, "beginvalue")
            end = cells[-1] if len(cells) > 2 else ""
            if cells[0]:
                one = self.found.setdefault(cells[0], _Parameter(number, "", ""))
                begin = f", {begin}" if one.begin and begin else begin
            if one is not None:
                one.begin += begin
                one.end += end

    def close(self) -> None:
        for name, one in self.found.items():
            texts: Mapping[str, str] = {"name": name, "scope": "", "begin": one.begin, "end": one.end or one.begin}
            self.into.add("parameter", one.line, texts, {})

    def changed_number(self, name: str) -> bool:
        one = self.found.get(name)
        return one is not None and bool(one.end) and one.begin != one.end


def _milliseconds(into: Collected, text: str) -> float | None:
    """Later releases print the unit beside the number."""
    with_unit = into.numbers.seconds(text) if text[-1:] == "s" else None
    if with_unit is not None:
        return with_unit
    value = into.numbers.read(text)
    return None if value is None else value * _MS
