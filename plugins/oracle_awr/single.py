"""A report of one instance, of 10g to 23ai."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunebench.families.oracle.header import Clock, Header
from tunebench.families.oracle.html_reports import HtmlReport, HtmlTable
from tunebench.families.oracle.period import PeriodReport
from tunebench.families.oracle.rows import Collected
from tunebench.families.oracle.values import Numbers
from tunebench.sdk.databases import DatabaseRecord

from .header import read_container, read_database, read_host, read_snapshots
from .profile import Profile
from .sections import SectionTable
from .statements import LISTS, Statements
from .storage import Parameters, read_files, read_pools, read_segments, read_volumes

SOURCE = "awr_html"
EXPECTED = (
    "statement",
    "statement_list",
    "statement_text",
    "load",
    "time_model",
    "wait_class",
    "wait_event",
    "activity",
    "state",
    "io",
    "segment",
    "parameter",
)
"""Tables that a whole report fills."""


class SingleReport:
    """Reads the tables of one report into one record."""

    def __init__(self, numbers: Numbers) -> None:
        self.into = Collected(numbers)
        self.header = Header()
        self._profile = Profile(self.into)
        self._statements = Statements(self.into)
        self._parameters = Parameters(self.into)
        self._readers = self._reader_of_section()

    def read(self, sections: Sequence[SectionTable], report: HtmlReport) -> None:
        for one in sections:
            if one.section is None:
                report.refuse(one.table, "columns_unknown")
                continue
            name = one.section.name
            if name in LISTS:
                self._statements.read_list(one.table, name)
            else:
                self._readers[name](one.table)
            report.use(one.table)

    def record(self, clock: Clock, title: str, first_line: int, whole: bool) -> DatabaseRecord | None:
        """The record; None where nothing says whose report it is, or when."""
        if not self.header.known:
            return None
        self._profile.close()
        self._statements.close()
        self._parameters.close()
        changed = self._parameters.changed_number("cpu_count")
        report = PeriodReport(self.header, self._profile, SOURCE, title, EXPECTED, first_line, whole, changed)
        return report.record(clock)

    def _reader_of_section(self) -> dict[str, Callable[[HtmlTable], None]]:
        header, profile, into = self.header, self._profile, self.into
        return {
            "database": lambda table: read_database(header, table, into.numbers),
            "instance": lambda table: read_database(header, table, into.numbers),
            "pdb": lambda table: read_container(header, table, into.numbers),
            "host": lambda table: read_host(header, table, into.numbers),
            "snapshots": lambda table: read_snapshots(header, table, into.numbers),
            "load": profile.load,
            "efficiency": lambda table: profile.labelled_facts(table, "efficiency"),
            "top_events": profile.top_events,
            "all_classes": lambda table: profile.wait_classes(table, ""),
            "host_cpu": lambda table: profile.column_facts(table, "host_cpu"),
            "instance_cpu": lambda table: profile.column_facts(table, "instance_cpu"),
            "io_profile": lambda table: profile.column_facts(table, "io_profile"),
            "memory": lambda table: profile.states(table, "memory"),
            "caches": lambda table: profile.states(table, "cache", "By"),
            "shared_pool": lambda table: profile.states(table, "shared_pool", "%"),
            "time_model": profile.time_model,
            "os": profile.host_statistics,
            "fg_classes": lambda table: profile.wait_classes(table, "foreground"),
            "fg_events": lambda table: profile.wait_events(table, "foreground"),
            "bg_events": lambda table: profile.wait_events(table, "background"),
            "all_events": lambda table: profile.wait_events(table, ""),
            "services": lambda table: profile.column_facts(table, "services"),
            "activity": profile.activity,
            "activity_states": lambda table: profile.states(table, ""),
            "threads": lambda table: profile.activity(table, "thread"),
            "sql_text": self._statements.read_texts,
            "ash_sql": self._statements.read_plans,
            "io_function": lambda table: read_volumes(into, table, "function", "Function Name"),
            "io_filetype": lambda table: read_volumes(into, table, "filetype", "Filetype Name"),
            "io_tablespace": lambda table: read_files(into, table, "tablespace"),
            "io_file": lambda table: read_files(into, table, "file"),
            "buffer_pools": lambda table: read_pools(into, table),
            "segments": lambda table: read_segments(into, table),
            "parameters": self._parameters.read,
        }
