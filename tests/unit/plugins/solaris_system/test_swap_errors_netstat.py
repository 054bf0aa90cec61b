"""Loops of swap -s, iostat -En and netstat -i of Solaris."""

from __future__ import annotations

import pytest


@pytest.fixture
def parse(load, read, fixtures):
    def parse(entry: str, name: str, **context):
        return read(load("solaris_system", entry), (fixtures / name).read_bytes(), piece=17, **context)

    return parse


def test_virtual_swap_space_in_a_loop(parse):
    found = parse("swap:SwapParser", "swap-s-loop.txt")
    assert found.ledger.lines.balanced
    assert found.values("swap", "available") == [17767520.0, 2517520.0]
    assert found.values("swap", "used") == [1482968.0 + 166504.0, 15482968.0 + 166504.0]
    assert found.times("swap", "used") == ["2026-11-21 02:48:00", "2026-11-21 02:48:10"]


def test_swap_areas_with_the_column_of_solaris_11(parse):
    found = parse("swap:SwapParser", "swap-l-11.txt", interval_s=1.0)
    assert found.values("area", "free", device="/dev/zvol/dsk/rpool/swap") == [4194296.0]
    assert found.ledger.variant == "-l"


def test_errors_of_disks_in_a_loop(parse):
    found = parse("iostat_errors:IostatErrorsParser", "iostat-En-loop.txt")
    assert found.ledger.lines.balanced
    assert found.ledger.lines.data == 18
    assert found.values("errors", "Hard Errors", device="c0t0d0") == [0.0, 3.0]
    assert found.values("errors", "Media Error", device="c0t0d0") == [0.0, 2.0]
    assert found.values("errors", "Predictive Failure Analysis", device="c1d0") == []  # not printed: missing


def test_what_the_disks_are(load, facts_of, fixtures):
    parser = load("solaris_system", "iostat_errors:IostatErrorsParser")
    found = facts_of(parser, (fixtures / "iostat-En-loop.txt").read_bytes())
    assert found["disk", "c0t0d0 Serial No"] == "0821V4AKLM"
    assert found["disk", "c1d0 Model"] == "VBOX HARDDISK"
    assert found["disk", "c1d0 Size bytes"] == "53687091200"
    assert ("disk", "c1d0 Revision") not in found  # blank
    assert found["volatile", "disk c0t0d0 Hard Errors"] == "3"


def test_a_size_with_a_decimal_comma(load, facts_of):
    text = "sd0       Soft Errors: 0 Hard Errors: 0 Transport Errors: 0\n"
    text += "Vendor: ATA      Product: A/B 100,5 Revision: 1 Serial No: \nSize: 107,37GB <107374182400 bytes>\n"
    found = facts_of(load("solaris_system", "iostat_errors:IostatErrorsParser"), text.encode())
    assert found["disk", "sd0 Size"] == "107.37GB"  # as in every other locale
    assert found["disk", "sd0 Product"] == "A/B 100,5"
    assert ("disk", "sd0 Serial No") not in found


def test_packets_of_interfaces(parse):
    found = parse("netstat_interfaces:NetstatInterfacesParser", "netstat-i-loop.txt")
    assert found.ledger.lines.balanced
    assert found.values("interface", "Ipkts/s", interface="ce0") == [(915512 - 905512) / 10]
    assert found.values("interface", "Ierrs/s", interface="ce0") == [0.1]
    assert found.values("counters_interface", "Opkts", interface="ce0") == [771208.0, 776208.0]
