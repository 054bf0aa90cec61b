"""The captures printed in the founding documents import as they stand there.

Expected figures are typed from the documents: "System Performance Tuning (I/O)" for iostat and vmstat -s,
"Impact of Swap Space on System Performance" for vmstat, whose web page broke every row in two.
"""

from __future__ import annotations

import pytest

FIXTURES = "tests/fixtures/founding"
DEVICES = ("sd0", "sd1", "sd6", "ssd0", "ssd1", "ssd2")


@pytest.fixture
def fixture_bytes(project_root):
    return lambda name: (project_root / FIXTURES / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "interval_s", "sd0", "ssd2"),
    [
        (
            "iostat_read_maxcontig_6.txt",
            5,
            (492.4, 0.0, 10543.8, 0.0, 0.0, 0.5, 1.1, 1, 48),
            (13.0, 31.0, 120.5, 20650.3, 0.0, 6.0, 137.8, 2, 100),
        ),
        (
            "iostat_read_maxcontig_128.txt",
            5,
            (95.5, 0.0, 15047.4, 0.0, 0.0, 0.5, 5.0, 0, 47),
            (5.0, 34.0, 30.2, 21879.9, 0.0, 6.2, 159.4, 1, 99),
        ),
        (
            "iostat_write_maxcontig_6.txt",
            2,
            (0.0, 141.0, 0.0, 6743.3, 7.5, 168.2, 1246.4, 33, 100),
            (8.0, 4.0, 32.5, 9.5, 0.0, 0.1, 5.6, 0, 7),
        ),
        (
            "iostat_write_maxcontig_128.txt",
            2,
            (0.0, 38.5, 0.0, 25411.4, 0.0, 13.6, 353.6, 0, 99),
            (10.0, 5.5, 56.5, 25.7, 0.0, 0.1, 5.3, 0, 8),
        ),
    ],
)
def test_iostat(load, read, fixture_bytes, name, interval_s, sd0, ssd2):
    reading = read(load("solaris_stat", "iostat:IostatParser"), fixture_bytes(name))
    headings = ("r/s", "w/s", "kr/s", "kw/s", "wait", "actv", "svc_t", "%w", "%b")
    for heading, of_sd0, of_ssd2 in zip(headings, sd0, ssd2, strict=True):
        assert reading.values("device", heading, device="sd0") == [of_sd0]
        assert reading.values("device", heading, device="ssd2") == [of_ssd2]
    assert {dict(key.attributes)["device"] for key in reading.samples} == set(DEVICES)
    assert reading.ledger.lines.balanced
    assert (reading.ledger.lines.data, reading.ledger.lines.header) == (6, 2)
    assert reading.skipped() == {"wrapper": 1}
    assert reading.ledger.interval_s == interval_s
    assert ("interval_s", str(interval_s), "wrapper") in [
        (a.subject, a.value, a.source) for a in reading.ledger.assumptions
    ]
    assert reading.ledger.hostname == ("svrdb1" if "read" in name or "128" in name else "")


def test_the_first_block_of_iostat_is_an_average_since_boot(load, read, fixture_bytes):
    reading = read(load("solaris_stat", "iostat:IostatParser"), fixture_bytes("iostat_since_boot.txt"))
    [svc_t] = reading.of("device", "svc_t", device="sd0")
    assert (svc_t.value, svc_t.since_boot, svc_t.line) == (11.9, True, 4)
    assert "since_boot_only" in reading.ledger.warnings
    assert reading.ledger.needs == ("start",)  # one block has no interval


def test_vmstat_counters_and_the_name_lookup_cache(load, read, fixture_bytes):
    reading = read(load("solaris_stat", "vmstat_counters:VmstatCountersParser"), fixture_bytes("vmstat_s_dnlc.txt"))
    figures = {key.native: samples[0].value for key, samples in reading.samples.items()}
    assert figures == {
        "swap ins": 0,
        "swap outs": 0,
        "pages swapped in": 0,
        "pages swapped out": 0,
        "total address trans. faults taken": 46973,
        "system calls": 1318405,
        "total name lookups": 126424,
        "cache hits": 96,
        "user cpu": 2196,
        "system cpu": 4482,
        "idle cpu": 7863209,
        "wait cpu": 2753,
    }
    assert reading.skipped() == {"wrapper": 1, "prose": 2}
    assert reading.ledger.lines.balanced


