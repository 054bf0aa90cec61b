"""How to read all samples that are printed alike.

A sample's text is runs of digits (with points) and what stands between them. Two samples with the same text
between their runs hold the same activities, processors and devices in the same order; if also those runs agree
that belong to names (``eth0``, ``"CPU1"``), the n-th run is the same column in both. So the tree is walked once
(`Sketch`), and every further sample is compared and read as rows of a matrix of runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.sdk import SeriesKey

from .json_form import Malformed
from .numerals import Runs
from .sketch import Figure, Sketch

_DATE = (0, 5, 8, 10)
_TIME = (0, 3, 6, 8)
"""Where year, month, day (hour, minute, second) begin behind the first character, and the end."""


@dataclass(frozen=True, slots=True)
class TableColumns:
    """One table of the sample; `line` is the line of its first figure, counted from the sample's first."""

    name: str
    series: tuple[SeriesKey, ...]
    columns: NDArray[np.int64]  # among Plan.runs
    line: int


@dataclass(frozen=True, slots=True)
class LineKinds:
    """The lines that end within the sample."""

    data: int
    header: int
    blank: int
    first: str  # kind of the first of them


class Plan:
    """Made of one sample; `fits` tells how far others are like it.

    Attributes:
        zone: what its stamps say of their zone (see `Sketch.zone`).
        clock: the six runs of date and time.
        runs: the runs that are figures.
        words: whether it has a column of words.
    """

    def __init__(self, text: bytes, sketch: Sketch, runs: Runs) -> None:
        self._index = {int(start): index for index, start in enumerate(runs.starts)}
        self._lengths = (runs.ends - runs.starts).tolist()
        self.zone = sketch.zone
        self.words = sketch.words
        self.clock = np.asarray([*self._parts(sketch.date_place, _DATE), *self._parts(sketch.time_place, _TIME)])
        figures = [figure for figure in sketch.figures if self._run_of(figure) is not None]
        self.runs = np.asarray([self._run_of(figure) for figure in figures], dtype=np.int64)
        self.tables = _tables(text, figures)
        self.lines = _kinds_of_lines(text, {figure.place for figure in figures})
        self._keep_fixed(sketch, runs)
        self.gaps = runs.starts - np.append(0, runs.ends)[:-1] - runs.signs
        self._index.clear()

    def _parts(self, place: int, offsets: tuple[int, ...]) -> list[int]:
        """The runs of a date or a time.

        Raises:
            Malformed: they are not there, or have other lengths.
        """
        found = []
        for offset, following in pairwise(offsets):
            index = self._index.get(place + offset)
            last = following == offsets[-1]
            if place < 0 or index is None or self._lengths[index] != following - offset - (not last):
                raise Malformed
            found.append(index)
        return found

    def _run_of(self, figure: Figure) -> int | None:
        index = self._index.get(figure.place)
        return index if index is not None and self._lengths[index] == figure.length else None

    def _keep_fixed(self, sketch: Sketch, runs: Runs) -> None:
        """Remembers the runs inside names: their lengths and last sixteen characters."""
        varying = {*self.runs.tolist(), *self.clock.tolist(), *(self._index.get(place, -1) for place in sketch.free)}
        self.fixed = np.asarray([index for index in range(len(runs)) if index not in varying], dtype=np.int64)
        self._fixed_lengths = (runs.ends - runs.starts)[self.fixed]
        self._fixed_words = runs.words(self.fixed)
        self._fixed_signs = runs.signs[self.fixed]

    def fits(self, runs: Runs, first: int, samples: int, origins: NDArray[np.int64]) -> int:
        """How many of the following samples have the same gaps and names.

        Args:
            first: index of the first sample's first run.
            origins: int64[samples], where each sample begins in the text.
        """
        count = len(self.gaps)
        if not count:
            return samples
        where = slice(first, first + samples * count)
        starts = runs.starts[where].reshape(samples, count)
        ends = runs.ends[where].reshape(samples, count)
        before = np.column_stack([origins, ends[:, :-1]])
        signs = runs.signs[where].reshape(samples, count)
        alike = (starts - before - signs == self.gaps).all(axis=1)
        if len(self.fixed):
            places = (first + np.arange(samples)[:, None] * count + self.fixed[None, :]).ravel()
            lengths = (ends - starts)[:, self.fixed]
            low, high = (words.reshape(samples, -1) for words in runs.words(places))
            alike &= (lengths == self._fixed_lengths).all(axis=1)
            alike &= (signs[:, self.fixed] == self._fixed_signs).all(axis=1)
            alike &= (low == self._fixed_words[0]).all(axis=1) & (high == self._fixed_words[1]).all(axis=1)
        return samples if alike.all() else int(np.argmin(alike))


def _tables(text: bytes, figures: list[Figure]) -> tuple[TableColumns, ...]:
    by_table: dict[str, list[int]] = {}
    for column, figure in enumerate(figures):
        by_table.setdefault(figure.key.table, []).append(column)
    return tuple(
        TableColumns(
            name,
            tuple(figures[column].key for column in columns),
            np.asarray(columns, dtype=np.int64),
            text.count(b"\n", 0, figures[columns[0]].place),
        )
        for name, columns in by_table.items()
    )


def _kinds_of_lines(text: bytes, places: set[int]) -> LineKinds:
    """What the lines of a sample are; the text behind the last line end belongs to what follows."""
    figure_places = sorted(places)
    counts = {"data": 0, "header": 0, "blank": 0}
    first, start, next_figure = "", 0, 0
    while (end := text.find(b"\n", start)) >= 0:
        kind = "blank" if text[start:end].isspace() or start == end else "header"
        while next_figure < len(figure_places) and figure_places[next_figure] < end:
            kind = "data"
            next_figure += 1
        counts[kind] += 1
        first = first or kind
        start = end + 1
    return LineKinds(counts["data"], counts["header"], counts["blank"], first)
