"""ip -s link, netstat -i and netstat -s: counters from the text, rates by hand."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "linux_system"
STAMP = "@tunebench at 2026-11-21T00:00:{:02}Z\n"


@pytest.fixture
def take(load, read):
    return lambda entry, data, **context: read(load("linux_system", entry), data, **context)


LINK = """4: eth0@if5: <BROADCAST,UP> mtu 1400 qdisc pfifo_fast state UP mode DEFAULT group default qlen 1000
    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX: bytes  packets  errors  dropped {word} mcast
    {received}    59417    2       0       1       7
    TX: bytes  packets  errors  dropped carrier collsns
    3311351    {sent}   0       0       0       0
"""


def test_ip_link_counters_and_rates(take):
    text = STAMP.format(0) + LINK.format(word="missed ", received=1000, sent=100)
    text += STAMP.format(5) + LINK.format(word="missed ", received=6000, sent=350)
    reading = take("ip_link:IpLinkParser", text.encode())
    assert reading.values("counters_interface", "RX bytes", interface="eth0") == [1000.0, 6000.0]
    assert reading.values("interface", "RX bytes/s", interface="eth0") == [1000.0]
    assert reading.values("interface", "TX packets/s", interface="eth0") == [50.0]
    assert reading.values("counters_interface", "RX mcast", interface="eth0") == [7.0, 7.0]
    assert reading.of("counters_interface", "RX bytes", interface="eth0")[0].line == 5
    assert reading.ledger.lines.balanced


def test_ip_link_before_iproute2_5_13_says_overrun(take):
    reading = take("ip_link:IpLinkParser", LINK.format(word="overrun", received=1000, sent=100).encode())
    assert reading.values("counters_interface", "RX overrun", interface="eth0") == [1.0]


def test_ip_link_recorded(take):
    data = (FIXTURES / "ip-link-loop.txt").read_bytes()
    reading = take("ip_link:IpLinkParser", data)
    received = re.findall(r"eth0:.*\n.*\n +RX: .*\n +(\d+)", data.decode())
    assert reading.values("counters_interface", "RX bytes", interface="eth0") == [float(value) for value in received]
    assert len(reading.values("interface", "RX bytes/s", interface="lo")) == 3


def test_ip_link_with_error_counters(take):
    data = (FIXTURES / "ip-link-ss-loop.txt").read_bytes()
    reading = take("ip_link:IpLinkParser", data)
    transitions = re.findall(r"TX errors: aborted.*\n +\d+ +\d+ +\d+ +\d+ +(\d+)", data.decode())
    values = reading.values("counters_interface", "TX errors transns", interface="eth0")
    assert values == [float(value) for value in transitions]
    assert reading.skipped() == {}


def test_netstat_interfaces(take):
    head = (
        "Kernel Interface table\nIface       MTU Met    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
    )
    row = "eth0       1500   0  {}      3      0      0   654321      0      0      0 BMRU\n"
    odd = "eth0:1     1500   0      - no statistics available -                        BMRU\n"
    text = STAMP.format(0) + head + row.format(1000) + odd + STAMP.format(10) + head + row.format(2000) + odd
    reading = take("netstat_interfaces:NetstatInterfacesParser", text.encode())
    assert reading.values("counters_interface", "RX-OK", interface="eth0") == [1000.0, 2000.0]
    assert reading.values("interface", "RX-OK/s", interface="eth0") == [100.0]
    assert {key.native for key in reading.samples} & {"MTU", "Met"} == set()
    assert reading.skipped() == {"message": 2}


PROTOCOLS = """Ip:
    Forwarding: 2
    59581 total packets received
Icmp:
    ICMP input histogram:
        destination unreachable: 2
    0 ICMP messages sent
Tcp:
    {} segments received
    {} connections established
TcpExt:
    Quick ack mode was activated 16 times
