"""What archiving costs, against what was measured of one host, and where it has no way."""

from __future__ import annotations

import pytest

from tunebench.cluster.cost import Load, cost_of


@pytest.mark.parametrize(
    ("load", "measured_s", "measured_mb"),
    [
        (Load(hosts=1, days=1, series=74, size_mb=1.31), 0.19, 190),
        (Load(hosts=1, days=30, series=74, size_mb=1.31), 1.78, 198),
        (Load(hosts=1, days=90, series=459, size_mb=1.02), 15.5, 310),
        (Load(hosts=1, days=365, series=459, size_mb=1.02), 71.7, 537),
    ],
)
def test_it_is_near_what_was_measured(load: Load, measured_s: float, measured_mb: float) -> None:
    cost = cost_of(load, 1)
    assert cost.core_s == pytest.approx(measured_s, rel=0.35)
    assert cost.worker_bytes / 1e6 == pytest.approx(measured_mb, rel=0.25)


def test_a_thousand_hosts_of_a_year_on_sixteen_workers() -> None:
    load = Load(hosts=1000, days=365, series=459, size_mb=1.31)
    cost, alone = cost_of(load, 16), cost_of(load, 1)
    assert 15 < cost.core_s / 3600 < 30
    assert cost.wall_s == pytest.approx(alone.wall_s / 16, rel=0.05)
    assert 1e9 < cost.archive_bytes < 3e9
    assert cost.bounds == ("project",)


def test_more_workers_than_hosts_wait() -> None:
    load = Load(hosts=4, days=30, series=459, size_mb=1.31)
    assert cost_of(load, 4).wall_s == cost_of(load, 40).wall_s
    assert (cost_of(load, 4).bounds, cost_of(load, 40).bounds) == ((), ("idle",))


def test_memory_is_the_first_to_fail() -> None:
    assert cost_of(Load(hosts=1, days=365, series=1500, size_mb=5), 2).bounds == ("memory", "idle")
