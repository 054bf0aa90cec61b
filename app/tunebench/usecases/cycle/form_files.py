"""Forms that come back filled in: reading their bytes, writing them, and the sentences on one that is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.cycle.book import CycleEdit, Record, RecordChange, kind_of
from tunebench.reporting.forms.reading import CellProblem, problem_text


class FormRefused(UserError):
    """Cells are wrong, and nothing was taken in; `problems` has all of them, the sentence names each."""

    def __init__(self, path: Path, problems: Sequence[CellProblem]) -> None:
        super().__init__("form_cells_wrong", path=str(path), count=len(problems))
        self.problems = tuple(problems)

    def facts_in(self, language: str) -> dict[str, object]:
        cells = "".join(f"\n- {problem_text(problem, language)}" for problem in self.problems)
        return {**self.facts, "cells": cells}


@record
class TakenIn:
    """What an import did.

    Attributes:
        done: as `cycle.apply` gave it, to be undone; None where no record changed.
        added, changed: records by kind (``issue``, ``action`` ...); the engagement itself counts as ``engagement``.
        remarks: what was not read, and does not matter.
    """

    done: CycleEdit | None
    added: Mapping[str, int]
    changed: Mapping[str, int]
    remarks: tuple[CellProblem, ...] = ()


def taken_in(
    changes: Sequence[RecordChange],
    done: CycleEdit | None,
    remarks: tuple[CellProblem, ...],
    *,
    engagement: bool = False,
) -> TakenIn:
    def kinds(records: Iterable[Record | None]) -> Counter[str]:
        return Counter(kind_of(record) for record in records if record is not None)

    added = kinds(change.after for change in changes if change.before is None)
    changed = kinds(change.after for change in changes if change.before is not None)
    return TakenIn(done, added, {**({"engagement": 1} if engagement else {}), **changed}, remarks)


def read_form(path: Path) -> bytes:
    """Raises UserError form_unreadable."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError("form_unreadable", path=str(path), reason=str(error.strerror or error)) from error
