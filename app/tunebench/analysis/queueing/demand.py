"""Utilisation law by regression: what a transaction costs, and what a load would need."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunebench.core.records import record

MINIMUM_POINTS = 3


@record
class DemandFit:
    """utilisation % = intercept + slope x throughput, by least squares.

    Attributes:
        r: correlation of load and utilisation; 0 where the utilisation does not vary.
        inflation: how many dependent samples tell as much as one independent one (1: independent).
    """

    n: int
    intercept_pct: float
    slope_pct: float
    r: float
    residual_variance: float
    mean_load: float
    load_squares: float
    largest_load: float
    servers: int | None
    inflation: float = 1.0

    @property
    def demand_ms(self) -> float | None:
        """Service time per transaction, over all servers; None where their number is not known."""
        return None if self.servers is None else self.slope_pct / 100 * self.servers * 1000

    def at(self, load: float) -> float:
        return self.intercept_pct + self.slope_pct * load

    def half_width(self, load: float, confidence: float = 0.95) -> float:
        """Half the prediction interval of one further sample at that load."""
        from scipy.special import stdtrit

        free = max(self.n / self.inflation - 2, 1)
        spread = 1 + self.inflation * (1 / self.n + (load - self.mean_load) ** 2 / self.load_squares)
        return float(stdtrit(free, (1 + confidence) / 2) * (self.residual_variance * spread) ** 0.5)

    def load_at(self, utilisation_pct: float) -> float | None:
        """The load that needs this utilisation; None where load does not drive it up."""
        return (utilisation_pct - self.intercept_pct) / self.slope_pct if self.slope_pct > 0 else None


def utilisation_demand(
    throughput: ArrayLike, utilisation_pct: ArrayLike, servers: int | None = None, inflation: float = 1.0
) -> DemandFit:
    """Fits the utilisation law to float64[n] samples of one interval each.

    Raises:
        ValueError: fewer than three samples, one that is missing, or a load that does not vary.
    """
    load, busy = np.asarray(throughput, np.float64), np.asarray(utilisation_pct, np.float64)
    if load.shape != busy.shape or load.ndim != 1 or len(load) < MINIMUM_POINTS:
        raise ValueError("needs three samples or more of both")
    if not (np.isfinite(load).all() and np.isfinite(busy).all()):
        raise ValueError("a sample is missing or infinite")
    centred = load - load.mean()
    squares = float(centred @ centred)
    if squares <= 0:
        raise ValueError("the load does not vary")
    slope = float(centred @ busy) / squares
    intercept = float(busy.mean()) - slope * float(load.mean())
    rest = busy - intercept - slope * load
    free = max(len(load) - 2 * inflation, 0.2 * len(load))
    return DemandFit(
        len(load),
        intercept,
        slope,
        _correlation(centred, busy),
        float(rest @ rest) / free,
        float(load.mean()),
        squares,
        float(load.max()),
        servers,
        inflation,
    )


def _correlation(centred: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    deviation = other - other.mean()
    norm = float(np.sqrt((centred @ centred) * (deviation @ deviation)))
    return float(centred @ deviation) / norm if norm > 0 else 0.0
