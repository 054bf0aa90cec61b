"""AIX vmstat: figures against a naive reading, its many columns, its clock, counters of -s and -v."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from tests.unit.plugins.conftest import PLUGINS, load_parser, read_capture
from tunebench.domain.engagement import EventKind
from tunebench.sdk import ParseContext

FIXTURES = PLUGINS.parent / "tests" / "fixtures" / "aix"
VMSTAT = load_parser("aix_stat", "vmstat:VmstatParser")
COUNTERS = load_parser("aix_stat", "vmstat_counters:VmstatCountersParser")
START: dict[str, Any] = {"start": datetime(2026, 1, 1), "interval_s": 5.0}


def fixture(name: str) -> bytes:
    return (FIXTURES / name).read_bytes()


def facts_of(data: bytes) -> dict[str, str]:
    parser = VMSTAT(ParseContext())
    list(parser.feed(data))
    list(parser.finish())
    return {fact.name: fact.value for fact in parser.facts()}


def wild_files(corpus) -> list:
    return sorted((corpus / "wild/vmstat-aix").iterdir())


def test_real_captures_equal_a_naive_reading(corpus):
    for path in wild_files(corpus):
        data = path.read_bytes()
        assert VMSTAT.sniff(data[:65536], path.name) > 0.9
        reading = read_capture(VMSTAT, data, **START)
        lines = [line.split() for line in data.decode().splitlines()]
        heading = next(words for words in lines if words[:1] == ["r"])
        rows = [words for words in lines if len(words) == len(heading) and words[0].isdigit()]
        assert reading.ledger.lines.data == len(rows), path.name
        assert reading.ledger.lines.balanced
        assert set(reading.skipped()) <= {"comment"}
        for index, word in enumerate(heading):
            attributes = {"group": "faults" if index < heading.index("us") else "cpu"} if word == "sy" else {}
            assert reading.values("vmstat", word, **attributes) == [float(row[index]) for row in rows], (path, word)


def test_the_first_row_of_a_real_capture_is_flagged_and_the_others_are_not(corpus):
    [path] = [path for path in wild_files(corpus) if "test2-aix-6.1" in path.name]
    reading = read_capture(VMSTAT, path.read_bytes(), **START)
    rows = reading.of("vmstat", "pc")
    assert [row.since_boot for row in rows] == [True] + [False] * 28
    assert [row.line for row in rows][:2] == [7, 8]
    assert (rows[6].value, rows[17].value) == (0.54, 0.68)
    assert facts_of(path.read_bytes()) == {"lcpu": "8", "mem": "12287MB", "ent": "3.40"}


def test_the_clock_of_t_passes_midnight_and_a_run_over_counter_is_read():
    reading = read_capture(VMSTAT, fixture("vmstat_shared_t.txt"), zone="Asia/Seoul", date=date(2024, 3, 5))
    assert reading.times("vmstat", "r") == [
        "2024-03-05 14:59:50",
        "2024-03-05 14:59:55",
        "2024-03-05 15:00:00",
        "2024-03-05 15:00:05",
    ]
    assert reading.values("vmstat", "ec") == [8.3, 7.6, 10.2, 7.2]
    assert reading.values("vmstat", "sr") == [0.0, 0.0, 379.0, 4636223281790821470.0]
    assert reading.values("vmstat", "sy", group="cpu") == [3, 3, 4, 3]
    assert reading.values("vmstat", "sy", group="faults") == [3743, 3034, 4089, 3139]
    assert reading.ledger.needs == ()
    assert not [key for key in reading.samples if key.native in ("hr", "mi", "se")]


def test_without_a_date_the_date_is_asked_for_but_no_start():
    assert read_capture(VMSTAT, fixture("vmstat_shared_t.txt")).ledger.needs == ("date",)


def test_the_start_of_a_framed_capture_dates_its_clock():
    reading = read_capture(VMSTAT, fixture("vmstat_shared_t.txt"), start=datetime(2024, 3, 5, 23, 59, 45))
    assert reading.times("vmstat", "r")[-1] == "2024-03-06 00:00:05"


def test_the_columns_of_I_and_W():
    reading = read_capture(VMSTAT, fixture("vmstat_IWw.txt"), **START)
    assert [reading.values("vmstat", word)[0] for word in ("r", "b", "p", "w", "fi", "fo", "fr", "sr")] == [
        3,
        1,
        0,
        2,
        120,
        33,
        512,
        1024,
    ]
    assert reading.ledger.variant == "-I"


def test_transfers_of_physical_volumes_are_told_by_their_number():
    reading = read_capture(VMSTAT, fixture("vmstat_dedicated_disks.txt"), **START)
    assert reading.values("vmstat", "xfer", device="1") == [4, 12]
    assert reading.values("vmstat", "xfer", device="2") == [0, 1]
    assert not [key for key in reading.samples if key.native in ("pc", "ec")]


HEADING = " r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n"
ROW = " 0  0 181682 835636   0   0   0   0    0   0   {0}  271  73  0  0 99  0\n"


def test_a_loop_of_runs_below_dates():
    run = HEADING + ROW.format(5) + ROW.format(6)
    text = "".join(f"Tue Apr 19 21:{minute}:00 KST 2011\n{run}" for minute in (10, 20))
    reading = read_capture(VMSTAT, text.encode(), interval_s=5.0)
    assert reading.times("vmstat", "in") == [
        "2011-04-19 12:10:00",
        "2011-04-19 12:10:05",
        "2011-04-19 12:20:00",
        "2011-04-19 12:20:05",
    ]
    assert [row.since_boot for row in reading.of("vmstat", "in")] == [True, False, True, False]
    assert not [event for event in reading.events if event.kind is EventKind.GAP]


def test_a_heading_of_the_next_page_begins_no_run():
    rows = "".join(ROW.format(number) for number in range(20))
    reading = read_capture(VMSTAT, (HEADING + rows + "\n" + HEADING + rows).encode(), **START)
    assert [row.since_boot for row in reading.of("vmstat", "in")] == [True] + [False] * 39


def test_the_command_in_the_prompt_tells_interval_and_host():
    text = "root@dbaix1:/home/root # vmstat 10 3\n" + HEADING + "".join(ROW.format(i) for i in range(3))
    reading = read_capture(VMSTAT, text.encode(), start=datetime(2026, 1, 1))
    assert reading.times("vmstat", "in")[-1] == "2026-01-01 00:00:20"
    assert (reading.ledger.hostname, reading.ledger.interval_s, reading.ledger.needs) == ("dbaix1", 10.0, ())


def test_a_changed_partition_is_an_event_and_the_facts_are_the_latest():
    first = "System configuration: lcpu=8 mem=4096MB ent=0.50\n\n" + HEADING + ROW.format(1) + ROW.format(2)
    later = "System configuration: lcpu=16 mem=8192MB ent=1.00\n\n" + HEADING + ROW.format(3)
    reading = read_capture(VMSTAT, (first + later).encode(), **START)
    changes = {event.kind: (event.text, event.start_ns) for event in reading.events}
    at = reading.of("vmstat", "in")[2].time_ns
    assert changes[EventKind.CPU_COUNT] == ("8 → 16", at)
    assert changes[EventKind.MEMORY_SIZE] == ("4096MB → 8192MB", at)
    assert reading.ledger.warnings == ("configuration_changed",)
    assert facts_of((first + later).encode())["ent"] == "1.00"


def test_what_the_tool_says_of_a_change_is_booked():
    text = HEADING + ROW.format(1) + "System configuration changed. The current iteration values may be inaccurate.\n"
    reading = read_capture(VMSTAT, text.encode(), **START)
    assert reading.skipped() == {"message": 1}
    assert "configuration_changed" in reading.ledger.warnings


@pytest.mark.parametrize("cut", [3, 20, 45])
def test_a_cut_last_row_is_left_out(cut):
    text = HEADING + ROW.format(5) + ROW.format(6)[:-1][:-cut]
    reading = read_capture(VMSTAT, text.encode(), **START)
    assert reading.values("vmstat", "in") == [5]
    assert reading.skipped() == {"truncated": 1}


def test_a_cut_last_number_is_not_taken_for_a_number():
    text = HEADING + ROW.format(5).replace("99  0", "99 12") + ROW.format(6).replace("99  0", "99 1")[:-1]
    reading = read_capture(VMSTAT, text.encode(), **START)
    assert reading.values("vmstat", "wa") == [12]


@pytest.mark.parametrize(
    "heading",
    [
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st",  # Linux
        " r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 --   in   sy   cs us sy id",  # Solaris
        "    r     b     w      avm    free   re   at    pi   po    fr   de    sr     in     sy    cs  us sy id",  # HP-UX
        " r b w     avm     fre  flt  re  pi  po   fr   sr ad0 ad1   in    sy    cs us sy id",  # FreeBSD
    ],
)
def test_the_vmstat_of_others_is_not_claimed(heading):
    assert VMSTAT.sniff(heading.encode() + b"\n 0 0 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5\n", "vmstat.txt") == 0


def test_counters_since_boot():
    reading = read_capture(COUNTERS, fixture("vmstat_s.txt"), **START)
    assert reading.values("counters", "paging space page outs") == [0]
    assert reading.values("counters", "total address trans. faults") == [3492560274]
    assert reading.values("counters", "syscalls") == [12918944607]
    assert reading.ledger.lines.data == 26
    assert (reading.ledger.variant, reading.ledger.warnings) == ("-s", ("since_boot_only",))


def test_the_state_of_memory():
    reading = read_capture(COUNTERS, fixture("vmstat_v.txt"), **START)
    assert reading.values("memory", "numperm percentage") == [62.8]
    assert reading.values("memory", "client filesystem I/Os blocked with no fsbuf") == [194775]
    assert reading.ledger.lines.data == 21 == len(reading.samples)


def test_snapshots_of_a_loop_are_rows():
    snapshot = fixture("vmstat_v.txt")
    stamps = [b"@tunebench at 2026-11-21T02:48:%02dZ\n" % second for second in (0, 10)]
    later = snapshot.replace(b"5060", b"5070")
    reading = read_capture(COUNTERS, stamps[0] + snapshot + stamps[1] + later)
    name = "paging space I/Os blocked with no psbuf"
    assert reading.values("memory", name) == [5060, 5070]
    assert reading.times("memory", name) == ["2026-11-21 02:48:00", "2026-11-21 02:48:10"]
    assert reading.ledger.needs == ()
