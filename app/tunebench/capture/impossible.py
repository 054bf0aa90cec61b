"""Values that cannot have been measured: a rate of 1.8e19, a negative count, 900 % of a processor.

This is the one door between readers and samples: what is taken out here is in no figure, chart or verdict, whichever
reader gave it. The capture keeps it verbatim, and the account names it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tunebench.domain.ledger import IMPOSSIBLE_VALUES, ImpossibleValues, Ledger
from tunebench.domain.series import SeriesTraits
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.recent import Recent

_Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]


class Plausibility:
    """Judges the batches of one capture in their order.

    Args:
        traits: tells the bounds of a series.
    """

    def __init__(self, traits: Callable[[SeriesKey], SeriesTraits]) -> None:
        self._traits = traits
        self._bounds_of = Recent(self._find_bounds)
        self._impossible = ImpossibleValues()

    def judged(self, batch: SampleBatch) -> SampleBatch:
        """The batch with NaN, not measured, in the place of what is impossible; averages since boot count nowhere."""
        values = batch.values
        if not values.size:
            return batch
        least, most = self._bounds_of(batch.series)
        if (values.min(axis=0) >= least).all() and (values.max(axis=0) <= most).all():  # not so where one is NaN
            return batch
        beyond = (values < least) | (values > most)
        if not beyond.any():
            return batch
        beyond &= ~batch.since_boot[:, np.newaxis]
        self._note(batch, beyond)
        return replace(batch, values=np.where(beyond, np.nan, values))

    def named(self, ledger: Ledger) -> Ledger:
        """The account with what was taken out."""
        if not self._impossible.count:
            return ledger
        return replace(
            ledger,
            samples=ledger.samples - self._impossible.count,
            impossible=self._impossible,
            warnings=(*ledger.warnings, IMPOSSIBLE_VALUES),
        )

    def _find_bounds(self, series: tuple[SeriesKey, ...]) -> _Bounds:
        traits = [self._traits(key) for key in series]
        return np.array([one.least for one in traits]), np.array([one.most for one in traits])

    def _note(self, batch: SampleBatch, beyond: NDArray[np.bool_]) -> None:
        before, count = self._impossible, int(np.count_nonzero(beyond))
        if not count:
            return
        rows, columns = np.nonzero(beyond)
        first = int(np.argmin(batch.line_numbers[rows]))
        line = int(batch.line_numbers[rows[first]])
        if before.count and before.first_line <= line:
            self._impossible = replace(before, count=before.count + count)
            return
        key, value = batch.series[columns[first]], batch.values[rows[first], columns[first]]
        words = (*(text for _, text in key.attributes), key.native, f"{value:.6g}")
        self._impossible = ImpossibleValues(before.count + count, line, " ".join(words))
