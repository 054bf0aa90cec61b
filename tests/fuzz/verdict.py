"""What has to hold for any bytes at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from unittest import mock
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.plughost.guard import GuardedParser
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import LineParser, ParseContext, lines
from tunebench.sdk.batch_check import batch_fault
from tunebench.sdk.scanning.scanner import MOST_FIELDS, Scan, Scanner
from tunebench.sdk.testkit_runs import Outcome, count_lines, difference, pieces, within

LONGEST_S = 60.0
CONTEXT = ParseContext("capture.txt", "capture.txt", 1_700_000_000 * 10**9, ZoneInfo("Asia/Seoul"))
_FIRST_NS, _LAST_NS = (
    int((datetime(year, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1)) * 1000
    for year in (1970, 2262)
)


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
    counts = whole.ledger.lines
    if counts.total != count_lines(data) or counts.total != counts.data + counts.header + counts.blank + counts.skipped:
        return f"the account does not balance: {counts}, {count_lines(data)} lines"
    if min(counts.data, counts.header, counts.blank, counts.skipped) < 0:
        return f"negative lines: {counts}"
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


@contextmanager
def by_pages() -> Iterator[None]:
    """Whatever a parser can read at once it does, from the first byte on."""
    with mock.patch.object(lines, "FEWEST_PAGE_BYTES", 1):
        yield


@contextmanager
def by_lines() -> Iterator[None]:
    """No pages, and a scanner that knows no line."""

    def scan(scanner: Scanner, text: bytes, at: int, first_line: int) -> Scan:
        none = np.zeros(0, dtype=np.int64)
        return Scan(at, 0, 0, True, none.astype(np.int32), none, none.reshape(0, MOST_FIELDS), ())

    with mock.patch.object(lines, "FEWEST_PAGE_BYTES", 1 << 30), mock.patch.object(Scanner, "scan", scan):
        yield


@cache
def reads_pages(entry: ParserEntry) -> bool:
    """Whether the parser reads large pieces in another way than line by line."""
    kind = type(entry.create(CONTEXT)._parser)
    return getattr(kind, "read_page", LineParser.read_page) is not LineParser.read_page


def fault_of_pages(entry: ParserEntry, data: bytes, piece: int = 0) -> str:
    """What reading `data` by pages and reading it line by line differ in; ``""`` for nothing.

    Args:
        piece: the pages come in pieces of so many bytes; 0: one.
    """
    with by_pages():
        at_once = within(LONGEST_S, partial(outcome_of, entry, data, piece))
    with by_lines():
        found = difference(at_once, within(LONGEST_S, partial(outcome_of, entry, data)))
    return found and f"pages of {piece} bytes change {found}"
