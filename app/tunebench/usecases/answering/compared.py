"""Two windows compared in full: every series and statement, where the bottleneck went, and the one answer of it all."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tunebench.analysis.answering.answer import Answer
from tunebench.analysis.comparing.comparison import Comparison
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.engagement import Run
from tunebench.domain.finding import Shift
from tunebench.domain.windows import Window
from tunebench.store import engagements
from tunebench.store.project import Project
from tunebench.usecases.answering.answer import answer_of
from tunebench.usecases.answering.databases import every_database
from tunebench.usecases.comparing import compare, windows
from tunebench.usecases.databases.compared_statements import AskedStatements, ComparedStatements, compared_statements
from tunebench.usecases.databases.entered_statements import are_left_out
from tunebench.usecases.findings.diagnose import shift


@record
class Compared:
    """
    Attributes:
        runs: those that either window lies in.
        left_out: whether statements were entered by hand and are of no window.
    """

    runs: tuple[Sequence[Run], Sequence[Run]]
    comparison: Comparison
    statements: ComparedStatements
    shift: Shift
    answer: Answer
    zone: ZoneInfo
    left_out: bool


def compare_windows(
    project: Project,
    before: Window,
    after: Window,
    asked: AskedStatements = AskedStatements(),  # noqa: B008  a frozen value
    progress: Progress | None = None,
) -> Compared:
    """
    Args:
        before, after: as `windows.find_window` finds them.

    Raises:
        UserError: as `windows.ready`; no database answers to what was asked for.
    """
    first, second = windows.ready(project, before), windows.ready(project, after)
    runs = windows.whole_runs(project, first), windows.whole_runs(project, second)
    statements = compared_statements(project, before, after, asked)
    databases = every_database(project, before, after, statements.compared)
    comparison = compare.compare(project, first, second, progress, databases[0] if databases else None)
    moved = shift(project, first, second, progress)
    answer = answer_of(project, comparison, databases, moved)
    zone = ZoneInfo(engagements.read_engagement(project).zone)
    return Compared(runs, comparison, statements, moved, answer, zone, are_left_out(project, runs))
