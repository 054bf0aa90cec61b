"""The definition in words: what it is, how a line is cut, where the time stands, what each column is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtWidgets import QComboBox, QGridLayout, QScrollArea, QWidget

from tunebench.core.patterns import lazy_pattern
from tunebench.sdk.toml_tables import Problem
from tunebench.ui.importing.column_grid import ColumnGrid
from tunebench.ui.importing.fields import (
    ChoiceField,
    DraftController,
    Field,
    FlagField,
    LineField,
    NumberField,
    Path,
    UndoKeys,
)
from tunebench.ui.look.language import language, text
from tunebench.ui.look.theme import SPACE_L, SPACE_M, SPACE_S, SPACE_XS
from tunebench.ui.widgets.parts import button, column, label, panel, row

FORMATS = (
    "iso",
    "%Y-%m-%d %H:%M:%S",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",
    "%m/%d/%y %H:%M:%S",
    "%H:%M:%S",
    "%I:%M:%S %p",
    "%a %b %d %H:%M:%S %Z %Y",
    "%d/%b/%Y:%H:%M:%S",
    "%Y%m%d%H%M%S",
    "epoch_s",
    "epoch_ms",
    "epoch_us",
    "excel",
)
_RULES = ("columns", "first", "line", "start")
_SEPARATORS = ("blanks", "comma", "semicolon", "tab", "bar")
_TIME_FIELDS = {
    "columns": ("format", "date_line", "date_format"),
    "first": ("format", "date_line", "date_format"),
    "line": ("line", "format", "interval_s", "date_line", "date_format"),
    "start": ("interval_s",),
}
Make = Callable[[DraftController, Path], Field]
_WHAT: dict[str, Make] = {
    "tool": partial(LineField, hint="queue_stat"),
    "name.ko": LineField,
    "name.en": LineField,
    "os": partial(LineField, several=True, hint="linux"),
    "files": partial(LineField, several=True, hint="queue*.log"),
}
_CELLS: dict[str, Make] = {
    "separator": partial(
        ChoiceField,
        words=[(name, f"ui.tables.separator.{name}") for name in _SEPARATORS],
        editable=True,
        first="blanks",
    ),
    "decimal": partial(
        ChoiceField,
        words=[
            (".", "ui.tables.decimal.point"),
            (",", "ui.tables.decimal.comma"),
            ("either", "ui.tables.decimal.either"),
        ],
        first=".",
    ),
    "skip": partial(LineField, several=True, hint="#, Average"),
    "short_rows": partial(FlagField, key="ui.tables.short_rows.on"),
}
_TIME: dict[str, Make] = {
    "time.rule": partial(ChoiceField, words=[(rule, f"ui.tables.rule.{rule}") for rule in _RULES]),
    "time.line": partial(LineField, hint="zzz ***{stamp}"),
    "time.format": partial(ChoiceField, words=[(name, "") for name in FORMATS], editable=True),
    "time.interval_s": partial(NumberField, hint="5"),
    "time.date_line": partial(LineField, hint="Report of {date}"),
    "time.date_format": partial(LineField, hint="%d.%m.%Y"),
    "since_boot": partial(FlagField, key="ui.tables.since_boot.on"),
}
_FACTS: dict[str, Make] = {
    "host_line": partial(LineField, hint="Host: {host}"),
    "version_line": partial(LineField, hint="queue_stat {version}"),
}
_WHERE = lazy_pattern(r"^tables\[1\]\.(?P<place>.*)$")
_SECTION = lazy_pattern(r"^sections\[(?P<number>\d+)\]\.(?P<rest>.*)$")


def _grid() -> QGridLayout:
    """Names left, fields right."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(SPACE_M)
    grid.setVerticalSpacing(SPACE_XS)
    grid.setColumnStretch(1, 1)
    return grid


