"""Figures that tools print under one name and count in different ways: what would make a rule fire for nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.unit.diagnosis.made_signals import MadeHost
from tunebench.diagnosis.shift import data_checks
from tunebench.diagnosis.signals.file_systems import can_fill
from tunebench.diagnosis.signals.host_facts import host_facts
from tunebench.diagnosis.signals.resolving import HostSignals, Thing
from tunebench.diagnosis.use_table import use_table
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.finding import Severity, UseAspect, UseCell

HOST = Thing("host")
N = 12


def facts(os: str, *told: tuple[str, str], seen: int = 0) -> object:
    return host_facts((SystemFact("cpu", name, value) for name, value in told), os, seen).values.get("ncpu")


def test_logical_processors_of_an_lpar() -> None:
    """lparstat -i of a partition of 9 virtual processors with SMT-8 dispatches onto 72 threads; vmstat prints lcpu."""
    assert facts("aix", ("Online Virtual CPUs", "9"), ("lcpu", "72")) == 72
    assert facts("aix", ("Online Virtual CPUs", "9"), ("Type", "Shared-SMT-8")) == 72
    assert facts("aix", ("Online Virtual CPUs", "9"), seen=72) == 72
    assert facts("aix", ("Online Virtual CPUs", "9"), ("Type", "Shared")) == 9
    assert facts("linux") is None


def memory(host: MadeHost, state: str, kib: float) -> None:
    host.add("system.memory.usage", [kib] * N, tool="sar", state=state, to_base=1024.0, base_unit="By")


def sar_memory(used_kb: float, used_pct: float) -> HostSignals:
    """8,000,000 KiB: 1,000,000 free, 100,000 buffers, 4,500,000 cached, 400,000 slab, 2,000,000 of programs."""
    host = MadeHost()
    for state, kib in (("free", 1e6), ("buffers", 1e5), ("cached", 4.5e6), ("slab", 4e5), ("used", used_kb)):
        memory(host, state, kib)
    host.add("system.memory.available", [5.6e6] * N, tool="sar", to_base=1024.0, base_unit="By")
    host.add("system.memory.utilization", [used_pct] * N, tool="sar", state="used", to_base=0.01, base_unit="1")
    return host.signals


@pytest.mark.parametrize(("used_kb", "used_pct"), [(7e6, 87.5), (2e6, 25.0)])
def test_all_memory_from_either_meaning_of_kbmemused(used_kb: float, used_pct: float) -> None:
    """Old versions count caches as used, newer ones do not: 8,000,000 KiB in both, 5,600,000 available: 70 %."""
    stream = sar_memory(used_kb, used_pct).stream("mem_available_pct", HOST)
    assert stream is not None
    np.testing.assert_allclose(stream.values, 70.0)


def cell_of(signals: HostSignals, resource: str, aspect: UseAspect) -> UseCell:
    row = next(row for row in use_table(signals, lambda *_: ()) if row.resource == resource)
    return row.cell(aspect)


def test_memory_full_of_caches_is_shown_and_not_called_short() -> None:
    host = MadeHost(os="aix")
    host.add("system.memory.utilization", [99.7] * N, tool="nmon", state="used", to_base=0.01, base_unit="1")
    cell = cell_of(host.signals, "memory", UseAspect.UTILISATION)
    assert (cell.signal, cell.severity) == ("mem_taken_pct", None)
    assert cell.value == pytest.approx(99.7)


@pytest.mark.parametrize(("os", "severity"), [("linux", None), ("aix", None), ("sunos", Severity.WATCH)])
def test_scanning_for_the_sake_of_caches_is_no_saturation(os: str, severity: Severity | None) -> None:
    host = MadeHost(os=os)
    host.add("system.memory.scan_rate", [2500.0] * N, base_unit="{page}/s")
    cell = cell_of(host.signals, "memory", UseAspect.SATURATION)
    assert (cell.signal, cell.severity) == ("sr", severity)


@pytest.mark.parametrize(("os", "queue"), [("hp-ux", 0.04), ("sunos", 0.5)])
def test_avque_of_hp_ux_is_a_mean_over_the_busy_time(os: str, queue: float) -> None:
    """0.5 of a disk that was busy 8 % of the time is 0.04 over all time; Solaris divides by all time itself."""
    host = MadeHost(os=os)
    host.disk("c1t0d0", [8.0] * N)
    host.add("system.disk.queue_length", [0.5] * N, native="avque", tool="sar", device="c1t0d0", base_unit="{request}")
    stream = host.signals.stream("aqu_sz", host.signals.things("device")[0])
    assert stream is not None
    np.testing.assert_allclose(stream.values, queue)


def test_rounding_to_whole_milliseconds_breaks_no_law() -> None:
    """1,300 requests a second of 1.4 ms are 1.82 in the system, printed as 1 ms and 2; 2.0 ms would not be 15."""
    host = MadeHost()
    host.disk("sda", [50.0] * N, reads=[1300.0] * N, writes=[0.0] * N, await_ms=[1.0] * N, queue=[2.0] * N)
    host.disk("sdb", [50.0] * N, reads=[1300.0] * N, writes=[0.0] * N, await_ms=[1.0] * N, queue=[15.0] * N)
    checks = {check.name: check for check in data_checks(host.signals)}
    assert checks["sda"].deviation == pytest.approx(0.35) and not checks["sda"].violated
    assert checks["sdb"].violated


def test_two_samples_accuse_no_capture() -> None:
    host = MadeHost()
    host.disk("sda", [50.0] * 2, reads=[100.0] * 2, writes=[0.0] * 2, await_ms=[20.5] * 2, queue=[9.5] * 2)
    assert not data_checks(host.signals)[0].violated


@pytest.mark.parametrize("value", [float("inf"), -1.0, 1.8e19])
def test_what_cannot_be_is_missing(value: float) -> None:
    """Infinite, negative, or what a counter shows that wrapped between two readings."""
    host = MadeHost()
    host.disk("sda", [50.0] * N, reads=[5.0] * (N - 1) + [value], writes=[0.0] * N)
    stream = host.signals.stream("r_s", host.signals.things("device")[0])
    assert stream is not None
    assert np.isnan(stream.values[-1]) and np.isfinite(stream.values[:-1]).all()


def test_totals_may_be_large_and_what_is_left_may_be_negative() -> None:
    """vmstat -s counts name lookups since boot; df prints what is left below the reserve of root as negative."""
    host = MadeHost(os="sunos")
    host.add("system.dnlc.lookups.total", [5e9], base_unit="1")
    host.add("system.filesystem.usage", [-4.0], state="available", to_base=1024.0, base_unit="By", mountpoint="/data")
    lookups, left = (
        host.signals.stream(name, thing)
        for name, thing in (("name_lookups", HOST), ("fs_avail_kb", Thing("filesystem", "/data")))
    )
    assert lookups is not None and lookups.values[0] == 5e9
    assert left is not None and left.values[0] == -4.0


@pytest.mark.parametrize("mount", ["/snap/core/1234", "/cdrom", "/media/cdrom0", "/dev", "/system/contract"])
def test_what_is_always_full_is_no_file_system_to_judge(mount: str) -> None:
    assert not can_fill(mount)


def test_file_systems_that_people_fill() -> None:
    assert all(can_fill(mount) for mount in ("/", "/snapshots", "/devel", "/dev/shm", "/u01/oradata", "/system"))
    assert not can_fill("/mnt/dvd", "iso9660") and can_fill("/mnt/dvd", "ext4")
    host = MadeHost()
    for mount in ("/snap/core/1", "/data"):
        host.add("system.filesystem.utilization", [100.0], to_base=0.01, base_unit="1", mountpoint=mount)
    assert [thing.name for thing in host.signals.things("filesystem")] == ["/data"]


def run_queue_of_sar(occupied: bool) -> HostSignals:
    """sar -q of Solaris: `runq-sz` 3.6 and `%runocc` 4."""
    host = MadeHost(os="sunos")
    info = host.add("system.cpu.run_queue_length", [3.6] * N, native="runq-sz", tool="sar", base_unit="{thread}")
    host.infos[0] = replace(info, definition="while-busy")
    if occupied:
        host.add("system.cpu.run_queue_occupancy", [4.0] * N, native="%runocc", tool="sar", to_base=0.01, base_unit="1")
    return host.signals


def test_a_queue_counted_while_somebody_waited_is_spread_over_all_time() -> None:
    stream = run_queue_of_sar(occupied=True).stream("run_queue", HOST)
    assert stream is not None
    np.testing.assert_allclose(stream.values, 3.6 * 0.04)


def test_without_the_share_of_time_it_is_not_known() -> None:
    assert run_queue_of_sar(occupied=False).stream("run_queue", HOST) is None
