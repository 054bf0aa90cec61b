"""What a parser has given so far: how many series and samples, over which time. There is an end to the series."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.ledger_book import LedgerBook
from tunebench.sdk.recent import Recent

MOST_SERIES = 200_000
"""A capture of more is no capture but damage: each costs some hundred bytes for as long as the capture is read."""


class SeriesAccount:
    """Counts the batches on their way out; what would make more than `MOST_SERIES` series is left out and warned of.

    Args:
        turns: how many tables' batches take turns; as many tuples of series are remembered (`Recent`).
    """

    def __init__(self, book: LedgerBook, turns: int = 16) -> None:
        self.first_ns: int | None = None
        self.last_ns: int | None = None
        self.samples = 0
        self._book = book
        self._series: set[SeriesKey] = set()
        self._admitted = Recent(self._admit, turns)

    @property
    def series(self) -> int:
        return len(self._series)

    def count(self, batches: Iterable[SampleBatch]) -> Iterator[SampleBatch]:
        """The batches that hold something."""
        for batch in batches:
            admitted = self._of_admitted_series(batch) if len(batch.times_ns) else batch
            if admitted.series and len(admitted.times_ns):
                self._count_one(admitted)
                yield admitted

    def cover(self, time_ns: int) -> None:
        """The time given so far reaches to this moment."""
        self.first_ns = time_ns if self.first_ns is None else min(self.first_ns, time_ns)
        self.last_ns = time_ns if self.last_ns is None else max(self.last_ns, time_ns)

    def _of_admitted_series(self, batch: SampleBatch) -> SampleBatch:
        admitted = self._admitted(batch.series)
        if admitted is None:
            return batch
        self._book.warn("too_many_series")
        kept = tuple(batch.series[index] for index in admitted)
        return replace(batch, series=kept, values=batch.values[:, admitted])

    def _admit(self, series: tuple[SeriesKey, ...]) -> list[int] | None:
        """Takes these into the account, the first where there is no room for all: the places of those; None: all."""
        if len(self._series) + len(series) <= MOST_SERIES:
            self._series.update(series)
            return None
        places = []
        for index, key in enumerate(series):
            if key in self._series or len(self._series) < MOST_SERIES:
                self._series.add(key)
                places.append(index)
        return places if len(places) < len(series) else None

    def _count_one(self, batch: SampleBatch) -> None:
        self.cover(int(batch.times_ns.min()))
        self.cover(int(batch.times_ns.max()))
        self.samples += batch.values.size - int(np.count_nonzero(np.isnan(batch.values)))
