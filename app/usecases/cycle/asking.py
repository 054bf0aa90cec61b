"""What a window asks of the method before anybody acts: orders, gates, standings; nothing here changes anything."""

from __future__ import annotations

from app.diagnosis.cycle.causes import ranked_causes
from app.diagnosis.cycle.gates import (
    closing_advice,
    may_abandon,
    may_close,
    may_continue,
    may_execute,
    may_finish,
    may_skip,
)
from app.diagnosis.cycle.planned import Planned, planned_and_happened
from app.diagnosis.cycle.results import (
    VerificationStanding,
    baseline_of,
    change_between,
    latest_result,
    reached,
    summary_of,
    verification_standings,
)
from app.diagnosis.cycle.steps_left import LackingStep, StepsLeft, steps_left
from app.diagnosis.cycle.worksheet_rules import is_approved
from app.diagnosis.words import advice_text
from app.reporting.cycle_words import word_key

__all__ = [
    "LackingStep",
    "Planned",
    "StepsLeft",
    "VerificationStanding",
    "advice_text",
    "baseline_of",
    "change_between",
    "closing_advice",
    "is_approved",
    "latest_result",
    "may_abandon",
    "may_close",
    "may_continue",
    "may_execute",
    "may_finish",
    "may_skip",
    "planned_and_happened",
    "ranked_causes",
    "reached",
    "steps_left",
    "summary_of",
    "verification_standings",
    "word_key",
]
