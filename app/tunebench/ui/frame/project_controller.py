"""Opens, makes, copies and closes project files, and tells the workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from tunebench.core.errors import UserError
from tunebench.core.messages import LANGUAGES
from tunebench.core.paths import documents_folder
from tunebench.core.progress import Progress
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.frame import typed_fields
from tunebench.ui.frame.new_engagement import SUFFIX, NewEngagement, default_folder
from tunebench.ui.frame.rail import PAGES
from tunebench.ui.look.language import language, text
from tunebench.ui.settings import Settings
from tunebench.ui.workspace import Change, Workspace

if TYPE_CHECKING:
    from tunebench.usecases.projects import Project

T = TypeVar("T")
_MOST_FOUND = 3

CLOSING_S = 20
BETWEEN_MS = 50
"""So long the window is free between two modules that are loaded ahead."""


class ProjectController(QObject):
    def __init__(
        self, workspace: Workspace, settings: Settings, window: QWidget, make_first_page: Callable[[], object]
    ) -> None:
        """
        Args:
            make_first_page: makes what an opened project is shown on.
        """
        super().__init__(window)
        self._workspace, self._settings, self._window = workspace, settings, window
        self._make_first_page = make_first_page

    # --- open
    def browse(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window,
            text("ui.welcome.open"),
            str(default_folder(self._settings)),
            text("ui.file_filter", suffix=SUFFIX),
        )
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> bool:
        """Whether it is open now; else the reason is said."""
        from tunebench.usecases import projects

        return unlock(path, self._workspace) and self._take(lambda: projects.open_(path), path)

    def take_over(self) -> None:
        """Opens the project anew that a computer holds which a person says is gone."""
        from tunebench.usecases import projects

        overview, path = self._workspace.overview, self._workspace.project_path
        holder = overview.lock_holder if overview is not None else None
        if holder is None or path is None:
            return
        question = text("ui.readonly.take_over.question", user=holder.user, host=holder.host)
        agreed = QMessageBox.question(self._window, text("ui.readonly.take_over"), question)
        if agreed == QMessageBox.StandardButton.Yes and self._workspace.attempt(
            lambda: projects.take_over(path, holder.host)
        ):
            self.open(path)

    def create(self, new: NewEngagement) -> bool:
        from tunebench.usecases import projects

        return self._take(lambda: projects.create(new.path, new.engagement), new.path)

    def _take(self, get: Callable[[], Project], path: Path) -> bool:
        from tunebench.usecases import projects

        project = self._workspace.answer_of(get)
        if project is None:
            return False
        if not self.may_leave():
            projects.close(project)
            return False
        self.close()
        self._workspace.project = project
        self._workspace.project_path = Path(getattr(project, "path", path))
        self._settings.add_recent(self._workspace.project_path)
        self._settings.remember_folder("projects", self._workspace.project_path.parent)
        if projects.has_many_series(project):
            self._workspace.jobs.run(
                "db",
                lambda _handle: _ready_ahead(project),
                owner=self,
                slot="opening",
                on_result=lambda _none: self._open_in_turns(project),
                on_error=lambda _error: self._open_in_turns(project),  # who asks for the series is told why not
                on_cancelled=lambda: self._open_in_turns(project),  # it is open all the same
                title_key="ui.job.opening",
            )
        else:
            self._opened(project)
        return True

    def _open_in_turns(self, project: Project) -> None:
        """What the page needs, the page, the project on it: each in a turn of the event loop of its own."""
        steps = (load_first_page, self._make_first_page, lambda: self._opened(project))
        in_turns(self, takewhile(lambda _step: self._workspace.project is project, steps))

    def _opened(self, project: Project) -> None:
        self._workspace.announce(Change.OPENED)
        if getattr(project, "recovered", False):
            self._workspace.say(text("ui.project.recovered"), "warning")
        self._finish_pending()
        self._offer_rest()

    def _offer_rest(self) -> None:
        """Says how much of an import that was cut off is in, and goes on with it where that is wanted."""
        from tunebench.usecases.importing import interrupted

        project = self._workspace.opened
        begun = interrupted.cut_off(project) if self._workspace.writable else None
        if begun is None:
            return
        names = ", ".join(path.name for path in begun.paths)
        words = text("ui.project.import_cut", arrived=begun.arrived, files=begun.files, names=names)
        self._workspace.say(words, "warning")
        question = f"{words}\n\n{text('ui.project.import_cut.question')}"
        answer = QMessageBox.question(self._window, text("ui.job.import"), question)
        if answer == QMessageBox.StandardButton.Yes:
            self._workspace.show_page("captures", begun)
        else:
            self._workspace.attempt(lambda: interrupted.forget(project))

    def _finish_pending(self) -> None:
        """Captures that were not read to the end when the program last stopped, or never compared with each other."""
        from tunebench.usecases.importing import assembly, imports

        overview, project = self._workspace.overview, self._workspace.opened
        pending = [a for v in (overview.runs if overview else ()) for a in v.artefacts if str(a.state) == "pending"]
        if self._workspace.writable and (pending or assembly.needs_review(project)):
            self._workspace.jobs.run(
                "db",
                lambda handle: imports.finish_pending(project, handle),
                owner=self,
                slot="pending",
                on_result=lambda _files: self._workspace.announce(Change.CAPTURES),
                title_key="ui.job.pending",
            )

    # --- close
    def settle_captures(self) -> bool:
        """Whether the project may be left: asks where a capture runs or waits."""
        if self._workspace.project is None:
            return True
        from tunebench.ui.capturing.live_closing import settle

        return settle(CaptureController.of(self._workspace), self._window)

    def may_leave(self) -> bool:
        """Whether the project may be left: asks where what was typed cannot be stored, or a capture runs."""
        self._workspace.store_typed()
        unsaved = self._workspace.unsaved and self._workspace.writable
        return (not unsaved or typed_fields.ask_to_leave(self._window)) and self.settle_captures()

    def leave(self) -> None:
        """Close the project, as a person asks for it."""
        if self.may_leave():
            self.close()

    def close(self) -> None:
        from tunebench.usecases import projects

        workspace = self._workspace
        if workspace.project is None:
            return
        workspace.store_typed()
        CaptureController.of(workspace).board.close()  # a job that waits for a person gets its no at once
        workspace.jobs.drop_all()
        workspace.jobs.wait(CLOSING_S)
        CaptureController.of(workspace).close()
        project, workspace.project, workspace.overview = workspace.project, None, None
        workspace.project_path = None
        workspace.undo.clear()
        workspace.selection.reset()
        workspace.attempt(lambda: projects.close(project))
        workspace.announce(Change.CLOSED)

    # --- copies, checks, demo
    def save_copy(self) -> None:
        from tunebench.usecases import projects

        source = self._workspace.project_path
        if source is None:
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            text("ui.command.file.save_copy"),
            str(source.with_name(text("ui.project.copy_name", name=source.stem) + SUFFIX)),
            text("ui.file_filter", suffix=SUFFIX),
        )
        if name:
            self._job(
                "copy",
                "ui.job.copy",
                lambda project, _handle: projects.backup(project, Path(name)),
                lambda _none: self._workspace.say(text("ui.project.copied", path=name)),
            )

    def export_clean(self) -> None:
        """A copy without the customer's names, for somewhere else."""
        from tunebench.ui.reports.redaction_dialog import ask_redaction
        from tunebench.usecases import projects
        from tunebench.usecases.redaction import clean

        project = self._workspace.project
        redaction = ask_redaction(project) if project is not None else None
        if project is None or redaction is None:
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            text("ui.command.file.export_clean"),
            str(project.path.with_name(text("ui.project.clean_name") + SUFFIX)),
            text("ui.file_filter", suffix=SUFFIX),
        )
        if name:
            target = projects.with_suffix(Path(name))
            self._job(
                "copy",
                "ui.job.clean",
                lambda opened, handle: clean.export_clean(opened, target, redaction, handle),
                lambda left: self._workspace.say(
                    text("ui.project.cleaned", path=target, count=left.replaced, manifest=left.manifest.name)
                ),
            )

    def check(self) -> None:
        from tunebench.usecases import check

        self._job("check", "ui.job.check", lambda project, handle: check.check(project, handle), self._say_checked)

    def check_copy(self) -> None:
        """Names what another copy of the open project has otherwise."""
        from tunebench.usecases import copies

        chosen, _ = QFileDialog.getOpenFileName(
            self._window, text("ui.command.file.check_copy"), "", text("ui.file_filter", suffix=SUFFIX)
        )
        if chosen and unlock(Path(chosen), self._workspace):
            path = Path(chosen)
            self._job(
                "check", "ui.job.check", lambda project, _handle: [copies.compared(project, path)], self._say_checked
            )

    def trust_keys(self) -> None:
        """Makes this machine take the keys of the open project for those of its approvers."""
        from tunebench.ui.widgets.key_dialog import confirms_keys
        from tunebench.usecases import signatures

        project = self._workspace.opened
        keys = signatures.listed(project)
        if not keys:
            self._workspace.say(text("ui.key.none"), "warning")
        elif confirms_keys(keys):
            self._workspace.attempt(lambda: signatures.trust(project))

    def _say_checked(self, results: list[Any]) -> None:
        wrong = [r for r in results if r.state != "ok"]
        if not wrong:
            self._workspace.say(text("ui.project.check_ok", count=len(results)))
            return
        names = ", ".join(_check_words(r) for r in wrong)
        failed = any(r.state == "failed" for r in wrong)
        self._workspace.say(text("ui.project.check_failed", names=names), "error" if failed else "warning")

    def _job(
        self, slot: str, title_key: str, work: Callable[[Project, Progress], T], on_result: Callable[[T], None]
    ) -> None:
        project = self._workspace.project
        if project is not None:
            self._workspace.jobs.run(
                "db",
                lambda handle: work(project, handle),
                owner=self,
                slot=slot,
                on_result=on_result,
                title_key=title_key,
            )

    @property
    def is_demo(self) -> bool:
        return self._workspace.project_path in [demo_path(code) for code in LANGUAGES]

    def open_demo(self) -> None:
        """The demo engagement, made on first use in the user's documents, written in the window's language."""
        from tunebench.usecases.demo import engagement as demo

        code = language().code
        path = demo_path(code)
        if path.exists():
            self.open(path)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        self._workspace.jobs.run(
            "db",
            lambda handle: demo.build_whole(path, handle, code),
            owner=self,
            slot="demo",
            on_result=self.open,
            title_key="ui.job.demo",
        )


