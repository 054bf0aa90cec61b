"""What became of captures that were imported."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from tunebench.contract.document import as_values
from tunebench.contract.shapes import bundle, imported_file
from tunebench.core.messages import catalogue, system_language
from tunebench.library.refusing import refusing
from tunebench.usecases.importing.results import ImportedFile, ImportReport


class Imported:
    """What became of captures.

    Attributes:
        run: label of the run that they are of; empty where they are of several.
        files: each with its host, how many lines were read or skipped and why, or the sentence why not.
    """

    def __init__(self, report: ImportReport, zone: ZoneInfo) -> None:
        self.run = report.run
        self.files: tuple[ImportedFile, ...] = report.files
        self._report = report
        self._zone = zone

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be done about any file."""
        return self._report.complete

    @refusing
    def as_dict(self, language: str = "") -> dict[str, Any]:
        """``run``, ``files`` and ``bundles`` of the JSON of ``import``."""
        messages = catalogue(language or system_language())
        document: dict[str, Any] = as_values(
            {
                "run": self.run or None,
                "files": [imported_file(file, self._zone, messages) for file in self.files],
                "bundles": [bundle(account, messages) for account in self._report.bundles],
            }
        )
        return document
