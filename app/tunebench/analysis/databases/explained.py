"""What the change of DB time is made of, from before to after: statement by statement, and by wait class.

Everything is per second of either period, so that a longer period is no more work; where a length is not known, in
total. With executions per second e and time per execution t, before (B) and after (A), a statement adds
    volume     (e_A - e_B) t_B    it runs more or less often; at t_A where it runs more often and takes less
    behaviour  e (t_A - t_B)      each execution takes more or less time; e is e_A, at most e_B where that is less time
What ran on one side only is new or gone, or not listed on the other side, with the most it may have cost there. The
rest is what no listed statement tells of; with it the steps add up.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import accumulate, pairwise
from math import fsum, isnan

import numpy as np

from tunebench.analysis.databases.profile_lines import Basis, LineKind, Profile, ProfileComparison
from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_comparison import StatementClass, StatementComparison
from tunebench.analysis.databases.workload import cost_of_volume
from tunebench.core.records import record

FIGURE = "elapsed_s"
MOST_NAMED = 12
"""Steps of single statements; the others are one step of each kind."""
LEAST_NAMED = 0.005
"""Of DB time on the larger side: what is less is no bar that anybody sees, and stands among the others."""


class StepKind(StrEnum):
    """In the order of the steps: first what makes the work another one, then what it costs."""

    GONE = "gone"
    NEW = "new"
    VOLUME = "volume"
    UNLISTED = "unlisted"  # listed on one side only, while the other side's list ends somewhere
    UNDIVIDED = "undivided"  # measured on both sides, and without executions
    REST = "rest"  # DB time that no listed statement tells of
    BEHAVIOUR = "behaviour"


@record
class Step:
    """What one statement, or `count` others together, added to DB time.

    Attributes:
        place: of the statement in its comparison; None of several and of the rest.
        amount: below zero is less time; in the unit of the explanation.
        low, high: what it may be, where a list leaves the statement out; else both are `amount`.
    """

    kind: StepKind
    place: int | None
    count: int
    amount: float
    low: float
    high: float


@record
class ClassStep:
    """What processor time, a wait class, or what nothing accounts for added."""

    kind: LineKind
    name: str
    amount: float


@record
class Explanation:
    """`before` and all of `steps` add up to `after`, and so do `classes` where there are any.

    Attributes:
        basis: seconds per second (sessions at work), or in total.
        times_statements: whether DB time is the sum of the statements' times.
    """

    basis: Basis
    before: float
    after: float
    steps: tuple[Step, ...]
    classes: tuple[ClassStep, ...]
    times_statements: bool = False

    @property
    def change(self) -> float:
        return self.after - self.before

    @property
    def at_equal_work(self) -> float:
        """What would be after without the changes per execution, as these are valued."""
        return self.after - self.total(StepKind.BEHAVIOUR)

    @property
    def levels(self) -> tuple[tuple[float, float], ...]:
        """Begin and end of each step, as bars of a waterfall."""
        ends = list(accumulate((step.amount for step in self.steps), initial=self.before))
        return tuple(pairwise(ends))

    def total(self, kind: StepKind) -> float:
        return fsum(step.amount for step in self.steps if step.kind is kind)


def explained(
    statements: StatementComparison, profile: ProfileComparison, most: int = MOST_NAMED
) -> Explanation | None:
    """Where the change of DB time comes from; None where a side reports none.

    Args:
        most: steps that name their statement, where they are at least `LEAST_NAMED` of DB time.
    """
    old, new = profile.db_times_s
    if not old or not new:
        return None
    lengths = statements.lengths_s
    timed = bool(lengths[0] and lengths[1])
    by = (lengths[0] or 1.0, lengths[1] or 1.0) if timed else (1.0, 1.0)
    before, after = old / by[0], new / by[1]
    amounts = [step for step in _of_statements(statements, *by) if step.amount]
    least = LEAST_NAMED * max(before, after)
    large = [step for step in amounts if max(abs(step.amount), abs(step.low), abs(step.high)) >= least]
    named = sorted(large, key=lambda step: -abs(step.amount))[:most]
    steps = [step for kind in StepKind for step in _of_kind(kind, amounts, named)]
    rest = after - before - fsum(step.amount for step in steps)
    index = next((index for index, step in enumerate(steps) if step.kind is StepKind.BEHAVIOUR), len(steps))
    steps.insert(index, Step(StepKind.REST, None, 0, rest, rest, rest))
    basis = Basis.PER_SECOND if timed else Basis.TOTAL
    classes = (
        _of_classes(profile.classes if profile.classes.lines else profile.events) if profile.basis is basis else ()
    )
    return Explanation(basis, before, after, tuple(steps), classes, profile.times_statements)


def _of_kind(kind: StepKind, steps: list[Step], named: list[Step]) -> Iterator[Step]:
    """The named ones, the least first; then the others as one."""
    own = [step for step in steps if step.kind is kind]
    yield from sorted((step for step in own if step in named), key=lambda step: step.amount)
    others = [step for step in own if step not in named]
    if others:
        sums = (fsum(getattr(step, name) for step in others) for name in ("amount", "low", "high"))
        yield Step(kind, None, len(others), *sums)


def _of_statements(statements: StatementComparison, before_s: float, after_s: float) -> Iterator[Step]:
    """Steps of the outer statements; what ran inside of others is in their time."""
    old, new = statements.before.total(FIGURE) / before_s, statements.after.total(FIGURE) / after_s
    old_runs, new_runs = statements.before.executions(FIGURE) / before_s, statements.after.executions(FIGURE) / after_s
    costs = statements.before.each(FIGURE), statements.after.each(FIGURE)
    volume = (new_runs - old_runs) * cost_of_volume(old_runs, new_runs, *costs)
    bounds = statements.before_bounds[FIGURE] / before_s, statements.after_bounds[FIGURE] / after_s
    counted = statements.before.outer | statements.after.outer
    for row in np.flatnonzero(counted).tolist():
        one, other = _finite(old, row), _finite(new, row)
        if one is None and other is None:
            continue
        if one is None or other is None:
            yield _one_sided(statements.outcomes[row], row, one, other, bounds)
            continue
        whole, of_volume = other - one, float(volume[row])
        if isnan(of_volume) or isnan(costs[1][row]):
            gone, came = other == 0 and new_runs[row] == 0, one == 0 and old_runs[row] == 0
            yield _step(StepKind.GONE if gone else StepKind.NEW if came else StepKind.UNDIVIDED, row, whole)
            continue
        yield _step(StepKind.VOLUME, row, of_volume)
        yield _step(StepKind.BEHAVIOUR, row, whole - of_volume)


def _one_sided(
    outcome: StatementClass, place: int, one: float | None, other: float | None, bounds: tuple[Numbers, Numbers]
) -> Step:
    if one is None:
        amount, bound = other or 0.0, _finite(bounds[0], place)
        sure = outcome is StatementClass.NEW
        low = amount if sure else amount - (amount if bound is None else bound)
        return Step(StepKind.NEW if sure else StepKind.UNLISTED, place, 1, amount, low, amount)
    amount, bound = -one, _finite(bounds[1], place)
    sure = outcome is StatementClass.GONE
    high = amount if sure else amount + (one if bound is None else bound)
    return Step(StepKind.GONE if sure else StepKind.UNLISTED, place, 1, amount, amount, high)


def _step(kind: StepKind, row: int, amount: float) -> Step:
    return Step(kind, row, 1, amount, amount, amount)


def _finite(column: Numbers, row: int) -> float | None:
    value = float(column[row])
    return None if np.isnan(value) else value


def _of_classes(profile: Profile) -> tuple[ClassStep, ...]:
    """Nothing where waits are samples: these are no parts of DB time."""
    if profile.unit != "s":
        return ()
    steps = [
        ClassStep(line.kind, line.name, (line.after.amount or 0.0) - (line.before.amount or 0.0))
        for line in profile.lines
    ]
    return tuple(sorted(steps, key=lambda step: step.amount))
