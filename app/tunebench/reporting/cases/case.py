"""Everything a success case is made of, as plain values.

A part that the engagement does not have is empty or None; the document then says so or leaves it out. Nothing
missing is ever written as 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from tunebench.analysis.comparing.fold import Fold
from tunebench.analysis.statistics import Statistics
from tunebench.core.records import record
from tunebench.domain.engagement import Direction, Engagement, Host, Measurement, Phase, Section
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.reporting.cases.analysis import AnalysisCase, Judged
from tunebench.reporting.cases.answer import AnswerCase
from tunebench.reporting.cases.capture import LiveCapture
from tunebench.reporting.cases.cycle import CycleCase
from tunebench.reporting.cases.databases import DatabaseCase, LicenceNotes


@record(eq=False)
class SeriesSide:
    """One series in one window.

    Attributes:
        times_s: float64[n], seconds since local midnight of `date` (time of day) or since the start of the
            window, as `ResourceSeries.by_time_of_day` says; ascending.
        values: float64[n]; NaN breaks the line.
        start_ns, end_ns: the window, UTC; None where unknown.
        interval_s: sampling interval; None where the capture does not give it.
        evidence: keys of `EvidenceEntry`.
        fold: its occurrences over each other, which are drawn then; None where they are not of several days.
    """

    run: str
    times_s: NDArray[np.float64]
    values: NDArray[np.float64]
    summary: Statistics
    date: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    interval_s: float | None = None
    evidence: tuple[str, ...] = ()
    fold: Fold | None = None


@record
class Transactions:
    """Response times of all `n` transactions of a window, each counted once, in the unit of their series."""

    n: int
    mean: float
    maximum: float
    evidence: tuple[str, ...] = ()


@record(eq=False)
class ResourceSeries:
    """A series before and after, drawn as a pair on one axis.

    Attributes:
        subject: ``response``, ``cpu``, ``logical_io``, ``physical_io``, ``disk``, ``memory``, ``network`` or
            ``other``; series appear in that order, each subject under its own heading.
        unit: UCUM as stored (``%``, ``ms``, ``{block}/s`` ...).
        axis_maximum: end of the axis where the quantity has one (100 for a percentage).
        key: what the figure is, the same for every host and tool; empty where nothing names it.
        hosts: those that `host` names.
        among: how many such series its host has, of which this is the worst or got worse the most.
        interval_means: a sample is the mean of an interval, so that the largest one is no maximum.
        request_means: a sample is the mean of the requests of an interval, whose number differs from one to the next.
        transactions: of either side what is known of every single transaction, where the series is of means of them.
        phase: of the run, where it stands alone and nothing is compared.
    """

    subject: str
    label: str
    unit: str
    host: str
    direction: Direction
    before: SeriesSide | None
    after: SeriesSide | None
    metric: str = ""
    by_time_of_day: bool = True
    axis_maximum: float | None = None
    judged: Judged | None = None
    key: str = ""
    hosts: tuple[str, ...] = ()
    interval_means: bool = False
    request_means: bool = False
    transactions: tuple[Transactions | None, Transactions | None] = (None, None)
    phase: Phase | None = None
    among: int = 1


@record
class EvidenceEntry:
    """Where numbers come from: one imported file. Times are UTC nanoseconds, lines 1-based and inclusive."""

    key: str
    file: str
    sha256: str
    host: str = ""
    run: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    interval_s: float | None = None
    samples: int | None = None
    first_line: int | None = None
    last_line: int | None = None
    parser: str = ""
    parser_version: str = ""


@record
class ImportRecord:
    """What became of every line of one file."""

    evidence: str
    file: str
    state: ImportState
    ledger: Ledger


@record
class RunWindow:
    """One run of the engagement and when it was measured; `load` in words (``120 tps``), empty where unknown."""

    label: str
    phase: Phase
    start_ns: int | None = None
    end_ns: int | None = None
    hosts: tuple[str, ...] = ()
    files: int = 0
    interval_s: float | None = None
    load: str = ""


@record
class CaseOccurrence:
    """One stretch of a window; `excluded`: what does not count of it, with why; `load` in words, empty if unknown."""

    start_ns: int
    end_ns: int
    excluded: tuple[tuple[int, int, str], ...] = ()
    load: str = ""


@record
class CaseWindow:
    """A window that the case is about.

    Attributes:
        name: of one that is not kept the label of its run.
        kept: it has a name of its own.
        hosts: those it is limited to, none for all.
        zone: by whose clock its hours and days go, where that is not the case's; else empty.
        left_out: what is not compared of it, with why as what is excluded of each.
    """

    name: str
    phase: Phase
    kept: bool = False
    hosts: tuple[str, ...] = ()
    occurrences: tuple[CaseOccurrence, ...] = ()
    left_out: tuple[CaseOccurrence, ...] = ()
    zone: str = ""

    @property
    def covered_by_runs(self) -> bool:
        """Whether the list of runs says all that there is to say of it."""
        return (
            not self.kept
            and len(self.occurrences) <= 1
            and not any(occurrence.excluded for occurrence in self.occurrences)
        )


@record
class SuccessCase:
    """One engagement, ready to be written in one language.

    Attributes:
        narrative: paragraphs per section, already in the language of the document.
        windows: that the case is about, before first.
        database_remarks: why a database that was captured is not compared, in sentences.
        databases_alone: names of those that were captured on one side only.
        issued: ISO date of issue, or empty; also the date inside the files.
        comparison: every captured series, compared; means and p95 are descriptive.
        further_hosts: hosts whose series are in the comparison alone, by the key of the `ResourceSeries` of others.
        captured: how many captured series tell of each subject, charted or not.
        program_version: printed with the document's control data.
        live: what TuneBench captured itself; None where all captures were brought in as files.
        cycle: the tuning cycle.
        analysis: comparability, findings, bottleneck, capacity and experiments.
        answer: to what changed between the windows; None where there is one side only.
        untranslated: texts of records that stand in the language they were written in, or are left out where the case
            `leaves_out` such texts; each once.
    """

    engagement: Engagement
    narrative: Mapping[Section, tuple[str, ...]] = field(default_factory=dict)
    measurements: tuple[Measurement, ...] = ()
    databases: tuple[DatabaseCase, ...] = ()
    database_remarks: tuple[str, ...] = ()
    databases_alone: tuple[str, ...] = ()
    licences: LicenceNotes = field(default_factory=LicenceNotes)
    hosts: tuple[Host, ...] = ()
    runs: tuple[RunWindow, ...] = ()
    windows: tuple[CaseWindow, ...] = ()
    series: tuple[ResourceSeries, ...] = ()
    further_hosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    captured: tuple[tuple[str, int], ...] = ()
    comparison: tuple[Judged, ...] = ()
    evidence: tuple[EvidenceEntry, ...] = ()
    imports: tuple[ImportRecord, ...] = ()
    edition: str = "1.0"
    issued: str = ""
    program_version: str = ""
    live: LiveCapture | None = None
    cycle: CycleCase = field(default_factory=CycleCase)
    analysis: AnalysisCase = field(default_factory=AnalysisCase)
    answer: AnswerCase | None = None
    untranslated: tuple[str, ...] = ()
    leaves_out: bool = False

    @property
    def zone(self) -> str:
        return self.engagement.zone

    @property
    def alone(self) -> bool:
        """Whether something was captured, and on one side only: nothing is compared."""
        sides = {window.phase for window in self.windows or self.runs}
        return bool(self.runs) and not {Phase.BEFORE, Phase.AFTER} <= sides

    def texts(self, section: Section) -> tuple[str, ...]:
        return tuple(text for text in self.narrative.get(section, ()) if text.strip())