class _HeadingField(Field):
    """Words of the heading with commas between them, or a pattern, or nothing."""

    def __init__(self, controller: DraftController, section: int) -> None:
        super().__init__(controller, ("sections", section, "heading"))
        self.words = LineField(controller, self.path, several=True, hint="time, queue, depth")
        self.pattern = LineField(controller, self.path, hint="Queue {any}")
        self.kind = QComboBox()
        for kind in ("words", "pattern", "none"):
            self.kind.addItem(text(f"ui.tables.heading.{kind}"), kind)
        self.kind.activated.connect(self._turn)
        self.widget = panel(row(self.kind, (self.words.edit, 1), (self.pattern.edit, 1)))

    def _now(self) -> str:
        value = self.controller.value(*self.path)
        return "none" if not value else "pattern" if isinstance(value, str) else "words"

    def _turn(self, _index: int) -> None:
        kind, words = self.kind.currentData(), self.controller.value(*self.path)
        spelled = words if isinstance(words, str) else " {any} ".join(self.controller.texts(*self.path) or ["{word}"])
        values: dict[str, list[str] | str | None] = {
            "words": spelled.replace("{any}", " ").split(),
            "pattern": spelled,
            "none": None,
        }
        self.controller.put_all({self.path: values[kind]})

    def refresh(self) -> None:
        now = self._now()
        self.kind.setCurrentIndex(self.kind.findData(now))
        self.words.edit.setVisible(now == "words")
        self.pattern.edit.setVisible(now == "pattern")
        if now == "words":
            self.words.refresh()
        elif now == "pattern":
            self.pattern.refresh()

    def mark(self, sentence: str) -> None:
        self.words.mark(sentence)
        self.pattern.mark(sentence)


