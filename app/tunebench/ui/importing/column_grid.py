"""One line for each column of the table: what it is, its unit, its metric."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QGridLayout, QLineEdit, QWidget

from tunebench.core.messages import LANGUAGES, catalogue
from tunebench.domain.series import ATTRIBUTE_NAMES
from tunebench.ui.importing.fields import DraftController, Path, UndoKeys
from tunebench.ui.look.language import text
from tunebench.ui.look.theme import SPACE_S, SPACE_XS
from tunebench.ui.widgets.parts import ElidedLabel, completer, label, set_tone
from tunebench.usecases.importing.table_definitions import Draft

_SERIES = ("name", "value")
USES = ("number", "time", *ATTRIBUTE_NAMES, "host", *_SERIES, "ignored")
"""What a column is; ``name`` and ``value`` are those of a table with one value a row."""
_HEADS = ("column", "use", "unit", "metric", "suffix", "direction")
_MOST = 80


class _Row:
    """The widgets of one column."""

    def __init__(self, name: str, metrics: QCompleter) -> None:
        self.name = name
        self.title = ElidedLabel(name, "strong", Qt.TextElideMode.ElideRight)
        self.use = _box([(use, text(f"ui.tables.use.{use}")) for use in USES])
        self.unit, self.metric = QLineEdit(), QLineEdit()
        self.metric.setCompleter(metrics)
        self.metric.setPlaceholderText(text("ui.tables.metric.none"))
        self.suffix = _box([(s, text(f"ui.tables.suffix.{s}")) for s in ("none", "binary", "decimal")])
        self.direction = _box([(d, text(f"ui.tables.direction.{d}")) for d in ("neutral", "lower", "higher")])
        words = {
            "use": self.use,
            "unit": self.unit,
            "metric": self.metric,
            "suffix": self.suffix,
            "direction": self.direction,
        }
        for part, widget in words.items():
            widget.setAccessibleName(f"{name}: {text(f'ui.tables.head.{part}')}")
        self.widgets: tuple[QWidget, ...] = (self.title, *words.values())


def _box(items: Sequence[tuple[str, str]]) -> QComboBox:
    box = QComboBox()
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(4)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    for value, words in items:
        box.addItem(words, value)
    return box


class ColumnGrid(QWidget):
    """The columns of one section; `metrics` are (id, name, unit)."""

    def __init__(self, controller: DraftController, keys: UndoKeys, metrics: Sequence[tuple[str, str, str]]) -> None:
        super().__init__()
        self._controller, self._keys = controller, keys
        self._unit_of = {metric: unit for metric, _, unit in metrics}
        self._completer = completer([metric for metric, _, _ in metrics], self)
        self._section = 0
        self._names: tuple[str, ...] = ()
        self.rows: dict[str, _Row] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_S)
        self._grid.setVerticalSpacing(SPACE_XS)
        for at, share in enumerate((3, 3, 2, 4, 3, 3)):
            self._grid.setColumnStretch(at, share)
        for at, head in enumerate(_HEADS):
            self._grid.addWidget(label(text(f"ui.tables.head.{head}"), "small"), 0, at)

    # --- content
    def show_columns(self, section: int, names: Sequence[str]) -> None:
        """The columns of the sample's heading and those that the definition speaks of."""
        mappings = (self._mapping(section, part).values() for part in ("key", "series"))
        more = [*chain.from_iterable(mappings), *self._mapping(section, "columns")]
        wanted = tuple(dict.fromkeys([*self._stamps(), *names, *map(str, more)]))[:_MOST]
        if (section, wanted) != (self._section, self._names):
            self._section, self._names = section, wanted
            self._rebuild()
        self.refresh()

    def _rebuild(self) -> None:
        for row in self.rows.values():
            for widget in row.widgets:
                self._grid.removeWidget(widget)
                widget.deleteLater()
        self.rows = {name: _Row(name, self._completer) for name in self._names}
        for line, row in enumerate(self.rows.values(), 1):
            for at, widget in enumerate(row.widgets):
                self._grid.addWidget(widget, line, at)
            self._connect(row)

    def _connect(self, row: _Row) -> None:
        name = row.name
        row.use.activated.connect(lambda _index: self.set_use(name, row.use.currentData()))
        row.unit.textEdited.connect(lambda words: self._put(name, "unit", words.strip()))
        row.metric.textEdited.connect(lambda words: self.set_metric(name, words.strip()))
        row.suffix.activated.connect(lambda _index: self._put(name, "suffix", _unless(row.suffix, "none")))
        row.direction.activated.connect(lambda _index: self._put(name, "direction", _unless(row.direction, "neutral")))
        for widget in row.widgets:
            widget.installEventFilter(self._keys)

    def refresh(self) -> None:
        for name, row in self.rows.items():
            column = self._column(name)
            use = self.use_of(name)
            row.use.setCurrentIndex(USES.index(use))
            number = use == "number"
            _show(row.unit, str(column.get("unit", "")))
            _show(row.metric, str(column.get("metric", "")))
            row.suffix.setCurrentIndex(max(row.suffix.findData(column.get("suffix", "none")), 0))
            row.direction.setCurrentIndex(max(row.direction.findData(column.get("direction", "neutral")), 0))
            for widget in (row.unit, row.metric, row.suffix):
                widget.setEnabled(number)
            row.direction.setEnabled(number and bool(column.get("unit")) and not column.get("metric"))

    def _mapping(self, section: int, *path: str) -> Draft:
        mapping = self._controller.value("sections", section, *path)
        return mapping if isinstance(mapping, dict) else {}

    def _column(self, name: str) -> Draft:
        return self._mapping(self._section, "columns", name)

    def use_of(self, name: str) -> str:
        if name in self._stamps():
            return "time"
        for attribute, column in self._mapping(self._section, "key").items():
            if column == name and attribute in USES:
                return str(attribute)
        series = self._mapping(self._section, "series")
        if name == self._controller.text("sections", self._section, "host"):
            return "host"
        kind = next((use for use in _SERIES if series.get(use) == name), "number")
        return "ignored" if "ignored" in self._column(name) else kind

    def _stamps(self) -> list[str]:
        by_columns = self._controller.text("time", "rule") == "columns"
        return self._controller.texts("time", "columns") if by_columns else []

    # --- changes
    def _path(self, *rest: str) -> Path:
        return ("sections", self._section, *rest)

    def _put(self, name: str, part: str, value: str | None) -> None:
        column = {**self._column(name), part: value}
        self._controller.put(self._path("columns", name), {key: setting for key, setting in column.items() if setting})

    def set_metric(self, name: str, metric: str) -> None:
        """A metric of the program brings its unit, and has a direction of its own."""
        column = {**self._column(name), "metric": metric}
        if metric in self._unit_of:
            column.pop("direction", None)
            column.setdefault("unit", self._unit_of[metric])
        self._controller.put(self._path("columns", name), {key: setting for key, setting in column.items() if setting})

    def set_use(self, name: str, use: str) -> None:
        """A column is one thing only: what it was before is taken away in the same change."""
        stamps = [stamp for stamp in self._stamps() if stamp != name]
        mapping = self._mapping(self._section, "key")
        keys = {attribute: column for attribute, column in mapping.items() if column != name}
        series = {use: column for use, column in self._mapping(self._section, "series").items() if column != name}
        host = self._controller.text("sections", self._section, "host")
        column = {key: value for key, value in self._column(name).items() if key != "ignored"}
        if use in _SERIES:
            series[use] = name
        if use == "time":
            stamps.append(name)
        elif use in ATTRIBUTE_NAMES:
            keys[use] = name
        if use == "ignored":
            column = {"ignored": {code: catalogue(code).text("plughost.table.text_column") for code in LANGUAGES}}
        elif use != "number":
            column = {}
        rule = "columns" if use == "time" else self._controller.text("time", "rule")
        self._controller.put_all(
            {
                ("time", "rule"): rule,
                ("time", "columns"): stamps,
                self._path("key"): keys,
                self._path("series"): series or None,
                self._path("host"): name if use == "host" else host if host != name else None,
                self._path("columns", name): column or None,
            }
        )

    # --- faults
    def mark(self, section: int, faults: dict[str, str]) -> None:
        """Marks the faults: path inside the section's columns (``"wait".unit``) -> sentence."""
        for name, row in self.rows.items():
            for part, widget in (("unit", row.unit), ("metric", row.metric), ("suffix", row.suffix), ("use", row.use)):
                path = f'columns."{name}".{part}'
                fault = faults.get(path, "") if section == self._section else ""
                if part == "use" and section == self._section:
                    fault = faults.get(f'columns."{name}"', "")
                set_tone(widget, "wrong" if fault else "", "state")
                widget.setToolTip(fault or (self._tip(name) if part == "metric" else ""))

    def _tip(self, name: str) -> str:
        return str(self._column(name).get("metric", "")) or text("ui.tables.metric.tip")


def _unless(box: QComboBox, usual: str) -> str | None:
    value = str(box.currentData())
    return None if value == usual else value


def _show(edit: QLineEdit, words: str) -> None:
    if edit.text().strip() != words:
        edit.setText(words)
