"""How fast the timeline pans: prints milliseconds per frame. Not a test; run it on a quiet machine.

    QT_QPA_PLATFORM=offscreen python tests/perf/pan_benchmark.py

Samples are made in memory, with a pyramid of factor 4 as the sample store keeps it, so that the figures are those
of the charts alone: a pan step is asked for, every row is painted, late envelopes come from worker threads.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtWidgets import QApplication

from app.analysis.series import Envelope, SeriesData
from app.analysis.statistics import Statistics
from app.domain.engagement import Direction, Kind
from app.domain.series import SeriesInfo
from app.ui import fonts
from app.ui.charts.stack_view import StackView
from app.ui.charts.time_range import SECOND_NS, TimeRange
from app.ui.jobs_bridge import JobsBridge
from app.ui.theme import ThemeMode, themes
from app.usecases.jobs import JobLanes

BEGIN_NS = 1_184_803_200 * SECOND_NS
FRAMES = 120


class Pyramid:
    """One series of `count` samples at one a second, and its levels of 4, 16, 64 ... samples."""

    def __init__(self, count: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        raw = np.clip(50 + 30 * np.sin(np.arange(count) / (count / 40)) + rng.normal(0, 6, count), 0, 100)
        self.levels = [(raw, raw, raw)]
        while self.levels[-1][0].size > 4_096:
            low, mean, high = (level[: level.size // 4 * 4].reshape(-1, 4) for level in self.levels[-1])
            self.levels.append((low.min(1), mean.mean(1), high.max(1)))

    def envelope(self, start_ns: int, end_ns: int, bins: int) -> Envelope:
        span_s = (end_ns - start_ns) / SECOND_NS
        level = 0
        while level + 1 < len(self.levels) and span_s / 4 ** (level + 1) >= bins:
            level += 1
        low, mean, high = self.levels[level]
        size = 4**level
        first = max((start_ns - BEGIN_NS) // SECOND_NS // size - 1, 0)
        last = min((end_ns - BEGIN_NS) // SECOND_NS // size + 2, low.size)
        times = BEGIN_NS + np.arange(first, last, dtype=np.int64) * size * SECOND_NS
        part = slice(first, last)
        return Envelope(times, times + (size - 1) * SECOND_NS, low[part], mean[part], high[part], size)


class MemorySource:
    """Answers for the charts; nothing else is needed here."""

    def __init__(self, series: int, count: int) -> None:
        self.pyramids = {key: Pyramid(count, key) for key in range(1, series + 1)}
        end_ns = BEGIN_NS + count * SECOND_NS
        self.infos = {
            key: SeriesInfo(
                key, 1, "run", 1, "host", 1, 1, "sar", "cpu", f"%user{key}", "system.cpu.utilization", "%", Kind.GAUGE,
                Direction.LOWER, 0.01, "1", count, 0, BEGIN_NS, end_ns, 1.0, {"cpu": str(key)},
            )
            for key in self.pyramids
        }  # fmt: skip

    def envelope(self, series_id: int, start_ns: int, end_ns: int, bins: int) -> Envelope:
        return self.pyramids[series_id].envelope(start_ns, end_ns, bins)

    def series_data(self, series_id: int, start_ns: int | None, end_ns: int | None) -> SeriesData:
        none = np.empty(0, dtype=np.int64)
        return SeriesData(none, none.astype(np.float64), none.astype(np.bool_), none)

    def value_at(self, series_id: int, time_ns: int) -> None:
        """Reading single samples is the store's part."""

    def statistics(self, series_id: int, start_ns: int | None, end_ns: int | None) -> Statistics:
        return Statistics(0, 0)


def pan(application: QApplication, series: int, count: int, share: float) -> str:
    """Milliseconds per pan step of 1 % with `series` rows of `count` samples, `share` of them in view."""
    lanes = JobLanes()
    charts = StackView(JobsBridge(lanes))
    source = MemorySource(series, count)
    charts.use(source, source.infos, ZoneInfo("Asia/Seoul"))  # type: ignore[arg-type]
    charts.resize(1366, min(110 * series + 70, 1000))
    charts.show()
    for key in source.infos:
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
        print(pan(application, series, count, share), flush=True)


if __name__ == "__main__":
    main()
