"""Step 1: what performance is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from PySide6.QtWidgets import QWidget

from tunebench.columns.formats import DASH
from tunebench.domain.cycle.book import Record
from tunebench.domain.cycle.records import STATISTICS, ManualSource, Metric, MetricSource, StatementSource
from tunebench.domain.cycle.worksheet import Action
from tunebench.domain.engagement import Direction, Measurement
from tunebench.domain.series import SeriesInfo
from tunebench.reporting.wording import Wording
from tunebench.ui.cycle.cycle_controller import CycleController
from tunebench.ui.cycle.figure_words import wording
from tunebench.ui.cycle.record_fields import TWELFTHS, FieldSpec, form_of, typed_text
from tunebench.ui.cycle.record_form import RecordForm
from tunebench.ui.cycle.record_panel import NewRecordPanel
from tunebench.ui.cycle.record_sources import UNITS, SourceField, source_words
from tunebench.ui.cycle.record_table import Cell, Row
from tunebench.ui.look.language import language, text
from tunebench.ui.widgets.parts import label
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases.cycle import edits


class MetricForm(RecordForm):
    def __init__(self, workspace: Workspace, controller: CycleController, specs: Sequence[FieldSpec]) -> None:
        super().__init__(controller, specs)
        self.source = SourceField(workspace)
        self._guards = label(role="muted", wrap=True)
        self.column.insertWidget(1, self._guards)
        self.grid.addWidget(self.source, 2, 0, 1, TWELFTHS)
        self.source.changed.connect(self._on_source)
        order = (self.fields["name"].input, *self.source.inputs(), self.fields["statistic"].input)
        for first, then in pairwise(order):
            QWidget.setTabOrder(first, then)

    def show_record(self, record: Record | None, editable: bool) -> None:
        super().show_record(record, editable)
        if isinstance(record, Metric):
            self.source.show_source(record.source, editable)
            action = self._controller.book.find(Action, record.guards)
            self._guards.setText(text("ui.cycle.metric.guards", action=action.title) if action else "")
            self._guards.setVisible(action is not None)

    def _on_source(self, source: MetricSource, picked: object) -> None:
        """What a picked series or measurement says of itself is taken over with it; all of it is one undo step."""
        metric = self.record
        assert isinstance(metric, Metric)
        after = replace(metric, source=source)
        fresh = metric.name == text("ui.cycle.new.metric")
        if isinstance(picked, SeriesInfo):
            after = replace(after, unit=picked.unit, direction=picked.direction)
            after = replace(after, name=picked.label) if fresh else after
        elif isinstance(picked, Measurement):
            name = picked.label_ko if language().code == "ko" else picked.label_en
            after = replace(after, unit=picked.unit, direction=picked.direction, decimals=picked.decimals)
            statistic = picked.statistic if picked.statistic in STATISTICS else metric.statistic
            after = replace(after, name=name, statistic=statistic) if fresh else after
        elif isinstance(source, StatementSource) and not source.per_execution:
            after = replace(after, unit=UNITS[source.figure], statistic="total")
        if after != metric:
            self._controller.attempt(lambda: edits.change(self._controller.book, after))


class MetricPanel(NewRecordPanel[Metric]):
    name = "metrics"
    columns = ("metric", "source", "statistic", "unit", "direction", "window")
    wide = (0, 1)
    specs = form_of(Metric)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        workspace.project_changed.connect(self._on_project)
        self._reload = True

    def make_form(self) -> RecordForm:
        return MetricForm(self.workspace, self.controller, self.specs)

    def _on_project(self, change: Change) -> None:
        """What there is to pick from may be another."""
        self._reload = self._reload or change is not Change.CYCLE

    def refresh(self, editable: bool, chosen: int | None = None) -> None:
        super().refresh(editable, chosen)
        if self._reload and isinstance(self.form, MetricForm):
            self._reload = False
            self.form.source.reload()

    def records(self) -> Sequence[Metric]:
        """What is judged first, then what only watches a price."""
        return sorted(
            self.controller.book.in_iteration(Metric, self.iteration.id), key=lambda metric: metric.guards is not None
        )

    def row(self, record: Metric) -> Row:
        faded = "muted" if record.guards is not None else ""
        words: Wording = wording(self.workspace)
        return Row(
            record.id,
            (
                Cell(record.name, faded, strong=not faded),
                Cell(source_words(record.source, self.controller.book), "muted"),
                Cell(text(f"cycle.statistic.{record.statistic}"), faded),
                Cell(words.unit(record.unit) or DASH, faded),
                Cell(text(f"ui.cycle.direction.{record.direction.value}"), faded),
                Cell(typed_text(record.window) or DASH, faded),
            ),
        )

    def new(self) -> Metric:
        return Metric(0, self.iteration.id, text("ui.cycle.new.metric"), ManualSource(), "mean", "", Direction.LOWER)
