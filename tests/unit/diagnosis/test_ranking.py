"""Which resource is nearest to its limit, how surely, whether that moved, and how far relieving it can carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.diagnosis.made_signals import MadeHost
from tunebench.analysis.queueing.usl import UslFit, fit_usl
from tunebench.diagnosis.drop_off import drop_offs, falling_things, levels
from tunebench.diagnosis.ranking import FEWEST_SLOTS, Load, _by_slot, loads, rank, waiting_sessions
from tunebench.diagnosis.shift import compare_rankings, data_checks, gain_bound
from tunebench.diagnosis.signals.resolving import HostSignals, Thing
from tunebench.diagnosis.signals.streams import Numbers
from tunebench.domain.finding import Caution, Finding, Ranking, Severity, UseAspect

N = 240


def no_evidence(*_: object) -> tuple[()]:
    return ()


def of(host: MadeHost) -> list[Load]:
    return loads(host.signals, no_evidence)


SLOW_MS = 40.0
"""A response time that is long on any disk: the sign without which a busy one is no bottleneck."""


def made_finding(rule: str, thing: dict[str, str], severity: Severity = Severity.WARNING, **told: object) -> Finding:
    values: dict[str, object] = {"scope": "device" if thing else "host", "share": 1.0, "n": N, "held": N} | told
    return Finding(rule, "made", severity, 1, "before", "db1", attributes=thing, **values)  # type: ignore[arg-type]


def steady(level: float, spread: float = 1.0, seed: int = 7, n: int = N) -> list[float]:
    return list(np.clip(level + spread * np.random.default_rng(seed).standard_normal(n), 0, 100))


def busy_host(cpu: float, disk: float, *, name: str = "db1", cpus: int = 4, n: int = N) -> MadeHost:
    host = MadeHost(name=name)
    host.fact("CPU(s)", str(cpus))
    host.cpu([100 - each for each in steady(cpu, seed=1, n=n)])
    host.add("system.cpu.run_queue_length", [cpus * (1 + 2 * (cpu > 80))] * n, tool="vmstat", base_unit="{thread}")
    host.disk("sda", steady(disk, seed=2, n=n), reads=[100.0] * n, writes=[0.0] * n, await_ms=[SLOW_MS] * n)
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
    host.disk("sda", [90.0] * half + [40.0] * half, await_ms=[SLOW_MS] * N)
    host.disk("sdb", [40.0] * half + [90.0] * half, await_ms=[SLOW_MS] * N)
    ranking = rank(of(host))
    assert (ranking.clear, ranking.reason) == (False, "not_steady")
    assert ranking.held is not None and 0.3 < ranking.held < 0.7


@pytest.mark.parametrize("n", [1, 2, 5 * FEWEST_SLOTS - 1])
def test_few_samples_prove_nothing(n: int) -> None:
    ranking = rank(of(busy_host(50.0, 95.0, n=n)))
    assert (ranking.clear, ranking.reason, ranking.held) == (False, "few_samples", None)


def test_constant_and_unmeasured_series() -> None:
    host = MadeHost()
    host.disk("sda", [100.0] * N, await_ms=[SLOW_MS] * N)
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
    slow = loads(
        host.signals, no_evidence, [(made_finding("X-DSK-05", {"device": "nvme0n1"}), "disk", UseAspect.SATURATION)]
    )
    assert rank(slow).bottleneck is not None


@pytest.mark.parametrize(
    ("device", "busy", "figures"),
    [
        ("sda", 42.0, {"await_ms": [0.8] * N, "queue": [0.42] * N}),
        ("sda", 60.0, {}),
        ("sda", 49.0, {"await_ms": [5.0] * N}),
    ],
)
def test_a_busy_disk_for_which_nothing_waits_is_no_bottleneck(
    device: str, busy: float, figures: dict[str, list[float]]
) -> None:
    host = MadeHost()
    host.disk(device, steady(busy, 4.0), reads=[500.0] * N, writes=[25.0] * N, **figures)
    ranking = rank(of(host))
    assert ranking.top is not None and ranking.top.score > 0.9
    assert (ranking.bottleneck, ranking.reason) == (None, "no_sign")
    assert gain_bound(of(host), ranking) == (None, None)


def test_an_interface_that_is_43_per_cent_full_is_no_bottleneck() -> None:
    host = MadeHost()
    host.add("system.network.utilization", steady(43.0), to_base=0.01, base_unit="1", interface="eth0")
    assert (rank(of(host)).bottleneck, rank(of(host)).reason) == (None, "no_sign")
    full = loads(
        host.signals, no_evidence, [(made_finding("X-NET-03", {"interface": "eth0"}), "network", UseAspect.UTILISATION)]
    )
    assert rank(full).bottleneck is not None and rank(full).scores[0].signs == ("X-NET-03",)


@pytest.mark.parametrize(
    ("finding", "aspect"),
    [
        (made_finding("X-DSK-03", {"device": "sda"}, Severity.WATCH), UseAspect.UTILISATION),
        (made_finding("SF-034", {"device": "sda"}, Severity.CRITICAL), UseAspect.ERRORS),
        (made_finding("X-DSK-01", {"device": "sdb"}), UseAspect.UTILISATION),
        (made_finding("X-DSK-01", {"device": "sda"}, share=0.04), UseAspect.UTILISATION),
        (made_finding("X-DSK-01", {"device": "sda"}, share=None), UseAspect.UTILISATION),
        (made_finding("SF-052", {"device": "sda"}, cautions=(Caution("since_boot"),)), UseAspect.SATURATION),
    ],
)
def test_what_is_no_sign_of_waiting(finding: Finding, aspect: UseAspect) -> None:
    """Worth a look only; an error; of another disk; of less of the window than the score speaks of, or nobody knows how
    much; since boot."""
    host = MadeHost()
    host.disk("sda", steady(60.0))
    assert rank(loads(host.signals, no_evidence, [(finding, "disk", aspect)])).reason == "no_sign"


def swapping(available_pct: float, disk: float) -> MadeHost:
    host = busy_host(60.0, disk)
    for metric, values in (("available", available_pct / 100 * 64), ("limit", 64.0)):
        host.add(f"system.memory.{metric}", [values * 2**20] * N, tool="sar", to_base=1024, base_unit="By")
    host.add("system.swap.pages", [3000.0] * N, tool="sar", base_unit="{page}/s", way="out")
    return host


SHORT = made_finding("X-MEM-02", {}, Severity.CRITICAL)


def with_memory(host: MadeHost, *about: Finding) -> list[Load]:
    return loads(host.signals, no_evidence, [(each, "memory", UseAspect.SATURATION) for each in about])


def test_a_swap_storm_names_memory_and_not_the_disk_that_is_paged_to() -> None:
    ranking = rank(with_memory(swapping(1.0, 99.0), SHORT))
    assert ranking.bottleneck is not None and ranking.bottleneck.label == "memory"
    assert (ranking.top, ranking.held) == (ranking.bottleneck, None)
    assert ranking.bottleneck.utilisation == pytest.approx(0.99)
    assert [each.label for each in ranking.scores][1] == "disk sda"


def test_memory_that_pages_for_most_of_the_window_is_named_where_nothing_else_is_short() -> None:
    """A warning, not yet critical: of Solaris, whose scanner runs all the time with the processors half idle."""
    scanning = made_finding("X-MEM-05", {})
    assert rank(with_memory(swapping(40.0, 20.0), scanning)).bottleneck.label == "memory"  # type: ignore[union-attr]
    assert rank(with_memory(swapping(40.0, 99.0), scanning)).bottleneck.label == "disk sda"  # type: ignore[union-attr]
    rarely = made_finding("X-MEM-05", {}, share=0.1)
    assert rank(with_memory(swapping(40.0, 20.0), rarely)).bottleneck is None


def test_memory_that_is_merely_in_use_is_no_candidate() -> None:
    assert "memory" not in scores(rank(with_memory(swapping(20.0, 30.0))))


def test_memory_short_for_some_minutes_does_not_outrank_a_disk_that_is_full_all_day() -> None:
    brief = replace(SHORT, share=0.1)
    assert rank(with_memory(swapping(12.0, 99.0), brief)).bottleneck.label == "disk sda"  # type: ignore[union-attr]
    assert rank(with_memory(swapping(12.0, 20.0), brief)).bottleneck.label == "memory"  # type: ignore[union-attr]


def locked(percent: float) -> list[Load]:
    database = made_finding(
        "X-DB-01", {"database": "ORCL"}, scope="database", share=None, facts={"row_lock_pct": percent}
    )
    return waiting_sessions([(database, "sessions", UseAspect.SATURATION)])


def test_sessions_that_wait_for_each_other_come_before_a_full_disk() -> None:
    """86.5 % of the time of a database in row locks: a disk twice as fast leaves 86.5 of 100 seconds."""
    ranking = rank([*of(busy_host(20.0, 95.0)), *locked(86.5)])
    assert ranking.bottleneck is not None and ranking.bottleneck.label == "sessions ORCL"
    assert (ranking.bottleneck.wait_share, ranking.bottleneck.signs) == (0.865, ("X-DB-01",))
    assert [each.label for each in ranking.scores][1] == "disk sda"
    moved = compare_rankings([*of(busy_host(20.0, 95.0)), *locked(86.5)], of(busy_host(20.0, 95.0)))
    assert (moved.shifted, moved.confidence) == (True, 1.0)


def test_sessions_that_wait_now_and_then_do_not_limit() -> None:
    assert locked(20.0) == []


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


def test_relieved_memory_leaves_the_disk_as_the_bottleneck() -> None:
    """Two full disks, before and after; before, memory was short as well."""
    moved = compare_rankings(with_memory(swapping(1.0, 99.0), SHORT), with_memory(swapping(40.0, 99.0)))
    assert (moved.shifted, moved.confidence, moved.gain_bound) == (True, 1.0, None)
    assert moved.before.bottleneck is not None and moved.before.bottleneck.label == "memory"
    assert moved.after.bottleneck is not None and moved.after.bottleneck.label == "disk sda"


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
    full = [(made_finding("X-CPU-10", {}), "cpu", UseAspect.UTILISATION)]
    all_loads = loads(host.signals, no_evidence, full)
    gain, following = gain_bound(all_loads, _first_is_cpu(all_loads))
    assert gain == pytest.approx(1.5)
    assert following is not None and following.label == "disk sda"


def _first_is_cpu(found: list[Load]) -> Ranking:
    ranking = rank(found)
    assert ranking.scores[0].label == "cpu"
    return ranking


def test_each_slot_has_the_percentile_and_the_mean_of_its_own_samples() -> None:
    """NumPy's percentile; a slot without a sample has none; a load on the same clock changes nothing."""
    busy, waits = np.random.default_rng(3).random((2, 90))
    busy[10:25], waits[:40] = np.nan, np.nan
    host = Thing("host")
    times_ns = np.arange(90, dtype=np.int64) * 10
    load = Load("db1", "disk", host, times_ns, busy, waits, busy, 1, False)
    other = Load("db1", "disk", host, times_ns, waits, busy, busy, 1, False)
    (_, used), (_, waited) = _by_slot([other, load], np.linspace(0, 891, 10)[1:-1])
    slots = np.split(np.stack([busy, waits]), 9, axis=1)
    assert used.tolist() == pytest.approx([_percentile_95(own[0]) for own in slots], rel=1e-15, nan_ok=True)
    assert np.isnan(waited[:4]).all() and waited[5] == waits[50:60].mean()


