"""The probes that the chosen hosts can run, as a table with a check box each."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal

from app.domain.capturing.plan import CommandKind, Rights
from app.domain.connection import HostProfile
from app.sdk.probes import Probe
from app.ui.capturing.host_book import HostBook
from app.ui.capturing.host_list import os_words
from app.ui.capturing.probe_choice import ProbeChoices, cost_of, interval_of, os_of
from app.ui.look.formats import DASH, format_value
from app.ui.look.language import language, text
from app.ui.look.theme import current_theme

Index = QModelIndex | QPersistentModelIndex
COLUMNS = ("name", "kind", "cpu", "rate", "note")
NUMBERS = ("cpu", "rate")


class ProbeModel(QAbstractTableModel):
    """`chosen` after a check box was clicked: (probe, whether it is chosen now)."""

    chosen = Signal(object, bool)

    def __init__(self, choices: ProbeChoices, book: HostBook) -> None:
        super().__init__()
        self._choices = choices
        self._book = book
        self._probes: tuple[Probe, ...] = ()
        self._systems: frozenset[str] = frozenset()
        self._interval_s, self._duration_s = 1.0, 600.0

    def show_hosts(self, hosts: tuple[HostProfile, ...]) -> None:
        found = self._choices.fitting(hosts)
        self._systems = frozenset(os_of(host) for host in hosts)
        if found != self._probes:
            self.beginResetModel()
            self._probes = found
            self.endResetModel()
        self.refresh()

    def set_pace(self, interval_s: float, duration_s: float) -> None:
        self._interval_s, self._duration_s = interval_s, duration_s
        self.refresh()

    def refresh(self) -> None:
        if self._probes:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._probes) - 1, len(COLUMNS) - 1))

    def probe(self, row: int) -> Probe:
        return self._probes[row]

    def row_of(self, probe_id: str) -> int | None:
        return next((row for row, probe in enumerate(self._probes) if probe.id == probe_id), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._probes)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column = COLUMNS[section] if orientation is Qt.Orientation.Horizontal else ""
        if column and role == Qt.ItemDataRole.DisplayRole:
            return text(f"ui.capture.probe.column.{column}")
        if column and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        probe, column = self._probes[index.row()], COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(probe, column)
        if role == Qt.ItemDataRole.CheckStateRole and column == "name":
            return Qt.CheckState.Checked if self._choices.is_chosen(probe) else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(probe)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(column)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or index.column() != 0:
            return False
        probe, on = self._probes[index.row()], Qt.CheckState(value) is Qt.CheckState.Checked
        self._choices.choose(probe, on)
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), len(COLUMNS) - 1))
        self.chosen.emit(probe, on)
        return True

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

    def notes(self, probe: Probe) -> list[tuple[str, str]]:
        """(tone, words) of what deserves a look."""
        found = []
        if self._choices.is_chosen(probe) and self._choices.lacks_value(probe):
            found.append(("critical", text("ui.capture.note.value")))
        if self.missing_on(probe):
            found.append(("warning", text("ui.capture.note.missing")))
        if probe.rights is Rights.SUDO:
            found.append(("watch", text("ui.capture.note.sudo")))
        if self._choices.typed_by_hand(probe):
            found.append(("watch", text("ui.capture.note.own")))
        return found

    def _words(self, probe: Probe, column: str) -> str:
        if column == "name":
            return self._name(probe)
        if column == "kind":
            return self.kind_words(probe)
        if column == "note":
            return " ".join(words for _, words in self.notes(probe))
        cpu, rate = cost_of(probe, self._interval_s, self._duration_s)
        figure = cpu if column == "cpu" else rate
        if figure is None:
            return DASH
        sign = "~" if probe.cost_source == "estimated" else ""
        return sign + (f"{figure:.2f}" if column == "cpu" else format_value(figure, 3))

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

    def _colour(self, column: str) -> Any:
        theme = current_theme()
        if column == "note":
            return theme.warning
        return theme.muted if column == "kind" else None


class ProbeFilter(QSortFilterProxyModel):
    """Rows whose name, id, tool or purpose has all the words."""

    def __init__(self, model: ProbeModel) -> None:
        super().__init__()
        self._model = model
        self._wanted: list[str] = []
        self.setSourceModel(model)

    def set_words(self, words: str) -> None:
        self._wanted = words.lower().split()
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        if not self._wanted:
            return True
        probe = self._model.probe(row)
        held = " ".join((probe.id, probe.tool, *probe.name.values(), *probe.purpose.values())).lower()
        return all(word in held for word in self._wanted)


def _alignment(column: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in NUMBERS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
