"""The JSON shapes of the command line: a public contract. Keys and enum values are English and stable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from functools import lru_cache
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from tunebench.analysis.inference.verdict import Interval
from tunebench.core.moments import iso

if TYPE_CHECKING:  # each verb loads the values that it shapes
    from tunebench.analysis.statistics import Statistics
    from tunebench.core.messages import Catalogue
    from tunebench.domain.bundle import Bundle
    from tunebench.domain.engagement import Statement
    from tunebench.domain.ledger import Ledger
    from tunebench.domain.series import SeriesInfo
    from tunebench.usecases.importing.results import ImportedFile
    from tunebench.usecases.projects import ArtefactInfo

Shape = dict[str, object]
_JSON_HAS = frozenset({str, int, bool, type(None)})


def plain(value: object) -> object:
    """A value as JSON knows it: an enum's own value, the ends of an interval; what is no number or endless is null."""
    if type(value) in _JSON_HAS:
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Interval):
        return [number(value.low), number(value.high)]
    if isinstance(value, Mapping):
        return {str(plain(name)): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return value


def number(value: float | None) -> float | None:
    """The number; null where it is not measured or endless."""
    return value if value is not None and isfinite(value) else None


def shape(of: object, names: str, zone: ZoneInfo | None = None) -> Shape:
    """The named attributes of a value, in this order.

    Args:
        names: separated by blanks. ``key=name`` is written under another key, ``name?`` is null where it is empty;
            ``name_ns`` is a moment and is written as ISO.
    """
    keys, values_of = _named(names)
    written: Shape = {}
    for (key, is_moment, may_be_empty), value in zip(keys, values_of(of), strict=True):
        if type(value) is float:  # by far most of what is written
            written[key] = value if isfinite(value) and (value or not may_be_empty) else None
        elif is_moment and zone is not None:
            written[key] = time(value, zone)
        else:
            written[key] = None if may_be_empty and not value else plain(value)
    return written


@lru_cache(maxsize=256)
def _named(names: str) -> tuple[tuple[tuple[str, bool, bool], ...], Callable[[object], Sequence[Any]]]:
    """(key, whether it is a moment, whether it is null where it is empty) of each name; what gives all their values."""
    attributes, keys = [], []
    for word in names.split():
        key, _, name = word.removesuffix("?").partition("=")
        attributes.append(name or key)
        keys.append((key, attributes[-1].endswith("_ns"), word.endswith("?")))
    values_of = attrgetter(*attributes)
    return tuple(keys), values_of if len(keys) > 1 else lambda of: (values_of(of),)


def facts_shape(facts: Mapping[str, object], zone: ZoneInfo) -> Shape:
    """The facts, with moments (``at_ns``) as ISO under the name without its unit."""
    return {
        name.removesuffix("_ns"): time(value, zone) if name.endswith("_ns") and isinstance(value, int) else plain(value)
        for name, value in facts.items()
    }


def time(time_ns: int | None, zone: ZoneInfo) -> str | None:
    return None if time_ns is None else iso(time_ns, zone)


def stamp(iso_text: str, zone: ZoneInfo) -> str:
    """A stored UTC stamp as local time with its offset."""
    return datetime.fromisoformat(iso_text).astimezone(zone).isoformat(timespec="seconds")


def ledger(account: Ledger, zone: ZoneInfo) -> Shape:
    names = "tool tool_version os locale zone zone_source first=first_ns last=last_ns interval_s series samples"
    return {
        **shape(account, names, zone),
        "lines": shape(account.lines, "total data header blank skipped"),
        "unaccounted": round(account.unaccounted, 4),
        "rows_lost": account.rows_lost,
        "impossible": shape(account.impossible, "count first_line example"),
        "skipped": [shape(skipped, "reason count first_line example") for skipped in account.skipped],
        **shape(account, "gaps restarts warnings needs"),
        "assumptions": [shape(assumption, "subject value source") for assumption in account.assumptions],
    }


def imported_file(file: ImportedFile, zone: ZoneInfo, messages: Catalogue) -> Shape:
    return {
        **shape(file, "path sha256? state parser? host?"),
        **ledger(file.ledger, zone),
        "facts": file.facts,
        "error": messages.error(file.error) if file.error else None,
    }


def bundle(account: Bundle, messages: Catalogue) -> Shape:
    return {
        **shape(account, "path name form size_bytes sha256? layouts hosts roles totals"),
        "members": [
            {
                **shape(member, "name state kind? size_bytes host? artefact=artefact_id"),
                "reason": messages.error(member.refusal) if member.refusal else None,
                "facts": {name: value for name, value in member.facts.items() if not member.reason},
            }
            for member in account.members
        ],
    }


def artefact(info: ArtefactInfo, host: str, zone: ZoneInfo) -> Shape:
    return {
        **shape(info, "id name sha256 size_bytes state parser=parser_id? parser_version?"),
        "host": host or None,
        "imported_at": info.imported_at,
        **ledger(info.ledger, zone),
    }


def series(info: SeriesInfo, figures: Statistics, zone: ZoneInfo) -> Shape:
    return {
        **shape(info, "id run host tool native metric?"),
        "attributes": {**info.implied, **info.attributes},
        **shape(info, "unit kind"),
        **shape(figures, "count=n missing"),
        **shape(info, "first=first_ns last=last_ns interval_s", zone),
        **shape(figures, "min=minimum mean p50 p95 max=maximum"),
    }


def statement(one: Statement) -> Shape:
    names = "container? plan? text module? executions elapsed_s cpu_s block_gets block_reads rows"
    return shape(one, f"engine id=statement_id {names}")
