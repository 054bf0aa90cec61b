"""Where more load gives less throughput: the drop-off of the founding guide, by the Universal Scalability Law."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.queueing.usl import FURTHEST_PEAK, MINIMUM_LEVELS, MINIMUM_SPAN, fit_usl
from tunebench.core.records import record
from tunebench.diagnosis.signals.resolving import HostSignals
from tunebench.diagnosis.signals.streams import Numbers, Stream, coarsest, onto, spacing_ns
from tunebench.domain.finding import DropOff

_PAIRS = (("sessions", "host", "sessions_active", "tps"), ("disk", "device", "aqu_sz", "iops"))
"""Resource, scope, load, throughput."""
_LEVELS = 12
_FEWEST_IN_LEVEL = 5
_FALL = 0.95
"""Only where the throughput of the highest loads is below this share of the best is there anything to fit."""


FITTED = 10
"""Things to which the law is fitted, those that fall furthest; a host may have a thousand disks."""


@record
class Falling:
    """A thing whose throughput was lower at its highest loads than at others: means of its levels of load."""

    host: str
    resource: str
    name: str
    load: str
    throughput: str
    loads: Numbers
    means: Numbers

    @property
    def fall(self) -> float:
        """The share of the best throughput that was missing at the highest loads, 0 to 1."""
        return float(1 - self.means[-1] / self.means.max())


def falling_things(signals: HostSignals) -> list[Falling]:
    """Of one host: sessions against transactions, queues of disks against their requests."""
    falling = []
    for resource, scope, load_name, throughput_name in _PAIRS:
        for thing in signals.things(scope):
            load, throughput = signals.stream(load_name, thing), signals.stream(throughput_name, thing)
            if load is None or throughput is None:
                continue
            loads, means = _levels_of(load, throughput)
            if _may_have_a_peak(loads, means):
                falling.append(Falling(signals.host, resource, thing.name, load_name, throughput_name, loads, means))
    return falling


def drop_offs(falling: Iterable[Falling]) -> list[DropOff]:
    """The furthest fall first. Where the law is fitted and sees no peak there is no drop-off; the others are told by
    what was measured."""
    ranked = sorted(falling, key=lambda one: (-one.fall, one.host, one.resource, one.name))
    drops: list[DropOff] = []
    for rank, one in enumerate(compress(ranked, _bends(ranked))):
        drops += _fitted(one) if rank < FITTED else [_measured(one)]
    return drops


def _bends(falling: Sequence[Falling]) -> NDArray[np.bool_]:
    """bool[k]: whether N / X = a + b N + c N^2, the law but for its bounds, has its peak sqrt(a / c) in range and a c
    above its standard error. By weighted least squares of all things at once, a thousandth of a fit each; the weights
    (X^2 / N)^2 make errors of N / X those of X."""
    if not falling:
        return np.zeros(0, dtype=bool)
    table = np.full((2, len(falling), _LEVELS), np.nan)
    for row, one in enumerate(falling):
        table[0, row, : len(one.loads)] = one.loads / one.loads[-1]
        table[1, row, : len(one.means)] = one.means / one.means.max()
    there = ~np.isnan(table[0])
    load, throughput = np.where(there, table, 1.0)
    weights, ratio = np.where(there, (throughput**2 / load) ** 2, 0.0), load / throughput
    columns = np.stack([np.ones_like(load), load, load**2], axis=-1)
    inverse = np.linalg.pinv(np.einsum("kn,kni,knj->kij", weights, columns, columns), hermitian=True)
    a, b, c = (inverse @ np.einsum("kn,kni,kn->ki", weights, columns, ratio)[..., np.newaxis])[..., 0].T
    rest = ratio - (a[:, np.newaxis] + b[:, np.newaxis] * load + c[:, np.newaxis] * load**2)
    variance = np.vecdot(weights, rest**2) / (there.sum(axis=1) - columns.shape[-1])
    error = np.sqrt(np.maximum(variance * inverse[:, 2, 2], 0.0))
    return np.asarray((a > 0) & (c > error) & (a <= FURTHEST_PEAK**2 * c))


def _fitted(one: Falling) -> list[DropOff]:
    """The drop-off by the fitted law; none where no peak may be derived from it."""
    fit = fit_usl(one.loads, one.means)
    if fit.no_peak or fit.n_star is None or fit.x_max is None:
        return []
    return [replace(_measured(one), peak_load=fit.n_star, peak=fit.x_max, is_fitted=True)]


def _measured(one: Falling) -> DropOff:
    best = int(one.means.argmax())
    return DropOff(
        one.host,
        one.resource,
        one.name,
        one.load,
        one.throughput,
        float(one.loads[best]),
        float(one.means[best]),
        float(one.loads[-1]),
        len(one.loads),
        one.fall,
        is_fitted=False,
    )


def _levels_of(load: Stream, throughput: Stream) -> tuple[Numbers, Numbers]:
    base = coarsest([load, throughput])
    grid = base.times_ns, spacing_ns(base)
    return levels(onto(load, *grid), onto(throughput, *grid))


def _may_have_a_peak(loads: Numbers, means: Numbers) -> bool:
    if len(loads) < MINIMUM_LEVELS or loads[-1] < MINIMUM_SPAN * loads[0]:
        return False
    return bool(means[-1] < _FALL * means.max())


def levels(load: Numbers, throughput: Numbers) -> tuple[Numbers, Numbers]:
    """Mean load and throughput of up to twelve levels of load, equally wide on a logarithmic scale."""
    good = (load > 0) & (throughput > 0)  # NaN is neither
    load, throughput = load[good], throughput[good]
    if not len(load) or load.min() == load.max():
        return np.empty(0), np.empty(0)
    edges = np.geomspace(load.min(), load.max(), _LEVELS + 1)
    level = np.clip(np.searchsorted(edges, load, side="right") - 1, 0, _LEVELS - 1)
    count = np.bincount(level, minlength=_LEVELS)
    kept = count >= _FEWEST_IN_LEVEL
    means = [np.bincount(level, weights=figure, minlength=_LEVELS)[kept] / count[kept] for figure in (load, throughput)]
    return means[0], means[1]
