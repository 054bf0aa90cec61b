"""Trials on a host: where they run, how many, how long one may take: a plan to be approved elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QLineEdit, QWidget

from app.domain.connection import HostProfile
from app.domain.experiments.records import Experiment
from app.domain.typed_numbers import typed_number
from app.ui.look.language import text
from app.ui.look.theme import SPACE_L, SPACE_M, SPACE_XL
from app.ui.widgets.parts import button, column, label, row

WIDTH = 480


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
        self.host.addItems([each.name for each in hosts])
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
        self.setFixedWidth(WIDTH)
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
