"""What series and units are called where people read them."""

from __future__ import annotations

from tunebench.core.messages import Catalogue
from tunebench.domain.engagement import PRESUMED_BY, host_in_words
from tunebench.domain.series import SeriesInfo, is_period_mean

_FAMILIES = {"load": "database.load", "time_model": "database.time"}


def unit_text(unit: str, messages: Catalogue) -> str:
    """A UCUM unit as people write it: ``By`` is ``B``, ``{block}/s`` is ``blocks/s``, ``1`` is nothing."""
    plain = unit.replace("{", "").replace("}", "").strip()
    if plain in ("", "1"):
        return ""
    key = f"unit.{plain}"
    return messages.text(key) if key in messages else plain.removeprefix("1").replace("By", "B")


def host_text(host: str, messages: Catalogue, unnamed: str = "ui.host.unnamed") -> str:
    """A host's name; one that no capture tells is said to be so, by the sentence of `unnamed`."""
    presumed = {by: messages.text(f"host.presumed.{by}") for by in PRESUMED_BY}
    return host_in_words(host, messages.text(unnamed), presumed)


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