def _percentile_95(values: np.ndarray) -> float:
    present = values[~np.isnan(values)]
    return float(np.percentile(present, 95)) if len(present) else np.nan


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
    (found,) = drop_offs(falling_things(usl_host(0.004)))
    assert found.peak_load == pytest.approx(np.sqrt(0.98 / 0.004), rel=0.05)  # 15.7
    assert (found.load, found.throughput, found.name) == ("aqu_sz", "iops", "sda")
    assert drop_offs(falling_things(usl_host(0.0))) == []


def test_of_many_things_those_that_fall_furthest_are_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty disks by X = 100 n / (1 + .02 (n-1) + kappa n (n-1)): the larger kappa, the further the fall."""
    fits: list[int] = []

    def counted(load: Numbers, measured: Numbers) -> UslFit:
        fits.append(len(load))
        return fit_usl(load, measured)

    monkeypatch.setattr("tunebench.diagnosis.drop_off.fit_usl", counted)
    loads_ = np.repeat(np.geomspace(1, 40, 30), 10)
    host = MadeHost()
    for number in range(40):
        kappa = 0.004 + 0.0001 * number
        given = 100 * loads_ / (1 + 0.02 * (loads_ - 1) + kappa * loads_ * (loads_ - 1))
        host.disk(f"dm-{number}", [50.0] * 300, queue=list(loads_))
        host.add("system.disk.operations", list(given), device=f"dm-{number}")
    drops = drop_offs(falling_things(host.signals))
    assert [one.name for one in drops] == [f"dm-{number}" for number in range(39, -1, -1)]
    assert [one.is_fitted for one in drops] == [True] * 10 + [False] * 30 and len(fits) == 10
    assert drops[0].peak_load == pytest.approx(np.sqrt(0.98 / 0.0079), rel=0.05)  # 11.1
    assert drops[0].fall > drops[39].fall > 0.05


def test_what_falls_by_chance_is_no_drop_off_however_many_things_there_are() -> None:
    """Throughput that saturates, and noise: of every thing that falls the law, fitted to each, is the judge."""
    random = np.random.default_rng(20261129)
    host = MadeHost()
    for number in range(120):
        queue = np.exp(random.normal(1.5, 0.9, 600))
        kappa = 0.01 if number % 4 == 0 else 0.0
        given = 100 * queue / (1 + 0.1 * (queue - 1) + kappa * queue * (queue - 1)) * np.exp(random.normal(0, 0.4, 600))
        host.disk(f"dm-{number}", [50.0] * 600, queue=list(queue))
        host.add("system.disk.operations", list(given), device=f"dm-{number}")
    falling = falling_things(host.signals)
    peaks = {one.name for one in falling if not fit_usl(one.loads, one.means).no_peak}
    told_of = {one.name for one in drop_offs(falling)}
    really = {f"dm-{number}" for number in range(0, 120, 4)}
    assert len(falling) > len(really) and really <= peaks <= told_of
    assert len(told_of - peaks) <= len(falling) // 20


def test_one_level_of_load_tells_nothing_of_a_drop_off() -> None:
    host = MadeHost()
    host.disk("sda", [50.0] * N, queue=[3.0] * N, reads=[10.0] * N, writes=[0.0] * N)
    assert falling_things(host.signals) == []
    assert [len(each) for each in levels(np.array([]), np.array([]))] == [0, 0]
    assert Thing("host").attributes == {}
