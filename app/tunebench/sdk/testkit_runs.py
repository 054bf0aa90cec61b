"""Runs a parser over bytes in pieces and makes results comparable."""

from __future__ import annotations

import codecs
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.databases.record import DatabaseRecord
from tunebench.core.records import record
from tunebench.domain.capturing.run import SystemFact
from tunebench.domain.engagement import CaptureEvent
from tunebench.domain.ledger import UNACCOUNTED_ROWS, Ledger
from tunebench.sdk.batches import SampleBatch, SeriesKey
from tunebench.sdk.parsing import ParseContext, Parser
from tunebench.sdk.scanning.rows import count_rows
from tunebench.sdk.text import utf16_of

T = TypeVar("T")
Rows = tuple[tuple[int, float, bool, int], ...]
"""(time_ns, value, since boot, line) of one series, missing values left out."""


class Overtime(Exception):
    """A plug-in did not answer in the time it has; its thread cannot be ended and is left behind."""


class Raised(Exception):
    """The plug-in raised; the message names the exception and the line that raised it."""

    def __init__(self, cause: BaseException) -> None:
        last = traceback.extract_tb(cause.__traceback__)[-1:]
        where = f" ({Path(last[0].filename).name}:{last[0].lineno})" if last else ""
        super().__init__(f"{type(cause).__name__}: {cause}{where}")


@record
class Outcome:
    """Everything a parser gave for one capture."""

    batches: tuple[SampleBatch, ...]
    ledger: Ledger
    events: tuple[CaptureEvent, ...]
    facts: tuple[SystemFact, ...] = ()
    records: tuple[DatabaseRecord, ...] = ()

    def values(self, native: str, **attributes: str) -> list[float]:
        """The values of one series in the order of the capture, missing ones left out."""
        wanted = tuple(sorted(attributes.items()))
        for key, rows in merged(self.batches).items():
            if key.native == native and (not wanted or key.attributes == wanted):
                return [value for _, value, _, _ in rows]
        return []


@record(frozen=False)
class _Answer(Generic[T]):
    value: T | None = None
    error: BaseException | None = None


def within(seconds: float, work: Callable[[], T]) -> T:
    """The answer of `work`, which runs a plug-in's code.

    Raises:
        Overtime: it took longer than `seconds`.
        Raised: it raised.
    """
    answer: _Answer[T] = _Answer()

    def run() -> None:
        try:
            answer.value = work()
        except BaseException as error:  # noqa: BLE001 - whatever a plug-in raises is a finding
            answer.error = error

    thread = threading.Thread(target=run, name="plug-in under test", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise Overtime(f"{seconds:g} s")
    if answer.error is not None:
        raise Raised(answer.error) from answer.error
    return answer.value  # type: ignore[return-value]


def context_for(path: Path) -> ParseContext:
    """A fixed context: the same file gives the same result on every machine."""
    return ParseContext(
        file_name=path.name, path=path.name, modified_ns=1_700_000_000 * 10**9, zone=ZoneInfo("Asia/Seoul")
    )


def parse(parser: type[Parser], context: ParseContext, data: bytes, piece: int = 0) -> Outcome:
    """Feeds `data` in pieces of `piece` bytes (0: at once) and collects what comes out."""
    running = parser(context)
    take_records: Callable[[], Sequence[DatabaseRecord]] = getattr(running, "take_records", tuple)  # may be left out
    batches: list[SampleBatch] = []
    records: list[DatabaseRecord] = []
    for part in pieces(data, piece):
        batches.extend(running.feed(part))
        records.extend(take_records())
    batches.extend(running.finish())
    records.extend(take_records())
    facts = tuple(running.facts()) if hasattr(running, "facts") else ()
    return Outcome(tuple(batches), running.ledger(), tuple(running.events()), facts, tuple(records))


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    if not size:
        yield data
        return
    for start in range(0, len(data), size):
        yield data[start : start + size]


def merged(batches: Sequence[SampleBatch]) -> dict[SeriesKey, Rows]:
    """Rows per series whatever the batches' boundaries; a missing value has no row.

    A batch holds NaN for a device that stands in it but not at that time; with other pieces the device is
    in another batch. So NaN says nothing about where a piece ended and is left out.
    """
    rows: dict[SeriesKey, list[tuple[int, float, bool, int]]] = {}
    for batch in batches:
        times, boot, lines = batch.times_ns.tolist(), batch.since_boot.tolist(), batch.line_numbers.tolist()
        for column, key in enumerate(batch.series):
            values = batch.values[:, column]
            own = rows.setdefault(key, [])
            own.extend(
                (times[row], float(values[row]), boot[row], lines[row])
                for row in np.flatnonzero(~np.isnan(values)).tolist()
            )
    return {key: tuple(values) for key, values in rows.items() if values}


def difference(one: Outcome, other: Outcome) -> str:
    """What two outcomes of the same bytes differ in, ``""`` where they agree.

    Samples are read in the order of time; in which order two headings' rows are given is nobody's concern.
    """
    first, second = _by_time(merged(one.batches)), _by_time(merged(other.batches))
    for key in {**first, **second}:
        if first.get(key) != second.get(key):
            return f"{key.table} {key.native} {dict(key.attributes)}"
    if _account(one.ledger) != _account(other.ledger):
        return "ledger"
    if one.events != other.events:
        return "events"
    if one.facts != other.facts:
        return "facts"
    return "records" if one.records != other.records else ""


def _account(ledger: Ledger) -> Ledger:
    """What pieces may not change: warnings in any order; series without a value may be in a batch or not."""
    return replace(
        ledger,
        series=0,
        warnings=tuple(sorted(ledger.warnings)),
        needs=tuple(sorted(ledger.needs)),
        assumptions=tuple(sorted(ledger.assumptions, key=str)),
    )


def _by_time(series: dict[SeriesKey, Rows]) -> dict[SeriesKey, list[tuple[int, int, bool, float]]]:
    return {key: sorted((time, line, boot, value) for time, value, boot, line in rows) for key, rows in series.items()}


def lost_rows(data: bytes, ledger: Ledger) -> int:
    """Rows of numbers in a capture, counted from its bytes alone, that the parser neither counts as data nor left out
    for a reason of its own."""
    own = sum(skip.count for skip in ledger.skipped if skip.reason != UNACCOUNTED_ROWS)
    booked = ledger.lines.skipped - own
    return max(booked, count_rows(_text_of(data)).rows - ledger.lines.data - own)


def count_lines(data: bytes) -> int:
    """Lines of a capture counted from its bytes alone; a last line without an end counts."""
    data = _text_of(data)
    return data.count(b"\n") + (1 if data and not data.endswith(b"\n") else 0)


def _text_of(data: bytes) -> bytes:
    if utf16 := utf16_of(data):
        data = codecs.getincrementaldecoder(utf16)("replace").decode(data).encode()
    return data.removeprefix(codecs.BOM_UTF8)
