"""What a person reads of a conflict, in the window and on the command line."""

from __future__ import annotations

import json

from tunebench.core.messages import catalogue
from tunebench.reporting.cycle_words import field_word
from tunebench.usecases.merging.conflicts import Choice, Conflict, Side

_LONGEST = 300


def subject_text(conflict: Conflict, language: str) -> str:
    """What is said differently: ``Metric · response time (metric.5) · definition``."""
    subject = catalogue(language).text(f"merging.subject.{conflict.subject}")
    field = field_word(conflict.field, language) if conflict.field else ""
    return " · ".join(filter(None, (subject, conflict.name, field)))


def side_text(side: Side, language: str) -> str:
    """What one copy says, by whom and since when where its trail tells."""
    value = value_text(side.value, language)
    if not side.at:
        return value
    return catalogue(language).text("merging.side", value=value, by=side.by or "-", at=side.at[:16].replace("T", " "))


def value_text(value: object, language: str) -> str:
    """A value of a record in a line; words for one that was removed or is empty."""
    if value is None:
        return catalogue(language).text("merging.removed")
    if value in ("", [], {}):
        return catalogue(language).text("merging.empty")
    words = value if isinstance(value, str) else _words(value, language)
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _words(value: object, language: str) -> str:
    if isinstance(value, dict):
        parts = (
            (field_word(str(name), language), part) for name, part in value.items() if part not in ("", [], {}, None)
        )
        return ", ".join(f"{name}: {_words(part, language)}" for name, part in parts)
    if isinstance(value, list):
        return "; ".join(_words(part, language) for part in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def choice_word(choice: Choice, language: str) -> str:
    return catalogue(language).text(f"merging.choice.{choice}")
