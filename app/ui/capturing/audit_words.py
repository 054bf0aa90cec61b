"""What entries of the audit trail say in the window's language, times in the engagement's zone."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.ui.look.formats import DASH, format_count, format_stamp
from app.ui.look.language import has_text, text
from app.usecases.audit_trail import AuditEntry

SHORT_DIGEST = 12
_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_STAMPED: Final = ("start", "end", "time", "planned_start", "planned_end", "approved_at", "ended_at")
_COUNTED: Final = ("bytes", "count", "commands", "files")
_WORDED: Final = {
    "cause": "gap_cause.",
    "how": "report.approval.",
    "reason": "ui.audit.reason.",
    "state": "ui.state.",
    "leftovers": "report.leftovers.",
    "phase": "phase.",
}
"""Facts that are keys, and where their words are."""


def entry_words(entry: AuditEntry, zone: ZoneInfo, *, brief: bool = True) -> str:
    """The sentence of an entry; of an action that no catalogue knows its name and facts.

    Args:
        brief: digests are cut to their first `SHORT_DIGEST` digits.
    """
    facts = _worded(entry, zone)
    key = f"audit.{entry.action}"
    if has_text(key):
        said = text(key, **facts)
    else:
        said = " ".join([entry.action, *(f"{name}={value}" for name, value in facts.items())])
    return _DIGEST.sub(lambda found: f"{found[0][:SHORT_DIGEST]}…", said) if brief else said


def _worded(entry: AuditEntry, zone: ZoneInfo) -> dict[str, str]:
    facts = {name: fact_words(name, value, zone) for name, value in entry.shown_facts().items()}
    changes = entry.facts.get("changes")
    if isinstance(changes, dict):
        facts["changes"] = "; ".join(_change_words(name, value, zone, entry.action) for name, value in changes.items())
    return facts


def _change_words(name: str, value: object, zone: ZoneInfo, action: str) -> str:
    """A field's [before, after] with an arrow."""
    sides = value if isinstance(value, list) and len(value) == 2 else [value]
    return f"{fact_name(name)}: {' → '.join(_side_words(name, side, zone, action) for side in sides)}"


def _side_words(name: str, side: object, zone: ZoneInfo, action: str) -> str:
    if side is None or side == "":
        return DASH
    key = f"session_state.{side}"
    if name == "state" and action == "session_changed" and has_text(key):
        return text(key)
    return fact_words(name, ", ".join(map(str, side)) if isinstance(side, list) else side, zone)


def fact_words(name: str, value: object, zone: ZoneInfo) -> str:
    """One fact, as `AuditEntry.shown_facts` gives it."""
    shown = str(value)
    if name in _STAMPED and _is_stamp(shown):
        return format_stamp(shown, zone)
    if name in _COUNTED and isinstance(value, int):
        return format_count(value)
    key = _WORDED.get(name, "") + shown
    return text(key) if name in _WORDED and has_text(key) else shown


def _is_stamp(words: str) -> bool:
    """A time with its offset; a time without one is not moved into a zone."""
    try:
        return datetime.fromisoformat(words).tzinfo is not None
    except ValueError:
        return False


def sentences(zone: ZoneInfo, *, brief: bool = True) -> Callable[[AuditEntry], str]:
    """`entry_words` for work on another thread."""
    return lambda entry: entry_words(entry, zone, brief=brief)


def fact_name(name: str) -> str:
    key = f"ui.audit.fact.{name}"
    return text(key) if has_text(key) else name


def plain_facts(entry: AuditEntry, zone: ZoneInfo) -> list[tuple[str, str]]:
    """(name, value) of every fact, whole; what is not known as a dash."""
    return [(fact_name(name), words or DASH) for name, words in _worded(entry, zone).items()]
