"""A stored capture is read: its bytes in, packed samples and findings out. Nothing is written here, so that a
process of its own can do it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.capture.devices import DevicePresence
from tunebench.capture.impossible import Plausibility
from tunebench.capture.readings import FactsAt, reading_of
from tunebench.core.records import record
from tunebench.domain.capturing.run import StreamSegment
from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import UNACCOUNTED_ROWS, Ledger, SkippedLines
from tunebench.domain.series import SeriesTraits
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.sdk.batches import SeriesKey
from tunebench.sdk.ledger_book import EXAMPLE_LENGTH
from tunebench.sdk.text import decode_text
from tunebench.store.sample_packing import PackedPart, SamplePacker
from tunebench.transport.local import HEAD_BYTES


@record
class Step:
    """`done_bytes` of the capture were read; `parts` and `records` are to be stored in this order."""

    done_bytes: int
    parts: Sequence[PackedPart]
    records: Sequence[DatabaseRecord] = ()


@record
class Findings:
    """What a capture told besides its samples; comes last."""

    ledger: Ledger
    events: tuple[CaptureEvent, ...]
    facts: tuple[FactsAt, ...]
    segments: tuple[StreamSegment, ...]


def read_capture(
    entry: ParserEntry, context: ParseContext, scouted: Ledger, catalogue: MetricCatalogue, pieces: Iterable[bytes]
) -> Iterator[Step | Findings]:
    """Steps, then the findings.

    Args:
        scouted: what the capture's first bytes tell.
        catalogue: tells of every column what can have been measured.

    Raises:
        PluginError: the parser failed.
    """
    pieces = iter(pieces)
    first = next(pieces, b"")
    reading = reading_of(entry, context, first[:HEAD_BYTES], scouted.needs)
    packer, devices, done = SamplePacker(), DevicePresence(), 0
    plausibility = Plausibility(lambda key: traits_of(catalogue, scouted, key))
    for piece in chain((first,), pieces):
        parts: list[PackedPart] = []
        for batch in reading.feed(piece):
            devices.note(batch)
            parts += packer.append(plausibility.judged(batch))
        done += len(piece)
        yield Step(done, parts, reading.take_records())
    for batch in reading.finish():
        devices.note(batch)
        yield Step(done, packer.append(plausibility.judged(batch)))
    yield Step(done, (), reading.take_records())
    events = (*reading.events(), *devices.events())
    ledger = plausibility.named(reading.ledger())
    if ledger.unaccounted:
        ledger = _with_the_place(ledger, entry, context, scouted.needs, first)
    findings = Findings(ledger, events, tuple(reading.facts()), tuple(reading.segments))
    for last in packer.finish():
        yield Step(done, last)
    yield findings


def traits_of(catalogue: MetricCatalogue, scouted: Ledger, key: SeriesKey) -> SeriesTraits:
    """What a column of the capture is."""
    return catalogue.describe(
        scouted.tool, scouted.os, key.table, key.native, dict(key.attributes), scouted.tool_version
    )


def _with_the_place(
    ledger: Ledger, entry: ParserEntry, context: ParseContext, needs: Sequence[str], first: bytes
) -> Ledger:
    """The account with the first row that nobody accounts for, where it is among the capture's first bytes: the last
    line of the shortest beginning that has one."""
    lines = first.splitlines(keepends=True)

    def has_some(count: int) -> bool:
        reading = reading_of(entry, context, first[:HEAD_BYTES], needs)
        for _ in chain(reading.feed(b"".join(lines[:count])), reading.finish()):
            continue
        return bool(reading.ledger().unaccounted)

    line = bisect_left(range(len(lines)), True, key=has_some)
    if not has_some(line):
        return ledger
    example = decode_text(lines[line - 1]).strip()[:EXAMPLE_LENGTH]
    return replace(ledger, skipped=tuple(_placed(lines, line, example) for lines in ledger.skipped))


def _placed(skipped: SkippedLines, line: int, example: str) -> SkippedLines:
    return replace(skipped, first_line=line, example=example) if skipped.reason == UNACCOUNTED_ROWS else skipped
