"""The courses of the figures that an answer names, out of the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.answering.profiles import Profile, profile
from tunebench.analysis.answering.resources import Figure
from tunebench.analysis.comparing.comparison import Comparison, Parts
from tunebench.analysis.series import SeriesData
from tunebench.core.progress import Progress, SilentProgress
from tunebench.domain.windows import Stretch
from tunebench.store import engagements
from tunebench.store.project import Project
from tunebench.usecases.comparing.sides import samples_in


def profiles(
    project: Project, comparison: Comparison, figures: Sequence[Figure], most: int, progress: Progress | None = None
) -> list[Profile | None]:
    """In the order of the figures; None where a side of one measured nothing.

    Args:
        most: steps of each.
    """
    progress = progress or SilentProgress()
    usual = ZoneInfo(engagements.read_engagement(project).zone)
    zones = comparison.before.clock(usual), comparison.after.clock(usual)
    profiles = []
    for figure in figures:
        progress.raise_if_cancelled()
        before = occurrences(project, figure, comparison.occurrences_before, 0)
        after = occurrences(project, figure, comparison.occurrences_after, 1)
        profiles.append(profile(before, after, zones, most))
    return profiles


def occurrences(project: Project, figure: Figure, stretches: Sequence[Stretch], side: int) -> list[SeriesData]:
    """What a figure was in each stretch.

    Args:
        side: 0 before, 1 after.
    """
    rows = (figure.lead,) if figure.derived is None else figure.derived.parts
    parts = [(row.before_parts, row.after_parts)[side] for row in rows]
    return [_samples(project, figure, parts, stretch) for stretch in stretches]


def _samples(project: Project, figure: Figure, parts: Sequence[Parts], stretch: Stretch) -> SeriesData:
    """The samples of the lead; of a derived one, what its formula makes of columns of one table."""
    columns = [samples_in(project, own, stretch) for own in parts]
    if figure.derived is None:
        return columns[0]
    n = min(len(column.values) for column in columns)
    total = np.sum([column.values[:n] for column in columns], axis=0)
    whole = figure.derived.formula.whole
    values = total if whole is None else whole - total
    first = columns[0]
    return replace(
        first,
        times_ns=first.times_ns[:n],
        values=values,
        since_boot=first.since_boot[:n],
        line_numbers=first.line_numbers[:n],
    )
