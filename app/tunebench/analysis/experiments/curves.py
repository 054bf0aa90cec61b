"""A response over a numeric factor, and where it bends: the end of the regime in which all data fit into memory.

Two straight lines that meet, fitted to the logarithms of the levels' medians (broken-stick regression). The place of
the bend gets a profile interval (F, one degree of freedom); whether there is a bend at all is tested by simulating the
largest gain that straight data give by chance, which depends on the levels alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from tunebench.analysis.experiments.samples import Samples
from tunebench.analysis.inference.autocovariance import Floats
from tunebench.analysis.inference.verdict import Interval
from tunebench.analysis.queueing.usl import UslFit, fit_usl
from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Cell, Experiment, Factor

FEWEST_LEVELS = 6
SIGNIFICANT = 0.05
_PLACES, _SIMULATIONS, _SEED = 241, 1999, 1
_PARAMETERS = 4  # two lines that meet: level, slope, change of slope, place


@record
class Knee:
    """
    Attributes:
        at: the factor's value at which the curve bends.
        interval: of it; an end that is the first or last place tried means that it may lie farther out.
        slope_before, slope_after: of ln response over ln factor (over the factor itself where it has values <= 0).
        worsens: the response gets worse faster, or better more slowly, behind it.
        p: that there is no bend.
    """

    at: float
    interval: Interval
    slope_before: float
    slope_after: float
    worsens: bool
    p: float


@record
class Curve:
    """
    Attributes:
        fixed: the other factors with their levels.
        points: (factor's value, median, runs), by the value.
        knee: None where `refusal` (few_levels, not_positive, no_bend) says why.
        p: of the test for a bend; None where it was not made.
        usl: how a throughput scales with a load (`LOADS`); None where the factor is none, or levels are too few.
    """

    factor: str
    unit: str
    fixed: tuple[tuple[str, str], ...]
    points: tuple[tuple[float, float, int], ...]
    knee: Knee | None
    refusal: str
    p: float | None = None
    usl: UslFit | None = None


LOADS = frozenset({"clients", "threads", "connections", "users", "processes", "jobs"})
"""Units of factors that are a load: for these the Universal Scalability Law says what it costs to share."""


def curves(experiment: Experiment, samples: Samples, direction: Direction) -> tuple[Curve, ...]:
    """One for each numeric factor of several levels and each combination of the other factors that was measured at
    more than one of them."""
    drawn: list[Curve] = []
    for index, factor in enumerate(experiment.factors):
        if factor.is_numeric and len(factor.levels) > 2:
            drawn += _curves_of(experiment, samples, direction, index, factor)
    return tuple(drawn)


def _curves_of(
    experiment: Experiment, samples: Samples, direction: Direction, index: int, factor: Factor
) -> Iterator[Curve]:
    grouped: dict[Cell, list[tuple[float, float, int]]] = {}
    for cell in samples.measured:
        level = factor.level(cell[index])
        if level is not None and level.value is not None:
            sample = samples.cells[cell]
            point = (level.value, float(np.median(sample.values)), sample.n)
            grouped.setdefault(cell[:index] + cell[index + 1 :], []).append(point)
    others = [other.name for other in experiment.factors if other is not factor]
    for rest, points in grouped.items():
        if len(points) < 2:
            continue
        points.sort()
        knee, refusal, p = find_knee([x for x, _y, _n in points], [y for _x, y, _n in points], direction)
        fixed = tuple(zip(others, rest, strict=True))
        usl = _scaling(points) if factor.unit.casefold() in LOADS and direction is Direction.HIGHER else None
        yield Curve(factor.name, factor.unit, fixed, tuple(points), knee, refusal, p, usl)


def _scaling(points: list[tuple[float, float, int]]) -> UslFit | None:
    try:
        return fit_usl([x for x, _y, _n in points], [y for _x, y, _n in points])
    except ValueError:  # too few levels, or a figure that is not positive
        return None


def find_knee(levels: list[float], medians: list[float], direction: Direction) -> tuple[Knee | None, str, float | None]:
    """(knee, reason why there is none, p); `levels` rise."""
    if len(levels) < FEWEST_LEVELS:
        return None, "few_levels", None
    x, y = np.array(levels), np.array(medians)
    if y.min() <= 0:
        return None, "not_positive", None
    is_log = bool(x.min() > 0)
    scaled, wanted = (np.log(x) if is_log else x), np.log(y)
    places = np.linspace(scaled[1], scaled[-2], _PLACES)
    gains, total = _gains(scaled, wanted, places)
    if total <= 1e-20 * len(x):
        return None, "no_bend", 1.0
    p = _chance(tuple(scaled.tolist()), float(gains.max() / total))
    if p > SIGNIFICANT:
        return None, "no_bend", p
    interval = _interval(places, np.maximum(total - gains, 0.0), len(x))
    at = float(places[gains.argmax()])
    before, after = _slopes(scaled, wanted, at)
    worse = after > before if direction is Direction.LOWER else after < before
    low, high = (interval.low, interval.high) if not is_log else (np.exp(interval.low), np.exp(interval.high))
    knee = Knee(float(np.exp(at)) if is_log else at, Interval(float(low), float(high)), before, after, worse, p)
    return knee, "", p


def _gains(x: Floats, y: Floats, places: Floats) -> tuple[Floats, float]:
    """How much a bend at each place lowers the squares left over by one straight line, and those squares."""
    basis = _straight(x)
    rest = y - basis @ (basis.T @ y)
    return (_bends(x, places, basis) @ rest) ** 2, float(rest @ rest)


def _straight(x: Floats) -> Floats:
    """float64[n, 2]: an orthonormal basis of the straight lines."""
    centred = x - x.mean()
    return np.column_stack([np.full(len(x), len(x) ** -0.5), centred / np.linalg.norm(centred)])


def _bends(x: Floats, places: Floats, basis: Floats) -> Floats:
    """float64[places, n]: what a bend adds to the straight lines, of length 1."""
    hinges = np.maximum(x[None, :] - places[:, None], 0.0)
    hinges = hinges - (hinges @ basis) @ basis.T
    lengths: Floats = np.linalg.norm(hinges, axis=1, keepdims=True)
    scaled: Floats = hinges / np.maximum(lengths, 1e-12)
    return scaled


def _chance(scaled: tuple[float, ...], share: float) -> float:
    """How often straight data give such a gain."""
    simulated = _simulated(scaled)
    return float((1 + np.count_nonzero(simulated >= share - 1e-12)) / (len(simulated) + 1))


@lru_cache(maxsize=64)
def _simulated(scaled: tuple[float, ...]) -> Floats:
    """float64[simulations]: the largest share of the squares that a bend takes away where there is none."""
    x = np.array(scaled)
    noise = np.random.default_rng(_SEED).standard_normal((len(x), _SIMULATIONS))
    basis = _straight(x)
    noise -= basis @ (basis.T @ noise)
    places = np.linspace(x[1], x[-2], _PLACES)
    best: Floats = ((_bends(x, places, basis) @ noise) ** 2).max(axis=0) / np.sum(noise**2, axis=0)
    return best


def _interval(places: Floats, left: Floats, n: int) -> Interval:
    """All places at which the squares left over are not significantly more than at the best."""
    from scipy import special

    df = n - _PARAMETERS
    limit = left.min() * (1 + float(special.fdtri(1, df, 0.95)) / df) + 1e-300
    inside = places[left <= limit]
    return Interval(float(inside[0]), float(inside[-1]))


def _slopes(x: Floats, y: Floats, at: float) -> tuple[float, float]:
    design = np.column_stack([np.ones(len(x)), x, np.maximum(x - at, 0.0)])
    _level, slope, change = np.linalg.lstsq(design, y, rcond=None)[0]
    return float(slope), float(slope + change)
