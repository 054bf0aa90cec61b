"""The base of parsers of blocks: runs, stamps, prompts, frames, and the clock between them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tunebench.families.runs import RunParser, is_prompt, read_command, text_of_head, time_of_day_s
from tunebench.sdk import ParseContext

TOOLS = frozenset({"iostat", "vmstat"})


class Figures(RunParser):
    """Rows ``row 7`` or ``row 7 11:44:31``, each a block."""

    tool, os = "vmstat", "aix"
    tools = TOOLS

    def take(self, number: int, text: bytes) -> bool:
        words = text.split()
        if words[0] != b"row" or self.is_cut_off(number, text, "row"):
            return False
        self.end_block()
        time_ns, since_boot = self.block(time_of_day_s(words[2]) if len(words) > 2 else None)
        self.table("row", ["figure"]).row(time_ns, number, b"", words[1], since_boot)
        self.book.data()
        return True


def parse(text: str, **context):
    known: dict[str, Any] = {"zone": ZoneInfo("Asia/Seoul"), "zone_source": "host"} | context
    parser = Figures(ParseContext(**known))
    batches = [*parser.feed(text.encode()), *parser.finish()]
    rows = [
        (time, flag, values[0])
        for batch in batches
        for time, flag, values in zip(
            batch.times_ns.tolist(), batch.since_boot.tolist(), batch.values.tolist(), strict=True
        )
    ]
    return parser.ledger(), [(f"{datetime.fromtimestamp(time / 1e9, UTC):%d %H:%M:%S}", flag) for time, flag, _ in rows]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"# iostat 5", ("iostat", 5.0, "")),
        (b"root@db1:/tmp # /usr/bin/vmstat -t 10 3", ("vmstat", 10.0, "db1")),
        (b"$ LC_ALL=C iostat -DlT 2.5", ("iostat", 2.5, "")),
        (b"# vmstat", ("vmstat", None, "")),
        (b"# vmstat hdisk0 0", ("vmstat", None, "")),
    ],
)
def test_a_prompt_tells_tool_interval_and_host(line, expected):
    command = read_command(line, TOOLS)
    assert command is not None
    assert (command.tool, command.interval_s, command.host) == expected


def test_other_prompts_are_prompts_without_a_command():
    assert read_command(b"# ls -l", TOOLS) is None
    assert is_prompt(b"# ls -l") and is_prompt(b"ann@db1:~$ who") and not is_prompt(b"sda 1 2 3")


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [(b"11:44:31", 42271), (b"24:00:00", 86400), (b"25:00:00", None), (b"11:44", None), (b"1144", None)],
)
def test_a_time_of_day_in_a_cell(cell, seconds):
    assert time_of_day_s(cell) == seconds


def test_a_stamp_above_each_block_and_above_each_run():
    each = "".join(f"Tue Apr 19 21:10:{second:02} KST 2011\nrow 1\n" for second in (0, 5, 10))
    assert parse(each)[1] == [("19 12:10:00", True), ("19 12:10:05", False), ("19 12:10:10", False)]
    runs = "".join(f"Tue Apr 19 21:{minute}:00 KST 2011\nrow 1\nrow 2\n" for minute in (10, 20))
    ledger, rows = parse(runs, interval_s=5.0)
    assert rows == [("19 12:10:00", True), ("19 12:10:05", False), ("19 12:20:00", True), ("19 12:20:05", False)]
    assert ledger.needs == () and ledger.gaps == 0


def test_a_stamp_dates_the_tools_own_clock_on_each_day():
    text = (
        "Tue Apr 19 23:59:58 KST 2011\nrow 1 00:00:03\nrow 1 00:00:08\nFri Apr 22 10:00:00 KST 2011\nrow 1 10:00:05\n"
    )
    assert [time for time, _ in parse(text)[1]] == ["19 15:00:03", "19 15:00:08", "22 01:00:05"]


def test_the_start_just_before_midnight_dates_the_first_row_after_it():
    start = datetime(2024, 3, 5, 14, 59, 58, tzinfo=UTC)  # 23:59:58 in Seoul
    ledger, rows = parse("row 1 00:00:03\n", start=start)
    assert rows == [("05 15:00:03", True)]
    assert ledger.needs == ()


def test_frames_begin_runs_and_are_no_rows():
    text = """@tunebench 4f1c0a7e begin id=x pid=1 interval=5 utc=2026-11-21T02:48:00Z
row 1
row 2
@tunebench 4f1c0a7e end exit=0 utc=2026-11-21T02:49:00Z
"""
    ledger, rows = parse(text + text, start=datetime(2026, 1, 1), interval_s=5.0)
    assert [flag for _, flag in rows] == [True, False, True, False]
    assert ledger.lines.header == 4 and ledger.lines.data == 4


def test_what_is_no_row_is_booked_with_its_reason():
    ledger, _ = parse("row 1\n\n# ls\nhello\na\0b\nrow", start=datetime(2026, 1, 1), interval_s=5.0)
    assert {entry.reason: entry.count for entry in ledger.skipped} == {
        "wrapper": 1,
        "prose": 1,
        "nul_bytes": 1,
        "truncated": 1,
    }
    assert ledger.lines.blank == 1 and ledger.lines.balanced


def test_the_head_for_sniffing_is_freed_of_frames_and_encodings():
    framed = b"Welcome\n@tunebench 4f1c0a7e begin id=x pid=1\nrow 1\n@tunebench at 2026-11-21T02:48:00Z\nrow 2\r\n"
    assert text_of_head(framed) == b"row 1\nrow 2\n"
    assert text_of_head("\ufeffrow 1\n".encode("utf-16")).endswith(b"row 1\n")
    assert text_of_head(b"a\0b") == b""
