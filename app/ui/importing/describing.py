"""The way from a file that no parser knows to its definition, and from there to its import."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.domain.bundle import Bundle
from app.ui.importing.definition_dialog import open_on
from app.ui.workspace import Workspace

if TYPE_CHECKING:
    from app.usecases.importing.table_definitions import Sample


class Describing(QObject):
    """`described` carries the path to import (a file, or the archive that holds it) and the path of what was described,
    once its definition is in use."""

    described = Signal(object, str)

    def __init__(self, workspace: Workspace, page: QWidget) -> None:
        super().__init__(page)
        self._workspace, self._page = workspace, page

    def file(self, path: Path) -> None:
        """A file that cannot be read is said, and nothing opens."""
        from app.usecases.importing import table_definitions

        self._workspace.attempt(lambda: self._open(table_definitions.read_sample(path), path))

    def member(self, bundle: Bundle, name: str) -> None:
        """Its archive may be large: it is looked for beside the window."""
        from app.usecases.importing import table_definitions

        self._workspace.jobs.run(
            "cpu",
            lambda handle: table_definitions.read_member(bundle, name, handle),
            owner=self,
            slot="sample",
            on_result=lambda sample: self._open(sample, Path(bundle.path)),
            title_key="ui.job.member_sample",
        )

    def _open(self, sample: Sample, source: Path) -> None:
        dialog = open_on(self._workspace, sample, self._page.window())
        dialog.saved.connect(
            lambda _folder, then_import: self.described.emit(source, sample.path) if then_import else None
        )
