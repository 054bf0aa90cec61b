"""Counters of two periods side by side: segments, files, statistics of the instance and of its memory.

Counters are told per second, so that periods of different lengths compare; where a length is not known, as totals. What
a side does not list is not 0: lists of segments end somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from tunebench.analysis.databases.rates import quotient
from tunebench.analysis.databases.record import DatabaseRecord, FigureTable, Numbers
from tunebench.core.records import record
from tunebench.domain.databases.records import TABLES, Behaviour

HOST_SCOPE = "os"
"""Of statistics that are of the host, which have a table of their own."""


class TwoSided:
    """What the figures of a line say together.

    Attributes:
        per_second: whether they are `unit` per second.
    """

    __slots__ = ()

    unit: str
    per_second: bool
    before: float | None
    after: float | None

    @property
    def figure_unit(self) -> str:
        """Of `before` and `after`."""
        return f"{self.unit}/s" if self.per_second else self.unit

    @property
    def ratio(self) -> float | None:
        """After / before; a counter is neither good nor bad by itself."""
        return self.after / self.before if self.before and self.after is not None else None


@record
class CounterLine(TwoSided):
    """One figure of one row; None is not listed.

    Attributes:
        table: which of a record's tables it is of.
        group: kind of file or segment, or the scope of a statistic.
        name: of the segment or file; empty where `statistic` says it all.
        statistic: as the capture prints it; of files ``reads``, ``read_bytes``, ``read_avg_s`` ...
        places: lines of the captures.
    """

    table: str
    group: str
    name: str
    statistic: str
    unit: str
    per_second: bool
    before: float | None
    after: float | None
    places: tuple[int, int]


Figures = Iterator[tuple[str, Numbers, str, bool]]
"""Statistic, one number per row, unit, and whether that is per second."""


@record
class _Shape:
    """How the figures of a table's rows are named.

    Attributes:
        group, names, statistic: columns of texts; without `statistic` the figures have names of their own.
    """

    group: str
    names: tuple[str, ...]
    figures: Callable[[FigureTable, float | None], Figures]
    statistic: str = ""
    joint: str = " "


def _counted(column: str) -> Callable[[FigureTable, float | None], Figures]:
    def figures(rows: FigureTable, elapsed_s: float | None) -> Figures:
        shape = TABLES[rows.name].figures[column]
        timed = shape.behaviour is Behaviour.COUNTER and bool(elapsed_s)
        yield column, rows.figure(column) / (elapsed_s if timed and elapsed_s else 1.0), shape.unit, timed

    return figures


def _of_files(rows: FigureTable, elapsed_s: float | None) -> Figures:
    """Figures of files; times are per operation, as printed or from the totals behind them."""
    by, timed = elapsed_s or 1.0, bool(elapsed_s)
    for way in ("read", "write"):
        printed = rows.figure(f"{way}s_per_s") if timed else np.full(len(rows), np.nan)
        yield f"{way}s", _first_known(rows.figure(f"{way}s") / by, printed), "1", timed
        yield f"{way}_bytes", rows.figure(f"{way}_bytes") / by, "By", timed
        yield f"{way}_blocks", rows.figure(f"{way}_blocks") / by, "{block}", timed
        per_operation = quotient(rows.figure(f"{way}_time_s"), rows.figure(f"{way}s"))
        yield f"{way}_avg_s", _first_known(rows.figure(f"{way}_avg_s"), per_operation), "s", False
    yield "gets", rows.figure("gets") / by, "{block}", timed
    yield "waits", rows.figure("waits") / by, "1", timed
    per_operation = quotient(rows.figure("wait_time_s"), rows.figure("waits"))
    yield "wait_avg_s", _first_known(rows.figure("wait_avg_s"), per_operation), "s", False


def _first_known(one: Numbers, other: Numbers) -> Numbers:
    return np.where(np.isnan(one), other, one)


_SHAPES: Mapping[str, _Shape] = {
    "segment": _Shape("kind", ("container", "owner", "name", "subname"), _counted("value"), "statistic", "."),
    "io": _Shape("kind", ("name", "file"), _of_files),
    "activity": _Shape("scope", (), _counted("total"), "name"),
    "state": _Shape("scope", (), _counted("end"), "name"),
}
COUNTERS = tuple(_SHAPES)
"""The tables that are told so."""

_Key = tuple[str, str, str]
_Figure = tuple[float, str, bool, int]


def counter_lines(before: DatabaseRecord, after: DatabaseRecord) -> dict[str, tuple[CounterLine, ...]]:
    """The counters that either side lists, by table; of each statistic the greatest first."""
    return {name: lines for name in COUNTERS if (lines := _lines_of(name, before, after))}


def _lines_of(name: str, before: DatabaseRecord, after: DatabaseRecord) -> tuple[CounterLine, ...]:
    timed = bool(before.elapsed_s and after.elapsed_s)
    sides = [_figures_by_key(record.table(name), record.elapsed_s if timed else None) for record in (before, after)]
    lines = []
    for key in dict.fromkeys((*sides[0], *sides[1])):
        old, new = (side.get(key) for side in sides)
        _, unit, per_second, _ = old or new or (0.0, "", False, 0)
        before_value, after_value = (None if figure is None else figure[0] for figure in (old, new))
        places = (old[3] if old else 0, new[3] if new else 0)
        lines.append(CounterLine(name, *key, unit, per_second, before_value, after_value, places))
    order = {statistic: index for index, statistic in enumerate(dict.fromkeys(line.statistic for line in lines))}
    return tuple(sorted(lines, key=lambda line: (order[line.statistic], -max(line.before or 0.0, line.after or 0.0))))


def _figures_by_key(rows: FigureTable, elapsed_s: float | None) -> dict[_Key, _Figure]:
    """(group, name, statistic) -> value, unit, whether that is per second, and line."""
    shape, figures = _SHAPES[rows.name], {}
    groups, units = rows.text(shape.group), rows.text("unit") if "unit" in rows.texts else ("",) * len(rows)
    parts = [rows.text(column) for column in shape.names]
    statistics = rows.text(shape.statistic) if shape.statistic else ("",) * len(rows)
    for figure, values, unit, per_second in shape.figures(rows, elapsed_s):
        for row in np.flatnonzero(~np.isnan(values)).tolist():
            if groups[row] == HOST_SCOPE and not shape.names:
                continue
            name = shape.joint.join(column[row] for column in parts if column[row])
            key = groups[row], name, statistics[row] or figure
            figures[key] = float(values[row]), units[row] or unit, per_second, int(rows.lines[row])
    return figures
