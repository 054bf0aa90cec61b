"""The figures entered by hand: a table to type in, with the improvement computed beside each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QWidget

from tunebench.analysis.comparing.improvement import Change as Outcome
from tunebench.analysis.comparing.improvement import Improvement, improvement
from tunebench.columns.column import Column, Edit, Locale
from tunebench.domain.engagement import Direction, Measurement
from tunebench.domain.typed_numbers import typed_number, whole_number
from tunebench.reporting.wording import Wording, recorded
from tunebench.ui.cycle.evidence_menu import add_pin
from tunebench.ui.look.language import language, text, translated, window_locale
from tunebench.ui.reports.details_form import is_date
from tunebench.ui.reports.edits import edit_measurements
from tunebench.ui.tables.grid import GridView
from tunebench.ui.tables.grid_model import CellModel
from tunebench.ui.tables.problem_card import ProblemCard
from tunebench.ui.widgets.parts import button, column, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases import projects
from tunebench.usecases.grid_cells import Choices, Wrong, value_of_words

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
MOST_DECIMALS = 9
NUMBERS = ("before", "after", "ratio", "rate", "samples", "decimals")
COMPUTED = ("ratio", "rate")
STATISTICS = ("total", "max", "mean", "p95", "p50", "min")


def _column(name: str) -> Column[Measurement]:
    return Column(
        name,
        f"ui.measurement.{name}",
        text=lambda item, _: shown(item, name),
        right=name in NUMBERS,
        tone=_change_tone if name in COMPUTED else None,
        edit=None if name in COMPUTED else _edit(name),
    )


def _edit(name: str) -> Edit[Measurement]:
    """What is edited of a figure is the whole of it; of a choice the words."""

    def write(item: Measurement, words: str, _locale: Locale) -> Measurement:
        choices = _choices(name)
        return changed(item, name, words if choices is None else value_of_words(words, choices))

    if _choices(name) is not None:
        return Edit(write, choices=lambda _: [words for _value, words in _choices(name) or ()])
    return Edit(write, text=lambda item, _: typed(item, name))


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
        return "" if value is None else f"{bound}{recorded(value, MOST_DECIMALS).replace(',', '')}"
    value = getattr(item, column)
    return "" if value is None else str(value)


def changed(item: Measurement, column: str, words: str) -> Measurement:
    """The `item` with what was typed.

    Raises:
        Wrong: it cannot be read.
    """
    if column in ("label", "other_label"):
        korean = (column == "label") is (language().code == "ko")
        return replace(item, label_ko=words) if korean else replace(item, label_en=words)
    fields: dict[str, Any] = {column: words}
    if column in ("before", "after"):
        value, bound = read_value(words, item.unit)
        fields = {column: value, f"{column}_bound": bound, "decimals": max(item.decimals, decimals_typed(words))}
    elif column == "direction":
        fields[column] = Direction(words)
    elif column in ("before_date", "after_date") and not is_date(words):
        raise Wrong("ui.measurement.wrong_date")
    elif column == "samples":
        fields[column] = _whole(words)
    elif column == "decimals":
        fields[column] = min(_whole(words) or 0, 6)
    return replace(item, **fields)


def read_value(words: str, unit: str = "") -> tuple[float | None, str]:
    """``< 20`` is (20.0, "<"), in `unit`; nothing is None.

    Raises:
        Wrong: it is no figure (`typed_number`).
    """
    if not words.strip():
        return None, ""
    bound = words[0] if words[0] in ("<", ">") else ""
    value = typed_number(words[len(bound) :], unit)
    if value is None:
        raise Wrong("ui.measurement.wrong_number")
    return value, bound


def decimals_typed(words: str) -> int:
    """``28.550 s`` has three, ``1.5e-3`` four; at most as many as are kept."""
    decimals, exponent = re.search(r"\.(\d+)", words), re.search(r"\d[eE]([+-]?\d+)", words)
    places = (len(decimals[1]) if decimals else 0) - (int(exponent[1]) if exponent else 0)
    return min(max(places, 0), MOST_DECIMALS)


def _whole(words: str) -> int | None:
    if not words.strip():
        return None
    count = whole_number(words)
    if count is None:
        raise Wrong("ui.measurement.wrong_count")
    return count


def _choices(column: str) -> Choices | None:
    """What direction and statistic may be; anything may be typed into the others."""
    if column not in ("direction", "statistic"):
        return None
    if column == "direction":
        return [(direction.value, text(f"ui.better.{direction.value}")) for direction in Direction]
    words = Wording(language().code, "UTC")
    return [(statistic, words.text(f"statistic.{statistic}")) for statistic in STATISTICS]


class MeasurementTable(QWidget):
    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.model = CellModel([_column(name) for name in COLUMNS], self._store)
        self.table = translated(GridView(self.model), accessibleName="ui.engagement.tab.measurements")
        self.table.remove_rows = self.remove
        self.table.more_actions = lambda menu: add_pin(menu, workspace)
        self.table.horizontalHeader().setMinimumSectionSize(LEAST_WIDTH)
        self.table.selectionModel().currentChanged.connect(lambda *_: self._enable())
        self.problems = ProblemCard()
        self.problems.follow(self.table, workspace.say)
        self._hint = translated(label(role="muted", wrap=True), "ui.measurement.hint")
        self.add_button = translated(button(on_click=self.add), "ui.measurement.add")
        self.remove_button = translated(button(on_click=self.remove), "ui.measurement.remove")
        head = row((self._hint, 1), self.remove_button, self.add_button)
        self.setLayout(column(head, (self.table, 1), self.problems))
        language().follow(self.reload)

    def reload(self) -> None:
        """Shows what the project holds; the cursor stays where it was."""
        self.problems.dismiss()
        if self._workspace.project is None:
            self.model.show((), window_locale(), writable=False)
            return
        measurements = projects.read_measurements(self._workspace.project)
        self.model.show(measurements, window_locale(), self._workspace.writable)
        self._fit_columns()
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

    def _store(self, rows: Sequence[Measurement]) -> bool:
        edit_measurements(self._workspace, self.model.rows, rows, self.reload)
        return True

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
        """The chosen rows."""
        chosen = {index.row() for index in self.table.selectedIndexes()}
        if chosen and self.model.writable:
            self._store(tuple(item for at, item in enumerate(self.model.rows) if at not in chosen))
