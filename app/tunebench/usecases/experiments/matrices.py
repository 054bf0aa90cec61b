"""Experiments that plug-ins bring ready to be run: places and sizes are set, levels are chosen, and it is one's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tunebench.core.errors import UserError
from tunebench.domain.experiments.book import ExperimentEdit
from tunebench.domain.experiments.records import Experiment, Factor, Level
from tunebench.domain.typed_numbers import typed_number
from tunebench.usecases import services
from tunebench.usecases.experiments import planning
from tunebench.usecases.experiments.definition import Told, experiment_of, said


@dataclass(frozen=True, slots=True)
class Setting:
    """What a person sets before the experiment is made: ``{name}`` in its commands."""

    name: str
    label: str
    default: str


@dataclass(frozen=True, slots=True)
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
    found: dict[str, Matrix] = {}
    for path in services.current().plugins.matrices():
        try:
            found.setdefault(path.stem, _matrix(path, language))
        except UserError:  # a faulty file of somebody's plug-in hides no other
            continue
    return tuple(found.values())


def find_matrix(name: str, language: str) -> Matrix:
    """Raises UserError experiment_example_unknown; experiment_file_unreadable with what is wrong in its file."""
    paths = {path.stem: path for path in reversed(services.current().plugins.matrices())}
    if name not in paths:
        raise UserError("experiment_example_unknown", name=name, known=", ".join(reversed(paths)))
    return _matrix(paths[name], language)


def _matrix(path: Path, language: str) -> Matrix:
    told = _read(path)
    try:
        settings = tuple(
            Setting(name, said(each["label"], language), each["default"])
            for name, each in told.get("settings", {}).items()
        )
        made = _made(told, {each.name: each.default for each in settings}, language)
        summary, source = (said(told[name], language) for name in ("summary", "source"))
        return Matrix(path.stem, made.title, summary, source, settings, made)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UserError("experiment_file_unreadable", path=str(path), detail=str(error)) from error


def _read(path: Path) -> Told:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError("experiment_file_unreadable", path=str(path), detail=str(error)) from error


def _made(told: Told, values: Mapping[str, str], language: str) -> Experiment:
    """It is measured here: what it was taken from stands in its notes, and is not the source of its figures."""
    made = experiment_of(_with_settings(told, values), "", language)
    return replace(made, source="", notes="\n".join(filter(None, (made.source, made.notes))))


def _with_settings(value: Any, values: Mapping[str, str]) -> Any:
    """Every text with what was set in place of ``{name}``."""
    if isinstance(value, dict):
        return {key: _with_settings(each, values) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_settings(each, values) for each in value]
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
    known = {each.name: each.default for each in matrix.settings}
    for setting in values:
        if setting not in known:
            raise UserError("experiment_setting_unknown", name=setting, known=", ".join(known) or "-")
    path = next(each for each in services.current().plugins.matrices() if each.stem == name)
    made = _made(_read(path), known | dict(values), language)
    return planning.add(replace(_with_levels(made, only or {}), **changes))


def _with_levels(made: Experiment, only: Mapping[str, Sequence[str]]) -> Experiment:
    for factor in only:
        if made.factor(factor) is None:
            raise _unknown_level(made, factor)
    factors = tuple(_of_wanted(made, each, only.get(each.name)) for each in made.factors)
    there = [{level.name for level in each.levels} for each in factors]
    cells = tuple(cell for cell in made.cells if all(name in known for name, known in zip(cell, there, strict=True)))
    baseline = made.baseline if all(name in each for name, each in zip(made.baseline, there, strict=False)) else ()
    return replace(made, factors=factors, cells=cells, baseline=baseline)


def _of_wanted(made: Experiment, factor: Factor, wanted: Sequence[str] | None) -> Factor:
    """A small server is measured with smaller numbers than the document's: they go into commands as they are said."""
    if wanted is None:
        return factor
    known = tuple(level for level in factor.levels if level.name in wanted)
    others = [name for name in wanted if factor.level(name) is None]
    values = [typed_number(name) for name in others]
    plain = [level.value is not None and level.value == typed_number(level.inserted) for level in factor.levels]
    if others and (made.cells or not all(plain) or None in values):
        raise _unknown_level(made, f"{factor.name}={', '.join(others)}")
    added = (Level(name, value) for name, value in zip(others, values, strict=True))
    return replace(factor, levels=(*known, *added))


def _unknown_level(made: Experiment, words: str) -> UserError:
    names = "; ".join(f"{each.name}: {', '.join(one.name for one in each.levels)}" for each in made.factors)
    return UserError("experiment_cell_unknown", cell=words, known=names)
