"""``remove``: says what goes, asks, and is as good as gone."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, iostat_capture


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def imported(tmp_path: Path, tunebench: Command) -> Path:
    """A project with one run of one capture."""
    project = tmp_path / "acme.tune"
    assert tunebench("new", project, "--customer", "ACME", "--zone", "Asia/Seoul").code == 0
    again(project, tmp_path, tunebench)
    return project


def again(project: Path, folder: Path, tunebench: Command) -> str:
    path = folder / "iostat.txt"
    path.write_text(iostat_capture("2026-07-19", 6, 80.0, 30.0))
    answer = tunebench("import", project, path, "--run", "first", "--phase", "before", "--json")
    assert answer.code == 0, answer.err
    return str(answer.json["files"][0]["state"])


def labels(project: Path, tunebench: Command) -> list[str]:
    return [run["label"] for run in tunebench("info", project, "--json").json["runs"]]


def test_a_run_is_removed_and_its_capture_can_be_imported_again(
    imported: Path, tmp_path: Path, tunebench: Command
) -> None:
    assert again(imported, tmp_path, tunebench) == "duplicate"
    (known,) = tunebench("info", imported, "--json").json["runs"]
    answer = tunebench("remove", imported, "--run", "first", "--yes", "--json")
    assert (answer.code, answer.json["kind"], answer.json["name"]) == (0, "run", "first")
    assert [each["sha256"] for each in answer.json["captures"]] == [known["artefacts"][0]["sha256"]]
    assert answer.json["series"] > 0 and answer.json["samples"] > 0
    assert labels(imported, tunebench) == []
    assert again(imported, tmp_path, tunebench) == "imported"
    assert {each["state"] for each in tunebench("check", imported, "--json").json} == {"ok"}


def test_a_capture_is_removed_by_the_number_that_info_tells(imported: Path, tunebench: Command) -> None:
    (run,) = tunebench("info", imported, "--json").json["runs"]
    number = run["artefacts"][0]["id"]
    assert f"{number}  iostat.txt" in tunebench("info", imported, "--lang", "en").out
    answer = tunebench("remove", imported, "--artefact", number, "--yes", "--lang", "ko")
    assert answer.code == 0 and "수집 파일 iostat.txt" in answer.out
    (run,) = tunebench("info", imported, "--json").json["runs"]
    assert run["artefacts"] == []


@pytest.mark.parametrize(
    ("language", "said", "code"),
    [("ko", "예\n", 0), ("ko", "아니요\n", 3), ("en", "Yes\n", 0), ("en", "n\n", 3), ("en", "\n", 3), ("ko", "", 3)],
)
def test_at_a_terminal_it_asks_first(
    imported: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch, language: str, said: str, code: int
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(said))
    answer = tunebench("remove", imported, "--run", "first", "--lang", language)
    assert answer.code == code
    assert {"ko": "되돌릴 수 없습니다", "en": "cannot be undone"}[language] in answer.err
    assert {"ko": "수집 파일 1개", "en": "captures: 1"}[language] in answer.err
    monkeypatch.undo()
    assert labels(imported, tunebench) == ([] if code == 0 else ["first"])


def test_without_a_terminal_only_yes_removes(
    imported: Path, tunebench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("yes\n"))
    answer = tunebench("remove", imported, "--run", "first", "--lang", "en")
    assert (answer.code, "--yes" in answer.err) == (3, True)
    assert labels(imported, tunebench) == ["first"]


def test_what_is_evidence_stays_and_names_who_rests_on_it(imported: Path, tunebench: Command) -> None:
    for words in (("start", "--title", "1"), ("pin", "--caption", "the peak", "--run", "first")):
        assert tunebench("cycle", imported, *words, "--lang", "en").code == 0
    (run,) = tunebench("info", imported, "--json").json["runs"]
    for what in (("--run", "first"), ("--artefact", run["artefacts"][0]["id"])):
        answer = tunebench("remove", imported, *what, "--yes", "--lang", "en")
        assert (answer.code, "E-1 the peak" in answer.err, len(answer.err.splitlines())) == (3, True, 1)
    assert labels(imported, tunebench) == ["first"]


def test_a_phase_is_no_name_to_remove_by(imported: Path, tunebench: Command) -> None:
    for words, code in (
        (("--run", "before"), 3),
        (("--run", "nobody"), 3),
        (("--artefact", "99"), 3),
        ((), 2),
        (("--run", "first", "--artefact", "1"), 2),
    ):
        assert tunebench("remove", imported, *words, "--yes").code == code
    assert labels(imported, tunebench) == ["first"]
