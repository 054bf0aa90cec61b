"""Which conclusions there are, and how many pages they come to."""

from __future__ import annotations

from tunebench.reporting.chapters.context import Context
from tunebench.reporting.conclusions import outcome, purpose, statements
from tunebench.reporting.conclusions.page import Conclusion

MOST_PAGES = 12
"""With the cover."""
MOST_STATEMENTS = 4

CONCLUSIONS: tuple[Conclusion, ...] = (
    Conclusion("problem", purpose.has_problem, purpose.problem),
    Conclusion("goals", lambda context: context.case.cycle.iterations, purpose.goals),
    Conclusion("causes", purpose.has_causes, purpose.causes),
    Conclusion("countermeasures", purpose.has_countermeasures, purpose.countermeasures),
    Conclusion("trade_off", purpose.has_trade_off, purpose.trade_off),
    Conclusion("achieved", outcome.has_result, outcome.achieved),
    Conclusion("resources", outcome.has_resources, outcome.resources),
    Conclusion("pareto", statements.has_statements, statements.pareto),
    Conclusion(
        "statements",
        lambda context: any(case.paged() for case in context.case.databases),
        lambda context: statements.statements(context, _room(context)),
    ),
    Conclusion("worsened", outcome.has_worsened, outcome.worsened),
    Conclusion("ahead", outcome.has_outlook, outcome.ahead),
)
"""In the order of the report."""

IDS = tuple(conclusion.id for conclusion in CONCLUSIONS)


def _room(context: Context) -> int:
    """Pages that the other conclusions leave to single statements."""
    others = sum(1 for conclusion in CONCLUSIONS if conclusion.id != "statements" and conclusion.wanted(context))
    return min(max(MOST_PAGES - 1 - others, 1), MOST_STATEMENTS)
