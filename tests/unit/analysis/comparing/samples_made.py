"""Series made for the tests of comparing: first-order autoregressions with stated seeds, on a regular clock."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.disk_work import Work
from tunebench.analysis.comparing.regular_samples import NS_PER_S, Samples
from tunebench.analysis.comparing.window_sides import Held, Measured, Side
from tunebench.domain.engagement import Direction, Kind
from tunebench.domain.series import SeriesInfo

MONDAY_NS = 1_760_918_400 * NS_PER_S  # 2025-10-20T00:00:00Z
DAY_NS = 86_400 * NS_PER_S


def autoregression(seed: int, count: int, phi: float) -> NDArray[np.float64]:
    """Mean 0, variance 1, after two hundred steps of running in."""
    noise = np.random.default_rng(seed).standard_normal(count + 200)
    values = np.zeros(count + 200)
    for place in range(1, count + 200):
        values[place] = phi * values[place - 1] + noise[place] * np.sqrt(1 - phi * phi)
    return values[200:]


def samples(values: object, start_ns: int = MONDAY_NS, interval_s: float = 60.0) -> Samples:
    array = np.asarray(values, dtype=np.float64)
    times = start_ns + np.arange(len(array), dtype=np.int64) * round(interval_s * NS_PER_S)
    return Samples(times, array, interval_s)


def info(
    native: str = "lat",
    metric: str = "",
    unit: str = "ms",
    direction: Direction = Direction.LOWER,
    tool: str = "pgbench",
    definition: str = "",
    host: str = "db01",
    kind: Kind = Kind.GAUGE,
) -> SeriesInfo:
    return SeriesInfo(
        id=1,
        run_id=1,
        run="r",
        host_id=1,
        host=host,
        artefact_id=1,
        clock_id=1,
        tool=tool,
        table="t",
        native=native,
        metric=metric,
        unit=unit,
        kind=kind,
        direction=direction,
        to_base=0.001 if unit == "ms" else 1.0,
        base_unit="",
        count=1,
        missing=0,
        first_ns=0,
        last_ns=0,
        interval_s=60.0,
        definition=definition,
    )


def side(of: SeriesInfo, *made: Samples, coverage: float | None = 1.0, work: Work | None = None) -> Side:
    """Each of `made` is an occurrence."""
    return Side(of, tuple(_measured(place, one, coverage, work) for place, one in enumerate(made) if len(one)))


def _measured(place: int, one: Samples, coverage: float | None, work: Work | None) -> Measured:
    return Measured(place, Held(one, work), coverage, (int(one.times_ns[0]), int(one.times_ns[-1])))
