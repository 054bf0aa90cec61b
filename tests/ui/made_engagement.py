"""A small invented engagement: its figures in memory, and a project that has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

from tunebench.analysis.comparing.comparison import ComparedSeries, Comparison, Parts, pair_series, ratio_of_means
from tunebench.analysis.exploring.time_range import TimeRange
from tunebench.analysis.series import SeriesData, joined
from tunebench.analysis.statistics import Statistics, describe
from tunebench.core.grouping import by_key
from tunebench.domain.engagement import CaptureEvent, Direction, Engagement, EventKind, Kind, Phase, Run
from tunebench.domain.ledger import ImportState, Ledger, LineCounts
from tunebench.domain.series import SeriesInfo, SeriesTraits
from tunebench.domain.windows import Window, ends_of
from tunebench.sdk import SampleBatch, SeriesKey
from tunebench.store.artefacts import begin_artefact, set_parse_result
from tunebench.store.hosts import ensure_host
from tunebench.store.runs import ensure_run
from tunebench.store.sample_packing import SamplePacker
from tunebench.store.samples import SampleStore
from tunebench.ui.workspace import Change, Workspace
from tunebench.usecases import browse, projects
from tunebench.usecases.projects import Project

SEOUL = ZoneInfo("Asia/Seoul")
STEP_NS = 15_000_000_000
HOURS = 9


def at(text: str, zone: ZoneInfo = SEOUL) -> int:
    """UTC nanoseconds of a wall-clock time."""
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()) * 1_000_000_000


BEFORE_NS, AFTER_NS = at("2007-07-19T09:00:00"), at("2007-07-26T09:00:00")
GAP_FROM_NS, GAP_TO_NS = at("2007-07-19T11:18:00"), at("2007-07-19T11:42:00")
RESTART_NS, COMMENT_NS = at("2007-07-19T13:05:00"), at("2007-07-19T14:32:00")
EVENTS = (
    CaptureEvent(EventKind.GAP, GAP_FROM_NS, GAP_TO_NS, "연결 끊김"),
    CaptureEvent(EventKind.RESTART, RESTART_NS),
    CaptureEvent(EventKind.COMMENT, COMMENT_NS, None, "인덱스 생성"),
)


class MadeEngagement:
    """Two runs of one host, before and after; `stored` puts them into a project."""

    def __init__(self, zone: str = "Asia/Seoul", disks: int = 2) -> None:
        self.engagement = Engagement("2007 튜닝", "ACME은행", zone=zone)
        self.runs: list[Run] = []
        self.infos: list[SeriesInfo] = []
        self.samples: dict[int, SeriesData] = {}
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

    def named(self, native: str, run_id: int = 1, device: str | None = None) -> SeriesInfo:
        return next(
            i
            for i in self.infos
            if i.native == native and i.run_id == run_id and (device is None or i.attributes.get("device") == device)
        )

    def series_data(self, series_id: int, start_ns: int | None, end_ns: int | None) -> SeriesData:
        data = self.samples[series_id]
        keep = np.ones(data.times_ns.size, dtype=np.bool_)
        if start_ns is not None:
            keep &= data.times_ns >= start_ns
        if end_ns is not None:
            keep &= data.times_ns <= end_ns
        return SeriesData(data.times_ns[keep], data.values[keep], data.since_boot[keep], data.line_numbers[keep])

    def compare(self, project: Project, before: Window, after: Window, progress: object) -> Comparison:
        """As the use case of that name, but that nothing is judged."""
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

    # --- storing
    def opened_in(self, workspace: Workspace, folder: Path) -> None:
        """The workspace holds a project that has all of it."""
        workspace.project = self.stored(folder)
        workspace.overview = projects.overview(workspace.project)
        if self.runs:
            workspace.selection.set_extent(TimeRange(self.runs[0].first_ns or 0, self.runs[-1].last_ns or 0))

    def stored(self, folder: Path) -> Project:
        """A project that has all of it; series go by its numbers from now on."""
        project = projects.create(folder / "made.tune", self.engagement)
        for run in self.runs:
            assert ensure_run(project, run.label, run.phase).id == run.id
        kept = [info for info in self.infos if info.run_id in {run.id for run in self.runs}]
        captures = by_key(((info.run_id, info.tool, info.first_ns, info.last_ns), info) for info in kept)
        for own in captures.values():
            self._store_capture(project, own)
        self._number_as(browse.list_series(project))
        return project

    def _store_capture(self, project: Project, own: Sequence[SeriesInfo]) -> None:
        run_id, tool, columns = own[0].run_id, own[0].tool, [self.samples[info.id] for info in own]
        name = f"{tool}-{own[0].id}.txt"
        writer = begin_artefact(project, run_id, name, f"/var/tmp/{name}", 7)
        writer.write(name.encode())
        artefact_id, host_id = writer.finish().artefact_id, ensure_host(project, "svrdb01").id
        traits = {_key_of(info): info for info in own}
        packer = SamplePacker()
        store = SampleStore(
            project,
            artefact_id=artefact_id,
            run_id=run_id,
            host_id=host_id,
            tool=tool,
            traits=lambda key: _traits_of(traits[key]),
        )
        times = columns[0].times_ns
        values = np.column_stack([data.values for data in columns])
        batch = SampleBatch(tool, times, tuple(traits), values, columns[0].since_boot, columns[0].line_numbers)
        store.take(packer.append(batch))
        for parts in packer.finish():
            store.take(parts)
        store.finish()
        happened = run_id == 1 and tool == "vmstat" and times[0] < GAP_FROM_NS
        set_parse_result(
            project,
            artefact_id,
            host_id=host_id,
            parser_id=tool,
            parser_version="1",
            state=ImportState.IMPORTED,
            ledger=Ledger(lines=LineCounts(1, 1), first_ns=int(times[0]), last_ns=int(times[-1])),
            events=EVENTS if happened else (),
            given={},
        )

    def _number_as(self, stored: Sequence[SeriesInfo]) -> None:
        samples = {(info.run_id, _key_of(info)): self.samples[info.id] for info in self.infos}
        self.samples = {info.id: samples[info.run_id, _key_of(info)] for info in stored}
        self.infos = list(stored)

    def cut(self, series_id: int, at_ns: int) -> None:
        """Makes two captures of one: up to `at_ns`, and what comes later, in a run of its own."""
        info, last_ns = next(i for i in self.infos if i.id == series_id), int(self.samples[series_id].times_ns[-1])
        early, late = self.series_data(series_id, None, at_ns), self.series_data(series_id, at_ns + 1, last_ns)
        first = replace(info, count=early.times_ns.size - 1, last_ns=int(early.times_ns[-1]))
        second = replace(
            info,
            id=1 + max(self.samples),
            run_id=3,
            run="튜닝 전 오후",
            artefact_id=100 + info.artefact_id,
            clock_id=100 + info.clock_id,
            count=late.times_ns.size,
            first_ns=int(late.times_ns[0]),
        )
        self.runs.append(Run(3, "튜닝 전 오후", Phase.OTHER, int(late.times_ns[0]), last_ns))
        self.infos[self.infos.index(info)] = first
        self.infos.append(second)
        self.samples |= {first.id: early, second.id: late}


def close(workspace: Workspace) -> None:
    """Closes the project, as its pages hear."""
    project, workspace.project = workspace.opened, None
    workspace.announce(Change.CLOSED)
    workspace.jobs.wait(60)
    project.close()


def _burst(times: np.ndarray, load: float) -> np.ndarray:
    inside = (times > RESTART_NS) & (times < RESTART_NS + 5_400_000_000_000)
    return np.where(inside, 20_000 * load, 0.0)


def _key_of(info: SeriesInfo) -> SeriesKey:
    return SeriesKey(info.tool, info.native, tuple(info.attributes.items()))


def _traits_of(info: SeriesInfo) -> SeriesTraits:
    return SeriesTraits(info.metric, info.unit, info.kind, info.direction, info.to_base, info.base_unit)
