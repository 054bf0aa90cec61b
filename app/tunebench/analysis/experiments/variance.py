"""Analysis of variance of logarithms: which factors matter, and which depend on each other.

Fixed effects, each given all terms that do not hold it (type II; for equal numbers of runs the one decomposition there
is). The error is the variation of repeated runs within the cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod

import numpy as np

from tunebench.analysis.experiments.samples import Samples
from tunebench.analysis.inference.autocovariance import Floats
from tunebench.core.records import record
from tunebench.domain.experiments.records import Experiment

FEWEST_RUNS = 3
_MOST_UNEQUAL_CELLS = 400
Term = tuple[int, ...]


@record
class Effect:
    """A factor or a pair of factors. `share`: of the variation between the cells, for equal numbers of runs."""

    factors: tuple[str, ...]
    df: int
    f: float
    p: float
    share: float | None


@record
class VarianceTable:
    """Main effects, then interactions of two factors. `residual_pct`: typical deviation of a run from its cell."""

    effects: tuple[Effect, ...]
    error_df: int
    residual_pct: float

    def interaction(self, first: str, second: str) -> Effect | None:
        return next((effect for effect in self.effects if set(effect.factors) == {first, second}), None)


def variance_table(experiment: Experiment, samples: Samples) -> VarianceTable | str:
    """The table, or the key of the reason why there is none: not_positive, incomplete, few_runs, one_level, no_spread,
    unequal."""
    if not samples.is_positive:
        return "not_positive"
    varied = [index for index, factor in enumerate(experiment.factors) if len(factor.levels) > 1]
    if len(samples.measured) < experiment.combinations:
        return "incomplete"
    if not varied:
        return "one_level"
    logs = [np.log(samples.cells[cell].values) for cell in _full_order(experiment)]
    counts = np.array([len(cell) for cell in logs], dtype=np.float64)
    if counts.min() < FEWEST_RUNS:
        return "few_runs"
    if counts.min() < counts.max() and len(counts) > _MOST_UNEQUAL_CELLS:
        return "unequal"
    squares = sum(float(np.sum((cell - cell.mean()) ** 2)) for cell in logs)
    error_df = int(counts.sum()) - len(logs)
    if squares <= 1e-24 * counts.sum():
        return "no_spread"
    means = np.array([cell.mean() for cell in logs])
    shape = [len(factor.levels) for factor in experiment.factors]
    return _table(experiment, varied, means.reshape(shape), counts.reshape(shape), squares / error_df, error_df)


def _full_order(experiment: Experiment) -> Iterator[tuple[str, ...]]:
    """All combinations with the last factor running fastest, whatever order the cells are listed in."""
    levels = [[level.name for level in factor.levels] for factor in experiment.factors]
    for position in np.ndindex(*(len(names) for names in levels)):
        yield tuple(names[index] for names, index in zip(levels, position, strict=True))


def _table(
    experiment: Experiment, varied: list[int], means: Floats, counts: Floats, error: float, error_df: int
) -> VarianceTable:
    from scipy import special

    equal = bool(counts.min() == counts.max())
    terms: list[Term] = [(index,) for index in varied]
    terms += list(combinations(varied, 2))
    between = float(np.sum(counts * (means - np.average(means, weights=counts)) ** 2))
    effects = []
    for term in terms:
        squares = _balanced(means, counts.flat[0], term) if equal else _adjusted(means, counts, term)
        df = prod(means.shape[axis] - 1 for axis in term)
        f = squares / df / error
        share = squares / between if equal and between > 0 else None
        names = tuple(experiment.factors[axis].name for axis in term)
        effects.append(Effect(names, df, f, float(special.fdtrc(df, error_df, f)), share))
    return VarianceTable(tuple(effects), error_df, 100 * float(np.expm1(np.sqrt(error))))


def _balanced(means: Floats, runs: float, term: Term) -> float:
    """Sum of squares where every cell has the same number of runs: that of the doubly centred marginal means."""
    effect = means
    for axis in range(means.ndim):
        averaged = effect.mean(axis=axis, keepdims=True)
        effect = effect - averaged if axis in term else averaged
    copies = means.size / effect.size
    return runs * copies * float(np.sum(effect**2))


def _adjusted(means: Floats, counts: Floats, term: Term) -> float:
    """How much better the cells' means are met with the term than with all terms that do not hold it (type II)."""
    varied = [axis for axis in range(means.ndim) if means.shape[axis] > 1]
    subsets = (other for size in range(len(varied) + 1) for other in combinations(varied, size))
    others = [_columns(means.shape, other) for other in subsets if not set(term) <= set(other)]
    weights = np.sqrt(counts.reshape(-1))
    wanted = means.reshape(-1) * weights
    without, with_term = (
        _left_over(np.hstack(columns) * weights[:, None], wanted)
        for columns in (others, [*others, _columns(means.shape, term)])
    )
    return max(without - with_term, 0.0)


def _left_over(design: Floats, wanted: Floats) -> float:
    met = design @ np.linalg.lstsq(design, wanted, rcond=None)[0]
    return float(np.sum((wanted - met) ** 2))


def _columns(shape: tuple[int, ...], term: Term) -> Floats:
    """float64[cells, columns] of a term, in sum contrasts."""
    columns: Floats = np.ones((1, 1))
    for axis, size in enumerate(shape):
        contrasts = np.vstack([np.eye(size - 1), -np.ones((1, size - 1))]) if axis in term else np.ones((size, 1))
        columns = np.asarray(np.kron(columns, contrasts), dtype=np.float64)
    return columns
