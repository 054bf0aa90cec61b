"""What got worse becomes a price of the change that was carried out, as the answer's next step says."""

from __future__ import annotations

from tunebench.analysis.answering.answer import NextStep, WorseAnswer
from tunebench.analysis.answering.resources import Figure
from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleBook, CycleEdit
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.windows import Window
from tunebench.store.project import Project
from tunebench.usecases.cycle import due
from tunebench.usecases.cycle.edits import find_one
from tunebench.usecases.cycle.from_series import make_price


def take_price(
    project: Project, book: CycleBook, step: NextStep, before: Window | None, after: Window | None, language: str
) -> CycleEdit:
    """
    Args:
        step: ``take_price``.
        before, after: that were compared.

    Raises:
        UserError: price_without_windows where one of them cannot be measured over, and what `make_price` raises.
    """
    worse, action_id = step.facts["worse"], step.facts["action_id"]
    assert isinstance(worse, WorseAnswer) and isinstance(worse.subject, Figure) and isinstance(action_id, int)
    first, second = due.sides(project, before, after)
    if first is None or second is None:
        raise UserError("price_without_windows")
    info = worse.subject.lead.before_parts[0]
    return make_price(project, book, info, find_one(book, Action, action_id), (first, second), language)
