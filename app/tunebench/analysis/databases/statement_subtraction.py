"""Statements of two snapshots subtracted, row by row.

A list of statements forgets: what is not used is dropped, and comes back counting from 0. What a row says is
    known at both ends                 the difference
    new, and first seen inside         all of it
    new, nothing says since when       all of it; marked `PARTIAL` where statements were dropped or may have been
    new, but seen before               not reported (the earlier list left it out); marked `PARTIAL`
    known, but first seen later        all of it: dropped and back again; marked `PARTIAL`
    fell, and statements were dropped  the same, if its executions fell
    fell otherwise                     not reported; marked `NEGATIVE`
    the list was set back              all of it; marked `PARTIAL`
    only in the earlier snapshot       not reported; marked `LEFT`
`PARTIAL` figures are of a part of the period: their totals are lower bounds, their quotients hold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.differences import extreme_between, growth
from tunebench.analysis.databases.keyed_rows import KeyedRows, Places
from tunebench.analysis.databases.period_faults import evictions_known, has_evicted
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers
from tunebench.core.records import record
from tunebench.domain.databases.records import STATEMENT_FIGURES, Behaviour

PARTIAL, NEGATIVE, LEFT = "partial", "negative", "left"
"""Words in a row's `seen_in`."""
MARKS = frozenset({PARTIAL, NEGATIVE, LEFT})
_SEEN_NS = 1_000_000_000
"""MariaDB and MySQL before 8.0 say in whole seconds when a statement was first seen."""
_ROUNDED = frozenset({"elapsed_squares"})
"""Put together from printed figures: a fall by their rounding says nothing of the row."""
_COUNTERS = [
    name for name, shape in STATEMENT_FIGURES.items() if shape.behaviour is Behaviour.COUNTER and name not in _ROUNDED
]

Choice = NDArray[np.bool_]


def subtracted_statements(earlier: DatabaseRecord, later: DatabaseRecord, was_reset: bool) -> tuple[FigureTable, bool]:
    """The statements of the period, and whether some were dropped inside."""
    before, now = KeyedRows.of(earlier.table("statement")), KeyedRows.of(later.table("statement"))
    rows = _Rows(before, now, before.places_of(now.keys))
    dropped = has_evicted(earlier, later)
    may_have_dropped = dropped or not evictions_known(earlier, later)
    left = np.flatnonzero(now.places_of(before.keys) < 0) if not was_reset else np.zeros(0, dtype=np.intp)
    judged = _judged(rows, earlier.end.time_ns, dropped, may_have_dropped, was_reset)
    figures = {name: _period_figure(name, rows, judged) for name in now.figures}
    table = _with_left(rows, figures, judged, left)
    return table, bool(len(left)) or bool(judged.restarted.any())


@record(eq=False)
class _Rows:
    """The later snapshot's rows; `places` says where each stands in the earlier one, -1 where it does not."""

    before: KeyedRows
    now: KeyedRows
    places: Places

    def difference(self, name: str) -> Numbers:
        return growth(self.before.figure_at(name, self.places), self.now.figure(name))


@record(eq=False)
class _Judged:
    """What became of each row; see the table above."""

    from_zero: Choice
    unknown: Choice
    partial: Choice
    negative: Choice
    restarted: Choice


def _judged(rows: _Rows, start_ns: int | None, dropped: bool, may_have_dropped: bool, was_reset: bool) -> _Judged:
    is_new = rows.places < 0
    seen_ns = rows.now.figure("first_seen_ns")
    stamped = ~np.isnan(seen_ns) & (start_ns is not None)
    inside = stamped & (seen_ns >= (start_ns or 0))
    fallen = np.zeros(len(rows.now), dtype=bool)
    for name in _COUNTERS:
        if name in rows.now.figures and name in rows.before.figures:
            fallen |= rows.difference(name) < 0
    seen_before_ns = rows.before.figure_at("first_seen_ns", rows.places)
    # first seen while the earlier snapshot was being taken, whose rows are read after its time: the same row all along
    again = np.where(np.isnan(seen_before_ns), inside, seen_ns > seen_before_ns)
    restarted = ~is_new & (again | (dropped & fallen & (rows.difference("executions") < 0)))
    if was_reset:
        everything = np.ones(len(rows.now), dtype=bool)
        return _Judged(everything, ~everything, everything, ~everything, ~everything)
    unstamped = is_new & ~stamped & may_have_dropped
    unlisted = is_new & stamped & (seen_ns < (start_ns or 0) - _SEEN_NS)
    negative = fallen & ~restarted & ~is_new
    partial = unstamped | unlisted | restarted
    return _Judged(is_new | restarted, unlisted | negative, partial, negative, restarted)


def _period_figure(name: str, rows: _Rows, judged: _Judged) -> Numbers:
    new = rows.now.figure(name)
    match STATEMENT_FIGURES[name].behaviour:
        case Behaviour.COUNTER:
            period = np.where(judged.from_zero, new, rows.difference(name))
        case Behaviour.EXTREME:
            broken = extreme_between(name, rows.before.figure_at(name, rows.places), new)
            period = np.where(judged.from_zero, new, broken)
        case _:
            return new
    return np.where(judged.unknown, np.nan, period)


def _with_left(rows: _Rows, figures: dict[str, Numbers], judged: _Judged, left: Places) -> FigureTable:
    now, before = rows.now, rows.before
    columns = dict.fromkeys((*now.table.texts, *before.table.texts, "seen_in"))
    old = before.table.taken(before.first[left])
    texts = {name: (*now.text(name), *old.text(name)) for name in columns}
    texts["seen_in"] = (
        *map(_marked, now.text("seen_in"), judged.partial.tolist(), judged.negative.tolist()),
        *(LEFT for _ in left),
    )
    nothing = np.full(len(left), np.nan)
    lines = np.concatenate([now.table.lines[now.first], np.zeros(len(left), dtype=np.int64)])
    return FigureTable("statement", texts, {n: np.concatenate([v, nothing]) for n, v in figures.items()}, lines)


def _marked(words: str, partial: bool, negative: bool) -> str:
    marks = [*words.split(), *([PARTIAL] if partial else []), *([NEGATIVE] if negative else [])]
    return " ".join(dict.fromkeys(marks))
