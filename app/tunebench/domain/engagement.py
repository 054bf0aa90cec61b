"""The engagement and what hangs on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Annotated

from tunebench.core.records import record
from tunebench.domain.databases.records import StatementKey
from tunebench.domain.schema import Day, Filled, OnSheet, Shape, Translatable, Words
from tunebench.domain.translations import Translated


class Phase(StrEnum):
    BEFORE = "before"
    AFTER = "after"
    OTHER = "other"


class Direction(StrEnum):
    """Which way a figure is better."""

    LOWER = "lower"
    HIGHER = "higher"
    NEUTRAL = "neutral"


class Kind(StrEnum):
    GAUGE = "gauge"
    RATE = "rate"
    COUNTER = "counter"
    RATIO = "ratio"


class TwoRoles(StrEnum):
    """What becomes of a countermeasure that one person approves and carries out."""

    DECLARED = "declared"  # in the report
    REFUSED = "refused"


class Approvals(StrEnum):
    """What an approval of a plan or a countermeasure must be."""

    NONE = "none"  # a name, as it is typed
    NAMED = "named"  # of a contact of the engagement
    SIGNED = "signed"  # with that contact's key
    FOUR_EYES = "four_eyes"  # signed, and carried out by somebody else


class Section(StrEnum):
    """Parts of the success case that the consultant writes."""

    ISSUE = "issue"
    APPROACH = "approach"
    IMPROVEMENT = "improvement"
    OUTLOOK = "outlook"


@record
class Engagement(Translated):
    """One customer engagement = one project file. Dates are ISO (``YYYY-MM-DD``) or empty.

    Attributes:
        holidays: a country's code and own days, ``KR +2026-08-14 -2026-05-01``; empty for those of the zone's country.
        two_roles, approvals: the policies that were agreed with the customer.
        second_language: texts of records are asked for in the language that is not its own, too.
    """

    title: Annotated[Words, Filled(), OnSheet()]
    customer: Annotated[Words, Filled(), OnSheet()]
    site: Annotated[Words, OnSheet()] = ""
    firm: Annotated[Words, OnSheet()] = ""
    consultants: Annotated[tuple[str, ...], Translatable(), OnSheet()] = ()
    period_start: Annotated[Day, OnSheet()] = ""
    period_end: Annotated[Day, OnSheet()] = ""
    zone: Annotated[str, Shape.ZONE, OnSheet()] = "Asia/Seoul"
    language: str = "ko"
    confidentiality: Annotated[Words, OnSheet()] = ""
    holidays: str = ""
    two_roles: TwoRoles = TwoRoles.DECLARED
    approvals: Approvals = Approvals.NONE
    second_language: bool = False

    @property
    def refuses_two_roles(self) -> bool:
        return self.two_roles is TwoRoles.REFUSED or self.approvals is Approvals.FOUR_EYES


@record
class Narrative:
    """One paragraph of the success case in one language; `position` orders and numbers it."""

    section: Section
    position: int
    language: str
    text: str


@record
class Measurement(Translated):
    """A before/after figure entered by hand, with the evidence it has (or has not).

    Attributes:
        key: stable key; ``response_time``, ``block_access``, ``cpu_peak``, ``logical_io_peak``,
            ``logical_io_mean`` are placed by the success case, others are listed after them.
        label_ko, label_en: what the customer reads.
        statistic: ``total``, ``max``, ``mean``, ``p95`` ...
        before, after: None where not measured. `before_bound`/`after_bound`: ``""`` exact, ``"<"`` or ``">"``.
        before_date, after_date: ISO dates or empty.
        samples: n per side, None where the source does not say.
        source: where the figure comes from, in words.
    """

    key: str
    label_ko: str
    label_en: str
    unit: str
    statistic: str
    direction: Direction
    before: float | None
    after: float | None
    before_bound: str = ""
    after_bound: str = ""
    before_date: str = ""
    after_date: str = ""
    samples: int | None = None
    decimals: int = 0
    source: Words = ""


@record
class Statement:
    """One SQL statement's totals in one run; None means the source does not report the figure.

    `elapsed_s` and `cpu_s` are totals over `executions`; block figures are counts of blocks.

    Attributes:
        executed: by figure that not every row reports together with its executions: total and executions of the rows
            that do.
    """

    run_id: int
    engine: str
    statement_id: str
    text: str
    module: str = ""
    plan: str = ""
    executions: int | None = None
    elapsed_s: float | None = None
    cpu_s: float | None = None
    block_gets: int | None = None
    block_reads: int | None = None
    rows: int | None = None
    artefact_id: int | None = None
    container: str = ""
    executed: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)

    @property
    def key(self) -> StatementKey:
        return StatementKey(self.statement_id, self.container)

    def total_and_executions(self, figure: str) -> tuple[float, float] | None:
        """Total and executions of the same rows, whose quotient is the figure per execution; None without any."""
        total, executions = self.executed.get(figure, (getattr(self, figure), self.executions))
        return (total, executions) if total is not None and executions else None


UNNAMED_HOST = "unknown"
"""What a host is called of whose captures none tells its name; shown in words of the reader's language.

