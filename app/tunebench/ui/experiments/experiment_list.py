"""The experiments of the engagement, each with what stands of it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu, QWidget

from tunebench.domain.experiments.records import Experiment, Trial
from tunebench.ui.experiments.experiment_controller import ExperimentController
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_S
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.usecases.experiments.examples import examples
from tunebench.usecases.experiments.matrices import matrices

ITEM_PX = 46


class ExperimentList(QWidget):
    """Signals:
    new_asked: somebody wants a new experiment.
    example_asked: the name of the worked example to be added.
    matrix_asked: the name of the experiment that is ready to be run.
    """

    new_asked = Signal()
    example_asked = Signal(str)
    matrix_asked = Signal(str)

    def __init__(self, controller: ExperimentController) -> None:
        super().__init__()
        self._controller = controller
        self.list = translated(QListWidget(), accessibleName="ui.page.experiments")
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setWordWrap(False)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.new_button = translated(button(kind="primary", on_click=self.new_asked.emit), "ui.experiments.new")
        self.example_button = translated(button(), "ui.experiments.example", toolTip="ui.experiments.example.tip")
        self.examples = QMenu(self.example_button)
        self.examples.setToolTipsVisible(True)
        self.examples.aboutToShow.connect(self.fill_examples)
        self.example_button.setMenu(self.examples)
        self._title = translated(label(role="strong"), "ui.page.experiments")
        buttons = row(self.new_button, self.example_button, 1)
        self.setLayout(column(self._title, (self.list, 1), buttons, margins=SPACE_S))
        self.list.currentItemChanged.connect(self._on_item)

    def refresh(self) -> None:
        with QSignalBlocker(self.list):
            self.list.clear()
            for experiment in self._controller.book.experiments.values():
                item = QListWidgetItem(_words(experiment, self._controller.book.trials_of(experiment.id)))
                item.setData(Qt.ItemDataRole.UserRole, experiment.id)
                item.setToolTip(experiment.title)
                item.setSizeHint(QSize(0, ITEM_PX))
                self.list.addItem(item)
                if self._controller.experiment is not None and experiment.id == self._controller.experiment.id:
                    self.list.setCurrentItem(item)
        for control in (self.new_button, self.example_button):
            control.setEnabled(self._controller.writable)

    def fill_examples(self) -> None:
        """Lists the examples; those that are there already are marked and can be added again."""
        there = {experiment.example for experiment in self._controller.book.experiments.values()}
        self.examples.clear()
        self.examples.addSection(text("ui.experiments.matrix.ready"))
        for ready in matrices(language().code):
            action = self.examples.addAction(ready.title.replace("&", "&&"))
            action.setToolTip(f"{ready.summary}\n{ready.source}")
            action.triggered.connect(lambda _on=False, name=ready.name: self.matrix_asked.emit(name))
        self.examples.addSection(text("ui.experiments.matrix.documents"))
        for example in examples(language().code):
            action = self.examples.addAction(example.title.replace("&", "&&"))
            action.setToolTip(f"{example.summary}\n{example.source}")
            action.setCheckable(example.name in there)
            action.setChecked(example.name in there)
            action.triggered.connect(lambda _on=False, name=example.name: self.example_asked.emit(name))

    def _on_item(self, item: QListWidgetItem | None, _before: QListWidgetItem | None) -> None:
        if item is not None:
            self._controller.choose(int(item.data(Qt.ItemDataRole.UserRole)))

    def retranslate(self) -> None:
        self.refresh()


def _words(experiment: Experiment, trials: tuple[Trial, ...]) -> str:
    done = sum(trial.is_recorded for trial in trials)
    mark = "●" if done == len(trials) else "◐" if done else "○"
    return f"{experiment.title}\n{mark} {text('ui.experiments.list.trials', done=done, total=len(trials))}"
