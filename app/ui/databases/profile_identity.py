"""Who and when: what both sides of a comparison are of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from zoneinfo import ZoneInfo

from app.analysis.databases.listing import set_apart
from app.ui.databases.figure_words import not_measured
from app.ui.look.formats import format_count, format_span, format_time, format_value
from app.ui.look.language import language, text
from app.ui.tables.column import Column
from app.usecases.databases.facade import Side
from app.usecases.databases.words import length_text, source_text


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    before: str
    after: str


def identity_columns(sides: tuple[str, ...]) -> list[Column[Fact]]:
    told = (
        Column(
            f"{side}.fact",
            f"ui.profile.column.{side}.value",
            partial(_shown, side=side),
            partial(_told, side=side),
            right=False,
            side=side,
        )
        for side in sides
    )
    return [Column("name", "ui.profile.column.fact", lambda fact: text(f"ui.profile.fact.{fact.name}")), *told]


def _told(fact: Fact, side: str) -> str | None:
    return (fact.before if side == "before" else fact.after) or None


def _shown(fact: Fact, side: str) -> str:
    return _told(fact, side) or text("ui.profile.not_told")


def identity_rows(before: Side | None, after: Side | None, zone: ZoneInfo) -> list[Fact]:
    """Facts that neither side tells are left out, but for those that everybody asks for."""
    found = []
    for name, write in _FACTS.items():
        words = [write(side, zone) if side is not None else "" for side in (before, after)]
        if any(words) or name in _ALWAYS:
            found.append(Fact(name, *words))
    return found


_ALWAYS = ("database", "version", "instance", "host", "period", "length", "snapshots", "started", "sources")


def _identity(name: str) -> Callable[[Side, ZoneInfo], str]:
    def write(side: Side, _zone: ZoneInfo) -> str:
        value = getattr(side.record.identity if side.record else side.database.identity, name)
        value = getattr(side.database.identity, name) if value in ("", None) else value
        return "" if value is None else str(value)

    return write


def _memory(side: Side, _zone: ZoneInfo) -> str:
    value = side.database.identity.memory_bytes
    return f"{format_value(value / 2**30)} GiB" if value else ""


def _period(side: Side, zone: ZoneInfo) -> str:
    record = side.record
    if record is None:
        return text("ui.profile.not_valid")
    begin_ns, end_ns = record.begin.time_ns if record.begin else None, record.end.time_ns
    if end_ns is None:
        return text("ui.profile.untimed")
    if begin_ns is None:
        return text("ui.profile.until", time=format_time(end_ns, zone))
    return format_span(begin_ns, end_ns, zone)


def _snapshots(side: Side, _zone: ZoneInfo) -> str:
    record = side.record
    ends = (record.begin.snapshot if record.begin else None, record.end.snapshot) if record else (None, None)
    return " – ".join(str(number) for number in ends if number is not None)


def _started(side: Side, zone: ZoneInfo) -> str:
    record = side.record
    started_ns = record.end.started_ns if record else None
    return format_time(started_ns, zone) if started_ns is not None else ""


def _db_time(side: Side, _zone: ZoneInfo) -> str:
    value = side.record.db_time_s if side.record else None
    return f"{format_value(value, 6)} s" if value is not None else not_measured()


def _set_apart(side: Side, _zone: ZoneInfo) -> str:
    count = set_apart(side.record) if side.record else None
    return format_count(count) if count is not None else ""


_FACTS: dict[str, Callable[[Side, ZoneInfo], str]] = {
    "database": lambda side, _zone: side.database.label,
    "db_id": _identity("db_id"),
    "unique_name": _identity("unique_name"),
    "version": _identity("version"),
    "edition": _identity("edition"),
    "role": _identity("role"),
    "instance": _identity("instance"),
    "container": _identity("container"),
    "host": lambda side, _zone: side.database.host,
    "platform": _identity("platform"),
    "cpu_count": _identity("cpu_count"),
    "core_count": _identity("core_count"),
    "memory": _memory,
    "period": _period,
    "length": lambda side, _: length_text(side.record.elapsed_s) if side.record and side.record.elapsed_s else "",
    "snapshots": _snapshots,
    "started": _started,
    "db_time": _db_time,
    "periods": lambda side, _zone: format_count(len(side.used)),
    "left_out": lambda side, _zone: format_count(len(side.left_out)),
    "set_apart": _set_apart,
    "sources": lambda side, _: ", ".join(source_text(each, language().code) for each in side.database.sources),
}
