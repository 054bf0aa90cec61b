"""What the inspector shows: each kind of thing as a class of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunebench.core.records import record

if TYPE_CHECKING:
    from tunebench.analysis.comparing.comparison import ComparedSeries
    from tunebench.domain.engagement import Host, StoredEvent, WrittenReport
    from tunebench.domain.series import SeriesInfo
    from tunebench.usecases.projects import ArtefactInfo, RunView


@record
class InspectedSeries:
    """A series.

    Attributes:
        time_ns: where on the time line it was picked; the evidence line is the one of that sample.
        start_ns, end_ns: the window its statistics are for; None for the whole series.
    """

    series: SeriesInfo
    time_ns: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None


@record
class InspectedComparison:
    """One line of a comparison."""

    row: ComparedSeries


@record
class InspectedCapture:
    """A capture that came in."""

    artefact: ArtefactInfo


@record
class InspectedRun:
    """A run with its captures."""

    view: RunView


@record
class InspectedHost:
    """A host of the engagement."""

    host: Host


@record
class InspectedEvent:
    """An event of a host, picked on the time line."""

    stored: StoredEvent


@record
class InspectedReport:
    """A report that was written."""

    report: WrittenReport


Inspected = (
    InspectedSeries
    | InspectedComparison
    | InspectedCapture
    | InspectedRun
    | InspectedHost
    | InspectedEvent
    | InspectedReport
)
