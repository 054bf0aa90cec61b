"""Archives and folders of the house's own collection script, by themselves or somewhere in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tunebench.capture.collection import Collection, collections_below, find_collection
from tunebench.core.errors import UserError
from tunebench.core.progress import Progress
from tunebench.domain.engagement import Phase
from tunebench.domain.ledger import ImportState
from tunebench.store import artefacts
from tunebench.store.project import Project
from tunebench.usecases import services
from tunebench.usecases.importing.parsing import count_facts
from tunebench.usecases.importing.results import ImportedFile, ImportOptions, ImportReport

if TYPE_CHECKING:
    from tunebench.capture.collected import CollectedFile


def import_collections(
    project: Project, paths: Sequence[Path], options: ImportOptions, progress: Progress
) -> tuple[list[ImportReport], frozenset[Path]]:
    """What became of archives and folders of the collection script, and where they lie: they are not taken in again."""
    reports: list[ImportReport] = []
    own: set[Path] = set()
    for path in (folder for given in paths for folder in (given, *collections_below(given))):
        if path in own or not own.isdisjoint(path.parents):
            continue
        report = _import_at(project, path, options, progress)
        if report is not None:
            reports.append(report)
            own.add(path)
    return reports, frozenset(own)


def _import_at(project: Project, path: Path, options: ImportOptions, progress: Progress) -> ImportReport | None:
    try:
        collection = find_collection(path)
        return None if collection is None else _import_collection(project, collection, options, progress)
    except UserError as error:
        return ImportReport("", (ImportedFile(str(path), ImportState.FAILED, error=error),))


def _import_collection(
    project: Project, collection: Collection, options: ImportOptions, progress: Progress
) -> ImportReport:
    from tunebench.capture import collected  # rare, and it knows what a session over SSH knows

    installed = services.current()
    stored = collected.store_collection(
        project,
        collection,
        installed.plugins,
        installed.catalogue,
        progress,
        run=options.run,
        phase=None if options.phase is Phase.OTHER else options.phase,
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
        path,
        state,
        stored.sha256,
        stored.parser_id,
        host,
        stored.id,
        ledger=stored.ledger,
        error=file.error,
        duplicate_of=stored.name if file.duplicate else "",
        facts=count_facts(project, stored),
    )
