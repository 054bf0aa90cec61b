"""The answer to what a comparison is asked: what changed, how sure, at what price, what got worse, what next.

It is made once of everything that was measured and recorded, and every front lays the same one out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from math import isinf, log

from tunebench.analysis.answering.groups import Group, ManyOfAKind, Member
from tunebench.analysis.answering.ranking import change_of
from tunebench.analysis.answering.resources import Family, Figure
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.comparing.improvement import Improvement
from tunebench.analysis.databases.database_time import TimeChange
from tunebench.analysis.databases.explained import Explanation, StepKind
from tunebench.analysis.databases.statement_comparison import StatementChange
from tunebench.analysis.databases.workload import WorkloadTotals
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.records import record
from tunebench.domain.comparability import FigureInterval, GateCheck
from tunebench.domain.cycle.records import Figure as MeasuredFigure
from tunebench.domain.cycle.records import Metric
from tunebench.domain.provenance import Disclosure, Judgement, Texts


class Scope(StrEnum):
    """What a headline is about."""

    ENGAGEMENT = "engagement"  # from the first baseline to the accepted result
    ITERATION = "iteration"
    WINDOWS = "windows"  # two windows that somebody chose, or that were proposed


class Chip(StrEnum):
    """How sure the headline is; green is only what is proven."""

    PROVEN = "proven"
    ASSUMED = "assumed"  # proven, if days differ as they are taken to
    AS_LONG_AS = "as_long_as"  # weeks differ by less than so much
    RELATIVE = "relative"  # proven against the others of its kind
    NO_CHANGE = "no_change"
    UNDECIDED = "undecided"
    DESCRIPTIVE = "descriptive"
    NOT_COMPARABLE = "not_comparable"
    NOT_ESTABLISHED = "not_established"
    STATED = "stated"


@record
class MeasuredIn:
    """Where a figure was measured.

    Attributes:
        name: of the window, or the label of its run.
        start_ns, end_ns: None where nothing tells when that was.
        occurrences: days, test runs, periods.
    """

    name: str
    start_ns: int | None = None
    end_ns: int | None = None
    occurrences: int = 1


@record
class TargetAnswer:
    """A metric of the cycle: from where to where, and whether it is where it was wanted.

    Attributes:
        before, now, goal: none of them where the check of the project contradicts one.
        met_before: the baseline had reached the goal already: a figure, not a verdict.
        descriptive: reached or not, but by no statistical verdict.
        windows: None of what somebody typed.
        first: the value of the target before it was amended, and what became of that; None where it never was.
    """

    scope: Scope
    metric: Metric
    before: MeasuredFigure | None
    now: MeasuredFigure | None
    change: Improvement
    goal: float | None
    judgement: Judgement
    interval: FigureInterval | None = None
    met_before: bool = False
    descriptive: bool = False
    priority: int = 1
    windows: tuple[MeasuredIn | None, MeasuredIn | None] = (None, None)
    weighted: bool = False
    first: tuple[float, Judgement] | None = None


@record
class PriceAnswer:
    """A resource that pays for an action, by the metric that watches it.

    Attributes:
        iteration: number of the one that the action is of, where the answer's windows are not that one's; else None.
    """

    metric: Metric
    before: MeasuredFigure | None
    now: MeasuredFigure | None
    limit: float | None
    judgement: Judgement
    iteration: int | None = None


class Kind(StrEnum):
    """What there are many of."""

    HOSTS = "hosts"
    DISKS = "disks"
    PROCESSORS = "processors"
    STATEMENTS = "statements"


@record(eq=False)
class KindAnswer:
    """What many of a kind did.

    Attributes:
        family: whose lead the changes are of.
        host: that they are of, where that is one; else empty.
        figures: of the members, by their place.
        parts: the groups.
    """

    kind: Kind
    family: Family
    host: str
    figures: tuple[Figure, ...]
    parts: ManyOfAKind

    @property
    def changed(self) -> tuple[Group, ...]:
        return tuple(group for group in self.parts.groups if group.verdict in (Verdict.IMPROVED, Verdict.REGRESSED))

    @property
    def rest(self) -> tuple[Group, ...]:
        return tuple(group for group in self.parts.groups if group not in self.changed)

    def of(self, member: Member) -> Figure:
        return self.figures[member.place]


@record
class CauseAnswer:
    """What one statement added to DB time.

    Attributes:
        text: of the statement; empty where no capture has one.
        container: that it ran in, where there are several.
        id: of the statement, where another cause reads the same or there is no text; else empty.
        amount: in the unit of the explanation, below zero is less.
    """

    kind: StepKind
    statement: StatementChange
    text: str
    container: str
    id: str
    amount: float

    @property
    def is_dearer(self) -> bool:
        """By itself: neither new nor only executed more often."""
        return self.amount > 0 and self.kind is StepKind.BEHAVIOUR


@record(eq=False)
class DatabaseAnswer:
    """A database before and after.

    Attributes:
        totals: of all statements at equal executions; None where nothing is common to both sides.
        causes: the statements that changed DB time most, whichever way, the largest first.
        others: how many statements changed it besides, and by how much in all with what no listed statement tells of.
    """

    label: str
    time: TimeChange | None
    explanation: Explanation | None
    totals: WorkloadTotals | None
    causes: tuple[CauseAnswer, ...] = ()
    others: tuple[int, float] = (0, 0.0)

    @property
    def sessions(self) -> tuple[float, float] | None:
        """Sessions at work before and after; None where a side tells no DB time."""
        return None if self.explanation is None else (self.explanation.before, self.explanation.after)

    @property
    def verdict(self) -> Verdict:
        """At equal work where that was judged, else of the sessions at work."""
        if self.totals is not None and self.totals.interval is not None and not self.totals.reason:
            return self.totals.verdict
        return self.time.verdict if self.time is not None else Verdict.DESCRIPTIVE_ONLY


Headline = TargetAnswer | DatabaseAnswer | KindAnswer | Figure
Worse = Figure | Group | CauseAnswer


@record
class WorseAnswer:
    """Something that got worse, or is greater as a number only.

    Attributes:
        kind: of a group, that it is one of.
        judged: by its verdict; else it stands apart.
    """

    subject: Worse
    kind: KindAnswer | None = None
    judged: bool = True


@record
class Certainty:
    """How sure the headline is, and why.

    Attributes:
        reason: a key below ``answer.sure.`` filled by `facts`.
    """

    chip: Chip
    reason: str
    facts: Mapping[str, object] = field(default_factory=dict)


@record
class NextStep:
    """What to do next.

    Attributes:
        key: below ``answer.next.`` filled by `facts`; `texts` where somebody else has the sentence already.
        command: the words behind ``main.py`` that do it, without the project; empty where none does.
        action: what the window calls it: a page, or one of its acts.
    """

    key: str
    facts: Mapping[str, object] = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    command: tuple[str, ...] = ()
    action: str = ""


@record
class Counts:
    """What was compared: the one count of all fronts."""

    hosts: int
    series: int
    resources: int
    verdicts: Mapping[Verdict, int]


@record(eq=False)
class Answer:
    """
    Attributes:
        windows: that all of it is of, before first.
        targets: of the engagement and of this iteration, by the same metric; then the further ones of the iteration.
        figures: every resource, once; `tiles` the ones shown large.
        worse: the most that matters first, at most `MOST_WORSE`; `more_worse` are left out.
        bottleneck: where it was and where it is, or why that cannot be said; empty where nobody asked.
        gate: the checks of comparability.
        next: the first is the one to do.
        disclosures: what all of it is never told without.
    """

    windows: tuple[MeasuredIn, MeasuredIn]
    headline: Headline | None
    targets: tuple[TargetAnswer, ...]
    figures: tuple[Figure, ...]
    tiles: tuple[Figure, ...]
    kinds: tuple[KindAnswer, ...]
    databases: tuple[DatabaseAnswer, ...]
    worse: tuple[WorseAnswer, ...]
    more_worse: int
    price: tuple[PriceAnswer, ...]
    bottleneck: Texts
    gate: tuple[GateCheck, ...]
    certainty: Certainty
    next: tuple[NextStep, ...]
    counts: Counts
    disclosures: tuple[Disclosure, ...] = ()


def counted(
    series: Sequence[ComparedSeries], figures: Iterable[Figure], databases: Iterable[DatabaseAnswer] = ()
) -> Counts:
    """Hosts, series and resources that both windows measured, and the verdicts of the resources."""
    both = [row for row in series if row.measured_on_both]
    leads = [*(figure.lead.verdict for figure in figures), *(database.verdict for database in databases)]
    verdicts = {verdict: leads.count(verdict) for verdict in Verdict if verdict in leads}
    return Counts(len({row.series.host for row in both}), len(both), len(leads), verdicts)


def members_of(figures: Sequence[Figure]) -> list[Member]:
    """Those whose change is known, by their place."""
    return [
        Member(index, change, reach_of(figure.lead), figure.lead.verdict)
        for index, figure in enumerate(figures)
        if (change := change_of(figure.lead)) is not None
    ]


def reach_of(row: ComparedSeries) -> float | None:
    """Half the width of its interval, on the scale of ln(after / before)."""
    interval = row.interval
    if interval is None or interval.low <= 0 or isinf(interval.high):
        return None
    return log(interval.high / interval.low) / 2
