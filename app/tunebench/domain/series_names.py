"""Names of a captured column that hold when its capture is read anew and every series gets a new id."""

from __future__ import annotations

from dataclasses import replace

from tunebench.domain.cycle.records import SeriesSource
from tunebench.domain.series import SeriesInfo

_BAR = "|"


def source_of(info: SeriesInfo) -> SeriesSource:
    return SeriesSource(info.host, info.tool, info.native, info.metric, tuple(sorted(info.attributes.items())))


def series_name(source: SeriesSource) -> str:
    """``db1|iostat|svc_t|device=ssd2``; the canonical metric is no part of it."""
    pairs = (f"{name}={value}" for name, value in source.attributes)
    return _BAR.join((source.host, source.tool, source.native, *pairs))


def name_of(info: SeriesInfo) -> str:
    return series_name(source_of(info))


def is_series(source: SeriesSource, info: SeriesInfo) -> bool:
    """Whether `info` is the very column that `source` names; a renamed device goes by any of its names."""
    return (info.host, info.tool, info.native) == (source.host, source.tool, source.native) and any(
        source_of(known_as).attributes == source.attributes for known_as in by_every_name(info)
    )


def by_every_name(info: SeriesInfo) -> tuple[SeriesInfo, ...]:
    """The series under each name that its device went by."""
    if not info.devices:
        return (info,)
    return tuple(replace(info, attributes={**info.attributes, "device": name}) for name in info.devices)


def names_of(info: SeriesInfo) -> tuple[str, ...]:
    """`name_of` under each name that its device went by."""
    return tuple(name_of(known_as) for known_as in by_every_name(info))
