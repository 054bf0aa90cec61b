"""Captures: import them, and the ledger of every one that was imported."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHeaderView, QMenu, QWidget

from tunebench.columns.formats import format_count
from tunebench.core.errors import UserError
from tunebench.domain.engagement import is_unnamed
from tunebench.ui.comparing.compare_head import ProposalLine
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.cycle.evidence_menu import offer_menu
from tunebench.ui.importing.import_form import ImportForm
from tunebench.ui.importing.ledger_table import LEAST_NAME, NARROW, WIDEST, LedgerModel, grouped, has_row, key_of
from tunebench.ui.importing.ledger_view import LedgerEntry, LedgerView
from tunebench.ui.inspected import Inspected, InspectedCapture
from tunebench.ui.look.language import text, translated, window_locale
from tunebench.ui.look.theme import ROW_HEIGHT, SPACE_L, SPACE_M
from tunebench.ui.pages.base import Page
from tunebench.ui.tables.view import TableView
from tunebench.ui.widgets.parts import EmptyState, button, column, label, panel, row, set_tone, splitter, stacked
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import Offer, of_capture
from tunebench.usecases.importing import assembly
from tunebench.usecases.importing.interrupted import CutOff
from tunebench.usecases.importing.results import ImportedFile, ImportOptions, ImportReport
from tunebench.usecases.quick import gathering

if TYPE_CHECKING:
    from tunebench.ui.importing.definition_dialog import Describing


class CapturesPage(Page):
    page_id = "captures"
    title_key = "ui.page.captures"
    icon = "captures"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._refused: list[LedgerEntry] = []
        self._turned: set[int] = set()
        self._split_by_hand = False
        self._filling = False
        self._widths: list[int] = []
        self._make_parts()
        self._lay_out()
        workspace.inspected.connect(self._on_inspected)
        self.start()

    def _make_parts(self) -> None:
        self.summary = label(role="muted")
        self._import = translated(button(kind="primary", on_click=self.ask_files), "ui.command.capture.import")
        self.times = button(kind="quiet", on_click=lambda: self.workspace.show_page("resolution"))
        self.review = translated(
            button(kind="quiet", on_click=lambda: self.workspace.show_page("review")), "ui.review.open"
        )
        self.form = ImportForm(self.workspace)
        self.form.submitted.connect(self.start_import)
        self.form.files_asked.connect(self.ask_files)
        self.form.folder_asked.connect(self.ask_folder)
        self.form.closed.connect(self._show_parts)
        self.proposals = ProposalLine(WindowBook.of(self.workspace), of_import=True)
        self.model = LedgerModel(self.workspace)
        self.table = translated(TableView(self.model), accessibleName="ui.captures.table")
        self._dress_table()
        self.ledger = translated(LedgerView(self.workspace), accessibleName="ui.captures.ledger")
        self.ledger.describe_asked.connect(self.describe)
        self.ledger.member_asked.connect(lambda bundle, name: self._describing.member(bundle, name))
        self._empty = EmptyState(
            "captures",
            "ui.captures.empty",
            (
                ("ui.import.choose_files", self.ask_files),
                ("ui.import.choose_folder", self.ask_folder),
                ("ui.captures.empty.collect", lambda: self.workspace.show_page("collect")),
            ),
        )

    def _dress_table(self) -> None:
        table = self.table
        table.choose_single_rows()
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # names of captures differ at their ends
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        table.horizontalHeader().setMinimumSectionSize(48)
        table.horizontalHeader().setSectionResizeMode(self.model.column("name"), QHeaderView.ResizeMode.Stretch)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.horizontalHeader().setResizeContentsPrecision(100)
        table.selectionModel().currentRowChanged.connect(self._on_row)
        table.activated.connect(self._turn)
        offer_menu(table, self.workspace, self._fill_menu)

    def _lay_out(self) -> None:
        self.form.hide()
        ledger = panel(column(self.ledger, margins=(1, 1)))
        ledger.setProperty("card", "true")
        ledger.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._split = splitter(self.table, ledger, down=True, shares=(0, 1))
        self._split.installEventFilter(self)
        self._split.splitterMoved.connect(self._on_split_moved)
        self._stack = stacked(self._empty, self._split, QWidget())
        head = row(self.title(), (self.summary, 1), self.review, self.times, self._import, spacing=SPACE_L)
        column(head, self.form, self.proposals, (self._stack, 1), spacing=SPACE_M, margins=(SPACE_L, SPACE_M), of=self)

    # --- page
    def enter(self) -> None:
        self._show_parts()

    def show_argument(self, argument: object) -> None:
        """An artefact id, paths to import, the path of a file to be described, or an import that is to go on."""
        if isinstance(argument, int):
            self._choose(argument)
        elif isinstance(argument, Path):
            self._describe_anywhere(str(argument))
        elif isinstance(argument, list):
            self.offer([Path(p) for p in argument])
        elif isinstance(argument, CutOff | gathering.Inputs):
            self.start_import(list(argument.paths), argument.options)

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._refused = []
            self._turned = set()
            self.form.finish()
            self._propose(False)
        elif change in (Change.CAPTURES, Change.RUNS, Change.ENGAGEMENT):
            self.proposals.look()
        if change not in (Change.NOTES, Change.REPORTS, Change.CYCLE, Change.EXPERIMENTS):
            self._fill()

    def retranslate(self, code: str) -> None:
        self.proposals.look()
        self._fill()

    # --- list
    def entries(self) -> list[LedgerEntry]:
        """What the list shows."""
        overview = self.workspace.overview
        if overview is None:
            return []
        return [*self._refused, *grouped(self._captures(), overview.bundles, self._turned)]

    def _captures(self) -> list[LedgerEntry]:
        overview = self.workspace.overview
        if overview is None:
            return []
        hosts = {host.id: host.name for host in overview.hosts}
        return [
            LedgerEntry(
                a.id,
                a.name,
                a.source_path or a.name,
                str(a.state),
                view.run.label,
                hosts.get(a.host_id or 0, ""),
                a.parser_id,
                a.ledger,
                a,
            )
            for view in overview.runs
            for a in view.artefacts
        ]

    def _fill(self) -> None:
        chosen = self._chosen_key()
        self._filling = True
        self.model.fill(self.entries())
        self.summary.setText(self._summary_words())
        if chosen is not None and self.model.row_of(chosen) is not None:
            self._choose(chosen)
        elif self.model.rowCount():
            self._choose(self.model.rows[0].key)
        else:
            self.ledger.show_entry(None)
        self._filling = False
        self._show_parts()
        self._widths = [self._width_of(at, shown.id) for at, shown in enumerate(self.model.columns)]
        self._share_width()
        self._share_height()

    def _width_of(self, at: int, name: str) -> int:
        """As much as a column holds, free text at most `WIDEST`. A hidden one would have no width of its heading."""
        self.table.setColumnHidden(at, False)
        wanted = max(self.table.sizeHintForColumn(at), self.table.horizontalHeader().sectionSizeHint(at)) + 4
        return min(wanted, WIDEST.get(name, wanted))

    def _share_width(self) -> None:
        """The name takes what the other columns leave."""
        for name, least in NARROW.items():
            self.table.setColumnHidden(self.model.column(name), self.width() < least)
        for at, (shown, width) in enumerate(zip(self.model.columns, self._widths, strict=False)):
            if shown.id != "name":
                self.table.setColumnWidth(at, width)
        others = sum(self.table.columnWidth(at) for at, shown in enumerate(self.model.columns) if shown.id != "name")
        if self.table.viewport().width() - others < LEAST_NAME:
            self.table.setColumnHidden(self.model.column("run"), True)

    def _share_height(self) -> None:
        """The list as high as its rows, at most two fifths; the ledger has the rest."""
        rows = self.model.rowCount() * ROW_HEIGHT + self.table.horizontalHeader().sizeHint().height() + 4
        height = max(self._split.height(), 300)
        upper = min(rows, height * 2 // 5)
        if not self._split_by_hand:
            self._split.setSizes([upper, height - upper])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The list and its ledger share the height anew when the import sheet or a message comes or goes."""
        if watched is self._split and event.type() == QEvent.Type.Resize:
            self._share_height()
        return super().eventFilter(watched, event)

    def _on_split_moved(self, *_: int) -> None:
        self._split_by_hand = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _summary_words(self) -> str:
        entries = [*self._refused, *self._captures()]
        if not entries:
            return ""
        lines = sum(e.ledger.lines.total for e in entries)
        skipped = sum(e.ledger.lines.skipped for e in entries)
        return text(
            "ui.captures.summary",
            files=format_count(len(entries)),
            lines=format_count(lines),
            skipped=format_count(skipped),
        )

    def _show_parts(self) -> None:
        empty_page = 0 if self.form.isHidden() else 2
        self._stack.setCurrentIndex(1 if self.model.rowCount() else empty_page)
        self._import.setEnabled(self.workspace.writable and not self.form.busy)
        self._import.setVisible(bool(self.model.rowCount()))
        self._show_times()
        self._empty.setEnabled(self.workspace.writable)

    def _show_times(self) -> None:
        """Shows the way to captures whose time is not confirmed, with how many there are."""
        from tunebench.usecases.importing import resolution

        every = (capture for view in self.workspace.run_views for capture in view.artefacts)
        doubtful = sum(map(resolution.is_doubtful, every))
        words = text("ui.resolution.open")
        self.times.setText(f"? {words} ({format_count(doubtful)})" if doubtful else words)
        self.times.setToolTip(text("ui.resolution.badge", count=format_count(doubtful)) if doubtful else "")
        set_tone(self.times, "watch" if doubtful else "")
        for leads in (self.times, self.review):
            leads.setVisible(bool(self.model.rowCount()))
        overview = self.workspace.overview
        set_tone(self.review, "watch" if overview and any(is_unnamed(host.name) for host in overview.hosts) else "")

    def _chosen_key(self) -> object | None:
        index = self.table.currentIndex()
        return self.model.row_at(index).key if index.isValid() else None

    def _choose(self, key: object) -> None:
        row = self.model.row_of(key)
        if row is not None:
            self.table.selectRow(row)
            self.ledger.show_entry(self.model.rows[row])

    def _on_row(self, current: QModelIndex, _old: QModelIndex) -> None:
        if current.isValid():
            entry = self.model.row_at(current)
            self.ledger.show_entry(entry)
            if entry.artefact is not None and self.isVisible() and not self._filling:
                self.workspace.inspect(InspectedCapture(entry.artefact))

    def _turn(self, index: QModelIndex) -> None:
        """Shows or hides the captures of a bundle."""
        bundle = self.model.row_at(index).bundle
        if bundle is not None:
            self._turned ^= {bundle.id}
            self._fill()

    def _on_inspected(self, shown: Inspected | None) -> None:
        """A capture chosen in the tree is shown here too."""
        if isinstance(shown, InspectedCapture) and self.isVisible():
            self._filling = True
            self._choose(shown.artefact.id)
            self._filling = False

    def to_pin(self) -> Offer | None:
        entry = self.ledger.entry
        return of_capture(entry.artefact, window_locale()) if entry is not None and entry.artefact is not None else None

    def _fill_menu(self, menu: QMenu) -> None:
        entry = self.ledger.entry
        gone = menu.addAction(text("ui.command.capture.remove_capture"), self.remove)
        gone.setEnabled(self.workspace.writable and entry is not None and entry.artefact is not None)

    def remove(self) -> None:
        """The capture that is shown."""
        from tunebench.ui.importing import removal

        entry = self.ledger.entry
        if entry is not None and entry.artefact is not None:
            removal.ask_capture(self.workspace, entry.artefact, self.window())

    # --- a file that no parser knows
    @cached_property
    def _describing(self) -> Describing:
        from tunebench.ui.importing.definition_dialog import Describing

        describing = Describing(self.workspace, self)
        describing.described.connect(self._on_described)
        return describing

    def describe(self, path: str) -> None:
        self._describing.file(Path(path))

    def _describe_anywhere(self, path: str) -> None:
        """A file, or a member of an archive, where it lies."""
        outer, _, inner = path.partition("!/")
        overview = self.workspace.overview
        bundle = next((bundle for bundle in overview.bundles if bundle.path == outer), None) if overview else None
        if bundle is not None and inner:
            self._describing.member(bundle, inner)
        else:
            self.describe(path)

    def ask_described(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, text("ui.tables.choose"), self._start_folder())
        if chosen:
            self.describe(chosen)

    def _on_described(self, source: Path, described: str) -> None:
        """The definition is in use; its file, or the archive around it, is offered for import into the same run."""
        self._refused = [entry for entry in self._refused if entry.path != described]
        self._fill()
        self.offer([source])
        held = next((entry for entry in self.entries() if entry.bundle and entry.path == str(source)), None)
        if held is not None and held.run:
            self.form.run.setCurrentText(held.run)

    # --- import
    def ask_files(self) -> None:
        chosen, _ = QFileDialog.getOpenFileNames(self, text("ui.import.choose_files"), self._start_folder())
        if chosen:
            self.offer([Path(p) for p in chosen])

    def ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, text("ui.import.choose_folder"), self._start_folder())
        if chosen:
            self.offer([Path(chosen)])

    def _start_folder(self) -> str:
        return str(self.form.paths[-1].parent) if self.form.paths else ""

    def offer(self, paths: Sequence[Path]) -> None:
        """Show the sheet for these files and folders."""
        if not self.workspace.writable:
            self.workspace.say(text("ui.import.read_only"), "warning")
            return
        if self.form.busy:
            self.workspace.say(text("ui.import.busy"), "warning", Change.CAPTURES)
            return
        self.form.offer(paths)
        self._show_parts()

    def start_import(self, paths: list[Path], options: ImportOptions) -> None:
        project = self.workspace.opened
        ticket = self.workspace.jobs.run(
            "db",
            lambda handle: gathering.bring(project, paths, options, handle),
            owner=self,
            slot="import",
            on_result=self._on_imported,
            on_error=self._on_refused,
            on_cancelled=self._on_cancelled,
            on_progress=self.form.show_progress,
            title_key="ui.job.import",
        )
        self.form.show_running(ticket)
        self._show_parts()

    def _on_imported(self, brought: gathering.Brought) -> None:
        report, settled = brought.report, brought.settled
        self.form.finish()
        rows = [bundle for bundle in report.bundles if has_row(bundle)]
        inside = tuple(f"{bundle.path}{mark}" for bundle in rows for mark in ("!/", "/"))
        alone = [f for f in report.files if not f.path.startswith(inside) and all(f.path != b.path for b in rows)]
        self._refused = [_refused_entry(f) for f in alone if f.artefact_id is None or f.duplicate_of]
        self.workspace.announce(Change.CAPTURES)
        keys: list[object] = [f.path if f.artefact_id is None or f.duplicate_of else f.artefact_id for f in alone]
        unfinished = [key for key, file in zip(keys, alone, strict=True) if not file.complete]
        for key in [*unfinished, *map(key_of, rows), *keys][:1]:
            self._choose(key)
        leads_on = settled is not None or (len(report.unnamed) > 1 and self.isVisible())
        first = report.unnamed[0].artefact_id if report.unnamed and not leads_on else None
        to_review = ("ui.command.review.open", lambda: self.workspace.show_page("review", first))
        words, tone = _report_words(report) if settled is None else (_settled_words(brought), "info")
        self.workspace.say(words, tone, Change.CAPTURES, to_review if first is not None else None)
        if brought.refusal is not None:
            self.workspace.say_error(brought.refusal)
        elif settled is not None:
            self.workspace.announce(Change.CYCLE)
            self.workspace.show_page("compare" if settled.windows else "review")
        elif leads_on:  # before anything is concluded of them
            self.workspace.show_page("review")
        self._propose(settled is None)

    def _propose(self, wanted: bool) -> None:
        """What an import brought may be windows; nothing is proposed of a project that is only opened."""
        self.proposals.wanted = wanted
        self.proposals.look()

    def _on_refused(self, error: UserError) -> None:
        self.form.show_stopped()
        self._show_parts()
        self.workspace.say_error(error, Change.CAPTURES)

    def _on_cancelled(self) -> None:
        """Says how many captures stay: those that the project did not have before."""
        before = self._capture_ids()
        self.form.show_stopped()
        self.workspace.announce(Change.CAPTURES)
        count = len(self._capture_ids() - before)
        key = "ui.import.cancelled" if count else "ui.import.cancelled.nothing"
        self.workspace.say(text(key, count=format_count(count)))
        if count:
            self._compare_captures()

    def _capture_ids(self) -> set[object]:
        """The ids of the captures that the window lists; the project may hold more."""
        return {entry.key for entry in self._captures()}

    def _compare_captures(self) -> None:
        """What a whole import does at its end."""
        project = self.workspace.opened
        self.workspace.jobs.run(
            "db",
            lambda handle: assembly.review(project, handle),
            owner=self,
            slot="review",
            on_result=lambda _none: self.workspace.announce(Change.CAPTURES),
            title_key="ui.job.pending",
        )


