"""Which trial of an experiment would decide: what to run next, in words, and the command that does it."""

from __future__ import annotations

from collections.abc import Sequence

from tunebench.analysis.experiments.analysis import ExperimentAnalysis
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.messages import catalogue
from tunebench.domain.experiments.records import Trial, short_names
from tunebench.usecases.experiments import words

FEWEST_RUNS = 3
"""Of each cell, from which on runs tell how much they differ."""


def next_step(analysis: ExperimentAnalysis, trials: Sequence[Trial], language: str) -> tuple[str, str]:
    """(sentence, command or empty) of an experiment of which something was measured."""
    experiment, part = analysis.experiment, analysis.parts[0]
    text, names = catalogue(language).text, short_names(experiment)
    plan = f"main.py experiment PROJECT plan {experiment.id}"
    waiting = sum(not trial.is_recorded for trial in trials)
    ranked = [cell for group in part.ranking for cell in group.cells]
    best = None if part.best is None else part.comparison_of(part.best)
    if waiting:
        command = f"main.py experiment PROJECT {'run' if experiment.command else 'show'} {experiment.id}"
        return text("experiment.next.unfinished", waiting=waiting, total=len(trials)), command
    if best is not None and best.only_ranks:
        facts = {"runs": FEWEST_RUNS, "first": names[ranked[0]], "second": names[ranked[1]]}
        return text("experiment.next.repeat", **facts), f"{plan} --repetitions {FEWEST_RUNS} --order random"
    for compared in filter(None, map(part.comparison_of, ranked)):
        if compared.settling is not None:
            sentence = f"{names[compared.cell]}: {words.settles_text(compared, language)}"
            runs = max(compared.n, compared.n_reference) + compared.settling.occurrences
            return sentence, f"{plan} --repetitions {runs}"
    if best is not None and best.verdict is Verdict.INCONCLUSIVE:
        return text("experiment.next.close", best=names[best.cell], reference=names[experiment.reference]), ""
    if part.noise.floor is None:
        return text("experiment.next.noise", reference=names[experiment.reference]), f"{plan} --aa {FEWEST_RUNS}"
    if best is not None and best.verdict is Verdict.IMPROVED:
        return text("experiment.next.confirm", best=names[best.cell]), ""
    return text("experiment.next.nothing"), ""
