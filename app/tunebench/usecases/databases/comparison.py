"""A database before against after: statements, profile, parameters, and what must be known to read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import product
from zoneinfo import ZoneInfo

from tunebench.analysis.comparing.calendar_slots import Calendars
from tunebench.analysis.comparing.deciding import ASSUMED_SD
from tunebench.analysis.comparing.judging import LEAST_S
from tunebench.analysis.databases.database_time import TimeChange, compare_time
from tunebench.analysis.databases.explained import Explanation, explained
from tunebench.analysis.databases.matching import ManualLink
from tunebench.analysis.databases.profile import compare_profiles
from tunebench.analysis.databases.profile_lines import ProfileComparison
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.analysis.databases.statement_changes import compare_statements, is_short
from tunebench.analysis.databases.statement_comparison import Coverage, StatementComparison
from tunebench.analysis.databases.statement_subtraction import NEGATIVE
from tunebench.analysis.databases.subtraction import period_between
from tunebench.analysis.inference.occurrences import Prior
from tunebench.core import records
from tunebench.core.errors import UserError
from tunebench.domain.databases.choices import LicenceConfirmation
from tunebench.domain.databases.records import Fault
from tunebench.domain.windows import Window, stretch_text
from tunebench.store import hosts
from tunebench.store.databases import licences, statement_links
from tunebench.store.databases.records import StoredRecord
from tunebench.store.project import Project
from tunebench.usecases.comparing.clocks import calendars_of
from tunebench.usecases.databases.occurrences import like_days, like_periods, load_of_sides, occurrences, span_of
from tunebench.usecases.databases.other_windows import other_days
from tunebench.usecases.databases.periods import BREAKS, Period
from tunebench.usecases.databases.sides import Caution, Side, overlap, require, side
from tunebench.usecases.databases.snapshots import (
    Database,
    Snapshot,
    databases,
    find_database,
    pair_databases,
    read_snapshots,
)

MOST_DIFFERENCE = 0.10
"""Periods whose lengths differ by a larger part of the longer one are compared with a warning."""
LEAST_COVERAGE_PCT = 50.0
"""Statements that explain a smaller part of DB time say little about the database as a whole."""
_NEARLY = 0.98
"""Of the least length of a window, which is that of host series: what minutes of production show may be their own,
whoever measured them. Snapshots come some seconds early or late."""
Of = int | Window
"""A whole run, or a window."""
_AWR = ("awr_html", "awr_global_html", "awr_text", "awr_compare_html", "dba_hist")
LICENSED = dict.fromkeys(_AWR, "oracle.diagnostics_pack")
"""Kinds of captures that may only be made with a licence."""
_HOUR_S = 3600
_DAY_S = 86_400


@records.record
class DatabaseComparison:
    """Two sides of one database, or of two that a person compares.

    Attributes:
        profile: time, waits, load, and the parameters that differ between the sides or changed inside one.
        time, explanation: None where a side tells no DB time.
        cautions: of the comparison; each side has its own besides.
    """

    before: Side
    after: Side
    statements: StatementComparison
    profile: ProfileComparison
    time: TimeChange | None
    explanation: Explanation | None
    cautions: tuple[Caution, ...]


def pairs(project: Project, one: Of, other: Of) -> list[tuple[Database, Database]]:
    """Which database of one run or window is compared with which of the other, where that is beyond doubt."""
    return pair_databases(databases(project, one), databases(project, other))


def largest_first(project: Project, one: Of, other: Of) -> list[tuple[Database, Database]]:
    """The `pairs`, the one with the most statements first."""

    def statements(pair: tuple[Database, Database]) -> int:
        return max(record.rows.get("statement", 0) for database in pair for record in database.records)

    return sorted(pairs(project, one, other), key=statements, reverse=True)


def choose(
    project: Project, one: Of, other: Of, database: str = "", after_database: str = ""
) -> tuple[Database, Database]:
    """The databases to compare.

    Args:
        database: what it answers to before, and after where nothing else is said; empty: the only pair there is.

    Raises:
        UserError: database_missing, database_unknown, database_unclear.
    """
    earlier_databases, later = databases(project, one), databases(project, other)
    sure = pair_databases(earlier_databases, later)
    if not database and len(sure) == 1 and not after_database:
        return sure[0]
    earlier = find_database(earlier_databases, database)
    partner = next((second for first, second in sure if first is earlier), None)
    if after_database or partner is None:
        return earlier, find_database(later, after_database)
    return earlier, partner


def compare(
    project: Project, one: Of, other: Of, database: str = "", after_database: str = "", source: str = ""
) -> DatabaseComparison:
    """One database in two runs or windows.

    Args:
        source: one kind of captures only, on both sides.

    Raises:
        UserError: database_missing, database_unknown, database_unclear, database_without_source,
            database_no_valid_period, database_one_snapshot.
    """
    first, second = choose(project, one, other, database, after_database)
    return compare_pair(project, one, other, first, second, source)


def compare_pair(
    project: Project, one: Of, other: Of, first: Database, second: Database, source: str = ""
) -> DatabaseComparison:
    """Raises UserError database_without_source, database_no_valid_period, database_one_snapshot."""
    before = side(project, one, first, source=source)
    after = side(project, other, second, source=source)
    require(before), require(after)
    _check_apart(project, before, after)
    load = load_of_sides(project, before, after)
    calendars = calendars_of(project, *(of if isinstance(of, Window) else None for of in (one, other)))
    alike = like_days(before, after, calendars, load)
    unlike: tuple[Caution, ...] = ()
    if alike is not None:  # totals and load would else be those of other days than the verdicts are of
        kept, left_out = alike
        before = side(project, one, replace(before.database, within=kept[0]))
        after = side(project, other, replace(after.database, within=kept[1]))
        days = [
            stretch_text(stretch.span, own.zone)
            for side_, own in zip(left_out, calendars, strict=True)
            for stretch in side_
        ]
        unlike = (Caution("days_left_out", {"days": ", ".join(days)}),)
    earlier, later = require(before), require(after)
    least_s, natural = _NEARLY * LEAST_S[load], Prior(ASSUMED_SD[load])
    heads: tuple[list[DatabaseRecord], list[DatabaseRecord]] = ([], [])
    first_side, second_side = (
        _noting(occurrences(project, of_database, own.zone, least_s), noted)
        for of_database, own, noted in zip((before, after), calendars, heads, strict=True)
    )
    links = manual_links(project, str(earlier.identity.engine))
    others: list[tuple[str, list[DatabaseRecord]]] = []

    def elsewhere() -> list[tuple[str, list[DatabaseRecord]]]:
        """Where the compared days tell no variation."""
        spans = [span for side in heads for record in side if (span := span_of(record)) is not None]
        if len(spans) == len(heads[0]) + len(heads[1]) and len(heads[0]) == len(heads[1]) == 1:
            others.extend(other_days(project, first, spans, load, calendars[0], least_s))
        return others

    statements = compare_statements(
        earlier,
        later,
        links,
        periods=(first_side, second_side),
        like=lambda: like_periods(*heads, calendars, load),
        least_s=least_s,
        natural=natural,
        others=elsewhere,
    )
    short = is_short((earlier, later), least_s)
    time = compare_time(*heads, statements.margin, natural, like_periods(*heads, calendars, load), short, others)
    licensed = _licences(project, before, after)
    cautions = (*unlike, *_cautions(earlier, later, calendars), *_coverage(statements.coverage), *licensed)
    profile = compare_profiles(earlier, later)
    return DatabaseComparison(before, after, statements, profile, time, explained(statements, profile), cautions)


def _check_apart(project: Project, before: Side, after: Side) -> None:
    """One snapshot alone holds everything since the start or the last reset: no window where that reaches into the
    time of the other side.

    Raises:
        UserError: database_one_snapshot.
    """
    for one, other in product(before.used, after.used):
        lone = [period for period in (one, other) if Fault.SINCE_START in period.record.faults]
        if lone and (overlap(one, other) > 0 or (len(lone) > 1 and _goes_on(project, one, other))):
            raise UserError("database_one_snapshot", database=before.database.label)


def _goes_on(project: Project, one: Period, other: Period) -> bool:
    """Whether the counters of one snapshot are those of the other, further on: nothing fell, nothing was reset."""
    records = list(read_snapshots(project, [Snapshot(one.parts), Snapshot(other.parts)]))
    if all(record.end.time_ns is not None for record in records):
        records.sort(key=lambda record: record.end.time_ns or 0)
    between = period_between(*records)
    fell = any(NEGATIVE in words.split() for words in between.table("statement").text("seen_in"))
    return not fell and BREAKS.isdisjoint(between.faults)


def _noting(records: Iterator[DatabaseRecord], heads: list[DatabaseRecord]) -> Iterator[DatabaseRecord]:
    """The records one by one; what stays of each is all but its statements."""
    for record in records:
        heads.append(replace(record, tables={name: record.tables[name] for name in ("load",) if name in record.tables}))
        yield record


def manual_links(project: Project, engine: str) -> list[ManualLink]:
    """What people said of the statements of an engine."""
    return [
        ManualLink(link.before_id, link.after_id, link.author, link.note)
        for link in statement_links.list_links(project, engine)
    ]


# -- whether the two periods can be compared -----------------------------------------------------------


def _cautions(before: DatabaseRecord, after: DatabaseRecord, calendars: Calendars) -> Iterable[Caution]:
    yield from _lengths(before, after)
    if Fault.SINCE_START not in (*before.faults, *after.faults):
        yield from _calendar(before, after, calendars)
    for name in ("cpu_count", "version", "memory_bytes"):
        one, other = getattr(before.identity, name), getattr(after.identity, name)
        if one and other and one != other:
            yield Caution(f"{name}_differs", {"before": one, "after": other})
    if before.identity.db_id and after.identity.db_id and before.identity.db_id != after.identity.db_id:
        facts: dict[str, object] = {"before": before.identity.label, "after": after.identity.label}
        yield Caution("other_database", facts)


def host_names(project: Project) -> dict[int, str]:
    return {host.id: host.name for host in hosts.list_hosts(project)}


def is_unconfirmed(
    stored: StoredRecord, database: Database, given: Sequence[LicenceConfirmation], names: Mapping[int, str]
) -> bool:
    """Whether a licence is needed for this capture, and no confirmation is for its host and database."""
    subject = LICENSED.get(stored.head.source)
    if subject is None:
        return False
    host = names.get(stored.host_id or 0, "") or database.host
    known_as = (database.identity.name, database.identity.unique_name, database.id, database.label)
    return not any(confirmation.covers(subject, host, name) for confirmation in given for name in known_as)


def _licences(project: Project, *sides: Side) -> Iterable[Caution]:
    """Figures that licensed customers only may have, where nobody confirmed that the customer of this database is."""
    given, names = licences.list_confirmations(project), host_names(project)
    used = [(part, side.database) for side in sides for period in side.used for part in period.parts]
    if any(is_unconfirmed(part, database, given, names) for part, database in used):
        yield Caution("licence_unconfirmed")


def _coverage(coverage: Coverage) -> Iterable[Caution]:
    """Nothing where it is not known: that is so of every export of statements alone."""
    shares = {"before_pct": coverage.before_pct, "after_pct": coverage.after_pct}
    if any(share is not None and share < LEAST_COVERAGE_PCT for share in shares.values()):
        yield Caution("coverage_low", dict(shares))


def _lengths(before: DatabaseRecord, after: DatabaseRecord) -> Iterable[Caution]:
    one, other = before.elapsed_s, after.elapsed_s
    if not one or not other:
        yield Caution("period_length_unknown")
    elif abs(one - other) > MOST_DIFFERENCE * max(one, other):
        yield Caution("period_lengths_differ", {"before_s": one, "after_s": other})


def _calendar(before: DatabaseRecord, after: DatabaseRecord, calendars: Calendars) -> Iterable[Caution]:
    """Other days of the week and other hours have other work."""
    began = [_began(record, own.zone) for record, own in zip((before, after), calendars, strict=True)]
    if began[0] is None or began[1] is None:
        return
    if began[0].weekday() != began[1].weekday():
        yield Caution(
            "period_weekdays_differ", {"before_weekday": began[0].weekday(), "after_weekday": began[1].weekday()}
        )
    apart_s = abs(_second_of_day(began[0]) - _second_of_day(began[1]))
    if min(apart_s, _DAY_S - apart_s) >= _HOUR_S:
        yield Caution("period_hours_differ", {"before": f"{began[0]:%H:%M}", "after": f"{began[1]:%H:%M}"})


def _began(record: DatabaseRecord, zone: ZoneInfo) -> datetime | None:
    time_ns = None if record.begin is None else record.begin.time_ns
    return None if time_ns is None else datetime.fromtimestamp(time_ns // 1_000_000_000, tz=zone)


def _second_of_day(moment: datetime) -> int:
    return moment.hour * 3600 + moment.minute * 60 + moment.second
