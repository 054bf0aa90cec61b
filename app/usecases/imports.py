"""Import captures: many files, one bad one never stops the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from app.capture import collected, ingest
from app.capture.collected import CollectedFile
from app.capture.collection import Collection, find_collection
from app.capture.frames import is_framed
from app.capture.ingest import HostZone, Truths
from app.core.errors import PluginError, UserError
from app.core.progress import Progress, SilentProgress
from app.domain.engagement import Host, Phase, Run
from app.domain.ledger import ImportState, Ledger
from app.plughost.host import ParserEntry
from app.sdk import ParseContext
from app.store import artefacts, engagements, hosts, runs, sessions
from app.store.artefacts import PENDING, ArtefactInfo
from app.store.project import Project
from app.transport.local import SourceFile, find_file, list_files
from app.usecases import services
from app.usecases.projects import check_zone

UNNAMED_HOST = "unknown"
_TAKEN = (ImportState.IMPORTED, ImportState.DUPLICATE, ImportState.KEPT)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user says about the captures; empty means not said."""

    run: str = ""
    phase: Phase = Phase.OTHER
    host: str = ""
    zone: str = ""
    start: datetime | None = None
    date: date | None = None
    interval_s: float | None = None
    day_first: bool | None = None

    def truths(self) -> Truths:
        return Truths(self.zone, self.start, self.date, self.interval_s, self.day_first)


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """What became of one file. `error` is the sentence where it was refused or failed."""

    path: str
    state: ImportState
    sha256: str = ""
    parser: str = ""
    host: str = ""
    artefact_id: int | None = None
    duplicate_of: str = ""
    ledger: Ledger = Ledger()
    error: UserError | None = None
    facts: int = 0  # of the system's configuration

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be done about this file."""
        return self.state in _TAKEN and self.error is None


@dataclass(frozen=True, slots=True)
class ImportReport:
    run: str
    files: tuple[ImportedFile, ...]

    @property
    def complete(self) -> bool:
        return all(file.complete for file in self.files)

    @property
    def nothing_done(self) -> bool:
        return not any(file.state in _TAKEN for file in self.files)


@dataclass(frozen=True, slots=True)
class _Recognised:
    source: SourceFile
    entry: ParserEntry
    known: Ledger


def import_captures(
    project: Project, paths: Sequence[Path], options: ImportOptions, progress: Progress | None = None
) -> ImportReport:
    """Imports files and folders into one run.

    Raises:
        UserError: nothing can be imported at all (no file given, project read-only, zone unknown).
        Cancelled: the user gave up; files finished before stay.
    """
    progress = progress or SilentProgress()
    if project.read_only:
        raise UserError("project_read_only", path=str(project.path))
    if options.zone:
        check_zone(options.zone)
    loose, collected = _import_collections(project, paths, options, progress)
    files = [file for path in loose for file in list_files(path)]
    if not files and collected:
        return ImportReport(collected[0].run, tuple(file for one in collected for file in one.files))
    if not files:
        raise UserError("nothing_to_import", path=", ".join(map(str, paths)) or "-")
    report = _import_files(project, files, options, progress)
    run = report.run or next((one.run for one in collected), "")
    return ImportReport(run, (*(file for one in collected for file in one.files), *report.files))


def _import_files(
    project: Project, files: Sequence[Path], options: ImportOptions, progress: Progress
) -> ImportReport:
    recognised, refused = _recognise_all(project, files, options, progress)
    if not recognised:
        return ImportReport("", tuple(refused[path] for path in files))
    run = runs.ensure_run(project, options.run or _run_label(options.phase), options.phase)
    guess = _HostGuess(list(recognised.values()), hosts.list_hosts(project))
    results: list[ImportedFile] = []
    for index, path in enumerate(files):
        progress.raise_if_cancelled()
        if path in refused:
            results.append(refused[path])
            continue
        part = _PartOf(progress, index, len(files))
        results.append(_import_file(project, run, recognised[path], options, guess, part))
    runs.remove_empty_run(project, run.id)  # nothing but duplicates and failures came in
    return ImportReport(run.label, tuple(results))


def _import_collections(
    project: Project, paths: Sequence[Path], options: ImportOptions, progress: Progress
) -> tuple[list[Path], list[ImportReport]]:
    """Archives and folders of the collection script; gives the other paths, and what became of these."""
    loose: list[Path] = []
    reports: list[ImportReport] = []
    for path in paths:
        try:
            collection = find_collection(path)
            if collection is None:
                loose.append(path)
            else:
                reports.append(_import_collection(project, collection, options, progress))
        except UserError as error:
            reports.append(ImportReport("", (ImportedFile(str(path), ImportState.FAILED, error=error),)))
    return loose, reports


def _import_collection(
    project: Project, collection: Collection, options: ImportOptions, progress: Progress
) -> ImportReport:
    installed = services.current()
    stored = collected.store_collection(
        project, collection, installed.plugins, installed.catalogue, progress, run=options.run,
        phase=options.phase if options.phase is not Phase.OTHER else None,
    )
    archive = collection.bundle.path
    files = [_collected_file(project, archive, file, collection.manifest.host) for file in stored.files]
    if not collection.manifest.whole:
        error = UserError("collection_incomplete", path=str(archive))
        files.append(ImportedFile(str(archive), ImportState.FAILED, host=collection.manifest.host, error=error))
    return ImportReport(stored.run, tuple(files))


def _collected_file(project: Project, archive: Path, file: CollectedFile, host: str) -> ImportedFile:
    path = f"{archive}!/{file.name}"
    if file.artefact_id is None:
        return ImportedFile(path, ImportState.FAILED, host=host, error=file.error)
    stored = artefacts.find_artefact(project, file.artefact_id)
    state = ImportState.DUPLICATE if file.duplicate else ImportState(stored.state)
    return ImportedFile(
        path, state, stored.sha256, stored.parser_id, host, stored.id, ledger=stored.ledger, error=file.error,
        duplicate_of=stored.name if file.duplicate else "", facts=_count_facts(project, stored),
    )


def _count_facts(project: Project, artefact: ArtefactInfo) -> int:
    """How many facts of the system's configuration came from this artefact; asked where it gave no samples."""
    if artefact.ledger.samples or artefact.state != ImportState.IMPORTED:
        return 0
    return sum(stored.artefact_id == artefact.id for stored in sessions.list_facts(project, artefact.run_id))


