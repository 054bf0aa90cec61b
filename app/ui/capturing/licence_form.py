"""Asks in words who confirms the licence that a plan calls for, and shows who did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from app.ui.look.formats import format_stamp
from app.ui.look.language import has_text, text, translated
from app.ui.look.theme import SPACE_S
from app.ui.widgets.parts import button, label, set_tone

if TYPE_CHECKING:
    from app.domain.capturing.plan import CapturePlan
    from app.usecases.capturing.licences import LicenceNeed


class LicenceForm(QWidget):
    """`submitted`: (who, evidence)."""

    submitted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.who, self.evidence = QLineEdit(), QLineEdit()
        self.words = label(role="small", wrap=True)
        self.record = translated(button(on_click=self.submit), "ui.capture.licence.record")
        self._heading = translated(label(role="strong"), "ui.capture.licence.heading")
        self._labels = {"who": label(role="small"), "evidence": label(role="small")}
        self._fields = {"who": self.who, "evidence": self.evidence}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACE_S)
        grid.setVerticalSpacing(2)
        grid.addWidget(self._heading, 0, 0, 1, 2)
        grid.addWidget(self.words, 1, 0, 1, 2)
        for column, (name, field) in enumerate(self._fields.items()):
            grid.addWidget(self._labels[name], 2, column)
            grid.addWidget(field, 3, column)
            grid.setColumnStretch(column, 1)
            self._labels[name].setBuddy(field)
            field.returnPressed.connect(self.submit)
        grid.addWidget(self.record, 4, 1)
        for name, made in self._labels.items():
            translated(made, f"ui.capture.licence.{name}")
            translated(self._fields[name], accessibleName=f"ui.capture.licence.{name}")

    def submit(self) -> None:
        """Both are asked for: a name alone proves nothing."""
        empty = [field for field in self._fields.values() if not field.text().strip()]
        for field in self._fields.values():
            set_tone(field, "wrong" if field in empty else "", "state")
        if empty:
            empty[0].setFocus()
        else:
            self.submitted.emit(self.who.text().strip(), self.evidence.text().strip())

    def show_needs(
        self, plan: CapturePlan | None, needs: Sequence[LicenceNeed], zone: ZoneInfo, writable: bool
    ) -> None:
        """Nothing where the plan calls for no licence; the question while one is missing; else who confirmed it."""
        self.setVisible(plan is not None and bool(needs))
        if plan is None or not needs:
            return
        lacking = [need for need in needs if need.confirmation is None]
        for part in (*self._labels.values(), *self._fields.values(), self.record, self._heading):
            part.setVisible(bool(lacking))
            part.setEnabled(writable)
        self.words.setText(_question(plan, lacking) if lacking else "\n".join(_given(need, zone) for need in needs))
        set_tone(self.words, "warning" if lacking else "")


def _question(plan: CapturePlan, lacking: Sequence[LicenceNeed]) -> str:
    hosts = {(need.host, need.licence) for need in lacking}
    probes = [command.probe for command in plan.commands if (command.host, command.licence) in hosts]
    licences = dict.fromkeys(_name(need.licence) for need in lacking)
    return text("ui.capture.licence.ask", probes=", ".join(dict.fromkeys(probes)), licence=", ".join(licences))


def _given(need: LicenceNeed, zone: ZoneInfo) -> str:
    assert need.confirmation is not None  # asked by the caller
    given = need.confirmation
    return "✓ " + text(
        "ui.capture.licence.given",
        licence=_name(need.licence),
        by=given.confirmed_by,
        at=format_stamp(given.confirmed_at, zone),
        evidence=given.evidence,
    )


def _name(licence: str) -> str:
    return text(f"licence.{licence}") if has_text(f"licence.{licence}") else licence
