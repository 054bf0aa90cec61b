"""From two folders to an answer: which hosts and windows it is of, what is in doubt, what is refused, and going on."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.made import two_sides
from tests.program import compose
from tunebench.analysis.answering.answer import Answer
from tunebench.analysis.inference.verdict import Verdict
from tunebench.core.errors import UserError
from tunebench.domain.engagement import Phase, is_unnamed, presumed_host, presumed_parts
from tunebench.usecases import projects
from tunebench.usecases.answering.chosen import answer_for
from tunebench.usecases.importing import import_review, resolution
from tunebench.usecases.projects import Project
from tunebench.usecases.quick import doubts, gathering
from tunebench.usecases.quick.doubts import Doubt
from tunebench.usecases.quick.gathering import Inputs, inputs_of
from tunebench.usecases.quick.settling import Left, Question, Settled, settle

MIXED = {
    "db01": "{side}/db01/vmstat_{day}.log",
    "web01": "{side}/vmstat_web01_{day}.txt",
    "app01": "{side}/sar_{day}.txt",
}
BY_FOLDER, BY_FILE = presumed_host("db01", "folder"), presumed_host("web01", "file")


@pytest.fixture(autouse=True)
def program() -> None:
    compose()


def gathered(inputs: Inputs, path: Path, **more: object) -> tuple[Project, Settled]:
    project = gathering.create(path, inputs, "en")
    return project, gathering.gather(project, inputs, **more)  # type: ignore[arg-type]


def answered(project: Project) -> Answer:
    answer = answer_for(project)
    assert answer is not None
    return answer


def tile_of(answer: Answer, host: str) -> Verdict:
    return next(figure.lead.verdict for figure in answer.tiles[:3] if figure.resource.host == host)


# -- hosts and windows ---------------------------------------------------------------------------------


def test_what_only_names_tell_alike_on_both_sides_is_compared_and_marked(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        assert settled.compared == ("app01", BY_FOLDER, BY_FILE) and not settled.left
        assert settled.windows is not None and [window.hosts for window in settled.windows] == [(), ()]
        answer = answered(project)
        assert tile_of(answer, BY_FOLDER) is Verdict.IMPROVED
        notes = {own.key: own.texts["en"] for own in answer.disclosures}
        assert notes.keys() == {"answer.disclosed.host.folder", "answer.disclosed.host.file"}
        assert notes["answer.disclosed.host.folder"].startswith("db01 (by folder): only names of folders")
        assert all(own.texts["ko"] for own in answer.disclosures)


LAYOUTS = {
    "hosts above sides": (
        {"db01": "db01/{side}/vmstat_{day}.log", "app01": "app01/{side}/sar_{day}.txt"},
        ("전", "후"),
    ),
    "spaces and brackets": (MIXED, ("튜닝 전 (7월 1주)", "튜닝 후 (7월 3주)")),
    "prefixes": ({"db01": "{side}_db01/vmstat_{day}.log", "app01": "{side}_etc/sar_{day}.txt"}, ("before", "after")),
    "names of files": ({"db01": "{side}/db01-vmstat-{day}.log", "app01": "{side}/sar_{day}.txt"}, ("as-is", "to-be")),
    "no names": ({"db01": "{side}/vmstat_{day}.log"}, ("전", "후")),
    "headers alone": ({"db01": "{side}/x/sar_{day}.txt"}, ("1차 전", "1차 후")),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_effect_is_among_the_first_three_figures_however_it_is_laid_out(tmp_path: Path, layout: str) -> None:
    places, sides = LAYOUTS[layout]
    folder = two_sides.write(tmp_path / "in", places, sides, seed=len(layout))
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        answer = answered(project)
        hosts = [figure.resource.host for figure in answer.tiles[:3] if figure.lead.verdict is Verdict.IMPROVED]
        assert [(presumed_parts(host) or (host,))[0] for host in hosts] == (
            ["unknown"] if layout == "no names" else ["db01"]
        )
        assert settled.compared


def test_two_folders_are_the_two_sides_whatever_they_are_called(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED, ("week28", "week30"))
    paths = [folder / "week28", folder / "week30"]
    project, settled = gathered(inputs_of(paths), tmp_path / "a.tune")
    with project:
        assert {view.run.phase for view in projects.overview(project).runs} == {Phase.BEFORE, Phase.AFTER}
        assert BY_FOLDER in settled.compared and tile_of(answered(project), BY_FOLDER) is Verdict.IMPROVED


def test_archives_are_read_where_they_lie(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    sent = tmp_path / "sent"
    sent.mkdir()
    for side in ("before", "after"):
        with zipfile.ZipFile(sent / f"db01_{side}.zip", "w") as archive:
            for file in sorted((folder / side / "db01").iterdir()):
                archive.write(file, f"logs/{file.name}")
    project, settled = gathered(inputs_of([sent]), tmp_path / "a.tune")
    with project:
        assert settled.compared == (presumed_host("db01", "archive"),)
        assert tile_of(answered(project), presumed_host("db01", "archive")) is Verdict.IMPROVED


def test_what_nothing_tells_and_what_one_side_tells_are_kept_and_not_compared(tmp_path: Path) -> None:
    places = {**MIXED, "x": "{side}/vmstat_{day}.log", "edge1": "{side}/edge/sar_{day}.txt"}
    folder = two_sides.write(tmp_path / "in", places)
    for name in ("db01", "edge"):
        shutil.rmtree(folder / "after" / name)
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        assert settled.compared == ("app01", BY_FILE)
        assert settled.left["edge1"] is Left.ONE_SIDE
        assert {why for host, why in settled.left.items() if host != "edge1"} == {Left.UNNAMED}
        assert settled.windows is not None and settled.windows[0].hosts == ("app01", BY_FILE)
        assert {figure.resource.host for figure in answered(project).figures} == {"app01", BY_FILE}
        files = doubts.doubted(project, settled)
        sources = {(doubt.about, doubt.source) for file in files for doubt in file.doubts if doubt.about == "host"}
        assert sources == {("host", "file"), ("host", "one_side"), ("host", "")}
        assert all(file.is_compared == (file.row.host in settled.compared) for file in files)


def test_captures_that_measured_otherwise_at_once_are_of_no_one_host(tmp_path: Path) -> None:
    """Two machines in one folder: its name tells neither."""
    folder = two_sides.write(tmp_path / "in", {"db01": MIXED["db01"], "app01": MIXED["app01"]})
    two_sides.write(folder, {"x": "{side}/db01/vm_b_{day}.log"}, seed=2)
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        assert settled.compared == ("app01",)
        assert all(is_unnamed(row.host) and "host" in row.questions for row in rows_of(project, "db01/"))


def rows_of(project: Project, part: str) -> list[import_review.Reviewed]:
    return [row for row in import_review.reviewed(project) if part in row.path]


# -- doubts --------------------------------------------------------------------------------------------


def test_every_file_in_doubt_says_what_was_taken_and_why(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        by_name = {Path(file.row.path).name: set(file.doubts) for file in doubts.doubted(project, settled)}
        assert by_name["vmstat_0706.log"] == {Doubt("host", "db01", "folder")}
        assert by_name["sar_0706.txt"] == {Doubt("zone", "Asia/Seoul", "stamped")}, "as vmstat beside it prints"
        assert len(by_name) == 24 and not doubts.is_clear(doubts.doubted(project, settled))


def test_a_zone_that_all_share_is_no_reason_to_look_again(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", {"db01": "{side}/sar_{day}.txt"})
    project, settled = gathered(inputs_of([folder], zone="Asia/Tokyo"), tmp_path / "a.tune")
    with project:
        assert doubts.doubted(project, settled) == [], "somebody said the zone"
    project, settled = gathered(inputs_of([folder]), tmp_path / "b.tune")
    with project:
        files = doubts.doubted(project, settled)
        assert {doubt.source for file in files for doubt in file.doubts} == {"machine"} and doubts.is_clear(files)


def test_dates_of_files_alone_are_never_certain(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", {"db01": "{side}/db01/vm_{day}.log"})
    for file in sorted(folder.rglob("*.log")):
        text = re.sub(r" (2026-[-\d: ]*|-+timestamp-+|KST)$", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (1_780_000_000 + int(file.stem[-2:]) * 86_400,) * 2)
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        assert settled.windows is not None
        answer = answered(project)
        assert answer.certainty.chip not in ("proven", "assumed", "relative")
        assert "answer.disclosed.day.mtime" in {own.key for own in answer.disclosures}
        assert {"mtime"} == {
            doubt.source
            for file in doubts.doubted(project, settled)
            for doubt in file.doubts
            if doubt.about in ("start", "date")
        }


# -- asking --------------------------------------------------------------------------------------------


def test_a_person_is_asked_whose_files_they_are_and_believed(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    asked: list[Question] = []

    def ask(questions: object) -> dict[str, str]:
        asked.extend(questions)  # type: ignore[arg-type]
        return {BY_FOLDER: "db01"}

    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune", ask=ask)
    with project:
        assert [(question.host, question.proposed, len(question.rows)) for question in asked] == [
            (BY_FOLDER, "db01", 8),
            (BY_FILE, "web01", 8),
        ]
        assert settled.compared == ("app01", "db01", BY_FILE)
        assert {row.host_from for row in rows_of(project, "/db01/")} == {"user"}


# -- refusals ------------------------------------------------------------------------------------------


def test_what_cannot_be_two_sides_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    for paths, key in (
        ([], "quick_paths"),
        ([folder, folder, folder], "quick_paths"),
        ([folder, folder / "after"], "quick_inside"),
        ([folder / "before", folder / "before"], "quick_inside"),
        ([folder, tmp_path / "nowhere"], "path_missing"),
        ([folder / "before" / "db01"], "quick_no_sides"),
    ):
        with pytest.raises(UserError, match=key):
            inputs_of(paths)


def test_sides_the_wrong_way_round_or_at_once_are_refused_and_swapped(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED, ("after", "before"))
    with pytest.raises(UserError, match="quick_reversed"):
        gathered(inputs_of([folder]), tmp_path / "a.tune")
    both = [folder / "before", folder / "after"]
    with pytest.raises(UserError, match="quick_reversed"):
        gathered(inputs_of(both), tmp_path / "b.tune")
    for number, paths in enumerate(([folder], both)):
        project, _ = gathered(inputs_of(paths, swap=True), tmp_path / f"swapped{number}.tune")
        with project:
            assert tile_of(answered(project), BY_FOLDER) is Verdict.IMPROVED
    again = {host: place.replace("{day}", "{day}b") for host, place in MIXED.items()}
    two_sides.write(folder, again, ("before", "after"), seed=2)
    with pytest.raises(UserError, match="quick_overlap"):
        gathered(inputs_of([folder]), tmp_path / "c.tune")


def test_one_host_that_is_out_of_order_is_left_out(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    two_sides.write(folder, {"old9": "{side}/old9/sar_{day}.txt"}, ("after", "before"))
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        assert settled.left == {"old9": Left.ORDER}
        assert {doubt.about for file in doubts.doubted(project, settled) for doubt in file.doubts} == {
            "host",
            "zone",
            "order",
        }


# -- going on ------------------------------------------------------------------------------------------


def test_a_second_call_changes_nothing(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    project, first = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        second = gathering.gather(project, inputs_of([folder]))
        assert second == first
        assert len(projects.overview(project).runs[0].artefacts) == 12


def test_windows_of_some_hosts_follow_the_name_that_a_person_gives(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", {**MIXED, "edge1": "{side}/edge/sar_{day}.txt"})
    shutil.rmtree(folder / "after" / "edge")
    project, settled = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        assert settled.windows is not None and settled.windows[0].hosts == ("app01", BY_FOLDER, BY_FILE)
        rows = import_review.reviewed(project)
        numbers = import_review.correct_each(
            project, import_review.proposed_alike(rows, [row for row in rows if "/db01/" in row.path][:1])
        )
        assert tile_of(answered(project), "db01") is Verdict.IMPROVED
        assert {figure.resource.host for figure in answered(project).figures} == {"app01", "db01", BY_FILE}
        for number in numbers:
            resolution.take_back(project, number)
        assert tile_of(answered(project), BY_FOLDER) is Verdict.IMPROVED


def test_what_a_person_says_later_moves_the_files_and_keeps_the_windows(tmp_path: Path) -> None:
    folder = two_sides.write(tmp_path / "in", MIXED)
    project, first = gathered(inputs_of([folder]), tmp_path / "a.tune")
    with project:
        chosen = rows_of(project, "/db01/")[:1]
        corrections = import_review.proposed_alike(import_review.reviewed(project), chosen)
        assert len(corrections) == 8, "it stays asked while only a name tells it"
        import_review.correct_each(project, corrections)
        again = settle(project)
        assert again.compared == ("app01", "db01", BY_FILE) and again.windows == first.windows
        assert BY_FOLDER not in {host.name for host in projects.overview(project).hosts}
        for decision in resolution.open_hosts(project):
            assert decision.host.name != BY_FOLDER
