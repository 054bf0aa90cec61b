"""What a person reads of a conflict, in the window and on the command line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from tunebench.core.messages import catalogue
from tunebench.reporting.cycle_words import field_word
from tunebench.usecases.merging.conflicts import Choice, Conflict, Side

_LONGEST = 300


def subject_text(conflict: Conflict, language: str) -> str:
    """What is said differently: ``Metric · response time (metric.5) · definition``."""
    subject = catalogue(language).text(f"merging.subject.{conflict.subject}")
    field = field_word(conflict.field, language) if conflict.field else ""
    return " · ".join(filter(None, (subject, conflict.name, field)))


def side_texts(conflict: Conflict, language: str) -> tuple[str, str]:
    """What mine says, and theirs; of a thing with several fields those that they say differently."""
    mine, theirs = conflict.mine.value, conflict.theirs.value
    if isinstance(mine, dict) and isinstance(theirs, dict):
        mine, theirs = _without(mine, theirs), _without(theirs, mine)
    return _side_text(conflict.mine, mine, language), _side_text(conflict.theirs, theirs, language)


def _without(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in one.items() if other.get(name) != value}


def _side_text(side: Side, value: object, language: str) -> str:
    """What one copy says, by whom and since when where its trail tells."""
    words = value_text(value, language)
    if not side.at:
        return words
    return catalogue(language).text("merging.side", value=words, by=side.by or "-", at=side.at[:16].replace("T", " "))


def value_text(value: object, language: str) -> str:
    """A value of a record in a line; words for one that was removed or is empty."""
    if value is None:
        return catalogue(language).text("merging.removed")
    words = _words("", value, language)
    if not words:
        return catalogue(language).text("merging.empty")
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _words(name: str, value: object, language: str) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        parts = ((name, _words(name, part, language)) for name, part in value.items())
        return ", ".join(f"{field_word(str(name), language)}: {part}" for name, part in parts if part)
    if isinstance(value, list):
        return "; ".join(_words(name, part, language) for part in value)
    if name.endswith("_ns") and isinstance(value, int):
        return f"{datetime.fromtimestamp(value // 1_000_000_000, tz=UTC):%Y-%m-%d %H:%M:%S} UTC"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def choice_word(choice: Choice, language: str) -> str:
    return catalogue(language).text(f"merging.choice.{choice}")
