"""Forty mixed captures of four hosts: the review is right or asks, one word moves everything, taking it back too."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from app.bootstrap import compose
from app.core.errors import UserError
from app.domain.capturing.times import local
from app.domain.engagement import Engagement, Phase, is_unnamed
from app.store import queries
from app.store.project import Project
from app.usecases import projects
from app.usecases.importing import import_review, imports, resolution
from app.usecases.importing.import_review import Planned, Reviewed, correction_of, reviewed
from app.usecases.importing.imports import ImportOptions
from app.usecases.importing.resolution import Correction
from tests.unit.usecases import daily_captures as made
from tests.unit.usecases import mixed_captures as mixed
from tests.unit.usecases.founding_runs import FOUNDING


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, mixed.Truth]]:
    compose()
    folder = tmp_path_factory.mktemp("forty")
    truth = mixed.make(folder / "acme")
    with projects.create(folder / "case.tune", Engagement("tuning", "ACME")) as project:
        imports.import_captures(project, [folder / "acme"], ImportOptions(run="acme", phase=None))
    return folder, truth


@pytest.fixture
def project(prepared: tuple[Path, dict[str, mixed.Truth]], tmp_path: Path) -> Iterator[Project]:
    with projects.open_(Path(shutil.copy(prepared[0] / "case.tune", tmp_path))) as opened:
        yield opened


def by_place(project: Project, prepared: tuple[Path, object]) -> dict[str, Reviewed]:
    return {Path(each.path).relative_to(prepared[0] / "acme").as_posix(): each for each in reviewed(project)}


def test_the_review_is_right_or_asks(project: Project, prepared: tuple[Path, dict[str, mixed.Truth]]) -> None:
    truth = prepared[1]
    rows = by_place(project, prepared)
    assert (len(truth), sum(not each.named for each in truth.values())) == (40, 19)
    refused = rows.pop(mixed.TABLE)
    assert (refused.questions, refused.refusal and refused.refusal.key) == (("file",), "file_unrecognised")
    assert rows.keys() == truth.keys()
    for place, row in rows.items():
        known = truth[place]
        assert row.phase is known.phase, place
        if known.named:
            assert (row.host, row.host_from) == (known.host, "capture"), place
        else:
            assert is_unnamed(row.host) and "host" in row.questions and row.host_from == "none", place
            assert row.proposal and row.proposal.host == known.host, place
    doubts = [each.doubt for each in reviewed(project)]
    assert doubts == sorted(doubts, reverse=True)


def test_dates_that_are_guesses_stretch_no_run(project: Project) -> None:
    """Twenty of the forty were dated by the day on which somebody copied them."""
    for run in (view.run for view in projects.overview(project).runs):
        day = mixed.DAYS[run.phase].date()
        first, last = (local(moment or 0, "Asia/Seoul").date() for moment in (run.first_ns, run.last_ns))
        assert (first - day).days >= 0 and (last - day).days <= 3 and not run.dated_by_file


def test_taking_all_proposals_makes_it_four_hosts_and_back(
    project: Project, prepared: tuple[Path, dict[str, mixed.Truth]]
) -> None:
    before = by_place(project, prepared)
    numbers = import_review.correct_each(project, import_review.proposed(before.values()))
    rows = by_place(project, prepared)
    assert {place: rows[place].host for place in prepared[1]} == {p: t.host for p, t in prepared[1].items()}
    assert all(rows[place].host_from == ("capture" if t.named else "user") for place, t in prepared[1].items())
    assert {each.host for each in queries.list_series(project)} == set(mixed.FOLDERS)
    assert [host.name for host in projects.overview(project).hosts] == sorted(mixed.FOLDERS)
    [bundle] = projects.overview(project).bundles
    assert bundle.hosts == tuple(sorted(mixed.FOLDERS)), "the account of the folder says it, too"
    for number in reversed(numbers):
        resolution.take_back(project, number)
    assert {p: (r.host, r.questions) for p, r in by_place(project, prepared).items()} == {
        p: (r.host, r.questions) for p, r in before.items()
    }


def test_another_system_on_a_host_is_a_question(
    project: Project, prepared: tuple[Path, dict[str, mixed.Truth]]
) -> None:
    rows = by_place(project, prepared)
    solaris = rows["solaris_before/vmstat0.txt"].artefact
    assert solaris is not None
    resolution.correct(project, [solaris.id], Correction(host="web01"))
    asked = {place for place, row in by_place(project, prepared).items() if "system" in row.questions}
    assert asked == {"solaris_before/vmstat0.txt"}


def test_what_a_person_said_of_a_neighbour_is_proposed_first(
    project: Project, prepared: tuple[Path, dict[str, mixed.Truth]]
) -> None:
    one = by_place(project, prepared)["전/was/vmstat0.txt"].artefact
    assert one is not None
    resolution.correct(project, [one.id], Correction(host="was02"))
    other = by_place(project, prepared)["후/was/vmstat0.txt"]
    assert other.proposal == import_review.Proposal("was02", "said")


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Project]:
    compose()
    with projects.create(tmp_path / "empty.tune", Engagement("tuning", "ACME")) as project:
        yield project


def test_one_host_that_measured_two_things_at_once_is_asked(empty: Project, tmp_path: Path) -> None:
    for name, first_row in (("a", 0), ("b", 300)):
        (tmp_path / name).mkdir()
        made.sar_day(tmp_path / name, datetime(2026, 7, 13), first_row)
    imports.import_captures(empty, [tmp_path / "a", tmp_path / "b"], ImportOptions(run="r"))
    assert [each.questions[0] for each in reviewed(empty)] == ["overlap", "overlap"]


def test_a_single_block_is_asked_until_its_interval_is_said(empty: Project) -> None:
    path = FOUNDING / "iostat_write_maxcontig_6.txt"
    imports.import_captures(empty, [path], ImportOptions(run="r", host="db1"))
    [row] = reviewed(empty)
    assert "since_boot" in row.questions and row.host_from == "import" and row.artefact
    resolution.correct(empty, [row.artefact.id], Correction(interval_s=2))
    assert not {"since_boot", "interval_s"} & set(reviewed(empty)[0].questions)


def test_a_plan_says_what_differs_and_confirms_what_was_assumed(empty: Project, tmp_path: Path) -> None:
    made.vmstat(tmp_path, "vm.txt")
    imports.import_captures(empty, [tmp_path / "vm.txt"], ImportOptions(run="r"))
    [row] = reviewed(empty)
    assert row.times is not None
    values = import_review.values_of(row.times)
    as_it_is = Planned(row.host, row.run, row.phase, values.zone, values.day, values.start, values.interval_s)
    assert correction_of(row, as_it_is) is None
    confirmed = correction_of(row, Planned(zone=values.zone, start=values.start, confirmed=True))
    assert confirmed == Correction(zone="Asia/Seoul", start=values.start)
    said = Planned("db1", "after", Phase.AFTER, "UTC", date(2026, 7, 1), datetime(2026, 7, 2), 5.0)
    assert correction_of(row, said) == Correction(
        "UTC", date(2026, 7, 1), None, datetime(2026, 7, 2), 5.0, 0, "db1", "after", Phase.AFTER
    )
    with pytest.raises(UserError, match="plan_phase"):
        correction_of(row, Planned(phase=Phase.AFTER))
