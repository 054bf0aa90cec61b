"""What a database tells of itself: counters at a moment, totals of a period, and what they may be used for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from tunebench.core.records import record


class Engine(StrEnum):
    ORACLE = "oracle"
    TIBERO = "tibero"
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"
    MARIADB = "mariadb"


class Reach(StrEnum):
    """What the figures of a record cover."""

    PERIOD = "period"  # what was added between two moments
    COUNTERS = "counters"  # what has been added up since the server started or its statistics were reset


class Fault(StrEnum):
    """Why the figures of a period are not, or not wholly, those of the time between its ends."""

    RESTART = "restart"  # the server started anew inside
    RESET = "reset"  # its statistics were set back inside
    NEGATIVE = "negative"  # a counter went down although neither was seen
    OTHER_DATABASE = "other_database"  # the two ends are not of one database or instance
    EVICTED = "evicted"  # statements were dropped from the list inside
    TRUNCATED = "truncated"  # the capture was cut off
    CPU_COUNT = "cpu_count"  # the number of processors differs between the ends
    SINCE_START = "since_start"  # no first snapshot: the figures reach back to the start or the last reset
    PREPARED_UNSEEN = "prepared_unseen"  # prepared statements ran that the statement list does not hold
    UNTIMED = "untimed"  # the capture does not say when

    @property
    def invalidates(self) -> bool:
        """Whether no figure of the period may be shown or compared."""
        return self in (Fault.RESTART, Fault.NEGATIVE, Fault.OTHER_DATABASE)


@record
class DatabaseIdentity:
    """Which database a record is of; empty or None is not told.

    Attributes:
        db_id: Oracle's DBID, PostgreSQL's system identifier, MySQL's server_uuid.
        instance: name of the instance; ``*`` for all instances of a cluster taken together.
        container: pluggable database (Oracle) or database of the cluster (PostgreSQL) the capture is confined to.
    """

    engine: str
    name: str = ""
    db_id: str = ""
    unique_name: str = ""
    instance: str = ""
    instance_number: int | None = None
    container: str = ""
    version: str = ""
    edition: str = ""
    role: str = ""
    host: str = ""
    platform: str = ""
    clustered: bool | None = None
    cpu_count: int | None = None
    core_count: int | None = None
    socket_count: int | None = None
    memory_bytes: float | None = None

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The key by which captures of the same database find each other."""
        return self.engine, self.db_id or self.name.upper(), self.container, self.instance

    @property
    def label(self) -> str:
        """``ORCL/orcl1 (PDB1)``, as people call it."""
        names = "/".join(name for name in (self.name or self.db_id, self.instance) if name)
        return f"{names} ({self.container})" if self.container else names or self.host or self.engine


@record
class Moment:
    """One end of a period.

    Attributes:
        time_ns: UTC; None where the capture does not say.
        snapshot: the database's own number of the snapshot.
        started_ns: when the instance had started.
        reset_ns: when its statistics were last set back, where it says so.
        evictions: statements dropped from the list so far.
    """

    time_ns: int | None = None
    snapshot: int | None = None
    started_ns: int | None = None
    reset_ns: int | None = None
    evictions: int | None = None
    sessions: int | None = None


class Behaviour(StrEnum):
    """How a figure behaves between two moments and over several periods."""

    COUNTER = "counter"  # grows; may be subtracted and added up
    SHARE = "share"  # a rate or percentage; over several periods the mean weighted by their lengths
    STATE = "state"  # holds at a moment; the last one counts
    EXTREME = "extreme"  # the largest since the beginning; cannot be subtracted


@record
class FigureShape:
    """One column of numbers: UCUM unit and behaviour."""

    unit: str
    behaviour: Behaviour = Behaviour.COUNTER


@record
class TableShape:
    """The columns a table may have.

    Attributes:
        keys: columns of text that together name a row.
        texts: columns of text beside them.
        figures: columns of numbers.
    """

    keys: tuple[str, ...]
    figures: Mapping[str, FigureShape]
    texts: tuple[str, ...] = ()


def _figures(**units: str) -> Mapping[str, FigureShape]:
    """``name="unit"`` or ``name="unit behaviour"``."""
    shapes = {}
    for name, words in units.items():
        unit, _, behaviour = words.partition(" ")
        shapes[name] = FigureShape(unit, Behaviour(behaviour or "counter"))
    return MappingProxyType(shapes)


class StatementKey(NamedTuple):
    """What names a statement of a database; plan, user and module are below it.

    Attributes:
        id: the engine's own; the same text has the same one in several schemas or pluggable databases.
        container: schema (MySQL), database of the cluster (PostgreSQL), pluggable database (Oracle); empty: not told.
    """

    id: str
    container: str = ""

    @property
    def reference(self) -> str:
        """``121ffmrc95v7g@PDB1``: what people and records call the statement of one container by."""
        return f"{self.id}@{self.container}" if self.container else self.id

    def answers_to(self, reference: str) -> bool:
        """An id alone means the statement in all its containers."""
        return reference in (self.id, self.reference)


