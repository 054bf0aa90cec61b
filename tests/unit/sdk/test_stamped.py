"""Rounds of a loop: their stamps, their times, and where differences of counters may be formed."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from tunebench.domain.engagement import EventKind
from tunebench.sdk import ParseContext, Round, StampedParser, stamped
from tunebench.sdk.number_table import NumberTable
from tunebench.sdk.round_stamps import read_collector, read_frame, read_stamp
from tunebench.sdk.stamped import CounterSteps, body_lines


class Counter(StampedParser):
    """Lines ``count <n>``, each the first of a round; keeps its rounds."""

    tool, os = "counter", "linux"

    def __init__(self, context: ParseContext | None = None) -> None:
        super().__init__(context or ParseContext())
        self.rounds: list[Round] = []

    def begins_round(self, line: bytes) -> bool:
        return line.startswith(b"count ")

    def read_round(self, one: Round) -> None:
        self.rounds.append(one)
        for number, line in one.lines:
            words = line.split()
            if len(words) == 2 and words[0] == b"count":
                self.book.data()
                self.add_counters(one, number, "demo", ("n",), "device", "d", (float(words[1]),))
            else:
                self.skip_line(number, line)


def read(text: str, piece: int = 1 << 20, context: ParseContext | None = None):
    parser = Counter(context)
    data = text.encode()
    batches = [batch for start in range(0, len(data), piece) for batch in parser.feed(data[start : start + piece])]
    batches += parser.finish()
    return parser, batches


def utc(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp()) * 10**9  # type: ignore[arg-type, misc]


def rates(batches) -> list[tuple[int, float]]:
    return [
        (time_ns, value)
        for batch in batches
        if batch.table == "demo"
        for time_ns, value in zip(batch.times_ns.tolist(), batch.values[:, 0].tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("@tunebench at 2026-11-21T02:48:00Z", "2026-11-21T02:48:00+00:00"),
        ("@tunebench at 2026-11-21T02:48:00.123456789Z", "2026-11-21T02:48:00.123456+00:00"),
        ("zzz ***Wed Feb 29 11:01:52 EST 2012", "2012-02-29T11:01:52"),
        ("zzz ***Tue Apr 16 10:00:10 KST 2024 Sample interval: 30 secs", "2024-04-16T10:00:10"),
        ("zzz <04/16/2024 10:00:10> Count:720", "2024-04-16T10:00:10"),
        ("Sat Nov 21 16:15:32 KST 2026", "2026-11-21T16:15:32"),
        ("Sat Nov 21 16:15:32 +0900 2026", "2026-11-21T16:15:32+09:00"),
        ("TS 1344561790.012145298 2012-08-09 21:23:10", "2012-08-10T01:23:10.012145+00:00"),
        ("1795245021", "2026-11-21T07:10:21+00:00"),
        ("### 2026-11-21 16:15:32", "2026-11-21T16:15:32"),
        ("2026-11-21T16:15:32+09:00", "2026-11-21T16:15:32+09:00"),
    ],
)
def test_stamps_of_all_kinds_are_read(line, moment):
    stamp = read_stamp(line.encode())
    assert stamp is not None
    assert stamp.moment.isoformat() == moment


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Mem: 1 2 3",
        "12345",
        "Sat Nov 31 16:15:32 KST 2026",
        "@tunebench at 9999-11-21T02:48:00Z",
        "2026-13-01 00:00:00",
    ],
)
def test_what_is_no_stamp_is_left_alone(line):
    assert read_stamp(line.encode()) is None


def test_an_interval_beside_a_stamp_is_kept():
    stamp = read_stamp(b"zzz ***Tue Apr 16 10:00:10 KST 2024 Sample interval: 30 secs")
    assert stamp is not None
    assert (stamp.zone, stamp.interval_s) == ("KST", 30.0)


def test_frames_tell_their_kind_and_interval():
    frame = read_frame(b"@tunebench 4f1c begin id=db1/free pid=77 interval=5 utc=2026-11-21T02:48:00Z zone=KST")
    assert frame is not None
    assert (frame.kind, frame.interval_s) == ("begin", 5.0)
    assert read_frame(b"@tunebench at 2026-11-21T02:48:00Z") is None


LOOP = """@tunebench at 2026-11-21T02:48:00Z
count 100
@tunebench at 2026-11-21T02:48:05.500Z
count 155

