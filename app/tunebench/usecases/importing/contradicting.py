"""Captures of one host that say different things of the same seconds."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from tunebench.analysis.comparing.comparison import MARGIN
from tunebench.core.records import record
from tunebench.domain.assembly import CaptureOverlap, Relation
from tunebench.store import artefacts, captured_columns, overlaps, queries
from tunebench.store.captured_columns import CapturedColumn
from tunebench.store.project import Project

_FEWEST_SHARED = 10
"""Samples of the same moments, below which two means say little of each other."""


@record
class Contradiction:
    """Two captures that contradict each other in the columns of these names (their own and the canonical ones)."""

    one: int
    other: int
    names: frozenset[str]


def contradictions(project: Project, names: Collection[str]) -> list[Contradiction]:
    """Pairs whose means over the moments that both hold differ beyond the margin, in columns of one of the names:
    captures that merely overlap, at other moments or by another tool's phase, contradict nothing."""
    contradicting = []
    for pair in overlaps.list_overlaps(project):
        if pair.relation is Relation.DIFFERS:
            at_odds = frozenset(name for columns in _at_odds(project, pair, names) for name in columns)
            if at_odds:
                contradicting.append(Contradiction(pair.artefact_id, pair.other_id, at_odds))
    return contradicting


def _at_odds(project: Project, pair: CaptureOverlap, names: Collection[str]) -> Iterator[tuple[str, str]]:
    host_id = artefacts.find_artefact(project, pair.artefact_id).host_id
    own: dict[int, dict[object, CapturedColumn]] = {pair.artefact_id: {}, pair.other_id: {}}
    for column in captured_columns.columns_of_host(project, host_id) if host_id is not None else ():
        if column.artefact_id in own and not {column.native, column.metric}.isdisjoint(names):
            own[column.artefact_id][column.tool, column.table, column.native, column.attributes] = column
    one, other = own.values()
    for key in one.keys() & other.keys():
        if _means_differ(project, one[key], other[key], pair):
            yield one[key].native, one[key].metric


def _means_differ(project: Project, one: CapturedColumn, other: CapturedColumn, pair: CaptureOverlap) -> bool:
    read = [queries.read_series(project, column.series_id, pair.start_ns, pair.end_ns) for column in (one, other)]
    kept = [data.taken(~data.since_boot & ~np.isnan(data.values)) for data in read]
    _, here, there = np.intersect1d(kept[0].times_ns, kept[1].times_ns, return_indices=True)
    if len(here) < _FEWEST_SHARED:
        return False
    means = sorted(abs(float(data.values[places].mean())) for data, places in zip(kept, (here, there), strict=True))
    return means[1] > means[0] * (1 + MARGIN)
