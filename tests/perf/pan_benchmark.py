"""How fast the timeline pans: prints milliseconds per frame. Not a test; run it on a quiet machine.

    QT_QPA_PLATFORM=offscreen python tests/perf/pan_benchmark.py

The samples are in a real project file: a pan step is asked for, every row is painted with its cross-hair, and
envelopes come from the store through worker threads.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "app"))

import numpy as np
from PySide6.QtWidgets import QApplication

from tests.store.cases import SampleWriter
from tunebench.analysis.exploring.time_range import SECOND_NS, TimeRange
from tunebench.domain.engagement import Direction, Engagement, Kind, Phase
from tunebench.domain.ledger import ImportState, Ledger
from tunebench.domain.series import SeriesTraits
from tunebench.sdk import SampleBatch, SeriesKey
from tunebench.store.artefacts import begin_artefact, set_parse_result
from tunebench.store.hosts import ensure_host
from tunebench.store.opening import create_project
from tunebench.store.project import Project
from tunebench.store.runs import ensure_run
from tunebench.ui.charts.stack_view import StackView
from tunebench.ui.jobs_bridge import JobsBridge
from tunebench.ui.look import fonts
from tunebench.ui.look.theme import ThemeMode, themes
from tunebench.usecases import browse
from tunebench.usecases.jobs import JobLanes

BEGIN_NS = 1_184_803_200 * SECOND_NS
FRAMES = 120
ROWS_AT_ONCE = 65_536


def make_project(folder: Path, series: int, count: int) -> Project:
    """An engagement whose one capture has `series` series of `count` samples at one a second, in the real store."""
    project = create_project(folder / f"pan-{series}-{count}.tune", Engagement("pan", "benchmark"))
    run = ensure_run(project, "run", Phase.OTHER)
    host = ensure_host(project, "host")
    writer = begin_artefact(project, run.id, "made.txt", "made.txt", 0)
    writer.write(f"{series} x {count}\n".encode())
    artefact_id = writer.finish().artefact_id
    traits = SeriesTraits("system.cpu.utilization", "%", Kind.GAUGE, Direction.LOWER, 0.01, "1")
    samples = SampleWriter(
        project, artefact_id=artefact_id, run_id=run.id, host_id=host.id, tool="sar", traits=lambda _key: traits
    )
    keys = tuple(SeriesKey("cpu", "%user", (("cpu", str(number)),)) for number in range(series))
    rng = np.random.default_rng(1)
    for first in range(0, count, ROWS_AT_ONCE):
        rows = np.arange(first, min(first + ROWS_AT_ONCE, count))
        wave = 50 + 30 * np.sin(rows / (count / 40))
        values = np.clip(wave[:, None] + rng.normal(0, 6, (len(rows), series)), 0, 100).round(2)
        times_ns = BEGIN_NS + rows * SECOND_NS
        samples.append(SampleBatch("cpu", times_ns, keys, values, np.zeros(len(rows), bool), rows + 1))
    samples.finish()
    set_parse_result(
        project,
        artefact_id,
        host_id=host.id,
        parser_id="made",
        parser_version="1",
        state=ImportState.IMPORTED,
        ledger=Ledger(),
        events=(),
        given={},
    )
    return project


def pan(application: QApplication, folder: Path, series: int, count: int, share: float) -> str:
    """Milliseconds per pan step of 1 % with `series` rows of `count` samples, `share` of them in view."""
    project = make_project(folder, series, count)
    infos = {info.id: info for info in browse.list_series(project)}
    lanes = JobLanes()
    charts = StackView(JobsBridge(lanes))
    charts.use(project, infos, ZoneInfo("Asia/Seoul"))
    charts.resize(1366, min(110 * series + 70, 1000))
    charts.show()
    for key in infos:
        charts.stack.arrangement.add([key])
    span_ns = int(count * share) * SECOND_NS
    charts.show_view(TimeRange(BEGIN_NS, BEGIN_NS + span_ns))
    charts.refresh_rows()
    settle(application, charts)
    frames = []
    for step in range(1, FRAMES + 1):
        begun = time.perf_counter()
        start_ns = BEGIN_NS + step * span_ns // 100
        charts.show_view(TimeRange(start_ns, start_ns + span_ns))
        charts.show_cursor(start_ns + span_ns // 2)
        application.processEvents()
        frames.append((time.perf_counter() - begun) * 1e3)
    charts.use(None, {}, ZoneInfo("UTC"))
    settle(application, charts)
    charts.close()
    lanes.close()
    project.close()
    project.path.unlink()
    median, p95 = np.percentile(frames, (50, 95))
    return (
        f"{series:>3} x {count:>10,}  {share:>7.2%}   {median:6.1f} ms   p95 {p95:6.1f} ms   {1000 / median:5.0f} fps"
    )


def settle(application: QApplication, charts: StackView) -> None:
    end = time.perf_counter() + 5
    while time.perf_counter() < end:
        application.processEvents()
        time.sleep(0.002)
        if charts.feed.settled and time.perf_counter() > end - 4.7:
            return


def main() -> None:
    application = QApplication([])
    application.setStyle("Fusion")
    fonts.register_bundled_fonts()
    themes().set_mode(ThemeMode.LIGHT)
    print("rows x samples     in view    median          95th            rate")
    cases = ((1, 10_000_000, 0.4), (1, 10_000_000, 0.01), (8, 1_000_000, 0.4), (8, 86_400, 0.4), (24, 86_400, 0.4))
    for series, count, share in cases:
        with tempfile.TemporaryDirectory() as folder:
            print(pan(application, Path(folder), series, count, share), flush=True)


if __name__ == "__main__":
    main()
