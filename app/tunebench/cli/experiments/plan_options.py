"""What is typed by itself in the plan of an experiment, as options of the command line: one for each such field."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from tunebench.cli.arguments import Argument, argument, optional, positive, several
from tunebench.domain.experiments.records import Experiment
from tunebench.domain.schema import RecordField, Shape, planned, schema
from tunebench.usecases.experiments.definition import inserted_of

_NAMES = {
    "same_repetitions": "aa",
    "confounders": "confounder",
    "expected": "expect",
    "inserts": "insert",
    "interval_s": "interval",
    "limit_s": "limit",
}
"""Options that are not called as their field is."""
_METAVARS = {"cold_file": "PATH", "inserts": "FILE=TEXT", "beside": "PROBE"}


def plan_arguments(*groups: str) -> tuple[Argument, ...]:
    """The options of the fields in these groups of the plan."""
    return tuple(map(_argument, _planned(groups)))


def _planned(groups: Sequence[str]) -> Iterator[RecordField]:
    for group in groups:
        yield from (schema(Experiment)[name] for name in planned(Experiment, group))


def _argument(field: RecordField) -> Argument:
    name = _NAMES.get(field.name, field.name)
    option = f"--{name.replace('_', '-')}"
    key = f"cli.experiment.help.{name}"
    if field.hint is int:
        return argument(option, key, "N", dest=field.name, type=int)
    if field.hint is float:
        return argument(option, key, "S", dest=field.name, type=positive)
    metavar = _METAVARS.get(field.name, "LINE" if field.shape is Shape.COMMANDS else "TEXT")
    return (optional if field.hint is str else several)(option, key, metavar, dest=field.name)


def options_of(experiment: Experiment, args: argparse.Namespace, *groups: str) -> dict[str, Any]:
    """Field -> its value as the options of these groups say it; several are added to those of `experiment`."""
    given = {field.name: getattr(args, field.name) for field in _planned(groups)}
    return {
        name: (*getattr(experiment, name), *map(inserted_of if name == "inserts" else str, value))
        if isinstance(value, list)
        else value
        for name, value in given.items()
        if value not in (None, "", [])
    }
