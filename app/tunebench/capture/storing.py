"""A capture session's journals into the project: evidence first, then what it says.

Every command's bytes become one artefact, verbatim, markers and login noise included. The artefact's SHA-256 is that
of the bytes read from the journal; only after all of them stand in the project is the session's folder removed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tunebench.capture import ingest
from tunebench.capture.frames import is_framed, segments
from tunebench.capture.ingest import HostZone
from tunebench.capture.journal import read_streams
from tunebench.capture.readings import payload_head
from tunebench.capture.spooled import SpooledSession, SpooledStream, read_session
from tunebench.capture.survey import surveyed_host
from tunebench.capture.truths import Truths
from tunebench.core.errors import PluginError, UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CapturePlan, CommandKind, PlannedHost
from tunebench.domain.capturing.run import StreamRecord, StreamSegment, StreamState
from tunebench.domain.engagement import Host
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.plughost.parser_entry import ParserEntry
from tunebench.sdk import ParseContext
from tunebench.store import artefacts, engagements, sessions
from tunebench.store.artefacts import ArtefactInfo, ArtefactWriter
from tunebench.store.project import Project


@record
class SessionStored:
    """What of a session is in the project now. `failed`: command id -> why its output could not be read."""

    session_id: int
    artefacts: Mapping[str, int]
    failed: Mapping[str, UserError]


@record
class Destination:
    """What every artefact of a session shares."""

    project: Project
    session_id: int
    run_id: int
    plan: CapturePlan
    plugins: PluginHost
    catalogue: MetricCatalogue


def store_session(
    project: Project,
    session_id: int,
    folder: Path,
    plan: CapturePlan,
    plugins: PluginHost,
    catalogue: MetricCatalogue,
    progress: Progress,
) -> SessionStored:
    """Stores what lies in `folder`, then removes it.

    A command whose output no reader reads, or whose reader fails, is kept as evidence all the same.

    Raises:
        UserError: the journals or the project cannot be read or written; the folder stays.
    """
    spooled = read_session(folder, plan)
    run_id = sessions.find_session(project, session_id).run_id
    to = Destination(project, session_id, run_id, plan, plugins, catalogue)
    stored: dict[str, int] = {}
    failed: dict[str, UserError] = {}
    by_name = {host.name: _host(project, host, spooled.surveys.get(host.name, {})) for host in plan.hosts}
    for name in spooled.file.folders:
        stored |= _store_bytes(to, spooled, name)
    sessions.write_gaps(project, session_id, spooled.all_gaps(), stored)
    sessions.write_clock_checks(project, session_id, spooled.clocks)
    for number, (stream_id, artefact_id) in enumerate(stored.items(), 1):
        progress.report(number - 1, len(stored), "progress.parsing", name=stream_id)
        error = read_in(to, by_name[plan.command(stream_id).host], stream_id, artefact_id, progress)
        if error is not None:
            failed[stream_id] = error
    for stream in spooled.streams.values():
        if stream.command.kind is not CommandKind.HOUSE or stream.command.id in stored:
            _record(to, spooled, stream, by_name[stream.command.host], stored.get(stream.command.id))
    _remove(folder)
    return SessionStored(session_id, stored, failed)


# --- evidence


def _store_bytes(to: Destination, spooled: SpooledSession, host: str) -> dict[str, int]:
    """All streams of one host in one pass over its journal."""
    writers: dict[str, ArtefactWriter] = {}
    void_bytes = {stream_id: stream.void_bytes for stream_id, stream in spooled.streams.items()}
    try:
        for stream_id, piece in read_streams(spooled.folder / spooled.file.folders[host], void_bytes):
            if stream_id not in writers:
                writers[stream_id] = _begin(to, spooled.streams[stream_id])
            writers[stream_id].write(piece)
        return {stream_id: writer.finish().artefact_id for stream_id, writer in writers.items()}
    except BaseException:
        for writer in writers.values():
            writer.abandon()
        raise


def _begin(to: Destination, stream: SpooledStream) -> ArtefactWriter:
    command = stream.command
    host = next(host for host in to.plan.hosts if host.name == command.host)
    source = f"ssh://{host.user}@{host.address}:{host.port}{command.remote_path}"
    return artefacts.begin_artefact(to.project, to.run_id, command.id, source, stream.last_ns or 0)


def _host(project: Project, planned: PlannedHost, survey: Mapping[str, Any]) -> Host:
    system = survey.get("os") or planned.os
    return surveyed_host(project, planned.name, system, survey.get("os_version") or "", survey.get("zone") or "")


# --- what it says


def read_in(to: Destination, host: Host, stream_id: str, artefact_id: int, progress: Progress) -> UserError | None:
    """Reads one stored command's output into series and facts; gives why that failed, the evidence stays."""
    artefact = artefacts.find_artefact(to.project, artefact_id)
    head = ingest.artefact_head(to.project, artefact_id)
    entry = find_reader(to.plugins, to.plan.command(stream_id).parser, head, stream_id)
    if entry is None:
        keep_unread(to.project, artefact, host)
        return None
    context = ParseContext(artefact.name, artefact.source_path, artefact.modified_ns)
    zone = (
        HostZone(host.zone, "host")
        if host.zone
        else HostZone(engagements.read_engagement(to.project).zone, "engagement")
    )
    try:
        ingest.parse_artefact(
            to.project,
            artefact,
            entry,
            known=ingest.scout(entry, head, context),
            host_id=host.id,
            host_zone=zone,
            truths=Truths(),
            catalogue=to.catalogue,
            progress=progress,
        )
    except PluginError as error:
        return UserError("parser_failed", path=stream_id, parser=error.plugin_id, reason=str(error.cause))
    return None


