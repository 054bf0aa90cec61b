"""The probes that the chosen hosts can run, as a table with a check box each; what one is for, what it runs, and the
values it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QPlainTextEdit

from tunebench.columns.column import Column, Locale
from tunebench.columns.formats import DASH, format_value
from tunebench.core.records import record
from tunebench.domain.capturing.budget import usual_interval_s
from tunebench.domain.capturing.plan import CommandKind, Rights
from tunebench.domain.connection import HostProfile
from tunebench.sdk.probes import ParameterKind, Probe, ProbeParameter
from tunebench.ui.capturing.host_book import HostBook
from tunebench.ui.capturing.host_panel import os_words
from tunebench.ui.look import fonts
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.tables.cells import CheckedModel
from tunebench.ui.tables.model import RowFilter
from tunebench.ui.widgets.layouts import refill
from tunebench.ui.widgets.parts import ElidedLabel, column, label, panel, set_tone

ASSUMED_OS = "linux"
REPEATING = (CommandKind.STREAM, CommandKind.LOOP)
SHOWN_COMMAND = 600
"""Characters of a command template; the whole is in the approval view and the tool tip."""


def os_of(profile: HostProfile) -> str:
    return profile.os or ASSUMED_OS


def fits(probe: Probe, os: str) -> bool:
    return not probe.os or os in probe.os


def interval_of(probe: Probe, interval_s: float, duration_s: float) -> float | None:
    """Seconds between its samples in such a plan; None where it does not repeat."""
    if probe.kind not in REPEATING:
        return None
    return usual_interval_s(interval_s, duration_s, probe.default_interval_s, probe.shortest_interval_s)


def cost_of(probe: Probe, interval_s: float, duration_s: float) -> tuple[float | None, float | None]:
    """Expected (percent of a core, bytes a second); what runs at start and end is spread over the run."""
    rounds = 2 if probe.kind is CommandKind.ONCE else 1
    every_s = interval_of(probe, interval_s, duration_s) or duration_s / rounds
    cpu, size = probe.cpu_pct, probe.bytes_per_s
    return None if cpu is None else cpu / every_s, None if size is None else size / every_s


@record(frozen=False)
class ProbeChoices:
    """The default set, and what a person changed of it."""

    probes: tuple[Probe, ...] = ()
    _overrides: dict[str, bool] = field(default_factory=dict)
    _values: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)

    def is_chosen(self, probe: Probe) -> bool:
        return self._overrides.get(probe.id, probe.default)

    def choose(self, probe: Probe, chosen: bool) -> None:
        self._overrides[probe.id] = chosen

    def choose_default(self) -> None:
        self._overrides.clear()

    def choose_none(self) -> None:
        self._overrides = {probe.id: False for probe in self.probes}

    def values(self, probe: Probe, name: str) -> tuple[str, ...]:
        return self._values.get(probe.id, {}).get(name, ())

    def set_values(self, probe: Probe, name: str, values: Sequence[str]) -> None:
        self._values.setdefault(probe.id, {})[name] = tuple(value for value in values if value.strip())

    def lacks_value(self, probe: Probe) -> bool:
        """Whether a parameter that must be given is not."""
        return any(
            parameter.required and not parameter.default and not self.values(probe, parameter.name)
            for parameter in probe.parameters
        )

    def typed_by_hand(self, probe: Probe) -> bool:
        return any(
            parameter.kind is ParameterKind.COMMAND and self.values(probe, parameter.name)
            for parameter in probe.parameters
        )

    def fitting(self, hosts: Sequence[HostProfile]) -> tuple[Probe, ...]:
        """The probes that at least one of the hosts can run, the default set first."""
        systems = {os_of(host) for host in hosts}
        probes = [probe for probe in self.probes if any(fits(probe, os) for os in systems)]
        return tuple(sorted(probes, key=lambda probe: not probe.default))

    def words(self, hosts: Sequence[HostProfile]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Per host the words of its chosen probes, as a plan's draft takes them."""
        chosen = [probe for probe in self.probes if self.is_chosen(probe)]
        return tuple(
            (host.name, tuple(word for probe in chosen if fits(probe, os_of(host)) for word in self._words(probe)))
            for host in hosts
        )

    def _words(self, probe: Probe) -> list[str]:
        given = self._values.get(probe.id, {})
        options = [f"{probe.id}={name}={value}" for name, values in given.items() for value in values]
        return options or [probe.id]


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
    """The values, one a line."""
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


