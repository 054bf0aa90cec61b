"""What a decision on the worksheet asks and the records know: offered to who decides, never entered for anybody."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import datetime

from tunebench.core.records import record
from tunebench.diagnosis.cycle.results import baseline_of
from tunebench.domain.capturing.times import NS_PER_S
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import Metric
from tunebench.domain.cycle.worksheet import Action, ActionState, Consent, ExecutedChange
from tunebench.domain.engagement import Run
from tunebench.domain.windows import Window, ends_of
from tunebench.store.project import Project
from tunebench.usecases.cycle.due import sides
from tunebench.usecases.projects import engagement_zone

OPEN = (ActionState.DRAFT, ActionState.PROPOSED, ActionState.ROLLED_BACK)
"""States in which an action can be carried out."""
MINUTE = "%Y-%m-%d %H:%M"
"""How moments are typed."""
_MINUTE_S = 60


@record
class Offered:
    """Texts for the fields of a decision.

    Attributes:
        people: field -> who it was the last time: ``role``, ``name`` of the last decision, ``by`` of the last change.
        moment: ``2026-05-09 16:27`` on the clock of the engagement; empty where it is made now.
    """

    people: Mapping[str, str]
    moment: str


def offered(
    project: Project, book: CycleBook, action: Action | None, before: Window | None, after: Window | None
) -> Offered:
    """
    Args:
        before, after: that are compared.
    """
    consent = last_consent(book)
    people = {"role": consent.role, "name": consent.name} if consent is not None else {}
    people["by"] = last_executor(book)
    moment = None
    if action is not None and action.state in OPEN:
        moment = moment_of_change(book, action, *sides(project, before, after), time.time())
    zone = engagement_zone(project)
    return Offered(people, "" if moment is None else datetime.fromtimestamp(moment, zone).strftime(MINUTE))


def last_consent(book: CycleBook) -> Consent | None:
    """The decision that was entered last; None before the first."""
    consents = [consent for action in book.all(Action) for consent in action.consents]
    return max(consents, key=lambda consent: consent.decided_at, default=None)


def last_executor(book: CycleBook) -> str:
    """Who carried out a change last; empty before the first."""
    lines = book.all(ExecutedChange)
    return lines[-1].executed_by if lines else ""


def moment_of_change(
    book: CycleBook, action: Action, before: Window | Run | None, after: Window | Run | None, now_s: float
) -> int | None:
    """Seconds since 1970 of a moment at which the change can have been made, to the minute: that of another change of
    the iteration, else the middle between what was measured before and what was measured after. None where nothing
    was measured after a gap: then it is made now."""
    others = {other.id for other in book.in_iteration(Action, action.iteration_id)}
    lines = [line for line in book.all(ExecutedChange) if line.action_id in others and not line.rolled_back_at]
    moments = [datetime.fromisoformat(line.executed_at) for line in lines if line.executed_at]
    if moments:
        return int(max(moment.timestamp() for moment in moments))
    metrics = book.in_iteration(Metric, action.iteration_id)
    baselines = [figure.end_ns for metric in metrics if (figure := baseline_of(book, metric.id)) and figure.end_ns]
    end_ns = max([*baselines, *(end for end in (_ends(before)[1],) if end is not None)], default=None)
    start_ns = _ends(after)[0]
    if end_ns is None or start_ns is None or start_ns / NS_PER_S > now_s:
        return None
    middle_s = (end_ns + start_ns) // (2 * NS_PER_S) // _MINUTE_S * _MINUTE_S
    return middle_s if end_ns < middle_s * NS_PER_S <= start_ns else None


def _ends(over: Window | Run | None) -> tuple[int | None, int | None]:
    if isinstance(over, Window):
        return ends_of(over.occurrences)
    return (None, None) if over is None else (over.first_ns, over.last_ns)
