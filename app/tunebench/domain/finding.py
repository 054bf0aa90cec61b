"""What the rules found in what was measured, and what they could not judge.

Words are not kept here: a finding names its rule, and the rule has the texts. Shares are 0 to 1, times UTC ns.
A figure that was not measured is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from tunebench.core.records import record

Fact = float | int | str | bool | None


class Severity(StrEnum):
    OK = "ok"
    WATCH = "watch"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for ok, 3 for critical."""
        return list(Severity).index(self)


@record
class Caution:
    """Something that whoever reads the finding must know: `key` below ``diagnosis.caution.``."""

    key: str
    facts: Mapping[str, Fact] = field(default_factory=dict)


@record
class FindingEvidence:
    """A stretch of a series on which the finding rests.

    Attributes:
        series_id: None for a fact of the configuration; `series_name` is the fact's name then.
        signal: the rule's own name of the figure (``svc_t``).
        artefact_ids: the captures that the stretch lies in.
        start_ns, end_ns: first and last stamp at which the rule held (or was judged, where it did not hold).
        held: number of samples in the stretch.
        peak: the most telling value of the stretch, in the unit of the signal.
    """

    series_id: int | None
    series_name: str
    artefact_ids: tuple[int, ...]
    start_ns: int
    end_ns: int
    signal: str = ""
    held: int = 0
    peak: float | None = None
    unit: str = ""


@record
class QueuedStatement:
    """A statement of a lock queue; what is empty the captures do not tell."""

    id: str = ""
    text: str = ""
    container: str = ""


@record
class LockQueue:
    """Who waits for whose lock, as most sightings of waiting sessions say; what is empty the captures do not tell.

    Attributes:
        waiting: the statement that waits.
        object: the table that is locked.
        holder: the session at the head of the queue; empty where it was not the same one each time.
        holder_state: ``idle in transaction``, ``active`` ..., as the database calls it.
        holding: what that session runs, or ran last where it is idle.
        held_s: for how long its transaction was open, at most.
        sightings: of sessions that waited so; of so many (`all_sightings`) that waited for such locks at all.
        artefact_ids, lines: of the captures, where they are seen.
    """

    waiting: QueuedStatement = QueuedStatement()
    object: str = ""
    holder: str = ""
    holder_state: str = ""
    holding: QueuedStatement = QueuedStatement()
    held_s: float | None = None
    sightings: int = 0
    all_sightings: int = 0
    artefact_ids: tuple[int, ...] = ()
    lines: tuple[int, ...] = ()