def unlock(path: Path, workspace: Workspace) -> bool:
    """Asks for what opens an encrypted project until it does; whether the person gave it."""
    from tunebench.core.sealing import OpenedBy
    from tunebench.usecases import encrypting

    wanted = encrypting.asked_for(path)
    if wanted is None:
        return True
    from tunebench.ui.widgets.encryption_dialog import EncryptionDialog, asked

    by_file = wanted is OpenedBy.KEY_FILE
    about = text("ui.encrypt.ask", name=path.name)
    dialog = EncryptionDialog(text("ui.encrypt.open"), about, new=False, by_file=by_file)
    while asked(dialog):
        try:
            kept = encrypting.unlock(
                path,
                passphrase=dialog.passphrase.text(),
                key_file=dialog.key_file,
                remember=dialog.remember.isChecked(),
            )
        except UserError as error:
            dialog.refuse(error)
            continue
        if dialog.remember.isChecked() and not kept:
            workspace.say(text("ui.encrypt.not_remembered"), "warning")
        return True
    return False


def _ready_ahead(project: Project) -> None:
    """On another thread: lists the series, and loads what the window asks for as soon as the project is open.

    Nothing that defines Qt classes: PySide crashes where these are made beside the main thread.
    """
    from tunebench.usecases import projects, services
    from tunebench.usecases.cycle import comparable, contradicted, reading  # noqa: F401
    from tunebench.usecases.importing import assembly, imports, interrupted  # noqa: F401  see `_opened`

    projects.list_ahead(project)
    services.current()


