"""Where the time of two periods went, line by line (Millsap's Method R): DB time is processor time, waits, and a
rest that nothing accounts for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tunebench.analysis.databases.idle_waits import is_idle
from tunebench.analysis.databases.profile_lines import (
    Basis,
    HostLine,
    LineKind,
    LoadLine,
    ParameterChange,
    Portion,
    Profile,
    ProfileComparison,
    ProfileLine,
)
from tunebench.analysis.databases.rates import transactions, with_rates
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable
from tunebench.analysis.databases.side_by_side import HOST_SCOPE, counter_lines
from tunebench.analysis.databases.statement_time import times_statements_only
from tunebench.core.records import record
from tunebench.domain.databases.records import LOAD_NAMES, TABLES, TIME_NAMES


def compare_profiles(before: DatabaseRecord, after: DatabaseRecord, basis: Basis | None = None) -> ProfileComparison:
    """Compares two periods; by seconds of their lengths unless told otherwise or these are not known.

    Raises:
        ValueError: a period that is not valid.
    """
    if not (before.valid and after.valid):
        raise ValueError("a period that is not valid cannot be compared")
    chosen = basis or (Basis.PER_SECOND if before.elapsed_s and after.elapsed_s else Basis.TOTAL)
    sides = _Side.of(before, chosen), _Side.of(after, chosen)
    return ProfileComparison(
        basis=chosen,
        lengths_s=(before.elapsed_s, after.elapsed_s),
        db_times_s=(sides[0].db_time_s, sides[1].db_time_s),
        events=_profile(sides, "wait_event", "event"),
        classes=_classes(sides),
        time_model=_time_model(sides),
        load=_load_lines(before, after),
        parameters=_parameters(before, after),
        host=_host_lines(before, after),
        counters=counter_lines(before, after),
        times_statements=any(side.times_statements for side in sides),
    )


def is_sampled(record: DatabaseRecord) -> bool:
    """Whether its waits are sightings of active sessions, and not times."""
    events = record.table("wait_event")
    return bool(np.isnan(events.figure("time_s")).all() and not np.isnan(events.figure("samples")).all())


def time_by_class(record: DatabaseRecord) -> dict[tuple[LineKind, str], float]:
    """Average active sessions by what they spend their time on; empty where the record has no time of sessions.

    Samples count sessions in each round; times are divided by the period's length.
    """
    if is_sampled(record):
        rounds, side = sample_rounds(record), _Side.of(record, Basis.TOTAL)
        return {
            (LineKind.CPU, "db_cpu") if key[1] == ON_CPU else key: (portion.time_s or 0.0) / rounds
            for key, portion in (_waits(side, "wait_event", "wait_class", "samples") if rounds else {}).items()
        }
    if not record.elapsed_s:
        return {}
    side = _Side.of(record, Basis.PER_SECOND)
    if side.times_statements:
        portions = _of_statements(side)
        return {key: portion.amount for key, portion in portions.items() if portion.amount is not None}
    waits = _waits(side, "wait_class", "wait_class", "time_s") or _waits(side, "wait_event", "wait_class", "time_s")
    portions = _accounted(side, waits) if waits or side.db_time_s is not None else {}
    return {key: portion.amount for key, portion in portions.items() if portion.amount is not None}


ON_CPU = "CPU"
"""The class of samples of sessions that wait for nothing."""
ROUNDS = ("samples", "rounds")
"""Scope and name of the activity that counts how often sessions were looked at."""


def sample_rounds(record: DatabaseRecord) -> float:
    """How often sessions were sampled; 0 where a record does not say."""
    activity, facts = record.table("activity"), record.table("fact")
    counted = zip(activity.keys(), activity.figure("total").tolist(), strict=True)
    named = zip(facts.text("name"), facts.text("value"), strict=True)
    earlier = (float(value) for name, value in named if name == ROUNDS[1] and value.isdigit())
    return next((total for key, total in counted if key == ROUNDS), next(earlier, 0.0))


@record
class _Side:
    """A period with its DB time and what its times are divided by; `by` is None where that is not known."""

    record: DatabaseRecord
    db_time_s: float | None
    by: float | None

    @property
    def times_statements(self) -> bool:
        """Whether its DB time is that of its statements, of which its waits are no parts."""
        return self.db_time_s is not None and times_statements_only(str(self.record.identity.engine))

    @property
    def whole_s(self) -> float | None:
        """What its waits are parts of; None where that is not known."""
        return None if self.times_statements else self.db_time_s

    @classmethod
    def of(cls, record: DatabaseRecord, basis: Basis) -> _Side:
        divisors = {
            Basis.TOTAL: 1.0,
            Basis.PER_SECOND: record.elapsed_s,
            Basis.PER_TRANSACTION: transactions(record.table("load")),
        }
        by = divisors[basis]
        db_time_s = record.db_time_s or _named(record.table("time_model"), "db_time", "time_s")
        return cls(record, db_time_s or None, by if by and by > 0 else None)

    def amount(self, time_s: float | None) -> float | None:
        return time_s / self.by if time_s is not None and self.by else None

    def portion(self, time_s: float | None, calls: float | None, share_pct: float | None, line: int) -> Portion:
        mean_s = time_s / calls if time_s is not None and calls else None
        if share_pct is None and time_s is not None and self.whole_s:
            share_pct = time_s / self.whole_s * 100.0
        return Portion(time_s, share_pct, calls, mean_s, self.amount(time_s), line)


_Sides = tuple[_Side, _Side]
_LineKey = tuple[LineKind, str]


def _named(table: FigureTable, name: str, column: str) -> float | None:
    names = list(table.text("name"))
    value = float(table.figure(column)[names.index(name)]) if name in names else float("nan")
    return None if np.isnan(value) else value


# -- Method R ----------------------------------------------------------------------------------------


def _profile(sides: _Sides, table: str, column: str) -> Profile:
    """Lines of both sides; without any wait on a side there is nothing to compare."""
    timed = all(not np.isnan(side.record.table(table).figure("time_s")).all() for side in sides)
    figure = "time_s" if timed else "samples"
    waits = [_waits(side, table, column, figure) for side in sides]
    if not all(waits):
        return Profile((), "s" if timed else "{sample}", None, None)
    portions = [
        _accounted(side, line_times) if timed else _shared(line_times)
        for side, line_times in zip(sides, waits, strict=True)
    ]
    groups = {**_groups(sides[1], table), **_groups(sides[0], table)} if column == "event" else {}
    return _profile_of(sides, portions, timed, groups)


def _profile_of(
    sides: _Sides, portions: Sequence[dict[_LineKey, Portion]], timed: bool, groups: Mapping[str, str]
) -> Profile:
    merged_series = [_whole(side, line_times, timed) for side, line_times in zip(sides, portions, strict=True)]
    lines = [
        ProfileLine(*key, groups.get(key[1], ""), *both, _contribution(*both, *merged_series))
        for key, both in _side_by_side(*portions).items()
    ]
    lines.sort(key=lambda line: (-abs(line.contribution_pct or 0.0), -_size(line), line.name))
    return Profile(tuple(lines), "s" if timed else "{sample}", *merged_series)


def _waits(side: _Side, table: str, column: str, figure: str) -> dict[_LineKey, Portion]:
    """Foreground waits, idle ones left out; rows of one name (cut by case or instance) are added up."""
    rows = side.record.table(table)
    figures = rows.figure(figure), rows.figure("waits"), rows.figure("share_pct")
    portions: dict[_LineKey, Portion] = {}
    events = rows.text("event" if table == "wait_event" else column)
    for row, (name, event, ground, group) in enumerate(
        zip(rows.text(column), events, rows.text("ground"), rows.text("wait_class"), strict=True)
    ):
        if ground == "background" or is_idle(event, group) or np.isnan(figures[0][row]):
            continue
        key = LineKind.WAIT, name
        time_s, calls, share_pct = (None if np.isnan(column[row]) else float(column[row]) for column in figures)
        if key in portions:
            time_s, calls, share_pct = _sum(portions[key].time_s, time_s), _sum(portions[key].calls, calls), None
        portions[key] = side.portion(time_s, calls, share_pct, int(rows.lines[row]))
    return portions


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


def _accounted(side: _Side, waits: Mapping[_LineKey, Portion]) -> dict[_LineKey, Portion]:
    """The waits with processor time added, and with what is left of DB time."""
    lines = dict(waits)
    model = side.record.table("time_model")
    cpu_s = _named(model, "db_cpu", "time_s")
    if cpu_s is None:
        cpu_s = _named(side.record.table("load"), "db_cpu", "total")
    if cpu_s is not None:
        lines[LineKind.CPU, "db_cpu"] = side.portion(cpu_s, None, None, _line_of(model, "db_cpu"))
    if side.whole_s is not None:
        rest = side.whole_s - sum(portion.time_s or 0.0 for portion in lines.values())
        lines[LineKind.UNACCOUNTED, ""] = side.portion(rest, None, None, 0)
        return lines
    return _shared(lines)


# -- classes -----------------------------------------------------------------------------------------


def _classes(sides: _Sides) -> Profile:
    """DB time by class. Samples tell every class, where they are all there is; beside DB time they fill what nothing
    timed."""
    sampled = all(is_sampled(side.record) for side in sides)
    if all(side.times_statements for side in sides):
        return _profile_of(sides, [_of_statements(side) for side in sides], True, {})
    if sampled and all(side.db_time_s is not None for side in sides):
        return _profile_of(sides, [_filled(side) for side in sides], True, {})
    return _profile(sides, "wait_event" if sampled else "wait_class", "wait_class")


def _filled(side: _Side) -> dict[_LineKey, Portion]:
    """What is timed, and of the rest of DB time what the samples of active sessions say it went to.

    A class took its share of the samples of DB time, less what of it is timed; all together no more than there is left.
    """
    lines = _accounted(side, _waits(side, "wait_class", "wait_class", "time_s"))
    rest_s = lines.pop((LineKind.UNACCOUNTED, "")).time_s or 0.0
    timed = {ON_CPU if kind is LineKind.CPU else name: portion.time_s or 0.0 for (kind, name), portion in lines.items()}
    estimated = {name: share * (side.db_time_s or 0.0) - timed.get(name, 0.0) for name, share in _sample_shares(side)}
    taken = {name: seconds for name, seconds in estimated.items() if seconds > 0}
    fitting = min(max(rest_s, 0.0) / sum(taken.values()), 1.0) if taken else 0.0
    for name, seconds in taken.items():
        if fitting:
            lines[LineKind.SAMPLED, name] = side.portion(seconds * fitting, None, None, 0)
            rest_s -= seconds * fitting
    lines[LineKind.UNACCOUNTED, ""] = side.portion(rest_s, None, None, 0)
    return lines


def _sample_shares(side: _Side) -> Iterable[tuple[str, float]]:
    """The share of each class in all samples of active sessions; of those that waited for their client, none."""
    rows = side.record.table("wait_event")
    samples = np.where([ground == "background" for ground in rows.text("ground")], 0.0, rows.figure("samples"))
    whole = float(np.nansum(samples))
    for (_, name), portion in _waits(side, "wait_event", "wait_class", "samples").items():
        yield name, (portion.time_s or 0.0) / whole


ROW_LOCKS = "InnoDB row lock"
_ROW_LOCK_TIME = ("status", "Innodb_row_lock_time")


def _of_statements(side: _Side) -> dict[_LineKey, Portion]:
    """The statements' time by what of it is timed: waits for rows, processor time where it is measured, the rest."""
    lines: dict[_LineKey, Portion] = {}
    left_s = side.db_time_s or 0.0
    activity, cpu = side.record.table("activity"), side.record.table("statement").figure("cpu_s")
    names = activity.keys()
    timed: list[tuple[_LineKey, float, int]] = []
    cpu_s = _named(side.record.table("load"), "db_cpu", "total") or float(np.nansum(cpu))
    if cpu_s:
        timed.append(((LineKind.CPU, "db_cpu"), cpu_s, 0))
    if _ROW_LOCK_TIME in names:
        row = names.index(_ROW_LOCK_TIME)
        waited_s = float(np.nan_to_num(activity.figure("total")[row])) / 1000
        timed.append(((LineKind.WAIT, ROW_LOCKS), waited_s, int(activity.lines[row])))
    for key, seconds, line in timed:
        own_s = min(seconds, left_s)  # a wait is counted when it ends, and so is the statement, but later
        lines[key] = side.portion(own_s, None, own_s / (side.db_time_s or np.nan) * 100, line)
        left_s -= own_s
    lines[LineKind.UNACCOUNTED, ""] = side.portion(left_s, None, left_s / (side.db_time_s or np.nan) * 100, 0)
    return lines


