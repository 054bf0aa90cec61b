"""What a series is called where it is read: figures of databases in words, all others as their tools print them."""

from __future__ import annotations

from app.domain.series import SeriesInfo
from app.ui.charts.steps import stepped
from app.ui.charts.value_ticks import unit_text
from app.ui.look.language import has_text, text

_FAMILIES = {"load": "database.load", "time_model": "database.time"}


def figure_words(info: SeriesInfo) -> str:
    """The heading alone: ``logical reads`` for logical_reads."""
    key = f"{_FAMILIES.get(info.table, '')}.{info.native}"
    return text(key) if stepped(info) and has_text(key) else info.native


def series_words(info: SeriesInfo, with_database: bool = True) -> str:
    """``logical reads · ORCL/orcl1``, ``User I/O``: a wait by its name, the database where there are several."""
    if not stepped(info):
        return info.label
    figure = info.attributes.get("wait") or figure_words(info)
    return f"{figure} · {info.attributes['database']}" if with_database else figure


def unit_words(info: SeriesInfo) -> str:
    """Sessions are counted in words: their unit has no sign."""
    return text("ui.charts.unit.sessions") if info.unit == "{session}" else unit_text(info.unit)
