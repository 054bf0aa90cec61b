"""What statements cost per execution, period by period: for a small line beside each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_side import side_of
from tunebench.core.records import record
from tunebench.domain.databases.records import Fault, StatementKey
from tunebench.store.project import Project
from tunebench.usecases.databases.periods import Period, neighbour_periods, reported_periods
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.snapshots import Snapshot, by_stretch

MOST_PERIODS = 400
"""Of more than so many periods of a stretch the latest are read."""
_TABLES = ("statement",)

Groups = Sequence[tuple[StatementKey, ...]]
Tick = Callable[[float], object]


@record(eq=False)
class StatementHistory:
    """Attributes:
    ends_ns: of the valid periods, in their order; None where a capture does not say.
    values: float64[periods, statements], seconds per execution; NaN where nothing is reported.
    """

    ends_ns: tuple[int | None, ...]
    values: Numbers

    def __len__(self) -> int:
        return len(self.ends_ns)


def history(project: Project, side: Side, groups: Groups, tick: Tick = lambda _share: None) -> StatementHistory:
    """Elapsed time per execution of each group of statements in each valid period of a side's database.

    Periods are read one after the other and let go again. `tick` is told how much is done, from 0 to 1, and may
    raise to stop.
    """
    stretches = [taken[-(MOST_PERIODS + 1) :] for taken in by_stretch(project, side.database)]
    expected = max(len(side.used) + len(side.left_out), sum(len(taken) - 1 for taken in stretches), 1)
    series: list[tuple[int | None, Numbers]] = []
    for number, period in enumerate(_read(project, side, stretches)):
        tick(min((number + 1) / expected, 1.0))
        if period.record.valid and len(period.record.table("statement")):
            series.append((period.end_ns, side_of(period.record, groups).each("elapsed_s")))
    series.sort(key=lambda row: (row[0] is None, row[0] or 0))
    values = np.stack([row for _, row in series]) if series else np.zeros((0, len(groups)))
    return StatementHistory(tuple(end for end, _ in series), values)


def _read(project: Project, side: Side, stretches: Sequence[Sequence[Snapshot]]) -> Iterator[Period]:
    yield from reported_periods(project, side.database, _TABLES)
    if [len(taken) for taken in stretches] == [1]:
        yield from (period for period in side.used if Fault.SINCE_START in period.record.faults)
    for taken in stretches:
        yield from neighbour_periods(project, taken, _TABLES)
