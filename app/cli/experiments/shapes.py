"""JSON of experiments: a public contract. Cells are objects from factor to level; what was not measured is null."""

from __future__ import annotations

from collections import Counter
from typing import Any

from app.analysis.experiments.analysis import ExperimentAnalysis, PartAnalysis
from app.analysis.experiments.cautions import Caution
from app.analysis.experiments.comparisons import CellComparison
from app.analysis.experiments.curves import Curve
from app.analysis.experiments.figures import CellFigures, Waiting
from app.analysis.experiments.interactions import InteractionTable
from app.analysis.inference.verdict import Interval
from app.cli.shapes import Shape
from app.domain.experiments.book import ExperimentBook, ExperimentEdit
from app.domain.experiments.order import next_trial
from app.domain.experiments.records import Cell, Experiment, Trial, TrialState
from app.domain.experiments.rules import filled

COMMANDS = ("setup", "command", "teardown")


def head(experiment: Experiment, book: ExperimentBook) -> Shape:
    counts = Counter(trial.state for trial in book.trials_of(experiment.id))
    return {
        "id": experiment.id,
        "title": experiment.title,
        "cells": len(experiment.all_cells),
        "trials": {state.value: counts[state] for state in TrialState},
        "source": experiment.source,
        "example": experiment.example,
    }


def whole(experiment: Experiment, book: ExperimentBook) -> dict[str, Any]:
    return {
        **head(experiment, book),
        "factors": [
            {
                "name": each.name,
                "unit": each.unit,
                "levels": [
                    {"name": level.name, "value": level.value, "insert": level.inserted} for level in each.levels
                ],
            }
            for each in experiment.factors
        ],
        "responses": [
            {"name": each.name, "unit": each.unit, "direction": each.direction.value, "title": each.title}
            for each in experiment.responses
        ],
        "repetitions": experiment.repetitions,
        "order": experiment.order.value,
        "seed": experiment.seed,
        "caches": [each.value for each in experiment.caches],
        "baseline": cell(experiment, experiment.reference),
        "aa_pairs": experiment.same_repetitions,
        "setup": experiment.setup,
        "command": experiment.command,
        "teardown": experiment.teardown,
        "host": experiment.host,
        "notes": experiment.notes,
        "confounders": list(experiment.confounders),
        "plan": [trial(experiment, each) for each in book.trials_of(experiment.id)],
        "next": _next(experiment, book),
    }


def _next(experiment: Experiment, book: ExperimentBook) -> Shape | None:
    """The trial to be run now, with its commands filled in."""
    found = next_trial(book.trials_of(experiment.id))
    if found is None:
        return None
    commands = {name: filled(experiment, getattr(experiment, name), found.cell) for name in COMMANDS}
    return {"id": found.id, "cell": cell(experiment, found.cell), **commands}


def trial(experiment: Experiment, one: Trial) -> Shape:
    return {
        "id": one.id,
        "place": one.place,
        "cell": cell(experiment, one.cell),
        "repetition": one.repetition,
        "cache": one.cache.value,
        "role": one.role.value,
        "state": one.state.value,
        "values": {each.name: one.value(each.name) for each in experiment.responses},
        "reason": one.reason,
        "decided_by": one.decided_by,
        "artefact": one.artefact_id,
        "line": one.line,
        "load_run": one.load_run_id,
        "at": one.at or None,
        "note": one.note,
    }


def cell(experiment: Experiment, levels: Cell) -> Shape:
    return dict(zip((factor.name for factor in experiment.factors), levels, strict=True))


def done(edit: ExperimentEdit) -> dict[str, Any]:
    """The experiments and trials that an edit added or changed, and the ids of what is gone."""
    found: dict[str, list[int]] = {"experiments": [], "trials": [], "removed_experiments": [], "removed_trials": []}
    for change in edit.changes:
        record = change.after or change.before
        if record is not None:
            kind = "experiments" if isinstance(record, Experiment) else "trials"
            found[kind if change.after is not None else f"removed_{kind}"].append(record.id)
    return {"edit": edit.name, **found}


# -- analysis ------------------------------------------------------------------------------------------


