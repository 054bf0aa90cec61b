"""Figures that rules name, found among captured columns: units, formulas, common times, what is missing."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import numpy as np
import pytest

from tests.program import compose
from tests.unit.diagnosis.made_signals import SECOND_NS, MadeHost
from tunebench.core.paths import resources_folder
from tunebench.diagnosis.signals.formulas import FORMULAS
from tunebench.diagnosis.signals.host_facts import FACT_PROBES, host_facts
from tunebench.diagnosis.signals.resolving import HostSignals, Thing, _place
from tunebench.diagnosis.signals.streams import Stream, onto, spacing_ns
from tunebench.diagnosis.signals.vocabulary import FormulaSource, MetricSource, read_vocabulary, vocabulary
from tunebench.domain.capturing.run import SystemFact
from tunebench.usecases import services

HOST = Thing("host")
SDA = Thing("device", "sda")


def values(signals: HostSignals, name: str, thing: Thing = HOST) -> list[float]:
    stream = signals.stream(name, thing)
    assert stream is not None
    return [float(value) for value in stream.values]


# -- units and formulas --------------------------------------------------------------------------------


def test_figures_come_in_the_unit_of_the_rule() -> None:
    host = MadeHost()
    host.add("system.disk.response_time", [12.5], to_base=0.001, base_unit="s", device="sda")
    host.add("system.disk.io", [4.0], to_base=1024 * 1024, base_unit="By/s", way="read", device="sda")  # MiB/s
    assert values(host.signals, "await_ms", SDA) == [12.5]
    assert values(host.signals, "kr_s", SDA) == [4096.0]


def test_a_wait_of_both_directions_is_weighted_by_their_requests() -> None:
    host = MadeHost()
    host.disk("sda", [10.0, 10.0], reads=[90.0, 0.0], writes=[10.0, 20.0], r_await=[1.0, 0.0], w_await=[21.0, 5.0])
    assert values(host.signals, "await_ms", SDA) == [3.0, 5.0]  # (90 x 1 + 10 x 21) / 100; only writes


def test_the_size_of_no_request_is_not_known() -> None:
    host = MadeHost()
    host.disk("sda", [0.0, 5.0], reads=[0.0, 10.0], writes=[0.0, 30.0])
    host.add("system.disk.io", [0.0, 400 * 1024.0], base_unit="By/s", way="read", device="sda")
    host.add("system.disk.io", [0.0, 240 * 1024.0], base_unit="By/s", way="write", device="sda")
    size = values(host.signals, "avg_io_kb", SDA)
    assert np.isnan(size[0]) and size[1] == 16.0


def test_waiting_for_the_disk_is_not_busy() -> None:
    host = MadeHost()
    host.cpu([30.0])
    host.add("system.cpu.utilization", [50.0], tool="vmstat", state="iowait", to_base=0.01, base_unit="1")
    assert values(host.signals, "cpu_busy_pct") == [20.0]


def test_what_the_hypervisor_gave_to_others_was_not_used_here() -> None:
    host = MadeHost()
    for state, percent in (("idle", 5.0), ("iowait", 2.0), ("steal", 32.0)):
        host.add("system.cpu.utilization", [percent], state=state, to_base=0.01, base_unit="1", cpu="all")
    assert values(host.signals, "cpu_busy_pct") == [61.0]


def test_svc_t_of_one_tool_is_the_sum_of_anothers_two_columns() -> None:
    host = MadeHost(os="sunos")
    host.add("system.disk.wait_time", [40.0], to_base=0.001, base_unit="s", device="sda")
    host.add("system.disk.active_time", [15.0], to_base=0.001, base_unit="s", device="sda")
    assert values(host.signals, "svc_t", SDA) == [55.0]


def test_a_counter_that_wraps_has_no_rate_there() -> None:
    host = MadeHost(os="sunos")
    host.add("system.dnlc.lookups.total", [1000.0, 3000.0, 500.0, 1500.0], base_unit="1", tool="vmstat")
    rate = values(host.signals, "dnlc_lookups_s")
    assert np.isnan(rate[0]) and np.isnan(rate[2])
    assert (rate[1], rate[3]) == (200.0, 100.0)


def test_each_processor_is_a_row() -> None:
    host = MadeHost()
    for cpu, idle in (("all", 70.0), ("0", 2.0), ("1", 98.0)):
        host.cpu([idle] * 3, cpu=cpu)
    stream = host.signals.stream("percpu_busy", HOST)
    assert stream is not None
    assert stream.values.shape == (2, 3)
    assert sorted(stream.values[:, 0]) == [2.0, 98.0]
    assert values(host.signals, "cpu_busy_pct") == [30.0] * 3


@pytest.mark.parametrize(
    ("attributes", "place"),
    [
        ({}, ("host", "")),
        ({"cpu": "all"}, ("host", "")),
        ({"cpu": "-1"}, ("host", "")),
        ({"cpu": "0"}, ("cpu", "")),
        ({"device": "sda"}, ("device", "sda")),
        ({"device": "sda", "state": "idle", "direction": "read", "group": "g"}, ("device", "sda")),
        ({"interface": "eth0"}, ("interface", "eth0")),
        ({"mountpoint": "/data"}, ("filesystem", "/data")),
        ({"database": "orders"}, ("database", "orders")),
        ({"colour": "red"}, ("", "red")),
        ({"device": "sda", "colour": "red"}, ("", "")),
        ({"device": "sda", "mountpoint": "/data", "colour": "red"}, ("", "")),
    ],
)
def test_a_series_is_of_one_thing_or_of_none_that_rules_know(
    attributes: dict[str, str], place: tuple[str, str]
) -> None:
    info = replace(MadeHost().add("any", [1.0]), attributes=attributes)
    assert _place(info) == place
    assert _place(replace(info, alias="data1"))[1] == ("data1" if place[0] == "device" else place[1])


def test_areas_of_swap_are_added_up_and_are_no_disks() -> None:
    host = MadeHost(os="sunos")
    for area in ("/dev/dsk/c0t0d0s1", "/dev/dsk/c1t0d0s1"):
        host.add("system.paging.limit", [4.0 * 1024**3], base_unit="By", tool="swap", device=area)
    assert values(host.signals, "disk_swap_total") == [8.0 * 1024**2]
    assert host.signals.things("device") == []


def test_errors_are_counted_over_ten_minutes() -> None:
    host = MadeHost()
    host.add(
        "system.network.errors",
        [0.0] * 60 + [0.1] * 60,
        way="receive",
        interface="eth0",
        base_unit="{packet}/s",
        interval_s=10.0,
    )
    counted = values(host.signals, "if_errors_10m", Thing("interface", "eth0"))
    assert counted[59] == 0.0
    assert counted[-1] == pytest.approx(60.0)  # 0.1/s over 600 s


def test_dropped_packets_are_a_share_of_those_of_ten_minutes() -> None:
    """One of ten dropped in a quiet second, among 2,000 a second otherwise."""
    host = MadeHost()
    for name, rates in (("packets", [2000.0] * 59 + [9.0]), ("dropped", [0.0] * 59 + [1.0])):
        host.add(f"system.network.{name}", rates, way="receive", interface="eth0", base_unit="{packet}/s")
    share = values(host.signals, "if_drop_ratio", Thing("interface", "eth0"))[-1]
    assert share == pytest.approx(100 * 1 / (59 * 2000 + 9 + 1), rel=1e-6)


def test_a_file_system_that_grows_is_full_some_day() -> None:
    host = MadeHost()
    gib = 1024.0**3
    host.add(
        "system.filesystem.usage",
        [10 * gib + i * gib / 6 for i in range(13)],
        state="used",
        mountpoint="/u01",
        base_unit="By",
        interval_s=600.0,
    )
    host.add(
        "system.filesystem.usage",
        [5 * gib] * 13,
        state="available",
        mountpoint="/u01",
        base_unit="By",
        interval_s=600.0,
    )
    hours = values(host.signals, "hours_to_full", Thing("filesystem", "/u01"))
    assert np.isnan(hours[0])
    assert hours[-1] == pytest.approx(5.0)  # 1 GiB an hour into 5 GiB


# -- which samples, which times ------------------------------------------------------------------------


def test_averages_since_boot_are_left_out_where_anything_else_was_measured() -> None:
    host = MadeHost()
    host.cpu([90.0])
    host.data[1].since_boot[:] = False
    host.add("system.cpu.run_queue_length", [99.0, 1.0, 2.0], since_boot=1, base_unit="{thread}")
    assert values(host.signals, "run_queue") == [1.0, 2.0]
    only = MadeHost()
    only.add("system.cpu.run_queue_length", [99.0], since_boot=1, base_unit="{thread}")
    stream = only.signals.stream("run_queue", HOST)
    assert stream is not None and stream.since_boot


def test_every_series_is_read_once() -> None:
    host = MadeHost()
    host.disk("sda", [10.0], reads=[1.0], writes=[1.0])
    signals = host.signals
    for name in ("iops", "r_s", "w_s", "util_pct", "pct_b", "iops"):
        signals.stream(name, SDA)
    assert sorted(host.reads) == [1, 2, 3]


def test_values_that_are_no_numbers_are_missing() -> None:
    host = MadeHost()
    host.add("system.cpu.run_queue_length", [float("inf"), float("nan"), 3.0], base_unit="{thread}")
    stream = host.signals.stream("run_queue", HOST)
    assert stream is not None and np.isfinite(stream.values).tolist() == [False, False, True]
    nothing = MadeHost()
    nothing.add("system.cpu.run_queue_length", [float("nan")] * 3, base_unit="{thread}")
    assert nothing.signals.stream("run_queue", HOST) is None


def test_a_finer_stream_gives_means_and_no_value_goes_across_a_gap() -> None:
    fine = Stream(np.arange(1, 13) * 10 * SECOND_NS, np.arange(1.0, 13.0), interval_s=10.0)
    minutes = np.array([60, 120, 240]) * SECOND_NS
    brought = onto(fine, minutes, 60 * SECOND_NS)
    assert brought[0] == np.mean([1, 2, 3, 4, 5, 6]) and brought[1] == np.mean([7, 8, 9, 10, 11, 12])
    assert np.isnan(brought[2])


def test_a_coarser_stream_holds_until_a_gap() -> None:
    coarse = Stream(np.array([0, 60]) * SECOND_NS, np.array([5.0, 7.0]), interval_s=60.0)
    times = np.array([30, 90, 180, 400]) * SECOND_NS
    brought = onto(coarse, times, 10 * SECOND_NS)
    assert list(brought[:3]) == [5.0, 7.0, 7.0]
    assert np.isnan(brought[3])
    assert spacing_ns(coarse) == 60 * SECOND_NS


def test_used_up_is_what_three_samples_in_a_row_show() -> None:
    host = MadeHost()
    host.disk("sda", [100.0, 100.0, 99.0, 100.0, 100.0, 100.0])
    used = values(host.signals, "utilization", SDA)
    assert np.isnan(used[:2]).all()
    assert used[2:] == [99.0, 99.0, 99.0, 100.0]


def test_a_split_response_time_is_not_taken_for_the_whole_one() -> None:
    host = MadeHost()
    host.disk("sda", [1.0], r_await=[9.0])
    assert host.signals.stream("await_ms", SDA) is None


# -- inventories ---------------------------------------------------------------------------------------


def facts(*pairs: tuple[str, str], os: str = "linux") -> dict[str, object]:
    return dict(host_facts([SystemFact("x", name, value) for name, value in pairs], os).values)


def test_facts_of_the_host() -> None:
    told = facts(
        ("Memory size", "16384 Megabytes"),
        ("lotsfree", "32064"),
        ("md:md_maxphys", "1048576"),
        ("processor 0", "on-line"),
        ("processor 1", "on-line"),
        os="sunos",
    )
    assert told["ncpu"] == 2
    assert told["physmem_kb"] == 16 * 1024 * 1024
    assert told["lotsfree"] == 32064 * 8  # pages of 8 KiB, compared with vmstat's KiB
    assert told["md_maxphys"] == 1048576.0


def test_lotsfree_follows_from_the_memory_where_nobody_asked() -> None:
    made = host_facts([SystemFact("memory", "Memory size", "16384 Megabytes")], "sunos")
    assert made.values["lotsfree"] == 256 * 1024  # 1/64 of 16 GB, SF-400
    assert made.derived == {"lotsfree"}


def test_types_of_file_systems() -> None:
    mounted = [
        SystemFact("mount", "/u01", "/dev/mapper/vg-u01 xfs rw,noatime"),
        SystemFact("df", "/dev type", "devtmpfs"),
    ]
    made = host_facts(mounted, "linux")
    assert made.values["fs_type"] == "xfs" and made.of_filesystem("/u01") == {"fs_type": "xfs"}
    assert facts(("/ type", "xfs"), ("/u02 type", "ext4")).get("fs_type") is None
    assert facts(("maxcontig", "128"), os="sunos")["fs_type"] == "ufs"


def test_media_of_devices() -> None:
    made = host_facts(
        [
            SystemFact("disk", "sda ROTA", "1"),
            SystemFact("disk", "sda TYPE", "disk"),
            SystemFact("disk", "sdb ROTA", "0"),
            SystemFact("disk", "mpatha TYPE", "mpath"),
            SystemFact("disk", "vda MODEL", "VMware Virtual S"),
            SystemFact("disk", "vda ROTA", "1"),
        ],
        "linux",
    )
    assert made.of_device("sda") == {"media": "hdd", "is_parallel_device": False}
    assert made.of_device("sdb")["media"] == "ssd"
    assert made.of_device("mpatha") == {"media": "array", "is_parallel_device": True}
    assert made.of_device("nvme0n1")["media"] == "nvme"
    assert made.of_device("vda") == {}
    assert made.of_device("dm-3") == {"is_parallel_device": True}


@pytest.mark.parametrize(("line", "state"), [("[UU]", "optimal"), ("[U_]", "degraded")])
def test_a_mirror_that_lacks_a_member_is_degraded(line: str, state: str) -> None:
    assert facts(("md0 blocks", f"1046528 blocks super 1.2 [2/2] {line}"))["raid_state"] == state


# -- the vocabulary ------------------------------------------------------------------------------------


def test_what_the_vocabulary_names_exists() -> None:
    compose()
    probes = {probe.id for probe in services.current().plugins.probes()}
    catalogue = services.current().catalogue
    words = vocabulary()
    for name in words:
        signal = words.find(name)
        assert signal is not None
        assert {probe for own in signal.probes.values() for probe in own} <= probes, name
        for source in signal.sources:
            if isinstance(source, MetricSource):
                assert catalogue.metric(source.metric) is not None, (name, source.metric)
            else:
                assert source.formula in FORMULAS, (name, source.formula)
                known = {part.rstrip("?") for part in source.of}
                assert all(part in words or part in _FACTS for part in known), (name, known)
    assert {probe for own in FACT_PROBES.values() for each in own.values() for probe in each} <= probes


_FACTS = frozenset({"page_bytes", "physmem_kb", "link_mbit_s"})


def test_a_name_that_stands_twice_is_refused(tmp_path: object) -> None:
    path = resources_folder() / "signals" / "cpu.toml"
    with pytest.raises(ValueError, match="stands twice"):
        read_vocabulary([path, path])


def test_probes_of_a_computed_figure_are_those_of_its_parts() -> None:
    assert "linux.vmstat" in vocabulary().probes_for("cpu_busy_pct", "Linux")
    assert vocabulary().probes_for("svc_t", "linux") == ()
    everywhere = vocabulary().probes_for("util_pct", "")
    assert {"solaris.iostat", "linux.iostat"} <= set(everywhere)


def test_every_formula_is_used() -> None:
    used = set()
    for path in (resources_folder() / "signals").glob("*.toml"):
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["signals"]:
            used |= {source["formula"] for source in entry["from"] if "formula" in source}
    assert used == set(FORMULAS)
    assert FormulaSource("sum", ("a",)).formula in FORMULAS
