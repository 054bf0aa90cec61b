"""What was captured live, and what the servers' configuration was, as plain values for the report."""

from __future__ import annotations

from tunebench.core.records import record
from tunebench.domain.databases.choices import LicenceConfirmation


@record
class CapturedStream:
    """One command on one host over all its starts.

    Attributes:
        tool_line: empty for TuneBench's own commands.
        interval_s: None where it does not repeat.
        samples: None where no parser read it.
        coverage_pct: share of its time that is covered by samples; None where it does not repeat or never ran.
        cpu_s, measured_s: processor time on the server, and the length of the starts it was measured over;
            None where not measured.
        leftovers: ``none``, ``found`` or ``unknown``.
        evidence: key of its `EvidenceEntry`, empty where it has none.
    """

    host: str
    probe: str
    tool_line: str
    state: str
    interval_s: float | None = None
    samples: int | None = None
    coverage_pct: float | None = None
    gaps: int = 0
    starts: int = 0
    tool_version: str = ""
    cpu_s: float | None = None
    measured_s: float | None = None
    received_bytes: int = 0
    leftovers: str = "unknown"
    evidence: str = ""

    @property
    def cpu_pct(self) -> float | None:
        """Share of one core while it ran, percent."""
        if self.cpu_s is None or not self.measured_s:
            return None
        return 100.0 * self.cpu_s / self.measured_s


@record
class CapturedGap:
    """Times are the server's, UTC ns; `end_ns` None: nothing came after."""

    host: str
    probe: str
    start_ns: int
    end_ns: int | None
    cause: str
    evidence: str = ""


@record
class ClockReading:
    """Server clock minus that of the capturing computer, in ns, true to +- `error_ns`. `taken_ns`: UTC."""

    host: str
    taken_ns: int | None
    offset_ns: int
    error_ns: int
    zone: str


@record
class HostOverhead:
    """What all of TuneBench's processes on a host used together, measured there while the capture ran."""

    host: str
    cpu_s: float
    measured_s: float
    processes: int

    @property
    def cpu_pct(self) -> float:
        """Share of one core, percent."""
        return 100.0 * self.cpu_s / self.measured_s


@record
class CapturedSession:
    """One running of an approved plan. `approved_by` is empty where no approval is stored.

    Attributes:
        licences: what people confirmed of what its commands may read by licence only.
    """

    run: str
    phase: str
    label: str
    state: str
    started_ns: int | None
    ended_ns: int | None
    mode: str
    digest: str
    approved_by: str = ""
    approved_ns: int | None = None
    approved_how: str = ""
    note: str = ""
    streams: tuple[CapturedStream, ...] = ()
    gaps: tuple[CapturedGap, ...] = ()
    clocks: tuple[ClockReading, ...] = ()
    overheads: tuple[HostOverhead, ...] = ()
    licences: tuple[LicenceConfirmation, ...] = ()


@record
class FactChange:
    """A fact of the configuration that differs; a side is None where it is not there at all."""

    section: str
    name: str
    before: str | None
    after: str | None


@record
class FactComparison:
    """Two inventories of one host.

    Attributes:
        earlier, later: labels of their runs; equal where both are of one run (its start and its end).
        earlier_ns, later_ns: when they were taken, server clock; None where there is none.
        compared: facts that both inventories have.
        one_sided: sections that only one of them has, with ``earlier`` or ``later`` for the one that has it.
    """

    host: str
    earlier: str
    later: str
    earlier_ns: int | None
    later_ns: int | None
    compared: int = 0
    changes: tuple[FactChange, ...] = ()
    one_sided: tuple[tuple[str, str], ...] = ()

    @property
    def within_run(self) -> bool:
        return self.earlier == self.later

    @property
    def complete(self) -> bool:
        """Whether there are two inventories to compare."""
        return self.earlier_ns is not None and self.later_ns is not None


@record
class AuditLine:
    """`facts` are as the sentence ``audit.ACTION`` shows them. `time_ns`: UTC."""

    id: int
    time_ns: int | None
    user: str
    action: str
    facts: dict[str, object]


@record
class TrailHead:
    """The last entry of a trail that was merged in, `entries` long since the copies parted."""

    last_id: int
    digest: str
    entries: int


@record
class AuditTrail:
    """
    Attributes:
        branches: of other copies, in the order in which they were merged in.
        broken: id of the first entry that was changed, added or removed; None where the chain is whole.
        changed_outside: records of the cycle that are not what the trail says was last written (``result.7``).
    """

    lines: tuple[AuditLine, ...]
    last_id: int
    digest: str
    broken: int | None
    changed_outside: tuple[str, ...] = ()
    branches: tuple[TrailHead, ...] = ()

    @property
    def digests(self) -> tuple[str, ...]:
        """Of the last entry, and of the last one of every trail that was merged in."""
        return self.digest, *(branch.digest for branch in self.branches)


@record
class LiveCapture:
    """Everything the report tells of captures that TuneBench took itself."""

    sessions: tuple[CapturedSession, ...]
    comparisons: tuple[FactComparison, ...] = ()
    audit: AuditTrail | None = None
