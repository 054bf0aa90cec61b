"""Experiments: factors with levels, repetitions in a stated order, and what each trial measured.

An experiment is a frozen value, as its trials are; both are kept with an `id` (0: not kept yet) that is never used
again. What was not measured has no reading: no value is ever 0 for "unknown".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import product
from math import prod
from typing import Annotated

from tunebench.core.records import record
from tunebench.domain.engagement import Direction
from tunebench.domain.schema import Commands, InPlan, PersonName, Prose, Translatable, Words
from tunebench.domain.translations import Translated

Cell = tuple[str, ...]
"""Names of levels, one of each factor in the factors' order."""


class RunOrder(StrEnum):
    """In which order the trials are run."""

    RANDOM = "random"  # rounds of all cells, each round shuffled by the stated seed
    ABAB = "abab"  # rounds of all cells, each in the order of the levels
    LISTED = "listed"  # all repetitions of a cell, then the next cell


class CacheState(StrEnum):
    """How the caches were when the trial began; trials of different states are never put together."""

    COLD = "cold"
    WARM = "warm"
    UNKNOWN = "unknown"


class TrialRole(StrEnum):
    """A/A trials run the reference cell against itself: what they differ by is noise."""

    MEASURE = "measure"
    SAME_FIRST = "a1"
    SAME_SECOND = "a2"


class Statistic(StrEnum):
    """What stands for the samples that probes took while a trial's command ran."""

    MEAN = "mean"
    P95 = "p95"
    MAX = "max"
    LAST = "last"


class TrialState(StrEnum):
    PLANNED = "planned"
    DONE = "done"
    FAILED = "failed"
    EXCLUDED = "excluded"  # measured, and left out by a named person for a reason


@record
class Level:
    """
    Attributes:
        value: in the factor's unit; None for a level that is no number.
        insert: what stands for it in a command; empty: its name.
    """

    name: str
    value: float | None = None
    insert: str = ""

    @property
    def inserted(self) -> str:
        return self.insert or self.name


@record
class Factor:
    name: str
    levels: tuple[Level, ...]
    unit: str = ""

    @property
    def is_numeric(self) -> bool:
        return bool(self.levels) and all(level.value is not None for level in self.levels)

    def level(self, name: str) -> Level | None:
        return next((level for level in self.levels if level.name == name), None)


@record
class Response(Translated):
    """What is measured in each trial; ``real_s``, ``user_s``, ``sys_s`` together also give the time spent waiting.

    Attributes:
        figure: what a reader of the command's output calls it, where that is not its name; with a statistic, the column
            of a probe that runs beside the trials. Words before it tell tool and thing (``iostat sda w_await``).
        statistic: of a probe's samples; None: the figure stands in what the command printed.
    """

    name: str
    unit: str
    direction: Direction = Direction.LOWER
    title: Words = ""
    figure: str = ""
    statistic: Statistic | None = None


@record
class Inserted:
    """A text with a cell's levels that is there before the command runs.

    Attributes:
        into: the absolute path of a file, which is put back afterwards; or ``|`` and a command that reads the text.
    """

    into: str
    text: Commands