def _line_of(table: FigureTable, name: str) -> int:
    names = list(table.text("name"))
    return int(table.lines[names.index(name)]) if name in names else 0


def _shared(lines: Mapping[_LineKey, Portion]) -> dict[_LineKey, Portion]:
    """Shares of the sum of the lines."""
    whole = sum(portion.time_s or 0.0 for portion in lines.values())
    return {
        key: Portion(
            p.time_s, (p.time_s or 0.0) / whole * 100.0 if whole else None, p.calls, p.mean_s, p.amount, p.line
        )
        for key, p in lines.items()
    }


def _whole(side: _Side, lines: Mapping[_LineKey, Portion], timed: bool) -> float | None:
    if timed and (side.whole_s is not None or (LineKind.UNACCOUNTED, "") in lines):
        return side.amount(side.db_time_s)
    return side.amount(sum(portion.time_s or 0.0 for portion in lines.values()))


def _groups(side: _Side, table: str) -> dict[str, str]:
    rows = side.record.table(table)
    return {name: group for name, group in zip(rows.text("event"), rows.text("wait_class"), strict=True) if group}


def _side_by_side(
    before: Mapping[_LineKey, Portion], after: Mapping[_LineKey, Portion]
) -> dict[_LineKey, tuple[Portion, Portion]]:
    keys = dict.fromkeys((*before, *after))
    return {key: (before.get(key, Portion()), after.get(key, Portion())) for key in keys}


