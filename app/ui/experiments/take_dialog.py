"""Results of captures for one cell: which captures, and which cell they measured."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.domain.experiments.records import CacheState, Cell, Experiment, Trial, TrialRole
from app.ui.look.language import language, text
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from app.ui.widgets.parts import button, label, row

WIDTH = 560


class TakeDialog(QDialog):
    def __init__(
        self,
        experiment: Experiment,
        captures: Sequence[tuple[int, str]],
        near: Trial | None,
        parent: QWidget | None = None,
    ) -> None:
        """
        Args:
            captures: (artefact id, words).
            near: the trial whose cell is proposed.
        """
        from app.usecases.experiments.words import member_text

        super().__init__(parent)
        self.setModal(True)
        self.setWindowTitle(text("ui.experiments.take"))
        self.captures = QListWidget()
        self.captures.setMinimumHeight(150)
        for artefact_id, words in captures:
            item = QListWidgetItem(words)
            item.setData(Qt.ItemDataRole.UserRole, artefact_id)
            item.setCheckState(Qt.CheckState.Unchecked)
            self.captures.addItem(item)
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
        self.captures.itemChanged.connect(lambda _item: self._judge())
        self._judge()

    def _lay_out(self, experiment: Experiment) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        column.setSpacing(SPACE_M)
        names = ", ".join(response.name for response in experiment.responses)
        column.addWidget(label(text("ui.experiments.take.explained", responses=names), role="muted", wrap=True))
        column.addWidget(self.captures, 1)
        form = QFormLayout()
        for factor, box in zip(experiment.factors, self.levels, strict=True):
            form.addRow(factor.name, box)
        form.addRow(text("ui.experiments.runs.cache"), self.cache)
        form.addRow(text("ui.experiments.runs.role"), self.role)
        column.addLayout(form)
        column.addWidget(self.beyond)
        column.addLayout(row(1, button(text("ui.experiments.cancel"), on_click=self.reject), self.ok))
        self.setFixedWidth(WIDTH)

    def _judge(self) -> None:
        self.ok.setEnabled(bool(self.artefact_ids))

    @property
    def artefact_ids(self) -> list[int]:
        items = [self.captures.item(place) for place in range(self.captures.count())]
        ticked = [each for each in items if each.checkState() == Qt.CheckState.Checked]
        return [int(each.data(Qt.ItemDataRole.UserRole)) for each in ticked]

    @property
    def cell(self) -> Cell:
        return tuple(box.currentText() for box in self.levels)

    @property
    def chosen_cache(self) -> CacheState:
        return CacheState(self.cache.currentData())

    @property
    def chosen_role(self) -> TrialRole:
        return TrialRole(self.role.currentData())
