"""What a rule says of one thing over one window.

The condition is asked at every sample. The rule holds where the share of samples at which it did reaches the rule's
`sustain`: of all samples, or of the last ten minutes, at least ten samples, at some moment of the window - an hour of
trouble in a day is found as well as a day of it. A rule may name a number of samples instead (`last`). Where it takes
means over a stretch of time, or its condition asks for a share, one moment is enough: it stands for many samples.

A capture that is shorter than such a stretch is judged by its mean over all that was seen: what it points to is worth a
look, and no more; that it does not hold is not said.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from app.analysis.expressions import Expression, Figures, judge
from app.analysis.expressions.moments import Bools, Moments, lasting, stretches, trailing_share
from app.diagnosis.rules.guards import Subject, applies
from app.domain.finding import Severity
from app.sdk.rules import Level, Rule, RuleKind

__all__ = ["Evaluation", "Outcome", "Stretch", "Subject", "evaluate"]

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


@dataclass(frozen=True, slots=True)
class Stretch:
    """Unbroken samples at which a rule held: stamps of the first and the last one."""

    start_ns: int
    end_ns: int
    samples: int


def _nowhere() -> Bools:
    return np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True, slots=True)
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
    if rule.expression is None:
        return Evaluation(rule, Outcome.NO_CONDITION)
    guard = applies(rule.guard, subject or Subject())
    if guard.refusal:
        return Evaluation(rule, Outcome(guard.refusal))
    missing = tuple(name for name in rule.metrics if name not in figures and name not in rule.optional)
    if missing:
        return Evaluation(rule, Outcome.NOT_CAPTURED, missing=missing, cautions=guard.cautions)
    scopes = [_in_scope(scope, figures) for scope in rule.scopes]
    if False in scopes:
        return Evaluation(rule, Outcome.OUT_OF_SCOPE)
    cautions = guard.cautions + (("scope_unknown",) if None in scopes else ())
    return _judged(rule, figures, cautions)


def _in_scope(scope: Rule, figures: Figures) -> bool | None:
    """None where it is not known."""
    assert scope.kind is RuleKind.SCOPE
    assert scope.expression is not None
    answer = judge(scope.expression, figures, scope.tables)
    return bool(answer.held.any()) if answer.judged.any() else None


def _judged(rule: Rule, figures: Figures, cautions: tuple[str, ...]) -> Evaluation:
    active = None
    if rule.only_where is not None:
        activity = judge(rule.only_where, figures, rule.tables, rule.optional)
        active = activity.held
        if not active.any():
            never = Outcome.NEVER_ACTIVE if activity.judged.any() else Outcome.NO_SAMPLES
            return Evaluation(rule, never, cautions=cautions)
    seen = figures if rule.window_s is None else figures.means(rule.metrics, rule.window_s)
    first: Evaluation | None = None
    for level in rule.levels:
        answer = _at_level(rule, level, seen, active, cautions)
        if answer.outcome is Outcome.HELD:
            return answer
        if first is None or level.when is rule.expression:
            first = answer
    assert first is not None
    if first.outcome is not Outcome.NO_SAMPLES:
        return first
    why = _why_nothing(rule, figures)
    provisional = _provisional(rule, figures, active, cautions) if why is Outcome.TOO_SHORT else None
    return provisional or replace(first, outcome=why)


def _provisional(rule: Rule, figures: Figures, active: Bools | None, cautions: tuple[str, ...]) -> Evaluation | None:
    """What the mean over the longest run points to; None where it is too short for that too, or nothing holds."""
    times = figures.moments.times_ns
    if rule.window_s is None or times is None or not times.size:
        return None
    start, end = figures.moments.longest_run()
    samples, seen_s = end - start + 1, float(times[end] - times[start] + figures.moments.interval_ns) / 1e9
    if samples < FEW_SAMPLES or not _LEAST_SEEN_S <= seen_s < rule.window_s:
        return None
    means = figures.means(rule.metrics, seen_s)
    for level in rule.levels:
        answer = _at_level(rule, level, means, active, cautions)
        if answer.outcome is Outcome.HELD and answer.severity not in (None, Severity.OK):
            whole = (Stretch(int(times[start]), int(times[end]), samples),)
            told = replace(answer, severity=Severity.WATCH, n=1, n_held=1, share=1.0, cautions=cautions)
            return replace(told, stretches=whole, n_stretches=1, seen_s=seen_s)  # one mean, of all that was seen
    return None


def _at_level(
    rule: Rule, level: Level, figures: Figures, active: Bools | None, cautions: tuple[str, ...]
) -> Evaluation:
    answer = judge(level.when, figures, rule.tables, rule.optional)
    judged = answer.judged if active is None else answer.judged & active
    held = answer.held if active is None else answer.held & active
    n = int(np.count_nonzero(judged))
    if n == 0:
        nothing = Outcome.ZERO_DIVISION if answer.zero_divisions else Outcome.NO_SAMPLES
        return Evaluation(rule, nothing, cautions=cautions, zero_divisions=answer.zero_divisions)
    if level.clear is not None:
        held = _until_cleared(held, level.clear, rule, figures) & judged
    n_held = int(np.count_nonzero(held))
    moments = figures.moments
    holds = n_held > 0 and (_a_moment_says_enough(rule, level.when) or _sustained(rule, level, held, judged, moments))
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
        absent=tuple(name for name in rule.metrics if name not in figures),
        stretches=where,
        n_stretches=n_stretches,
        cautions=cautions + _of_number(n, figures),
        zero_divisions=answer.zero_divisions,
    )


def _a_moment_says_enough(rule: Rule, when: Expression) -> bool:
    return rule.window_s is not None or when.windowed


def _sustained(rule: Rule, level: Level, held: Bools, judged: Bools, moments: Moments) -> bool:
    """What is fine is fine on the whole; trouble is trouble even for ten minutes."""
    if np.count_nonzero(held) / np.count_nonzero(judged) >= rule.sustain:
        return True
    if level.severity is Severity.OK:
        return False
    if rule.last is None:
        first, covered = moments.at_least(SUSTAIN_SAMPLES, SUSTAIN_S)
    else:
        first, covered = moments.last(rule.last)
    return bool(np.any(trailing_share(held, judged, first, covered) >= rule.sustain))


def _until_cleared(raised: Bools, clear: Expression, rule: Rule, figures: Figures) -> Bools:
    """Hysteresis: what was raised lasts until it is cleared, not only while it is above the mark."""
    if not raised.any():
        return raised
    return lasting(raised, judge(clear, figures, rule.tables, rule.optional).held, figures.moments)


def _why_nothing(rule: Rule, figures: Figures) -> Outcome:
    """Nothing was judged though all was captured."""
    needs_length = rule.window_s is not None or any(level.when.needs_length for level in rule.levels)
    measured = all(figures.ever(name) for name in rule.metrics if name not in rule.optional)
    return Outcome.TOO_SHORT if needs_length and measured else Outcome.NO_SAMPLES


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
