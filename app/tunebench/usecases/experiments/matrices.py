"""Experiments that plug-ins bring ready to be run: places and sizes are set, levels are chosen, and it is one's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tunebench.core.errors import UserError
from tunebench.core.records import record
from tunebench.domain.experiments.book import ExperimentEdit
from tunebench.domain.experiments.records import Experiment, Factor, Level
from tunebench.domain.typed_numbers import typed_number
from tunebench.usecases import services
from tunebench.usecases.experiments import planning
from tunebench.usecases.experiments.definition import Table, experiment_of, said


@record
class Setting:
    """What a person sets before the experiment is made: ``{name}`` in its commands."""

    name: str
    label: str
    default: str


@record
class Matrix:
    """
    Attributes:
        name: by which it is asked for.
        made: the experiment as it would be with every setting at its default.
    """

    name: str
    title: str
    summary: str
    source: str
    settings: tuple[Setting, ...]
    made: Experiment


def matrices(language: str) -> tuple[Matrix, ...]:
    """All that can be read, the first of a name."""
    by_name: dict[str, Matrix] = {}
    for path in services.current().plugins.matrices():
        try:
            by_name.setdefault(path.stem, _matrix(path, language))
        except UserError:  # a faulty file of somebody's plug-in hides no other
            continue
    return tuple(by_name.values())


def find_matrix(name: str, language: str) -> Matrix:
    """Raises UserError experiment_example_unknown; experiment_file_unreadable with what is wrong in its file."""
    paths = {path.stem: path for path in reversed(services.current().plugins.matrices())}
    if name not in paths:
        raise UserError("experiment_example_unknown", name=name, known=", ".join(reversed(paths)))
    return _matrix(paths[name], language)


def _matrix(path: Path, language: str) -> Matrix:
    table = _read(path)
    try:
        settings = tuple(
            Setting(name, said(setting["label"], language), setting["default"])
            for name, setting in table.get("settings", {}).items()
        )
        experiment = _built(table, {setting.name: setting.default for setting in settings}, language)
        summary, source = (said(table[name], language) for name in ("summary", "source"))
        return Matrix(path.stem, experiment.title, summary, source, settings, experiment)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UserError("experiment_file_unreadable", path=str(path), detail=str(error)) from error


def _read(path: Path) -> Table:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError("experiment_file_unreadable", path=str(path), detail=str(error)) from error


def _built(table: Table, values: Mapping[str, str], language: str) -> Experiment:
    """The matrix as an experiment measured here: what it was taken from stands in its notes, and is not the source
    of its figures."""
    experiment = experiment_of(_with_settings(table, values), "", language)
    return replace(experiment, source="", notes="\n".join(filter(None, (experiment.source, experiment.notes))))


def _with_settings(value: Any, values: Mapping[str, str]) -> Any:
    """Every text with what was set in place of ``{name}``."""
    if isinstance(value, dict):
        return {key: _with_settings(part, values) for key, part in value.items()}
    if isinstance(value, list):
        return [_with_settings(part, values) for part in value]
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace(f"{{{name}}}", text)
    return value


def matrix_edit(
    name: str, language: str, values: Mapping[str, str], only: Mapping[str, Sequence[str]] | None = None, **changes: Any
) -> ExperimentEdit:
    """The matrix as a new experiment.

    Args:
        values: setting -> what stands for it; the default where it is not given.
        only: factor -> the levels that are wanted of it; one of plain numbers takes others as well.
        changes: further fields of the experiment.

    Raises:
        UserError: experiment_example_unknown, experiment_setting_unknown, experiment_cell_unknown and what
            `planning.add` raises.
    """
    matrix = find_matrix(name, language)
    settings = {setting.name: setting.default for setting in matrix.settings}
    for setting in values:
        if setting not in settings:
            raise UserError("experiment_setting_unknown", name=setting, known=", ".join(settings) or "-")
    path = next(file for file in services.current().plugins.matrices() if file.stem == name)
    experiment = _built(_read(path), settings | dict(values), language)
    return planning.add(replace(_with_levels(experiment, only or {}), **changes))


def _with_levels(experiment: Experiment, only: Mapping[str, Sequence[str]]) -> Experiment:
    for factor in only:
        if experiment.factor(factor) is None:
            raise _unknown_level(experiment, factor)
    factors = tuple(_of_wanted(experiment, factor, only.get(factor.name)) for factor in experiment.factors)
    there = [{level.name for level in factor.levels} for factor in factors]
    cells = tuple(
        cell for cell in experiment.cells if all(name in levels for name, levels in zip(cell, there, strict=True))
    )
    baseline = (
        experiment.baseline
        if all(name in levels for name, levels in zip(experiment.baseline, there, strict=False))
        else ()
    )
    return replace(experiment, factors=factors, cells=cells, baseline=baseline)


def _of_wanted(experiment: Experiment, factor: Factor, wanted: Sequence[str] | None) -> Factor:
    """A small server is measured with smaller numbers than the document's: they go into commands as they are said."""
    if wanted is None:
        return factor
    kept = tuple(level for level in factor.levels if level.name in wanted)
    others = [name for name in wanted if factor.level(name) is None]
    values = [typed_number(name) for name in others]
    plain = [level.value is not None and level.value == typed_number(level.inserted) for level in factor.levels]
    if others and (experiment.cells or not all(plain) or None in values):
        raise _unknown_level(experiment, f"{factor.name}={', '.join(others)}")
    added = (Level(name, value) for name, value in zip(others, values, strict=True))
    return replace(factor, levels=(*kept, *added))


def _unknown_level(experiment: Experiment, words: str) -> UserError:
    names = "; ".join(f"{factor.name}: {', '.join(one.name for one in factor.levels)}" for factor in experiment.factors)
    return UserError("experiment_cell_unknown", cell=words, known=names)
