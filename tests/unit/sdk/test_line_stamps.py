"""Stamps before each line of a tool's text: taken off where the tool is known behind them alone, and its time then."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from tunebench.sdk import LineParser, ParseContext, SampleBatch, TableBuilder
from tunebench.sdk.line_stamps import without_line_stamps

MODIFIED_NS = int(datetime(2026, 7, 20, 12, tzinfo=UTC).timestamp()) * 10**9
STAMPS = [
    "2026-07-20 09:00:{0:02}",
    "2026-07-20 09:00:{0:02}.000",
    "2026-07-20 09:00:{0:02},000",
    "2026-07-20T09:00:{0:02}+0900",
    "2026/07/20 09:00:{0:02}",
    "2026/07/20-09:00:{0:02}",
    "2026.07.20 09:00:{0:02}",
    "20/07/2026 09:00:{0:02}",
    "[07/20/2026 09:00:{0:02}.000]",
    "20260720 09:00:{0:02}",
    "20260720_09:00:{0:02}",
    "[2026-07-20 09:00:{0:02}]",
    "2026. 07. 20. (월) 09:00:{0:02} KST",
    "2026. 07. 20. (월) 오전 09:00:{0:02} KST",
    "Mon Jul 20 09:00:{0:02} KST 2026",
    "[Mon Jul 20 09:00:{0:02} 2026]",
    "Jul 20 09:00:{0:02}",
    "17845056{0:02}",
    "09:00:{0:02}",
]
LOGGER = "Jul 20 09:00:{0:02} db01 queue[311]:"
SEPARATORS = [" ", "\t", ",", ": ", " | ", ";"]


class Queue(LineParser):
    """``busy waiting``, then two numbers a line; no times."""

    def __init__(self, context: ParseContext) -> None:
        super().__init__(context)
        self.builder = TableBuilder("queue", ["busy", "waiting"], None, self.book)

    @staticmethod
    def sniff(head: bytes, file_name: str) -> float:
        return 0.9 if b"\nbusy waiting" in b"\n" + head else 0.0

    def read_lines(self, first_line: int, lines: list[bytes]) -> Iterable[SampleBatch]:
        for number, line in enumerate(lines, first_line):
            if not line.strip():
                self.book.blank()
            elif line.startswith(b"busy"):
                self.book.header()
            elif len(line.split()) == 2 and line.replace(b" ", b"").isdigit():
                self.builder.row(self.times.next_unstamped(), number, b"", line)
                self.book.data()
            else:
                self.book.skip("not_a_table", number, line)
        return self.builder.flush()

    def close_tables(self) -> Iterable[SampleBatch]:
        return self.builder.flush(final=True)


def stamped(stamp: str, separator: str, *lines: str) -> bytes:
    return "".join(f"{stamp.format(second)}{separator}{line}\n" for second, line in enumerate(lines)).encode()


def read(data: bytes, piece: int = 1 << 20, day_first: bool | None = None):
    context = ParseContext(
        zone=ZoneInfo("Asia/Seoul"), zone_source="user", modified_ns=MODIFIED_NS, day_first=day_first
    )
    parser = Queue(context)
    batches = [batch for at in range(0, len(data), piece) for batch in parser.feed(data[at : at + piece])]
    batches += parser.finish()
    rows = [
        (datetime.fromtimestamp(time / 1e9, UTC).strftime("%d %H:%M:%S"), *values, line)
        for batch in batches
        for time, values, line in zip(
            batch.times_ns.tolist(), batch.values.tolist(), batch.line_numbers.tolist(), strict=True
        )
    ]
    return rows, parser.ledger()


@pytest.mark.parametrize(
    ("stamp", "separator"), [*((stamp, each) for stamp in STAMPS for each in SEPARATORS), (LOGGER, " ")]
)
def test_every_row_is_read_and_is_of_its_stamp(stamp, separator):
    data = stamped(stamp, separator, "", "busy waiting", "1 2", "10 20", "100 200", "", "7 8")
    for piece in (1 << 20, 7):
        rows, ledger = read(data, piece)
        assert rows == [
            ("20 00:00:02", 1.0, 2.0, 3),
            ("20 00:00:03", 10.0, 20.0, 4),
            ("20 00:00:04", 100.0, 200.0, 5),
            ("20 00:00:06", 7.0, 8.0, 7),
        ]
        assert (ledger.lines.data, ledger.lines.header, ledger.lines.blank, ledger.skipped) == (4, 1, 2, ())
        has_day = stamp not in ("Jul 20 09:00:{0:02}", LOGGER, "09:00:{0:02}")
        assert ledger.needs == (() if has_day else ("date",))


@pytest.mark.parametrize(
    ("day_first", "month", "source", "needs"),
    [(None, 5, "default", ("date",)), (True, 6, "user", ()), (False, 5, "user", ())],
)
def test_where_day_and_month_may_be_either_the_user_is_asked(day_first, month, source, needs):
    rows, ledger = read(stamped("05/06/2026 09:00:{0:02}", " ", "busy waiting", "1 2"), day_first=day_first)
    moment = datetime.fromtimestamp((ledger.first_ns or 0) / 1e9, ZoneInfo("Asia/Seoul"))
    assert (moment.month, moment.day, len(rows)) == (month, 11 - month, 1)
    assert [each.source for each in ledger.assumptions if each.subject == "date_order"] == [source]
    assert ledger.needs == needs


def test_a_line_without_a_stamp_is_read_as_it_is():
    data = stamped(STAMPS[0], " ", "busy waiting", *["1 2"] * 15) + b"Terminated\n" + stamped(STAMPS[0], " ", "3 4")
    rows, ledger = read(data)
    assert len(rows) == 16
    assert [(entry.reason, entry.count, entry.first_line) for entry in ledger.skipped] == [("not_a_table", 1, 17)]


def test_a_login_and_a_prompt_above_are_no_part_of_the_stamped_text():
    above = b"Last login: Fri Jul 17 18:22:41 2026 from 10.0.0.5\n[root@db01 ~]# queue 1 | ts\n"
    data = above + stamped(STAMPS[0], " ", "busy waiting", "1 2", "3 4")
    for piece in (1 << 20, 7):
        rows, ledger = read(data, piece)
        assert rows == [("20 00:00:01", 1.0, 2.0, 4), ("20 00:00:02", 3.0, 4.0, 5)]
        assert sum(entry.count for entry in ledger.skipped) == 2


def test_a_text_that_the_tool_knows_keeps_its_own_times():
    class Own(Queue):
        @staticmethod
        def sniff(head: bytes, file_name: str) -> float:
            return 0.9

    parser = Own(ParseContext())
    assert list(parser.feed(b"09:00:01 1 2\n09:00:02 3 4\n")) == []
    list(parser.finish())
    assert [(entry.reason, entry.count) for entry in parser.ledger().skipped] == [("not_a_table", 2)]


def test_a_text_without_stamps_does_not_wait():
    parser = Queue(ParseContext())
    for line in (b"\n", b"busy waiting\n", b"1 2\n"):
        list(parser.feed(line))
    assert parser.book.data_lines == 1


@pytest.mark.parametrize(
    ("head", "bare"),
    [
        (b"09:00:00,10 2\n09:00:01,9 3\n", b"10 2\n9 3\n"),
        (b"2026-07-20 09:00:00, a\n2026-07-20 09:00:01,10 2\n", b"a\n10 2\n"),
        (
            b"Jul 20 09:00:00 System configuration: lcpu=8\nJul 20 09:00:00 r b\n",
            b"System configuration: lcpu=8\nr b\n",
        ),
        (b"Jul 20 09:00:00 db01 kernel: Linux version 5.4\n", b"db01 kernel: Linux version 5.4\n"),  # no tool's output
        (b"> a b c\n>\n> > 1 2 3\n", b"a b c\n\n1 2 3\n"),
        (b"a b c\n1 2 3\n", b""),
        (b"", b""),
    ],
)
def test_what_all_lines_have_in_common_is_the_stamp(head, bare):
    assert without_line_stamps(head) == bare