@record
class Experiment(Translated):
    """
    Attributes:
        responses: the first one is what the experiment is about.
        repetitions: trials of each cell that are to stand.
        seed: of the random order; the same seed gives the same order everywhere.
        caches: the states that are planned, each with all its trials.
        cells: those that are run; empty: every combination of levels.
        baseline: the cell that others are compared with; empty: the first.
        same_repetitions: pairs of A/A trials of the baseline, run before all others; 0: noise is not measured.
        setup, command, teardown: one command line each, with place-holders ``{factor}``; see `filled`.
        drop: the command that empties the caches before the trials that are to be cold.
        cold_file: a file that was read before; reading it after `drop` shows whether the caches are empty.
        collect: prints what the command left behind, which is read like its own output.
        inserts: files and statements that carry the levels.
        expected: what the output must say of the cell, texts with place-holders (``Number of threads: {threads}``).
        beside: probes that run beside the trials, in the words of a capture; `interval_s` between their samples.
        limit_s: seconds after which a trial is stopped.
        host: name of the profile they run on, or empty.
        source: where the figures come from, when they were not measured in this engagement.
        confounders: what else differed between the trials, or could not be kept equal.
        example: id of the worked example it was made from, or empty.
    """

    id: int
    title: Words
    factors: tuple[Factor, ...]
    responses: tuple[Response, ...]
    repetitions: Annotated[int, InPlan("numbers", 0)] = 10
    order: RunOrder = RunOrder.RANDOM
    seed: Annotated[int, InPlan("numbers", 2)] = 1
    caches: tuple[CacheState, ...] = (CacheState.UNKNOWN,)
    cells: tuple[Cell, ...] = ()
    baseline: Cell = ()
    same_repetitions: Annotated[int, InPlan("numbers", 1)] = 0
    setup: Annotated[Commands, InPlan("commands", 0)] = ""
    command: Annotated[Commands, InPlan("commands", 3)] = ""
    teardown: Annotated[Commands, InPlan("commands", 5)] = ""
    host: Annotated[str, InPlan("host", 0)] = ""
    source: Annotated[Prose, InPlan("remarks", 2)] = ""
    notes: Annotated[Prose, InPlan("remarks", 1)] = ""
    confounders: Annotated[tuple[str, ...], Translatable(), InPlan("remarks", 0)] = ()
    example: str = ""
    drop: Annotated[Commands, InPlan("commands", 1)] = ""
    cold_file: Annotated[str, InPlan("commands", 2)] = ""
    collect: Annotated[Commands, InPlan("commands", 4)] = ""
    inserts: Annotated[tuple[Inserted, ...], InPlan("around", 0)] = ()
    expected: Annotated[tuple[str, ...], InPlan("around", 1)] = ()
    beside: Annotated[tuple[str, ...], InPlan("around", 2)] = ()
    interval_s: Annotated[float, InPlan("seconds", 0)] = 1.0
    limit_s: Annotated[float, InPlan("seconds", 1)] = 3600.0

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """The cells that are run, in the order of the levels."""
        return self.cells or tuple(product(*([level.name for level in factor.levels] for factor in self.factors)))

    @property
    def combinations(self) -> int:
        return prod(len(factor.levels) for factor in self.factors)

    @property
    def reference(self) -> Cell:
        return self.baseline or self.all_cells[0]

    def response(self, name: str) -> Response | None:
        return next((response for response in self.responses if response.name == name), None)

    def factor(self, name: str) -> Factor | None:
        return next((factor for factor in self.factors if factor.name == name), None)

    def levels_of(self, cell: Cell) -> Mapping[str, Level]:
        """Factor -> level."""
        pairs = zip(self.factors, cell, strict=True)
        return {factor.name: level for factor, name in pairs if (level := factor.level(name)) is not None}


@record
class Reading:
    """A response's value in its unit."""

    response: str
    value: float


@record
class Trial(Translated):
    """One run of one cell.

    Attributes:
        repetition: 1, 2, ... within its cell, cache state and role.
        place: 1, 2, ... in the order of all trials of the experiment.
        reason, decided_by: why it failed or was excluded, and who says so.
        artefact_id, line: where its values stand; None where they were typed in.
        load_run_id: the run whose captures show what else the host did meanwhile.
        at: when it ran, ISO; empty where not known.
    """

    id: int
    experiment_id: int
    cell: Cell
    repetition: int = 1
    place: int = 1
    cache: CacheState = CacheState.UNKNOWN
    role: TrialRole = TrialRole.MEASURE
    state: TrialState = TrialState.PLANNED
    values: tuple[Reading, ...] = ()
    reason: Prose = ""
    decided_by: PersonName = ""
    artefact_id: int | None = None
    line: int | None = None
    load_run_id: int | None = None
    at: str = ""
    note: Prose = ""

    def value(self, response: str) -> float | None:
        return next((reading.value for reading in self.values if reading.response == response), None)

    @property
    def is_recorded(self) -> bool:
        return self.state is not TrialState.PLANNED

    @property
    def stands(self) -> bool:
        """Whether the trial counts in the analysis."""
        return self.state is TrialState.DONE


def cell_text(experiment: Experiment, cell: Cell) -> str:
    """``RAID=RAID5 · threads=30``."""
    return " · ".join(f"{factor.name}={name}" for factor, name in zip(experiment.factors, cell, strict=True))


def short_names(experiment: Experiment) -> Mapping[Cell, str]:
    """``ext3 · block=4K``: levels of the factors that vary; a number with its factor, for it says nothing by itself."""
    cells = experiment.all_cells
    varied = [index for index in range(len(experiment.factors)) if len({cell[index] for cell in cells}) > 1]

    def part(cell: Cell, index: int) -> str:
        factor = experiment.factors[index]
        return f"{factor.name}={cell[index]}" if factor.is_numeric else cell[index]

    return {cell: " · ".join(part(cell, index) for index in varied or range(len(cell))) for cell in cells}


def unmeasured(experiment: Experiment, trial: Trial) -> tuple[str, ...]:
    """Responses that a trial which counts has no value of."""
    return tuple(
        response.name for response in experiment.responses if trial.stands and trial.value(response.name) is None
    )


def in_order(trials: Iterable[Trial]) -> tuple[Trial, ...]:
    return tuple(sorted(trials, key=lambda trial: (trial.place, trial.id)))