def _settled_words(brought: gathering.Brought) -> str:
    """How many files came, and of how many something is in doubt."""
    return text("ui.quick.done", files=format_count(len(brought.report.files)), asked=format_count(brought.in_doubt))


def _state(file: ImportedFile) -> str:
    """A file that is known to be something else is not called unrecognised: its sentence says what it is."""
    recognised = file.error is not None and file.error.key.startswith("file_is_")
    return "not_capture" if recognised else str(file.state)


def _refused_entry(file: ImportedFile) -> LedgerEntry:
    return LedgerEntry(
        file.path,
        Path(file.path).name,
        file.path,
        _state(file),
        "",
        file.host,
        file.parser,
        file.ledger,
        None,
        file.error,
        file.duplicate_of,
    )


def _report_words(report: ImportReport) -> tuple[str, str]:
    """(sentence, tone): how many files became what."""
    counts: dict[str, int] = {}
    for file in report.files:
        counts[_state(file)] = counts.get(_state(file), 0) + 1
    parts = ", ".join(f"{text(f'ui.state.{state}')} {count}" for state, count in counts.items())
    sentence = text("ui.import.done", count=len(report.files), parts=parts)
    for key, count in report.losses:
        sentence += ". " + text(key, count=format_count(count)).removesuffix(".")
    if report.unnamed:
        sentence += ". " + text("ui.import.unnamed", count=format_count(len(report.unnamed)))
    return sentence, "info" if report.complete else "warning"
