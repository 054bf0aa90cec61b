"""Which conclusions there are, in the order of the report."""

from __future__ import annotations

from tunebench.reporting.conclusions import database_page, ground_page, kind_page, outcome, purpose, study_page
from tunebench.reporting.conclusions.page import Conclusion

CONCLUSIONS: tuple[Conclusion, ...] = (
    Conclusion("achieved", outcome.has_result, outcome.achieved),
    Conclusion("causes", purpose.has_causes, purpose.causes),
    Conclusion("kinds", kind_page.has_kinds, kind_page.kinds),
    Conclusion("resources", outcome.has_resources, outcome.resources),
    Conclusion("databases", database_page.has_databases, database_page.databases),
    Conclusion("countermeasures", purpose.has_countermeasures, purpose.countermeasures),
    Conclusion("worsened", outcome.has_worsened, outcome.worsened),
    Conclusion("ahead", outcome.has_outlook, outcome.ahead),
    Conclusion("studies", study_page.has_further, lambda context: list(study_page.studies(context))[1:]),
    Conclusion("grounds", lambda context: context.case.windows, ground_page.grounds),
)
"""Page one stands before them, in every shape that has it."""

IDS = tuple(conclusion.id for conclusion in CONCLUSIONS)
