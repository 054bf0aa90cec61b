"""netstat, swapinfo and vmstat -s of FreeBSD; sar and vm_stat of macOS."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tunebench.sdk import ParseContext

FIXTURES = ROOT / "tests" / "fixtures" / "bsd"


@pytest.fixture
def parse(load, read):
    def parse(entry: str, name: str, **context):
        return read(load("bsd_stat", entry), (FIXTURES / name).read_bytes(), piece=19, **context)

    return parse


def test_packets_and_bytes_per_second(parse):
    found = parse("netstat_interfaces:NetstatInterfacesParser", "netstat-ibn-loop.txt")
    assert found.ledger.lines.balanced
    assert found.values("interface", "Ipkts/s", interface="em0") == [10.0]
    assert found.values("interface", "Ibytes/s", interface="em0") == [10_000.0]
    assert found.values("interface", "Idrop/s", interface="em0") == [0.2]
    assert found.values("counters_interface", "Obytes", interface="lo0") == [1000.0, 1000.0]  # a row without address
    assert found.values("counters_interface", "Ipkts", interface="em1") == [0.0, 0.0]  # em1* is em1, down
    assert not [key for key in found.samples if "10.0.0" in str(key.attributes)]


def test_addresses_are_facts(load):
    parser = load("bsd_stat", "netstat_interfaces:NetstatInterfacesParser")(ParseContext())
    list(parser.feed((FIXTURES / "netstat-ibn-loop.txt").read_bytes()))
    assert [(fact.section, fact.name, fact.value) for fact in parser.facts()] == [
        ("network", "em0 10.0.0.0/24", "10.0.0.5")
    ]


def test_swap_devices_and_their_total(parse):
    found = parse("swapinfo:SwapinfoParser", "swapinfo-loop.txt")
    assert found.ledger.lines.balanced
    assert found.values("swap", "Used", device="/dev/ada0p3") == [10240.0, 524288.0]
    assert found.values("swap", "Capacity", device="Total") == [0.0, 25.0]


def test_counters_since_boot(parse):
    found = parse("vmstat_counters:VmstatCountersParser", "vmstat-s-freebsd.txt")
    assert found.ledger.lines.balanced
    assert found.values("counters", "cpu context switches") == [842393706.0]
    assert found.values("counters", "fork() calls") == [1402911.0]
    assert found.values("counters", "cache hits") == [86.0]  # 81 % found, 5 % known not to be there
    assert found.values("counters", "pages free") == [480122.0]


def test_top_in_a_loop(parse):
    found = parse("top:TopParser", "top-loop.txt")
    assert found.ledger.lines.balanced
    assert (found.ledger.lines.data, found.skipped()) == (16, {})
    assert found.values("load", "load average 1m") == [0.35, 1.35]
    assert found.values("cpu", "idle") == [97.9, 45.0]
    assert found.values("mem", "Free") == [1900 * 1024.0**2, 1841 * 1024.0**2]
    assert found.values("arc", "Anon") == [16 * 1024.0] * 2
    assert found.values("swap", "In") == [12 * 1024.0]  # printed only while something is swapped in
    assert found.values("processes", "zombie") == [1.0]
    assert found.values("process", "RES", process="900/postgres") == [812 * 1024.0**2, 830 * 1024.0**2]
    assert found.values("process", "TIME", process="900/postgres") == [125 * 60 + 40, 126 * 60 + 39]
    assert found.values("process", "TIME", process="0/kernel") == [3.5 * 3600]
    assert found.values("process", "NICE", process="0/kernel") == []


def test_sar_of_macos(parse):
    found = parse("macos_sar:SarParser", "sar-macos.txt", file_name="sar_2011-04-19.txt")
    assert found.ledger.lines.balanced
    assert found.values("cpu", "%sys") == [3.0, 7.0]
    assert found.times("cpu", "%idle") == ["2011-04-19 17:05:40", "2011-04-19 17:05:41"]
    assert found.values("device", "r+w/s", device="disk0") == [10.0, 25.0]
    assert found.values("interface", "Ibytes/s", interface="en0") == [91022.0]
    assert found.skipped()["average"] == 4
    assert found.ledger.needs == ("date",)


def test_new_disk_lines_are_facts(load):
    parser = load("bsd_stat", "macos_sar:SarParser")(ParseContext())
    list(parser.feed((FIXTURES / "sar-macos.txt").read_bytes()))
    (fact,) = parser.facts()
    assert (fact.section, fact.name, fact.value.split(":")[0]) == ("disk", "disk0", "IODeviceTree")


def test_sar_of_macos_over_midnight(load, read):
    text = b"23:59:58   %usr  %nice   %sys   %idle\n23:59:59    5      0      3     92\n00:00:00    6      0      3     91\n"
    found = read(load("bsd_stat", "macos_sar:SarParser"), text, file_name="sar_2011-04-19.txt")
    assert found.times("cpu", "%usr") == ["2011-04-19 23:59:59", "2011-04-20 00:00:00"]


def test_vm_stat_once_and_with_an_interval(parse):
    once = parse("vm_stat:VmStatParser", "vm_stat-macos.txt")
    assert once.values("report", "Pages free") == [13577.0]
    assert once.values("report", "Translation faults") == [5376563493.0]
    rows = parse("vm_stat:VmStatParser", "vm_stat-macos-1.txt", interval_s=1.0)
    assert rows.values("vm_stat", "free") == [163894.0, 163812.0]
    assert rows.values("vm_stat", "faults") == [5_376_563_000.0, 1201.0]  # K: cut to fit the column
    assert [sample.since_boot for sample in rows.of("vm_stat", "faults")] == [True, False]
