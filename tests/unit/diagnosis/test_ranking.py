"""Which resource is nearest to its limit, how surely, whether that moved, and how far relieving it can carry."""

from __future__ import annotations

import numpy as np
import pytest

from app.diagnosis.drop_off import drop_offs, levels
from app.diagnosis.ranking import FEWEST_SLOTS, Load, loads, rank
from app.diagnosis.shift import compare_rankings, data_checks, gain_bound
from app.diagnosis.signals.resolving import HostSignals, Thing
from app.domain.finding import Ranking
from tests.unit.diagnosis.made_signals import MadeHost

N = 240


def no_evidence(*_: object) -> tuple[()]:
    return ()


def of(host: MadeHost) -> list[Load]:
    return loads(host.signals, no_evidence)


def steady(level: float, spread: float = 1.0, seed: int = 7, n: int = N) -> list[float]:
    return list(np.clip(level + spread * np.random.default_rng(seed).standard_normal(n), 0, 100))


def busy_host(cpu: float, disk: float, *, name: str = "db1", cpus: int = 4, n: int = N) -> MadeHost:
    host = MadeHost(name=name)
    host.fact("CPU(s)", str(cpus))
    host.cpu([100 - each for each in steady(cpu, seed=1, n=n)])
    host.disk("sda", steady(disk, seed=2, n=n))
    host.disk("sdb", steady(5.0, seed=3, n=n))
    return host


def scores(ranking: Ranking) -> dict[str, float]:
    return {each.label: each.score for each in ranking.scores}


def test_the_score_is_the_use_over_the_knee_of_so_many_servers() -> None:
    ranking = rank(of(busy_host(60.0, 60.0)))
    found = scores(ranking)
    # p95 of N(60, 1) is 61.6 %; one server doubles its response at 50 %, four at 83.49 % (M/M/m)
    assert found["disk sda"] == pytest.approx(0.6164 / 0.5, rel=0.01)
    assert found["cpu"] == pytest.approx(0.6164 / 0.8349, rel=0.01)
    assert (ranking.clear, ranking.held) == (True, 1.0)


def test_nothing_near_its_limit_is_no_bottleneck() -> None:
    ranking = rank(of(busy_host(20.0, 30.0)))
    assert (ranking.clear, ranking.reason) == (False, "below_threshold")
    assert ranking.bottleneck is None


def test_two_that_take_turns_are_no_clear_bottleneck() -> None:
    host = MadeHost()
    half = N // 2
    host.disk("sda", [90.0] * half + [40.0] * half)
    host.disk("sdb", [40.0] * half + [90.0] * half)
    ranking = rank(of(host))
    assert (ranking.clear, ranking.reason) == (False, "not_steady")
    assert ranking.held is not None and 0.3 < ranking.held < 0.7


@pytest.mark.parametrize("n", [1, 2, 5 * FEWEST_SLOTS - 1])
def test_few_samples_prove_nothing(n: int) -> None:
    ranking = rank(of(busy_host(50.0, 95.0, n=n)))
    assert (ranking.clear, ranking.reason, ranking.held) == (False, "few_samples", None)


def test_constant_and_unmeasured_series() -> None:
    host = MadeHost()
    host.disk("sda", [100.0] * N)
    host.disk("sdb", [float("nan")] * N)
    ranking = rank(of(host))
    assert list(scores(ranking)) == ["disk sda"]
    assert ranking.clear
    assert rank([]).reason == "nothing_measured"


def test_a_device_that_serves_many_is_not_called_the_bottleneck_for_being_busy() -> None:
    host = MadeHost()
    host.disk("nvme0n1", [99.0] * N)
    ranking = rank(of(host))
    assert (ranking.clear, ranking.reason) == (False, "parallel_device")
    assert ranking.top is not None and ranking.top.upper_bound


def test_waiting_counts_where_it_is_measured() -> None:
    host = MadeHost(os="sunos")
    host.disk("sda", [40.0] * N, reads=[100.0] * N, writes=[50.0] * N)
    for state, length in (("waiting", 9.0), ("active", 1.0)):
        host.add("system.disk.queue_length", [length] * N, state=state, base_unit="{request}", device="sda")
    (score,) = rank(of(host)).scores
    assert score.wait_share == pytest.approx(0.9)
    assert score.score == pytest.approx(0.9)
    assert score.queue == 9.0


def test_waiting_of_a_nearly_idle_disk_counts_for_nothing() -> None:
    host = MadeHost(os="sunos")
    host.disk("sda", [1.0] * N, reads=[0.2] * N, writes=[0.0] * N)
    for state, length in (("waiting", 9.0), ("active", 1.0)):
        host.add("system.disk.queue_length", [length] * N, state=state, base_unit="{request}", device="sda")
    assert rank(of(host)).scores[0].score == pytest.approx(0.02)


# -- shift ---------------------------------------------------------------------------------------------


