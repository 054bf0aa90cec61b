"""What a report tells of the tuning cycle, as plain values: the records, and what was found out about them.

States (``met``, ``paid``, ``confirmed`` ...) are the values of the method's own enums, or say that one window and an
assumed variation decided (``met_assumed``); their words are ``cycle.target_state.met`` and so on. Evidence is given by
its codes (``E-12``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tunebench.analysis.comparing.improvement import Improvement
from tunebench.core.records import record
from tunebench.domain.comparability import FigureInterval
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.recorded import Recorded, Told
from tunebench.domain.cycle.records import (
    Cause,
    CustomerIssue,
    Figure,
    Iteration,
    Metric,
    Outcome,
    Question,
    ResultSummary,
    Step,
    SystemInScope,
    Target,
    Term,
)
from tunebench.domain.cycle.seals import Amendment, Seal
from tunebench.domain.cycle.worksheet import Action, ExecutedChange, Impact

CONTRADICTED = "contradicted"
"""The state of what rests on a record or figure that the check of the project contradicts."""
WITHHELD = Figure(None, source=CONTRADICTED)
"""In place of a figure that is not printed, because it is contradicted."""


@record
class CaseIssue:
    """`actions`: numbers of the actions that answer it, by way of its causes."""

    issue: CustomerIssue
    actions: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


@record
class MeasuredOver:
    """A window or run by its name, and what of it a figure is of; None where nothing tells when that was."""

    name: str
    start_ns: int | None
    end_ns: int | None


@record
class CaseTarget:
    """A metric with its target and what it came to.

    Attributes:
        target: None for a metric without one.
        source: where the metric is read, in words.
        checks: those that refuse to compare its windows (``C7``); `refusals` are their sentences.
        interval: what the state rests on; None where the figure is taken as it stands.
        descriptive: met or missed, but by no statistical verdict.
        windows: over which the baseline and the result were measured; None of what somebody typed.
        qualified: what its state is never told without, in a few words each: that the target was amended, that its
            captures were dated or put to a host by hand, or contradict others.
    """

    metric: Metric
    target: Target | None
    now: Figure | None
    state: str
    change: Improvement
    source: str = ""
    remark: str = ""
    evidence: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    interval: FigureInterval | None = None
    descriptive: bool = False
    windows: tuple[MeasuredOver | None, MeasuredOver | None] = (None, None)
    qualified: tuple[str, ...] = ()


@record
class CaseGuard:
    """A metric that watches a resource which pays for an action; `action` is the action's number."""

    metric: Metric
    action: str
    before: Figure | None
    now: Figure | None
    limit: float | None
    state: str
    change: Improvement
    source: str = ""
    remark: str = ""
    interval: FigureInterval | None = None


@record
class CaseVerification:
    metric: str
    margin_pct: float | None
    state: str


@record
class CaseAction:
    """`number` counts through the report (``A-3``); `causes` are titles; `guards` names of the guard metrics."""

    number: str
    action: Action
    causes: tuple[str, ...] = ()
    verifications: tuple[CaseVerification, ...] = ()
    guards: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    impact_evidence: tuple[tuple[str, ...], ...] = ()


@record
class CasePlanned:
    """What was expected of an action and what was measured; `metric`, `change` and the word of its `state` (a key
    below ``cycle.``) are None and empty where nothing measures it."""

    action: str
    impacts: tuple[Impact, ...]
    margin_pct: float | None
    metric: Metric | None = None
    change: Improvement | None = None
    state: str = ""


@record
class CaseStep:
    step: Step
    evidence: tuple[str, ...] = ()


@record
class CaseIteration:
    """One way round the cycle.

    Attributes:
        outcome: how it ended, by what its targets came to.
        planned, taken_back: of countermeasures in force, and of those that were rolled back.
        equality_evidence: of the sign-off that results are the same: codes, and names of files.
        continues: number of the iteration that it goes on from.
        disclosures: what an auditor asks first, as sentences; `exceptions` are those that the method wants otherwise.
    """

    iteration: Iteration
    outcome: Outcome
    steps: tuple[CaseStep, ...] = ()
    targets: tuple[CaseTarget, ...] = ()
    guards: tuple[CaseGuard, ...] = ()
    planned: tuple[CasePlanned, ...] = ()
    taken_back: tuple[CasePlanned, ...] = ()
    causes: tuple[Cause, ...] = ()
    actions: tuple[CaseAction, ...] = ()
    log: tuple[tuple[str, ExecutedChange], ...] = ()
    questions: tuple[Question, ...] = ()
    summary: ResultSummary | None = None
    equality_evidence: tuple[str, ...] = ()
    shift: str = "unknown"
    continues: int | None = None
    seals: tuple[Seal, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    disclosures: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()


@record
class PinnedEvidence:
    """An entry of the appendix.

    Attributes:
        file: key of the capture it lies in (``F-3``), where it is one capture.
        subject: series, statement, measurement, finding or file, as it is called.
        supports: what it was pinned to, in words.
    """

    evidence: Evidence
    run: str = ""
    file: str = ""
    subject: tuple[str, ...] = ()
    supports: tuple[str, ...] = ()


@record
class CycleCase:
    """Everything of the cycle that the report shows; `recorded` as of its book, `contradicted` what the check of the
    project contradicts, as sentences."""

    issues: tuple[CaseIssue, ...] = ()
    systems: tuple[SystemInScope, ...] = ()
    terms: tuple[Term, ...] = ()
    iterations: tuple[CaseIteration, ...] = ()
    evidence: tuple[PinnedEvidence, ...] = ()
    recorded: Mapping[Told, Recorded] = field(default_factory=dict)
    contradicted: tuple[str, ...] = ()

    @property
    def actions(self) -> tuple[CaseAction, ...]:
        return tuple(action for iteration in self.iterations for action in iteration.actions)
