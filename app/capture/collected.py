"""What the collection script brought home, as a session of its plan: the customer's archive, or a fetched folder.

Every file is compared with the size and POSIX checksum that the server wrote into the manifest. One that differs is
kept all the same, and said to be damaged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.capture import storing
from app.capture.checksum import posix_cksum
from app.capture.offline_script import MANIFEST_FILE, PLAN_FILE, OfflineFile, OfflineManifest, read_manifest
from app.capture.readings import payload_head
from app.capture.storing import Destination
from app.capture.survey import HostSurvey, read_survey
from app.core.errors import UserError
from app.core.progress import Progress
from app.domain.capture_plan import CapturePlan
from app.domain.capture_run import SessionState, StreamState
from app.domain.engagement import Phase
from app.plughost.catalogue import MetricCatalogue
from app.plughost.host import PluginHost
from app.store import artefacts, hosts, plans, runs, sessions
from app.store.project import Project
from app.store.sessions import StreamRecord
from app.transport.archive import Bundle, looks_like_tar

_SURVEY = "house.survey"
_STDERR_TAIL = 2000


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection that can be imported: where it lies, its manifest, its plan."""

    bundle: Bundle
    manifest: OfflineManifest
    plan: CapturePlan


@dataclass(frozen=True, slots=True)
class CollectedFile:
    """What became of one file of a collection; `error` says what is wrong with it, None where all is well."""

    name: str
    command_id: str
    artefact_id: int | None
    duplicate: bool = False
    error: UserError | None = None


@dataclass(frozen=True, slots=True)
class StoredCollection:
    session_id: int | None  # None where everything was in the project already
    run: str
    files: tuple[CollectedFile, ...]


def find_collection(path: Path) -> Collection | None:
    """The collection at `path`; None where it is something else.

    Raises:
        UserError: it is one of ours and cannot be read, or its plan is not the one that its manifest names.
    """
    if not path.is_dir() and not (looks_like_tar(path) and path.name.startswith("tunebench-")):
        return None
    if path.is_dir() and not (path / MANIFEST_FILE).is_file():
        return None
    bundle = Bundle(path)
    told = bundle.small(MANIFEST_FILE)
    try:
        manifest = read_manifest((told or b"").decode("utf-8", "replace"))
    except ValueError as error:
        if path.is_dir():
            return None  # somebody else's manifest
        raise UserError("collection_without_manifest", path=str(path)) from error
    plan = CapturePlan.from_json((bundle.small(PLAN_FILE) or b"{}").decode())
    if plan.digest != manifest.plan_digest:
        raise UserError("collection_plan_differs", path=str(path))
    return Collection(bundle, manifest, plan)


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
    plan, manifest = collection.plan, collection.manifest
    label = run or plan.run
    plans.save_plan(project, plan)
    run_id = runs.ensure_run(project, label, phase or Phase(plan.phase)).id
    known = {a.sha256: a.id for a in artefacts.list_artefacts(project)}
    digests, damaged, stderr = _first_pass(collection, progress)
    known_session = session_id
    if session_id is None and digests and all(sha256 in known for sha256 in digests.values()):
        runs.remove_empty_run(project, run_id)
        return StoredCollection(None, label, tuple(
            CollectedFile(file.name, file.command_id, known[digests[file.name]], duplicate=True)
            for file in manifest.files if file.name in digests
        ))
    if session_id is None:
        session_id = sessions.begin_session(project, plan.digest, run_id, "", label)
    to = Destination(project, session_id, run_id, plan, plugins, catalogue)
    stored = _store_files(to, collection)
    survey = _survey(collection)
    host = hosts.ensure_host(project, manifest.host, survey.os, survey.os_version)
    if survey.zone and not host.zone:
        hosts.set_host_zone(project, host.id, survey.zone, "host")
        host = hosts.ensure_host(project, manifest.host)
    files: list[CollectedFile] = []
    for number, file in enumerate(_captures(manifest), 1):
        progress.raise_if_cancelled()
        progress.report(number - 1, len(manifest.files), "progress.parsing", name=file.command_id)
        artefact_id = stored.get(file.name)
        error = damaged.get(file.name)
        if artefact_id is not None:
            error = storing.read_in(to, host, file.command_id, artefact_id, progress) or error
        _record(to, file, host.id, artefact_id, stderr.get(file.name, b""))
        files.append(CollectedFile(file.name, file.command_id, artefact_id, error=error))
    if known_session is None:
        whole = manifest.whole and manifest.state == "complete" and not damaged
        state = SessionState.FINISHED if whole else SessionState.FAILED
        sessions.set_session_state(project, session_id, state, "" if whole else "collection_incomplete")
    return StoredCollection(session_id, label, tuple(files))


