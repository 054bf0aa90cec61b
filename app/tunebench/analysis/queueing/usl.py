"""Universal Scalability Law (Gunther): where more load stops giving more throughput, and where it gives less."""

from __future__ import annotations

from enum import StrEnum
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunebench.core.records import record

Floats = NDArray[np.float64]

MINIMUM_LEVELS = 6
MINIMUM_SPAN = 4.0
FURTHEST_PEAK = 1.5  # times the largest observed load
_GAINED = 1.10
_NOTHING = 1e-12  # what is left of a parameter of 0 by rounding


class NoPeak(StrEnum):
    """Why no peak is reported; the values are parts of catalogue keys."""

    FEW_LEVELS = "few_levels"
    NARROW_SPAN = "narrow_span"
    KAPPA_NOT_ABOVE_ZERO = "kappa_not_above_zero"
    BEYOND_RANGE = "beyond_range"
    SUPERLINEAR = "superlinear"  # one alone does less than one of several: sigma at its bound 0 describes no such thing


@record
class UslFit:
    """X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), least squares with sigma, kappa >= 0.

    Attributes:
        scale: lambda, the throughput of one.
        sigma_interval, kappa_interval: 95 %, from the linearised model; None where the parameter lies on its
            bound 0, or where no degree of freedom is left.
        n_star: where throughput peaks; None where kappa is 0.
        x_max: throughput there; where kappa is 0 the ceiling lambda / sigma, None where there is none.
        no_peak: why `n_star` is not to be reported as a finding; empty where it may be.
    """

    scale: float
    sigma: float
    kappa: float
    sigma_interval: tuple[float, float] | None
    kappa_interval: tuple[float, float] | None
    n_star: float | None
    x_max: float | None
    sse: float
    levels: int
    no_peak: tuple[NoPeak, ...]

    def at(self, load: ArrayLike) -> Floats:
        return throughput(np.asarray(load, np.float64), self.scale, self.sigma, self.kappa)


def throughput(load: Floats, scale: float, sigma: float, kappa: float) -> Floats:
    bent: Floats = scale * load / (1 + sigma * (load - 1) + kappa * load * (load - 1))
    return bent


def fit_usl(load: ArrayLike, measured: ArrayLike) -> UslFit:
    """Fits float64[n] throughputs at float64[n] loads (users, threads, processes).

    Raises:
        ValueError: fewer than four points or three load levels, or a figure that is not positive and finite.
    """
    n, x = np.asarray(load, np.float64), np.asarray(measured, np.float64)
    _check(n, x)
    fits = [_fit(n, x, (contention, crosstalk)) for contention, crosstalk in product((True, False), repeat=2)]
    best = min((fit for fit in fits if _within_bounds(fit)), key=lambda fit: fit[1])
    (scale, sigma, kappa), sse, intervals = best
    n_star = float(np.sqrt((1 - sigma) / kappa)) if kappa > 0 and sigma < 1 else None
    ceiling = scale / sigma if sigma > _NOTHING else None
    x_max = float(throughput(np.array(n_star), scale, sigma, kappa)) if n_star is not None else ceiling
    levels = len(np.unique(n))
    return UslFit(
        scale,
        sigma,
        kappa,
        intervals[0],
        intervals[1],
        n_star,
        x_max,
        sse,
        levels,
        _reasons(n, levels, n_star, intervals[1], sigma == 0 and _superlinear(n, x, fits[0])),
    )


def _check(n: Floats, x: Floats) -> None:
    if n.shape != x.shape or n.ndim != 1 or len(n) < 4 or len(np.unique(n)) < 3:
        raise ValueError("needs four points at three loads or more")
    if not (np.isfinite(n).all() and np.isfinite(x).all() and (n > 0).all() and (x > 0).all()):
        raise ValueError("a figure is not positive")


