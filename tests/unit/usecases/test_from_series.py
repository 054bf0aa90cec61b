"""A series that is pointed at becomes a target or a cause, in one step that one step takes back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.program import compose
from tests.unit.usecases.founding_runs import founding_project
from tunebench.core.errors import UserError
from tunebench.domain.cycle.book import CycleBook
from tunebench.domain.cycle.evidence import Evidence
from tunebench.domain.cycle.records import Cause, Metric, Target
from tunebench.domain.engagement import Direction
from tunebench.domain.series import SeriesInfo
from tunebench.store.project import Project
from tunebench.store.runs import list_runs
from tunebench.usecases import browse
from tunebench.usecases.cycle import applying, reading
from tunebench.usecases.cycle.from_series import make_cause, make_target


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    compose()
    with founding_project(tmp_path_factory.mktemp("series")) as made:
        yield made


def series(project: Project, direction: Direction) -> SeriesInfo:
    return next(info for info in browse.list_series(project) if info.direction is direction and info.count > 3)


def book_of(project: Project) -> CycleBook:
    return reading.read(project)


def test_a_target_has_its_baseline_measured_and_a_proposed_value(project: Project) -> None:
    info = series(project, Direction.LOWER)
    run = next(run for run in list_runs(project) if run.id == info.run_id)
    edit = applying.apply(project, make_target(project, book_of(project), info, run, "en"))
    book = book_of(project)
    (metric,), (target,) = book.all(Metric), book.all(Target)
    assert (metric.direction, metric.unit, target.metric_id, target.priority) == (
        info.direction,
        info.unit,
        metric.id,
        1,
    )
    mean = browse.statistics(project, info.id).mean
    assert mean is not None
    assert target.baseline is not None and target.baseline.value == pytest.approx(mean)
    assert target.value == pytest.approx(0.8 * mean, rel=0.005) and "20 %" in target.note
    with pytest.raises(UserError, match="series_judged"):
        make_target(project, book, info, run, "en")
    applying.undo(project, edit)
    assert book_of(project).current is None


def test_where_nobody_knows_what_is_better_no_target_is_made(project: Project) -> None:
    info = series(project, Direction.NEUTRAL)
    run = next(run for run in list_runs(project) if run.id == info.run_id)
    with pytest.raises(UserError, match="series_without_direction"):
        make_target(project, book_of(project), info, run, "en")


def test_a_cause_has_the_stretch_as_its_evidence(project: Project) -> None:
    info = series(project, Direction.LOWER)
    assert info.first_ns is not None and info.last_ns is not None
    span = (info.first_ns, (info.first_ns + info.last_ns) // 2)
    edit = applying.apply(project, make_cause(project, book_of(project), [info], span, "en", by="Kim"))
    book = book_of(project)
    (cause,), (evidence,) = book.all(Cause), book.all(Evidence)
    assert evidence.attached_to == (cause.id,) and (evidence.target.start_ns, evidence.target.end_ns) == span
    assert info.native in cause.title and evidence.target.series == (info.id,)
    applying.undo(project, edit)
    assert not book_of(project).all(Cause)
