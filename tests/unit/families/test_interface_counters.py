"""netstat -in of AIX and HP-UX: an interface counted once, its rates, its addresses."""

from __future__ import annotations

import pytest

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture
from tunebench.sdk import ParseContext

FIXTURES = PLUGINS.parent / "tests" / "fixtures"
AIX = load_parser("aix_stat", "netstat_interfaces:NetstatInterfacesParser")
HPUX = load_parser("hpux_stat", "netstat_interfaces:NetstatInterfacesParser")
STAMPS = [b"@tunebench at 2026-11-21T02:48:%02dZ\n" % second for second in (0, 10)]


@pytest.mark.parametrize(("parser", "name", "interface"), [(AIX, "aix", "en0"), (HPUX, "hp-ux", "lan0")])
def test_counters_and_their_rates(parser, name, interface):
    body = (FIXTURES / name.replace("-", "") / "netstat_in.txt").read_bytes()
    later = body.replace(b"905512", b"906512").replace(b"771208", b"771258")
    reading = read_capture(parser, STAMPS[0] + body + STAMPS[1] + later)
    assert reading.values("counters_interface", "Ipkts", interface=interface) == [905512, 906512]
    assert reading.values("interface", "Ipkts/s", interface=interface) == [100.0]
    assert reading.values("interface", "Opkts/s", interface=interface) == [5.0]
    assert reading.values("interface", "Oerrs/s", interface="lo0") == [0.0]
    assert {dict(key.attributes)["interface"] for key in reading.samples} == {interface, "lo0"}
    assert reading.ledger.os == name


def test_addresses_are_facts_and_a_down_interface_loses_its_mark():
    text = (FIXTURES / "hpux" / "netstat_in.txt").read_bytes()
    text += b"lan1*     1500 none            none            0       0     0       0     0\n"
    parser = HPUX(ParseContext())
    series = {
        dict(key.attributes).get("interface")
        for batch in [*parser.feed(STAMPS[0] + text), *parser.finish()]
        for key in batch.series
    }
    assert series == {"lan0", "lan1", "lo0"}
    assert {fact.name: fact.value for fact in parser.facts()}["lan0 10.1.20.0"] == "1500 10.1.20.0 10.1.20.51"


def test_the_netstat_of_others_is_not_claimed():
    bsd = b"""Name    Mtu Network       Address              Ipkts Ierrs    Opkts Oerrs  Coll
em0    1500 <Link#1>      08:00:27:4e:66:a1  1234567     0  7654321     0     0
"""
    linux = b"Kernel Interface table\nIface MTU RX-OK RX-ERR RX-DRP RX-OVR TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
    solaris = b"Name  Mtu  Net/Dest      Address        Ipkts  Ierrs Opkts  Oerrs Collis Queue\n"
    for text in (bsd, linux, solaris):
        assert AIX.sniff(text + b"x 1 2 3 4 5 6 7\n", "") == HPUX.sniff(text + b"x 1 2 3 4 5 6 7\n", "") == 0