STATEMENT_FIGURES = _figures(
    executions="1",
    elapsed_s="s",
    elapsed_squares="s2",
    cpu_s="s",
    io_wait_s="s",
    lock_wait_s="s",
    cluster_wait_s="s",
    application_wait_s="s",
    planning_s="s",
    plans="1",
    block_gets="{block}",
    block_reads="{block}",
    block_writes="{block}",
    blocks_dirtied="{block}",
    temp_blocks="{block}",
    wal_bytes="By",
    rows="{row}",
    rows_examined="{row}",
    parse_calls="1",
    sorts="1",
    sort_merge_passes="1",
    temp_tables="1",
    temp_disk_tables="1",
    full_scans="1",
    no_index_used="1",
    errors="1",
    warnings="1",
    loads="1",
    invalidations="1",
    bytes_sent="By",
    elapsed_min_s="s extreme",
    elapsed_max_s="s extreme",
    sharable_bytes="By state",
    version_count="1 state",
    first_seen_ns="ns state",
    last_seen_ns="ns state",
    periods="1 state",
)
"""Totals over all executions, one row per statement and plan. `block_gets` counts blocks the statement looked at in
memory or had read (Oracle: buffer gets; PostgreSQL: shared and local blocks hit + read; MySQL: pages accessed, slow log
only), `block_reads` those that were not in the database's memory. `rows` are returned or changed rows.
`elapsed_squares`: each execution's time squared, added up; with the sum and the count it gives the standard deviation.
`periods`: of a row that several periods were combined in, how many of them report it."""

TABLES: Mapping[str, TableShape] = MappingProxyType(
    {
        "statement": TableShape(
            ("statement_id", "plan", "container", "user", "module"), STATEMENT_FIGURES, ("signature", "seen_in")
        ),
        # what a list that ends somewhere says of the statements it leaves out; `figure` is one of STATEMENT_FIGURES
        "statement_list": TableShape(
            ("figure",), _figures(rows="1 state", least="1 state", covered_pct="% share", threshold_pct="% state")
        ),
        # complete: 1 where the text is whole, 0 where the capture cut it
        "statement_text": TableShape(("statement_id",), _figures(complete="1 state"), ("text",)),
        "plan": TableShape(("statement_id", "plan"), _figures(), ("text",)),
        "load": TableShape(
            ("name",),
            _figures(total="1", per_second="1/s share", per_transaction="1 share", per_execution="1 share"),
            ("native", "unit"),
        ),
        "time_model": TableShape(("name",), _figures(time_s="s", share_pct="% share")),
        "wait_class": TableShape(
            ("wait_class", "ground"), _figures(waits="1", timeouts="1", time_s="s", share_pct="% share")
        ),
        "wait_event": TableShape(
            ("event", "ground"),
            _figures(waits="1", timeouts="1", time_s="s", samples="1", share_pct="% share", longest_s="s extreme"),
            ("wait_class",),
        ),
        "activity": TableShape(("scope", "name"), _figures(total="1"), ("unit",)),
        "state": TableShape(("scope", "name"), _figures(begin="1 state", end="1 state"), ("unit",)),
        "io": TableShape(
            ("kind", "name", "file"),
            _figures(
                reads="1",
                read_bytes="By",
                read_blocks="{block}",
                read_time_s="s",
                writes="1",
                write_bytes="By",
                write_blocks="{block}",
                write_time_s="s",
                gets="{block}",
                waits="1",
                wait_time_s="s",
                reads_per_s="1/s share",
                writes_per_s="1/s share",
                read_avg_s="s share",
                write_avg_s="s share",
                wait_avg_s="s share",  # as a report prints them that does not print the totals behind them
            ),
        ),
        "segment": TableShape(
            ("owner", "name", "subname", "kind", "container", "statistic"),
            _figures(value="1", share_pct="% share"),
            ("tablespace",),
        ),
        # sightings of sessions that wait for a lock, and of the session at the head of the queue; statements are named
        # by the engine's id, or by their text without literals; `holder` is empty where the capture does not tell which
        "lock_wait": TableShape(
            (
                "event",
                "statement_id",
                "statement",
                "container",
                "object",
                "holder",
                "holder_state",
                "holder_statement_id",
                "holder_statement",
            ),
            _figures(samples="1", waited_s="s extreme", held_s="s extreme"),
        ),
        "parameter": TableShape(("name", "scope"), _figures(), ("begin", "end", "unit")),
        "fact": TableShape(("scope", "name"), _figures(), ("value",)),
    }
)
"""The tables of a record. ``ground`` is ``foreground``, ``background`` or empty where the capture does not part them;
``scope`` the section or object the name is of (``os``, a database, a buffer pool). Names of `load` and `time_model`
are canonical (`LOAD_NAMES`, `TIME_NAMES`), with what the capture printed in `native`; others are as printed."""

LOAD_NAMES = (
    "db_time", "db_cpu", "background_cpu", "redo_bytes", "logical_reads", "block_changes", "physical_reads",
    "physical_writes", "read_requests", "write_requests", "read_bytes", "write_bytes", "user_calls", "parses",
    "hard_parses", "sorts", "logons", "executions", "rollbacks", "transactions", "commits", "rows_read", "rows_changed",
    "questions", "connections", "temp_bytes", "temp_files", "deadlocks", "wal_bytes", "slow_statements",
    "user_logons", "cluster_blocks_received", "cluster_blocks_served", "work_area_bytes",
)  # fmt: skip
TIME_NAMES = (
    "db_time",
    "db_cpu",
    "background_time",
    "background_cpu",
    "sql_execution",
    "parse",
    "hard_parse",
    "plsql_execution",
    "plsql_compilation",
    "connection_management",
    "sequence_load",
    "repeated_bind",
    "rman_cpu",
    "java_execution",
    "failed_parse",
    "hard_parse_sharing",
    "hard_parse_bind_mismatch",
    "inbound_plsql",
    "planning",
)
