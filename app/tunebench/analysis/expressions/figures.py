"""What is known of a thing (a host, a disk, a database) or of several over a window: figures that expressions name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tunebench.analysis.expressions.moments import Bools, Floats, Ints, Moments, trailing_mean

Figure = Floats | float | int | str | bool | None
"""A series ``float64[n]``, one row per member ``float64[members, n]``, or one value for the whole window; of several
things at once ``float64[things, n]``, ``float64[things, members, n]``, or one value for all of them.

None, NaN and an empty word: not measured. An infinite value counts as not measured too.
"""


class Figures:
    """Figures by name, all series on the same times. What is worked out for one rule is kept for the next."""

    def __init__(self, values: Mapping[str, Figure], times_ns: Ints | None = None, things: int | None = None) -> None:
        """
        Args:
            things: of how many; None: of one, whose arrays have no axis for it.

        Raises:
            ValueError: the series differ in length.
        """
        self.things = things
        self._arrays: dict[str, Floats] = {}
        self._scalars: dict[str, float | str | bool] = {}
        for name, value in values.items():
            self._take(name, value)
        lengths = {array.shape[-1] for array in self._arrays.values()}
        if times_ns is not None:
            lengths.add(len(times_ns))
        if len(lengths) > 1:
            raise ValueError(f"series of {sorted(lengths)} samples")
        self.moments = Moments(lengths.pop() if lengths else 1, times_ns)
        self._reduced: dict[tuple[str, str], Floats] = {}
        self._finite: dict[str, Bools | None] = {}
        self._means: dict[tuple[str, float], Floats] = {}

    def _take(self, name: str, value: Figure) -> None:
        if isinstance(value, np.ndarray):
            array = np.asarray(value, dtype=np.float64)
            self._arrays[name] = np.where(np.isinf(array), np.nan, array) if np.isinf(array).any() else array
        elif isinstance(value, bool | str):
            if value != "":
                self._scalars[name] = value
        elif value is not None and np.isfinite(value):
            self._scalars[name] = float(value)

    @property
    def count(self) -> int:
        """Samples; 1 where there are no series."""
        return self.moments.count

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an answer at each sample: ``(things, n)``, for one thing ``(n,)``."""
        return (self.count,) if self.things is None else (self.things, self.count)

    def _has_members(self, array: Floats) -> bool:
        return array.ndim > len(self.shape)

    def __contains__(self, name: str) -> bool:
        return name in self._arrays or name in self._scalars

    def word(self, name: str) -> str:
        """``""`` for what is not known, and for what is no word."""
        value = self._scalars.get(name)
        return value if isinstance(value, str) else ""

    def flag(self, name: str) -> bool | None:
        value = self._scalars.get(name)
        return value if isinstance(value, bool) else None

    def number(self, name: str) -> Floats | float:
        """Series or value; NaN for what is not measured, is no number or has a row per member."""
        array = self._arrays.get(name)
        if array is not None:
            return float("nan") if self._has_members(array) else array
        value = self._scalars.get(name)
        return value if isinstance(value, float) else float("nan")

    def finite(self, name: str) -> Bools | None:
        """At which samples the figure was measured; None: at all of them."""
        if name not in self._finite:
            array = self._arrays.get(name)
            self._finite[name] = None if array is None else self._gaps(array)
        return self._finite[name]

    def _gaps(self, array: Floats) -> Bools | None:
        finite: Bools = np.isfinite(array)
        if self._has_members(array):
            finite = np.logical_or.reduce(finite, axis=-2)
        return None if finite.all() else finite

    def ever(self, name: str) -> bool | Bools:
        """Whether the figure was measured at any sample; of several things for each, ``bool[things, 1]``."""
        finite = self.finite(name)
        if name not in self or self.count == 0:
            return False
        return True if finite is None else np.asarray(finite.any(axis=-1, keepdims=True))

    def over_members(self, name: str, function: str) -> Floats | float:
        """``max``, ``min`` or ``mean`` over the members that were measured at each sample; others as they are."""
        array = self._arrays.get(name)
        if array is None or not self._has_members(array):
            return self.number(name)
        if (name, function) not in self._reduced:
            self._reduced[name, function] = _reduce(array, function)
        return self._reduced[name, function]

    def means(self, names: Iterable[str], span_s: float) -> Figures:
        """Only the figures of `names`: series as means over the last `span_s` before each sample."""
        values: dict[str, Figure] = {name: self._scalars[name] for name in names if name in self._scalars}
        values |= {name: self._mean(name, span_s) for name in names if name in self._arrays}
        averaged = Figures(values, things=self.things)
        averaged.moments = self.moments
        return averaged

    def _mean(self, name: str, span_s: float) -> Floats:
        if (name, span_s) not in self._means:
            self._means[name, span_s] = trailing_mean(self._arrays[name], self.moments, span_s)
        return self._means[name, span_s]


def _reduce(array: Floats, function: str) -> Floats:
    finite = np.isfinite(array)
    if function == "mean":
        count = finite.sum(axis=-2)
        total = np.where(finite, array, 0.0).sum(axis=-2)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)
    clean = array if finite.all() else np.where(finite, array, np.nan)
    reduced: Floats = (np.fmax if function == "max" else np.fmin).reduce(clean, axis=-2)
    return reduced
