"""How a record is named to people, in no language: by its own words, and by what finds it on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from tunebench.domain.cycle.book import Record, kind_of
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import StepNumber

_OWN_WORDS = ("title", "name", "text", "parameter", "korean", "file_name")
_LONGEST_WORDS = 60


def reference_of(record: Record) -> str:
    """``action.12``: the kind and id by which a record is found."""
    return f"{kind_of(record)}.{record.id}"


def label(record: Record) -> str:
    """``E-3 svc_t of ssd2`` for evidence, ``maxcontig (action.12)`` for others."""
    if isinstance(record, Evidence):
        return f"{record.code} {_short(record.caption)}".strip()
    words = own_words(record)
    return f"{_short(words)} ({reference_of(record)})" if words else reference_of(record)


def labels(records: Iterable[Record]) -> str:
    return ", ".join(label(record) for record in records)


def own_words(record: Record) -> str:
    """Its title, name or text; ``step:3`` of a step."""
    number = getattr(record, "number", None)
    if isinstance(number, StepNumber):
        return f"step:{number.value}"
    return next((str(words) for name in _OWN_WORDS if (words := getattr(record, name, ""))), "")


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST_WORDS else line[: _LONGEST_WORDS - 1] + "…"
