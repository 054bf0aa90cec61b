"""What an experiment and its trials must be; every refusal is one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite

from tunebench.core.errors import UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.domain.experiments.records import Cell, Experiment, Factor, Trial, TrialRole, TrialState, cell_text

MOST_TRIALS = 20_000
MOST_FACTORS = 8
MOST_REPETITIONS = 1000
MOST_SEED = 2**53
LARGEST_VALUE, SMALLEST_VALUE = 1e100, 1e-100
"""Beyond these, ratios of values leave the range of numbers."""

_BRACES = lazy_pattern(r"\{\{|\}\}|(?<!\$)\{([^{}]*)\}")
LONGEST_LIMIT_S = 7 * 86_400
_PLACE = lazy_pattern(r"\|.*\S.*|/[^\x00-\x1f'\x7f]+")
_ONE_WORD = lazy_pattern(r"\w+")
_UNFIT = lazy_pattern(r"[{}=\n]")


# -- the experiment ------------------------------------------------------------------------------------


def check_experiment(experiment: Experiment) -> None:
    """
    Raises:
        UserError: experiment_title_missing, experiment_no_factor, experiment_factors_too_many, experiment_name_unfit,
            experiment_name_twice, experiment_no_level, experiment_level_value, experiment_no_response,
            experiment_repetitions, experiment_seed, experiment_no_cache, experiment_too_large, experiment_cell_unknown,
            experiment_cell_twice, experiment_placeholder_unknown, experiment_command_lines, experiment_limit,
            experiment_place.
    """
    if not experiment.title.strip():
        raise UserError("experiment_title_missing")
    _check_factors(experiment.factors)
    if not experiment.responses:
        raise UserError("experiment_no_response")
    _once([response.name for response in experiment.responses])
    _check_numbers(experiment)
    _check_cells(experiment)
    lines = (experiment.setup, experiment.command, experiment.teardown, experiment.drop, experiment.collect)
    for template in (*lines, *experiment.expected):
        check_template(experiment, template)
    for insert in experiment.inserts:
        check_place_holders(experiment, insert.text)
        check_template(experiment, insert.into)
        if not _PLACE.fullmatch(insert.into):
            raise UserError("experiment_place", place=insert.into)


def _check_factors(factors: Sequence[Factor]) -> None:
    if not factors:
        raise UserError("experiment_no_factor")
    if len(factors) > MOST_FACTORS:
        raise UserError("experiment_factors_too_many", count=len(factors), limit=MOST_FACTORS)
    _once([factor.name for factor in factors])
    for factor in factors:
        if not factor.levels:
            raise UserError("experiment_no_level", factor=factor.name)
        _once([level.name for level in factor.levels], unfit="\n")
        _check_level_values(factor)


def _check_level_values(factor: Factor) -> None:
    values = [level.value for level in factor.levels if level.value is not None]
    for level in factor.levels:
        if level.value is not None and not _is_usable(level.value):
            raise UserError("experiment_level_value", factor=factor.name, level=level.name)
    if len(set(values)) < len(values):
        twice = next(value for value in values if values.count(value) > 1)
        raise UserError("experiment_name_twice", name=f"{factor.name} {twice:g}")


def _is_usable(value: float) -> bool:
    return isfinite(value) and (value == 0 or SMALLEST_VALUE <= abs(value) <= LARGEST_VALUE)


def _once(names: Sequence[str], unfit: str = "") -> None:
    for name in names:
        if not name.strip() or (unfit in name if unfit else _UNFIT.search(name)):
            raise UserError("experiment_name_unfit", name=name)
        if names.count(name) > 1:
            raise UserError("experiment_name_twice", name=name)


def _check_numbers(experiment: Experiment) -> None:
    if not 1 <= experiment.repetitions <= MOST_REPETITIONS or not 0 <= experiment.same_repetitions <= MOST_REPETITIONS:
        raise UserError("experiment_repetitions", limit=MOST_REPETITIONS)
    if not 0 <= experiment.seed <= MOST_SEED:
        raise UserError("experiment_seed", limit=MOST_SEED)
    if not 1 <= experiment.limit_s <= LONGEST_LIMIT_S or not 1 <= experiment.interval_s <= LONGEST_LIMIT_S:
        raise UserError("experiment_limit", days=LONGEST_LIMIT_S // 86_400)
    if not experiment.caches or len(set(experiment.caches)) < len(experiment.caches):
        raise UserError("experiment_no_cache")
    cells = len(experiment.cells) or experiment.combinations
    trials = len(experiment.caches) * (cells * experiment.repetitions + 2 * experiment.same_repetitions)
    if trials > MOST_TRIALS:
        raise UserError("experiment_too_large", trials=trials, limit=MOST_TRIALS)


def _check_cells(experiment: Experiment) -> None:
    seen: set[Cell] = set()
    for cell in experiment.cells:
        check_levels(experiment, cell)
        if cell in seen:
            raise UserError("experiment_cell_twice", cell=cell_text(experiment, cell))
        seen.add(cell)
    if experiment.baseline:
        check_cell(experiment, experiment.baseline)


def check_levels(experiment: Experiment, cell: Cell) -> None:
    """Raises UserError experiment_cell_unknown where it is not one level of each factor."""
    if len(cell) != len(experiment.factors):
        raise UserError("experiment_cell_unknown", cell=" · ".join(cell), known=_levels_in_words(experiment))
    for factor, name in zip(experiment.factors, cell, strict=True):
        if factor.level(name) is None:
            raise UserError(
                "experiment_cell_unknown", cell=cell_text(experiment, cell), known=_levels_in_words(experiment)
            )


def check_cell(experiment: Experiment, cell: Cell) -> None:
    """Raises UserError experiment_cell_unknown; experiment_cell_not_run where the experiment leaves it out."""
    check_levels(experiment, cell)
    if experiment.cells and cell not in experiment.cells:
        raise UserError("experiment_cell_not_run", cell=cell_text(experiment, cell))


def _levels_in_words(experiment: Experiment) -> str:
    return "; ".join(
        f"{factor.name}: {', '.join(level.name for level in factor.levels)}" for factor in experiment.factors
    )


def check_change(after: Experiment, trials: Iterable[Trial]) -> None:
    """Refuses a change that would alter what was recorded.

    Raises:
        UserError: experiment_cell_recorded, experiment_response_recorded, experiment_cache_recorded, trial_same_cell
            where a recorded trial would lose its cell, its response, its cache state or the reference that it ran
            against itself; and what `check_experiment` raises.
    """
    check_experiment(after)
    cells, names = set(after.all_cells), {response.name for response in after.responses}
    for trial in trials:
        if not trial.is_recorded:
            continue
        if trial.cell not in cells:
            raise UserError("experiment_cell_recorded", cell=" · ".join(trial.cell))
        if trial.cache not in after.caches:
            raise UserError("experiment_cache_recorded", cache=trial.cache.value)
        gone = [reading.response for reading in trial.values if reading.response not in names]
        if gone:
            raise UserError("experiment_response_recorded", response=gone[0])
        _check_role(after, trial)


# -- commands ------------------------------------------------------------------------------------------


def check_template(experiment: Experiment, template: str) -> None:
    """Raises UserError experiment_placeholder_unknown; experiment_command_lines for more than one line."""
    if "\n" in template.strip():
        raise UserError("experiment_command_lines")
    check_place_holders(experiment, template)


def check_place_holders(experiment: Experiment, template: str) -> None:
    """Raises UserError experiment_placeholder_unknown."""
    names = {factor.name for factor in experiment.factors}
    for match in _BRACES.finditer(template):
        name = match.group(1)
        if name and name not in names and _ONE_WORD.fullmatch(name):
            raise UserError("experiment_placeholder_unknown", name=name, known=", ".join(sorted(names)))


def filled(experiment: Experiment, template: str, cell: Cell) -> str:
    """The template with the levels of a cell in place of ``{factor}``.

    ``{{`` and ``}}`` stand for braces; ``${NAME}`` and braces around anything but one word (awk, find) stay.
    """
    levels = experiment.levels_of(cell)

    def value(match: re.Match[str]) -> str:
        if match.group(0) in ("{{", "}}"):
            return match.group(0)[0]
        level = levels.get(match.group(1))
        return level.inserted if level is not None else match.group(0)

    return _BRACES.sub(value, template.strip())


# -- trials --------------------------------------------------------------------------------------------


def check_trial(experiment: Experiment, trial: Trial) -> None:
    """
    Raises:
        UserError: experiment_cell_unknown, experiment_cell_not_run, trial_cache_unplanned, experiment_repetitions,
            trial_same_cell, trial_value_missing, trial_value_unknown, trial_value_number, trial_value_negative,
            trial_reason_missing, trial_person_missing.
    """
    check_cell(experiment, trial.cell)
    if trial.cache not in experiment.caches:
        raise UserError("trial_cache_unplanned", cache=trial.cache.value, known=", ".join(experiment.caches))
    if trial.repetition > MOST_REPETITIONS:
        raise UserError("experiment_repetitions", limit=MOST_REPETITIONS)
    _check_role(experiment, trial)
    _check_values(experiment, trial)
    if trial.state in (TrialState.FAILED, TrialState.EXCLUDED) and not trial.reason.strip():
        raise UserError("trial_reason_missing")
    if trial.state is TrialState.EXCLUDED and not trial.decided_by.strip():
        raise UserError("trial_person_missing")


def _check_role(experiment: Experiment, trial: Trial) -> None:
    if trial.role is not TrialRole.MEASURE and trial.cell != experiment.reference:
        raise UserError("trial_same_cell", cell=cell_text(experiment, experiment.reference))


def _check_values(experiment: Experiment, trial: Trial) -> None:
    names = [reading.response for reading in trial.values]
    responses = ", ".join(response.name for response in experiment.responses)
    for reading in trial.values:
        if experiment.response(reading.response) is None or names.count(reading.response) > 1:
            raise UserError("trial_value_unknown", response=reading.response, known=responses)
        if not _is_usable(reading.value):
            raise UserError("trial_value_number", response=reading.response)
        if reading.value < 0:
            raise UserError("trial_value_negative", response=reading.response, value=f"{reading.value:g}")
    if trial.stands and not trial.values:
        raise UserError("trial_value_missing", known=responses)