def analysis(found: ExperimentAnalysis) -> Shape:
    experiment = found.experiment
    return {
        "id": experiment.id,
        "title": experiment.title,
        "verdict": found.verdict.value,
        "baseline": cell(experiment, experiment.reference),
        "confounders": list(experiment.confounders),
        "cautions": [_caution(each) for each in found.cautions],
        "parts": [_part(experiment, part) for part in found.parts],
        "waiting": [
            {"cache": cache.value, "cells": [_waiting(experiment, each) for each in cells]}
            for cache, cells in found.waiting
        ],
    }


def _caution(one: Caution) -> Shape:
    return {"key": one.key, **one.facts}


def _interval(one: Interval | None) -> list[float] | None:
    return None if one is None else [one.low, one.high]


def _part(experiment: Experiment, part: PartAnalysis) -> Shape:
    return {
        "response": part.response.name,
        "unit": part.response.unit,
        "direction": part.response.direction.value,
        "cache": part.cache.value,
        "verdict": part.verdict.value,
        "best": None if part.best is None else cell(experiment, part.best),
        "noise": {
            "ratio": part.noise.ratio,
            "ci95": _interval(part.noise.interval),
            "runs": list(part.noise.runs),
            "floor": part.noise.floor,
            "margin": part.noise.margin,
        },
        "cells": [_figures(experiment, each) for each in part.cells],
        "comparisons": [_comparison(experiment, each) for each in part.comparisons],
        "ranking": [
            {"place": group.place, "cells": [cell(experiment, each) for each in group.cells]} for group in part.ranking
        ],
        "interactions": [_interaction(each) for each in part.interactions],
        "variance": None
        if part.variance is None
        else {
            "error_df": part.variance.error_df,
            "residual_pct": part.variance.residual_pct,
            "effects": [
                {"factors": list(each.factors), "df": each.df, "f": each.f, "p": each.p, "share": each.share}
                for each in part.variance.effects
            ],
        },
        "no_variance": part.no_variance or None,
        "curves": [_curve(each) for each in part.curves],
        "cautions": [_caution(each) for each in part.cautions],
    }


def _figures(experiment: Experiment, one: CellFigures) -> Shape:
    return {
        "cell": cell(experiment, one.cell),
        "n": one.n,
        "median": one.median,
        "ci95": _interval(one.interval),
        "min": one.minimum,
        "max": one.maximum,
        "spread": one.spread,
        "outliers": list(one.outliers),
        "excluded": one.excluded,
        "failed": one.failed,
        "median_with_excluded": one.median_with_excluded,
    }


def _comparison(experiment: Experiment, one: CellComparison) -> Shape:
    return {
        "cell": cell(experiment, one.cell),
        "n": [one.n_reference, one.n],
        "ratio": one.ratio,
        "ci95": _interval(one.interval),
        "p": one.p,
        "p_adjusted": one.p_adjusted,
        "cliffs_delta": one.cliffs_delta,
        "verdict": one.verdict.value,
        "differs": list(one.differs),
        "runs_missing": one.runs_missing,
        "ratio_with_excluded": one.ratio_with_excluded,
    }


def _interaction(one: InteractionTable) -> Shape:
    return {
        "factors": [one.first, one.second],
        "rows": list(one.first_levels),
        "columns": list(one.second_levels),
        "values": [list(row) for row in one.values],
        "effect": list(one.effect),
        "comparable": one.comparable,
    }


def _curve(one: Curve) -> Shape:
    knee = one.knee
    return {
        "factor": one.factor,
        "unit": one.unit,
        "fixed": dict(one.fixed),
        "points": [list(each) for each in one.points],
        "refusal": one.refusal or None,
        "p": one.p,
        "knee": None
        if knee is None
        else {
            "at": knee.at,
            "ci95": _interval(knee.interval),
            "slope_before": knee.slope_before,
            "slope_after": knee.slope_after,
            "worsens": knee.worsens,
        },
    }


def _waiting(experiment: Experiment, one: Waiting) -> Shape:
    return {
        "cell": cell(experiment, one.cell),
        "n": one.n,
        "real_s": one.real_s,
        "user_s": one.user_s,
        "sys_s": one.sys_s,
        "wait_s": one.wait_s,
        "wait_share": one.share,
        "sys_ratio": one.sys_ratio,
    }
