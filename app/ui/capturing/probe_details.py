"""What one probe is for, what it runs, and the values it takes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit

from app.domain.capturing.plan import CommandKind
from app.sdk.probes import ParameterKind, Probe, ProbeParameter
from app.ui.capturing.probe_choice import ProbeChoices
from app.ui.capturing.probe_table import ProbeModel
from app.ui.look import fonts
from app.ui.look.language import language, text
from app.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from app.ui.widgets.layouts import refill
from app.ui.widgets.parts import ElidedLabel, column, label, panel, set_tone

SHOWN_COMMAND = 600
"""Characters of a command template; the whole is in the approval view and the tool tip."""


class ProbeDetails(QFrame):
    """`values_changed` after a value was typed."""

    values_changed = Signal()

    def __init__(self, choices: ProbeChoices, model: ProbeModel) -> None:
        super().__init__()
        self.setProperty("card", "true")
        self._choices, self._model = choices, model
        self._probe: Probe | None = None
        self.fields: dict[str, QLineEdit | QPlainTextEdit] = {}
        self._purpose = label(wrap=True)
        self._command = ElidedLabel(role="code", mode=Qt.TextElideMode.ElideRight)
        self._marks = label(role="small", tone="warning", wrap=True)
        self._form = column()
        margins = (SPACE_M, SPACE_S, SPACE_M, SPACE_S)
        self.setLayout(column(self._purpose, self._command, self._marks, self._form, spacing=SPACE_XS, margins=margins))

    def show_probe(self, probe: Probe | None) -> None:
        if probe is not self._probe:
            self._probe = probe
            self._build_form()
        self.refresh()

    def refresh(self) -> None:
        probe = self._probe
        self.setVisible(probe is not None)
        if probe is None:
            return
        self._purpose.setText(probe.purpose.get(language().code) or probe.name_in(language().code))
        command = " ".join(probe.command.split())
        self._command.set_words(command[:SHOWN_COMMAND])
        self._marks.setText(" · ".join(self._mark_words(probe)))
        self._marks.setVisible(bool(self._marks.text()))
        for name, edit in self.fields.items():
            parameter = probe.parameter(name)
            refused = any(not parameter.accepts(value) for value in _lines(edit)) if parameter else False
            set_tone(edit, "wrong" if refused else "", "state")

    def _mark_words(self, probe: Probe) -> list[str]:
        missing = self._model.missing_on(probe)
        notes = {
            "missing": bool(missing),
            "sudo": probe.rights == "sudo",
            "own": any(parameter.kind is ParameterKind.COMMAND for parameter in probe.parameters),
            "pull": probe.kind is CommandKind.PULL,
        }
        facts = {"tool": probe.tool, "hosts": ", ".join(missing)}
        return [text(f"ui.capture.note.{name}.tip", **facts) for name, holds in notes.items() if holds]

    # --- parameters
    def _build_form(self) -> None:
        self.fields = {}
        parts = column(spacing=2, margins=(0, SPACE_XS, 0, 0))
        for parameter in self._probe.parameters if self._probe else ():
            edit = self._field(parameter)
            self.fields[parameter.name] = edit
            named = label(_name(parameter), "small")
            named.setBuddy(edit)
            edit.setAccessibleName(named.text())
            parts.addWidget(named)
            parts.addWidget(edit)
        form = panel(parts)
        refill(self._form, form)
        form.setVisible(bool(self.fields))

    def _field(self, parameter: ProbeParameter) -> QLineEdit | QPlainTextEdit:
        assert self._probe is not None
        values = self._choices.values(self._probe, parameter.name)
        edit: QLineEdit | QPlainTextEdit
        if parameter.many:
            edit = QPlainTextEdit("\n".join(values))
            edit.setFixedHeight(2 * 18 + 12)
            edit.setTabChangesFocus(True)
        else:
            edit = QLineEdit(values[0] if values else "")
        if parameter.kind in (ParameterKind.COMMAND, ParameterKind.PATH):
            edit.setFont(fonts.code_font())
        edit.setPlaceholderText(parameter.default)
        edit.textChanged.connect(lambda: self._take(parameter.name))
        return edit

    def _take(self, name: str) -> None:
        if self._probe is not None:
            self._choices.set_values(self._probe, name, _lines(self.fields[name]))
            self.refresh()
            self.values_changed.emit()

    def retranslate(self) -> None:
        self._build_form()
        self.refresh()


def _lines(edit: QLineEdit | QPlainTextEdit) -> list[str]:
    """One value a line."""
    words = edit.toPlainText() if isinstance(edit, QPlainTextEdit) else edit.text()
    return [line.strip() for line in words.splitlines() if line.strip()]


def _name(parameter: ProbeParameter) -> str:
    words = parameter.label.get(language().code) or parameter.name
    hints = []
    if parameter.required:
        hints.append(text("ui.capture.parameter.required"))
    if parameter.many:
        hints.append(text("ui.capture.parameter.many"))
    return f"{words} ({', '.join(hints)})" if hints else words
