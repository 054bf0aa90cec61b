"""Database: its snapshots, where its time went before and after, and the captures in their original form."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from tunebench.analysis.databases.profile_lines import Basis, ProfileComparison
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.domain.engagement import Phase
from tunebench.domain.windows import run_window
from tunebench.ui.cycle.evidence_menu import offer_menu
from tunebench.ui.databases.database_controller import DatabaseController
from tunebench.ui.databases.original_view import OriginalView
from tunebench.ui.databases.period_pane import PeriodPane
from tunebench.ui.databases.pickers import SidePickers
from tunebench.ui.databases.profile_view import ProfileView
from tunebench.ui.databases.sessions_pane import SessionsPane
from tunebench.ui.look.language import error_text, language, text, translated, window_locale
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.answering import Answering
from tunebench.ui.widgets.notice import CautionList
from tunebench.ui.widgets.parts import column, panel, row, splitter, tab_bar
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import Offer
from tunebench.usecases.databases.period_book import Cell, read
from tunebench.usecases.databases.profiles import compared, pinned_row, place_of
from tunebench.usecases.databases.sides import Side
from tunebench.usecases.databases.words import caution_text
from tunebench.usecases.importing.originals import Place
from tunebench.usecases.projects import Project

SIDES = ("before", "after")


class ProfilePage(Page):
    page_id = "database"
    title_key = "ui.page.database"
    icon = "database"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._project: Project | None = None
        self._basis: Basis | None = None
        self._row: object = None
        self._shown_of: tuple[Side | None, Side | None, Basis | None] | None = None
        self._cells_of: object = None
        self.controller = DatabaseController.of(workspace)
        self.pickers = SidePickers(workspace)
        self.cautions = CautionList()
        self.periods = PeriodPane()
        self.sessions = SessionsPane(workspace)
        self.view = ProfileView(self.periods, self.sessions)
        self.original = OriginalView(workspace.jobs)
        self._lay_out()
        self._connect()
        self.add_commands(
            "analyse",
            6,
            "ui.profile.command",
            ("find", ("Ctrl+F",), self.view.filter_field.setFocus),
            ("copy", (), self.view.copy),
            ("original", ("Ctrl+R",), self._original_button.click),
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._original_button = translated(QPushButton(), "ui.profile.original", toolTip="ui.profile.original.tip")
        self._original_button.setCheckable(True)
        self.side_tabs = translated(tab_bar(*SIDES), tabText=[f"ui.phase.{side}" for side in SIDES])
        self._beside = panel(column(self.side_tabs, (self.original, 1), spacing=0))
        self._beside.hide()
        shown = splitter(self.view, self._beside, sizes=(640, 520))
        self.answering = Answering(shown, self.icon, self.controller.ask)
        self._pages = self.stack_parts(
            row(self.title(), (self.pickers, 1), self._original_button),
            self.cautions,
            (self.answering, 1),
            empty=self.captures_wanted("ui.profile.empty"),
        )

    def _connect(self) -> None:
        self.controller.changed.connect(self._on_controller)
        self.view.chosen.connect(self._on_row)
        self.view.opened.connect(self._on_opened)
        self.view.basis_asked.connect(self._on_basis)
        offer_menu(self.view.table, self.workspace)
        self._original_button.toggled.connect(self._toggle_original)
        self.side_tabs.currentChanged.connect(lambda _place: self._show_original())
        self.original.ledger_asked.connect(lambda artefact_id: self.workspace.show_page("captures", artefact_id))
        self.original.said.connect(lambda sentence: self.workspace.say(sentence, "warning"))
        self.periods.picked.connect(self._on_period)
        self.periods.time_line_asked.connect(self._show_on_time_line)
        self.periods.before_asked.connect(lambda cell: self._set_window(Phase.BEFORE, cell))
        self.periods.after_asked.connect(lambda cell: self._set_window(Phase.AFTER, cell))

    # --- the page's life
    def enter(self) -> None:
        project = self.workspace.opened
        if project is not self._project:
            self._project = project
            self.original.use(project)
        self.controller.ask()
        self._on_controller()
        self.view.table.setFocus()

    def show_argument(self, argument: object) -> None:
        """A tab of the page, or a `Place` in a capture to show in its original form."""
        if isinstance(argument, Place):
            self._original_button.setChecked(True)
            self.original.show_place(argument)
        elif isinstance(argument, str):
            self.view.show_tab(argument)

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._basis, self._project = None, None
            self.original.use(None)
        if change is not Change.NOTES:
            self._cells_of = None
        if self.isVisible() and self.workspace.project is not None:
            self.enter()

    def _on_controller(self) -> None:
        """Shows another choice, or its figures once they have come."""
        if not self.isVisible() or self.workspace.project is None:
            return
        self._pages.setCurrentIndex(0 if self.controller.known or not self.controller.read else 1)
        self._say_cautions()
        if not self.controller.read:
            (self.answering.wait if self.controller.busy else self.answering.stop)()
            return
        self._read_profile()
        self._read_periods()
        databases = {which: side.database for which, side in self.controller.sides.items()}
        self.sessions.show_sides(self._project, databases)

    # --- profile
    def _read_profile(self) -> None:
        before, after, basis = self.controller.before, self.controller.after, self._basis
        asked = (before, after, basis)
        if self._shown_of is not None and all(one is two for one, two in zip(self._shown_of, asked, strict=True)):
            self.answering.reveal()
            return
        self._shown_of = asked
        self._row = None
        self.answering.run(
            self.workspace.jobs,
            "cpu",
            lambda _handle: compared(before, after, basis),
            owner=self,
            slot="profile",
            on_result=self._show_profile,
            on_stopped=self._forget_profile,
        )

    def _forget_profile(self) -> None:
        self._shown_of = None

    def _show_profile(self, comparison: ProfileComparison | None) -> None:
        sides = self.controller.before, self.controller.after
        self.view.show_comparison(comparison, *sides, self.workspace.zone, self.controller.comparison)
        there = self.controller.sides
        for index, which in enumerate(SIDES):
            self.side_tabs.setTabEnabled(index, which in there or not there)
        self._show_original()

    def _on_basis(self, basis: Basis) -> None:
        self._basis = basis
        self._read_profile()

    def _say_cautions(self) -> None:
        code, zone = language().code, self.workspace.zone
        sentences = [error_text(self.controller.refusal)] if self.controller.refusal is not None else []
        if self.controller.comparison is not None:
            sentences += [caution_text(caution, code, zone) for caution in self.controller.comparison.cautions]
        of_sides: dict[str, list[str]] = {}
        for which, side in self.controller.sides.items():
            for caution in side.cautions:
                of_sides.setdefault(caution_text(caution, code, zone), []).append(text(f"ui.phase.{which}"))
        sentences += [f"{', '.join(dict.fromkeys(sides))}: {sentence}" for sentence, sides in of_sides.items()]
        self.cautions.show_sentences(sentences)

    # --- periods
    def _read_periods(self) -> None:
        project, by_run = self.workspace.opened, self.controller.of_runs()
        sides = self.controller.sides.values()
        wanted = tuple(dict.fromkeys((self.controller.choice.database, *(side.database.id for side in sides))))
        asked = (wanted, tuple(by_run.values()))
        if asked == self._cells_of:
            return
        self._cells_of = asked
        self.workspace.jobs.run(
            "cpu",
            lambda _handle: read(project, by_run, wanted),
            owner=self,
            slot="periods",
            on_result=self._show_periods,
            on_cancelled=self._forget_periods,
            title_key="ui.profile.periods.job",
        )

    def _forget_periods(self) -> None:
        self._cells_of = None

    def _show_periods(self, cells: list[Cell]) -> None:
        self.periods.show_cells(cells, {run.id: run.label for run in self.controller.runs}, self.workspace.zone)

    def _on_period(self, cell: Cell) -> None:
        ids = tuple(dict.fromkeys(part.artefact_id for part in cell.period.parts))
        if self._original_button.isChecked():
            self.original.show_place(Place(ids[:1], cell.period.parts[0].head.first_line))

    def _range(self, cell: Cell) -> TimeRange | None:
        begin_ns, end_ns = cell.period.begin_ns, cell.period.end_ns
        if begin_ns is None or end_ns is None or begin_ns >= end_ns:
            return None
        return TimeRange(begin_ns, end_ns)

    def _show_on_time_line(self, cell: Cell) -> None:
        span = self._range(cell)
        if span is not None:
            self.workspace.show_page("timeline")
            self.workspace.selection.set_range(span)

    def _set_window(self, phase: Phase, cell: Cell) -> None:
        span = self._range(cell)
        if span is not None:
            self.workspace.selection.set_window(phase, run_window(cell.run_id, span.start_ns, span.end_ns))
            self.workspace.say(text(f"ui.profile.periods.is_{phase.value}"))

    # --- the original form
    def _on_row(self, chosen: object) -> None:
        self._row = chosen
        self._show_original()

    def _on_opened(self, chosen: object) -> None:
        self._row = chosen
        self._original_button.setChecked(True)
        self._show_original()

    def _toggle_original(self, wanted: bool) -> None:
        self._beside.setVisible(wanted)
        self._show_original()

    def _show_original(self) -> None:
        """The capture behind the chosen row, on the chosen side or on the one that has it."""
        if not self._original_button.isChecked():
            return
        first = SIDES[self.side_tabs.currentIndex()]
        for which in (first, *(name for name in SIDES if name != first and self._row is not None)):
            side = self.controller.side(which)
            place = place_of(side, self._row, which, self.view.classes) if side is not None and self._row else None
            if place is not None:
                self.original.show_place(place)
                return
        side = self.controller.side(first) or self.controller.before or self.controller.after
        ids = tuple(dict.fromkeys(part.artefact_id for period in side.used for part in period.parts)) if side else ()
        if ids and (self._row is None or self.original.original is None):
            self.original.show_place(Place(ids[:1]))

    # --- evidence
    def to_pin(self) -> Offer | None:
        """The lines that the chosen row was read from."""
        runs = {run.id: run.label for run in self.controller.runs}
        sides = self.controller.sides.items() if self._row is not None else ()
        places = [(which, side.run_id, place_of(side, self._row, which, self.view.classes)) for which, side in sides]
        lines = [(which, runs.get(run, ""), place) for which, run, place in places if place is not None and place.line]
        return pinned_row(lines, window_locale()) if lines else None

    # --- words
    def retranslate(self, code: str) -> None:
        self.pickers.retranslate()
        self.view.retranslate()
        self.periods.retranslate()
        self.sessions.retranslate()
        self.original.retranslate()
        if self.isVisible():
            self._say_cautions()
