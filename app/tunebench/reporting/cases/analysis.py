"""What the analysis says of an engagement, as plain values with finished sentences.

Sentences are in the language of the document; evidence is named by the keys of the report.
"""

from __future__ import annotations

from dataclasses import field

from tunebench.analysis.capacity.growth import Scenario
from tunebench.analysis.comparing.comparison import ComparedSeries
from tunebench.analysis.experiments.comparisons import CellComparison
from tunebench.analysis.experiments.figures import CellFigures, Waiting
from tunebench.analysis.experiments.steps import Step
from tunebench.analysis.statistics import Statistics
from tunebench.core.records import record
from tunebench.domain.assembly import Span
from tunebench.domain.engagement import Direction
from tunebench.domain.experiments.records import Trial
from tunebench.domain.finding import Finding, ResourceScore, Severity, UseCell
from tunebench.reporting.pictures import LevelPanel

# -- comparison ------------------------------------------------------------------------------------------


@record(eq=False)
class Judged:
    """A compared series and where it was measured; what is said of it, `columns.comparing_words` says of its row.

    Attributes:
        row: the figures.
        subject: the captured column it is of, where that is not the one shown beside it.
        before_evidence, after_evidence: keys of `EvidenceEntry`.
        spans: first and last moment of either side's captures inside its window, UTC ns.
    """

    row: ComparedSeries
    subject: str = ""
    before_evidence: tuple[str, ...] = ()
    after_evidence: tuple[str, ...] = ()
    spans: tuple[Span | None, Span | None] = (None, None)

    @property
    def label(self) -> str:
        """``iostat ssd2 svc_t``: the tool and what it measured."""
        return f"{self.row.series.tool} {self.row.series.label}"

    @property
    def sides(self) -> tuple[Statistics | None, Statistics | None]:
        return self.row.before_statistics, self.row.after_statistics

    @property
    def has_interval(self) -> bool:
        return self.row.interval is not None or self.row.difference_interval is not None


@record
class CaseCheck:
    """One check of comparability: ``C1`` to ``C10``; `state` is pass, adjust, refuse or unknown."""

    check: str
    title: str
    state: str
    state_words: str
    sentence: str


# -- findings --------------------------------------------------------------------------------------------


@record
class RuleNote:
    """A rule as the reader has to know it: its source is quoted, and where it misleads is said.

    `quote_meaning`: of a quote in another language.
    """

    id: str
    title: str
    condition: str = ""
    caveat: str = ""
    action: str = ""
    source: str = ""
    quote: str = ""
    quote_meaning: str = ""


@record
class CaseFinding:
    """What a rule found, and what is said of it.

    Attributes:
        phase: ``before``, ``after`` or ``other``.
        thing: host and device.
        stretches: where in the captures, at most a few.
        later: what became of it in the run after tuning; empty where nothing can be said.
        queue: of waits for locks, who waits for whom.
    """

    found: Finding
    phase: str
    severity_words: str
    title: str
    thing: str
    share_words: str
    figures: str
    stretches: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    later: str = ""
    queue: str = ""


@record
class CaseUnjudged:
    """A rule that nothing captured could judge; `missing` says what to capture with which probe."""

    rule: str
    title: str
    phases: tuple[str, ...]
    hosts: tuple[str, ...]
    reason: str
    missing: str


@record
class CaseUse:
    """A cell of the USE table on one side; `unit` as it is printed."""

    cell: UseCell
    words: str
    unit: str = ""
    severity_words: str = ""
    evidence: tuple[str, ...] = ()


@record
class CaseUseRow:
    """A resource with utilisation, saturation and errors, each before and after (None: that side has no run); `kind`
    as in `UseRow.resource`."""

    host: str
    resource: str
    before: tuple[CaseUse, ...] | None
    after: tuple[CaseUse, ...] | None
    kind: str = ""

    @property
    def idle(self) -> bool:
        """Whether it was measured, and nothing was ever going on."""
        cells = [used.cell for side in (self.before, self.after) if side for used in side]
        values = [cell.value for cell in cells if cell.value is not None]
        return bool(values) and not any(values) and not any(cell.severity not in (None, Severity.OK) for cell in cells)


# -- bottleneck ------------------------------------------------------------------------------------------


@record
class CaseScore:
    """How tight a resource is on one side; `place` among all of them."""

    place: int
    score: ResourceScore
    evidence: tuple[str, ...] = ()


@record
class CaseResource:
    name: str
    before: CaseScore | None
    after: CaseScore | None


@record
class CaseShift:
    """Where the bottleneck was, where it is, and how much relieving the old one could gain at most.

    Attributes:
        drop_offs: a sentence for each thing whose throughput falls under load, the furthest first.
        laws: a sentence for each thing whose figures break a law, the worst first.
    """

    sentence: str
    before: str
    after: str
    gain: str
    resources: tuple[CaseResource, ...]
    drop_offs: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()


# -- capacity --------------------------------------------------------------------------------------------


