"""What the program itself knows of the records: when something was entered, beside when somebody says that it happened,
and what the check of the project contradicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime, timedelta

from tunebench.core.records import record
from tunebench.domain.cycle.worksheet import Consent
from tunebench.domain.engagement import Run
from tunebench.domain.translations import without_translations

Told = tuple[int, str | Consent]
"""Of the record of that id: a decision on it, or the field that says when (``executed_at``) or what (``after``)."""
POLICY: Told = (0, "two_roles")
"""When the engagement's policy on one person in two roles was last eased."""
APPROVALS: Told = (0, "approvals")
"""When that on approvals was, and was not made as strict again since."""
_ENTERED_AT_ONCE = timedelta(minutes=5)
"""Moments are typed to the minute, and typing takes some."""


def decision_on(record_id: int, consent: Consent) -> Told:
    """The decision as it was written, whatever says it in another language since."""
    return record_id, without_translations(consent)


@record
class Recorded:
    """The entry of the audit trail that first said it: `entry` orders also where the clock was set back, and lies
    between two where a merge brought it in; `at` is ISO in UTC."""

    entry: float
    at: str


@record
class CameIn:
    """A capture: its run, its first and last sample (UTC, None where it tells no time), and the entry it came in by.

    Attributes:
        columns: the names of its columns, their own and the canonical ones.
        hosts: those that it was read under, one after the other.
        said: what of its time a person told when it was read: ``start``, ``date``.
        contradicts: (name of a capture that says something else of the same seconds, names of the columns).
    """

    run_id: int
    first_ns: int | None
    last_ns: int | None
    recorded: Recorded
    name: str = ""
    columns: frozenset[str] = frozenset()
    hosts: tuple[str, ...] = ()
    said: frozenset[str] = frozenset()
    contradicts: tuple[tuple[str, frozenset[str]], ...] = ()


@record
class Captures:
    """What a result could have been taken from.

    Attributes:
        removed: names of captures that the project held once, and no more.
        columns: run and name of every column, its own and the canonical one; None where nobody asks.
        statements: runs that statements are known of, captured or typed in; None likewise.
    """

    runs: tuple[Run, ...] = ()
    came_in: tuple[CameIn, ...] = ()
    removed: tuple[str, ...] = ()
    columns: frozenset[tuple[int, str]] | None = None
    statements: frozenset[int] | None = None


@record
class Tried:
    """A trial that has a result, or had one.

    Attributes:
        answers_to: the words for the state of the caches by which a source means it; "" where it is the first.
        name: of its cell, with the state of the caches where there are several.
        state: ``done``, ``failed``, ``excluded``, or ``planned`` once more.
        responses: names of what it measured.
        by_hand: no capture bears it out.
        recorded: the entry of its first result.
        corrected: another result stood there once.
        added: planned, or put in, when results of the experiment were there already.
    """

    experiment_id: int
    cell: tuple[str, ...]
    answers_to: tuple[str, ...]
    name: str
    state: str
    responses: tuple[str, ...]
    by_hand: bool
    recorded: Recorded
    corrected: bool
    added: bool


@record
class Tries:
    """`removed`: titles of experiments that had results and are there no more; `titles`: of those that are, by id."""

    trials: tuple[Tried, ...] = ()
    removed: tuple[str, ...] = ()
    titles: Mapping[int, str] = field(default_factory=dict)


@record
class Contradictions:
    """What the check of a project finds wrong in the cycle.

    Attributes:
        found: as the check finds them; `tunebench.usecases.cycle.contradicted.found_text` says them.
        metrics: ids of those whose figures and verdicts rest on them.
    """

    found: tuple[object, ...] = ()
    metrics: frozenset[int] = frozenset()


def is_stated_otherwise(stated: str, recorded: Recorded | None) -> bool:
    """Whether the stated time, or its absence, differs from that of the entry; False where the entry is unknown."""
    if recorded is None:
        return False
    try:
        moment, entered = datetime.fromisoformat(stated), datetime.fromisoformat(recorded.at)
    except ValueError:
        return True
    return moment.tzinfo is None or abs(entered - moment) > _ENTERED_AT_ONCE
