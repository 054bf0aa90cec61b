"""Archives and folders of the house's own collection script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.capture import collected
from app.capture.collected import CollectedFile
from app.capture.collection import Collection, find_collection
from app.core.errors import UserError
from app.core.progress import Progress
from app.domain.engagement import Phase
from app.domain.ledger import ImportState
from app.store import artefacts
from app.store.project import Project
from app.usecases import services
from app.usecases.importing.parsing import count_facts
from app.usecases.importing.results import ImportedFile, ImportOptions, ImportReport


def import_collections(
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
        project,
        collection,
        installed.plugins,
        installed.catalogue,
        progress,
        run=options.run,
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
