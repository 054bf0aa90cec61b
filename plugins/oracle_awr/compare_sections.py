"""The tables of a report of two compared periods; most have a column ``1st`` and one ``2nd`` below each heading."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import field, replace

from tunebench.families.oracle.dates import read_moment
from tunebench.families.oracle.header import Clock, Header
from tunebench.families.oracle.html_reports import HtmlRow, HtmlTable
from tunebench.families.oracle.names import LOAD_LABELS, NOT_A_WAIT, TIME_LABELS
from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.values import Numbers
from tunebench.sdk import lazy_pattern, record
from tunebench.sdk.databases import DatabaseRecord, Fault, Reach

from .compare_statements import ComparedStatements
from .reading import Columns, label_of

SOURCE = "awr_compare_html"
EXPECTED = ("statement", "time_model", "wait_event", "load")
SIDES = ("1st", "2nd")
_SETS = lazy_pattern(r"\s*(?:first\b|second\b|1st\b|2nd\b)", re.IGNORECASE)
_HOST_ROWS = {
    "number of cpus": "cpu_count",
    "number of cpu cores": "core_count",
    "number of cpu sockets": "socket_count",
}
_LOAD = {
    **LOAD_LABELS,
    "db time": ("db_time", "s", 1.0),
    "cpu time": ("db_cpu", "s", 1.0),
    "background cpu time": ("background_cpu", "s", 1.0),
}
_ALL = "*"


@record(frozen=False)
class _Event:
    line: int
    wait_class: str = ""
    waits: float | None = None
    time_s: float | None = None
    share_pct: float | None = None


@record(frozen=False)
class _Side:
    """One of the two periods."""

    into: Collected
    header: Header = field(default_factory=Header)
    db_time_s: float | None = None
    events: dict[str, _Event] = field(default_factory=dict)
    instances: int = 0


class CompareReport:
    """Reads the tables of one report into two records."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.sides = (_Side(Collected(numbers)), _Side(Collected(numbers)))
        self.statements = ComparedStatements(numbers, tuple(side.into for side in self.sides))

    def read(self, table: HtmlTable) -> bool:
        """Whether it is one that is read here."""
        reader = self._reader_of(table)
        if reader is None:
            return False
        reader(table)
        return True

    def _reader_of(self, table: HtmlTable) -> Callable[[HtmlTable], None] | None:
        """The reader of a table, by its columns; None where nothing reads it.

        The summaries of these reports are many, and few say more than the columns do.
        """
        if table.column("SQL Id") is not None:
            return self.statements.reader_of(table)
        kinds: tuple[tuple[bool, Callable[[HtmlTable], None]], ...] = (
            (table.has("Begin Snap Time", "End Snap Time"), self._read_snapshots),
            (table.has("Snapshot Set"), self._read_databases),
            (table.has("1st per sec", "2nd per sec"), self._read_load),
            (table.column("1st", "Time (seconds)") is not None, self._read_time_model),
            (table.column("1st", "Total Wait Time (sec)") is not None, self._read_waits),
            ("top timed events" in table.key, self._read_top),
            (table.column("1st", "Value (centi-seconds)") is not None, self._read_host_times),
            ("host configuration" in table.key and table.has("1st", "2nd"), self._read_host),
            ("instance activity" in table.key and table.column("1st", "Value") is not None, self._read_activity),
            (table.has("Parameter Name", "1st", "2nd"), self._read_parameters),
        )
        return next((reader for fits, reader in kinds if fits), None)

    # -- who and when ----------------------------------------------------------------------------

    def _sides_of(self, text: str) -> list[_Side]:
        if not _SETS.match(text):
            return []
        return [self.sides[0] if text.strip().casefold().startswith(("1", "f")) else self.sides[1]]

    def _read_databases(self, table: HtmlTable) -> None:
        """Reads the databases; from 12c a second table has their instances."""
        columns = Columns(table, self.numbers)
        for row in table.rows:
            for side in self._sides_of(columns.text(row, "Snapshot Set")):
                given = {
                    "name": columns.first_text(row, "DB Name", "Unique Name"),
                    "db_id": columns.text(row, "DB Id"),
                    "unique_name": columns.text(row, "Unique Name"),
                    "instance": columns.text(row, "Instance"),
                    "version": columns.text(row, "Release"),
                    "edition": columns.text(row, "Edition"),
                    "role": columns.first_text(row, "DB Role", "Role"),
                    "host": columns.first_text(row, "Host", "Host Name"),
                }
                stated: dict[str, object] = {name: value for name, value in given.items() if value}
                number = self.numbers.whole(columns.text(row, "Inst num"))
                stated |= {} if number is None else {"instance_number": number}
                clustered = columns.first_text(row, "Cluster", "RAC").upper()
                stated |= {"clustered": clustered == "YES"} if clustered in ("YES", "NO") else {}
                side.header.identity = replace(side.header.identity, **stated)  # type: ignore[arg-type]  # its fields

    def _read_snapshots(self, table: HtmlTable) -> None:
        """One row per period; of a cluster one per instance, whose times in the database add up."""
        columns = Columns(table, self.numbers)
        name = ""
        for row in table.rows:
            name = columns.first_text(row, "Snapshot Set", "Set") or name
            for side in self._sides_of(name):
                self._read_ends(side, columns, row)

    def _read_ends(self, side: _Side, columns: Columns, row: HtmlRow) -> None:
        header = side.header
        begin, end = (read_moment(columns.text(row, name)) for name in ("Begin Snap Time", "End Snap Time"))
        begins = [moment for moment in (header.begin, begin.local if begin else None) if moment is not None]
        ends = [moment for moment in (header.end, end.local if end else None) if moment is not None]
        header.begin, header.end = min(begins, default=None), max(ends, default=None)
        header.begin_snapshot = self.numbers.whole(columns.text(row, "Begin Snap Id")) or header.begin_snapshot
        header.end_snapshot = self.numbers.whole(columns.text(row, "End Snap Id")) or header.end_snapshot
        minutes = columns.first_number(row, "Elapsed Time (min)", "Elapsed Time(min)")
        in_database = columns.first_number(row, "DB time (min)", "DB time(min)")
        if header.elapsed_s is None and minutes is not None:
            header.elapsed_s = minutes * 60
        if in_database is not None:
            side.db_time_s = (side.db_time_s or 0.0) + in_database * 60
        side.instances += 1
        header.language = header.language or (begin.language if begin else "")
        if side.instances == 1:
            instance = columns.text(row, "Instance") or header.identity.instance
            version = columns.text(row, "Release") or header.identity.version
            header.identity = replace(header.identity, instance=instance, version=version)
        else:
            header.identity = replace(header.identity, instance=_ALL, instance_number=None, clustered=True)

    def _read_host(self, table: HtmlTable) -> None:
        for row, label, values in self._pairs(table):
            for side, text in zip(self.sides, values, strict=True):
                value = self.numbers.read(text)
                name = _HOST_ROWS.get(label.casefold())
                if name is not None and value is not None:
                    side.header.identity = replace(side.header.identity, **{name: int(value)})  # type: ignore[arg-type]
                elif label.casefold() == "physical memory" and value is not None:
                    memory = self.numbers.bytes_of(text)
                    side.header.identity = replace(side.header.identity, memory_bytes=memory)
                else:
                    side.into.fact(row.line, "host_cpu", label, text)

    # -- what it did -----------------------------------------------------------------------------

    def _pairs(self, table: HtmlTable, group: str = "") -> list[tuple[HtmlRow, str, list[str]]]:
        """Each row with its name and the cells of both sides."""
        columns = Columns(table, self.numbers)
        rows = [(row, label_of(row), [columns.text(row, side, group) for side in SIDES]) for row in table.rows]
        return [one for one in rows if one[1]]

    def _read_load(self, table: HtmlTable) -> None:
        columns = Columns(table, self.numbers)
        for row in table.rows:
            native = label_of(row)
            entry = _LOAD.get(native.casefold())
            for side, name in zip(self.sides, SIDES, strict=True):
                text = columns.text(row, f"{name} per sec")
                rates = self.numbers.read(text), columns.number(row, f"{name} per txn")
                if entry is None or rates[0] is None:
                    side.into.fact(row.line, "load_profile", f"{native} per second", text)
                    continue
                scaled = [None if rate is None else rate * entry[2] for rate in rates]
                texts = {"name": entry[0], "native": native, "unit": entry[1]}
                figures = {"per_second": scaled[0], "per_transaction": scaled[1]}
                side.into.add("load", row.line, texts, figures)

    def _read_time_model(self, table: HtmlTable) -> None:
        shares = "% of DB time" if table.column("1st", "% of DB time") is not None else "% of Global DB time"
        columns = Columns(table, self.numbers)
        for row, native, values in self._pairs(table, "Time (seconds)"):
            for side, name, text in zip(self.sides, SIDES, values, strict=True):
                time_s = self.numbers.read(text)
                meaning = TIME_LABELS.get(native.casefold())
                if time_s is None:
                    continue
                if meaning is None:
                    texts = {"scope": "time_model", "name": native, "unit": "s"}
                    side.into.add("activity", row.line, texts, {"total": time_s})
                    continue
                share = columns.number(row, name, shares)
                side.into.add("time_model", row.line, {"name": meaning}, {"time_s": time_s, "share_pct": share})
                side.db_time_s = time_s if meaning == "db_time" else side.db_time_s

    def _read_waits(self, table: HtmlTable) -> None:
        """Classes and events; how many waits there were is printed as a rounded rate only."""
        columns = Columns(table, self.numbers)
        is_event = table.column("Event") is not None or table.column("Wait Event") is not None
        for row, first, values in self._pairs(table, "Total Wait Time (sec)"):
            for side, name, text in zip(self.sides, SIDES, values, strict=True):
                time_s = self.numbers.read(text)
                if time_s is None or first.casefold() in NOT_A_WAIT:
                    continue
                share = columns.number(row, name, "% of DB time")
                if is_event:
                    event = columns.first_text(row, "Event", "Wait Event")
                    entry = side.events.setdefault(event, _Event(row.line))
                    entry.wait_class = columns.text(row, "Wait Class") or entry.wait_class
                    entry.time_s, entry.share_pct = time_s, share
                else:
                    figures = {"time_s": time_s, "share_pct": share}
                    side.into.add("wait_class", row.line, {"wait_class": first, "ground": "foreground"}, figures)

    def _read_top(self, table: HtmlTable) -> None:
        """Two lists side by side, each of six columns; a ``-`` before a name says that it leads on the other side."""
        for row in table.rows:
            for side, start in zip(self.sides, (0, len(row.cells) // 2), strict=True):
                cells = row.cells[start : start + len(row.cells) // 2]
                name = cells[0].lstrip("-").strip() if len(cells) >= 4 else ""
                waits, time_s = (self.numbers.read(text) for text in cells[2:4]) if name else (None, None)
                if not name or time_s is None or name.casefold() in NOT_A_WAIT:
                    continue
                entry = side.events.setdefault(name, _Event(row.line, cells[1]))
                entry.waits = waits
                entry.time_s = time_s if entry.time_s is None else entry.time_s

    def _read_host_times(self, table: HtmlTable) -> None:
        for row, name, values in self._pairs(table, "Value (centi-seconds)"):
            for side, text in zip(self.sides, values, strict=True):
                total = self.numbers.read(text)
                if total is not None and name.endswith(("_TIME", "_TICKS")):
                    texts = {"scope": "os", "name": name, "unit": "cs"}
                    side.into.add("activity", row.line, texts, {"total": total})

    def _read_activity(self, table: HtmlTable) -> None:
        for row, name, values in self._pairs(table, "Value"):
            for side, text in zip(self.sides, values, strict=True):
                total = self.numbers.read(text)
                if total is not None:
                    side.into.add("activity", row.line, {"scope": "", "name": name}, {"total": total})

    def _read_parameters(self, table: HtmlTable) -> None:
        for row, name, values in self._pairs(table):
            for side, text in zip(self.sides, values, strict=True):
                side.into.add("parameter", row.line, {"name": name, "scope": "", "begin": text, "end": text}, {})

    # -- closing ---------------------------------------------------------------------------------

    def records(self, clock: Clock, title: str, first_line: int, whole: bool) -> list[DatabaseRecord]:
        """The records of both periods; none where nothing says when either was."""
        if not any(side.header.known for side in self.sides):
            return []
        self.statements.close()
        return [self._record_of(side, clock, title, first_line, whole) for side in self.sides]

    def _record_of(self, side: _Side, clock: Clock, title: str, first_line: int, whole: bool) -> DatabaseRecord:
        for name, event in side.events.items():
            texts = {"event": name, "ground": "", "wait_class": event.wait_class}
            figures = {"waits": event.waits, "time_s": event.time_s, "share_pct": event.share_pct}
            side.into.add("wait_event", event.line, texts, figures)
        begin, end = side.header.moments(clock)
        timed = begin is not None and begin.time_ns is not None and end.time_ns is not None
        elapsed_s = side.header.elapsed_s  # minutes with one decimal; the ends are exact
        if begin is not None and begin.time_ns is not None and end.time_ns is not None:
            elapsed_s = (end.time_ns - begin.time_ns) / 1e9
        checks = {
            Fault.RESTART: elapsed_s is not None and elapsed_s < 0,
            Fault.TRUNCATED: not whole,
            Fault.UNTIMED: not timed,
        }
        tables = side.into.tables()
        return DatabaseRecord(
            source=SOURCE,
            reach=Reach.PERIOD,
            identity=side.header.identity,
            begin=begin,
            end=end,
            elapsed_s=elapsed_s,
            db_time_s=side.db_time_s,
            title=title,
            tables=tables,
            absent=tuple(name for name in EXPECTED if name not in tables),
            faults=tuple(fault for fault, holds in checks.items() if holds),
            first_line=first_line,
        )
