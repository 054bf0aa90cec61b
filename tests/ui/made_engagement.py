"""A small invented engagement in memory, with the same face as an open project's source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import numpy as np

from app.analysis.comparing.comparison import ComparedSeries, Comparison, Parts, pair_series, ratio_of_means
from app.analysis.series import Envelope, SeriesData, joined
from app.analysis.statistics import Statistics, describe
from app.domain.engagement import CaptureEvent, Direction, Engagement, EventKind, Host, Kind, Note, Phase, Run
from app.domain.series import SeriesInfo
from app.domain.windows import Stretch, Window, ends_of
from app.ui.charts.outline import PeriodSpan

SEOUL = ZoneInfo("Asia/Seoul")
STEP_NS = 15_000_000_000
HOURS = 9


def at(text: str, zone: ZoneInfo = SEOUL) -> int:
    """UTC nanoseconds of a wall-clock time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()) * 1_000_000_000


BEFORE_NS, AFTER_NS = at("2007-07-19T09:00:00"), at("2007-07-26T09:00:00")
GAP_FROM_NS, GAP_TO_NS = at("2007-07-19T11:18:00"), at("2007-07-19T11:42:00")
RESTART_NS, COMMENT_NS = at("2007-07-19T13:05:00"), at("2007-07-19T14:32:00")


@dataclass(frozen=True)
class FakeReading:
    time_ns: int
    value: float
    line_number: int


@dataclass(frozen=True)
class FakeEvent:
    host_id: int
    run_id: int
    artefact_id: int
    event: CaptureEvent


