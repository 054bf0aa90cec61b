"""Events and notes of the engagement as marks on a chart; since-boot samples found where they may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from app.domain.databases.records import Fault
from app.domain.engagement import EventKind, Note
from app.domain.series import SeriesInfo
from app.ui.charts.lines import Mark
from app.ui.charts.source import Source
from app.ui.charts.steps import PeriodSpan
from app.ui.charts.time_range import SECOND_NS
from app.ui.charts.time_ticks import stamp_text
from app.ui.look.language import text

_MOST_WORD = 60


def event_marks(events: Iterable[Any], host_names: Mapping[int, str], zone: ZoneInfo) -> list[Mark]:
    """One mark per stored event; devices that come and go are told in words only."""
    return [_event_mark(stored, host_names.get(stored.host_id or -1, ""), zone) for stored in events]


def _event_mark(stored: Any, host: str, zone: ZoneInfo) -> Mark:
    event = stored.event
    kind = str(event.kind)
    word = text(f"ui.charts.event.{kind}")
    if event.text:
        word = event.text if kind in (EventKind.COMMENT, EventKind.MARK) else f"{word} {event.text}"
    when = stamp_text(event.start_ns, zone)
    if event.end_ns is not None:
        when += " – " + stamp_text(event.end_ns, zone)
    detail = "\n".join(part for part in (f"{text(f'ui.charts.event.{kind}')}  {when}", host, event.text) if part)
    return Mark(kind, event.start_ns, event.end_ns, word[:_MOST_WORD], detail, host, stored)


_TELLING = (
    Fault.RESTART,
    Fault.RESET,
    Fault.NEGATIVE,
    Fault.OTHER_DATABASE,
    Fault.EVICTED,
    Fault.TRUNCATED,
    Fault.CPU_COUNT,
)


def period_marks(spans: Iterable[PeriodSpan], zone: ZoneInfo) -> list[Mark]:
    """What is wrong with periods of databases: a restart at its moment where that is known, else over the period."""
    return [_period_mark(span, fault, zone) for span in spans for fault in span.faults if fault in _TELLING]


def not_yet_told(found: Iterable[Mark], known: Sequence[Mark]) -> list[Mark]:
    """Without restarts that a capture has told of itself, within a minute on the same host."""
    told = [(mark.host, mark.time_ns) for mark in known if mark.kind == "restart"]
    return [
        mark
        for mark in found
        if mark.kind != "restart"
        or not any(host in ("", mark.host) and abs(time_ns - mark.time_ns) < 60 * SECOND_NS for host, time_ns in told)
    ]


def _period_mark(span: PeriodSpan, fault: Fault, zone: ZoneInfo) -> Mark:
    words = text("ui.charts.database.period", database=span.database, words=text(f"database.fault.{fault}"))
    when = f"{stamp_text(span.begin_ns, zone)} – {stamp_text(span.end_ns, zone)}"
    started_ns = span.started_ns
    known = fault is Fault.RESTART and started_ns is not None and span.begin_ns <= started_ns <= span.end_ns
    time_ns, end_ns = (started_ns, None) if known else (span.begin_ns, span.end_ns)
    kind = "restart" if fault is Fault.RESTART else "fault"
    return Mark(kind, time_ns or span.begin_ns, end_ns, words[:_MOST_WORD], f"{words}\n{when}", span.host)


def note_marks(notes: Iterable[Note], zone: ZoneInfo) -> list[Mark]:
    return [
        Mark("mark", note.time_ns, None, note.text[:_MOST_WORD], f"{stamp_text(note.time_ns, zone)}\n{note.text}")
        for note in notes
        if note.time_ns is not None
    ]


def since_boot_samples(source: Source, info: SeriesInfo, restarts_ns: Iterable[int]) -> tuple[tuple[int, float], ...]:
    """(time, value) of averages since boot: the block before a capture's first sample, or around a restart.

    A series' own first and last times do not count them.
    """
    reach_ns = round(2.5 * (info.interval_s or 1.0) * 1e9)
    begins = [None] if info.first_ns is None else [info.first_ns, *restarts_ns]
    found: dict[int, float] = {}
    for begin_ns in begins:
        around = (None, None) if begin_ns is None else (begin_ns - reach_ns, begin_ns + reach_ns)
        data = source.series_data(info.id, *around)
        times, values = data.times_ns[data.since_boot].tolist(), data.values[data.since_boot].tolist()
        found |= {time_ns: value for time_ns, value in zip(times, values, strict=True) if not math.isnan(value)}
    return tuple(sorted(found.items()))
