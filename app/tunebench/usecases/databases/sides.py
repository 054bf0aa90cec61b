"""One side of a comparison: everything that the captures of a run say of a database, as one period."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from tunebench.analysis.databases.combination import combined
from tunebench.analysis.databases.profile import is_sampled, sample_rounds
from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.databases.records import Fault
from tunebench.domain.windows import Window
from tunebench.store.project import Project
from tunebench.usecases.databases.periods import TELLING, Period, Spans, artefacts_by_table, reported_periods, spans
from tunebench.usecases.databases.snapshots import Database, by_stretch, databases, find_database

OVERLAP = 0.05
"""Periods that share more than this part of the shorter one are of the same time, and are not added up."""
_ALIKE, _SLICED, _MOSTLY = 0.1, 0.15, 0.5
"""By so much the time of a capture may differ from that of the periods that lack what it has; that of samples, which
come in slices, by more. A slice is of their time when most of it is."""


@record
class Caution:
    """A warning for the reader of the figures; `key` is below ``database.warning.``."""

    key: str
    facts: dict[str, object] = field(default_factory=dict)


@record
class Side:
    """A database in a run or a window.

    Attributes:
        run_id: of a window the run of the first period that is used.
        record: all valid periods as one; None where there is none.
        used, left_out: the periods it is made of, and those that it is not.
        artefacts: table -> captures in which its rows stand.
    """

    run_id: int
    database: Database
    record: DatabaseRecord | None
    used: tuple[Period, ...]
    left_out: tuple[Period, ...]
    artefacts: Mapping[str, tuple[int, ...]]
    cautions: tuple[Caution, ...]


def side(
    project: Project,
    of: int | Window,
    database: str | Database = "",
    names: Sequence[str] | None = None,
    source: str = "",
) -> Side:
    """Everything of one database of a run or a window.

    Args:
        database: what it answers to; empty where the run has only one.
        names: of the tables that are read; all where none are named.
        source: one kind of captures only (`Database.sources`); all kinds where none is named.

    Raises:
        UserError: database_missing, database_unknown, database_unclear, database_without_source.
    """
    names = None if names is None else (*names, *TELLING)
    if isinstance(database, str):
        database = find_database(databases(project, of), database)
    if source:
        database = _of_source(database, source)
    between = [spans(project, taken, names) for taken in by_stretch(project, database)]
    reported = list(reported_periods(project, database, names))
    every = (*reported, *(period for stretch in between for period in stretch.used))
    chosen, overlapping = _without_overlaps([period for period in every if period.record.valid])
    invalid = [period for period in reported if not period.record.valid]
    invalid += [period for stretch in between for period in stretch.left_out]
    records = [period.record for period in chosen]
    record = combined(records) if len(records) > 1 else next(iter(records), None)
    used = list(chosen)
    if record is not None:
        for more in _sampled_together(overlapping, chosen):
            added = _missing_tables(record, more)
            if added.tables != record.tables:
                record = added
                used += [
                    period for period in overlapping if period is more or period.record.source == more.record.source
                ]
    left_out = tuple(period for period in (*overlapping, *invalid) if period not in used)
    cautions = (*_invalid(between, invalid), *_cautions(record, overlapping, used))
    run_id = of if isinstance(of, int) else next((part.run_id for period in used for part in period.parts), 0)
    return Side(run_id, database, record, tuple(used), left_out, artefacts_by_table(used), cautions)


def _of_source(database: Database, source: str) -> Database:
    records = tuple(record for record in database.records if record.head.source == source)
    if not records:
        sources = ", ".join(database.sources)
        raise UserError("database_without_source", database=database.id, source=source, known=sources)
    return replace(database, records=records)


def require(own: Side) -> DatabaseRecord:
    """The side's record.

    Raises:
        UserError: database_no_valid_period; database_no_period_inside where nothing of it lies in the window.
    """
    if own.record is None and own.database.within and not own.left_out:
        raise UserError("database_no_period_inside", database=own.database.id)
    if own.record is None:
        raise UserError("database_no_valid_period", database=own.database.id)
    return own.record


# -- periods of the same time --------------------------------------------------------------------------


def _without_overlaps(periods: Sequence[Period]) -> tuple[list[Period], list[Period]]:
    """Periods that may be added up, and those whose time others cover (`_rank`)."""
    chosen: list[Period] = []
    others: list[Period] = []
    for period in sorted(periods, key=_rank):
        # Samples are not added to periods that count: their sum would be spread over the time of both.
        apart = is_sampled(period.record) and any(not is_sampled(other.record) for other in chosen)
        (others if apart or any(overlap(period, other) > OVERLAP for other in chosen) else chosen).append(period)
    chosen.sort(key=lambda period: (period.end_ns is None, period.end_ns or 0, period.parts[0].id))
    return chosen, others


def _rank(period: Period) -> tuple[bool, bool, bool, bool, float, int, int]:
    """Those with statements go first, then those that count and do not sample, that do not reach back to a start, that
    list all statements, the longer ones, and those that list more.
    """
    statements = len(period.record.table("statement"))
    ends_somewhere = any("statement_list" in part.rows for part in period.parts)
    reaches_back = Fault.SINCE_START in period.record.faults
    length_s = period.length_s or 0.0
    sampled = is_sampled(period.record)
    return not statements, sampled, reaches_back, ends_somewhere, -length_s, -statements, period.parts[0].id


def overlap(one: Period, other: Period) -> float:
    """Share of the shorter one; 0 where one does not say when it was."""
    if one.begin_ns is None or one.end_ns is None or other.begin_ns is None or other.end_ns is None:
        return 0.0
    shared = min(one.end_ns, other.end_ns) - max(one.begin_ns, other.begin_ns)
    shorter = min(one.end_ns - one.begin_ns, other.end_ns - other.begin_ns)
    return shared / shorter if shorter > 0 else 0.0


def _sampled_together(periods: Sequence[Period], chosen: Sequence[Period]) -> Iterator[Period]:
    """Slices of samples of one source as one period, as far as they are of the time of those chosen; all others as
    they are."""
    slices: dict[str, list[Period]] = {}
    for period in periods:
        if not is_sampled(period.record):
            yield period
        elif any(overlap(period, other) >= _MOSTLY for other in chosen):
            slices.setdefault(period.record.source, []).append(period)
    for own in slices.values():
        parts = {part.id: part for period in own for part in period.parts}
        yield own[0] if len(own) == 1 else Period(combined([period.record for period in own]), tuple(parts.values()))


def _missing_tables(record: DatabaseRecord, more: Period) -> DatabaseRecord:
    """The record with the tables that only another capture of the same time has."""
    length_s, own_s = _covered_s(more), record.elapsed_s
    alike = _SLICED if is_sampled(more.record) else _ALIKE
    if not length_s or not own_s or abs(length_s - own_s) > alike * own_s:
        return record
    return replace(record, tables={**more.record.tables, **record.tables})


def _covered_s(period: Period) -> float | None:
    """Of samples, each of which stands for an interval, one interval more than lies between the first and the last."""
    length_s = period.length_s
    rounds = sample_rounds(period.record) if is_sampled(period.record) else 0.0
    return length_s * rounds / (rounds - 1) if length_s and rounds > 1 else length_s


# -- what must be known --------------------------------------------------------------------------------


def _invalid(between: Sequence[Spans], invalid: Sequence[Period]) -> list[Caution]:
    parts = sum(len(stretch.used) for stretch in between if len(stretch.used) > 1)
    if parts:
        inside = Caution("period_in_parts", {"count": parts})
        return [inside, *(_left_out(period) for period in invalid)]
    return [_left_out(period) for period in invalid]


def _left_out(period: Period) -> Caution:
    faults = [str(fault) for fault in period.record.faults if fault.invalidates]
    return Caution(
        "period_left_out", {"begin_ns": period.begin_ns, "end_ns": period.end_ns, "faults": faults, **_name_of(period)}
    )


def _name_of(period: Period) -> dict[str, object]:
    return {"source": period.record.source, "artefact_id": period.parts[0].artefact_id}


def _cautions(record: DatabaseRecord | None, overlapping: Sequence[Period], used: Sequence[Period]) -> list[Caution]:
    if record is None:
        return [Caution("no_valid_period")]
    others = [
        period for period in overlapping if period not in used and any(overlap(period, one) > OVERLAP for one in used)
    ]
    cautions = [Caution("period_overlaps", _name_of(period)) for period in others]
    sources = sorted({period.record.source for period in used if "statement" in period.record.tables})
    if len(sources) > 1:
        cautions.append(Caution("sources_mixed", {"sources": sources}))
    return cautions + [Caution(f"fault_{fault}") for fault in record.faults]
