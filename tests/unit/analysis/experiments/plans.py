"""Experiments and trials that the tests of the analysis start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import (
    CacheState,
    Cell,
    Experiment,
    Factor,
    Level,
    Reading,
    Response,
    Trial,
    TrialRole,
    TrialState,
)


def factor(name: str, *levels: str | float, unit: str = "") -> Factor:
    """Numbers make a numeric factor."""
    return Factor(
        name, tuple(Level(f"{each:g}", each) if isinstance(each, float) else Level(each) for each in levels), unit
    )


def experiment(*factors: Factor, direction: Direction = Direction.LOWER, **fields: object) -> Experiment:
    plan = Experiment(1, "t", factors, (Response("real_s", "s", direction),))
    return replace(plan, **fields)  # type: ignore[arg-type]


def trials(
    values: Mapping[Cell, Sequence[float]],
    *,
    role: TrialRole = TrialRole.MEASURE,
    first: int = 1,
    cache: CacheState = CacheState.UNKNOWN,
    state: TrialState = TrialState.DONE,
    response: str = "real_s",
) -> list[Trial]:
    """In rounds over the cells."""
    found: list[Trial] = []
    for repetition in range(max(map(len, values.values()), default=0)):
        for cell, own in values.items():
            if repetition < len(own):
                id_ = first + len(found)
                found.append(
                    Trial(
                        id_,
                        1,
                        cell,
                        repetition + 1,
                        id_,
                        cache,
                        role,
                        state,
                        (Reading(response, own[repetition]),),
                        "because" if state is TrialState.EXCLUDED else "",
                        "lee",
                    )
                )
    return found
