"""What has to hold for any bytes at all."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from app.plughost.guard import GuardedParser
from app.plughost.host import ParserEntry
from app.sdk import ParseContext
from app.sdk.batch_check import batch_fault
from app.sdk.testkit_runs import Outcome, count_lines, difference, pieces, within

LONGEST_S = 60.0
CONTEXT = ParseContext("capture.txt", "capture.txt", 1_700_000_000 * 10**9, ZoneInfo("Asia/Seoul"))
_FIRST_NS, _LAST_NS = (int((datetime(year, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))
                       * 1000 for year in (1970, 2262))


def outcome_of(entry: ParserEntry, data: bytes, piece: int = 0) -> Outcome:
    """Everything the guarded parser gives; what a plug-in raises comes out as `PluginError`."""
    parser = entry.create(CONTEXT)
    return fed(parser, pieces(data, piece))


def fed(parser: GuardedParser, parts: Iterable[bytes]) -> Outcome:
    batches, records = [], []
    for part in parts:
        batches += parser.feed(part)
        records += parser.take_records()
    batches += parser.finish()
    records += parser.take_records()
    return Outcome(tuple(batches), parser.ledger(), parser.events(), parser.facts(), tuple(records))


def fault_of(entry: ParserEntry, data: bytes, piece: int = 0) -> str:
    """What is wrong with the parser's answer to `data`; ``""`` where nothing is.

    Args:
        piece: also fed in pieces of so many bytes, and compared; 0 for not.
    """
    whole = within(LONGEST_S, lambda: outcome_of(entry, data))
    lines = whole.ledger.lines
    if lines.total != count_lines(data) or lines.total != lines.data + lines.header + lines.blank + lines.skipped:
        return f"the account does not balance: {lines}, {count_lines(data)} lines"
    if min(lines.data, lines.header, lines.blank, lines.skipped) < 0:
        return f"negative lines: {lines}"
    for batch in whole.batches:
        fault = batch_fault(batch)
        if fault:
            return fault
        if len(batch.times_ns) and not _FIRST_NS <= batch.times_ns.min() <= batch.times_ns.max() <= _LAST_NS:
            return f"times out of this world: {batch.times_ns.min()} {batch.times_ns.max()}"
    if piece:
        found = difference(whole, within(LONGEST_S, lambda: outcome_of(entry, data, piece)))
        return found and f"pieces of {piece} bytes change {found}"
    return ""
