"""What the collection script brought home, as a session of its plan: the customer's archive, or a fetched folder.

Every file is compared with the size and POSIX checksum that the server wrote into the manifest. One that differs is
kept all the same, and said to be damaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from tunebench.capture import storing
from tunebench.capture.collection import Collection, GoneBy
from tunebench.capture.context import now_iso
from tunebench.capture.frames import SIGNALLED, without_stamps
from tunebench.capture.ingest import artefact_head, store_pieces
from tunebench.capture.offline_script import OfflineFile, OfflineManifest
from tunebench.capture.readings import payload_head
from tunebench.capture.spooled import first_line
from tunebench.capture.storing import Destination
from tunebench.capture.survey import HostSurvey, read_survey, surveyed_host
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.core.records import record
from tunebench.domain.capturing.plan import CommandKind
from tunebench.domain.capturing.run import CaptureGap, GapCause, SessionState, StreamRecord, StreamSegment, StreamState
from tunebench.domain.engagement import Host, Phase
from tunebench.plughost.catalogue import MetricCatalogue
from tunebench.plughost.host import PluginHost
from tunebench.store import artefacts, plans, runs, sessions
from tunebench.store.project import Project

NOTE_INCOMPLETE, NOTE_STOPPED, NOTE_DAMAGED = "collection_incomplete", "collection_stopped", "collection_damaged"
"""Notes of a session, keys below ``report.session_note.``; a session may have several, with blanks between them."""
_NOTED_WARNINGS = {"other_host": "collection_other_host", "limit_reached": "collection_limit_reached"}
_SURVEY, _VERSION = "house.survey", "house.version"
_ENDED_BY_US = (143, 137)
"""The script itself ends what is left with TERM, then KILL."""
STATE_REBOOTED = "rebooted"


@record
class CollectedFile:
    """What became of one file of a collection; `error` says what is wrong with it, None where all is well."""

    name: str
    command_id: str
    artefact_id: int | None
    duplicate: bool = False
    error: UserError | None = None


@record
class StoredCollection:
    session_id: int | None  # None where everything was in the project already
    run: str
    files: tuple[CollectedFile, ...]


def store_collection(
    project: Project,
    collection: Collection,
    plugins: PluginHost,
    catalogue: MetricCatalogue,
    progress: Progress,
    *,
    session_id: int | None = None,
    run: str = "",
    phase: Phase | None = None,
) -> StoredCollection:
    """Puts a collection into the project; what is there already stays as it is.

    Args:
        session_id: of a detached capture, which keeps its state itself; None makes a session.
        run, phase: where the user wants it; empty: as planned.
    """
    plan = collection.plan
    label = run or plan.run
    passed = _first_pass(collection, progress)
    plans.save_plan(project, plan)
    run_id = runs.ensure_run(project, label, phase or Phase(plan.phase)).id
    if session_id is None and (there := _all_there(project, collection, passed)):
        runs.remove_empty_run(project, run_id)
        return StoredCollection(None, label, there)
    own = session_id is None
    if session_id is None:
        session_id = sessions.begin_session(project, plan.digest, run_id, "", label)
    to = Destination(project, session_id, run_id, plan, plugins, catalogue)
    try:
        files = _store(to, collection, passed, progress)
    except BaseException:
        if own:
            sessions.set_session_state(project, session_id, SessionState.FAILED, NOTE_INCOMPLETE)
        raise
    if own:
        notes = _notes(collection.manifest, passed)
        broken = {NOTE_INCOMPLETE, NOTE_DAMAGED} & set(notes)
        state = SessionState.FAILED if broken else SessionState.FINISHED
        sessions.set_session_state(project, session_id, state, " ".join(notes))
    return StoredCollection(session_id, label, files)


def _notes(manifest: OfflineManifest, passed: _Passed) -> tuple[str, ...]:
    notes = [note for word, note in _NOTED_WARNINGS.items() if word in manifest.warnings]
    if not manifest.whole:
        notes.append(NOTE_INCOMPLETE)
    elif manifest.state != "complete":
        notes.append(NOTE_STOPPED)
    return (*notes, NOTE_DAMAGED) if passed.damaged else tuple(notes)


def _all_there(project: Project, collection: Collection, passed: _Passed) -> tuple[CollectedFile, ...]:
    """The files as duplicates where the project holds every one of them already; empty where not."""
    by_digest = {a.sha256: a.id for a in artefacts.list_artefacts(project)}
    digests = passed.digests
    if not all(sha256 in by_digest for sha256 in digests.values()):
        return ()
    return tuple(
        CollectedFile(file.name, file.command_id, by_digest[digests[file.name]], duplicate=True)
        for file in _captures(collection.manifest)
        if file.name in digests
    )


def _store(to: Destination, collection: Collection, passed: _Passed, progress: Progress) -> tuple[CollectedFile, ...]:
    """Evidence first, then what it says."""
    manifest = collection.manifest
    stored = _store_files(to, collection)
    host = _ensure_host(to.project, collection)
    versions = _versions(collection)
    files: list[CollectedFile] = []
    for number, file in enumerate(_captures(manifest), 1):
        progress.raise_if_cancelled()
        progress.report(number - 1, len(manifest.files), "progress.parsing", name=file.command_id)
        artefact_id = stored.get(file.name)
        error = passed.damaged.get(file.name)
        if artefact_id is not None:
            error = storing.read_in(to, host, file.command_id, artefact_id, progress) or error
        version = versions.get(to.plan.command(file.command_id).tool, "")
        _record(to, file, host.id, artefact_id, passed.stderr.get(file.name, b""), version)
        files.append(CollectedFile(file.name, file.command_id, artefact_id, error=error))
    _write_gaps(to, manifest, stored)
    return tuple(files)


def _write_gaps(to: Destination, manifest: OfflineManifest, stored: Mapping[str, int]) -> None:
    """Stores the gaps at the end of commands that were cut off before theirs."""
    gaps = sessions.list_gaps(to.project, to.session_id)  # of the session's other hosts
    of = {stream.command_id: stream.artefact_id for stream in sessions.list_streams(to.project, to.session_id)}
    own = {file.command_id for file in _captures(manifest)}
    gaps = [gap for gap in gaps if gap.stream not in own]
    for file in _captures(manifest):
        if file.interval_s is not None and file.kind is not CommandKind.HOUSE and file.name in stored:
            gap = _gap_at_end(to.project, manifest, file, stored[file.name])
            gaps += [gap] if gap is not None else []
    by_stream = {stream: artefact_id for stream, artefact_id in of.items() if artefact_id is not None}
    sessions.write_gaps(to.project, to.session_id, gaps, by_stream)


def _gap_at_end(project: Project, manifest: OfflineManifest, file: OfflineFile, artefact_id: int) -> CaptureGap | None:
    segments = sessions.read_segments(project, artefact_id)
    if not segments:
        return None
    last = segments[-1]
    if last.began_ns is not None and not _wrote_something(project, file, artefact_id, segments):
        evidence = f"exit {last.exit_status}"
        return CaptureGap(file.command_id, last.began_ns, None, GapCause.PROCESS_ENDED, now_iso(), evidence)
    ended_by_signal = (last.exit_status or 0) > SIGNALLED and last.exit_status not in _ENDED_BY_US
    limited = ended_by_signal and "limit_reached" in manifest.warnings
    if last.exit_status is not None and not limited:
        return None
    start_ns = artefacts.find_artefact(project, artefact_id).ledger.last_ns or last.began_ns
    if start_ns is None:
        return None
    cause = GapCause.SERVER_REBOOT if manifest.state == STATE_REBOOTED else GapCause.PROCESS_ENDED
    evidence = f"exit {last.exit_status}, ulimit -f" if limited else manifest.state
    return CaptureGap(file.command_id, start_ns, None, cause, now_iso(), evidence)


def _ensure_host(project: Project, collection: Collection) -> Host:
    survey = _survey(collection)
    return surveyed_host(project, collection.manifest.host, survey.os, survey.os_version, survey.zone)


def _captures(manifest: OfflineManifest) -> Iterator[OfflineFile]:
    """The files that hold output; what the tools complained of belongs to them."""
    return (file for file in manifest.files if not file.stderr)


@record(frozen=False)
class _Passed:
    """What the first pass found, by file name.

    Attributes:
        digests: SHA-256 of what holds output; empty files have none.
        damaged: what differs from the manifest, or is missing.
        stderr: the last bytes of what the command of that file complained of.
    """

    digests: dict[str, str] = field(default_factory=dict)
    damaged: dict[str, UserError] = field(default_factory=dict)
    stderr: dict[str, bytes] = field(default_factory=dict)


def _first_pass(collection: Collection, progress: Progress) -> _Passed:
    """Raises UserError where the archive cannot be read to its end."""
    files = {file.name: file for file in collection.manifest.files}
    path = str(collection.bundle.path)
    passed = _Passed()
    seen: set[str] = set()
    for name, _size, pieces in collection.bundle.files():
        file = files.get(name)
        if file is None:
            continue
        progress.raise_if_cancelled()
        seen.add(name)
        gone = GoneBy(pieces)
        if (gone.cksum, gone.size_bytes) != (file.cksum, file.size_bytes):
            passed.damaged[name] = UserError("collection_file_damaged", path=path, name=name)
        if file.stderr:
            passed.stderr[name.removesuffix(".err")] = gone.tail
        elif gone.size_bytes:
            passed.digests[name] = gone.sha256.hexdigest()
    for name in files.keys() - seen:
        passed.damaged[name] = UserError("collection_file_missing", path=path, name=name)
    return passed


def _store_files(to: Destination, collection: Collection) -> dict[str, int]:
    """The bytes of every file as an artefact; empty files have none."""
    files = {file.name: file for file in _captures(collection.manifest)}
    stored: dict[str, int] = {}
    for name, size_bytes, pieces in collection.bundle.files():
        file = files.get(name)
        if file is None or not size_bytes:
            continue
        source = f"{collection.bundle.path}!/{name}"
        title = file.tool_line.removeprefix("cat ") if file.copied else file.command_id
        stored[name] = store_pieces(to.project, to.run_id, title, source, 0, pieces).artefact_id
    return stored


def _survey(collection: Collection) -> HostSurvey:
    file = next((f for f in _captures(collection.manifest) if f.probe == _SURVEY), None)
    text = collection.bundle.small(file.name) if file is not None else None
    return read_survey(payload_head(text or b""))


def _versions(collection: Collection) -> dict[str, str]:
    """Tool -> the first line that it printed about its version."""
    asked = {
        file.name: collection.plan.command(file.command_id).tool
        for file in _captures(collection.manifest)
        if file.probe == _VERSION
    }
    versions: dict[str, str] = {}
    for name, _size, pieces in collection.bundle.files():
        if name in asked and (text := first_line(payload_head(b"".join(pieces)).decode("utf-8", "replace"))):
            versions[asked[name]] = text
    return versions


def _record(
    to: Destination, file: OfflineFile, host_id: int, artefact_id: int | None, stderr: bytes, version: str
) -> None:
    segments = sessions.read_segments(to.project, artefact_id) if artefact_id is not None else []
    pieces = artefacts.read_artefact(to.project, artefact_id) if artefact_id is not None else ()
    sessions.record_stream(
        to.project,
        to.session_id,
        StreamRecord(
            command_id=file.command_id,
            host_id=host_id,
            artefact_id=artefact_id,
            state=StreamState.ENDED
            if _wrote_something(to.project, file, artefact_id, segments)
            else StreamState.FAILED,
            tool_version=version,
            bytes=file.size_bytes,
            lines=sum(piece.count(b"\n") for piece in pieces),
            exit=segments[-1].exit_status if segments else None,
            stderr_tail=stderr.decode("utf-8", "replace"),
            cpu_s=storing.measured_cpu_s(segments),
        ),
    )


def _wrote_something(
    project: Project, file: OfflineFile, artefact_id: int | None, starts: Sequence[StreamSegment]
) -> bool:
    """Whether the tool wrote anything; an inventory that ended well may have nothing to say, and so may a file."""
    if artefact_id is None:
        return False
    ended_well = file.interval_s is None and all(start.exit_status == 0 for start in starts)
    return ended_well or bool(without_stamps(payload_head(artefact_head(project, artefact_id))).strip())