def _run_label(phase: Phase) -> str:
    return phase.value if phase is not Phase.OTHER else "import"


def _recognise_all(
    project: Project, files: Sequence[Path], options: ImportOptions, progress: Progress
) -> tuple[dict[Path, _Recognised], dict[Path, ImportedFile]]:
    plugins = services.current().plugins
    zone = ZoneInfo(options.zone or engagements.read_engagement(project).zone)
    recognised: dict[Path, _Recognised] = {}
    refused: dict[Path, ImportedFile] = {}
    for path in files:
        progress.raise_if_cancelled()
        try:
            source = find_file(path)
            head = source.head()
            entry = ingest.recognise(plugins, head, source.name, str(path))
            context = ParseContext(source.name, str(path), source.modified_ns, zone)
            recognised[path] = _Recognised(source, entry, ingest.scout(entry, head, context))
        except UserError as error:
            refused[path] = ImportedFile(str(path), _state_of(error), error=error)
    return recognised, refused


def _state_of(error: UserError) -> ImportState:
    unrecognised = error.key in ("file_unrecognised", "file_binary", "file_empty")
    return ImportState.UNRECOGNISED if unrecognised else ImportState.FAILED


class _HostGuess:
    """Which host a capture is of, where it does not say (vmstat prints no name).

    The user's word; the capture's own; the only name found in the same folder; the only name in the
    whole import; the project's only host. Anything but the first two is marked in the ledger.
    """

    def __init__(self, recognised: Sequence[_Recognised], known_hosts: Sequence[Host]) -> None:
        self._by_folder: dict[Path, set[str]] = {}
        for item in recognised:
            if item.known.hostname:
                self._by_folder.setdefault(item.source.path.parent, set()).add(item.known.hostname)
        self._all = set().union(*self._by_folder.values()) if self._by_folder else set()
        self._known = {host.name for host in known_hosts if host.name != UNNAMED_HOST}

    def name(self, item: _Recognised, said: str) -> tuple[str, bool]:
        """The host's name and whether it is assumed."""
        if said:
            return said, False
        if item.known.hostname:
            return item.known.hostname, False
        for names in (self._by_folder.get(item.source.path.parent, set()), self._all, self._known):
            if len(names) == 1:
                return next(iter(names)), True
        return UNNAMED_HOST, True


class _PartOf:
    """One file's share of the whole import's progress."""

    def __init__(self, whole: Progress, index: int, count: int) -> None:
        self._whole, self._index, self._count = whole, index, count

    def report(self, done: int, total: int, key: str = "", **facts: object) -> None:
        share = done / total if total else 0.0
        facts = {**facts, "number": self._index + 1, "count": self._count}
        self._whole.report(round(1000 * (self._index + share)), 1000 * self._count, key, **facts)

    def raise_if_cancelled(self) -> None:
        self._whole.raise_if_cancelled()


