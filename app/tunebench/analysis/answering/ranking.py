"""Which of many figures are named, by a rule that swapping before and after does not change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log

from tunebench.analysis.answering.resources import Family, Figure
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.engagement import Direction

MOST_TILES = 8
MOST_WORSE = 5
_MOST_OF_A_FAMILY = 2
_MOST_EFFECT = log(1000)
"""From or to zero, and beyond, one change is as large as the other."""
_TIERS = ((Verdict.IMPROVED, Verdict.REGRESSED), (Verdict.EQUIVALENT,), (Verdict.INCONCLUSIVE,))


def tier(verdict: Verdict) -> int:
    """0 better or worse, 1 no practical change, 2 undecided, 3 not judged."""
    return next((rank for rank, verdicts in enumerate(_TIERS) if verdict in verdicts), len(_TIERS))


def change_of(row: ComparedSeries) -> float | None:
    """ln(after / before) as it is judged, per unit of work or at equal load where that is; None where it has none."""
    ratio = row.estimate if row.estimate is not None else row.ratio
    if ratio is None or ratio <= 0:
        return None
    return -log(ratio) if row.direction is Direction.LOWER else log(ratio)


def weight_of(figure: Figure) -> float:
    """How much its change matters: |ln ratio| times how far the resource was used."""
    effect = figure.lead.effect
    return 0.0 if effect is None else min(effect, _MOST_EFFECT) * figure.use


def tiles(figures: Sequence[Figure], taken: int = 0) -> tuple[Figure, ...]:
    """The figures to be shown large, in the order of families, at most eight.

    The strongest of each direction; of each family its strongest, else its busiest; then more of the strongest.

    Args:
        figures: of everything that is no metric of the cycle.
        taken: tiles that those metrics have already.
    """
    room = max(MOST_TILES - taken, 0)
    changed = strongest(figures)
    chosen: dict[int, Figure] = {}
    for figure in (*_of_each_direction(changed), *_of_each_family(figures, changed), *changed):
        of_family = sum(own.resource.family is figure.resource.family for own in chosen.values())
        if len(chosen) < room and (id(figure) in chosen or of_family < _MOST_OF_A_FAMILY):
            chosen[id(figure)] = figure
    return tuple(sorted(chosen.values(), key=lambda figure: (_family_rank(figure), *_by_weight(figure))))


def _of_each_direction(changed: Sequence[Figure]) -> Iterator[Figure]:
    for verdict in (Verdict.IMPROVED, Verdict.REGRESSED):
        yield from [figure for figure in changed if figure.lead.verdict is verdict][:1]


def _of_each_family(figures: Sequence[Figure], changed: Sequence[Figure]) -> Iterator[Figure]:
    for family in Family:
        own = [figure for figure in figures if figure.resource.family is family]
        sure = [figure for figure in changed if figure.resource.family is family]
        busiest = sorted(own, key=lambda figure: (-figure.use, figure.resource))
        yield from [*sure, *busiest][:1]


def _by_weight(figure: Figure) -> tuple[float, tuple[str, str, str]]:
    resource = figure.resource
    return -weight_of(figure), (resource.family.value, resource.host, resource.name)


def _family_rank(figure: Figure) -> int:
    return list(Family).index(figure.resource.family)


def strongest(figures: Iterable[Figure]) -> list[Figure]:
    """Those that are better or worse, what matters most first."""
    return sorted((figure for figure in figures if tier(figure.lead.verdict) == 0), key=_by_weight)


def is_unwanted(figure: Figure) -> bool:
    """Whether the number moved the unwanted way, whatever can be said of it."""
    change, direction = change_of(figure.lead), figure.lead.direction
    if change is None or direction is Direction.NEUTRAL:
        return False
    return change > 0 if direction is Direction.LOWER else change < 0