"""


def test_netstat_protocols_by_name(take):
    text = STAMP.format(0) + PROTOCOLS.format(100, 5) + STAMP.format(10)
    text += PROTOCOLS.format(350, 4) + "    TCPTimeouts: 3\n"
    text += STAMP.format(20) + PROTOCOLS.format(360, 6) + "    TCPTimeouts: 13\n"
    reading = take("netstat_protocols:NetstatProtocolsParser", text.encode())
    assert reading.values("counters_protocol_Ip", "total packets received", group="Ip") == [59581.0] * 3
    assert reading.values("protocol_Tcp", "segments received/s", group="Tcp") == [25.0, 1.0]
    name = "ICMP input histogram: destination unreachable"
    assert reading.values("counters_protocol_Icmp", name, group="Icmp") == [2.0] * 3
    assert reading.values("counters_protocol_Icmp", "ICMP messages sent", group="Icmp") == [0.0] * 3
    name = "Quick ack mode was activated times"
    assert reading.values("protocol_TcpExt", f"{name}/s", group="TcpExt") == [0.0, 0.0]
    # a counter appears with its first event; its first step is not known
    assert reading.values("protocol_TcpExt", "TCPTimeouts/s", group="TcpExt") == [1.0]
    assert reading.values("state_Tcp", "connections established") == [5.0, 4.0, 6.0]
    assert "Forwarding" not in {key.native for key in reading.samples}
    assert reading.ledger.lines.balanced


def test_netstat_protocols_recorded(take):
    data = (FIXTURES / "netstat-s-loop.txt").read_bytes()
    reading = take("netstat_protocols:NetstatProtocolsParser", data)
    printed = re.findall(r"^    (\d+) segments received$", data.decode(), re.MULTILINE)
    assert reading.values("counters_protocol_Tcp", "segments received", group="Tcp") == [float(v) for v in printed]
    assert reading.skipped() == {}


def test_sockets_of_ss(load, read):
    reading = read(load("linux_system", "ss_summary:SsSummaryParser"), (FIXTURES / "ss-s-loop.txt").read_bytes())
    assert reading.values("sockets", "Total") == [12.0, 12.0, 12.0]
    assert reading.values("transport", "IP", state="TCP") == [1.0, 1.0, 1.0]
    assert reading.skipped() == {}


def test_old_summary_of_ss(load, read):
    text = (
        b"Total: 189 (kernel 0)\nTCP:   12 (estab 4, closed 2, orphaned 0, synrecv 0, timewait 1/0), ports 0\n\n"
        b"Transport Total     IP        IPv6\n*\t  189       -         -        \nTCP\t  10        7         3        \n"
    )
    reading = read(load("linux_system", "ss_summary:SsSummaryParser"), text)
    assert reading.values("tcp", "estab") == [4.0]
    assert reading.values("tcp", "timewait") == [1.0]
    assert reading.values("transport", "IPv6", state="TCP") == [3.0]
    assert reading.ledger.lines.balanced


def test_memory_of_nodes(load, read):
    reading = read(load("linux_system", "numastat:NumastatParser"), (FIXTURES / "numastat-loop.txt").read_bytes())
    assert reading.values("counters_numa", "numa_foreign", group="node0") == [100.0, 130.0]
    assert reading.values("numa", "numa_hit/s", group="node0") == [200.0]
    assert reading.values("numa", "numa_miss/s", group="node1") == [3.0]


def test_memory_of_nodes_in_megabytes(load, read):
    text = (
        b"\nPer-node system memory usage (in MBs):\n"
        b"                          Node 0          Node 1           Total\n"
        b"                 --------------- --------------- ---------------\n"
        b"MemTotal                16338.71        16384.00        32722.71\n"
        b"MemFree                  1622.10           41.25         1663.35\n"
        b"Active(file)              100.00          200.00          300.00\n"
    )
    reading = read(load("linux_system", "numastat:NumastatParser"), text)
    assert reading.values("numa_memory", "MemFree", group="node1") == [41.25]
    assert reading.values("numa_memory", "Active(file)", group="node0") == [100.0]
    assert reading.ledger.lines.balanced


def test_counters_without_end_are_bounded(load, read):
    """Every round has a figure for every counter seen so far: a text of ever new ones would be a square."""
    rounds = b"".join(
        b"@tunebench at 2026-11-21T00:%02d:%02dZ\nIp:\n    7 total packets received\nTcp:\n    5 segments of kind %s\n"
        % (number // 60, number % 60, b"".join(b"%c" % (97 + int(digit)) for digit in str(number)))
        for number in range(400)
    )
    reading = read(load("linux_system", "netstat_protocols:NetstatProtocolsParser"), rounds)
    assert reading.skipped() == {"too_many_series": 100}
    assert len({key.native for key in reading.samples if key.table == "counters_protocol_Tcp"}) == 300
    assert reading.values("protocol_Ip", "total packets received/s", group="Ip") == [0.0] * 399
    assert reading.ledger.lines.balanced