class ProbeModel(CheckedModel[Probe]):
    """`chosen` after a check box was clicked: (probe, whether it is chosen now)."""

    chosen = Signal(object, bool)

    def __init__(self, choices: ProbeChoices, book: HostBook) -> None:
        super().__init__()
        self.columns = self._columns()
        self._choices = choices
        self._book = book
        self._systems: frozenset[str] = frozenset()
        self._interval_s, self._duration_s = 1.0, 600.0

    def show_hosts(self, hosts: tuple[HostProfile, ...]) -> None:
        probes = self._choices.fitting(hosts)
        self._systems = frozenset(os_of(host) for host in hosts)
        if probes != self.rows:
            self.show_rows(probes)
        self.refresh()

    def set_pace(self, interval_s: float, duration_s: float) -> None:
        self._interval_s, self._duration_s = interval_s, duration_s
        self.refresh()

    def row_of(self, probe_id: str) -> int | None:
        return next((row for row, probe in enumerate(self.rows) if probe.id == probe_id), None)

    def is_checked(self, row: Probe) -> bool:
        return self._choices.is_chosen(row)

    def check(self, row: Probe, on: bool) -> None:
        self._choices.choose(row, on)
        self.chosen.emit(row, on)

    # --- words
    def kind_words(self, probe: Probe) -> str:
        """``every 1 s``, ``start and end``, ``file``."""
        every = interval_of(probe, self._interval_s, self._duration_s)
        if every is None:
            return text(f"ui.capture.kind.{probe.kind}")
        return text(f"ui.capture.kind.{probe.kind}", seconds=format_value(every))

    def missing_on(self, probe: Probe) -> tuple[str, ...]:
        """Chosen hosts whose survey did not find the probe's tool."""
        systems = probe.os or tuple({host.os for host in self._book.chosen})
        return tuple(name for os in systems for name in self._book.tools_missing(probe.tool, os))

    def _notes(self, probe: Probe) -> str:
        """What deserves a look."""
        notes = {
            "value": self._choices.is_chosen(probe) and self._choices.lacks_value(probe),
            "missing": bool(self.missing_on(probe)),
            "sudo": probe.rights is Rights.SUDO,
            "own": self._choices.typed_by_hand(probe),
        }
        return " ".join(text(f"ui.capture.note.{name}") for name, holds in notes.items() if holds)

    def _columns(self) -> list[Column[Probe]]:
        def column(id_: str, words: Callable[[Probe], str], tone: str = "", right: bool = False) -> Column[Probe]:
            key = f"ui.capture.probe.column.{id_}"
            return Column(id_, key, words, right=right, tone=lambda _: tone, tip=self._tip)

        return [
            column("name", self._name),
            column("kind", self.kind_words, "muted"),
            column("cpu", lambda probe: self._cost(probe, "cpu"), right=True),
            column("rate", lambda probe: self._cost(probe, "rate"), right=True),
            column("note", self._notes, "warning"),
        ]

    def _cost(self, probe: Probe, of: str) -> str:
        cpu, rate = cost_of(probe, self._interval_s, self._duration_s)
        figure = cpu if of == "cpu" else rate
        if figure is None:
            return DASH
        sign = "~" if probe.cost_source == "estimated" else ""
        return sign + (f"{figure:.2f}" if of == "cpu" else format_value(figure, 3))

    def _name(self, probe: Probe) -> str:
        """The probe's name, with its system where hosts of several are chosen: each has a vmstat of its own."""
        name = probe.name_in(language().code)
        mixed = len(self._systems) > 1 and probe.os
        return f"{', '.join(os_words(os) for os in probe.os if os in self._systems)} · {name}" if mixed else name

    def _tip(self, probe: Probe, _locale: Locale) -> str:
        purpose = probe.purpose.get(language().code, "")
        missing = self.missing_on(probe)
        words = [probe.name_in(language().code), purpose, probe.id if probe.kind is CommandKind.PULL else probe.command]
        if missing:
            words.append(text("ui.capture.note.missing.tip", tool=probe.tool, hosts=", ".join(missing)))
        return "\n".join(filter(None, (word if len(word) < 400 else f"{word[:400]}…" for word in words)))


class ProbeFilter(RowFilter[Probe]):
    """Rows whose name, id, tool or purpose has all the words."""

    def narrow(self, words: str) -> None:
        """The chosen row stays so where it is still listed."""
        self.words = words
        self.invalidate()

    def searched(self, row: Probe) -> str:
        return " ".join((row.id, row.tool, *row.name.values(), *row.purpose.values()))
