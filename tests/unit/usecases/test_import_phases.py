"""Before and after by the names of folders, at any depth; and machines of which no capture tells the name."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import compose
from tests.unit.usecases import daily_captures as made
from tunebench.domain.engagement import Engagement, Phase
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import imports
from tunebench.usecases.importing.results import ImportOptions


@pytest.fixture(scope="module", autouse=True)
def services() -> None:
    compose()


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with projects.create(tmp_path / "case.tune", Engagement("tuning", "ACME")) as made_project:
        yield made_project


def places(project: Project) -> dict[str, tuple[str, str, Phase]]:
    overview = projects.overview(project)
    names = {host.id: host.name for host in overview.hosts}
    return {
        each.name: (names[each.host_id or 0], view.run.label, view.run.phase)
        for view in overview.runs
        for each in view.artefacts
    }


@pytest.mark.parametrize("packed", [False, True])
def test_each_capture_goes_into_the_run_of_its_folder(project: Project, tmp_path: Path, packed: bool) -> None:
    """One machine is the same in both runs, two in one run are not, whatever lies between."""
    given = tmp_path / "acme"
    for number, place in enumerate(("web/튜닝전", "web/2차 튜닝후", "db/before/am", "db/2차_튜닝후", "notes")):
        folder = given / place
        folder.mkdir(parents=True)
        made.vmstat(folder, f"{number}.txt", 30, first_row=100 * number)
    path = Path(shutil.make_archive(str(tmp_path / "acme"), "zip", given)) if packed else given
    report = imports.import_captures(project, [path], ImportOptions(run="rest", phase=None))
    assert report.complete
    found = places(project)
    assert {name: (host, phase) for name, (host, _, phase) in found.items()} == {
        "0.txt": ("unknown (web)", Phase.BEFORE),
        "1.txt": ("unknown (web)", Phase.AFTER),
        "2.txt": ("unknown (am)", Phase.BEFORE),
        "3.txt": ("unknown (db)", Phase.AFTER),
        "4.txt": ("unknown", Phase.OTHER),
    }
    runs = {phase: {run for _, run, own in found.values() if own is phase} for phase in Phase}
    assert runs[Phase.OTHER] == {"rest"}
    assert runs[Phase.BEFORE] in ({"before"}, {"튜닝전"}), "called as the first of its captures says"
    assert runs[Phase.AFTER] in ({"2차 튜닝후"}, {"2차_튜닝후"})


def test_what_the_user_says_counts_more_than_folders(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "before"
    folder.mkdir()
    made.vmstat(folder, "vm.txt", 30)
    imports.import_captures(project, [folder], ImportOptions(run="r", phase=Phase.AFTER))
    assert places(project)["vm.txt"] == ("unknown", "r", Phase.AFTER)


def test_unnamed_captures_of_two_runs_are_of_one_host_where_their_folders_are(project: Project, tmp_path: Path) -> None:
    """Another folder is another machine until somebody says otherwise, also where its own name is the same."""
    for number, place in enumerate(("a/web", "a/web", "b/web", "db")):
        folder = tmp_path / place
        folder.mkdir(parents=True, exist_ok=True)
        made.vmstat(folder, f"{number}.txt", 30, first_row=100 * number)
        imports.import_captures(project, [folder / f"{number}.txt"], ImportOptions(run=f"r{number}", phase=Phase.OTHER))
    assert {name: host for name, (host, _, _) in places(project).items()} == {
        "0.txt": "unknown",
        "1.txt": "unknown",
        "2.txt": "unknown (web)",
        "3.txt": "unknown (db)",
    }
