"""What a statement of the cycle rests on, under a number that never changes (E-12)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from tunebench.core.records import record
from tunebench.domain.schema import ByAct, Filled, Moment, Names, Outside, PersonName, Prose
from tunebench.domain.translations import Translated


class EvidenceKind(StrEnum):
    WINDOW = "window"  # series over a stretch of time
    RUN = "run"
    CAPTURE = "capture"  # an artefact, or lines of it
    STATEMENT = "statement"
    MEASUREMENT = "measurement"
    FINDING = "finding"
    ATTACHMENT = "attachment"
    EXPERIMENT = "experiment"  # with its analysis


@record
class EvidenceTarget:
    """Where the evidence lies; only what belongs to `kind` is set.

    Attributes:
        series: ids of the series as they were when it was pinned; `series_names` finds them again after the capture
            was read anew, each ``host|tool|native|attribute=value``.
        first_line, last_line: of the capture, counted from 1.
        key: of a measurement, a finding, or ``engine:statement id``; the SHA-256 of an attachment; the
            id of an experiment.
    """

    kind: EvidenceKind
    run_id: Annotated[int | None, Outside("run")] = None
    artefact_id: Annotated[int | None, Outside("artefact")] = None
    series: tuple[int, ...] = ()
    series_names: tuple[str, ...] = ()
    start_ns: int | None = None
    end_ns: int | None = None
    first_line: int | None = None
    last_line: int | None = None
    key: str = ""


@record
class Evidence(Translated):
    """`attached_to`: ids of the records (steps, causes, actions, issues ...) that it supports."""

    id: int
    number: Annotated[int, ByAct("pin")]
    caption: Annotated[Prose, Filled()]
    target: Annotated[EvidenceTarget, ByAct("pin")]
    attached_to: Annotated[tuple[int, ...], Names()] = ()
    pinned_by: PersonName = ""
    pinned_at: Moment = ""

    @property
    def code(self) -> str:
        return f"E-{self.number}"
