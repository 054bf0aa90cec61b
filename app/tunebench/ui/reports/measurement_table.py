"""The figures entered by hand: a table to type in, with the improvement computed beside each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from tunebench.analysis.comparing.improvement import Change as Outcome
from tunebench.analysis.comparing.improvement import Improvement, improvement
from tunebench.columns.column import Column
from tunebench.domain.engagement import Direction, Measurement
from tunebench.reporting.wording import Wording, recorded
from tunebench.ui.cycle.evidence_menu import offer_menu
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import ROW_HEIGHT
from tunebench.ui.reports.details_form import is_date
from tunebench.ui.reports.edits import edit_measurements
from tunebench.ui.tables.cells import ChoiceDelegate, Choices
from tunebench.ui.tables.model import Index, TableModel
from tunebench.ui.tables.view import TableView
from tunebench.ui.widgets.parts import button, column, label, lock, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases import projects

COLUMNS = (
    "label",
    "statistic",
    "unit",
    "before",
    "after",
    "ratio",
    "rate",
    "direction",
    "before_date",
    "after_date",
    "samples",
    "decimals",
    "source",
    "other_label",
)
LEAST_WIDTH, GREATEST_WIDTH = 52, 210
NUMBERS = ("before", "after", "ratio", "rate", "samples", "decimals")
COMPUTED = ("ratio", "rate")
STATISTICS = ("total", "max", "mean", "p95", "p50", "min")


class WrongValue(ValueError):
    """What was typed cannot be read; `key` names the sentence that says how to write it."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class MeasurementModel(TableModel[Measurement]):
    """`edited` carries the whole new list; the model shows it once it is stored."""

    edited = Signal(object)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__([_column(name) for name in COLUMNS])
        self.writable = False

    def fill(self, rows: Sequence[Measurement], writable: bool) -> None:
        """The same figures are only shown anew: a reset would close the cell that somebody types in."""
        same = writable == self.writable and [figure.key for figure in rows] == [figure.key for figure in self.rows]
        self.writable = writable
        if same:
            self.rows = tuple(rows)
            self.refresh()
        else:
            self.show_rows(tuple(rows))

    def flags(self, index: Index) -> Qt.ItemFlag:
        plain = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        editable = self.writable and COLUMNS[index.column()] not in COMPUTED
        return plain | Qt.ItemFlag.ItemIsEditable if editable else plain

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.EditRole:
            return typed(self.row_at(index), COLUMNS[index.column()])
        return super().data(index, role)

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        item, column = self.row_at(index), COLUMNS[index.column()]
        try:
            new = changed(item, column, str(value).strip())
        except WrongValue as wrong:
            self.refused.emit(wrong.key)
            return False
        if new == item:
            return False
        rows = list(self.rows)
        rows[index.row()] = new
        self.edited.emit(tuple(rows))
        return True


def _column(name: str) -> Column[Measurement]:
    return Column(
        name,
        f"ui.measurement.{name}",
        lambda item: shown(item, name),
        right=name in NUMBERS,
        tone=_change_tone if name in COMPUTED else None,
    )


def _change_tone(item: Measurement) -> str:
    return "critical" if change_of(item).change is Outcome.REGRESSED else "muted"


def change_of(item: Measurement) -> Improvement:
    return improvement(
        item.before,
        item.after,
        item.direction,
        before_bound=item.before_bound,
        after_bound=item.after_bound,
        percentage=item.unit == "%",
    )


def _labels(item: Measurement) -> tuple[str, str]:
    """The label in the window's language, and in the other one."""
    pair = (item.label_ko, item.label_en)
    return pair if language().code == "ko" else (pair[1], pair[0])


def shown(item: Measurement, column: str) -> str:
    """What the cell reads."""
    words = Wording(language().code, "UTC")
    if column in ("before", "after"):
        value, bound = getattr(item, column), getattr(item, f"{column}_bound")
        return words.quantity(value, "", item.decimals, bound)
    if column == "ratio":
        return words.ratio(change_of(item))
    if column == "rate":
        return words.rate(change_of(item), item.decimals)
    if column == "statistic":
        return words.known(f"report.statistic.{item.statistic}", item.statistic)
    if column == "unit":
        return words.unit(item.unit)
    if column == "direction":
        return text(f"ui.better.{item.direction.value}")
    if column == "samples":
        return words.count(item.samples)
    return typed(item, column)


def typed(item: Measurement, column: str) -> str:
    """What the editor begins with."""
    if column == "label":
        return _labels(item)[0]
    if column == "other_label":
        return _labels(item)[1]
    if column in ("before", "after"):
        value, bound = getattr(item, column), getattr(item, f"{column}_bound")
        return "" if value is None else f"{bound}{recorded(value, 9).replace(',', '')}"
    value = getattr(item, column)
    return "" if value is None else str(value)


