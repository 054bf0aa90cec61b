"""What the cycle says of series: which are judged by a target, and which are pinned as evidence."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.core.grouping import by_key
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Metric, SeriesSource, Target
from tunebench.domain.engagement import Direction
from tunebench.domain.series import SeriesInfo
from tunebench.usecases.cycle.figures import Broken, find_parts, unit_factor


@record
class Limit:
    """A value that a series is to keep below, or above.

    Attributes:
        value: in the unit of the series; `shown` and `unit` are the target's own.
        below: whether what is above it misses the target.
        is_guard: whether it bounds a resource that pays, and is no target.
    """

    value: float
    name: str
    shown: float
    unit: str
    below: bool
    is_guard: bool = False


def limits_of(series: Sequence[SeriesInfo], book: CycleBook) -> dict[int, Limit]:
    """Series id -> its target; those of the last iteration that has one, the first by priority before others."""
    limits: dict[int, Limit] = {}
    by_run = by_key((info.run_id, info) for info in series)
    for target in sorted(book.all(Target), key=lambda target: (-target.iteration_id, target.priority)):
        metric = book.find(Metric, target.metric_id)
        if metric is None or target.value is None or not isinstance(metric.source, SeriesSource):
            continue
        for own in by_run.values():
            parts = find_parts(own, metric.source)
            for info in () if isinstance(parts, Broken) else parts:
                factor = unit_factor(metric, metric.source, info)
                if factor and info.id not in limits:
                    below, is_guard = metric.direction is not Direction.HIGHER, metric.guards is not None
                    value, unit = target.value, metric.unit
                    limits[info.id] = Limit(value / factor, metric.name, value, unit, below, is_guard)
    return limits


def pinned_series(book: CycleBook) -> frozenset[int]:
    """Ids of the series that are evidence for anything."""
    return frozenset(series_id for evidence in book.all(Evidence) for series_id in evidence.target.series)
