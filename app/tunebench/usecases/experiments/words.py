"""What an experiment's analysis says, in words of a language."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.analysis.experiments.cautions import Caution
from tunebench.analysis.experiments.comparisons import CellComparison, NoiseFloor
from tunebench.analysis.experiments.curves import Curve
from tunebench.analysis.inference.verdict import Verdict
from tunebench.columns import formats
from tunebench.core.messages import catalogue
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Experiment, Trial, short_names, unmeasured


def verdict_text(verdict: Verdict, language: str) -> str:
    return catalogue(language).text(f"experiment.verdict.{verdict.value}")


def judged_text(compared: CellComparison, language: str) -> str:
    """``better than the reference``; of single runs only that they are ranked."""
    if compared.assumed:
        return catalogue(language).text("experiment.ranking_only")
    return verdict_text(compared.verdict, language)


def outcome_text(part: PartAnalysis | None, language: str) -> str:
    """The outcome of the best cell against the reference; of no part, that nothing was measured."""
    if part is None:
        return verdict_text(Verdict.INSUFFICIENT_DATA, language)
    compared = None if part.best is None else part.comparison_of(part.best)
    return verdict_text(part.verdict, language) if compared is None else judged_text(compared, language)


def variation_text(compared: CellComparison, language: str) -> str:
    """``4.2 % (measured)``: how much runs differ, and where that is known from; empty where it is not known."""
    if compared.variation is None:
        return ""
    source = catalogue(language).text(f"compare.variation.source.{compared.variation.source.value}")
    return f"{100 * compared.variation.sd:.1f} % ({source})"


def settles_text(compared: CellComparison, language: str) -> str:
    """What would settle it; empty where it is settled, or nothing would."""
    if compared.settling is None:
        return ""
    runs, change = compared.settling.occurrences, f"{100 * compared.settling.change:.0f}"
    return catalogue(language).text("experiment.settles", runs=runs, change=change)


def caution_text(caution: Caution, language: str) -> str:
    return catalogue(language).text(f"experiment.caution.{caution.key}", **caution.facts)


def member_text(member: Enum, language: str) -> str:
    """A state, role, order, cache state or direction."""
    return catalogue(language).text(f"experiment.{type(member).__name__.lower()}.{member.value}")


def unmeasured_text(experiment: Experiment, trial: Trial, language: str) -> str:
    """Empty where it has every value, or does not count."""
    missing = ", ".join(unmeasured(experiment, trial))
    return catalogue(language).text("experiment.trial.unmeasured", responses=missing) if missing else ""


def no_variance_text(key: str, language: str) -> str:
    return catalogue(language).text(f"experiment.no_variance.{key}")


def edit_text(name: str, language: str) -> str:
    """The name of an edit, for undo and redo."""
    return catalogue(language).text(f"experiment.edit.{name}")


def ratio_text(compared: CellComparison, language: str, direction: Direction = Direction.LOWER) -> str:
    """``1.24 times worse [1.19, 1.28]``: the interval is of the factor that stands before it.

    What the verdict does not call better or worse is ``0.81 times``, on the scale on which more than 1 is better.
    """
    if compared.ratio is None:
        return catalogue(language).text("experiment.ratio.none")
    better = compared.ratio >= 1
    key = "better" if better else "worse"
    factor = compared.ratio if better else 1 / compared.ratio
    if direction is Direction.NEUTRAL or compared.verdict not in (Verdict.IMPROVED, Verdict.REGRESSED):
        key, factor = "neutral", compared.ratio
    shown = f"{factor:.2f}" if factor < 100 else formats.ratio_text(factor)
    words = catalogue(language).text(f"experiment.ratio.{key}", factor=shown)
    if compared.interval is None:
        return words
    interval = compared.interval.inverted if key == "worse" else compared.interval
    low, high = (f"{end:.3g}" if end < 100 else formats.ratio_text(end) for end in (interval.low, interval.high))
    return f"{words} [{low}, {high}]"


def noise_text(noise: NoiseFloor, language: str) -> str:
    margin = f"{100 * noise.margin:.1f}"
    if noise.floor is None:
        return catalogue(language).text("experiment.noise.unmeasured", margin=margin)
    facts = {"floor": f"{100 * noise.floor:.1f}", "margin": margin, "pairs": min(noise.runs)}
    return catalogue(language).text("experiment.noise.measured", **facts)


def curve_text(curve: Curve, language: str) -> str:
    """Where the curve bends, or why that is not judged; how it scales, where it is a load."""
    return " ".join(filter(None, (_bend_text(curve, language), _scaling_text(curve, language))))


def curve_lines(curves: Sequence[Curve], language: str) -> list[str]:
    """Every sentence once, with the names of its curves where the curves differ."""
    curve_names: dict[str, list[str]] = {}
    for curve in curves:
        curve_names.setdefault(curve_text(curve, language), []).append(name_of_curve(curve))
    return [
        sentence if len(curve_names) == 1 else f"{', '.join(names)}: {sentence}"
        for sentence, names in curve_names.items()
    ]


def name_of_curve(curve: Curve) -> str:
    return " · ".join(level for _factor, level in curve.fixed) or curve.factor


def _scaling_text(curve: Curve, language: str) -> str:
    fit = curve.usl
    if fit is None:
        return ""
    facts = {"sigma": f"{fit.sigma:.3g}", "kappa": f"{fit.kappa:.2g}"}
    if fit.n_star is None or fit.no_peak:
        return catalogue(language).text("experiment.usl.no_peak", **facts)
    peak = {"at": _level_text(fit.n_star, curve.unit), "most": _level_text(fit.x_max or 0.0)}
    return catalogue(language).text("experiment.usl.peak", **facts, **peak)


def _bend_text(curve: Curve, language: str) -> str:
    if curve.knee is None:
        return catalogue(language).text(f"experiment.no_knee.{curve.refusal}")
    knee = curve.knee
    key = "experiment.knee.worsens" if knee.worsens else "experiment.knee.improves"
    return catalogue(language).text(
        key,
        at=_level_text(knee.at, curve.unit),
        low=_level_text(knee.interval.low),
        high=_level_text(knee.interval.high),
        p=f"{knee.p:.2g}",
    )


def _level_text(value: float, unit: str = "") -> str:
    return f"{float(f'{value:.3g}'):,.12g} {unit}".rstrip()


# -- what to run next ----------------------------------------------------------------------------------

FEWEST_RUNS = 3
"""Of each cell, from which on runs tell how much they differ."""


def next_step(analysis: ExperimentAnalysis, trials: Sequence[Trial], language: str) -> tuple[str, str]:
    """Which trial would decide: (sentence, command that runs it or empty); something was measured."""
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
            sentence = f"{names[compared.cell]}: {settles_text(compared, language)}"
            runs = max(compared.n, compared.n_reference) + compared.settling.occurrences
            return sentence, f"{plan} --repetitions {runs}"
    if best is not None and best.verdict is Verdict.INCONCLUSIVE:
        return text("experiment.next.close", best=names[best.cell], reference=names[experiment.reference]), ""
    if part.noise.floor is None:
        return text("experiment.next.noise", reference=names[experiment.reference]), f"{plan} --aa {FEWEST_RUNS}"
    if best is not None and best.verdict is Verdict.IMPROVED:
        return text("experiment.next.confirm", best=names[best.cell]), ""
    return text("experiment.next.nothing"), ""
