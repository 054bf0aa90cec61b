"""What a rule says of one thing over one window, or of several things that were measured at the same times.

The condition is asked at every sample. The rule holds where the share of samples at which it did reaches the rule's
`sustain`: of all samples, or of the last ten minutes, at least ten samples, at some moment of the window - an hour of
trouble in a day is found as well as a day of it. A rule may name a number of samples instead (`last`). Where it takes
means over a stretch of time, or its condition asks for a share, one moment is enough: it stands for many samples.

A capture that is shorter than such a stretch is judged by its mean over all that was seen: what it points to is worth a
look, and no more; that it does not hold is not said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from tunebench.analysis.expressions.figures import Figures
from tunebench.analysis.expressions.judging import judge
from tunebench.analysis.expressions.moments import Bools, Moments, lasting, stretches, trailing_share
from tunebench.analysis.expressions.parsing import Expression
from tunebench.core.records import record
from tunebench.diagnosis.rules.guards import Subject, applies
from tunebench.domain.finding import Severity
from tunebench.sdk.rules import Level, Rule, RuleKind

MOST_STRETCHES = 100
SUSTAIN_S = 600.0
SUSTAIN_SAMPLES = 10
FEW_SAMPLES = 10
"""Fewer judged samples than this, and the finding says so."""
_LEAST_SEEN_S = 60.0
"""Shorter captures point to nothing: a minute is what people call a load that lasts, ours."""


class Outcome(StrEnum):
    HELD = "held"
    NOT_HELD = "not_held"
    # from here on: it could not be judged
    NOT_CAPTURED = "not_captured"
    OTHER_SYSTEM = "other_system"
    OTHER_MEDIA = "other_media"
    OUT_OF_SCOPE = "out_of_scope"  # a scope rule of the pack says that it does not apply
    NEVER_ACTIVE = "never_active"  # there were never enough operations for the figure to mean anything
    TOO_SHORT = "too_short"  # the capture is shorter than the rule's window
    ZERO_DIVISION = "zero_division"
    NO_SAMPLES = "no_samples"
    NO_CONDITION = "no_condition"

    @property
    def judged(self) -> bool:
        return self in (Outcome.HELD, Outcome.NOT_HELD)


@record
class Stretch:
    """Unbroken samples at which a rule held: stamps of the first and the last one."""

    start_ns: int
    end_ns: int
    samples: int


def _nowhere() -> Bools:
    return np.zeros(0, dtype=np.bool_)


@record
class Evaluation:
    """The answer.

    Attributes:
        severity: of the worst level that held; None where none did.
        level: that level; where none held, the one that the source states.
        held, judged: at each sample of the figures; empty where it could not be judged.
        share: `n_held` of `n`; None where nothing was judged.
        n: judged samples. `n_held`: those at which `level` held.
        missing: names that nobody measured. `absent`: the same of optional ones, it was judged without them.
        stretches: where `level` held, the longest ones in order of time; () where the figures have no times.
        n_stretches: of how many.
        cautions: ``one_sample``, ``few_samples``, ``os_unknown``, ``version_unknown``, ``media_unknown``,
            ``database_unknown``, ``scope_unknown``.
        zero_divisions: samples that were not judged because of a division by zero.
        seen_s: how long the capture is, where the rule wants a longer one and this is what it points to.
    """

    rule: Rule
    outcome: Outcome
    severity: Severity | None = None
    level: Level | None = None
    held: Bools = field(default_factory=_nowhere)
    judged: Bools = field(default_factory=_nowhere)
    share: float | None = None
    n: int = 0
    n_held: int = 0
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    stretches: tuple[Stretch, ...] = ()
    n_stretches: int = 0
    cautions: tuple[str, ...] = ()
    zero_divisions: int = 0
    seen_s: float | None = None

    @property
    def n_total(self) -> int:
        return int(self.held.size)


def evaluate(rule: Rule, figures: Figures, subject: Subject | None = None) -> Evaluation:
    """What `rule` says of `subject` by its `figures`; see `Evaluation`."""
    return evaluate_each(rule, figures, subject)[0]


def evaluate_each(rule: Rule, figures: Figures, subject: Subject | None = None) -> list[Evaluation]:
    """`evaluate` for each of the things that `figures` are of, which are alike in what is known of them.

    A condition is asked of all at once; what the samples at which it held amount to only of those that have any.
    """
    things = figures.things or 1
    if rule.expression is None:
        return [Evaluation(rule, Outcome.NO_CONDITION)] * things
    guard = applies(rule.guard, subject or Subject())
    if guard.refusal:
        return [Evaluation(rule, Outcome(guard.refusal))] * things
    missing = tuple(name for name in rule.metrics if name not in figures and name not in rule.optional)
    if missing:
        return [Evaluation(rule, Outcome.NOT_CAPTURED, missing=missing, cautions=guard.cautions)] * things
    scopes = [_in_scope(scope, figures) for scope in rule.scopes]
    cautions = [guard.cautions] * things
    for _, certain in scopes:
        own = zip(cautions, certain, strict=True)
        cautions = [earlier if is_certain else (*guard.cautions, "scope_unknown") for earlier, is_certain in own]
    judged = _Judging(rule, figures, cautions)
    return [
        Evaluation(rule, Outcome.OUT_OF_SCOPE)
        if any(certain[thing] and not inside[thing] for inside, certain in scopes)
        else judged.of(thing)
        for thing in range(things)
    ]


def _in_scope(scope: Rule, figures: Figures) -> tuple[Bools, Bools]:
    """Whether each thing is inside, and whether that is known."""
    assert scope.kind is RuleKind.SCOPE
    assert scope.expression is not None
    answer = judge(scope.expression, figures, scope.tables)
    return np.atleast_1d(answer.held.any(axis=-1)), np.atleast_1d(answer.judged.any(axis=-1))


class _Judging:
    """A rule that can be judged, on each thing of the figures."""

    def __init__(self, rule: Rule, figures: Figures, cautions: Sequence[tuple[str, ...]]) -> None:
        self._rule, self._figures, self._cautions = rule, figures, cautions
        self._levels: dict[tuple[int, float | None], _AtLevel] = {}

    def of(self, thing: int) -> Evaluation:
        rule = self._rule
        if self._active is not None and not self._active[0][thing].any():
            never = Outcome.NEVER_ACTIVE if self._active[1][thing].any() else Outcome.NO_SAMPLES
            return Evaluation(rule, never, cautions=self._cautions[thing])
        first: Evaluation | None = None
        for at, level in enumerate(rule.levels):
            answer = self._at(at, rule.window_s).of(thing, self._cautions[thing])
            if answer.outcome is Outcome.HELD:
                return answer
            if first is None or level.when is rule.expression:
                first = answer
        assert first is not None
        if first.outcome is not Outcome.NO_SAMPLES:
            return first
        why = Outcome.TOO_SHORT if self._may_be_too_short and self._measured[thing] else Outcome.NO_SAMPLES
        provisional = self._provisional(thing) if why is Outcome.TOO_SHORT else None
        return provisional or replace(first, outcome=why)

    @cached_property
    def _active(self) -> tuple[Bools, Bools] | None:
        """The samples with enough to do, and those of which that is known."""
        rule = self._rule
        if rule.only_where is None:
            return None
        answer = judge(rule.only_where, self._figures, rule.tables, rule.optional)
        return np.atleast_2d(answer.held), np.atleast_2d(answer.judged)

    def _at(self, at: int, span_s: float | None) -> _AtLevel:
        """A level, judged by means over such a span where one is given."""
        key = at, span_s
        if key not in self._levels:
            rule, active = self._rule, self._active
            figures = self._figures if span_s is None else self._figures.means(rule.metrics, span_s)
            self._levels[key] = _AtLevel(rule, rule.levels[at], figures, None if active is None else active[0])
        return self._levels[key]

    @property
    def _may_be_too_short(self) -> bool:
        return self._rule.window_s is not None or any(level.when.needs_length for level in self._rule.levels)

    @cached_property
    def _measured(self) -> Bools:
        """Whether each thing has a value of every figure that the rule needs."""
        captured = np.ones((len(self._cautions), 1), dtype=np.bool_)
        for name in self._rule.metrics:
            if name not in self._rule.optional:
                captured &= self._figures.ever(name)
        return captured[:, 0]

    def _provisional(self, thing: int) -> Evaluation | None:
        """What the mean over the longest run points to; None where it is too short for that too, or nothing holds."""
        moments = self._figures.moments
        times = moments.times_ns
        if self._rule.window_s is None or times is None or not times.size:
            return None
        start, end = moments.longest_run()
        samples, seen_s = end - start + 1, float(times[end] - times[start] + moments.interval_ns) / 1e9
        if samples < FEW_SAMPLES or not _LEAST_SEEN_S <= seen_s < self._rule.window_s:
            return None
        cautions = self._cautions[thing]
        for at in range(len(self._rule.levels)):
            answer = self._at(at, seen_s).of(thing, cautions)
            if answer.outcome is Outcome.HELD and answer.severity not in (None, Severity.OK):
                whole = (Stretch(int(times[start]), int(times[end]), samples),)
                hint = replace(answer, severity=Severity.WATCH, n=1, n_held=1, share=1.0, cautions=cautions)
                return replace(hint, stretches=whole, n_stretches=1, seen_s=seen_s)  # one mean, of all that was seen
        return None


class _AtLevel:
    """One level of a rule, judged at every sample of every thing."""

    def __init__(self, rule: Rule, level: Level, figures: Figures, active: Bools | None) -> None:
        self._rule, self._level, self._figures = rule, level, figures
        answer = judge(level.when, figures, rule.tables, rule.optional)
        judged, held = np.atleast_2d(answer.judged), np.atleast_2d(answer.held)
        self._judged = judged if active is None else judged & active
        self._held = held if active is None else held & active
        if level.clear is not None and self._held.any():
            # hysteresis: what was raised lasts until it is cleared, not only while it is above the mark
            cleared = np.atleast_2d(judge(level.clear, figures, rule.tables, rule.optional).held)
            self._held = lasting(self._held, cleared, figures.moments) & self._judged
        self._n = np.count_nonzero(self._judged, axis=-1).tolist()
        self._n_held = np.count_nonzero(self._held, axis=-1).tolist()
        self._zero_divisions = np.broadcast_to(answer.zero_divisions, len(judged)).tolist()
        self._absent = tuple(name for name in rule.metrics if name not in figures)

    def of(self, thing: int, cautions: tuple[str, ...]) -> Evaluation:
        rule, level, moments = self._rule, self._level, self._figures.moments
        n, n_held, zero_divisions = self._n[thing], self._n_held[thing], self._zero_divisions[thing]
        if n == 0:
            nothing = Outcome.ZERO_DIVISION if zero_divisions else Outcome.NO_SAMPLES
            return Evaluation(rule, nothing, cautions=cautions, zero_divisions=zero_divisions)
        held, judged = self._held[thing], self._judged[thing]
        holds = n_held > 0 and (
            _a_moment_says_enough(rule, level.when) or _sustained(rule, level, held, judged, moments)
        )
        where, n_stretches = _stretches(held, moments) if holds else ((), 0)
        return Evaluation(
            rule=rule,
            outcome=Outcome.HELD if holds else Outcome.NOT_HELD,
            severity=level.severity if holds else None,
            level=level,
            held=held,
            judged=judged,
            share=n_held / n,
            n=n,
            n_held=n_held,
            absent=self._absent,
            stretches=where,
            n_stretches=n_stretches,
            cautions=cautions + _of_number(n, self._figures),
            zero_divisions=zero_divisions,
        )


def _a_moment_says_enough(rule: Rule, when: Expression) -> bool:
    return rule.window_s is not None or when.windowed


def _sustained(rule: Rule, level: Level, held: Bools, judged: Bools, moments: Moments) -> bool:
    """Whether a level held long enough: what is fine must hold on the whole, trouble need last ten minutes."""
    if np.count_nonzero(held) / np.count_nonzero(judged) >= rule.sustain:
        return True
    if level.severity is Severity.OK:
        return False
    if rule.last is None:
        first, covered = moments.at_least(SUSTAIN_SAMPLES, SUSTAIN_S)
    else:
        first, covered = moments.last(rule.last)
    return bool(np.any(trailing_share(held, judged, first, covered) >= rule.sustain))


def _of_number(n: int, figures: Figures) -> tuple[str, ...]:
    """A value of the configuration is no sample: one is all there is of it."""
    if figures.moments.times_ns is None or n >= FEW_SAMPLES:
        return ()
    return ("one_sample",) if n == 1 else ("few_samples",)


def _stretches(held: Bools, moments: Moments) -> tuple[tuple[Stretch, ...], int]:
    """The longest stretches, and how many there are."""
    times = moments.times_ns
    if times is None:
        return (), 0
    first, last = stretches(held, moments)
    kept = np.arange(first.size)
    if first.size > MOST_STRETCHES:
        kept = np.sort(np.argpartition(first - last, MOST_STRETCHES)[:MOST_STRETCHES])
    rows = zip(first[kept].tolist(), last[kept].tolist(), strict=True)
    return tuple(Stretch(int(times[a]), int(times[b]), b - a + 1) for a, b in rows), int(first.size)