def _captures(manifest: OfflineManifest) -> Iterator[OfflineFile]:
    """The files that hold output; what the tools complained of belongs to them."""
    return (file for file in manifest.files if not file.stderr)


class _Passed:
    """What is to be remembered of bytes that go by."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()
        self.tail = b""
        self.size_bytes = 0

    def noting(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.sha256.update(piece)
            self.size_bytes += len(piece)
            self.tail = (self.tail + piece)[-_STDERR_TAIL:]
            yield piece


def _first_pass(
    collection: Collection, progress: Progress
) -> tuple[dict[str, str], dict[str, UserError], dict[str, bytes]]:
    """SHA-256 per file, what is damaged or missing, and the tail of each file's stderr, by name."""
    told = {file.name: file for file in collection.manifest.files}
    digests: dict[str, str] = {}
    damaged: dict[str, UserError] = {}
    stderr: dict[str, bytes] = {}
    seen: set[str] = set()
    for name, _size, pieces in collection.bundle.files():
        file = told.get(name)
        if file is None:
            continue
        progress.raise_if_cancelled()
        seen.add(name)
        passed = _Passed()
        crc = posix_cksum(passed.noting(pieces))
        if (crc, passed.size_bytes) != (file.cksum, file.size_bytes):
            damaged[name] = UserError("collection_file_damaged", path=str(collection.bundle.path), name=name)
        if file.stderr:
            stderr[name.removesuffix(".err")] = passed.tail
        elif passed.size_bytes:
            digests[name] = passed.sha256.hexdigest()
    for name in told.keys() - seen:
        damaged[name] = UserError("collection_file_missing", path=str(collection.bundle.path), name=name)
    return digests, damaged, stderr


def _store_files(to: Destination, collection: Collection) -> dict[str, int]:
    """The bytes of every file as an artefact; empty files have none."""
    told = {file.name: file for file in _captures(collection.manifest)}
    stored: dict[str, int] = {}
    for name, size_bytes, pieces in collection.bundle.files():
        file = told.get(name)
        if file is None or not size_bytes:
            continue
        source = f"{collection.bundle.path}!/{name}"
        title = file.tool_line.removeprefix("cat ") if file.copied else file.command_id
        writer = artefacts.begin_artefact(to.project, to.run_id, title, source, 0)
        try:
            for piece in pieces:
                writer.write(piece)
            stored[name] = writer.finish().artefact_id
        except BaseException:
            writer.abandon()
            raise
    return stored


def _survey(collection: Collection) -> HostSurvey:
    file = next((f for f in _captures(collection.manifest) if f.probe == _SURVEY), None)
    text = collection.bundle.small(file.name) if file is not None else None
    return read_survey(payload_head(text or b""))


def _record(to: Destination, file: OfflineFile, host_id: int, artefact_id: int | None, stderr: bytes) -> None:
    segments = sessions.read_segments(to.project, artefact_id) if artefact_id is not None else []
    measured = [segment.cpu_s for segment in segments if segment.cpu_s is not None]
    sessions.record_stream(to.project, to.session_id, StreamRecord(
        command_id=file.command_id,
        host_id=host_id,
        artefact_id=artefact_id,
        state=StreamState.ENDED if artefact_id is not None else StreamState.FAILED,
        bytes=file.size_bytes,
        lines=_lines(to.project, artefact_id),
        exit=segments[-1].exit_status if segments else None,
        stderr_tail=stderr.decode("utf-8", "replace"),
        cpu_s=sum(measured) if measured else None,
    ))


def _lines(project: Project, artefact_id: int | None) -> int:
    if artefact_id is None:
        return 0
    return sum(piece.count(b"\n") for piece in artefacts.read_artefact(project, artefact_id))

