"""Metrics, targets and results on the cycle page: figures with their evidence, refusals beside what they bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.cycle_page_hand import add, begun, busy_metric, here, panel_of, press
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import (
    ManualSource,
    MeasurementSource,
    Metric,
    Result,
    SeriesSource,
    StatementSource,
    StepNumber,
    Target,
)
from tunebench.domain.engagement import Direction, Engagement, Measurement, Phase
from tunebench.domain.series_names import source_of
from tunebench.ui.cycle.record_sources import series_words
from tunebench.ui.frame.main_window import MainWindow
from tunebench.ui.pages.cycle_page import CyclePage
from tunebench.ui.workspace import Change
from tunebench.usecases import browse, projects
from tunebench.usecases.cycle import edits as cycle_edits


@pytest.fixture
def page(qtbot: Any, window: MainWindow, tmp_path: Path, idle: Callable[[], None]) -> CyclePage:
    """Of an engagement without captures."""
    path = tmp_path / "empty.tune"
    projects.close(projects.create(path, Engagement("Tuning", "ACME")))
    assert window.controller.open(path)
    made = begun(qtbot, window)
    idle()
    return made


@pytest.fixture
def captured(qtbot: Any, opened: MainWindow, idle: Callable[[], None]) -> CyclePage:
    """Of an engagement with one run of captures, before the change."""
    made = begun(qtbot, opened)
    idle()
    return made


def test_a_baseline_is_taken_from_a_run_with_its_evidence_in_one_step_of_undo(
    captured: CyclePage, idle: Callable[[], None]
) -> None:
    page = captured
    _metric, info = busy_metric(page)
    panel, controller = panel_of(page, StepNumber.TARGETS), page.controller
    edits = page.workspace.undo.count()
    press(panel.figure.take)
    idle()
    data = browse.series_data(page.workspace.opened, info.id)
    wanted = float(np.mean(data.values[~data.since_boot & ~np.isnan(data.values)]))
    (target,) = controller.book.all(Target)
    (evidence,) = controller.book.all(Evidence)
    assert target.baseline is not None
    assert target.baseline.value == pytest.approx(wanted)
    assert target.baseline.evidence_id == evidence.id
    assert (evidence.attached_to, evidence.target.series) == ((target.id,), (info.id,))
    assert evidence.target.start_ns == target.baseline.start_ns
    assert (target.priority, page.workspace.undo.count()) == (1, edits + 1)
    press(panel.figure.take)  # once more: the same evidence, nothing new
    idle()
    assert controller.book.all(Evidence) == (evidence,)
    page.workspace.undo.undo()
    assert not controller.book.all(Target)
    assert not controller.book.all(Evidence)
    page.workspace.undo.redo()
    assert controller.book.all(Evidence) == (evidence,)


def test_no_result_from_a_run_before_the_change(captured: CyclePage, idle: Callable[[], None]) -> None:
    page = captured
    busy_metric(page)
    panel = panel_of(page, StepNumber.RESULT)
    press(panel.figure.take)
    idle()
    assert not page.controller.book.all(Result)
    (sentence,) = panel.error.sentences()
    assert "19 July" in sentence
    assert page.workspace.overview is not None
    assert page.workspace.overview.runs[0].run.phase is Phase.BEFORE


def test_a_target_value_needs_a_baseline_and_says_so_beside_the_field(page: CyclePage) -> None:
    metric = add(page, Metric(0, here(page), "Time", ManualSource(), "mean", "s", Direction.LOWER))
    add(page, Target(0, here(page), metric.id))
    panel = panel_of(page, StepNumber.TARGETS)
    assert len(panel.gates.sentences()) == 2  # neither baseline nor value
    field = panel.form.fields["value"]
    field.input.setFocus()
    QTest.keyClicks(field.input, "20")
    QTest.keyClick(field.input, Qt.Key.Key_Return)
    assert panel.form.error.sentences() == panel.gates.sentences()[:1]
    assert field.input.property("state") == "wrong"
    QTest.keyClick(field.input, Qt.Key.Key_Escape)
    assert field.input.text() == ""


def test_there_is_one_top_priority(page: CyclePage) -> None:
    first, second = (
        add(page, Metric(0, here(page), name, ManualSource(), "mean", "s", Direction.LOWER)) for name in "ab"
    )
    panel = panel_of(page, StepNumber.TARGETS)
    for metric in (first, second):
        panel.choose(metric.id)
        panel.type_in("10", "stop watch")
    priorities = {each.metric_id: each.priority for each in page.controller.book.all(Target)}
    assert priorities == {first.id: 1, second.id: 2}
    box = panel.form.fields["priority"].input
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert {each.metric_id: each.priority for each in page.controller.book.all(Target)} == {first.id: 2, second.id: 1}
    page.workspace.undo.undo()
    assert {each.metric_id: each.priority for each in page.controller.book.all(Target)} == priorities


def test_a_series_is_found_by_part_of_its_name(captured: CyclePage, idle: Callable[[], None]) -> None:
    page = captured
    panel = panel_of(page, StepNumber.METRICS)
    panel.add()
    idle()
    info = next(each for each in browse.list_series(page.workspace.opened) if each.native == "wa")
    source = panel.form.source
    source.kind.setCurrentIndex(source.kind.findData("series"))
    source.kind.finished.emit()
    completer = source.series.completer()
    offered = completer.completionModel()
    QTest.keyClicks(source.series, "vmstat")
    assert offered.rowCount() > 1 and completer.popup().isVisible()
    QTest.keyClicks(source.series, " cpu wa")
    assert [offered.index(row, 0).data() for row in range(offered.rowCount())] == [series_words(source_of(info))]
    QTest.keyClick(source.series, Qt.Key.Key_Return)  # the only one that fits
    (metric,) = page.controller.book.all(Metric)
    assert isinstance(metric.source, SeriesSource)
    assert (metric.source, metric.unit, metric.name) == (source_of(info), info.unit, info.label)


def test_a_figure_whose_series_is_gone_is_kept_and_marked(captured: CyclePage, idle: Callable[[], None]) -> None:
    page = captured
    metric, _info = busy_metric(page)
    panel = panel_of(page, StepNumber.TARGETS)
    press(panel.figure.take)
    idle()
    lost = SeriesSource("vm", "vmstat", "gone")
    assert page.controller.attempt(lambda: cycle_edits.change(page.controller.book, replace(metric, source=lost)))
    page.controller._look_for_broken()
    idle()
    (target,) = page.controller.book.all(Target)
    assert target.baseline is not None
    assert "gone" in panel.broken.sentences()[0]
    assert panel.table.rows_model.rows[0].cells[1].words.startswith("▲")


def test_a_statement_and_a_measurement_are_sources_with_their_units(
    captured: CyclePage, idle: Callable[[], None]
) -> None:
    page, project = captured, captured.workspace.opened
    figure = Measurement(
        "response_time", "응답시간", "Response time", "s", "total", Direction.LOWER, 590.997, 33.17, decimals=3
    )
    projects.write_measurements(project, [figure])
    page.workspace.announce(Change.MEASUREMENTS)
    panel = panel_of(page, StepNumber.METRICS)
    panel.add()
    idle()
    kind = panel.form.source.kind
    kind.setFocus()
    for wanted in ("measurement", "statement"):
        kind.setCurrentIndex(kind.findData(wanted))
        kind.finished.emit()
        (metric,) = page.controller.book.all(Metric)
        if wanted == "measurement":
            assert metric.source == MeasurementSource("response_time")
            assert (metric.name, metric.unit, metric.statistic, metric.decimals) == ("Response time", "s", "total", 3)
            press(panel_of(page, StepNumber.TARGETS).figure.take)
            idle()
            (target,) = page.controller.book.all(Target)
            assert target.baseline is not None
            assert target.baseline.value == 590.997
            panel_of(page, StepNumber.METRICS)
        else:
            assert metric.source == StatementSource("elapsed_s")
            assert (metric.unit, metric.statistic) == ("s", "total")