@record(eq=False)
class CaseOutlook:
    """When a resource reaches its limit, or why that cannot be said.

    Attributes:
        days, values: the measured days (since 1970-01-01) and their levels; missing days have none.
        future_days, centre, low, high: the band of 80 %; empty where nothing is forecast.
        refusals, remarks: sentences.
        rate: growth a day with its interval, in words; empty without a trend.
    """

    name: str
    host: str
    unit: str
    headline: str
    limit: float
    limit_words: str
    now: float | None
    refused: bool
    days: tuple[int, ...]
    values: tuple[float, ...]
    future_days: tuple[int, ...] = ()
    centre: tuple[float, ...] = ()
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    refusals: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    evidence: tuple[str, ...] = ()
    rate: str = ""


# -- experiments -----------------------------------------------------------------------------------------


@record
class CaseTrial:
    """One value of one cell; `stands`: it counts for the cell (not excluded, not failed, no A/A trial)."""

    trial: Trial
    cell: str
    role: str
    state: str
    value: float | None
    stands: bool
    evidence: str = ""


@record
class CaseCell:
    """A cell of an experiment; what it is `compared` by against the reference is also in words.

    Attributes:
        short: its levels that vary; `name` has all of them with their factors.
        is_best: of those beside the reference.
    """

    figures: CellFigures
    name: str
    place: int | None
    reference: bool
    compared: CellComparison | None = None
    ratio_words: str = ""
    verdict: str = ""
    variation: str = ""
    settles: str = ""
    short: str = ""
    is_best: bool = False


@record
class CasePart:
    """One response in one cache state.

    Attributes:
        curves: what is said of every curve, `bends` of those that have a bend.
        across: the factor along the axis of the panels, with its unit.
        panels: medians over that factor, a panel for every combination of the factors that are neither along the axis
            nor lines; empty where no number has enough levels.
    """

    response: str
    unit: str
    cache: str
    verdict: str
    noise: str
    cells: tuple[CaseCell, ...]
    trials: tuple[CaseTrial, ...]
    cautions: tuple[str, ...] = ()
    curves: tuple[str, ...] = ()
    bends: tuple[str, ...] = ()
    across: str = ""
    panels: tuple[LevelPanel, ...] = ()
    direction: Direction = Direction.LOWER

    @property
    def best(self) -> CaseCell | None:
        """The one that the verdict of the part is about."""
        return next((cell for cell in self.cells if cell.is_best), None)

    @property
    def reference(self) -> CaseCell | None:
        return next((cell for cell in self.cells if cell.reference), None)

    @property
    def only_ranks(self) -> bool:
        """Which cell came out first is known, and not whether it would again."""
        return self.best is None or self.best.compared is None or self.best.compared.only_ranks

    @property
    def in_order(self) -> tuple[CaseCell, ...]:
        """The cells by their medians, the best first; as they were planned where neither direction is better."""
        if self.direction is Direction.NEUTRAL:
            return self.cells
        return tuple(sorted(self.cells, key=_median, reverse=self.direction is Direction.HIGHER))


def _median(cell: CaseCell) -> float:
    assert cell.figures.median is not None  # it was measured
    return cell.figures.median


@record
class CaseExperiment:
    """
    Attributes:
        factors: names of those that vary; of all where none does.
        waiting: what ``time`` tells of the cells of the first part.
        steps: of the first part, by name of the factor (see `largest_steps`).
        next_step: which trial would decide, and the command that runs it.
    """

    number: int
    title: str
    plan: tuple[tuple[str, str], ...]
    confounders: tuple[str, ...]
    verdict: str
    parts: tuple[CasePart, ...]
    cautions: tuple[str, ...] = ()
    factors: tuple[str, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    steps: tuple[Step, ...] = ()
    next_step: tuple[str, str] = ("", "")


@record
class AnalysisCase:
    """What the analysis says of an engagement; what it does not have is empty or None.

    Attributes:
        load: what is known of the load of both windows, in a sentence; `load_ratio` after / before.
        driver: what asked for the work, with the figures of both sides.
        splits: moments at which a window may be split, in sentences.
        runs_diagnosed: names of the windows, or labels of the runs, that the rules were applied to, by phase.
        rules_passed: rules that were judged and did not hold, by phase.
    """

    gate: tuple[CaseCheck, ...] = ()
    splits: tuple[str, ...] = ()
    load: str = ""
    driver: str = ""
    load_ratio: float | None = None
    runs_diagnosed: tuple[tuple[str, str], ...] = ()
    rules_passed: tuple[tuple[str, int], ...] = ()
    findings: tuple[CaseFinding, ...] = ()
    rules: tuple[RuleNote, ...] = ()
    unjudged: tuple[CaseUnjudged, ...] = ()
    use: tuple[CaseUseRow, ...] = ()
    shift: CaseShift | None = None
    capacity: tuple[CaseOutlook, ...] = ()
    experiments: tuple[CaseExperiment, ...] = field(default=())

    @property
    def refused(self) -> tuple[str, ...]:
        """Checks that forbid every verdict."""
        return tuple(check.check for check in self.gate if check.state == "refuse")
