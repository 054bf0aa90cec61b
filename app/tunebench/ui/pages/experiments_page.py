"""Experiments: what is varied, in which order it is run, what each trial measured, and what that says."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QMenu, QMessageBox, QWidget

from tunebench.analysis.experiments.analysis import ExperimentAnalysis
from tunebench.core.progress import Progress
from tunebench.domain.experiments.book import ExperimentEdit
from tunebench.ui.cycle.evidence_menu import pin
from tunebench.ui.experiments.dialogs import MatrixDialog
from tunebench.ui.experiments.experiment_controller import ExperimentController
from tunebench.ui.experiments.experiment_list import ExperimentList
from tunebench.ui.experiments.plan_form import PlanForm
from tunebench.ui.experiments.results_view import ResultsView
from tunebench.ui.experiments.runs_view import RunsView
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.look.theme import Theme
from tunebench.ui.pages.base import Page
from tunebench.ui.widgets.parts import (
    ElidedLabel,
    EmptyState,
    button,
    card,
    column,
    panel,
    row,
    splitter,
    stacked,
    tab_bar,
)
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle.pinning import Offer, of_experiment
from tunebench.usecases.experiments import drafts as experiment_drafts
from tunebench.usecases.experiments import planning, reading

TABS = ("plan", "runs", "results")
TIMES = ("real_s", "user_s", "sys_s")


class ExperimentsPage(Page):
    page_id = "experiments"
    title_key = "ui.page.experiments"
    icon = "experiments"

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self.controller = ExperimentController.of(workspace)
        self.list = ExperimentList(self.controller)
        self.plan, self.runs, self.results = (
            PlanForm(self.controller),
            RunsView(workspace, self.controller),
            ResultsView(),
        )
        self.tabs = translated(tab_bar(*TABS), tabText=[f"ui.experiments.tab.{name}" for name in TABS])
        self._lay_out()
        self._connect()
        self.add_commands(
            "analyse",
            9,
            "ui.experiments.command",
            ("copy", (), self.copy),
            ("trials", (), lambda: self.ask_export("trials")),
            ("figures", (), lambda: self.ask_export("figures")),
        )
        self.start()

    # --- building
    def _lay_out(self) -> None:
        self._title = ElidedLabel(role="title", mode=Qt.TextElideMode.ElideRight)
        self.export_button = translated(button(), "ui.experiments.export")
        self._exports = QMenu(self.export_button)
        self.export_button.setMenu(self._exports)
        for name in ("trials", "figures"):
            act = self._exports.addAction("", lambda name=name: self.ask_export(name))
            translated(act, f"ui.experiments.export.{name}")
        self.stack = stacked(self.plan, self.runs, self.results)
        self.pin_button = translated(button(on_click=lambda: pin(self.workspace)), "ui.pinned.command")
        head = row(self.tabs, 1, self.pin_button, self.export_button)
        shown = card(column(head, (self.stack, 1), spacing=0, margins=(1, 2, 1, 1)))
        beside = card(column(self.list, margins=(1, 1)))
        beside.setMinimumWidth(200)
        right = panel(column(self._title, (shown, 1)))
        split = splitter(beside, right, sizes=(260, 900), shares=(0, 1))
        split.setStyleSheet("QSplitter::handle { background: transparent; }")  # and of those inside
        empty = EmptyState(
            "experiments",
            "ui.experiments.empty",
            (("ui.experiments.new", self.add_new), ("ui.experiments.example", self._offer_examples)),
        )
        self._pages = self.stack_parts(split, empty=empty)

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        self.list.new_asked.connect(self.add_new)
        self.list.example_asked.connect(self.add_example)
        self.list.matrix_asked.connect(self.ask_matrix)
        self.plan.remove_asked.connect(self.ask_remove)
        self.controller.changed.connect(self._on_controller)

    def to_pin(self) -> Offer | None:
        """The experiment that is chosen, with its analysis."""
        experiment = self.controller.experiment
        return of_experiment(experiment, window_locale()) if experiment is not None else None

    # --- the page's life
    def enter(self) -> None:
        self._on_controller()

    def show_argument(self, argument: object) -> None:
        """The name of a tab or of a view of the results, or the id of an experiment."""
        from tunebench.ui.experiments.results_view import VIEWS

        if isinstance(argument, int):
            self.controller.choose(argument)
        elif argument in TABS:
            self.tabs.setCurrentIndex(TABS.index(str(argument)))
        elif argument in VIEWS:
            self.tabs.setCurrentIndex(TABS.index("results"))
            self.results.show_view(str(argument))

    def project_changed(self, change: Change) -> None:
        if change in (Change.OPENED, Change.CLOSED):
            self.results.show_analysis(None)

    def _on_controller(self) -> None:
        if not self.isVisible():
            return
        experiment = self.controller.experiment
        self._pages.setCurrentIndex(0 if experiment else 1)
        self._title.set_words(experiment.title if experiment else "")
        self.list.refresh()
        self.plan.show_experiment(experiment)
        self.runs.refresh()
        self._analyse()

    def _analyse(self) -> None:
        experiment, book = self.controller.experiment, self.controller.book
        if experiment is None:
            self.results.show_analysis(None)
            return

        def analyse(_handle: Progress) -> ExperimentAnalysis:
            return reading.analyse(book, experiment.id)

        self.workspace.jobs.run("cpu", analyse, owner=self, slot="analyse", on_result=self.results.show_analysis)

    # --- acts
    def add_new(self) -> None:
        def build() -> ExperimentEdit:
            taken = [experiment.title for experiment in self.controller.book.experiments.values()]
            title = experiment_drafts.free_title(text("ui.experiments.new.title"), taken)
            levels = [text("ui.experiments.new.level", n=n) for n in (1, 2)]
            titles = {name: text(f"ui.experiments.new.{name}") for name in TIMES}
            return planning.add(
                experiment_drafts.starting_plan(title, text("ui.experiments.new.factor"), levels, titles)
            )

        if self.controller.attempt(build):
            self.tabs.setCurrentIndex(TABS.index("plan"))
            self.plan.fields["title"].setFocus()

    def add_example(self, name: str) -> None:
        from tunebench.usecases.experiments import examples as experiment_examples

        overview = self.workspace.overview
        code = overview.engagement.language if overview else language().code
        if self.controller.attempt(lambda: experiment_examples.example_edit(name, code)):
            self.tabs.setCurrentIndex(TABS.index("results"))

    def ask_matrix(self, name: str) -> None:
        from tunebench.usecases.experiments import matrices as experiment_matrices

        dialog = MatrixDialog(experiment_matrices.find_matrix(name, language().code), self.window())
        agreed = dialog.exec() == QDialog.DialogCode.Accepted
        values, only = dialog.values, dialog.only
        dialog.deleteLater()
        if agreed:
            self.add_matrix(name, values, only)

    def add_matrix(self, name: str, values: dict[str, str], only: dict[str, list[str]]) -> None:
        from tunebench.usecases.experiments import matrices as experiment_matrices

        overview = self.workspace.overview
        code = overview.engagement.language if overview else language().code
        if self.controller.attempt(lambda: experiment_matrices.matrix_edit(name, code, values, only)):
            self.tabs.setCurrentIndex(TABS.index("plan"))

    def _offer_examples(self) -> None:
        self.list.fill_examples()
        self.list.examples.popup(self.mapToGlobal(self.rect().center()))

    def ask_remove(self) -> None:
        """What can be undone is still asked when results go with it."""
        experiment = self.controller.experiment
        if experiment is None:
            return
        recorded = sum(trial.is_recorded for trial in self.controller.trials)
        question = text("ui.experiments.remove.question", title=experiment.title, recorded=recorded)
        agreed = (
            not recorded
            or QMessageBox.question(self, text("ui.experiments.remove"), question) == QMessageBox.StandardButton.Yes
        )
        if agreed and self.controller.attempt(lambda: planning.remove(self.controller.book, experiment.id)):
            self.workspace.say_done(text("ui.experiments.removed", title=experiment.title))

    def ask_export(self, what: str) -> None:
        experiment = self.controller.experiment
        if experiment is None:
            return
        proposed = self.workspace.folder / f"{what}.csv"
        name, _ = QFileDialog.getSaveFileName(self, text(f"ui.experiments.export.{what}"), str(proposed), "CSV (*.csv)")
        if name:
            self.export(what, Path(name))

    def export(self, what: str, path: Path) -> None:
        from tunebench.usecases.experiments import export as experiment_export

        experiment, book = self.controller.experiment, self.controller.book
        if experiment is None:
            return

        def write() -> None:
            if what == "trials":
                experiment_export.export_trials(book, experiment.id, path)
            else:
                experiment_export.export_figures(reading.analyse(book, experiment.id), path)

        if self.workspace.attempt(write):
            self.workspace.say(text("ui.experiments.exported", path=str(path)))

    def copy(self) -> None:
        (self.runs if TABS[self.tabs.currentIndex()] == "runs" else self.results).copy()
        self.workspace.say(text("ui.compare.copied"))

    # --- words and colours
    def retranslate(self, code: str) -> None:
        self.list.retranslate()
        self.plan.retranslate()
        self.plan.show_experiment(self.controller.experiment)
        self.runs.retranslate()
        self.runs.refresh()
        self.results.retranslate()

    def apply_theme(self, theme: Theme) -> None:
        self.results.recolour()
