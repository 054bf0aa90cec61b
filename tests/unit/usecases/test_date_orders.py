"""The order of day and month that one capture of a host proves is taken for those of the host that leave it open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.program import compose
from tunebench.domain.capturing.times import Correction
from tunebench.domain.engagement import Engagement
from tunebench.domain.ledger import Assumption
from tunebench.store import removal
from tunebench.store.project import Project
from tunebench.usecases import projects
from tunebench.usecases.importing import imports, resolution
from tunebench.usecases.importing.results import ImportedFile, ImportOptions

HEAD = "Linux 5.10.0 (db01) \t{day} \t_x86_64_\t(2 CPU)\n\n"
ROWS = """\
Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await w_await aqu-sz rareq-sz wareq-sz  svctm  %util
sda              1.00    2.00      4.00      8.00     0.00     0.00   0.00   0.00    1.00    1.00   0.00     4.00     4.00   1.00   {util}

"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    compose()
    made = projects.create(tmp_path / "acme.tune", Engagement(title="Tuning", customer="ACME", zone="UTC"))
    yield made
    projects.close(made)


def iostat(folder: Path, name: str, day: str, host: str = "db01", tool_rows: int = 2) -> Path:
    """``iostat -xt``: the stamps have the order of the banner's date."""
    rows = "".join(f"{day} 10:00:{10 * row:02d}\n{ROWS.format(util=f'{row}.5')}" for row in range(tool_rows))
    path = folder / name
    path.write_text(HEAD.replace("db01", host).format(day=day) + rows)
    return path


def take(project: Project, *paths: Path) -> dict[str, ImportedFile]:
    files = imports.import_captures(project, paths, ImportOptions()).files
    assert all(file.artefact_id is not None for file in files)
    return {Path(file.path).name: file for file in files}


def day_of(file: ImportedFile) -> str:
    assert file.ledger.first_ns is not None
    return datetime.fromtimestamp(file.ledger.first_ns // 10**9, UTC).date().isoformat()


def assumed(file: ImportedFile) -> dict[str, tuple[str, str]]:
    return {each.subject: (each.value, each.source) for each in file.ledger.assumptions if "order" in each.subject}


def test_alone_it_is_a_default_that_is_asked_for(project: Project, tmp_path: Path) -> None:
    (file,) = take(project, iostat(tmp_path, "open.txt", "05/12/2025")).values()
    assert day_of(file) == "2025-05-12" and assumed(file) == {"date_order": ("mm/dd/yy", "default")}
    assert "date" in file.ledger.needs


@pytest.mark.parametrize("order", [("open.txt", "proof.txt"), ("proof.txt", "open.txt")])
def test_beside_one_that_proves_it(project: Project, tmp_path: Path, order: tuple[str, str]) -> None:
    days = {"open.txt": "05/12/2025", "proof.txt": "25/11/2025"}
    found = take(project, *(iostat(tmp_path, name, days[name]) for name in order))
    assert day_of(found["proof.txt"]) == "2025-11-25" and assumed(found["proof.txt"]) == {}
    assert day_of(found["open.txt"]) == "2025-12-05"
    assert assumed(found["open.txt"]) == {
        "date_order": ("dd/mm/yy", "sibling"),
        "date_order_of": ("proof.txt", "sibling"),
    }
    assert "date" not in found["open.txt"].ledger.needs


def test_it_holds_for_what_comes_later_and_is_read_again(project: Project, tmp_path: Path) -> None:
    take(project, iostat(tmp_path, "proof.txt", "25/11/2025"))
    (later,) = take(project, iostat(tmp_path, "open.txt", "05/12/2025")).values()
    assert day_of(later) == "2025-12-05" and later.artefact_id is not None
    again = imports.reparse(project, later.artefact_id, ImportOptions(zone="Asia/Seoul"))
    assert assumed(again) == assumed(later), "another correction does not turn its dates round"
    hours = 9 * 3600 * 10**9
    assert (later.ledger.first_ns or 0) - (again.ledger.first_ns or 0) == hours


def test_a_person_s_word_counts_more_and_can_be_taken_back(project: Project, tmp_path: Path) -> None:
    take(project, iostat(tmp_path, "proof.txt", "25/11/2025"))
    (later,) = take(project, iostat(tmp_path, "open.txt", "05/12/2025")).values()
    assert later.artefact_id is not None
    (host,) = resolution.open_hosts(project)
    (capture,) = [each for each in host.captures if each.artefact.id == later.artefact_id]
    assert "date_order" in capture.times.open_subjects and "date_order" not in capture.doubtful
    (effect,) = resolution.effects([capture], Correction(day_first=False))
    assert datetime.fromtimestamp(effect.after[0] // 10**9, UTC).date().isoformat() == "2025-05-12"
    [number] = resolution.correct(project, [later.artefact_id], Correction(day_first=False))

    def now() -> tuple[str, tuple[Assumption, ...]]:
        found = next(
            each for each in resolution.open_hosts(project)[0].captures if each.artefact.id == later.artefact_id
        )
        assert found.artefact.ledger.first_ns is not None
        moment = datetime.fromtimestamp(found.artefact.ledger.first_ns // 10**9, UTC)
        kept = tuple(each for each in found.artefact.ledger.assumptions if "order" in each.subject)
        return moment.date().isoformat(), kept

    assert now() == ("2025-05-12", (Assumption("date_order", "mm/dd/yy", "user"),))
    resolution.take_back(project, number)
    assert now()[0] == "2025-12-05" and now()[1][0].source == "sibling"


def test_another_host_proves_nothing(project: Project, tmp_path: Path) -> None:
    proof = iostat(tmp_path, "proof.txt", "25/11/2025", host="db02")
    found = take(project, proof, iostat(tmp_path, "open.txt", "05/12/2025"))
    assert assumed(found["open.txt"]) == {"date_order": ("mm/dd/yy", "default")}


def test_captures_that_disagree_prove_nothing(project: Project, tmp_path: Path) -> None:
    found = take(
        project,
        iostat(tmp_path, "a.txt", "25/11/2025"),
        iostat(tmp_path, "b.txt", "11/26/2025"),
        iostat(tmp_path, "open.txt", "05/12/2025"),
    )
    assert assumed(found["open.txt"]) == {"date_order": ("mm/dd/yy", "default")}


def test_month_first_is_proven_as_well(project: Project, tmp_path: Path) -> None:
    found = take(project, iostat(tmp_path, "proof.txt", "11/25/2025"), iostat(tmp_path, "open.txt", "05/12/2025"))
    assert assumed(found["open.txt"])["date_order"] == ("mm/dd/yy", "sibling")
    assert "date" not in found["open.txt"].ledger.needs, "it is the same day, but no longer a mere default"


def test_a_capture_that_was_removed_proves_nothing(project: Project, tmp_path: Path) -> None:
    (proof,) = take(project, iostat(tmp_path, "proof.txt", "25/11/2025")).values()
    assert proof.artefact_id is not None
    removal.remove_artefact(project, proof.artefact_id)
    (later,) = take(project, iostat(tmp_path, "open.txt", "05/12/2025")).values()
    assert assumed(later) == {"date_order": ("mm/dd/yy", "default")}
