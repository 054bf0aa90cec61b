"""Sessions at work over time: what they spend their time on from period to period, by hour of the day, by statement.

An amount is the mean number of sessions that were in the database at once (average active sessions). What a period does
not tell is NaN, never 0; within a period that tells waits, a class that is not listed took nothing that the list shows.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from math import atanh, sqrt, tanh
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.profile_lines import LineKind
from tunebench.analysis.databases.record import DatabaseRecord, Numbers, statement_keys
from tunebench.analysis.databases.statement_side import side_of
from tunebench.core import records
from tunebench.domain.databases.records import StatementKey

MOST_STACKED = 12
"""Layers of a stack; the others are one layer."""
LEAST_PERIODS = 8
"""Pairs with which a rank correlation is told: with fewer, all but perfect agreement is by chance."""
_HOUR_S = 3600.0
_Z = 1.959964
"""Of the standard normal distribution, for an interval of 95 %."""


@records.record
class Layer:
    """What sessions spend time on: processor, a wait class, what nothing accounts for, or a statement.

    Attributes:
        name: empty of what nothing accounts for, and of all others together (`kind` is None).
        text: of the statement; empty where no capture has it.
    """

    kind: LineKind | None
    name: str = ""
    statement: StatementKey | None = None
    text: str = ""


OTHERS = Layer(None)


@records.record(eq=False)
class SessionsOverTime:
    """n periods, none of which overlaps another, in the order of time.

    Attributes:
        begins_ns, ends_ns: int64[n].
        layers: from the bottom to the top.
        amounts: float64[layers, n]; NaN where the period does not tell.
        busy: float64[n], processors of the host that were busy; NaN where that was not measured.
        processors: of the host; None where nobody tells.
    """

    begins_ns: NDArray[np.int64]
    ends_ns: NDArray[np.int64]
    layers: tuple[Layer, ...]
    amounts: Numbers
    busy: Numbers
    processors: int | None

    def __len__(self) -> int:
        return len(self.begins_ns)

    @property
    def seconds(self) -> Numbers:
        return (self.ends_ns - self.begins_ns) / 1e9

    @property
    def totals(self) -> Numbers:
        """Sessions at work in each period; NaN where none is recorded."""
        return _sum_of(self.amounts)

    @property
    def mean(self) -> float:
        """Over all periods that tell, weighted by their lengths; NaN where none does."""
        return _mean(self.totals, self.seconds)


def _sum_of(amounts: Numbers) -> Numbers:
    present = ~np.isnan(amounts)
    return np.where(present.any(axis=0), np.where(present, amounts, 0.0).sum(axis=0), np.nan)


def _mean(values: Numbers, weights: Numbers) -> float:
    present = ~np.isnan(values)
    whole = float(weights[present].sum())
    return float((values[present] * weights[present]).sum()) / whole if whole else float("nan")


def stacked(
    spans: Sequence[tuple[int, int]],
    periods: Sequence[Mapping[Layer, float]],
    busy: Numbers,
    processors: int | None,
    most: int = MOST_STACKED,
) -> SessionsOverTime:
    """
    Args:
        spans: begin and end of each period, in the order of time.
        periods: what sessions spent their time on in each; empty where it is not recorded.
        busy: float64[n].
    """
    begins, ends = (np.array([span[end] for span in spans], dtype=np.int64) for end in (0, 1))
    weights = (ends - begins) / 1e9
    sums: dict[Layer, float] = {}
    for period, seconds in zip(periods, weights.tolist(), strict=True):
        for layer, amount in period.items():
            sums[layer] = sums.get(layer, 0.0) + max(amount, 0.0) * seconds
    ranked = sorted((layer for layer in sums if sums[layer] > 0), key=lambda layer: -sums[layer])
    ends_of = [layer for layer in ranked if layer.kind in (LineKind.CPU, LineKind.UNACCOUNTED)]
    between = [layer for layer in ranked if layer not in ends_of]
    kept = between[:most]
    layers = [
        *(layer for layer in ends_of if layer.kind is LineKind.CPU),
        *kept,
        *([OTHERS] if len(between) > len(kept) else []),
        *(layer for layer in ends_of if layer.kind is LineKind.UNACCOUNTED),
    ]
    places = {layer: index for index, layer in enumerate(layers)}
    amounts = np.zeros((len(layers), len(periods)))
    for column, period in enumerate(periods):
        if not period:
            amounts[:, column] = np.nan
        for layer, amount in period.items():
            row = places.get(layer, places.get(OTHERS))
            if row is not None:
                amounts[row, column] += max(amount, 0.0)
    return SessionsOverTime(begins, ends, tuple(layers), amounts, busy, processors)


# -- by the clock --------------------------------------------------------------------------------------


@records.record(eq=False)
class ByHour:
    """
    Attributes:
        days: those that a period tells of.
        amounts: float64[layers, days, 24], mean over what of the hour is told; NaN where nothing of it is.
        seconds: float64[days, 24], how much of the hour is told.
    """

    days: tuple[date, ...]
    amounts: Numbers
    seconds: Numbers

    @property
    def totals(self) -> Numbers:
        """Sessions at work, float64[days, 24]."""
        return _sum_of(self.amounts)

    def of_day(self) -> Numbers:
        """Sessions at work in each hour of the day, float64[24]: the mean over the days, weighted by what is told."""
        return np.array([_mean(self.totals[:, hour], self.seconds[:, hour]) for hour in range(24)])

    def range_of_day(self) -> tuple[Numbers, Numbers]:
        """The quietest and the busiest day of each hour."""
        totals = self.totals
        present = ~np.isnan(totals)
        none = ~present.any(axis=0)
        low = np.where(present, totals, np.inf).min(axis=0, initial=np.inf)
        high = np.where(present, totals, -np.inf).max(axis=0, initial=-np.inf)
        return np.where(none, np.nan, low), np.where(none, np.nan, high)


def by_hour(sessions: SessionsOverTime, zone: ZoneInfo) -> ByHour:
    """Sessions by hour; a period of several hours counts in each of them with its mean."""
    telling = np.flatnonzero(~np.isnan(sessions.totals)).tolist()
    pieces = [
        (day, hour, seconds, period)
        for period in telling
        for day, hour, seconds in _hours_of(int(sessions.begins_ns[period]), int(sessions.ends_ns[period]), zone)
    ]
    days = sorted({day for day, *_ in pieces})
    rows = {day: index for index, day in enumerate(days)}
    sums = np.zeros((len(sessions.layers), len(days), 24))
    seconds = np.zeros((len(days), 24))
    for day, hour, length, period in pieces:
        sums[:, rows[day], hour] += sessions.amounts[:, period] * length
        seconds[rows[day], hour] += length
    with np.errstate(invalid="ignore", divide="ignore"):
        return ByHour(tuple(days), np.where(seconds > 0, sums / seconds, np.nan), seconds)


def _hours_of(begin_ns: int, end_ns: int, zone: ZoneInfo) -> list[tuple[date, int, float]]:
    hours, at, end = [], begin_ns / 1e9, end_ns / 1e9
    while at < end:
        local = datetime.fromtimestamp(at, tz=zone)
        of_hour = local.minute * 60 + local.second + local.microsecond / 1e6
        step = min(max(_HOUR_S - of_hour, 1e-3), end - at)
        hours.append((local.date(), local.hour, step))
        at += step
    return hours


# -- by statement --------------------------------------------------------------------------------------


@records.record(eq=False)
class StatementMap:
    """The statements with most time, period by period.

    Attributes:
        statements: those with most time first.
        sessions: float64[statements, n], sessions at work in it.
        each_s: float64[statements, n], seconds per execution; NaN where the period does not list the statement.
        texts: by statement id; those of which no capture has a text are missing.
    """

    statements: tuple[StatementKey, ...]
    sessions: Numbers
    each_s: Numbers
    texts: Mapping[str, str] = field(default_factory=dict)


def statement_map(records: Sequence[DatabaseRecord], most: int = 30) -> StatementMap:
    """The costliest statements over the periods; NaN where a list leaves one out, not 0."""
    sums: dict[StatementKey, float] = {}
    for record in records:
        table = record.table("statement")
        for key, value in zip(statement_keys(table), np.nan_to_num(table.figure("elapsed_s")).tolist(), strict=True):
            sums[key] = sums.get(key, 0.0) + value
    chosen = tuple(sorted((key for key in sums if sums[key] > 0), key=lambda key: -sums[key])[:most])
    sessions, per_run = (np.full((len(chosen), len(records)), np.nan) for _ in range(2))
    for column, record in enumerate(records):
        side = side_of(record, [(key,) for key in chosen])
        per_run[:, column] = side.each("elapsed_s")
        sessions[:, column] = side.total("elapsed_s") / record.elapsed_s if record.elapsed_s else np.nan
    texts = {id_: text for record in records for id_, text in record.statement_texts().items()}
    return StatementMap(chosen, sessions, per_run, texts)


@records.record
class StatementShare:
    """A statement on either side of a comparison of sessions; a side that does not list it is not there.

    Attributes:
        sessions: by side, sessions at work in it.
        share_pct: by side, of DB time.
        each_s: by side, seconds per execution.
    """

    statement: StatementKey
    text: str
    sessions: Mapping[str, float]
    share_pct: Mapping[str, float]
    each_s: Mapping[str, float]


def statement_shares(sides: Mapping[str, DatabaseRecord], most: int = 50) -> list[StatementShare]:
    """Shares of the costliest statements, those with most time on any side first."""
    keys = list(dict.fromkeys(key for record in sides.values() for key in statement_keys(record.table("statement"))))
    texts = {id_: text for record in sides.values() for id_, text in record.statement_texts().items()}
    figures: list[tuple[dict[str, float], ...]] = [({}, {}, {}) for _ in keys]
    for name, record in sides.items():
        side = side_of(record, [(key,) for key in keys])
        totals = side.total("elapsed_s")
        columns = (
            totals / (record.elapsed_s or np.nan),
            100 * totals / (record.db_time_s or np.nan),
            side.each("elapsed_s"),
        )
        for row, values in zip(figures, zip(*(column.tolist() for column in columns), strict=True), strict=True):
            for own, value in zip(row, values, strict=True):
                if value == value:
                    own[name] = value
    rows = [StatementShare(key, texts.get(key.id, ""), *row) for key, row in zip(keys, figures, strict=True)]
    ranked = sorted((row for row in rows if row.sessions), key=lambda row: -max(row.sessions.values()))
    return ranked[:most]


# -- with the host -------------------------------------------------------------------------------------


@records.record
class Correlation:
    """How the time of a statement per execution goes with a figure of the host; descriptive, no cause is told by it.

    Attributes:
        host: what of the host.
        rho: Spearman's rank correlation over `n` periods that tell both.
        low, high: of 95 % (Bonett and Wright 2000); periods that hang together make it too narrow.
        text: of the statement; empty where no capture has it.
    """

    statement: StatementKey
    host: Hashable
    rho: float
    low: float
    high: float
    n: int
    text: str = ""


def correlations(statements: StatementMap, host: Mapping[Hashable, Numbers]) -> list[Correlation]:
    """The strongest first; pairs that fewer than `LEAST_PERIODS` periods tell, or that never vary, are left out."""
    rows = []
    for row, statement in zip(statements.each_s, statements.statements, strict=True):
        for name, values in host.items():
            present = ~np.isnan(row) & ~np.isnan(values)
            n = int(present.sum())
            if n < LEAST_PERIODS:
                continue
            ranks = [_ranks(side[present]) for side in (row, values)]
            if any(float(np.ptp(side)) == 0 for side in ranks):
                continue
            rho = float(np.corrcoef(ranks[0], ranks[1])[0, 1])
            middle = atanh(min(max(rho, -0.999999), 0.999999))
            error = _Z * sqrt((1 + rho**2 / 2) / (n - 3))
            low, high = tanh(middle - error), tanh(middle + error)
            rows.append(Correlation(statement, name, rho, low, high, n, statements.texts.get(statement.id, "")))
    return sorted(rows, key=lambda row: (-abs(row.rho), -row.n))


def _ranks(values: Numbers) -> Numbers:
    """From 1; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: Numbers = (ends - counts + 1 + ends) / 2.0
    return means[inverse]
