"""Names of a captured column that hold when its capture is read anew and every series gets a new id."""

from __future__ import annotations

from app.domain.cycle import SeriesSource
from app.domain.series import SeriesInfo

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
    """Whether `info` is the very column that `source` names."""
    return (info.host, info.tool, info.native) == (source.host, source.tool, source.native) and tuple(
        sorted(info.attributes.items())
    ) == source.attributes
