"""The six-step tuning cycle: what an engagement knows, decides and still has to find out.

The method is that of section 2.2 of the founding tuning guide: is there a problem? - metrics - targets and
priorities - causes - countermeasures - result, and again until the target is met.

Everything that a consultant edits is a *record*: a frozen value with an `id` that is unique over all kinds (0: not
kept yet) and never used again. Records name each other by id; `references` says by which. Dates are ISO
(``2026-11-21``), moments ISO with zone, both empty where not known. A figure that was not measured is None.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated

from tunebench.core.records import record
from tunebench.domain.cycle.worksheet import Resource
from tunebench.domain.engagement import Direction
from tunebench.domain.schema import (
    ByAct,
    Day,
    Filled,
    InForm,
    IterationId,
    Moment,
    Names,
    OneOf,
    OnSheet,
    Outside,
    PersonName,
    Prose,
    Within,
    Words,
)
from tunebench.domain.translations import Translated

STATISTICS = ("mean", "p50", "p95", "p99", "max", "min", "total", "value")
FIGURES = ("elapsed_s", "cpu_s", "block_gets", "block_reads", "rows", "executions")
"""Of a SQL statement."""
RESOURCES = ("", *(resource.value for resource in Resource))


class StepNumber(IntEnum):
    """The steps of the cycle, numbered as the guide numbers them."""

    PROBLEM = 0
    METRICS = 1
    TARGETS = 2
    CAUSES = 3
    COUNTERMEASURES = 4
    RESULT = 5
    DECISION = 6


class StepState(StrEnum):
    OPEN = "open"
    IN_WORK = "in_work"
    DONE = "done"
    SKIPPED = "skipped"


class Outcome(StrEnum):
    """How an iteration ended.

    A record holds what was decided; the two last are only told (`tunebench.diagnosis.cycle.results.outcome_of`).
    """

    OPEN = "open"
    MET = "met"
    ACCEPTED = "accepted"  # a named person lives with a target that is not met, and says why
    CONTINUED = "continued"  # the next iteration goes on
    ABANDONED = "abandoned"
    NO_TARGET = "no_target"  # closed, and there was no target to meet or to miss
    UNPROVEN = "unproven"  # closed, and nothing shows that the target was met or missed


class Severity(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class IssueState(StrEnum):
    OPEN = "open"
    SOLVED = "solved"
    DEFERRED = "deferred"


class SystemKind(StrEnum):
    HOST = "host"
    DATABASE = "database"
    STORAGE = "storage"
    NETWORK = "network"
    APPLICATION = "application"


class CauseDomain(StrEnum):
    """Where a cause lies (section 1.2 of the guide)."""

    SYSTEM = "system"
    DATABASE = "database"
    NETWORK = "network"
    APPLICATION = "application"


class Confidence(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class CauseState(StrEnum):
    OPEN = "open"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    SOLVED = "solved"


class Equality(StrEnum):
    """Whether the system answers after the changes what it answered before."""

    UNSIGNED = "unsigned"
    SAME = "same"
    DIFFERENT = "different"
    NOT_APPLICABLE = "not_applicable"


# --- the engagement


@record
class CustomerIssue(Translated):
    """A numbered issue in the customer's own words."""

    id: int
    number: Annotated[int, Within(1, 1e6), OnSheet(8, optional=True)]
    title: Annotated[Words, Filled(), OnSheet(44), InForm(0)]
    text: Annotated[Prose, OnSheet(56), InForm(2)] = ""
    severity: Annotated[Severity, OnSheet(11), InForm(1, 4)] = Severity.MEDIUM
    state: Annotated[IssueState, OnSheet(11), InForm(1, 4)] = IssueState.OPEN
    reported_on: Annotated[Day, OnSheet(14), InForm(1, 4)] = ""


@record
class SystemInScope(Translated):
    """A host, database or storage that the engagement is about; `host` is its name in the captures, or empty."""

    id: int
    kind: Annotated[SystemKind, OnSheet(16)]
    name: Annotated[Words, Filled(), OnSheet(24)]
    role: Annotated[Words, OnSheet(24)] = ""
    product: Annotated[Words, OnSheet(32)] = ""
    detail: Annotated[Prose, OnSheet(46)] = ""
    host: Annotated[str, OnSheet(20)] = ""


@record
class Contact(Translated):
    """`approver_key`: ``ssh-ed25519 AAAA...``, by which approvals of this person are verified. The translation of a
    name is how documents in that language spell this person."""

    id: int
    name: Annotated[Words, Filled(), OnSheet(18)]
    organisation: Annotated[Words, OnSheet(24)] = ""
    role: Annotated[Words, OnSheet(20)] = ""
    phone: Annotated[str, OnSheet(20)] = ""
    mail: Annotated[str, OnSheet(30)] = ""
    note: Annotated[Prose, OnSheet(40)] = ""
    approver_key: Annotated[str, OnSheet(30)] = ""