def changed(item: Measurement, column: str, words: str) -> Measurement:
    """The `item` with what was typed.

    Raises:
        WrongValue: it cannot be read.
    """
    if column in ("label", "other_label"):
        korean = (column == "label") is (language().code == "ko")
        return replace(item, label_ko=words) if korean else replace(item, label_en=words)
    fields: dict[str, Any] = {column: words}
    if column in ("before", "after"):
        value, bound = read_value(words)
        fields = {column: value, f"{column}_bound": bound, "decimals": max(item.decimals, decimals_typed(words))}
    elif column == "direction":
        fields[column] = Direction(words)
    elif column in ("before_date", "after_date") and not is_date(words):
        raise WrongValue("ui.measurement.wrong_date")
    elif column == "samples":
        fields[column] = _whole(words)
    elif column == "decimals":
        fields[column] = min(_whole(words) or 0, 6)
    return replace(item, **fields)


def read_value(words: str) -> tuple[float | None, str]:
    """``< 20`` is (20.0, "<"); thousands separators are allowed; nothing is None."""
    bound = words[0] if words[:1] in ("<", ">") else ""
    digits = words[len(bound) :].replace(",", "").strip()
    if not digits:
        return None, ""
    try:
        return float(digits), bound
    except ValueError:
        raise WrongValue("ui.measurement.wrong_number") from None


def decimals_typed(words: str) -> int:
    return len(words.rsplit(".", 1)[1]) if "." in words else 0


def _whole(words: str) -> int | None:
    digits = words.replace(",", "")
    if not digits:
        return None
    if not digits.isdigit():
        raise WrongValue("ui.measurement.wrong_count")
    return int(digits)


def _choices(column: int) -> Choices | None:
    """What direction and statistic may be; anything may be typed into the others."""
    if COLUMNS[column] not in ("direction", "statistic"):
        return None
    if COLUMNS[column] == "direction":
        return [(direction.value, text(f"ui.better.{direction.value}")) for direction in Direction]
    words = Wording(language().code, "UTC")
    return [(statistic, words.text(f"statistic.{statistic}")) for statistic in STATISTICS]


class MeasurementTable(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.model = MeasurementModel()
        self.model.edited.connect(self._store)
        self.model.refused.connect(lambda key: workspace.say(text(key), "warning"))
        self.table = translated(TableView(self.model), accessibleName="ui.engagement.tab.measurements")
        self._dress()
        self._hint = translated(label(role="muted", wrap=True), "ui.measurement.hint")
        self.add_button = translated(button(on_click=self.add), "ui.measurement.add")
        self.remove_button = translated(button(on_click=self.remove), "ui.measurement.remove")
        self.setLayout(column(row((self._hint, 1), self.remove_button, self.add_button), (self.table, 1)))
        language().changed.connect(self.reload)
        self.reload()

    def _dress(self) -> None:
        table = self.table
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setTabKeyNavigation(True)
        table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._delegate = ChoiceDelegate(table, _choices)
        table.setItemDelegate(self._delegate)
        table.horizontalHeader().setMinimumSectionSize(LEAST_WIDTH)
        table.selectionModel().currentChanged.connect(lambda *_: self._enable())
        offer_menu(table, self._workspace)

    def reload(self) -> None:
        """Shows what the project holds; the cursor stays where it was."""
        if self._workspace.project is None:
            self.model.fill((), False)
            return
        current = self.table.currentIndex()
        down, across = current.row(), current.column()
        self.model.fill(projects.read_measurements(self._workspace.project), self._workspace.writable)
        if down >= 0 and self.model.rowCount():
            self.table.setCurrentIndex(self.model.index(min(down, self.model.rowCount() - 1), across))
        self._fit_columns()
        lock(self.table, not self._workspace.writable)
        self._hint.setText(text("ui.measurement.hint" if self._workspace.writable else "ui.locked.table"))
        self._enable()

    @property
    def chosen(self) -> Measurement | None:
        position = self.table.currentIndex().row()
        return self.model.rows[position] if 0 <= position < len(self.model.rows) else None

    def choose(self, key: str) -> None:
        for position, item in enumerate(self.model.rows):
            if item.key == key:
                self.table.setCurrentIndex(self.model.index(position, 0))
                self.table.setFocus()

    def _fit_columns(self) -> None:
        self.table.resizeColumnsToContents()
        for index in range(len(COLUMNS)):
            self.table.setColumnWidth(index, min(self.table.columnWidth(index) + 6, GREATEST_WIDTH))

    def _enable(self) -> None:
        self.add_button.setEnabled(self.model.writable)
        self.remove_button.setEnabled(self.model.writable and self.table.currentIndex().isValid())

    def _store(self, rows: tuple[Measurement, ...]) -> None:
        edit_measurements(self._workspace, self.model.rows, rows, self.reload)

    def add(self) -> None:
        """A new figure at the end, its name ready to be typed."""
        keys = {item.key for item in self.model.rows}
        number = next(n for n in range(1, len(keys) + 2) if f"figure_{n}" not in keys)
        new = Measurement(
            f"figure_{number}",
            text("ui.measurement.new"),
            text("ui.measurement.new"),
            "s",
            "mean",
            Direction.LOWER,
            None,
            None,
        )
        self._store((*self.model.rows, new))
        first = self.model.index(self.model.rowCount() - 1, 0)
        self.table.setCurrentIndex(first)
        self.table.setFocus()
        self.table.edit(first)

    def remove(self) -> None:
        position = self.table.currentIndex().row()
        if position >= 0:
            self._store(tuple(item for at, item in enumerate(self.model.rows) if at != position))
