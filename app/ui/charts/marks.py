"""Events and notes of the engagement as marks on a chart; since-boot samples found where they may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from app.domain.engagement import EventKind, Note
from app.domain.series import SeriesInfo
from app.ui.charts.lines import Mark
from app.ui.charts.source import Source
from app.ui.charts.time_ticks import stamp_text
from app.ui.language import text

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
