"""What is asked before an experiment goes on: trials on a host as a plan to be approved elsewhere, results of captures
for one cell, and the levels of a ready experiment before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from tunebench.domain.assembly import EVER_NS, overlap_of
from tunebench.domain.connection import HostProfile
from tunebench.domain.experiments.records import CacheState, Cell, Experiment, Trial, TrialRole
from tunebench.domain.typed_numbers import typed_number
from tunebench.domain.windows import Window
from tunebench.ui.look import fonts
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.widgets.window_picker import WindowPicker
from tunebench.usecases.experiments.matrices import Matrix
from tunebench.usecases.experiments.words import member_text

if TYPE_CHECKING:
    from tunebench.usecases.projects import ArtefactInfo, RunView


RUN_WIDTH = 480
TAKE_WIDTH = 560
MATRIX_WIDTH = 620


class RunDialog(QDialog):
    """`chosen_host`, `chosen_most` (0: all that wait), `chosen_limit_s`."""

    def __init__(
        self, experiment: Experiment, hosts: Sequence[HostProfile], waiting: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.experiments.run"))
        self._hosts = tuple(hosts)
        self.host, self.most, self.limit = QComboBox(), QLineEdit(str(waiting)), QLineEdit(f"{experiment.limit_s:g}")
        self.host.addItems([host.name for host in hosts])
        self.host.setCurrentText(experiment.host)
        explained = label(text("ui.experiments.run.explained", count=waiting), role="muted", wrap=True)
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        for name, field in (("host", self.host), ("most", self.most), ("limit", self.limit)):
            form.addRow(text(f"ui.experiments.run.{name}"), field)
            field.setAccessibleName(text(f"ui.experiments.run.{name}"))
        self.ok = button(text("ui.experiments.run.do"), "primary", self.accept)
        self.ok.setDefault(True)
        buttons = row(1, button(text("ui.experiments.cancel"), on_click=self.reject), self.ok)
        self.setLayout(
            column(explained, form, buttons, spacing=SPACE_M, margins=(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L))
        )
        self.setFixedWidth(RUN_WIDTH)
        for line in (self.most, self.limit):
            line.textChanged.connect(self._judge)
        self._judge()

    def _judge(self) -> None:
        numbers = [typed_number(line.text()) for line in (self.most, self.limit)]
        self.ok.setEnabled(bool(self._hosts) and all(number is not None and number >= 1 for number in numbers))

    @property
    def chosen_host(self) -> HostProfile:
        return self._hosts[self.host.currentIndex()]

    @property
    def chosen_most(self) -> int:
        return int(typed_number(self.most.text()) or 0)

    @property
    def chosen_limit_s(self) -> float:
        return typed_number(self.limit.text()) or 0.0


class TakeDialog(QDialog):
    def __init__(
        self,
        experiment: Experiment,
        views: Sequence[RunView],
        windows: Sequence[Window],
        near: Trial | None,
        parent: QWidget | None = None,
    ) -> None:
        """
        Args:
            views: the runs with their captures.
            windows: the kept ones.
            near: the trial whose cell is proposed.
        """
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.experiments.take"))
        self._views = views
        self.window_box = WindowPicker()
        self.window_box.setAccessibleName(text("ui.experiments.take.window"))
        runs = [view.run for view in views if view.artefacts]
        self.window_box.show_windows(windows, runs, None, text("ui.experiments.take.all"))
        self.captures = QListWidget()
        self.captures.setMinimumHeight(150)
        self.levels = [QComboBox() for _factor in experiment.factors]
        self.cache, self.role = QComboBox(), QComboBox()
        self.beyond = QCheckBox(text("ui.experiments.take.beyond"))
        proposed = near.cell if near else experiment.all_cells[0]
        for box, factor, name in zip(self.levels, experiment.factors, proposed, strict=True):
            box.addItems([level.name for level in factor.levels])
            box.setCurrentText(name)
        for cache in experiment.caches:
            self.cache.addItem(member_text(cache, language().code), cache.value)
        for role in TrialRole:
            self.role.addItem(member_text(role, language().code), role.value)
        if near:
            self.cache.setCurrentIndex(self.cache.findData(near.cache.value))
            self.role.setCurrentIndex(self.role.findData(near.role.value))
        self.ok = button(text("ui.experiments.take.do"), "primary", self.accept)
        self._lay_out(experiment)
        self.window_box.picked.connect(self._list)
        self.captures.itemChanged.connect(lambda _item: self._judge())
        self._list(None)

    def _lay_out(self, experiment: Experiment) -> None:
        names = ", ".join(response.name for response in experiment.responses)
        explained = label(text("ui.experiments.take.explained", responses=names), role="muted", wrap=True)
        form = QFormLayout()
        for factor, box in zip(experiment.factors, self.levels, strict=True):
            form.addRow(factor.name, box)
        form.addRow(text("ui.experiments.runs.cache"), self.cache)
        form.addRow(text("ui.experiments.runs.role"), self.role)
        buttons = row(1, button(text("ui.experiments.cancel"), on_click=self.reject), self.ok)
        parts = (explained, self.window_box, (self.captures, 1), form, self.beyond, buttons)
        self.setLayout(column(*parts, spacing=SPACE_M, margins=(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)))
        self.setFixedWidth(TAKE_WIDTH)

    def _list(self, window: Window | None) -> None:
        """The captures that were taken in the window."""
        self.captures.clear()
        for view in self._views:
            for capture in view.artefacts:
                if window is None or _holds(window, capture):
                    item = QListWidgetItem(f"{view.run.label} · {capture.name}")
                    item.setData(Qt.ItemDataRole.UserRole, capture.id)
                    item.setCheckState(Qt.CheckState.Unchecked)
                    self.captures.addItem(item)
        self._judge()

    def _judge(self) -> None:
        self.ok.setEnabled(bool(self.artefact_ids))

    @property
    def artefact_ids(self) -> list[int]:
        items = [self.captures.item(index) for index in range(self.captures.count())]
        ticked = [item for item in items if item.checkState() == Qt.CheckState.Checked]
        return [int(item.data(Qt.ItemDataRole.UserRole)) for item in ticked]

    @property
    def chosen_window(self) -> Window | None:
        """What of the captures counts; None for all of them."""
        return self.window_box.chosen()

    @property
    def cell(self) -> Cell:
        return tuple(box.currentText() for box in self.levels)

    @property
    def chosen_cache(self) -> CacheState:
        return CacheState(self.cache.currentData())

    @property
    def chosen_role(self) -> TrialRole:
        return TrialRole(self.role.currentData())


def _holds(window: Window, capture: ArtefactInfo) -> bool:
    """Whether any of it may lie in the window: one without a date may."""
    ledger = capture.ledger
    extent = (
        -EVER_NS if ledger.first_ns is None else ledger.first_ns,
        EVER_NS if ledger.last_ns is None else ledger.last_ns,
    )
    return any(
        occurrence.run_id in (None, capture.run_id) and overlap_of(extent, occurrence.span) is not None
        for occurrence in window.occurrences
    )


class MatrixDialog(QDialog):
    """`values` and `only`, as `matrices.matrix_edit` takes them."""

    def __init__(self, matrix: Matrix, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(matrix.title)
        self._matrix = matrix
        self.settings = {setting.name: QLineEdit(setting.default) for setting in matrix.settings}
        self.levels = {
            factor.name: QLineEdit(" | ".join(level.name for level in factor.levels)) for factor in matrix.made.factors
        }
        form = QFormLayout()
        form.setSpacing(SPACE_M)
        for setting in matrix.settings:
            form.addRow(setting.label, self.settings[setting.name])
        for name, field in self.levels.items():
            form.addRow(text("ui.experiments.matrix.levels", factor=name), field)
        for line in (*self.settings.values(), *self.levels.values()):
            line.setFont(fonts.code_font())
            line.setCursorPosition(0)
        ok = button(text("ui.experiments.matrix.do"), "primary", self.accept)
        ok.setDefault(True)
        buttons = row(1, button(text("ui.experiments.cancel"), on_click=self.reject), ok)
        summary = label(f"{matrix.summary}\n{matrix.source}", role="muted", wrap=True)
        self.setLayout(column(summary, form, buttons, spacing=SPACE_M, margins=(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)))
        self.setFixedWidth(MATRIX_WIDTH)

    @property
    def values(self) -> dict[str, str]:
        return {name: field.text() for name, field in self.settings.items()}

    @property
    def only(self) -> dict[str, list[str]]:
        """Factor -> its levels, where they were changed; levels that hold what was set (`{raid}`) stay."""
        original = {factor.name: [level.name for level in factor.levels] for factor in self._matrix.made.factors}
        chosen = {
            name: [level.strip() for level in field.text().split("|") if level.strip()]
            for name, field in self.levels.items()
        }
        return {name: levels for name, levels in chosen.items() if levels != original[name]}
