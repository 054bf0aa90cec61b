"""mpstat of Solaris: ids with holes, processor sets, one processor, Korean dates."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "solaris_stat"


@pytest.fixture
def mpstat(load, read):
    parser = load("solaris_stat", "mpstat:MpstatParser")
    return lambda data, **context: read(parser, data, **context)


def rows(data: bytes, key: str) -> list[list[float]]:
    """awk '$1 == key': the figures behind it."""
    split = [line.split() for line in data.decode().splitlines()]
    return [[float(cell) for cell in cells[1:]] for cells in split if cells and cells[0] == key]


def test_ids_with_holes_and_a_processor_that_goes_off_line(mpstat):
    data = (FIXTURES / "mpstat-holes.txt").read_bytes()
    found = mpstat(data, interval_s=5.0)
    assert found.ledger.lines.balanced
    assert (found.ledger.lines.data, found.ledger.lines.header) == (8, 3)
    for key in ("0", "2", "16"):
        assert found.values("cpu", "xcal", cpu=key) == [row[2] for row in rows(data, key)]
        assert found.values("cpu", "idl", cpu=key) == [row[14] for row in rows(data, key)]
    assert [sample.since_boot for sample in found.of("cpu", "usr", cpu="0")] == [True, False, False]
    assert len(found.of("cpu", "usr", cpu="2")) == 2  # missing later, not 0
    assert found.ledger.needs == ("start",)


def test_processor_sets_below_korean_dates(mpstat):
    found = mpstat((FIXTURES / "mpstat-a-ko.txt").read_bytes(), zone="Asia/Seoul", piece=7)
    assert found.ledger.variant == "-a"
    assert found.ledger.hostname == "svrdb1"
    assert found.values("set", "syscl", cpu="set 0") == [146856.0, 724475.0]
    assert found.values("set", "sze", cpu="set 1") == [2.0, 2.0]
    assert found.times("set", "usr", cpu="set 0") == ["2011-04-19 12:16:01", "2011-04-19 12:16:06"]
    assert found.ledger.needs == ()


def test_korean_dates_in_the_korean_code_page(mpstat):
    """EUC-KR is what an old Solaris prints; the dates are Korean words all the same."""
    text = (FIXTURES / "mpstat-a-ko.txt").read_text(encoding="utf-8")
    found = mpstat(text.encode("cp949"), zone="Asia/Seoul")
    assert found.times("set", "usr", cpu="set 0") == ["2011-04-19 12:16:01", "2011-04-19 12:16:06"]
    assert found.ledger.needs == ()


def test_one_processor_with_the_heading_once(mpstat):
    found = mpstat((FIXTURES / "mpstat-one-cpu-p.txt").read_bytes(), zone="Asia/Seoul")
    assert found.values("cpu", "syscl", cpu="0") == [108.0, 2210.0, 2190.0]
    assert found.values("cpu", "set", cpu="0") == [0.0, 0.0, 0.0]
    assert found.times("cpu", "usr", cpu="0")[1:] == ["2011-04-19 12:16:06", "2011-04-19 12:16:11"]


def test_rows_of_one_processor_are_blocks_of_their_own_without_stamps(mpstat):
    head = b"CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl\n"
    row = b"  0    4   0    0   411  310  226    1    0    2    0   108    1   1   0  98\n"
    found = mpstat(head + row * 3, interval_s=5.0)
    times = [sample.time_ns for sample in found.of("cpu", "usr", cpu="0")]
    assert [later - before for before, later in pairwise(times)] == [5 * 10**9] * 2


def test_a_torn_row_is_left_out(mpstat):
    head = b"CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl\n"
    row = b"  0    4   0    0   411  310  226    1    0    2    0   108    1   1   0  98\n"
    found = mpstat(head + row + row[:40])
    assert found.skipped() == {"truncated": 1}
    assert len(found.of("cpu", "usr", cpu="0")) == 1


def test_mpstat_of_linux_and_aix_is_somebody_elses(load):
    sniff = load("solaris_stat", "mpstat:MpstatParser").sniff
    assert sniff(b"Linux 5.10 (db1)\n\n16:10:21     CPU    %usr   %nice    %sys\n", "mpstat.txt") == 0.0
    aix = b"cpu  min  maj  mpc  int   cs  ics   rq  mig lpa sysc us sy wa id\n"
    assert sniff(aix, "mpstat.txt") == 0.0
