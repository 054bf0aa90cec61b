"""The report: its parts on the left, the pages as they will be printed, what this issue is on the right."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFileDialog, QListWidgetItem, QWidget

from tunebench.core.errors import UserError
from tunebench.core.paths import free_path
from tunebench.core.progress import Progress
from tunebench.domain.engagement import Phase
from tunebench.domain.translations import Untranslated
from tunebench.reporting.design import Design
from tunebench.reporting.look import PLAIN_LOOK, Version
from tunebench.reporting.shapes import Shape
from tunebench.reporting.success_case import FIXED, SECTION_IDS
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M
from tunebench.ui.pages.base import Page
from tunebench.ui.reports.look_dialog import LookDialog
from tunebench.ui.reports.page_view import PageView
from tunebench.ui.reports.part_list import PartList
from tunebench.ui.reports.previewing import Previewer
from tunebench.ui.reports.redaction_dialog import ask_redaction
from tunebench.ui.reports.report_options import ReportOptions
from tunebench.ui.widgets.parts import IconButton, button, card, column, label, panel, row, splitter
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.answering.chosen import windows_to_answer
from tunebench.usecases.projects import Project
from tunebench.usecases.reports import designs
from tunebench.usecases.reports.drawing import Drawn, Wanted

if TYPE_CHECKING:
    from tunebench.usecases.reports.success_case import Written

SIDES = (182, 450, 190)
SUFFIXES = {"pdf": ".pdf", "pptx": ".pptx", "xlsx": ".xlsx", "html": ".html"}
DIFFERENCES_SHOWN = 6
TEMPLATE = ".json"


class ReportPage(Page):
    page_id = "report"
    title_key = "ui.page.report"
    icon = "report"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._edited = ""  # the part that was taken, left out or moved
        self._page_of: dict[str, int] = {}
        self._wanted: tuple[str, ...] = ()
        self._drawing = False
        self._begun: object = None
        self._folder: Path | None = None
        self.look = PLAIN_LOOK
        self._make_parts()
        self._lay_out()
        self.start()

    def _make_parts(self) -> None:
        self._state = label(role="muted")
        self.parts = PartList()
        self.outline = self.parts.list
        self.outline.itemClicked.connect(self._go_to)
        self.parts.changed.connect(self._redesign_part)
        self._zoom = label(role="muted")
        self.view = translated(PageView(self.workspace), accessibleName="ui.report.preview")
        self._previewer = Previewer(self.workspace, self)
        self._previewer.page_drawn.connect(self.view.show_draft)
        self._previewer.drawn.connect(self._show)
        self._previewer.refused.connect(self._on_refused)
        self.view.zoomed.connect(lambda pct: self._zoom.setText(f"{pct} %"))
        self.view.page_shown.connect(self._show_place)
        self._save = translated(button(kind="link", on_click=self.ask_save), "ui.report.template.save")
        self._looks = translated(button(kind="link", on_click=self.ask_look), "ui.report.look.open")
        self._load = translated(button(kind="link", on_click=self.ask_load), "ui.report.template.load")
        self.options = ReportOptions()
        self.options.changed.connect(self.redesign)
        self.options.window_picked.connect(
            lambda side, window: self.workspace.selection.set_window(Phase(side), window)
        )
        self.workspace.selection.windows_changed.connect(lambda _before, _after: self.outdate())
        self.options.export_asked.connect(self.ask_export)
        self.options.folder_asked.connect(self.open_folder)
        self.options.verify_asked.connect(self.ask_verify)
        self._smaller = translated(
            button("−", "quiet", lambda: self.view.step_zoom(-1)),
            toolTip="ui.report.smaller",
            accessibleName="ui.report.smaller",
        )
        self._larger = IconButton("plus", lambda: self.view.step_zoom(1), key="ui.report.larger")
        self._fit = translated(button("", "quiet", lambda: self.view.set_zoom(None)), "ui.report.fit")

    def _lay_out(self) -> None:
        head = row(self.title(), (self._state, 1), self._smaller, self._zoom, self._larger, self._fit)
        outline = panel(column((self.parts, 1), self._looks, self._load, self._save, spacing=SPACE_M))
        parts = outline, card(column(self.view, margins=(1, 1))), self.options
        split = splitter(*parts, sizes=SIDES, shares=(0, 1))
        split.setHandleWidth(SPACE_M)
        outline.setMinimumWidth(140)
        self.options.setMinimumWidth(240)
        column(head, (split, 1), spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)

    def enter(self) -> None:
        project = self.workspace.opened
        if project is not self._begun:
            self._begin(project)
        self._show_windows()
        super().enter()

    def _show_windows(self) -> None:
        """Shows the windows that are compared; where none is chosen, those that the report takes by itself."""
        book = WindowBook.of(self.workspace)
        chosen = windows_to_answer(self.workspace.opened, book.side("before"), book.side("after"))
        for side, window in zip(("before", "after"), chosen, strict=True):
            self.options.windows[side].show_windows(book.windows, self.workspace.runs, window)

    def show_argument(self, argument: object) -> None:
        """Ids of chapters, the best first: the first that the report has is shown, now or when it is drawn."""
        self._wanted = tuple(argument) if isinstance(argument, tuple) else (str(argument),)
        if self._page_of and not self._drawing:
            self._go_to_wanted()

    def _go_to_wanted(self) -> None:
        items = {
            str(item.data(Qt.ItemDataRole.UserRole)): item
            for item in map(self.outline.item, range(self.outline.count()))
        }
        item = next((items[name] for name in self._wanted if name in self._page_of and name in items), None)
        self._wanted = ()
        if item is not None:
            self.outline.setCurrentItem(item)
            self._go_to(item)

    def project_changed(self, change: Change) -> None:
        overview = self.workspace.overview
        if change is Change.OPENED and overview is not None:
            self._begin(self.workspace.opened)
        if change is Change.REPORTS or overview is None:
            return
        if change is Change.NARRATIVE and self.options.untranslated is Untranslated.KEEP:
            self._previewer.take_new_texts()
        else:
            self._previewer.forget()
        self.outdate()

    def _begin(self, project: Project) -> None:
        """Another engagement: the layout it remembers. The page may be made long after it was opened."""
        self._begun, self._previewer.latest, self._folder = project, None, None
        self._take(designs.design_of(project))
        self.options.show_result("", written=False)

    def retranslate(self, code: str) -> None:
        self.outdate()

    @property
    def design(self) -> Design:
        own = self.workspace.overview.engagement.language if self.workspace.overview is not None else ""
        return self.options.design(own, self.parts.left_out, self.parts.order, self.look)

    def _take(self, design: Design, versions: tuple[Version, ...] = ()) -> None:
        """
        Args:
            versions: of the document, which no other layout takes away.
        """
        self.look = replace(design.look, versions=design.look.versions or versions)
        self.parts.left_out, self.parts.order = set(design.without) - set(FIXED), design.order
        self.options.choose_shape(design.shape)
        self.options.both.setChecked(design.look.both)
        self.options.choose_untranslated(design.untranslated)
        if self.workspace.overview is not None:
            self.options.choose_language(design.language or self.workspace.overview.engagement.language)

    def redesign(self) -> None:
        """What was changed is remembered, then drawn."""
        self.workspace.attempt(lambda: designs.remember_design(self.workspace.opened, self.design))
        self.fill()

    def _redesign_part(self, part: str) -> None:
        self._edited = part
        self.redesign()

    def ask_look(self) -> None:
        latest = self._previewer.latest
        dialog = LookDialog(self.look, latest.charts if latest else {}, self)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self.look = dialog.look
            self.redesign()

    def ask_save(self) -> None:
        path = self._ask("ui.report.template.save", "ui.report.template.filter", TEMPLATE)
        if path is not None:
            shared = replace(self.design, look=replace(self.look, versions=()))  # those are of this document alone
            self.workspace.attempt(lambda: designs.write_template(path, shared))

    def ask_load(self) -> None:
        path = self._ask("ui.report.template.load", "ui.report.template.filter")
        if path is not None:
            self.load(path)

    def load(self, path: Path) -> None:
        """A file that is no template changes nothing."""
        if self.workspace.attempt(lambda: self._take(designs.read_template(path), self.look.versions)):
            self.redesign()

    def fill(self) -> None:
        """Build the document again in a worker and show its pages: the one that is looked at before all others."""
        if self.workspace.project is None:
            return
        self.outdated, self._drawing = False, True
        self._state.setText(text("ui.report.drawing"))
        sides = self.workspace.selection.before, self.workspace.selection.after
        wanted = Wanted(self.workspace.project, self.options.code, self.options.date, self.design, *sides)
        self._previewer.show(wanted, self._page_edited, self.view.pixels_across)

    def _page_edited(self) -> int:
        """The page of the part that was taken or left out, or of what follows it, or that somebody asked for; else the
        one that is looked at."""
        edited, self._edited = self._edited or next((name for name in self._wanted if name in self._page_of), ""), ""
        if not edited:
            return self.view.page()
        names = self.parts.names()
        after = names[names.index(edited) :] if edited in names else []
        page = next((self._page_of[name] for name in after if name in self._page_of), 0)
        if page:
            self.view.show_page(page)
        return page

    def _show(self, drawn: Drawn) -> None:
        self._drawing = False
        self._page_of = {"cover": 1, **drawn.written.page_of}
        self.parts.show_parts(drawn.sections)
        self.view.show_pdf(drawn.written.data)
        self.options.show_facts(drawn.written.pages, drawn.tables, drawn.figures)
        self.options.warn_of_glyphs(drawn.written.missing_glyphs)
        if drawn.unknown_charts:
            names = ", ".join(drawn.unknown_charts)
            self.options.show_result(text("cli.report.unknown_charts", names=names), written=False)
        self._show_place(self.view.page())
        if self._wanted:
            self._go_to_wanted()

    def _show_place(self, page: int) -> None:
        self._state.setText(text("ui.report.page", page=page, pages=self.view.pages))

    def _on_refused(self, error: UserError) -> None:
        self._drawing = False
        self._state.clear()
        self.workspace.say_error(error)

    def _go_to(self, item: QListWidgetItem) -> None:
        page = self._page_of.get(str(item.data(Qt.ItemDataRole.UserRole)))
        if page is not None:
            self.view.show_page(page)

    def ask_export(self, kind: str) -> None:
        """Ask where the file goes, then write it."""
        path = self._ask(f"ui.report.export_{kind}", f"ui.report.filter_{kind}", SUFFIXES[kind], self.file_name())
        if path is not None:
            self.export(kind, path)

    def file_name(self) -> str:
        overview = self.workspace.overview
        return _file_name(overview.engagement.customer if overview else "", self.options, self.options.wanted_shape)

    def _ask(self, title: str, kinds: str, suffix: str = "", name: str = "") -> Path | None:
        return _ask_place(self, title, kinds, suffix, (self._folder or self.workspace.folder) / name)

    def export_result(self) -> None:
        """The result on one page as PDF, into the project's folder; nothing is asked and nothing overwritten."""
        if self.workspace.opened is not self._begun:
            self._begin(self.workspace.opened)
        overview = self.workspace.overview
        stem = _file_name(overview.engagement.customer if overview else "", self.options, Shape.RESULT)
        self.export("pdf", free_path(self.workspace.folder / f"{stem}.pdf"), Shape.RESULT)

    def export(self, kind: str, path: Path, shape: Shape | None = None) -> None:
        from tunebench.usecases.reports import success_case as reports

        project, code, issued = self.workspace.opened, self.options.code, self.options.date
        design, selection = self.design, self.workspace.selection
        chosen = frozenset(SECTION_IDS) - self.parts.left_out
        redaction = ask_redaction(project, self.options.profile) if self.options.profile else None
        if self.options.profile and redaction is None:
            return
        target: dict[str, Any] = {kind: path}

        def write(handle: Progress) -> Written:
            parts: dict[str, Any] = {
                "sections": chosen,
                "shape": shape or design.shape,
                "order": design.order,
                "untranslated": design.untranslated,
                "look": design.look,
                "progress": handle,
                "before": selection.before,
                "after": selection.after,
            }
            if redaction is None:
                return reports.write(project, code, issued, **parts, **target)
            from tunebench.usecases.redaction import clean

            return clean.write_report(project, redaction, code, issued, target, **parts)[1]

        self.options.set_busy(True)
        self.options.show_result(text("ui.report.writing"), written=False)
        self.workspace.jobs.run(
            "db",
            write,
            owner=self,
            slot="export",
            on_result=lambda written: self._on_written(written, project),
            on_error=self._on_not_written,
            on_cancelled=lambda: self._on_not_written(None),
            title_key="ui.job.report",
        )

    def _on_written(self, written: Written, project: Project) -> None:
        path, withheld = written.paths[0], len(written.contradicted)
        self._folder = path.parent
        self.options.set_busy(False)
        key = "ui.report.contradicted" if withheld else "ui.report.written"
        message = text(key, name=path.name, count=withheld)
        if len(written.paths) > 1:
            message += " " + text("ui.report.redacted", name=written.paths[-1].name)
        self.options.show_result(message, written=True)
        if not self.isVisible():
            self.workspace.say(message, act=("ui.report.open_folder", self.open_folder))
        if project is self.workspace.project and self.workspace.writable:
            self.workspace.announce(Change.REPORTS)

    def _on_not_written(self, error: UserError | None) -> None:
        self.options.set_busy(False)
        self.options.show_result("", written=False)
        if error is not None:
            self.workspace.say_error(error, Change.REPORTS)

    def ask_verify(self) -> None:
        """Ask which document, then make it again and say where it differs."""
        filters = ";;".join(text(f"ui.report.filter_{kind}") for kind in SUFFIXES)
        folder = str(self._folder or self.workspace.folder)
        name, _ = QFileDialog.getOpenFileName(self, text("ui.report.verify"), folder, filters)
        if name:
            self.verify(Path(name))

    def verify(self, path: Path) -> None:
        from tunebench.usecases.reports.verifying import Verification, verify

        def show(outcome: Verification) -> None:
            self.options.set_busy(False)
            lines = [
                text(difference.key, place=difference.place, delivered=difference.delivered, made=difference.made)
                for difference in outcome.differences[:DIFFERENCES_SHOWN]
            ]
            count = len(outcome.differences)
            self.options.show_result("\n".join((text(outcome.key, path=path.name, count=count), *lines)), written=False)

        project = self.workspace.opened
        redaction = ask_redaction(project, self.options.profile) if self.options.profile else None

        def make_again(handle: Progress) -> Verification:
            if redaction is None:
                return verify(project, path, handle)
            from tunebench.usecases.redaction import clean

            return clean.verify_report(project, path, redaction, handle)

        self.options.set_busy(True)
        self.options.show_result(text("ui.report.verifying"), written=False)
        self.workspace.jobs.run(
            "db",
            make_again,
            owner=self,
            slot="export",
            on_result=show,
            on_error=self._on_not_written,
            on_cancelled=lambda: self._on_not_written(None),
            title_key="ui.job.verify",
        )

    def open_folder(self) -> None:
        if self._folder is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))


def _file_name(customer: str, options: ReportOptions, shape: Shape) -> str:
    """``ACME_성공사례_ko_2007-08-01``, safe for every file system; a redacted one names no customer."""
    name = text("ui.report.file_name" if shape is Shape.WHOLE else f"ui.report.shape.{shape}")
    parts = ["" if options.profile else customer, name, options.code, options.date]
    return re.sub(r'[\\/:*?"<>|\s]+', "_", "_".join(part for part in parts if part)).strip("._")


def _ask_place(parent: QWidget, title: str, kinds: str, suffix: str, begin: Path) -> Path | None:
    """Asks where a file of that `suffix` goes; without one, which file is meant."""
    kinds, title = text(kinds), text(title)
    if not suffix:
        name, _ = QFileDialog.getOpenFileName(parent, title, str(begin), kinds)
        return Path(name) if name else None
    start = begin.with_name(begin.name + suffix) if suffix != TEMPLATE else begin
    name, _ = QFileDialog.getSaveFileName(parent, title, str(start), kinds)
    if not name:
        return None
    path = Path(name)
    return path if path.suffix.lower() == suffix else path.with_name(path.name + suffix)
