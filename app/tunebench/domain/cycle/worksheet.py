"""The trade-off worksheet: no change without saying which other resource pays for it (section 2.1 of the guide)."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import Annotated

from tunebench.core.records import record
from tunebench.domain.schema import (
    ByAct,
    Commands,
    Day,
    Filled,
    InForm,
    IterationId,
    Lines,
    Moment,
    Names,
    OnSheet,
    PersonName,
    Prose,
    Translatable,
    Within,
    Words,
)
from tunebench.domain.translations import Translated


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


@record
class ParameterChange(Translated):
    """One thing that is changed. `scope` says where (host, file system, instance, table)."""

    parameter: Annotated[Words, Filled(), OnSheet(34)]
    old: Annotated[Words, OnSheet(30)] = ""
    new: Annotated[Words, OnSheet(30)] = ""
    scope: Annotated[Words, OnSheet(26)] = ""
    mode: Annotated[ChangeMode, OnSheet(14)] = ChangeMode.ONLINE


@record
class Impact(Translated):
    """The expected effect on one resource.

    Attributes:
        direction: +2 strong relief, +1 relief, 0 none, -1 price, -2 high price.
        low, expected, high: in `unit`; None where no number is given.
        source: for the bases other than measured: document and place.
        evidence_ids: for a measured one.
    """

    resource: Annotated[Resource, OnSheet(22)]
    direction: Annotated[int, Within(-2, 2), OnSheet(10)]
    low: Annotated[float | None, OnSheet(10)] = None
    expected: Annotated[float | None, OnSheet(10)] = None
    high: Annotated[float | None, OnSheet(10)] = None
    unit: Annotated[str, OnSheet(12)] = ""
    basis: Annotated[Basis, OnSheet(16)] = Basis.ESTIMATE
    source: Annotated[Words, OnSheet(34)] = ""
    note: Annotated[Prose, OnSheet(40)] = ""
    evidence_ids: Annotated[tuple[int, ...], Names("evidence"), OnSheet(14, "evidence")] = ()

    @property
    def is_price(self) -> bool:
        return self.direction < 0


@record
class Risk(Translated):
    text: Annotated[Prose, Filled(), OnSheet(56)]
    likelihood: Annotated[Level, OnSheet(12)] = Level.MEDIUM
    severity: Annotated[Level, OnSheet(12)] = Level.MEDIUM
    detection: Annotated[Prose, OnSheet(44)] = ""


@record
class Rollback(Translated):
    """How to get back. `duration_min` None: not estimated; `tested_on` empty: not tried."""

    command: Annotated[Commands, Translatable(), OnSheet(40)] = ""
    duration_min: Annotated[float | None, Within(0, 1e6), OnSheet(12)] = None
    precondition: Annotated[Prose, OnSheet(30)] = ""
    tested_on: Annotated[Day, OnSheet(13)] = ""
    tested_by: Annotated[PersonName, OnSheet(16)] = ""


@record
class Verification:
    """The metric that will tell whether the change worked, and by how much it must move to count."""

    metric_id: Annotated[int, Names("metric", owner=True), OnSheet(44, "metric")]
    margin_pct: Annotated[float | None, Within(0, 1e6), OnSheet(14)] = None


@record
class Consent(Translated):
    """Somebody's decision on an action.

    Attributes:
        role: the customer's approver, executor or consultant, in the words of the engagement.
        signature: with the approver's key, of `domain.approving.action_text`, and verified; or what else it was
            signed with, the number of a document, which nothing checks.
    """

    role: Annotated[Words, OnSheet(20)]
    name: Annotated[PersonName, Filled(), OnSheet(20)]
    decision: Annotated[Decision, OnSheet(12)]
    decided_at: Annotated[Moment, OnSheet(26)] = ""
    note: Annotated[Prose, OnSheet(40)] = ""
    signature: Lines = ""

    @property
    def approves(self) -> bool:
        return self.decision is Decision.APPROVED


def person(name: str) -> str:
    """Equal for names of one person, however they were typed: without capitals, blanks and dots."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", name).casefold() if sign.isalnum())


@record
class Action(Translated):
    """A countermeasure with its worksheet row.

    Attributes:
        changes: coupled changes stand together (maxcontig with maxphys; ncsize with ufs_ninode).
        cause_ids: the causes that it answers.
        finding: key of the finding that it answers, or empty.
        no_price_reason: where no resource pays: why not.
        known_effect: id of the row of the known-effect matrix that impacts were taken from, or empty.
    """

    id: int
    iteration_id: IterationId
    title: Annotated[Words, Filled(), OnSheet(36), InForm(0)]
    changes: tuple[ParameterChange, ...] = ()
    hypothesis: Annotated[Prose, OnSheet(44)] = ""
    cause_ids: Annotated[tuple[int, ...], Names("cause"), OnSheet(30, "causes")] = ()
    finding: Annotated[str, OnSheet(18)] = ""
    impacts: tuple[Impact, ...] = ()
    no_price_reason: Annotated[Prose, OnSheet(30)] = ""
    risks: tuple[Risk, ...] = ()
    rollback: Rollback = Rollback()
    verifications: tuple[Verification, ...] = ()
    consents: Annotated[tuple[Consent, ...], ByAct("approve")] = ()
    state: Annotated[ActionState, OnSheet(12)] = ActionState.DRAFT
    known_effect: Annotated[str, OnSheet(18)] = ""
    caveat: Annotated[Prose, OnSheet(36)] = ""
    carried_from: Annotated[int | None, Names("action")] = None

    @property
    def approvers(self) -> frozenset[str]:
        """Names of those who approved, as `person` spells them."""
        return frozenset(person(consent.name) for consent in self.consents if consent.approves)

    @property
    def prices(self) -> tuple[Impact, ...]:
        return tuple(impact for impact in self.impacts if impact.is_price)


@record
class ExecutedChange(Translated):
    """A line of the change log: what was done for an action.

    Attributes:
        executed_at: ISO with zone.
        old, new: as found and as set, which may differ from what was planned.
        in_force, in_force_basis: at the after-capture, and what says so.
    """

    id: int
    action_id: Annotated[int, Names("action", owner=True), ByAct("execute")]
    parameter: Annotated[Words, Filled()]
    old: Words
    new: Words
    executed_at: Moment
    executed_by: PersonName
    commands: Commands = ""
    rolled_back_at: Moment = ""
    rolled_back_by: PersonName = ""
    in_force: InForce = InForce.UNKNOWN
    in_force_basis: Prose = ""
