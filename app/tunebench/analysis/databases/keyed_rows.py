"""Rows of tables found again by their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.databases.record import FigureTable, Numbers
from tunebench.core.records import record
from tunebench.domain.databases.records import TABLES, Behaviour

Key = tuple[str, ...]
Places = NDArray[np.intp]


@record(eq=False)
class KeyedRows:
    """A table whose keys are unique: rows of the same key are one.

    Attributes:
        keys: in the order of first appearance.
        first: where in `table` each key stands first.
    """

    table: FigureTable
    keys: tuple[Key, ...]
    first: Places
    figures: Mapping[str, Numbers]

    @classmethod
    def of(cls, table: FigureTable) -> KeyedRows:
        """Counters of a key's rows are added up (a sum is not reported where one of them is not), the greatest
        extreme is kept, of states and shares the last."""
        keys = table.keys()
        places: dict[Key, int] = {}
        rows = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.intp)
        if len(places) == len(keys):
            return cls(table, tuple(keys), np.arange(len(keys)), table.figures)
        first = np.unique(rows, return_index=True)[1]
        behaviours = TABLES[table.name].figures
        figures = {
            name: _merged(name, values, rows, len(places), behaviours[name].behaviour)
            for name, values in table.figures.items()
        }
        return cls(table, tuple(places), first, figures)

    def __len__(self) -> int:
        return len(self.keys)

    def figure(self, name: str) -> Numbers:
        column = self.figures.get(name)
        return np.full(len(self), np.nan) if column is None else column

    def text(self, name: str) -> tuple[str, ...]:
        column = self.table.text(name)
        return tuple(column[row] for row in self.first.tolist())

    def places_of(self, keys: Sequence[Key]) -> Places:
        """The row of each of `keys`; -1 where there is none."""
        places = {key: index for index, key in enumerate(self.keys)}
        return np.array([places.get(key, -1) for key in keys], dtype=np.intp)

    def figure_at(self, name: str, places: Places) -> Numbers:
        """The figure at each of `places`; NaN where that is -1."""
        return np.append(self.figure(name), np.nan)[places]


def _merged(name: str, values: Numbers, rows: Places, count: int, behaviour: Behaviour) -> Numbers:
    if behaviour is Behaviour.COUNTER:
        merged = np.zeros(count)
        np.add.at(merged, rows, values)
        return merged
    if behaviour is Behaviour.EXTREME:
        extreme = np.fmin if is_least(name) else np.fmax
        merged = np.full(count, np.nan)
        extreme.at(merged, rows, values)
        return merged
    merged = np.full(count, np.nan)
    merged[rows] = values  # the last one stays
    return merged


def is_least(name: str) -> bool:
    """Whether an extreme is the smallest rather than the largest."""
    return "_min_" in name
