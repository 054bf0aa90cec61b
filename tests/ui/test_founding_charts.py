"""The charts of the founding studies have the form of their documents, in the window and in the report.

Where a document has its results as pictures only, every cell is given a value that tells which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tunebench.domain.engagement import Engagement
from tunebench.domain.experiments.records import Cell, Experiment, Trial, TrialState
from tunebench.reporting.document import LevelLines
from tunebench.store.project import Project
from tunebench.ui.experiments.results_view import ResultsView
from tunebench.ui.look.language import language
from tunebench.usecases import projects
from tunebench.usecases.experiments import applying, reading, recording
from tunebench.usecases.experiments import examples as experiment_examples
from tunebench.usecases.experiments.recording import record_cells
from tunebench.usecases.reports import success_case

Value = Callable[[Experiment, Cell], float]


@pytest.fixture(params=["ko", "en"])
def project(request: Any, tmp_path: Path) -> Iterator[Project]:
    before = language().code
    language().switch(request.param)
    with projects.create(tmp_path / "lab.tune", Engagement("Lab", "ACME", language=request.param)) as made:
        yield made
    language().switch(before)


def drawn(project: Project, example: str, qtbot: Any, value: Value | None = None) -> tuple[ResultsView, list[Any]]:
    """The window's charts, and the figures of the report."""
    (made, *_) = applying.apply(project, experiment_examples.example_edit(example, language().code)).changes
    assert isinstance(made.after, Experiment)
    if value is not None:
        experiment = made.after
        name = experiment.responses[0].name
        result = Trial(0, experiment.id, (), state=TrialState.DONE)
        results = {
            (cell, experiment.caches[0], next(iter(reading.read(project).trials.values())).role): [
                replace(result, values=recording.readings({name: value(experiment, cell)}))
            ]
            for cell in experiment.all_cells
        }
        applying.apply(project, record_cells(reading.read(project), experiment.id, results))
    view = ResultsView()
    qtbot.addWidget(view)
    view.resize(1100, 640)
    view.show_analysis(reading.analyse(reading.read(project), made.after.id))
    blocks = success_case.success_case(project, language().code).blocks
    return view, [block for block in blocks if isinstance(block, LevelLines)]


def place_of(experiment: Experiment, cell: Cell) -> float:
    return float(1 + experiment.all_cells.index(cell))


def test_001_times_of_a_copy_as_time_tells_them(project: Project, qtbot: Any) -> None:
    """The document lists real, user and sys for each file system; 16m50.876s of ext3 is the shortest."""
    view, figures = drawn(project, "fs-copy", qtbot)
    assert view.part is not None and view.part.response.unit == "s"
    first = view.ranking.chart.accessibleName()
    assert (
        first.index("ext3 · block=4K") < first.index("xfs · block=512") < first.index("reiserfs")
    )  # 16m50s, 20m54s, 21m4s
    told = view.waiting.bars.accessibleName()
    assert told.count(";") == 4 and "1,011" in told  # five rows, of which each is split into user, sys and waiting
    assert figures == []  # nothing here is a number that a line could run over


def test_002_throughput_over_threads_with_a_line_for_each_array(project: Project, qtbot: Any) -> None:
    """Over 1 to 100 connections, RAID1, RAID1(2), RAID5, RAID10 as lines, one picture for a buffer pool."""
    view, figures = drawn(project, "raid-pool-threads", qtbot, place_of)
    arrays = ("RAID1", "RAID1(2)", "RAID5", "RAID10")
    threads = (1.0, 5.0, 10.0, 15.0, 20.0, 30.0, 100.0)
    view.show_view("factors")
    factors = view.factors
    assert (factors.first.currentText(), factors.second.currentText()) == ("raid", "threads")
    for box, level in zip(factors.held.values(), ("12", "read-only"), strict=True):
        box.setCurrentIndex(box.findText(level))
        box.activated.emit(box.currentIndex())
    # 3 pools x 7 threads x 2 modes are 42 cells of an array; read-only is every other one
    rows = [", ".join(str(42 * array + 2 * place + 1) for place in range(7)) for array in range(4)]
    lines = "; ".join(f"{name}: {row}" for name, row in zip(arrays, rows, strict=True))
    said = factors.plot.accessibleName()
    assert lines in said and "threads" in said and said.endswith("[/s]")
    (figure,) = figures
    assert (figure.across, figure.unit, len(figure.panels)) == ("threads", "/s", 6)
    for panel in figure.panels:
        assert tuple(line.name for line in panel.lines) == arrays
        assert {tuple(point.number for point in line.points) for line in panel.lines} == {threads}
    held = [panel.title for panel in figure.panels]
    assert held[:2] == ["pool = 12 GB, mode = read-only", "pool = 12 GB, mode = read-write"]
    second = figure.panels[0].lines[1]
    assert [point.value for point in second.points] == [43.0, 45.0, 47.0, 49.0, 51.0, 53.0, 55.0]


def test_002_inserts_over_rows_with_a_line_for_each_table(project: Project, qtbot: Any) -> None:
    """Queries per second over 10 to 130 million rows; plain and compressed with 4 GB, plain with 8 GB."""
    view, (figure,) = drawn(project, "table-compression", qtbot, place_of)
    view.show_view("curve")
    said = view.curve.plot.accessibleName()
    assert "rows [million]" in said and said.endswith("[/s]")
    assert said.index("plain 4G: 1,") < said.index("compressed 4G: 2,") < said.index("plain 8G: 3,")
    assert figure.across == "rows [million]" and figure.unit == "/s"
    (panel,) = figure.panels
    assert [line.name for line in panel.lines] == ["plain 4G", "compressed 4G", "plain 8G"]
    assert [point.number for point in panel.lines[0].points] == [float(ten) for ten in range(10, 140, 10)]


def test_003_time_over_free_swap(project: Project, qtbot: Any) -> None:
    """nm takes 0.8 s while 153,880 KB of swap are free and 48 s with 51,448: it is not the processor's time."""
    view, (figure,) = drawn(project, "swap-nm", qtbot)
    view.show_view("curve")
    said = view.curve.plot.accessibleName()
    assert "swap_free [KB]" in said and said.endswith(f"[{figure.unit}]")
    ((line,),) = (panel.lines for panel in figure.panels)
    assert (figure.across, line.name) == ("swap_free [KB]", "swap_free")
    assert figure.unit == {"ko": "초", "en": "s"}[language().code]
    points = [(point.number, point.value) for point in line.points]
    assert points[:3] == [(51448.0, 48.465), (51568.0, 47.474), (153880.0, 0.763)] and len(points) == 7
    waiting = view.waiting.bars.accessibleName()
    assert "51448" in waiting and "47.55" in waiting  # 48.465 - 0.738 - 0.176 = 47.551 s


@pytest.mark.parametrize(
    ("example", "levels"), [("cluster-size", ["128", "4096"]), ("gfs-local", ["local", "GFS", "NFS"])]
)
def test_004_block_output_by_cluster_and_by_place(
    project: Project, qtbot: Any, example: str, levels: list[str]
) -> None:
    """Block output in KB/s beside each other for either cluster size, and for each way of sharing."""
    view, figures = drawn(project, example, qtbot, place_of)
    assert view.part is not None and view.part.response.unit == "KB/s"
    view.show_view("factors")
    said = view.factors.plot.accessibleName()
    assert ", ".join(str(place) for place in range(1, len(levels) + 1)) in said and said.endswith("[KB/s]")
    ranked = view.ranking.chart.accessibleName()
    assert all(level in ranked for level in levels)
    assert figures == []  # two sizes are compared as names are: there is no curve through them
