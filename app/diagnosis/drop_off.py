"""Where more load gives less throughput: the drop-off of the founding guide, by the Universal Scalability Law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.analysis.queueing.usl import MINIMUM_LEVELS, MINIMUM_SPAN, fit_usl
from app.diagnosis.signals.resolving import HostSignals
from app.diagnosis.signals.streams import Numbers, Stream, coarsest, onto, spacing_ns
from app.domain.finding import DropOff

_PAIRS = (("sessions", "host", "sessions_active", "tps"), ("disk", "device", "aqu_sz", "iops"))
"""Resource, scope, load, throughput."""
_LEVELS = 12
_FEWEST_IN_LEVEL = 5
_FALL = 0.95
"""Only where the throughput of the highest loads is below this share of the best is there anything to fit."""


@dataclass(frozen=True, slots=True)
class _Peak:
    load: float
    throughput: float
    observed: float
    levels: int


def drop_offs(signals: HostSignals) -> list[DropOff]:
    """Of one host: sessions against transactions, queues of disks against their requests."""
    found = []
    for resource, scope, load_name, throughput_name in _PAIRS:
        for thing in signals.things(scope):
            load, throughput = signals.stream(load_name, thing), signals.stream(throughput_name, thing)
            if load is not None and throughput is not None:
                peak = _peak(load, throughput)
                if peak is not None:
                    found.append(
                        DropOff(
                            signals.host,
                            resource,
                            thing.name,
                            load_name,
                            throughput_name,
                            peak.load,
                            peak.throughput,
                            peak.observed,
                            peak.levels,
                        )
                    )
    return found


def _peak(load: Stream, throughput: Stream) -> _Peak | None:
    """None where no peak may be told."""
    base = coarsest([load, throughput])
    n, x = (onto(each, base.times_ns, spacing_ns(base)) for each in (load, throughput))
    loads, means = levels(n, x)
    if len(loads) < MINIMUM_LEVELS or loads[-1] < MINIMUM_SPAN * loads[0] or means[-1] >= _FALL * means.max():
        return None
    fit = fit_usl(loads, means)
    if fit.no_peak or fit.n_star is None or fit.x_max is None:
        return None
    return _Peak(fit.n_star, fit.x_max, float(loads[-1]), fit.levels)


def levels(load: Numbers, throughput: Numbers) -> tuple[Numbers, Numbers]:
    """Mean load and throughput of up to twelve levels of load, equally wide on a logarithmic scale."""
    good = (load > 0) & (throughput > 0)  # NaN is neither
    load, throughput = load[good], throughput[good]
    if not len(load) or load.min() == load.max():
        return np.empty(0), np.empty(0)
    edges = np.geomspace(load.min(), load.max(), _LEVELS + 1)
    place = np.clip(np.searchsorted(edges, load, side="right") - 1, 0, _LEVELS - 1)
    count = np.bincount(place, minlength=_LEVELS)
    kept = count >= _FEWEST_IN_LEVEL
    means = [np.bincount(place, weights=each, minlength=_LEVELS)[kept] / count[kept] for each in (load, throughput)]
    return means[0], means[1]
