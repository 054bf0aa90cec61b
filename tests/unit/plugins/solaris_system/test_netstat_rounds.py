"""netstat -i N; layout: D. Gove, Solaris Application Programming (2008), example 4.26."""

from __future__ import annotations

import pytest

ENTRY = "netstat_rounds:NetstatRoundsParser"
HEADING = """\
    input   eri0      output       input  (Total)    output
packets errs  packets errs  colls  packets errs  packets errs  colls
"""
SINCE_SETUP = "486408174 5   499073054 3   0      486478441 5     499143321 3   0\n"


@pytest.fixture
def take(load, read):
    return lambda text, **context: read(load("solaris_system", ENTRY), text.encode(), **context)


def test_counts_of_an_interval_become_rates_and_the_first_row_stays_a_count(take):
    text = HEADING + SINCE_SETUP + "200 1 100 0 3 260 1 160 0 3\n" + HEADING + "50 0 0 0 0 50 0 0 0 0\n"
    found = take(text, interval_s=5.0)
    assert found.values("counters_interface", "Ipkts", interface="eri0") == [486408174.0]
    assert found.values("counters_interface", "Opkts", interface="total") == [499143321.0]
    assert found.values("interface", "Ipkts/s", interface="eri0") == [40.0, 10.0]
    assert found.values("interface", "Collis/s", interface="total") == [0.6, 0.0]
    assert (found.ledger.lines.data, found.ledger.lines.header, found.skipped()) == (3, 4, {})


def test_a_row_that_lost_a_cell_is_named(take):
    found = take(HEADING + SINCE_SETUP + "200 1 100 0 3 260 1 160 0\n", interval_s=5.0)
    assert found.ledger.lines.data == 1 and sum(found.skipped().values()) == 1


def test_whose_text_it_is(load):
    assert load("solaris_system", ENTRY).sniff((HEADING + SINCE_SETUP).encode(), "x") == 0.95
    counters = b"Name  Mtu  Net/Dest      Address        Ipkts  Ierrs Opkts  Oerrs Collis Queue\n"
    assert load("solaris_system", ENTRY).sniff(counters, "x") == 0.0
