"""Keeps the records of the demo's story: what every act needs, whoever does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from tunebench.domain.cycle.book import CycleBook, CycleEdit, Record, RecordChange
from tunebench.domain.cycle.evidence import EvidenceTarget
from tunebench.domain.cycle.records import DailyWindow, Metric, MetricSource, Target
from tunebench.domain.engagement import Direction, Run
from tunebench.domain.schema import schema
from tunebench.domain.translations import other_language
from tunebench.domain.windows import Window, WindowRole
from tunebench.store import merged_series
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.comparing import windows
from tunebench.usecases.cycle import acts, applying, edits, measuring, reading
from tunebench.usecases.cycle import evidence as cycle_evidence
from tunebench.usecases.cycle.values import parse
from tunebench.usecases.demo.story import Story, Table

_OFFICE_HOURS = ("09:00", "18:00")
_WEEKDAYS = frozenset(range(5))
_NS = 1_000_000_000


class Clerk:
    """Writes records by the story's clock, each in both languages; `_ids` has them by the story's keys."""

    def __init__(self, project: Project, story: Story, move_clock: Callable[[datetime], str]) -> None:
        self.project, self.story = project, story
        self._move_clock = move_clock
        self._ids: dict[str, int] = {}
        self._iteration_id = 0
        self._now = ""

    def at(self, moment: datetime) -> str:
        self._now = self._move_clock(moment)
        return self._now

    def _book(self) -> CycleBook:
        return reading.read(self.project)

    def _do(self, edit: CycleEdit, by: str = "", reason: str = "") -> CycleEdit:
        changes = tuple(RecordChange(change.before, self._in_both(change.after)) for change in edit.changes)
        return applying.apply(self.project, CycleEdit(edit.name, changes), by or self._consultant, reason)

    def _in_both(self, record: Record | None) -> Record | None:
        return self.story.in_both(record)

    @property
    def _consultant(self) -> str:
        return str(self.story.facts["engagement"]["consultants"][self.story.language][0])

    def _add(self, record: Record, key: str = "") -> int:
        added = self._do(edits.add(self._book(), record)).changes[0].after
        assert added is not None
        self._ids[key] = added.id
        return added.id

    def _run(self, number: int) -> Run:
        return projects.find_run(self.project, self.story.text(self.story.facts["imports"][number], "run"))

    def _find(self, kind: type[Any], key: str) -> Any:
        return edits.find_one(self._book(), kind, self._ids[key])

    # -- metrics, targets, results

    def _new_metric(self, table: Table, **facts: Any) -> Metric:
        source = cast("MetricSource", parse(MetricSource, schema(Metric)["source"], table["source"]))
        return Metric(
            0,
            self._iteration_id,
            source=source,
            statistic="mean",
            unit=table["unit"],
            direction=Direction(table.get("direction", "lower")),
            decimals=table["decimals"],
            **self.story.texts(table, "name", "definition"),
            **facts,
        )

    def _metric(self, table: Table, key: str) -> Metric:
        id_ = self._add(self._new_metric(table), key)
        return edits.find_one(self._book(), Metric, id_)

    def _take_baseline(self, metric: Metric, over: Run | Window, reason: str = "") -> None:
        figure, target = measuring.taken(self.project, metric, over)
        caption = self._caption(metric, over, baseline=True)
        edit = measuring.with_evidence(
            self._book(),
            figure,
            target,
            caption,
            lambda own: acts.set_baseline(self._book(), metric.id, own),
            self._consultant,
        )
        self._do(edit, reason=reason)

    def _record_result(self, metric: Metric, over: Window, remark: str) -> None:
        figure, target = measuring.taken(self.project, metric, over)
        caption = self._caption(metric, over, baseline=False)
        edit = measuring.with_evidence(
            self._book(),
            figure,
            target,
            caption,
            lambda own: acts.record_result(self._book(), metric.id, own, remark),
            self._consultant,
        )
        self._do(edit)

    def _caption(self, metric: Metric, over: Run | Window, baseline: bool) -> str:
        own, other = self.story.language, other_language(self.story.language)
        captions = {code: measuring.caption(metric, over, baseline, code) for code in (own, other)}
        self.story.learn(captions[own], captions[other])
        return captions[own]

    def _change_target(self, key: str, by: str = "", reason: str = "", **facts: Any) -> None:
        targets = self._book().in_iteration(Target, self._iteration_id)
        target = next(target for target in targets if target.metric_id == self._ids[key])
        self._do(edits.change(self._book(), replace(target, **facts)), by, reason)

    # -- windows and evidence

    def _window_name(self, side: str) -> str:
        return self.story.text(self.story.facts["windows"][side], "name")

    def _lay_window(self, side: str) -> Window:
        table = self.story.facts["windows"][side]
        self.at(table["at"])
        first, last = table["days"]
        laid = windows.of_days(self.project, _WEEKDAYS, DailyWindow(*_OFFICE_HOURS), first, last)
        window = Window(0, self._window_name(side), WindowRole(side), occurrences=laid.occurrences)
        self._do(windows.add(self.project, window))
        return windows.kept_window(self.project, window.name)

    def _ns(self, moment: datetime) -> int:
        zone = ZoneInfo(projects.read_engagement(self.project).zone)
        return int(moment.replace(tzinfo=zone).timestamp()) * _NS

    def _series(self, run: Run, tool: str, natives: Iterable[str], device: str) -> list[int]:
        return [
            info.id
            for info in merged_series.list_merged(self.project, run.id)
            if info.tool == tool and info.native in natives and info.attributes.get("device") == device
        ]

    def _pin(self, caption: str, target: EvidenceTarget, *supports: int) -> None:
        words = self.story.text(self.story.facts["captions"], caption)
        self._do(cycle_evidence.pin(self._book(), target, words, supports, self._consultant, self._now))
