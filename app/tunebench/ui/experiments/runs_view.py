"""The trials in the order they are run, and everything that can be done to them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QFileDialog, QFormLayout, QLineEdit, QWidget

from tunebench.columns.capturing.live_states import span_words
from tunebench.domain.connection import HostProfile
from tunebench.domain.experiments.book import ExperimentEdit
from tunebench.domain.experiments.order import next_trial
from tunebench.domain.experiments.records import Trial, TrialState, cell_text
from tunebench.domain.tabbed_text import to_tabbed
from tunebench.ui.capturing.capture_controller import CaptureController
from tunebench.ui.comparing.window_book import WindowBook
from tunebench.ui.experiments.dialogs import RunDialog, TakeDialog
from tunebench.ui.experiments.experiment_controller import ExperimentController
from tunebench.ui.experiments.run_table import RunTable
from tunebench.ui.look.language import text, translated
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XL, SPACE_XS
from tunebench.ui.tables.problem_card import ProblemCard
from tunebench.ui.tables.view import table_lines
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases.experiments import planning, recording
from tunebench.usecases.experiments import tables as experiment_tables

REASON_PX = 460
ACTS = ("next", "run", "exclude", "fail", "restore", "take", "table", "plan")


class RunsView(QWidget):
    def __init__(self, workspace: Workspace, controller: ExperimentController) -> None:
        super().__init__()
        self._workspace, self._controller = workspace, controller
        self.table = translated(RunTable(self._store), accessibleName="ui.experiments.tab.runs")
        self.problems = ProblemCard()
        self.standing = label(role="muted", wrap=True)
        self.far = translated(label(role="strong", wrap=True), accessibleName="ui.experiments.run")
        self.far.hide()
        acts = (self.go_next, self.ask_run, self.exclude, self.fail, self.restore, self.take, self.ask_table, self.plan)
        self.buttons = {
            name: translated(
                button(kind="quiet", on_click=act), f"ui.experiments.{name}", toolTip=f"ui.experiments.{name}.tip"
            )
            for name, act in zip(ACTS, acts, strict=True)
        }
        buttons, margins = row(*self.buttons.values(), 1, spacing=0), (SPACE_S, SPACE_XS, SPACE_S, 0)
        self.setLayout(
            column(buttons, self.standing, self.far, (self.table, 1), self.problems, spacing=SPACE_XS, margins=margins)
        )
        self.problems.follow(self.table, workspace.say)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._judge())
        self._captures = CaptureController.of(workspace)
        self._captures.changed.connect(self._say_far)

    # --- showing
    def refresh(self) -> None:
        self.problems.dismiss()
        overview = self._workspace.overview
        views = overview.runs if overview else ()
        names = {capture.id: capture.name for view in views for capture in view.artefacts}
        self.table.trials.show_trials(
            self._controller.experiment, self._controller.trials, self._controller.writable, names
        )
        self._say_standing()
        self._judge()

    def _say_standing(self) -> None:
        experiment, trials = self._controller.experiment, self._controller.trials
        if experiment is None:
            self.standing.clear()
            return
        counts = {state.value: sum(trial.state is state for trial in trials) for state in TrialState}
        following = next_trial(trials)
        sentence = text("ui.experiments.runs.standing", total=len(trials), **counts)
        if following is not None:
            sentence += "  " + text(
                "ui.experiments.runs.following", place=following.place, cell=cell_text(experiment, following.cell)
            )
        self.standing.setText(sentence)

    def _judge(self) -> None:
        chosen, writable = self._chosen(), self._controller.writable and self._controller.experiment is not None
        can = {
            "next": next_trial(self._controller.trials) is not None,
            "run": writable and any(not trial.is_recorded for trial in self._controller.trials),
            "exclude": writable and any(trial.stands for trial in chosen),
            "fail": writable and any(not trial.is_recorded for trial in chosen),
            "restore": writable and any(trial.is_recorded and not trial.stands for trial in chosen),
            "take": writable,
            "table": writable,
            "plan": writable,
        }
        for name, control in self.buttons.items():
            control.setEnabled(can[name])

    def _chosen(self) -> list[Trial]:
        by_id = {trial.id: trial for trial in self._controller.trials}
        return [by_id[id_] for id_ in self.table.chosen_ids() if id_ in by_id]

    def retranslate(self) -> None:
        self.refresh()

    def _store(self, trials: Sequence[Trial]) -> bool:
        experiment = self._controller.experiment
        return experiment is not None and self._controller.attempt(
            lambda: experiment_tables.typed_values(self._controller.book, experiment, trials)
        )

    # --- acts
    def go_next(self) -> None:
        following = next_trial(self._controller.trials)
        if following is not None:
            self.table.choose_trial(following.id)
            self.table.setFocus()

    def ask_run(self) -> None:
        """A plan of the trials that wait; where an approved one has them all, it is gone on with."""
        from tunebench.usecases.capturing import connections

        experiment, project = self._controller.experiment, self._workspace.opened
        if experiment is None:
            return
        hosts = connections.list_profiles(project)
        if not hosts:
            self._workspace.say(text("ui.experiments.run.no_host"), "warning")
            self._workspace.show_page("collect", "plan")
            return
        waiting = sum(not trial.is_recorded for trial in self._controller.trials)
        dialog = RunDialog(experiment, hosts, waiting, self.window())
        agreed = dialog.exec() == QDialog.DialogCode.Accepted
        host, most, limit_s = dialog.chosen_host, dialog.chosen_most, dialog.chosen_limit_s
        dialog.deleteLater()
        if agreed:
            self._workspace.attempt(lambda: self.run_on(host, most, limit_s))

    def run_on(self, host: HostProfile, most: int, limit_s: float) -> None:
        """Raises UserError: what the plan refuses."""
        from tunebench.usecases.capturing import plans as capture_plans
        from tunebench.usecases.experiments import runs as experiment_runs

        experiment, book, project = self._controller.experiment, self._controller.book, self._workspace.opened
        if experiment is None:
            return
        going_on = experiment_runs.going_on(project, book, experiment.id, host.name)
        if going_on is not None:
            self._captures.start(going_on[0].digest, experiment.title)
            self._workspace.say(text("ui.experiments.run.goes_on", name=going_on[1].approved_by))
            self._workspace.show_page("collect", "live")
            return
        plan, _trials = experiment_runs.draft(
            project, book, experiment.id, host, run=experiment.title, most=most, limit_s=limit_s
        )
        capture_plans.keep(project, plan)
        self._workspace.show_page("collect", plan)
        self._workspace.say(text("ui.experiments.run.kept"))

    def _say_far(self) -> None:
        """Says how far the trials of this experiment are, while a session runs them."""
        from tunebench.usecases.experiments import runs as experiment_runs

        sentence = ""
        for view in self._captures.running_views if self.isVisible() else ():
            plan = self._captures.plan_of(view.session_id)
            if (
                plan is None
                or experiment_runs.experiment_of(plan, self._controller.book) != self._controller.experiment
            ):
                continue
            left_out = experiment_runs.recorded_of(plan, self._controller.book)
            far = experiment_runs.progress(view, plan, left_out, time.time_ns())
            if far.left_s is None:
                sentence = text("ui.experiments.run.far_first", total=far.total)
            else:
                sentence = text("ui.experiments.run.far", done=far.done, total=far.total, left=span_words(far.left_s))
        self.far.setText(sentence)
        self.far.setVisible(bool(sentence))

    def exclude(self) -> None:
        self._with_reason("exclude", [trial for trial in self._chosen() if trial.stands])

    def fail(self) -> None:
        self._with_reason("fail", [trial for trial in self._chosen() if not trial.is_recorded])

    def _with_reason(self, act: str, trials: list[Trial]) -> None:
        if not trials:
            return
        places = ", ".join(str(trial.place) for trial in trials)
        overview = self._workspace.overview
        consultants = overview.engagement.consultants if overview else ()
        dialog = ReasonDialog(act, places, consultants[0] if consultants else "", self.window())
        agreed = dialog.exec() == QDialog.DialogCode.Accepted
        reason, person = dialog.reason.text(), dialog.person.text()
        dialog.deleteLater()
        if agreed:
            build = recording.exclude if act == "exclude" else recording.fail
            self._controller.attempt(
                lambda: _together([build(self._controller.book, trial.id, reason, person) for trial in trials])
            )

    def restore(self) -> None:
        trials = [trial for trial in self._chosen() if trial.is_recorded and not trial.stands]
        if trials:
            self._controller.attempt(
                lambda: _together([recording.restore(self._controller.book, trial.id) for trial in trials])
            )

    def plan(self) -> None:
        experiment = self._controller.experiment
        if experiment is not None:
            before = len(self._controller.trials)
            self._controller.attempt(lambda: planning.plan(self._controller.book, experiment.id))
            if len(self._controller.trials) == before:
                self._workspace.say(text("ui.experiments.plan.complete"))

    def take(self) -> None:
        """Results out of captures."""
        from tunebench.usecases.experiments import results as experiment_results

        experiment, overview, book = self._controller.experiment, self._workspace.overview, self._controller.book
        views = overview.runs if overview else ()
        if experiment is None:
            return
        if not any(view.artefacts for view in views):
            self._workspace.say(text("ui.experiments.take.none"))
            return
        chosen = self._chosen()
        near = chosen[0] if chosen else next_trial(self._controller.trials)
        dialog = TakeDialog(experiment, views, WindowBook.of(self._workspace).windows, near, self.window())
        agreed = dialog.exec() == QDialog.DialogCode.Accepted
        ids, cell, beyond = dialog.artefact_ids, dialog.cell, dialog.beyond.isChecked()
        cache, role, window = dialog.chosen_cache, dialog.chosen_role, dialog.chosen_window
        dialog.deleteLater()
        if agreed:
            self._controller.attempt(
                lambda: experiment_results.take_captures(
                    self._workspace.opened,
                    book,
                    experiment.id,
                    ids,
                    cell,
                    cache=cache,
                    role=role,
                    beyond_plan=beyond,
                    window=window,
                )
            )

    def ask_table(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, text("ui.experiments.table"), str(self._workspace.folder), "CSV, TSV (*.csv *.tsv *.txt)"
        )
        if name:
            self.take_table(Path(name))

    def take_table(self, path: Path) -> None:

        experiment = self._controller.experiment
        if experiment is not None:
            self._controller.attempt(lambda: experiment_tables.take_table(self._controller.book, experiment.id, path))

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(to_tabbed(table_lines(self.table)))


def _together(edits: list[ExperimentEdit]) -> ExperimentEdit:
    return ExperimentEdit(edits[0].name, tuple(change for edit in edits for change in edit.changes))


class ReasonDialog(QDialog):
    """Why a trial failed or is left out, and who says so."""

    def __init__(self, act: str, trials: str, person: str, parent: QWidget | None = None) -> None:
        """`act`: exclude or fail; excluding needs a person."""
        super().__init__(parent)
        self._needs_person = act == "exclude"
        self.setModal(True)
        self.setWindowTitle(text(f"ui.experiments.{act}"))
        self.reason, self.person = QLineEdit(), QLineEdit(person)
        self.ok = button(text(f"ui.experiments.{act}.do"), "primary", self.accept)
        self.ok.setDefault(True)
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        form.addRow(text("ui.experiments.reason"), self.reason)
        form.addRow(text("ui.experiments.person"), self.person)
        question = label(text(f"ui.experiments.{act}.question", trials=trials), wrap=True)
        buttons = row(1, button(text("ui.experiments.cancel"), on_click=self.reject), self.ok)
        margins = (SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        self.setLayout(column(question, form, buttons, spacing=SPACE_M, margins=margins))
        self.setFixedWidth(REASON_PX)
        for field in (self.reason, self.person):
            field.textChanged.connect(self._judge)
        self._judge()
        self.reason.setFocus()

    def _judge(self) -> None:
        named = bool(self.person.text().strip()) or not self._needs_person
        self.ok.setEnabled(bool(self.reason.text().strip()) and named)