_Fit = tuple[tuple[float, float, float], float, tuple[tuple[float, float] | None, ...]]
"""lambda, sigma, kappa; the sum of squares; intervals of sigma and kappa."""


def _superlinear(n: Floats, x: Floats, unbound: _Fit) -> bool:
    """Whether each of several surely does more than one alone, and by a tenth or more."""
    interval, per_load = unbound[2][0], x / n
    return interval is not None and interval[1] < 0 and float(per_load.max()) > _GAINED * float(per_load[n.argmin()])


def _within_bounds(fit: _Fit) -> bool:
    scale, sigma, kappa = fit[0]
    return scale > 0 and sigma >= 0 and kappa >= 0


def _fit(n: Floats, x: Floats, free: tuple[bool, bool]) -> _Fit:
    """Least squares with sigma and kappa free or 0, wherever that leads.

    The optimum with bounds is the best one within them over all choices of what lies on its bound.
    """
    from scipy.optimize import least_squares

    start = _start(n, x, free)
    scales = np.array([start[0], 1e-2, 1e-4])[[True, *free]]
    used = np.array([True, *free])

    def whole(scaled: Floats) -> Floats:
        values = np.zeros(3)
        values[used] = scaled * scales
        return values

    def residuals(scaled: Floats) -> Floats:
        rest: Floats = (throughput(n, *whole(scaled)) - x) / start[0]
        return rest

    optimum = least_squares(
        residuals, start[used] / scales, method="lm", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=4000
    )
    values = whole(optimum.x)
    rest = throughput(n, *values) - x
    intervals = _intervals(optimum.jac, float(2 * optimum.cost), len(n), optimum.x, scales)
    by_place = iter(intervals[1:])
    return (
        (float(values[0]), float(values[1]), float(values[2])),
        float(rest @ rest),
        tuple(next(by_place) if is_free else None for is_free in free),
    )


def _start(n: Floats, x: Floats, free: tuple[bool, bool]) -> Floats:
    """N / X is linear in N - 1 and N (N - 1): a start near the optimum."""
    columns = [np.ones_like(n)]
    columns += [column for column, wanted in zip((n - 1, n * (n - 1)), free, strict=True) if wanted]
    line = np.linalg.lstsq(np.column_stack(columns), n / x, rcond=None)[0]
    scale = 1 / line[0] if line[0] > 0 else float((x / n).max())
    start = np.zeros(3)
    start[0] = scale
    start[1:][list(free)] = np.maximum(line[1:] * scale, (1e-3, 1e-6)[: len(line) - 1])
    return start


def _intervals(jacobian: Floats, sse: float, n: int, at: Floats, scales: Floats) -> list[tuple[float, float] | None]:
    from scipy.special import stdtrit

    free = n - len(at)
    normal = jacobian.T @ jacobian
    if free < 1 or not np.isfinite(normal).all() or np.linalg.cond(normal) > 1e14:
        return [None] * len(at)
    half = stdtrit(free, 0.975) * np.sqrt(np.diag(np.linalg.inv(normal)) * sse / free) * scales
    centre = at * scales
    return [(float(low), float(high)) for low, high in zip(centre - half, centre + half, strict=True)]


def _reasons(
    n: Floats, levels: int, n_star: float | None, kappa_interval: tuple[float, float] | None, superlinear: bool
) -> tuple[NoPeak, ...]:
    reasons = {
        NoPeak.FEW_LEVELS: levels < MINIMUM_LEVELS,
        NoPeak.NARROW_SPAN: float(n.max() / n.min()) < MINIMUM_SPAN,
        NoPeak.KAPPA_NOT_ABOVE_ZERO: n_star is None or kappa_interval is None or kappa_interval[0] <= 0,
        NoPeak.BEYOND_RANGE: n_star is not None and n_star > FURTHEST_PEAK * float(n.max()),
        NoPeak.SUPERLINEAR: superlinear,
    }
    return tuple(reason for reason, holds in reasons.items() if holds)
