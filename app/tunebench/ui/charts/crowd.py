"""A row of more lines than anybody reads: their median, where most of them are, and the few least like the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tunebench.analysis.exploring.arrangement import TOP_LINES
from tunebench.analysis.exploring.grid import band_of, on_grid
from tunebench.analysis.exploring.peers import peers
from tunebench.analysis.exploring.time_scale import TimeScale, cells_of
from tunebench.ui.charts.lines import ChartLine
from tunebench.ui.charts.row import ChartRow
from tunebench.ui.look.theme import current_theme


def show_crowd(
    row: ChartRow, lines: Sequence[ChartLine], strand_of: Mapping[int, int], scale: TimeScale, cells: float
) -> None:
    """
    Args:
        strand_of: id of a line's series -> the entry of the row that it is of.
        cells: how many of the picture's width the median is told for.
    """
    starts, ends = cells_of(scale, cells)
    by_strand: dict[int, list[ChartLine]] = {entry.key: [] for entry in row.entries}
    for line in lines:
        by_strand[strand_of[line.key]].append(line)
    drawn = [[line.envelope for line in own if line.envelope is not None] for own in by_strand.values()]
    values = np.array([on_grid(envelopes, starts, ends) for envelopes in drawn])
    apart = {key: by_strand[key] for key in (list(by_strand)[at] for at in peers(values).order[:TOP_LINES])}
    _name(row, apart)
    row.canvas.band = band_of(values, starts, ends)
    row.canvas.show_lines([line for own in apart.values() for line in own])


def _name(row: ChartRow, apart: Mapping[int, Sequence[ChartLine]]) -> None:
    """The lines drawn come first in the row's list, each in its own colour; the rest is grey."""
    colours, muted = current_theme().series, current_theme().muted
    by_key = {entry.key: entry for entry in row.entries}
    first = [replace(by_key[key], colour=colours[at % len(colours)]) for at, key in enumerate(apart)]
    for entry in first:
        for line in apart[entry.key]:
            line.colour = entry.colour
    rest = [replace(entry, colour=muted) for entry in row.entries if entry.key not in apart]
    if [*first, *rest] != row.entries:
        row.show_entries([*first, *rest], row.head.note)
