"""Statements: what every SQL statement cost before and after, what became of it, and on what evidence."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QMenu

from tunebench.analysis.databases.record import Numbers
from tunebench.analysis.databases.statement_rows import StatementRows, compared_rows, single_rows
from tunebench.domain.engagement import Run
from tunebench.ui.cycle.evidence_menu import offer_menu
from tunebench.ui.cycle.series_menu import add_statement_acts
from tunebench.ui.databases.database_controller import DatabaseController
from tunebench.ui.databases.headline import Headline
from tunebench.ui.databases.pickers import SidePickers
from tunebench.ui.databases.side_facts import SideFacts
from tunebench.ui.databases.statement_detail import StatementDetail
from tunebench.ui.databases.statement_model import StatementModel
from tunebench.ui.databases.statement_table import StatementTable
from tunebench.ui.databases.statement_tools import StatementTools
from tunebench.ui.look.language import text, translated, window_locale
from tunebench.ui.look.theme import SPACE_M, Theme
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.answering import Answering
from tunebench.ui.widgets.parts import EmptyState, IconButton, button, column, panel, row, splitter, stacked
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import Offer, of_statement_sides
from tunebench.usecases.databases.comparison import DatabaseComparison
from tunebench.usecases.databases.sides import Side, require
from tunebench.usecases.databases.statement_columns import not_measured
from tunebench.usecases.databases.statement_history import history
from tunebench.usecases.databases.statement_words import unmeasured_words

HISTORY = "history"


class StatementsPage(Page):
    page_id = "statements"
    title_key = "ui.page.statements"
    icon = "statements"

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.controller = DatabaseController.of(workspace)
        self._shown_for: object = None
        self._wanted_id = ""
        self._place: int | None = None
        self.pickers, self.facts = SidePickers(workspace), SideFacts(workspace)
        self.headline, self.tools = Headline(), StatementTools()
        self.model = StatementModel()
        self.table = StatementTable(self.model)
        self.detail = StatementDetail(workspace)
        self._make_parts()
        self._lay_out()
        self._connect()
        self.add_commands(
            "analyse",
            5,
            "ui.statements.command",
            ("find", ("Ctrl+F",), self.tools.words.setFocus),
            ("copy", (), self.copy),
            ("fold", (), self._fold),
        )
        self.start()

    # --- building
    def _make_parts(self) -> None:
        self.fold = IconButton("chevron-up-light", self._fold, key="ui.statements.command.fold")
        self._copy = translated(button(kind="quiet", on_click=self.copy), "ui.statements.copy")
        self._no_database = EmptyState(
            "statements",
            "ui.statements.empty.database",
            (
                ("ui.timeline.empty.import", lambda: self.workspace.ask_import()),
                ("ui.captures.empty.collect", lambda: self.workspace.show_page("collect")),
            ),
        )
        self._invalid = EmptyState(
            "warning",
            "ui.statements.empty.invalid",
            (("ui.timeline.empty.captures", lambda: self.workspace.show_page("captures")),),
        )

    def _lay_out(self) -> None:
        table = panel(column(self.table, margins=(1, 1)))
        table.setProperty("card", "true")
        table.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        for part in (table, self.detail):
            part.setMinimumHeight(110)
        self.split = splitter(table, self.detail, down=True, sizes=(300, 200), shares=(3, 2))
        self._summary = panel(column(self.facts, self.headline))
        filled = panel(column(self.tools, (self.split, 1)))
        no_statements = self.captures_wanted("ui.statements.empty.statements")
        self._middle = stacked(filled, no_statements, self._invalid)
        self.answering = Answering(self._middle, self.icon, self.controller.ask)
        self._pages = self.stack_parts(
            row(self.title(), (self.pickers, 1), self._copy, self.fold, spacing=SPACE_M),
            self._summary,
            (self.answering, 1),
            empty=self._no_database,
        )

    def _connect(self) -> None:
        self.controller.changed.connect(self._on_controller)
        self.tools.narrowed.connect(lambda changes: self.model.narrow(**changes))
        self.tools.each_chosen.connect(self._show_each)
        self.table.view.selectionModel().currentRowChanged.connect(self._on_row)
        self.model.modelReset.connect(self._on_reset)
        for view in (self.table.view, self.table.frozen):
            offer_menu(view, self.workspace, self._fill_menu)

    # --- the page's life
    def enter(self) -> None:
        self.controller.ask()
        self._on_controller()
        self.table.view.setFocus()

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._show_rows(None)
            self.tools.clear()
        if self.isVisible() and self.workspace.project is not None:
            self.controller.ask()

    def show_argument(self, argument: object) -> None:
        """A statement's id, or its reference in one container."""
        self._wanted_id = str(argument)
        if self.controller.read:
            self._choose_wanted()

    def retranslate(self, code: str) -> None:
        for part in (self.pickers, self.headline, self.tools):
            part.retranslate()
        self.facts.refresh()
        self._say_unmeasured()
        self.model.show_statements(self.model.statements)
        self.detail.retranslate()
        self.table.fit_columns()

    def apply_theme(self, theme: Theme) -> None:
        self.detail.retranslate()

    def _fold(self) -> None:
        """More room for the table."""
        self._summary.setVisible(not self._summary.isVisibleTo(self))

    # --- what the controller found
    def _on_controller(self) -> None:
        controller = self.controller
        self._pages.setCurrentIndex(0 if controller.known or controller.busy or not controller.read else 1)
        self.headline.setVisible(controller.comparison is not None)
        comparison = controller.comparison
        self.headline.show_comparison(
            comparison.statements if comparison else None, comparison.time if comparison else None
        )
        if controller.busy:
            self.answering.wait()
            return
        if not self.isVisible():
            return
        if not controller.read:
            self._forget()
            self.answering.stop()
            return
        shown = controller.comparison or self._lone_side()
        if shown is None:
            self._forget()
            self._show_rows(None)
            self._middle.setCurrentWidget(self._invalid)
            self.answering.reveal()
        elif shown is not self._shown_for:
            self._shown_for = shown
            self._gather(shown)

    def _forget(self) -> None:
        self._shown_for = None

    def _lone_side(self) -> Side | None:
        """The one side that is looked at without another, where it is valid."""
        sides = list(self.controller.sides.values())
        return sides[0] if len(sides) == 1 and sides[0].record is not None else None

    def _gather(self, shown: DatabaseComparison | Side) -> None:
        name = "before" if self.controller.before is shown else "after"
        self.answering.run(
            self.workspace.jobs,
            "cpu",
            lambda _handle: _rows_of(shown, name),
            owner=self,
            slot="rows",
            on_result=lambda rows: self._take(shown, rows),
            on_stopped=self._forget,
        )

    def _take(self, shown: DatabaseComparison | Side, rows: StatementRows) -> None:
        if shown is not self._shown_for:
            return
        self._show_rows(rows)
        self._middle.setCurrentIndex(0 if len(rows) else 1)
        self._read_history(rows)
        if self._wanted_id:
            self._choose_wanted()

    def _show_rows(self, rows: StatementRows | None) -> None:
        self.table.histories.sides = {}
        self.tools.show_rows(rows)
        self.model.show_statements(rows)
        self.table.fit_columns()
        self._say_unmeasured()
        self.table.choose(None)
        self._show_place(self.table.place)

    def _say_unmeasured(self) -> None:
        rows = self.model.statements
        self.facts.show_note(unmeasured_words(not_measured(rows) if rows is not None else [], window_locale()))

    def _read_history(self, rows: StatementRows) -> None:
        """Period by period, behind everything else; the lines appear when it is done."""
        project = self.workspace.opened
        sides = self.controller.sides.items()
        asked = [(name, side, [getattr(pair, name) for pair in rows.pairs]) for name, side in sides]
        self.workspace.jobs.run(
            "cpu",
            lambda handle: {
                name: history(project, side, groups, lambda _share: handle.raise_if_cancelled()).values
                for name, side, groups in asked
            },
            owner=self,
            slot=HISTORY,
            on_result=lambda found: self._take_history(rows, found),
        )

    def _take_history(self, rows: StatementRows, found: dict[str, Numbers]) -> None:
        if rows is self.model.statements:
            self.table.histories.sides = found
            self.table.view.viewport().update()

    # --- the table
    def _show_each(self, each: bool) -> None:
        self.model.show_each(each)
        self.table.fit_columns()

    def _on_reset(self) -> None:
        rows = self.model.statements
        every = len(rows) if rows is not None else 0
        self.tools.show_counts(self.model.rowCount(), every, self.model.hidden_regressions())
        self.table.choose(self._place)
        if not self.model.rowCount():
            self._show_place(None)

    def _on_row(self, now: QModelIndex, _then: QModelIndex) -> None:
        if now.isValid():
            self._show_place(self.model.row_at(now))

    def _show_place(self, place: int | None) -> None:
        self._place = place
        self.detail.show_statement(self.model.statements, place)

    def _choose_wanted(self) -> None:
        rows, wanted = self.model.statements, self._wanted_id
        if rows is None or self.answering.waits:
            return
        self._wanted_id = ""
        position = rows.place_of(wanted)
        if position is None:
            self.workspace.say(text("ui.statements.not_here", id=wanted), "warning")
            return
        if self.model.row_of(position) is None:
            self.tools.clear()
        self.table.choose(position)
        self.table.view.setFocus()

    def copy(self) -> None:
        self.table.view.exhibited.copy(("tsv",))
        self.workspace.say(text("ui.statements.copied"))

    def _fill_menu(self, menu: QMenu) -> None:
        for name in ("text", "plan", "evidence", "link"):
            menu.addAction(text(f"ui.statements.tab.{name}"), partial(self.detail.show_tab, name))
        for side in self._pinned()[:1]:
            add_statement_acts(menu, self.workspace, *side[1:])

    # --- evidence
    def to_pin(self) -> Offer | None:
        """The statement in the runs that have it."""
        sides = self._pinned()
        return of_statement_sides(sides, window_locale()) if sides else None

    def _pinned(self) -> list[tuple[str, Run, str, str]]:
        """(side, run, engine, reference) of the statement under the keyboard, the side before first."""
        rows, position = self.model.statements, self._place
        if rows is None or position is None or not 0 <= position < len(rows):
            return []
        runs = {run.id: run for run in self.controller.runs}
        sides = []
        for name, side in self.controller.sides.items():
            if getattr(rows.pairs[position], name) and side.run_id in runs:
                engine = str(side.database.identity.engine)
                sides.append((name, runs[side.run_id], engine, rows.reference_of(name, position)))
        return sides


def _rows_of(shown: DatabaseComparison | Side, name: str) -> StatementRows:
    """Of a comparison, or of the one valid side that is looked at alone."""
    if isinstance(shown, Side):
        return single_rows(require(shown), name)
    return compared_rows(shown.statements, {"before": shown.before.record, "after": shown.after.record})
