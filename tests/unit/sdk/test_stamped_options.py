"""What a subclass of StampedParser may say of its tool: own stamps, no times at all, lines that always end."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from tunebench.sdk import ParseContext, Round, StampedParser
from tunebench.sdk.round_stamps import RoundStamp


class Words(StampedParser):
    """A number per round."""

    tool = "words"

    def read_round(self, one: Round) -> None:
        for number, line in one.lines:
            self.table("t", ("n",)).row(one.time_ns, number, "", [float(line)])
            self.book.data()


class Stamped(Words):
    def other_stamp(self, line: bytes) -> RoundStamp | None:
        return RoundStamp(datetime(2011, 4, 19, 21, 16, 1)) if line == b"at nine" else None


class Timeless(Words):
    timeless = True


class Ending(Words):
    ends_lines = True


def run(parser_class: type[StampedParser], data: bytes):
    parser = parser_class(ParseContext(zone=ZoneInfo("Asia/Seoul"), zone_source="host", interval_s=1.0))
    batches = [*parser.feed(data), *parser.finish()]
    return parser.ledger(), [value for batch in batches for value in batch.values[:, 0].tolist()], batches


def test_a_tools_own_stamp_dates_its_round():
    ledger, values, batches = run(Stamped, b"at nine\n1\n")
    assert values == [1.0]
    assert batches[0].times_ns.tolist() == [1_303_215_361 * 10**9]  # TZ=Asia/Seoul date -d '2011-04-19 21:16:01' +%s
    assert ledger.needs == ()


def test_nobody_is_asked_for_the_time_of_facts():
    assert run(Timeless, b"1\n")[0].needs == ()
    assert run(Words, b"1\n")[0].needs == ("start",)


def test_a_last_line_without_an_end_is_cut_off_where_the_tool_ends_its_lines():
    ledger, values, _ = run(Ending, b"12\n34")
    assert values == [12.0]
    assert [one.reason for one in ledger.skipped] == ["truncated"]
    assert run(Words, b"12\n34")[1] == [12.0, 34.0]
