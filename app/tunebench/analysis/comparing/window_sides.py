"""What the two windows of a series hold: their occurrences, and what is reckoned of these for many series at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.comparing.calendar_slots import Calendar
from tunebench.analysis.comparing.comparison import Quantiles
from tunebench.analysis.comparing.disk_work import Requests, Work
from tunebench.analysis.comparing.occurrence_figures import OccurrenceFigures, figures_of
from tunebench.analysis.comparing.regular_samples import NS_PER_S, Floats, Samples, of_one_length, together
from tunebench.analysis.inference.quantiles import estimable, harrell_davis_at, type7_at
from tunebench.analysis.statistics import Statistics, described
from tunebench.core.once import Once
from tunebench.core.records import record
from tunebench.domain.series import SeriesInfo

_QUANTILES = (0.5, 0.9, 0.95, 0.99)


class Source(Protocol):
    """Gives what an occurrence measured, as often as it is asked for.

    Attributes:
        work: of means of requests only.
    """

    @property
    def samples(self) -> Samples: ...

    @property
    def work(self) -> Work | None: ...


@record(eq=False)
class Held:
    """Samples that are at hand."""

    samples: Samples
    work: Work | None = None


@record
class Facts:
    """What the samples of an occurrence show; it has at least one.

    Attributes:
        weighted: the requests are known.
        requests: of means of requests only.
    """

    n: int
    mean: float
    minimum: float
    maximum: float
    interval_s: float | None
    resets: int
    weighted: bool
    requests: Requests | None


@record(frozen=False, eq=False)
class Measured:
    """One occurrence of one series; its samples are the source's.

    What is reckoned of it is reckoned once, of many together (`look_at`, `reckon`), and kept.

    Attributes:
        place: which of the window's occurrences.
        coverage: share of the occurrence in which it was measured; None where that cannot be told.
        span_ns: first and last time of the occurrence, as asked for or as captured.
    """

    place: int
    source: Source
    coverage: float | None
    span_ns: tuple[int, int]
    looked_at: Facts | None = None
    reckoned: dict[ZoneInfo, OccurrenceFigures] = field(default_factory=dict)

    @property
    def samples(self) -> Samples:
        return self.source.samples

    @property
    def judged(self) -> Samples:
        """The samples that are judged, weighted by the requests where these are known."""
        work = self.source.work
        return self.source.samples if work is None else work.response

    @property
    def facts(self) -> Facts:
        if self.looked_at is None:
            look_at([(self, self.source.samples, self.source.work)])
        assert self.looked_at is not None
        return self.looked_at

    @property
    def n(self) -> int:
        return self.facts.n

    def figures(self, calendar: Calendar) -> OccurrenceFigures:
        if calendar.zone not in self.reckoned:
            reckon([self], calendar)
        return self.reckoned[calendar.zone]

    @property
    def length_s(self) -> float:
        return (self.span_ns[1] - self.span_ns[0]) / NS_PER_S


def look_at(several: Iterable[tuple[Measured, Samples, Work | None]]) -> None:
    """Sets the facts of each occurrence, computed together for those with equally many samples."""
    for n, own in of_one_length((len(read[1]), read) for read in several):
        values = np.array([samples.values for _, samples, _ in own])
        figures = values.mean(axis=1).tolist(), values.min(axis=1).tolist(), values.max(axis=1).tolist()
        for (occurrence, samples, work), mean, least, most in zip(own, *figures, strict=True):
            weighted = work is not None and work.response.weights is not None
            requests = None if work is None else work.requests
            occurrence.looked_at = Facts(n, mean, least, most, samples.interval_s, samples.resets, weighted, requests)


def reckon(several: Iterable[Measured], calendar: Calendar) -> None:
    """Sets the figures of each occurrence, computed together for those on one clock."""
    new = [occurrence for occurrence in dict.fromkeys(several) if calendar.zone not in occurrence.reckoned]
    for occurrence, figures in zip(new, figures_of([occurrence.judged for occurrence in new], calendar), strict=True):
        occurrence.reckoned[calendar.zone] = figures


class _Described(NamedTuple):
    statistics: Statistics
    quantiles: list[float]
    fifth: float


@dataclass(eq=False)
class Side:
    """One window of one series: its occurrences that were captured.

    Attributes:
        missing: rows without a value.
    """

    info: SeriesInfo
    occurrences: tuple[Measured, ...]
    missing: int = 0
    described: _Described | None = None
    _some: dict[tuple[Measured, ...], Side] = field(default_factory=dict)

    @Once
    def n(self) -> int:
        return sum([occurrence.n for occurrence in self.occurrences])

    @property
    def values(self) -> Floats:
        """float64[n], the values of all occurrences in their order."""
        parts = [occurrence.samples.values for occurrence in self.occurrences]
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0), *parts])

    @property
    def judged(self) -> Samples:
        return together([occurrence.judged for occurrence in self.occurrences])

    @Once
    def mean(self) -> float:
        """The mean in the series' unit; 0 where nothing was measured."""
        return self.statistics.mean or 0.0

    def quantiles(self, n_eff: float | None) -> Quantiles | None:
        """The percentiles, p99 only where so many independent samples allow it; None where nothing was measured."""
        if not self.n:
            return None
        p50, p90, p95, p99 = self._described.quantiles
        return Quantiles(p50, p90, p95, p99 if n_eff is not None and estimable(0.99, n_eff) else None)

    @property
    def statistics(self) -> Statistics:
        return self._described.statistics

    @property
    def _described(self) -> _Described:
        if self.described is None:
            describe([self])
        assert self.described is not None
        return self.described

    @property
    def busiest(self) -> tuple[float, float]:
        """The 5th and the 95th percentile, of at least one sample."""
        assert self.statistics.p95 is not None
        return self._described.fifth, self.statistics.p95

    @Once
    def coverage(self) -> float | None:
        shares = [occurrence.coverage for occurrence in self.occurrences if occurrence.coverage is not None]
        return sum(shares) / len(shares) if shares else None

    @Once
    def interval_s(self) -> float | None:
        return max((own.facts.interval_s for own in self.occurrences if own.facts.interval_s), default=None)

    @property
    def extents(self) -> tuple[object, ...]:
        """All that is known of its occurrences but what was measured."""
        facts = [(own, own.facts) for own in self.occurrences]
        return tuple([(own.span_ns, own.coverage, one.n, one.interval_s, one.resets) for own, one in facts])

    def only(self, kept: Sequence[Measured]) -> Side:
        if len(kept) == len(self.occurrences):
            return self
        return self._some.setdefault(tuple(kept), Side(self.info, tuple(kept)))


def describe(sides: Iterable[Side]) -> None:
    """Sets the statistics of each side, computed together for those of equally many samples, which are not kept."""
    for n, own in of_one_length((side.n, side) for side in sides if side.described is None):
        values = np.array([side.values for side in own])
        ordered = np.sort(values, axis=1)
        statistics = described(values, ordered, [side.missing for side in own])
        quantiles: list[list[float]] = [[]] * len(own)
        fifths = [0.0] * len(own)
        if n:
            quantiles = np.array([harrell_davis_at(ordered, p) for p in _QUANTILES]).T.tolist()
            fifths = type7_at(ordered, np.full(len(own), 0.05)).tolist()
        for side, statistic, some, fifth in zip(own, statistics, quantiles, fifths, strict=True):
            side.described = _Described(_by_requests(side, statistic), some, fifth)


def _by_requests(side: Side, statistics: Statistics) -> Statistics:
    if not side.occurrences or not all(occurrence.facts.weighted for occurrence in side.occurrences):
        return statistics
    mean = side.judged.mean
    return statistics if mean is None else replace(statistics, mean=mean, weighted=True)
