"""Values that the Linux parsers give, against plain readings of the same text.

The captures were recorded with sysstat 12.6.1 and procps 4.0.2 under C, ko_KR, ja_JP, de_DE, fr_FR and en_US.
The readings below know nothing of blocks, locales or wrappers: a heading line, the rows below it, `split`.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from pathlib import Path

import pytest

from tunebench.sdk import ParseContext

FIXTURES = Path(__file__).parents[2] / "fixtures" / "linux"
IOSTAT = ("linux_stat", "iostat:IostatParser")
VMSTAT = ("linux_stat", "vmstat:VmstatParser")
MPSTAT = ("linux_stat", "mpstat:MpstatParser")


def number(cell: str) -> float:
    return float(cell.replace(",", "."))


def plain_iostat(text: str) -> dict[tuple[str, str], list[float]]:
    """(device or "", heading) -> values in the order printed."""
    found = defaultdict(list)
    names: list[str] = []
    keyed = False
    for line in text.splitlines():
        words = line.split()
        if not words:
            names = []
        elif words[0] in ("Device", "Device:", "avg-cpu:"):
            names, keyed = words[1:], words[0] != "avg-cpu:"
        elif names:
            thing = words.pop(0) if keyed else ""
            assert len(words) == len(names), line
            for name, cell in zip(names, words, strict=True):
                found[thing, name].append(number(cell))
    return found


def plain_vmstat(text: str) -> list[list[float]]:
    rows = [line.split() for line in text.splitlines()]
    return [[float(cell) for cell in row if "-" not in cell and ":" not in cell] for row in rows if row[0].isdigit()]


IOSTAT_FILES = [
    "iostat-c.txt",
    "iostat-d.txt",
    "iostat-dec0.txt",
    "iostat-default.txt",
    "iostat-dxt-y.txt",
    "iostat-pALL.txt",
    "iostat-posixly.txt",
    "iostat-s-short.txt",
    "iostat-x.txt",
    "iostat-xk-y.txt",
    "iostat-xm.txt",
    "iostat-xt-en_US-12h.txt",
    "iostat-xt-fr_FR.txt",
    "iostat-xt-iso.txt",
    "iostat-xt.txt",
    "iostat-z.txt",
    "iostat-tg.txt",
    "iostat-xt.de_DE.txt",
    "iostat-xt.ja_JP.txt",
    "iostat-xt.ko_KR.txt",
    "iostat-y.txt",
    "loop-date-iostat.txt",
]


@pytest.mark.parametrize("name", IOSTAT_FILES)
def test_iostat_gives_every_printed_figure(load, read, name):
    data = (FIXTURES / name).read_bytes()
    reading = read(load(*IOSTAT), data)
    expected = plain_iostat(data.decode())
    given = {
        (dict(key.attributes).get("device", ""), key.native): [sample.value for sample in samples]
        for key, samples in reading.samples.items()
    }
    assert given == expected


@pytest.mark.parametrize(
    "name",
    [
        "vmstat.txt",
        "vmstat-a.txt",
        "vmstat-w.txt",
        "vmstat-t.txt",
        "vmstat-wt.txt",
        "vmstat-n.txt",
        "vmstat-SM.txt",
        "vmstat-repeat-header.txt",
        "vmstat.ko_KR.txt",
        "vmstat.de_DE.txt",
        "vmstat.ja_JP.txt",
        "vmstat.fr_FR.txt",
        "vmstat-awt.ko_KR.txt",
        "vmstat-awt.de_DE.txt",
    ],
)
def test_vmstat_gives_every_printed_figure(load, read, name):
    data = (FIXTURES / name).read_bytes()
    reading = read(load(*VMSTAT), data)
    columns = list(zip(*plain_vmstat(data.decode()), strict=True))
    assert [tuple(sample.value for sample in samples) for samples in reading.samples.values()] == columns


def test_vmstat_headings_carry_their_group(load, read):
    reading = read(load(*VMSTAT), (FIXTURES / "vmstat-w.txt").read_bytes())
    assert [(key.native, dict(key.attributes)["group"]) for key in reading.samples] == [
        ("r", "procs"),
        ("b", "procs"),
        ("swpd", "memory"),
        ("free", "memory"),
        ("buff", "memory"),
        ("cache", "memory"),
        ("si", "swap"),
        ("so", "swap"),
        ("bi", "io"),
        ("bo", "io"),
        ("in", "system"),
        ("cs", "system"),
        ("us", "cpu"),
        ("sy", "cpu"),
        ("id", "cpu"),
        ("wa", "cpu"),
        ("st", "cpu"),
        ("gu", "cpu"),
    ]


@pytest.mark.parametrize("name", ["vmstat.ko_KR.txt", "vmstat.de_DE.txt", "vmstat.fr_FR.txt"])
def test_translated_headings_become_english(load, read, name):
    english = read(load(*VMSTAT), (FIXTURES / "vmstat.txt").read_bytes())
    translated = read(load(*VMSTAT), (FIXTURES / name).read_bytes())
    assert list(translated.samples) == list(english.samples)
    assert translated.ledger.locale == name.split(".")[1][:2]


def test_translated_active_memory_is_told_from_buffers(load, read):
    for language in ("ko_KR", "de_DE"):
        reading = read(load(*VMSTAT), (FIXTURES / f"vmstat-awt.{language}.txt").read_bytes())
        assert [key.native for key in reading.samples][2:6] == ["swpd", "free", "inact", "active"]


def plain_mpstat(text: str) -> dict[tuple[str, str, str], list[float]]:
    """(CPU or NODE, which, heading) -> values; the closing averages left out."""
    found = defaultdict(list)
    names: list[str] = []
    kind = ""
    for line in text.splitlines()[1:]:
        head, _, rest = line.partition("  ")
        if not line.strip() or not head[:1].isdigit() or line[:60].count(":") == 1:
            continue
        words = rest.split()
        if words[0] in ("CPU", "NODE") and not words[1].isdigit():
            kind, names = words[0], words[1:]
            continue
        for name, cell in zip(names[len(names) - len(words) + 1 :], words[1:], strict=True):
            found[kind, words[0], name].append(number(cell))
    return found


@pytest.mark.parametrize(
    "name",
    [
        "mpstat-12h.txt",
        "mpstat-A.txt",
        "mpstat-PALL.txt",
        "mpstat-I.txt",
        "mpstat-n.txt",
        "mpstat-T.txt",
        "mpstat-dec0.txt",
        "mpstat-iso.txt",
        "mpstat-once.txt",
        "mpstat-once-P.txt",
        "mpstat.de_DE.txt",
        "mpstat.fr_FR.txt",
        "mpstat.ja_JP.txt",
        "mpstat.ko_KR.txt",
    ],
)
def test_mpstat_gives_every_printed_figure(load, read, name):
    data = (FIXTURES / name).read_bytes()
    reading = read(load(*MPSTAT), data)
    given = {}
    for key, samples in reading.samples.items():
        which = dict(key.attributes)["cpu"]
        kind = "NODE" if which.startswith("node ") else "CPU"
        if samples:  # -T says of "all" neither core nor socket
            given[kind, which.removeprefix("node "), key.native] = [sample.value for sample in samples]
    assert given == plain_mpstat(data.decode())


def test_units_of_the_human_form_are_read_in_the_columns_own_unit(load, read):
    """-h prints kB columns as 1.9M: 1.9 x 1024 kB."""
    reading = read(load(*IOSTAT), (FIXTURES / "iostat-h.txt").read_bytes())
    first = {key.native: samples[0].value for key, samples in reading.samples.items()}
    assert first["%user"] == 35.9
    assert first["tps"] == 117.94
    assert first["kB_read/s"] == 1024.0
    assert first["kB_wrtn/s"] == pytest.approx(1.9 * 1024)
    assert first["kB_dscd/s"] == 367.6
    assert first["kB_wrtn"] == pytest.approx(3.6 * 1024 * 1024)
    assert "rounded_units" in reading.ledger.warnings


def test_one_device_over_four_tables_is_one_device_at_one_time(load, read):
    reading = read(load(*IOSTAT), (FIXTURES / "iostat-xth.txt").read_bytes())
    device = {key.native: samples for key, samples in reading.samples.items() if key.attributes}
    assert {key.attributes for key in reading.samples} == {(), (("device", "vda"),)}
    assert [device[name][0].value for name in ("r/s", "w/s", "d/s", "f/s", "%util")] == [51.55, 62.77, 3.61, 14.53, 0.8]
    assert device["wareq-sz"][0].value == 30.5
    assert {tuple(sample.time_ns for sample in samples) for samples in device.values()} == {
        tuple(sample.time_ns for sample in device["r/s"])
    }
    assert len(device["r/s"]) == 2


def test_groups_of_devices_are_devices_too(load, read):
    reading = read(load(*IOSTAT), (FIXTURES / "iostat-tg.txt").read_bytes())
    assert reading.values("device", "kB_wrtn", device="all") == [3771456.0, 0.0]


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("iostat-json.json", "iostat_json:IostatJsonParser"),
        ("iostat-t-json.json", "iostat_json:IostatJsonParser"),
        ("iostat.de_DE.json", "iostat_json:IostatJsonParser"),
        ("iostat.ko_KR.json", "iostat_json:IostatJsonParser"),
    ],
)
def test_iostat_json_holds_what_json_holds(load, read, name, entry):
    data = (FIXTURES / name).read_bytes()
    reading = read(load("linux_stat", entry), data)
    elements = json.loads(data)["sysstat"]["hosts"][0]["statistics"]
    percent = ("util", "rrqm", "wrqm", "drqm")
    expected = defaultdict(list)
    for element in elements:
        for heading, value in element["avg-cpu"].items():
            expected["", f"%{heading}"].append(value)
        for disk in element["disk"]:
            thing = disk.pop("disk_device")
            for heading, value in disk.items():
                expected[thing, f"%{heading}" if heading in percent else heading].append(value)
    given = {
        (dict(key.attributes).get("device", ""), key.native): [sample.value for sample in samples]
        for key, samples in reading.samples.items()
    }
    assert given == expected


def test_json_and_text_of_one_tool_name_their_columns_alike(load, read):
    text = read(load(*IOSTAT), (FIXTURES / "iostat-x.txt").read_bytes())
    data = read(load("linux_stat", "iostat_json:IostatJsonParser"), (FIXTURES / "iostat-json.json").read_bytes())
    assert set(text.samples) == set(data.samples)
    text = read(load(*MPSTAT), (FIXTURES / "mpstat-A.txt").read_bytes())
    data = read(load("linux_stat", "mpstat_json:MpstatJsonParser"), (FIXTURES / "mpstat-A.json").read_bytes())
    assert {(key.table, key.attributes) for key in text.samples} == {
        (key.table, key.attributes) for key in data.samples
    }
    assert {key.native for key in text.samples if key.table != "irq"} == {
        key.native for key in data.samples if key.table != "irq"
    }


def test_mpstat_json_holds_what_json_holds(load, read):
    data = (FIXTURES / "mpstat-A.json").read_bytes()
    reading = read(load("linux_stat", "mpstat_json:MpstatJsonParser"), data)
    (element,) = json.loads(data)["sysstat"]["hosts"][0]["statistics"]
    for cpu in element["cpu-load"]:
        assert reading.values("cpu", "%idle", cpu=cpu["cpu"]) == [cpu["idle"]]
    for cpu in element["individual-interrupts"]:
        for line in cpu["intr"]:
            assert reading.values("irq", f"{line['name']}/s", cpu=cpu["cpu"]) == [line["value"]]
    for cpu in element["soft-interrupts"]:
        for line in cpu["intr"]:
            assert reading.values("softirq", f"{line['name']}/s", cpu=cpu["cpu"]) == [line["value"]]
    for cpu in element["sum-interrupts"]:
        assert reading.values("interrupts", "intr/s", cpu=cpu["cpu"]) == [cpu["intr"]]


def test_disk_table_of_vmstat(load, read):
    parser = load("linux_stat", "vmstat_tables:VmstatTablesParser")
    data = (FIXTURES / "vmstat-d-2-3.txt").read_bytes()
    reading = read(parser, data)
    rows = [line.split() for line in data.decode().splitlines() if line.startswith("vda")]
    given = [
        [sample.value for sample in samples]
        for key, samples in reading.samples.items()
        if ("device", "vda") in key.attributes
    ]
    assert given == [list(column) for column in zip(*([float(cell) for cell in row[1:]] for row in rows), strict=True)]
    assert reading.values("disk", "total", device="vda", group="reads") == [222141.0, 223828.0, float(rows[2][1])]
    assert reading.values("disk", "total", device="vda", group="writes")[0] == 126432.0


@pytest.mark.parametrize("language", ["ko_KR", "de_DE", "ja_JP"])
def test_translated_disk_table_and_counters(load, read, language):
    tables = load("linux_stat", "vmstat_tables:VmstatTablesParser")
    data = (FIXTURES / f"vmstat-dt.{language}.txt").read_bytes()
    english = read(tables, (FIXTURES / "vmstat-dt.ja_JP.txt").read_bytes())  # Japanese is not translated
    reading = read(tables, data)
    assert list(reading.samples) == list(english.samples)
    counters = load("linux_stat", "vmstat_counters:VmstatCountersParser")
    for option in ("s", "D"):
        data = (FIXTURES / f"vmstat-{option}.{language}.txt").read_bytes()
        english = read(counters, (FIXTURES / f"vmstat-{option}.txt").read_bytes())
        reading = read(counters, data)
        assert list(reading.samples) == list(english.samples)
        values = [float(line.split()[0]) for line in data.decode().splitlines()]
        assert [samples[0].value for samples in reading.samples.values()] == values


def test_counters_are_named_as_printed(load, read):
    counters = load("linux_stat", "vmstat_counters:VmstatCountersParser")
    reading = read(counters, (FIXTURES / "vmstat-s.txt").read_bytes())
    assert reading.values("counters", "K total memory") == [24684084.0]
    assert reading.values("counters", "CPU context switches") == [5316466.0]
    assert reading.values("counters", "forks") == [35846.0]


def test_a_list_of_counters_without_end(load, read):
    """Every label is another one: what is held back does not grow with the text, nor what is done for a line of it."""
    counters = load("linux_stat", "vmstat_counters:VmstatCountersParser")
    text = b"".join(b"     %5d thing number w%x/s\n" % (number, number) for number in range(20_000))
    parser = counters(ParseContext())
    started = time.thread_time()
    list(parser.feed(text))
    assert time.thread_time() - started < 2.0
    assert parser.ledger().lines.skipped >= 18_000
    reading = read(counters, text + (FIXTURES / "vmstat-s.txt").read_bytes())
    assert reading.values("counters", "forks") == [35846.0]
    assert reading.ledger.lines.balanced


def test_partition_and_slab_tables(load, read):
    tables = load("linux_stat", "vmstat_tables:VmstatTablesParser")
    reading = read(tables, (FIXTURES / "vmstat-p.txt").read_bytes())
    assert reading.values("partition", "read sectors", device="vda") == [4231122.0, 4231442.0]
    reading = read(tables, (FIXTURES / "vmstat-m.txt").read_bytes())
    assert reading.values("slab", "Num", group="TCP") == [26.0]
    assert reading.values("slab", "Size", group="MPTCPv6") == [2112.0]