@record
class Term(Translated):
    """An entry of the glossary."""

    id: int
    korean: Annotated[str, Filled(), OnSheet(26, optional=True)]
    english: Annotated[str, Filled(), OnSheet(26, optional=True)]
    meaning: Annotated[Prose, OnSheet(80)] = ""


# --- iterations and steps


@record
class Iteration(Translated):
    """One way round the cycle.

    Attributes:
        number: 1, 2, ... in the order they were opened.
        introduction: tuning while the system is introduced; only then may step 0 be skipped.
        template: id of the template it was started from, or empty.
        continues: id of the iteration whose open causes and targets were carried over, None for a fresh start.
        closed_by, reason: who decided, and why where the top-priority target was missed.
    """

    id: int
    number: Annotated[int, ByAct("start")]
    title: Annotated[Words, Filled()]
    introduction: bool = False
    template: str = ""
    continues: Annotated[int | None, Names("iteration"), ByAct("start")] = None
    opened_on: Day = ""
    outcome: Annotated[Outcome, ByAct("close")] = Outcome.OPEN
    closed_on: Annotated[Day, ByAct("close")] = ""
    closed_by: Annotated[PersonName, ByAct("close")] = ""
    reason: Prose = ""


@record
class Step(Translated):
    id: int
    iteration_id: Annotated[IterationId, ByAct("start")]
    number: Annotated[StepNumber, ByAct("start")]
    state: StepState = StepState.OPEN
    owner: Annotated[PersonName, InForm(0, 3)] = ""
    started_on: Annotated[Day, InForm(0, 3)] = ""
    due_on: Annotated[Day, InForm(0, 3)] = ""
    ended_on: Annotated[Day, InForm(0, 3)] = ""
    notes: Prose = ""
    skip_reason: Prose = ""


@record
class Question(Translated):
    """An open point that was noted in a step: open while it has no answer, which `owner` owes until `due_on`."""

    id: int
    iteration_id: IterationId
    step: StepNumber
    text: Annotated[Prose, Filled(), InForm(0)]
    asked_by: Annotated[PersonName, InForm(2, 6)] = ""
    asked_on: Day = ""
    answer: Annotated[Prose, InForm(1)] = ""
    answered_by: Annotated[PersonName, InForm(2, 6)] = ""
    answered_on: Day = ""
    owner: Annotated[PersonName, InForm(3, 6)] = ""
    due_on: Annotated[Day, InForm(3, 6)] = ""


@record
class Attachment(Translated):
    """A file laid beside a step. Its bytes are kept once per `sha256`, outside the record."""

    id: int
    iteration_id: IterationId
    step: StepNumber
    file_name: str
    sha256: Annotated[str, ByAct("attach")]
    size_bytes: Annotated[int, ByAct("attach")]
    caption: Annotated[Prose, InForm(0)] = ""
    added_by: PersonName = ""
    added_at: Moment = ""


# --- metrics and targets


@record
class SeriesSource:
    """A captured column of one host; the series of a run is the one with these names.

    Attributes:
        native: the column as the tool heads it; `metric` the canonical metric, which finds it under another tool.
        attributes: name and value pairs, sorted by name (``(("device", "ssd2"),)``).
    """

    host: str
    tool: str
    native: str
    metric: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


@record
class StatementSource:
    """A figure of one SQL statement, or of all statements of a run where `statement_id` is empty.

    Attributes:
        figure: ``elapsed_s``, ``cpu_s``, ``block_gets``, ``block_reads``, ``rows`` or ``executions``.
        per_execution: the total over the executions, or divided by them.
    """

    figure: Annotated[str, OneOf(FIGURES)]
    engine: str = ""
    statement_id: str = ""
    per_execution: bool = False


@record
class MeasurementSource:
    """A before/after figure of the success case, by its key."""

    key: str


@record
class ManualSource(Translated):
    """Typed in; `how` says how it is measured (``time mkfile 500m``, stop watch, the customer's report)."""

    how: Prose = ""


@record
class ExperimentSource:
    """A response of an experiment, measured in the trials of a cell.

    Attributes:
        cache: state of the caches, where the experiment plans several; empty for its first.
    """

    experiment_id: Annotated[int, Outside("experiment")]
    response: str
    cache: str = ""


MetricSource = SeriesSource | StatementSource | MeasurementSource | ExperimentSource | ManualSource
MEASURED = (SeriesSource, StatementSource, ExperimentSource)
"""Sources whose figures are computed, and never typed in."""


@record
class DailyWindow:
    """The part of each day that counts, wall clock of the engagement's zone: ``09:00`` to ``12:00``."""

    start: str
    end: str


