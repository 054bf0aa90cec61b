"""What a window asks of the method before anybody acts: orders, gates, standings; nothing here changes anything."""

from __future__ import annotations

from app.diagnosis.cycle.causes import ranked_causes as ranked_causes
from app.diagnosis.cycle.gates import closing_advice as closing_advice
from app.diagnosis.cycle.gates import may_abandon as may_abandon
from app.diagnosis.cycle.gates import may_close as may_close
from app.diagnosis.cycle.gates import may_continue as may_continue
from app.diagnosis.cycle.gates import may_execute as may_execute
from app.diagnosis.cycle.gates import may_finish as may_finish
from app.diagnosis.cycle.gates import may_skip as may_skip
from app.diagnosis.cycle.planned import Planned as Planned
from app.diagnosis.cycle.planned import planned_and_happened as planned_and_happened
from app.diagnosis.cycle.results import VerificationStanding as VerificationStanding
from app.diagnosis.cycle.results import change_between as change_between
from app.diagnosis.cycle.results import latest_result as latest_result
from app.diagnosis.cycle.results import summary_of as summary_of
from app.diagnosis.cycle.steps_left import StepsLeft as StepsLeft
from app.diagnosis.cycle.steps_left import steps_left as steps_left
from app.diagnosis.cycle.worksheet_rules import is_approved as is_approved
from app.diagnosis.words import advice_text as advice_text
