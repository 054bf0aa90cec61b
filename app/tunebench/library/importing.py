"""Captures into a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tunebench.contract.document import as_values
from tunebench.contract.shapes import bundle, imported_file
from tunebench.core.messages import catalogue, system_language
from tunebench.domain.engagement import Phase
from tunebench.library.project import Path_, Project, paths_of
from tunebench.library.refusing import refusing
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportedFile, ImportOptions, ImportReport


class Imported:
    """What became of captures.

    Attributes:
        run: label of the run that they are of; empty where they are of several.
        files: each with its host, how many lines were read or skipped and why, or the sentence why not.
    """

    def __init__(self, report: ImportReport, project: Project) -> None:
        self.run = report.run
        self.files: tuple[ImportedFile, ...] = report.files
        self._report = report
        self._project = project

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be done about any file."""
        return self._report.complete

    @refusing
    def as_dict(self, language: str = "") -> dict[str, Any]:
        """``run``, ``files`` and ``bundles`` of the JSON of ``import``."""
        messages, zone = catalogue(language or system_language()), self._project.zone
        document: dict[str, Any] = as_values(
            {
                "run": self.run or None,
                "files": [imported_file(file, zone, messages) for file in self.files],
                "bundles": [bundle(account, messages) for account in self._report.bundles],
            }
        )
        return document


@refusing
def import_(
    project: Project, paths: Path_ | Sequence[Path_], *, run: str = "", phase: str = "", host: str = "", zone: str = ""
) -> Imported:
    """Captures, folders and archives of them into a project that is open to be written. One bad file stops no other.

    Args:
        run: label of their run; without it and `phase` folders called before and after make runs of their own.
        phase: ``before``, ``after`` or ``other``.
        host, zone: of captures that do not tell.

    Raises:
        Refused: nothing_to_import, project_read_only, zone_unknown.
    """
    options = ImportOptions(
        run=run, phase=Phase(phase) if phase else Phase.OTHER if run else None, host=host, zone=zone
    )
    return Imported(project.written_by(imports.import_captures, paths_of(paths), options), project)
