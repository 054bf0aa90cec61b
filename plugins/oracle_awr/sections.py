"""Which table of a report is which: by its summary and the columns it must have, never by its place.

A summary is compared by its beginning, since later versions and cluster reports lengthen it. 10g prints none: there the
headings since the table before say it, and the columns have to agree as well. A heading without a table (an empty
section of 19c) is nobody's: the next table has columns of its own.
"""

from __future__ import annotations

from tunebench.families.oracle.html_reports import HtmlTable
from tunebench.sdk import lazy_pattern, record


@record
class Section:
    """A kind of table.

    Attributes:
        summaries: how its summary begins, lower case, behind the words that most begin with.
        columns: headings it must have, wherever they are; none for tables without a heading.
        titles: how a heading above it begins, lower case, where the table has no summary.
        alone: whether its columns say enough where it has neither.
    """

    name: str
    summaries: tuple[str, ...]
    columns: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    alone: bool = False


_OPENING = lazy_pattern(r"^this table displays? ")
_SQL = "top sql by "
_SEGMENTS = "top segments by "
_STATEMENT = ("SQL Id",)

SECTIONS = (
    Section("database", ("database instance information",), ("DB Name", "DB Id", "Release"), alone=True),
    Section("instance", ("database instance information",), ("Instance", "Inst Num", "Startup Time")),
    Section("pdb", ("pdb", "container"), ("Container Name",)),
    Section("host", ("host information",), ("Host Name", "CPUs"), alone=True),
    Section("snapshots", ("snapshot information",), ("Snap Id", "Snap Time"), alone=True),
    Section("load", ("load profile",), ("Per Second", "Per Transaction"), ("load profile",)),
    Section("efficiency", ("instance efficiency",), (), ("instance efficiency",)),
    Section(
        "top_events",
        ("top 10 wait events", "top 5 wait events", "top 5 timed"),
        ("Event", "Waits"),
        ("top 5 timed", "top 10 foreground"),
    ),
    Section("all_classes", ("wait class statistics ordered",), ("Wait Class", "Waits")),
    Section("host_cpu", ("system load statistics",), ("%User", "%Idle")),
    Section("instance_cpu", ("cpu usage and wait",), ("%Total CPU",)),
    Section("io_profile", ("io profile",), ("Read+Write Per Second",)),
    Section("memory", ("memory statistics",), ("Begin", "End")),
    Section("caches", ("cache sizes and other",), ("Begin", "End"), ("cache sizes",)),
    Section("shared_pool", ("shared pool statistics",), ("Begin", "End"), ("shared pool statistics",)),
    Section("time_model", ("different time model",), ("Statistic Name", "Time (s)"), ("time model statistics",)),
    Section("os", ("operating systems statistics",), ("Statistic",), ("operating system statistics",)),
    Section("fg_classes", ("foreground wait class",), ("Wait Class", "Waits"), ("wait class", "foreground wait class")),
    Section("fg_events", ("foreground wait events and",), ("Event", "Waits"), ("foreground wait events",)),
    Section("bg_events", ("background wait events",), ("Event", "Waits"), ("background wait events",)),
    Section("all_events", ("wait events statistics",), ("Event", "Waits", "Total Wait Time (s)"), ("wait events",)),
    Section("services", ("service statistics",), ("Service Name", "DB Time (s)"), ("service statistics",)),
    Section("sql_elapsed", (_SQL + "elapsed time",), ("Elapsed Time (s)", *_STATEMENT), ("sql ordered by elapsed",)),
    Section("sql_cpu", (_SQL + "cpu time",), ("CPU Time (s)", *_STATEMENT), ("sql ordered by cpu",)),
    Section("sql_io", (_SQL + "user i/o",), ("User I/O Time (s)", *_STATEMENT)),
    Section("sql_gets", (_SQL + "buffer gets",), ("Buffer Gets", *_STATEMENT), ("sql ordered by gets",)),
    Section("sql_reads", (_SQL + "physical reads",), ("Physical Reads", *_STATEMENT), ("sql ordered by reads",)),
    Section("sql_unoptimized", (_SQL + "unoptimized",), ("UnOptimized Read Reqs", *_STATEMENT)),
    Section(
        "sql_executions",
        (_SQL + "number of executions",),
        ("Executions", "Rows Processed", *_STATEMENT),
        ("sql ordered by executions",),
    ),
    Section("sql_parse", (_SQL + "number of parse",), ("Parse Calls", *_STATEMENT), ("sql ordered by parse",)),
    Section(
        "sql_sharable", (_SQL + "amount of shared",), ("Sharable Mem (b)", *_STATEMENT), ("sql ordered by sharable",)
    ),
    Section("sql_version", (_SQL + "version count",), ("Version Count", *_STATEMENT), ("sql ordered by version",)),
    Section("sql_cluster", (_SQL + "cluster wait",), _STATEMENT, ("sql ordered by cluster",)),
    Section(
        "sql_text",
        ("the text of the sql", "complete list of sql text"),
        ("SQL Id", "SQL Text"),
        ("complete list of sql",),
    ),
    Section("ash_sql", ("the top sql by top", "the top sqls with top"), ("SQL ID", "Plan Hash")),
    Section(
        "activity",
        ("key instance activity", "non-key instance activity", "instance activity statistics"),
        ("Statistic", "Total"),
        ("instance activity stats",),
    ),
    Section(
        "activity_states",
        ("instance activity",),
        ("Statistic", "Begin Value", "End Value"),
        ("instance activity stats",),
    ),
    Section("threads", ("thread activity",), ("Statistic", "Total"), ("instance activity stats - thread",)),
    Section("io_function", ("the io statistics for different functions",), ("Function Name", "Reads: Data")),
    Section("io_filetype", ("io statistics for different file types",), ("Filetype Name", "Reads: Data")),
    Section(
        "io_file",
        ("io statistics for different physical files",),
        ("Tablespace", "Filename", "Reads"),
        ("file io stats",),
    ),
    Section(
        "io_tablespace", ("io statistics for different tablespaces",), ("Tablespace", "Reads"), ("tablespace io stats",)
    ),
    Section("buffer_pools", ("buffer pool statistics",), ("P", "Buffer Gets"), ("buffer pool statistics",)),
    Section("segments", (_SEGMENTS,), ("Owner", "Object Name"), ("segments by",)),
    Section("parameters", ("name and value of",), ("Parameter Name", "Begin value"), ("init.ora parameters",)),
)
"""The tables of a report of one instance."""