def in_turns(owner: QObject, steps: Iterable[Callable[[], object]], pause_ms: int = 1) -> None:
    """Each step in a turn of the event loop of its own."""
    left = iter(steps)

    def go_on() -> None:
        step = next(left, None)
        if step is not None:
            step()
            QTimer.singleShot(pause_ms, owner, go_on)

    go_on()


def load_ahead(window: QObject) -> None:
    """Loads, while nothing else is to be done, what pages are made of: who looks at one first does not wait for it."""
    modules = (partial(import_module, entry.module) for entry in PAGES)
    in_turns(window, (load_first_page, *modules), BETWEEN_MS)


def load_first_page() -> None:
    """Loads what an opened project is shown with, its charts as well."""
    from pyqtgraph.functions import arrayToQPath  # noqa: F401  a quarter of a second

    from tunebench.ui.pages import timeline_page  # noqa: F401
    from tunebench.ui.widgets import navigator  # noqa: F401


def _check_words(result: Any) -> str:
    """The check that failed or warns, with the first of its findings."""
    from tunebench.usecases.cycle.contradicted import found_text

    claims = [found_text(claim, language().code) for claim in result.facts.get("found", ())[:_MOST_FOUND]]
    return f"{text(f'check.{result.check}')} ({'; '.join(claims)})"


def demo_path(code: str) -> Path:
    return documents_folder() / "TuneBench" / f"demo-{code}{SUFFIX}"