@record
class Metric(Translated):
    """What performance is judged by.

    Attributes:
        statistic: ``mean``, ``p50``, ``p95``, ``p99``, ``max``, ``min``, ``total`` or ``value`` (a single reading).
        unit: as printed; figures of series and statements are turned into it where it measures the same.
        window: hours of the day that samples of series count in; None for all.
        guards: id of the action this metric watches because the action makes its resource pay; None for others.
    """

    id: int
    iteration_id: IterationId
    name: Annotated[Words, Filled(), InForm(0)]
    source: MetricSource
    statistic: Annotated[str, OneOf(STATISTICS, "cycle.statistic."), InForm(1, 3)]
    unit: Annotated[str, InForm(1, 2)]
    direction: Annotated[Direction, InForm(1, 3)]
    definition: Annotated[Prose, InForm(2)] = ""
    window: Annotated[DailyWindow | None, InForm(1, 3)] = None
    decimals: Annotated[int, Within(0, 6), InForm(1, 1)] = 1
    guards: Annotated[int | None, Names("action", owner=True)] = None
    resource: Annotated[str, OneOf(RESOURCES, "cycle.resource.")] = ""
    carried_from: Annotated[int | None, Names("metric")] = None

    @property
    def measured_by(self) -> object:
        """Equal for metrics that measure the same, whatever their statistic; by hand it is what people call it."""
        return self.name.strip().casefold() if isinstance(self.source, ManualSource) else self.source


@record
class Figure(Translated):
    """A value with where it comes from.

    Attributes:
        value: None: not measured.
        bound: ``""`` exact, ``"<"`` or ``">"``: only a limit is known.
        run_id, start_ns, end_ns: what it was computed from; None for a figure that was typed in. Of a window
            (`window_id`) its only run, None where it has several, and its first start and last end.
        samples: n, None where not known.
        source: for a typed figure, where it stands, in words.
        evidence_id: id of the `Evidence` it rests on.
        cell: of an experiment, in whose trials it was measured.
    """

    value: float | None
    bound: Annotated[str, OneOf(("", "<", ">"))] = ""
    run_id: Annotated[int | None, Outside("run")] = None
    start_ns: int | None = None
    end_ns: int | None = None
    samples: Annotated[int | None, Within(0, 1e12)] = None
    source: Words = ""
    evidence_id: Annotated[int | None, Names("evidence")] = None
    window_id: Annotated[int | None, Names("window")] = None
    cell: tuple[str, ...] = ()


@record
class Target(Translated):
    """What a metric is to reach. `priority` 1 is the top priority; an iteration has exactly one of it."""

    id: int
    iteration_id: IterationId
    metric_id: Annotated[int, Names("metric", owner=True)]
    baseline: Figure | None = None
    value: Annotated[float | None, InForm(0, 3)] = None
    priority: Annotated[int, Within(1, 99), InForm(0, 3)] = 2
    due_on: Annotated[Day, InForm(0, 3)] = ""
    owner: Annotated[PersonName, InForm(0, 3)] = ""
    note: Annotated[Prose, InForm(1)] = ""
    carried_from: Annotated[int | None, Names("target")] = None


# --- causes


@record
class Cause(Translated):
    """Why it is slow.

    Attributes:
        share_pct: its share of the response time, 0 to 100; None where not known.
        issue_ids: the customer's issues that it explains.
        finding: key of the finding that it was taken from, or empty.
    """

    id: int
    iteration_id: IterationId
    domain: Annotated[CauseDomain, InForm(1, 3)]
    title: Annotated[Words, Filled(), InForm(0)]
    text: Annotated[Prose, InForm(2)] = ""
    confidence: Annotated[Confidence, InForm(1, 3)] = Confidence.LOW
    state: Annotated[CauseState, InForm(1, 3)] = CauseState.OPEN
    share_pct: Annotated[float | None, Within(0, 100), InForm(1, 3)] = None
    issue_ids: Annotated[tuple[int, ...], Names("issue")] = ()
    finding: str = ""
    carried_from: Annotated[int | None, Names("cause")] = None


# --- results


@record
class Result(Translated):
    """What a metric came to after the changes; `remark` is the consultant's."""

    id: int
    iteration_id: IterationId
    metric_id: Annotated[int, Names("metric", owner=True)]
    after: Figure
    remark: Annotated[Prose, InForm(0)] = ""


@record
class ResultSummary(Translated):
    """What the iteration brought as a whole.

    Attributes:
        bottleneck_before, bottleneck_after: resources (`worksheet.Resource` values), empty where not known.
        basis: what the judgement rests on, in words; a shift without measurement is a description.
        equality: of the results before and after, signed off by `equality_by`; `equality_basis` says what was compared
            with what, or why there is nothing to compare. Its evidence is pinned to this record.
    """

    id: int
    iteration_id: IterationId
    bottleneck_before: Annotated[str, OneOf(RESOURCES, "cycle.resource."), InForm(0, 6)] = ""
    bottleneck_after: Annotated[str, OneOf(RESOURCES, "cycle.resource."), InForm(0, 6)] = ""
    basis: Annotated[Prose, InForm(1)] = ""
    side_effects: Annotated[Prose, InForm(2)] = ""
    conclusion: Annotated[Prose, InForm(3)] = ""
    equality: Annotated[Equality, InForm(4, 4)] = Equality.UNSIGNED
    equality_by: Annotated[PersonName, InForm(4, 4)] = ""
    equality_on: Annotated[Day, InForm(4, 4)] = ""
    equality_basis: Annotated[Prose, InForm(5)] = ""