@tunebench at 2026-11-21T02:48:10.500Z
count 205
"""


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_rounds_carry_their_utc_time_and_their_lines(piece):
    parser, batches = read(LOOP, piece)
    start = utc(2026, 11, 21, 2, 48)
    assert [one.time_ns - start for one in parser.rounds] == [0, 5_500_000_000, 10_500_000_000]
    assert [one.lines for one in parser.rounds] == [((2, b"count 100"),), ((4, b"count 155"),), ((7, b"count 205"),)]
    # (155 - 100) / 5.5 s and (205 - 155) / 5 s
    assert rates(batches) == [(start + 5_500_000_000, 10.0), (start + 10_500_000_000, 10.0)]
    ledger = parser.ledger()
    assert ledger.lines.balanced
    assert (ledger.lines.total, ledger.lines.data, ledger.lines.header, ledger.lines.blank) == (7, 3, 3, 1)
    assert (ledger.zone, ledger.zone_source, ledger.needs) == ("UTC", "stamp", ())


def test_no_rate_is_formed_across_a_gap():
    text = LOOP + "@tunebench at 2026-11-21T02:50:00Z\ncount 905\n@tunebench at 2026-11-21T02:50:05Z\ncount 910\n"
    parser, batches = read(text)
    assert [value for _, value in rates(batches)] == [10.0, 10.0, 1.0]
    ledger = parser.ledger()
    assert ledger.gaps == 1
    assert [event.kind for event in parser.events()] == [EventKind.GAP]


def test_no_rate_is_formed_across_two_starts_of_the_command():
    begin = "@tunebench 4f1c begin id=a pid={} interval=5 utc={}\n"
    end = "@tunebench 4f1c end exit=143 utc=x\n0m0.01s 0m0.00s\n0m0.02s 0m0.00s\n@tunebench 4f1c over\n"
    one = begin.format(7, "2026-11-21T02:48:00Z") + LOOP + end
    two = begin.format(8, "2026-11-21T02:48:14Z") + LOOP.replace("02:48:0", "02:48:2").replace("02:48:10", "02:48:30")
    parser, batches = read(one + two)
    assert len(parser.rounds) == 6
    assert [one.previous_ns is None for one in parser.rounds] == [True, False, False] * 2
    assert len(rates(batches)) == 4
    skipped = {entry.reason: entry.count for entry in parser.ledger().skipped}
    assert skipped == {"wrapper": 2}  # the two lines of `times`
    assert parser.ledger().lines.balanced


def test_a_login_s_words_around_the_frames_are_no_rounds():
    begin = "@tunebench 4f1c begin id=a pid=7 interval=5 utc=2026-11-21T02:48:00Z\n"
    end = "@tunebench 4f1c end exit=0 utc=x\n@tunebench 4f1c over\n"
    parser, _ = read("Welcome to db1!\n" + begin + LOOP + end + "Welcome again!\n" + begin)
    ledger = parser.ledger()
    assert len(parser.rounds) == 3
    assert {entry.reason: entry.count for entry in ledger.skipped} == {"wrapper": 2}
    assert ledger.needs == ()
    assert ledger.lines.balanced


def test_a_line_torn_by_a_broken_connection_does_not_hide_the_next_start():
    begin = "@tunebench 4f1c begin id=a pid={} interval=5 utc=2026-11-21T02:48:00Z\n"
    parser, _ = read(begin.format(7) + LOOP[:-2] + begin.format(8) + LOOP.replace("02:48:", "02:49:"))
    skipped = {entry.reason: entry.example for entry in parser.ledger().skipped}
    assert skipped == {"truncated": f"count 20{begin.format(8).strip()}"}
    assert [one.previous_ns is None for one in parser.rounds] == [True, False, True, False, False]


def test_a_counter_that_falls_gives_no_rate():
    parser, batches = read(LOOP.replace("count 155", "count 5"))
    values = [value for _, value in rates(batches)]
    assert np.isnan(values[0])
    assert values[1] == 40.0
    assert parser.ledger().warnings == ("counter_fell",)


def test_a_line_cut_off_at_the_end_of_our_capture_is_left_out():
    parser, _ = read(LOOP[:-2])  # "count 20" of "count 205"
    assert {entry.reason: entry.example for entry in parser.ledger().skipped} == {"truncated": "count 20"}
    assert len(parser.rounds) == 2


def test_without_stamps_the_user_gives_start_and_interval():
    context = ParseContext(start=datetime(2026, 11, 21, tzinfo=UTC), interval_s=10.0)
    parser, batches = read("count 1\ncount 21\ncount 41\n", context=context)
    start = utc(2026, 11, 21)
    assert [one.time_ns - start for one in parser.rounds] == [0, 10 * 10**9, 20 * 10**9]
    assert [value for _, value in rates(batches)] == [2.0, 2.0]


def test_without_stamps_and_words_of_the_user_they_are_asked_for():
    parser, _ = read("count 1\ncount 21")
    assert set(parser.ledger().needs) == {"start", "interval_s", "zone"}
    assert len(parser.rounds) == 2


def test_blocks_below_one_stamp_of_a_wrapper_follow_at_its_interval():
    parser, _ = read("zzz ***Tue Apr 16 10:00:10 UTC 2024 Sample interval: 30 secs\ncount 1\ncount 2\n")
    start = utc(2024, 4, 16, 10, 0, 10)
    assert [one.time_ns - start for one in parser.rounds] == [0, 30 * 10**9]


@pytest.mark.parametrize(
    ("line", "host"),
    [
        (b"Linux OSWbb v7.3.3", ""),
        (b"Linux OSWbb v8.1.2 ", ""),
        (b"Linux OSWbb v22.1.0AHF bsd-pg-db-02", "bsd-pg-db-02"),
        (b"SunOS OSW v3.0.1", ""),
        (b"Linux 5.10.0 (db01) \t07/19/26", None),
        (b"Linux OSWbb", None),
        (b"", None),
    ],
)
def test_the_line_by_which_oswatcher_names_itself(line: bytes, host: str | None):
    assert read_collector(line) == host


def test_words_before_the_collectors_line_are_no_round():
    text = "Read me first.\nLinux OSWbb v22.1.0AHF db02\nzzz ***Tue Apr 16 10:00:10 UTC 2024\ncount 1\ncount 2\n"
    parser, _ = read(text)
    ledger = parser.ledger()
    assert parser.rounds[0].time_ns == utc(2024, 4, 16, 10, 0, 10)
    assert "start" not in ledger.needs and ledger.hostname == "db02" and ledger.lines.balanced
    assert [(skip.reason, skip.count) for skip in ledger.skipped] == [("wrapper", 1)]


def test_a_counter_that_is_new_has_no_step_and_the_others_keep_theirs():
    steps = CounterSteps()
    assert steps.step(Round(10, ()), "d", (1.0, 2.0)) is None
    second = steps.step(Round(20, (), previous_ns=10), "d", (4.0, 7.0, 9.0))
    assert second is not None
    assert second[:2] == [3.0, 5.0]
    assert np.isnan(second[2])
    assert steps.step(Round(40, (), previous_ns=30), "d", (5.0, 8.0, 10.0)) is None  # not there in the round before
    assert not steps.fell


def test_body_lines_begin_after_the_frame():
    head = b"Welcome to db1!\n@tunebench 4f1c begin id=a pid=1 interval=5 utc=x\n@tunebench at 2026-11-21T02:48:00Z\n\nrow\n"
    assert body_lines(head) == [b"row"]
    assert body_lines(b"row\0") == []


def test_a_table_gives_missing_values_and_names_a_repeated_thing():
    table = NumberTable("demo", ("a", "b"), "device")
    table.row(1, 1, "x", (1.0, float("inf")))
    table.row(1, 2, "x", (3.0, 4.0))
    table.row(2, 3, "y", (5.0, 6.0))
    (batch,) = table.flush()
    assert [dict(key.attributes)["device"] for key in batch.series] == ["x", "x", "x#2", "x#2", "y", "y"]
    assert np.array_equal(
        batch.values, [[1.0, np.nan, 3.0, 4.0, np.nan, np.nan], [np.nan] * 4 + [5.0, 6.0]], equal_nan=True
    )
    assert batch.line_numbers.tolist() == [1, 3]
    assert list(table.flush()) == []


class Things(StampedParser):
    """``device <name> <n>`` below ``list``: the counters of many devices; keeps the sizes of what it was given."""

    tool, os = "things", "linux"

    def __init__(self, context: ParseContext | None = None) -> None:
        super().__init__(context or ParseContext(interval_s=5.0))
        self.sizes: list[int] = []

    def begins_round(self, line: bytes) -> bool:
        return line == b"list"

    def read_round(self, one: Round) -> None:
        self.sizes.append(len(one.lines))
        for number, line in one.lines:
            words = line.decode().split()
            if words[0] == "device":
                self.add_counters(one, number, "demo", ("n",), "device", words[1], (float(words[2]),))
            self.book.data()


def rounds_of(kind: str, things: int, stamped_by_us: bool) -> bytes:
    heads = [f"@tunebench at 2026-11-21T02:48:{second:02}Z\n" if stamped_by_us else "" for second in (0, 5, 10)]
    return "".join(
        head + "list\n" + "".join(f"{kind} d{thing} {100 * number + thing}\n" for thing in range(things))
        for number, head in enumerate(heads)
    ).encode()


def read_things(data: bytes):
    parser, batches = Things(), []
    for start in range(0, len(data), 1 << 20):
        batches += parser.feed(data[start : start + (1 << 20)])
    return parser, [*batches, *parser.finish()]


@pytest.mark.parametrize("stamped_by_us", [True, False])
def test_a_round_of_many_lines_is_one_round(stamped_by_us):
    parser, _ = read_things(rounds_of("other", 60_000, stamped_by_us))
    assert parser.sizes == [60_001] * 3
    assert parser.ledger().lines.data == 180_003


@pytest.mark.parametrize("stamped_by_us", [True, False])
def test_all_parts_of_a_round_are_of_its_time(stamped_by_us, monkeypatch):
    """Where memory ends, a round is read in parts: no row, no rate is lost, and no time is invented."""
    monkeypatch.setattr(stamped, "MOST_BYTES", 30_000)
    things = 1000
    parser, batches = read_things(rounds_of("device", things, stamped_by_us))
    ledger = parser.ledger()
    assert len(parser.sizes) > 12 and sum(parser.sizes) == ledger.lines.data == 3 * things + 3
    assert (ledger.gaps, ledger.warnings, list(parser.events())) == (0, (), [])
    times = sorted({time_ns for batch in batches for time_ns in batch.times_ns.tolist()})
    assert [time_ns - times[0] for time_ns in times] == [0, 5 * 10**9, 10 * 10**9]
    counted = sum(int(np.count_nonzero(~np.isnan(batch.values))) for batch in batches if batch.table == "counters_demo")
    assert counted == 3 * things
    risen = np.concatenate([batch.values.ravel() for batch in batches if batch.table == "demo"])
    assert np.count_nonzero(risen == 20.0) == 2 * things  # 100 in 5 s, of every device between all rounds


def test_a_single_round_has_no_interval_to_ask_for():
    parser, _ = read("count 1\n")
    assert set(parser.ledger().needs) == {"start", "zone"}
    assert {each.subject for each in parser.ledger().assumptions} == {"start", "zone"}
    assert parser.ledger().interval_s is None
    told, _ = read("count 1\n", context=ParseContext(interval_s=10.0))
    assert ("interval_s", "10", "user") in {
        (each.subject, each.value, each.source) for each in told.ledger().assumptions
    }
