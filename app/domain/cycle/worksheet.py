"""The trade-off worksheet: no change without saying which other resource pays for it (section 2.1 of the guide)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Resource(StrEnum):
    """The columns of the worksheet."""

    CPU = "cpu"
    MEMORY = "memory"
    DISK_LATENCY = "disk_latency"  # IOPS and latency
    DISK_THROUGHPUT = "disk_throughput"
    SPACE = "space"
    NETWORK = "network"
    CONCURRENCY = "concurrency"
    DURABILITY = "durability"  # durability and recovery
    AVAILABILITY = "availability"
    COST = "cost"
    MANAGEABILITY = "manageability"


class Basis(StrEnum):
    """What an expected effect rests on."""

    MEASURED = "measured"
    FOUNDING = "founding"  # a founding document
    LITERATURE = "literature"
    ESTIMATE = "estimate"


class ChangeMode(StrEnum):
    """What a change needs to take effect."""

    ONLINE = "online"
    RESTART = "restart"  # of the service or database
    REBOOT = "reboot"
    REBUILD = "rebuild"  # of the file system, table, volume


class Level(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Decision(StrEnum):
    APPROVED = "approved"
    REJECTED = "rejected"
    DEFERRED = "deferred"


class ActionState(StrEnum):
    DRAFT = "draft"
    PROPOSED = "proposed"
    EXECUTED = "executed"
    ROLLED_BACK = "rolled_back"
    DROPPED = "dropped"


class InForce(StrEnum):
    """Whether a change still held when the after-capture was made."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """One thing that is changed. `scope` says where (host, file system, instance, table)."""

    parameter: str
    old: str = ""
    new: str = ""
    scope: str = ""
    mode: ChangeMode = ChangeMode.ONLINE


@dataclass(frozen=True, slots=True)
class Impact:
    """The expected effect on one resource.

    Attributes:
        direction: +2 strong relief, +1 relief, 0 none, -1 price, -2 high price.
        low, expected, high: in `unit`; None where no number is given.
        source: for the bases other than measured: document and place.
        evidence_ids: for a measured one.
    """

    resource: Resource
    direction: int
    low: float | None = None
    expected: float | None = None
    high: float | None = None
    unit: str = ""
    basis: Basis = Basis.ESTIMATE
    source: str = ""
    note: str = ""
    evidence_ids: tuple[int, ...] = ()

    @property
    def is_price(self) -> bool:
        return self.direction < 0


@dataclass(frozen=True, slots=True)
class Risk:
    text: str
    likelihood: Level = Level.MEDIUM
    severity: Level = Level.MEDIUM
    detection: str = ""


@dataclass(frozen=True, slots=True)
class Rollback:
    """How to get back. `duration_min` None: not estimated; `tested_on` empty: not tried."""

    command: str = ""
    duration_min: float | None = None
    precondition: str = ""
    tested_on: str = ""
    tested_by: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """The metric that will tell whether the change worked, and by how much it must move to count."""

    metric_id: int
    margin_pct: float | None = None


@dataclass(frozen=True, slots=True)
class Consent:
    """Somebody's decision on an action."""

    role: str
    name: str
    decision: Decision
    decided_at: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """A countermeasure with its worksheet row.

    Attributes:
        changes: coupled changes stand together (maxcontig with maxphys; ncsize with ufs_ninode).
        cause_ids: the causes that it answers.
        finding: key of the finding that it answers, or empty.
        no_price_reason: where no resource pays: why not.
        known_effect: id of the row of the known-effect matrix that impacts were taken from, or empty.
    """

    id: int
    iteration_id: int
    title: str
    changes: tuple[ParameterChange, ...] = ()
    hypothesis: str = ""
    cause_ids: tuple[int, ...] = ()
    finding: str = ""
    impacts: tuple[Impact, ...] = ()
    no_price_reason: str = ""
    risks: tuple[Risk, ...] = ()
    rollback: Rollback = Rollback()
    verifications: tuple[Verification, ...] = ()
    consents: tuple[Consent, ...] = ()
    state: ActionState = ActionState.DRAFT
    known_effect: str = ""
    caveat: str = ""
    carried_from: int | None = None

    @property
    def prices(self) -> tuple[Impact, ...]:
        return tuple(impact for impact in self.impacts if impact.is_price)


@dataclass(frozen=True, slots=True)
class ExecutedChange:
    """A line of the change log: what was done for an action.

    Attributes:
        executed_at: ISO with zone.
        old, new: as found and as set, which may differ from what was planned.
        in_force, in_force_basis: at the after-capture, and what says so.
    """

    id: int
    action_id: int
    parameter: str
    old: str
    new: str
    executed_at: str
    executed_by: str
    commands: str = ""
    rolled_back_at: str = ""
    rolled_back_by: str = ""
    in_force: InForce = InForce.UNKNOWN
    in_force_basis: str = ""
