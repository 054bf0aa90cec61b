"""JSON of experiments: a public contract. Cells are objects from factor to level; what was not measured is null."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tunebench.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from tunebench.analysis.experiments.cautions import Caution
from tunebench.analysis.experiments.comparisons import CellComparison
from tunebench.analysis.experiments.curves import Curve
from tunebench.analysis.experiments.figures import CellFigures, Waiting
from tunebench.analysis.experiments.interactions import InteractionTable
from tunebench.contract.shapes import Shape, shape
from tunebench.domain.experiments.book import ExperimentBook, ExperimentEdit
from tunebench.domain.experiments.order import next_trial
from tunebench.domain.experiments.records import Cell, Experiment, Trial, TrialState, unmeasured
from tunebench.domain.experiments.rules import filled
from tunebench.domain.schema import planned

_FIGURES = "n median ci95=interval min=minimum max=maximum spread outliers excluded failed median_with_excluded"
_WAITING = "n real_s user_s sys_s wait_s wait_share=share sys_ratio"
ALL_GROUPS = ("numbers", "commands", "around", "seconds", "remarks")
"""Groups of what is planned of an experiment. Where it runs is said when it is run."""
_PLANNED = tuple(name for group in (*ALL_GROUPS, "host") for name in planned(Experiment, group) if name != "inserts")
_CALLED = {"same_repetitions": "aa_pairs=same_repetitions"}
COMMANDS = ("setup", "command", "teardown")


def head(experiment: Experiment, book: ExperimentBook) -> Shape:
    counts = Counter(trial.state for trial in book.trials_of(experiment.id))
    return {
        **shape(experiment, "id title"),
        "cells": len(experiment.all_cells),
        "trials": {state.value: counts[state] for state in TrialState},
        **shape(experiment, "source example"),
    }


def whole(experiment: Experiment, book: ExperimentBook) -> dict[str, Any]:
    return {
        **head(experiment, book),
        "factors": [
            {
                **shape(factor, "name unit"),
                "levels": [shape(level, "name value insert=inserted") for level in factor.levels],
            }
            for factor in experiment.factors
        ],
        "responses": [
            shape(response, "name unit direction title figure statistic") for response in experiment.responses
        ],
        **shape(experiment, "order caches"),
        "baseline": cell(experiment, experiment.reference),
        **shape(experiment, " ".join(_CALLED.get(name, name) for name in _PLANNED)),
        "inserts": [shape(inserted, "into text") for inserted in experiment.inserts],
        "plan": [trial(experiment, planned) for planned in book.trials_of(experiment.id)],
        "next": _next(experiment, book),
    }


def _next(experiment: Experiment, book: ExperimentBook) -> Shape | None:
    """The trial to be run now, with its commands filled in."""
    upcoming = next_trial(book.trials_of(experiment.id))
    if upcoming is None:
        return None
    commands = {name: filled(experiment, getattr(experiment, name), upcoming.cell) for name in COMMANDS}
    return {"id": upcoming.id, "cell": cell(experiment, upcoming.cell), **commands}


def trial(experiment: Experiment, one: Trial) -> Shape:
    return {
        **shape(one, "id place"),
        "cell": cell(experiment, one.cell),
        **shape(one, "repetition cache role state"),
        "values": {response.name: one.value(response.name) for response in experiment.responses},
        "unmeasured": list(unmeasured(experiment, one)),
        **shape(one, "reason decided_by artefact=artefact_id line load_run=load_run_id at? note"),
    }


def cell(experiment: Experiment, levels: Cell) -> Shape:
    return dict(zip((factor.name for factor in experiment.factors), levels, strict=True))


def done(edit: ExperimentEdit) -> dict[str, Any]:
    """The experiments and trials that an edit added or changed, and the ids of what is gone."""
    ids: dict[str, list[int]] = {"experiments": [], "trials": [], "removed_experiments": [], "removed_trials": []}
    for change in edit.changes:
        record = change.after or change.before
        if record is not None:
            kind = "experiments" if isinstance(record, Experiment) else "trials"
            ids[kind if change.after is not None else f"removed_{kind}"].append(record.id)
    return {"edit": edit.name, **ids}


# -- analysis ------------------------------------------------------------------------------------------


def analysis(analysis: ExperimentAnalysis) -> Shape:
    experiment = analysis.experiment
    return {
        **shape(experiment, "id title"),
        "verdict": analysis.verdict.value,
        "baseline": cell(experiment, experiment.reference),
        "confounders": list(experiment.confounders),
        "cautions": [_caution(caution) for caution in analysis.cautions],
        "parts": [_part(experiment, part) for part in analysis.parts],
        "waiting": [
            {"cache": cache.value, "cells": [_of_cell(experiment, cell_times, _WAITING) for cell_times in cells]}
            for cache, cells in analysis.waiting
        ],
    }


def _caution(one: Caution) -> Shape:
    return {"key": one.key, **one.facts}


def _part(experiment: Experiment, part: PartAnalysis) -> Shape:
    return {
        "response": part.response.name,
        **shape(part.response, "unit direction"),
        **shape(part, "cache verdict"),
        "best": None if part.best is None else cell(experiment, part.best),
        "noise": shape(part.noise, "ratio ci95=interval runs floor margin"),
        "cells": [_of_cell(experiment, figures, _FIGURES) for figures in part.cells],
        "comparisons": [_comparison(experiment, comparison) for comparison in part.comparisons],
        "ranking": [
            {"place": group.place, "cells": [cell(experiment, member) for member in group.cells]}
            for group in part.ranking
        ],
        "interactions": [_interaction(interaction) for interaction in part.interactions],
        "variance": None
        if part.variance is None
        else {
            **shape(part.variance, "error_df residual_pct"),
            "effects": [shape(effect, "factors df f p share") for effect in part.variance.effects],
        },
        "no_variance": part.no_variance or None,
        "curves": [_curve(curve) for curve in part.curves],
        "cautions": [_caution(caution) for caution in part.cautions],
    }


def _of_cell(experiment: Experiment, one: CellFigures | Waiting, names: str) -> Shape:
    return {"cell": cell(experiment, one.cell), **shape(one, names)}


def _comparison(experiment: Experiment, one: CellComparison) -> Shape:
    names = "ratio ci95=interval p p_adjusted verdict differs runs_missing ratio_with_excluded"
    return {
        "cell": cell(experiment, one.cell),
        "n": [one.n_reference, one.n],
        **shape(one, names),
        "natural_variation": None if one.variation is None else shape(one.variation, "sd df source"),
        "would_settle": None if one.settling is None else shape(one.settling, "occurrences change"),
    }


def _interaction(one: InteractionTable) -> Shape:
    return {
        "factors": [one.first, one.second],
        **shape(one, "rows=first_levels columns=second_levels values effect comparable"),
    }


def _curve(one: Curve) -> Shape:
    names = "at ci95=interval slope_before slope_after worsens"
    return {
        **shape(one, "factor unit"),
        "fixed": dict(one.fixed),
        **shape(one, "points refusal? p"),
        "knee": None if one.knee is None else shape(one.knee, names),
        "usl": None
        if one.usl is None
        else {**shape(one.usl, "scale sigma kappa n_star x_max"), "no_peak": one.usl.no_peak},
    }
