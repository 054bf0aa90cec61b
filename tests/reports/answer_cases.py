"""The answer that a made case has, as the use case makes it of a project."""

from __future__ import annotations

from dataclasses import replace

from tunebench.analysis.answering import ranking
from tunebench.analysis.answering.answer import (
    Answer,
    Headline,
    MeasuredIn,
    NextStep,
    Scope,
    TargetAnswer,
    WorseAnswer,
    counted,
)
from tunebench.analysis.answering.certainty import certainty_of
from tunebench.analysis.answering.resources import figures
from tunebench.analysis.comparing.comparison import Comparison
from tunebench.analysis.inference.verdict import Verdict
from tunebench.domain.engagement import Phase
from tunebench.domain.provenance import Judgement
from tunebench.domain.windows import Window
from tunebench.reporting.cases.answer import AnswerCase
from tunebench.reporting.cases.case import CaseWindow, SuccessCase
from tunebench.reporting.cases.cycle import CaseTarget


def with_answer(case: SuccessCase) -> SuccessCase:
    rows = tuple(judged.row for judged in case.comparison)
    every = figures(Comparison(Window(0, ""), Window(0, ""), rows))
    iteration = next(reversed(case.cycle.iterations), None)
    targets = tuple(_target(target) for target in iteration.targets) if iteration is not None else ()
    first: list[Headline] = [*targets[:1], *ranking.strongest(every)[:1], *every[:1]]
    headline = next(iter(first), None)
    worse = tuple(WorseAnswer(figure) for figure in every if figure.lead.verdict is Verdict.REGRESSED)
    windows = {window.phase: _measured_in(window) for window in case.windows}
    answer = Answer(
        windows=(windows.get(Phase.BEFORE, MeasuredIn("")), windows.get(Phase.AFTER, MeasuredIn(""))),
        headline=headline,
        targets=targets,
        figures=every,
        tiles=ranking.tiles(every, len(targets)),
        kinds=(),
        databases=(),
        worse=worse[: ranking.MOST_WORSE],
        more_worse=max(len(worse) - ranking.MOST_WORSE, 0),
        price=(),
        bottleneck={},
        gate=(),
        certainty=certainty_of(headline),
        next=(NextStep("report"),),
        counts=counted(rows, every),
    )
    return replace(case, answer=AnswerCase(answer))


def _target(target: CaseTarget) -> TargetAnswer:
    assert target.target is not None
    return TargetAnswer(
        Scope.ITERATION,
        target.metric,
        target.target.baseline,
        target.now,
        target.change,
        target.target.value,
        Judgement("cycle.target_state", target.state),
        target.interval,
        descriptive=target.descriptive,
        priority=target.target.priority,
    )


def _measured_in(window: CaseWindow) -> MeasuredIn:
    spans = window.occurrences
    if not spans:
        return MeasuredIn(window.name)
    return MeasuredIn(window.name, spans[0].start_ns, spans[-1].end_ns, len(spans))