def _contribution(before: Portion, after: Portion, whole: float | None, whole_after: float | None) -> float | None:
    """Per cent of the change of the whole; None where that does not change or is not known."""
    if whole is None or whole_after is None or whole_after == whole:
        return None
    return ((after.amount or 0.0) - (before.amount or 0.0)) / (whole_after - whole) * 100.0


def _size(line: ProfileLine) -> float:
    return max(line.before.amount or 0.0, line.after.amount or 0.0)


def _time_model(sides: _Sides) -> tuple[ProfileLine, ...]:
    merged_series = [side.amount(side.db_time_s) for side in sides]
    tables = [side.record.table("time_model") for side in sides]
    present = {name for table in tables for name in table.text("name")}
    lines = []
    for name in (name for name in TIME_NAMES if name in present):
        portions = [
            side.portion(_named(table, name, "time_s"), None, _named(table, name, "share_pct"), _line_of(table, name))
            for side, table in zip(sides, tables, strict=True)
        ]
        measured = all(portion.amount is not None for portion in portions)
        contribution = _contribution(portions[0], portions[1], *merged_series) if measured else None
        lines.append(ProfileLine(LineKind.TIME_MODEL, name, "", portions[0], portions[1], contribution))
    return tuple(lines)


# -- side by side ------------------------------------------------------------------------------------


