"""The probes that the chosen hosts can run, as a table with a check box each."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal

from app.domain.capturing.plan import CommandKind, Rights
from app.domain.connection import HostProfile
from app.sdk.probes import Probe
from app.ui.capturing.host_book import HostBook
from app.ui.capturing.host_list import os_words
from app.ui.capturing.probe_choice import ProbeChoices, cost_of, interval_of, os_of
from app.ui.look.formats import DASH, format_value
from app.ui.look.language import language, text
from app.ui.tables.checked import CheckedModel
from app.ui.tables.column import Column
from app.ui.tables.model import RowFilter


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
        found = self._choices.fitting(hosts)
        self._systems = frozenset(os_of(host) for host in hosts)
        if found != self.rows:
            self.show_rows(found)
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
        """With its system, where hosts of several are chosen: each has a vmstat of its own."""
        name = probe.name_in(language().code)
        mixed = len(self._systems) > 1 and probe.os
        return f"{', '.join(os_words(os) for os in probe.os if os in self._systems)} · {name}" if mixed else name

    def _tip(self, probe: Probe) -> str:
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
