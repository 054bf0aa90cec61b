"""Every file of which host, date, zone or order was not proved, what was taken for it and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunebench.core.records import record
from tunebench.domain.capturing.times import CaptureTimes
from tunebench.domain.engagement import Phase, is_unnamed, presumed_parts
from tunebench.store.project import Project
from tunebench.usecases.importing.import_review import Reviewed, reviewed
from tunebench.usecases.quick.settling import Left, Settled

_SURE_SOURCES = ("user", "stamp")
_OF_TIME = ("date", "start", "date_order", "zone")
_MACHINE, _STAMPED = "machine", "stamped"


@record
class Doubt:
    """
    Attributes:
        about: ``file``, ``host``, ``side``, ``order``, ``date``, ``start``, ``date_order`` or ``zone``.
        source: why it is taken for what is `assumed`; empty where nothing is.
    """

    about: str
    assumed: str = ""
    source: str = ""

    @property
    def key(self) -> str:
        """Of the sentence that says it."""
        return f"quick.doubt.{self.about}.{self.source or 'none'}"


@record
class Doubted:
    """A file with what is in doubt of it; `is_compared`: whether its host is in the answer all the same."""

    row: Reviewed
    doubts: tuple[Doubt, ...]
    is_compared: bool


def doubted(project: Project, settled: Settled) -> list[Doubted]:
    """The most doubtful file first; none that is sure."""
    rows = reviewed(project)
    stamped = {row.times.zone for row in rows if row.times and row.times.zone_source == "stamp"}
    files = (
        Doubted(row, tuple(_doubts(row, settled, stamped)), row.host in settled.compared and bool(settled.windows))
        for row in rows
    )
    return [file for file in files if file.doubts]


def is_clear(files: Sequence[Doubted]) -> bool:
    """Whether nothing is in doubt but which zone it was, and that is the same for all: it moves either side alike."""
    doubts = [doubt for file in files for doubt in file.doubts]
    zones = {doubt.assumed for doubt in doubts}
    return all(doubt.about == "zone" for doubt in doubts) and len(zones) < 2


def _doubts(row: Reviewed, settled: Settled, stamped: set[str]) -> Iterator[Doubt]:
    if row.artefact is None or "file" in row.questions:
        yield Doubt("file", source="refused")
        return
    if is_unnamed(row.host):
        yield (
            Doubt("host", source="alone")
            if row.host in settled.compared and not presumed_parts(row.host)
            else _of_host(row)
        )
    elif row.host_from == "path":
        yield Doubt("host", row.host, "path")
    if row.phase is Phase.OTHER:
        yield Doubt("side")
    if settled.left.get(row.host) is Left.ORDER:
        yield Doubt("order")
    if row.times is not None:
        yield from _of_times(row.times, stamped)


def _of_host(row: Reviewed) -> Doubt:
    presumed = presumed_parts(row.host)
    if presumed is not None:
        return Doubt("host", *presumed)
    if row.proposal is None:
        return Doubt("host")
    return Doubt("host", row.proposal.host, "contradicted" if row.proposal.against else "one_side")


def _of_times(times: CaptureTimes, stamped: set[str]) -> Iterator[Doubt]:
    for subject in set(_OF_TIME).intersection(times.open_subjects):
        assumption = times.assumed.get(subject)
        source = assumption.source if assumption is not None else times.zone_source if subject == "zone" else ""
        if not source or source in _SURE_SOURCES:
            continue
        if subject == "zone":
            yield Doubt("zone", times.zone, _STAMPED if times.zone in stamped else _MACHINE)
        elif assumption is not None:
            yield Doubt(
                subject, assumption.value, "mtime" if source == "mtime" else "path" if source == "path" else "other"
            )
