"""The demo's experiment: planned, run in its order, and each result recorded when it was there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np

from tunebench.domain.experiments.order import next_trial
from tunebench.domain.experiments.records import Experiment, Factor, Level, Response
from tunebench.store.project import Project
from tunebench.usecases.demo.story import Story, Table
from tunebench.usecases.experiments import applying, planning, reading, recording

_FACTORS = ("read_ahead", "commit")
_UNITS = {"read_ahead": "sectors", "commit": "rows"}


def run(project: Project, story: Story, table: Table, at: Callable[[datetime], str]) -> int:
    """Gives the experiment's id."""
    by = story.text(table, "by")
    at(table["planned_at"])
    done = applying.apply(project, planning.add(_experiment(story, table)), by)
    added = done.changes[0].after
    assert isinstance(added, Experiment)
    random = np.random.RandomState(table["seed"])
    seconds = np.array(table["seconds"], dtype=np.float64)
    levels = [[str(level) for level in table[name]] for name in _FACTORS]
    moment: datetime = table["begun_at"]
    while (trial := next_trial(reading.read(project).trials_of(added.id))) is not None:
        row, column = (names.index(level) for names, level in zip(levels, trial.cell, strict=True))
        took = round(float(seconds[row, column] * (1.0 + table["differs"] * random.standard_normal())), 1)
        moment += timedelta(seconds=took + 60)
        value = {table["response"]["name"]: took}
        edit = recording.record(reading.read(project), trial.id, value, at=at(moment.replace(microsecond=0)))
        applying.apply(project, edit, by)
    return added.id


def _experiment(story: Story, table: Table) -> Experiment:
    response = table["response"]
    experiment = Experiment(
        0,
        story.text(table, "title"),
        tuple(
            Factor(name, tuple(Level(str(level), float(level)) for level in table[name]), _UNITS[name])
            for name in _FACTORS
        ),
        (Response(response["name"], response["unit"], title=story.text(response, "title")),),
        repetitions=table["repetitions"],
        same_repetitions=table["same_repetitions"],
        seed=table["seed"],
        command=table["command"],
        setup=table["setup"],
        confounders=tuple(table["confounders"][story.language]),
        **story.texts(table, "source", "notes"),
    )
    return story.in_both(experiment)
