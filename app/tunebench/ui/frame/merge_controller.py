"""Merges another copy into the open project, as a new one; and writes a part of it that comes back so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QWidget

from tunebench.ui.frame.new_engagement import SUFFIX
from tunebench.ui.frame.project_controller import unlock
from tunebench.ui.look.language import text
from tunebench.ui.workspace import Workspace

if TYPE_CHECKING:
    from tunebench.core.progress import Progress
    from tunebench.usecases.merging.conflicts import Choices
    from tunebench.usecases.merging.merge import Merge, Merged
    from tunebench.usecases.merging.part import Part


class MergeController(QObject):
    def __init__(self, workspace: Workspace, window: QWidget) -> None:
        super().__init__(window)
        self._workspace, self._window = workspace, window

    # --- merging
    def merge(self) -> None:
        """Asks for the other copy, and compares it."""
        from tunebench.usecases.merging import merge

        mine = self._workspace.project_path
        title = text("ui.command.file.merge")
        name, _ = QFileDialog.getOpenFileName(self._window, title, "", text("ui.file_filter", suffix=SUFFIX))
        if mine is None or not name or not unlock(Path(name), self._workspace):
            return
        self._workspace.jobs.run(
            "db",
            lambda _handle: merge.opened(mine, Path(name)),
            owner=self,
            slot="merge",
            on_result=self._ask,
            title_key="ui.job.compare_copies",
        )

    def _ask(self, merging: Merge) -> None:
        from tunebench.ui.frame.merge_dialog import MergeDialog

        dialog = MergeDialog(merging.conflicts, merging.fork.theirs.project.path.name, self._window)
        target = self._target("ui.merge.name") if dialog.exec() == QDialog.DialogCode.Accepted else None
        if target is None:
            merging.close()
        else:
            self._write(merging, dialog.choices, target)

    def _write(self, merging: Merge, choices: Choices, target: Path) -> None:
        self._workspace.jobs.run(
            "db",
            lambda handle: _merged(merging, choices, target, handle),
            owner=self,
            slot="merge",
            on_result=self._say_merged,
            title_key="ui.job.merge",
        )

    def _say_merged(self, merged: Merged) -> None:
        if merged.undecided:
            self._workspace.say(text("ui.merge.left", path=merged.path, count=len(merged.undecided)), "warning")
        else:
            self._workspace.say(text("ui.merge.done", path=merged.path, entries=merged.entries))

    # --- a part
    def export_part(self) -> None:
        """Asks whose captures the part is to hold, and writes it."""
        from tunebench.usecases import projects
        from tunebench.usecases.cycle import reading
        from tunebench.usecases.merging import part

        project = self._workspace.opened
        hosts = {text("ui.part.host", name=host.name): host.name for host in projects.overview(project).hosts}
        iterations = {
            text("ui.part.iteration", number=iteration.number, name=iteration.title): iteration.number
            for iteration in reading.read(project).iterations
        }
        title = text("ui.command.file.export_part")
        chosen, agreed = QInputDialog.getItem(
            self._window, title, text("ui.part.about"), [*hosts, *iterations], editable=False
        )
        target = self._target("ui.part.name") if agreed and chosen else None
        if target is None:
            return

        def write(_handle: object) -> Part:
            if chosen in hosts:
                return part.export_host(project, target, hosts[chosen])
            return part.export_iteration(project, target, iterations[chosen])

        self._workspace.jobs.run(
            "db", write, owner=self, slot="part", on_result=self._say_exported, title_key="ui.job.export_part"
        )

    def _say_exported(self, written: Part) -> None:
        facts = {"path": written.path, "captures": written.captures, "left_out": written.left_out}
        self._workspace.say(text("cli.export.part", **facts))

    def _target(self, name_key: str) -> Path | None:
        """Where the new project is to be; it takes no file's place."""
        source = self._workspace.project_path
        if source is None:
            return None
        proposed = str(source.with_name(text(name_key, name=source.stem) + SUFFIX))
        options = QFileDialog.Option.DontConfirmOverwrite
        title, files = text("ui.merge.where"), text("ui.file_filter", suffix=SUFFIX)
        name, _ = QFileDialog.getSaveFileName(self._window, title, proposed, files, options=options)
        return Path(name) if name else None


def _merged(merging: Merge, choices: Choices, target: Path, progress: Progress) -> Merged:
    """The copies are closed afterwards, whatever came of it."""
    with merging:
        return merging.apply(choices, target, progress)
