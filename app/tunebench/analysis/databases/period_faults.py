"""What speaks against taking the difference of two snapshots for the time between them."""

from __future__ import annotations

from collections.abc import Iterator

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.domain.databases.records import DatabaseIdentity, Engine, Fault

RESET_FACT = "stats_reset"
"""Facts of this name tell when the statistics of their scope (a view) were last set back."""
_START_JITTER_NS = 5_000_000_000
"""A start that is computed from an uptime in seconds wanders by so much."""
_START_ROUNDING_NS = 1_500_000_000
"""What whole seconds of an uptime and of a clock make of the same start."""
_DATABASE_TABLES = ("load", "time_model", "wait_class")
"""What is made of the counters of databases."""
LOAD_OF_VIEWS = {
    "pg_stat_wal": frozenset({"wal_bytes"}),
    "pg_stat_bgwriter": frozenset({"physical_writes"}),
    "pg_stat_checkpointer": frozenset({"physical_writes"}),
    "pg_stat_io": frozenset({"physical_writes"}),
}
"""Rows of the load profile that are made of a view of their own."""
_STATEMENT_RESET_ENGINES = frozenset({Engine.POSTGRESQL, Engine.MYSQL, Engine.MARIADB})


def faults_between(earlier: DatabaseRecord, later: DatabaseRecord) -> Iterator[Fault]:
    """The faults that two records show by themselves, before their counters are looked at."""
    if _are_of_different_databases(earlier.identity, later.identity):
        yield Fault.OTHER_DATABASE
    if has_restarted(earlier, later):
        yield Fault.RESTART
    if reset_scopes(earlier, later) or has_reset(earlier, later):
        yield Fault.RESET
    if has_evicted(earlier, later):
        yield Fault.EVICTED
    counts = (earlier.identity.cpu_count, later.identity.cpu_count)
    if None not in counts and counts[0] != counts[1]:
        yield Fault.CPU_COUNT
    if earlier.end.time_ns is None or later.end.time_ns is None:
        yield Fault.UNTIMED
    elif later.end.time_ns < earlier.end.time_ns:
        yield Fault.NEGATIVE


def has_restarted(earlier: DatabaseRecord, later: DatabaseRecord) -> bool:
    """A start that moved, and lies behind the earlier snapshot where that has a time; or an uptime that fell."""
    starts = (earlier.end.started_ns, later.end.started_ns)
    uptimes = (_uptime_s(earlier), _uptime_s(later))
    if uptimes[0] is not None and uptimes[1] is not None and uptimes[1] < uptimes[0]:
        return True
    if starts[0] is None or starts[1] is None or abs(starts[1] - starts[0]) <= _START_JITTER_NS:
        return False
    return earlier.end.time_ns is None or starts[1] > earlier.end.time_ns - _START_JITTER_NS


def start_moved(earlier: DatabaseRecord, later: DatabaseRecord) -> bool:
    """Whether the later start is another one than rounding makes it: a restart, where counters fell as well."""
    starts = (earlier.end.started_ns, later.end.started_ns)
    return starts[0] is not None and starts[1] is not None and starts[1] - starts[0] > _START_ROUNDING_NS


def has_reset(earlier: DatabaseRecord, later: DatabaseRecord) -> bool:
    """Whether the moment to which the statistics reach back moved."""
    return (
        later.end.reset_ns is not None
        and later.end.reset_ns != earlier.end.reset_ns
        and (
            earlier.end.reset_ns is not None or earlier.end.time_ns is None or later.end.reset_ns > earlier.end.time_ns
        )
    )


def has_evicted(earlier: DatabaseRecord, later: DatabaseRecord) -> bool:
    before, now = earlier.end.evictions, later.end.evictions
    return before is not None and now is not None and now > before


def evictions_known(earlier: DatabaseRecord, later: DatabaseRecord) -> bool:
    return earlier.end.evictions is not None and later.end.evictions is not None


def reset_scopes(earlier: DatabaseRecord, later: DatabaseRecord) -> frozenset[str]:
    """The views whose statistics were set back between the two, as facts of `RESET_FACT` tell."""
    before, now = _resets_of(earlier), _resets_of(later)
    return frozenset(scope for scope, value in now.items() if value and scope in before and before[scope] != value)


def reset_tables(earlier: DatabaseRecord, later: DatabaseRecord) -> frozenset[str]:
    """The tables whose counters began anew; rows of `activity` are judged by their own scope.

    The reset a snapshot as a whole tells of is that of the statements where the engine sets these back by
    themselves, and of everything elsewhere.
    """
    scopes = reset_scopes(earlier, later)
    tables = {table for scope in scopes for table in _tables_of(scope)}
    if has_reset(earlier, later):
        tables |= {"statement"} if later.identity.engine in _STATEMENT_RESET_ENGINES else set(later.tables)
    return frozenset(tables)


def _tables_of(scope: str) -> tuple[str, ...]:
    """A scope is a view, a view and a database in it, or a database."""
    view = scope.partition(" ")[0]
    if view.startswith("pg_stat_statements"):
        return ("statement",)
    if view == "pg_stat_io":
        return ("io",)
    return _DATABASE_TABLES if view == "pg_stat_database" or not view.startswith("pg_stat") else ()


def _resets_of(record: DatabaseRecord) -> dict[str, str]:
    facts = record.table("fact")
    rows = zip(facts.text("scope"), facts.text("name"), facts.text("value"), strict=True)
    return {scope: value for scope, name, value in rows if name == RESET_FACT}


def _uptime_s(record: DatabaseRecord) -> float | None:
    activity = record.table("activity")
    names = [name.lower() for name in activity.text("name")]
    return float(activity.figure("total")[names.index("uptime")]) if "uptime" in names else None


def _are_of_different_databases(one: DatabaseIdentity, other: DatabaseIdentity) -> bool:
    """Whether two records name different databases; a name that only one of them has does not count."""
    if one.engine != other.engine:
        return True
    pairs = [(one.container, other.container), (one.instance.lower(), other.instance.lower())]
    both_ids = one.db_id and other.db_id
    pairs.append((one.db_id, other.db_id) if both_ids else (one.name.upper(), other.name.upper()))
    return any(first and second and first != second for first, second in pairs)
