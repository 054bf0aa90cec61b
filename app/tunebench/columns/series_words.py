"""What series and units are called where people read them."""

from __future__ import annotations

from tunebench.core.messages import Catalogue
from tunebench.domain.series import SeriesInfo, is_period_mean

_FAMILIES = {"load": "database.load", "time_model": "database.time"}


def unit_text(unit: str) -> str:
    """A UCUM unit as people write it: ``By`` is ``B``, ``{count}/s`` is ``/s``, ``1`` is nothing."""
    plain = "" if unit == "1" else unit
    while "{" in plain and "}" in plain:
        plain = plain[: plain.index("{")] + plain[plain.index("}") + 1 :]
    return plain.replace("By", "B")


def figure_name(info: SeriesInfo, messages: Catalogue) -> str:
    """The heading alone: ``logical reads`` for logical_reads."""
    key = f"{_FAMILIES.get(info.table, '')}.{info.native}"
    return messages.text(key) if is_period_mean(info) and key in messages else info.native


def series_name(info: SeriesInfo, messages: Catalogue, with_database: bool = True) -> str:
    """``logical reads · ORCL/orcl1``, ``User I/O``: a wait by its name, the database where there are several."""
    if not is_period_mean(info):
        return info.label
    figure = info.attributes.get("wait") or figure_name(info, messages)
    return f"{figure} · {info.attributes['database']}" if with_database else figure


def unit_name(info: SeriesInfo, messages: Catalogue) -> str:
    """Sessions are counted in words: their unit has no sign."""
    return messages.text("unit.sessions") if info.unit == "{session}" else unit_text(info.unit)