# swap, free, sr, in, sy (faults), cs, us, sy (cpu), id of every row of every capture, in the document's order
VMSTAT_ROWS = [
    [
        (17767520, 15791376, 98, 523, 2662, 1183, 0, 0, 99),
        (17876888, 15717136, 0, 336, 140, 184, 0, 0, 100),
        (17876696, 15716944, 0, 334, 108, 179, 0, 0, 100),
    ],
    [(3018824, 906752, 0, 348, 111, 182, 0, 0, 100)],
    [
        (2609144, 497016, 0, 350, 116, 205, 0, 0, 100),
        (2506736, 394608, 0, 369, 4426, 192, 0, 1, 99),
        (2404056, 291816, 0, 433, 93, 451, 0, 0, 100),
    ],
    [
        (2404112, 291880, 0, 426, 95, 453, 0, 0, 100),
        (2303056, 208992, 23924, 457, 4419, 561, 0, 2, 98),
        (2303816, 199112, 38852, 598, 98, 563, 0, 1, 99),
        (2302088, 328320, 571, 983, 567, 852, 1, 1, 99),
        (2303768, 369504, 0, 445, 103, 474, 0, 0, 100),
        (2303768, 369840, 0, 425, 109, 445, 0, 0, 100),
    ],
    [
        (2235200, 328544, 9629, 584, 10395, 597, 0, 2, 98),
        (1963000, 144392, 69377, 1301, 6884, 1331, 0, 3, 97),
        (1894720, 245784, 12282, 934, 98, 572, 0, 1, 99),
        (1894720, 423280, 0, 830, 111, 275, 0, 1, 99),
        (1894720, 603168, 0, 813, 106, 198, 0, 0, 100),
        (1894720, 781776, 0, 810, 89, 183, 0, 0, 100),
        (1894720, 958856, 0, 810, 92, 175, 0, 0, 100),
        (1894720, 1134160, 0, 836, 111, 173, 0, 0, 100),
        (1894720, 1310576, 0, 823, 89, 177, 0, 0, 100),
        (1894720, 1486000, 0, 843, 109, 188, 0, 0, 100),
        (1894616, 1661640, 0, 745, 3664, 169, 0, 1, 99),
        (1587368, 1483880, 0, 374, 19104, 186, 0, 3, 97),
        (1280288, 1144736, 0, 378, 3210, 206, 0, 1, 99),
        (1280360, 1126824, 0, 357, 111, 174, 0, 0, 100),
        (256208, 318656, 0, 419, 107, 433, 0, 0, 100),
    ],
    [(153880, 259240, 0, 454, 92, 468, 0, 0, 100), (153880, 260472, 0, 442, 141, 485, 0, 0, 100)],
    [
        (153808, 270832, 4080, 587, 134, 591, 0, 1, 99),
        (85464, 284696, 3082, 555, 4378, 503, 0, 1, 99),
        (51448, 275352, 7140, 614, 120, 509, 0, 1, 99),
    ],
    [(51568, 627064, 0, 419, 89, 455, 0, 0, 100), (51568, 627064, 0, 432, 117, 540, 0, 0, 100)],
    [(50968, 626680, 0, 406, 241, 518, 0, 0, 99), (49424, 625632, 0, 410, 96, 459, 0, 0, 100)],
]
VMSTAT_COLUMNS = [
    ("swap", ""),
    ("free", ""),
    ("sr", ""),
    ("in", ""),
    ("sy", "faults"),
    ("cs", ""),
    ("us", ""),
    ("sy", "cpu"),
    ("id", ""),
]


def _rows(reading):
    columns = [
        reading.values("vmstat", native, **({"group": group} if group else {})) for native, group in VMSTAT_COLUMNS
    ]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("number", range(1, 10))
def test_vmstat_with_broken_rows(load, read, fixture_bytes, number):
    expected = VMSTAT_ROWS[number - 1]
    data = fixture_bytes(f"vmstat_swap_{number}.txt")
    reading = read(load("solaris_stat", "vmstat:VmstatParser"), data)
    assert _rows(reading) == expected
    assert reading.ledger.lines.balanced
    assert reading.ledger.lines.data == 2 * len(expected)  # every row stands on two lines
    assert reading.skipped() == {"wrapper": 1}
    assert (reading.ledger.interval_s, reading.ledger.hostname) == (3, "host")
    assert [sample.since_boot for sample in reading.of("vmstat", "id")] == [True] + [False] * (len(expected) - 1)


def test_vmstat_names_its_disks_and_leaves_the_empty_slot_out(load, read, fixture_bytes):
    reading = read(load("solaris_stat", "vmstat:VmstatParser"), fixture_bytes("vmstat_swap_1.txt"))
    assert reading.values("vmstat", "disk", device="s1") == [15, 0, 0]
    assert reading.values("vmstat", "disk", device="s2") == [0, 0, 0]  # printed as -0
    assert {dict(key.attributes).get("device") for key in reading.samples} == {None, "s1", "s2", "s3"}


def test_vmstat_of_the_whole_page(load, read, corpus):
    """The page as it was printed: prose, scripts and other commands around the nine captures."""
    [path] = sorted((corpus.parent / "founding-documents").glob("003_*.txt"))
    parser = load("solaris_stat", "vmstat:VmstatParser")
    data = path.read_bytes()
    assert parser.sniff(data[:65536], path.name) >= 0.5
    reading = read(parser, data)
    assert _rows(reading) == [row for capture in VMSTAT_ROWS for row in capture]
    ledger = reading.ledger
    assert ledger.lines.balanced
    assert ledger.lines.total == data.count(b"\n") + (not data.endswith(b"\n"))
    assert reading.values("timed", "real_s") == [0.803, 0.799, 0.775, 0.837, 0.763, 48.465, 47.474]
    assert ledger.lines.data == 2 * sum(map(len, VMSTAT_ROWS)) + 3 * 7
    assert set(reading.skipped()) == {"prose", "wrapper"}
    firsts = [sample.since_boot for sample in reading.of("vmstat", "id")]
    assert firsts == [row == 0 for capture in VMSTAT_ROWS for row in range(len(capture))]
