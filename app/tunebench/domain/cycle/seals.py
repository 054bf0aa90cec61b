"""What was approved, word for word, and what was changed of it afterwards: neither is ever changed or removed."""

from __future__ import annotations

from typing import Annotated

from tunebench.core.records import record
from tunebench.domain.schema import ByAct, IterationId, Lines, Moment, PersonName

_LEAST_SIGNS = 2


@record
class Seal:
    """The metrics, targets, baselines and the row of the worksheet as they stood when a countermeasure was approved.

    Attributes:
        record: reference of the countermeasure (``action.12``), which may be removed one day; the seal stays.
        content: canonical JSON: keys sorted, no blanks, letters outside ASCII as they are.
        digest: SHA-256 of `content` in UTF-8.
        sealed_at: by the program's own clock, whatever moment was told.
    """

    id: int
    iteration_id: Annotated[IterationId, ByAct("approve")]
    record: Annotated[str, ByAct("approve")]
    content: Annotated[Lines, ByAct("approve")]
    digest: Annotated[str, ByAct("approve")]
    sealed_at: Annotated[Moment, ByAct("approve")]
    sealed_by: Annotated[PersonName, ByAct("approve")]


@record
class Amendment:
    """One field of a sealed record that was changed, with a reason.

    Attributes:
        number: 1, 2, ... through the engagement.
        record: reference of what was changed (``target.7``); `name` its own words then.
        field: name of its field, empty where the record was added or removed.
        old, new: JSON, ``null`` where there was nothing.
        amended_at: by the program's own clock.
        after_result: a result that it bears on was known.
    """

    id: int
    iteration_id: Annotated[IterationId, ByAct("amend")]
    number: Annotated[int, ByAct("amend")]
    record: Annotated[str, ByAct("amend")]
    name: Annotated[str, ByAct("amend")]
    field: Annotated[str, ByAct("amend")]
    old: Annotated[Lines, ByAct("amend")]
    new: Annotated[Lines, ByAct("amend")]
    reason: Annotated[Lines, ByAct("amend")]
    amended_by: Annotated[PersonName, ByAct("amend")]
    amended_at: Annotated[Moment, ByAct("amend")]
    after_result: Annotated[bool, ByAct("amend")]


def has_substance(text: str) -> bool:
    """Whether a text can be a reason at all: a full stop or one letter, however often, says nothing."""
    return len({sign for sign in text.casefold() if sign.isalnum()}) >= _LEAST_SIGNS
