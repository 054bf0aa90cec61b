"""Forty mixed captures of four hosts: the review is right or asks, one word moves everything, taking it back too."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tests.unit.usecases import mixed_captures as mixed
from tests.unit.usecases.founding_runs import FOUNDING
from tunebench.core.errors import UserError
from tunebench.domain.capturing.times import Correction, local
from tunebench.domain.engagement import Engagement, Phase, is_unnamed
from tunebench.store import queries
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import import_review, imports, resolution
from tunebench.usecases.importing.import_review import Planned, Reviewed, correction_of, reviewed
from tunebench.usecases.importing.results import ImportOptions


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
            told = known.host if known.host in Path(place).parts else None  # ``was`` and ``solaris`` name no machine
            assert (row.proposal.host if row.proposal else None) == told, place
    doubts = [each.doubt for each in reviewed(project)]
    assert doubts == sorted(doubts, reverse=True)


def test_dates_that_are_guesses_stretch_no_run(project: Project) -> None:
    """Twenty of the forty were dated by the day on which somebody copied them."""
    for run in (view.run for view in projects.overview(project).runs):
        day = mixed.DAYS[run.phase].date()
        first, last = (local(moment or 0, "Asia/Seoul").date() for moment in (run.first_ns, run.last_ns))
        assert (first - day).days >= 0 and (last - day).days <= 3 and not run.dated_by_file


def test_taking_group_by_group_makes_it_four_hosts_and_back(
    project: Project, prepared: tuple[Path, dict[str, mixed.Truth]]
) -> None:
    before = by_place(project, prepared)
    assert not import_review.proposed(before.values()), "no folder's name is a proof"
    numbers: list[int] = []
    for place in ("db01/before/vmstat0.txt", "web01/튜닝전/vmstat0.txt"):
        numbers += import_review.correct_each(
            project, import_review.proposed_alike(by_place(project, prepared).values(), [before[place]])
        )
    for host, folders in (("was01", ("전/was", "후/was")), ("sol01", ("solaris_before", "solaris_after"))):
        beside = [r.artefact for p, r in by_place(project, prepared).items() if p.rpartition("/")[0] in folders]
        asked = [each.id for each in beside if each and each.ledger.hostname != host]
        assert len(asked) == 6, "only captures beside them speak for a host: a person names it"
        numbers += resolution.correct(project, asked, Correction(host=host))
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


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Project]:
    compose()
    with projects.create(tmp_path / "empty.tune", Engagement("tuning", "ACME")) as project:
        yield project


def laid_out(folder: Path, *places: str) -> list[Path]:
    """Captures without a host at these places, each with rows of its own."""
    for number, place in enumerate(places):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        made.vmstat((folder / place).parent, Path(place).name, 12, 500 * number)
    return [folder]


def proposals(project: Project, folder: Path) -> dict[str, tuple[str, str] | None]:
    return {
        Path(each.path.replace("!/", "/")).relative_to(folder).as_posix(): (
            (each.proposal.host, each.proposal.by) if each.proposal else None
        )
        for each in reviewed(project)
        if is_unnamed(each.host)
    }


def test_a_file_s_own_name_outranks_the_host_beside_it(empty: Project, tmp_path: Path) -> None:
    """Ten captures of web01 lie beside the sar of app01: their names say whose they are."""
    folder = tmp_path / "in"
    paths = laid_out(folder, *(f"vmstat_web01_05{day:02d}.txt" for day in range(4, 14)), "vmstat0.txt")
    made.sar_day(folder, datetime(2026, 5, 4), host="app01", name="sar_0504.txt")
    imports.import_captures(empty, paths, ImportOptions(run="r"))
    rows = proposals(empty, folder)
    assert rows.pop("vmstat0.txt") is None, "what lies beside a capture proposes nothing"
    assert set(rows.values()) == {("web01", "file")} and len(rows) == 10
    assert not import_review.proposed(reviewed(empty)), "no capture and no person names web01"
    one, *_ = (row for row in reviewed(empty) if row.proposal)
    import_review.correct_each(empty, import_review.proposed_alike(reviewed(empty), [one]))
    hosts = {Path(each.path).name: each.host for each in reviewed(empty)}
    assert {host for name, host in hosts.items() if "web01" in name} == {"web01"}
    assert is_unnamed(hosts["vmstat0.txt"])


def test_a_name_that_a_person_said_proves_the_files_that_bear_it(empty: Project, tmp_path: Path) -> None:
    paths = laid_out(tmp_path / "in", "a/vmstat_web01_1.txt", "b/vmstat_web01_2.txt", "db07/vmstat_web01_3.txt")
    imports.import_captures(empty, paths, ImportOptions(run="r"))
    first = next(row for row in reviewed(empty) if row.name == "vmstat_web01_1.txt" and row.artefact)
    assert first.artefact
    resolution.correct(empty, [first.artefact.id], Correction(host="web01"))
    rows = reviewed(empty)
    proved = {row.name for row in rows if row.artefact and row.artefact.id in import_review.proposed(rows)}
    assert proved == {"vmstat_web01_2.txt"}, "the folder of the third speaks for another host: that is asked"
    [third] = (row for row in rows if row.name == "vmstat_web01_3.txt")
    assert third.proposal == import_review.Proposal("web01", "file", True, "db07") and "host" in third.questions


def test_a_prompt_proves_its_host_unless_a_name_says_another() -> None:
    """5 what the tool prints, 4 a prompt, 3 a file's name, 2 a folder's: the strongest proposes, others contradict."""
    assert import_review.Proposal("db01", "prompt").is_proved
    assert not import_review.Proposal("db01", "prompt", against="web09").is_proved
    assert import_review.Proposal("db01", "file", is_known=True).is_proved
    assert not import_review.Proposal("db01", "file").is_proved
    assert not import_review.Proposal("db01", "folder", is_known=True).is_proved
    assert not import_review.Proposal("db01", "archive", is_known=True).is_proved


@pytest.mark.parametrize(
    ("place", "proposal"),
    [
        ("db01/vmstat-web-02-20260504.txt", ("web-02", "file")),
        ("db07/vmstat_0504.txt", ("db07", "folder")),
        ("db07/run2/vmstat.txt", None),
        ("db07_before/vmstat.txt", ("db07", "folder")),
        ("x/vmstat_users100_step3_el9.txt", None),
        ("x/vmstat_web01_db01.txt", None),
    ],
)
def test_names_of_hosts_that_nobody_knows(
    empty: Project, tmp_path: Path, place: str, proposal: tuple[str, str] | None
) -> None:
    folder = tmp_path / "in"
    imports.import_captures(empty, laid_out(folder, place), ImportOptions(run="r"))
    assert proposals(empty, folder) == {place: proposal}


def test_a_known_host_s_folder_contradicts_a_word_that_only_looks_like_one(empty: Project, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    paths = laid_out(folder, "app01/vmstat_web09.txt", "app01/vmstat_peak.txt", "b/vmstat_app01.txt")
    made.sar_day(folder, datetime(2026, 5, 4), host="app01", name="sar_0504.txt")
    imports.import_captures(empty, paths, ImportOptions(run="r"))
    assert proposals(empty, folder) == {
        "app01/vmstat_web09.txt": None,
        "app01/vmstat_peak.txt": ("app01", "folder"),
        "b/vmstat_app01.txt": ("app01", "file"),
    }


def test_an_archive_s_name_proposes_a_host(empty: Project, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    laid_out(folder, "vmstat.txt")
    with zipfile.ZipFile(tmp_path / "web03_20260504.zip", "w") as archive:
        archive.write(folder / "vmstat.txt", "var/log/vmstat.txt")
    imports.import_captures(empty, [tmp_path / "web03_20260504.zip"], ImportOptions(run="r"))
    assert proposals(empty, tmp_path) == {"web03_20260504.zip/var/log/vmstat.txt": ("web03", "archive")}


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
