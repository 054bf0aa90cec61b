"""What the analysis says of an engagement, out of the project, for the report."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from app.analysis.comparing.comparison import Comparison
from app.core.progress import Progress
from app.reporting.cases.analysis import AnalysisCase
from app.store.project import Project
from app.usecases.capacity.case import outlooks
from app.usecases.comparing import case as comparison_case
from app.usecases.comparing import words as compare_words
from app.usecases.experiments.case import experiment_cases
from app.usecases.findings import case as findings_case
from app.usecases.findings.case import FileKey, Told
from app.usecases.findings.diagnose import diagnose
from app.usecases.findings.shift import shift_between
from app.usecases.reports.sides import CaseSide


def analysis_case(
    project: Project, sides: Sequence[CaseSide], found: Comparison | None, told: Told, progress: Progress
) -> AnalysisCase:
    """
    Args:
        sides: those of the case, before first.
        found: their comparison, made once for the whole case.
    """
    language, zone = told.language, told.zone
    diagnosed = [(side.phase.value, diagnose(project, side.window, progress)) for side in sides]
    load, ratio = comparison_case.load_of(found, language, zone) if found else ("", None)
    moved = shift_between(diagnosed[0][1], diagnosed[1][1]) if found else None
    return AnalysisCase(
        gate=comparison_case.checks(found, language, zone) if found else (),
        splits=tuple(compare_words.split_text(each, language, zone) for each in found.split_offers) if found else (),
        load=load,
        driver=compare_words.load_text(found.gate, language, zone) if found else "",
        load_ratio=ratio,
        runs_diagnosed=tuple(
            (phase, side.title) for side, (phase, diagnosis) in zip(sides, diagnosed, strict=True) if diagnosis.rules
        ),
        rules_passed=tuple((phase, len(diagnosis.passed)) for phase, diagnosis in diagnosed),
        findings=findings_case.findings(diagnosed, told),
        rules=findings_case.rules(diagnosed, language),
        unjudged=findings_case.unjudged(diagnosed, language),
        use=findings_case.use_rows(diagnosed, told),
        shift=findings_case.shift_case(moved, diagnosed, told) if moved else None,
        capacity=outlooks(project, told),
        experiments=experiment_cases(project, language, told.file_key),
    )


def words_for(language: str, zone: str, file_key: FileKey) -> Told:
    return Told(language, ZoneInfo(zone), file_key)
