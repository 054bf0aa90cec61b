"""A comparison that is asked for again: what is read anew, and that it is what a first one would have come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.program import compose
from tests.unit.usecases.compared_captures import MONDAY, TUESDAY, morning
from tunebench.analysis.comparing.comparison import Comparison
from tunebench.analysis.series import SeriesData
from tunebench.domain.assembly import DeviceAlias, Span
from tunebench.domain.engagement import Engagement, Phase
from tunebench.domain.windows import Exclusion, Occurrence, Window
from tunebench.store import merged_series
from tunebench.store.merged_series import MergedSeries
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.comparing import compare, sides
from tunebench.usecases.importing import assembly, imports
from tunebench.usecases.importing.results import ImportOptions

MINUTE_NS = 60_000_000_000
DAYS = 3


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Three mornings before and, of the week after, three that are twice as quick."""
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME", zone="Asia/Seoul")) as made:
        for run, phase, weeks, faster in (("old", Phase.BEFORE, 0, 1.0), ("new", Phase.AFTER, 1, 2.0)):
            days = [MONDAY + timedelta(days=7 * weeks + day) for day in range(DAYS)]
            paths = [
                morning(tmp_path / f"{run}{day}.txt", day, seed, devices=2, faster=faster)
                for seed, day in enumerate(days, DAYS * weeks)
            ]
            assert imports.import_captures(made, paths, ImportOptions(run=run, phase=phase)).complete
        yield made


@pytest.fixture
def spans_read(monkeypatch: pytest.MonkeyPatch) -> list[Span]:
    """Grows by one for every table that is read."""
    found: list[Span] = []
    read = merged_series.read_tables

    def listening(
        project: Project,
        columns: Sequence[Sequence[MergedSeries]],
        start_ns: int | None = None,
        end_ns: int | None = None,
    ) -> Iterator[tuple[list[int], SeriesData]]:
        assert start_ns is not None and end_ns is not None
        found.append((start_ns, end_ns))
        return read(project, columns, start_ns, end_ns)

    monkeypatch.setattr(merged_series, "read_tables", listening)
    return found


def window(project: Project, run: str) -> Window:
    """Each morning from 9:00 to 11:50."""
    found = projects.find_run(project, run)
    first = MONDAY if run == "old" else MONDAY + timedelta(days=7)
    days = [(first + timedelta(days=day)).replace(tzinfo=ZoneInfo("Asia/Seoul")) for day in range(DAYS)]
    starts = [round(day.timestamp()) * 10**9 for day in days]
    return Window(0, run, occurrences=tuple(Occurrence(each, each + 170 * MINUTE_NS, found.id) for each in starts))


def shortened(before: Window) -> Window:
    """The second morning ends twenty minutes earlier."""
    first, second, *rest = before.occurrences
    assert second.end_ns is not None
    return replace(before, occurrences=(first, replace(second, end_ns=second.end_ns - 20 * MINUTE_NS), *rest))


def fresh(project: Project, before: Window, after: Window) -> Comparison:
    """As a program that has just been started would compare."""
    sides._memories.clear()
    return compare.compare(project, before, after)


def test_nothing_is_read_twice(project: Project, spans_read: list[Span]) -> None:
    windows = window(project, "old"), window(project, "new")
    first = compare.compare(project, *windows)
    assert {row.verdict.value for row in first.rows if row.metric == "system.disk.utilization"} == {"improved"}
    assert set(spans_read) == {(each.start_ns, each.end_ns) for side in windows for each in side.occurrences}
    del spans_read[:]
    assert compare.compare(project, *windows).rows == first.rows
    assert not spans_read


def test_an_end_that_is_moved_leaves_the_other_side_alone(project: Project, spans_read: list[Span]) -> None:
    before, after = window(project, "old"), window(project, "new")
    first = compare.compare(project, before, after)
    moved = shortened(after)
    del spans_read[:]
    found = compare.compare(project, before, moved)
    assert spans_read and set(spans_read) <= {each.span for each in moved.occurrences}
    assert found.rows != first.rows
    assert found.rows == fresh(project, before, moved).rows
    assert compare.compare(project, before, after).rows == first.rows


def test_a_hole_on_one_side_is_one_on_the_other(project: Project) -> None:
    """Half an hour of the first morning is excluded: the matching half hour of the other side goes with it."""
    before, after = window(project, "old"), window(project, "new")
    compare.compare(project, before, after)
    start_ns = before.occurrences[0].start_ns
    assert start_ns is not None
    batch = Exclusion(start_ns + 30 * MINUTE_NS, start_ns + 60 * MINUTE_NS, "batch")
    holed = replace(before, exclusions=(batch,))
    found = compare.compare(project, holed, after)
    assert found.rows == fresh(project, holed, after).rows
    assert {row.after_statistics.n for row in found.rows if row.after_statistics} == {
        3 * 170 - 31  # the first of each capture is since boot
    }


def test_captures_that_come_later_count(project: Project, tmp_path: Path) -> None:
    """A device more on the second morning, of the same times."""
    before, after = window(project, "old"), window(project, "new")
    compare.compare(project, before, after)
    more = morning(tmp_path / "more.txt", TUESDAY + timedelta(days=7), 9, devices=3, faster=2.0, host="db02")
    assert imports.import_captures(project, [more], ImportOptions(run="new", phase=Phase.AFTER)).complete
    found = compare.compare(project, before, after)
    assert "db02" in {row.series.host for row in found.rows}
    assert found.rows == fresh(project, before, after).rows


def test_a_device_is_called_what_it_is_called_now(project: Project) -> None:
    before, after = window(project, "old"), window(project, "new")
    (host_id,) = {row.series.host_id for row in compare.compare(project, before, after).rows}
    assembly.set_device_names(project, host_id, [DeviceAlias("sda", "/oradata")])
    found = compare.compare(project, before, after)
    assert any("/oradata" in row.series.label for row in found.rows)
    assert found.rows == fresh(project, before, after).rows
