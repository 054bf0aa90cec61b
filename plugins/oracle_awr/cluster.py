"""A report of all instances of a cluster (awrgrpt): a record of the cluster, then one of each instance.

The cluster's record has instance ``*``: statements, totals of the statistics, segments, parameters, and the sums of
what is printed per instance. An instance's has its own time model, waits, load and processors; statements are not told
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tunebench.families.oracle.dates import read_moment
from tunebench.families.oracle.header import Clock, Header
from tunebench.families.oracle.html_reports import HtmlReport, HtmlTable
from tunebench.families.oracle.names import MIB, NOT_A_WAIT
from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.values import Numbers
from tunebench.sdk.databases import DatabaseIdentity, DatabaseRecord, Engine, Fault, Moment, Reach

from .cluster_statements import read_global_list
from .names import CLUSTER_LOAD_COLUMNS, CLUSTER_TIME_COLUMNS, CLUSTER_TIME_SUM, CLUSTER_WAIT_CLASSES
from .profile import Profile
from .reading import Columns
from .sections import SectionTable
from .statements import Statements
from .storage import Parameters, read_segments

SOURCE = "awr_global_html"
ALL = "*"
EXPECTED = ("statement", "statement_list", "statement_text", "time_model", "wait_event", "activity", "parameter")
EXPECTED_OF_INSTANCE = ("time_model", "wait_class", "wait_event")
_SUMS = frozenset({"*", "sum"})


class _Instance:
    """What is collected of one instance, or of all of them together."""

    def __init__(self, numbers: Numbers) -> None:
        self.header = Header()
        self.into = Collected(numbers)
        self.profile = Profile(self.into)
        self.events: set[tuple[str, str]] = set()


class ClusterReport:
    """Reads the tables of one report into several records."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self._cluster = _Instance(numbers)
        self._instances: dict[int, _Instance] = {}
        self._statements = Statements(self._cluster.into)
        self._parameters = Parameters(self._cluster.into)
        self._readers: dict[str, Callable[[HtmlTable], None]] = {
            "summary": self._read_summary,
            "instances": self._read_instances,
            "os": self._read_hosts,
            "time_model": self._read_time_model,
            "fg_classes": self._read_classes,
            "fg_events": lambda table: self._read_events(table, "foreground"),
            "bg_events": lambda table: self._read_events(table, "background"),
            "load": self._read_load,
            "activity": self._cluster.profile.activity,
            "sql": lambda table: read_global_list(self._statements, table),
            "sql_text": self._statements.read_texts,
            "ash_sql": self._statements.read_plans,
            "segments": lambda table: read_segments(self._cluster.into, table),
            "parameters": self._read_parameters,
        }

    @property
    def warnings(self) -> dict[str, None]:
        return self._cluster.into.warnings

    @property
    def languages(self) -> list[str]:
        return [one.header.language for one in self._instances.values()]

    def read(self, sections: Sequence[SectionTable], report: HtmlReport) -> None:
        for one in sections:
            if one.section is None:
                report.refuse(one.table, "columns_unknown")
            else:
                self._readers[one.section.name](one.table)
                report.use(one.table)

    def records(self, clock: Clock, title: str, first_line: int, whole: bool) -> list[DatabaseRecord]:
        if not self._cluster.header.known and not self._instances:
            return []
        ones = [self._record_of(number, one, clock, whole) for number, one in sorted(self._instances.items())]
        ones = [replace(one, title=title, first_line=first_line) for one in ones]
        return [replace(self._record_of_cluster(ones, clock, whole), title=title, first_line=first_line), *ones]

    # -- who and when ----------------------------------------------------------------------------

    def _of(self, text: str) -> _Instance | None:
        """Whose row it is by ``I#``; None for averages and the like."""
        if text.casefold() in _SUMS:
            return self._cluster
        number = self.numbers.whole(text) if text.isascii() and text.isdigit() and len(text) < 5 else None
        return None if number is None else self._instances.setdefault(number, _Instance(self.numbers))

    def _read_summary(self, table: HtmlTable) -> None:
        columns = Columns(table, self.numbers)
        header = self._cluster.header
        for row in list(table.rows)[:1]:
            header.identity = DatabaseIdentity(
                Engine.ORACLE,
                name=columns.text(row, "Name", "Database") or columns.first_text(row, "Name", "DB Name"),
                db_id=columns.text(row, "Id", "Database") or columns.first_text(row, "Id", "DB Id"),
                unique_name=columns.text(row, "Unique Name"),
                edition=columns.text(row, "Edition"),
                role=columns.text(row, "Role"),
            )
            header.begin_snapshot = self.numbers.whole(columns.text(row, "Begin", "Snapshot Ids"))
            header.end_snapshot = self.numbers.whole(columns.text(row, "End", "Snapshot Ids"))
            minutes = [columns.number(row, name) for name in ("Elapsed time", "DB time")]
            header.elapsed_s, header.db_time_s = (None if value is None else value * 60 for value in minutes)

    def _read_instances(self, table: HtmlTable) -> None:
        columns = Columns(table, self.numbers)
        for row in table.rows:
            one = self._of(columns.text(row, "I#"))
            if one is None or one is self._cluster:
                continue
            header = one.header
            header.identity = replace(
                header.identity,
                instance=columns.text(row, "Instance"),
                host=columns.text(row, "Host"),
                version=columns.text(row, "Release"),
                platform=columns.text(row, "Platform"),
            )
            moments = [read_moment(columns.text(row, name)) for name in ("Startup", "Begin Snap Time", "End Snap Time")]
            header.started, header.begin, header.end = (moment.local if moment else None for moment in moments)
            header.language = next((moment.language for moment in moments if moment), "")
            minutes = [columns.number(row, name) for name in ("Elapsed Time(min)", "DB time(min)")]
            header.elapsed_s, header.db_time_s = (None if value is None else value * 60 for value in minutes)

    def _read_hosts(self, table: HtmlTable) -> None:
        columns = Columns(table, self.numbers)
        for row in table.rows:
            one = self._of(columns.text(row, "I#"))
            if one is None or one is self._cluster:
                continue
            cpus = columns.first_number(row, "#CPUs", "Num CPUs", "CPUs")
            memory = columns.first_number(row, "MB", "Memory (M)")
            one.header.identity = replace(
                one.header.identity,
                cpu_count=None if cpus is None else int(cpus),
                core_count=self.numbers.whole(columns.first_text(row, "#Core", "CPU Cores")),
                socket_count=self.numbers.whole(columns.first_text(row, "#Sckt", "CPU Sckts")),
                memory_bytes=None if memory is None else memory * MIB,
            )
            end = columns.number(row, "#CPUs", "End Values")
            end = columns.number(row, "CPUs", "End Values") if end is None else end
            if cpus is not None and end is not None:
                one.profile.cpu_counts.append((cpus, end))
            one.profile.column_facts_of(table, row, "host_cpu")

    # -- figures ---------------------------------------------------------------------------------

    def _read_time_model(self, table: HtmlTable) -> None:
        columns = Columns(table, self.numbers)
        for row in table.rows:
            one = self._of(columns.text(row, "I#"))
            for column, name in CLUSTER_TIME_COLUMNS.items() if one else ():
                time_s = columns.number(row, column)
                if one is not None and time_s is not None and name not in one.profile.times:
                    one.profile.times[name] = time_s
                    one.into.add("time_model", row.line, {"name": name}, {"time_s": time_s})
            time_s = columns.number(row, CLUSTER_TIME_SUM)
            if one is not None and time_s is not None:
                texts = {"scope": "time_model", "name": CLUSTER_TIME_SUM.removesuffix(" (s)"), "unit": "s"}
                one.into.add("activity", row.line, texts, {"total": time_s})

    def _read_classes(self, table: HtmlTable) -> None:
        names = {column[-1]: _class_of(column[-1]) for column in table.header if column}
        columns = Columns(table, self.numbers)
        for row in table.rows:
            one = self._of(columns.text(row, "I#"))
            for column, name in names.items() if one else ():
                time_s = columns.number(row, column) if name else None
                if one is not None and time_s is not None:
                    texts = {"wait_class": name, "ground": "foreground"}
                    one.into.add("wait_class", row.line, texts, {"time_s": time_s})

    def _read_events(self, table: HtmlTable, ground: str) -> None:
        """``I#`` is printed once for the rows of an instance."""
        columns = Columns(table, self.numbers)
        one: _Instance | None = None
        for row in table.rows:
            number = columns.text(row, "I#")
            one = self._of(number) if number else one
            event = columns.text(row, "Event")
            if one is None or not event or event.casefold() in NOT_A_WAIT or (event, ground) in one.events:
                continue
            one.events.add((event, ground))  # a list of the longest comes beside that of all
            texts = {"event": event, "ground": ground, "wait_class": columns.first_text(row, "Class", "Wait Class")}
            figures = {
                "waits": columns.number(row, "Waits"),
                "time_s": columns.first_number(row, "Total(s)", "Total Wait Time (s)", "Total Time (s)"),
                "share_pct": columns.first_number(row, "%DB time", "% DB time", "%bg time"),
            }
            one.into.add("wait_event", row.line, texts, figures)

    def _read_load(self, table: HtmlTable) -> None:
        columns = Columns(table, self.numbers)
        for row in table.rows:
            one = self._of(columns.text(row, "I#"))
            for column, (name, unit, factor) in CLUSTER_LOAD_COLUMNS.items() if one else ():
                total = columns.number(row, column)
                if one is not None and total is not None:
                    texts = {"name": name, "native": column, "unit": unit}
                    one.into.add("load", row.line, texts, {"total": total * factor})

    def _read_parameters(self, table: HtmlTable) -> None:
        """``*`` stands for all instances; a name is printed once for the rows below it."""
        columns = Columns(table, self.numbers)
        name = ""
        for row in table.rows:
            name = columns.text(row, "Parameter Name") or name
            if name:
                number = columns.text(row, "I#")
                texts = {"name": name, "scope": "" if number == ALL else number}
                begin, end = columns.text(row, "Begin value"), columns.text(row, "End value (if different)")
                self._parameters.note(row.line, texts, begin, end)

    # -- records ---------------------------------------------------------------------------------

    def _record_of(self, number: int, one: _Instance, clock: Clock, whole: bool) -> DatabaseRecord:
        cluster, header = self._cluster.header, one.header
        begin, end = header.moments(clock)
        begin = replace(begin, snapshot=cluster.begin_snapshot) if begin else None
        end = replace(end, snapshot=cluster.end_snapshot)
        shared = {name: getattr(cluster.identity, name) for name in ("name", "db_id", "unique_name", "edition", "role")}
        one.profile.close()
        tables = one.into.tables()
        record = DatabaseRecord(
            source=SOURCE,
            reach=Reach.PERIOD,
            identity=replace(header.identity, **shared, instance_number=number, clustered=True),
            begin=begin,
            end=end,
            elapsed_s=header.elapsed_s,
            db_time_s=one.profile.times.get("db_time", header.db_time_s),
            tables=tables,
            absent=tuple(name for name in EXPECTED_OF_INSTANCE if name not in tables),
        )
        if header.restarted:
            clock.restart(end.started_ns)
        return record.with_faults(*_faults(one, record, whole))

    def _record_of_cluster(self, ones: Sequence[DatabaseRecord], clock: Clock, whole: bool) -> DatabaseRecord:
        self._cluster.profile.close()
        self._statements.close()
        self._parameters.close()
        header, tables = self._cluster.header, self._cluster.into.tables()
        begins = [one.begin.time_ns for one in ones if one.begin is not None and one.begin.time_ns is not None]
        ends = [one.end.time_ns for one in ones if one.end.time_ns is not None]
        elapsed = [one.elapsed_s for one in ones if one.elapsed_s is not None]
        versions = {one.identity.version for one in ones}
        begin = Moment(min(begins, default=None), header.begin_snapshot)
        record = DatabaseRecord(
            source=SOURCE,
            reach=Reach.PERIOD,
            identity=replace(header.identity, instance=ALL, clustered=True, version=", ".join(sorted(versions))),
            begin=begin if begins or begin.snapshot is not None else None,
            end=Moment(max(ends, default=None), header.end_snapshot),
            elapsed_s=header.elapsed_s if header.elapsed_s is not None else max(elapsed, default=None),
            db_time_s=self._cluster.profile.times.get("db_time", header.db_time_s),
            tables=tables,
            absent=tuple(name for name in EXPECTED if name not in tables),
        )
        inherited = [fault for one in ones for fault in one.faults if fault in (Fault.RESTART, Fault.CPU_COUNT)]
        return record.with_faults(*inherited, *_faults(self._cluster, record, whole))


def _class_of(column: str) -> str:
    """``Sys I/O(s)`` is System I/O; empty for the columns beside the classes."""
    return CLUSTER_WAIT_CLASSES.get(column.casefold().removesuffix("(s)").strip(), "")


def _faults(one: _Instance, record: DatabaseRecord, whole: bool) -> list[Fault]:
    negative = any(value is not None and value < 0 for value in (record.db_time_s, record.elapsed_s))
    timed = record.begin is not None and record.begin.time_ns is not None and record.end.time_ns is not None
    checks = {
        Fault.RESTART: one.header.restarted or negative,
        Fault.TRUNCATED: not whole,
        Fault.CPU_COUNT: any(begin != end for begin, end in one.profile.cpu_counts),
        Fault.UNTIMED: not timed,
    }
    return [fault for fault, holds in checks.items() if holds]
