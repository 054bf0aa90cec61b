"""One capture: bytes into the project verbatim, then samples out of the stored bytes.

The same `parse_artefact` serves the first import and every later re-parse with other assumptions, so
that a figure can always be had again from the evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from tunebench.capture.capture_reading import Findings, Step, read_capture, traits_of
from tunebench.capture.foreign_files import refusal_of
from tunebench.capture.readings import payload_head
from tunebench.capture.truths import Told, Truths
from tunebench.core.errors import PluginError, UserError
from tunebench.core.patterns import lazy_pattern
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.engagement import CaptureEvent, EventKind
from tunebench.domain.ledger import NOTHING_KEPT, ROWS_LOST, Assumption, ImportState, Ledger
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.sdk.line_stamps import without_line_stamps
from tunebench.sdk.text import utf16_of
from tunebench.store import artefacts, sessions
from tunebench.store.artefacts import ArtefactInfo, StoredArtefact
from tunebench.store.databases import records as database_records
from tunebench.store.project import Project
from tunebench.store.samples import SampleStore
from tunebench.transport.local import HEAD_BYTES

_MANY_EMPTY_LINES = lazy_pattern(rb"\n{20,}")


@record
class HostZone:
    """The zone for stamps that carry none, and how it is known (`ParseContext.zone_source`)."""

    zone: str
    source: str


def recognise(host: PluginHost, head: bytes, name: str, path: str) -> ParserEntry:
    """The parser for a file with this head; our own frames around a tool's output are looked through.

    Raises:
        UserError: empty, binary, known to be no capture, or no parser is sure enough.
    """
    if not head:
        raise UserError("file_empty", path=path)
    payload = payload_head(head)
    best = host.surest(payload, name, readings(payload))
    if best is not None:
        return best.entry
    refusal = refusal_of(payload, path)
    if refusal is not None:
        raise refusal
    if b"\0" in head and not utf16_of(head):
        raise UserError("file_binary", path=path)
    raise UserError("file_unrecognised", path=path)


def readings(head: bytes) -> Iterator[list[bytes]]:
    """The head as it is and without stamps before its lines, of which the surest is right: a stamp may look like a
    column of another tool. Then as UTF-8, then without the lines that a crash filled with NULs."""
    yield _with_bare(head)
    if utf16 := utf16_of(head):
        yield _with_bare(head.decode(utf16, "replace").encode())
    elif b"\0" in head:
        whole = [line for line in head.split(b"\n") if b"\0" not in line]
        if len(whole) > 1:
            yield [b"\n".join(whole)]


def _with_bare(head: bytes) -> list[bytes]:
    bare = without_line_stamps(head)
    return [head, bare] if bare else [head]


def scout(entry: ParserEntry, head: bytes, context: ParseContext) -> Ledger:
    """What the first bytes say of tool and host; a parser that fails here fails later with its reason."""
    head = payload_head(head)
    try:
        parser = entry.create(context)
        for _ in parser.feed(head[: head.rfind(b"\n") + 1] or head):
            continue
        for _ in parser.finish():
            continue
        return parser.ledger()
    except PluginError:
        return Ledger()


def store_pieces(
    project: Project, run_id: int, name: str, source_path: str, modified_ns: int, pieces: Iterable[bytes]
) -> StoredArtefact:
    """Bytes into the project, as they come; on any failure nothing of them stays."""
    writer = artefacts.begin_artefact(project, run_id, name, source_path, modified_ns)
    try:
        for piece in pieces:
            writer.write(piece)
        return writer.finish()
    except BaseException:
        writer.abandon()
        raise


def parse_artefact(
    project: Project,
    artefact: ArtefactInfo,
    entry: ParserEntry,
    *,
    known: Ledger,
    host_id: int,
    host_zone: HostZone,
    truths: Truths,
    catalogue: MetricCatalogue,
    told: Told | None = None,
    extra_warnings: tuple[str, ...] = (),
    extra_needs: tuple[str, ...] = (),
    progress: Progress,
) -> Ledger:
    """Samples, events and database records of a stored artefact; replaces those of an earlier parse.

    Args:
        known: what `scout` found in the capture's first bytes.
        told: what others tell, where the user says nothing.

    Raises:
        PluginError: the parser failed; the artefact stays, its state becomes ``failed``.
    """
    told = told or Told()
    store = CaptureStore(
        project,
        artefact,
        entry,
        known=known,
        host_id=host_id,
        truths=truths,
        told=told,
        catalogue=catalogue,
        extra_warnings=extra_warnings,
        extra_needs=extra_needs,
    )
    context = context_of(artefact, host_zone, truths, told)
    pieces = artefacts.read_ahead(project, artefact.id)
    try:
        for read in read_capture(entry, context, known, catalogue, pieces):
            if isinstance(read, Findings):
                return store.finish(read)
            progress.raise_if_cancelled()
            store.take(read)
            size = artefact.size_bytes
            progress.report(size + read.done_bytes, 2 * size, "progress.parsing", name=artefact.name)
    except PluginError:
        store.fail()
        raise
    except BaseException:
        store.abandon()
        raise
    raise AssertionError("a reading ends with its findings")


class CaptureStore:
    """Puts what is read of one stored capture into the project; what an earlier reading gave is replaced.

    Args: see `parse_artefact`.
    """

    def __init__(
        self,
        project: Project,
        artefact: ArtefactInfo,
        entry: ParserEntry,
        *,
        known: Ledger,
        host_id: int,
        truths: Truths,
        told: Told,
        catalogue: MetricCatalogue,
        extra_warnings: tuple[str, ...],
        extra_needs: tuple[str, ...],
    ) -> None:
        self._project, self._artefact, self._entry = project, artefact, entry
        self._host_id, self._truths, self._told = host_id, truths, told
        self._extra_warnings, self._extra_needs = extra_warnings, extra_needs
        artefacts.remove_samples(project, artefact.id)
        self._records = 0
        self._samples = SampleStore(
            project,
            artefact_id=artefact.id,
            run_id=artefact.run_id,
            host_id=host_id,
            tool=known.tool or entry.tools[0],
            traits=lambda key: traits_of(catalogue, known, key),
        )

    def take(self, step: Step) -> None:
        self._samples.take(step.parts)
        database_records.write_records(self._project, self._artefact.id, step.records, self._records)
        self._records += len(step.records)

    def finish(self, found: Findings) -> Ledger:
        """Stores what is left; the ledger as it is kept."""
        self._samples.finish()
        project, artefact = self._project, self._artefact
        ledger = replace(
            found.ledger,
            assumptions=_sources_named(found.ledger, self._truths, self._told),
            warnings=(*found.ledger.warnings, *self._extra_warnings),
            needs=(*found.ledger.needs, *self._extra_needs),
        )
        if ledger.rows_lost and not ledger.samples and not self._records:
            ledger = replace(ledger, warnings=(NOTHING_KEPT, *(key for key in ledger.warnings if key != ROWS_LOST)))
        for one in found.facts:
            sessions.write_facts(project, artefact.id, self._host_id, one.moment_ns, one.facts)
        sessions.write_segments(project, artefact.id, found.segments)
        gaps = sessions.list_gaps(project, artefact_id=artefact.id)
        # those that the capture itself noticed, with their cause, so that nothing is drawn across them
        noticed = [CaptureEvent(EventKind.GAP, gap.start_ns, gap.end_ns, str(gap.cause)) for gap in gaps]
        self._record(ImportState.IMPORTED, ledger, [*found.events, *noticed])
        return ledger

    def fail(self) -> None:
        """The parser failed: the artefact stays, without what was read of it."""
        self.abandon()
        self._record(ImportState.FAILED, Ledger(), ())

    def abandon(self) -> None:
        """The work was given up: the artefact is pending."""
        self._samples.abandon()
        database_records.remove_records(self._project, self._artefact.id)

    def _record(self, state: ImportState, ledger: Ledger, events: Sequence[CaptureEvent]) -> None:
        artefacts.set_parse_result(
            self._project,
            self._artefact.id,
            host_id=self._host_id,
            parser_id=self._entry.id,
            parser_version=self._entry.version,
            state=state,
            ledger=ledger,
            events=events,
            given=self._truths.as_text(),
        )


def context_of(artefact: ArtefactInfo, host_zone: HostZone, truths: Truths, told: Told) -> ParseContext:
    """What the parser of a stored capture is told besides its bytes."""
    return ParseContext(
        file_name=artefact.name,
        path=artefact.source_path,
        modified_ns=artefact.modified_ns,
        zone=ZoneInfo(truths.zone or host_zone.zone),
        zone_source="user" if truths.zone else host_zone.source,
        start=truths.start,
        date=truths.date,
        interval_s=told.interval_s if truths.interval_s is None else truths.interval_s,
        day_first=told.day_first if truths.day_first is None else truths.day_first,
        interval_source="path" if truths.interval_s is None else "user",
        first_measured=truths.first_measured,
    )


def _sources_named(ledger: Ledger, truths: Truths, told: Told) -> tuple[Assumption, ...]:
    """The assumptions by their true sources: what a path or a sibling tells is not the user's word."""
    sources = {}
    if told.interval_s is not None and truths.interval_s is None:
        sources["interval_s"] = "path"
    if told.day_first is not None and truths.day_first is None:
        sources["date_order"] = "sibling"
    named = [
        replace(assumption, source=sources[assumption.subject])
        if assumption.source == "user" and assumption.subject in sources
        else assumption
        for assumption in ledger.assumptions
    ]
    if any(assumption.source == "sibling" for assumption in named):
        named.append(Assumption("date_order_of", told.order_of, "sibling"))
    return tuple(named)


def artefact_head(project: Project, artefact_id: int) -> bytes:
    """The first 64 KiB of a stored capture, without the many empty lines that stand for those of other tools."""
    head = b""
    for piece in artefacts.read_artefact(project, artefact_id):
        head += _MANY_EMPTY_LINES.sub(b"\n\n", piece)
        if len(head) >= HEAD_BYTES:
            break
    return head[:HEAD_BYTES]