def find_reader(plugins: PluginHost, parser_id: str, head: bytes, name: str) -> ParserEntry | None:
    """The reader that the plan named, else one that knows the output; None where there is nothing to be read."""
    if not payload_head(head).strip():
        return None
    planned = plugins.parser(parser_id) if parser_id else None
    if planned is not None or not is_framed(head):
        return planned
    try:
        return ingest.recognise(plugins, head, name, name)
    except UserError:
        return None


def keep_unread(project: Project, artefact: ArtefactInfo, host: Host) -> None:
    """Evidence that no reader reads into series; its starts, and what they cost, are noted all the same."""
    if is_framed(ingest.artefact_head(project, artefact.id)):
        sessions.write_segments(project, artefact.id, segments(artefacts.read_artefact(project, artefact.id)))
    artefacts.set_parse_result(
        project,
        artefact.id,
        host_id=host.id,
        parser_id="",
        parser_version="",
        state=ImportState.KEPT,
        ledger=Ledger(),
        events=(),
        given={},
    )


def measured_cpu_s(starts: Iterable[StreamSegment]) -> float | None:
    """Processor time of the starts that tell it; None where none does."""
    measured = [start.cpu_s for start in starts if start.cpu_s is not None]
    return sum(measured) if measured else None


def _record(
    to: Destination, spooled: SpooledSession, stream: SpooledStream, host: Host, artefact_id: int | None
) -> None:
    starts = sessions.read_segments(to.project, artefact_id) if artefact_id is not None else []
    measured_s = measured_cpu_s(starts)
    left = spooled.leftovers.get(stream.command.host)
    sessions.record_stream(
        to.project,
        to.session_id,
        StreamRecord(
            command_id=stream.command.id,
            host_id=host.id,
            artefact_id=artefact_id,
            state=stream.state if stream.closed else StreamState.ENDED if stream.bytes else StreamState.FAILED,
            tool_version=spooled.versions.get((stream.command.host, stream.command.tool), ""),
            bytes=stream.bytes,
            lines=stream.lines,
            exit=stream.exit_status,
            stderr_tail=stream.stderr_tail.decode("utf-8", "replace"),
            cpu_s=stream.cpu_s if measured_s is None else measured_s,
            leftovers="unknown" if left is None else "found" if left else "none",
        ),
    )


def _remove(folder: Path) -> None:
    shutil.rmtree(folder)
    if not any(folder.parent.iterdir()):
        folder.parent.rmdir()