@record
class Finding:
    """What a rule said of one thing on one host (or of one database) over the window.

    Attributes:
        scope: what the rule was judged on: ``host``, ``device``, ``interface``, ``filesystem``, ``database``,
            ``statement``.
        attributes: which of them (``{"device": "ssd2"}``); empty for the host itself.
        alias: what the consultant calls the device, or people the database.
        share: of the judged samples, those at which the condition held; None where the rule is no share (facts of a
            configuration, totals of a database).
        n: samples that could be judged; `held` those at which the condition held.
        facts: figures for the text: ``<signal>`` is the median where it held (of all judged samples where it did not),
            ``<signal>_worst`` the most telling value.
        cautions: few samples, a single one, since-boot averages, and the like.
        explained_by: key of the finding that is its cause; empty where none is known.
        lock_queue: of waits for locks, who waits for whom.
        statements: the texts of the statements that it names, by what it calls them.
    """

    rule: str
    pack: str
    severity: Severity
    run_id: int
    run: str
    host: str
    scope: str = "host"
    attributes: Mapping[str, str] = field(default_factory=dict)
    alias: str = ""
    share: float | None = None
    n: int = 0
    held: int = 0
    facts: Mapping[str, Fact] = field(default_factory=dict)
    evidence: tuple[FindingEvidence, ...] = ()
    cautions: tuple[Caution, ...] = ()
    explained_by: str = ""
    lock_queue: LockQueue | None = None
    statements: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The key by which causes and worksheet rows name it: the same after every reading of the captures."""
        things = ",".join(f"{name}={value}" for name, value in sorted(self.attributes.items()))
        return "/".join(part for part in (self.rule, self.run, self.host, things) if part)

    @property
    def thing(self) -> str:
        """``ssd2``, ``dm-3 (/oradata)``; empty for the host itself."""
        named = ", ".join(self.attributes.values())
        return f"{named} ({self.alias})" if self.alias and self.alias != named else named


@record
class Missing:
    """A figure that a rule needs and nobody captured; `probes` would fill it (ids, may be none)."""

    signal: str
    probes: tuple[str, ...] = ()


@record
class NotJudged:
    """A rule that could not be judged, with the hosts where it could not (``""``: nowhere at all).

    Attributes:
        reason: key below ``diagnosis.not_judged.``: ``not_captured``, ``never_active``, ``no_samples``, ``too_short``,
            ``zero_division``; for rules that do not apply ``other_system``, ``other_media``, ``out_of_scope``.
    """

    rule: str
    pack: str
    reason: str
    hosts: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()
    facts: Mapping[str, Fact] = field(default_factory=dict)


# -- the USE table -------------------------------------------------------------------------------------


class UseAspect(StrEnum):
    UTILISATION = "utilisation"
    SATURATION = "saturation"
    ERRORS = "errors"


@record
class UseCell:
    """One cell: measured, or not and what would fill it.

    Attributes:
        signal: which figure; of a cell that is not measured, the one that would be shown.
        value: the 95th percentile of a utilisation or queue, the total or share of errors; None: not measured.
        statistic: ``p95``, ``max``, ``mean``, ``total``.
        threshold: above which it counts as high; None where there is none. `share_above`: of the samples.
        severity: None where the figure is not measured or cannot be judged.
        rules: ids of the rules whose findings made the cell as severe as it is.
    """

    aspect: UseAspect
    signal: str
    value: float | None = None
    unit: str = ""
    statistic: str = "p95"
    mean: float | None = None
    maximum: float | None = None
    n: int = 0
    threshold: float | None = None
    share_above: float | None = None
    severity: Severity | None = None
    evidence: tuple[FindingEvidence, ...] = ()
    probes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def measured(self) -> bool:
        return self.value is not None


@record
class UseRow:
    """A resource of a host with its three cells.

    `resource`: ``cpu``, ``memory``, ``disk``, ``network``, ``filesystem``, ``sessions``; `name`: which disk ...
    """

    host: str
    resource: str
    name: str
    cells: tuple[UseCell, UseCell, UseCell]
    alias: str = ""

    def cell(self, aspect: UseAspect) -> UseCell:
        return next(cell for cell in self.cells if cell.aspect is aspect)


# -- ranking and shift ---------------------------------------------------------------------------------


@record
class ResourceScore:
    """How near a resource is to the point where it doubles the response time.

    Attributes:
        servers: m, how many requests it serves at a time; `assumed` where nothing tells it and 1 was taken.
        upper_bound: the utilisation is no more than a bound: a device that serves many at a time is called busy as
            soon as it serves one.
        utilisation: U, 0 to 1, Harrell-Davis p95; None where it was not measured.
        knee: rho2(m), the utilisation at which a response takes twice the service time.
        wait_share: of a response, the part spent waiting; None where not measured.
        score: max(U / knee, wait_share); 1 and above: past the knee.
        queue: mean number waiting; None where not measured.
        n: samples.
        signs: what says that something waits for it: ids of rules, ``queue``, ``latency``.
        lock_queue: of sessions that wait for each other, who waits for whom.
    """

    host: str
    resource: str
    name: str
    score: float
    utilisation: float | None = None
    knee: float | None = None
    servers: int = 1
    assumed: bool = False
    upper_bound: bool = False
    wait_share: float | None = None
    queue: float | None = None
    n: int = 0
    alias: str = ""
    evidence: tuple[FindingEvidence, ...] = ()
    signs: tuple[str, ...] = ()
    lock_queue: LockQueue | None = None

    @property
    def label(self) -> str:
        return " ".join(part for part in (self.resource, self.name) if part)


@record
class Ranking:
    """The resources of a run, the tightest first.

    Attributes:
        clear: whether the first one may be called the bottleneck; `reason` is the key below ``ranking.reason.`` where
            not (``below_threshold``, ``not_steady``, ``nothing_measured``, ``few_samples``, ``no_sign``: nothing says
            that anything waits for it; ``parallel_device``: the same of a device that serves many at a time).
        held: of the resamples of time slots, the share in which the first one stays first; None where too few slots,
            and of memory that is critically short or sessions that wait for each other: these come first by
            themselves.
    """

    scores: tuple[ResourceScore, ...]
    clear: bool = False
    reason: str = ""
    held: float | None = None
    slots: int = 0

    @property
    def top(self) -> ResourceScore | None:
        return self.scores[0] if self.scores else None

    @property
    def bottleneck(self) -> ResourceScore | None:
        return self.top if self.clear else None


@record
class DropOff:
    """More load gives less throughput (Universal Scalability Law).

    Attributes:
        load, throughput: which figures were set against each other.
        peak_load: N*, where throughput is largest; `peak`: that throughput. By the law where it is fitted, else the
            level of load with the largest mean.
        observed: the largest load that was measured; `levels`: number of load levels.
        fall: share of the best mean that was missing at the highest loads, 0 to 1.
    """

    host: str
    resource: str
    name: str
    load: str
    throughput: str
    peak_load: float
    peak: float
    observed: float
    levels: int
    fall: float
    is_fitted: bool = True


@record
class DataCheck:
    """A law that the figures of a good capture obey: ``little`` (N = X R) or ``utilisation`` (U m = X S).

    `deviation` is the median of |left - right| / right; `violated` above a tenth.
    """

    law: str
    host: str
    resource: str
    name: str
    deviation: float
    n: int
    violated: bool


@record
class Shift:
    """How the bottleneck moved between two runs.

    Attributes:
        shifted: None where it cannot be said; `reason` then is a key below ``shift.reason.``.
        confidence: share of resamples in which the first ones of both sides differ.
        gain_bound: the most that relieving the old bottleneck alone can gain in throughput before the next resource
            limits it; predicted from the demands of the first run; None where no throughput is known.
    """

    before: Ranking
    after: Ranking
    shifted: bool | None
    reason: str = ""
    confidence: float | None = None
    gain_bound: float | None = None
    next_limit: ResourceScore | None = None
    checks: tuple[DataCheck, ...] = ()
