"""What the sides of a profile are of: the database, its server, its period and where it is told, side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tunebench.analysis.databases.listing import set_apart
from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import format_count, format_time, format_value
from tunebench.core.records import record
from tunebench.usecases.databases.period_words import time_words
from tunebench.usecases.databases.profile_words import not_measured
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.words import length_text, source_text

_ALWAYS = ("database", "version", "instance", "host", "period", "length", "snapshots", "started", "sources")


@record
class Fact:
    name: str
    before: str
    after: str


def identity_columns(sides: tuple[str, ...]) -> list[Column[Fact]]:
    values = (
        Column(
            f"{side}.fact",
            f"ui.profile.column.{side}.value",
            partial(_stated, side=side),
            text=partial(_shown, side=side),
            right=False,
            side=side,
        )
        for side in sides
    )
    return [
        Column("name", "ui.profile.column.fact", text=lambda fact, locale: locale.text(f"ui.profile.fact.{fact.name}")),
        *values,
    ]


def _stated(fact: Fact, side: str) -> str | None:
    return (fact.before if side == "before" else fact.after) or None


def _shown(fact: Fact, locale: Locale, side: str) -> str:
    return _stated(fact, side) or locale.text("ui.profile.not_told")


def identity_rows(before: Side | None, after: Side | None, locale: Locale) -> list[Fact]:
    """Facts that neither side has are left out, but for those in `_ALWAYS`."""
    facts = []
    for name, write in _FACTS.items():
        words = [write(side, locale) if side is not None else "" for side in (before, after)]
        if any(words) or name in _ALWAYS:
            facts.append(Fact(name, *words))
    return facts


def _identity(name: str) -> Callable[[Side, Locale], str]:
    def write(side: Side, _locale: Locale) -> str:
        value = getattr(side.record.identity if side.record else side.database.identity, name)
        value = getattr(side.database.identity, name) if value in ("", None) else value
        return "" if value is None else str(value)

    return write


def _memory(side: Side, _locale: Locale) -> str:
    value = side.database.identity.memory_bytes
    return f"{format_value(value / 2**30)} GiB" if value else ""


def _period(side: Side, locale: Locale) -> str:
    record = side.record
    if record is None:
        return locale.text("ui.profile.not_valid")
    return time_words(record.begin.time_ns if record.begin else None, record.end.time_ns, locale)


def _snapshots(side: Side, _locale: Locale) -> str:
    record = side.record
    ends = (record.begin.snapshot if record.begin else None, record.end.snapshot) if record else (None, None)
    return " – ".join(str(number) for number in ends if number is not None)


def _started(side: Side, locale: Locale) -> str:
    record = side.record
    started_ns = record.end.started_ns if record else None
    return format_time(started_ns, locale.zone) if started_ns is not None else ""


def _db_time(side: Side, locale: Locale) -> str:
    value = side.record.db_time_s if side.record else None
    return f"{format_value(value, 6)} s" if value is not None else not_measured(locale)


def _set_apart(side: Side, _locale: Locale) -> str:
    count = set_apart(side.record) if side.record else None
    return format_count(count) if count is not None else ""


_FACTS: dict[str, Callable[[Side, Locale], str]] = {
    "database": lambda side, _: side.database.label,
    "db_id": _identity("db_id"),
    "unique_name": _identity("unique_name"),
    "version": _identity("version"),
    "edition": _identity("edition"),
    "role": _identity("role"),
    "instance": _identity("instance"),
    "container": _identity("container"),
    "host": lambda side, _: side.database.host,
    "platform": _identity("platform"),
    "cpu_count": _identity("cpu_count"),
    "core_count": _identity("core_count"),
    "memory": _memory,
    "period": _period,
    "length": lambda side, _: length_text(side.record.elapsed_s) if side.record and side.record.elapsed_s else "",
    "snapshots": _snapshots,
    "started": _started,
    "db_time": _db_time,
    "periods": lambda side, _: format_count(len(side.used)),
    "left_out": lambda side, _: format_count(len(side.left_out)),
    "set_apart": _set_apart,
    "sources": lambda side, locale: ", ".join(source_text(source, locale.language) for source in side.database.sources),
}