class MadeSource:
    """Answers like the use cases do, from arrays."""

    def __init__(self, zone: str = "Asia/Seoul", disks: int = 2) -> None:
        self.engagement = Engagement("2007 튜닝", "ACME은행", zone=zone)
        self.hosts = (Host(1, "svrdb01", "Solaris", "9", zone),)
        self.runs: list[Run] = []
        self.infos: list[SeriesInfo] = []
        self.samples: dict[int, SeriesData] = {}
        self.asked: list[tuple[str, int]] = []
        self.noted: list[Note] = []
        self._make_run(1, "튜닝 전 07-19", Phase.BEFORE, BEFORE_NS, disks, load=1.0)
        self._make_run(2, "튜닝 후 07-26", Phase.AFTER, AFTER_NS, disks, load=0.25)

    # --- making
    def _make_run(self, run_id: int, label: str, phase: Phase, begin_ns: int, disks: int, load: float) -> None:
        count = HOURS * 240
        times = begin_ns + np.arange(1, count + 1, dtype=np.int64) * STEP_NS
        if run_id == 1:
            times = times[(times <= GAP_FROM_NS) | (times >= GAP_TO_NS)]
        run = Run(run_id, label, phase, int(times[0]), int(times[-1]))
        self.runs.append(run)
        rng = np.random.default_rng(run_id)
        wave = 0.75 + 0.25 * np.sin(np.arange(times.size) / 300)
        self._add(run, times, "vmstat", "r", "system.cpu.run_queue_length", "{thread}", {}, np.round(wave * 9 * load))
        busy = np.clip(wave * 70 * load + rng.normal(0, 6, times.size), 1, 97).round()
        self._add(run, times, "vmstat", "us", "system.cpu.utilization", "%", {}, busy)
        self._add(run, times, "vmstat", "sy", "system.cpu.utilization", "%", {}, (busy * 0.2).round())
        self._add(run, times, "vmstat", "sr", "system.memory.scan_rate", "{page}/s", {}, _burst(times, load))
        free = 400_000 + 2e5 * wave
        self._add(run, times, "vmstat", "free", "system.memory.usage", "KiBy", {}, free, Direction.HIGHER)
        for disk in range(disks):
            name = {"device": f"ssd{disk + 1}" if disk else "sd0"}
            svc = np.abs(wave * 110 * load * (disk + 1) / disks + rng.normal(0, 12, times.size)).round(1)
            self._add(run, times, "iostat", "svc_t", "system.disk.response_time", "ms", name, svc)
            pct = np.clip(svc, 0, 100).round()
            self._add(run, times, "iostat", "%b", "system.disk.utilization", "%", name, pct)
        if run_id == 1:
            self._add(run, times, "iostat", "wait", "system.disk.wait_time", "ms", {"device": "sd0"}, wave)

    def _add(
        self,
        run: Run,
        times: np.ndarray,
        tool: str,
        native: str,
        metric: str,
        unit: str,
        attributes: dict[str, str],
        values: np.ndarray,
        direction: Direction = Direction.LOWER,
    ) -> None:
        key = len(self.infos) + 1
        boot = np.zeros(times.size, dtype=np.bool_)
        boot[0] = True
        values = np.array(values, dtype=np.float64)
        values[0] = 3.0
        self.infos.append(
            SeriesInfo(
                key,
                run.id,
                run.label,
                1,
                "svrdb01",
                run.id * 10 + (tool == "iostat"),
                run.id,
                tool,
                tool,
                native,
                metric,
                unit,
                Kind.GAUGE,
                direction,
                1.0,
                unit,
                times.size - 1,
                0,
                int(times[1]),
                int(times[-1]),
                15.0,
                attributes,
            )
        )
        self.samples[key] = SeriesData(times, values, boot, np.arange(times.size) + 14)

    def overview(self) -> SimpleNamespace:
        views = tuple(SimpleNamespace(run=run, host_names=("svrdb01",), artefacts=()) for run in self.runs)
        return SimpleNamespace(engagement=self.engagement, hosts=self.hosts, runs=views, read_only=False)

    def named(self, native: str, run_id: int = 1, device: str | None = None) -> SeriesInfo:
        return next(
            i
            for i in self.infos
            if i.native == native and i.run_id == run_id and (device is None or i.attributes.get("device") == device)
        )

    # --- answering
    def list_series(self) -> list[SeriesInfo]:
        return list(self.infos)

    def series_data(self, series_id: int, start_ns: int | None, end_ns: int | None) -> SeriesData:
        data = self.samples[series_id]
        keep = np.ones(data.times_ns.size, dtype=np.bool_)
        if start_ns is not None:
            keep &= data.times_ns >= start_ns
        if end_ns is not None:
            keep &= data.times_ns <= end_ns
        return SeriesData(data.times_ns[keep], data.values[keep], data.since_boot[keep], data.line_numbers[keep])

    def envelope(self, series_id: int, start_ns: int, end_ns: int, bins: int) -> Envelope:
        self.asked.append(("envelope", series_id))
        data = self.series_data(series_id, start_ns - STEP_NS, end_ns + STEP_NS)
        times, values = data.times_ns[~data.since_boot], data.values[~data.since_boot]
        size = 1
        while times.size / size > 2 * bins + 2:
            size *= 4
        starts = np.arange(0, times.size, size)
        ends = np.minimum(starts + size, times.size) - 1
        low, mean, high = (
            np.array([reduce(values[a : a + size]) for a in starts], dtype=np.float64)
            for reduce in (np.min, np.mean, np.max)
        )
        found = Envelope(times[starts], times[ends], low, mean, high, samples_per_bin=size)
        return _broken(found)

    def statistics(self, series_id: int, start_ns: int | None, end_ns: int | None) -> Statistics:
        return describe(self.series_data(series_id, start_ns, end_ns))

    def value_at(self, series_id: int, time_ns: int) -> FakeReading | None:
        self.asked.append(("value_at", series_id))
        data = self.samples[series_id]
        index = int(np.searchsorted(data.times_ns, time_ns))
        if index >= data.times_ns.size or data.times_ns[index] - time_ns > STEP_NS or data.since_boot[index]:
            return None
        return FakeReading(int(data.times_ns[index]), float(data.values[index]), int(data.line_numbers[index]))

    def events(self) -> list[FakeEvent]:
        gap = CaptureEvent(EventKind.GAP, GAP_FROM_NS, GAP_TO_NS, "연결 끊김")
        restart = CaptureEvent(EventKind.RESTART, RESTART_NS)
        comment = CaptureEvent(EventKind.COMMENT, COMMENT_NS, None, "인덱스 생성")
        return [FakeEvent(1, 1, 10, event) for event in (gap, restart, comment)]

    def periods(self) -> list[PeriodSpan]:
        return []

    def notes(self) -> list[Note]:
        return list(self.noted)

    def add_note(self, time_ns: int, text: str) -> None:
        self.noted.append(Note(len(self.noted) + 1, "time", None, time_ns, text, "", "2007-07-27"))

    def meaning(self, series: SeriesInfo, language: str) -> str:
        return {"ko": "뜻", "en": "meaning"}[language] + f" {series.native}"

    def occurrences(self, parts: Sequence[SeriesInfo], stretches: Sequence[Stretch]) -> list[SeriesData]:
        return [joined([self.series_data(part.id, *each.span) for part in parts]) for each in stretches]

    def compare(self, before: Window, after: Window, progress: object) -> Comparison:
        pairs = pair_series(
            *([info for info in self.infos if info.run_id in window.run_ids] for window in (before, after))
        )
        rows = []
        for earlier, later in pairs:
            first, second = self._over(earlier, before), self._over(later, after)
            ratio, reason = ratio_of_means(first, second, (later or earlier)[0].direction)
            rows.append(ComparedSeries(earlier, later, first, second, ratio, reason))
        return Comparison(before, after, tuple(rows))

    def _over(self, parts: Parts, window: Window) -> Statistics | None:
        data = [self.series_data(part.id, *ends_of(window.occurrences)) for part in parts]
        return describe(joined(data)) if data else None

    def cut(self, series_id: int, at_ns: int) -> tuple[SeriesInfo, SeriesInfo]:
        """Makes two captures of one: up to `at_ns`, and what comes later."""
        info, last_ns = next(i for i in self.infos if i.id == series_id), int(self.samples[series_id].times_ns[-1])
        early, late = self.series_data(series_id, None, at_ns), self.series_data(series_id, at_ns + 1, last_ns)
        first = replace(info, count=early.times_ns.size - 1, last_ns=int(early.times_ns[-1]))
        second = replace(
            info,
            id=1 + max(self.samples),
            artefact_id=100 + info.artefact_id,
            clock_id=100 + info.clock_id,
            count=late.times_ns.size,
            first_ns=int(late.times_ns[0]),
        )
        self.infos[self.infos.index(info)] = first
        self.infos.append(second)
        self.samples |= {first.id: early, second.id: late}
        return first, second


def _burst(times: np.ndarray, load: float) -> np.ndarray:
    inside = (times > RESTART_NS) & (times < RESTART_NS + 5_400_000_000_000)
    return np.where(inside, 20_000 * load, 0.0)


def _broken(found: Envelope) -> Envelope:
    """A NaN row wherever nothing was measured for more than 2.5 intervals."""
    wide = np.flatnonzero(found.times_ns[1:] - found.end_ns[:-1] > 2.5 * STEP_NS) + 1
    nan = np.full(wide.size, np.nan)
    return Envelope(
        np.insert(found.times_ns, wide, found.end_ns[wide - 1]),
        np.insert(found.end_ns, wide, found.times_ns[wide]),
        np.insert(found.minimum, wide, nan),
        np.insert(found.mean, wide, nan),
        np.insert(found.maximum, wide, nan),
        found.samples_per_bin,
    )