def _load_lines(before: DatabaseRecord, after: DatabaseRecord) -> tuple[LoadLine, ...]:
    sides = [_load_of(record) for record in (before, after)]
    units = {name: unit for side in reversed(sides) for name, (unit, _) in side.items()}
    nothing: tuple[str, dict[str, float]] = ("", {})
    return tuple(
        LoadLine(name, units[name], sides[0].get(name, nothing)[1], sides[1].get(name, nothing)[1])
        for name in LOAD_NAMES
        if name in units
    )


def _load_of(record: DatabaseRecord) -> dict[str, tuple[str, dict[str, float]]]:
    """Unit and known figures by name."""
    table = with_rates(record.tables, record.elapsed_s).get("load")
    if table is None:
        return {}
    columns = {name: table.figure(name).tolist() for name in TABLES["load"].figures}
    return {
        name: (unit, {column: values[row] for column, values in columns.items() if not np.isnan(values[row])})
        for row, (name, unit) in enumerate(zip(table.text("name"), table.text("unit"), strict=True))
    }


def _parameters(before: DatabaseRecord, after: DatabaseRecord) -> tuple[ParameterChange, ...]:
    """The parameters that changed; empty where a side lists none."""
    sides = [_parameters_of(record.table("parameter")) for record in (before, after)]
    if not all(sides):
        return ()
    changes = []
    for key in sorted({*sides[0], *sides[1]}):
        entries = [side.get(key) for side in sides]
        unit = next(unit for entry in entries if entry is not None for unit in (entry[1],))
        old, new = (None if entry is None else entry[0] for entry in entries)
        changes.append(ParameterChange(*key, unit, old, new))
    return tuple(change for change in changes if change.between or change.inside)


def _parameters_of(table: FigureTable) -> dict[tuple[str, str], tuple[tuple[str, str], str]]:
    """((begin, end), unit) by (name, scope); a missing end is the begin."""
    columns = (table.text(name) for name in ("name", "scope", "begin", "end", "unit"))
    return {
        (name, scope): ((begin, end or begin), unit) for name, scope, begin, end, unit in zip(*columns, strict=True)
    }


def _host_lines(before: DatabaseRecord, after: DatabaseRecord) -> tuple[HostLine, ...]:
    sides = [dict(_host_of(record)) for record in (before, after)]
    keys = dict.fromkeys(key for side in sides for key in side)
    return tuple(HostLine(*key, *(side.get(key) for side in sides)) for key in keys)


def _host_of(record: DatabaseRecord) -> Iterable[tuple[tuple[str, str, bool], float]]:
    """((name, unit, per second), value) of the rows whose scope is the host."""
    for table, column, by in (("state", "end", 1.0), ("activity", "total", record.elapsed_s)):
        rows = record.table(table)
        values: Sequence[float] = rows.figure(column).tolist()
        if by is None:
            continue
        texts = (rows.text("scope"), rows.text("name"), rows.text("unit"))
        for scope, name, unit, value in zip(*texts, values, strict=True):
            if scope == HOST_SCOPE and not np.isnan(value):
                yield (name, unit, table == "activity"), value / by