def _import_file(
    project: Project, run: Run, item: _Recognised, options: ImportOptions, guess: _HostGuess, progress: Progress
) -> ImportedFile:
    path = str(item.source.path)
    try:
        stored = ingest.store_bytes(project, run.id, item.source, progress)
    except UserError as error:
        return ImportedFile(path, ImportState.FAILED, parser=item.entry.id, error=error)
    if stored.duplicate_of is not None:
        there = artefacts.find_artefact(project, stored.duplicate_of)
        if there.state == PENDING:  # its bytes came in before an interruption; now it is read
            return replace(reparse(project, there.id, options, progress), path=path)
        return _duplicate(project, path, there)
    changed = item.source.changed()
    artefact = artefacts.find_artefact(project, stored.artefact_id)
    name, assumed = guess.name(item, options.host)
    imported = _parse(
        project, artefact, item.entry, name, item.known, options.truths(), progress,
        warnings=(("changed_while_read",) if changed else ()) + (("host_assumed",) if assumed else ()),
        needs=("host",) if name == UNNAMED_HOST else (),
    )
    imported = replace(imported, path=path)
    if changed and imported.error is None:
        imported = replace(imported, error=UserError("file_changed_while_read", path=path))
    return imported


def _duplicate(project: Project, path: str, there: ArtefactInfo) -> ImportedFile:
    return ImportedFile(
        path, ImportState.DUPLICATE, there.sha256, there.parser_id, _host_name(project, there.host_id), there.id,
        duplicate_of=there.name, ledger=there.ledger,
    )


def _host_name(project: Project, host_id: int | None) -> str:
    return next((host.name for host in hosts.list_hosts(project) if host.id == host_id), "")


def _parse(
    project: Project, artefact: ArtefactInfo, entry: ParserEntry, host_name: str, known: Ledger, truths: Truths,
    progress: Progress, warnings: tuple[str, ...] = (), needs: tuple[str, ...] = (),
) -> ImportedFile:
    host = hosts.ensure_host(project, host_name, known.os, known.os_version)
    if truths.zone:
        hosts.set_host_zone(project, host.id, truths.zone, "user")
    zone = HostZone(host.zone, "host") if host.zone else HostZone(
        engagements.read_engagement(project).zone, "engagement"
    )
    result = ImportedFile(
        artefact.source_path, ImportState.IMPORTED, artefact.sha256, entry.id, host_name, artefact.id
    )
    try:
        ledger = ingest.parse_artefact(
            project, artefact, entry, known=known, host_id=host.id, host_zone=zone, truths=truths,
            catalogue=services.current().catalogue, extra_warnings=warnings, extra_needs=needs, progress=progress,
        )
    except PluginError as error:
        refusal = UserError("parser_failed", path=artefact.name, parser=error.plugin_id, reason=str(error.cause))
        return replace(result, state=ImportState.FAILED, error=refusal)
    except UserError as error:
        return replace(result, state=ImportState.FAILED, error=error)
    facts = _count_facts(project, artefacts.find_artefact(project, artefact.id))
    if not ledger.samples and not facts and not _count_statements(project, artefact):
        return replace(result, ledger=ledger, error=UserError("file_without_data", path=artefact.name))
    return replace(result, ledger=ledger, facts=facts)


def _count_statements(project: Project, artefact: ArtefactInfo) -> int:
    """How many SQL statements came from this artefact."""
    return sum(s.artefact_id == artefact.id for s in engagements.read_statements(project, artefact.run_id))


def reparse(
    project: Project, artefact_id: int, options: ImportOptions, progress: Progress | None = None
) -> ImportedFile:
    """Reads a stored artefact again under the user's corrections; the evidence itself never changes.

    What the user said at earlier imports still holds unless said anew.

    Raises:
        UserError: the project is read-only, or no installed parser recognises the artefact.
    """
    progress = progress or SilentProgress()
    if project.read_only:
        raise UserError("project_read_only", path=str(project.path))
    artefact = artefacts.find_artefact(project, artefact_id)
    head = ingest.artefact_head(project, artefact_id)
    entry = _entry_of(artefact, head)
    truths = Truths.from_text({**artefact.given, **options.truths().as_text()})
    if truths.zone:
        check_zone(truths.zone)
    context = ParseContext(artefact.name, artefact.source_path, artefact.modified_ns)
    known = ingest.scout(entry, head, context)
    name = options.host or _host_name(project, artefact.host_id) or known.hostname or UNNAMED_HOST
    kept = tuple(key for key in artefact.ledger.warnings if key == "changed_while_read")
    return _parse(project, artefact, entry, name, known, truths, progress, kept)


def _entry_of(artefact: ArtefactInfo, head: bytes) -> ParserEntry:
    """The reader of a stored capture; what a plan named for its own capture is not guessed again."""
    plugins = services.current().plugins
    planned = plugins.parser(artefact.parser_id) if artefact.parser_id and is_framed(head) else None
    return planned or ingest.recognise(plugins, head, artefact.name, artefact.name)


def finish_pending(project: Project, progress: Progress | None = None) -> tuple[ImportedFile, ...]:
    """Parses the artefacts whose bytes were stored before the program was interrupted."""
    if project.read_only:
        return ()
    return tuple(
        reparse(project, artefact.id, ImportOptions(), progress) for artefact in artefacts.pending_artefacts(project)
    )
