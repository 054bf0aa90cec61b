"""What somebody at the customer's says to a plan: that it may run, and who confirms the licence that it calls for."""

from __future__ import annotations

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from tunebench.columns.formats import format_stamp
from tunebench.domain.capturing.plan import CapturePlan
from tunebench.ui.look.language import has_text, text, translated
from tunebench.ui.look.theme import SPACE_S
from tunebench.ui.widgets.layouts import NamedFields
from tunebench.ui.widgets.parts import button, label, row, set_tone
from tunebench.usecases.capturing.licences import LicenceNeed

WAYS = ("signed_sheet", "spoken")


class LicenceForm(QWidget):
    """`submitted`: (who, evidence)."""

    submitted = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.who, self.evidence = QLineEdit(), QLineEdit()
        self.words = label(role="small", wrap=True)
        self.record = translated(button(on_click=self.submit), "ui.capture.licence.record")
        self._heading = translated(label(role="strong"), "ui.capture.licence.heading")
        self._fields = {"who": self.who, "evidence": self.evidence}
        places = {"who": (2, 0, 1), "evidence": (2, 1, 1)}
        grid = NamedFields("ui.capture.licence", self._fields, places, (SPACE_S, 2))
        grid.addWidget(self._heading, 0, 0, 1, 2)
        grid.addWidget(self.words, 1, 0, 1, 2)
        grid.addWidget(self.record, 4, 1)
        grid.stretch(1, 1)
        self.setLayout(grid)
        self._asked = (*grid.labels.values(), *self._fields.values(), self.record, self._heading)
        for field in self._fields.values():
            field.returnPressed.connect(self.submit)

    def submit(self) -> None:
        """Emits both fields once both are filled: a name alone proves nothing."""
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
        """Shows nothing where the plan needs no licence; the question while one is missing; else who confirmed it."""
        self.setVisible(plan is not None and bool(needs))
        if plan is None or not needs:
            return
        lacking = [need for need in needs if need.confirmation is None]
        for part in self._asked:
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


class ApprovalForm(QWidget):
    """`submitted`, and `sign_asked` where it is to be signed with a key: (who, how, note)."""

    submitted = Signal(str, str, str)
    sign_asked = Signal(str, str, str)

    def __init__(self) -> None:
        super().__init__()
        self.who, self.note = QLineEdit(), QLineEdit()
        self.how = QComboBox()
        self.how.addItems(list(WAYS))
        translated(self.how, itemText=[f"ui.capture.approval.{way}" for way in WAYS])
        self.record = translated(button(on_click=lambda: self.submit()), "ui.capture.approval.record")
        self.sign = translated(button(on_click=lambda: self.submit(self.sign_asked)), "ui.tradeoffs.decision.sign")
        fields = {"who": self.who, "how": self.how, "note": self.note}
        places = {"who": (0, 0, 1), "how": (0, 1, 1), "note": (2, 0, 1)}
        grid = NamedFields("ui.capture.approval", fields, places, (SPACE_S, 2))
        grid.addLayout(row(self.record, self.sign, 1), 3, 1)
        grid.stretch(1, 1)
        self.setLayout(grid)
        for edit in (self.who, self.note):
            edit.returnPressed.connect(lambda: self.submit())

    def submit(self, signal: SignalInstance | None = None) -> None:
        named = bool(self.who.text().strip())
        set_tone(self.who, "" if named else "wrong", "state")
        if named:
            (signal or self.submitted).emit(
                self.who.text().strip(), WAYS[self.how.currentIndex()], self.note.text().strip()
            )
        else:
            self.who.setFocus()
