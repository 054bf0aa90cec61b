"""What two copies say differently of one thing, and what a person decides about it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from tunebench.core.records import record


class Choice(StrEnum):
    """Which side of a conflict holds."""

    MINE = "mine"
    THEIRS = "theirs"
    BOTH = "both"  # where the thing has a name, theirs beside mine


class Subject(StrEnum):
    """What a conflict is about; the words are ``merging.subject.VALUE``."""

    ENGAGEMENT = "engagement"
    NARRATIVE = "narrative"
    MEASUREMENT = "measurement"
    STATEMENTS = "statements"
    NOTE = "note"
    HOST = "host"
    RUN = "run"
    DEVICES = "devices"
    COUNTING = "counting"
    CAPTURE = "capture"
    SESSION = "session"
    PROFILE = "profile"
    LOOK = "look"
    RECORD = "record"
    WINDOW = "window"
    APPROVALS = "approvals"
    EXECUTIONS = "executions"
    RESULTS = "results"
    EXPERIMENT = "experiment"
    TRIAL = "trial"


@record
class Side:
    """What a copy says: `value` is JSON, None where it has removed the thing; `by` and `at` (ISO, UTC) are those of its
    last entry about it, empty where the trail does not tell."""

    value: object
    by: str = ""
    at: str = ""


@record
class Conflict:
    """
    Attributes:
        key: names it in a plan, the same each time the same copies are merged: ``window.3``, ``metric.5 title``.
        name: what people call the thing.
        field: of the thing; empty for the thing as a whole.
        choices: what a person may decide.
        usual: what holds where nobody decided: nothing is dropped where both can stand.
    """

    key: str
    subject: Subject
    name: str
    field: str
    mine: Side
    theirs: Side
    choices: tuple[Choice, ...] = (Choice.MINE, Choice.THEIRS)
    usual: Choice = Choice.MINE


ONE_SIDE = (Choice.MINE, Choice.THEIRS)
BESIDE = (Choice.MINE, Choice.THEIRS, Choice.BOTH)


def what_stands(mine: object, theirs: object) -> tuple[tuple[Choice, ...], Choice]:
    """What may be decided, and what holds else, of a thing that both copies changed: both where both have it, and what
    one removed and the other changed stays."""
    if mine is None or theirs is None:
        return ONE_SIDE, Choice.THEIRS if mine is None else Choice.MINE
    return BESIDE, Choice.BOTH


Choices = Mapping[str, Choice]


def chosen(conflict: Conflict, choices: Choices) -> Choice:
    return choices.get(conflict.key, conflict.usual)
