"""Response times at the loads that both sides had: each part of the range counts alike, its variance with its mean."""

from __future__ import annotations

import statistics

import numpy as np
import pytest

from tunebench.analysis.comparing.equal_load import BINS, AtLoad, at_common_load
from tunebench.analysis.comparing.occurrence_figures import OccurrenceFigures, Statistic
from tunebench.analysis.inference.effective_size import EffectiveSize

N = 500


def figures(n_eff: float) -> OccurrenceFigures:
    return OccurrenceFigures(N, EffectiveSize(N, 0.0, n_eff, n_eff, n_eff, False), {})


def at_loads(lowest: float, highest: float, seed: int) -> AtLoad:
    """A response time of 10 + load, more or less."""
    random = np.random.default_rng(seed)
    loads = random.uniform(lowest, highest, N)
    return AtLoad(10 + loads + random.normal(0, 2, N), loads)


@pytest.mark.parametrize("n_eff", [N, 101.0, 1.5])
def test_the_mean_over_the_common_load_is_that_of_its_parts_and_so_is_its_variance(n_eff: float) -> None:
    """Of strata that weigh alike: the sum of s^2 / n over the square of their number (Cochran, Sampling Techniques), and
    larger by how many samples there are to one that is independent."""
    before = at_loads(0, 60, 1)
    after = at_loads(40, 100, 2)
    common = at_common_load({0: before}, {0: after}, ({0: figures(n_eff)}, {0: figures(n_eff)}))
    assert common is not None
    low, high = common.curve.common
    assert 40 < common.curve.after[0] <= low < high <= common.curve.before[1] < 60
    edges = [part.low for part in common.curve.parts] + [high]
    assert len(common.curve.parts) == BINS
    for one, own, side in ((before, common.before, "before"), (after, common.after, "after")):
        means = []
        variances = []
        for number, part in enumerate(common.curve.parts):
            last = number == BINS - 1
            values = [
                value
                for value, load in zip(one.values.tolist(), one.loads.tolist(), strict=True)
                if edges[number] <= load < edges[number + 1] or (last and load == high)
            ]
            means.append(statistics.fmean(values))
            variances.append(statistics.variance(values) / len(values))
            level = getattr(part, side)
            assert (level.mean, level.occurrences) == (pytest.approx(means[-1]), 1)
        mean = own[0].figures[Statistic.MEAN]
        assert mean.value == pytest.approx(statistics.fmean(means))
        assert mean.variance == pytest.approx(sum(variances) / BINS**2 * N / max(n_eff - 1, 1))
        assert mean.value == pytest.approx(10 + (low + high) / 2, abs=1)


def test_loads_that_hardly_meet_are_not_compared() -> None:
    sizes = ({0: figures(N)}, {0: figures(N)})
    assert at_common_load({0: at_loads(0, 50, 1)}, {0: at_loads(60, 100, 2)}, sizes) is None
    assert at_common_load({0: at_loads(0, 50, 1)}, {0: at_loads(40, 100, 2)}, sizes) is None  # a tenth of either
    assert at_common_load({0: at_loads(0, 50, 1)}, {0: at_loads(30, 100, 2)}, sizes) is not None
