"""atop, its report and its parseable output: values from the text, and both forms agree."""

from __future__ import annotations

import math
import re

import pytest

from tests.conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "atop"


@pytest.fixture
def report(load, read):
    return lambda data, **options: read(load("atop", "report:AtopParser"), data, zone="Asia/Seoul", **options)


@pytest.fixture
def parseable(load, read):
    return lambda data, **options: read(load("atop", "parseable:AtopParseableParser"), data, **options)


def test_the_report(report):
    reading = report((FIXTURES / "atop-text.txt").read_bytes())
    assert reading.times("cpl", "avg1") == ["2026-11-21 07:10:21", "2026-11-21 07:10:23", "2026-11-21 07:10:25"]
    assert reading.values("cpu", "sys", cpu="0")[:2] == [16.0, 12.0]
    assert reading.values("cpu", "wait", cpu="1")[:2] == [1.0, 1.0]
    assert reading.values("cpu", "sys", cpu="all")[1] == 22.5  # 45 % of two processors
    assert reading.values("mem", "free")[1] == 18.1 * 1024**3
    assert reading.values("mem", "tcpsk")[1] == 1.3 * 1024**2  # of the second line of memory
    assert reading.values("dsk", "read/s", device="vda")[1] == 1575 / 2
    assert reading.values("dsk", "avio", device="vda")[:2] == pytest.approx([0.0986, 0.0129])
    assert reading.values("pag", "pgout/s")[1] == 1549 / 2
    assert reading.values("cpl", "csw/s")[0] == 5317013 / (21 * 60 + 28)
    assert reading.values("psi", "cpusome")[1] == 29.0
    assert reading.values("net", "so", interface="eth0")[0] == 20_000.0
    assert reading.values("process", "VGROW", process="collectl[267]")[1] == 20.1 * 1024**2
    assert reading.values("process", "WRDSK/s", process="collectl[273]")[1] == 56 * 1024 / 2
    assert reading.ledger.hostname == "dbtest01"
    assert reading.ledger.lines.balanced


def test_the_first_sample_is_since_boot(report):
    reading = report((FIXTURES / "atop-text.txt").read_bytes())
    for key in (
        ("cpu", "sys", {"cpu": "all"}),
        ("dsk", "read/s", {"device": "vda"}),
        ("process", "SYSCPU", {"process": "fio[22]"}),
    ):
        flags = [sample.since_boot for sample in reading.of(key[0], key[1], **key[2])]
        assert flags[0]
        assert not any(flags[1:])
    assert not any(sample.since_boot for sample in reading.of("mem", "free"))  # as it was at that moment


def test_an_ended_process_has_its_name(report):
    reading = report((FIXTURES / "atop-text.txt").read_bytes())
    assert reading.values("process", "SYSCPU", process="lsb_release[288]") == [0.0]


def test_process_rows_are_counted(report):
    data = (FIXTURES / "atop-text.txt").read_bytes()
    reading = report(data)
    rows = len(re.findall(rb"(?m)^ +\d+ +\d\S*s ", data))
    kept = sum(len(samples) for key, samples in reading.samples.items() if key.native == "USRCPU")
    assert kept + reading.skipped().get("too_many_processes", 0) == rows


def test_all_columns_of_a_wide_report(report):
    reading = report((FIXTURES / "atop-wide.txt").read_bytes())
    assert reading.values("psi", "cs avg10")[0] == 99.0
    assert reading.values("cpu", "curf", cpu="0") == [2600.0, 2600.0, 2600.0]  # MHz
    assert reading.values("dsk", "inflt", device="vda") == [0.0, 0.0, 0.0]
    assert reading.values("dsk", "KiB/w", device="vda")[1:] == [17.0, 10.0]
    assert reading.values("process", "RDELAY", process="rcu_preempt[15]")[0] == 4 * 60 + 5
    assert reading.values("process", "THR", process="Xvfb[3288]")[0] == 1.0


