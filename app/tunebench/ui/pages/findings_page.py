"""Findings: what the rules say of a run, the USE table, what could not be judged, and the bottleneck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from tunebench.columns.formats import DASH
from tunebench.core.progress import Progress
from tunebench.domain.engagement import Phase, Run
from tunebench.domain.finding import Finding, Severity
from tunebench.domain.record_labels import label as record_label
from tunebench.domain.windows import Window, run_window
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.evidence_menu import offer_menu
from tunebench.ui.findings.bottleneck_view import BottleneckView
from tunebench.ui.findings.finding_detail import FindingDetail
from tunebench.ui.findings.finding_steps import FindingSteps
from tunebench.ui.findings.shift_reader import ShiftReader
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.theme import Theme
from tunebench.ui.pages.base import Page
from tunebench.ui.tables.view import FigureTable
from tunebench.ui.widgets.answering import Answering
from tunebench.ui.widgets.parts import (
    button,
    card,
    column,
    label,
    row,
    search_field,
    selectable,
    splitter,
    stacked,
    tab_bar,
)
from tunebench.ui.widgets.window_picker import WindowPicker
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import Offer, of_finding
from tunebench.usecases.findings import acting as findings
from tunebench.usecases.findings.finding_columns import USE_COLUMNS, finding_columns, not_judged_columns, severity_words
from tunebench.usecases.findings.words import RuleWords, left_out_texts, related_text
from tunebench.usecases.projects import Project

if TYPE_CHECKING:
    from tunebench.sdk.toml_tables import Problem
    from tunebench.usecases.findings.diagnose import Diagnosis

TABS = ("findings", "use", "not_judged", "bottleneck")


class FindingsPage(Page):
    page_id = "findings"
    title_key = "ui.page.findings"
    icon = "findings"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.controller = CycleController.of(workspace)
        self.steps = FindingSteps(workspace, self.controller)
        self.book = WindowBook.of(workspace)
        self.shifts = ShiftReader(workspace, self.book)
        self.diagnosis: Diagnosis | None = None
        self._words: RuleWords | None = None
        self._asked: object = None
        self._changed_by = Change.OPENED
        self._chosen: Window | None = None
        self.run_box = translated(WindowPicker(_run_words), accessibleName="ui.findings.run.tip")
        self.filter_field = search_field("ui.findings.filter", most=240)
        self.tabs = tab_bar(*TABS)
        self.findings, self.use_table, self.not_judged = FigureTable(), FigureTable(), FigureTable()
        self.bottleneck = BottleneckView()
        self.detail = FindingDetail()
        self._lay_out()
        self._connect()
        self.add_commands(
            "analyse",
            8,
            "ui.findings.command",
            ("find", ("Ctrl+F",), self.filter_field.setFocus),
            ("copy", (), self.copy),
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._count = label(role="muted")
        self._copy = translated(
            button(kind="quiet", on_click=self.copy), "ui.findings.copy", toolTip="ui.findings.copy.tip"
        )
        self.left_out = selectable(label(tone="watch", wrap=True))
        self.stack = stacked(self.findings, self.use_table, self.not_judged, self.bottleneck)
        tools = row(self.tabs, 1, self.filter_field, self._copy)
        tables = card(column(tools, (self.stack, 1), spacing=0, margins=(1, 2, 1, 1)))
        self._beside = card(column(self.detail, margins=(1, 1)))
        self._beside.setMinimumWidth(280)
        self.answering = Answering(splitter(tables, self._beside, sizes=(720, 380)), self.icon, self._judge)
        self._pages = self.stack_parts(
            row(self.title(), self._count, 1, self.run_box),
            self.left_out,
            (self.answering, 1),
            empty=self.captures_wanted("ui.findings.empty"),
        )

    def _connect(self) -> None:
        self.run_box.picked.connect(self._on_window)
        self.book.changed.connect(self._on_windows)
        self.tabs.currentChanged.connect(self._on_tab)
        for table in (self.findings, self.use_table, self.not_judged):
            self.filter_field.textChanged.connect(table.narrow)
        self.findings.chosen.connect(self._on_finding)
        self.findings.opened.connect(self.steps.show_first_evidence)
        offer_menu(self.findings, self.workspace, lambda menu: self.steps.fill_menu(menu, self.findings.current))
        self.use_table.chosen.connect(lambda use_row: self.detail.show_use_row(use_row, self.workspace.zone))
        self.detail.evidence_asked.connect(self.steps.show_evidence)
        self.detail.cause_asked.connect(self.steps.take_as_cause)
        self.detail.action_asked.connect(self.steps.propose_action)
        self.detail.plan_asked.connect(lambda: self.workspace.show_page("collect"))
        self.controller.changed.connect(self._show_chosen)
        self.shifts.changed.connect(self._show_bottleneck)
        self.workspace.selection.windows_changed.connect(lambda _before, _after: self._read_shift())

    # --- the page's life
    def enter(self) -> None:
        self._fill_runs()
        self._read(self.workspace.opened)
        self._read_shift()
        self.findings.setFocus()

    def show_argument(self, argument: object) -> None:
        """The name of a tab, or the key of a finding to show."""
        if argument in TABS:
            self.tabs.setCurrentIndex(TABS.index(str(argument)))
        elif isinstance(argument, str):
            self._choose(argument)

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self._chosen = None
            self._show(None)
            self.answering.forget()
        if change not in (Change.NOTES, Change.CYCLE, Change.EXPERIMENTS, Change.NARRATIVE, Change.REPORTS):
            self._asked = None
            self.shifts.forget()
            self._changed_by = change
        if self.isVisible() and self.workspace.project is not None and self._asked is None:
            self.enter()

    @property
    def runs(self) -> list[Run]:
        return [view.run for view in self.workspace.run_views if view.artefacts]

    def _fill_runs(self) -> None:
        runs = self.runs
        self._pages.setCurrentIndex(0 if runs else 1)
        self._chosen = self.book.now(self._chosen, runs) or self._preferred(runs)
        self.run_box.show_windows(self.book.windows, runs, self._chosen)

    def _preferred(self, runs: Sequence[Run]) -> Window | None:
        """The kept window before, else the run before, else the first."""
        before = self.workspace.selection.before
        if before is not None and before.id:
            return before
        run = next((run for run in runs if run.phase is Phase.BEFORE), runs[0] if runs else None)
        return run_window(run.id) if run else None

    def _on_window(self, window: Window) -> None:
        self._chosen = window
        self._read(self.workspace.opened)

    def _on_windows(self) -> None:
        """A kept window was added, changed or removed, or that was undone."""
        if self.isVisible() and self.workspace.project is not None:
            self._fill_runs()
            self._read(self.workspace.opened)
            self._read_shift()

    # --- reading
    def _read(self, project: Project) -> None:
        window = self._chosen
        if window is None or self._asked == (id(project), window):
            return
        if not self.answering.outlives(window, self._changed_by):
            self._judge()

    def _judge(self) -> None:
        project, window = self.workspace.opened, self._chosen
        if window is None:
            return
        self._asked = (id(project), window)

        def judge(handle: Progress) -> Diagnosis:
            from tunebench.usecases.comparing import windows
            from tunebench.usecases.findings.diagnose import diagnose

            return diagnose(project, windows.ready(project, window), handle)

        self._count.setText("")
        self.answering.run(
            self.workspace.jobs,
            "cpu",
            judge,
            owner=self,
            slot="diagnose",
            on_result=self._show,
            on_stopped=self._forget,
            title_key="ui.findings.job",
            question=window,
        )

    def _forget(self) -> None:
        self._asked = None

    def _read_shift(self) -> None:
        if self.isVisible() and self.workspace.project is not None:
            self.shifts.ask(self.workspace.project, self.runs)

    # --- showing
    def _show(self, diagnosis: Diagnosis | None) -> None:
        self.diagnosis = diagnosis
        self.steps.rules = diagnosis.rules if diagnosis else {}
        words = self._words = RuleWords(self.steps.rules, language().code)
        kept = self.detail.finding.key if self.detail.finding is not None else None
        self.findings.show_rows(finding_columns(words), diagnosis.findings if diagnosis else ())
        self.use_table.show_rows(USE_COLUMNS, diagnosis.use_table if diagnosis else ())
        self.not_judged.show_rows(not_judged_columns(words), diagnosis.not_judged if diagnosis else ())
        self._count_all()
        self._say_left_out(diagnosis.left_out if diagnosis else ())
        self.detail.show_nothing()
        self._choose(kept)
        self._show_bottleneck()

    def _show_bottleneck(self) -> None:
        if self.shifts.shift is not None:
            self.bottleneck.show_shift(self.shifts.shift)
        elif self.diagnosis is not None:
            self.bottleneck.show_ranking(self.diagnosis.ranking, self.diagnosis.checks, self.diagnosis.drop_offs)

    def _count_all(self) -> None:
        diagnosis = self.diagnosis
        rows = (diagnosis.findings, diagnosis.use_table, diagnosis.not_judged) if diagnosis else ()
        counts = dict(zip(TABS, map(len, rows), strict=False))
        for index, name in enumerate(TABS):
            self.tabs.setTabText(index, text(f"ui.findings.tab.{name}", n=counts.get(name, DASH)))
        if diagnosis is None:
            self._count.setText("")
            return
        grades = Counter(finding.severity for finding in diagnosis.findings)
        graded = [f"{severity_words(severity, window_locale())} {grades[severity]}" for severity in reversed(Severity)]
        self._count.setText("   ".join((*graded, text("ui.findings.passed", n=len(diagnosis.passed)))))

    def _say_left_out(self, problems: Sequence[Problem]) -> None:
        """Files of rules that could not be used: a pack that was not read must not look like one that found nothing.
        One line with the first fault; all of them, one a file, under the pointer."""
        faults = left_out_texts(problems, language().code)
        self.left_out.setVisible(bool(faults))
        self.left_out.setText(text("ui.findings.left_out", n=len(faults), first=faults[0]) if faults else "")
        self.left_out.setToolTip("\n".join(faults))

    def _choose(self, key: str | None) -> None:
        """Chooses the finding of that key, else the first."""
        model = self.findings.filter
        shown = [model.row_at(model.index(r, 0)) for r in range(model.rowCount())]
        position = next((r for r, finding in enumerate(shown) if finding.key == key), 0)
        if shown:
            if self.findings.currentIndex().row() == position:
                self._on_finding(shown[position])
            else:
                self.findings.setCurrentIndex(model.index(position, 0))

    def _on_finding(self, finding: Finding) -> None:
        diagnosis = self.diagnosis
        if self._words is None or diagnosis is None:
            return
        cause, action = (
            findings.cause_of(self.controller.book, finding),
            findings.action_of(self.controller.book, finding),
        )
        self.detail.show_finding(
            finding,
            self._words,
            self.workspace.zone,
            record_label(cause) if cause else "",
            record_label(action) if action else "",
            self.workspace.writable,
            related_text(diagnosis.cause_of(finding), diagnosis.symptoms_of(finding), self._words),
        )

    def _show_chosen(self) -> None:
        """After an edit of the cycle: what the finding has become."""
        if self.detail.finding is not None:
            self._on_finding(self.detail.finding)

    def _on_tab(self, index: int) -> None:
        self.stack.setCurrentIndex(index)
        self._beside.setVisible(TABS[index] in ("findings", "use"))
        self.filter_field.setEnabled(TABS[index] != "bottleneck")
        table = self._table()
        if table is self.use_table and table.currentIndex().isValid():
            self.detail.show_use_row(table.filter.row_at(table.currentIndex()), self.workspace.zone)
        elif table is self.use_table and table.filter.rowCount():
            table.selectRow(0)
        elif table is self.findings:
            self._choose(None)

    def _table(self) -> FigureTable:
        tables = (self.findings, self.use_table, self.not_judged, self.bottleneck.table)
        return tables[self.tabs.currentIndex()]

    def to_pin(self) -> Offer | None:
        """What the finding that is shown rests on."""
        finding, words = self.detail.finding, self._words
        return (
            of_finding(finding, words.title(finding.rule), window_locale())
            if finding is not None and words is not None
            else None
        )

    def copy(self) -> None:
        self._table().exhibited.copy(("tsv",))
        self.workspace.say(text("ui.compare.copied"))

    # --- words and colours
    def retranslate(self, code: str) -> None:
        if self.workspace.project is not None:
            self._fill_runs()
        self._show(self.diagnosis)

    def apply_theme(self, theme: Theme) -> None:
        self._show_chosen()


def _run_words(run: Run) -> str:
    return text("ui.findings.run", run=run.label, phase=text(f"ui.phase.{run.phase}"))
