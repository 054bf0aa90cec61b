"""The sentences on databases: cautions, faults, kinds of captures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from zoneinfo import ZoneInfo

from tunebench.columns.formats import format_time
from tunebench.core.messages import Catalogue, catalogue
from tunebench.usecases.databases.sides import Caution

_FAULT = "fault_"
_UNKNOWN = "?"


def caution_text(caution: Caution, language: str, zone: ZoneInfo) -> str:
    """The sentence of a caution; times are shown in `zone`."""
    messages = catalogue(language)
    if caution.key.startswith(_FAULT):
        return messages.text(f"database.fault.{caution.key.removeprefix(_FAULT)}")
    facts: dict[str, object] = {}
    for name, value in caution.facts.items():
        write = _WRITERS.get(name)
        if write is None:
            facts[name] = value
        else:
            shown, text = write(value, messages, zone)
            facts[shown or name] = text
    if caution.key == "memory_bytes_differs":
        facts = {name: _gigabytes(value) for name, value in facts.items()}
    return messages.text(f"database.warning.{caution.key}", **facts)


def source_text(source: str, language: str) -> str:
    """A kind of capture; one that plug-ins bring along is called as they call it."""
    key = f"database.source.{source}"
    messages = catalogue(language)
    return messages.text(key) if key in messages else source


def length_text(seconds: float | None) -> str:
    """``6:15:00``, ``0:30:00``; a question mark where it is not known."""
    if seconds is None:
        return _UNKNOWN
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def moment_text(time_ns: int | None, zone: ZoneInfo) -> str:
    return _UNKNOWN if time_ns is None else format_time(time_ns, zone)


def _gigabytes(value: object) -> str:
    return f"{float(str(value)) / 2**30:,.1f} GiB"


def _percent(value: object) -> str:
    return _UNKNOWN if value is None else f"{float(str(value)):.1f} %"


Written = tuple[str, str]
"""Another name of the fact where it has one, and its words."""


def _moment(value: object, _messages: Catalogue, zone: ZoneInfo) -> str:
    return moment_text(value if isinstance(value, int) else None, zone)


def _faults(value: object, messages: Catalogue, _zone: ZoneInfo) -> str:
    return " ".join(messages.text(f"database.fault.{fault}") for fault in value) if isinstance(value, list) else ""


def _sources(value: object, messages: Catalogue, _zone: ZoneInfo) -> str:
    return ", ".join(source_text(source, messages.language) for source in value) if isinstance(value, list) else ""


_WRITERS: Mapping[str, Callable[[object, Catalogue, ZoneInfo], Written]] = {
    "begin_ns": lambda value, messages, zone: ("begin", _moment(value, messages, zone)),
    "end_ns": lambda value, messages, zone: ("end", _moment(value, messages, zone)),
    "faults": lambda value, messages, zone: ("", _faults(value, messages, zone)),
    "source": lambda value, messages, _zone: ("", source_text(str(value), messages.language)),
    "sources": lambda value, messages, zone: ("", _sources(value, messages, zone)),
    "before_s": lambda value, _messages, _zone: ("before", length_text(float(str(value)))),
    "after_s": lambda value, _messages, _zone: ("after", length_text(float(str(value)))),
    "before_pct": lambda value, _messages, _zone: ("before", _percent(value)),
    "after_pct": lambda value, _messages, _zone: ("after", _percent(value)),
    "before_weekday": lambda value, messages, _zone: ("before", messages.text(f"database.weekday.{value}")),
    "after_weekday": lambda value, messages, _zone: ("after", messages.text(f"database.weekday.{value}")),
}
