"""pidstat -o JSON: values from the text; the same as the text form where both are of one moment."""

from __future__ import annotations

import json

import pytest

from tests.conftest import CORPUS

DOCUMENT = b"""{"sysstat": {
\t"hosts": [
\t\t{
\t\t\t"nodename": "db1",
\t\t\t"sysname": "Linux",
\t\t\t"release": "6.1.0",
\t\t\t"machine": "x86_64",
\t\t\t"number-of-cpus": 2,
\t\t\t"date": "2026-11-21",
\t\t\t"statistics": [
\t\t\t\t{
\t\t\t\t\t"timestamp": "12:00:05",
\t\t\t\t\t"task-cpu-load": [
\t\t\t\t\t\t{"UID": "0", "PID": "22", "usr": 2.45, "system": 0.98, "guest": 0.00, "wait": 1.47, "cpu": 3.43, "cpu_nr": 1, "cmd": "fio"}
\t\t\t\t\t],
\t\t\t\t\t"io": [
\t\t\t\t\t\t{"UID": "0", "PID": "22", "kB_rd/s": -1.00, "kB_wr/s": -1.00, "kB_ccwr/s": -1.00, "iodelay": 3, "cmd": "fio"}
\t\t\t\t\t]
\t\t\t\t},
\t\t\t\t{
\t\t\t\t\t"timestamp": "12:00:10",
\t\t\t\t\t"task-memory": [
\t\t\t\t\t\t{"UID": "0", "TGID": "22", "TID": "", "minflt/s": 3.07, "majflt/s": 0.00, "VSZ": 723868, "RSS": 42156, "MEM": 0.52, "leader": "", "cmd": "fio"},
\t\t\t\t\t\t{"UID": "0", "TGID": "22", "TID": "23", "minflt/s": 1.50, "majflt/s": 0.00, "VSZ": 723868, "RSS": 42156, "MEM": 0.52, "leader": "fio", "cmd": "worker"}
\t\t\t\t\t]
\t\t\t\t}
\t\t\t]
\t\t}
\t]
}}
"""


@pytest.fixture
def pidstat(load, read):
    return lambda data, **context: read(load("linux_stat", "pidstat_json:PidstatJsonParser"), data, **context)


def test_headings_and_names_are_those_of_the_text(pidstat):
    reading = pidstat(DOCUMENT)
    assert reading.values("cpu", "%usr", process="fio[22]") == [2.45]
    assert reading.values("cpu", "%CPU", process="fio[22]") == [3.43]
    assert reading.values("cpu", "CPU", process="fio[22]") == [1.0]
    assert reading.times("cpu", "%CPU", process="fio[22]") == ["2026-11-21 12:00:05"]
    assert reading.values("memory_threads", "%MEM", process="fio[22]") == [0.52]
    assert reading.values("memory_threads", "minflt/s", process="fio[22]/worker[23]") == [1.50]
    assert (reading.ledger.hostname, reading.ledger.os_version) == ("db1", "6.1.0")
    assert reading.ledger.lines.balanced


def test_what_may_not_be_read_is_missing(pidstat):
    reading = pidstat(DOCUMENT)
    assert [key.native for key in reading.samples if key.table == "io"] == ["iodelay"]


def test_an_element_of_another_shape_is_left_out_whole(pidstat):
    reading = pidstat(DOCUMENT.replace(b'"cmd": "fio"}', b'"comm": "fio"}', 1))
    assert reading.skipped() == {"unreadable_numbers": 9}
    assert {key.table for key in reading.samples} == {"memory_threads"}


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of captures is not here")
def test_every_figure_of_the_corpus(pidstat):
    """Against the JSON library's reading of the whole document: as many values, and the same."""
    for path in sorted((CORPUS / "wild" / "sadf-j").glob("*pidstat*")):
        data = path.read_bytes()
        elements = json.loads(data)["sysstat"]["hosts"][0]["statistics"]
        rows = [row for element in elements for rows in element.values() if isinstance(rows, list) for row in rows]
        expected = sorted(float(value) for row in rows for value in row.values() if isinstance(value, int | float))
        reading = pidstat(data)
        assert sorted(sample.value for samples in reading.samples.values() for sample in samples) == expected
        assert not reading.ledger.skipped
