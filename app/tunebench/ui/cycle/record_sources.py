"""Where a metric's figures come from: a captured series, a statement, a measurement, or somebody's stop watch."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Signal
from PySide6.QtWidgets import QCompleter, QStackedWidget, QWidget

from tunebench.analysis.databases.matching import shared_ids
from tunebench.columns.statement_names import named_with_id, statement_name
from tunebench.core.messages import catalogue
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.records import (
    FIGURES,
    ExperimentSource,
    ManualSource,
    MeasurementSource,
    MetricSource,
    SeriesSource,
    StatementSource,
)
from tunebench.domain.engagement import Measurement, Statement
from tunebench.domain.series import SeriesInfo
from tunebench.domain.series_names import series_name, source_of
from tunebench.ui.cycle.record_fields import Choice, Flag, Line, keyed_choices
from tunebench.ui.look.formats import host_words
from tunebench.ui.look.language import language, text, translated
from tunebench.ui.look.theme import SPACE_XS
from tunebench.ui.tables.model import matches_words
from tunebench.ui.typing import never_stored, stored_soon
from tunebench.ui.widgets.parts import column, completer, label, row
from tunebench.ui.workspace import Workspace
from tunebench.usecases import browse, projects
from tunebench.usecases.cycle.trials import responses_of
from tunebench.usecases.cycle.values import source_text
from tunebench.usecases.databases.run_statements import read_statements
from tunebench.usecases.projects import Project

KINDS = ("series", "statement", "measurement", "experiment", "manual")
UNITS = {
    "elapsed_s": "s",
    "cpu_s": "s",
    "block_gets": "{block}",
    "block_reads": "{block}",
    "rows": "{row}",
    "executions": "{execution}",
}


def kind_of_source(source: MetricSource) -> str:
    return next((kind for kind, source_type in _MADE.items() if isinstance(source, source_type)), "manual")


_MADE = {
    "series": SeriesSource,
    "statement": StatementSource,
    "measurement": MeasurementSource,
    "experiment": ExperimentSource,
}


def source_words(source: MetricSource, book: CycleBook | None = None) -> str:
    """A source in one line, for tables and previews; `book` has the titles of experiments."""
    match source:
        case SeriesSource():
            return series_words(source)
        case StatementSource():
            figure = text(f"ui.cycle.figure.{source.figure}")
            return f"SQL {source.statement_id or text('ui.cycle.source.all_statements')} · {figure}"
        case MeasurementSource():
            return text("ui.cycle.source.measurement_key", name=source.key)
        case ExperimentSource():
            title = (book or CycleBook()).experiment_title(source.experiment_id)
            return text("ui.cycle.source.experiment_key", title=title, response=source.response)
    return source.how or text("ui.cycle.source.manual")


def series_words(source: SeriesSource) -> str:
    """``db1 · iostat · ssd2 svc_t``; of a template that names no host yet: the metric."""
    things = " ".join(value for _name, value in source.attributes)
    own = f"{things} {source.native or source.metric}".strip()
    return " · ".join(part for part in (host_words(source.host), source.tool, own) if part)


class SeriesBox(Line):
    """A series by any words of its name; what has them all is offered below."""

    picked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._offered: dict[str, SeriesInfo] = {}
        self._names = QStringListModel(self)
        offers = completer(self._names, self)
        offers.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        offers.setMaxVisibleItems(12)
        offers.activated[str].connect(self._on_picked)  # type: ignore[index]
        self.setCompleter(offers)
        self.textEdited.connect(self._narrow)
        self.returnPressed.connect(self._on_enter)

    def offer(self, series: Sequence[SeriesInfo]) -> None:
        """Offers every column once, whatever runs have it."""
        self._offered = {}
        for info in series:
            self._offered.setdefault(series_words(source_of(info)), info)
        self._narrow(self.text())

    def _narrow(self, typed: str) -> None:
        self._names.setStringList(sorted(words for words in self._offered if matches_words(words, typed)))

    def _on_enter(self) -> None:
        """The one that is written there, or the only one that fits."""
        fitting = self._names.stringList()
        self._on_picked(fitting[0] if len(fitting) == 1 and self.isModified() else self.text())

    def _on_picked(self, words: str) -> None:
        info = self._offered.get(words)
        if info is not None:
            self.picked.emit(info)


class SourceField(QWidget):
    """Signals: `changed` carries the new `MetricSource`, and the `SeriesInfo` or `Measurement` it was picked from."""

    changed = Signal(object, object)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._source: MetricSource = ManualSource()
        self._measurements: dict[str, Measurement] = {}
        self._is_storing = False
        self.kind = translated(Choice(keyed_choices(KINDS, "ui.cycle.source.")), accessibleName="ui.cycle.field.source")
        self.series = translated(
            SeriesBox(), placeholderText="ui.cycle.source.series.hint", accessibleName="ui.cycle.source.series"
        )
        self.how = translated(
            Line(), placeholderText="ui.cycle.source.manual.hint", accessibleName="ui.cycle.source.manual"
        )
        self.figure = translated(
            Choice(keyed_choices(FIGURES, "ui.cycle.figure.")), accessibleName="ui.cycle.source.figure"
        )
        self.statement = translated(Choice(), accessibleName="ui.cycle.source.statement")
        self.measurement = translated(Choice(), accessibleName="ui.cycle.source.measurement")
        self.experiment = translated(Choice(), accessibleName="ui.cycle.source.experiment")
        self._responses: dict[str, ExperimentSource] = {}
        self.per = translated(Flag(), "ui.cycle.source.per_execution")
        self._name, self._part_name = translated(label(role="small"), "ui.cycle.field.source"), label(role="small")
        self._parts = QStackedWidget()
        statement = QWidget()
        statement.setLayout(row(self.statement, self.figure, self.per))
        for part in (self.series, statement, self.measurement, self.experiment, self.how):
            self._parts.addWidget(part)
        self._lay_out()
        self.kind.finished.connect(self._on_kind)
        self.series.picked.connect(lambda info: self.changed.emit(source_of(info), info))
        self.how.finished.connect(self._on_how)
        stored_soon(self.how, self._store_how)
        never_stored(self.series)
        for box in (self.statement, self.figure, self.per):
            box.finished.connect(lambda: self.changed.emit(self._statement(), None))
        self.measurement.finished.connect(self._on_measurement)
        self.experiment.finished.connect(self._on_experiment)
        language().follow(self.retranslate)

    def _lay_out(self) -> None:
        left = column(self._name, self.kind, spacing=SPACE_XS // 2)
        right = column(self._part_name, self._parts, spacing=SPACE_XS // 2)
        self.setLayout(row((left, 3), (right, 9)))
        self._parts.setSizePolicy(self._parts.sizePolicy().horizontalPolicy(), self.how.sizePolicy().verticalPolicy())

    def inputs(self) -> tuple[Line | Choice | Flag, ...]:
        """The inputs in the order in which Tab goes through them."""
        return (
            self.kind,
            self.series,
            self.statement,
            self.figure,
            self.per,
            self.measurement,
            self.experiment,
            self.how,
        )

    def retranslate(self) -> None:
        for choice in (self.kind, self.figure):
            choice.refill()
        self._offer_statements(())
        self._name_part()

    def _name_part(self) -> None:
        self._part_name.setText(text(f"ui.cycle.source.{KINDS[self._parts.currentIndex()]}.what"))

    # --- showing
    def reload(self) -> None:
        """What can be picked from, read in the background."""
        project = self._workspace.project
        if project is not None:
            self._workspace.jobs.run(
                "db", lambda _handle: _pickable(project), owner=self, slot="pickable", on_result=self._take
            )

    def _take(self, pickable: Pickable) -> None:
        series, statements, measurements, experiments = pickable
        self.series.offer(series)
        self._offer_statements(statements)
        self._measurements = {measurement.key: measurement for measurement in measurements}
        korean = language().code == "ko"
        self.measurement.fill(
            [
                (measurement.key, measurement.label_ko if korean else measurement.label_en)
                for measurement in measurements
            ]
        )
        self._responses = {source_text(source): source for source, _words in experiments}
        self.experiment.fill([(source_text(source), words) for source, words in experiments])
        self._show_parts()

    def _offer_statements(self, statements: Sequence[Statement]) -> None:
        runs = {statement.run_id for statement in statements}
        shared = frozenset[str]().union(*(shared_ids(e.key for e in statements if e.run_id == run) for run in runs))
        names = [
            statement.key.reference if statement.statement_id in shared else statement.statement_id
            for statement in statements
        ]
        named = {
            f"{statement.engine}|{name}": (name, statement.text)
            for name, statement in zip(names, statements, strict=True)
        }
        messages = catalogue(language().code)
        words = [(key, named_with_id(statement_name(sql, messages), name)) for key, (name, sql) in named.items()]
        self.statement.fill([("|", text("ui.cycle.source.all_statements")), *words])

    def show_source(self, source: MetricSource, editable: bool) -> None:
        self._source = source
        kind = kind_of_source(source)
        self.kind.write(kind)
        self._parts.setCurrentIndex(KINDS.index(kind))
        self._name_part()
        self._show_parts()
        for box in self.inputs():
            box.set_editable(editable)

    def _show_parts(self) -> None:
        source = self._source
        match source:
            case SeriesSource():
                self.series.write(series_words(source))
                self.series.setToolTip(series_name(source))
            case StatementSource():
                self.statement.offer(f"{source.engine}|{source.statement_id}", source.statement_id)
                self.figure.write(source.figure)
                self.per.setChecked(source.per_execution)
            case MeasurementSource():
                self.measurement.offer(source.key, source.key)
            case ExperimentSource():
                self.experiment.offer(source_text(source), source_words(source))
            case ManualSource():
                if not self._is_storing:
                    self.how.write(source.how)

    # --- editing
    def _on_kind(self) -> None:
        """A series or measurement is a source only when one is picked; the others are at once."""
        kind = self.kind.read()
        self._parts.setCurrentIndex(KINDS.index(kind))
        self._name_part()
        match kind:
            case "manual":
                self.changed.emit(ManualSource(self.how.text()), None)
            case "statement":
                self.figure.write(self.figure.read() or FIGURES[0])
                self.changed.emit(self._statement(), None)
            case "series":
                self.series.clear()
                self.series.setFocus()
            case "measurement" if self.measurement.count():
                self._on_measurement()
            case "experiment" if self.experiment.count():
                self._on_experiment()

    def _store_how(self) -> bool:
        """Stores while typing goes on: the field keeps the words as they are typed."""
        self._is_storing = True
        self._on_how()
        self._is_storing = False
        return isinstance(self._source, ManualSource) and self._source.how == self.how.text()

    def _on_how(self) -> None:
        if isinstance(self._source, ManualSource) and self.how.text() != self._source.how:
            self.changed.emit(ManualSource(self.how.text()), None)

    def _statement(self) -> StatementSource:
        engine, _, statement = (self.statement.read() or "|").partition("|")
        return StatementSource(self.figure.read() or FIGURES[0], engine, statement, self.per.isChecked())

    def _on_measurement(self) -> None:
        self.measurement.setCurrentIndex(max(self.measurement.currentIndex(), 0))
        key = self.measurement.read()
        self.changed.emit(MeasurementSource(key), self._measurements.get(key))

    def _on_experiment(self) -> None:
        self.experiment.setCurrentIndex(max(self.experiment.currentIndex(), 0))
        source = self._responses.get(self.experiment.read())
        if source is not None:
            self.changed.emit(source, None)


Pickable = tuple[list[SeriesInfo], list[Statement], list[Measurement], list[tuple[ExperimentSource, str]]]


def _pickable(project: Project) -> Pickable:
    series, statements = browse.list_series(project), read_statements(project)
    return series, statements, projects.read_measurements(project), responses_of(project)