def test_the_bottleneck_moves_from_the_processor_to_the_disk() -> None:
    found = compare_rankings(of(busy_host(95.0, 40.0)), of(busy_host(20.0, 70.0)))
    assert found.shifted is True
    assert found.confidence == 1.0
    assert found.before.bottleneck is not None and found.before.bottleneck.resource == "cpu"
    assert found.after.bottleneck is not None and found.after.bottleneck.label == "disk sda"


def test_it_stays_where_the_same_resource_is_first_on_both_sides() -> None:
    found = compare_rankings(of(busy_host(20.0, 95.0)), of(busy_host(20.0, 80.0)))
    assert (found.shifted, found.reason) == (False, "")


def test_no_shift_is_claimed_without_a_clear_bottleneck() -> None:
    found = compare_rankings(of(busy_host(95.0, 40.0)), of(busy_host(20.0, 20.0)))
    assert (found.shifted, found.reason) == (None, "after_below_threshold")


def test_runs_of_different_hosts_are_not_compared() -> None:
    found = compare_rankings(of(busy_host(95.0, 40.0)), of(busy_host(20.0, 95.0, name="db2")))
    assert (found.shifted, found.reason, found.confidence) == (None, "other_hosts", None)
    assert compare_rankings([], of(busy_host(50.0, 50.0))).reason == "nothing_measured"


def test_the_gain_is_bounded_by_the_next_resource() -> None:
    """Demands of 6, 4 and 1 per request: however fast the first one becomes, throughput grows by 6/4 (g39)."""
    host = MadeHost()
    host.cpu([100 - 90.0] * N)
    host.disk("sda", [60.0] * N)
    host.disk("sdb", [15.0] * N)
    found = of(host)
    gain, following = gain_bound(found, _first_is_cpu(found))
    assert gain == pytest.approx(1.5)
    assert following is not None and following.label == "disk sda"


def _first_is_cpu(found: list[Load]) -> Ranking:
    ranking = rank(found)
    assert ranking.scores[0].label == "cpu"
    return ranking


# -- laws ----------------------------------------------------------------------------------------------


def test_a_line_that_stands_for_several_devices_breaks_littles_law() -> None:
    host = MadeHost()
    host.disk("sda", [50.0] * N, reads=[100.0] * N, writes=[0.0] * N, await_ms=[20.0] * N, queue=[2.0] * N)
    host.disk("sdb", [50.0] * N, reads=[100.0] * N, writes=[0.0] * N, await_ms=[20.0] * N, queue=[4.0] * N)
    checks = {check.name: check for check in data_checks(host.signals)}
    assert not checks["sda"].violated and checks["sda"].deviation == pytest.approx(0.0)
    assert checks["sdb"].violated and checks["sdb"].deviation == pytest.approx(0.5)


def test_a_device_that_is_busier_than_its_requests_breaks_the_utilisation_law() -> None:
    host = MadeHost()
    for device, busy in (("sda", 50.0), ("sdb", 90.0)):
        host.disk(device, [busy] * N, reads=[100.0] * N, writes=[0.0] * N)
        host.add("system.disk.service_time", [5.0] * N, to_base=0.001, base_unit="s", device=device)
    checks = {check.name: check for check in data_checks(host.signals)}
    assert {check.law for check in checks.values()} == {"utilisation"}
    assert not checks["sda"].violated  # 100/s x 5 ms = 50 %
    assert checks["sdb"].violated and checks["sdb"].deviation == pytest.approx(0.4 / 0.9)


def usl_host(kappa: float) -> HostSignals:
    """Throughput of a disk under 1 to 40 requests: 100 n / (1 + .02 (n-1) + kappa n (n-1)), ten samples a level."""
    loads_ = np.repeat(np.geomspace(1, 40, 30), 10)
    given = 100 * loads_ / (1 + 0.02 * (loads_ - 1) + kappa * loads_ * (loads_ - 1))
    host = MadeHost()
    host.disk("sda", [50.0] * 300, queue=list(loads_))
    host.add("system.disk.operations", list(given), device="sda")
    return host.signals


def test_throughput_that_falls_under_more_load_is_a_drop_off() -> None:
    (found,) = drop_offs(usl_host(0.004))
    assert found.peak_load == pytest.approx(np.sqrt(0.98 / 0.004), rel=0.05)  # 15.7
    assert (found.load, found.throughput, found.name) == ("aqu_sz", "iops", "sda")
    assert drop_offs(usl_host(0.0)) == []


def test_one_level_of_load_tells_nothing_of_a_drop_off() -> None:
    host = MadeHost()
    host.disk("sda", [50.0] * N, queue=[3.0] * N, reads=[10.0] * N, writes=[0.0] * N)
    assert drop_offs(host.signals) == []
    assert [len(each) for each in levels(np.array([]), np.array([]))] == [0, 0]
    assert Thing("host").attributes == {}