CLUSTER_SECTIONS = (
    Section("summary", ("database summary",)),
    Section("instances", ("database instances included in report",), ("I#", "Instance")),
    Section("os", ("os statistics by instance",), ("I#",)),
    Section("time_model", ("time model.",), ("I#", "DB time (s)")),
    Section("fg_classes", ("foreground wait classes.",), ("I#", "DB CPU (s)")),
    Section("fg_events", ("foreground wait event information", "top timed foreground"), ("I#", "Event", "Waits")),
    Section("bg_events", ("background wait event information", "top timed background"), ("I#", "Event", "Waits")),
    Section("activity", ("system statistics (global)", "global messaging statistics (global)"), ("Statistic", "Total")),
    Section("load", ("system statistics.",), ("I#", "Logical Reads")),
    Section("sql", ("sql ordered by ",), _STATEMENT),
    Section("sql_text", ("the text of the sql", "complete list of sql text"), ("SQL Id", "SQL Text")),
    Section("ash_sql", ("the top sql by top", "the top sqls with top"), ("SQL ID", "Plan Hash")),
    Section("segments", ("segment statistics (global)",), ("Owner", "Object Name")),
    Section("parameters", ("values for init.ora", "init.ora"), ("Parameter Name", "Begin value")),
)
"""The tables of a report of all instances of a cluster."""


@record
class SectionTable:
    """A table and what it is; `section` is None where its columns are not those that its summary promises."""

    table: HtmlTable
    section: Section | None


def find_sections(tables: tuple[HtmlTable, ...], sections: tuple[Section, ...]) -> list[SectionTable]:
    """The known tables among `tables`, in their order."""
    matches = []
    for table in tables:
        candidates = _by_summary(table, sections) if table.key else _by_title(table, sections)
        fitting = [section for section in candidates if _fits(table, section)]
        if fitting:
            matches.append(SectionTable(table, fitting[0]))
        elif candidates and table.key:
            matches.append(SectionTable(table, None))
    return matches


def _fits(table: HtmlTable, section: Section) -> bool:
    if not section.columns:
        return bool(table.rows)
    return table.has(*section.columns)


def _by_summary(table: HtmlTable, sections: tuple[Section, ...]) -> list[Section]:
    key = f"{_OPENING.sub('', table.key)}."  # ``Time Model`` is another table than ``Time Model - % of DB time``
    return [section for section in sections if key.startswith(section.summaries)]


def _by_title(table: HtmlTable, sections: tuple[Section, ...]) -> list[Section]:
    """The heading nearest to the table says it; one further up belongs to a section without a table."""
    titles = [note.text.casefold() for note in table.notes]
    nearest = {}
    for section in sections:
        places = [index for index, title in enumerate(titles) if section.titles and title.startswith(section.titles)]
        if places or section.alone:
            nearest[section.name] = max(places, default=-1)
    named = [section for section in sections if section.name in nearest]
    return sorted(named, key=lambda section: -nearest[section.name])
