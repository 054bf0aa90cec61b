"""What the catalogue says of the columns of Linux' loops, of processes and of timed commands."""

from __future__ import annotations

import pytest

from tunebench.plughost.catalogue import MetricCatalogue


@pytest.fixture(scope="module")
def catalogue() -> MetricCatalogue:
    return MetricCatalogue.load()


# Expected values: free(1), df(1), ps(1) of procps 4 and coreutils 9, proc_meminfo(5), iostats.rst and psi.rst of the
# kernel, netstat(8), pidstat(1) of sysstat 12.6, POSIX time.
@pytest.mark.parametrize(
    ("tool", "table", "native", "metric", "to_base", "kind", "direction", "implied"),
    [
        ("free", "memory", "Mem: used", "system.memory.usage", 1024, "gauge", "lower", {"state": "used"}),
        ("free", "memory_bytes", "Mem: used", "system.memory.usage", 1, "gauge", "lower", {"state": "used"}),
        ("free", "memory_mebi", "Swap: total", "system.paging.limit", 1024**2, "gauge", "neutral", {}),
        ("free", "memory_human", "Mem: available", "system.memory.available", 1, "gauge", "higher", {}),
        ("df", "filesystem", "Used", "system.filesystem.usage", 1024, "gauge", "lower", {"state": "used"}),
        ("df", "filesystem_512", "Used", "system.filesystem.usage", 512, "gauge", "lower", {"state": "used"}),
        ("df", "inodes", "IUse%", "system.filesystem.inode_utilization", 0.01, "ratio", "lower", {}),
        (
            "diskstats",
            "counters_device",
            "sectors read",
            "system.disk.io.total",
            512,
            "counter",
            "neutral",
            {"direction": "read"},
        ),
        ("diskstats", "device", "wkB/s", "system.disk.io", 1024, "rate", "neutral", {"direction": "write"}),
        ("diskstats", "device", "r_await", "system.disk.response_time", 0.001, "gauge", "lower", {"direction": "read"}),
        ("diskstats", "device", "%util", "system.disk.utilization", 0.01, "ratio", "lower", {}),
        ("ip", "interface", "RX bytes/s", "system.network.io", 1, "rate", "neutral", {"direction": "receive"}),
        (
            "ip",
            "counters_interface",
            "TX errors",
            "system.network.errors.total",
            1,
            "counter",
            "lower",
            {"direction": "transmit"},
        ),
        ("netstat", "interface", "RX-OK/s", "system.network.packets", 1, "rate", "neutral", {"direction": "receive"}),
        ("netstat", "protocol_Tcp", "segments retransmitted/s", "system.tcp.retransmissions", 1, "rate", "lower", {}),
        ("netstat", "protocol_TcpExt", "TCPTimeouts/s", "system.network.protocol.events", 1, "rate", "neutral", {}),
        (
            "netstat",
            "counters_protocol_Tcp",
            "segments retransmitted",
            "system.network.protocol.events.total",
            1,
            "counter",
            "neutral",
            {},
        ),
        ("netstat", "state_Tcp", "connections established", "system.tcp.connections", 1, "gauge", "neutral", {}),
        ("meminfo", "memory", "Dirty", "system.memory.usage", 1024, "gauge", "lower", {"state": "dirty"}),
        ("loadavg", "uptime", "load 5m", "system.cpu.load_average.5m", 1, "gauge", "lower", {}),
        (
            "pressure",
            "io full",
            "io full",
            "system.disk.pressure",
            0.01,
            "ratio",
            "lower",
            {"state": "full", "group": "interval"},
        ),
        (
            "pressure",
            "cpu some averages",
            "cpu some total",
            "system.pressure.time.total",
            1e-6,
            "counter",
            "lower",
            {"state": "cpu_some"},
        ),
        ("ps", "process", "RSS", "process.memory.usage", 1024, "gauge", "neutral", {}),
        ("pidstat", "io", "kB_rd/s", "process.disk.io", 1024, "rate", "neutral", {"direction": "read"}),
        ("pidstat", "cpu_threads", "%wait", "process.cpu.wait", 0.01, "ratio", "lower", {}),
    ],
)
def test_columns_of_linux(catalogue, tool, table, native, metric, to_base, kind, direction, implied):
    traits = catalogue.describe(tool, "linux", table, native, {})
    assert (traits.metric, traits.to_base, traits.kind, traits.direction) == (metric, to_base, kind, direction)
    assert dict(traits.implied) == implied


@pytest.mark.parametrize("os", ["", "linux", "sunos", "aix"])
def test_a_timed_command_is_the_same_on_every_system(catalogue, os):
    real = catalogue.describe("time", os, "timed", "real_s", {})
    assert real == catalogue.describe("iostat", os, "timed", "real_s", {})
    system = catalogue.describe("time", os, "timed", "sys_s", {})
    assert (real.metric, real.unit, real.direction) == ("command.duration", "s", "lower")
    assert (system.metric, dict(system.implied)) == ("command.cpu.time", {"state": "system"})


def test_the_cpu_share_of_ps_is_another_than_that_of_pidstat(catalogue):
    """ps divides by the age of the process; comparing the two raises a warning."""
    of_ps = catalogue.describe("ps", "linux", "process", "%CPU", {})
    of_pidstat = catalogue.describe("pidstat", "linux", "cpu", "%CPU", {})
    assert of_ps.metric == of_pidstat.metric == "process.cpu.utilization"
    assert of_ps.definition == "lifetime"
    assert of_pidstat.definition == ""
