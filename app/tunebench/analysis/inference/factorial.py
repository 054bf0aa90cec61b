"""Two factors and their interaction on logarithms: what each does to the result, and whether one depends on the other.

Logarithms, because throughput and times change by factors. Each effect is tested against all others with sum contrasts
(type III); with equally filled cells there is only one decomposition.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.inference.autocovariance import Floats
from tunebench.core.records import record


@record
class Effect:
    """F, its degrees of freedom (numerator; the denominator is the analysis's) and p; None without residual spread."""

    f: float | None
    df: int
    p: float | None


@record
class TwoWay:
    """
    Attributes:
        residual_df, residual_sd: of the logarithms within cells.
        levels_a, levels_b: in the order of `means_a` and `means_b`, the geometric means by level.
        cells: float64[levels of a, levels of b], geometric means.
        counts: repetitions per cell.
    """

    a: Effect
    b: Effect
    interaction: Effect
    residual_df: int
    residual_sd: float
    levels_a: tuple[str, ...]
    levels_b: tuple[str, ...]
    means_a: Floats
    means_b: Floats
    cells: Floats
    counts: tuple[tuple[int, ...], ...]


class NotFactorial(ValueError):
    """The design cannot be analysed; `reason`: ``one_level``, ``empty_cell`` or ``no_repetitions``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def two_way(values: Floats, first: Sequence[str], second: Sequence[str]) -> TwoWay:
    """Analysis of variance of ln(values) by two factors with interaction.

    Args:
        values: float64[n], positive.
        first, second: the level of each factor in each run.

    Raises:
        NotFactorial: a factor has one level only, a cell no run, or no cell more than one.
    """
    logs = np.log(values)
    levels_a, in_a = _coded(first)
    levels_b, in_b = _coded(second)
    rows, columns = len(levels_a), len(levels_b)
    if rows < 2 or columns < 2:
        raise NotFactorial("one_level")
    cell = in_a * columns + in_b
    counts = np.bincount(cell, minlength=rows * columns)
    if not counts.all():
        raise NotFactorial("empty_cell")
    residual_df = len(logs) - rows * columns
    if residual_df < 1:
        raise NotFactorial("no_repetitions")
    cell_means = np.bincount(cell, logs) / counts
    residual = float(np.sum((logs - cell_means[cell]) ** 2))
    one, a, b = np.ones((len(logs), 1)), _contrasts(in_a, rows), _contrasts(in_b, columns)
    both_factors = (a[:, :, np.newaxis] * b[:, np.newaxis, :]).reshape(len(logs), -1)
    without = ([one, b, both_factors], [one, a, both_factors], [one, a, b])
    squares = [_residual(np.hstack(terms), logs) - residual for terms in without]
    dfs = (rows - 1, columns - 1, (rows - 1) * (columns - 1))
    noise = residual / residual_df
    main_a, main_b, both = (_effect(square, df, noise, residual_df) for square, df in zip(squares, dfs, strict=True))
    return TwoWay(
        main_a,
        main_b,
        both,
        residual_df,
        float(np.sqrt(noise)),
        levels_a,
        levels_b,
        np.exp(np.bincount(in_a, logs) / np.bincount(in_a)),
        np.exp(np.bincount(in_b, logs) / np.bincount(in_b)),
        np.exp(cell_means.reshape(rows, columns)),
        tuple(tuple(int(count) for count in row) for row in counts.reshape(rows, columns)),
    )


def _coded(labels: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Levels in the order of first appearance, and each run's."""
    levels = tuple(dict.fromkeys(labels))
    index = {level: i for i, level in enumerate(levels)}
    return levels, np.array([index[label] for label in labels], dtype=np.int64)


def _contrasts(codes: NDArray[np.int64], levels: int) -> Floats:
    """float64[n, levels - 1]; their sum over the levels is 0."""
    return np.vstack([np.eye(levels - 1), -np.ones((1, levels - 1))])[codes]


def _residual(design: Floats, values: Floats) -> float:
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.sum((values - fitted) ** 2))


def _effect(square: float, df: int, noise: float, residual_df: int) -> Effect:
    if not noise > 0:
        return Effect(None, df, None)
    from scipy import special

    f = max(square, 0.0) / df / noise
    return Effect(f, df, float(special.fdtrc(df, residual_df, f)))