Of several in one run each is called after the place of its captures: ``unknown (web01)``.
"""


def unnamed_host(place: str) -> str:
    """The name of the unnamed host whose captures lie at `place`."""
    return f"{UNNAMED_HOST} ({place})"


PRESUMED_BY = {"file": "by file name", "folder": "by folder", "archive": "by archive name"}
"""Names that two sides share and no capture says itself: the host is called after it, with its source."""
_BY_MARK = {f" ({words})": by for by, words in PRESUMED_BY.items()}


def presumed_host(name: str, by: str) -> str:
    """``app02 (by folder)``: what a host is called that only names of files, folders or archives tell of."""
    return f"{name} ({PRESUMED_BY[by]})"


def presumed_parts(host: str) -> tuple[str, str] | None:
    """The name of a presumed host and what tells it; None of all others."""
    own = ((host.removesuffix(mark), by) for mark, by in _BY_MARK.items() if host.endswith(mark))
    return next(own, None)


def is_unnamed(host: str) -> bool:
    """Whether no capture of the host and no person names it."""
    return host == UNNAMED_HOST or host.startswith(f"{UNNAMED_HOST} (") or presumed_parts(host) is not None


def host_in_words(host: str, unnamed: str, presumed: Mapping[str, str]) -> str:
    """
    Args:
        unnamed: what one is called that nothing names.
        presumed: what tells of a host, in the reader's language: ``folder`` -> ``by folder``.
    """
    parts = presumed_parts(host)
    if parts is not None:
        name, by = parts
        return f"{name} ({presumed[by]})"
    if not is_unnamed(host):
        return host
    distinction = host.removeprefix(f"{UNNAMED_HOST} (").removesuffix(")")
    return unnamed if host == UNNAMED_HOST else f"{distinction} ({unnamed.strip('()')})"


@record
class Host:
    id: int
    name: str
    os: str = ""
    os_version: str = ""
    zone: str = ""
    zone_source: str = ""


@record
class Run:
    """A labelled stretch of measurement: everything captured before (or after) the change.

    Attributes:
        first_ns, last_ns: first and last sample of the captures that say when they were measured; of all, where
            none does, and then it is `dated_by_file`. UTC.
    """

    id: int
    label: str
    phase: Phase
    first_ns: int | None = None
    last_ns: int | None = None
    dated_by_file: bool = False


class EventKind(StrEnum):
    """What may be marked on a host's time line."""

    RESTART = "restart"
    GAP = "gap"
    CLOCK_JUMP = "clock_jump"
    REPEATED_TIME = "repeated_time"
    DEVICE_ADDED = "device_added"
    DEVICE_REMOVED = "device_removed"
    CPU_COUNT = "cpu_count"
    MEMORY_SIZE = "memory_size"
    TOOL_VERSION = "tool_version"
    OVERLAP = "overlap"
    COMMENT = "comment"
    MARK = "mark"


@record
class CaptureEvent:
    """Something that happened at `start_ns` (UTC), lasting until `end_ns` where it has a length."""

    kind: EventKind
    start_ns: int
    end_ns: int | None = None
    text: str = ""


@record
class StoredEvent:
    """An event with the capture that recorded it."""

    host_id: int | None
    run_id: int
    artefact_id: int
    event: CaptureEvent


@record
class Note:
    """A consultant's words on a time, a series, a run, an artefact."""

    id: int
    target_kind: str
    target_id: int | None
    time_ns: int | None
    text: str
    author: str
    written_at: str


@record
class WrittenReport:
    """A report file that was written out of the project.

    Attributes:
        written_at: ISO (UTC).
        kind: ``pdf`` or ``xlsx``.
        issued: ISO date of issue, as printed.
        path: where it was put, absolute; `file_name` is its last part.
        sha256: of the bytes that were written.
        edition, program_version: as printed in it.
    """

    id: int
    written_at: str
    kind: str
    language: str
    issued: str
    file_name: str
    path: str
    sha256: str
    size_bytes: int
    edition: str
    program_version: str