class DefinitionForm(QScrollArea):
    """Shows the controller's draft; every field says with its first fault what is wrong with it."""

    def __init__(self, controller: DraftController, metrics: Sequence[tuple[str, str, str]]) -> None:
        super().__init__()
        self._controller = controller
        self._keys = UndoKeys(controller)
        self._names: tuple[str, ...] = ()
        self.section = 0
        self.fields: dict[str, Field] = {}
        self._rows: dict[str, tuple[QWidget, QWidget]] = {}
        self.grid = ColumnGrid(controller, self._keys, metrics)
        self.setWidgetResizable(True)
        self._column = column(spacing=SPACE_M, margins=(0, 0, SPACE_M, SPACE_L))
        body = panel(self._column)
        self._group("what", _WHAT)
        self._group("cells", _CELLS)
        self._add_heading()
        self._group("time", _TIME)
        self._add_columns()
        self._group("facts", _FACTS)
        self._column.addStretch(1)
        self.setWidget(body)
        controller.changed.connect(self.refresh)
        self.refresh()

    # --- building
    def _group(self, key: str, fields: Mapping[str, Make]) -> None:
        """Fields that stand in the draft where their names say."""
        self._column.addWidget(label(text(f"ui.tables.group.{key}"), "section"))
        grid = _grid()
        for line, (name, make) in enumerate(fields.items()):
            self._add_row(grid, line, name, make(self._controller, tuple(name.split("."))))
        self._column.addLayout(grid)

    def _add_row(self, grid: QGridLayout, line: int, name: str, field: Field) -> None:
        words = text(f"ui.tables.field.{name.rpartition('.')[2]}")
        field.tip = text(f"ui.tables.field.{name.rpartition('.')[2]}.tip")
        field.widget.setAccessibleName(words)
        field.widget.setToolTip(field.tip)
        named = label(words, "small")
        named.setToolTip(field.tip)
        named.setMinimumWidth(112)
        grid.addWidget(named, line, 0)
        grid.addWidget(field.widget, line, 1)
        self.fields[name] = field
        self._rows[name] = (named, field.widget)
        for widget in (field.widget, *field.widget.findChildren(QWidget)):
            widget.installEventFilter(self._keys)

    def _add_heading(self) -> None:
        self._tables = QComboBox()
        self._tables.setAccessibleName(text("ui.tables.section"))
        self._tables.activated.connect(self.show_section)
        self._more = button(text("ui.tables.section.add"), "link", self.add_section)
        self._less = button(text("ui.tables.section.remove"), "link", self.remove_section)
        self._column.addWidget(label(text("ui.tables.group.heading"), "section"))
        self._column.addLayout(row(self._tables, self._more, self._less, 1))
        self._section_grid = _grid()
        self._column.addLayout(self._section_grid)
        self._fill_section()

    def _fill_section(self) -> None:
        """Makes the fields of the section that is shown."""
        for name in ("section.table", "section.heading", "section.above", "section.names"):
            self.fields.pop(name, None)
            for widget in self._rows.pop(name, ()):
                self._section_grid.removeWidget(widget)
                widget.deleteLater()
        path = ("sections", self.section)
        for line, (name, field) in enumerate(
            (
                ("section.table", LineField(self._controller, (*path, "table"))),
                ("section.heading", _HeadingField(self._controller, self.section)),
                ("section.above", NumberField(self._controller, (*path, "above"), hint="0")),
                ("section.names", LineField(self._controller, (*path, "names"), several=True)),
            )
        ):
            self._add_row(self._section_grid, line, name, field)

    def _add_columns(self) -> None:
        self._column.addWidget(label(text("ui.tables.group.columns"), "section"))
        self._column.addWidget(label(text("ui.tables.columns.explain"), "muted", wrap=True))
        self._column.addWidget(self.grid)

    # --- sections
    def _sections(self) -> list[object]:
        sections = self._controller.value("sections")
        return list(sections) if isinstance(sections, list) else []

    def _count(self) -> int:
        return len(self._sections())

    def show_section(self, index: int) -> None:
        if index != self.section and 0 <= index < self._count():
            self.section = index
            self._fill_section()
            self.refresh()

    def add_section(self) -> None:
        sections = [*self._sections(), {"table": f"table{self._count() + 1}", "heading": ["…"]}]
        self._controller.put_all({("sections",): sections})
        self.show_section(self._count() - 1)

    def remove_section(self) -> None:
        sections = self._sections()
        if len(sections) > 1:
            del sections[self.section]
            self._controller.put_all({("sections",): sections})

    # --- content
    def show_names(self, names: Sequence[str]) -> None:
        """The columns that the sample's headings have."""
        self._names = tuple(names)
        self._show_columns()

    def _show_columns(self) -> None:
        named = self._controller.texts("sections", self.section, "names")
        alone = self._count() == 1
        heading = self._controller.texts("sections", self.section, "heading")
        self.grid.show_columns(self.section, named or (self._names if alone else heading))

    def refresh(self) -> None:
        if self.section >= self._count():
            self.section = max(self._count() - 1, 0)
            self._fill_section()
        names = [self._controller.text("sections", at, "table") or f"{at + 1}" for at in range(self._count())]
        self._tables.clear()
        self._tables.addItems(names)
        self._tables.setCurrentIndex(self.section)
        self._less.setEnabled(self._count() > 1)
        for field in self.fields.values():
            field.refresh()
        wanted = _TIME_FIELDS.get(self._controller.text("time", "rule"), ())
        for name in ("line", "format", "interval_s", "date_line", "date_format"):
            for widget in self._rows[f"time.{name}"]:
                widget.setVisible(name in wanted)
        self._show_columns()

    # --- faults
    def mark(self, problems: Iterable[Problem]) -> None:
        """Marks each field that has a fault."""
        faults: dict[str, str] = {}
        for problem in problems:
            match = _WHERE.match(str(problem.facts.get("where", "")))
            if match and problem.level == "error":
                faults.setdefault(match["place"], problem.text(language().code))
        inside: dict[str, str] = {}
        for path, fault in faults.items():
            section = _SECTION.match(path)
            if section and int(section["number"]) == self.section + 1:
                inside[section["rest"]] = fault
        for name, field in self.fields.items():
            own = inside if name.startswith("section.") else faults
            field.mark(own.get(name.removeprefix("section."), ""))
        self.grid.mark(self.section, inside)

    def reveal(self, problem: Problem) -> None:
        """Puts the cursor where the fault is."""
        match = _WHERE.match(str(problem.facts.get("where", "")))
        path = match["place"] if match else ""
        section = _SECTION.match(path)
        if section:
            self.show_section(int(section["number"]) - 1)
            path = f"section.{section['rest']}"
        field = self.fields.get(path)
        if field is not None:
            self.ensureWidgetVisible(field.widget, 0, SPACE_S)
            field.widget.setFocus()
            return
        named = re.search(r'columns\."(.*?)"', path)
        if named and named[1] in self.grid.rows:
            widget = self.grid.rows[named[1]].unit
            self.ensureWidgetVisible(widget, 0, SPACE_S)
            widget.setFocus()