def test_both_forms_agree(report, parseable):
    text = report((FIXTURES / "atop-wide.txt").read_bytes(), zone_source="host")
    fields = parseable((FIXTURES / "atop-P.txt").read_bytes())
    rounding = {"cpu": 1.5, "psi": 1.5, "mem": 0.06 * 2**20, "swp": 0.06 * 2**20}
    compared = 0
    for key, samples in text.samples.items():
        other = fields.samples.get(key)
        if other is None or len(other) != len(samples) or key.table == "net":  # kilobits are cut off there
            continue
        for one, two in zip(samples, other, strict=True):
            compared += 1
            allowed = max(0.06 * abs(two.value), rounding.get(key.table, 1.0))
            assert math.isclose(one.value, two.value, abs_tol=allowed), (key, one.value, two.value)
            assert one.since_boot == two.since_boot, key
    assert compared > 150


def test_fields(parseable):
    reading = parseable((FIXTURES / "atop-P.txt").read_bytes())
    assert reading.times("cpl", "avg1")[0] == "2026-11-21 19:09:11"  # 1795288151
    assert reading.values("cpl", "csw/s")[1:] == [2588 / 3, 2930 / 3]
    assert reading.values("mem", "free")[1] == 4715913 * 4096.0
    assert reading.values("cpu", "user", cpu="all")[1] == pytest.approx(100 * (461 + 124) / 600)
    assert reading.values("cpu", "sys", cpu="all")[1] == pytest.approx(100 * 16 / 600)
    assert reading.values("dsk", "read/s", device="vda")[1] == 10 / 3
    assert reading.values("dsk", "MBw/s", device="vda")[1] == 1392 * 512 / 2**20 / 3
    assert reading.values("dsk", "busy", device="vda")[1] == pytest.approx(100 * 8 / 3000)
    assert reading.values("dsk", "avio", device="vda")[1] == pytest.approx(8 / (10 + 39 + 35))
    assert reading.values("process_prc", "SYSCPU", process="rcu_preempt[15]")[0] == 21.92
    assert reading.ledger.zone == "UTC"
    assert reading.ledger.lines.header == 4  # RESET and three SEP
    assert reading.ledger.lines.balanced
    assert reading.skipped() == {}


def test_names_with_blanks_and_brackets(parseable):
    text = (
        b"PRC db1 1795288154 2026/11/21 19:09:14 2 26 ((sd-pam)) S 100 6 4 0 120 0 0 1 0 26 y 0 (-) 0 -3 -3\n"
        b"PRM db1 1795288154 2026/11/21 19:09:14 2 27 (tmux: server) S 4096 20480 10240 512 0 0 12 4 0 0 0 0 27 y 0 0\n"
        b"PRD db1 1795288154 2026/11/21 19:09:14 2 28 tmux:_server S n y 3 2048 0 1024 0 28 n y\n"
        b"PRD db1 1795288154 2026/11/21 19:09:14 2 29 (a) S n n 3 2048 0 1024 0 29 n y\n"
    )
    reading = parseable(text)
    assert reading.values("process_prc", "USRCPU", process="(sd-pam)[26]") == [0.06]
    assert reading.values("process_prm", "RSIZE", process="tmux:[27]") == [10240 * 1024.0]
    assert reading.values("process_prm", "MINFLT/s", process="tmux:[27]") == [6.0]
    assert reading.values("process_prd", "RDDSK/s", process="tmux:_server[28]") == [2048 * 512 / 2]
    assert not [key for key in reading.samples if dict(key.attributes).get("process") == "a[29]"]  # nothing was counted
    assert reading.ledger.lines.data == 4


def test_old_title_and_missing_number_of_processors(report):
    text = (
        b"ATOP - db1 2013/05/02 15:19:09 ------ 10s elapsed\n"
        b"CPU | sys  20% | user 180% | irq 0% | idle 600% | wait 0% |\n"
        b"LVM | vg-oradata | busy 97% | read 1000 | write 20 | avio 9.51 ms |\n"
    )
    reading = report(text)
    assert reading.values("cpu_sum", "user") == [180.0]
    assert reading.values("lvm", "read/s", device="vg-oradata") == [100.0]
    assert reading.times("lvm", "busy", device="vg-oradata") == ["2013-05-02 06:19:09"]


@pytest.mark.parametrize("name", ["atop-text.txt", "atop-wide.txt"])
def test_pieces_make_no_difference(report, name):
    data = (FIXTURES / name).read_bytes()
    assert report(data).samples == report(data, piece=13).samples


def test_pieces_of_fields_make_no_difference(parseable):
    data = (FIXTURES / "atop-P.txt").read_bytes()
    assert parseable(data).samples == parseable(data, piece=13).samples
